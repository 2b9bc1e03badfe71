//! Queue memory: buffers made of device pages, and doorbell records.

use crate::device::Chip;
use crate::device::host::{DmaFault, Host};
use crate::device::objects::{Place, kind};
use prm::{CreateUmemIn, Umem, bits::be64};

/// A queue buffer made of device pages.
#[derive(Default, Clone)]
pub(in crate::device) struct Buf {
    /// Bus addresses of the pages.
    pub pas: Vec<u64>,
    /// log2 of the page size.
    pub shift: u32,
    /// Where in the first page the queue starts.
    pub off: u64,
}

/// Low bits of a page address carry flags (present, writable).
const PAGE_FLAGS: u64 = 0x7;

impl Buf {
    /// The bus addresses of `len` bytes at `at`, piece by piece: address, offset, length.
    fn pieces(&self, at: u64, len: usize) -> Result<Vec<(u64, usize, usize)>, DmaFault> {
        let mut pieces: Vec<(u64, usize, usize)> = Vec::new();
        let (mut o, mut done) = (self.off + at, 0);
        let size = 1u64 << self.shift;
        while done < len {
            let within = o & (size - 1);
            let n = (size - within).min((len - done) as u64) as usize;
            let page = self.pas.get((o >> self.shift) as usize).ok_or(DmaFault { addr: o })?;
            let addr = page.wrapping_add(within);
            match pieces.last_mut() {
                Some(last) if last.0.wrapping_add(last.2 as u64) == addr => last.2 += n,
                _ => pieces.push((addr, done, n)),
            }
            o += n as u64;
            done += n;
        }
        Ok(pieces)
    }

    /// Read `len` bytes at `at`.
    pub fn read(&self, h: &dyn Host, at: u64, len: usize) -> Result<Vec<u8>, DmaFault> {
        let mut v = vec![0; len];
        for (addr, done, n) in self.pieces(at, len)? {
            if let Some(to) = v.get_mut(done..done + n) {
                h.read(addr, to)?;
            }
        }
        Ok(v)
    }

    /// Write `data` at `at`.
    pub fn write(&self, h: &dyn Host, at: u64, data: &[u8]) -> Result<(), DmaFault> {
        for (addr, done, n) in self.pieces(at, data.len())? {
            if let Some(from) = data.get(done..done + n) {
                h.write(addr, from)?;
            }
        }
        Ok(())
    }
}

/// The big-endian word of a doorbell record.
pub(super) fn record(h: &dyn Host, addr: u64) -> Option<u32> {
    let mut b = [0; 4];
    h.read(addr, &mut b).ok().map(|()| u32::from_be_bytes(b))
}

impl Chip {
    /// The pages of a user memory object, log2 of their size, and where in the first it starts.
    fn umem_pages(&self, id: u32) -> Option<(Vec<u64>, u32, u64)> {
        let input = &self.objs.get(&(kind::UMEM, id))?.input;
        let umem = CreateUmemIn::UMEM;
        let shift = 12 + Umem::LOG_PAGE_SIZE.within(umem).get32(input);
        let n = Umem::NUM_OF_MTT.within(umem).get(input);
        let at = Umem::MTT.within(umem).byte();
        let list = input.get(at..).unwrap_or(&[]).chunks_exact(8).take(n as usize);
        let pages = list.map(|b| be64(b, 0) & !PAGE_FLAGS).collect();
        Some((pages, shift, Umem::PAGE_OFFSET.within(umem).get(input)))
    }

    /// The bus address of a place in a user memory object.
    pub(in crate::device) fn umem_addr(&self, id: u32, off: u64) -> Option<u64> {
        let (pages, shift, base) = self.umem_pages(id)?;
        let o = off.checked_add(base)?;
        Some(pages.get((o >> shift) as usize)? + (o & ((1 << shift) - 1)))
    }

    /// The buffer that a creating command describes. Commands check places beforehand; what
    /// is not there faults when it is used.
    pub(super) fn buffer(&self, input: &[u8], place: Place, bytes: u64) -> Buf {
        match place {
            Place::Pages { at, shift, offset } => {
                let n = (offset + bytes).div_ceil(1 << shift) as usize;
                let list = input.get(at..).unwrap_or(&[]).chunks_exact(8).take(n);
                let pas = list.map(|b| be64(b, 0) & !0xfff).collect();
                Buf { pas, shift, off: offset }
            }
            Place::Umem { id, offset } => {
                let (pas, shift, base) = self.umem_pages(id).unwrap_or_default();
                Buf { pas, shift, off: base.saturating_add(offset) }
            }
        }
    }

    /// The bus address of a doorbell record: as given, or in a user memory object.
    pub(super) fn record_addr(&self, umem: Option<u32>, addr: u64) -> u64 {
        match umem {
            Some(id) => self.umem_addr(id, addr).unwrap_or(!7),
            None => addr,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    struct Ram(RefCell<Vec<u8>>);

    impl Host for Ram {
        fn read(&self, addr: u64, buf: &mut [u8]) -> Result<(), DmaFault> {
            let ram = self.0.borrow();
            let from = ram.get(addr as usize..addr as usize + buf.len()).ok_or(DmaFault { addr })?;
            buf.copy_from_slice(from);
            Ok(())
        }
        fn write(&self, addr: u64, data: &[u8]) -> Result<(), DmaFault> {
            let mut ram = self.0.borrow_mut();
            let to = ram.get_mut(addr as usize..addr as usize + data.len()).ok_or(DmaFault { addr })?;
            to.copy_from_slice(data);
            Ok(())
        }
        fn interrupt(&self, _: u32) {}
    }

    #[test]
    fn a_buffer_crosses_pages_in_its_own_order() {
        let ram = Ram(RefCell::new(vec![0; 0x4000]));
        let buf = Buf { pas: vec![0x3000, 0x1000], shift: 12, off: 0xff0 };
        let data: Vec<u8> = (0..32).collect();
        assert!(buf.write(&ram, 0, &data).is_ok());
        assert_eq!(ram.0.borrow()[0x3ff0..0x4000], data[..16]);
        assert_eq!(ram.0.borrow()[0x1000..0x1010], data[16..]);
        assert_eq!(buf.read(&ram, 0, 32).ok(), Some(data));
        assert!(buf.read(&ram, 0x1000, 32).is_err(), "a third page is not there");
        let gone = Buf { pas: vec![0x9000], shift: 12, off: 0 };
        assert!(gone.write(&ram, 0, &[1]).is_err());
    }
}
