//! Access to big-endian bit fields of a byte slice.
//!
//! Offsets are counted in bits from the most significant bit of the first byte, the way
//! the PRM numbers them. A field may be 1 to 64 bits wide and start anywhere.

/// The value of the `width` bits at `off`. Bytes beyond the end of `bytes` read as zero.
#[inline]
pub fn get(bytes: &[u8], off: usize, width: usize) -> u64 {
    let first = off / 8;
    let last = (off + width).div_ceil(8);
    let mut v = 0u128;
    let mut i = first;
    while i < last {
        v = (v << 8) | bytes.get(i).copied().unwrap_or(0) as u128;
        i += 1;
    }
    let below = last * 8 - off - width;
    ((v >> below) & mask(width)) as u64
}

/// Store the low `width` bits of `value` at `off`. Bits beyond the end of `bytes` are dropped.
#[inline]
pub fn set(bytes: &mut [u8], off: usize, width: usize, value: u64) {
    let first = off / 8;
    let last = (off + width).div_ceil(8);
    let below = last * 8 - off - width;
    let keep = mask(width) << below;
    let put = (value as u128 & mask(width)) << below;
    let mut i = first;
    while i < last {
        let shift = (last - 1 - i) * 8;
        if let Some(b) = bytes.get_mut(i) {
            *b = (*b & !((keep >> shift) as u8)) | (put >> shift) as u8;
        }
        i += 1;
    }
}

#[inline]
const fn mask(width: usize) -> u128 {
    if width >= 64 { u64::MAX as u128 } else { (1u128 << width) - 1 }
}

/// The big-endian 16-bit word at byte `at`, zero beyond the end.
#[inline]
pub fn be16(bytes: &[u8], at: usize) -> u16 {
    get(bytes, at * 8, 16) as u16
}

/// The big-endian 32-bit word at byte `at`, zero beyond the end.
#[inline]
pub fn be32(bytes: &[u8], at: usize) -> u32 {
    get(bytes, at * 8, 32) as u32
}

/// The big-endian 64-bit word at byte `at`, zero beyond the end.
#[inline]
pub fn be64(bytes: &[u8], at: usize) -> u64 {
    get(bytes, at * 8, 64)
}

/// A field of a layout: where it starts, in bits from the start of the layout, and how wide it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Offset in bits from the most significant bit of byte 0.
    pub off: usize,
    /// Width in bits, 1 to 64 for a value, more for an array of bytes.
    pub bits: usize,
}

impl Field {
    /// The field of `bits` bits at bit `off`.
    pub const fn new(off: usize, bits: usize) -> Field {
        Field { off, bits }
    }

    /// The same field of a layout that starts `bits` bits into a larger one.
    pub const fn at(self, bits: usize) -> Field {
        Field { off: self.off + bits, bits: self.bits }
    }

    /// The same field of a layout nested at `outer`: `Qpc::PD.within(CreateQpIn::QPC)`.
    pub const fn within(self, outer: Field) -> Field {
        self.at(outer.off)
    }

    /// The same field of element `n` of an array whose elements are `stride` bits apart.
    pub const fn nth(self, n: usize, stride: usize) -> Field {
        self.at(n * stride)
    }

    /// The field's value in `bytes`; zero where `bytes` ends early.
    #[inline]
    pub fn get(self, bytes: &[u8]) -> u64 {
        get(bytes, self.off, self.bits)
    }

    /// The field's low 32 bits.
    #[inline]
    pub fn get32(self, bytes: &[u8]) -> u32 {
        self.get(bytes) as u32
    }

    /// Whether any bit of the field is set.
    #[inline]
    pub fn is_set(self, bytes: &[u8]) -> bool {
        self.get(bytes) != 0
    }

    /// Store the low bits of `value`; what does not fit the field or the slice is dropped.
    #[inline]
    pub fn set(self, bytes: &mut [u8], value: u64) {
        set(bytes, self.off, self.bits, value)
    }

    /// Copy the field from one buffer of the layout to another.
    #[inline]
    pub fn copy(self, from: &[u8], to: &mut [u8]) {
        let mut off = self.off;
        let end = self.off + self.bits;
        while off < end {
            let n = if end - off > 64 { 64 } else { end - off };
            set(to, off, n, get(from, off, n));
            off += n;
        }
    }

    /// Byte offset of the field, for fields that start on a byte.
    pub const fn byte(self) -> usize {
        self.off / 8
    }

    /// Length of the field in bytes, rounded up.
    pub const fn len_bytes(self) -> usize {
        self.bits.div_ceil(8)
    }

    /// The field's bytes, for fields that are arrays of bytes; empty where `bytes` ends early.
    pub fn slice(self, bytes: &[u8]) -> &[u8] {
        bytes.get(self.byte()..self.byte() + self.len_bytes()).unwrap_or(&[])
    }

    /// The field's bytes to write to; empty where `bytes` ends early.
    pub fn slice_mut(self, bytes: &mut [u8]) -> &mut [u8] {
        bytes.get_mut(self.byte()..self.byte() + self.len_bytes()).unwrap_or(&mut [])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_counted_from_the_most_significant_bit() {
        let mut b = [0u8; 16];
        Field::new(0x48, 24).set(&mut b, 0x12_3456);
        assert_eq!(b[8..12], [0, 0x12, 0x34, 0x56]);
        assert_eq!(Field::new(0x48, 24).get(&b), 0x12_3456);
        Field::new(3, 2).set(&mut b, 3);
        assert_eq!(b[0], 0b0001_1000);
    }

    #[test]
    fn neighbours_stay_as_they_are() {
        for off in 0..40 {
            for width in 1..=64 {
                let mut b = [0xffu8; 16];
                set(&mut b, off, width, 0);
                let ones: u32 = b.iter().map(|x| x.count_ones()).sum();
                assert_eq!(ones as usize, 128 - width);
                assert_eq!(get(&b, off, width), 0);
                let v = 0xa5c3_9617_e0f1_2d4b_u64 & (mask(width) as u64);
                set(&mut b, off, width, v);
                assert_eq!(get(&b, off, width), v);
            }
        }
    }

    #[test]
    fn short_slices_read_zero_and_drop_stores() {
        let mut b = [0xffu8; 2];
        assert_eq!(get(&b, 8, 16), 0xff00);
        set(&mut b, 8, 16, 0x1234);
        assert_eq!(b, [0xff, 0x12]);
        assert!(Field::new(32, 32).slice(&b).is_empty());
    }
}
