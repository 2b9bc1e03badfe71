//! Unpacking Debian packages into a folder, without installing them.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Parts of packages that nothing in a guest reads.
const LEFT_OUT: [&str; 3] = ["./usr/share/man/*", "./usr/share/locale/*", "./usr/share/lintian/*"];

/// Make the folder of a root with the merged /usr that packages expect.
pub fn new_root(dir: &Path) -> Result<()> {
    if dir.exists() {
        fs::remove_dir_all(dir).with_context(|| format!("removing {}", dir.display()))?;
    }
    for d in ["bin", "sbin", "lib", "lib64"] {
        fs::create_dir_all(dir.join("usr").join(d))?;
        symlink(format!("usr/{d}"), dir.join(d))?;
    }
    Ok(())
}

/// Unpack one package file into `dir`.
fn unpack(deb: &Path, dir: &Path) -> Result<()> {
    let mut source = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(deb)
        .stdout(Stdio::piped())
        .spawn()
        .context("running dpkg-deb")?;
    let stdout = source.stdout.take().context("dpkg-deb has no output")?;
    let mut tar = Command::new("tar");
    tar.args(["-x", "--no-same-owner", "--keep-directory-symlink", "--delay-directory-restore", "-C"])
        .arg(dir);
    tar.args(LEFT_OUT.iter().map(|p| format!("--exclude={p}")));
    let tar = tar.stdin(stdout).status().context("running tar")?;
    let source = source.wait()?;
    ensure!(tar.success() && source.success(), "{} does not unpack", deb.display());
    Ok(())
}

/// Unpack package files into `dir`, two at a time.
pub fn unpack_all(debs: &[PathBuf], dir: &Path) -> Result<()> {
    let queue = Mutex::new(debs.iter());
    let work = || -> Result<()> {
        loop {
            let next = match queue.lock() {
                Ok(mut q) => q.next(),
                Err(_) => None,
            };
            match next {
                Some(deb) => unpack(deb, dir)?,
                None => return Ok(()),
            }
        }
    };
    std::thread::scope(|s| {
        let other = s.spawn(work);
        let mine = work();
        let other = other.join().unwrap_or_else(|_| Err(anyhow::anyhow!("unpacking ended early")));
        mine.and(other)
    })
}
