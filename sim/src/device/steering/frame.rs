//! A packet on its way through tables: its bytes, and what travels beside them.

use super::checksum;
use super::packet::{Headers, headers};
use prm::{DrMatchSetMisc, DrMatchSetMisc2, Field};

/// Registers that travel with a packet: A, B, then C0 to C7.
pub(super) const A: usize = 0;
pub(super) const B: usize = 1;
pub(super) const C0: usize = 2;
const REGISTERS: usize = 10;

/// Where match parameters have the registers; B cannot be matched.
const MATCHED: [Option<Field>; REGISTERS] = [
    Some(DrMatchSetMisc2::METADATA_REG_A),
    None,
    Some(DrMatchSetMisc2::METADATA_REG_C_0),
    Some(DrMatchSetMisc2::METADATA_REG_C_1),
    Some(DrMatchSetMisc2::METADATA_REG_C_2),
    Some(DrMatchSetMisc2::METADATA_REG_C_3),
    Some(DrMatchSetMisc2::METADATA_REG_C_4),
    Some(DrMatchSetMisc2::METADATA_REG_C_5),
    Some(DrMatchSetMisc2::METADATA_REG_C_6),
    Some(DrMatchSetMisc2::METADATA_REG_C_7),
];

/// A packet on its way.
pub(super) struct Frame {
    pub bytes: Vec<u8>,
    pub registers: [u32; REGISTERS],
    /// The tag that completions carry.
    pub tag: u32,
    /// The send queue that it comes from, 0 for none.
    sqn: u32,
    vxlan: Vec<u16>,
    pub seen: Headers,
}

impl Clone for Frame {
    fn clone(&self) -> Frame {
        let mut f = Frame::new(self.bytes.clone(), self.sqn, &self.vxlan);
        (f.registers, f.tag) = (self.registers, self.tag);
        f.read();
        f
    }
}

impl Frame {
    /// A packet of a send queue, or from outside if `sqn` is 0. `vxlan`: further ports at
    /// which VXLAN is spoken.
    pub fn new(bytes: Vec<u8>, sqn: u32, vxlan: &[u16]) -> Frame {
        let seen = headers(&bytes, vxlan);
        let mut f = Frame { bytes, registers: [0; REGISTERS], tag: 0, sqn, vxlan: vxlan.to_vec(), seen };
        f.read();
        f
    }

    /// Read the headers anew after a change.
    pub fn read(&mut self) {
        self.seen = headers(&self.bytes, &self.vxlan);
        self.seen.misc(DrMatchSetMisc::SOURCE_SQN, self.sqn as u64);
        for (f, v) in MATCHED.iter().zip(self.registers) {
            if let Some(f) = f {
                self.seen.misc2(*f, v as u64);
            }
        }
    }

    /// Mend what a change of headers makes wrong: the sums of IPv4, TCP and UDP.
    pub fn mend(&mut self) {
        self.read();
        for layer in [self.seen.inner, Some(self.seen.outer)].into_iter().flatten() {
            checksum::mend(&mut self.bytes, &layer);
        }
    }
}
