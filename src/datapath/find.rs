//! From a completion to the queue it belongs to.
//!
//! CQE version 1 carries a user index for everything; version 0 the number of the QP, and for
//! receives that of the SRQ. The last answer is kept for the call at hand, never longer: the queue
//! may be destroyed and its number given to another.

use super::{
    cq::Cq,
    cqe::Cqe,
    qp::Qp,
    queue::{RecvQueue, ResourceKind},
    srq::Srq,
    wq::Wq,
};
use core::ptr;
use prm::cqe::Cqe64;

/// Where a receive went.
#[derive(Clone, Copy)]
pub struct Target {
    /// The SRQ; NULL if the receive used a queue of its own.
    pub srq: *const Srq,
    /// The queue of its own; NULL with an SRQ.
    pub rq: *const RecvQueue,
    /// The QP tells whether checksums are good.
    pub rx_csum: bool,
}

/// No number: all of them have at most 24 bits, or 24 and 24.
const NONE: u64 = u64::MAX;

/// The last queues that were found.
#[derive(Clone, Copy)]
pub struct Finder {
    sender_key: u64,
    sender: *const Qp,
    target_key: u64,
    target: Target,
}

impl Finder {
    /// Nothing found yet.
    #[inline(always)]
    pub const fn new() -> Finder {
        let target = Target { srq: ptr::null(), rq: ptr::null(), rx_csum: false };
        Finder { sender_key: NONE, sender: ptr::null(), target_key: NONE, target }
    }

    /// Nothing found any more.
    #[inline(always)]
    pub fn forget(&mut self) {
        self.sender_key = NONE;
        self.target_key = NONE;
    }

    /// The QP that was found last.
    #[inline(always)]
    pub fn last_sender(&self) -> *const Qp {
        self.sender
    }

    /// The QP whose send completed. It has a send queue. None if the number is unknown.
    #[inline(always)]
    pub fn sender<const V1: bool>(&mut self, cq: &Cq, cqe: Cqe) -> Option<&'static Qp> {
        let key = sender_key::<V1>(cqe);
        if u64::from(key) != self.sender_key {
            let qp = find_sender::<V1>(cq, key);
            if qp.is_null() {
                return None;
            }
            self.sender = qp;
            self.sender_key = u64::from(key);
        }
        // SAFETY: found under this key during this call; queues are destroyed only after their
        // completions were cleaned out under the CQ's lock, which the poller holds.
        Some(unsafe { &*self.sender })
    }

    /// Where a receive went. None if the number is unknown.
    #[inline(always)]
    pub fn target<const V1: bool>(&mut self, cq: &Cq, cqe: Cqe) -> Option<Target> {
        let key = if V1 {
            u64::from(cqe.srqn_uidx())
        } else {
            u64::from(cqe.srqn_uidx()) << 32 | u64::from(cqe.qpn())
        };
        if key != self.target_key {
            self.target = find_target(cq, key, V1)?;
            self.target_key = key;
        }
        Some(self.target)
    }
}

/// What tells the QP of a send completion: its number in the entry, as it lies there.
#[inline(always)]
pub fn sender_key<const V1: bool>(cqe: Cqe) -> u32 {
    cqe.raw24(if V1 { Cqe64::SRQN_UIDX } else { Cqe64::SOP_DROP_QPN })
}

/// The QP with this number that has a send queue, else NULL.
#[inline(always)]
pub fn find_sender<const V1: bool>(cq: &Cq, key: u32) -> *const Qp {
    let context = cq.context();
    let number = u32::from_be(key);
    let resource = if V1 { context.uidxs.get(number) } else { context.qps.get(number) };
    // SAFETY: NULL or a live resource of the table.
    let Some(r) = (unsafe { resource.as_ref() }) else { return ptr::null() };
    if r.kind != ResourceKind::Qp {
        return ptr::null();
    }
    // SAFETY: the kind says what it is a member of.
    let qp = unsafe { Qp::of(resource) };
    // Index arithmetic relies on a ring.
    if qp.sq.wqe_cnt == 0 { ptr::null() } else { qp }
}

#[inline(never)]
fn find_target(cq: &Cq, key: u64, v1: bool) -> Option<Target> {
    let context = cq.context();
    let none = Target { srq: ptr::null(), rq: ptr::null(), rx_csum: false };
    let resource = match (v1, (key >> 32) as u32) {
        (true, _) => context.uidxs.get(key as u32),
        (false, 0) => context.qps.get(key as u32),
        (false, srqn) => context.srqs.get(srqn),
    };
    // SAFETY: NULL or a live resource of the table.
    let r = unsafe { resource.as_ref() }?;
    // SAFETY: the kind says what the resource is a member of; a QP's SRQ is alive while it is.
    unsafe {
        match r.kind {
            ResourceKind::Qp | ResourceKind::Dct => {
                let qp = Qp::of(resource);
                let srq = (*qp.ibv()).srq;
                if !srq.is_null() {
                    return Some(Target { srq: Srq::from_ibv(srq), ..none });
                }
                (qp.rq.wqe_cnt != 0).then_some(Target { rq: &qp.rq, rx_csum: qp.rx_csum.get(), ..none })
            }
            ResourceKind::Rwq => {
                let wq = Wq::of(resource);
                (wq.rq.wqe_cnt != 0).then_some(Target { rq: &wq.rq, ..none })
            }
            ResourceKind::Srq | ResourceKind::Xsrq => Some(Target { srq: Srq::of(resource), ..none }),
        }
    }
}
