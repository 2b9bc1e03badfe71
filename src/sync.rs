//! The spinlock of queues.
//!
//! A queue's lock is held across two C calls (`ibv_wr_start` … `ibv_wr_complete`, `ibv_start_poll`
//! … `ibv_end_poll`) for far less than a microsecond, so it spins. Where the application promised
//! one thread (`MLX5_SINGLE_THREADED=1`, thread domain) it is not taken; an overlap that is seen
//! nevertheless ends the process, as upstream does (`spec`: ordering, section 3).

use core::{
    hint,
    sync::atomic::{AtomicBool, Ordering},
};

/// How often to look before giving the processor away.
const SPINS: u32 = 200;

/// A lock that can be switched off at creation.
pub struct SpinLock {
    /// Held, or (without `need_lock`) in use.
    held: AtomicBool,
    need_lock: bool,
}

impl SpinLock {
    /// A free lock. Without `need_lock` it only watches for overlapping use.
    pub const fn new(need_lock: bool) -> SpinLock {
        SpinLock { held: AtomicBool::new(false), need_lock }
    }

    /// False if the lock is never really taken.
    #[inline(always)]
    pub fn needed(&self) -> bool {
        self.need_lock
    }

    /// Takes the lock.
    #[inline(always)]
    pub fn lock(&self) {
        if self.need_lock { self.lock_known::<true>() } else { self.lock_known::<false>() }
    }

    /// Takes a lock of which the function at hand knows whether it is `needed()`.
    #[inline(always)]
    pub fn lock_known<const NEEDED: bool>(&self) {
        if NEEDED {
            if self.held.swap(true, Ordering::Acquire) {
                self.contended();
            }
        } else {
            // Advice, not a guarantee: two plain accesses, so that the fast path has no locked
            // instruction.
            if self.held.load(Ordering::Relaxed) {
                violation();
            }
            self.held.store(true, Ordering::Relaxed);
        }
    }

    /// Takes a lock that is `needed()` if nobody holds it.
    #[inline(always)]
    pub fn try_lock(&self) -> bool {
        !self.held.swap(true, Ordering::Acquire)
    }

    /// Gives the lock back.
    ///
    /// The next holder sees everything that was done under the lock. An MMIO write made under it
    /// needs its own flush before this.
    #[inline(always)]
    pub fn unlock(&self) {
        self.held.store(false, Ordering::Release);
    }

    /// Runs `f` under the lock.
    #[inline(always)]
    pub fn with<R>(&self, f: impl FnOnce() -> R) -> R {
        self.lock();
        let r = f();
        self.unlock();
        r
    }

    #[cold]
    #[inline(never)]
    fn contended(&self) {
        let mut n = 0;
        loop {
            while self.held.load(Ordering::Relaxed) {
                n += 1;
                if n < SPINS {
                    hint::spin_loop();
                } else {
                    n = 0;
                    // SAFETY: no preconditions. A holder that was preempted needs the processor.
                    unsafe { libc::sched_yield() };
                }
            }
            if !self.held.swap(true, Ordering::Acquire) {
                return;
            }
        }
    }
}

/// Two threads use a queue whose owner promised one.
#[cold]
#[inline(never)]
fn violation() -> ! {
    const TEXT: &[u8] = b"*** ERROR: multithreading violation ***\n\
        You are running a multithreaded application but\n\
        you set MLX5_SINGLE_THREADED=1 or created the queue on a thread domain.\n";
    // SAFETY: a constant buffer of that length; then abort, which has no preconditions.
    unsafe {
        libc::write(2, TEXT.as_ptr().cast(), TEXT.len());
        libc::abort()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{cell::UnsafeCell, sync::Arc, thread};

    struct Counter(SpinLock, UnsafeCell<u64>);
    // SAFETY: the cell is only touched under the lock.
    unsafe impl Sync for Counter {}

    #[test]
    fn excludes() {
        let c = Arc::new(Counter(SpinLock::new(true), UnsafeCell::new(0)));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let c = c.clone();
                thread::spawn(move || {
                    for _ in 0..20_000 {
                        // SAFETY: under the lock nobody else has the cell.
                        c.0.with(|| unsafe { *c.1.get() += 1 });
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|t| t.join().unwrap());
        // SAFETY: all threads are gone.
        assert_eq!(unsafe { *c.1.get() }, 80_000);
    }

    #[test]
    fn switched_off_it_can_be_taken_again_after_unlock() {
        let l = SpinLock::new(false);
        l.lock();
        l.unlock();
        l.with(|| ());
        assert!(!l.needed());
    }
}
