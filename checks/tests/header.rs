//! `include/` has every type, constant, macro and prototype of the tables, in C and in C++.

use checks::{
    facts::{self, RELEASES},
    root, scratch,
    toolchain::{self, Compiler, VerbsHeaders, compilers, run},
};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Writes the check that `abi_check_gen.py` makes of a table.
fn check_file(dir: &Path, name: &str, table: &Value) -> PathBuf {
    let json = dir.join(format!("{name}.json"));
    std::fs::write(&json, table.to_string()).unwrap();
    let source = dir.join(format!("{name}.c"));
    std::fs::write(&source, toolchain::python(&root().join("abi/abi_check_gen.py"), [&json])).unwrap();
    source
}

fn compile(
    compiler: &Compiler,
    level: &str,
    verbs: &VerbsHeaders,
    include: &Path,
    flags: &[&str],
    source: &Path,
) -> Result<(), String> {
    let mut c = compiler.command(level);
    c.args(flags).arg("-I").arg(include);
    verbs.add_to(&mut c);
    run(c.arg("-fsyntax-only").arg(source)).map(drop)
}

/// The table of 65.0, at each language level and on the verbs headers of each release at hand.
#[test]
fn newest_table() {
    let dir = scratch("newest_table");
    let source = check_file(&dir, "mlx5dv-65.0", &facts::mlx5dv("65.0"));
    let headers = toolchain::all_headers();
    let mut failures = Vec::new();
    for compiler in &compilers() {
        for (i, verbs) in headers.iter().enumerate() {
            let levels = if i == 0 { compiler.levels() } else { &[compiler.usual_level()][..] };
            for level in levels {
                let r = compile(compiler, level, verbs, &toolchain::our_include(), &[], &source);
                failures.extend(r.err());
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The vector variants of the segment helpers exist on targets that have the instructions.
#[test]
fn vector_targets() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let dir = scratch("vector_targets");
    let source = check_file(&dir, "mlx5dv-65.0", &facts::mlx5dv("65.0"));
    for compiler in &compilers() {
        for flag in ["-msse3", "-mssse3", "-mavx2"] {
            let verbs = toolchain::installed_headers();
            compile(
                compiler,
                compiler.usual_level(),
                &verbs,
                &toolchain::our_include(),
                &[flag, "-O2"],
                &source,
            )
            .unwrap_or_else(|e| panic!("{e}"));
        }
    }
}

/// What programs written for an older release count on is still there.
#[test]
fn older_tables() {
    let dir = scratch("older_tables");
    let newest = facts::mlx5dv("65.0");
    for release in &RELEASES[..2] {
        let old = facts::mlx5dv(release);
        let table = facts::rebased(&old, &newest).unwrap_or_else(|b| panic!("{release}: {}", b.join(", ")));
        let source = check_file(&dir, &format!("mlx5dv-{release}"), &table);
        for compiler in &compilers() {
            let verbs = toolchain::installed_headers();
            let level = compiler.usual_level();
            compile(compiler, level, &verbs, &toolchain::our_include(), &[], &source)
                .unwrap_or_else(|e| panic!("{release}: {e}"));
        }
    }
}

/// Each header stands alone, twice, and before or after the kernel's header of the same name,
/// which may be older.
#[test]
fn included_alone() {
    let dir = scratch("included_alone");
    let verbs = toolchain::installed_headers();
    let kernel = "#include <rdma/mlx5_user_ioctl_verbs.h>\n";
    for name in ["mlx5_user_ioctl_verbs.h", "mlx5_api.h", "mlx5dv.h"] {
        let line = format!("#include <infiniband/{name}>\n");
        let texts = [format!("{line}{line}{kernel}"), format!("{kernel}{line}")];
        for (i, text) in texts.iter().enumerate() {
            let source = dir.join(format!("{name}-{i}.c"));
            std::fs::write(&source, text).unwrap();
            for compiler in &compilers() {
                compile(compiler, compiler.usual_level(), &verbs, &toolchain::our_include(), &[], &source)
                    .unwrap_or_else(|e| panic!("{e}"));
            }
        }
    }
}

/// The check itself notices one changed member, value, prototype and macro.
#[test]
fn check_notices_changes() {
    let dir = scratch("check_notices_changes");
    let source = check_file(&dir, "mlx5dv-65.0", &facts::mlx5dv("65.0"));
    let gcc = compilers().into_iter().find(|c| c.program == "gcc").expect("gcc");
    let changes = [
        ("mlx5dv.h", "\tuint32_t umem_id;", "\tuint64_t umem_id;"),
        ("mlx5dv.h", "MLX5DV_OBJ_PD\t\t\t\t= 1 << 6", "MLX5DV_OBJ_PD\t\t\t\t= 1 << 8"),
        (
            "mlx5dv.h",
            "int mlx5dv_map_ah_to_qp(struct ibv_ah *ah, uint32_t qp_num)",
            "int mlx5dv_map_ah_to_qp(struct ibv_ah *ah, uint16_t qp_num)",
        ),
        ("mlx5_api.h", "(1U << 31)", "(1U << 30)"),
    ];
    for (i, (file, from, to)) in changes.iter().enumerate() {
        let include = dir.join(format!("include-{i}"));
        std::fs::create_dir_all(include.join("infiniband")).unwrap();
        for name in ["mlx5_user_ioctl_verbs.h", "mlx5_api.h", "mlx5dv.h"] {
            let mut text = checks::read(format!("include/infiniband/{name}"));
            if name == *file {
                assert!(text.contains(from), "{name} no longer has `{from}`");
                text = text.replacen(from, to, 1);
            }
            std::fs::write(include.join("infiniband").join(name), text).unwrap();
        }
        let r = compile(&gcc, "gnu17", &toolchain::installed_headers(), &include, &[], &source);
        assert!(r.is_err(), "`{to}` in {file} went unnoticed");
    }
}
