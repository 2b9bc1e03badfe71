//! UAR pages.

use crate::exports::prelude::*;

/// UAR for DEVX use (`MLX5_1.7`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_alloc_uar(
    _context: *mut ibv_context,
    _flags: u32,
) -> *mut mlx5dv_devx_uar {
    missing!(null, "mlx5dv_devx_alloc_uar")
}

/// Give it back (`MLX5_1.7`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_free_uar(_devx_uar: *mut mlx5dv_devx_uar) {
    missing!(void, "mlx5dv_devx_free_uar")
}

/// Dma-buf of a UAR (`MLX5_1.26`). Returns: fd (-1+errno).
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_uar_export_dmabuf_fd(_devx_uar: *mut mlx5dv_devx_uar) -> c_int {
    missing!(minus_one, "mlx5dv_devx_uar_export_dmabuf_fd")
}
