//! Completion queues: moderation and resize.

use super::{
    core::{self as kernel, Core},
    cq::ring,
    pd::DomainRef,
};
use crate::{
    abi::verbs::{consts::*, *},
    border,
    datapath::cq::Cq,
    error::{Errno, Result},
    uverbs,
};
use core::ffi::c_int;
use prm::uverbs::write;

/// Extended command of the kernel.
const EX_MODIFY_CQ: u16 = 57;

/// `ibv_modify_cq`. EINVAL for unknown bits; else the kernel's.
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn modify_cq(cq: *mut ibv_cq, attr: *mut ibv_modify_cq_attr) -> c_int {
    border::value("ibv_modify_cq", || {
        // SAFETY: the promise above.
        let (c, a, handle) = unsafe { (Cq::from_ibv(cq), &*attr, (*cq).handle) };
        if a.attr_mask >= IBV_CQ_ATTR_RESERVED {
            return Err(refuse!(EINVAL, "unknown attr_mask bits", attr_mask = a.attr_mask));
        }
        let mut core = Core::<16>::new().u32(0, handle).u32(4, a.attr_mask);
        if a.attr_mask & IBV_CQ_ATTR_MODERATE != 0 {
            core = core.u16(8, a.moderate.cq_count).u16(10, a.moderate.cq_period);
        }
        Ok(kernel::order(c.context(), uverbs::extended(EX_MODIFY_CQ), &core)?)
    })
}

/// `ibv_resize_cq`. EINVAL for sizes that no ring has; EOPNOTSUPP for dma-buf rings; the kernel's.
/// Without memory for the ring the result is -1 with errno ENOMEM, as upstream has it. The entries
/// not yet polled move to the new ring.
///
/// # Safety
/// As [`modify_cq`].
pub unsafe extern "C" fn resize_cq(cq: *mut ibv_cq, cqe: c_int) -> c_int {
    let mut no_memory = false;
    let result = border::value("ibv_resize_cq", || {
        // SAFETY: the promise of verbs operations.
        let c = unsafe { Cq::from_ibv(cq) };
        let Ok(wanted) = u32::try_from(cqe) else {
            return Err(refuse!(EINVAL, "no entries", cqe = cqe).and_errno());
        };
        if i64::from(cqe) * 64 > i64::from(c_int::MAX) {
            return Err(refuse!(EINVAL, "more entries than a ring can have", cqe = cqe));
        }
        c.lock.with(|| resize(c, wanted, &mut no_memory))
    });
    if no_memory {
        Errno::ENOMEM.set();
        return -1;
    }
    result
}

/// The caller holds the queue's lock.
fn resize(c: &Cq, wanted: u32, no_memory: &mut bool) -> Result<()> {
    // At most 2^25, by the caller's check.
    let target = (wanted + 1).next_power_of_two();
    if target == c.cqe_cnt() {
        return Ok(());
    }
    let pd = c.domain.as_ref().map(DomainRef::pd);
    // SAFETY: the lock guards the rings.
    let bufs = unsafe { &mut *c.bufs.get() };
    if bufs.iter().flatten().any(|b| b.dmabuf().is_some()) || pd.is_some_and(|pd| pd.has_heap()) {
        return Err(refuse!(EOPNOTSUPP, "a dma-buf ring cannot be resized"));
    }
    let context = c.context();
    let new = ring(context, pd, target, c.cqe_shift).inspect_err(|_| *no_memory = true)?;
    // SAFETY: the public part of a live queue.
    let handle = unsafe { (*c.ibv()).handle };
    let mut response = Core::<8>::new();
    let core = Core::<16>::new().response(&response.0).u32(8, handle).u32(12, target - 1);
    let request = Core::<16>::new().u64(0, new.addr() as u64).u16(8, 1 << c.cqe_shift);
    uverbs::invoke_write(
        context.fd,
        u32::from(write::RESIZE_CQ),
        &core.0,
        &mut response.0,
        &request.0,
        &mut [],
    )?;
    // The device writes to the new ring from here on: what follows cannot be undone, and an entry
    // that is missing is only told to the trace.
    if let Err(r) = c.copy_for_resize(new.addr(), target - 1) {
        crate::trace::refusal("ibv_resize_cq", &r);
    }
    c.buf.set(new.addr());
    c.mask.set(target - 1);
    // SAFETY: as above.
    unsafe { (*c.ibv()).cqe = (target - 1) as c_int };
    *bufs = [Some(new), None];
    Ok(())
}
