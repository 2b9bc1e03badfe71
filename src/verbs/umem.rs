//! Buffers of dma-buf memory, as the kernel wants them described (`ib_uverbs_buffer_desc`).

use super::{buf::Buf, core::Core, dbrec::DbrecSlot};
use crate::{datapath::queue::Dbrec, uverbs::Attr};
use core::ffi::c_int;

/// A description: type 0 (dma-buf), fd, flags, optional flags, offset, length.
pub type Desc = Core<32>;

fn desc(fd: c_int, offset: usize, len: usize) -> Desc {
    Core::new().u32(4, fd as u32).u64(16, offset as u64).u64(24, len as u64)
}

/// Of a ring, if it is dma-buf memory.
pub fn of_buf(buf: &Buf, offset: usize, len: usize) -> Option<Desc> {
    buf.dmabuf().map(|fd| desc(fd, offset, len))
}

/// Of a doorbell record, if it is dma-buf memory.
pub fn of_dbrec(slot: &DbrecSlot, page_size: usize) -> Option<Desc> {
    slot.dmabuf(page_size).map(|(fd, offset)| desc(fd, offset, size_of::<Dbrec>()))
}

/// The attribute, if there is a description.
pub fn attr(id: u16, desc: &Option<Desc>) -> Attr<'_> {
    match desc {
        Some(d) => Attr::input(id, &d.0),
        None => Attr::absent(),
    }
}
