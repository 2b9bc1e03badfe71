//! Destruction of QPs.

use super::super::{
    core as kernel,
    object::{self, take},
};
use crate::{
    abi::verbs::*,
    border,
    datapath::{cq::Cq, qp::Qp, srq::Srq},
    error::Result,
    provider::Context,
};
use core::{ffi::c_int, ptr};
use prm::uverbs::{attr, method, object as obj};

/// Destroys the kernel's object; answers how many events were delivered.
pub fn in_kernel(context: &Context, qp: &Qp) -> Result<u32> {
    // SAFETY: the public part of a live QP.
    let handle = unsafe { (*qp.ibv()).handle };
    let events = kernel::destroy_with_events::<4>(
        context,
        obj::QP,
        method::QP_DESTROY,
        attr::DESTROY_QP_RESP,
        attr::DESTROY_QP_HANDLE,
        handle,
    )?;
    Ok(events.get32(0))
}

/// Runs `f` with both queues locked, the one with the lower number first: two QPs may use the same
/// pair the other way round.
fn with_both<R>(a: Option<&Cq>, b: Option<&Cq>, f: impl FnOnce() -> R) -> R {
    match (a, b) {
        (Some(a), Some(b)) if ptr::eq(a, b) => a.lock.with(f),
        (Some(a), Some(b)) => {
            let (first, second) = if a.cqn < b.cqn { (a, b) } else { (b, a) };
            first.lock.with(|| second.lock.with(f))
        }
        (Some(one), None) | (None, Some(one)) => one.lock.with(f),
        (None, None) => f(),
    }
}

/// Destroys a QP; everything stays on failure.
pub fn destroy(qp: *mut ibv_qp) -> Result<()> {
    // SAFETY: the promise of `destroy_qp`.
    let q = unsafe { Qp::from_ibv(qp) };
    let context = q.context();
    let v0 = context.info.cqe_version == 0;
    let numbers = v0.then(|| context.numbers.lock());
    let events = in_kernel(context, q)?;
    // SAFETY: the public part of a live QP; the mutex and condition are initialised, the counter
    // changes under the mutex.
    unsafe {
        object::wait_for_acks(&raw mut (*qp).mutex, &raw mut (*qp).cond, || {
            (&raw const (*qp).events_completed).read_volatile() == events
        });
    }
    if !q.rss {
        // SAFETY: the public part of a live QP; its queues outlive it.
        let (send, recv, srq) = unsafe {
            let p = &*qp;
            (p.send_cq.cast::<Cq>().as_ref(), p.recv_cq.cast::<Cq>().as_ref(), p.srq.cast::<Srq>().as_ref())
        };
        let rsn = q.resource.rsn.get();
        with_both(send, recv, || {
            if let Some(cq) = recv {
                cq.clean(rsn, srq);
            }
            if let Some(cq) = send
                && !recv.is_some_and(|r| ptr::eq(r, cq))
            {
                cq.clean(rsn, None);
            }
            if v0 {
                // SAFETY: libibverbs' rule: one thread at a time modifies or destroys a QP.
                unsafe { *q.own.registration.get() = None };
            }
        });
    }
    drop(numbers);
    // SAFETY: made by `give`, and not used any more: no completion of it is left.
    drop(unsafe { take::<Qp, _>(qp) });
    Ok(())
}

/// `ibv_destroy_qp`: waits until all events are acknowledged. Errors: the kernel's.
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn destroy_qp(qp: *mut ibv_qp) -> c_int {
    border::value("ibv_destroy_qp", || destroy(qp))
}
