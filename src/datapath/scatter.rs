//! Payload that came inside a completion, copied to where its WQE says (`spec`: datapath,
//! section 8, "Inline scatter").

use super::{
    cqe::{Cqe, format_of},
    find::Target,
    qp::Qp,
    segment::Cursor,
};
use crate::abi::verbs::consts::*;
use core::ptr;
use prm::{
    cqe::{Cqe64, format},
    wqe::{Atomic, Ctrl, Data, INVALID_LKEY, Raddr, SrqNext, opcode},
};

/// What is left of a payload.
struct Payload {
    from: *const u8,
    left: usize,
}

impl Payload {
    /// Of a completion with `len` bytes; None if its entry cannot hold that many. `wide` tells
    /// entries of 128 bytes, whose first half is payload.
    fn of(cqe: Cqe, op_own: u8, len: usize, wide: bool) -> Option<Payload> {
        let (from, room) = match format_of(op_own) {
            format::INLINE_64 if wide => (cqe.0.wrapping_sub(64), 64),
            format::INLINE_32 | format::COMPRESSED => (cqe.0, 32),
            _ => return None,
        };
        (len <= room).then_some(Payload { from, left: len })
    }

    /// Copies to one data segment; false if the list ends here. Nothing is written for `null`, a
    /// key that swallows writes.
    ///
    /// # Safety
    /// `segment` is a data segment that the application filled.
    unsafe fn fill(&mut self, segment: *const u8, null: Option<u32>) -> bool {
        // SAFETY: the promise above: the application's own buffer.
        unsafe {
            let word = |at: usize| u32::from_be(segment.add(at).cast::<u32>().read());
            let (length, key) = (word(Data::BYTE_COUNT.byte()), word(Data::LKEY.byte()));
            if length == 0 && key == INVALID_LKEY {
                return false;
            }
            let n = self.left.min(length as usize);
            if null != Some(key) {
                let addr = u64::from_be(segment.add(Data::ADDR.byte()).cast::<u64>().read());
                ptr::copy_nonoverlapping(self.from, addr as *mut u8, n);
            }
            self.from = self.from.add(n);
            self.left -= n;
        }
        true
    }
}

/// Copies the payload of a receive to the buffers of WQE `index`, which is in range. Answers the
/// status of the completion: LOC_LEN if they are too small.
#[inline(never)]
pub fn receive(to: &Target, index: u32, cqe: Cqe, op_own: u8, wide: bool, dump_fill_mkey: u32) -> u32 {
    let len = cqe.get32(Cqe64::BYTE_CNT) as usize;
    let Some(mut payload) = Payload::of(cqe, op_own, len, wide) else { return IBV_WC_LOC_LEN_ERR };
    // SAFETY: the target was found for this completion and is alive; the index is in range.
    let (wqe, shift, header, null) = unsafe {
        match to.srq.as_ref() {
            Some(srq) => (srq.wqe(index), srq.wqe_shift, SrqNext::SIZE, None),
            None => {
                let rq = &*to.rq;
                let header = if rq.wq_sig { SrqNext::SIZE } else { 0 };
                (rq.wqe(index), rq.wqe_shift, header, Some(dump_fill_mkey))
            }
        }
    };
    let end = 1usize << shift;
    let mut at = header;
    while payload.left != 0 && at < end {
        // SAFETY: a segment of the WQE that the completion gave back; nobody else has it yet.
        if !unsafe { payload.fill(wqe.add(at), null) } {
            break;
        }
        at += Data::SIZE;
    }
    if payload.left == 0 { IBV_WC_SUCCESS } else { IBV_WC_LOC_LEN_ERR }
}

/// Copies the answer of a read or an atomic to the buffers of the WQE at block `index`, which is
/// masked. Answers the status: GENERAL for transports that have no such answers, REM_INV_REQ for
/// other operations, LOC_LEN for too little room.
#[inline(never)]
pub fn send(qp: &Qp, index: u32, cqe: Cqe, op_own: u8, len: usize, wide: bool) -> u32 {
    let null = Some(qp.context().info.dump_fill_mkey);
    if qp.qp_type != IBV_QPT_RC {
        return IBV_WC_GENERAL_ERR;
    }
    let Some(mut payload) = Payload::of(cqe, op_own, len, wide) else { return IBV_WC_LOC_LEN_ERR };
    let sq = &qp.sq;
    let ctrl = sq.wqe(index);
    // SAFETY: the masked index is a block of the ring, and its WQE completed.
    let (ds, op) = unsafe {
        let word = |at: usize| u32::from_be(ctrl.add(at).cast::<u32>().read());
        (word(Ctrl::QPN_DS.byte()) & 0x3f, word(Ctrl::OPMOD_IDX_OPCODE.byte()) as u8)
    };
    let mut c = Cursor::new(sq, ctrl);
    c.skip(match op {
        opcode::RDMA_READ => Raddr::SIZE,
        opcode::ATOMIC_CS | opcode::ATOMIC_FA => Raddr::SIZE + Atomic::SIZE,
        _ => return IBV_WC_REM_INV_REQ_ERR,
    });
    while payload.left != 0 && c.ow < ds {
        c.wrap();
        // SAFETY: a data segment of the WQE; the cursor stays in the ring.
        if !unsafe { payload.fill(c.at, null) } {
            break;
        }
        c.skip(Data::SIZE);
    }
    if payload.left == 0 { IBV_WC_SUCCESS } else { IBV_WC_LOC_LEN_ERR }
}
