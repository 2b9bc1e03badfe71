//! Encryption keys and crypto logins.

use crate::exports::prelude::*;

/// Legacy per-context crypto login (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_crypto_login(
    _context: *mut ibv_context,
    _login_attr: *mut mlx5dv_crypto_login_attr,
) -> c_int {
    missing!(value, "mlx5dv_crypto_login")
}

/// Crypto login object (`MLX5_1.24`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_crypto_login_create(
    _context: *mut ibv_context,
    _login_attr: *mut mlx5dv_crypto_login_attr_ex,
) -> *mut mlx5dv_crypto_login_obj {
    missing!(null, "mlx5dv_crypto_login_create")
}

/// Destroy it (`MLX5_1.24`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_crypto_login_destroy(_crypto_login: *mut mlx5dv_crypto_login_obj) -> c_int {
    missing!(value, "mlx5dv_crypto_login_destroy")
}

/// Its state (`MLX5_1.24`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_crypto_login_query(
    _crypto_login: *mut mlx5dv_crypto_login_obj,
    _query_attr: *mut mlx5dv_crypto_login_query_attr,
) -> c_int {
    missing!(value, "mlx5dv_crypto_login_query")
}

/// State of that login (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_crypto_login_query_state(
    _context: *mut ibv_context,
    _state: *mut c_uint,
) -> c_int {
    missing!(value, "mlx5dv_crypto_login_query_state")
}

/// End it (ENOENT if none) (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_crypto_logout(_context: *mut ibv_context) -> c_int {
    missing!(value, "mlx5dv_crypto_logout")
}

/// Data encryption key (`MLX5_1.21`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dek_create(
    _context: *mut ibv_context,
    _init_attr: *mut mlx5dv_dek_init_attr,
) -> *mut mlx5dv_dek {
    missing!(null, "mlx5dv_dek_create")
}

/// Destroy it (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dek_destroy(_dek: *mut mlx5dv_dek) -> c_int {
    missing!(value, "mlx5dv_dek_destroy")
}

/// Its state and opaque (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dek_query(_dek: *mut mlx5dv_dek, _attr: *mut mlx5dv_dek_attr) -> c_int {
    missing!(value, "mlx5dv_dek_query")
}
