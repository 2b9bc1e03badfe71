//! Indirect memory keys.

use crate::{
    datapath::{mkey::Mkey, mkey_check},
    exports::prelude::*,
    verbs::mkey as keys,
};

/// Indirect mkey (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_create_mkey(mkey_init_attr: *mut mlx5dv_mkey_init_attr) -> *mut mlx5dv_mkey {
    // SAFETY: the promise above.
    border::null("mlx5dv_create_mkey", || unsafe { keys::create(mkey_init_attr) })
}

/// Destroy it (`MLX5_1.10`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_destroy_mkey(mkey: *mut mlx5dv_mkey) -> c_int {
    // SAFETY: the promise above.
    border::value("mlx5dv_destroy_mkey", || unsafe { keys::destroy(mkey) })
}

/// Fetch and clear signature error (inline mlx5dv_mkey_check) (`MLX5_1.20`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _mlx5dv_mkey_check(
    mkey: *mut mlx5dv_mkey,
    err_info: *mut mlx5dv_mkey_err,
    err_info_size: usize,
) -> c_int {
    border::value("_mlx5dv_mkey_check", || {
        // SAFETY: the promise above.
        let err = mkey_check::check(unsafe { Mkey::from_public(mkey) })?;
        let len = err_info_size.min(size_of::<mlx5dv_mkey_err>());
        // SAFETY: the caller's struct has that many bytes, older ones fewer.
        unsafe { core::ptr::copy_nonoverlapping((&raw const err).cast::<u8>(), err_info.cast(), len) };
        Ok(())
    })
}
