//! Memory regions.

use crate::{
    exports::prelude::*,
    provider::Context,
    verbs::{mr, pd::Pd},
};

/// Dma-buf MR with mlx5 access flags (`MLX5_1.25`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_reg_dmabuf_mr(
    pd: *mut ibv_pd,
    offset: u64,
    length: usize,
    iova: u64,
    fd: c_int,
    access: c_int,
    mlx5_access: c_int,
) -> *mut ibv_mr {
    border::null("mlx5dv_reg_dmabuf_mr", || {
        // SAFETY: the caller's promise: a PD of whichever provider, whose context is public.
        let p = unsafe {
            let public = pd.as_ref().ok_or(refuse!(EINVAL, "PD is NULL"))?;
            Context::from_ibv(public.context)?;
            Pd::from_ibv(pd)
        };
        mr::reg_dmabuf(pd, p, (offset, length, iova), fd, access, Some(mlx5_access as u32))
    })
}
