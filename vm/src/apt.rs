//! Debian packages of a suite, resolved and downloaded with the machine's own apt, but with a
//! state, cache and source list of its own: the machine's package configuration stays as it is.

use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsString;
use std::fs;
use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// A suite of the archive, seen as an empty system to install into.
pub struct Suite {
    name: &'static str,
    state: PathBuf,
}

impl Suite {
    /// Open a suite, with its package lists brought up to date. `state` is the folder for
    /// lists and downloads.
    pub fn open(name: &'static str, state: PathBuf) -> Result<Suite> {
        let suite = Suite { name, state };
        for dir in ["state/lists/partial", "cache", "archives/partial"] {
            fs::create_dir_all(suite.state.join(dir))?;
        }
        let keyring = std::env::var("MLX5_VM_KEYRING").unwrap_or_else(|_| KEYRING.into());
        ensure!(
            Path::new(&keyring).exists(),
            "the keys of the Debian archive are not at {keyring}: install debian-archive-keyring, \
             or set MLX5_VM_KEYRING to a keyring file"
        );
        let uri = mirror()?;
        fs::write(suite.state.join("status"), "")?;
        fs::write(
            suite.state.join("sources.list"),
            format!("deb [signed-by={keyring} arch=amd64] {uri} {name} main\n"),
        )?;
        eprintln!("vm: {name}: reading package lists");
        let done = suite.apt("apt-get").args(["-qq", "update"]).status().context("running apt-get")?;
        ensure!(
            done.success(),
            "the package lists of suite {name} cannot be read from the Debian archive that this machine \
             uses. If that archive is not a Debian mirror with {name}, set MLX5_VM_MIRROR to one."
        );
        Ok(suite)
    }

    /// An apt program that knows this suite and nothing else.
    fn apt(&self, program: &str) -> Command {
        let mut c = Command::new(program);
        let mut set = |key: &str, value: &Path| {
            let mut option = OsString::from(format!("{key}="));
            option.push(value);
            c.arg("-o").arg(option);
        };
        set("Dir::State", &self.state.join("state"));
        set("Dir::State::status", &self.state.join("status"));
        set("Dir::State::extended_states", &self.state.join("extended"));
        set("Dir::Cache", &self.state.join("cache"));
        set("Dir::Cache::archives", &self.state.join("archives"));
        set("Dir::Etc::sourcelist", &self.state.join("sources.list"));
        for none in ["Dir::Etc::sourceparts", "Dir::Etc::preferences", "Dir::Etc::preferencesparts"] {
            set(none, Path::new("/dev/null"));
        }
        set("Dir::Log", &self.state);
        for option in [
            "APT::Sandbox::User=",
            "APT::Architecture=amd64",
            "APT::Architectures=amd64",
            "APT::Install-Recommends=false",
            "APT::Default-Release=",
            "Acquire::Languages=none",
            "Acquire::Retries=3",
            // a mirror may lag behind; what its files say is still signed
            "Acquire::Check-Valid-Until=false",
            // lists that cannot be had are an error, not a warning
            "APT::Update::Error-Mode=any",
            "Debug::NoLocking=1",
        ] {
            c.args(["-o", option]);
        }
        c.stdin(Stdio::null());
        c
    }

    /// The version that would be installed.
    pub fn version(&self, package: &str) -> Result<String> {
        let out = self.apt("apt-cache").args(["policy", package]).output().context("running apt-cache")?;
        String::from_utf8_lossy(&out.stdout)
            .lines()
            .find_map(|l| l.trim().strip_prefix("Candidate: "))
            .filter(|v| *v != "(none)")
            .map(str::to_owned)
            .with_context(|| format!("suite {} has no package {package}", self.name))
    }

    /// Packages that `package` depends on directly.
    pub fn depends(&self, package: &str) -> Result<Vec<String>> {
        let out = self.apt("apt-cache").args(["depends", package]).output().context("running apt-cache")?;
        Ok(String::from_utf8_lossy(&out.stdout)
            .lines()
            .filter_map(|l| l.trim().strip_prefix("Depends: "))
            .map(|l| l.trim_matches(['<', '>']).to_owned())
            .collect())
    }

    /// Download these packages and all they need; the paths of the package files. A broken
    /// download resumes where it stopped, and apt checks each file against the signed lists.
    pub fn fetch(&self, packages: &[&str]) -> Result<Vec<PathBuf>> {
        let mut c = self.apt("apt-get");
        if !std::io::stderr().is_terminal() {
            c.arg("-qq");
        }
        c.args(["--yes", "--download-only", "--no-install-recommends", "install"]).args(packages);
        // standard output is the guest command's alone
        c.stdout(Stdio::from(std::io::stderr().as_fd().try_clone_to_owned()?));
        let done = c.status().context("running apt-get")?;
        if !done.success() {
            bail!(
                "downloading packages of {} failed; run the same command again to go on where it stopped",
                self.name
            );
        }
        self.downloaded()
    }

    /// Download exactly these packages, without what they depend on.
    pub fn fetch_only(&self, packages: &[String]) -> Result<Vec<PathBuf>> {
        let dir = self.state.join("archives");
        let done =
            self.apt("apt-get").arg("-qq").arg("download").args(packages).current_dir(&dir).status()?;
        ensure!(done.success(), "downloading {} of {} failed", packages.join(" "), self.name);
        self.downloaded()
    }

    fn downloaded(&self) -> Result<Vec<PathBuf>> {
        let mut debs: Vec<PathBuf> = fs::read_dir(self.state.join("archives"))?
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.extension().is_some_and(|x| x == "deb"))
            .collect();
        debs.sort();
        Ok(debs)
    }

    /// Throw the lists and downloads away.
    pub fn forget(self) {
        // a leftover costs space, nothing else
        let _ = fs::remove_dir_all(&self.state);
    }
}

/// The Debian archive that this machine itself uses.
fn mirror() -> Result<String> {
    if let Ok(uri) = std::env::var("MLX5_VM_MIRROR") {
        return Ok(uri);
    }
    let out = Command::new("apt-get")
        .args([
            "indextargets",
            "--format",
            "$(REPO_URI) $(ORIGIN) $(COMPONENT) $(LABEL)",
            "Created-By: Packages",
        ])
        .output()
        .context("running apt-get; this bed is made of Debian packages and needs apt")?;
    let text = String::from_utf8_lossy(&out.stdout);
    // the security archive has origin Debian too, but another label and other suites
    let known = text.lines().find_map(|l| l.strip_suffix(" Debian main Debian"));
    known.map(str::to_owned).or_else(configured).context(
        "this machine's apt configuration names no Debian archive; set MLX5_VM_MIRROR to the address of one",
    )
}

/// The first archive in the configuration files: for a machine that has not read any lists yet.
fn configured() -> Option<String> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    files.extend(fs::read_dir("/etc/apt/sources.list.d").ok()?.flatten().map(|e| e.path()));
    files.sort();
    for text in files.iter().filter_map(|f| fs::read_to_string(f).ok()) {
        if !text.contains("debian-archive-keyring") && !text.contains("bookworm") && !text.contains("trixie")
        {
            continue;
        }
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let uri = match words.as_slice() {
                ["URIs:", uri, ..] => uri,
                ["deb", option, rest @ ..] if option.starts_with('[') => {
                    rest.iter().find(|w| w.contains("://"))?
                }
                ["deb", uri, ..] => uri,
                _ => continue,
            };
            if uri.trim_end_matches('/').ends_with("/debian") {
                return Some((*uri).to_owned());
            }
        }
    }
    None
}
