//! VAR (virtio doorbell pages) and packet pacing entries.

use crate::{
    devx::{pp, var},
    exports::prelude::*,
    provider::Context,
};

/// VAR page (virtio, TLP) (`MLX5_1.12`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_alloc_var(context: *mut ibv_context, flags: u32) -> *mut mlx5dv_var {
    border::null("mlx5dv_alloc_var", || {
        // SAFETY: the caller's promise.
        var::alloc(unsafe { Context::from_ibv(context)? }, flags)
    })
}

/// Free it (`MLX5_1.12`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_free_var(dv_var: *mut mlx5dv_var) {
    // SAFETY: the caller's promise.
    border::void("mlx5dv_free_var", || unsafe { var::free(dv_var) })
}

/// Packet pacing entry (`MLX5_1.13`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_pp_alloc(
    context: *mut ibv_context,
    pp_context_sz: usize,
    pp_context: *const c_void,
    flags: u32,
) -> *mut mlx5dv_pp {
    border::null("mlx5dv_pp_alloc", || {
        // SAFETY: the caller's promise.
        unsafe { pp::alloc(Context::from_ibv(context)?, pp_context_sz, pp_context, flags) }
    })
}

/// Free it (`MLX5_1.13`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_pp_free(pp: *mut mlx5dv_pp) {
    // SAFETY: the caller's promise.
    border::void("mlx5dv_pp_free", || unsafe { pp::free(pp) })
}
