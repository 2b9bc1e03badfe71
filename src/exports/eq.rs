//! MSI vectors and event queues (VFIO only).

use crate::{devx::eq, exports::prelude::*, provider::Context};

/// MSI-X vector (VFIO only) (`MLX5_1.23`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_alloc_msi_vector(
    ibctx: *mut ibv_context,
) -> *mut mlx5dv_devx_msi_vector {
    border::null("mlx5dv_devx_alloc_msi_vector", || {
        // SAFETY: the caller's promise.
        Err(eq::of_the_kernel(unsafe { Context::from_ibv(ibctx)? }))
    })
}

/// EQ (VFIO only) (`MLX5_1.23`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_create_eq(
    ibctx: *mut ibv_context,
    _in: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> *mut mlx5dv_devx_eq {
    border::null("mlx5dv_devx_create_eq", || {
        // SAFETY: the caller's promise.
        Err(eq::of_the_kernel(unsafe { Context::from_ibv(ibctx)? }))
    })
}

/// Destroy it (`MLX5_1.23`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_destroy_eq(_eq: *mut mlx5dv_devx_eq) -> c_int {
    missing!(value, "mlx5dv_devx_destroy_eq")
}

/// Free it (`MLX5_1.23`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_free_msi_vector(_msi: *mut mlx5dv_devx_msi_vector) -> c_int {
    missing!(value, "mlx5dv_devx_free_msi_vector")
}
