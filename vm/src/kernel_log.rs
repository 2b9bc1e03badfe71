//! What a guest kernel may say: its log must show no warning that is not expected.

use crate::bed::Bed;
use crate::root;
use anyhow::Result;

/// Parts of lines that are expected, and why.
const EXPECTED: [(&str, &str); 1] = [("cq_err_event_notifier", "ctest/event.c has the card raise CQ errors")];

/// Parts of lines that concern the card, or tell of a fault anywhere in the kernel.
const OURS: [&str; 12] = [
    "mlx5",
    "infiniband",
    "uverbs",
    "ib_",
    "rdma",
    "BUG:",
    "WARNING:",
    "Oops",
    "Call Trace",
    "RIP:",
    "hung",
    "refcount",
];

/// Lines of a log at level warning or worse that nobody expects.
pub fn unexpected(log: &str) -> Vec<String> {
    log.lines()
        .filter(|l| OURS.iter().any(|o| l.contains(o)))
        .filter(|l| !EXPECTED.iter().any(|(part, _)| l.contains(part)))
        .map(str::to_owned)
        .collect()
}

/// The unexpected lines of a running guest since the last look.
pub fn look(bed: &mut Bed) -> Result<Vec<String>> {
    if !bed.is_up() {
        return Ok(Vec::new());
    }
    let levels = "--level=warn,err,crit,alert,emerg";
    let ran = bed.run(root::RELEASES[0].0, "reference", 60, &["dmesg", "--read-clear", levels])?;
    Ok(unexpected(&ran.out))
}

#[cfg(test)]
mod tests {
    use super::unexpected;

    #[test]
    fn only_what_concerns_the_card_or_is_a_fault_counts() {
        let log = "[1] x86/cpu: old microcode\n[2] mlx5_core 0000:01:00.0: bad\n[3] WARNING: CPU: 0\n";
        assert_eq!(unexpected(log), ["[2] mlx5_core 0000:01:00.0: bad", "[3] WARNING: CPU: 0"]);
    }
}
