//! Programs link and load with every function of a release: built with the headers of that
//! release, linked with this library or with the system's, and run on this one.

use checks::{
    facts::{self, RELEASES},
    library, root, scratch,
    toolchain::{self, VerbsHeaders, compilers, run},
};
use std::{
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

/// A folder with the library under the names that linker and loader ask for.
fn library_folder(dir: &Path) -> PathBuf {
    let folder = dir.join("lib");
    std::fs::create_dir_all(&folder).expect("the scratch folder is writable");
    for name in ["libmlx5.so", "libmlx5.so.1"] {
        symlink(library::path(), folder.join(name)).expect("a new link");
    }
    folder
}

/// The program that takes the address of every function in the table of a release.
fn program(
    dir: &Path,
    release: &str,
    headers: &VerbsHeaders,
    ours: bool,
    libraries: Option<&Path>,
) -> PathBuf {
    let table = root().join(format!("abi/mlx5dv-{release}.json"));
    let source = dir.join(format!("link-{release}.c"));
    std::fs::write(&source, toolchain::python(&root().join("abi/abi_check_gen.py"), [&table]))
        .expect("the scratch folder is writable");
    let gcc = compilers().into_iter().find(|c| c.program == "gcc").expect("gcc");
    let mut c = gcc.command("gnu17");
    c.arg("-DABI_CHECK_LINK");
    if ours {
        c.arg("-I").arg(toolchain::our_include());
    }
    headers.add_to(&mut c);
    let program = dir.join(format!("link-{release}-{}", if libraries.is_some() { "ours" } else { "system" }));
    c.arg(&source).arg("-o").arg(&program);
    if let Some(folder) = libraries {
        c.arg("-L").arg(folder);
    }
    run(c.args(["-lmlx5", "-libverbs"])).unwrap_or_else(|e| panic!("{release}: {e}"));
    program
}

/// Runs it on our library, every symbol resolved at start.
fn loads(program: &Path, folder: &Path, release: &str) {
    let out = run(Command::new(program).env("LD_LIBRARY_PATH", folder).env("LD_BIND_NOW", "1"))
        .unwrap_or_else(|e| panic!("{release}: {e}"));
    let functions = facts::mlx5dv(release)["functions"].as_object().expect("functions").len();
    assert_eq!(
        String::from_utf8_lossy(&out.stdout).trim(),
        format!("{functions} functions linked"),
        "{release}"
    );
    assert!(out.stderr.is_empty(), "{release}: {}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn headers_of_each_release() {
    let dir = scratch("linking");
    let folder = library_folder(&dir);
    for headers in toolchain::all_headers() {
        if !RELEASES.contains(&headers.release.as_str()) {
            eprintln!("notice: no table of release {}; not linked", headers.release);
            continue;
        }
        let p = program(&dir, &headers.release, &headers, false, Some(&folder));
        loads(&p, &folder, &headers.release);
    }
}

#[test]
fn our_header() {
    let dir = scratch("linking_ours");
    let folder = library_folder(&dir);
    let p = program(&dir, "65.0", &toolchain::installed_headers(), true, Some(&folder));
    loads(&p, &folder, "65.0");
}

/// Linked with the system's libmlx5, run on this one: what a drop-in is for.
#[test]
fn linked_with_the_system_library() {
    let headers = toolchain::installed_headers();
    if !RELEASES.contains(&headers.release.as_str()) {
        eprintln!("notice: no table of release {}; not linked", headers.release);
        return;
    }
    let dir = scratch("linking_system");
    let folder = library_folder(&dir);
    let p = program(&dir, &headers.release, &headers, false, None);
    loads(&p, &folder, &headers.release);
}
