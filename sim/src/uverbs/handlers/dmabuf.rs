//! Shared buffers by descriptor.
//!
//! A process without any device has no exporter of dma-bufs; what DMABUF.ALLOC hands out
//! is the only kind there is here. Its memory is the device's own pages in the shared file.

use super::super::cx::Cx;
use nix::errno::Errno;

/// Attach to a buffer: EBADF if nothing is open there, EINVAL if it is not a dma-buf.
pub fn attach(cx: &Cx<'_>, fd: i32, _offset: u64, _len: u64) -> Result<u64, Errno> {
    cx.client.file_key(fd).ok_or(Errno::EBADF)?;
    Err(Errno::EINVAL)
}

/// Not offered yet.
pub fn alloc(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}
