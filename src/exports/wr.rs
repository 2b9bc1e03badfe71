//! Work requests outside the builders.

use crate::exports::prelude::*;

/// Turn posted WRs into NOPs; count or negative errno (`MLX5_1.20`). Returns: count or -errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_qp_cancel_posted_send_wrs(_mqp: *mut mlx5dv_qp_ex, _wr_id: u64) -> c_int {
    missing!(negative, "mlx5dv_qp_cancel_posted_send_wrs")
}

/// Pointer conversion only (`MLX5_1.10`). Returns: pointer, never fails.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_qp_ex_from_ibv_qp_ex(_qp: *mut ibv_qp_ex) -> *mut mlx5dv_qp_ex {
    missing!(null, "mlx5dv_qp_ex_from_ibv_qp_ex")
}
