//! Objects whose calls only pass through: memory windows, XRC domains, counters, multicast.

use super::{
    core::{self as kernel, Core},
    object::{self, boxed},
    pd::Pd,
};
use crate::{
    abi::verbs::{consts::*, *},
    border,
    datapath::qp::Qp,
    error::Result,
    provider::Context,
};
use core::ffi::{c_int, c_uint};
use prm::uverbs::{attr, method, object as obj, write};

/// `ibv_alloc_mw`. Errors: the kernel's, ENOMEM.
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn alloc_mw(pd: *mut ibv_pd, type_: c_uint) -> *mut ibv_mw {
    border::null("ibv_alloc_mw", || {
        // SAFETY: the promise above.
        let p = unsafe { Pd::from_ibv(pd) };
        let core = Core::<16>::new().u32(8, p.verbs.handle).u8(12, type_ as u8);
        let mut response = Core::<8>::new();
        kernel::command(p.context(), write::ALLOC_MW, core, &mut response)?;
        let (handle, rkey) = (response.get32(0), response.get32(4));
        let mw = boxed(ibv_mw { context: p.verbs.context, pd, rkey, handle, type_ }).inspect_err(|_| {
            let _ = destroy_mw(p.context(), handle);
        })?;
        Ok(object::give(mw))
    })
}

fn destroy_mw(context: &Context, handle: u32) -> Result<()> {
    kernel::destroy(context, obj::MW, method::MW_DESTROY, attr::DESTROY_MW_HANDLE, handle)
}

/// `ibv_dealloc_mw`. Errors: the kernel's.
///
/// # Safety
/// As [`alloc_mw`].
pub unsafe extern "C" fn dealloc_mw(mw: *mut ibv_mw) -> c_int {
    border::value("ibv_dealloc_mw", || {
        // SAFETY: the promise of verbs operations.
        let (m, context) = unsafe { (&*mw, Context::from_own((*mw).context)) };
        destroy_mw(context, m.handle)?;
        // SAFETY: made by `give`, and not used any more.
        drop(unsafe { object::take::<ibv_mw, _>(mw) });
        Ok(())
    })
}

/// libibverbs' `verbs_xrcd`.
#[repr(C)]
pub struct Xrcd {
    /// The application's part.
    pub verbs: ibv_xrcd,
    /// `VERBS_XRCD_HANDLE`: `handle` is valid.
    pub comp_mask: u32,
    /// The kernel's handle.
    pub handle: u32,
}

/// Handle of an XRC domain.
///
/// # Safety
/// `xrcd` is a live domain of this library.
pub unsafe fn xrcd_handle(xrcd: *const ibv_xrcd) -> u32 {
    // SAFETY: as the caller promises; ours starts with the public struct.
    unsafe { (*xrcd.cast::<Xrcd>()).handle }
}

/// `ibv_open_xrcd`. ENOSYS for unknown bits, or without fd and flags; else the kernel's, ENOMEM.
///
/// # Safety
/// As [`alloc_mw`].
pub unsafe extern "C" fn open_xrcd(
    context: *mut ibv_context,
    init: *mut ibv_xrcd_init_attr,
) -> *mut ibv_xrcd {
    const VERBS_XRCD_HANDLE: u32 = 1;
    const NEEDED: u32 = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
    border::null("ibv_open_xrcd", || {
        // SAFETY: the promise of verbs operations.
        let (ctx, a) = unsafe { (Context::from_own(context), &*init) };
        if a.comp_mask >= IBV_XRCD_INIT_ATTR_RESERVED || a.comp_mask & NEEDED != NEEDED {
            return Err(refuse!(ENOSYS, "fd and oflags are needed, no more", comp_mask = a.comp_mask));
        }
        let core = Core::<16>::new().u32(8, a.fd as u32).u32(12, a.oflags as u32);
        let mut response = Core::<4>::new();
        kernel::command(ctx, write::OPEN_XRCD, core, &mut response)?;
        let handle = response.get32(0);
        let x = Xrcd { verbs: ibv_xrcd { context }, comp_mask: VERBS_XRCD_HANDLE, handle };
        let x = boxed(x).inspect_err(|_| {
            let _ = destroy_xrcd(ctx, handle);
        })?;
        Ok(object::give(x))
    })
}

fn destroy_xrcd(context: &Context, handle: u32) -> Result<()> {
    kernel::destroy(context, obj::XRCD, method::XRCD_DESTROY, attr::DESTROY_XRCD_HANDLE, handle)
}

/// `ibv_close_xrcd`. Errors: the kernel's.
///
/// # Safety
/// As [`alloc_mw`].
pub unsafe extern "C" fn close_xrcd(xrcd: *mut ibv_xrcd) -> c_int {
    border::value("ibv_close_xrcd", || {
        // SAFETY: the promise of verbs operations.
        let (handle, context) = unsafe { (xrcd_handle(xrcd), Context::from_own((*xrcd).context)) };
        destroy_xrcd(context, handle)?;
        // SAFETY: made by `give`, and not used any more.
        drop(unsafe { object::take::<Xrcd, _>(xrcd) });
        Ok(())
    })
}

fn mcast(qp: *mut ibv_qp, gid: *const ibv_gid, lid: u16, command: u16) -> Result<()> {
    // SAFETY: the promise of the two operations below.
    let (q, raw, handle) = unsafe { (Qp::from_ibv(qp), (*gid).raw, (*qp).handle) };
    let core = Core::<24>::new().bytes(0, &raw).u32(16, handle).u16(20, lid);
    Ok(kernel::order(q.context(), u32::from(command), &core)?)
}

/// `ibv_attach_mcast`. Errors: the kernel's.
///
/// # Safety
/// As [`alloc_mw`].
pub unsafe extern "C" fn attach_mcast(qp: *mut ibv_qp, gid: *const ibv_gid, lid: u16) -> c_int {
    border::value("ibv_attach_mcast", || mcast(qp, gid, lid, write::ATTACH_MCAST))
}

/// `ibv_detach_mcast`. Errors: the kernel's.
///
/// # Safety
/// As [`alloc_mw`].
pub unsafe extern "C" fn detach_mcast(qp: *mut ibv_qp, gid: *const ibv_gid, lid: u16) -> c_int {
    border::value("ibv_detach_mcast", || mcast(qp, gid, lid, write::DETACH_MCAST))
}
