//! Encryption keys and crypto logins.

use crate::{
    exports::prelude::*,
    verbs::{crypto_login as login, dek as keys},
};

/// Legacy per-context crypto login (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_crypto_login(
    context: *mut ibv_context,
    login_attr: *mut mlx5dv_crypto_login_attr,
) -> c_int {
    // SAFETY: the promise above.
    border::value("mlx5dv_crypto_login", || unsafe { login::login(context, login_attr) })
}

/// Crypto login object (`MLX5_1.24`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_crypto_login_create(
    context: *mut ibv_context,
    login_attr: *mut mlx5dv_crypto_login_attr_ex,
) -> *mut mlx5dv_crypto_login_obj {
    // SAFETY: the promise above.
    border::null("mlx5dv_crypto_login_create", || unsafe { login::create(context, login_attr) })
}

/// Destroy it (`MLX5_1.24`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_crypto_login_destroy(crypto_login: *mut mlx5dv_crypto_login_obj) -> c_int {
    // SAFETY: the promise above.
    border::value("mlx5dv_crypto_login_destroy", || unsafe { login::destroy(crypto_login) })
}

/// Its state (`MLX5_1.24`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_crypto_login_query(
    crypto_login: *mut mlx5dv_crypto_login_obj,
    query_attr: *mut mlx5dv_crypto_login_query_attr,
) -> c_int {
    // SAFETY: the promise above.
    border::value("mlx5dv_crypto_login_query", || unsafe { login::query(crypto_login, query_attr) })
}

/// State of that login (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_crypto_login_query_state(
    context: *mut ibv_context,
    state: *mut c_uint,
) -> c_int {
    // SAFETY: the promise above.
    border::value("mlx5dv_crypto_login_query_state", || unsafe { login::query_state(context, state) })
}

/// End it (ENOENT if none) (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_crypto_logout(context: *mut ibv_context) -> c_int {
    // SAFETY: the promise above.
    border::value("mlx5dv_crypto_logout", || unsafe { login::logout(context) })
}

/// Data encryption key (`MLX5_1.21`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dek_create(
    context: *mut ibv_context,
    init_attr: *mut mlx5dv_dek_init_attr,
) -> *mut mlx5dv_dek {
    // SAFETY: the promise above.
    border::null("mlx5dv_dek_create", || unsafe { keys::create(context, init_attr) })
}

/// Destroy it (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dek_destroy(dek: *mut mlx5dv_dek) -> c_int {
    // SAFETY: the promise above.
    border::value("mlx5dv_dek_destroy", || unsafe { keys::destroy(dek) })
}

/// Its state and opaque (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dek_query(dek: *mut mlx5dv_dek, attr: *mut mlx5dv_dek_attr) -> c_int {
    // SAFETY: the promise above.
    border::value("mlx5dv_dek_query", || unsafe { keys::query(dek, attr) })
}
