//! User memory registered for the device.

use crate::{
    devx::umem::{self, Region},
    exports::prelude::*,
    provider::Context,
};

/// Release user memory (`MLX5_1.7`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_umem_dereg(umem: *mut mlx5dv_devx_umem) -> c_int {
    // SAFETY: the caller's promise.
    border::value("mlx5dv_devx_umem_dereg", || unsafe { umem::dereg(umem) })
}

/// Register user memory (`MLX5_1.7`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_umem_reg(
    ctx: *mut ibv_context,
    addr: *mut c_void,
    size: usize,
    access: u32,
) -> *mut mlx5dv_devx_umem {
    border::null("mlx5dv_devx_umem_reg", || {
        // SAFETY: the caller's promise.
        umem::reg(unsafe { Context::from_ibv(ctx)? }, &Region::plain(addr, size, access))
    })
}

/// Same with page-size bitmap / dma-buf (`MLX5_1.19`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_umem_reg_ex(
    ctx: *mut ibv_context,
    umem_in: *mut mlx5dv_devx_umem_in,
) -> *mut mlx5dv_devx_umem {
    border::null("mlx5dv_devx_umem_reg_ex", || {
        // SAFETY: the caller's promise.
        let (context, region) = unsafe { (Context::from_ibv(ctx)?, Region::from_c(umem_in)?) };
        umem::reg(context, &region)
    })
}
