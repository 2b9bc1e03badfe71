//! Shared buffers by descriptor.
//!
//! Without a card there is no exporter of dma-bufs but this file: what DMABUF.ALLOC hands
//! out stands for pages of the device, which no region or user memory can be made of.

use super::super::cx::Cx;
use nix::errno::Errno;
use nix::sys::memfd::{MFdFlags, memfd_create};
use std::os::fd::AsFd;

/// Attach to a buffer: EBADF if nothing is open there, EINVAL if it is not a dma-buf.
pub fn attach(cx: &Cx<'_>, fd: i32, _offset: u64, _len: u64) -> Result<u64, Errno> {
    cx.client.file_key(fd).ok_or(Errno::EBADF)?;
    Err(Errno::EINVAL)
}

/// DMABUF.ALLOC: a descriptor for a page that the file may map.
pub fn alloc(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let offset = cx.u64(1)?;
    cx.file.context()?;
    let map = cx.file.maps.iter().find(|m| m.offset == offset).ok_or(Errno::EINVAL)?;
    let len = map.len;
    let buffer = memfd_create(c"dmabuf", MFdFlags::MFD_CLOEXEC)?;
    nix::unistd::ftruncate(buffer.as_fd(), len as i64)?;
    let fd = cx.client.give_fd(buffer.as_fd())?;
    cx.put_new_fd(0, fd)
}
