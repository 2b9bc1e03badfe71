//! Kernel flow steering.

use crate::exports::prelude::*;

/// Same with explicit action struct size (header macro target) (`MLX5_1.25.1`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __mlx5dv_create_flow(
    _matcher: *mut mlx5dv_flow_matcher,
    _match_value: *mut mlx5dv_flow_match_parameters,
    _num_actions: usize,
    _actions_attr: *mut mlx5dv_flow_action_attr,
    _attr_len: usize,
) -> *mut ibv_flow {
    missing!(null, "__mlx5dv_create_flow")
}

/// Kernel flow, old action struct size (`MLX5_1.6`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_create_flow(
    _matcher: *mut mlx5dv_flow_matcher,
    _match_value: *mut mlx5dv_flow_match_parameters,
    _num_actions: usize,
    _actions_attr: *mut mlx5dv_flow_action_attr,
) -> *mut ibv_flow {
    missing!(null, "mlx5dv_create_flow")
}

/// ESP flow action with mlx5 flags (`MLX5_1.5`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_create_flow_action_esp(
    _ctx: *mut ibv_context,
    _esp: *mut ibv_flow_action_esp_attr,
    _mlx5_attr: *mut mlx5dv_flow_action_esp,
) -> *mut ibv_flow_action {
    missing!(null, "mlx5dv_create_flow_action_esp")
}

/// Modify-header action (`MLX5_1.7`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_create_flow_action_modify_header(
    _ctx: *mut ibv_context,
    _actions_sz: usize,
    _actions: *mut u64,
    _ft_type: c_uint,
) -> *mut ibv_flow_action {
    missing!(null, "mlx5dv_create_flow_action_modify_header")
}

/// Packet reformat action (`MLX5_1.7`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_create_flow_action_packet_reformat(
    _ctx: *mut ibv_context,
    _data_sz: usize,
    _data: *mut c_void,
    _reformat_type: c_uint,
    _ft_type: c_uint,
) -> *mut ibv_flow_action {
    missing!(null, "mlx5dv_create_flow_action_packet_reformat")
}

/// Kernel flow matcher (`MLX5_1.6`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_create_flow_matcher(
    _context: *mut ibv_context,
    _matcher_attr: *mut mlx5dv_flow_matcher_attr,
) -> *mut mlx5dv_flow_matcher {
    missing!(null, "mlx5dv_create_flow_matcher")
}

/// Flow-table anchor id (`MLX5_1.24`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_create_steering_anchor(
    _context: *mut ibv_context,
    _attr: *mut mlx5dv_steering_anchor_attr,
) -> *mut mlx5dv_steering_anchor {
    missing!(null, "mlx5dv_create_steering_anchor")
}

/// Destroy it (honours disassociate-destroy) (`MLX5_1.6`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_destroy_flow_matcher(_matcher: *mut mlx5dv_flow_matcher) -> c_int {
    missing!(value, "mlx5dv_destroy_flow_matcher")
}

/// Destroy it (`MLX5_1.24`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_destroy_steering_anchor(_sa: *mut mlx5dv_steering_anchor) -> c_int {
    missing!(value, "mlx5dv_destroy_steering_anchor")
}
