//! Faults on demand: a chosen command fails with a chosen status.

use super::{Check, Refusal};
use crate::device::Chip;
use std::collections::BTreeMap;

/// A fault to inject: the `occurrence`-th command with `opcode` from now on (1 is the next
/// one, 0 every one) is refused with `status` and `syndrome`, before it has any effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Opcode of the command to fail.
    pub opcode: u16,
    /// Which one: 1 the next, 2 the one after it, 0 every one.
    pub occurrence: u32,
    /// The PRM's status, not 0.
    pub status: u8,
    /// The syndrome that the command reports.
    pub syndrome: u32,
}

/// The faults that wait for their command.
#[derive(Default)]
pub(in crate::device) struct Faults {
    waiting: Vec<(Fault, u32)>,
    seen: BTreeMap<u16, u32>,
}

impl Faults {
    /// Count a command, and say whether it is to fail.
    pub(super) fn hit(&mut self, opcode: u16) -> Option<Refusal> {
        let seen = self.seen.entry(opcode).or_default();
        *seen += 1;
        let seen = *seen;
        let at = self
            .waiting
            .iter()
            .position(|(f, base)| f.opcode == opcode && (f.occurrence == 0 || base + f.occurrence == seen))?;
        let fault = self.waiting[at].0;
        if fault.occurrence != 0 {
            self.waiting.remove(at);
        }
        Some(Refusal { status: fault.status, check: Check::Injected, syndrome: Some(fault.syndrome) })
    }
}

impl Chip {
    /// Make a command fail later.
    pub fn inject(&mut self, fault: Fault) {
        let base = self.faults.seen.get(&fault.opcode).copied().unwrap_or(0);
        self.faults.waiting.push((fault, base));
    }

    /// Forget all faults that still wait.
    pub fn clear_faults(&mut self) {
        self.faults.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::command::testing::Bench;
    use prm::{AllocPdIn, opcode, status};

    #[test]
    fn the_chosen_occurrence_fails_and_no_other() {
        let mut b = Bench::new();
        b.chip.inject(Fault { opcode: opcode::ALLOC_PD, occurrence: 2, status: 0xf, syndrome: 0xabc });
        let mut cmd = vec![0; AllocPdIn::SIZE];
        AllocPdIn::OPCODE.set(&mut cmd, opcode::ALLOC_PD as u64);
        assert_eq!(b.run(&cmd, 16).0, status::OK);
        assert_eq!(b.run(&cmd, 16).0, status::NO_RESOURCES);
        assert_eq!(b.syndrome(), 0xabc);
        assert_eq!(b.run(&cmd, 16).0, status::OK);
        b.chip.inject(Fault { opcode: opcode::ALLOC_PD, occurrence: 0, status: 1, syndrome: 1 });
        assert_eq!(b.run(&cmd, 16).0, status::INT_ERR);
        assert_eq!(b.run(&cmd, 16).0, status::INT_ERR);
        b.chip.clear_faults();
        assert_eq!(b.run(&cmd, 16).0, status::OK);
    }
}
