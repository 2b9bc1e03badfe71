//! Telling the device about new send requests (`spec`: datapath, section 3).

use super::qp::Qp;
use crate::{mmio, provider::uar::Bfreg};
use core::sync::atomic::Ordering;
use prm::wqe::OCTOWORD;

/// The WQE that a doorbell names: the last good one of the batch.
#[derive(Clone, Copy)]
pub struct Last {
    /// Its control segment.
    pub ctrl: *mut u8,
    /// Its octowords.
    pub ow: u32,
}

/// Makes `nreq` new requests known, of which `last` is the last. `blueflame` is one of the QP's spans (`Hot::bf_span`). The caller holds the send
/// queue's lock, and `nreq` is not 0.
///
/// # Safety
/// The WQEs up to `cur_post` are whole; `last` is the last of them. The QP has a doorbell record
/// and a register.
#[inline(always)]
pub unsafe fn ring(qp: &Qp, last: Last, nreq: u32, cur_post: u32, blueflame: u32) {
    // The WQEs come before the doorbell record, the record before the register.
    mmio::to_device();
    // SAFETY: the promise above: both live as long as the QP.
    let (dbrec, bf) = unsafe { (&*qp.dbrec, &*qp.bf) };
    dbrec.send.store((cur_post & 0xffff).to_be(), Ordering::Relaxed);
    if bf.need_lock {
        bf.lock.lock_known::<true>();
        mmio::wc_start_locked();
    } else {
        mmio::wc_start();
    }
    // SAFETY: the promise above; the register is ours.
    unsafe { write(qp, bf, last, if nreq == 1 { blueflame } else { 0 }) };
    if bf.need_lock {
        bf.lock.unlock();
    }
}

/// As [`ring`] for one request of a QP whose register nobody shares.
///
/// # Safety
/// As [`ring`].
#[inline(always)]
pub unsafe fn ring_own(qp: &Qp, last: Last, cur_post: u32, blueflame: u32) {
    mmio::to_device();
    // SAFETY: the promise above.
    let (dbrec, bf) = unsafe { (&*qp.dbrec, &*qp.bf) };
    dbrec.send.store((cur_post & 0xffff).to_be(), Ordering::Relaxed);
    mmio::wc_start();
    // SAFETY: the promise above.
    unsafe { write(qp, bf, last, blueflame) };
}

/// Writes to the register, whole WQE or doorbell, and turns to its other half.
///
/// # Safety
/// As [`ring`]; the register is locked if need be.
#[inline(always)]
unsafe fn write(qp: &Qp, bf: &Bfreg, last: Last, blueflame: u32) {
    let offset = bf.offset.get();
    // SAFETY: the offset is 0 or the size of half the register.
    let reg = unsafe { bf.reg().add(offset as usize) };
    // A span of n admits 2 to n + 1 octowords.
    if last.ow.wrapping_sub(2) < blueflame {
        // SAFETY: the span admits only WQEs that fit the register; a WQE lies in the ring.
        unsafe {
            if last.ow as usize * OCTOWORD <= mmio::BF_BLOCK {
                mmio::write_blueflame_block(reg, last.ctrl);
            } else {
                mmio::write_blueflame(reg, last.ctrl, last.ow as usize * OCTOWORD, qp.sq.buf, qp.sq.end);
            }
        }
    } else {
        // SAFETY: the first 8 bytes of a control segment.
        unsafe { mmio::write_doorbell(reg, last.ctrl.cast::<u64>().read()) };
    }
    // Before anybody else may ring: two processors' doorbells must not overtake each other.
    mmio::flush();
    bf.offset.set(offset ^ bf.buf_size);
}
