//! Building and reading device command mailboxes.

use prm::bits;

/// A command mailbox: a big-endian byte block with its fields numbered as in the PRM.
#[derive(Clone, Debug)]
pub struct Mailbox(pub Vec<u8>);

impl Mailbox {
    /// An input mailbox of `bytes` for `opcode`, sent by user context `uid`.
    pub fn command(opcode: u16, uid: u16, bytes: usize) -> Mailbox {
        let mut m = Mailbox(vec![0; bytes.max(16)]);
        m.set(0, 16, opcode as u64);
        m.set(0x10, 16, uid as u64);
        m
    }

    /// Store a field.
    pub fn set(&mut self, bit: usize, width: usize, value: u64) -> &mut Mailbox {
        bits::set(&mut self.0, bit, width, value);
        self
    }

    /// Store a named field.
    pub fn put(&mut self, field: prm::bits::Field, value: u64) -> &mut Mailbox {
        field.set(&mut self.0, value);
        self
    }

    /// Read a field.
    pub fn get(&self, bit: usize, width: usize) -> u64 {
        bits::get(&self.0, bit, width)
    }

    /// Append 64-bit physical addresses at byte `at`, growing the mailbox.
    pub fn addresses(&mut self, at: usize, list: impl Iterator<Item = u64>) -> &mut Mailbox {
        self.0.resize(self.0.len().max(at), 0);
        self.0.truncate(at);
        for addr in list {
            self.0.extend_from_slice(&addr.to_be_bytes());
        }
        self
    }
}

/// How a range of a process's memory is described to the device: pages of one size whose
/// bus addresses are those of the range itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pages {
    /// Bus address of the first page.
    pub first: u64,
    /// Logarithm of the page size.
    pub shift: u32,
    /// Number of pages.
    pub count: u64,
    /// Where the range starts in the first page.
    pub offset: u64,
}

impl Pages {
    /// Pages that describe `len` bytes at bus address `addr`. `iova` is the address the
    /// device will use for the start; `allowed` has a bit for each page size. The largest
    /// pages that stay inside the range (counted in 4 KiB) are taken: nothing tells that
    /// the memory around the range is the process's to give.
    pub fn of(addr: u64, len: u64, iova: u64, allowed: u64) -> Option<Pages> {
        let last = addr.checked_add(len.max(1))?.checked_sub(1)?;
        let whole = (last | 0xfff).wrapping_add(1).wrapping_sub(addr & !0xfff);
        let low_bits = |bits: u32| (1u64 << bits.min(62)) | ((1u64 << bits.min(62)) - 1);
        // pages may be as large as addresses and iova agree in their low bits
        let usable = allowed & !0xfff & low_bits((addr ^ iova).trailing_zeros());
        let inside = usable & low_bits((addr & !0xfff).trailing_zeros().min(whole.trailing_zeros()));
        let shift = 63u32.checked_sub(inside.leading_zeros())?;
        let first = addr >> shift << shift;
        let count = (last >> shift) - (addr >> shift) + 1;
        Some(Pages { first, shift, count, offset: addr - first })
    }

    /// Pages that describe a queue: it may start at any 64th of a page.
    pub fn of_queue(addr: u64, len: u64) -> Option<Pages> {
        let fine = addr.trailing_zeros() + 6;
        let allowed = if fine >= 63 { u64::MAX } else { (2 << fine) - 1 };
        Pages::of(addr, len, addr, allowed & !0xfff)
    }

    /// Bus addresses of all pages.
    pub fn addresses(self) -> impl Iterator<Item = u64> {
        (0..self.count).map(move |k| self.first + (k << self.shift))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_large_but_stay_inside() {
        let p = Pages::of(0x7f00_1230_0000, 0x10_0000, 0x7f00_1230_0000, !0xfff).expect("pages");
        assert_eq!((p.shift, p.count, p.offset), (20, 1, 0));
        let p = Pages::of(0x7f00_1230_0010, 0x2ff0, 0x7f00_1230_0010, !0xfff).expect("pages");
        assert_eq!((p.shift, p.count, p.offset), (12, 3, 0x10));
    }

    #[test]
    fn a_queue_starts_at_a_64th_of_a_page() {
        let p = Pages::of_queue(0x7f00_1234_5600, 0x1200).expect("pages");
        assert_eq!((p.shift, p.count, p.offset), (12, 2, 0x600));
        assert!(Pages::of_queue(0x7f00_1234_5620, 0x1000).is_none());
        let p = Pages::of_queue(0x7f00_1230_0000, 0x2000).expect("pages");
        assert_eq!((p.shift, p.count), (13, 1));
    }

    #[test]
    fn a_shifted_iova_needs_small_pages() {
        let p = Pages::of(0x7f00_1234_5800, 0x3000, 0x800, !0xfff).expect("pages");
        assert_eq!((p.shift, p.count, p.offset), (12, 4, 0x800));
        assert_eq!(p.addresses().last(), Some(0x7f00_1234_8000));
    }

    #[test]
    fn allowed_sizes_bind() {
        assert_eq!(Pages::of(0x20_0000, 0x1000, 0, 0), None);
        assert_eq!(Pages::of(0x20_0000, 0x1000, 0, 1 << 20), None, "larger than the range");
        let p = Pages::of(0x20_0000, 0x40_0000, 0, 1 << 20).expect("pages");
        assert_eq!((p.shift, p.count), (20, 4));
    }
}
