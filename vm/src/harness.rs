//! The C programs of `ctest/` in guests: the reference library and ours must print the same,
//! and the same as on the simulator.

#[allow(dead_code, reason = "shared with the runner on the simulator, which uses all of it")]
#[path = "../../ctest/runner/src/expected.rs"]
mod expected;
#[allow(dead_code, reason = "shared with the runner on the simulator, which uses all of it")]
#[path = "../../ctest/runner/src/program.rs"]
mod program;

use crate::bed::Bed;
use crate::machine::Spec;
use crate::{kernel, kernel_log, paths, root};
use anyhow::{Context, Result, ensure};
use program::{Program, Run};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Runs that are held to what the kernels said (`vm/answers`) instead of to the simulator, or not
/// done at all, for a known reason: program, run, `differs` or `skip`, reason.
const KNOWN: &str = include_str!("../known-differences");

/// What a program says when the control channel refuses a line: it wants what only the
/// simulator can do, a fault in the kernel's place.
const REFUSED: &str = "the simulator on '";

/// Has the card forget its faults, and takes the answer out of the channel.
const FORGET: &str = "exec 3<>/dev/infiniband/mlx5_sim_ctl; echo faults clear >&3; read -r -t 5 <&3";

/// What a guest must be like for a run, from the simulator's options; `None` when the run needs
/// what only the simulator has (faults, say).
fn guest_for(run: &Run, like: &Spec) -> Option<Spec> {
    // one library at a time takes the place of the release's own
    if run.swap || run.args.iter().any(|a| a == "@second") {
        return None;
    }
    let mut spec = like.clone();
    let mut options = run.sim.iter().map(String::as_str);
    while let Some(option) = options.next() {
        match option {
            "--kernel" => spec.kernel = options.next()?.to_owned(),
            "--port" => {
                spec.port = match options.next()? {
                    "roce" => "eth".into(),
                    "ib" => "ib".into(),
                    _ => return None,
                }
            }
            // PAGE:BIT:WIDTH=VALUE
            "--cap" => spec.cap.push(options.next()?.replace('=', ":")),
            "--ports" => spec.ports = options.next()?.parse().ok()?,
            "--data-direct" => spec.data_direct = true,
            _ => return None,
        }
    }
    kernel::KERNELS.iter().any(|k| k.0 == spec.kernel).then_some(spec)
}

/// Compile a program against the headers of the newest reference; its binary goes to `work`.
pub fn compile_file(source: &Path, work: &Path) -> Result<PathBuf> {
    let tools = root::folder(&paths::cache()?, root::RELEASES[0].0);
    let include = work.join("include");
    fs::create_dir_all(&include)?;
    // only these headers: the compiler's own C library is the host's
    let link = include.join("infiniband");
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink(tools.join("usr/include/infiniband"), &link)?;
    let binary = work.join(source.file_stem().context("a program without a name")?);
    let made = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-g", "-w", "-isystem"])
        .arg(&include)
        .arg("-o")
        .arg(&binary)
        .arg(source)
        .arg("-L")
        .arg(tools.join("usr/lib/x86_64-linux-gnu"))
        .args(["-l:libmlx5.so.1", "-l:libibverbs.so.1", "-ldl", "-lpthread"])
        .arg("-Wl,--allow-shlib-undefined")
        .output()
        .context("running cc")?;
    ensure!(made.status.success(), "{}: {}", source.display(), String::from_utf8_lossy(&made.stderr));
    Ok(binary)
}

/// The lines in which two texts differ.
pub fn difference(expected: &str, got: &str) -> String {
    expected::difference(expected, got, 12)
}

/// Counts of what came out.
#[derive(Default)]
pub struct Tally {
    /// Checks that held.
    pub passed: u32,
    /// Checks that did not.
    pub failed: u32,
    /// Runs that no guest can do.
    pub skipped: u32,
}

impl Tally {
    /// Print the sum, and the exit code that goes with it.
    pub fn report(&self) -> ExitCode {
        println!("{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped);
        if self.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Count and report one check.
    pub fn check(&mut self, name: &str, problem: Option<String>) {
        match problem {
            None => self.passed += 1,
            Some(text) => {
                self.failed += 1;
                println!("FAILED {name}\n{}", text.trim_end());
            }
        }
    }
}

struct Cell {
    program: usize,
    run: Run,
}

/// The programs, and what to do with them.
pub struct Harness {
    programs: Vec<Program>,
    checkout: PathBuf,
    work: PathBuf,
    /// Libraries; what follows the first is compared with it.
    sides: Vec<String>,
    binaries: BTreeMap<usize, PathBuf>,
    answers: BTreeMap<usize, expected::Sections>,
}

impl Harness {
    /// The programs whose names contain one of `names`, or all.
    pub fn new(names: &[String], sides: &[String]) -> Result<Harness> {
        let checkout = paths::checkout();
        let mut programs = program::all(&checkout.join("ctest")).context("reading ctest")?;
        programs.retain(|p| names.is_empty() || names.iter().any(|n| p.name.contains(n.as_str())));
        Ok(Harness {
            programs,
            checkout,
            work: paths::built()?.join("vm-ctest"),
            sides: sides.to_vec(),
            binaries: BTreeMap::new(),
            answers: BTreeMap::new(),
        })
    }

    /// Run everything, in guests that are `like` this one but for what a run asks for.
    pub fn run(&mut self, like: &Spec, tally: &mut Tally) -> Result<()> {
        let mut groups: BTreeMap<String, (Spec, Vec<Cell>)> = BTreeMap::new();
        for (k, p) in self.programs.iter().enumerate() {
            for run in &p.runs {
                let Some(spec) = guest_for(run, like).filter(|_| !known(p, run, "skip")) else {
                    tally.skipped += 1;
                    continue;
                };
                let cell = Cell { program: k, run: run.clone() };
                groups.entry(spec.key()).or_insert((spec, Vec::new())).1.push(cell);
            }
        }
        for (spec, cells) in groups.into_values() {
            let mut bed = Bed::new(spec.clone())?;
            let pair = if spec.data_direct { " data-direct" } else { "" };
            let place = format!("kernel {} {} x{}{pair}", spec.kernel, spec.port, spec.ports);
            for cell in &cells {
                self.one(&mut bed, cell, &place, tally)?;
            }
            let ran: Vec<&str> =
                cells.iter().filter_map(|c| Some(self.programs.get(c.program)?.name.as_str())).collect();
            let lines = kernel_log::look(&mut bed, &ran)?;
            let problem = (!lines.is_empty()).then(|| lines.join("\n"));
            tally.check(&format!("kernel log ({place})"), problem);
        }
        Ok(())
    }

    fn one(&mut self, bed: &mut Bed, cell: &Cell, place: &str, tally: &mut Tally) -> Result<()> {
        let Some(program) = self.programs.get(cell.program) else { return Ok(()) };
        let run = &cell.run;
        let binary = match self.binaries.get(&cell.program) {
            Some(b) => b.clone(),
            None => {
                let b = compile_file(&program.source, &self.work)?;
                self.binaries.insert(cell.program, b.clone());
                b
            }
        };
        let mut words: Vec<String> = Vec::new();
        if !run.env.is_empty() {
            words.push("env".into());
            words.extend(run.env.iter().cloned());
        }
        words.push(binary.to_string_lossy().into_owned());
        words.extend(run.args.iter().map(|a| match a.as_str() {
            "@symbols" => self.checkout.join("symbols.txt").to_string_lossy().into_owned(),
            other => other.to_owned(),
        }));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        // where they are known to disagree, what the kernel said when it was written down
        let (from, folder) = match known(program, run, "differs") {
            true => ("the recorded answer", "vm/answers"),
            false => ("the simulator", "ctest/expected"),
        };
        let file = self.checkout.join(folder).join(format!("{}.txt", program.name));
        let simulator = expected::read(&file)?.remove(&run.name);
        let mut before: Option<String> = None;
        for side in &self.sides {
            let ran = bed.run(root::RELEASES[0].0, &crate::library(side)?, program.timeout, &words)?;
            if ran.out.contains(REFUSED) {
                // faults that the card took before the refusal must not meet the next program
                bed.run(root::RELEASES[0].0, "reference", 60, &["bash", "-c", FORGET])?;
                tally.skipped += 1;
                return Ok(());
            }
            let (what, other) = match (&before, &simulator) {
                (Some(text), _) => ("the first library", Some(text)),
                (None, text) => (from, text.as_ref()),
            };
            if let Some(other) = other {
                let problem = (*other != ran.out).then(|| {
                    let lines = difference(other, &ran.out);
                    format!("  - {what}, + here\n{lines}{}", tail(&ran.err))
                });
                tally.check(&format!("{} {}: {side} ({place})", program.name, run.name), problem);
            }
            if before.is_none() {
                let sections = self.answers.entry(cell.program).or_default();
                sections.insert(run.name.clone(), ran.out.clone());
                before = Some(ran.out);
            }
        }
        Ok(())
    }

    /// Write what the first library printed, a file a program, as the expectations are written.
    pub fn write_answers(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        for (k, sections) in &self.answers {
            let Some(program) = self.programs.get(*k) else { continue };
            let order: Vec<String> = program.runs.iter().map(|r| r.name.clone()).collect();
            expected::write(&folder.join(format!("{}.txt", program.name)), &order, sections)?;
        }
        Ok(())
    }
}

/// Whether the list says this of a run.
fn known(program: &Program, run: &Run, what: &str) -> bool {
    let about = [program.name.as_str(), run.name.as_str(), what];
    KNOWN.lines().any(|l| l.split_whitespace().take(3).eq(about))
}

/// The end of what a program said on standard error.
fn tail(err: &str) -> String {
    let lines: Vec<&str> = err.lines().collect();
    lines
        .get(lines.len().saturating_sub(6)..)
        .unwrap_or_default()
        .iter()
        .map(|l| format!("    ! {l}\n"))
        .collect()
}
