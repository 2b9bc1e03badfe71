//! Memory of what C holds: made here, given to C by [`Room::fill`], taken back by [`take`].
//!
//! The room is made before the kernel is asked, so that lack of memory cannot leave a kernel
//! object without an owner; and lack of memory is ENOMEM, not an abort.

use crate::error::Result;
use alloc::{
    alloc::{Layout, alloc, dealloc},
    boxed::Box,
};

/// Memory for a `T` that C will hold; freed if it is never filled.
pub struct Room<T>(*mut T);

impl<T> Room<T> {
    const LAYOUT: Layout = Layout::new::<T>();

    /// Makes room. Errors: ENOMEM.
    pub fn new() -> Result<Room<T>> {
        const { assert!(size_of::<T>() > 0, "nothing to hold") };
        // SAFETY: the layout's size is not zero.
        let p = unsafe { alloc(Self::LAYOUT) };
        if p.is_null() { Err(refuse!(ENOMEM, "no memory for the handle")) } else { Ok(Room(p.cast())) }
    }

    /// Puts the finished object in and gives it to C.
    pub fn fill(self, value: T) -> *mut T {
        let p = self.0;
        core::mem::forget(self);
        // SAFETY: memory of the right layout that nobody else knows.
        unsafe { p.write(value) };
        p
    }
}

impl<T> Drop for Room<T> {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout and not given away.
        unsafe { dealloc(self.0.cast(), Self::LAYOUT) }
    }
}

/// Takes back what [`Room::fill`] gave.
///
/// # Safety
/// `p` is from `Room::<T>::fill` and nobody uses it any more.
pub unsafe fn take<T>(p: *mut T) -> Box<T> {
    // SAFETY: `Room` allocates as Box does; the promise above.
    unsafe { Box::from_raw(p) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn what_goes_in_comes_out_once() {
        let value = Rc::new(7);
        let p = Room::new().map_err(|r| r.errno()).unwrap().fill(value.clone());
        assert_eq!(Rc::strong_count(&value), 2);
        // SAFETY: just filled.
        drop(unsafe { take(p) });
        assert_eq!(Rc::strong_count(&value), 1);
        drop(Room::<[u64; 9]>::new());
    }
}
