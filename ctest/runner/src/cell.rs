//! One cell of the comparison: a run of a program on one library under one libibverbs.

use crate::place::Places;
use crate::program::{Program, Run};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Which library, under which libibverbs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Ours, or the reference's own of that release.
    pub ours: bool,
    /// Release of libibverbs.
    pub release: String,
}

impl Side {
    /// Whether the program is compiled against our header. Under 65.0 our library runs the very
    /// binaries that were built for the reference, elsewhere those of our own header: so both a
    /// drop-in under old programs and a build against us are tried.
    pub fn own_header(&self) -> bool {
        self.ours && self.release != "65.0"
    }

    /// As it stands in reports.
    pub fn label(&self) -> String {
        format!("{}@{}", if self.ours { "ours" } else { "reference" }, self.release)
    }
}

/// What a run left.
pub struct Outcome {
    /// Standard output, with a line added when the program did not end by itself with 0.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The record of its calls, if asked for.
    pub record: String,
}

/// How to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// Keep a record of the calls.
    pub record: bool,
    /// Under valgrind's memcheck.
    pub valgrind: bool,
}

/// Run a binary once.
pub fn execute(
    places: &Places,
    program: &Program,
    run: &Run,
    side: &Side,
    binary: &Path,
    manner: Manner,
) -> Result<Outcome, String> {
    let stem = places.work.join(format!("{}.{}.{}", program.name, run.name, side.label()));
    let file = |ending: &str| PathBuf::from(format!("{}.{ending}", stem.display()));
    let (out, err, rec) = (file("out"), file("err"), file("rec"));
    let create = |p: &Path| File::create(p).map_err(|e| format!("{}: {e}", p.display()));

    let mut command = Command::new(&places.sim);
    command.arg("run").args(&run.sim);
    if manner.record {
        command.arg("--record").arg(&rec);
    }
    command.arg("--");
    let mut words = places.command(&side.release, binary, side.ours && !run.swap)?;
    if manner.valgrind {
        under_valgrind(places, &mut words);
        command.env("CTEST_VALGRIND", "1");
    }
    command.args(words);
    for argument in &run.args {
        match argument.as_str() {
            "@symbols" => command.arg(places.tree.join("symbols.txt")),
            "@second" => command.arg(places.second(&side.release, side.ours, run.swap)?),
            other => command.arg(other),
        };
    }
    for variable in &run.env {
        let (name, value) = variable.split_once('=').unwrap_or((variable, ""));
        command.env(name, value);
    }
    command.env_remove("LD_LIBRARY_PATH").env_remove("LD_PRELOAD").env_remove("RDMAV_DRIVERS");
    command.stdin(Stdio::null()).stdout(create(&out)?).stderr(create(&err)?).process_group(0);
    let limit = Duration::from_secs(program.timeout * if manner.valgrind { 10 } else { 1 });
    let end = match within(&mut command, limit)?.as_str() {
        "ended with 0" => String::new(),
        other => format!("{other}\n"),
    };
    let text = |p: &Path| {
        let mut bytes = Vec::new();
        File::open(p)
            .and_then(|mut f| f.read_to_end(&mut bytes))
            .map(|_| String::from_utf8_lossy(&bytes).into_owned())
    };
    let outcome = Outcome {
        stdout: text(&out).map_err(|e| e.to_string())? + &end,
        stderr: text(&err).map_err(|e| e.to_string())?,
        record: if manner.record {
            text(&rec).map_err(|e| format!("{}: {e}", rec.display()))?
        } else {
            String::new()
        },
    };
    for p in [out, err, rec] {
        let _ = fs::remove_file(p);
    }
    Ok(outcome)
}

/// Run a command for so long at most, and say how it ended.
pub fn within(command: &mut Command, limit: Duration) -> Result<String, String> {
    let mut child = command.spawn().map_err(|e| format!("{}: {e}", command.get_program().display()))?;
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                return Ok(match (status.code(), status.signal()) {
                    (Some(code), _) => format!("ended with {code}"),
                    (_, Some(signal)) => format!("ended by signal {signal}"),
                    _ => "ended".into(),
                });
            }
            Ok(None) if started.elapsed() > limit => {
                // the simulator takes its program along when it goes
                let _ = child.kill();
                let _ = child.wait();
                return Ok(format!("not done after {} s", limit.as_secs()));
            }
            Ok(None) => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
            Err(e) => return Err(e.to_string()),
        }
    }
}

/// Exit code by which valgrind says that it found something.
const FOUND: &str = "99";
/// The line that says so.
pub const FOUND_SOMETHING: &str = "ended with 99\n";

fn under_valgrind(places: &Places, words: &mut Vec<String>) {
    let options = [
        "valgrind".to_string(),
        "--quiet".into(),
        format!("--error-exitcode={FOUND}"),
        "--leak-check=full".into(),
        "--show-leak-kinds=definite".into(),
        "--errors-for-leak-kinds=definite".into(),
        "--child-silent-after-fork=yes".into(),
        format!("--suppressions={}", places.ctest().join("valgrind.supp").display()),
    ];
    // behind `env NAME=VALUE …`
    let at = words.iter().skip(1).take_while(|w| w.contains('=')).count() + 1;
    words.splice(at..at, options);
}
