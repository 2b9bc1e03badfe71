//! Work requests outside the builders.

use crate::{
    datapath::{cancel, qp::Qp},
    exports::prelude::*,
};

/// Turn posted WRs into NOPs; count or negative errno (`MLX5_1.20`). Returns: count or -errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_qp_cancel_posted_send_wrs(mqp: *mut mlx5dv_qp_ex, wr_id: u64) -> c_int {
    border::negative("mlx5dv_qp_cancel_posted_send_wrs", || {
        // SAFETY: the promise above: the face of a live QP.
        cancel::posted_sends(unsafe { Qp::from_dv(mqp) }, wr_id)
    })
}

/// Pointer conversion only (`MLX5_1.10`). Returns: pointer, never fails.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_qp_ex_from_ibv_qp_ex(qp: *mut ibv_qp_ex) -> *mut mlx5dv_qp_ex {
    // SAFETY: the promise above: the face of a live QP.
    unsafe { Qp::from_ibv_ex(qp) }.dv.get().cast()
}
