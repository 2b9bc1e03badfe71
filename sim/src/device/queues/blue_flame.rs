//! BlueFlame: requests written into the doorbell register itself.
//!
//! Memory holds the same request, and that copy is the one executed. Where the two differ,
//! the register's copy counts on a card; drivers use that to find out whether the processor
//! combines their stores, with a NOP that asks for a completion in the register only.

use super::wqe::Wqe;
use crate::device::Chip;
use crate::device::host::Host;
use prm::wqe::{BB, Ctrl, fm_ce_se, opcode};

/// A register's first block as it arrives, in stores of eight bytes.
#[derive(Clone)]
pub(super) struct Image {
    bytes: [u8; BB],
    /// Stores seen since the first one, one bit each.
    seen: u8,
}

impl Image {
    fn new() -> Image {
        Image { bytes: [0; BB], seen: 0 }
    }
}

impl Chip {
    /// A store of eight bytes into a register; `at` is its place in the block.
    pub(super) fn blue_flame_part(&mut self, h: &dyn Host, uar: u32, register: u32, at: usize, data: &[u8]) {
        let image = self.dp.images.entry((uar, register)).or_insert_with(Image::new);
        if at == 0 {
            image.seen = 0;
        }
        if let Some(to) = image.bytes.get_mut(at..at + data.len()) {
            to.copy_from_slice(data);
            image.seen |= 1 << (at / 8);
        }
        if image.seen == u8::MAX {
            let bytes = image.bytes;
            self.blue_flame(h, &bytes);
        }
    }

    /// A whole block arrived.
    pub(super) fn blue_flame(&mut self, h: &dyn Host, block: &[u8]) {
        let index = (Ctrl::OPMOD_IDX_OPCODE.get(block) >> 8) as u16;
        let n = Ctrl::QPN_DS.get32(block) >> 8;
        let asked = Wqe::new(block.to_vec(), index);
        let is_nop = asked.opcode() == opcode::NOP && asked.blocks() == 1;
        if !is_nop || !asked.signaled() {
            return;
        }
        let sq = match (self.dp.qps.get(&n), self.dp.sqs.get(&n)) {
            (Some(qp), _) => &qp.sq,
            (_, Some(sq)) => &sq.sq,
            _ => return,
        };
        let executed = sq.ci == index.wrapping_add(1);
        let in_memory = sq.buf.read(h, sq.place(index), Ctrl::SIZE).unwrap_or_default();
        let told = Ctrl::FM_CE_SE.get(&in_memory) as u8 & fm_ce_se::CQ_UPDATE != 0;
        if !executed || told {
            return;
        }
        if self.dp.qps.contains_key(&n) {
            self.complete_send(h, n, &asked, &super::send::Sent::default());
        } else {
            self.complete_sq(h, n, &asked);
        }
    }
}
