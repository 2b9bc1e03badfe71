//! The dynamic symbols of the built library and the flags of the file are those of release
//! 65.0 (`abi/symbols-65.0.json`), and `symbols.txt` says the same.

use checks::{facts, library, symbols};
use goblin::elf::{
    Elf,
    dynamic::{DF_1_NODELETE, DF_1_NOW, DF_BIND_NOW, DT_BIND_NOW},
    program_header::PT_GNU_RELRO,
    symver::VER_FLG_BASE,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// One exported name with its node; `@@` is the version that new programs get.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Export {
    name: String,
    version: String,
    default: bool,
    kind: String,
}

fn with_library<T>(f: impl FnOnce(&Elf) -> T) -> T {
    let path = library::path();
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    f(&Elf::parse(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// Version number in the file to node name and the names of its parents.
fn nodes(elf: &Elf) -> BTreeMap<u16, (String, Vec<String>)> {
    let verdef = elf.verdef.as_ref().expect("the library defines versions");
    let name = |at: usize| elf.dynstrtab.get_at(at).expect("a version has a name").to_owned();
    verdef
        .iter()
        .filter(|d| d.vd_flags & VER_FLG_BASE == 0)
        .map(|d| {
            let mut names = d.iter().map(|a| name(a.vda_name));
            let own = names.next().expect("a node has a name");
            (d.vd_ndx, (own, names.collect()))
        })
        .collect()
}

fn exports(elf: &Elf) -> BTreeSet<Export> {
    let nodes = nodes(elf);
    let versym = elf.versym.as_ref().expect("the symbols have versions");
    let mut found = BTreeSet::new();
    for (i, sym) in elf.dynsyms.iter().enumerate().filter(|(_, s)| s.st_shndx != 0 && s.st_name != 0) {
        let v = versym.get_at(i).expect("one version a symbol");
        let version = nodes.get(&v.version()).map_or("none", |(n, _)| n).to_owned();
        let kind = goblin::elf::sym::type_to_str(sym.st_type()).to_owned();
        let name = elf.dynstrtab.get_at(sym.st_name).expect("a symbol has a name").to_owned();
        found.insert(Export { name, version, default: !v.is_hidden(), kind });
    }
    found
}

fn expected() -> BTreeSet<Export> {
    let text = |v: &Value| v.as_str().expect("text").to_owned();
    facts::table("symbols-65.0")["exports"]
        .as_array()
        .expect("exports")
        .iter()
        .map(|e| Export {
            name: text(&e["name"]),
            version: text(&e["ver"]),
            default: e["default"].as_bool().expect("a flag"),
            kind: text(&e["type"]),
        })
        .collect()
}

/// Names, nodes, `@` or `@@`, types: nothing missing and nothing more.
#[test]
fn symbols_and_versions() {
    with_library(|elf| {
        // Each node also stands in the table as an absolute symbol of its own name.
        let nodes: BTreeSet<String> = nodes(elf).into_values().map(|(n, _)| n).collect();
        let (markers, ours): (Vec<_>, BTreeSet<_>) = split(exports(elf), |e| nodes.contains(&e.name));
        let (_, theirs): (Vec<_>, BTreeSet<_>) = split(expected(), |e| nodes.contains(&e.name));
        let missing: Vec<_> = theirs.difference(&ours).collect();
        let extra: Vec<_> = ours.difference(&theirs).collect();
        assert!(missing.is_empty() && extra.is_empty(), "missing: {missing:#?}\nextra: {extra:#?}");
        let marked: BTreeSet<String> = markers.into_iter().map(|e| e.name).collect();
        assert_eq!(marked, nodes, "one absolute symbol a node");
    });
}

fn split<A: Default + Extend<Export>, B: Default + Extend<Export>>(
    all: BTreeSet<Export>,
    pick: impl Fn(&Export) -> bool,
) -> (A, B) {
    let (mut a, mut b) = (A::default(), B::default());
    for e in all {
        match pick(&e) {
            true => a.extend([e]),
            false => b.extend([e]),
        }
    }
    (a, b)
}

/// The node tree. 1.26 continues 1.25, not 1.25.1.
#[test]
fn node_parents() {
    let table = facts::table("symbols-65.0");
    let expected: BTreeMap<String, Vec<String>> = table["verdef"]
        .as_object()
        .expect("nodes")
        .iter()
        .map(|(n, d)| {
            let parents = d["parents"].as_array().expect("parents").iter();
            (n.clone(), parents.map(|p| p.as_str().expect("a name").to_owned()).collect())
        })
        .filter(|(n, _): &(String, _)| n.starts_with("MLX5_"))
        .collect();
    with_library(|elf| {
        let ours: BTreeMap<String, Vec<String>> = nodes(elf).into_values().collect();
        assert_eq!(ours, expected);
    });
}

/// The list that the build uses is the table.
#[test]
fn symbols_txt() {
    let listed: BTreeSet<(String, String)> = symbols::nodes()
        .into_iter()
        .flat_map(|n| n.symbols.into_iter().map(move |s| (s, n.name.clone())))
        .collect();
    let nodes: BTreeSet<String> = symbols::nodes().into_iter().map(|n| n.name).collect();
    let table: BTreeSet<(String, String)> =
        expected().into_iter().filter(|e| !nodes.contains(&e.name)).map(|e| (e.name, e.version)).collect();
    assert_eq!(listed, table);
}

#[test]
fn file_flags() {
    with_library(|elf| {
        assert_eq!(elf.soname, Some("libmlx5.so.1"));
        let dynamic = elf.dynamic.as_ref().expect("a dynamic library");
        let flags = &dynamic.info;
        let bind_now = flags.flags & DF_BIND_NOW != 0
            || flags.flags_1 & DF_1_NOW != 0
            || dynamic.dyns.iter().any(|d| d.d_tag == DT_BIND_NOW);
        assert!(bind_now, "BIND_NOW: every symbol is resolved at load");
        assert!(flags.flags_1 & DF_1_NODELETE != 0, "NODELETE: libibverbs keeps pointers into the library");
        assert!(elf.program_headers.iter().any(|p| p.p_type == PT_GNU_RELRO), "RELRO");
        assert!(elf.runpaths.is_empty() && elf.rpaths.is_empty(), "no search path of the build machine");
    });
}

/// libc with its loader, and libibverbs by its public name only.
#[test]
fn needed() {
    with_library(|elf| {
        let needed: BTreeSet<&str> = elf.libraries.iter().copied().collect();
        let allowed = |n: &str| matches!(n, "libibverbs.so.1" | "libc.so.6") || n.starts_with("ld-linux");
        assert!(needed.iter().all(|n| allowed(n)), "{needed:?}");
        assert!(needed.contains("libibverbs.so.1"), "{needed:?}");
    });
}

/// A reference to a node of one private ABI would keep the file from loading on the others.
#[test]
fn no_private_references() {
    with_library(|elf| {
        let needs = elf.verneed.as_ref().map(|v| {
            let name = |at: usize| elf.dynstrtab.get_at(at).unwrap_or("?").to_owned();
            v.iter().flat_map(|n| n.iter().map(|a| name(a.vna_name)).collect::<Vec<_>>()).collect::<Vec<_>>()
        });
        let private: Vec<_> =
            needs.unwrap_or_default().into_iter().filter(|n| n.contains("PRIVATE")).collect();
        assert!(private.is_empty(), "{private:?}");
    });
}
