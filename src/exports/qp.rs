//! Side knobs of queue pairs: LAG port, UDP source port, DCI streams, reserved numbers, AH mapping.

use crate::exports::prelude::*;

/// Reset an errored DCI stream (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dci_stream_id_reset(_qp: *mut ibv_qp, _stream_id: u16) -> c_int {
    missing!(value, "mlx5dv_dci_stream_id_reset")
}

/// Bind AH to remote QP in hardware (`MLX5_1.20`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_map_ah_to_qp(_ah: *mut ibv_ah, _qp_num: u32) -> c_int {
    missing!(value, "mlx5dv_map_ah_to_qp")
}

/// Set LAG port affinity (`MLX5_1.14`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_modify_qp_lag_port(_qp: *mut ibv_qp, _port_num: u8) -> c_int {
    missing!(value, "mlx5dv_modify_qp_lag_port")
}

/// Set RoCE UDP source port (`MLX5_1.17`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_modify_qp_udp_sport(_qp: *mut ibv_qp, _udp_sport: u16) -> c_int {
    missing!(value, "mlx5dv_modify_qp_udp_sport")
}

/// Configured and active LAG port (`MLX5_1.14`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_query_qp_lag_port(
    _qp: *mut ibv_qp,
    _port_num: *mut u8,
    _active_port_num: *mut u8,
) -> c_int {
    missing!(value, "mlx5dv_query_qp_lag_port")
}

/// Reserve a QP number (`MLX5_1.18`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_reserved_qpn_alloc(_ctx: *mut ibv_context, _qpn: *mut u32) -> c_int {
    missing!(value, "mlx5dv_reserved_qpn_alloc")
}

/// Return it (`MLX5_1.18`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_reserved_qpn_dealloc(_ctx: *mut ibv_context, _qpn: u32) -> c_int {
    missing!(value, "mlx5dv_reserved_qpn_dealloc")
}
