//! The tables in `abi/`, and an older release's table seen from the newest.

use serde_json::{Map, Value};

/// A release that has a table of its own, oldest first.
pub const RELEASES: [&str; 3] = ["44.0", "56.1", "65.0"];

/// Reads `abi/NAME.json`.
pub fn table(name: &str) -> Value {
    let text = crate::read(format!("abi/{name}.json"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("abi/{name}.json: {e}"))
}

/// The mlx5dv headers of a release.
pub fn mlx5dv(release: &str) -> Value {
    table(&format!("mlx5dv-{release}"))
}

fn object<'a>(v: &'a Value, key: &str) -> &'a Map<String, Value> {
    v[key].as_object().unwrap_or_else(|| panic!("no `{key}` in the table"))
}

fn fields(record: &Value) -> &Vec<Value> {
    record["fields"].as_array().expect("a record has fields")
}

/// What a program built for `old` may count on with the headers of `new`.
///
/// Two differences are no break, and only these are taken out of the table:
///
/// * a record grew: every old member is still there with its offset and type, so the table
///   keeps the members and takes the new size;
/// * a function lost its prototype but not its symbol, because a macro took the name over.
///
/// # Errors
/// Any other difference between the tables, in words.
pub fn rebased(old: &Value, new: &Value) -> Result<Value, Vec<String>> {
    let mut table = old.clone();
    let mut breaks = Vec::new();

    for (name, was) in object(old, "records") {
        let Some(is) = object(new, "records").get(name) else {
            breaks.push(format!("{name} is gone"));
            continue;
        };
        for f in fields(was) {
            // A nameless struct around members may grow with its record; its members stay put.
            let same = |g: &Value| {
                ["name", "type", "ctype", "off", "size", "flex"].iter().all(|k| f.get(k) == g.get(k))
            };
            if !fields(is).iter().any(same) {
                breaks.push(format!("{name}.{} moved or changed", f["name"]));
            }
        }
        if is["size"].as_u64() < was["size"].as_u64() {
            breaks.push(format!("{name} shrank"));
        }
        table["records"][name]["size"] = is["size"].clone();
    }
    let still_exported = object(new, "exported_but_not_declared");
    for name in object(old, "functions").keys() {
        if object(new, "functions").contains_key(name) {
            continue;
        }
        if !still_exported.contains_key(name) {
            breaks.push(format!("{name} is gone"));
        }
        table["functions"].as_object_mut().expect("an object").remove(name);
    }
    if breaks.is_empty() { Ok(table) } else { Err(breaks) }
}

/// The variant of a record that holds for a release, in the tables that cover several.
pub fn variant<'a>(entry: &'a Value, release: &str) -> Option<&'a Value> {
    let holds = |v: &Value| match v["releases"].as_array() {
        Some(list) => list.iter().any(|r| r == release),
        None => true,
    };
    match entry.as_array() {
        Some(variants) => variants.iter().find(|v| holds(v)),
        None => holds(entry).then_some(entry),
    }
}
