//! The inline functions and macros of the header give the results of the reference headers.

use checks::{
    scratch,
    toolchain::{self, Compiler, VerbsHeaders, compilers, run},
};
use std::{path::Path, process::Command};

fn output(
    compiler: &Compiler,
    ours: bool,
    verbs: &VerbsHeaders,
    flags: &[&str],
    dir: &Path,
    name: &str,
) -> String {
    let source = checks::root().join("checks/c/inlines.c");
    let program = dir.join(name);
    let mut c = compiler.command(compiler.usual_level());
    c.arg("-O1").args(flags);
    if ours {
        c.arg("-I").arg(toolchain::our_include());
    }
    verbs.add_to(&mut c);
    run(c.arg(source).arg("-o").arg(&program)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let out = run(&mut Command::new(&program)).unwrap_or_else(|e| panic!("{name}: {e}"));
    String::from_utf8(out.stdout).expect("the program writes text")
}

fn flag_sets() -> Vec<Vec<&'static str>> {
    match cfg!(target_arch = "x86_64") {
        true => vec![vec![], vec!["-mssse3"]],
        false => vec![vec![]],
    }
}

#[test]
fn equal_to_the_reference() {
    let dir = scratch("inlines");
    for verbs in toolchain::all_headers() {
        if !verbs.file("infiniband/mlx5dv.h").is_file() {
            eprintln!("notice: no mlx5dv.h among the headers of {}", verbs.release);
            continue;
        }
        // What the reference lacks cannot be compared with it.
        let newest = checks::read_file(&verbs.file("infiniband/mlx5dv.h")).contains("mlx5dv_export_sizes");
        for mut flags in flag_sets() {
            if newest {
                flags.push("-DNEWEST");
            }
            let label = format!("{}{}", verbs.release, flags.concat());
            let gcc = compilers().into_iter().find(|c| c.program == "gcc").expect("gcc");
            let reference = output(&gcc, false, &verbs, &flags, &dir, &format!("reference-{label}"));
            assert!(reference.lines().count() > 10_000, "{label}: the reference printed too little");
            for compiler in compilers() {
                let name = format!("ours-{label}-{}", compiler.program);
                let ours = output(&compiler, true, &verbs, &flags, &dir, &name);
                let differ = reference.lines().zip(ours.lines()).find(|(r, o)| r != o);
                assert_eq!(differ, None, "{name}: first line that differs (reference, ours)");
                assert_eq!(reference.lines().count(), ours.lines().count(), "{name}");
            }
        }
    }
}

/// A target with SSE3 but without SSSE3 has no shuffle; the helpers still are the same there.
#[test]
fn vector_helpers_without_the_shuffle() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let dir = scratch("inlines-sse3");
    let gcc = compilers().into_iter().find(|c| c.program == "gcc").expect("gcc");
    let verbs = toolchain::installed_headers();
    let with = output(&gcc, true, &verbs, &["-mssse3"], &dir, "with");
    let without = output(&gcc, true, &verbs, &["-msse3", "-mno-ssse3"], &dir, "without");
    assert_eq!(with, without);
}
