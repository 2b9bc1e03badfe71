//! `ibv_poll_cq` (`spec`: datapath, section 8): one function for each CQE version and size and
//! for each way of locking.

use super::{
    cq::{Cq, PollCq},
    cqe::{Cqe, NOT_WRITTEN, PLAIN, PLAIN_REQ, REQ, is_inline, op_of},
    find::{Finder, find_sender, sender_key},
    parse::{self, Outcome},
    qp::Qp,
};
use crate::{
    abi::verbs::{consts::*, ibv_cq, ibv_wc},
    mmio,
};
use core::{ffi::c_int, sync::atomic::Ordering};
use prm::cqe::{Cqe64, OWNER, opcode};

/// What a failed poll answers.
pub const POLL_ERR: c_int = -2;

/// The function for a queue.
pub fn choose(cq: &Cq) -> PollCq {
    fn by_lock<const V1: bool, const WIDE: bool>(locked: bool) -> PollCq {
        if locked { poll::<V1, WIDE, true> } else { poll::<V1, WIDE, false> }
    }
    let locked = cq.lock.needed();
    match (cq.cqe_version != 0, cq.cqe_shift != 6) {
        (true, false) => by_lock::<true, false>(locked),
        (true, true) => by_lock::<true, true>(locked),
        (false, false) => by_lock::<false, false>(locked),
        (false, true) => by_lock::<false, true>(locked),
    }
}

/// The verbs operation of every context.
///
/// # Safety
/// libibverbs' promise: a CQ of ours, room for `count` completions.
pub unsafe extern "C" fn dispatch(cq: *mut ibv_cq, count: c_int, wc: *mut ibv_wc) -> c_int {
    // SAFETY: the promise above.
    unsafe { (Cq::from_ibv(cq).poll.get().0)(cq, count, wc) }
}

/// The polling function of a queue that is not installed yet.
///
/// # Safety
/// None.
pub unsafe extern "C" fn nothing(_cq: *mut ibv_cq, _count: c_int, _wc: *mut ibv_wc) -> c_int {
    0
}

/// Record of entry `index` of a ring, already masked.
#[inline(always)]
pub fn record<const WIDE: bool>(buf: *const u8, index: u32) -> Cqe {
    let (shift, at) = if WIDE { (7, 64) } else { (6, 0) };
    Cqe(buf.wrapping_add(((index as usize) << shift) + at))
}

/// `op_own` of the entry at `ci` with the owner bit made 0 if the device has written the entry in
/// this turn; None if it has not.
#[inline(always)]
pub fn turned(op_own: u8, ci: u32, mask: u32) -> Option<u8> {
    // The owner bit of a turn is its parity.
    let turned = op_own ^ u8::from(ci & (mask + 1) != 0);
    (turned & OWNER == 0 && op_own < NOT_WRITTEN).then_some(turned)
}

/// # Safety
/// As [`dispatch`]; the queue is of this version, size and locking.
unsafe extern "C" fn poll<const V1: bool, const WIDE: bool, const LOCKED: bool>(
    ibv: *mut ibv_cq,
    count: c_int,
    wc: *mut ibv_wc,
) -> c_int {
    // SAFETY: the promise above.
    let cq = unsafe { Cq::from_ibv(ibv) };
    cq.lock.lock_known::<LOCKED>();
    let (ci, mask) = (cq.cons_index.get(), cq.mask.get());
    let cqe = record::<WIDE>(cq.buf.get(), ci & mask);
    let op_own = cqe.op_own();
    // Most polls of a program that waits find nothing, and many others want one completion: they
    // end here, without a call.
    let Some(turned) = turned(op_own, ci, mask) else {
        if !cq.cur.failed.get() {
            cq.lock.unlock();
            return 0;
        }
        // SAFETY: the promise above.
        return unsafe { poll_some::<V1, WIDE>(cq, count, wc) };
    };
    if count == 1 && turned & PLAIN_REQ == 0 {
        mmio::from_device();
        let qp = find_sender::<V1>(cq, sender_key::<V1>(cqe));
        // SAFETY: NULL or found for this completion; the application has room for one.
        if unsafe { !qp.is_null() && plain_send(&*qp, cqe, wc) } {
            cq.consumed(ci.wrapping_add(1));
            cq.lock.unlock();
            return 1;
        }
    }
    // SAFETY: the promise above.
    unsafe { poll_some::<V1, WIDE>(cq, count, wc) }
}

/// Fills the completion of a send that has no more to tell than its opcode. False, with nothing
/// done, for others.
///
/// # Safety
/// The QP was found for this completion and has a send queue; `wc` is writable.
#[inline(always)]
unsafe fn plain_send(qp: &Qp, cqe: Cqe, wc: *mut ibv_wc) -> bool {
    let sq = &qp.sq;
    let told = PLAIN[usize::from(cqe.send_opcode())];
    // SAFETY: the masked index is below the array's length: the queue has a ring. Status and opcode
    // are neighbours in an ibv_wc.
    unsafe {
        let slot = sq.slots.at(cqe.counter() & sq.mask);
        if told < 0 || (*slot).wr_data != 0 {
            return false;
        }
        (*wc).wr_id = (*slot).wr_id;
        (&raw mut (*wc).status).cast::<i64>().write(told);
        (*wc).qp_num = cqe.qpn();
        (*wc).wc_flags = 0;
        sq.tail.store((*slot).head.wrapping_add(1), Ordering::Relaxed);
    }
    true
}

/// The caller has taken the lock, which is given back.
///
/// # Safety
/// As [`poll`].
#[inline(never)]
unsafe fn poll_some<const V1: bool, const WIDE: bool>(cq: &Cq, count: c_int, first: *mut ibv_wc) -> c_int {
    let start = cq.cons_index.get();
    let (buf, mask) = (cq.buf.get(), cq.mask.get());
    let mut ci = start;
    let mut finder = Finder::new();
    let (mut key, mut sender) = (NO_KEY, core::ptr::null::<Qp>());
    let mut failed = false;
    let mut wc = first;
    let end = first.wrapping_add(count.max(0) as usize);
    while wc != end {
        let cqe = record::<WIDE>(buf, ci & mask);
        let op_own = cqe.op_own();
        // One comparison for all that a plain send has: written, opcode, format.
        if (op_own ^ u8::from(ci & (mask + 1) != 0)) & PLAIN_REQ == 0 && sender_key::<V1>(cqe) == key {
            mmio::from_device();
            // SAFETY: found under this key in this call; before the end of the room.
            if unsafe { plain_send(&*sender, cqe, wc) } {
                ci = ci.wrapping_add(1);
                wc = wc.wrapping_add(1);
                continue;
            }
        }
        let Some(turned) = turned(op_own, ci, mask) else { break };
        ci = ci.wrapping_add(1);
        mmio::from_device();
        // SAFETY: before the end of the room that the application has.
        let outcome = unsafe { any::<V1, WIDE>(cq, &mut finder, cqe, op_own, turned, &mut *wc) };
        if turned & PLAIN_REQ == 0 {
            key = sender_key::<V1>(cqe);
            sender = finder.last_sender();
        }
        match outcome {
            Outcome::Filled => wc = wc.wrapping_add(1),
            Outcome::Again => {}
            Outcome::Failed => {
                failed = true;
                break;
            }
        }
    }
    if ci != start {
        cq.consumed(ci);
    }
    // SAFETY: both lie in the application's array.
    let mut done = unsafe { wc.offset_from(first) } as c_int;
    if failed || done == 0 && count > 0 && cq.cur.failed.get() {
        done = cq.failure(done);
    }
    cq.lock.unlock();
    done
}

/// No key of a sender: those have 24 bits, and zero in the byte that the opcode has.
const NO_KEY: u32 = u32::MAX;

/// Fills any completion.
#[inline(never)]
fn any<const V1: bool, const WIDE: bool>(
    cq: &Cq,
    finder: &mut Finder,
    cqe: Cqe,
    op_own: u8,
    turned: u8,
    wc: &mut ibv_wc,
) -> Outcome {
    if turned & PLAIN_REQ == 0 {
        send_done::<V1>(cq, finder, cqe, wc)
    } else if op_of(op_own).wrapping_sub(opcode::RESP_WR_IMM) <= opcode::RESP_SEND_INV - opcode::RESP_WR_IMM {
        receive_done::<V1, WIDE>(cq, finder, cqe, op_own, wc)
    } else {
        parse::other::<V1, WIDE>(cq, cqe, op_own, wc)
    }
}

/// A send completed without payload.
#[inline(always)]
fn send_done<const V1: bool>(cq: &Cq, finder: &mut Finder, cqe: Cqe, wc: &mut ibv_wc) -> Outcome {
    let Some(qp) = finder.sender::<V1>(cq, cqe) else { return Outcome::Failed };
    let sq = &qp.sq;
    // SAFETY: the masked index is below the array's length: the queue has a ring.
    let slot = unsafe { sq.slots.at(cqe.counter() & sq.mask).read() };
    let kind = REQ[usize::from(cqe.send_opcode())];
    wc.wr_id = slot.wr_id;
    wc.status = IBV_WC_SUCCESS;
    wc.qp_num = cqe.qpn();
    parse::special(cqe, kind, slot.wr_data, wc);
    sq.tail.store(slot.head.wrapping_add(1), Ordering::Release);
    Outcome::Filled
}

/// A receive completed.
#[inline(always)]
fn receive_done<const V1: bool, const WIDE: bool>(
    cq: &Cq,
    finder: &mut Finder,
    cqe: Cqe,
    op_own: u8,
    wc: &mut ibv_wc,
) -> Outcome {
    let Some(target) = finder.target::<V1>(cq, cqe) else { return Outcome::Failed };
    wc.wc_flags = 0;
    wc.qp_num = cqe.qpn();
    if !target.srq.is_null() && cqe.get8(Cqe64::APP) == prm::cqe::APP_TAG_MATCHING {
        return parse::tag_matching(cq, target.srq, cqe, op_own, WIDE, wc);
    }
    // SAFETY: found for this completion.
    let Some((wr_id, status)) = (unsafe { parse::take_receive::<WIDE>(cq, &target, cqe, op_own) }) else {
        return Outcome::Failed;
    };
    wc.wr_id = wr_id;
    wc.status = status;
    wc.byte_len = cqe.get32(Cqe64::BYTE_CNT);
    if is_inline(op_own) && status != IBV_WC_SUCCESS {
        return Outcome::Filled;
    }
    let raw = cqe.raw32(Cqe64::IMM_INVAL_PKEY);
    let mut flags = 0;
    if target.rx_csum && cqe.csum_ok() {
        flags |= IBV_WC_IP_CSUM_OK;
    }
    wc.opcode = IBV_WC_RECV;
    match op_of(op_own) {
        opcode::RESP_SEND => {}
        opcode::RESP_SEND_INV => {
            flags |= IBV_WC_WITH_INV;
            wc.u_imm_data.invalidated_rkey = u32::from_be(raw);
        }
        op => {
            if op == opcode::RESP_WR_IMM {
                wc.opcode = IBV_WC_RECV_RDMA_WITH_IMM;
            }
            flags |= IBV_WC_WITH_IMM;
            wc.u_imm_data.imm_data = raw;
        }
    }
    let source = cqe.get32(Cqe64::FLAGS_RQPN);
    if source >> 28 & 3 != 0 {
        flags |= IBV_WC_GRH;
    }
    wc.slid = cqe.get16(Cqe64::SLID);
    wc.sl = (source >> 24 & 0xf) as u8;
    wc.src_qp = source & 0xff_ffff;
    wc.dlid_path_bits = cqe.get8(Cqe64::ML_PATH) & 0x7f;
    wc.pkey_index = u32::from_be(raw) as u16;
    wc.wc_flags = flags;
    Outcome::Filled
}

impl Cq {
    /// The consumer index is `ci` now, and the device may write over what lies before it.
    #[inline(always)]
    pub fn consumed(&self, ci: u32) {
        self.cons_index.set(ci);
        // Reads of the entries come first: on x86-64 by itself.
        #[cfg(target_arch = "aarch64")]
        mmio::to_device();
        // SAFETY: a CQ has a doorbell record.
        unsafe { &*self.dbrec }.receive.store((ci & 0xff_ffff).to_be(), Ordering::Relaxed);
    }

    /// A completion could not be parsed behind `done` good ones, in this call or an earlier one.
    /// The good ones are not lost: they are the answer of their call, and the failure that of the
    /// next call that finds nothing.
    #[cold]
    fn failure(&self, done: c_int) -> c_int {
        self.cur.failed.set(done != 0);
        if done != 0 { done } else { POLL_ERR }
    }
}
