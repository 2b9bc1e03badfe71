//! Side knobs of queue pairs: LAG port, UDP source port, DCI streams, reserved numbers, AH mapping.

use crate::{
    devx::{
        ah_map,
        qp_knobs::{self, QpRef},
        reserved_qpn,
    },
    exports::prelude::*,
    provider::Context,
};

/// Reset an errored DCI stream (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dci_stream_id_reset(qp: *mut ibv_qp, stream_id: u16) -> c_int {
    border::value("mlx5dv_dci_stream_id_reset", || {
        // SAFETY: the caller's promise.
        qp_knobs::reset_dci_stream(unsafe { QpRef::from_c(qp)? }, stream_id)
    })
}

/// Bind AH to remote QP in hardware (`MLX5_1.20`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_map_ah_to_qp(ah: *mut ibv_ah, qp_num: u32) -> c_int {
    // SAFETY: the caller's promise.
    border::value("mlx5dv_map_ah_to_qp", || unsafe { ah_map::map(ah, qp_num) })
}

/// Set LAG port affinity (`MLX5_1.14`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_modify_qp_lag_port(qp: *mut ibv_qp, port_num: u8) -> c_int {
    border::value("mlx5dv_modify_qp_lag_port", || {
        // SAFETY: the caller's promise.
        qp_knobs::modify_lag_port(unsafe { QpRef::from_c(qp)? }, port_num)
    })
}

/// Set RoCE UDP source port (`MLX5_1.17`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_modify_qp_udp_sport(qp: *mut ibv_qp, udp_sport: u16) -> c_int {
    border::value("mlx5dv_modify_qp_udp_sport", || {
        // SAFETY: the caller's promise.
        qp_knobs::modify_udp_sport(unsafe { QpRef::from_c(qp)? }, udp_sport)
    })
}

/// Configured and active LAG port (`MLX5_1.14`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_query_qp_lag_port(
    qp: *mut ibv_qp,
    port_num: *mut u8,
    active_port_num: *mut u8,
) -> c_int {
    border::value("mlx5dv_query_qp_lag_port", || {
        // SAFETY: the caller's promise.
        let (qp, port, active) = unsafe { (QpRef::from_c(qp)?, port_num.as_mut(), active_port_num.as_mut()) };
        let (Some(port), Some(active)) = (port, active) else {
            return Err(refuse!(EINVAL, "no place for the port numbers"));
        };
        let found = qp_knobs::query_lag_port(qp)?;
        // Told even if the port that is used cannot be.
        *port = found.port;
        *active = qp_knobs::active_port(found)?;
        Ok(())
    })
}

/// Reserve a QP number (`MLX5_1.18`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_reserved_qpn_alloc(ctx: *mut ibv_context, qpn: *mut u32) -> c_int {
    border::value("mlx5dv_reserved_qpn_alloc", || {
        // SAFETY: the caller's promise.
        let (context, qpn) = unsafe { (Context::from_ibv(ctx)?, qpn.as_mut()) };
        *qpn.ok_or(refuse!(EINVAL, "no place for the QP number"))? = reserved_qpn::alloc(context)?;
        Ok(())
    })
}

/// Return it (`MLX5_1.18`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_reserved_qpn_dealloc(ctx: *mut ibv_context, qpn: u32) -> c_int {
    border::value("mlx5dv_reserved_qpn_dealloc", || {
        // SAFETY: the caller's promise.
        let context = unsafe { Context::from_ibv(ctx)? };
        reserved_qpn::dealloc(context, qpn).map_err(Refusal::and_errno)
    })
}
