//! Devices and contexts.

use crate::{
    abi::dv::consts::MLX5DV_CTX_ATTR_BUF_ALLOCATORS,
    exports::prelude::*,
    provider::{Context, clock, data_direct, dv_query, is_ours, open_device, port},
};

/// Read the shared clock page (`MLX5_1.4`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_get_clock_info(
    context: *mut ibv_context,
    clock_info: *mut mlx5dv_clock_info,
) -> c_int {
    border::value("mlx5dv_get_clock_info", || {
        // SAFETY: the caller's promise.
        let (context, out) = unsafe { (Context::from_ibv(context)?, &mut *clock_info) };
        clock::get_clock_info(context, out)
    })
}

/// Sysfs path of the data-direct device (`MLX5_1.25`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_get_data_direct_sysfs_path(
    context: *mut ibv_context,
    buf: *mut c_char,
    buf_len: usize,
) -> c_int {
    border::value("mlx5dv_get_data_direct_sysfs_path", || {
        // SAFETY: the caller's promise.
        let context = unsafe { Context::from_ibv(context)? };
        data_direct::sysfs_path(context, buf.cast(), buf_len)
    })
}

/// Device is driven by the kernel mlx5 provider (`MLX5_1.8`). Returns: bool.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_is_supported(device: *mut ibv_device) -> bool {
    border::bool("mlx5dv_is_supported", || {
        // SAFETY: the caller's promise.
        match unsafe { is_ours(device) } {
            true => Ok(()),
            false => Err(refuse!(EOPNOTSUPP, "device is not driven by this provider")),
        }
    })
}

/// Open with mlx5 attributes (`MLX5_1.7`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_open_device(
    device: *mut ibv_device,
    attr: *mut mlx5dv_context_attr,
) -> *mut ibv_context {
    // SAFETY: the caller's promise.
    border::null("mlx5dv_open_device", || unsafe { open_device(device, attr) })
}

/// Mlx5-specific capabilities by comp_mask (`MLX5_1.0`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_query_device(
    ctx_in: *mut ibv_context,
    attrs_out: *mut mlx5dv_context,
) -> c_int {
    border::value("mlx5dv_query_device", || {
        // SAFETY: the caller's promise.
        let context = unsafe { Context::from_ibv(ctx_in)? };
        dv_query::query_device(context, attrs_out);
        Ok(())
    })
}

/// Vport data of a port (inline mlx5dv_query_port) (`MLX5_1.19`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _mlx5dv_query_port(
    context: *mut ibv_context,
    port_num: u32,
    info: *mut mlx5_ib_uapi_query_port,
    info_len: usize,
) -> c_int {
    border::value("_mlx5dv_query_port", || {
        // SAFETY: the caller's promise.
        let context = unsafe { Context::from_ibv(context)? };
        port::dv_query_port(context, port_num, info.cast(), info_len)
    })
}

/// Set context attribute (buffer allocators) (`MLX5_1.2`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_set_context_attr(
    context: *mut ibv_context,
    type_: c_uint,
    attr: *mut c_void,
) -> c_int {
    border::value("mlx5dv_set_context_attr", || {
        // SAFETY: the caller's promise.
        let context = unsafe { Context::from_ibv(context)? };
        if type_ != MLX5DV_CTX_ATTR_BUF_ALLOCATORS {
            return Err(refuse!(ENOTSUP, "unknown context attribute", type_ = type_));
        }
        // SAFETY: an attribute of this type is an allocator struct.
        context.set_allocators(unsafe { attr.cast::<mlx5dv_ctx_allocators>().read() });
        Ok(())
    })
}
