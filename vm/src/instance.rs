//! Folders of running guests: made, found, locked, swept.

use crate::paths;
use anyhow::{Context, Result};
use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// Take a lock file. `None` when somebody else holds it and `wait` is false.
fn lock(path: &Path, wait: bool) -> Result<Option<File>> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .with_context(|| format!("opening {}", path.display()))?;
    let operation = libc::LOCK_EX | if wait { 0 } else { libc::LOCK_NB };
    // SAFETY: a plain system call on an open descriptor.
    let ok = unsafe { libc::flock(file.as_raw_fd(), operation) } == 0;
    Ok(ok.then_some(file))
}

/// A lock that is held until the value goes away.
pub fn hold(path: &Path) -> Result<File> {
    lock(path, true)?.context("the lock was not given")
}

/// The folder of a guest that this process owns.
pub struct Instance {
    /// Sockets and logs.
    pub dir: PathBuf,
    _alive: File,
}

impl Instance {
    /// Make a folder, and remove those whose owners are gone.
    pub fn create() -> Result<Instance> {
        let all = paths::instances()?;
        let _one_at_a_time = hold(&all.join("lock"))?;
        for dir in folders(&all) {
            if lock(&dir.join("alive"), false)?.is_some() {
                fs::remove_dir_all(&dir)?;
            }
        }
        let pid = std::process::id();
        let dir = (0..)
            .map(|k| all.join(format!("{pid}-{k}")))
            .find(|d| fs::create_dir(d).is_ok())
            .context("no name left")?;
        let alive = lock(&dir.join("alive"), false)?.context("a new folder is locked")?;
        Ok(Instance { dir, _alive: alive })
    }

    /// Announce that others may use the guest: they look for what it was booted with.
    pub fn announce(&self, key: &str) -> Result<()> {
        fs::write(self.dir.join("pid"), std::process::id().to_string())?;
        fs::write(self.dir.join("key"), key)?;
        Ok(())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // swept by the next start if it fails
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn folders(all: &Path) -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> =
        fs::read_dir(all).into_iter().flatten().flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect();
    dirs.sort();
    dirs
}

/// A guest that another process keeps running.
pub struct Shared {
    /// Its folder.
    pub dir: PathBuf,
    /// Its owner.
    pub pid: i32,
    /// What it was booted with.
    pub key: String,
}

/// The announced guests of this user that are alive.
pub fn shared() -> Result<Vec<Shared>> {
    let mut found = Vec::new();
    for dir in folders(&paths::instances()?) {
        let (Ok(key), Ok(pid)) = (fs::read_to_string(dir.join("key")), fs::read_to_string(dir.join("pid")))
        else {
            continue;
        };
        if let (Ok(pid), None) = (pid.parse(), lock(&dir.join("alive"), false)?) {
            found.push(Shared { dir, pid, key });
        }
    }
    Ok(found)
}

impl Shared {
    /// Reserve the guest for one command; `None` when another runs in it.
    pub fn reserve(&self) -> Result<Option<File>> {
        let busy = lock(&self.dir.join("busy"), false)?;
        if let Some(file) = &busy {
            file.set_modified(std::time::SystemTime::now())?;
        }
        Ok(busy)
    }

    /// Ask the owner to end the guest.
    pub fn end(&self) {
        // SAFETY: a plain system call. The owner is alive: it held its lock a moment ago.
        unsafe { libc::kill(self.pid, libc::SIGTERM) };
    }
}
