//! dma-buf heaps: memory that is shared with the device where a confidential guest's own is not.

use crate::{
    error::{Errno, Result},
    fd::OwnedFd,
};
use core::{
    ffi::{CStr, c_int, c_void},
    ptr,
};

/// `DMA_HEAP_IOCTL_ALLOC` (kernel uapi `linux/dma-heap.h`).
const DMA_HEAP_IOCTL_ALLOC: u64 = 0xc018_4800;
/// The heap of pages that the hypervisor may see.
pub const CC_SHARED: &CStr = c"/dev/dma_heap/system_cc_shared";

/// `struct dma_heap_allocation_data`.
#[repr(C)]
struct Allocation {
    len: u64,
    fd: u32,
    fd_flags: u32,
    heap_flags: u64,
}

/// Opens a heap. Errors: open's.
pub fn open(path: &CStr) -> Result<OwnedFd> {
    Ok(OwnedFd::open(path, libc::O_RDONLY, 0)?)
}

/// Allocates `size` bytes, a multiple of the page size, and maps them. Nothing is mapped for 0.
pub fn alloc(heap: &OwnedFd, size: usize) -> Result<(OwnedFd, *mut c_void)> {
    let flags = (libc::O_RDWR | libc::O_CLOEXEC) as u32;
    let mut a = Allocation { len: size as u64, fd: 0, fd_flags: flags, heap_flags: 0 };
    // SAFETY: the ioctl's own struct.
    if unsafe { libc::ioctl(heap.number(), DMA_HEAP_IOCTL_ALLOC as libc::c_ulong as _, &mut a) } != 0 {
        return Err(Errno::last().into());
    }
    let fd = OwnedFd::new(a.fd as c_int)?;
    if size == 0 {
        return Ok((fd, ptr::null_mut()));
    }
    // SAFETY: a new mapping at an address of the kernel's choice.
    let p = unsafe {
        libc::mmap(
            ptr::null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            fd.number(),
            0,
        )
    };
    if p == libc::MAP_FAILED { Err(Errno::last().into()) } else { Ok((fd, p)) }
}

/// Undoes the mapping of [`alloc`].
pub fn unmap(p: *mut c_void, size: usize) {
    if !p.is_null() {
        // SAFETY: the range that `alloc` mapped, once.
        unsafe { libc::munmap(p, size) };
    }
}
