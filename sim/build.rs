//! Turns the kernel's attribute declarations (`abi/uapi-7.x.json`) into the Rust table
//! that the uverbs face parses calls by, so that no rule of that interface is typed by hand.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Kernel generations the face can play, with the name the fact table has for each.
const GENERATIONS: [(&str, &str); 3] = [("6.1.176", "V6_1"), ("6.12.117", "V6_12"), ("7.2.13", "V7_2")];
const NEWEST: &str = "7.2.13";

fn main() {
    let table = Path::new("../abi/uapi-7.x.json");
    println!("cargo::rerun-if-changed={}", table.display());
    println!("cargo::rerun-if-changed=build.rs");
    let text = std::fs::read_to_string(table).expect("abi/uapi-7.x.json is part of the tree");
    let facts: Value = serde_json::from_str(&text).expect("abi/uapi-7.x.json is JSON");
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("kernel_specs.rs"), generate(&facts)).expect("OUT_DIR is writable");
}

/// First generation whose headers have each constant that not all of them have.
fn first_seen(facts: &Value) -> BTreeMap<String, &'static str> {
    let mut seen = BTreeMap::new();
    for group in facts["enums"].as_object().expect("enums").values() {
        for (name, value) in group["constants"].as_object().expect("constants") {
            let Some(holders) = value["in"].as_array() else { continue };
            let first = GENERATIONS
                .iter()
                .find(|(source, _)| holders.iter().any(|h| h.as_str() == Some(source)))
                .map_or("V7_2", |(_, variant)| variant);
            seen.insert(name.clone(), first);
        }
    }
    seen
}

fn since(seen: &BTreeMap<String, &'static str>, name: &str) -> String {
    format!("Generation::{}", seen.get(name).unwrap_or(&"V6_1"))
}

/// `DEVX_OBJ` of `MLX5_IB_OBJECT_DEVX_OBJ`.
fn object_name(full: &str) -> &str {
    full.trim_start_matches("UVERBS_OBJECT_").trim_start_matches("MLX5_IB_OBJECT_")
}

/// `CREATE` of `MLX5_IB_METHOD_DEVX_OBJ_CREATE`. A driver method that has the name of a
/// core method of the same object keeps the driver's name in front.
fn method_name(object: &str, full: &str, siblings: &serde_json::Map<String, Value>) -> String {
    let bare = full.trim_start_matches("UVERBS_METHOD_").trim_start_matches("MLX5_IB_METHOD_");
    let bare = bare.strip_prefix(&format!("{object}_")).unwrap_or(bare);
    let bare = bare.strip_prefix("OBJ_").unwrap_or(bare);
    if full.starts_with("MLX5_IB_") && siblings.contains_key(&format!("UVERBS_METHOD_{bare}")) {
        return format!("MLX5_{bare}");
    }
    bare.to_string()
}

fn number(v: &Value) -> u64 {
    v.as_u64().unwrap_or(0)
}

fn kind(attr: &Value) -> String {
    match attr["kind"].as_str().expect("kind") {
        "ptr_in" => "Kind::PtrIn".into(),
        "const_in" => "Kind::ConstIn".into(),
        "flags_in" => "Kind::FlagsIn".into(),
        "ptr_out" => "Kind::PtrOut".into(),
        "idr" => "Kind::Idr".into(),
        "fd" => "Kind::Fd".into(),
        "raw_fd" => "Kind::RawFd".into(),
        "idr_array" => "Kind::IdrArray".into(),
        "enum_in" => {
            let mut elements: Vec<&Value> =
                attr["elements"].as_object().expect("elements").values().collect();
            elements.sort_by_key(|e| number(&e["id"]));
            let elements: Vec<String> = elements
                .iter()
                .map(|e| format!("({}, {})", number(&e["len"][0]), number(&e["len"][1])))
                .collect();
            format!("Kind::EnumIn(&[{}])", elements.join(", "))
        }
        other => panic!("attribute kind {other} is new"),
    }
}

fn attribute(s: &mut String, seen: &BTreeMap<String, &'static str>, attr: &Value) {
    let name = attr["attr"].as_str().expect("attr");
    let access = match attr["access"].as_str() {
        Some("NEW") => "New",
        Some("DESTROY") => "Destroy",
        Some("WRITE") => "Write",
        _ => "Read",
    };
    // an attribute without an object takes any
    let object = attr["object_id"].as_u64().unwrap_or(0xffff);
    let flag = |key: &str| attr[key].as_bool().unwrap_or(false);
    writeln!(
        s,
        "AttrSpec {{ id: {}, name: {name:?}, kind: {}, access: Access::{access}, object: {object}, mandatory: {}, \
         min: {}, max: {}, zero_trailing: {}, copied: {}, udata: {}, since: {} }},",
        number(&attr["id"]),
        kind(attr),
        flag("mandatory"),
        number(&attr["len"][0]),
        number(&attr["len"][1]),
        flag("extensible"),
        flag("alloc_and_copy"),
        flag("is_udata"),
        since(seen, name),
    )
    .expect("writing to a string");
}

fn generate(facts: &Value) -> String {
    let seen = first_seen(facts);
    let specs = &facts["kernel_specs"][NEWEST];
    let objects = specs["objects"].as_object().expect("objects");
    let mut s = String::new();
    s.push_str("pub(super) static OBJECTS: &[ObjectSpec] = &[\n");
    for (full, object) in objects {
        writeln!(
            s,
            "ObjectSpec {{ id: {}, name: {:?}, since: {} }},",
            number(&object["id"]),
            object_name(full),
            since(&seen, full)
        )
        .expect("writing to a string");
    }
    s.push_str("];\npub(super) static METHODS: &[MethodSpec] = &[\n");
    for (full, object) in objects {
        let methods = object["methods"].as_object().expect("methods");
        for (method_full, method) in methods {
            writeln!(
                s,
                "MethodSpec {{ object: {}, method: {}, object_name: {:?}, name: {:?}, since: Generation::max2({}, {}), attrs: &[",
                number(&object["id"]),
                number(&method["id"]),
                object_name(full),
                method_name(object_name(full), method_full, methods),
                since(&seen, full),
                since(&seen, method_full),
            )
            .expect("writing to a string");
            for attr in method["attrs"].as_array().expect("attrs") {
                attribute(&mut s, &seen, attr);
            }
            s.push_str("] },\n");
        }
    }
    s.push_str("];\npub(super) static WRITE_COMMANDS: &[WriteSpec] = &[\n");
    for command in specs["write_commands"].as_array().expect("write_commands") {
        let full = command["cmd"].as_str().expect("cmd");
        let extended = command["ex"].as_bool().unwrap_or(false);
        let name = match full.strip_prefix("IB_USER_VERBS_EX_CMD_") {
            Some(bare) => format!("EX_{bare}"),
            None => full.trim_start_matches("IB_USER_VERBS_CMD_").to_string(),
        };
        writeln!(
            s,
            "WriteSpec {{ extended: {extended}, command: {}, name: {name:?}, request: {}, response: {}, udata: {} }},",
            number(&command["cmd_no"]),
            number(&command["req_core_size"]),
            number(&command["resp_core_size"]),
            command["udata"].as_bool().unwrap_or(false),
        )
        .expect("writing to a string");
    }
    s.push_str("];\n");
    s
}
