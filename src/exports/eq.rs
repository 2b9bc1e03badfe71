//! MSI vectors and event queues (VFIO only).

use crate::exports::prelude::*;

/// MSI-X vector (VFIO only) (`MLX5_1.23`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_alloc_msi_vector(
    _ibctx: *mut ibv_context,
) -> *mut mlx5dv_devx_msi_vector {
    missing!(null, "mlx5dv_devx_alloc_msi_vector")
}

/// EQ (VFIO only) (`MLX5_1.23`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_create_eq(
    _ibctx: *mut ibv_context,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> *mut mlx5dv_devx_eq {
    missing!(null, "mlx5dv_devx_create_eq")
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
