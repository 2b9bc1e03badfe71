//! Completion queues beside polling: arming, cleaning, resizing (`spec`: datapath, section 7).

use super::{
    cq::Cq,
    cqe::{Cqe, NOT_WRITTEN, op_of},
    poll::record,
    srq::Srq,
};
use crate::{abi::verbs::ibv_cq, error::Result, mmio};
use core::{ffi::c_int, ptr, sync::atomic::Ordering};
use prm::cqe::{Cqe64, OWNER, opcode};

/// Offset of the arm register in a UAR page.
const ARM: usize = 0x20;
/// Arm word: notify of solicited completions only.
const SOLICITED: u32 = 1 << 24;

/// `ibv_req_notify_cq`. Takes no lock; never fails.
///
/// # Safety
/// libibverbs' promise: a CQ of ours.
pub unsafe extern "C" fn req_notify_cq(ibv: *mut ibv_cq, solicited_only: c_int) -> c_int {
    // SAFETY: the promise above.
    let cq = unsafe { Cq::from_ibv(ibv) };
    let sn = cq.arm_sn.load(Ordering::Relaxed) & 3;
    let command = if solicited_only != 0 { SOLICITED } else { 0 };
    let word = sn << 28 | command | cq.cons_index.get() & 0xff_ffff;
    // SAFETY: a CQ has a doorbell record.
    unsafe { &*cq.dbrec }.send.store(word.to_be(), Ordering::Relaxed);
    mmio::wc_start();
    if !cq.uar.is_null() {
        let value = u64::from(word) << 32 | u64::from(cq.cqn);
        // SAFETY: the register is in the page.
        unsafe { mmio::write_doorbell(cq.uar.add(ARM), value.to_be()) };
    }
    mmio::flush();
    0
}

/// A completion event was delivered (`ibv_get_cq_event`): the next arming has the next number. The
/// device takes an arming with the number of one that it has answered for a stale one.
///
/// # Safety
/// libibverbs' promise: a CQ of ours.
pub unsafe extern "C" fn cq_event(ibv: *mut ibv_cq) {
    // SAFETY: the promise above.
    unsafe { Cq::from_ibv(ibv) }.arm_sn.fetch_add(1, Ordering::Relaxed);
}

impl Cq {
    /// Record of entry `index`, not masked.
    fn entry(&self, buf: *const u8, mask: u32, index: u32) -> Cqe {
        match self.cqe_shift {
            6 => record::<false>(buf, index & mask),
            _ => record::<true>(buf, index & mask),
        }
    }

    /// The entry at `index` if the device has written it in this turn.
    fn written(&self, index: u32) -> Option<Cqe> {
        let mask = self.mask.get();
        let cqe = self.entry(self.buf.get(), mask, index);
        let op_own = cqe.op_own();
        let turn = u8::from(index & (mask + 1) != 0);
        (op_own < NOT_WRITTEN && op_own & OWNER == turn).then_some(cqe)
    }

    /// Copies a whole entry over another, which keeps the owner bit that `owner` says.
    ///
    /// # Safety
    /// Both are records of rings with entries of this queue's size; nobody else uses `to`.
    unsafe fn copy_entry(&self, from: Cqe, to: Cqe, owner: u8) {
        let size = 1usize << self.cqe_shift;
        let lead = size - Cqe64::SIZE;
        let to_byte = to.0.cast_mut().wrapping_add(Cqe64::OP_OWN.byte());
        // SAFETY: the promise above: the record ends the entry.
        unsafe {
            ptr::copy(from.0.sub(lead), to.0.cast_mut().sub(lead), size);
            to_byte.write(to_byte.read() & !OWNER | owner);
        }
    }

    /// Takes all entries of a resource out of the ring; receives of `srq` go back to it. The caller
    /// holds `lock`. Nothing happens to a queue that the application polls itself.
    pub fn clean(&self, rsn: u32, srq: Option<&Srq>) {
        if self.dv_owned.load(Ordering::Relaxed) {
            return;
        }
        self.finder().forget();
        let ci = self.cons_index.get();
        let (buf, mask) = (self.buf.get(), self.mask.get());
        // One turn at most: the device may be writing more.
        let written = (0..=mask).take_while(|n| self.written(ci.wrapping_add(*n)).is_some()).count() as u32;
        mmio::from_device();
        let mut removed = 0;
        for n in (0..written).rev() {
            let index = ci.wrapping_add(n);
            let cqe = self.entry(buf, mask, index);
            if self.belongs(cqe, rsn) {
                if let Some(srq) = srq
                    && self.is_receive(cqe)
                {
                    srq.free_wqe(cqe.counter());
                }
                removed += 1;
            } else if removed != 0 {
                let to = self.entry(buf, mask, index.wrapping_add(removed));
                let owner = to.op_own() & OWNER;
                // SAFETY: two entries of the ring that the device has handed over.
                unsafe { self.copy_entry(cqe, to, owner) };
            }
        }
        if removed != 0 {
            mmio::to_device();
            self.consumed(ci.wrapping_add(removed));
        }
    }

    fn belongs(&self, cqe: Cqe, rsn: u32) -> bool {
        let number = if self.cqe_version != 0 { cqe.srqn_uidx() } else { cqe.qpn() };
        number == rsn & 0xff_ffff
    }

    /// Did the entry use a WQE of an SRQ?
    fn is_receive(&self, cqe: Cqe) -> bool {
        if self.cqe_version == 0 {
            return cqe.srqn_uidx() != 0;
        }
        matches!(op_of(cqe.op_own()), opcode::RESP_WR_IMM..=opcode::RESP_SEND_INV | opcode::RESP_ERR)
    }

    /// Copies what is left in the active ring to the ring at `to` with `to_mask + 1` entries of the
    /// same size, up to the entry that marks the resize. The caller holds `lock`, and switches
    /// `buf` and `mask` afterwards.
    pub fn copy_for_resize(&self, to: *mut u8, to_mask: u32) -> Result<()> {
        let start = self.cons_index.get();
        let mut ci = start;
        while let Some(cqe) = self.written(ci) {
            mmio::from_device();
            if op_of(cqe.op_own()) == opcode::RESIZE_CQ {
                self.cons_index.set(start.wrapping_add(1));
                return Ok(());
            }
            // Everything moves one up, onto the place of the mark.
            let at = ci.wrapping_add(1);
            let owner = u8::from(at & (to_mask + 1) != 0);
            // SAFETY: an entry that the device has handed over, and one of the new ring, which the
            // device does not write to behind the mark.
            unsafe { self.copy_entry(cqe, self.entry(to, to_mask, at), owner) };
            ci = at;
            if ci.wrapping_sub(start) > self.mask.get() {
                break;
            }
        }
        Err(refuse!(EIO, "no resize mark in the completion queue", ci = ci))
    }
}
