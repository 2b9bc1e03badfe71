//! Huge page segments, handed out in chunks of 32 KiB.

use crate::{
    error::{Errno, Result},
    sync::SpinLock,
    verbs::buf::align,
};
use alloc::vec::Vec;
use core::{cell::UnsafeCell, ffi::c_void, ptr};

const CHUNK: usize = 32768;
const SEGMENT: usize = 2 << 20;

/// The segments of a context, those with room first.
#[derive(Default)]
pub struct HugePool {
    lock: Lock,
    segments: UnsafeCell<Vec<Segment>>,
}

struct Lock(SpinLock);

impl Default for Lock {
    fn default() -> Self {
        Lock(SpinLock::new(true))
    }
}

// SAFETY: `segments` is only touched under `lock`.
unsafe impl Sync for HugePool {}
// SAFETY: plain data.
unsafe impl Send for HugePool {}

/// A SysV segment of huge pages; its id is removed at once, so that it goes with the last detach.
struct Segment {
    base: *mut c_void,
    used: Vec<bool>,
}

impl Segment {
    fn new(size: usize) -> Result<Segment> {
        let size = align(size, SEGMENT);
        let mut used = Vec::new();
        used.try_reserve_exact(size / CHUNK).map_err(|_| Errno::ENOMEM)?;
        used.resize(size / CHUNK, false);
        let flags = libc::SHM_HUGETLB | libc::SHM_R as libc::c_int | libc::SHM_W as libc::c_int;
        // SAFETY: a new private segment; attached at an address of the kernel's choice.
        unsafe {
            let id = libc::shmget(libc::IPC_PRIVATE, size, flags);
            if id < 0 {
                return Err(Errno::last().into());
            }
            let base = libc::shmat(id, ptr::null(), 0);
            let failure = Errno::last();
            libc::shmctl(id, libc::IPC_RMID, ptr::null_mut());
            if base as isize == -1 {
                return Err(failure.into());
            }
            Ok(Segment { base, used })
        }
    }

    /// First run of `n` free chunks.
    fn take(&mut self, n: usize) -> Option<usize> {
        let at = self.used.windows(n).position(|w| w.iter().all(|u| !u))?;
        self.used.iter_mut().skip(at).take(n).for_each(|u| *u = true);
        Some(at)
    }

    fn is_full(&self) -> bool {
        self.used.iter().all(|u| *u)
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: attached by `new`, detached once.
        unsafe { libc::shmdt(self.base) };
    }
}

/// Chunks of a segment. Given back when dropped.
pub struct Chunks {
    pool: *const HugePool,
    segment: *mut c_void,
    first: usize,
    count: usize,
}

impl Chunks {
    /// First byte; NULL without chunks.
    pub fn addr(&self) -> *mut u8 {
        self.segment.cast::<u8>().wrapping_add(self.first * CHUNK)
    }

    /// Bytes: a multiple of 32 KiB.
    pub fn len(&self) -> usize {
        self.count * CHUNK
    }
}

impl HugePool {
    /// Takes room for `size` bytes; none for 0. Errors: those of shmget and shmat.
    pub fn alloc(&self, size: usize) -> Result<Chunks> {
        let count = align(size, CHUNK) / CHUNK;
        if count == 0 {
            return Ok(Chunks { pool: self, segment: ptr::null_mut(), first: 0, count });
        }
        self.lock.0.with(|| {
            // SAFETY: under the lock.
            let segments = unsafe { &mut *self.segments.get() };
            let found = segments.iter_mut().enumerate().find_map(|(i, s)| Some((i, s.take(count)?)));
            let (i, first) = match found {
                Some(f) => f,
                None => {
                    let mut s = Segment::new(count * CHUNK)?;
                    let first = s.take(count).ok_or(Errno::ENOMEM)?;
                    segments.insert(0, s);
                    (0, first)
                }
            };
            let Some(segment) = segments.get(i).map(|s| s.base) else { return Err(Errno::ENOMEM.into()) };
            if segments.get(i).is_some_and(Segment::is_full) {
                let s = segments.remove(i);
                segments.push(s);
            }
            Ok(Chunks { pool: self, segment, first, count })
        })
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        if self.count == 0 {
            return;
        }
        // SAFETY: the pool is the context's, which outlives its queues.
        let pool = unsafe { &*self.pool };
        let freed = pool.lock.0.with(|| {
            // SAFETY: under the lock.
            let segments = unsafe { &mut *pool.segments.get() };
            let i = segments.iter().position(|s| s.base == self.segment)?;
            let mut s = segments.remove(i);
            s.used.iter_mut().skip(self.first).take(self.count).for_each(|u| *u = false);
            if s.used.iter().any(|u| *u) {
                segments.insert(0, s);
                return None;
            }
            Some(s)
        });
        drop(freed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(chunks: usize) -> Segment {
        Segment { base: ptr::null_mut(), used: vec![false; chunks] }
    }

    #[test]
    fn first_run_that_fits() {
        let mut s = core::mem::ManuallyDrop::new(segment(8));
        assert_eq!(s.take(3), Some(0));
        assert_eq!(s.take(2), Some(3));
        s.used[0..3].fill(false);
        assert_eq!(s.take(4), None);
        assert_eq!(s.take(3), Some(0));
        assert_eq!(s.take(3), Some(5));
        assert!(s.is_full());
    }

    #[test]
    fn nothing_needs_no_segment() {
        let pool = HugePool::default();
        let c = pool.alloc(0).unwrap();
        assert!(c.addr().is_null());
        assert_eq!(c.len(), 0);
    }
}
