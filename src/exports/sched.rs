//! Scheduling elements.

use crate::{
    devx::{
        qp_knobs::QpRef,
        sched::{self, Scheduler},
    },
    exports::prelude::*,
    provider::Context,
};

/// Attach QP to scheduling leaves (`MLX5_1.17`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_modify_qp_sched_elem(
    qp: *mut ibv_qp,
    requestor: *const mlx5dv_sched_leaf,
    responder: *const mlx5dv_sched_leaf,
) -> c_int {
    border::value("mlx5dv_modify_qp_sched_elem", || {
        // SAFETY: the caller's promise.
        let (qp, requestor, responder) =
            unsafe { (QpRef::from_c(qp)?, Scheduler::leaf(requestor), Scheduler::leaf(responder)) };
        sched::modify_qp(qp, requestor, responder)
    })
}

/// Scheduling leaf (`MLX5_1.17`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_sched_leaf_create(
    context: *mut ibv_context,
    sched_attr: *const mlx5dv_sched_attr,
) -> *mut mlx5dv_sched_leaf {
    border::null("mlx5dv_sched_leaf_create", || {
        // SAFETY: the caller's promise.
        unsafe { sched::create_leaf(Context::from_ibv(context)?, sched_attr) }
    })
}

/// Destroy it (`MLX5_1.17`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_sched_leaf_destroy(leaf: *mut mlx5dv_sched_leaf) -> c_int {
    // SAFETY: the caller's promise.
    border::value("mlx5dv_sched_leaf_destroy", || unsafe { sched::destroy(leaf) })
}

/// Change share / rate (`MLX5_1.17`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_sched_leaf_modify(
    leaf: *mut mlx5dv_sched_leaf,
    sched_attr: *const mlx5dv_sched_attr,
) -> c_int {
    // SAFETY: the caller's promise.
    border::value("mlx5dv_sched_leaf_modify", || unsafe { sched::modify_leaf(leaf, sched_attr) })
}

/// Scheduling node (`MLX5_1.17`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_sched_node_create(
    context: *mut ibv_context,
    sched_attr: *const mlx5dv_sched_attr,
) -> *mut mlx5dv_sched_node {
    border::null("mlx5dv_sched_node_create", || {
        // SAFETY: the caller's promise.
        unsafe { sched::create_node(Context::from_ibv(context)?, sched_attr) }
    })
}

/// Destroy it (`MLX5_1.17`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_sched_node_destroy(node: *mut mlx5dv_sched_node) -> c_int {
    // SAFETY: the caller's promise.
    border::value("mlx5dv_sched_node_destroy", || unsafe { sched::destroy(node) })
}

/// Change share / rate (`MLX5_1.17`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_sched_node_modify(
    node: *mut mlx5dv_sched_node,
    sched_attr: *const mlx5dv_sched_attr,
) -> c_int {
    // SAFETY: the caller's promise.
    border::value("mlx5dv_sched_node_modify", || unsafe { sched::modify_node(node, sched_attr) })
}
