//! Every layout that the fact table lists has the same size and the same fields here.

use prm::ifc::FAMILIES;
use prm::{Field, Layout, opcode};
use serde_json::Value;
use std::collections::HashMap;

fn facts() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../abi/ifc-used.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Width of a field with its array: a fixed array counts whole, an open-ended one once.
fn width(field: &Value) -> usize {
    let one = field[2].as_u64().unwrap() as usize;
    let count = field[3]["count"][0].as_u64().unwrap_or(1).max(1) as usize;
    one * count
}

#[test]
fn layouts_equal_the_fact_table() {
    let ours: HashMap<&str, &Layout> = FAMILIES.iter().flat_map(|f| f.iter()).map(|l| (l.name, l)).collect();
    let facts = facts();
    let mut fields = 0;
    for (name, layout) in facts["structs"].as_object().unwrap() {
        let mine = ours.get(name.as_str()).unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(mine.bits as u64, layout["bits"].as_u64().unwrap(), "size of {name}");
        for f in layout["fields"].as_array().unwrap() {
            let field = f[0].as_str().unwrap().to_uppercase();
            let place = Field::new(f[1].as_u64().unwrap() as usize, width(f));
            let found = mine.fields.iter().find(|(n, _)| *n == field).map(|(_, p)| *p);
            assert_eq!(found, Some(place), "{name}.{field}");
            fields += 1;
        }
    }
    assert!(fields > 1400, "only {fields} fields in the fact table");
}

#[test]
fn fields_lie_within_their_layout_and_do_not_overlap() {
    // unions, open-ended arrays behind the fixed part, and one field seen in two widths
    let shares = ["hca_cap_union", "dest_format_flow_counter_list_auto", "mkc"];
    for layout in FAMILIES.iter().flat_map(|f| f.iter()) {
        if shares.contains(&layout.name) {
            continue;
        }
        let mut end = 0;
        for (name, field) in layout.fields {
            assert!(field.off >= end, "{}.{name} overlaps its neighbour", layout.name);
            end = field.off + field.bits;
            assert!(
                end <= layout.bits || field.off >= layout.bits,
                "{}.{name} ends beyond the layout",
                layout.name
            );
        }
    }
}

#[test]
fn opcodes_equal_the_fact_table() {
    for c in facts()["commands"].as_array().unwrap() {
        let op = c["opcode"].as_u64().unwrap() as u16;
        let name = c["op"].as_str().unwrap();
        let ours = opcode::name(op).unwrap_or_else(|| panic!("{name} is missing"));
        let alias = match name {
            "2ERR_QP" => "QP_2ERR",
            "2RST_QP" => "QP_2RST",
            "CREATE_FLOW_COUNTER" => "ALLOC_FLOW_COUNTER",
            other => other,
        };
        assert_eq!(ours, alias);
    }
    assert!(opcode::ALL.is_sorted());
}
