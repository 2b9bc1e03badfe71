//! Segments of send WQEs. A [`Cursor`] walks a WQE through the ring; each function writes one
//! segment at a place that has room for it.
//!
//! What all of them rely on: a ring is a row of 64-byte blocks, segments start at multiples of 16,
//! and the number of requests in the ring times the largest WQE is not larger than the ring. So a
//! segment of 16 bytes fits at every multiple of 16 before the end, and larger ones fit where the
//! caller starts a block.

use super::queue::SendQueue;
use crate::abi::verbs::ibv_sge;
use core::ptr;
use prm::{
    Field,
    wqe::{Atomic, Av, Ctrl, Data, INLINE_SEG, OCTOWORD, Raddr, Xrc},
};

/// Stores a big-endian word of 32 bits.
///
/// # Safety
/// `at` starts a segment in which `field` is 4 bytes on a multiple of 4.
#[inline(always)]
pub unsafe fn put32(at: *mut u8, field: Field, value: u32) {
    // SAFETY: the promise above.
    unsafe { at.add(field.byte()).cast::<u32>().write(value.to_be()) }
}

/// Stores a big-endian word of 16 bits.
///
/// # Safety
/// `at` starts a segment in which `field` is 2 bytes on a multiple of 2.
#[inline(always)]
pub unsafe fn put16(at: *mut u8, field: Field, value: u16) {
    // SAFETY: the promise above.
    unsafe { at.add(field.byte()).cast::<u16>().write(value.to_be()) }
}

/// Stores a big-endian word of 64 bits.
///
/// # Safety
/// `at` starts a segment in which `field` is 8 bytes on a multiple of 8.
#[inline(always)]
pub unsafe fn put64(at: *mut u8, field: Field, value: u64) {
    // SAFETY: the promise above.
    unsafe { at.add(field.byte()).cast::<u64>().write(value.to_be()) }
}

/// Stores a byte.
///
/// # Safety
/// `at` starts a segment in which `field` is a byte.
#[inline(always)]
pub unsafe fn put8(at: *mut u8, field: Field, value: u8) {
    // SAFETY: the promise above.
    unsafe { at.add(field.byte()).write(value) }
}

/// Two neighbouring big-endian words of 32 bits in one store.
///
/// # Safety
/// 8 bytes at `at` are writable; `at` is a multiple of 8.
#[inline(always)]
unsafe fn put_pair(at: *mut u8, first: u32, second: u32) {
    let both = u64::from(first) << 32 | u64::from(second);
    // SAFETY: the promise above.
    unsafe { at.cast::<u64>().write(both.to_be()) }
}

/// A place in the WQE that is being built.
#[derive(Clone, Copy)]
pub struct Cursor {
    /// Where the next segment goes; may be the end of the ring.
    pub at: *mut u8,
    /// Octowords written so far, the control segment included.
    pub ow: u32,
    /// First byte of the ring.
    pub start: *mut u8,
    /// First byte behind the ring.
    pub end: *mut u8,
}

impl Cursor {
    /// Behind the control segment at `ctrl`.
    #[inline(always)]
    pub fn new(sq: &SendQueue, ctrl: *mut u8) -> Cursor {
        Cursor { at: ctrl.wrapping_add(Ctrl::SIZE), ow: 1, start: sq.buf, end: sq.end }
    }

    /// At the start of the ring, if the end is reached.
    #[inline(always)]
    pub fn wrap(&mut self) {
        if ptr::eq(self.at, self.end) {
            self.at = self.start;
        }
    }

    /// Over a segment of `bytes`.
    #[inline(always)]
    pub fn skip(&mut self, bytes: usize) {
        self.at = self.at.wrapping_add(bytes);
        self.ow += (bytes / OCTOWORD) as u32;
    }
}

/// Second half of a control segment: signature and stream id zero, flags, immediate (raw bytes).
///
/// # Safety
/// `ctrl` starts a block of a send queue.
#[inline(always)]
pub unsafe fn ctrl_flags(ctrl: *mut u8, fm_ce_se: u8, imm: u32) {
    let word = u64::from(fm_ce_se) << 24 | u64::from(imm) << 32;
    // SAFETY: the promise above; the halves of a block are multiples of 8.
    unsafe { ctrl.add(Ctrl::SIGNATURE.byte()).cast::<u64>().write(word.to_le()) }
}

/// First half of a control segment, which makes the WQE whole.
///
/// # Safety
/// As [`ctrl_flags`].
#[inline(always)]
pub unsafe fn ctrl_head(ctrl: *mut u8, opmod_idx_opcode: u32, qpn_ds: u32) {
    // SAFETY: the promise above.
    unsafe { put_pair(ctrl, opmod_idx_opcode, qpn_ds) }
}

/// Remote address segment.
///
/// # Safety
/// `at` has room for it.
#[inline(always)]
pub unsafe fn raddr(at: *mut u8, addr: u64, rkey: u32) {
    // SAFETY: the promise above.
    unsafe {
        put64(at, Raddr::RADDR, addr);
        at.add(Raddr::RKEY.byte()).cast::<u64>().write(u64::from(rkey.to_be()).to_le());
    }
}

/// Operands of compare and swap.
///
/// # Safety
/// `at` has room for them.
#[inline(always)]
pub unsafe fn atomic_cs(at: *mut u8, swap: u64, compare: u64) {
    // SAFETY: the promise above.
    unsafe {
        put64(at, Atomic::SWAP_ADD, swap);
        put64(at, Atomic::COMPARE, compare);
    }
}

/// Operand of fetch and add. The second word stays what it is.
///
/// # Safety
/// As [`atomic_cs`].
#[inline(always)]
pub unsafe fn atomic_fa(at: *mut u8, add: u64) {
    // SAFETY: the promise above.
    unsafe { put64(at, Atomic::SWAP_ADD, add) }
}

/// XRC segment. Its other words stay what they are.
///
/// # Safety
/// `at` has room for it.
#[inline(always)]
pub unsafe fn xrc(at: *mut u8, srqn: u32) {
    // SAFETY: the promise above.
    unsafe { put32(at, Xrc::SRQN, srqn) }
}

/// Data segment.
///
/// # Safety
/// `at` has room for it.
#[inline(always)]
pub unsafe fn data(at: *mut u8, length: u32, lkey: u32, addr: u64) {
    // SAFETY: the promise above.
    unsafe {
        put_pair(at, length, lkey);
        put64(at, Data::ADDR, addr);
    }
}

/// Datagram segment: the address vector with its key and destination filled in.
///
/// # Safety
/// `at` has room for it, `av` is an address vector.
#[inline(always)]
pub unsafe fn datagram(at: *mut u8, av: &[u8; Av::SIZE], qkey: u32, qpn: u32) {
    // SAFETY: the promise above; ring and vector do not overlap.
    unsafe {
        ptr::copy_nonoverlapping(av.as_ptr(), at, Av::SIZE);
        put32(at, Av::DQP_DCT, qpn | prm::wqe::EXTENDED_UD_AV);
        put32(at, Av::QKEY, qkey);
    }
}

/// The elements of a scatter list as data segments, those of length zero left out.
///
/// # Safety
/// `count` elements are readable at `sge`; the WQE has room for as many data segments.
#[inline(always)]
pub unsafe fn data_list(c: &mut Cursor, sge: *const ibv_sge, count: i32) {
    // Most requests have one element.
    if count == 1 {
        // SAFETY: the promise above.
        unsafe { one_pointer(c, sge) };
        return;
    }
    let mut s = sge;
    for _ in 0..count.max(0) {
        // SAFETY: before the end of the list.
        unsafe { one_pointer(c, s) };
        s = s.wrapping_add(1);
    }
}

/// # Safety
/// As [`data_list`], for one element.
#[inline(always)]
pub unsafe fn one_pointer(c: &mut Cursor, sge: *const ibv_sge) {
    // SAFETY: the promise above. Length and key are neighbours.
    let (length_key, addr) =
        unsafe { ((&raw const (*sge).length).cast::<u64>().read_unaligned(), (*sge).addr) };
    if length_key as u32 != 0 {
        c.wrap();
        // SAFETY: 16 bytes at a multiple of 16 before the ring's end.
        unsafe {
            c.at.cast::<u64>().write(length_key.rotate_left(32).to_be());
            put64(c.at, Data::ADDR, addr);
        }
        c.skip(Data::SIZE);
    }
}

/// Copies bytes into the ring, across its end; answers the place behind them.
///
/// # Safety
/// `len` bytes are readable at `from`; `to` lies in `start..end`, and the ring is larger than `len`.
#[inline(always)]
pub unsafe fn copy_in(mut to: *mut u8, from: *const u8, len: usize, start: *mut u8, end: *mut u8) -> *mut u8 {
    let room = end.addr() - to.addr();
    // SAFETY: the promise above: what does not fit before the end goes to the start.
    unsafe {
        if len <= room {
            ptr::copy_nonoverlapping(from, to, len);
            return to.add(len);
        }
        ptr::copy_nonoverlapping(from, to, room);
        to = start;
        ptr::copy_nonoverlapping(from.add(room), to, len - room);
        to.add(len - room)
    }
}

/// Bytes that [`copy_bytes`] takes.
pub const MAX_SHORT: u32 = 64;

/// A copy of few bytes without a call or a loop: from both ends, the halves overlapping.
///
/// # Safety
/// As `copy_nonoverlapping`; `len` is 1 to [`MAX_SHORT`].
#[inline(always)]
pub unsafe fn copy_bytes(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: each load and store lies within `len` bytes.
    unsafe {
        if len >= 16 {
            if len > 32 {
                let (a, b) = (read::<u128>(from, 16), read::<u128>(from, len - 32));
                write(to, 16, a);
                write(to, len - 32, b);
            }
            let (a, b) = (read::<u128>(from, 0), read::<u128>(from, len - 16));
            write(to, 0, a);
            write(to, len - 16, b);
        } else if len >= 8 {
            let (a, b) = (read::<u64>(from, 0), read::<u64>(from, len - 8));
            write(to, 0, a);
            write(to, len - 8, b);
        } else if len >= 4 {
            let (a, b) = (read::<u32>(from, 0), read::<u32>(from, len - 4));
            write(to, 0, a);
            write(to, len - 4, b);
        } else {
            let (a, b, c) = (read::<u8>(from, 0), read::<u8>(from, len / 2), read::<u8>(from, len - 1));
            write(to, 0, a);
            write(to, len / 2, b);
            write(to, len - 1, c);
        }
    }
}

/// # Safety
/// `T` is plain data, readable at `from + at`.
#[inline(always)]
unsafe fn read<T>(from: *const u8, at: usize) -> T {
    // SAFETY: the promise above.
    unsafe { from.add(at).cast::<T>().read_unaligned() }
}

/// # Safety
/// `T` is plain data, writable at `to + at`.
#[inline(always)]
unsafe fn write<T>(to: *mut u8, at: usize, value: T) {
    // SAFETY: the promise above.
    unsafe { to.add(at).cast::<T>().write_unaligned(value) }
}

/// Inline data under construction: one segment whose header is written last.
pub struct InlineWriter {
    header: *mut u8,
    to: *mut u8,
    total: usize,
}

impl InlineWriter {
    /// At the cursor.
    #[inline(always)]
    pub fn new(c: &mut Cursor) -> InlineWriter {
        c.wrap();
        InlineWriter { header: c.at, to: c.at.wrapping_add(prm::wqe::Inline::SIZE), total: 0 }
    }

    /// Appends a piece; false if that exceeds `max`, and then nothing of it is copied.
    ///
    /// # Safety
    /// `len` bytes are readable at `from`; the WQE has room for `max` bytes inline.
    #[inline(always)]
    pub unsafe fn push(&mut self, c: &Cursor, from: *const u8, len: usize, max: usize) -> bool {
        self.total += len;
        if self.total > max {
            return false;
        }
        // SAFETY: the promise above.
        self.to = unsafe { copy_in(self.to, from, len, c.start, c.end) };
        true
    }

    /// Writes the header and moves the cursor behind the data. Without data there is no segment.
    ///
    /// # Safety
    /// All pieces were pushed at this cursor.
    #[inline(always)]
    pub unsafe fn close(self, c: &mut Cursor) {
        if self.total == 0 {
            return;
        }
        // SAFETY: the header has 4 bytes at a multiple of 16 before the ring's end.
        unsafe { self.header.cast::<u32>().write((INLINE_SEG | self.total as u32).to_be()) };
        let ow = (prm::wqe::Inline::SIZE + self.total).div_ceil(OCTOWORD);
        c.at = self.header.wrapping_add(ow * OCTOWORD);
        if c.at >= c.end {
            c.at = c.at.wrapping_sub(c.end.addr() - c.start.addr());
        }
        c.ow += ow as u32;
    }
}

/// Signature byte of a WQE of `ow` octowords: the complement of all its bytes combined by exclusive
/// or, followed across the end of the ring. Its own place should be zero before.
///
/// # Safety
/// `ctrl` starts a WQE of that size in the ring of `sq`.
#[cold]
pub unsafe fn sign(sq: &SendQueue, ctrl: *mut u8, ow: u32) {
    let mut c = Cursor { at: ctrl, ow: 0, start: sq.buf, end: sq.end };
    let mut sum = 0u64;
    for _ in 0..ow {
        c.wrap();
        // SAFETY: 16 bytes at a multiple of 16 before the ring's end.
        unsafe {
            sum ^= c.at.cast::<u64>().read() ^ c.at.cast::<u64>().add(1).read();
        }
        c.skip(OCTOWORD);
    }
    let byte = sum.to_ne_bytes().iter().fold(0, |a, b| a ^ b);
    // SAFETY: the promise above.
    unsafe { put8(ctrl, Ctrl::SIGNATURE, !byte) }
}
