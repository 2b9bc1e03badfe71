//! UAR pages.

use crate::{devx::uar, exports::prelude::*, provider::Context};

/// UAR for DEVX use (`MLX5_1.7`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_alloc_uar(
    context: *mut ibv_context,
    flags: u32,
) -> *mut mlx5dv_devx_uar {
    border::null("mlx5dv_devx_alloc_uar", || {
        // SAFETY: the caller's promise.
        uar::alloc(unsafe { Context::from_ibv(context)? }, flags)
    })
}

/// Give it back (`MLX5_1.7`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_free_uar(devx_uar: *mut mlx5dv_devx_uar) {
    // SAFETY: the caller's promise.
    border::void("mlx5dv_devx_free_uar", || unsafe { uar::free(devx_uar) })
}

/// Dma-buf of a UAR (`MLX5_1.26`). Returns: fd (-1+errno).
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_uar_export_dmabuf_fd(devx_uar: *mut mlx5dv_devx_uar) -> c_int {
    // SAFETY: the caller's promise.
    border::minus_one("mlx5dv_devx_uar_export_dmabuf_fd", || unsafe { uar::export_dmabuf_fd(devx_uar) })
}
