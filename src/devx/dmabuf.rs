//! Pages of the device file as dma-bufs.

use crate::{
    error::Result,
    provider::Context,
    uverbs::{self, Attr},
};
use core::ffi::c_int;
use prm::uverbs::{attr, method, object};

/// Makes a dma-buf of what the device file has at `offset`: a UAR or device memory.
///
/// Errors: the kernel's (EINVAL for an offset that is not of this context, EOPNOTSUPP without
/// peer-to-peer DMA, EPROTONOSUPPORT before 7.2).
pub fn export(context: &Context, offset: u64) -> Result<c_int> {
    let mut attrs = [Attr::new_file(attr::ALLOC_DMABUF_HANDLE), Attr::u64(attr::ALLOC_DMABUF_PGOFF, offset)];
    uverbs::execute(context.fd, object::DMABUF, method::DMABUF_ALLOC, &mut attrs)?;
    Ok(attrs[0].new_fd())
}
