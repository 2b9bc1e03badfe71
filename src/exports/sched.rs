//! Scheduling elements.

use crate::exports::prelude::*;

/// Attach QP to scheduling leaves (`MLX5_1.17`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_modify_qp_sched_elem(
    _qp: *mut ibv_qp,
    _requestor: *const mlx5dv_sched_leaf,
    _responder: *const mlx5dv_sched_leaf,
) -> c_int {
    missing!(value, "mlx5dv_modify_qp_sched_elem")
}

/// Scheduling leaf (`MLX5_1.17`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_sched_leaf_create(
    _context: *mut ibv_context,
    _sched_attr: *const mlx5dv_sched_attr,
) -> *mut mlx5dv_sched_leaf {
    missing!(null, "mlx5dv_sched_leaf_create")
}

/// Destroy it (`MLX5_1.17`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_sched_leaf_destroy(_leaf: *mut mlx5dv_sched_leaf) -> c_int {
    missing!(value, "mlx5dv_sched_leaf_destroy")
}

/// Change share / rate (`MLX5_1.17`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_sched_leaf_modify(
    _leaf: *mut mlx5dv_sched_leaf,
    _sched_attr: *const mlx5dv_sched_attr,
) -> c_int {
    missing!(value, "mlx5dv_sched_leaf_modify")
}

/// Scheduling node (`MLX5_1.17`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_sched_node_create(
    _context: *mut ibv_context,
    _sched_attr: *const mlx5dv_sched_attr,
) -> *mut mlx5dv_sched_node {
    missing!(null, "mlx5dv_sched_node_create")
}

/// Destroy it (`MLX5_1.17`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_sched_node_destroy(_node: *mut mlx5dv_sched_node) -> c_int {
    missing!(value, "mlx5dv_sched_node_destroy")
}

/// Change share / rate (`MLX5_1.17`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_sched_node_modify(
    _node: *mut mlx5dv_sched_node,
    _sched_attr: *const mlx5dv_sched_attr,
) -> c_int {
    missing!(value, "mlx5dv_sched_node_modify")
}
