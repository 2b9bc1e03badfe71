//! Comparing what two libraries ask of the kernel: the same program under the same libibverbs,
//! the simulator's record of every call, line by line.

use crate::Verdict;
use crate::cell::{self, Manner, Side};
use crate::compile;
use crate::expected;
use crate::place::Places;
use crate::program::{Program, Run};

/// The record without what depends on when the simulator saw a descriptor close, and without the
/// values of attributes that it does not know and so cannot tell from addresses.
fn settled(record: &str) -> String {
    let mut text = String::new();
    for line in record.lines() {
        let kept = match line.split_once(", ") {
            Some((head, _)) if head.starts_with("* release") => head,
            _ => match line.split_once(" : ") {
                Some((head, _)) if head.contains(" ? len=") => head,
                _ => line,
            },
        };
        text.push_str(kept);
        text.push('\n');
    }
    text
}

/// Run on both and compare.
pub fn compare(places: &Places, program: &Program, run: &Run, lines: usize) -> Verdict {
    if program.records_differ.is_some() {
        return Verdict::Skipped;
    }
    let record = |ours: bool| -> Result<String, String> {
        // one binary for both: what differs is then the library alone
        let binary = compile::compile(places, program, false)?;
        let side = Side { ours, release: "65.0".into() };
        let manner = Manner { record: true, valgrind: false };
        Ok(settled(&cell::execute(places, program, run, &side, &binary, manner)?.record))
    };
    match record(false).and_then(|theirs| Ok((theirs, record(true)?))) {
        Err(e) => Verdict::Failed(format!("    {e}\n")),
        Ok((theirs, ours)) if theirs == ours => Verdict::Passed,
        Ok((theirs, ours)) => Verdict::Failed(expected::difference(&theirs, &ours, lines)),
    }
}
