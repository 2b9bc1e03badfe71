//! DEVX commands and objects.

use crate::exports::prelude::*;

/// Modify command on a verbs CQ (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_cq_modify(
    _cq: *mut ibv_cq,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_cq_modify")
}

/// Query command on a verbs CQ (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_cq_query(
    _cq: *mut ibv_cq,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_cq_query")
}

/// Command without object (`MLX5_1.7`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_general_cmd(
    _context: *mut ibv_context,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_general_cmd")
}

/// Modify command on a verbs indirection table (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_ind_tbl_modify(
    _ind_tbl: *mut ibv_rwq_ind_table,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_ind_tbl_modify")
}

/// Query command on a verbs indirection table (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_ind_tbl_query(
    _ind_tbl: *mut ibv_rwq_ind_table,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_ind_tbl_query")
}

/// Create firmware object (`MLX5_1.7`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_create(
    _context: *mut ibv_context,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> *mut mlx5dv_devx_obj {
    missing!(null, "mlx5dv_devx_obj_create")
}

/// Destroy it (`MLX5_1.7`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_destroy(_obj: *mut mlx5dv_devx_obj) -> c_int {
    missing!(value, "mlx5dv_devx_obj_destroy")
}

/// Modify command on it (`MLX5_1.7`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_modify(
    _obj: *mut mlx5dv_devx_obj,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_obj_modify")
}

/// Query command on it (`MLX5_1.7`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_query(
    _obj: *mut mlx5dv_devx_obj,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_obj_query")
}

/// Modify command on a verbs QP (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_qp_modify(
    _qp: *mut ibv_qp,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_qp_modify")
}

/// Query command on a verbs QP (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_qp_query(
    _qp: *mut ibv_qp,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_qp_query")
}

/// EQ number of a completion vector (`MLX5_1.7`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_query_eqn(
    _context: *mut ibv_context,
    _vector: u32,
    _eqn: *mut u32,
) -> c_int {
    missing!(value, "mlx5dv_devx_query_eqn")
}

/// Modify command on a verbs SRQ (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_srq_modify(
    _srq: *mut ibv_srq,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_srq_modify")
}

/// Query command on a verbs SRQ (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_srq_query(
    _srq: *mut ibv_srq,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_srq_query")
}

/// Modify command on a verbs WQ (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_wq_modify(
    _wq: *mut ibv_wq,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_wq_modify")
}

/// Query command on a verbs WQ (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_wq_query(
    _wq: *mut ibv_wq,
    _in_: *const c_void,
    _inlen: usize,
    _out: *mut c_void,
    _outlen: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_wq_query")
}
