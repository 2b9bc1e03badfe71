//! BAR 0 above the registers, for a carrier that traps each access: UAR pages, device
//! memory, addresses whose access is an operation on device memory, virtio doorbells.

use super::host::Host;
use super::objects::{Key, kind};
use super::{Chip, FIRST_UAR, MEMIC_BAR, MEMIC_OPS_BAR, UAR_END};
use prm::{AllocMemicIn, ModifyMemicIn, opcode};

/// Operations on device memory by access to an operation address.
pub(super) mod memic_operation {
    /// A store adds one to the word behind the address, whatever it stores.
    pub const INCREMENT: u32 = 0;
    /// A load gives the word and leaves one in its place.
    pub const TEST_AND_SET: u32 = 1;
}

impl Chip {
    /// A load of `buf.len()` bytes at `offset`. False where nothing answers loads.
    pub fn bar_read(&mut self, offset: u64, buf: &mut [u8]) -> bool {
        if let Some((operation, at)) = self.operation(offset, buf.len()) {
            let Some(memory) = &mut self.memory else { return false };
            if !memory.read(at, buf) {
                return false;
            }
            if operation == memic_operation::TEST_AND_SET {
                let mut one = vec![0; buf.len()];
                one[..1].fill(1);
                memory.write(at, &one);
            }
            return true;
        }
        self.memory.as_ref().is_some_and(|m| m.read(offset, buf))
    }

    /// A store at `offset`. False where nothing takes stores.
    pub fn bar_write(&mut self, host: &dyn Host, offset: u64, data: &[u8]) -> bool {
        let page = offset >> 12;
        if (FIRST_UAR as u64..UAR_END as u64).contains(&page) {
            self.uar_write(host, page as u32, (offset & 0xfff) as u32, data);
            return true;
        }
        if let Some((operation, at)) = self.operation(offset, data.len()) {
            let mut word = vec![0; data.len()];
            let Some(memory) = &mut self.memory else { return false };
            if operation != memic_operation::INCREMENT || !memory.read(at, &mut word) {
                return false;
            }
            for byte in &mut word {
                // the word is the host's, lowest byte first
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
            return memory.write(at, &word);
        }
        if MEMIC_BAR.contains(&offset) {
            return self.memory.as_mut().is_some_and(|m| m.write(offset, data));
        }
        // a store to a virtio doorbell goes to a queue that no one made
        super::VAR_BAR.contains(&offset)
    }

    /// The operation that an access means, and the place in device memory that it works on.
    fn operation(&self, offset: u64, len: usize) -> Option<(u32, u64)> {
        if !MEMIC_OPS_BAR.contains(&offset) {
            return None;
        }
        let page = ((offset - MEMIC_OPS_BAR.start) >> 12) as u32;
        let input = &self.objs.get(&(opcode::MODIFY_MEMIC, page))?.input;
        let base = ModifyMemicIn::MEMIC_START_ADDR.get(input);
        let key: Key = (kind::MEMIC, base as u32);
        let size = AllocMemicIn::MEMIC_SIZE.get(&self.objs.get(&key)?.input);
        let inside = (offset & 0xfff).checked_sub(base & 0xfff)?;
        let operation = ModifyMemicIn::MEMIC_OPERATION_TYPE.get32(input);
        (inside + len as u64 <= size).then_some((operation, base + inside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::command::testing::Bench;
    use prm::{AllocMemicOut, MboxIn, ModifyMemicOut, status};

    fn operation(b: &mut Bench, at: u64, operation: u32) -> u64 {
        let f = [
            (MboxIn::OP_MOD, 0),
            (ModifyMemicIn::MEMIC_START_ADDR, at),
            (ModifyMemicIn::MEMIC_OPERATION_TYPE, operation as u64),
        ];
        let s = b.cmd(opcode::MODIFY_MEMIC, 0, ModifyMemicIn::SIZE, &f, ModifyMemicOut::SIZE);
        assert_eq!(s, status::OK);
        ModifyMemicOut::MEMIC_OPERATION_ADDR.get(&b.out)
    }

    #[test]
    fn accesses_to_operation_addresses_operate() {
        let mut b = Bench::new();
        let f = [
            (AllocMemicIn::RANGE_START_ADDR, MEMIC_BAR.start),
            (AllocMemicIn::RANGE_SIZE, 4096),
            (AllocMemicIn::MEMIC_SIZE, 64),
        ];
        assert_eq!(b.cmd(opcode::ALLOC_MEMIC, 0, AllocMemicIn::SIZE, &f, 16), status::OK);
        let at = AllocMemicOut::MEMIC_START_ADDR.get(&b.out);
        let add = operation(&mut b, at, memic_operation::INCREMENT);
        let set = operation(&mut b, at, memic_operation::TEST_AND_SET);
        let mut word = [0; 4];
        assert!(b.chip.bar_write(&b.host, at, &0x1ffu32.to_le_bytes()));
        assert!(b.chip.bar_write(&b.host, add, &[9; 4]));
        assert!(b.chip.bar_read(at, &mut word));
        assert_eq!(u32::from_le_bytes(word), 0x200);
        assert!(b.chip.bar_read(set, &mut word));
        assert_eq!(u32::from_le_bytes(word), 0x200);
        assert!(b.chip.bar_read(set, &mut word));
        assert_eq!(u32::from_le_bytes(word), 1);
        assert!(!b.chip.bar_read(set + 64, &mut word), "beyond the piece");
        assert!(!b.chip.bar_write(&b.host, set, &word), "only loads test");
        assert!(!b.chip.bar_read(MEMIC_OPS_BAR.end - 4096, &mut word), "no operation there");
        assert!(!b.chip.bar_read(0x20_0000, &mut word), "UAR pages give nothing");
    }
}
