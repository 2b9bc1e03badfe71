//! Pages shared with clients: one sparse file for each open device, which the client maps
//! natively (UAR pages, clock pages, device memory) and we map too.

use nix::errno::Errno;
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
use std::fs::File;
use std::num::NonZeroUsize;
use std::os::fd::AsFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// A range of a shared file, mapped here.
#[derive(Debug)]
pub struct SharedPages {
    base: NonNull<libc::c_void>,
    len: usize,
}

// SAFETY: the mapping belongs to this value alone and is only reached through atomics and
// byte copies; it moves between threads as a whole.
unsafe impl Send for SharedPages {}

impl SharedPages {
    /// Map `len` bytes of `file` at `offset` (whole pages).
    pub fn map(file: &File, offset: u64, len: usize) -> Result<SharedPages, Errno> {
        let size = NonZeroUsize::new(len).ok_or(Errno::EINVAL)?;
        let at = i64::try_from(offset).map_err(|_| Errno::EINVAL)?;
        // SAFETY: a new shared mapping at an address the kernel chooses touches no memory
        // that Rust knows of.
        let base = unsafe {
            mmap(
                None,
                size,
                ProtFlags::PROT_READ | ProtFlags::PROT_WRITE,
                MapFlags::MAP_SHARED,
                file.as_fd(),
                at,
            )
        }?;
        Ok(SharedPages { base, len })
    }

    fn word(&self, offset: usize) -> Option<&AtomicU64> {
        if !offset.is_multiple_of(8) || offset.checked_add(8)? > self.len {
            return None;
        }
        // SAFETY: the eight bytes lie inside the live mapping, page alignment makes the
        // address a multiple of 8, and the client's stores race only with atomics.
        Some(unsafe { &*self.base.as_ptr().cast::<u8>().add(offset).cast::<AtomicU64>() })
    }

    /// Take the eight bytes at `offset` if they are not zero, leaving zero.
    pub fn take(&self, offset: usize) -> Option<[u8; 8]> {
        let word = self.word(offset)?;
        if word.load(Ordering::Relaxed) == 0 {
            return None;
        }
        match word.swap(0, Ordering::AcqRel) {
            0 => None,
            v => Some(v.to_ne_bytes()),
        }
    }

    /// Store `data` (whole words) at `offset`; what does not fit is left out.
    pub fn store(&self, offset: usize, data: &[u8]) {
        for (k, chunk) in data.chunks_exact(8).enumerate() {
            let value = chunk.try_into().map(u64::from_ne_bytes);
            if let (Ok(value), Some(word)) = (value, self.word(offset + 8 * k)) {
                word.store(value, Ordering::Release);
            }
        }
    }

    /// Copy `buf.len()` bytes (whole words) from `offset`.
    pub fn load(&self, offset: usize, buf: &mut [u8]) {
        for (k, chunk) in buf.chunks_exact_mut(8).enumerate() {
            let value = self.word(offset + 8 * k).map_or(0, |w| w.load(Ordering::Acquire));
            chunk.copy_from_slice(&value.to_ne_bytes());
        }
    }
}

impl Drop for SharedPages {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `map`, and no reference into it outlives `self`.
        let _ = unsafe { munmap(self.base, self.len) };
    }
}
