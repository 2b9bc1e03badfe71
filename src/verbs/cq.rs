//! Completion queues: creation and destruction.

use super::{
    buf::{self, Buf, align},
    core::{self as kernel, Core},
    dbrec::DbrecSlot,
    object::{self, boxed},
    pd::{DomainRef, Pd},
    umem,
};
use crate::{
    abi::{
        dv::{consts::*, mlx5dv_cq_init_attr},
        verbs::{consts::*, *},
    },
    border,
    datapath::cq::{Cq, Lazy, OP_OWN_INVALID, VERBS_CQ},
    env,
    error::Result,
    provider::{Context, device_query::flags, get_context::comp_mask, ibverbs},
    sync::SpinLock,
    uverbs::{self, Attr},
};
use core::{
    cell::{Cell, UnsafeCell},
    ffi::c_int,
    ptr,
    sync::atomic::{AtomicBool, AtomicU32},
};
use prm::uverbs::{attr, method, object as obj};

/// Most entries of a ring.
pub const MAX_CQE: u64 = 1 << 24;
/// `wc_flags` that an extended queue can have.
const WC_FLAGS: u64 = IBV_WC_STANDARD_FLAGS as u64
    | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP as u64
    | IBV_WC_EX_WITH_CVLAN as u64
    | IBV_WC_EX_WITH_FLOW_TAG as u64
    | IBV_WC_EX_WITH_TM_INFO as u64
    | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK as u64;
/// Flags of the kernel's create method.
const KERNEL_TIMESTAMP: u32 = 1;
const KERNEL_IGNORE_OVERRUN: u32 = 2;
/// Flags of the driver's request (`mlx5_ib_create_cq`).
const REQUEST_CQE_128B_PAD: u16 = 1;
const REQUEST_UAR_PAGE_INDEX: u16 = 2;
const REQUEST_REAL_TIME_TS: u16 = 4;

/// Entries of the ring for `cqe` completions: one more, rounded up to a power of two. EINVAL.
pub fn ring_size(cqe: u32) -> Result<u32> {
    match (u64::from(cqe) + 1).next_power_of_two() {
        n if n <= MAX_CQE => Ok(n as u32),
        _ => Err(refuse!(EINVAL, "more entries than a ring can have", cqe = cqe)),
    }
}

/// Size of a CQE, as a shift. EINVAL for anything but 64 and 128.
fn cqe_shift(dv: Option<&mlx5dv_cq_init_attr>) -> Result<u32> {
    let size = match dv {
        Some(d) if d.comp_mask & u64::from(MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE) != 0 => c_int::from(d.cqe_size),
        _ => env::int(c"MLX5_CQE_SIZE").unwrap_or(64),
    };
    match size {
        64 => Ok(6),
        128 => Ok(7),
        _ => Err(refuse!(EINVAL, "CQE size is neither 64 nor 128", size = size)),
    }
}

/// Memory of a ring with `count` entries: all of them the device's. Errors: as [`Buf::alloc`].
pub fn ring(context: &Context, pd: Option<&Pd>, count: u32, cqe_shift: u32) -> Result<Buf> {
    let bytes = (count as usize) << cqe_shift;
    if bytes > c_int::MAX as usize {
        return Err(refuse!(ENOMEM, "ring larger than 2 GiB", bytes = bytes));
    }
    let ring = Buf::alloc(
        context,
        &buf::Request {
            component: &buf::CQ,
            size: align(bytes, context.page_size),
            align: context.page_size,
            pd,
            default: buf::default_type(c"HUGE_CQ"),
        },
    )?;
    ring.zero(bytes);
    for i in 0..count as usize {
        // `op_own` is the last byte of an entry of either size.
        // SAFETY: within the ring, which nobody else knows yet.
        unsafe { ring.addr().add(((i + 1) << cqe_shift) - 1).write(OP_OWN_INVALID) };
    }
    Ok(ring)
}

/// What the attributes come to.
struct Plan {
    /// Members of the driver's request.
    comp_en: u8,
    comp_format: u8,
    request_flags: u16,
}

impl Plan {
    /// Checks the driver's attributes. EINVAL.
    fn new(context: &Context, dv: Option<&mlx5dv_cq_init_attr>, cqe_shift: u32) -> Result<Plan> {
        let mut plan = Plan { comp_en: 0, comp_format: 0, request_flags: 0 };
        let Some(d) = dv else { return Ok(plan) };
        let has = |bit: u32| d.comp_mask & u64::from(bit) != 0;
        if has(MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE) {
            let caps = &context.device.cqe_comp;
            if caps.max_num == 0 || u32::from(d.cqe_comp_res_format) & caps.supported_format == 0 {
                return Err(refuse!(EINVAL, "no such compression", format = d.cqe_comp_res_format));
            }
            plan.comp_en = 1;
            plan.comp_format = d.cqe_comp_res_format;
        }
        if has(MLX5DV_CQ_INIT_ATTR_MASK_FLAGS) {
            if d.flags & !MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD != 0 {
                return Err(refuse!(EINVAL, "unknown flags", flags = d.flags));
            }
            if d.flags & MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD != 0 {
                if context.device.flags & flags::CQE_128B_PAD == 0 || cqe_shift != 7 {
                    return Err(refuse!(EINVAL, "padding needs the capability and CQEs of 128 bytes"));
                }
                plan.request_flags |= REQUEST_CQE_128B_PAD;
            }
        }
        Ok(plan)
    }
}

/// Checks the attributes before anything is allocated. EINVAL, ENOTSUP.
fn check(a: &ibv_cq_init_attr_ex, dv: Option<&mlx5dv_cq_init_attr>) -> Result<u32> {
    if a.cqe == 0 {
        return Err(refuse!(EINVAL, "no entries"));
    }
    if a.comp_mask & !(IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD) != 0 {
        return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = a.comp_mask));
    }
    let flags = if a.comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS != 0 { a.flags } else { 0 };
    if flags & !(IBV_CREATE_CQ_ATTR_SINGLE_THREADED | IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN) != 0 {
        return Err(refuse!(EINVAL, "unknown flags", flags = flags));
    }
    if a.wc_flags & !WC_FLAGS != 0 {
        return Err(refuse!(ENOTSUP, "unknown wc_flags", wc_flags = a.wc_flags));
    }
    const DV: u32 = MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE
        | MLX5DV_CQ_INIT_ATTR_MASK_FLAGS
        | MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE;
    if let Some(d) = dv
        && d.comp_mask & !u64::from(DV) != 0
    {
        return Err(refuse!(EINVAL, "unknown mlx5 comp_mask bits", comp_mask = d.comp_mask));
    }
    Ok(flags)
}

/// Creates a queue of either kind.
///
/// Errors: those of [`check`]; EINVAL for a domain that is no parent domain, a ring too large or a
/// bad CQE size; EOPNOTSUPP for wall-clock time stamps that cannot be had; allocations'; the
/// kernel's.
///
/// # Safety
/// The pointers in `a` are NULL or valid objects of this library.
pub unsafe fn create(
    context: &Context,
    a: &ibv_cq_init_attr_ex,
    dv: Option<&mlx5dv_cq_init_attr>,
    extended: bool,
) -> Result<*mut ibv_cq> {
    let flags = check(a, dv)?;
    let domain = match a.comp_mask & IBV_CQ_INIT_ATTR_MASK_PD != 0 {
        // SAFETY: as the caller promises.
        true => Some(
            unsafe { DomainRef::of_parent(a.parent_domain) }
                .ok_or(refuse!(EINVAL, "the domain is no parent domain"))?,
        ),
        false => None,
    };
    let pd = domain.as_ref().map(DomainRef::pd);
    let wants = |bit: u32| a.wc_flags & u64::from(bit) != 0;
    let timestamp = wants(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP);
    let wallclock = wants(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK);
    let real_time = context.info.comp_mask & comp_mask::REAL_TIME_TS != 0 && wallclock && !timestamp;
    let clock_update = extended && wallclock && !real_time;
    if clock_update && context.clocks.overflow_period().is_none() {
        return Err(refuse!(EOPNOTSUPP, "wall-clock time stamps need the clock page"));
    }
    let count = ring_size(a.cqe)?;
    let cqe_shift = cqe_shift(dv)?;
    let ring = ring(context, pd, count, cqe_shift)?;
    let dbrec_slot = DbrecSlot::alloc(context, pd)?;
    dbrec_slot.clear();
    let mut plan = Plan::new(context, dv, cqe_shift)?;
    if real_time {
        plan.request_flags |= REQUEST_REAL_TIME_TS;
    }

    let mut cq = boxed(Cq {
        verbs: UnsafeCell::new([0; VERBS_CQ / 8]),
        poll: Cell::default(),
        lock: SpinLock::new(!context.single_threaded),
        extended,
        single_threaded: flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED != 0,
        cqe_version: context.info.cqe_version,
        cqe_shift,
        buf: Cell::new(ring.addr()),
        mask: Cell::new(count - 1),
        cons_index: Cell::new(0),
        dbrec: dbrec_slot.dbrec(),
        uar: context.uars.cq_uar().map_or(ptr::null_mut(), |p| p.as_ptr().cast()),
        cqn: 0,
        arm_sn: AtomicU32::new(0),
        dv_owned: AtomicBool::new(false),
        wc_flags: a.wc_flags,
        clock_update,
        cur: Lazy::default(),
        bufs: UnsafeCell::new([Some(ring), None]),
        dbrec_slot,
        domain,
        context,
    })?;
    let kernel_flags = if timestamp || wallclock { KERNEL_TIMESTAMP } else { 0 }
        | if flags & IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN != 0 { KERNEL_IGNORE_OVERRUN } else { 0 };
    create_in_kernel(context, &mut cq, a, &plan, kernel_flags)?;
    cq.install();
    Ok(object::give(cq))
}

/// The kernel's part: fills number, handle and size.
fn create_in_kernel(
    context: &Context,
    cq: &mut Cq,
    a: &ibv_cq_init_attr_ex,
    plan: &Plan,
    kernel_flags: u32,
) -> Result<()> {
    let mut flags = plan.request_flags;
    // SAFETY: registers live as long as the context.
    let uar_page = context.uars.singleton().map(|r| unsafe { r.as_ref() }.page_id());
    let short_page = uar_page.and_then(|p| u16::try_from(p).ok());
    if short_page.is_some() {
        flags |= REQUEST_UAR_PAGE_INDEX;
    }
    let request = Core::<32>::new()
        .u64(0, cq.buf.get() as u64)
        .u64(8, cq.dbrec as u64)
        .u32(16, 1 << cq.cqe_shift)
        .u8(20, plan.comp_en)
        .u8(21, plan.comp_format)
        .u16(22, flags)
        .u16(24, short_page.unwrap_or(0));
    let mut response = Core::<8>::new();
    let mut cqe = 0u32;
    // SAFETY: the application's channel, if any.
    let channel = unsafe { a.channel.as_ref() }.map_or(-1, |c| c.fd);
    // SAFETY: the public part of a live context.
    let async_fd = unsafe { (*context.ibv()).async_fd };
    let bytes = (cq.cqe_cnt() as usize) << cq.cqe_shift;
    // SAFETY: nobody else knows the queue yet.
    let ring_umem = unsafe { &*cq.bufs.get() }[0].as_ref().and_then(|b| umem::of_buf(b, 0, bytes));
    let dbrec_umem = ring_umem.as_ref().and_then(|_| umem::of_dbrec(&cq.dbrec_slot, context.page_size));
    let mut attrs = [
        Attr::new_object(attr::CREATE_CQ_HANDLE),
        Attr::number(attr::CREATE_CQ_RESP_CQE, &mut cqe),
        Attr::u32(attr::CREATE_CQ_CQE, cq.mask.get()),
        Attr::u64(attr::CREATE_CQ_USER_HANDLE, cq.ibv() as u64),
        Attr::fd(attr::CREATE_CQ_COMP_CHANNEL, channel),
        Attr::u32(attr::CREATE_CQ_COMP_VECTOR, a.comp_vector),
        Attr::fd(attr::CREATE_CQ_EVENT_FD, async_fd).optional(),
        Attr::when(kernel_flags != 0, Attr::u32(attr::CREATE_CQ_FLAGS, kernel_flags)),
        umem::attr(attr::CREATE_CQ_BUF_UMEM, &ring_umem),
        Attr::input(attr::UHW_IN, &request.0),
        Attr::output(attr::UHW_OUT, &mut response.0),
        umem::attr(attr::CREATE_CQ_DBR_BUF_UMEM, &dbrec_umem),
        Attr::when(
            uar_page.is_some() && short_page.is_none(),
            Attr::u32(attr::CREATE_CQ_UAR_INDEX, uar_page.unwrap_or(0)),
        ),
    ];
    uverbs::execute(context.fd, obj::CQ, method::CQ_CREATE, &mut attrs)?;
    let handle = attrs[0].new_handle();
    cq.cqn = response.get32(0);
    cq.mask.set(cqe);
    // SAFETY: the public part is ours until the queue is handed out.
    unsafe {
        let public = cq.ibv();
        (*public).context = context.ibv();
        (*public).handle = handle;
        (*public).cqe = cqe as c_int;
    }
    Ok(())
}

/// `ibv_create_cq`. EINVAL without entries; else as [`create`].
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn create_cq(
    context: *mut ibv_context,
    cqe: c_int,
    channel: *mut ibv_comp_channel,
    comp_vector: c_int,
) -> *mut ibv_cq {
    border::null("ibv_create_cq", || {
        let Ok(cqe) = u32::try_from(cqe) else { return Err(refuse!(EINVAL, "no entries", cqe = cqe)) };
        let a = ibv_cq_init_attr_ex {
            cqe,
            cq_context: ptr::null_mut(),
            channel,
            comp_vector: comp_vector as u32,
            wc_flags: u64::from(IBV_WC_STANDARD_FLAGS),
            comp_mask: 0,
            flags: 0,
            parent_domain: ptr::null_mut(),
        };
        // SAFETY: the promise above.
        unsafe { create(Context::from_own(context), &a, None, false) }
    })
}

/// `ibv_create_cq_ex`. Errors: as [`create`].
///
/// # Safety
/// As [`create_cq`].
pub unsafe extern "C" fn create_cq_ex(
    context: *mut ibv_context,
    attr: *mut ibv_cq_init_attr_ex,
) -> *mut ibv_cq_ex {
    border::null("ibv_create_cq_ex", || {
        // SAFETY: the promise of verbs operations.
        unsafe { create(Context::from_own(context), &*attr, None, true).map(|cq| cq.cast()) }
    })
}

/// `mlx5dv_create_cq`: as [`create`], and what `ibv_create_cq_ex` does afterwards in libibverbs.
///
/// # Safety
/// As the manual page asks.
pub unsafe fn dv_create_cq(
    context: *mut ibv_context,
    attr: *mut ibv_cq_init_attr_ex,
    dv: *mut mlx5dv_cq_init_attr,
) -> Result<*mut ibv_cq_ex> {
    // SAFETY: as the caller promises.
    unsafe {
        let ctx = Context::from_ibv(context)?;
        let ibverbs = ibverbs::get().ok_or(refuse!(ENOSYS, "no known libibverbs"))?;
        let a = attr.as_ref().ok_or(refuse!(EINVAL, "cq_attr is NULL"))?;
        let cq = create(ctx, a, dv.as_ref(), true)?;
        (ibverbs.verbs_init_cq)(cq, context, a.channel, a.cq_context);
        Ok(cq.cast())
    }
}

/// `ibv_destroy_cq`: waits until all events are acknowledged. Errors: the kernel's.
///
/// # Safety
/// As [`create_cq`].
pub unsafe extern "C" fn destroy_cq(cq: *mut ibv_cq) -> c_int {
    border::value("ibv_destroy_cq", || {
        // SAFETY: the promise of verbs operations.
        let c = unsafe { Cq::from_ibv(cq) };
        // SAFETY: as above.
        let handle = unsafe { (*cq).handle };
        let events = kernel::destroy_with_events::<8>(
            c.context(),
            obj::CQ,
            method::CQ_DESTROY,
            attr::DESTROY_CQ_RESP,
            attr::DESTROY_CQ_HANDLE,
            handle,
        )?;
        // SAFETY: libibverbs has initialised mutex and condition; the counters change under the
        // mutex.
        unsafe {
            object::wait_for_acks(&raw mut (*cq).mutex, &raw mut (*cq).cond, || {
                (&raw const (*cq).comp_events_completed).read_volatile() == events.get32(0)
                    && (&raw const (*cq).async_events_completed).read_volatile() == events.get32(4)
            });
            drop(object::take::<Cq, _>(cq));
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Errno;

    #[test]
    fn rings_hold_one_entry_more_than_asked_for() {
        assert_eq!(ring_size(1).unwrap(), 2);
        assert_eq!(ring_size(2).unwrap(), 4);
        assert_eq!(ring_size(3).unwrap(), 4);
        assert_eq!(ring_size(127).unwrap(), 128);
        assert_eq!(ring_size(128).unwrap(), 256);
        assert_eq!(ring_size((1 << 24) - 1).unwrap(), 1 << 24);
        assert_eq!(ring_size(1 << 24).unwrap_err().errno(), Errno::EINVAL);
        assert_eq!(ring_size(u32::MAX).unwrap_err().errno(), Errno::EINVAL);
    }
}
