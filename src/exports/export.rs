//! Objects as blobs that another process can import.

use crate::exports::prelude::*;

/// DEVX object to blob (always 0) (`MLX5_1.27`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_export(_obj: *mut mlx5dv_devx_obj, _data: *mut c_void) -> c_int {
    missing!(value, "mlx5dv_devx_obj_export")
}

/// DEVX object from blob (`MLX5_1.27`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_import(
    _context: *mut ibv_context,
    _data: *mut c_void,
) -> *mut mlx5dv_devx_obj {
    missing!(null, "mlx5dv_devx_obj_import")
}

/// Drop local handle only (`MLX5_1.27`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_unimport(_obj: *mut mlx5dv_devx_obj) {
    missing!(void, "mlx5dv_devx_obj_unimport")
}

/// DEVX umem to blob (always 0) (`MLX5_1.27`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_umem_export(_umem: *mut mlx5dv_devx_umem, _data: *mut c_void) -> c_int {
    missing!(value, "mlx5dv_devx_umem_export")
}

/// DEVX umem from blob (`MLX5_1.27`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_umem_import(
    _context: *mut ibv_context,
    _data: *mut c_void,
) -> *mut mlx5dv_devx_umem {
    missing!(null, "mlx5dv_devx_umem_import")
}

/// Drop local handle only (`MLX5_1.27`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_umem_unimport(_umem: *mut mlx5dv_devx_umem) {
    missing!(void, "mlx5dv_devx_umem_unimport")
}

/// Sizes of export blobs (inline mlx5dv_get_export_sizes) (`MLX5_1.27`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _mlx5dv_get_export_sizes(_sizes: *mut mlx5dv_export_sizes, _sizes_len: usize) {
    missing!(void, "_mlx5dv_get_export_sizes")
}

/// VAR to blob (always 0) (`MLX5_1.27`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_var_export(_dv_var: *mut mlx5dv_var, _data: *mut c_void) -> c_int {
    missing!(value, "mlx5dv_var_export")
}

/// VAR from blob (`MLX5_1.27`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_var_import(
    _context: *mut ibv_context,
    _data: *mut c_void,
) -> *mut mlx5dv_var {
    missing!(null, "mlx5dv_var_import")
}

/// Drop local handle only (`MLX5_1.27`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_var_unimport(_dv_var: *mut mlx5dv_var) {
    missing!(void, "mlx5dv_var_unimport")
}
