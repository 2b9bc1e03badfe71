//! Work queues and indirection tables of receive side scaling.

use super::{
    buf::{self, Buf, align},
    core::{self as kernel, Core},
    dbrec::DbrecSlot,
    object::{self, boxed, take},
    pd::{DomainRef, Pd},
    qp::size,
    table::Registration,
};
use crate::{
    abi::{
        dv::{consts::*, mlx5dv_wq_init_attr},
        verbs::{consts::*, *},
    },
    border,
    datapath::{
        cq::Cq,
        queue::{RecvQueue, Resource, ResourceKind, SideArray},
        wq::Wq,
    },
    env,
    error::{Errno, Result},
    provider::Context,
    sync::SpinLock,
    trace,
    uverbs::{self, Attr},
};
use alloc::vec::Vec;
use core::{
    cell::{Cell, UnsafeCell},
    ffi::c_int,
    mem::MaybeUninit,
};
use prm::uverbs::{attr, method, object as obj};

/// Extended commands of the kernel.
const EX_MODIFY_WQ: u16 = 53;
const EX_CREATE_RWQ_IND_TBL: u16 = 55;
/// Most WQs of an indirection table, as a logarithm: the kernel takes no more.
const MAX_LOG_TABLE: u32 = 13;

/// Driver's request (`mlx5_ib_create_wq`).
mod request {
    pub const SIGNATURE: u32 = 1;
    pub const STRIDING_RQ: u32 = 1;
}

/// Striding attributes, checked against the device. EINVAL.
fn striding(context: &Context, dv: &mlx5dv_wq_init_attr) -> Result<[u32; 3]> {
    let [min_bytes, max_bytes, min_strides, max_strides, _] = context.device.striding_rq;
    let s = &dv.striding_rq_attrs;
    if !(min_bytes..=max_bytes).contains(&s.single_stride_log_num_of_bytes) {
        return Err(refuse!(EINVAL, "no such stride", log_bytes = s.single_stride_log_num_of_bytes));
    }
    if !(min_strides..=max_strides).contains(&s.single_wqe_log_num_of_strides) {
        return Err(refuse!(EINVAL, "no such number of strides", log = s.single_wqe_log_num_of_strides));
    }
    Ok([
        s.single_stride_log_num_of_bytes,
        s.single_wqe_log_num_of_strides,
        u32::from(s.two_byte_shift_en != 0),
    ])
}

/// Creates a WQ. EINVAL for other types than receive, for sizes and strides that the device
/// lacks; else allocations', the kernel's.
///
/// # Safety
/// The pointers in `a` are valid objects of this library.
pub unsafe fn create(
    context: &Context,
    a: &ibv_wq_init_attr,
    dv: Option<&mlx5dv_wq_init_attr>,
) -> Result<*mut ibv_wq> {
    if a.wq_type != IBV_WQT_RQ {
        return Err(refuse!(EINVAL, "WQ type is not RQ", wq_type = a.wq_type));
    }
    // SAFETY: as the caller promises.
    let (pd, cq) = unsafe { (a.pd.cast::<Pd>().as_ref(), a.cq.as_ref()) };
    let pd = pd.ok_or(refuse!(EINVAL, "WQ without a domain"))?;
    let cq = cq.ok_or(refuse!(EINVAL, "WQ without a CQ"))?;
    const KNOWN: u64 = MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ as u64;
    if a.max_wr != 0
        && let Some(d) = dv
        && d.comp_mask & !KNOWN != 0
    {
        return Err(refuse!(EINVAL, "unknown mlx5 comp_mask bits", comp_mask = d.comp_mask));
    }
    let dv_striding = dv.filter(|d| d.comp_mask & KNOWN != 0);
    let wq_sig = env::get(c"MLX5_RWQ_SIGNATURE").is_some();
    let max_rq_desc = u32::from(context.info.max_rq_desc_sz);
    let size = size::wq(a.max_wr, a.max_sge, dv_striding.is_some(), wq_sig, max_rq_desc)?;
    let ring = Buf::alloc(
        context,
        &buf::Request {
            component: &buf::RWQ,
            size: align(size.bytes, context.page_size),
            align: context.page_size,
            pd: Some(pd),
            default: buf::AllocType::Anon,
        },
    )?;
    let dbrec_slot = DbrecSlot::alloc(context, Some(pd))?;
    dbrec_slot.clear_unless_custom();
    let custom = ring.is_custom() || dbrec_slot.is_custom();
    let mut wq = boxed(Wq {
        verbs: UnsafeCell::new(MaybeUninit::zeroed()),
        resource: Resource::new(ResourceKind::Rwq),
        rq: RecvQueue {
            lock: SpinLock::new(!context.single_threaded && pd.td().is_none()),
            wq_sig,
            wqe_shift: size.wqe_shift,
            sge_limit: Cell::new(size.max_gs as i32),
            buf: ring.addr(),
            wqe_cnt: size.wqe_cnt,
            mask: size.wqe_cnt.saturating_sub(1),
            max_post: size.max_post,
            max_gs: size.max_gs,
            wrid: SideArray::new(size.wqe_cnt as usize)?,
            ..RecvQueue::none()
        },
        dbrec: dbrec_slot.dbrec(),
        state: Cell::new(IBV_WQS_RESET),
        striding: dv_striding.is_some(),
        buf: ring,
        dbrec_slot,
        domain: (custom && pd.parent.is_some()).then(|| DomainRef::new(pd)),
        registration: UnsafeCell::new(None),
        context,
    })?;
    let registration = Registration::anywhere(&context.uidxs, &wq.resource)?;
    let uidx = registration.key();
    wq.resource.rsn.set(uidx);
    wq.registration = UnsafeCell::new(Some(registration));
    let strides = dv_striding.map(|d| striding(context, d)).transpose()?;
    create_in_kernel(context, &wq, a, (pd.verbs.handle, cq.handle), uidx, strides)?;
    wq.install();
    Ok(object::give(wq))
}

/// The kernel's part, and the public one.
fn create_in_kernel(
    context: &Context,
    wq: &Wq,
    a: &ibv_wq_init_attr,
    (pd, cq): (u32, u32),
    uidx: u32,
    strides: Option<[u32; 3]>,
) -> Result<()> {
    let [log_bytes, log_strides, shift] = strides.unwrap_or_default();
    let request = Core::<48>::new()
        .u64(0, wq.rq.buf as u64)
        .u64(8, wq.dbrec as u64)
        .u32(16, wq.rq.wqe_cnt)
        .u32(20, wq.rq.wqe_shift)
        .u32(24, uidx)
        .u32(28, if wq.rq.wq_sig { request::SIGNATURE } else { 0 })
        .u32(32, if strides.is_some() { request::STRIDING_RQ } else { 0 })
        .u32(36, log_bytes)
        .u32(40, log_strides)
        .u16(44, shift as u16);
    let mut driver = Core::<8>::new();
    let (mut max_wr, mut max_sge, mut number) = (0u32, 0u32, 0u32);
    let flags = if a.comp_mask & IBV_WQ_INIT_ATTR_FLAGS != 0 { a.create_flags } else { 0 };
    if flags >= IBV_WQ_FLAGS_RESERVED {
        return Err(refuse!(EOPNOTSUPP, "unknown create_flags", create_flags = flags));
    }
    // SAFETY: the public part of a live context.
    let async_fd = unsafe { (*context.ibv()).async_fd };
    let mut attrs = [
        Attr::new_object(attr::CREATE_WQ_HANDLE),
        Attr::u64(attr::CREATE_WQ_USER_HANDLE, wq.ibv() as u64),
        Attr::handle(attr::CREATE_WQ_PD_HANDLE, pd),
        Attr::handle(attr::CREATE_WQ_CQ_HANDLE, cq),
        Attr::u64(attr::CREATE_WQ_TYPE, u64::from(a.wq_type)),
        Attr::u32(attr::CREATE_WQ_MAX_WR, a.max_wr),
        Attr::u32(attr::CREATE_WQ_MAX_SGE, a.max_sge),
        Attr::fd(attr::CREATE_WQ_EVENT_FD, async_fd),
        Attr::u32(attr::CREATE_WQ_FLAGS, flags),
        Attr::number(attr::CREATE_WQ_RESP_MAX_WR, &mut max_wr),
        Attr::number(attr::CREATE_WQ_RESP_MAX_SGE, &mut max_sge),
        Attr::number(attr::CREATE_WQ_RESP_WQ_NUM, &mut number),
        Attr::input(attr::UHW_IN, &request.0),
        Attr::output(attr::UHW_OUT, &mut driver.0),
    ];
    uverbs::execute(context.fd, obj::WQ, method::WQ_CREATE, &mut attrs)?;
    // SAFETY: nobody else knows the queue yet.
    unsafe {
        let public = wq.ibv();
        (*public).context = context.ibv();
        (*public).handle = attrs[0].new_handle();
        (*public).wq_num = number;
        (*public).pd = a.pd;
        (*public).cq = a.cq;
        (*public).wq_type = a.wq_type;
        (*public).state = IBV_WQS_RESET;
    }
    Ok(())
}

/// `ibv_create_wq`. Errors: as [`create`].
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn create_wq(context: *mut ibv_context, a: *mut ibv_wq_init_attr) -> *mut ibv_wq {
    // SAFETY: the promise above.
    border::null("ibv_create_wq", || unsafe { create(Context::from_own(context), &*a, None) })
}

/// `ibv_modify_wq`. EINVAL if the state that the application believes in is not the queue's, else
/// the kernel's; **negated** where this library refuses, as upstream has it.
///
/// # Safety
/// As [`create_wq`].
pub unsafe extern "C" fn modify_wq(wq: *mut ibv_wq, attr: *mut ibv_wq_attr) -> c_int {
    // SAFETY: the promise of verbs operations.
    let (w, a) = unsafe { (Wq::from_ibv(wq), &*attr) };
    let to_ready = a.attr_mask & IBV_WQ_ATTR_STATE != 0 && a.wq_state == IBV_WQS_RDY;
    let state = w.state.get();
    if to_ready {
        if a.attr_mask & IBV_WQ_ATTR_CURR_STATE != 0 && a.curr_wq_state != state {
            let r = refuse!(EINVAL, "the queue is in another state", state = state);
            trace::refusal("ibv_modify_wq", &r);
            return -r.errno().0;
        }
        if state == IBV_WQS_RESET {
            forget_requests(w);
        }
    }
    border::value("ibv_modify_wq", || {
        // SAFETY: as above.
        let (handle, context) = unsafe { ((*wq).handle, &*w.context) };
        let core = Core::<24>::new()
            .u32(0, a.attr_mask)
            .u32(4, handle)
            .u32(8, a.wq_state)
            .u32(12, a.curr_wq_state)
            .u32(16, a.flags)
            .u32(20, a.flags_mask);
        // The driver's part: `mlx5_ib_modify_wq`, without any bit.
        let command = uverbs::extended(EX_MODIFY_WQ);
        uverbs::invoke_write(context.fd, command, &core.0, &mut [], &[0; 8], &mut [])?;
        if a.attr_mask & IBV_WQ_ATTR_STATE != 0 {
            w.state.set(a.wq_state);
            // SAFETY: as above.
            unsafe { (*wq).state = a.wq_state };
        }
        Ok(())
    })
}

/// Takes the queue's completions out of its CQ and starts counting anew.
fn forget_requests(w: &Wq) {
    // SAFETY: the public part of a live queue; its CQ outlives it.
    if let Some(cq) = unsafe { (*w.ibv()).cq.cast::<Cq>().as_ref() } {
        cq.lock.with(|| cq.clean(w.resource.rsn.get(), None));
    }
    w.rq.reset();
    w.dbrec_slot.clear();
}

/// `ibv_destroy_wq`. Errors: the kernel's.
///
/// # Safety
/// As [`create_wq`].
pub unsafe extern "C" fn destroy_wq(wq: *mut ibv_wq) -> c_int {
    border::value("ibv_destroy_wq", || {
        // SAFETY: the promise of verbs operations.
        let (w, handle) = unsafe { (Wq::from_ibv(wq), (*wq).handle) };
        // SAFETY: contexts outlive their objects.
        let context = unsafe { &*w.context };
        let events = kernel::destroy_with_events::<4>(
            context,
            obj::WQ,
            method::WQ_DESTROY,
            attr::DESTROY_WQ_RESP,
            attr::DESTROY_WQ_HANDLE,
            handle,
        )?;
        // SAFETY: the counter changes under the mutex. A queue of `mlx5dv_create_wq` has mutex and
        // condition zero, which is their initial state.
        unsafe {
            object::wait_for_acks(&raw mut (*wq).mutex, &raw mut (*wq).cond, || {
                (&raw const (*wq).events_completed).read_volatile() == events.get32(0)
            });
            if let Some(cq) = (*wq).cq.cast::<Cq>().as_ref() {
                cq.lock.with(|| cq.clean(w.resource.rsn.get(), None));
            }
            drop(take::<Wq, _>(wq));
        }
        Ok(())
    })
}

/// `ibv_create_rwq_ind_table`. EINVAL for unknown bits or a table too large; else the kernel's,
/// ENOMEM.
///
/// # Safety
/// As [`create_wq`].
pub unsafe extern "C" fn create_rwq_ind_table(
    context: *mut ibv_context,
    init: *mut ibv_rwq_ind_table_init_attr,
) -> *mut ibv_rwq_ind_table {
    border::null("ibv_create_rwq_ind_table", || {
        // SAFETY: the promise of verbs operations.
        let (ctx, a) = unsafe { (Context::from_own(context), &*init) };
        if a.comp_mask >= IBV_CREATE_IND_TABLE_RESERVED {
            return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = a.comp_mask));
        }
        if a.log_ind_tbl_size > MAX_LOG_TABLE {
            return Err(refuse!(EINVAL, "table too large", log_ind_tbl_size = a.log_ind_tbl_size));
        }
        let count = 1usize << a.log_ind_tbl_size;
        // SAFETY: the application fills the table for the call.
        let wqs = unsafe { object::slice(a.ind_tbl.cast_const(), count) };
        let mut core = Vec::new();
        core.try_reserve_exact(8 + 4 * count.next_multiple_of(2)).map_err(|_| Errno::ENOMEM)?;
        core.extend_from_slice(&0u32.to_ne_bytes());
        core.extend_from_slice(&a.log_ind_tbl_size.to_ne_bytes());
        for wq in wqs {
            // SAFETY: live queues of this library.
            let handle = unsafe { wq.as_ref() }.ok_or(refuse!(EINVAL, "WQ is NULL"))?.handle;
            core.extend_from_slice(&handle.to_ne_bytes());
        }
        // The kernel wants whole 8 bytes.
        core.resize(core.len().next_multiple_of(8), 0);
        let mut response = Core::<16>::new();
        uverbs::invoke_write(
            ctx.fd,
            uverbs::extended(EX_CREATE_RWQ_IND_TBL),
            &core,
            &mut response.0,
            &[],
            &mut [],
        )?;
        let handle = response.get32(8);
        let table = boxed(ibv_rwq_ind_table {
            context,
            ind_tbl_handle: handle as c_int,
            ind_tbl_num: response.get32(12) as c_int,
            comp_mask: 0,
        })
        .inspect_err(|_| {
            let _ = destroy_table(ctx, handle);
        })?;
        Ok(object::give(table))
    })
}

fn destroy_table(context: &Context, handle: u32) -> Result<()> {
    kernel::destroy(
        context,
        obj::RWQ_IND_TBL,
        method::RWQ_IND_TBL_DESTROY,
        attr::DESTROY_RWQ_IND_TBL_HANDLE,
        handle,
    )
}

/// `ibv_destroy_rwq_ind_table`. Errors: the kernel's.
///
/// # Safety
/// As [`create_wq`].
pub unsafe extern "C" fn destroy_rwq_ind_table(table: *mut ibv_rwq_ind_table) -> c_int {
    border::value("ibv_destroy_rwq_ind_table", || {
        // SAFETY: the promise of verbs operations.
        let (context, handle) =
            unsafe { (Context::from_own((*table).context), (*table).ind_tbl_handle as u32) };
        destroy_table(context, handle)?;
        // SAFETY: made by `give`, and not used any more.
        drop(unsafe { take::<ibv_rwq_ind_table, _>(table) });
        Ok(())
    })
}
