//! Barriers between the processor and the device, and stores to its registers. The only place
//! that has either (`spec`: ordering, sections 1 and 2).
//!
//! Rust's fences are not enough: on aarch64 they order the inner shareable domain only, and a
//! device need not be in it; on x86-64 they do not touch write-combining buffers. Each barrier is
//! an instruction that the compiler may not move memory accesses across either.

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("barriers and register stores are written for x86-64 and aarch64");

use core::ptr;

/// Bytes that BlueFlame registers are written in.
pub const BF_BLOCK: usize = 64;

/// Everything written so far is visible to the device before what follows: WQEs before their
/// doorbell record. x86-64 does not reorder stores to ordinary memory, so only the compiler is held.
#[inline(always)]
pub fn to_device() {
    // SAFETY: a barrier; touches no memory or register of ours.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!("", options(nostack, preserves_flags));
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!("dmb oshst", options(nostack, preserves_flags));
    }
}

/// What the device wrote before the byte just read is visible to what follows: the body of a CQE
/// after its owner bit.
#[inline(always)]
pub fn from_device() {
    // SAFETY: as in `to_device`.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!("lfence", options(nostack, preserves_flags));
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!("dmb oshld", options(nostack, preserves_flags));
    }
}

/// Earlier writes, also those to ordinary memory, come before register writes that follow.
#[inline(always)]
pub fn wc_start() {
    store_fence();
}

/// As [`wc_start`], right after a lock was taken: on x86-64 the lock's locked instruction has
/// drained the store buffers already.
#[inline(always)]
pub fn wc_start_locked() {
    #[cfg(target_arch = "aarch64")]
    store_fence();
}

/// Pushes register writes out of the write-combining buffers: before the lock that ordered them
/// is given back, and before the next write to the same register.
#[inline(always)]
pub fn flush() {
    store_fence();
}

#[inline(always)]
fn store_fence() {
    // SAFETY: as in `to_device`.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!("sfence", options(nostack, preserves_flags));
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!("dsb st", options(nostack, preserves_flags));
    }
}

/// Rings a doorbell: one 64-bit store of a value that is in device order already.
///
/// # Safety
/// `reg` is an 8-byte aligned register of a UAR page.
#[inline(always)]
pub unsafe fn write_doorbell(reg: *mut u8, raw: u64) {
    // SAFETY: the promise above. A volatile store of 8 aligned bytes is one store instruction on
    // both architectures.
    unsafe { reg.cast::<u64>().write_volatile(raw) }
}

/// Writes a WQE into a BlueFlame register: `bytes` rounded up to whole blocks, in ascending
/// order; the source goes on at `start` when it reaches `end`.
///
/// # Safety
/// `reg` is a BlueFlame register with room for the blocks. `start..end` is a readable ring of
/// whole blocks, `wqe` points to a block of it, and `bytes` is not larger than the ring.
pub unsafe fn write_blueflame(reg: *mut u8, wqe: *const u8, bytes: usize, start: *const u8, end: *const u8) {
    let (mut to, mut from, mut left) = (reg, wqe, bytes);
    loop {
        // SAFETY: `from` is a block of the ring, `to` a block of the register: the promise above.
        unsafe { copy_block(to, from) };
        if left <= BF_BLOCK {
            return;
        }
        left -= BF_BLOCK;
        to = to.wrapping_add(BF_BLOCK);
        from = from.wrapping_add(BF_BLOCK);
        if ptr::eq(from, end) {
            from = start;
        }
    }
}

/// Writes a WQE that is not longer than a block.
///
/// # Safety
/// As [`write_blueflame`].
#[inline(always)]
pub unsafe fn write_blueflame_block(reg: *mut u8, wqe: *const u8) {
    // SAFETY: the promise above.
    unsafe { copy_block(reg, wqe) }
}

/// One block: 8 stores of 8 bytes in ascending order. Not a memory copy function, whose string
/// moves may write in any order.
///
/// # Safety
/// `from` is readable and `to` writable for 64 bytes, both aligned to 8.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn copy_block(to: *mut u8, from: *const u8) {
    let (to, from) = (to.cast::<u64>(), from.cast::<u64>());
    for i in 0..BF_BLOCK / 8 {
        // SAFETY: the promise above.
        unsafe { to.add(i).write_volatile(*from.add(i)) };
    }
}

/// One block: a single 64-byte store of four vector registers, so that it leaves the
/// write-combining buffer whole.
///
/// # Safety
/// `from` is readable and `to` writable for 64 bytes.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
unsafe fn copy_block(to: *mut u8, from: *const u8) {
    // SAFETY: the promise above; the registers are declared.
    unsafe {
        core::arch::asm!(
            "ld1 {{v0.16b, v1.16b, v2.16b, v3.16b}}, [{from}]",
            "st1 {{v0.16b, v1.16b, v2.16b, v3.16b}}, [{to}]",
            from = in(reg) from,
            to = in(reg) to,
            out("v0") _, out("v1") _, out("v2") _, out("v3") _,
            options(nostack, preserves_flags),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(64))]
    struct Aligned<const N: usize>([u8; N]);

    #[test]
    fn blueflame_copies_whole_blocks_and_wraps_at_the_ring_end() {
        const BLOCKS: usize = 8;
        let mut ring = Aligned([0u8; BLOCKS * BF_BLOCK]);
        ring.0.iter_mut().enumerate().for_each(|(i, b)| *b = (i / BF_BLOCK * 16 + i % 16) as u8);
        for first in 0..BLOCKS {
            for bytes in (16..=4 * BF_BLOCK).step_by(16) {
                let mut reg = Aligned([0xeeu8; 5 * BF_BLOCK]);
                let range = ring.0.as_ptr_range();
                // SAFETY: the register has five blocks, at most four are written.
                unsafe {
                    let wqe = range.start.add(first * BF_BLOCK);
                    write_blueflame(reg.0.as_mut_ptr(), wqe, bytes, range.start, range.end);
                }
                let written = bytes.next_multiple_of(BF_BLOCK);
                for (i, b) in reg.0.iter().enumerate() {
                    let expected = match i < written {
                        true => ring.0[(first * BF_BLOCK + i) % ring.0.len()],
                        false => 0xee,
                    };
                    assert_eq!(*b, expected, "block {first}, {bytes} bytes, byte {i}");
                }
            }
        }
    }

    #[test]
    fn doorbell_keeps_the_bytes_as_they_are() {
        let mut reg = Aligned([0u8; 16]);
        let raw = u64::from_ne_bytes([1, 2, 3, 4, 5, 6, 7, 8]);
        // SAFETY: 8 aligned bytes.
        unsafe { write_doorbell(reg.0.as_mut_ptr(), raw) };
        assert_eq!(reg.0, [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
}
