//! The functions of `src/exports` have the prototypes of the header. cbindgen prints what Rust
//! exports; the C compiler holds it against `mlx5dv.h` in one translation unit.

use checks::{facts, root, scratch, symbols, toolchain, toolchain::run};
use std::collections::BTreeSet;

/// The prototypes that cbindgen makes of the library.
fn prototypes() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("cbindgen.toml");
    let bindings =
        cbindgen::Builder::new().with_config(config).with_crate(root()).generate().expect("cbindgen");
    let mut out = Vec::new();
    bindings.write(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

/// The header, then the prototypes.
fn unit(prototypes: &str) -> String {
    let mut unit = String::from("#include <infiniband/mlx5dv.h>\n");
    // In the header a macro has taken the name of the function that old programs call.
    unit += "#undef mlx5dv_create_flow\n";
    // One name with two versions.
    unit += "#define mlx5dv_init_obj_1_0 mlx5dv_init_obj\n#define mlx5dv_init_obj_1_2 mlx5dv_init_obj\n";
    // Types that Rust declares through a macro, so cbindgen does not know that they are structs.
    for name in facts::mlx5dv("65.0")["opaque"].as_array().expect("names") {
        let name = name.as_str().expect("a name");
        unit += &format!("typedef struct {name} {name};\n");
    }
    unit + prototypes
}

fn compiles(name: &str, unit: &str) -> Result<(), String> {
    let source = scratch(name).join("unit.c");
    std::fs::write(&source, unit).expect("the scratch folder is writable");
    let gcc = toolchain::compilers().into_iter().find(|c| c.program == "gcc").expect("gcc");
    let mut c = gcc.command("gnu17");
    run(c.arg("-I").arg(toolchain::our_include()).arg("-fsyntax-only").arg(&source)).map(drop)
}

#[test]
fn agree_with_the_header() {
    compiles("prototypes", &unit(&prototypes())).unwrap_or_else(|e| panic!("{e}"));
}

/// Each symbol has a prototype, so none escapes the comparison.
#[test]
fn one_for_each_symbol() {
    let text = prototypes();
    // An identifier before a parenthesis; parameters of these functions have no parentheses.
    let printed: BTreeSet<String> = text
        .split('(')
        .filter_map(|s| s.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next())
        .filter(|s| s.contains("mlx5dv"))
        .map(|s| s.trim_end_matches("_1_0").trim_end_matches("_1_2").to_owned())
        .collect();
    let listed: BTreeSet<String> = symbols::nodes().into_iter().flat_map(|n| n.symbols).collect();
    assert_eq!(printed, listed);
}

/// The comparison notices a parameter of another width, one too many, and another result.
#[test]
fn notices_changes() {
    let text = prototypes();
    for (from, to) in [
        ("uint32_t vector, uint32_t *eqn", "uint16_t vector, uint32_t *eqn"),
        ("uint32_t vector, uint32_t *eqn", "uint32_t vector, uint32_t *eqn, int more"),
        ("bool mlx5dv_is_supported", "int mlx5dv_is_supported"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "`{from}` is no longer printed");
        assert!(compiles("prototypes_changed", &unit(&changed)).is_err(), "`{to}` went unnoticed");
    }
}
