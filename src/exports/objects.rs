//! Creation of verbs objects with mlx5 attributes and raw views of existing ones.

use crate::exports::prelude::*;

/// Extended CQ with mlx5 attributes (`MLX5_1.1`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_create_cq(
    _context: *mut ibv_context,
    _cq_attr: *mut ibv_cq_init_attr_ex,
    _mlx5_cq_attr: *mut mlx5dv_cq_init_attr,
) -> *mut ibv_cq_ex {
    missing!(null, "mlx5dv_create_cq")
}

/// Extended QP with mlx5 attributes (also DCI/DCT) (`MLX5_1.3`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_create_qp(
    _context: *mut ibv_context,
    _qp_attr: *mut ibv_qp_init_attr_ex,
    _mlx5_qp_attr: *mut mlx5dv_qp_init_attr,
) -> *mut ibv_qp {
    missing!(null, "mlx5dv_create_qp")
}

/// WQ with striding RQ attributes (`MLX5_1.3`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_create_wq(
    _context: *mut ibv_context,
    _wq_init_attr: *mut ibv_wq_init_attr,
    _mlx5_wq_attr: *mut mlx5dv_wq_init_attr,
) -> *mut ibv_wq {
    missing!(null, "mlx5dv_create_wq")
}

/// The one name with two versions. `.symver` must stand in the module of the functions, so
/// that both land in one object file at every optimisation level.
mod init_obj {
    use crate::exports::prelude::*;

    /// Raw views of verbs objects as binaries of 2017 expect them (`MLX5_1.0`): `cq_uar` is the
    /// address of the pointer. Returns: 0 or a positive errno.
    ///
    /// # Safety
    /// As [`mlx5dv_init_obj_1_2`].
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn mlx5dv_init_obj_1_0(_obj: *mut mlx5dv_obj, _obj_type: u64) -> c_int {
        missing!(value, "mlx5dv_init_obj")
    }

    /// Raw views of verbs objects (`MLX5_1.2`, the default). Returns: 0 or a positive errno.
    ///
    /// # Safety
    /// Each `in` member whose bit is set in `obj_type` is a live object of one mlx5 context and
    /// its `out` member is writable.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn mlx5dv_init_obj_1_2(_obj: *mut mlx5dv_obj, _obj_type: u64) -> c_int {
        missing!(value, "mlx5dv_init_obj")
    }

    core::arch::global_asm!(
        ".symver mlx5dv_init_obj_1_0, mlx5dv_init_obj@MLX5_1.0",
        ".symver mlx5dv_init_obj_1_2, mlx5dv_init_obj@@MLX5_1.2",
    );
}
