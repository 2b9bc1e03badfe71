//! Objects as blobs that another process can import.

use crate::{
    devx::{Object, export, umem::Umem, var::Var},
    exports::prelude::*,
    handle,
    provider::Context,
};

/// DEVX object to blob (always 0) (`MLX5_1.27`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_export(obj: *mut mlx5dv_devx_obj, data: *mut c_void) -> c_int {
    border::value("mlx5dv_devx_obj_export", || {
        // SAFETY: the caller's promise.
        unsafe { export::object(Object::from_c(obj)?, data) }
    })
}

/// DEVX object from blob (`MLX5_1.27`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_import(
    context: *mut ibv_context,
    data: *mut c_void,
) -> *mut mlx5dv_devx_obj {
    border::null("mlx5dv_devx_obj_import", || {
        // SAFETY: the caller's promise.
        unsafe { export::import_object(Context::from_ibv(context)?, data) }
    })
}

/// Drop local handle only (`MLX5_1.27`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_unimport(obj: *mut mlx5dv_devx_obj) {
    border::void("mlx5dv_devx_obj_unimport", || {
        // SAFETY: the caller's promise: from an import or its alloc, and not used any more.
        unsafe {
            Object::from_c(obj)?;
            drop(handle::take(obj.cast::<Object>()));
        }
        Ok(())
    })
}

/// DEVX umem to blob (always 0) (`MLX5_1.27`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_umem_export(umem: *mut mlx5dv_devx_umem, data: *mut c_void) -> c_int {
    border::value("mlx5dv_devx_umem_export", || {
        // SAFETY: the caller's promise.
        unsafe { export::umem(Umem::from_c(umem)?, data) }
    })
}

/// DEVX umem from blob (`MLX5_1.27`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_umem_import(
    context: *mut ibv_context,
    data: *mut c_void,
) -> *mut mlx5dv_devx_umem {
    border::null("mlx5dv_devx_umem_import", || {
        // SAFETY: the caller's promise.
        unsafe { export::import_umem(Context::from_ibv(context)?, data) }
    })
}

/// Drop local handle only (`MLX5_1.27`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_umem_unimport(umem: *mut mlx5dv_devx_umem) {
    border::void("mlx5dv_devx_umem_unimport", || {
        // SAFETY: the caller's promise: from an import or its alloc, and not used any more.
        unsafe {
            Umem::from_c(umem)?;
            drop(handle::take(umem.cast::<Umem>()));
        }
        Ok(())
    })
}

/// Sizes of export blobs (inline mlx5dv_get_export_sizes) (`MLX5_1.27`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _mlx5dv_get_export_sizes(sizes: *mut mlx5dv_export_sizes, sizes_len: usize) {
    border::void("_mlx5dv_get_export_sizes", || {
        // SAFETY: the caller's promise.
        unsafe { export::sizes(sizes, sizes_len) }
    })
}

/// VAR to blob (always 0) (`MLX5_1.27`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_var_export(dv_var: *mut mlx5dv_var, data: *mut c_void) -> c_int {
    border::value("mlx5dv_var_export", || {
        // SAFETY: the caller's promise.
        unsafe { export::var(Var::from_c(dv_var)?, data) }
    })
}

/// VAR from blob (`MLX5_1.27`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_var_import(context: *mut ibv_context, data: *mut c_void) -> *mut mlx5dv_var {
    border::null("mlx5dv_var_import", || {
        // SAFETY: the caller's promise.
        unsafe { export::import_var(Context::from_ibv(context)?, data) }
    })
}

/// Drop local handle only (`MLX5_1.27`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_var_unimport(dv_var: *mut mlx5dv_var) {
    border::void("mlx5dv_var_unimport", || {
        // SAFETY: the caller's promise: from an import or its alloc, and not used any more.
        unsafe {
            Var::from_c(dv_var)?;
            drop(handle::take(dv_var.cast::<Var>()));
        }
        Ok(())
    })
}
