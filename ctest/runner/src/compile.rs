//! Compiling a program with cc through pkg-config, against our header or the reference's.

use crate::place::Places;
use crate::program::Program;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

/// Compile what is not fresh. What fails is reported when the program is to run.
pub fn all(places: &Places, programs: &[Program], sides: &[bool], jobs: usize) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for ours in sides {
                        let _ = compile(places, program, *ours);
                    }
                }
            });
        }
    });
}

/// Compile for one side; the path of the binary, or what the compiler said.
pub fn compile(places: &Places, program: &Program, ours: bool) -> Result<PathBuf, String> {
    let folder = places.work.join(if ours { "ours" } else { "reference" });
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let binary = folder.join(&program.name);
    let headers = if ours { places.tree.join("include/infiniband") } else { PathBuf::new() };
    if fresh(&binary, &program.source, &places.ctest().join("common.h"), &headers) {
        return Ok(binary);
    }
    let flags = Command::new("pkg-config")
        .args(["--cflags", "--libs", "libmlx5", "libibverbs"])
        .env("PKG_CONFIG_PATH", places.pkg_config_path(ours)?)
        .output()
        .map_err(|e| format!("pkg-config: {e}"))?;
    if !flags.status.success() {
        return Err(String::from_utf8_lossy(&flags.stderr).into_owned());
    }
    let made = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-I"])
        .arg(places.ctest())
        .arg(&program.source)
        .args(String::from_utf8_lossy(&flags.stdout).split_whitespace())
        .args(["-ldl", "-lpthread", "-o"])
        .arg(&binary)
        .output()
        .map_err(|e| format!("cc: {e}"))?;
    if made.status.success() { Ok(binary) } else { Err(String::from_utf8_lossy(&made.stderr).into_owned()) }
}

fn fresh(binary: &Path, source: &Path, header: &Path, folder: &Path) -> bool {
    let age = |p: &Path| fs::metadata(p).and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let made = age(binary);
    let in_folder = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| age(&e.path())).max();
    let newest = [age(source), age(header)].into_iter().chain(in_folder).max();
    made > SystemTime::UNIX_EPOCH && newest.is_some_and(|n| n < made)
}
