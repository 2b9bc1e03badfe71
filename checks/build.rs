//! Lists every `repr(C)` type of `src/abi` with its fields, and every constant, so that
//! `tests/layouts.rs` can hold them to the tables without a list kept by hand.

use quote::ToTokens;
use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// The public type files of a folder. Modules without types of their own count as well.
fn sources(dir: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("src/abi is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
    into.sort();
}

/// Whether the type is one that C only points to: no member but a private marker.
fn opaque(fields: &syn::FieldsNamed) -> bool {
    fields.named.iter().all(|f| f.ident.as_ref().is_some_and(|i| i == "_private"))
}

fn record(out: &mut String, name: &syn::Ident, fields: &syn::FieldsNamed) {
    if opaque(fields) {
        return;
    }
    writeln!(
        out,
        "    Type {{ name: \"{name}\", size: size_of::<{name}>(), align: align_of::<{name}>(), fields: &["
    )
    .expect("memory");
    for f in &fields.named {
        let field = f.ident.as_ref().expect("a named field");
        let ty = f.ty.to_token_stream();
        writeln!(
            out,
            "        Field {{ name: \"{field}\", ty: {:?}, offset: offset_of!({name}, {field}), size: size_of::<{ty}>() }},",
            ty.to_string(),
        )
        .expect("memory");
    }
    writeln!(out, "    ] }},").expect("memory");
}

/// `NAME = literal` of the `constants!` lists: macro input, which no parser of items sees.
fn constants(out: &mut String, module: &str, text: &str) {
    for line in text.lines().map(str::trim) {
        let Some((name, value)) = line.split_once(" = ") else { continue };
        let value = value.trim_end_matches([',', ';']);
        let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        if name.chars().all(upper) && value.starts_with(|c: char| c.is_ascii_digit()) {
            writeln!(out, "    (\"{name}\", {module}::{name} as u64),").expect("memory");
        }
    }
}

fn main() {
    let abi = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/abi");
    println!("cargo::rerun-if-changed={}", abi.display());
    let mut files = Vec::new();
    sources(&abi, &mut files);

    let mut types = String::new();
    let mut values = String::new();
    for file in &files {
        let text = fs::read_to_string(file).expect("a readable source");
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for item in &parsed.items {
            match item {
                syn::Item::Struct(s) => {
                    if let syn::Fields::Named(fields) = &s.fields {
                        record(&mut types, &s.ident, fields);
                    }
                }
                syn::Item::Union(u) => record(&mut types, &u.ident, &u.fields),
                _ => {}
            }
        }
        if file.ends_with("dv/consts.rs") {
            constants(&mut values, "dv::consts", &text);
        } else if file.ends_with("verbs/consts.rs") {
            constants(&mut values, "verbs::consts", &text);
        }
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("layouts.rs");
    let text = format!(
        "pub static TYPES: &[Type] = &[\n{types}];\npub static CONSTANTS: &[(&str, u64)] = &[\n{values}];\n"
    );
    fs::write(out, text).expect("OUT_DIR is writable");
}
