//! How a result reaches C. The conventions differ per function (`spec`: exported symbols), so
//! each entry point names its own: a function of this module.

use crate::{
    error::{Errno, Refusal, Result},
    trace,
};
use core::{ffi::c_int, ptr};

/// 0, or the positive errno. errno itself stays as it is: set if a system call refused, else the
/// caller's, which is what programs that look at it know.
#[inline(always)]
pub fn value(name: &'static str, f: impl FnOnce() -> Result<()>) -> c_int {
    match f() {
        Ok(()) => 0,
        Err(r) => {
            trace::refusal(name, &r);
            r.errno().0
        }
    }
}

/// A pointer, or NULL with errno set.
#[inline(always)]
pub fn null<T>(name: &'static str, f: impl FnOnce() -> Result<*mut T>) -> *mut T {
    match f() {
        Ok(p) => p,
        Err(r) => {
            refused(name, &r);
            ptr::null_mut()
        }
    }
}

/// A non-negative number, or -1 with errno set.
#[inline(always)]
pub fn minus_one<T: From<i8>>(name: &'static str, f: impl FnOnce() -> Result<T>) -> T {
    match f() {
        Ok(n) => n,
        Err(r) => {
            refused(name, &r);
            T::from(-1)
        }
    }
}

/// 0 or a count, or the errno negated.
#[inline(always)]
pub fn negative(name: &'static str, f: impl FnOnce() -> Result<c_int>) -> c_int {
    match f() {
        Ok(n) => n,
        Err(r) => {
            trace::refusal(name, &r);
            -r.errno().0
        }
    }
}

/// Traces a refusal and sets errno.
#[cold]
#[inline(never)]
fn refused(name: &'static str, r: &Refusal) {
    trace::refusal(name, r);
    r.errno().set();
}

/// Nothing: a failure is only traced.
#[inline(always)]
pub fn void(name: &'static str, f: impl FnOnce() -> Result<()>) {
    if let Err(r) = f() {
        trace::refusal(name, &r);
    }
}

/// True, or false for any refusal.
#[inline(always)]
pub fn bool(name: &'static str, f: impl FnOnce() -> Result<()>) -> bool {
    match f() {
        Ok(()) => true,
        Err(r) => {
            trace::refusal(name, &r);
            false
        }
    }
}

/// Runs `f` and puts the caller's errno back: for clean-up that must not hide the first failure.
pub fn keep_errno<T>(f: impl FnOnce() -> T) -> T {
    let saved = Errno::last();
    let r = f();
    saved.set();
    r
}
