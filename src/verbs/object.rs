//! Objects that C holds by pointer: the one way out and the one way back.

use crate::{
    error::Result,
    handle::{self, Room},
};
use alloc::boxed::Box;
use core::ptr;

/// Allocates an object. ENOMEM instead of an abort.
pub fn boxed<T>(value: T) -> Result<Box<T>> {
    let filled = Room::new()?.fill(value);
    // SAFETY: just filled, and known to nobody else.
    Ok(unsafe { handle::take(filled) })
}

/// Hands an object to C by its public face, which is its first member.
pub fn give<T, P>(object: Box<T>) -> *mut P {
    Box::into_raw(object).cast()
}

/// Takes an object back from C.
///
/// # Safety
/// `public` came from [`give`] of a `Box<T>`, and nobody uses it any more.
pub unsafe fn take<T, P>(public: *mut P) -> Box<T> {
    // SAFETY: as the caller promises; `boxed` has its memory from a Room.
    unsafe { handle::take(public.cast()) }
}

/// A slice of C: NULL with length 0 is empty.
///
/// # Safety
/// `p` is NULL or readable for `len` elements during `'a`.
pub unsafe fn slice<'a, T>(p: *const T, len: usize) -> &'a [T] {
    if p.is_null() {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { core::slice::from_raw_parts(p, len) }
}

/// Waits until the application has acknowledged all events of an object that the kernel has
/// destroyed. `mutex`, `cond` and the counters are members of the public struct, which
/// `ibv_ack_*` changes under the mutex.
///
/// # Safety
/// The pointers lead into a live public object whose mutex and condition are initialised.
pub unsafe fn wait_for_acks(
    mutex: *mut libc::pthread_mutex_t,
    cond: *mut libc::pthread_cond_t,
    done: impl Fn() -> bool,
) {
    // SAFETY: as the caller promises.
    unsafe {
        libc::pthread_mutex_lock(mutex);
        while !done() {
            libc::pthread_cond_wait(cond, mutex);
        }
        libc::pthread_mutex_unlock(mutex);
    }
}

/// Initialises the mutex and condition of a public object.
///
/// # Safety
/// Both are writable and not in use.
pub unsafe fn init_sync(mutex: *mut libc::pthread_mutex_t, cond: *mut libc::pthread_cond_t) {
    // SAFETY: as the caller promises.
    unsafe {
        libc::pthread_mutex_init(mutex, ptr::null());
        libc::pthread_cond_init(cond, ptr::null());
    }
}
