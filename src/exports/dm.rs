//! Device memory.

use crate::{
    devx::dm::{self, Dm},
    exports::prelude::*,
    provider::Context,
};

/// Device memory, MEMIC or SW ICM (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_alloc_dm(
    context: *mut ibv_context,
    dm_attr: *mut ibv_alloc_dm_attr,
    mlx5_dm_attr: *mut mlx5dv_alloc_dm_attr,
) -> *mut ibv_dm {
    border::null("mlx5dv_alloc_dm", || {
        // SAFETY: the caller's promise.
        let (context, attr, dv) =
            unsafe { (Context::from_ibv(context)?, dm_attr.as_ref(), mlx5_dm_attr.as_ref()) };
        match (attr, dv) {
            (Some(attr), Some(dv)) => dm::alloc(context, attr, dv),
            _ => Err(refuse!(EINVAL, "attributes are NULL")),
        }
    })
}

/// Map MEMIC operation address (`MLX5_1.19`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dm_map_op_addr(dm: *mut ibv_dm, op: u8) -> *mut c_void {
    border::null("mlx5dv_dm_map_op_addr", || {
        // SAFETY: the caller's promise.
        let (dm, context) = unsafe { Dm::from_c(dm)? };
        dm::map_op_addr(context, dm, op)
    })
}
