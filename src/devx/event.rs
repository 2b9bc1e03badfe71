//! Event channels: subscriptions to device events, delivered on a file or an eventfd.

use super::object::Object;
use crate::{
    abi::{dv::mlx5dv_devx_event_channel, verbs::ibv_context},
    error::{Errno, Result},
    handle::{self, Room},
    provider::Context,
    uverbs::{self, Attr},
};
use core::ffi::{c_int, c_void};
use prm::uverbs::{attr, method, object};

/// Length of what stands before the event in a record: the cookie.
const HEADER_LEN: isize = 8;

/// A channel. C sees its first member.
#[repr(C)]
pub struct EventChannel {
    public: mlx5dv_devx_event_channel,
    context: *mut ibv_context,
}

impl EventChannel {
    /// The channel behind C's pointer. EINVAL for NULL.
    ///
    /// # Safety
    /// `p` is NULL or from [`create`] and not destroyed.
    pub unsafe fn from_c<'a>(p: *mut mlx5dv_devx_event_channel) -> Result<&'a EventChannel> {
        // SAFETY: the promise above.
        unsafe { p.cast::<EventChannel>().as_ref() }.ok_or(refuse!(EINVAL, "event channel is NULL"))
    }

    fn context(&self) -> Result<&Context> {
        // SAFETY: the application keeps a context open for as long as it has channels.
        unsafe { Context::from_ibv(self.context) }
    }

    /// `mlx5dv_devx_subscribe_devx_event`: events in `list` (host-endian u16, `list_len` bytes) of
    /// `obj`, or of the device, arrive on the channel with `cookie`. All of them or none.
    ///
    /// Errors: the kernel's (EINVAL for an odd, empty or too long list, for an event that cannot
    /// be had of this object, or without DEVX).
    ///
    /// # Safety
    /// `list` is NULL or, if `list_len` is at most 8, readable for it.
    pub unsafe fn subscribe(
        &self,
        obj: Option<&Object>,
        list: *const u16,
        list_len: u16,
        cookie: u64,
    ) -> Result<()> {
        let mut attrs = [
            Attr::fd(attr::DEVX_SUBSCRIBE_EVENT_FD_HANDLE, self.public.fd),
            Attr::u64(attr::DEVX_SUBSCRIBE_EVENT_COOKIE, cookie),
            of_object(obj),
            // SAFETY: the promise above.
            unsafe {
                Attr::input_raw(attr::DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, list.cast(), usize::from(list_len))
            },
        ];
        let fd = self.context()?.fd;
        Ok(uverbs::execute(fd, object::DEVX, method::DEVX_SUBSCRIBE_EVENT, &mut attrs)?)
    }

    /// `mlx5dv_devx_subscribe_devx_event_fd`: one event signals `eventfd`. The channel, on which
    /// nothing arrives, must stay open.
    ///
    /// Errors: as [`Self::subscribe`]; EBADF for a file that is not open, EINVAL for one that is no
    /// eventfd.
    pub fn subscribe_fd(&self, obj: Option<&Object>, event: u16, eventfd: c_int) -> Result<()> {
        let mut attrs = [
            Attr::fd(attr::DEVX_SUBSCRIBE_EVENT_FD_HANDLE, self.public.fd),
            of_object(obj),
            Attr::u16(attr::DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, event),
            Attr::u32(attr::DEVX_SUBSCRIBE_EVENT_FD_NUM, eventfd as u32),
        ];
        let fd = self.context()?.fd;
        Ok(uverbs::execute(fd, object::DEVX, method::DEVX_SUBSCRIBE_EVENT, &mut attrs)?)
    }
}

fn of_object(obj: Option<&Object>) -> Attr<'static> {
    match obj {
        Some(o) => Attr::handle(attr::DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE, o.handle),
        None => Attr::absent(),
    }
}

/// `mlx5dv_devx_create_event_channel`. Errors: the kernel's (EINVAL for unknown flags).
pub fn create(context: &Context, flags: u32) -> Result<*mut mlx5dv_devx_event_channel> {
    let room = Room::<EventChannel>::new()?;
    let mut attrs = [
        Attr::new_file(attr::DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE),
        Attr::u32(attr::DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS, flags),
    ];
    uverbs::execute(context.fd, object::DEVX_ASYNC_EVENT_FD, method::DEVX_ASYNC_EVENT_FD_ALLOC, &mut attrs)?;
    let public = mlx5dv_devx_event_channel { fd: attrs[0].new_fd() };
    Ok(room.fill(EventChannel { public, context: context.ibv() }).cast())
}

/// `mlx5dv_devx_destroy_event_channel`: closes the file; its subscriptions end.
///
/// # Safety
/// As [`EventChannel::from_c`]; nobody uses the channel any more.
pub unsafe fn destroy(p: *mut mlx5dv_devx_event_channel) -> Result<()> {
    // SAFETY: the promise above.
    unsafe { EventChannel::from_c(p)? }.context()?;
    // SAFETY: the promise above; the channel came from a Room.
    let channel = unsafe { handle::take(p.cast::<EventChannel>()) };
    // SAFETY: the channel owns its file.
    unsafe { libc::close(channel.public.fd) };
    Ok(())
}

/// `mlx5dv_devx_get_event`: reads one record, waiting if the file blocks. Gives its length.
///
/// Errors: read's (EAGAIN, EINTR, EIO; EINVAL for a buffer that is too short, the record stays;
/// EOVERFLOW once after events were lost); EINVAL for less than a cookie.
pub fn get(fd: c_int, buffer: *mut c_void, len: usize) -> Result<isize> {
    // SAFETY: the kernel checks the buffer.
    let n = unsafe { libc::read(fd, buffer, len) };
    if n >= HEADER_LEN {
        Ok(n)
    } else if n < 0 {
        Err(Errno::last().into())
    } else {
        Err(refuse!(EINVAL, "less than an event header was read", read = n))
    }
}
