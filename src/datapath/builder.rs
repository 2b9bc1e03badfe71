//! `ibv_wr_start` to `ibv_wr_complete`: what all builders have in common (`spec`: datapath,
//! section 10). The requests are in `builder_ops`, the setters in `builder_set`.

use super::{
    doorbell::{self, Last},
    post_send::{control_flags, mode},
    qp::Qp,
    queue::{SendQueue, SendSlot},
    segment::{self, Cursor},
};
use crate::{abi::verbs::ibv_qp_ex, error::Errno};
use core::{ffi::c_int, ptr};
use prm::wqe::{BB, Ctrl};

/// Kinds of send queues that have builders beyond those of `post_send::kind`.
pub mod kind {
    pub use super::super::post_send::kind::*;
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
    let (sq, wr) = (&qp.sq, &qp.wr);
    super::post_send::lock::<M>(sq);
    wr.err.set(0);
    wr.nreq.set(0);
    wr.inline.set(0);
    wr.room.set(sq.room());
    wr.cur_post.set(sq.cur_post.get());
    wr.fence.set(sq.fm_cache.get());
}

/// Ends a batch and rings the doorbell; the batch's first error means that nothing was posted.
///
/// # Safety
/// As [`start`], which was called before.
pub unsafe extern "C" fn complete(ex: *mut ibv_qp_ex) -> c_int {
    // SAFETY: the promise above.
    let qp = unsafe { Qp::from_ibv_ex(ex) };
    let (sq, wr) = (&qp.sq, &qp.wr);
    let err = wr.err.get();
    let nreq = wr.nreq.get();
    if err == 0 && nreq != 0 {
        sq.fm_cache.set(wr.fence.get());
        sq.head.set(sq.head.get().wrapping_add(nreq));
        sq.cur_post.set(wr.cur_post.get());
        let last = Last { ctrl: wr.ctrl.get(), ow: wr.ow.get() };
        let span = qp.hot.bf_span[wr.inline.get() as usize & 1].get();
        // SAFETY: without an error the last request of the batch is whole.
        unsafe { doorbell::ring(qp, last, nreq, wr.cur_post.get(), span) };
    }
    sq.lock.unlock();
    err
}

/// `complete` of a QP that may not post in its present state.
///
/// # Safety
/// As [`complete`].
pub unsafe extern "C" fn complete_refused(ex: *mut ibv_qp_ex) -> c_int {
    // SAFETY: the promise above.
    unsafe { Qp::from_ibv_ex(ex) }.sq.lock.unlock();
    Errno::EINVAL.0
}

/// Drops a batch.
///
/// # Safety
/// As [`complete`].
pub unsafe extern "C" fn abort(ex: *mut ibv_qp_ex) {
    // SAFETY: the promise above.
    unsafe { Qp::from_ibv_ex(ex) }.sq.lock.unlock();
}

impl Qp {
    /// Notes an error of the batch: the first one counts.
    #[cold]
    pub fn fail(&self, e: Errno) {
        if self.wr.err.get() == 0 {
            self.wr.err.set(e.0);
        }
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
    /// and then setters do nothing.
    #[inline(always)]
    pub fn open(&self, opcode: u32, wr_data: u32, wr_id: u64, flags: u32) -> *mut u8 {
        let (sq, wr) = (&self.sq, &self.wr);
        let nreq = wr.nreq.get();
        if nreq >= wr.room.get() && self.full(nreq) {
            return ptr::null_mut();
        }
        let cur_post = wr.cur_post.get();
        let fm = control_flags(sq, flags, wr.fence.get());
        wr.fence.set(0);
        let ctrl = sq.wqe(cur_post & sq.mask);
        // SAFETY: a block of the ring that is free: it was not full.
        unsafe {
            segment::put32(ctrl, Ctrl::OPMOD_IDX_OPCODE, idx_opcode(cur_post, opcode));
            let flags_at = ctrl.add(Ctrl::SIGNATURE.byte()).cast::<u32>();
            flags_at.write((u32::from(fm) << 24).to_le());
        }
        sq.note(cur_post, SendSlot { wr_id, head: sq.head.get().wrapping_add(nreq), wr_data });
        wr.nreq.set(nreq + 1);
        wr.ctrl.set(ctrl);
        ctrl
    }

    /// ENOMEM, unless completions came meanwhile.
    #[cold]
    fn full(&self, nreq: u32) -> bool {
        let room = self.sq.room();
        self.wr.room.set(room);
        let full = nreq >= room;
        if full {
            self.fail(Errno::ENOMEM);
            self.wr.ctrl.set(ptr::null_mut());
        }
        full
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
        wr.cur_post.set(wr.cur_post.get().wrapping_add((ow + 3) >> 2));
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
