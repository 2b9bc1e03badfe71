//! Lists the types and fields that our sources and the installed headers both have. Which those
//! are is known from `abi/verbs-public.json`, for the release that pkg-config tells.

use quote::ToTokens;
use serde_json::Value;
use std::{env, fmt::Write as _, fs, path::PathBuf, process::Command};

/// Releases with a table, oldest first.
const RELEASES: [&str; 3] = ["44.0", "56.1", "65.0"];

/// Types that rdma-sys writes by hand, with accessors in place of some members: size only.
const BY_HAND: [&str; 9] = [
    "ibv_ah_attr",
    "ibv_async_event",
    "ibv_flow_spec",
    "ibv_gid",
    "ibv_global_route",
    "ibv_mw_bind_info",
    "ibv_ops_wr",
    "ibv_send_wr",
    "ibv_wc",
];

/// The newest table that is not newer than the installed headers.
fn installed_table() -> Option<&'static str> {
    let out = Command::new("pkg-config").args(["--modversion", "libibverbs"]).output().ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    // 1.14.44.0: interface, ABI, release.
    let number: f64 = text.trim().splitn(3, '.').nth(2)?.parse().ok()?;
    RELEASES.into_iter().rfind(|r| r.parse::<f64>().is_ok_and(|r| r <= number))
}

fn variant<'a>(table: &'a Value, name: &str, release: &str) -> Option<&'a Value> {
    let entry = &table["records"][name];
    let holds = |v: &&Value| v["releases"].as_array().is_none_or(|l| l.iter().any(|r| r == release));
    match entry.as_array() {
        Some(variants) => variants.iter().find(holds),
        None => Some(entry).filter(|e| e.is_object()).filter(holds),
    }
}

fn field<'a>(record: &'a Value, name: &str) -> Option<&'a Value> {
    record["fields"].as_array()?.iter().find(|f| f["name"] == name)
}

/// The name that bindgen gives a member: words that Rust reserves get a trailing underscore.
fn in_bindgen(plain: &str) -> String {
    match plain {
        "type" | "in" | "match" | "priv" => format!("{plain}_"),
        other => other.to_owned(),
    }
}

fn main() {
    let top = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let sources = top.join("src/abi/verbs");
    let table = top.join("abi/verbs-public.json");
    println!("cargo::rerun-if-changed={}", sources.display());
    println!("cargo::rerun-if-changed={}", table.display());
    println!("cargo::rerun-if-env-changed=PKG_CONFIG_PATH");

    let release = installed_table().unwrap_or_else(|| panic!("libibverbs-dev 44.0 or newer is needed"));
    let table: Value = serde_json::from_str(&fs::read_to_string(table).expect("the table")).expect("JSON");

    let mut out = String::from("pub static PAIRS: &[Pair] = &[\n");
    let mut files: Vec<_> =
        fs::read_dir(&sources).expect("src/abi/verbs").flatten().map(|e| e.path()).collect();
    files.sort();
    for file in files {
        let parsed = syn::parse_file(&fs::read_to_string(&file).expect("a source")).expect("Rust");
        for item in &parsed.items {
            let (name, fields) = match item {
                syn::Item::Struct(s) => (s.ident.to_string(), &s.fields),
                syn::Item::Union(u) => (u.ident.to_string(), &syn::Fields::Named(u.fields.clone())),
                _ => continue,
            };
            let (Some(there), Some(newest)) =
                (variant(&table, &name, release), variant(&table, &name, "65.0"))
            else {
                continue;
            };
            // rdma-sys includes verbs.h and rdma_cma.h, and lists what begins with `ibv_`.
            if !name.starts_with("ibv_") || there["header"] == "tm_types.h" {
                continue;
            }
            let mut add = |what: &str, ours: String, theirs: String| {
                writeln!(out, "    Pair {{ what: \"{name}{what}\", ours: {ours}, theirs: {theirs} }},")
                    .expect("memory");
            };
            // Ours is the newest; where a type grew, the installed one is smaller.
            if there["size"] == newest["size"] {
                add("", format!("size_of::<verbs::{name}>()"), format!("size_of::<rdma_sys::{name}>()"));
            }
            if BY_HAND.contains(&name.as_str()) {
                continue;
            }
            for f in fields {
                let ident = f.ident.to_token_stream().to_string();
                let plain = ident.strip_prefix("r#").or(ident.strip_suffix('_')).unwrap_or(&ident);
                let (Some(a), Some(b)) = (field(there, plain), field(newest, plain)) else { continue };
                if a["off"] == b["off"] {
                    let theirs = format!("offset_of!(rdma_sys::{name}, {})", in_bindgen(plain));
                    add(&format!(".{plain}"), format!("offset_of!(verbs::{name}, {ident})"), theirs);
                }
            }
        }
    }
    out += "];\n";
    let to = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("pairs.rs");
    fs::write(to, out).expect("OUT_DIR is writable");
}
