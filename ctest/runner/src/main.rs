//! Runs the C programs of `ctest/` under the simulator, on the reference library and on ours,
//! and demands the same standard output.
//!
//! What is expected stands beside the programs in `ctest/expected/`, recorded from release
//! 65.0, so that the harness also runs where that library is not at hand. With the reference
//! roots laid (`scripts/reference.sh`) the reference itself is run again and held to the same
//! text, and so are our library under each other libibverbs there is.

use clap::Parser;
use ctest_runner::Verdict;
use ctest_runner::cell::{self, Manner, Side};
use ctest_runner::place::Places;
use ctest_runner::program::{self, Program, Run};
use ctest_runner::{compile, doubles, expected, records, tools};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Run the C programs on the reference library and on ours.
#[derive(Parser, Debug)]
struct Options {
    /// Programs to run, by name or part of it; all if none is given
    names: Vec<String>,
    /// Write the expectations anew, from the reference library 65.0
    #[arg(long)]
    record: bool,
    /// Compare the records of both libraries' calls instead of their output
    #[arg(long)]
    records: bool,
    /// Run ours under valgrind's memcheck
    #[arg(long)]
    valgrind: bool,
    /// Releases of libibverbs to run under; those that this machine has if none is given
    #[arg(long, value_delimiter = ',')]
    releases: Vec<String>,
    /// Only the reference library
    #[arg(long, conflicts_with_all = ["ours_only", "record", "records"])]
    reference_only: bool,
    /// Only our library
    #[arg(long)]
    ours_only: bool,
    /// Programs run at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The simulator, if not the one in the target folder
    #[arg(long, env = "MLX5_SIM")]
    sim: Option<PathBuf>,
    /// Our library, if not the one in the target folder
    #[arg(long, env = "MLX5_LIBRARY")]
    library: Option<PathBuf>,
    /// Only the stand-ins for libibverbs' private side
    #[arg(long)]
    doubles: bool,
    /// Only the tools of each release
    #[arg(long)]
    tools: bool,
    /// Print the programs and their runs, and end
    #[arg(long)]
    list: bool,
    /// Lines of difference shown for each failure
    #[arg(long, default_value_t = 12)]
    lines: usize,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("ctest-runner: {e}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<bool, String> {
    let tree = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let programs: Vec<Program> = program::all(&tree)
        .map_err(|e| format!("{}: {e}", tree.display()))?
        .into_iter()
        .filter(|p| options.names.is_empty() || options.names.iter().any(|n| p.name.contains(n.as_str())))
        .collect();
    if programs.is_empty() {
        return Err("no program has such a name".into());
    }
    if options.list {
        for p in &programs {
            let runs: Vec<&str> = p.runs.iter().map(|r| r.name.as_str()).collect();
            println!("{} (since {}): {}", p.name, p.since, runs.join(", "));
        }
        return Ok(true);
    }
    let places = Places::find(options.sim.clone(), options.library.clone())?;
    if options.doubles {
        return Ok(reported(doubles::check(&places)?).close());
    }
    let releases: Vec<String> = ["44.0", "56.1", "65.0"]
        .into_iter()
        .map(String::from)
        .filter(|r| options.releases.is_empty() || options.releases.contains(r))
        .filter(|r| places.has_release(r))
        .collect();
    if options.tools {
        return Ok(reported(tools::check(&places, &releases, options.lines)?).close());
    }
    let sides = sides(options, &places, &releases)?;
    let labels: Vec<String> = sides.iter().map(Side::label).collect();
    println!("{} programs on {}", programs.len(), labels.join(", "));
    let mut needed: Vec<bool> = sides.iter().map(|s| s.own_header() && !options.records).collect();
    needed.sort_unstable();
    needed.dedup();
    compile::all(&places, &programs, &needed, options.jobs);
    if options.record {
        return record(options, &places, &programs);
    }
    let whole = options.names.is_empty() && !options.records && !options.valgrind && !options.reference_only;
    let mut first = Counts::default();
    if whole {
        first = reported(doubles::check(&places)?);
        if !options.ours_only {
            first = first.and(reported(tools::check(&places, &releases, options.lines)?));
        }
    }
    Ok(compare(options, &places, &programs, &sides).and(first).close())
}

/// What came of a number of cells.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Counts {
    fn and(self, other: Counts) -> Counts {
        Counts {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }

    /// Print the closing line; whether all is well.
    fn close(self) -> bool {
        let Counts { passed, failed, skipped } = self;
        if skipped > 0 {
            println!("{passed} passed, {failed} failed, {skipped} skipped");
        } else {
            println!("{passed} passed, {failed} failed");
        }
        failed == 0 && passed > 0
    }
}

/// Print what failed, and count.
fn reported((passed, failed): (usize, Vec<String>)) -> Counts {
    failed.iter().for_each(|f| println!("{f}"));
    Counts { passed, failed: failed.len(), skipped: 0 }
}

fn sides(options: &Options, places: &Places, releases: &[String]) -> Result<Vec<Side>, String> {
    let reference = Side { ours: false, release: "65.0".into() };
    let has_reference = releases.contains(&reference.release);
    if options.record {
        return if has_reference {
            Ok(vec![reference])
        } else {
            Err("the reference root of 65.0 is not laid".into())
        };
    }
    if options.records {
        if !has_reference {
            return Err("records are compared under 65.0, whose root is not laid".into());
        }
        return Ok(vec![Side { ours: true, release: "65.0".into() }]);
    }
    let mut sides = Vec::new();
    if !options.ours_only && !options.valgrind && has_reference {
        sides.push(reference);
    }
    if !options.reference_only {
        if places.library.is_none() {
            return Err("our library is not built: cargo build --release".into());
        }
        // memcheck knows the host's C library only
        sides.extend(
            releases
                .iter()
                .filter(|r| !options.valgrind || *r == "44.0")
                .map(|r| Side { ours: true, release: r.clone() }),
        );
    }
    if sides.is_empty() { Err("nothing to run on".into()) } else { Ok(sides) }
}

fn record(options: &Options, places: &Places, programs: &[Program]) -> Result<bool, String> {
    let side = Side { ours: false, release: "65.0".into() };
    let cells: Vec<(&Program, &Run, &Side)> = programs
        .iter()
        .flat_map(|p| p.runs.iter().map(move |r| (p, r)))
        .map(|(p, r)| (p, r, &side))
        .collect();
    let texts = Mutex::new(BTreeMap::<String, expected::Sections>::new());
    let counts = in_parallel(options.jobs, &cells, |(program, run, side)| {
        let outcome = compile::compile(places, program, false)
            .and_then(|binary| cell::execute(places, program, run, side, &binary, Manner::default()));
        match outcome {
            Ok(o) => {
                if let Ok(mut t) = texts.lock() {
                    t.entry(program.name.clone()).or_default().insert(run.name.clone(), o.stdout);
                }
                Verdict::Passed
            }
            Err(e) => Verdict::Failed(e),
        }
    });
    let texts = texts.into_inner().map_err(|e| e.to_string())?;
    for program in programs {
        if let Some(sections) = texts.get(&program.name) {
            let order: Vec<String> = program.runs.iter().map(|r| r.name.clone()).collect();
            let path = places.ctest().join("expected").join(format!("{}.txt", program.name));
            expected::write(&path, &order, sections).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(counts.close())
}

fn compare(options: &Options, places: &Places, programs: &[Program], sides: &[Side]) -> Counts {
    let cells: Vec<(&Program, &Run, &Side)> = programs
        .iter()
        .flat_map(|p| p.runs.iter().map(move |r| (p, r)))
        .flat_map(|(p, r)| sides.iter().map(move |s| (p, r, s)))
        .filter(|(p, _, s)| s.release >= p.libibverbs)
        .collect();
    in_parallel(options.jobs, &cells, |(program, run, side)| {
        if options.records {
            return records::compare(places, program, run, options.lines);
        }
        if options.valgrind && program.no_valgrind.is_some() {
            return Verdict::Skipped;
        }
        let manner = Manner { record: false, valgrind: options.valgrind };
        let result = compile::compile(places, program, side.own_header()).and_then(|binary| {
            let outcome = cell::execute(places, program, run, side, &binary, manner)?;
            Ok((outcome, expected_for(places, program, run, side)?))
        });
        match result {
            Err(e) => Verdict::Failed(format!("    {}\n", e.trim_end().replace('\n', "\n    "))),
            // memcheck changes what is mapped and when: its own verdict is what counts
            Ok((outcome, _)) if options.valgrind && !outcome.stdout.ends_with(cell::FOUND_SOMETHING) => {
                Verdict::Passed
            }
            Ok((outcome, None)) => {
                Verdict::Failed(format!("    no expectation is recorded\n{}", tail(&outcome.stderr)))
            }
            Ok((outcome, Some(text))) if outcome.stdout == text => Verdict::Passed,
            Ok((outcome, Some(text))) => Verdict::Failed(
                expected::difference(&text, &outcome.stdout, options.lines) + &tail(&outcome.stderr),
            ),
        }
    })
}

/// The text recorded for a run, or for that run under that release where libibverbs itself
/// answers differently (`NAME@RELEASE.txt`).
fn expected_for(
    places: &Places,
    program: &Program,
    run: &Run,
    side: &Side,
) -> Result<Option<String>, String> {
    let folder = places.ctest().join("expected");
    for name in [format!("{}@{}.txt", program.name, side.release), format!("{}.txt", program.name)] {
        let path = folder.join(&name);
        let sections = expected::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        if let Some(text) = sections.get(&run.name) {
            return Ok(Some(text.clone()));
        }
    }
    Ok(None)
}

fn tail(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().collect();
    let last = lines.get(lines.len().saturating_sub(6)..).unwrap_or_default();
    last.iter().map(|l| format!("    stderr: {l}\n")).collect()
}

/// Do all cells, a few at a time, say what came of each that is worth a word, and count.
fn in_parallel<'a, F>(jobs: usize, cells: &[(&'a Program, &'a Run, &'a Side)], work: F) -> Counts
where
    F: Fn(&(&'a Program, &'a Run, &'a Side)) -> Verdict + Sync,
{
    let next = AtomicUsize::new(0);
    let counts = Mutex::new(Counts::default());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdict = work(cell);
                    let Ok(mut counts) = counts.lock() else { return };
                    let (program, run, side) = cell;
                    match verdict {
                        Verdict::Passed => counts.passed += 1,
                        Verdict::Failed(why) => {
                            counts.failed += 1;
                            println!(
                                "FAILED {} [{}] on {}\n{}",
                                program.name,
                                run.name,
                                side.label(),
                                why.trim_end_matches('\n')
                            );
                        }
                        Verdict::Skipped => counts.skipped += 1,
                    }
                }
            });
        }
    });
    counts.into_inner().unwrap_or_default()
}
