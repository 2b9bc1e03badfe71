//! What the standard library would bring: memory from malloc, and an end for panics.
//!
//! The library does without it: its panic machinery alone (a DWARF reader) is larger than the
//! data path, and every process that loads libibverbs would pay for it.

use core::{
    alloc::{GlobalAlloc, Layout},
    fmt::Write,
    panic::PanicInfo,
};

/// malloc and free, so that memory checkers see every block.
struct Malloc;

#[global_allocator]
static ALLOCATOR: Malloc = Malloc;

/// What malloc aligns to.
const MALLOC_ALIGN: usize = 16;

// SAFETY: blocks of malloc, calloc and posix_memalign are as large and as aligned as was asked
// for, and free takes each of them.
unsafe impl GlobalAlloc for Malloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let mut p = core::ptr::null_mut();
        if layout.align() <= MALLOC_ALIGN {
            // SAFETY: no preconditions.
            return unsafe { libc::malloc(layout.size()) }.cast();
        }
        // SAFETY: `p` is writable; the alignment is a power of two above the pointer size.
        match unsafe { libc::posix_memalign(&mut p, layout.align(), layout.size()) } {
            0 => p.cast(),
            _ => core::ptr::null_mut(),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= MALLOC_ALIGN {
            // SAFETY: no preconditions.
            return unsafe { libc::calloc(1, layout.size()) }.cast();
        }
        // SAFETY: the caller's promise; the block is writable for its size.
        unsafe {
            let p = self.alloc(layout);
            if !p.is_null() {
                p.write_bytes(0, layout.size());
            }
            p
        }
    }

    unsafe fn dealloc(&self, p: *mut u8, _: Layout) {
        // SAFETY: a block of ours, by the caller's promise.
        unsafe { libc::free(p.cast()) }
    }

    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= MALLOC_ALIGN {
            // SAFETY: a block of ours, by the caller's promise.
            return unsafe { libc::realloc(p.cast(), size) }.cast();
        }
        // SAFETY: the caller's promise; the old block is readable for the smaller of both sizes.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                new.copy_from_nonoverlapping(p, layout.size().min(size));
                self.dealloc(p, layout);
            }
            new
        }
    }
}

/// stderr, without a buffer.
struct Stderr;

impl Write for Stderr {
    fn write_str(&mut self, s: &str) -> core::fmt::Result {
        // SAFETY: readable for its length.
        unsafe { libc::write(2, s.as_ptr().cast(), s.len()) };
        Ok(())
    }
}

/// A fault of the library: it says where and ends the process, for nothing may unwind into C.
#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    let _ = writeln!(Stderr, "libmlx5: {info}");
    // SAFETY: no preconditions.
    unsafe { libc::abort() }
}

/// `_URC_CONTINUE_UNWIND` of the unwinding ABI.
const CONTINUE_UNWIND: core::ffi::c_int = 8;

/// What the unwinder asks at frames of `alloc`, which is compiled for unwinding. Nothing of this
/// library unwinds, but a cancelled thread may pass through: it goes on to the caller's frames.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() -> core::ffi::c_int {
    CONTINUE_UNWIND
}

/// The end of `alloc`'s clean-up code, which is never entered: see [`rust_eh_personality`].
#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    // SAFETY: no preconditions.
    unsafe { libc::abort() }
}
