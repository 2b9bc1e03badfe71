//! What a guest kernel may say: its log must show no warning that is not expected.

use crate::bed::Bed;
use crate::root;
use anyhow::Result;

/// Parts of lines that are expected after a program that provokes them: all parts, its name.
const EXPECTED: &[(&[&str], &str)] = &[
    (&["cq_err_event_notifier"], "event"),
    (&["mlx5_rl_add_rate_raw", "Invalid rate: 0,"], "pacing"),
    (&["mlx5_rl_add_rate_raw", "Invalid rate: 4294967295,"], "pacing"),
    (&["CQE compression is not supported for size 128"], "cq_create"),
    (&["create_qp", "Create QP type", "failed"], "qp_create"),
    (&["create_qp", "Create QP type", "failed"], "qp_sizes"),
    (&["create_qp", "Create QP type", "failed"], "qp_modify"),
    (&["create_qp", "Create QP type", "failed"], "wq"),
    // each load of the driver probes for 100 ms, which a busy machine does not always hold
    (&["mlx5_core_test_wc", "Write combining is not supported"], "reload"),
    (&["mlx5_core_test_wc", "Write combining is not supported"], "surprise"),
];

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

/// Whether these programs, which ran, account for a line.
fn expected(line: &str, programs: &[&str]) -> bool {
    EXPECTED.iter().any(|(parts, by)| programs.contains(by) && parts.iter().all(|part| line.contains(part)))
}

/// Lines of a log at level warning or worse that nobody expects of these programs.
pub fn unexpected(log: &str, programs: &[&str]) -> Vec<String> {
    log.lines()
        .filter(|l| OURS.iter().any(|o| l.contains(o)))
        .filter(|l| !expected(l, programs))
        .map(str::to_owned)
        .collect()
}

/// The lines of a running guest since the last look that these programs do not account for.
pub fn look(bed: &mut Bed, programs: &[&str]) -> Result<Vec<String>> {
    if !bed.is_up() {
        return Ok(Vec::new());
    }
    let levels = "--level=warn,err,crit,alert,emerg";
    let ran = bed.run(root::RELEASES[0].0, "reference", 60, &["dmesg", "--read-clear", levels])?;
    Ok(unexpected(&ran.out, programs))
}

#[cfg(test)]
mod tests {
    use super::unexpected;

    #[test]
    fn only_what_concerns_the_card_or_is_a_fault_counts() {
        let log = "[1] x86/cpu: old microcode\n[2] mlx5_core 0000:01:00.0: bad\n[3] WARNING: CPU: 0\n";
        assert_eq!(unexpected(log, &[]), ["[2] mlx5_core 0000:01:00.0: bad", "[3] WARNING: CPU: 0"]);
    }

    #[test]
    fn a_line_is_expected_only_of_the_program_that_provokes_it() {
        let log = "[1] mlx5_core: mlx5_rl_add_rate_raw:253: Invalid rate: 0, should be 1\n";
        assert_eq!(unexpected(log, &["pacing"]), [""; 0]);
        assert_eq!(unexpected(log, &["event"]).len(), 1);
    }
}
