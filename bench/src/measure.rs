//! Running the loops and reading what they took.

use ctest_runner::place::{Places, host_release};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One line of the table.
pub struct Figure {
    /// What was measured.
    pub title: String,
    /// In what.
    pub unit: &'static str,
    /// Whether a limit applies to it.
    pub gate: bool,
    /// The reference's.
    pub reference: f64,
    /// Ours.
    pub ours: f64,
}

impl Figure {
    /// Ours as a part of the reference's.
    pub fn ratio(&self) -> f64 {
        if self.reference > 0.0 { self.ours / self.reference } else { f64::NAN }
    }
}

/// A library under measurement.
pub struct Library {
    /// As it stands in the table.
    pub name: String,
    /// The file, links followed.
    path: PathBuf,
    /// Environment that makes a program take it.
    environment: Vec<String>,
}

impl Library {
    /// Ours, by the folder with all its names.
    pub fn ours(places: &Places) -> Result<Library, String> {
        let library = places.library.as_ref().ok_or("our library is not built: cargo build --release")?;
        Ok(Library {
            name: "ours".into(),
            path: resolve(library)?,
            environment: vec![
                format!("LD_LIBRARY_PATH={}", places.dist.display()),
                format!("RDMAV_DRIVERS={}", places.dist.join("libmlx5").display()),
            ],
        })
    }

    /// The host's own.
    pub fn reference(places: &Places) -> Result<Library, String> {
        let folder = places.second("44.0", true, false)?;
        let release = host_release().ok_or("this host has no libibverbs")?;
        Ok(Library { name: release, path: resolve(&folder)?, environment: Vec::new() })
    }

    /// Its size in bytes.
    pub fn size(&self) -> Result<f64, String> {
        fs::metadata(&self.path).map(|m| m.len() as f64).map_err(|e| format!("{}: {e}", self.path.display()))
    }
}

fn resolve(path: &Path) -> Result<PathBuf, String> {
    path.canonicalize().map_err(|e| format!("{}: {e}", path.display()))
}

/// The compiled loops.
pub struct Measure<'a> {
    places: &'a Places,
    loops: PathBuf,
    datapath: PathBuf,
}

/// Which of the programs has a case.
#[derive(Clone, Copy, PartialEq)]
pub enum Program {
    /// Calls that reach the kernel.
    Loops,
    /// Posting and polling.
    Datapath,
}

impl Measure<'_> {
    /// Compile them.
    pub fn new(places: &Places) -> Result<Measure<'_>, String> {
        let compile = |name: &str| -> Result<PathBuf, String> {
            let program = places.work.join(name);
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(name).with_extension("c");
            let out = Command::new("cc")
                .args(["-std=gnu11", "-O2", "-g", "-Wall", "-o"])
                .arg(&program)
                .arg(&source)
                // Symbols are bound before the loops: the loader is not what is measured.
                .args(["-Wl,-z,now", "-lmlx5", "-libverbs", "-ldl"])
                .output()
                .map_err(|e| format!("cc: {e}"))?;
            if !out.status.success() {
                return Err(String::from_utf8_lossy(&out.stderr).into_owned());
            }
            Ok(program)
        };
        Ok(Measure { places, loops: compile("loops")?, datapath: compile("datapath")? })
    }

    /// Instructions of one round.
    pub fn instructions(
        &self,
        program: Program,
        case: &str,
        rounds: u64,
        library: &Library,
    ) -> Result<f64, String> {
        let tool =
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=measured"];
        let words = [case.to_string(), rounds.to_string()];
        let said = self.run(program, &tool, &words, library)?;
        let collected = said.lines().find_map(|l| l.split_once("Collected :")).map(|(_, n)| n.trim());
        let total: f64 = collected
            .and_then(|n| n.parse().ok())
            .ok_or_else(|| format!("callgrind said nothing: {said}"))?;
        Ok(total / rounds as f64)
    }

    /// Best time of one round in ns, batches of both libraries taking turns.
    pub fn times(
        &self,
        program: Program,
        case: &str,
        rounds: u64,
        batches: u64,
        libraries: [&Library; 2],
    ) -> Result<[f64; 2], String> {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..batches {
            for (best, library) in best.iter_mut().zip(libraries) {
                let words = [case.to_string(), rounds.to_string(), "3".into()];
                *best = best.min(number(&self.run(program, &[], &words, library)?)?);
            }
        }
        Ok(best)
    }

    /// Median time of loading in ns; libibverbs is there already.
    pub fn loading(&self, times: u64, libraries: [&Library; 2]) -> Result<[f64; 2], String> {
        let plain = self.places.work.join("loader");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("loader.c");
        let out = Command::new("cc")
            .args(["-O2", "-o"])
            .arg(&plain)
            .arg(&source)
            .args(["-Wl,--no-as-needed", "-libverbs", "-ldl"])
            .output()
            .map_err(|e| format!("cc: {e}"))?;
        if !out.status.success() {
            return Err(String::from_utf8_lossy(&out.stderr).into_owned());
        }
        let mut all = [Vec::new(), Vec::new()];
        for _ in 0..times {
            for (list, library) in all.iter_mut().zip(libraries) {
                let out = Command::new(&plain).arg(&library.path).output().map_err(|e| e.to_string())?;
                list.push(number(&String::from_utf8_lossy(&out.stdout))?);
            }
        }
        Ok(all.map(|mut list| {
            list.sort_by(f64::total_cmp);
            list.get(list.len() / 2).copied().unwrap_or(f64::NAN)
        }))
    }

    fn run(
        &self,
        program: Program,
        tool: &[&str],
        words: &[String],
        library: &Library,
    ) -> Result<String, String> {
        let program = if program == Program::Loops { &self.loops } else { &self.datapath };
        let out = Command::new(&self.places.sim)
            .args(["run", "--port", "ib", "--", "env"])
            .args(&library.environment)
            .args(tool)
            .arg(program)
            .args(words)
            .output()
            .map_err(|e| format!("{}: {e}", self.places.sim.display()))?;
        let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
        if !out.status.success() {
            return Err(format!("{} on {}: {stderr}", words.join(" "), library.name));
        }
        Ok(if tool.is_empty() { String::from_utf8_lossy(&out.stdout).into_owned() } else { stderr })
    }
}

fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("'{}' is not a number", text.trim()))
}
