//! Where things are: the tree, the built library and simulator, the reference roots.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Plug-in numbers that libibverbs has had; each is asked for under its own file name.
const PRIVATE_NUMBERS: [u32; 5] = [34, 57, 59, 64, 65];

/// The places of one call of the runner.
#[derive(Clone, Debug)]
pub struct Places {
    /// Top of the source tree.
    pub tree: PathBuf,
    /// Folder for what the runner makes.
    pub work: PathBuf,
    /// The simulator.
    pub sim: PathBuf,
    /// Our library, if it is built.
    pub library: Option<PathBuf>,
    /// A folder with our library under all its names.
    pub dist: PathBuf,
}

impl Places {
    /// Find them. `sim` and `library` override what the target folder has.
    pub fn find(sim: Option<PathBuf>, library: Option<PathBuf>) -> Result<Places, String> {
        let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let tree = tree.canonicalize().map_err(|e| format!("{}: {e}", tree.display()))?;
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| tree.join("target"), PathBuf::from);
        let built = |profile: &str, name: &str| {
            newest([target.join(profile).join(name), target.join("debug").join(name)])
        };
        let sim = sim
            .or_else(|| built("card", "mlx5-sim"))
            .ok_or("no mlx5-sim is built: cargo build -p sim --profile card")?;
        let library = library.or_else(|| built("release", "libmlx5.so"));
        let work = target.join("ctest");
        let dist = work.join("dist");
        let places = Places { tree, work, sim, library, dist };
        places.lay().map_err(|e| format!("{}: {e}", places.work.display()))?;
        Ok(places)
    }

    fn lay(&self) -> io::Result<()> {
        fs::create_dir_all(&self.dist)?;
        fs::create_dir_all(self.work.join("pkgconfig"))?;
        if let Some(library) = &self.library {
            let library = library.canonicalize()?;
            let mut names = vec!["libmlx5.so".to_string(), "libmlx5.so.1".to_string()];
            names.extend(PRIVATE_NUMBERS.iter().map(|n| format!("libmlx5-rdmav{n}.so")));
            for name in names {
                let link = self.dist.join(name);
                if fs::read_link(&link).ok().as_deref() != Some(&library) {
                    match fs::remove_file(&link) {
                        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                        _ => symlink(&library, &link)?,
                    }
                }
            }
        }
        let pc = format!(
            "Name: libmlx5\nDescription: the library under test\nVersion: 0\nLibs: -L{} -lmlx5\nCflags: -I{}\n",
            self.dist.display(),
            self.tree.join("include").display()
        );
        fs::write(self.work.join("pkgconfig/libmlx5.pc"), pc)
    }

    /// Folder of the C programs.
    pub fn ctest(&self) -> PathBuf {
        self.tree.join("ctest")
    }

    /// Whether the reference of that release can be run here.
    pub fn has_release(&self, release: &str) -> bool {
        self.reference(&["command", release, "/bin/true"], None).is_ok()
            && (release != "44.0" || host_release().is_some_and(|r| r == "44.0"))
    }

    /// A `PKG_CONFIG_PATH` for that side.
    pub fn pkg_config_path(&self, ours: bool) -> Result<String, String> {
        if ours {
            return Ok(self.work.join("pkgconfig").display().to_string());
        }
        Ok(self.reference(&["pkgconfig", "65.0"], None)?.concat())
    }

    /// The words that run a program on libibverbs of a release.
    pub fn command(&self, release: &str, program: &Path, ours: bool) -> Result<Vec<String>, String> {
        self.reference(&["command", release, &program.display().to_string()], ours.then_some(&*self.dist))
    }

    /// A library to be opened by its path beside the one under test: the reference's of that
    /// release, or ours if the two change places. Beside the reference it is a copy of it.
    pub fn second(&self, release: &str, ours: bool, swap: bool) -> Result<PathBuf, String> {
        if ours && swap {
            return Ok(self.dist.join("libmlx5.so.1"));
        }
        let library = PathBuf::from(self.reference(&["lib", release], None)?.concat()).join("libmlx5.so.1");
        if ours {
            return Ok(library);
        }
        let copy = self.work.join(format!("libmlx5-copy-{release}.so"));
        fs::copy(&library, &copy).map_err(|e| format!("{}: {e}", library.display()))?;
        Ok(copy)
    }

    fn reference(&self, words: &[&str], dist: Option<&Path>) -> Result<Vec<String>, String> {
        let mut command = Command::new(self.tree.join("scripts/reference.sh"));
        command.args(words).env_remove("MLX5_DIR").env_remove("LD_LIBRARY_PATH");
        if let Some(dist) = dist {
            command.env("MLX5_DIR", dist);
        }
        let out = command.output().map_err(|e| format!("scripts/reference.sh: {e}"))?;
        if !out.status.success() {
            return Err(String::from_utf8_lossy(&out.stderr).trim().to_string());
        }
        Ok(String::from_utf8_lossy(&out.stdout).lines().map(String::from).collect())
    }
}

/// The release of rdma-core that this host carries.
pub fn host_release() -> Option<String> {
    let out = Command::new("pkg-config")
        .args(["--modversion", "libibverbs"])
        .env_remove("PKG_CONFIG_PATH")
        .output()
        .ok()?;
    let version = String::from_utf8_lossy(&out.stdout);
    // the library's version is 1.ABI.RELEASE
    version.trim().splitn(3, '.').nth(2).map(String::from)
}

fn newest<const N: usize>(paths: [PathBuf; N]) -> Option<PathBuf> {
    let age = |p: &PathBuf| fs::metadata(p).and_then(|m| m.modified()).ok();
    paths.into_iter().filter(|p| p.is_file()).max_by_key(age)
}
