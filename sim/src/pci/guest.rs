//! The guest as a function sees it: memory mapped from the descriptors that the virtual
//! machine hands over, and one event descriptor an MSI-X vector.

use crate::device::{DmaFault, Host};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence};

/// MSI-X vectors of a function.
pub const VECTORS: u32 = 64;

/// One stretch of guest-physical addresses, mapped here.
struct Range {
    iova: u64,
    len: usize,
    base: *mut u8,
}

impl Range {
    fn new(iova: u64, len: u64, offset: u64, file: &File) -> io::Result<Range> {
        let bad = || io::Error::from_raw_os_error(libc::EINVAL);
        let end = offset.checked_add(len).ok_or_else(bad)?;
        // a page behind the end of the file would answer an access with SIGBUS
        if len == 0 || iova.checked_add(len).is_none() || end > file.metadata()?.len() {
            return Err(bad());
        }
        let len = usize::try_from(len).map_err(|_| bad())?;
        let offset = libc::off_t::try_from(offset).map_err(|_| bad())?;
        // SAFETY: a fresh shared mapping at an address of the kernel's choice; it overlaps
        // nothing of ours, and the file covers it whole.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                offset,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Range { iova, len, base: base.cast() })
    }

    /// The mapped bytes from `addr` on, at most `want` of them.
    fn window(&self, addr: u64, want: usize) -> Option<(*mut u8, usize)> {
        let at = usize::try_from(addr.checked_sub(self.iova)?).ok()?;
        let left = self.len.checked_sub(at).filter(|n| *n > 0)?;
        // SAFETY: `at` lies below `len`, so the pointer stays inside the mapping.
        Some((unsafe { self.base.add(at) }, left.min(want)))
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        // SAFETY: base and len are those of the mapping made in `new`, and pointers into it
        // never outlive a call of `GuestView::each`.
        unsafe { libc::munmap(self.base.cast(), self.len) };
    }
}

/// What a function can reach of the guest.
#[derive(Default)]
pub struct GuestView {
    ranges: Vec<Range>,
    vectors: Vec<Option<OwnedFd>>,
    /// Without bus mastering a function reaches no memory and raises no interrupt.
    bus_master: bool,
}

impl GuestView {
    /// Allow or forbid the function to reach memory.
    pub fn set_bus_master(&mut self, on: bool) {
        self.bus_master = on;
    }

    /// Map `len` bytes of `file` from `offset` at the guest-physical address `iova`.
    pub fn map(&mut self, iova: u64, len: u64, offset: u64, file: &File) -> io::Result<()> {
        let range = Range::new(iova, len, offset, file)?;
        self.ranges.push(range);
        Ok(())
    }

    /// Forget every range that lies inside `[iova, iova + len)`.
    pub fn unmap(&mut self, iova: u64, len: u64) {
        let end = iova.saturating_add(len);
        self.ranges.retain(|r| r.iova < iova || r.iova.saturating_add(r.len as u64) > end);
    }

    /// Forget all memory.
    pub fn unmap_all(&mut self) {
        self.ranges.clear();
    }

    /// Install the event descriptor of `vector`, or take it away.
    pub fn set_vector(&mut self, vector: u32, fd: Option<OwnedFd>) {
        if vector >= VECTORS {
            return;
        }
        let at = vector as usize;
        if self.vectors.len() <= at {
            self.vectors.resize_with(at + 1, || None);
        }
        if let Some(slot) = self.vectors.get_mut(at) {
            *slot = fd;
        }
    }

    /// Take every event descriptor away.
    pub fn clear_vectors(&mut self) {
        self.vectors.clear();
    }

    /// Walk the mapped pieces of `[addr, addr + len)` in order.
    fn each(
        &self,
        addr: u64,
        len: usize,
        mut visit: impl FnMut(*mut u8, usize, usize),
    ) -> Result<(), DmaFault> {
        if !self.bus_master {
            return Err(DmaFault { addr });
        }
        let mut done = 0;
        while done < len {
            let at = addr.checked_add(done as u64).ok_or(DmaFault { addr })?;
            let (p, n) =
                self.ranges.iter().find_map(|r| r.window(at, len - done)).ok_or(DmaFault { addr: at })?;
            visit(p, done, n);
            done += n;
        }
        Ok(())
    }
}

/// Copy into guest memory. Naturally aligned 1, 2, 4 and 8 bytes go as one store, as they
/// would on a bus: a driver polls such words (ownership bits, doorbell records).
///
/// # Safety
/// `to` points to `data.len()` mapped, writable bytes.
unsafe fn store(to: *mut u8, data: &[u8]) {
    let aligned = |n: usize| (to as usize).is_multiple_of(n);
    // SAFETY: the caller promises the bytes; each atomic is used at its own alignment, and
    // guest memory is only ever accessed through raw pointers.
    unsafe {
        match *data {
            [a] => AtomicU8::from_ptr(to).store(a, Ordering::Release),
            [a, b] if aligned(2) => {
                AtomicU16::from_ptr(to.cast()).store(u16::from_ne_bytes([a, b]), Ordering::Release)
            }
            [a, b, c, d] if aligned(4) => {
                AtomicU32::from_ptr(to.cast()).store(u32::from_ne_bytes([a, b, c, d]), Ordering::Release)
            }
            [a, b, c, d, e, f, g, h] if aligned(8) => AtomicU64::from_ptr(to.cast())
                .store(u64::from_ne_bytes([a, b, c, d, e, f, g, h]), Ordering::Release),
            _ => std::ptr::copy_nonoverlapping(data.as_ptr(), to, data.len()),
        }
    }
}

impl Host for GuestView {
    fn read(&self, addr: u64, buf: &mut [u8]) -> Result<(), DmaFault> {
        fence(Ordering::SeqCst);
        let len = buf.len();
        self.each(addr, len, |p, at, n| {
            if let Some(to) = buf.get_mut(at..at + n) {
                // SAFETY: `each` gives n mapped bytes, and `to` is n bytes of our own.
                unsafe { std::ptr::copy_nonoverlapping(p, to.as_mut_ptr(), n) };
            }
        })
    }

    fn write(&self, addr: u64, data: &[u8]) -> Result<(), DmaFault> {
        // nothing of a write that faults half way may become visible
        self.each(addr, data.len(), |_, _, _| ())?;
        fence(Ordering::SeqCst);
        self.each(addr, data.len(), |p, at, n| {
            if let Some(from) = data.get(at..at + n) {
                // SAFETY: `each` gives n mapped bytes, and `from` is n bytes long.
                unsafe { store(p, from) };
            }
        })?;
        fence(Ordering::SeqCst);
        Ok(())
    }

    fn interrupt(&self, vector: u32) {
        if !self.bus_master {
            return;
        }
        if let Some(Some(fd)) = self.vectors.get(vector as usize) {
            let one = 1u64.to_ne_bytes();
            // SAFETY: the descriptor is ours and open; eight bytes are read from `one`. A
            // full counter (EAGAIN) means that the interrupt is already pending.
            unsafe { libc::write(fd.as_raw_fd(), one.as_ptr().cast(), one.len()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::FromRawFd;

    fn memory(pages: u64) -> File {
        // SAFETY: a plain system call on a constant name; the descriptor it gives is new.
        let file = unsafe { File::from_raw_fd(libc::memfd_create(c"guest".as_ptr(), libc::MFD_CLOEXEC)) };
        file.set_len(pages * 4096).unwrap();
        file
    }

    fn view() -> GuestView {
        GuestView { bus_master: true, ..GuestView::default() }
    }

    #[test]
    fn neighbouring_ranges_are_one_memory() {
        let file = memory(4);
        let mut guest = view();
        guest.map(0x10000, 4096, 8192, &file).unwrap();
        guest.map(0x11000, 4096, 0, &file).unwrap();
        let data: Vec<u8> = (0..64).collect();
        guest.write(0x10fe0, &data).unwrap();
        let mut back = [0; 64];
        guest.read(0x10fe0, &mut back).unwrap();
        assert_eq!(back[..], data[..]);
        let mut low = [0; 32];
        guest.read(0x11000, &mut low).unwrap();
        assert_eq!(low[..], data[32..]);
    }

    #[test]
    fn nothing_of_a_faulting_write_is_seen() {
        let file = memory(1);
        let mut guest = view();
        guest.map(0x1000, 4096, 0, &file).unwrap();
        assert_eq!(guest.write(0x1ff8, &[0xff; 16]), Err(DmaFault { addr: 0x2000 }));
        let mut back = [0xaa; 8];
        guest.read(0x1ff8, &mut back).unwrap();
        assert_eq!(back, [0; 8]);
        assert!(guest.read(0xfff, &mut back).is_err());
        assert!(guest.read(u64::MAX - 3, &mut back).is_err());
        guest.set_bus_master(false);
        assert!(guest.read(0x1ff8, &mut back).is_err());
    }

    #[test]
    fn a_range_must_lie_inside_its_file() {
        let file = memory(1);
        let mut guest = view();
        assert!(guest.map(0, 8192, 0, &file).is_err());
        assert!(guest.map(0, 4096, 4096, &file).is_err());
        assert!(guest.map(u64::MAX - 100, 4096, 0, &file).is_err());
        assert!(guest.map(0, 0, 0, &file).is_err());
        assert!(guest.map(0, 4096, 0, &file).is_ok());
        guest.unmap(0, 4095);
        assert!(guest.read(0, &mut [0]).is_ok());
        guest.unmap(0, 4096);
        assert!(guest.read(0, &mut [0]).is_err());
    }
}
