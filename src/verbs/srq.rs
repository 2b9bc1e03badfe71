//! Shared receive queues: creation, modification, query, destruction.

use super::{
    buf::{self, Buf, align},
    core::{self as kernel, Core},
    dbrec::DbrecSlot,
    object::{self, boxed, take},
    pd::{DomainRef, Pd},
    qp::create::NO_UIDX,
    small::xrcd_handle,
    srq_size::{SrqSize, srq_size},
    table::Registration,
    tm,
};
use crate::{
    abi::verbs::{consts::*, *},
    border,
    datapath::{
        cq::Cq,
        queue::{Resource, ResourceKind, SideArray},
        srq::{Srq, VERBS_SRQ},
    },
    env,
    error::Result,
    provider::Context,
    sync::SpinLock,
    uverbs::{self, Attr},
};
use alloc::boxed::Box;
use core::{
    cell::{Cell, UnsafeCell},
    ffi::c_int,
    ptr,
};
use prm::uverbs::{attr, method, object as obj, write};

/// libibverbs' `verbs_srq` behind the public struct.
#[repr(C)]
struct VerbsSrq {
    srq: ibv_srq,
    srq_type: u32,
    xrcd: *mut ibv_xrcd,
    cq: *mut ibv_cq,
    srq_num: u32,
}

/// Flag of the driver's request.
const SIGNATURE: u32 = 1;
/// `be16` of the next segment: index of the WQE that follows in the list.
const NEXT_WQE_INDEX: usize = 2;

fn verbs(srq: &Srq) -> *mut VerbsSrq {
    const { assert!(size_of::<VerbsSrq>() == VERBS_SRQ) };
    srq.verbs.get().cast()
}

/// A queue that nobody knows yet: ring, record, lists.
fn build(context: &Context, pd: &Pd, size: &SrqSize, kind: ResourceKind) -> Result<Box<Srq>> {
    let bytes = (size.total as usize) << size.wqe_shift;
    let ring = Buf::alloc(
        context,
        &buf::Request {
            component: &buf::SRQ,
            size: align(bytes, context.page_size),
            align: context.page_size,
            pd: Some(pd),
            default: buf::AllocType::Anon,
        },
    )?;
    ring.zero(bytes);
    let dbrec_slot = DbrecSlot::alloc(context, Some(pd))?;
    dbrec_slot.clear_unless_custom();
    let custom = ring.is_custom() || dbrec_slot.is_custom();
    let need_lock = !context.single_threaded && pd.td().is_none();
    let srq = boxed(Srq {
        verbs: UnsafeCell::new([0; VERBS_SRQ / 8]),
        resource: Resource::new(kind),
        lock: SpinLock::new(need_lock),
        wq_sig: env::get(c"MLX5_SRQ_SIGNATURE").is_some(),
        wqe_shift: size.wqe_shift,
        buf: ring.addr(),
        total: size.total,
        nwqes: Cell::new(size.nwqes),
        max_gs: size.max_gs,
        head: Cell::new(0),
        tail: Cell::new(size.nwqes - 1),
        waitq_head: Cell::new(size.wait_queue().map_or(-1, |(first, _)| first as i32)),
        waitq_tail: Cell::new(size.wait_queue().map_or(-1, |(_, last)| last as i32)),
        wrid: SideArray::new(size.total as usize)?,
        free: SideArray::new((size.total as usize).div_ceil(64))?,
        counter: Cell::new(0),
        dbrec: dbrec_slot.dbrec(),
        srqn: 0,
        tm: None,
        owned_buf: ring,
        dbrec_slot,
        domain: (custom && pd.parent.is_some()).then(|| DomainRef::new(pd)),
        registration: UnsafeCell::new(None),
        context,
    })?;
    link(&srq, 0, size.nwqes - 1);
    if let Some((first, last)) = size.wait_queue() {
        link(&srq, first, last);
    }
    Ok(srq)
}

/// Chains WQEs `first..=last`; the last one keeps what it has.
fn link(srq: &Srq, first: u32, last: u32) {
    for i in first..last {
        let next = (i + 1) as u16;
        // SAFETY: within the ring, which nobody else knows yet.
        unsafe { srq.wqe(i).add(NEXT_WQE_INDEX).cast::<u16>().write_unaligned(next.to_be()) }
    }
}

/// Attributes of the kernel's method beside those that every queue has.
struct Extra {
    srq_type: u32,
    xrcd: Option<u32>,
    cq: Option<u32>,
    max_num_tags: Option<u32>,
}

/// Numbers that the kernel answers.
struct Answer {
    handle: u32,
    max_sge: u32,
    srqn: u32,
}

fn create_in_kernel(
    context: &Context,
    srq: &Srq,
    pd: &Pd,
    limit: u32,
    uidx: u32,
    extra: &Extra,
) -> Result<Answer> {
    let request = Core::<32>::new()
        .u64(0, srq.buf as u64)
        .u64(8, srq.dbrec as u64)
        .u32(16, if srq.wq_sig { SIGNATURE } else { 0 })
        .u32(24, uidx);
    let mut driver = Core::<8>::new();
    let (mut max_wr, mut max_sge, mut srq_num) = (0u32, 0u32, 0u32);
    // SAFETY: the public part of a live context.
    let async_fd = unsafe { (*context.ibv()).async_fd };
    let optional = |id: u16, handle: Option<u32>| handle.map_or(Attr::absent(), |h| Attr::handle(id, h));
    let mut attrs = [
        optional(attr::CREATE_SRQ_XRCD_HANDLE, extra.xrcd),
        optional(attr::CREATE_SRQ_CQ_HANDLE, extra.cq),
        Attr::when(
            extra.max_num_tags.is_some(),
            Attr::u32(attr::CREATE_SRQ_MAX_NUM_TAGS, extra.max_num_tags.unwrap_or(0)),
        ),
        Attr::when(extra.srq_type == IBV_SRQT_XRC, Attr::number(attr::CREATE_SRQ_RESP_SRQ_NUM, &mut srq_num)),
        Attr::new_object(attr::CREATE_SRQ_HANDLE),
        Attr::u64(attr::CREATE_SRQ_TYPE, u64::from(extra.srq_type)),
        Attr::u64(attr::CREATE_SRQ_USER_HANDLE, srq.ibv() as u64),
        Attr::handle(attr::CREATE_SRQ_PD_HANDLE, pd.verbs.handle),
        Attr::u32(attr::CREATE_SRQ_MAX_WR, srq.total - 1),
        Attr::u32(attr::CREATE_SRQ_MAX_SGE, srq.max_gs),
        Attr::u32(attr::CREATE_SRQ_LIMIT, limit),
        Attr::fd(attr::CREATE_SRQ_EVENT_FD, async_fd),
        Attr::number(attr::CREATE_SRQ_RESP_MAX_WR, &mut max_wr),
        Attr::number(attr::CREATE_SRQ_RESP_MAX_SGE, &mut max_sge),
        Attr::input(attr::UHW_IN, &request.0),
        Attr::output(attr::UHW_OUT, &mut driver.0),
    ];
    uverbs::execute(context.fd, obj::SRQ, method::SRQ_CREATE, &mut attrs)?;
    Ok(Answer { handle: attrs[4].new_handle(), max_sge, srqn: driver.get32(0) })
}

/// What is needed of the attributes, of either struct.
pub struct Wish {
    pub srq_context: *mut ::core::ffi::c_void,
    pub attr: ibv_srq_attr,
    pub srq_type: u32,
    pub pd: *mut ibv_pd,
    pub xrcd: *mut ibv_xrcd,
    pub cq: *mut ibv_cq,
    pub tm_cap: ibv_tm_cap,
}

/// Creates a queue of any type. `w.attr` is updated, on some failures too.
///
/// # Safety
/// The pointers are valid objects of this library.
unsafe fn create(w: &mut Wish) -> Result<*mut ibv_srq> {
    // SAFETY: as the caller promises.
    let pd = unsafe { w.pd.cast::<Pd>().as_ref() }.ok_or(refuse!(EINVAL, "SRQ without a domain"))?;
    let context = pd.context();
    let basic = w.srq_type == IBV_SRQT_BASIC;
    let tag_matching = w.srq_type == IBV_SRQT_TM;
    // SAFETY: as above.
    if tag_matching && !unsafe { w.cq.cast::<Cq>().as_ref() }.is_some_and(|cq| cq.extended) {
        return Err(refuse!(EINVAL, "tag matching needs an extended CQ"));
    }
    let size = srq_size(context, &w.attr, basic)?;
    let kind = if basic { ResourceKind::Srq } else { ResourceKind::Xsrq };
    let mut srq = build(context, pd, &size, kind)?;
    w.attr.max_sge = size.max_gs;
    let v1 = context.info.cqe_version != 0;
    let uidx = match basic {
        true => 0,
        false if v1 => {
            let r = Registration::anywhere(&context.uidxs, &srq.resource)?;
            let key = r.key();
            srq.registration = UnsafeCell::new(Some(r));
            key
        }
        false => NO_UIDX,
    };
    let extra = Extra {
        srq_type: w.srq_type,
        // SAFETY: as above.
        xrcd: (w.srq_type == IBV_SRQT_XRC && !w.xrcd.is_null()).then(|| unsafe { xrcd_handle(w.xrcd) }),
        // SAFETY: as above.
        cq: if basic { None } else { unsafe { w.cq.as_ref() }.map(|c| c.handle) },
        max_num_tags: tag_matching.then_some(w.tm_cap.max_num_tags),
    };
    let numbers = (basic || !v1).then(|| context.numbers.lock());
    let made = create_in_kernel(context, &srq, pd, w.attr.srq_limit, uidx, &extra);
    // What a failing call leaves in the attributes differs by type.
    w.attr.max_wr = if basic { size.total - 1 } else { size.nwqes - 1 };
    let answer = made?;
    srq.srqn = answer.srqn;
    srq.resource.rsn.set(if basic || !v1 { answer.srqn } else { uidx });
    // SAFETY: nobody else knows the queue yet.
    unsafe { (*srq.ibv()).handle = answer.handle };
    if basic || !v1 {
        let r = Registration::at(&context.srqs, answer.srqn, &srq.resource).inspect_err(|_| {
            let _ = destroy_in_kernel(context, &srq);
        })?;
        srq.registration = UnsafeCell::new(Some(r));
    }
    drop(numbers);
    w.attr.max_wr = size.nwqes - 1;
    if basic {
        w.attr.max_sge = answer.max_sge;
    }
    publish(context, &srq, w);
    if tag_matching {
        // SAFETY: as above.
        match unsafe { tm::make(context, &srq, w) } {
            Ok(tm) => srq.tm = Some(tm),
            Err(r) => {
                let _ = border::keep_errno(|| destroy_in_kernel(context, &srq));
                return Err(r);
            }
        }
    }
    Ok(object::give(srq))
}

/// Fills the public part, as libibverbs does.
fn publish(context: &Context, srq: &Srq, w: &Wish) {
    let v = verbs(srq);
    // SAFETY: nobody else knows the queue yet.
    unsafe {
        (*v).srq.context = context.ibv();
        (*v).srq.srq_context = w.srq_context;
        (*v).srq.pd = w.pd;
        (*v).srq.events_completed = 0;
        object::init_sync(&raw mut (*v).srq.mutex, &raw mut (*v).srq.cond);
        (*v).srq_type = w.srq_type;
        (*v).srq_num = srq.srqn;
        if w.srq_type != IBV_SRQT_BASIC {
            (*v).xrcd = w.xrcd;
            (*v).cq = w.cq;
        }
    }
}

/// `ibv_create_srq`. EINVAL for sizes that the device lacks; else allocations', the kernel's.
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn create_srq(pd: *mut ibv_pd, init: *mut ibv_srq_init_attr) -> *mut ibv_srq {
    border::null("ibv_create_srq", || {
        // SAFETY: the promise above.
        let a = unsafe { &mut *init };
        let mut w = Wish {
            srq_context: a.srq_context,
            attr: a.attr,
            srq_type: IBV_SRQT_BASIC,
            pd,
            xrcd: ptr::null_mut(),
            cq: ptr::null_mut(),
            tm_cap: ibv_tm_cap { max_num_tags: 0, max_ops: 0 },
        };
        // SAFETY: as above.
        let r = unsafe { create(&mut w) };
        a.attr = w.attr;
        r
    })
}

/// `ibv_create_srq_ex`: basic, XRC and tag-matching queues. EINVAL for unknown types, sizes that
/// the device lacks, or tag matching without an extended CQ; else allocations', the kernel's.
///
/// # Safety
/// As [`create_srq`].
pub unsafe extern "C" fn create_srq_ex(
    _context: *mut ibv_context,
    init: *mut ibv_srq_init_attr_ex,
) -> *mut ibv_srq {
    border::null("ibv_create_srq_ex", || {
        // SAFETY: the promise of verbs operations.
        let a = unsafe { &mut *init };
        let has = |bit: u32| a.comp_mask & bit != 0;
        let srq_type = if has(IBV_SRQ_INIT_ATTR_TYPE) { a.srq_type } else { IBV_SRQT_BASIC };
        if srq_type > IBV_SRQT_TM {
            return Err(refuse!(EINVAL, "unknown SRQ type", srq_type = srq_type));
        }
        let mut w = Wish {
            srq_context: a.srq_context,
            attr: a.attr,
            srq_type,
            pd: a.pd,
            xrcd: if has(IBV_SRQ_INIT_ATTR_XRCD) { a.xrcd } else { ptr::null_mut() },
            cq: if has(IBV_SRQ_INIT_ATTR_CQ) { a.cq } else { ptr::null_mut() },
            tm_cap: if has(IBV_SRQ_INIT_ATTR_TM) {
                a.tm_cap
            } else {
                ibv_tm_cap { max_num_tags: 0, max_ops: 0 }
            },
        };
        // SAFETY: as above.
        let r = unsafe { create(&mut w) };
        a.attr = w.attr;
        r
    })
}

/// `ibv_modify_srq`. Errors: the kernel's.
///
/// # Safety
/// As [`create_srq`].
pub unsafe extern "C" fn modify_srq(srq: *mut ibv_srq, a: *mut ibv_srq_attr, mask: c_int) -> c_int {
    border::value("ibv_modify_srq", || {
        // SAFETY: the promise of verbs operations.
        let (s, a, handle) = unsafe { (Srq::from_ibv(srq), &*a, (*srq).handle) };
        let core = Core::<16>::new().u32(0, handle).u32(4, mask as u32).u32(8, a.max_wr).u32(12, a.srq_limit);
        Ok(kernel::order(s.context(), u32::from(write::MODIFY_SRQ), &core)?)
    })
}

/// `ibv_query_srq`. Errors: the kernel's.
///
/// # Safety
/// As [`create_srq`].
pub unsafe extern "C" fn query_srq(srq: *mut ibv_srq, a: *mut ibv_srq_attr) -> c_int {
    border::value("ibv_query_srq", || {
        // SAFETY: the promise of verbs operations.
        let (s, a, handle) = unsafe { (Srq::from_ibv(srq), &mut *a, (*srq).handle) };
        let mut c = Core::<16>::new();
        kernel::command(s.context(), write::QUERY_SRQ, Core::<16>::new().u32(8, handle), &mut c)?;
        *a = ibv_srq_attr { max_wr: c.get32(0), max_sge: c.get32(4), srq_limit: c.get32(8) };
        Ok(())
    })
}

/// `ibv_get_srq_num`: of any type of queue.
///
/// # Safety
/// As [`create_srq`].
pub unsafe extern "C" fn get_srq_num(srq: *mut ibv_srq, number: *mut u32) -> c_int {
    // SAFETY: the promise of verbs operations.
    unsafe { *number = Srq::from_ibv(srq).srqn };
    0
}

fn destroy_in_kernel(context: &Context, srq: &Srq) -> Result<u32> {
    // SAFETY: the public part of a queue that is alive.
    let handle = unsafe { (*srq.ibv()).handle };
    let events = kernel::destroy_with_events::<4>(
        context,
        obj::SRQ,
        method::SRQ_DESTROY,
        attr::DESTROY_SRQ_RESP,
        attr::DESTROY_SRQ_HANDLE,
        handle,
    )?;
    Ok(events.get32(0))
}

/// `ibv_destroy_srq`: the command QP of a tag-matching queue first. Waits until all events are
/// acknowledged. Errors: the kernel's.
///
/// # Safety
/// As [`create_srq`].
pub unsafe extern "C" fn destroy_srq(srq: *mut ibv_srq) -> c_int {
    border::value("ibv_destroy_srq", || {
        // SAFETY: the promise of verbs operations.
        let s = unsafe { &mut *srq.cast::<Srq>() };
        if let Some(tm) = &s.tm {
            // SAFETY: made by `tm::make`; nobody else knows it.
            unsafe { tm::destroy(tm)? };
            s.tm = None;
        }
        // SAFETY: contexts outlive their objects.
        let context = unsafe { &*s.context };
        let numbers = (context.info.cqe_version == 0 || s.resource.kind == ResourceKind::Srq)
            .then(|| context.numbers.lock());
        let events = destroy_in_kernel(context, s)?;
        // SAFETY: the mutex and condition are initialised, the counter changes under the mutex.
        unsafe {
            object::wait_for_acks(&raw mut (*srq).mutex, &raw mut (*srq).cond, || {
                (&raw const (*srq).events_completed).read_volatile() == events
            });
            *s.registration.get() = None;
        }
        drop(numbers);
        // SAFETY: made by `give`, and not used any more.
        drop(unsafe { take::<Srq, _>(srq) });
        Ok(())
    })
}
