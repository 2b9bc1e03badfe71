//! Where things live outside the checkout: the cache, and one folder an instance.

use anyhow::{Context, Result};
use std::env;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Changes whenever roots or kernels are made differently. Checkouts of different age then
/// keep out of each other's way.
const LAYOUT: &str = "4";

/// The folder of roots and kernels, under `$XDG_CACHE_HOME/mlx5-rs/vm`, by default in `~/.cache`.
pub fn cache() -> Result<PathBuf> {
    let base = match env::var_os("XDG_CACHE_HOME").filter(|v| !v.is_empty()) {
        Some(dir) => PathBuf::from(dir),
        None => PathBuf::from(env::var_os("HOME").context("neither XDG_CACHE_HOME nor HOME is set")?)
            .join(".cache"),
    };
    let dir = base.join("mlx5-rs/vm").join(LAYOUT);
    fs::create_dir_all(&dir).with_context(|| format!("making {}", dir.display()))?;
    Ok(dir)
}

/// The folder that holds this user's instances. Short, because the sockets in it have paths
/// of at most 107 bytes.
pub fn instances() -> Result<PathBuf> {
    // SAFETY: takes nothing, cannot fail.
    let uid = unsafe { libc::getuid() };
    let base = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|d| d.is_dir());
    let dir = base.unwrap_or_else(|| PathBuf::from("/tmp")).join(format!("mlx5-vm-{uid}"));
    match fs::DirBuilder::new().mode(0o700).create(&dir) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(e).with_context(|| format!("making {}", dir.display()))
        }
        _ => {
            use std::os::unix::fs::MetadataExt;
            let owner = fs::symlink_metadata(&dir)?;
            anyhow::ensure!(
                owner.is_dir() && owner.uid() == uid,
                "{} belongs to somebody else",
                dir.display()
            );
            Ok(dir)
        }
    }
}

/// The checkout: what the wrapper scripts say, else the folder of this crate's workspace.
pub fn checkout() -> PathBuf {
    env::var_os("MLX5_VM_CHECKOUT").map(PathBuf::from).unwrap_or_else(|| {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/")).to_path_buf()
    })
}

/// The folder of this program, where the other programs were built to.
pub fn built() -> Result<PathBuf> {
    let exe = env::current_exe().context("finding this program")?;
    Ok(exe.parent().context("this program has no folder")?.to_path_buf())
}

/// Our library: the shipped build, in the folder beside this program's.
pub fn library() -> Result<PathBuf> {
    Ok(built()?.with_file_name("release").join("libmlx5.so"))
}
