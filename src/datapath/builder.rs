//! `ibv_wr_start` to `ibv_wr_complete`: what all builders have in common (`spec`: datapath,
//! section 10). The requests are in `builder_ops`, the setters in `builder_set`.

use super::{
    doorbell::{self, Last},
    post_send::control_flags,
    qp::{Batch, Qp},
    queue::{SendQueue, SendSlot},
    segment::{self, Cursor},
    send_kind::mode,
};
use crate::{abi::verbs::ibv_qp_ex, error::Errno};
use core::{ffi::c_int, ptr, sync::atomic::Ordering};
use prm::wqe::{BB, Ctrl};

/// Kinds of send queues that have builders beyond those of `send_kind::kind`.
pub mod kind {
    pub use super::super::send_kind::kind::*;
    /// Initiator of dynamically connected transport.
    pub const DCI: u8 = 7;
}

/// Setters after which a request of this kind is whole: address and data, or data alone.
pub const fn setters(k: u8) -> u32 {
    match k {
        kind::UD | kind::XRC | kind::DCI => 2,
        _ => 1,
    }
}

/// Starts a batch.
///
/// # Safety
/// libibverbs' promise: the QP is one of ours with builders, of this mode.
pub unsafe extern "C" fn start<const M: u8>(ex: *mut ibv_qp_ex) {
    // SAFETY: the promise above.
    let qp = unsafe { Qp::from_ibv_ex(ex) };
    super::post_send::lock::<M>(&qp.sq);
    qp.wr.batch.set(Batch::default());
}

/// Ends a batch and rings the doorbell; the batch's first error means that nothing was posted.
/// `OWN` if nobody shares the QP's register.
///
/// # Safety
/// As [`start`], which was called before.
pub unsafe extern "C" fn complete<const OWN: bool>(ex: *mut ibv_qp_ex) -> c_int {
    // SAFETY: the promise above.
    let qp = unsafe { Qp::from_ibv_ex(ex) };
    let batch = qp.wr.batch.get();
    // One request without an error, and without inline data: most batches.
    if OWN && batch == (Batch { nreq: 1, ..Batch::default() }) {
        let last = Last { ctrl: qp.wr.ctrl.get(), ow: qp.wr.ow.get() };
        // SAFETY: without an error the request is whole.
        unsafe { doorbell::ring_own(qp, last, qp.sq.cur_post.get(), qp.hot.bf_span[0].get()) };
        qp.sq.lock.unlock();
        return 0;
    }
    // SAFETY: the promise above.
    unsafe { complete_any(ex) }
}

/// # Safety
/// As [`complete`].
#[inline(never)]
unsafe extern "C" fn complete_any(ex: *mut ibv_qp_ex) -> c_int {
    // SAFETY: the promise above.
    let qp = unsafe { Qp::from_ibv_ex(ex) };
    let (sq, batch) = (&qp.sq, qp.wr.batch.get());
    if batch.err != 0 {
        qp.roll_back();
    } else if batch.nreq != 0 {
        let last = Last { ctrl: qp.wr.ctrl.get(), ow: qp.wr.ow.get() };
        let span = qp.hot.bf_span[usize::from(batch.inline & 1)].get();
        // SAFETY: without an error the last request of the batch is whole.
        unsafe { doorbell::ring(qp, last, batch.nreq, sq.cur_post.get(), span) };
    }
    sq.lock.unlock();
    c_int::from(batch.err)
}

/// `complete` of a QP that may not post in its present state.
///
/// # Safety
/// As [`complete`].
pub unsafe extern "C" fn complete_refused(ex: *mut ibv_qp_ex) -> c_int {
    // SAFETY: the promise above.
    unsafe { abort(ex) };
    Errno::EINVAL.0
}

/// Drops a batch.
///
/// # Safety
/// As [`complete`].
pub unsafe extern "C" fn abort(ex: *mut ibv_qp_ex) {
    // SAFETY: the promise above.
    let qp = unsafe { Qp::from_ibv_ex(ex) };
    qp.roll_back();
    qp.sq.lock.unlock();
}

impl Qp {
    /// Moves the queue back to where the batch found it. What the device knows of it is in the
    /// doorbell record: the batch has fewer blocks than its 16 bits count.
    #[cold]
    fn roll_back(&self) {
        let (sq, batch) = (&self.sq, self.wr.batch.get());
        // SAFETY: a QP with a send queue has a doorbell record.
        let known = u32::from_be(unsafe { &*self.dbrec }.send.load(Ordering::Relaxed));
        let cur_post = sq.cur_post.get();
        sq.cur_post.set(cur_post.wrapping_sub(cur_post.wrapping_sub(known) & 0xffff));
        sq.head.set(sq.head.get().wrapping_sub(batch.nreq));
        if batch.fence_moved {
            sq.fm_cache.set(batch.fence);
        }
    }

    /// Notes an error of the batch: the first one counts.
    #[cold]
    pub fn fail(&self, e: Errno) {
        self.wr.note(|b| {
            if b.err == 0 {
                b.err = e.0 as u8;
            }
        });
    }

    /// The next request inherits these fence bits.
    pub fn set_fence(&self, bits: u8) {
        self.wr.note(|b| {
            if !b.fence_moved {
                (b.fence, b.fence_moved) = (self.sq.fm_cache.get(), true);
            }
        });
        self.sq.fm_cache.set(bits);
    }

    /// Can a request be begun without looking at anything but itself? Else [`Self::open`] is asked
    /// with `QUICK` false.
    #[inline(always)]
    pub fn is_quick(&self) -> bool {
        !self.sq.is_full(self.sq.head.get()) && self.sq.fm_cache.get() == 0
    }

    /// Where the next segment of the open WQE goes. WQEs are rows of octowords through the ring,
    /// so its place follows from its number.
    #[inline(always)]
    pub fn place(&self, ctrl: *mut u8, ow: u32) -> *mut u8 {
        let at = ctrl.wrapping_add(ow as usize * prm::wqe::OCTOWORD);
        if at < self.sq.end { at } else { at.wrapping_sub(self.sq.wqe_cnt as usize * BB) }
    }

    /// A cursor at the end of the open WQE.
    #[inline(always)]
    pub fn cursor(&self, ctrl: *mut u8) -> Cursor {
        let ow = self.wr.ow.get();
        Cursor { at: self.place(ctrl, ow), ow, start: self.sq.buf, end: self.sq.end }
    }

    /// Begins a WQE with `flags` of the application, whose `wr_id` is noted. Answers its control
    /// segment, of which the immediate stays what it was; NULL with ENOMEM if the queue is full,
    /// and then setters do nothing. `QUICK` if [`Self::is_quick`] has just said so.
    #[inline(always)]
    pub fn open<const QUICK: bool>(&self, opcode: u32, wr_data: u32, wr_id: u64, flags: u32) -> *mut u8 {
        let (sq, wr) = (&self.sq, &self.wr);
        let head = sq.head.get();
        let mut pending = 0;
        if !QUICK {
            if sq.is_full(head) {
                self.fail(Errno::ENOMEM);
                wr.ctrl.set(ptr::null_mut());
                return ptr::null_mut();
            }
            pending = sq.fm_cache.get();
            if pending != 0 {
                self.set_fence(0);
            }
        }
        let cur_post = sq.cur_post.get();
        let fm = control_flags(sq, flags, pending);
        let index = cur_post & sq.mask;
        let ctrl = sq.wqe(index);
        // SAFETY: a block of the ring that is free: it was not full. The masked index is below the
        // array's length.
        unsafe {
            segment::put32(ctrl, Ctrl::OPMOD_IDX_OPCODE, idx_opcode(cur_post, opcode));
            let flags_at = ctrl.add(Ctrl::SIGNATURE.byte()).cast::<u32>();
            flags_at.write((u32::from(fm) << 24).to_le());
            let slot = sq.slots.at(index);
            if wr_data == 0 {
                SendSlot::write_plain(slot, wr_id, head);
            } else {
                slot.write(SendSlot { wr_id, head, wr_data });
            }
        }
        sq.head.set(head.wrapping_add(1));
        wr.note(|b| b.nreq += 1);
        wr.ctrl.set(ctrl);
        ctrl
    }

    /// The open WQE has `ow` octowords and is whole.
    #[inline(always)]
    pub fn close<const SIGNED: bool>(&self, ctrl: *mut u8, ow: u32) {
        let wr = &self.wr;
        // SAFETY: the control segment of the open WQE.
        unsafe {
            segment::put32(ctrl, Ctrl::QPN_DS, self.qp_num.get() << 8 | ow);
            if SIGNED {
                segment::sign(&self.sq, ctrl, ow);
            }
        }
        wr.ow.set(ow);
        self.sq.cur_post.set(self.sq.cur_post.get().wrapping_add((ow + 3) >> 2));
    }

    /// A setter brought the open WQE to `ow` octowords; closes it if that was the last one.
    #[inline(always)]
    pub fn step<const K: u8, const SIGNED: bool>(&self, ctrl: *mut u8, ow: u32) {
        if setters(K) == 2 && self.wr.setters.get() == 0 {
            self.wr.setters.set(1);
            self.wr.ow.set(ow);
        } else {
            self.close::<SIGNED>(ctrl, ow);
        }
    }
}

/// First word of a control segment.
#[inline(always)]
pub fn idx_opcode(cur_post: u32, opmod_opcode: u32) -> u32 {
    (cur_post & 0xffff) << 8 | opmod_opcode
}

/// The function that starts a batch.
pub fn choose_start(sq: &SendQueue) -> unsafe extern "C" fn(*mut ibv_qp_ex) {
    match (sq.wq_sig, sq.lock.needed()) {
        (true, _) => start::<{ mode::SIGNED }>,
        (false, true) => start::<{ mode::LOCKED }>,
        (false, false) => start::<{ mode::SINGLE }>,
    }
}
