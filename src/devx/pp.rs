//! Packet pacing entries.

use crate::{
    abi::{
        dv::{consts::MLX5_IB_UAPI_PP_ALLOC_FLAGS_DEDICATED_INDEX, mlx5dv_pp},
        verbs::ibv_context,
    },
    error::Result,
    handle::{self, Room},
    provider::Context,
    uverbs::{self, Attr},
};
use core::ffi::c_void;
use prm::uverbs::{attr, method, object};

/// An entry. C sees its first member.
#[repr(C)]
struct PacketPacing {
    public: mlx5dv_pp,
    handle: u32,
    context: *mut ibv_context,
}

/// `mlx5dv_pp_alloc`: an entry of the device's rate table with this `set_pp_rate_limit_context`.
///
/// Errors: EOPNOTSUPP for unknown flags; the kernel's (EINVAL for a context of 0 or more than 48
/// bytes or a rate that cannot be, ENOSPC if the table is full).
///
/// # Safety
/// `pp_context` is NULL or, if `len` is at most 8, readable for `len`.
pub unsafe fn alloc(
    context: &Context,
    len: usize,
    pp_context: *const c_void,
    flags: u32,
) -> Result<*mut mlx5dv_pp> {
    if flags & !MLX5_IB_UAPI_PP_ALLOC_FLAGS_DEDICATED_INDEX != 0 {
        return Err(refuse!(EOPNOTSUPP, "unknown flags", flags = flags));
    }
    let room = Room::<PacketPacing>::new()?;
    let mut index = 0u16;
    let mut attrs = [
        Attr::new_object(attr::PP_OBJ_ALLOC_HANDLE),
        // SAFETY: the promise above.
        unsafe { Attr::input_raw(attr::PP_OBJ_ALLOC_CTX, pp_context.cast(), len) },
        Attr::u64(attr::PP_OBJ_ALLOC_FLAGS, u64::from(flags)),
        Attr::number(attr::PP_OBJ_ALLOC_INDEX, &mut index),
    ];
    uverbs::execute(context.fd, object::PP, method::PP_OBJ_ALLOC, &mut attrs)?;
    let handle = attrs[0].new_handle();
    let public = mlx5dv_pp { index };
    Ok(room.fill(PacketPacing { public, handle, context: context.ibv() }).cast())
}

/// `mlx5dv_pp_free`. The handle goes whatever the kernel says; a refusal is only traced.
///
/// # Safety
/// `p` is NULL or from [`alloc`] and nobody uses it any more.
pub unsafe fn free(p: *mut mlx5dv_pp) -> Result<()> {
    let p = p.cast::<PacketPacing>();
    // SAFETY: the promise above; the application keeps the context open.
    let fd = unsafe {
        let pp = p.as_ref().ok_or(refuse!(EINVAL, "packet pacing entry is NULL"))?;
        Context::from_ibv(pp.context)?.fd
    };
    // SAFETY: the promise above; the entry came from a Room.
    let pp = unsafe { handle::take(p) };
    let mut attrs = [Attr::handle(attr::PP_OBJ_DESTROY_HANDLE, pp.handle)];
    Ok(uverbs::execute(fd, object::PP, method::PP_OBJ_DESTROY, &mut attrs)?)
}
