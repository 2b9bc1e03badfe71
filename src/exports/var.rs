//! VAR (virtio doorbell pages) and packet pacing entries.

use crate::exports::prelude::*;

/// VAR page (virtio, TLP) (`MLX5_1.12`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_alloc_var(_context: *mut ibv_context, _flags: u32) -> *mut mlx5dv_var {
    missing!(null, "mlx5dv_alloc_var")
}

/// Free it (`MLX5_1.12`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_free_var(_dv_var: *mut mlx5dv_var) {
    missing!(void, "mlx5dv_free_var")
}

/// Packet pacing entry (`MLX5_1.13`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_pp_alloc(
    _context: *mut ibv_context,
    _pp_context_sz: usize,
    _pp_context: *const c_void,
    _flags: u32,
) -> *mut mlx5dv_pp {
    missing!(null, "mlx5dv_pp_alloc")
}

/// Free it (`MLX5_1.13`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_pp_free(_pp: *mut mlx5dv_pp) {
    missing!(void, "mlx5dv_pp_free")
}
