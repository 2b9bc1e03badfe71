//! Receives of QPs and WQs (`spec`: datapath, section 5).

use super::{
    qp::{PostRecv, Qp},
    queue::RecvQueue,
    segment::{put8, put32, put64},
    wq::Wq,
};
use crate::{
    abi::verbs::{consts::*, ibv_qp, ibv_recv_wr, ibv_sge, ibv_wq},
    error::Errno,
    mmio,
};
use core::{ffi::c_int, ptr, sync::atomic::Ordering};
use prm::wqe::{Data, INVALID_LKEY, SrqNext};

/// How a receive queue is guarded, signed, and made known.
pub mod mode {
    /// Lock.
    pub const LOCKED: u8 = 0;
    /// One thread.
    pub const SINGLE: u8 = 1;
    /// Everything else: signatures, and queues whose doorbell record must wait for RTR. Looked at
    /// for each call.
    pub const OTHER: u8 = 2;
}

/// Bytes of the segment in front of the scatter list: signature, or next segment of a striding
/// queue.
const HEADER: usize = 16;

/// The function for a QP.
pub fn choose(qp: &Qp) -> PostRecv {
    if qp.rq.wq_sig || holds_doorbell(qp) {
        post_recv::<{ mode::OTHER }>
    } else if qp.rq.lock.needed() {
        one::<{ mode::LOCKED }>
    } else {
        one::<{ mode::SINGLE }>
    }
}

/// Raw packet and underlay queues are made known to the device when the QP goes to RTR.
fn holds_doorbell(qp: &Qp) -> bool {
    qp.qp_type == IBV_QPT_RAW_PACKET || qp.underlay
}

/// The verbs operation of every context.
///
/// # Safety
/// libibverbs' promise: a QP of ours, a list of work requests, a writable `bad_wr`.
pub unsafe extern "C" fn dispatch(
    qp: *mut ibv_qp,
    wr: *mut ibv_recv_wr,
    bad_wr: *mut *mut ibv_recv_wr,
) -> c_int {
    // SAFETY: the promise above.
    unsafe { Qp::from_ibv(qp).hot.post_recv.get()(qp, wr, bad_wr) }
}

/// For a QP without a receive queue.
///
/// # Safety
/// As [`dispatch`].
pub unsafe extern "C" fn refuse_all(
    _qp: *mut ibv_qp,
    wr: *mut ibv_recv_wr,
    bad_wr: *mut *mut ibv_recv_wr,
) -> c_int {
    if wr.is_null() {
        return 0;
    }
    // SAFETY: the promise above.
    unsafe { *bad_wr = wr };
    Errno::ENOMEM.0
}

/// One receive with one element, in one straight run; everything else goes on to the general
/// function, before anything was written.
///
/// # Safety
/// As [`post_recv`].
unsafe extern "C" fn one<const M: u8>(
    ibv: *mut ibv_qp,
    first: *mut ibv_recv_wr,
    bad_wr: *mut *mut ibv_recv_wr,
) -> c_int {
    // SAFETY: the promise above. The WQE is free and has room for one element, and for a terminator
    // if it has room for two; the index is masked.
    unsafe {
        let qp = Qp::from_ibv(ibv);
        let rq = &qp.rq;
        if let Some(wr) = first.as_ref()
            && wr.next.is_null()
            && wr.num_sge == 1
            && (*wr.sg_list).length != 0
            && (M == mode::SINGLE || rq.lock.try_lock())
        {
            if M == mode::SINGLE {
                rq.lock.lock_known::<false>();
            }
            let head = rq.head.get();
            if !rq.is_full(head) && rq.sge_limit.get() >= 1 {
                let index = head & rq.mask;
                let wqe = rq.wqe(index);
                element(wqe, &*wr.sg_list);
                if rq.max_gs > 1 {
                    terminate(wqe.add(Data::SIZE));
                }
                rq.wrid.at(index).write(wr.wr_id);
                let head = head.wrapping_add(1);
                rq.head.set(head);
                mmio::to_device();
                (*qp.dbrec).receive.store((head & 0xffff).to_be(), Ordering::Relaxed);
                rq.lock.unlock();
                return 0;
            }
            rq.lock.unlock();
        }
        post_recv::<M>(ibv, first, bad_wr)
    }
}

/// # Safety
/// As [`dispatch`]; the QP has a receive queue that this mode fits.
#[inline(never)]
unsafe extern "C" fn post_recv<const M: u8>(
    ibv: *mut ibv_qp,
    wr: *mut ibv_recv_wr,
    bad_wr: *mut *mut ibv_recv_wr,
) -> c_int {
    // SAFETY: the promise above.
    let qp = unsafe { Qp::from_ibv(ibv) };
    let rq = &qp.rq;
    lock::<M>(rq);
    // SAFETY: the promise above.
    let (posted, failure) = unsafe { fill::<M, false>(rq, qp.qp_num.get(), wr, bad_wr) };
    if posted {
        mmio::to_device();
        if M != mode::OTHER || !holds_doorbell(qp) || qp.state() >= IBV_QPS_RTR {
            // SAFETY: a QP with a receive queue has a doorbell record.
            let dbrec = unsafe { &*qp.dbrec };
            dbrec.receive.store((rq.head.get() & 0xffff).to_be(), Ordering::Relaxed);
        }
    }
    rq.lock.unlock();
    failure
}

/// `ibv_post_wq_recv`.
///
/// # Safety
/// libibverbs' promise: a WQ of ours, a list of work requests, a writable `bad_wr`.
pub unsafe extern "C" fn post_wq_recv(
    ibv: *mut ibv_wq,
    wr: *mut ibv_recv_wr,
    bad_wr: *mut *mut ibv_recv_wr,
) -> c_int {
    // SAFETY: the promise above.
    let wq = unsafe { Wq::from_ibv(ibv) };
    let rq = &wq.rq;
    rq.lock.lock();
    // SAFETY: the promise above; the public part was filled at creation.
    let (posted, failure) = unsafe {
        let number = (*wq.ibv()).wq_num;
        fill::<{ mode::OTHER }, true>(rq, number, wr, bad_wr)
    };
    if posted {
        mmio::to_device();
        // SAFETY: a WQ has a doorbell record.
        unsafe { &*wq.dbrec }.receive.store((rq.head.get() & 0xffff).to_be(), Ordering::Relaxed);
    }
    rq.lock.unlock();
    failure
}

#[inline(always)]
fn lock<const M: u8>(rq: &RecvQueue) {
    match M {
        mode::LOCKED => rq.lock.lock_known::<true>(),
        mode::SINGLE => rq.lock.lock_known::<false>(),
        _ => rq.lock.lock(),
    }
}

/// Writes the list into the ring and moves `head`. Answers whether any were posted, and the errno:
/// ENOMEM for a full ring, EINVAL for too many elements. With `STATIC` their number does not depend
/// on a state.
///
/// # Safety
/// As [`dispatch`]; the caller holds the queue's lock.
#[inline(always)]
unsafe fn fill<const M: u8, const STATIC: bool>(
    rq: &RecvQueue,
    number: u32,
    first: *mut ibv_recv_wr,
    bad_wr: *mut *mut ibv_recv_wr,
) -> (bool, c_int) {
    let before = rq.head.get();
    let mut head = before;
    let mut next = first;
    let failure = loop {
        // SAFETY: the application's list.
        let Some(wr) = (unsafe { next.as_ref() }) else { break 0 };
        if rq.is_full(head) {
            break Errno::ENOMEM.0;
        }
        if wr.num_sge > if STATIC { rq.max_gs as i32 } else { rq.sge_limit.get() } {
            break Errno::EINVAL.0;
        }
        let index = head & rq.mask;
        let wqe = rq.wqe(index);
        let signed = M == mode::OTHER && rq.wq_sig;
        let list = if signed { wqe.wrapping_add(HEADER) } else { wqe };
        // SAFETY: the WQE is free and has room for `max_gs` elements, which the limit does not
        // exceed; the index is masked.
        unsafe {
            scatter(list, wr.sg_list, wr.num_sge, rq.max_gs);
            if signed {
                sign(wqe, wr.num_sge, number, before as u16);
            }
            rq.wrid.at(index).write(wr.wr_id);
        }
        head = head.wrapping_add(1);
        next = wr.next;
    };
    if failure != 0 {
        // SAFETY: the promise above.
        unsafe { *bad_wr = next };
    }
    rq.head.set(head);
    (head != before, failure)
}

impl RecvQueue {
    /// Does one more request not fit, with `head` posted?
    #[inline(always)]
    fn is_full(&self, head: u32) -> bool {
        head.wrapping_sub(self.tail.load(Ordering::Relaxed)) >= self.max_post
    }
}

/// The scatter list of a receive: elements of length zero are left out, a terminator follows if
/// there is room.
///
/// # Safety
/// `count` elements are readable at `sge`; `at` has room for `max` data segments, and `count` does
/// not exceed `max`.
#[inline(always)]
unsafe fn scatter(at: *mut u8, sge: *const ibv_sge, count: i32, max: u32) {
    let (mut to, mut left) = (at, max);
    for i in 0..count.max(0) as usize {
        // SAFETY: `i` is below `count`; length and key are neighbours.
        let (length_key, addr) = unsafe {
            let s = sge.add(i);
            ((&raw const (*s).length).cast::<u64>().read_unaligned(), (*s).addr)
        };
        if length_key as u32 != 0 {
            // SAFETY: at most `count` segments are written.
            unsafe {
                to.cast::<u64>().write(length_key.rotate_left(32).to_be());
                put64(to, Data::ADDR, addr);
            }
            to = to.wrapping_add(Data::SIZE);
            left -= 1;
        }
    }
    if left != 0 {
        // SAFETY: one more segment fits.
        unsafe { terminate(to) };
    }
}

/// Ends a scatter list.
///
/// # Safety
/// `at` has room for a data segment.
#[inline(always)]
pub unsafe fn terminate(at: *mut u8) {
    // SAFETY: the promise above.
    unsafe {
        at.cast::<u64>().write(u64::from(INVALID_LKEY).to_be());
        put64(at, Data::ADDR, 0);
    }
}

/// Signature segment of a receive: over the segments, the queue's number and its head at the start
/// of the call.
///
/// # Safety
/// `wqe` starts with the signature segment; `count` data segments and one more fit behind it.
#[cold]
unsafe fn sign(wqe: *mut u8, count: i32, number: u32, index: u16) {
    let len = (count.max(0) as usize + 1) * HEADER;
    let xor = |bytes: &[u8]| bytes.iter().fold(0u8, |a, b| a ^ b);
    // SAFETY: the promise above.
    unsafe {
        ptr::write_bytes(wqe, 0, HEADER);
        let sum = !xor(core::slice::from_raw_parts(wqe, len));
        put8(wqe, SrqNext::SIGNATURE, sum ^ !xor(&number.to_ne_bytes()) ^ !xor(&index.to_ne_bytes()));
    }
}

/// A data segment as the application's element says, also of length zero.
///
/// # Safety
/// `at` has room for it.
#[inline(always)]
pub unsafe fn element(at: *mut u8, sge: &ibv_sge) {
    // SAFETY: the promise above.
    unsafe {
        put32(at, Data::BYTE_COUNT, sge.length);
        put32(at, Data::LKEY, sge.lkey);
        put64(at, Data::ADDR, sge.addr);
    }
}
