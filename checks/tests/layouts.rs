//! Each Rust type that crosses the C border has the size, alignment, offsets and field sizes
//! of the tables, field by field, and each constant its value. `build.rs` lists them from the
//! sources, so a new type or field is checked as soon as it exists.

use checks::facts;
use serde_json::Value;
use std::collections::BTreeMap;

#[path = "../../src/abi/mod.rs"]
mod abi;

/// A type of `src/abi` as the compiler laid it out.
pub struct Type {
    name: &'static str,
    size: usize,
    align: usize,
    fields: &'static [Field],
}

/// A field of it.
pub struct Field {
    name: &'static str,
    ty: &'static str,
    offset: usize,
    size: usize,
}

mod generated {
    #![allow(clippy::wildcard_imports, clippy::unnecessary_cast)]
    use super::abi::dv;
    use super::{Field, Type, abi::dv::*, abi::provider::*, abi::verbs, abi::verbs::*};
    use core::{ffi::*, mem::offset_of};
    use libc::{pthread_cond_t, pthread_mutex_t, timespec};
    include!(concat!(env!("OUT_DIR"), "/layouts.rs"));
}
use generated::{CONSTANTS, TYPES};

/// The tables, newest release: record name to record.
fn records() -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for table in ["provider-abi", "verbs-public", "mlx5dv-65.0"] {
        let table = facts::table(table);
        for (name, entry) in table["records"].as_object().expect("records") {
            if let Some(r) = facts::variant(entry, "65.0") {
                all.insert(name.clone(), r.clone());
            }
        }
    }
    all
}

/// Offset and size by the name that C uses. Rust has no unnamed members: what C has in an
/// unnamed union stands here in a field of a helper type, and what C has in an untagged struct
/// with a name stands in a helper type too; neither is in the tables, so both are opened up.
fn flatten(
    t: &Type,
    base: usize,
    prefix: &str,
    c: &[String],
    tables: &BTreeMap<String, Value>,
    out: &mut BTreeMap<String, (usize, usize)>,
) {
    for f in t.fields {
        // `type_`, `in_`, `r#priv`: words that Rust reserves.
        let plain = f.name.strip_prefix("r#").or(f.name.strip_suffix('_')).unwrap_or(f.name);
        let name = [f.name, plain].map(|n| format!("{prefix}{n}")).into_iter().find(|n| c.contains(n));
        let helper = TYPES.iter().find(|t| t.name == f.ty && !tables.contains_key(t.name));
        if let Some(name) = &name {
            out.insert(name.clone(), (base + f.offset, f.size));
        }
        match (helper, &name) {
            (Some(h), Some(name)) => flatten(h, base + f.offset, &format!("{name}."), c, tables, out),
            (Some(h), None) => flatten(h, base + f.offset, prefix, c, tables, out),
            (None, Some(_)) => {}
            // Not a C member: let the comparison say so.
            (None, None) => drop(out.insert(format!("{prefix}{}", f.name), (base + f.offset, f.size))),
        }
    }
}

fn c_fields(record: &Value) -> BTreeMap<String, (usize, usize)> {
    let number = |v: &Value| usize::try_from(v.as_u64().expect("a number")).expect("it fits");
    let fields = record["fields"].as_array().expect("fields").iter();
    fields
        .map(|f| (f["name"].as_str().expect("a name").to_owned(), (number(&f["off"]), number(&f["size"]))))
        .collect()
}

/// Types that deliberately hold only the start of the C record, or less of it.
const PARTIAL: &[&str] = &[
    // Behind `driver_id` it differs between releases; libibverbs allocates it.
    "verbs_sysfs_dev",
];

#[test]
fn types() {
    let tables = records();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for t in TYPES {
        let Some(record) = tables.get(t.name) else { continue };
        seen += 1;
        let expected = c_fields(record);
        let names: Vec<String> = expected.keys().cloned().collect();
        let mut ours = BTreeMap::new();
        flatten(t, 0, "", &names, &tables, &mut ours);
        let partial = PARTIAL.contains(&t.name);
        if !partial && (&record["size"], &record["align"]) != (&t.size.into(), &t.align.into()) {
            wrong.push(format!(
                "{}: {} bytes, aligned to {}; C has {}, {}",
                t.name, t.size, t.align, record["size"], record["align"]
            ));
        }
        for (name, at) in &expected {
            match ours.get(name) {
                Some(o) if o == at => {}
                None if partial => {}
                // A member of a union that Rust holds as one word.
                None if name.rsplit_once('.').is_some_and(|(whole, _)| ours.get(whole) == Some(at)) => {}
                o => wrong.push(format!("{}.{name}: C has it at {at:?}, Rust {o:?}", t.name)),
            }
        }
        for name in ours.keys().filter(|n| !expected.contains_key(*n)) {
            wrong.push(format!("{}.{name} is not a member in C", t.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 100, "only {seen} types found: is the list of build.rs complete?");
}

/// Everything that `mlx5dv.h` passes by pointer or value has a Rust type. The wire formats of
/// work requests and completions are the `prm` crate's.
#[test]
fn complete() {
    let table = facts::mlx5dv("65.0");
    let missing: Vec<_> = table["records"]
        .as_object()
        .expect("records")
        .keys()
        .filter(|n| n.starts_with("mlx5dv_") || n.starts_with("mlx5_ib_uapi_"))
        .filter(|n| !TYPES.iter().any(|t| t.name == *n))
        .collect();
    assert!(missing.is_empty(), "no Rust type for {missing:?}");
}

/// A helper type that nothing opens up would escape the comparison.
#[test]
fn no_stray_types() {
    let tables = records();
    let used = |name: &str| TYPES.iter().flat_map(|t| t.fields).any(|f| f.ty == name);
    let stray: Vec<_> =
        TYPES.iter().map(|t| t.name).filter(|n| !tables.contains_key(*n) && !used(n)).collect();
    assert!(stray.is_empty(), "in no table and no other type: {stray:?}");
}

#[test]
fn constants() {
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    let bits = |v: &Value| v.as_u64().or_else(|| v.as_i64().map(|i| u64::from(i as u32)));
    for name in ["verbs-public", "mlx5dv-65.0"] {
        let table = facts::table(name);
        for e in table["enums"].as_object().expect("enums").values() {
            for e in e.as_array().map_or_else(|| vec![e], |l| l.iter().collect()) {
                for (c, v) in e["constants"].as_object().expect("constants") {
                    let v = if v.is_object() { &v["value"] } else { v };
                    expected.extend(bits(v).map(|v| (c.clone(), v)));
                }
            }
        }
        let macros = table["macros"].get("constants").unwrap_or(&table["macros"]);
        for (c, v) in macros.as_object().expect("macros") {
            expected.extend(bits(&v["value"]).map(|v| (c.clone(), v)));
        }
    }
    let wrong: Vec<_> = CONSTANTS.iter().filter(|(n, v)| expected.get(*n) != Some(v)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(CONSTANTS.len() > 300, "only {} constants found", CONSTANTS.len());
}
