//! Creation of verbs objects with mlx5 attributes and raw views of existing ones.

use crate::{
    exports::prelude::*,
    provider::Context,
    verbs::{cq, qp, wq},
};

/// Extended CQ with mlx5 attributes (`MLX5_1.1`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_create_cq(
    context: *mut ibv_context,
    cq_attr: *mut ibv_cq_init_attr_ex,
    mlx5_cq_attr: *mut mlx5dv_cq_init_attr,
) -> *mut ibv_cq_ex {
    // SAFETY: the promise above.
    border::null("mlx5dv_create_cq", || unsafe { cq::dv_create_cq(context, cq_attr, mlx5_cq_attr) })
}

/// Extended QP with mlx5 attributes (also DCI/DCT) (`MLX5_1.3`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_create_qp(
    context: *mut ibv_context,
    qp_attr: *mut ibv_qp_init_attr_ex,
    mlx5_qp_attr: *mut mlx5dv_qp_init_attr,
) -> *mut ibv_qp {
    // SAFETY: the promise above.
    border::null("mlx5dv_create_qp", || unsafe {
        let attr = qp_attr.as_mut().ok_or(refuse!(EINVAL, "qp_attr is NULL"))?;
        qp::create::create(Context::from_ibv(context)?, attr, mlx5_qp_attr.as_ref())
    })
}

/// WQ with striding RQ attributes (`MLX5_1.3`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_create_wq(
    context: *mut ibv_context,
    wq_init_attr: *mut ibv_wq_init_attr,
    mlx5_wq_attr: *mut mlx5dv_wq_init_attr,
) -> *mut ibv_wq {
    // SAFETY: the promise above.
    border::null("mlx5dv_create_wq", || unsafe {
        let attr = wq_init_attr.as_ref().ok_or(refuse!(EINVAL, "wq_init_attr is NULL"))?;
        wq::create(Context::from_ibv(context)?, attr, mlx5_wq_attr.as_ref())
    })
}

/// The one name with two versions. `.symver` must stand in the module of the functions, so
/// that both land in one object file at every optimisation level.
mod init_obj {
    use crate::{
        exports::prelude::*,
        verbs::init_obj::{Version, init_obj},
    };

    /// Raw views of verbs objects as binaries of 2017 expect them (`MLX5_1.0`): `cq_uar` is the
    /// address of the pointer. Returns: 0 or a positive errno.
    ///
    /// # Safety
    /// As [`mlx5dv_init_obj_1_2`].
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn mlx5dv_init_obj_1_0(obj: *mut mlx5dv_obj, obj_type: u64) -> c_int {
        // SAFETY: the promise above.
        border::value("mlx5dv_init_obj", || unsafe { init_obj(obj, obj_type, Version::V1_0) })
    }

    /// Raw views of verbs objects (`MLX5_1.2`, the default). Returns: 0 or a positive errno.
    ///
    /// # Safety
    /// Each `in` member whose bit is set in `obj_type` is a live object of one mlx5 context and
    /// its `out` member is writable.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn mlx5dv_init_obj_1_2(obj: *mut mlx5dv_obj, obj_type: u64) -> c_int {
        // SAFETY: the promise above.
        border::value("mlx5dv_init_obj", || unsafe { init_obj(obj, obj_type, Version::V1_2) })
    }

    core::arch::global_asm!(
        ".symver mlx5dv_init_obj_1_0, mlx5dv_init_obj@MLX5_1.0",
        ".symver mlx5dv_init_obj_1_2, mlx5dv_init_obj@@MLX5_1.2",
    );
}
