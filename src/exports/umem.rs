//! User memory registered for the device.

use crate::exports::prelude::*;

/// Release user memory (`MLX5_1.7`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_umem_dereg(_umem: *mut mlx5dv_devx_umem) -> c_int {
    missing!(value, "mlx5dv_devx_umem_dereg")
}

/// Register user memory (`MLX5_1.7`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_umem_reg(
    _ctx: *mut ibv_context,
    _addr: *mut c_void,
    _size: usize,
    _access: u32,
) -> *mut mlx5dv_devx_umem {
    missing!(null, "mlx5dv_devx_umem_reg")
}

/// Same with page-size bitmap / dma-buf (`MLX5_1.19`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_umem_reg_ex(
    _ctx: *mut ibv_context,
    _umem_in: *mut mlx5dv_devx_umem_in,
) -> *mut mlx5dv_devx_umem {
    missing!(null, "mlx5dv_devx_umem_reg_ex")
}
