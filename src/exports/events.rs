//! DEVX event channels and asynchronous commands.

use crate::exports::prelude::*;

/// Completion fd for async queries (`MLX5_1.9`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_create_cmd_comp(
    _context: *mut ibv_context,
) -> *mut mlx5dv_devx_cmd_comp {
    missing!(null, "mlx5dv_devx_create_cmd_comp")
}

/// Event fd (`MLX5_1.11`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_create_event_channel(
    _context: *mut ibv_context,
    _flags: c_uint,
) -> *mut mlx5dv_devx_event_channel {
    missing!(null, "mlx5dv_devx_create_event_channel")
}

/// Close it (`MLX5_1.9`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_destroy_cmd_comp(_cmd_comp: *mut mlx5dv_devx_cmd_comp) {
    missing!(void, "mlx5dv_devx_destroy_cmd_comp")
}

/// Close it (`MLX5_1.11`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_destroy_event_channel(_event_channel: *mut mlx5dv_devx_event_channel) {
    missing!(void, "mlx5dv_devx_destroy_event_channel")
}

/// Read one async reply (`MLX5_1.9`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_get_async_cmd_comp(
    _cmd_comp: *mut mlx5dv_devx_cmd_comp,
    _cmd_resp: *mut mlx5_ib_uapi_devx_async_cmd_hdr,
    _cmd_resp_len: usize,
) -> c_int {
    missing!(value, "mlx5dv_devx_get_async_cmd_comp")
}

/// Read one event (`MLX5_1.11`). Returns: bytes or -1+errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_get_event(
    _event_channel: *mut mlx5dv_devx_event_channel,
    _event_data: *mut mlx5_ib_uapi_devx_async_event_hdr,
    _event_resp_len: usize,
) -> isize {
    missing!(minus_one, "mlx5dv_devx_get_event")
}

/// Start async query (`MLX5_1.9`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_query_async(
    _obj: *mut mlx5dv_devx_obj,
    _in_: *const c_void,
    _inlen: usize,
    _outlen: usize,
    _wr_id: u64,
    _cmd_comp: *mut mlx5dv_devx_cmd_comp,
) -> c_int {
    missing!(value, "mlx5dv_devx_obj_query_async")
}

/// Subscribe, events queued on the channel (`MLX5_1.11`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_subscribe_devx_event(
    _event_channel: *mut mlx5dv_devx_event_channel,
    _obj: *mut mlx5dv_devx_obj,
    _events_sz: u16,
    _events_num: *mut u16,
    _cookie: u64,
) -> c_int {
    missing!(value, "mlx5dv_devx_subscribe_devx_event")
}

/// Subscribe, signal an eventfd (`MLX5_1.11`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_subscribe_devx_event_fd(
    _event_channel: *mut mlx5dv_devx_event_channel,
    _fd: c_int,
    _obj: *mut mlx5dv_devx_obj,
    _event_num: u16,
) -> c_int {
    missing!(value, "mlx5dv_devx_subscribe_devx_event_fd")
}
