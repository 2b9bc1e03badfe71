//! Entries of the command queue in guest memory, and the chains of mailbox blocks that carry
//! what does not fit into an entry.

use crate::device::{DmaFault, Host};
use prm::bits::{be32, be64};

/// Length of an entry, and of the input and output that it carries itself.
const ENTRY: usize = 64;
const INLINE: usize = 16;
/// Kind of an entry that comes over PCI.
const TYPE_PCIE: u8 = 7;
/// Largest command, in or out: more than any command of the PRM needs.
const MAX_COMMAND: usize = 1 << 20;

/// A mailbox block: its length, the data in it, and where the next block's address, the
/// block's number and the token sit.
const BLOCK: usize = 576;
const DATA: usize = 512;
const NEXT: usize = 560;
const NUMBER: usize = 568;
const TOKEN: usize = 573;

/// Why a command could not be taken or answered, by the number in its delivery status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Undelivered {
    /// A block carries another command's token.
    Token = 0x2,
    /// A block is not the one whose turn it is.
    BlockNumber = 0x3,
    /// An output block's address is not aligned.
    OutputAlignment = 0x4,
    /// An input block's address is not aligned.
    InputAlignment = 0x5,
    /// No memory answers where a block should be.
    Memory = 0x6,
    /// The input is longer than its blocks, or than any command.
    InputLength = 0x7,
    /// The output is longer than its blocks, or than any command.
    OutputLength = 0x8,
    /// The entry is not one of a command.
    Descriptor = 0x10,
}

/// An entry of the queue.
pub struct Entry([u8; ENTRY]);

/// An entry at its place.
pub struct Slot {
    at: u64,
    /// What was read there.
    pub entry: Entry,
}

impl Slot {
    /// Read the entry at `at`.
    pub fn read(host: &dyn Host, at: u64) -> Result<Slot, DmaFault> {
        let mut entry = [0; ENTRY];
        host.read(at, &mut entry)?;
        Ok(Slot { at, entry: Entry(entry) })
    }

    /// Write the beginning of the output, or why there is none, and give the entry back to
    /// its driver: the byte with the ownership bit last.
    pub fn finish(&self, host: &dyn Host, result: Result<Vec<u8>, Undelivered>) {
        let (out, delivery) = match &result {
            Ok(out) => (out.get(..INLINE).unwrap_or_default(), 0),
            Err(why) => (&[] as &[u8], *why as u8),
        };
        // where the queue itself is gone nobody waits for an answer
        let _ = host.write(self.at.wrapping_add(32), out);
        let _ = host.write(self.at.wrapping_add(63), &[delivery << 1]);
    }
}

impl Entry {
    fn token(&self) -> u8 {
        self.0[60]
    }

    /// Length of the output that the driver has room for.
    pub fn output_len(&self) -> usize {
        (be32(&self.0, 56) as usize).clamp(INLINE, MAX_COMMAND)
    }

    /// The whole input of the command.
    pub fn input(&self, host: &dyn Host) -> Result<Vec<u8>, Undelivered> {
        if self.0[0] != TYPE_PCIE {
            return Err(Undelivered::Descriptor);
        }
        if be32(&self.0, 56) as usize > MAX_COMMAND {
            return Err(Undelivered::OutputLength);
        }
        let len = be32(&self.0, 4) as usize;
        if len > MAX_COMMAND {
            return Err(Undelivered::InputLength);
        }
        let mut input = self.0.get(16..16 + len.min(INLINE)).unwrap_or_default().to_vec();
        let mut next = be64(&self.0, 8);
        let mut number = 0;
        while input.len() < len {
            if next == 0 {
                return Err(Undelivered::InputLength);
            }
            if !next.is_multiple_of(DATA as u64) {
                return Err(Undelivered::InputAlignment);
            }
            let mut block = [0; BLOCK];
            host.read(next, &mut block).map_err(|_| Undelivered::Memory)?;
            if block[TOKEN] != self.token() {
                return Err(Undelivered::Token);
            }
            if be32(&block, NUMBER) != number {
                return Err(Undelivered::BlockNumber);
            }
            let take = (len - input.len()).min(DATA);
            input.extend_from_slice(block.get(..take).unwrap_or_default());
            next = be64(&block, NEXT);
            number += 1;
        }
        Ok(input)
    }

    /// Write what of `out` does not fit into the entry.
    pub fn output(&self, host: &dyn Host, out: &[u8]) -> Result<(), Undelivered> {
        let mut next = be64(&self.0, 48);
        for (number, data) in (0u32..).zip(out.get(INLINE..).unwrap_or_default().chunks(DATA)) {
            if next == 0 {
                return Err(Undelivered::OutputLength);
            }
            if !next.is_multiple_of(DATA as u64) {
                return Err(Undelivered::OutputAlignment);
            }
            let mut link = [0; 8];
            let at = |offset: usize| next.wrapping_add(offset as u64);
            let write = |offset: usize, data: &[u8]| host.write(at(offset), data);
            write(0, data)
                .and_then(|()| write(NUMBER, &number.to_be_bytes()))
                .and_then(|()| write(TOKEN, &[self.token()]))
                .and_then(|()| host.read(at(NEXT), &mut link))
                .map_err(|_| Undelivered::Memory)?;
            next = u64::from_be_bytes(link);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Four pages of memory at bus address 0.
    struct Memory(RefCell<Vec<u8>>);

    impl Host for Memory {
        fn read(&self, addr: u64, buf: &mut [u8]) -> Result<(), DmaFault> {
            let m = self.0.borrow();
            let from = m.get(addr as usize..).and_then(|m| m.get(..buf.len())).ok_or(DmaFault { addr })?;
            buf.copy_from_slice(from);
            Ok(())
        }
        fn write(&self, addr: u64, data: &[u8]) -> Result<(), DmaFault> {
            let mut m = self.0.borrow_mut();
            let to = m.get_mut(addr as usize..).and_then(|m| m.get_mut(..data.len()));
            to.ok_or(DmaFault { addr })?.copy_from_slice(data);
            Ok(())
        }
        fn interrupt(&self, _: u32) {}
    }

    const TOKEN_BYTE: u8 = 0x5a;

    /// An entry at 0 with 600 bytes each way, through two blocks each.
    fn memory() -> Memory {
        let m = Memory(RefCell::new(vec![0; 4 * 4096]));
        let put = |at: u64, data: &[u8]| m.write(at, data).unwrap();
        put(0, &[7]);
        put(4, &600u32.to_be_bytes());
        put(8, &0x1000u64.to_be_bytes());
        put(16, &[1; 16]);
        put(48, &0x2000u64.to_be_bytes());
        put(56, &600u32.to_be_bytes());
        put(60, &[TOKEN_BYTE, 0, 0, 1]);
        for (k, (block, next)) in [(0x1000u64, 0x1400u64), (0x1400, 0)].into_iter().enumerate() {
            put(block, &[2 + k as u8; 512]);
            put(block + 560, &next.to_be_bytes());
            put(block + 568, &(k as u32).to_be_bytes());
            put(block + 573, &[TOKEN_BYTE]);
        }
        put(0x2000 + 560, &0x2400u64.to_be_bytes());
        m
    }

    fn byte(m: &Memory, at: usize) -> u8 {
        m.0.borrow()[at]
    }

    #[test]
    fn input_is_gathered_and_output_scattered() {
        let m = memory();
        let slot = Slot::read(&m, 0).unwrap();
        let input = slot.entry.input(&m).unwrap();
        assert_eq!(input.len(), 600);
        assert_eq!((input[15], input[16], input[527], input[528], input[599]), (1, 2, 2, 3, 3));
        let out: Vec<u8> = (0..600).map(|k| k as u8).collect();
        slot.entry.output(&m, &out).unwrap();
        slot.finish(&m, Ok(out.clone()));
        assert_eq!((byte(&m, 32), byte(&m, 47), byte(&m, 63)), (0, 15, 0));
        assert_eq!((byte(&m, 0x2000), byte(&m, 0x2400), byte(&m, 0x2400 + 71)), (16, out[528], out[599]));
        assert_eq!((byte(&m, 0x2400 + 571), byte(&m, 0x2400 + 573)), (1, TOKEN_BYTE));
    }

    #[test]
    fn what_cannot_be_delivered_says_why() {
        let why = |at: u64, data: &[u8]| {
            let m = memory();
            m.write(at, data).unwrap();
            let entry = Slot::read(&m, 0).unwrap().entry;
            entry.input(&m).and_then(|_| entry.output(&m, &[0; 600])).unwrap_err()
        };
        assert_eq!(why(0, &[1]), Undelivered::Descriptor);
        assert_eq!(why(4, &[0xff]), Undelivered::InputLength);
        assert_eq!(why(56, &[0xff]), Undelivered::OutputLength);
        assert_eq!(why(8, &0x1001u64.to_be_bytes()), Undelivered::InputAlignment);
        assert_eq!(why(8, &0x10_0000u64.to_be_bytes()), Undelivered::Memory);
        assert_eq!(why(8, &0u64.to_be_bytes()), Undelivered::InputLength);
        assert_eq!(why(0x1400 + 573, &[0]), Undelivered::Token);
        assert_eq!(why(0x1400 + 571, &[7]), Undelivered::BlockNumber);
        assert_eq!(why(0x2000 + 560, &0u64.to_be_bytes()), Undelivered::OutputLength);
        assert_eq!(why(48, &0x2004u64.to_be_bytes()), Undelivered::OutputAlignment);
        let m = memory();
        Slot::read(&m, 0).unwrap().finish(&m, Err(Undelivered::Token));
        assert_eq!((byte(&m, 32), byte(&m, 63)), (0, 4));
        assert!(Slot::read(&m, 4 * 4096 - 8).is_err());
    }
}
