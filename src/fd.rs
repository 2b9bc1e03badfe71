//! File descriptors that close themselves, and small files read whole.

use crate::error::Errno;
use core::ffi::{CStr, c_int};

/// An open file descriptor; closed when dropped.
#[derive(Debug)]
pub struct OwnedFd(c_int);

impl OwnedFd {
    /// Opens a file, close-on-exec. Errors: open's.
    pub fn open(path: &CStr, flags: c_int, mode: libc::mode_t) -> Result<OwnedFd, Errno> {
        // SAFETY: a C string; the mode counts only with O_CREAT.
        Self::new(unsafe { libc::open(path.as_ptr(), flags | libc::O_CLOEXEC, mode) })
    }

    /// Takes over what a system call answered. Errors: errno if it is negative.
    pub fn new(fd: c_int) -> Result<OwnedFd, Errno> {
        if fd < 0 { Err(Errno::last()) } else { Ok(OwnedFd(fd)) }
    }

    /// The number, still owned.
    pub fn number(&self) -> c_int {
        self.0
    }
}

impl Drop for OwnedFd {
    fn drop(&mut self) {
        // SAFETY: open, and nobody else's.
        unsafe { libc::close(self.0) };
    }
}

/// Reads a file into `buffer` and answers how much was read; the rest of a longer file is left.
pub fn read(path: &CStr, buffer: &mut [u8]) -> Result<usize, Errno> {
    let file = OwnedFd::open(path, libc::O_RDONLY, 0)?;
    let mut len = 0;
    while let Some(rest) = buffer.get_mut(len..).filter(|r| !r.is_empty()) {
        // SAFETY: writable for its length.
        match unsafe { libc::read(file.number(), rest.as_mut_ptr().cast(), rest.len()) } {
            0 => break,
            n if n > 0 => len += n as usize,
            _ => return Err(Errno::last()),
        }
    }
    Ok(len)
}
