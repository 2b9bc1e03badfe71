//! C and C++ compilers, and the headers to compile against.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A compiler driver with the language it is used for.
#[derive(Debug, Clone)]
pub struct Compiler {
    /// The command.
    pub program: &'static str,
    /// `c` or `c++`.
    pub language: &'static str,
}

impl Compiler {
    /// A command that compiles for `std`, with every warning an error.
    pub fn command(&self, std: &str) -> Command {
        let mut c = Command::new(self.program);
        c.args(["-Wall", "-Wextra", "-Werror", "-x", self.language]).arg(format!("-std={std}"));
        c
    }

    /// The language levels that the headers promise to support.
    pub fn levels(&self) -> &'static [&'static str] {
        match self.language {
            "c" => &["c11", "c17", "gnu17", "gnu2x"],
            _ => &["c++11", "c++17", "gnu++17", "c++20"],
        }
    }

    /// The one that most programs use.
    pub fn usual_level(&self) -> &'static str {
        if self.language == "c" { "gnu17" } else { "c++17" }
    }
}

fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success())
}

/// gcc and g++, which must be there, and clang and clang++ where they are.
pub fn compilers() -> Vec<Compiler> {
    let wanted = [("gcc", "c", true), ("g++", "c++", true), ("clang", "c", false), ("clang++", "c++", false)];
    let mut found = Vec::new();
    for (program, language, needed) in wanted {
        match exists(program) {
            true => found.push(Compiler { program, language }),
            false if needed => panic!("{program} is needed (scripts/setup.sh installs it)"),
            false => {}
        }
    }
    found
}

/// Runs a command; its output if it succeeded.
///
/// # Errors
/// The command and what it wrote, if it failed.
pub fn run(command: &mut Command) -> Result<Output, String> {
    let out = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    match out.status.success() {
        true => Ok(out),
        false => Err(format!(
            "{command:?}: {}\n{}{}",
            out.status,
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr)
        )),
    }
}

/// The headers of the repository.
pub fn our_include() -> PathBuf {
    crate::root().join("include")
}

/// The verbs headers of a release: the folder for `-I`, or none where they are the system's.
#[derive(Debug, Clone)]
pub struct VerbsHeaders {
    /// For messages and file names.
    pub release: String,
    /// What to search, if not the system's folders.
    pub include: Option<PathBuf>,
}

impl VerbsHeaders {
    /// Adds the folder to a compiler command. After `our_include`, if that is to win.
    pub fn add_to(&self, command: &mut Command) {
        if let Some(dir) = &self.include {
            command.arg("-isystem").arg(dir);
        }
    }

    /// A file of these headers.
    pub fn file(&self, name: &str) -> PathBuf {
        self.include.as_deref().unwrap_or(Path::new("/usr/include")).join(name)
    }
}

/// The installed headers, named by the release that pkg-config tells.
pub fn installed_headers() -> VerbsHeaders {
    let out = run(Command::new("pkg-config").args(["--modversion", "libibverbs"]))
        .expect("libibverbs-dev and pkg-config are needed (scripts/setup.sh installs them)");
    // 1.14.44.0: interface, ABI, release.
    let version = String::from_utf8_lossy(&out.stdout).trim().to_owned();
    let release = version.splitn(3, '.').nth(2).unwrap_or(&version).to_owned();
    VerbsHeaders { release, include: None }
}

/// The installed headers, then those of the reference roots that `scripts/reference.sh` laid.
/// Says so where a root is absent.
pub fn all_headers() -> Vec<VerbsHeaders> {
    let mut all = vec![installed_headers()];
    let cache = env::var_os("XDG_CACHE_HOME")
        .filter(|d| !d.is_empty())
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|h| Path::new(&h).join(".cache")));
    for release in ["56.1", "65.0"] {
        let include = cache.as_ref().map(|c| c.join("mlx5-rs/ref").join(release).join("devel/include"));
        match include.filter(|i| i.join("infiniband/mlx5dv.h").is_file()) {
            Some(dir) => all.push(VerbsHeaders { release: release.to_owned(), include: Some(dir) }),
            None => eprintln!(
                "notice: no headers of release {release} (scripts/reference.sh {release}); not compared"
            ),
        }
    }
    all
}

/// `python3 SCRIPT ARGS…`; what it wrote.
pub fn python<S: AsRef<OsStr>>(script: &Path, args: impl IntoIterator<Item = S>) -> Vec<u8> {
    run(Command::new("python3").arg(script).args(args)).unwrap_or_else(|e| panic!("{e}")).stdout
}
