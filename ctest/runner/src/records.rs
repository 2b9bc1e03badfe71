//! Comparing what two libraries ask of the kernel: the same program under the same libibverbs,
//! the simulator's record of every call, line by line.

use crate::Verdict;
use crate::cell::{self, Manner, Side};
use crate::compile;
use crate::expected;
use crate::place::Places;
use crate::program::{Program, Run};

/// The record without what depends on the moment or on the allocator: whether the simulator saw a
/// descriptor close before it ended itself, which of several addresses a buffer got (`va3` and `va5` are both `va`), and
/// the values of attributes that the simulator does not know and cannot tell from addresses.
fn settled(record: &str) -> String {
    let mut text = String::new();
    for line in record.lines().filter(|l| !l.starts_with("* release")) {
        let kept = match line.split_once(" : ") {
            Some((head, _)) if head.contains(" ? len=") => head,
            _ => line,
        };
        let mut words = kept.split(' ');
        text.push_str(words.next().unwrap_or_default());
        for word in words {
            text.push(' ');
            let number = word.strip_prefix("va").filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
            text.push_str(if number.is_some() { "va" } else { word });
        }
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

#[cfg(test)]
mod tests {
    use super::settled;

    #[test]
    fn only_what_does_not_matter_is_left_out() {
        assert_eq!(
            settled("  in  0x1000 X len=56 fl=1 : va3 va 00000400 vax"),
            "  in  0x1000 X len=56 fl=1 : va va 00000400 vax\n"
        );
        assert_eq!(settled("* release ctx0, 1 objects left"), "");
        assert_eq!(settled("  in  0x1000 ? len=2 fl=1 : 20 d1"), "  in  0x1000 ? len=2 fl=1\n");
    }
}
