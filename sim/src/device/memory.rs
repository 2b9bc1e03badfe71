//! Memory on the device that programs map (MEMIC), in a shared file so that a carrier in
//! user space can hand it to its clients.

use super::MEMIC_BAR;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// The device's own memory.
pub struct DeviceMemory {
    file: OwnedFd,
    base: *mut u8,
}

// SAFETY: the mapping belongs to the value and stays where it is; all access through it is
// by volatile byte copies within its bounds, and writers need `&mut`.
unsafe impl Send for DeviceMemory {}

const LEN: usize = (MEMIC_BAR.end - MEMIC_BAR.start) as usize;

impl DeviceMemory {
    /// Fresh memory, all zero.
    pub(super) fn new() -> std::io::Result<DeviceMemory> {
        // SAFETY: the name is a C string; the descriptor that comes back is ours.
        let file = unsafe {
            let fd = libc::memfd_create(c"memic".as_ptr(), libc::MFD_CLOEXEC);
            if fd < 0 {
                return Err(std::io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(fd)
        };
        // SAFETY: the descriptor is open and a regular file.
        if unsafe { libc::ftruncate(file.as_raw_fd(), LEN as libc::off_t) } != 0 {
            return Err(std::io::Error::last_os_error());
        }
        let prot = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new shared mapping of the whole file, placed by the kernel.
        let base =
            unsafe { libc::mmap(std::ptr::null_mut(), LEN, prot, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        if base == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        Ok(DeviceMemory { file, base: base.cast() })
    }

    /// The file behind the memory: byte 0 is the first byte of the MEMIC part of the BAR.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Put pages of another shared file in place of BAR bytes `at..at + len`: whoever has
    /// that file mapped then shares them with the device. `None` puts the device's own
    /// pages back. Whole pages only.
    pub fn replace(
        &mut self,
        at: u64,
        len: usize,
        pages: Option<(BorrowedFd<'_>, u64)>,
    ) -> std::io::Result<()> {
        let place = Self::place(at, len).filter(|p| p % 4096 == 0 && len.is_multiple_of(4096) && len > 0);
        let place = place.ok_or(std::io::ErrorKind::InvalidInput)?;
        let (fd, offset) = match pages {
            Some((fd, offset)) => (fd.as_raw_fd(), offset as libc::off_t),
            None => (self.file.as_raw_fd(), place as libc::off_t),
        };
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_FIXED);
        // SAFETY: `place` keeps the whole range inside our own mapping, which this replaces
        // by another of the same size and rights; nobody else holds references into it.
        let mapped = unsafe { libc::mmap(self.base.add(place).cast(), len, prot, flags, fd, offset) };
        if mapped == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        Ok(())
    }

    /// The offset in the file of BAR bytes `at..at + len`, if they are device memory.
    fn place(at: u64, len: usize) -> Option<usize> {
        let end = at.checked_add(len as u64)?;
        (MEMIC_BAR.start <= at && end <= MEMIC_BAR.end).then(|| (at - MEMIC_BAR.start) as usize)
    }

    /// Read at BAR offset `at`. False if that is not all device memory.
    pub fn read(&self, at: u64, buf: &mut [u8]) -> bool {
        let Some(from) = Self::place(at, buf.len()) else { return false };
        for (k, b) in buf.iter_mut().enumerate() {
            // SAFETY: `place` keeps `from + k` inside the mapping.
            *b = unsafe { self.base.add(from + k).read_volatile() };
        }
        true
    }

    /// Write at BAR offset `at`. False if that is not all device memory.
    pub fn write(&mut self, at: u64, data: &[u8]) -> bool {
        let Some(to) = Self::place(at, data.len()) else { return false };
        for (k, b) in data.iter().enumerate() {
            // SAFETY: `place` keeps `to + k` inside the mapping.
            unsafe { self.base.add(to + k).write_volatile(*b) };
        }
        true
    }

    /// Zero `len` bytes at BAR offset `at`.
    pub(super) fn clear(&mut self, at: u64, len: u64) {
        self.write(at, &vec![0; (len as usize).min(LEN)]);
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping was made in `new` with this length and is not used any more.
        unsafe { libc::munmap(self.base.cast(), LEN) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_another_file_stand_in() {
        let mut m = DeviceMemory::new().expect("a shared file");
        let mut other = DeviceMemory::new().expect("a shared file");
        assert!(other.write(MEMIC_BAR.start + 8192, &[7]));
        assert!(m.replace(MEMIC_BAR.start + 4096, 4096, Some((other.file(), 8192))).is_ok());
        let mut b = [0];
        assert!(m.read(MEMIC_BAR.start + 4096, &mut b) && b == [7]);
        assert!(m.write(MEMIC_BAR.start + 4097, &[9]));
        assert!(other.read(MEMIC_BAR.start + 8193, &mut b) && b == [9]);
        assert!(m.replace(MEMIC_BAR.start + 4096, 4096, None).is_ok());
        assert!(m.read(MEMIC_BAR.start + 4096, &mut b) && b == [0]);
        assert!(m.replace(MEMIC_BAR.end - 4096, 8192, None).is_err());
        assert!(m.replace(MEMIC_BAR.start + 1, 4096, None).is_err());
    }

    #[test]
    fn only_the_memory_part_of_the_bar_answers() {
        let mut m = DeviceMemory::new().expect("a shared file");
        let mut b = [0; 4];
        assert!(m.write(MEMIC_BAR.end - 4, &[1, 2, 3, 4]));
        assert!(m.read(MEMIC_BAR.end - 4, &mut b));
        assert_eq!(b, [1, 2, 3, 4]);
        assert!(!m.write(MEMIC_BAR.end - 3, &[1, 2, 3, 4]));
        assert!(!m.read(MEMIC_BAR.start - 1, &mut b));
        assert!(!m.read(u64::MAX - 1, &mut b));
        m.clear(MEMIC_BAR.end - 4, 4);
        assert!(m.read(MEMIC_BAR.end - 4, &mut b));
        assert_eq!(b, [0; 4]);
    }
}
