//! Creation of QPs with queues, and of DCTs.

use super::{
    super::{
        buf::{self, Buf, align},
        dbrec::DbrecSlot,
        object::{self, boxed},
        opaque,
        pd::{DomainRef, Pd},
        table::Registration,
    },
    Ownership, Register, bare,
    flags::{Plan, Way, flag},
    kernel::{self, Request},
    rss,
    size::{self, Limits, RecvSize, SendSize, Wish},
};
use crate::{
    abi::{
        dv::{mlx5dv_ooo_recv_wrs_caps, mlx5dv_qp_init_attr},
        verbs::{consts::*, *},
    },
    border,
    datapath::{
        qp::Qp,
        queue::{RecvQueue, Resource, ResourceKind, SEND_WQE_SHIFT, SendQueue, SideArray},
    },
    error::Result,
    provider::{Context, dv_query::ooo_recv_wrs, get_context::comp_mask},
    sync::SpinLock,
};
use alloc::boxed::Box;
use core::{ffi::c_int, ptr};

/// User index of queues with CQE version 0: none.
pub const NO_UIDX: u32 = 0xff_ffff;
/// CQE requested: what each WQE gets if all requests are signalled.
const CQE_UPDATE: u8 = 8;
/// ECE: the library can negotiate.
const ECE_SUPPORTED: u32 = 0x1000_0000;

/// Creates a QP of any kind.
///
/// Errors: those of the attributes' checks and sizes; EOPNOTSUPP for operations that the type
/// lacks; allocations'; the kernel's. `a.cap` is updated, `max_inline_data` even on some failures.
///
/// # Safety
/// The pointers in `a` are NULL or valid objects of this library.
pub unsafe fn create(
    context: &Context,
    a: &mut ibv_qp_init_attr_ex,
    dv: Option<&mlx5dv_qp_init_attr>,
) -> Result<*mut ibv_qp> {
    let plan = Plan::new(context, a, dv)?;
    // SAFETY: as the caller promises.
    let qp = unsafe {
        match plan.way {
            Way::Dct(key) => create_dct(context, a, &plan, key)?,
            Way::Rss => rss::create(context, a, &plan)?,
            Way::Queues => create_with_queues(context, a, &plan)?,
        }
    };
    Ok(object::give(qp))
}

fn limits(context: &Context) -> Limits {
    Limits {
        max_sq_desc: u32::from(context.info.max_sq_desc_sz),
        max_rq_desc: u32::from(context.info.max_rq_desc_sz),
        max_send_wqebb: context.info.max_send_wqebb,
        max_recv_wr: context.info.max_recv_wr,
    }
}

/// The most receives of a QP that places data out of order; 0 if its type has no such limit.
fn ooo_limit(caps: &mlx5dv_ooo_recv_wrs_caps, qp_type: u32) -> u32 {
    match qp_type {
        IBV_QPT_RC => caps.max_rc,
        IBV_QPT_UC => caps.max_uc,
        IBV_QPT_UD => caps.max_ud,
        _ => 0,
    }
}

/// # Safety
/// As [`create`].
unsafe fn create_with_queues(context: &Context, a: &mut ibv_qp_init_attr_ex, plan: &Plan) -> Result<Box<Qp>> {
    let has = |bit: u32| a.comp_mask & bit != 0;
    // Without the bit the member may be anything.
    let pd = match has(IBV_QP_INIT_ATTR_PD) {
        // SAFETY: as the caller promises.
        true => unsafe { a.pd.cast::<Pd>().as_ref() },
        false => None,
    };
    if pd.is_none() && a.qp_type != IBV_QPT_XRC_RECV {
        return Err(refuse!(EINVAL, "QP without a domain"));
    }
    let mut qp = boxed(Qp { underlay: plan.underlay, dc_type: plan.dc_type, ..bare(context, a.qp_type) })?;
    if plan.ops.asked {
        qp.check_ops(&plan.ops)?;
    }
    let wish = Wish {
        qp_type: a.qp_type,
        dci: plan.flags & flag::TYPE_DCI != 0,
        underlay: plan.underlay,
        cap: a.cap,
        ops: plan.verbs_ops,
        dv_ops: plan.ops.dv,
        max_tso_header: has(IBV_QP_INIT_ATTR_MAX_TSO_HEADER).then_some(a.max_tso_header),
        srq: !a.srq.is_null(),
        wq_sig: plan.flags & flag::SIGNATURE != 0,
        ooo_limit: plan.ooo_dp.then(|| ooo_limit(&ooo_recv_wrs(context), a.qp_type)),
    };
    let memcpy = match (plan.memcpy, pd) {
        (true, Some(pd)) => opaque::get(pd)?,
        _ => (0, 0),
    };
    let limits = limits(context);
    let sq_size = size::send(&wish, &limits, &mut a.cap.max_inline_data)?;
    let rq_size = size::recv(&wish, &limits)?;

    qp.opaque = memcpy;
    qp.own = rings(context, pd, &wish, &sq_size, &rq_size)?;
    qp.own.sig_pipelining = plan.sig_pipelining;
    qp.own.ooo_dp = plan.ooo_dp;
    qp.own.mmo = plan.memcpy && context.caps.dma_mmo_qp;
    lay_out(context, &mut qp, pd, &wish, &sq_size, &rq_size)?;
    if a.sq_sig_all != 0 {
        qp.sq.sq_signal_bits = CQE_UPDATE;
    }

    let uidx = register(context, &qp, a.qp_type)?;
    let mut request = Request {
        flags: plan.flags,
        uidx,
        ece_options: ece(context),
        streams: plan.streams,
        sq_buf_addr_or_key: qp.own.sq_buf.as_ref().map_or(0, |b| b.addr() as u64),
        ..Request::default()
    };
    choose_register(context, &mut qp, pd, &mut request)?;
    qp.install(&plan.ops)?;
    let request = request.bytes(&qp);
    let numbers = (context.info.cqe_version == 0).then(|| context.numbers.lock());
    // SAFETY: as the caller promises.
    let response = unsafe { kernel::create(context, &mut qp, a, &request.0)? };
    if qp.bf.is_null()
        && let Some(r) = context.uars.static_register(response.bfreg_index as usize)
    {
        qp.bf = r.as_ptr();
    }
    qp.own.get_ece.set(response.ece_options);
    qp.own.numbers = response.numbers;
    finish_registration(context, &qp, uidx, sq_size.wqe_cnt != 0 || rq_size.wqe_cnt != 0)?;
    drop(numbers);
    // SAFETY: as the caller promises.
    qp.own.domain = unsafe { parent_of(a) };
    a.cap.max_send_wr = sq_size.max_post;
    a.cap.max_recv_wr = rq_size.max_post;
    a.cap.max_recv_sge = rq_size.max_gs;
    Ok(qp)
}

/// Rings and doorbell record.
fn rings(context: &Context, pd: Option<&Pd>, w: &Wish, sq: &SendSize, rq: &RecvSize) -> Result<Ownership> {
    let page = context.page_size;
    let default = buf::default_type(buf::qp_variable(w.qp_type));
    let ring = |size: usize, align: usize| -> Result<Buf> {
        let request = buf::Request { component: &buf::QP, size, align, pd, default };
        let ring = Buf::alloc(context, &request)?;
        ring.zero(size);
        Ok(ring)
    };
    let two = w.qp_type == IBV_QPT_RAW_PACKET || w.underlay;
    let first = if two { rq.bytes } else { rq.bytes + sq.bytes };
    let shifts = 1usize << SEND_WQE_SHIFT.max(rq.wqe_shift);
    let alignment = shifts.max(align(first, page).next_power_of_two() / 64);
    let own = Ownership {
        buf: Some(ring(first, alignment)?),
        sq_buf: if two { Some(ring(sq.bytes, page)?) } else { None },
        dbrec: DbrecSlot::alloc(context, pd)?,
        ..Ownership::default()
    };
    own.dbrec.clear_unless_custom();
    Ok(own)
}

/// Puts the queues into the rings.
fn lay_out(
    context: &Context,
    qp: &mut Qp,
    pd: Option<&Pd>,
    w: &Wish,
    sq: &SendSize,
    rq: &RecvSize,
) -> Result<()> {
    let need_lock = !context.single_threaded && pd.and_then(Pd::td).is_none();
    let base = qp.own.buf.as_ref().map_or(ptr::null_mut(), Buf::addr);
    let (sq_base, offset) = match &qp.own.sq_buf {
        Some(b) => (b.addr(), 0),
        None => (base, rq.bytes),
    };
    qp.dbrec = qp.own.dbrec.dbrec();
    qp.rq = RecvQueue {
        lock: SpinLock::new(need_lock),
        wq_sig: w.wq_sig,
        wqe_shift: rq.wqe_shift,
        buf: base,
        wqe_cnt: rq.wqe_cnt,
        mask: rq.wqe_cnt.saturating_sub(1),
        max_post: rq.max_post,
        max_gs: rq.max_gs,
        wrid: SideArray::new(rq.wqe_cnt as usize)?,
        ..RecvQueue::none()
    };
    let start = sq_base.wrapping_add(offset);
    qp.sq = SendQueue {
        lock: SpinLock::new(need_lock),
        wq_sig: w.wq_sig,
        buf: start,
        end: start.wrapping_add(sq.bytes),
        wqe_cnt: sq.wqe_cnt,
        mask: sq.wqe_cnt.saturating_sub(1),
        max_post: sq.max_post,
        max_gs: sq.max_gs,
        max_inline: sq.max_inline,
        max_tso_header: sq.max_tso_header,
        slots: SideArray::new(sq.wqe_cnt as usize)?,
        offset,
        ..SendQueue::none()
    };
    Ok(())
}

fn ece(context: &Context) -> u32 {
    if context.info.comp_mask & comp_mask::ECE != 0 { ECE_SUPPORTED } else { 0 }
}

/// With CQE version 1: takes a user index, so that completions find the QP. ENOMEM.
fn register(context: &Context, qp: &Qp, qp_type: u32) -> Result<u32> {
    if context.info.cqe_version == 0 {
        return Ok(NO_UIDX);
    }
    if qp_type == IBV_QPT_XRC_RECV {
        return Ok(0);
    }
    let r = Registration::anywhere(&context.uidxs, &qp.resource)?;
    let uidx = r.key();
    // SAFETY: nobody else knows the QP yet.
    unsafe { *qp.own.registration.get() = Some(r) };
    Ok(uidx)
}

/// The register: that of the thread domain, one of the pool, or (static UARs) what the kernel
/// will pick. ENOMEM if there is none.
fn choose_register(context: &Context, qp: &mut Qp, pd: Option<&Pd>, request: &mut Request) -> Result<()> {
    let dynamic = !context.uars.is_static();
    if let Some(td) = pd.and_then(Pd::td) {
        // SAFETY: registers live as long as the context.
        let bf = unsafe { td.bf.as_ref() };
        qp.bf = bf;
        if dynamic {
            request.bfreg_index = bf.page_id();
            request.flags |= flag::UAR_PAGE_INDEX;
        } else {
            request.bfreg_index = bf.index;
            request.flags |= flag::BFREG_INDEX;
        }
    } else if dynamic {
        let register = Register::take(context).ok_or(refuse!(ENOMEM, "no register for the QP"))?;
        qp.bf = register.bfreg();
        // SAFETY: as above.
        request.bfreg_index = unsafe { &*qp.bf }.page_id();
        request.flags |= flag::UAR_PAGE_INDEX;
        qp.own.register = Some(register);
    }
    Ok(())
}

/// After the kernel's part: the number under which completions find the QP. With CQE version 0
/// that is its QP number. ENOMEM destroys the kernel's object again.
fn finish_registration(context: &Context, qp: &Qp, uidx: u32, has_queue: bool) -> Result<()> {
    let qp_num = qp.qp_num.get();
    let v1 = context.info.cqe_version != 0 && qp.qp_type != IBV_QPT_XRC_RECV;
    qp.resource.rsn.set(if v1 { uidx } else { qp_num });
    if context.info.cqe_version == 0 && has_queue {
        let r = Registration::at(&context.qps, qp_num, &qp.resource).inspect_err(|_| {
            let _ = super::destroy::in_kernel(context, qp);
        })?;
        // SAFETY: nobody else knows the QP yet.
        unsafe { *qp.own.registration.get() = Some(r) };
    }
    Ok(())
}

/// A dynamically connected target: only a kernel object until RTR.
///
/// # Safety
/// As [`create`].
unsafe fn create_dct(
    context: &Context,
    a: &mut ibv_qp_init_attr_ex,
    plan: &Plan,
    access_key: u64,
) -> Result<Box<Qp>> {
    let mut qp = boxed(Qp {
        dc_type: plan.dc_type,
        resource: Resource::new(ResourceKind::Dct),
        ..bare(context, a.qp_type)
    })?;
    qp.own.ooo_dp = plan.ooo_dp;
    let uidx = register(context, &qp, a.qp_type)?;
    qp.resource.rsn.set(uidx);
    let request = Request {
        flags: plan.flags,
        uidx,
        sq_buf_addr_or_key: access_key,
        ece_options: ece(context),
        ..Request::default()
    };
    let request = request.bytes(&qp);
    // SAFETY: as the caller promises.
    let response = unsafe { kernel::create(context, &mut qp, a, &request.0)? };
    qp.own.get_ece.set(response.ece_options);
    // The kernel answers some number now; the target's own comes with RTR.
    qp.qp_num.set(0);
    // SAFETY: nobody else knows the QP yet.
    unsafe {
        (*qp.ibv()).qp_num = 0;
        qp.own.domain = parent_of(a);
    }
    Ok(qp)
}

/// A reference to the parent domain that a QP is made on.
///
/// # Safety
/// `a.pd` is a domain of this library if its bit is set.
pub unsafe fn parent_of(a: &ibv_qp_init_attr_ex) -> Option<DomainRef> {
    match a.comp_mask & IBV_QP_INIT_ATTR_PD != 0 {
        // SAFETY: as the caller promises.
        true => unsafe { DomainRef::of_parent(a.pd) },
        false => None,
    }
}

/// `ibv_create_qp`. Errors: as [`create`].
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn create_qp(pd: *mut ibv_pd, attr: *mut ibv_qp_init_attr) -> *mut ibv_qp {
    border::null("ibv_create_qp", || {
        // SAFETY: the promise above.
        let (p, a) = unsafe { (Pd::from_ibv(pd), &mut *attr) };
        let mut x = ibv_qp_init_attr_ex {
            qp_context: a.qp_context,
            send_cq: a.send_cq,
            recv_cq: a.recv_cq,
            srq: a.srq,
            cap: a.cap,
            qp_type: a.qp_type,
            sq_sig_all: a.sq_sig_all as c_int,
            comp_mask: IBV_QP_INIT_ATTR_PD,
            pd,
            xrcd: ptr::null_mut(),
            create_flags: 0,
            max_tso_header: 0,
            rwq_ind_tbl: ptr::null_mut(),
            rx_hash_conf: ibv_rx_hash_conf {
                rx_hash_function: 0,
                rx_hash_key_len: 0,
                rx_hash_key: ptr::null_mut(),
                rx_hash_fields_mask: 0,
            },
            source_qpn: 0,
            send_ops_flags: 0,
        };
        // SAFETY: as above.
        let qp = unsafe { create(p.context(), &mut x, None)? };
        a.cap = x.cap;
        Ok(qp)
    })
}

/// `ibv_create_qp_ex`. Errors: as [`create`].
///
/// # Safety
/// As [`create_qp`].
pub unsafe extern "C" fn create_qp_ex(
    context: *mut ibv_context,
    attr: *mut ibv_qp_init_attr_ex,
) -> *mut ibv_qp {
    // SAFETY: the promise of verbs operations.
    border::null("ibv_create_qp_ex", || unsafe { create(Context::from_own(context), &mut *attr, None) })
}
