//! UARs for the application's own doorbells.

use crate::{
    abi::dv::mlx5dv_devx_uar,
    error::Result,
    provider::{
        Context,
        uar::{Bfreg, Class},
    },
    uverbs::{self, Attr},
};
use core::{ffi::c_int, ptr::NonNull, sync::atomic::Ordering};
use prm::uverbs::{attr, method, object};

/// `MLX5DV_UAR_ALLOC_TYPE_NC`: no write combining; all callers share one UAR.
const NC: u32 = 1;
/// `MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED`: no write combining, one caller.
const NC_DEDICATED: u32 = 1 << 31;

/// `mlx5dv_devx_alloc_uar`: the context's own non-cached UAR (always the same) or a register of
/// the caller's own.
///
/// Errors: EOPNOTSUPP for unknown flags, for a context that has no non-cached UAR, or if the
/// system cannot combine writes; the kernel's and mmap's.
pub fn alloc(context: &Context, flags: u32) -> Result<*mut mlx5dv_devx_uar> {
    if flags & !(NC | NC_DEDICATED) != 0 {
        return Err(refuse!(EOPNOTSUPP, "unknown flags", flags = flags));
    }
    if flags & NC != 0 {
        let shared = context.uars.singleton();
        let shared = shared.ok_or(refuse!(EOPNOTSUPP, "context has no non-cached UAR", flags = flags))?;
        return Ok(hand_out(context, shared));
    }
    let class = if flags & NC_DEDICATED != 0 { Class::DedicatedNc } else { Class::Dedicated };
    let own = context.uars.take(class)?;
    if context.uars.is_static()
        && let Err(r) = query_page_id(context, own)
    {
        context.uars.give_back(own);
        return Err(r);
    }
    Ok(hand_out(context, own))
}

fn hand_out(context: &Context, register: NonNull<Bfreg>) -> *mut mlx5dv_devx_uar {
    // SAFETY: registers live as long as the context.
    let r = unsafe { register.as_ref() };
    r.owner.store(context.ibv(), Ordering::Relaxed);
    r.devx()
}

/// Beside a static layout the device's number of the page has to be asked for.
fn query_page_id(context: &Context, register: NonNull<Bfreg>) -> Result<()> {
    // SAFETY: registers live as long as the context.
    let r = unsafe { register.as_ref() };
    let mut page_id = 0u32;
    let mut attrs = [
        Attr::u32(attr::DEVX_QUERY_UAR_USER_IDX, r.index),
        Attr::number(attr::DEVX_QUERY_UAR_DEV_IDX, &mut page_id),
    ];
    uverbs::execute(context.fd, object::DEVX, method::DEVX_QUERY_UAR, &mut attrs)?;
    // SAFETY: the register was taken for this caller, who has not seen it yet.
    unsafe { (*r.devx()).page_id = page_id };
    Ok(())
}

/// The register behind C's pointer and the context it belongs to. EINVAL for NULL.
///
/// # Safety
/// `p` is NULL or from [`alloc`]; its context is open.
unsafe fn from_c<'a>(p: *mut mlx5dv_devx_uar) -> Result<(NonNull<Bfreg>, &'a Context)> {
    let register = NonNull::new(p.cast::<Bfreg>()).ok_or(refuse!(EINVAL, "UAR is NULL"))?;
    // SAFETY: the promise above.
    unsafe { Ok((register, Context::from_ibv(register.as_ref().owner.load(Ordering::Relaxed))?)) }
}

/// `mlx5dv_devx_free_uar`: gives the register back; its page stays until the context is closed.
/// The shared UAR may be given back any number of times.
///
/// # Safety
/// As [`from_c`]; nobody uses a register of the caller's own any more.
pub unsafe fn free(p: *mut mlx5dv_devx_uar) -> Result<()> {
    // SAFETY: the promise above.
    let (register, context) = unsafe { from_c(p)? };
    context.uars.give_back(register);
    Ok(())
}

/// `mlx5dv_devx_uar_export_dmabuf_fd`: a new file for the page, close-on-exec, the caller's to
/// close.
///
/// Errors: the kernel's (EINVAL for pages beside a static layout, EPROTONOSUPPORT before 7.2).
///
/// # Safety
/// As [`from_c`].
pub unsafe fn export_dmabuf_fd(p: *mut mlx5dv_devx_uar) -> Result<c_int> {
    // SAFETY: the promise above.
    let (register, context) = unsafe { from_c(p)? };
    // SAFETY: registers live as long as the context.
    let offset = unsafe { register.as_ref() }.mmap_off();
    super::dmabuf::export(context, offset as u64)
}
