//! Shared mappings of the device file: UAR pages, clock pages, device memory.

use crate::{error::Errno, trace};
use core::{
    ffi::{c_int, c_void},
    ptr::NonNull,
};

/// A mapping that is undone when dropped.
#[derive(Debug)]
pub struct Mapping {
    base: NonNull<c_void>,
    len: usize,
}

// SAFETY: a mapping belongs to the process, not to a thread.
unsafe impl Send for Mapping {}
// SAFETY: as above; what is read or written through it is up to the users of `base`.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `len` bytes of `fd` at `offset`, shared. Errors: mmap's errno.
    pub fn new(fd: c_int, offset: u64, len: usize, prot: c_int) -> Result<Mapping, Errno> {
        // SAFETY: a new mapping at an address of the kernel's choice touches no existing memory.
        let p = unsafe {
            libc::mmap(core::ptr::null_mut(), len, prot, libc::MAP_SHARED, fd, offset as libc::off_t)
        };
        let result = match NonNull::new(p) {
            Some(base) if p != libc::MAP_FAILED => Ok(Mapping { base, len }),
            _ => Err(Errno::last()),
        };
        trace::mmap(offset, len, result.as_ref().err().copied());
        result
    }

    /// First byte.
    pub fn base(&self) -> NonNull<c_void> {
        self.base
    }

    /// Leaves the mapping in place for the rest of the process's life.
    pub fn leak(self) -> NonNull<c_void> {
        let base = self.base;
        core::mem::forget(self);
        base
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: `base` and `len` are those of a mapping of ours that nobody has undone.
        unsafe { libc::munmap(self.base.as_ptr(), self.len) };
    }
}
