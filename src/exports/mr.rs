//! Memory regions.

use crate::exports::prelude::*;

/// Dma-buf MR with mlx5 access flags (`MLX5_1.25`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_reg_dmabuf_mr(
    _pd: *mut ibv_pd,
    _offset: u64,
    _length: usize,
    _iova: u64,
    _fd: c_int,
    _access: c_int,
    _mlx5_access: c_int,
) -> *mut ibv_mr {
    missing!(null, "mlx5dv_reg_dmabuf_mr")
}
