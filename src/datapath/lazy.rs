//! Polling of extended CQs: `ibv_start_poll`, `ibv_next_poll`, `ibv_end_poll` (`spec`: datapath,
//! section 8). What a completion means beyond status and wr_id is read on demand, in `readers`.

use super::{
    cq::{Cq, flags},
    cqe::{Cqe, PLAIN_REQ, op_of},
    parse::{self, Done, Outcome},
    poll::{POLL_ERR, record, turned},
    tm,
};
use crate::{
    abi::verbs::{consts::*, ibv_cq_ex, ibv_poll_cq_attr},
    error::Errno,
    mmio,
    provider::clock,
};
use core::{ffi::c_int, sync::atomic::Ordering};
use prm::cqe::{APP_TAG_MATCHING, Cqe64, opcode};

type Start = unsafe extern "C" fn(*mut ibv_cq_ex, *mut ibv_poll_cq_attr) -> c_int;
type Next = unsafe extern "C" fn(*mut ibv_cq_ex) -> c_int;
type End = unsafe extern "C" fn(*mut ibv_cq_ex);

/// The three functions for a queue.
pub fn choose(cq: &Cq) -> (Start, Next, End) {
    fn by_size<const V1: bool>(wide: bool, mode: u8) -> (Start, Next) {
        match (wide, mode) {
            (false, LOCKED) => (start::<V1, false, LOCKED>, next::<V1, false>),
            (false, WATCHED) => (start::<V1, false, WATCHED>, next::<V1, false>),
            (false, _) => (start::<V1, false, NONE>, next::<V1, false>),
            (true, LOCKED) => (start::<V1, true, LOCKED>, next::<V1, true>),
            (true, WATCHED) => (start::<V1, true, WATCHED>, next::<V1, true>),
            (true, _) => (start::<V1, true, NONE>, next::<V1, true>),
        }
    }
    let mode = match (cq.single_threaded, cq.lock.needed()) {
        (true, _) => NONE,
        (false, true) => LOCKED,
        (false, false) => WATCHED,
    };
    let wide = cq.cqe_shift != 6;
    let (start, next) =
        if cq.cqe_version != 0 { by_size::<true>(wide, mode) } else { by_size::<false>(wide, mode) };
    (start, next, if mode == NONE { end::<false> } else { end::<true> })
}

/// The lock is taken.
const LOCKED: u8 = 0;
/// The lock only watches for overlapping use (`MLX5_SINGLE_THREADED`).
const WATCHED: u8 = 1;
/// There is no lock: the application made the queue for one thread.
const NONE: u8 = 2;

/// # Safety
/// libibverbs' promise: an extended CQ of ours, of this version, size and locking.
unsafe extern "C" fn start<const V1: bool, const WIDE: bool, const MODE: u8>(
    ex: *mut ibv_cq_ex,
    attr: *mut ibv_poll_cq_attr,
) -> c_int {
    // SAFETY: the promise above.
    let (cq, attr) = unsafe { (Cq::from_ibv_ex(ex), &*attr) };
    if attr.comp_mask != 0 {
        return Errno::EINVAL.0;
    }
    match MODE {
        LOCKED => cq.lock.lock_known::<true>(),
        WATCHED => cq.lock.lock_known::<false>(),
        _ => {}
    }
    cq.finder().forget();
    let began = cq.cons_index.get();
    // SAFETY: the promise above.
    let mut result = unsafe { advance::<V1, WIDE>(cq, ex) };
    if result == 0 && cq.clock_update {
        // SAFETY: under the lock nobody else uses it.
        let clock = unsafe { &mut *cq.cur.clock.get() };
        if let Err(r) = clock::get_clock_info(cq.context(), clock) {
            // The entry stays if the kernel was just writing the clock page.
            if r.errno() == Errno::EBUSY {
                cq.cons_index.set(began);
            }
            result = r.errno().0;
        }
    }
    if result != 0 && MODE != NONE {
        cq.lock.unlock();
    }
    result
}

/// # Safety
/// As [`start`], which was called before and succeeded.
unsafe extern "C" fn next<const V1: bool, const WIDE: bool>(ex: *mut ibv_cq_ex) -> c_int {
    // SAFETY: the promise above.
    unsafe { advance::<V1, WIDE>(Cq::from_ibv_ex(ex), ex) }
}

/// # Safety
/// As [`next`].
unsafe extern "C" fn end<const LOCK: bool>(ex: *mut ibv_cq_ex) {
    // SAFETY: the promise above.
    let cq = unsafe { Cq::from_ibv_ex(ex) };
    cq.consumed(cq.cons_index.get());
    if LOCK {
        cq.lock.unlock();
    }
}

/// Takes the next completion: 0, ENOENT, or -2 if it makes no sense.
///
/// # Safety
/// `ex` is the face of `cq`, which is in use by this thread alone.
#[inline(always)]
unsafe fn advance<const V1: bool, const WIDE: bool>(cq: &Cq, ex: *mut ibv_cq_ex) -> c_int {
    loop {
        let (buf, mask, ci) = (cq.buf.get(), cq.mask.get(), cq.cons_index.get());
        let cqe = record::<WIDE>(buf, ci & mask);
        let op_own = cqe.op_own();
        let Some(turned) = turned(op_own, ci, mask) else { return Errno::ENOENT.0 };
        cq.cons_index.set(ci.wrapping_add(1));
        mmio::from_device();
        cq.cur.cqe.set(cqe.0);
        if turned & PLAIN_REQ == 0 {
            let Some(qp) = cq.finder().sender::<V1>(cq, cqe) else { return POLL_ERR };
            let sq = &qp.sq;
            // SAFETY: the masked index is below the array's length: the queue has a ring.
            let slot = unsafe { sq.slots.at(cqe.counter() & sq.mask).read() };
            cq.cur.wr_data.set(slot.wr_data);
            cq.cur.flags.set(0);
            // SAFETY: the promise above.
            unsafe { give(ex, Done { wr_id: slot.wr_id, status: IBV_WC_SUCCESS }) };
            sq.tail.store(slot.head.wrapping_add(1), Ordering::Release);
            return 0;
        }
        // SAFETY: the promise above.
        match unsafe { other::<V1, WIDE>(cq, ex, cqe, op_own) } {
            Outcome::Filled => return 0,
            Outcome::Again => {}
            Outcome::Failed => return POLL_ERR,
        }
    }
}

/// # Safety
/// `ex` is an extended CQ in use by this thread alone.
#[inline(always)]
unsafe fn give(ex: *mut ibv_cq_ex, done: Done) {
    // SAFETY: the promise above.
    unsafe {
        (*ex).wr_id = done.wr_id;
        (*ex).status = done.status;
    }
}

/// Everything but plain sends.
///
/// # Safety
/// As [`advance`].
#[inline(never)]
unsafe fn other<const V1: bool, const WIDE: bool>(
    cq: &Cq,
    ex: *mut ibv_cq_ex,
    cqe: Cqe,
    op_own: u8,
) -> Outcome {
    cq.cur.flags.set(0);
    let result = match op_of(op_own) {
        opcode::RESP_WR_IMM | opcode::RESP_SEND | opcode::RESP_SEND_IMM | opcode::RESP_SEND_INV => {
            received::<V1, WIDE>(cq, cqe, op_own)
        }
        opcode::REQ => match parse::inline_send::<V1>(cq, cqe, op_own, WIDE) {
            Some((done, _, wr_data)) => {
                cq.cur.wr_data.set(wr_data);
                Ok(done)
            }
            None => Err(Outcome::Failed),
        },
        opcode::REQ_ERR | opcode::RESP_ERR => parse::error::<V1>(cq, cqe, op_own),
        opcode::NO_PACKET => parse::no_packet::<V1>(cq, cqe, op_own, WIDE),
        opcode::SIG_ERR => Err(parse::signature_error(cq, cqe)),
        // Upstream counts entries that it does not know; status and wr_id are the last one's.
        _ => Err(Outcome::Filled),
    };
    match result {
        Ok(done) => {
            // SAFETY: the promise above.
            unsafe { give(ex, done) };
            Outcome::Filled
        }
        Err(o) => o,
    }
}

/// A receive.
#[inline(always)]
fn received<const V1: bool, const WIDE: bool>(cq: &Cq, cqe: Cqe, op_own: u8) -> Result<Done, Outcome> {
    let target = cq.finder().target::<V1>(cq, cqe).ok_or(Outcome::Failed)?;
    if cqe.get8(Cqe64::APP) == APP_TAG_MATCHING {
        // SAFETY: found for this completion.
        let srq = unsafe { target.srq.as_ref() }.ok_or(Outcome::Failed)?;
        return tm::complete(cq, srq, cqe, op_own, WIDE).ok_or(Outcome::Failed);
    }
    if target.rx_csum {
        cq.cur.add(flags::RX_CSUM_VALID);
    }
    // SAFETY: found for this completion.
    let taken = unsafe { parse::take_receive::<WIDE>(cq, &target, cqe, op_own) };
    taken.map(|(wr_id, status)| Done { wr_id, status }).ok_or(Outcome::Failed)
}
