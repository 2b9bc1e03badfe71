//! `mlx5dv_init_obj`: raw views of verbs objects.

use super::pd::Pd;
use crate::{
    abi::{
        dv::{consts::*, *},
        verbs::ibv_context,
    },
    datapath::{ah::Ah, cq::Cq, qp::Qp, srq::Srq, wq::Wq},
    devx::{Object, dm::Dm},
    error::Result,
    provider::Context,
};
use core::{ffi::c_void, ptr, sync::atomic::Ordering};

/// Which release's view a binary expects.
#[derive(Clone, Copy, PartialEq)]
pub enum Version {
    /// `MLX5_1.0`: `cq_uar` is the address of the pointer.
    V1_0,
    /// `MLX5_1.2`.
    V1_2,
}

const QP: u64 = MLX5DV_OBJ_QP as u64;
const CQ: u64 = MLX5DV_OBJ_CQ as u64;
const SRQ: u64 = MLX5DV_OBJ_SRQ as u64;
const RWQ: u64 = MLX5DV_OBJ_RWQ as u64;
const DM: u64 = MLX5DV_OBJ_DM as u64;
const AH: u64 = MLX5DV_OBJ_AH as u64;
const PD: u64 = MLX5DV_OBJ_PD as u64;
/// `MLX5DV_OBJ_DEVX`, which older headers do not have.
const DEVX: u64 = 0x80;

/// Context of the first kind that is asked for; only that one's `in` member may be looked at
/// before.
///
/// # Safety
/// Each `in` member whose bit is set is a live object.
unsafe fn context(obj: *mut mlx5dv_obj, kinds: u64) -> Result<*mut ibv_context> {
    macro_rules! of {
        ($($bit:ident $member:ident)*) => {
            $(if kinds & $bit != 0 {
                // SAFETY: as the caller promises; each public struct has its context.
                return unsafe { (*obj).$member.in_.as_ref() }
                    .map(|o| o.context)
                    .ok_or(refuse!(EINVAL, "object is NULL"));
            })*
        };
    }
    of! { QP qp CQ cq SRQ srq RWQ rwq DM dm AH ah PD pd }
    if kinds & DEVX != 0 {
        // SAFETY: as above.
        return Ok(unsafe { Object::from_c((*obj).devx.in_)? }.context);
    }
    Err(refuse!(EINVAL, "no kind of object", obj_type = kinds))
}

/// Fills the `out` member of each kind in `kinds`. EINVAL without any kind; EOPNOTSUPP for objects
/// of another provider.
///
/// # Safety
/// Each `in` member whose bit is set is a live object of one context, its `out` member writable.
/// Members whose bit is not set are not touched: the struct of an older binary may be shorter.
pub unsafe fn init_obj(obj: *mut mlx5dv_obj, kinds: u64, version: Version) -> Result<()> {
    // SAFETY: as the caller promises.
    unsafe {
        let ctx = Context::from_ibv(context(obj, kinds)?)?;
        if kinds & QP != 0 {
            qp(Qp::from_ibv((*obj).qp.in_), (*obj).qp.out);
        }
        if kinds & CQ != 0 {
            let uar = match version {
                Version::V1_2 => ctx.uars.cq_uar().map_or(ptr::null_mut(), |p| p.as_ptr()),
                Version::V1_0 => (&raw const Cq::from_ibv((*obj).cq.in_).uar).cast_mut().cast(),
            };
            cq(Cq::from_ibv((*obj).cq.in_), (*obj).cq.out, uar);
        }
        if kinds & SRQ != 0 {
            srq(Srq::from_ibv((*obj).srq.in_), (*obj).srq.out);
        }
        if kinds & RWQ != 0 {
            rwq(Wq::from_ibv((*obj).rwq.in_), (*obj).rwq.out);
        }
        if kinds & DM != 0 {
            dm(Dm::from_c((*obj).dm.in_)?.0, (*obj).dm.out);
        }
        if kinds & AH != 0 {
            let ah = Ah::from_ibv((*obj).ah.in_);
            let out = (*obj).ah.out;
            (*out).av = ah.av.as_ptr().cast_mut().cast();
            (*out).comp_mask = 0;
        }
        if kinds & PD != 0 {
            let out = (*obj).pd.out;
            (*out).pdn = Pd::from_ibv((*obj).pd.in_).pdn;
            (*out).comp_mask = 0;
        }
        if kinds & DEVX != 0 {
            (*(*obj).devx.out).handle = Object::from_c((*obj).devx.in_)?.handle;
        }
    }
    Ok(())
}

/// # Safety
/// `out` is writable as far as its `comp_mask` says.
unsafe fn qp(q: &Qp, out: *mut mlx5dv_qp) {
    const MMAP_OFFSET: u64 = MLX5DV_QP_MASK_UAR_MMAP_OFFSET as u64;
    const HANDLES: u64 = MLX5DV_QP_MASK_RAW_QP_HANDLES as u64;
    const TIR_ADDR: u64 = MLX5DV_QP_MASK_RAW_QP_TIR_ADDR as u64;
    // SAFETY: registers live as long as the context.
    let bf = unsafe { q.bf.as_ref() };
    let n = &q.own.numbers;
    // SAFETY: as the caller promises.
    unsafe {
        let asked = (*out).comp_mask;
        let mut served = 0;
        (*out).dbrec = q.dbrec.cast_mut().cast();
        (*out).sq.buf = q.sq.buf.cast();
        (*out).sq.wqe_cnt = q.sq.wqe_cnt;
        (*out).sq.stride = if q.sq.wqe_cnt != 0 { 64 } else { 1 };
        (*out).rq.buf = q.rq.buf.cast();
        (*out).rq.wqe_cnt = q.rq.wqe_cnt;
        (*out).rq.stride = 1 << q.rq.wqe_shift;
        (*out).bf.reg = bf.map_or(ptr::null_mut(), |b| b.reg().cast());
        (*out).bf.size = bf.map_or(0, |b| if b.uuarn != 0 { b.buf_size } else { 0 });
        if asked & MMAP_OFFSET != 0 {
            (*out).uar_mmap_offset = bf.map_or(0, |b| b.mmap_off());
            served |= MMAP_OFFSET;
        }
        if asked & HANDLES != 0 {
            (*out).tirn = n.tirn;
            (*out).tisn = n.tisn;
            (*out).rqn = n.rqn;
            (*out).sqn = n.sqn;
            served |= HANDLES;
        }
        if asked & TIR_ADDR != 0 {
            (*out).tir_icm_addr = n.tir_icm_addr;
            served |= TIR_ADDR;
        }
        (*out).comp_mask = served;
    }
}

/// The application polls the ring from now on: the library leaves it alone.
///
/// # Safety
/// `out` is writable.
unsafe fn cq(c: &Cq, out: *mut mlx5dv_cq, uar: *mut c_void) {
    // SAFETY: as the caller promises.
    unsafe {
        (*out).buf = c.buf.get().cast();
        (*out).dbrec = c.dbrec.cast_mut().cast();
        (*out).cqe_cnt = c.cqe_cnt();
        (*out).cqe_size = 1 << c.cqe_shift;
        (*out).cq_uar = uar;
        (*out).cqn = c.cqn;
        (*out).comp_mask = 0;
    }
    c.dv_owned.store(true, Ordering::Relaxed);
}

/// # Safety
/// `out` is writable as far as its `comp_mask` says.
unsafe fn srq(s: &Srq, out: *mut mlx5dv_srq) {
    const SRQN: u64 = MLX5DV_SRQ_MASK_SRQN as u64;
    // SAFETY: as the caller promises.
    unsafe {
        let asked = (*out).comp_mask;
        (*out).buf = s.buf.cast();
        (*out).dbrec = s.dbrec.cast_mut().cast();
        (*out).stride = 1 << s.wqe_shift;
        (*out).head = s.head.get();
        (*out).tail = s.tail.get();
        if asked & SRQN != 0 {
            (*out).srqn = s.srqn;
        }
        (*out).comp_mask = asked & SRQN;
    }
}

/// # Safety
/// `out` is writable.
unsafe fn rwq(w: &Wq, out: *mut mlx5dv_rwq) {
    // SAFETY: as the caller promises.
    unsafe {
        (*out).buf = w.rq.buf.cast();
        (*out).dbrec = w.dbrec.cast_mut().cast();
        (*out).wqe_cnt = w.rq.wqe_cnt;
        (*out).stride = 1 << w.rq.wqe_shift;
        (*out).comp_mask = 0;
    }
}

/// # Safety
/// `out` is writable as far as its `comp_mask` says.
unsafe fn dm(d: &Dm, out: *mut mlx5dv_dm) {
    const REMOTE_VA: u64 = MLX5DV_DM_MASK_REMOTE_VA as u64;
    // SAFETY: as the caller promises.
    unsafe {
        let asked = (*out).comp_mask;
        (*out).buf = d.start_va.cast();
        (*out).length = d.length;
        if asked & REMOTE_VA != 0 {
            (*out).remote_va = d.remote_va;
        }
        (*out).comp_mask = asked & REMOTE_VA;
    }
}
