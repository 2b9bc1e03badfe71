//! DEVX event channels and asynchronous commands.

use crate::{
    devx::{Mailboxes, Object, async_cmd, event, event::EventChannel},
    exports::prelude::*,
    provider::Context,
};

/// Completion fd for async queries (`MLX5_1.9`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_create_cmd_comp(context: *mut ibv_context) -> *mut mlx5dv_devx_cmd_comp {
    border::null("mlx5dv_devx_create_cmd_comp", || {
        // SAFETY: the caller's promise.
        async_cmd::create_channel(unsafe { Context::from_ibv(context)? })
    })
}

/// Event fd (`MLX5_1.11`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_create_event_channel(
    context: *mut ibv_context,
    flags: c_uint,
) -> *mut mlx5dv_devx_event_channel {
    border::null("mlx5dv_devx_create_event_channel", || {
        // SAFETY: the caller's promise.
        event::create(unsafe { Context::from_ibv(context)? }, flags)
    })
}

/// Close it (`MLX5_1.9`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_destroy_cmd_comp(cmd_comp: *mut mlx5dv_devx_cmd_comp) {
    // SAFETY: the caller's promise.
    border::void("mlx5dv_devx_destroy_cmd_comp", || unsafe { async_cmd::destroy_channel(cmd_comp) })
}

/// Close it (`MLX5_1.11`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_destroy_event_channel(event_channel: *mut mlx5dv_devx_event_channel) {
    // SAFETY: the caller's promise.
    border::void("mlx5dv_devx_destroy_event_channel", || unsafe { event::destroy(event_channel) })
}

/// Read one async reply (`MLX5_1.9`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_get_async_cmd_comp(
    cmd_comp: *mut mlx5dv_devx_cmd_comp,
    cmd_resp: *mut mlx5_ib_uapi_devx_async_cmd_hdr,
    cmd_resp_len: usize,
) -> c_int {
    border::value("mlx5dv_devx_get_async_cmd_comp", || {
        // SAFETY: the caller's promise.
        let channel = unsafe { cmd_comp.as_ref() }.ok_or(refuse!(EINVAL, "command channel is NULL"))?;
        async_cmd::get(channel.fd, cmd_resp.cast(), cmd_resp_len)
    })
}

/// Read one event (`MLX5_1.11`). Returns: bytes or -1+errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_get_event(
    event_channel: *mut mlx5dv_devx_event_channel,
    event_data: *mut mlx5_ib_uapi_devx_async_event_hdr,
    event_resp_len: usize,
) -> isize {
    border::minus_one("mlx5dv_devx_get_event", || {
        // SAFETY: the caller's promise.
        let channel = unsafe { event_channel.as_ref() }.ok_or(refuse!(EINVAL, "event channel is NULL"))?;
        event::get(channel.fd, event_data.cast(), event_resp_len)
    })
}

/// Start async query (`MLX5_1.9`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_obj_query_async(
    obj: *mut mlx5dv_devx_obj,
    in_: *const c_void,
    inlen: usize,
    outlen: usize,
    wr_id: u64,
    cmd_comp: *mut mlx5dv_devx_cmd_comp,
) -> c_int {
    border::value("mlx5dv_devx_obj_query_async", || {
        // SAFETY: the caller's promise; the command is not written to.
        let (obj, command, channel) = unsafe {
            let command = Mailboxes::from_c(in_, inlen, core::ptr::null_mut(), 0);
            (Object::from_c(obj)?, command, cmd_comp.as_ref())
        };
        let channel = channel.ok_or(refuse!(EINVAL, "command channel is NULL"))?;
        async_cmd::query(obj, command, outlen, wr_id, channel.fd)
    })
}

/// Subscribe, events queued on the channel (`MLX5_1.11`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_subscribe_devx_event(
    event_channel: *mut mlx5dv_devx_event_channel,
    obj: *mut mlx5dv_devx_obj,
    events_sz: u16,
    events_num: *mut u16,
    cookie: u64,
) -> c_int {
    border::value("mlx5dv_devx_subscribe_devx_event", || {
        // SAFETY: the caller's promise.
        unsafe {
            let channel = EventChannel::from_c(event_channel)?;
            channel.subscribe(obj.cast::<Object>().as_ref(), events_num, events_sz, cookie)
        }
    })
}

/// Subscribe, signal an eventfd (`MLX5_1.11`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_devx_subscribe_devx_event_fd(
    event_channel: *mut mlx5dv_devx_event_channel,
    fd: c_int,
    obj: *mut mlx5dv_devx_obj,
    event_num: u16,
) -> c_int {
    border::value("mlx5dv_devx_subscribe_devx_event_fd", || {
        // SAFETY: the caller's promise.
        let (channel, obj) = unsafe { (EventChannel::from_c(event_channel)?, obj.cast::<Object>().as_ref()) };
        channel.subscribe_fd(obj, event_num, fd)
    })
}
