//! Device memory.

use crate::exports::prelude::*;

/// Device memory, MEMIC or SW ICM (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_alloc_dm(
    _context: *mut ibv_context,
    _dm_attr: *mut ibv_alloc_dm_attr,
    _mlx5_dm_attr: *mut mlx5dv_alloc_dm_attr,
) -> *mut ibv_dm {
    missing!(null, "mlx5dv_alloc_dm")
}

/// Map MEMIC operation address (`MLX5_1.19`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dm_map_op_addr(_dm: *mut ibv_dm, _op: u8) -> *mut c_void {
    missing!(null, "mlx5dv_dm_map_op_addr")
}
