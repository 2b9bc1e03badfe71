//! A C program of the harness and the ways its leading comment asks to be run.
//!
//! The comment may carry these lines:
//!
//! ```text
//! * since: 65.0                 the oldest release whose library has all that it calls
//! * libibverbs: 65.0             the oldest libibverbs that has all that it calls
//! * run NAME: WORDS ; WORDS     a further run; a run named `default` replaces the plain one
//! * records: differ, REASON     its ioctl records are not compared
//! * valgrind: no, REASON        not run under memcheck
//! * timeout: SECONDS            longer than the usual minute
//! ```
//!
//! `WORDS` starts with `sim` (options of the simulator), `env` (`NAME=VALUE …`), `arg`
//! (arguments of the program) or is `swap`. Of the arguments `@symbols` stands for the list of
//! exported names and `@second` for a second library beside the one under test: the reference's.
//! With `swap` the two change places.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// One way to run a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Its name, also the heading in the expectation.
    pub name: String,
    /// Options of the simulator.
    pub sim: Vec<String>,
    /// Environment, `NAME=VALUE`.
    pub env: Vec<String>,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// The library under test is the second one.
    pub swap: bool,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// File name without `.c`.
    pub name: String,
    /// Its source.
    pub source: PathBuf,
    /// Oldest release of the library that has all its symbols.
    pub since: String,
    /// Oldest libibverbs that it runs under.
    pub libibverbs: String,
    /// All runs, the plain one first.
    pub runs: Vec<Run>,
    /// Why its records are not compared, if they are not.
    pub records_differ: Option<String>,
    /// Why it is not run under memcheck, if it is not.
    pub no_valgrind: Option<String>,
    /// Seconds a run may take.
    pub timeout: u64,
}

/// All programs of the folder, by name.
pub fn all(folder: &Path) -> io::Result<Vec<Program>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let source = entry?.path();
        if source.extension().is_some_and(|e| e == "c") {
            let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = fs::read_to_string(&source)?;
            found.push(parse(name, source, &text).map_err(io::Error::other)?);
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn parse(name: String, source: PathBuf, text: &str) -> Result<Program, String> {
    let mut program = Program {
        name,
        source,
        since: "44.0".into(),
        libibverbs: "44.0".into(),
        runs: vec![Run { name: "default".into(), ..Run::default() }],
        records_differ: None,
        no_valgrind: None,
        timeout: 60,
    };
    let comment = text.split_once("*/").map_or("", |(head, _)| head);
    for line in comment.lines().map(|l| l.trim_start_matches([' ', '*', '/']).trim()) {
        if let Some(since) = line.strip_prefix("since:") {
            program.since = since.trim().into();
        } else if let Some(oldest) = line.strip_prefix("libibverbs:") {
            program.libibverbs = oldest.trim().into();
        } else if let Some(reason) = line.strip_prefix("records: differ,") {
            program.records_differ = Some(reason.trim().into());
        } else if let Some(reason) = line.strip_prefix("valgrind: no,") {
            program.no_valgrind = Some(reason.trim().into());
        } else if let Some(seconds) = line.strip_prefix("timeout:") {
            program.timeout = seconds.trim().parse().map_err(|_| format!("{}: bad {line}", program.name))?;
        } else if let Some((name, words)) = line.strip_prefix("run ").and_then(|l| l.split_once(':')) {
            let run = parse_run(name.trim(), words).map_err(|e| format!("{}: {e}", program.name))?;
            match program.runs.iter_mut().find(|r| r.name == run.name) {
                Some(plain) if run.name == "default" => *plain = run,
                Some(_) => return Err(format!("{}: two runs named {}", program.name, run.name)),
                None => program.runs.push(run),
            }
        }
    }
    Ok(program)
}

fn parse_run(name: &str, words: &str) -> Result<Run, String> {
    let mut run = Run { name: name.into(), ..Run::default() };
    for part in words.split(" ; ") {
        let mut part = part.split_whitespace().map(String::from);
        let into = match part.next().as_deref() {
            Some("sim") => &mut run.sim,
            Some("env") => &mut run.env,
            Some("arg") => &mut run.args,
            Some("swap") => {
                run.swap = true;
                continue;
            }
            other => {
                return Err(format!("run {name}: '{}' is none of sim, env, arg", other.unwrap_or_default()));
            }
        };
        into.extend(part);
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(text: &str) -> Result<Program, String> {
        parse("p".into(), PathBuf::new(), text)
    }

    #[test]
    fn the_comment_tells_the_runs() {
        let p = from("/* Subject.\n * since: 56.1\n * libibverbs: 65.0\n * run a: sim --x 1 --y ; env A=1 B=2 ; arg z\n */\n/* run b: sim */").expect("parses");
        assert_eq!((p.since.as_str(), p.libibverbs.as_str()), ("56.1", "65.0"));
        assert_eq!(p.runs.len(), 2);
        assert_eq!(p.runs[1].sim, ["--x", "1", "--y"]);
        assert_eq!(p.runs[1].env, ["A=1", "B=2"]);
        assert_eq!(p.runs[1].args, ["z"]);
    }

    #[test]
    fn a_default_run_replaces_the_plain_one() {
        let p = from("/* S.\n * run default: arg @symbols\n */").expect("parses");
        assert_eq!(p.runs.len(), 1);
        assert_eq!(p.runs[0].args, ["@symbols"]);
    }

    #[test]
    fn unknown_words_and_double_names_are_errors() {
        assert!(from("/* run a: simm --x */").is_err());
        assert!(from("/* run a: sim\n * run a: sim */").is_err());
    }
}
