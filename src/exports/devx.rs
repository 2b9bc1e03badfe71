//! DEVX commands and objects.

use crate::{
    devx::{Mailboxes, Object, command, eq, object, qp_knobs::QpRef},
    exports::prelude::*,
    provider::Context,
};

/// The context of a verbs object. EINVAL for NULL, EOPNOTSUPP for an object of another provider,
/// before anything but its public context pointer is read.
macro_rules! owner {
    ($object:ident) => {
        match $object.as_ref() {
            Some(o) => Context::from_ibv(o.context)?,
            None => return Err(refuse!(EINVAL, "object is NULL")),
        }
    };
}

/// Modify command on a verbs CQ (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_cq_modify(
    cq: *mut ibv_cq,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> c_int {
    border::value("mlx5dv_devx_cq_modify", || {
        // SAFETY: the caller's promise.
        let (context, handle, m) =
            unsafe { (owner!(cq), (*cq).handle, Mailboxes::from_c(in_, inlen, out, outlen)) };
        object::modify(context, handle, m)
    })
}

/// Query command on a verbs CQ (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_cq_query(
    cq: *mut ibv_cq,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> c_int {
    border::value("mlx5dv_devx_cq_query", || {
        // SAFETY: the caller's promise.
        let (context, handle, m) =
            unsafe { (owner!(cq), (*cq).handle, Mailboxes::from_c(in_, inlen, out, outlen)) };
        object::query(context, handle, m)
    })
}

/// Command without object (`MLX5_1.7`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_general_cmd(
    context: *mut ibv_context,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> c_int {
    border::value("mlx5dv_devx_general_cmd", || {
        // SAFETY: the caller's promise.
        let (context, m) =
            unsafe { (Context::from_ibv(context)?, Mailboxes::from_c(in_, inlen, out, outlen)) };
        command::general(context, m)
    })
}

/// Modify command on a verbs indirection table (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_ind_tbl_modify(
    ind_tbl: *mut ibv_rwq_ind_table,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> c_int {
    border::value("mlx5dv_devx_ind_tbl_modify", || {
        // SAFETY: the caller's promise.
        let (context, handle, m) = unsafe {
            (owner!(ind_tbl), (*ind_tbl).ind_tbl_handle as u32, Mailboxes::from_c(in_, inlen, out, outlen))
        };
        object::modify(context, handle, m)
    })
}

/// Query command on a verbs indirection table (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_ind_tbl_query(
    ind_tbl: *mut ibv_rwq_ind_table,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> c_int {
    border::value("mlx5dv_devx_ind_tbl_query", || {
        // SAFETY: the caller's promise.
        let (context, handle, m) = unsafe {
            (owner!(ind_tbl), (*ind_tbl).ind_tbl_handle as u32, Mailboxes::from_c(in_, inlen, out, outlen))
        };
        object::query(context, handle, m)
    })
}

/// Create firmware object (`MLX5_1.7`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_create(
    context: *mut ibv_context,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> *mut mlx5dv_devx_obj {
    border::null("mlx5dv_devx_obj_create", || {
        // SAFETY: the caller's promise.
        let (context, m) =
            unsafe { (Context::from_ibv(context)?, Mailboxes::from_c(in_, inlen, out, outlen)) };
        object::create(context, m)
    })
}

/// Destroy it (`MLX5_1.7`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_destroy(obj: *mut mlx5dv_devx_obj) -> c_int {
    border::value("mlx5dv_devx_obj_destroy", || {
        // SAFETY: the caller's promise.
        unsafe { object::destroy(obj) }
    })
}

/// Modify command on it (`MLX5_1.7`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_modify(
    obj: *mut mlx5dv_devx_obj,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> c_int {
    border::value("mlx5dv_devx_obj_modify", || {
        // SAFETY: the caller's promise.
        let (obj, m) = unsafe { (Object::from_c(obj)?, Mailboxes::from_c(in_, inlen, out, outlen)) };
        obj.modify(m)
    })
}

/// Query command on it (`MLX5_1.7`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_query(
    obj: *mut mlx5dv_devx_obj,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> c_int {
    border::value("mlx5dv_devx_obj_query", || {
        // SAFETY: the caller's promise.
        let (obj, m) = unsafe { (Object::from_c(obj)?, Mailboxes::from_c(in_, inlen, out, outlen)) };
        obj.query(m)
    })
}

/// Modify command on a verbs QP (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_qp_modify(
    qp: *mut ibv_qp,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> c_int {
    border::value("mlx5dv_devx_qp_modify", || {
        // SAFETY: the caller's promise.
        let (qp, m) = unsafe { (QpRef::from_c(qp)?, Mailboxes::from_c(in_, inlen, out, outlen)) };
        qp.modify(m)
    })
}

/// Query command on a verbs QP (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_qp_query(
    qp: *mut ibv_qp,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> c_int {
    border::value("mlx5dv_devx_qp_query", || {
        // SAFETY: the caller's promise.
        let (qp, m) = unsafe { (QpRef::from_c(qp)?, Mailboxes::from_c(in_, inlen, out, outlen)) };
        qp.query(m)
    })
}

/// EQ number of a completion vector (`MLX5_1.7`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_query_eqn(
    context: *mut ibv_context,
    vector: u32,
    eqn: *mut u32,
) -> c_int {
    border::value("mlx5dv_devx_query_eqn", || {
        // SAFETY: the caller's promise.
        let context = unsafe { Context::from_ibv(context)? };
        eq::query_eqn(context, vector, eqn)
    })
}

/// Modify command on a verbs SRQ (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_srq_modify(
    srq: *mut ibv_srq,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> c_int {
    border::value("mlx5dv_devx_srq_modify", || {
        // SAFETY: the caller's promise.
        let (context, handle, m) =
            unsafe { (owner!(srq), (*srq).handle, Mailboxes::from_c(in_, inlen, out, outlen)) };
        object::modify(context, handle, m)
    })
}

/// Query command on a verbs SRQ (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_srq_query(
    srq: *mut ibv_srq,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> c_int {
    border::value("mlx5dv_devx_srq_query", || {
        // SAFETY: the caller's promise.
        let (context, handle, m) =
            unsafe { (owner!(srq), (*srq).handle, Mailboxes::from_c(in_, inlen, out, outlen)) };
        object::query(context, handle, m)
    })
}

/// Modify command on a verbs WQ (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_wq_modify(
    wq: *mut ibv_wq,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> c_int {
    border::value("mlx5dv_devx_wq_modify", || {
        // SAFETY: the caller's promise.
        let (context, handle, m) =
            unsafe { (owner!(wq), (*wq).handle, Mailboxes::from_c(in_, inlen, out, outlen)) };
        object::modify(context, handle, m)
    })
}

/// Query command on a verbs WQ (`MLX5_1.8`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_wq_query(
    wq: *mut ibv_wq,
    in_: *const c_void,
    inlen: usize,
    out: *mut c_void,
    outlen: usize,
) -> c_int {
    border::value("mlx5dv_devx_wq_query", || {
        // SAFETY: the caller's promise.
        let (context, handle, m) =
            unsafe { (owner!(wq), (*wq).handle, Mailboxes::from_c(in_, inlen, out, outlen)) };
        object::query(context, handle, m)
    })
}
