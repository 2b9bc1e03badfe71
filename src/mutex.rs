//! The mutex of allocators, tables and one-time objects: held for longer than a spinlock may be,
//! off the data path.
//!
//! A futex word and nothing else: no table of waiters, no thread-locals, nothing that a fork or
//! an unloading library would leave behind.

use core::{
    cell::UnsafeCell,
    ops::{Deref, DerefMut},
    ptr,
    sync::atomic::{AtomicU32, Ordering},
};

const FREE: u32 = 0;
const HELD: u32 = 1;
/// Held, and somebody may be asleep.
const CONTENDED: u32 = 2;

/// A value behind a mutex.
#[derive(Default)]
pub struct Mutex<T> {
    state: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: the value moves between threads only with the mutex.
unsafe impl<T: Send> Send for Mutex<T> {}
// SAFETY: `lock` lets one thread at a time at the value.
unsafe impl<T: Send> Sync for Mutex<T> {}

/// The value while the mutex is held.
pub struct Guard<'a, T> {
    mutex: &'a Mutex<T>,
}

impl<T> Mutex<T> {
    /// A free mutex around `value`.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex { state: AtomicU32::new(FREE), value: UnsafeCell::new(value) }
    }

    /// Waits for the mutex.
    #[inline]
    pub fn lock(&self) -> Guard<'_, T> {
        if self.state.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_err() {
            self.wait();
        }
        Guard { mutex: self }
    }

    /// The value, without locking: nobody else can have the mutex.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// Sleeps until the holder gives the mutex back. Takes it as contended, since others may
    /// sleep as well.
    #[cold]
    fn wait(&self) {
        while self.state.swap(CONTENDED, Ordering::Acquire) != FREE {
            let nowhere = ptr::null::<libc::timespec>();
            // SAFETY: a word of ours; the kernel compares it before it lets the thread sleep.
            // A signal or a spurious wake-up only leads round the loop.
            crate::border::keep_errno(|| unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    self.state.as_ptr(),
                    libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                    CONTENDED,
                    nowhere,
                )
            });
        }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: this guard holds the mutex.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this guard holds the mutex.
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        if self.mutex.state.swap(FREE, Ordering::Release) == CONTENDED {
            // SAFETY: a word of ours, of which the kernel only needs the address.
            crate::border::keep_errno(|| unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    self.mutex.state.as_ptr(),
                    libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
                    1,
                )
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::Arc, thread};

    #[test]
    fn threads_take_turns() {
        const ROUNDS: u64 = 20_000;
        let sum = Arc::new(Mutex::new((0u64, 0u64)));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let sum = sum.clone();
                thread::spawn(move || {
                    for _ in 0..ROUNDS {
                        let mut s = sum.lock();
                        // Two halves that only agree if nobody came between.
                        assert_eq!(s.0, s.1);
                        s.0 += 1;
                        std::hint::spin_loop();
                        s.1 += 1;
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|t| t.join().unwrap());
        assert_eq!(sum.lock().1, 4 * ROUNDS);
    }

    #[test]
    fn a_sleeper_is_woken() {
        let m = Arc::new(Mutex::new(false));
        let held = m.lock();
        let other = thread::spawn({
            let m = m.clone();
            move || *m.lock() = true
        });
        // Long enough for the other thread to go to sleep; too short only tests less.
        thread::sleep(std::time::Duration::from_millis(20));
        drop(held);
        other.join().unwrap();
        assert!(*m.lock());
    }
}
