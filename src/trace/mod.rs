//! `MLX5_TRACE=stderr|FILE`: one line per refusal and per kernel call. Off by default; when off,
//! each hook is one load and one branch.
//!
//! Lines go out by write(2) straight away, so they survive a crash and need no buffer that a
//! fork would duplicate.

mod ioctl;

use crate::{
    error::{Errno, Refusal},
    uverbs::Attr,
};
use core::{
    ffi::{CStr, c_int},
    fmt::Write,
    sync::atomic::{AtomicI32, Ordering},
};

/// File descriptor that trace lines go to; -1 when tracing is off.
static TRACE_FD: AtomicI32 = AtomicI32::new(-1);

/// Reads `MLX5_TRACE` once, when the library is loaded.
pub fn init() {
    let Some(target) = crate::env::get(c"MLX5_TRACE") else { return };
    let fd = match target.to_bytes() {
        b"" => return,
        b"stderr" => 2,
        _ => open_for_append(target),
    };
    TRACE_FD.store(fd, Ordering::Relaxed);
}

fn open_for_append(path: &CStr) -> c_int {
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC;
    // SAFETY: `path` is a C string; the mode argument goes with O_CREAT.
    unsafe { libc::open(path.as_ptr(), flags, 0o644) }
}

/// Is anybody listening?
#[inline(always)]
pub fn on() -> bool {
    TRACE_FD.load(Ordering::Relaxed) >= 0
}

/// One line of at most 1 KiB, cut if longer.
pub struct Line {
    bytes: [u8; 1024],
    len: usize,
}

impl Line {
    fn new() -> Line {
        let mut l = Line { bytes: [0; 1024], len: 0 };
        let _ = l.write_str("mlx5: ");
        l
    }

    #[cfg(test)]
    fn text(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }

    fn send(mut self) {
        // The last byte is kept free for this by `write_str`.
        self.bytes[self.len] = b'\n';
        crate::border::keep_errno(|| {
            // SAFETY: the buffer is readable for `len + 1`.
            unsafe { libc::write(TRACE_FD.load(Ordering::Relaxed), self.bytes.as_ptr().cast(), self.len + 1) }
        });
    }
}

impl Write for Line {
    fn write_str(&mut self, s: &str) -> core::fmt::Result {
        let n = s.len().min(self.bytes.len() - 1 - self.len);
        self.bytes[self.len..self.len + n].copy_from_slice(&s.as_bytes()[..n]);
        self.len += n;
        Ok(())
    }
}

/// A call of the API was refused.
#[inline(always)]
pub fn refusal(function: &'static str, r: &Refusal) {
    if on() {
        refusal_line(function, r);
    }
}

#[cold]
fn refusal_line(function: &str, r: &Refusal) {
    let mut l = Line::new();
    let (check, what, value) = r.told();
    let _ = write!(l, "{function}: {check}");
    if !what.is_empty() {
        let _ = write!(l, ": {what}={value:#x}");
    }
    let _ = write!(l, " -> {}", r.errno());
    l.send();
}

/// Something that the caller cannot see from the result: a step that failed and was survived.
#[inline(always)]
pub fn note(text: &str, errno: Errno) {
    if on() {
        note_line(text, errno);
    }
}

#[cold]
fn note_line(text: &str, errno: Errno) {
    let mut l = Line::new();
    let _ = write!(l, "note: {text}: {errno}");
    l.send();
}

/// A verbs ioctl.
#[inline(always)]
pub fn ioctl(object: u16, method: u16, attrs: &[Attr], result: Result<(), Errno>) {
    if on() {
        ioctl_line(object, method, attrs, result);
    }
}

#[cold]
fn ioctl_line(object: u16, method: u16, attrs: &[Attr], result: Result<(), Errno>) {
    let mut l = Line::new();
    ioctl::line(&mut l, object, method, attrs, result);
    end(l, result);
}

/// A write(2) command.
#[inline(always)]
pub fn write(command: u16, result: Result<(), Errno>) {
    if on() {
        let mut l = Line::new();
        let _ = write!(l, "write {}", prm::uverbs::write_name(command).unwrap_or("?"));
        end(l, result);
    }
}

/// A mapping of the device file.
#[inline(always)]
pub fn mmap(offset: u64, len: usize, failure: Option<Errno>) {
    if on() {
        let mut l = Line::new();
        let _ = write!(l, "mmap offset={offset:#x} len={len:#x}");
        end(l, failure.map_or(Ok(()), Err));
    }
}

fn end(mut l: Line, result: Result<(), Errno>) {
    let _ = match result {
        Ok(()) => write!(l, " = 0"),
        Err(e) => write!(l, " = {e}"),
    };
    l.send();
}
