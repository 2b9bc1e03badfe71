//! Commands whose answer is read from a file later.

use super::{command::Mailboxes, object::Object};
use crate::{
    abi::dv::mlx5dv_devx_cmd_comp,
    error::{Errno, Result},
    handle::{self, Room},
    provider::Context,
    uverbs::{self, Attr},
};
use core::ffi::{c_int, c_void};
use prm::uverbs::{attr, method, object};

/// Length of what stands before the answer in a record: the work request id.
const HEADER_LEN: isize = 8;

/// `mlx5dv_devx_create_cmd_comp`. Errors: the kernel's.
pub fn create_channel(context: &Context) -> Result<*mut mlx5dv_devx_cmd_comp> {
    let room = Room::new()?;
    let mut attrs = [Attr::new_file(attr::DEVX_ASYNC_CMD_FD_ALLOC_HANDLE)];
    uverbs::execute(context.fd, object::DEVX_ASYNC_CMD_FD, method::DEVX_ASYNC_CMD_FD_ALLOC, &mut attrs)?;
    Ok(room.fill(mlx5dv_devx_cmd_comp { fd: attrs[0].new_fd() }))
}

/// `mlx5dv_devx_destroy_cmd_comp`. EINVAL for NULL.
///
/// # Safety
/// `p` is NULL or from [`create_channel`] and nobody uses it any more.
pub unsafe fn destroy_channel(p: *mut mlx5dv_devx_cmd_comp) -> Result<()> {
    if p.is_null() {
        return Err(refuse!(EINVAL, "command channel is NULL"));
    }
    // SAFETY: the promise above; the channel came from a Room.
    let channel = unsafe { handle::take(p) };
    // SAFETY: the channel owns its file.
    unsafe { libc::close(channel.fd) };
    Ok(())
}

/// `mlx5dv_devx_obj_query_async`: starts a query whose answer of `out_len` bytes will be read from
/// `channel` with `wr_id` before it.
///
/// Errors: the kernel's (EAGAIN if 1 MiB of answers waits to be read; EINVAL above 65535 bytes).
pub fn query(obj: &Object, command: Mailboxes, out_len: usize, wr_id: u64, channel: c_int) -> Result<()> {
    let mut attrs = [
        Attr::handle(attr::DEVX_OBJ_QUERY_HANDLE, obj.handle),
        command.input(attr::DEVX_OBJ_QUERY_CMD_IN),
        Attr::u64(attr::DEVX_OBJ_QUERY_ASYNC_OUT_LEN, out_len as u64),
        Attr::u64(attr::DEVX_OBJ_QUERY_ASYNC_WR_ID, wr_id),
        Attr::fd(attr::DEVX_OBJ_QUERY_ASYNC_FD, channel),
    ];
    let fd = obj.context()?.fd;
    Ok(uverbs::execute(fd, object::DEVX_OBJ, method::DEVX_OBJ_ASYNC_QUERY, &mut attrs)?)
}

/// `mlx5dv_devx_get_async_cmd_comp`: reads one answer, waiting if the file blocks. Success says
/// nothing of the command: its status is in the answer.
///
/// Errors: read's (ENOSPC for a buffer that is too short, the answer stays); EINVAL for less than
/// a work request id.
pub fn get(channel: c_int, buffer: *mut c_void, len: usize) -> Result<()> {
    // SAFETY: the kernel checks the buffer.
    let n = unsafe { libc::read(channel, buffer, len) };
    if n < 0 {
        return Err(Errno::last().into());
    }
    if n < HEADER_LEN {
        return Err(refuse!(EINVAL, "less than an answer header was read", read = n));
    }
    Ok(())
}
