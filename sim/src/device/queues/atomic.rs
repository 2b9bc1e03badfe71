//! Atomic operations, plain and with masks.

use super::wqe::{Malformed, Reader};
use prm::Field;
use prm::wqe::opcode;

/// An atomic operation on 4 or 8 bytes. Memory holds the value in little-endian order, the
/// order of the hosts that this device serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    size: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Where the compared bits are equal, the bits of the swap mask are replaced.
    CompareSwap { swap: u64, compare: u64, swap_mask: u64, compare_mask: u64 },
    /// An addition in fields: no carry leaves a bit that the boundary mask marks.
    Add { add: u64, boundary: u64 },
}

/// Bit of the operation modifier of masked atomics; the low bits are log2 of the size, less 2.
const MASKED: u8 = 0x8;

impl Operation {
    /// The operation of a work request, from behind its remote address.
    pub fn read(op: u8, opmod: u8, r: &mut Reader) -> Result<Operation, Malformed> {
        if matches!(op, opcode::ATOMIC_CS | opcode::ATOMIC_FA) {
            let (first, compare) = r.atomic()?;
            let kind = match op {
                opcode::ATOMIC_CS => {
                    Kind::CompareSwap { swap: first, compare, swap_mask: u64::MAX, compare_mask: u64::MAX }
                }
                _ => Kind::Add { add: first, boundary: 0 },
            };
            return Ok(Operation { size: 8, kind });
        }
        let size = match (opmod & MASKED, opmod & !MASKED) {
            (MASKED, 0) => 4,
            (MASKED, 1) => 8,
            _ => return Err(Malformed),
        };
        let swap = op == opcode::ATOMIC_MASKED_CS;
        let words: usize = if swap { 4 } else { 2 };
        // operands lie close together; the segment is a whole number of octowords
        let s = r.take((words * size).next_multiple_of(prm::wqe::OCTOWORD))?;
        let word = |n: usize| Field::new(n * size * 8, size * 8).get(s);
        let kind = match swap {
            true => Kind::CompareSwap {
                swap: word(0),
                compare: word(1),
                swap_mask: word(2),
                compare_mask: word(3),
            },
            false => Kind::Add { add: word(0), boundary: word(1) },
        };
        Ok(Operation { size, kind })
    }

    /// Bytes that the operation works on.
    pub fn size(&self) -> u64 {
        self.size as u64
    }

    /// The new contents of memory for the old ones.
    pub fn apply(&self, old: &[u8]) -> Vec<u8> {
        let mut word = [0; 8];
        let n = old.len().min(self.size);
        word[..n].copy_from_slice(&old[..n]);
        let old = u64::from_le_bytes(word);
        let new = match self.kind {
            Kind::CompareSwap { swap, compare, swap_mask, compare_mask } => {
                if (old ^ compare) & compare_mask == 0 { old & !swap_mask | swap & swap_mask } else { old }
            }
            Kind::Add { add, boundary } => add_in_fields(old, add, boundary, self.size as u32 * 8),
        };
        new.to_le_bytes()[..self.size].to_vec()
    }
}

/// Add bit by bit; the carry out of a marked bit is dropped.
fn add_in_fields(a: u64, b: u64, boundary: u64, bits: u32) -> u64 {
    let (mut sum, mut carry) = (0, 0);
    for k in 0..bits {
        let (x, y) = (a >> k & 1, b >> k & 1);
        sum |= (x ^ y ^ carry) << k;
        carry = if boundary >> k & 1 != 0 { 0 } else { x & y | carry & (x ^ y) };
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(kind: Kind, size: usize) -> Operation {
        Operation { size, kind }
    }

    #[test]
    fn compare_and_swap_respects_its_masks() {
        let kind = Kind::CompareSwap { swap: 0xff, compare: 0x10, swap_mask: 0x0f, compare_mask: 0xf0 };
        assert_eq!(op(kind, 8).apply(&0x1234_1512u64.to_le_bytes()), 0x1234_151fu64.to_le_bytes());
        assert_eq!(op(kind, 8).apply(&0x25u64.to_le_bytes()), 0x25u64.to_le_bytes());
    }

    #[test]
    fn addition_wraps_and_stops_at_boundaries() {
        let all = Kind::Add { add: 3, boundary: 0 };
        assert_eq!(op(all, 8).apply(&u64::MAX.to_le_bytes()), 2u64.to_le_bytes());
        assert_eq!(op(all, 4).apply(&u32::MAX.to_le_bytes()), 2u32.to_le_bytes());
        let halves = Kind::Add { add: 0x0001_0001, boundary: 0x8000 };
        assert_eq!(op(halves, 4).apply(&0x0005_ffffu32.to_le_bytes()), 0x0006_0000u32.to_le_bytes());
    }
}
