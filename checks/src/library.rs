//! The library under check.

use serde_json::Value;
use std::{env, path::PathBuf, process::Command, sync::OnceLock};

/// The file named by `MLX5_LIBRARY`, or else the one that `cargo build --release` makes now:
/// what is shipped, not what is debugged.
///
/// A `cdylib` cannot be a dependency, so Cargo has to be asked.
pub fn path() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT
        .get_or_init(|| match env::var_os("MLX5_LIBRARY") {
            Some(file) => crate::root().join(file),
            None => build(),
        })
        .clone()
}

fn build() -> PathBuf {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let out = Command::new(cargo)
        .args(["build", "--release", "--package", "mlx5", "--message-format", "json-render-diagnostics"])
        .current_dir(crate::root())
        .output()
        .expect("cargo starts");
    assert!(out.status.success(), "the library does not build:\n{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout)
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok())
        .filter(|m| m["reason"] == "compiler-artifact" && m["target"]["name"] == "mlx5")
        .filter_map(|m| m["filenames"].as_array().cloned())
        .flatten()
        .filter_map(|f| f.as_str().map(PathBuf::from))
        .find(|f| f.extension().is_some_and(|e| e == "so"))
        .expect("cargo names the library it built")
}
