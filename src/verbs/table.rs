//! Tables from 24-bit numbers to objects: user indices, QP and SRQ numbers, mkey indices.
//!
//! Two levels of 4096. Lookups take no lock: a completion may arrive while another queue is being
//! made or destroyed. A second-level table stays until the context is closed, so that no reader
//! can meet a freed one; a table of 32 KiB covers 4096 objects.

use crate::error::{Errno, Result};
use crate::mutex::Mutex;
use core::{
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};

const BITS: u32 = 12;
const SIZE: usize = 1 << BITS;
const MASK: u32 = SIZE as u32 - 1;
/// Objects that a second-level table takes before the next one is started: one place stays unused,
/// so that numbers are those of upstream's library.
const CAPACITY: u16 = MASK as u16;

struct Leaf<T>([AtomicPtr<T>; SIZE]);

/// A table. Pointers stay the caller's. Zeroed memory is an empty one: it is too large to be built
/// on a thread's stack or to be cleared twice.
pub struct Table<T> {
    leaves: [AtomicPtr<Leaf<T>>; SIZE],
    /// Guards all changes.
    used: Mutex<Used>,
}

struct Used {
    /// Objects in each second-level table.
    counts: [u16; SIZE],
    /// Second-level tables all lie below this.
    end: usize,
}

// SAFETY: shared places are atomics; what the pointers lead to is the users' business.
unsafe impl<T> Sync for Table<T> {}
// SAFETY: as above.
unsafe impl<T> Send for Table<T> {}

impl<T> Table<T> {
    /// The object with this number, NULL if there is none.
    #[inline(always)]
    pub fn get(&self, key: u32) -> *const T {
        let leaf = self.leaves[(key >> BITS & MASK) as usize].load(Ordering::Acquire);
        if leaf.is_null() {
            return ptr::null();
        }
        // SAFETY: leaves are freed only when the table is dropped.
        unsafe { (*leaf).0[(key & MASK) as usize].load(Ordering::Acquire) }
    }

    /// Puts `object` under the first free number: in the first second-level table with room, its
    /// first free place. ENOMEM if there is none, or no memory.
    pub fn insert_anywhere(&self, object: *const T) -> Result<u32> {
        let mut used = self.used.lock();
        let Some(high) = used.counts.iter().position(|n| *n < CAPACITY) else {
            return Err(refuse!(ENOMEM, "no free number in the table"));
        };
        let leaf = self.leaf(&mut used, high)?;
        let Some(low) = leaf.0.iter().position(|p| p.load(Ordering::Relaxed).is_null()) else {
            return Err(refuse!(ENOMEM, "no free place in the table"));
        };
        leaf.0[low].store(object.cast_mut(), Ordering::Release);
        used.counts[high] += 1;
        Ok((high << BITS | low) as u32)
    }

    /// Puts `object` under `key`. ENOMEM.
    pub fn insert(&self, key: u32, object: *const T) -> Result<()> {
        let mut used = self.used.lock();
        let high = (key >> BITS & MASK) as usize;
        let old =
            self.leaf(&mut used, high)?.0[(key & MASK) as usize].swap(object.cast_mut(), Ordering::AcqRel);
        if old.is_null() {
            used.counts[high] += 1;
        }
        Ok(())
    }

    /// Takes `key` out of the table.
    pub fn remove(&self, key: u32) {
        let mut used = self.used.lock();
        let high = (key >> BITS & MASK) as usize;
        let leaf = self.leaves[high].load(Ordering::Relaxed);
        if leaf.is_null() {
            return;
        }
        // SAFETY: as in `get`.
        let old = unsafe { (*leaf).0[(key & MASK) as usize].swap(ptr::null_mut(), Ordering::AcqRel) };
        if !old.is_null() {
            used.counts[high] -= 1;
        }
    }

    /// Runs `f` on the object with this number while no change of the table can happen. None if
    /// there is no such object.
    pub fn with<R>(&self, key: u32, f: impl FnOnce(&T) -> R) -> Option<R> {
        let _changes = self.used.lock();
        // SAFETY: objects are removed before they are freed, and removal waits for the lock.
        unsafe { self.get(key).as_ref() }.map(f)
    }

    /// The second-level table at `high`, made if missing.
    fn leaf(&self, used: &mut Used, high: usize) -> Result<&Leaf<T>, Errno> {
        let mut leaf = self.leaves[high].load(Ordering::Relaxed);
        if leaf.is_null() {
            // SAFETY: a non-zero size; zeroed memory is a table of NULLs.
            leaf = unsafe { libc::calloc(1, size_of::<Leaf<T>>()) }.cast();
            if leaf.is_null() {
                return Err(Errno::ENOMEM);
            }
            self.leaves[high].store(leaf, Ordering::Release);
            used.end = used.end.max(high + 1);
        }
        // SAFETY: as in `get`.
        Ok(unsafe { &*leaf })
    }
}

impl<T> Drop for Table<T> {
    fn drop(&mut self) {
        let end = self.used.get_mut().end;
        for leaf in &mut self.leaves[..end] {
            // SAFETY: NULL or from calloc in `leaf`.
            unsafe { libc::free((*leaf.get_mut()).cast()) }
        }
    }
}

/// An object's place in a table of its context: given up when dropped.
pub struct Registration<T: 'static> {
    table: *const Table<T>,
    key: u32,
}

impl<T> Registration<T> {
    /// Registers under the first free number. The table must outlive the registration: it is the
    /// context's, and contexts outlive their objects.
    pub fn anywhere(table: &Table<T>, object: *const T) -> Result<Self> {
        Ok(Registration { table, key: table.insert_anywhere(object)? })
    }

    /// Registers under `key`; see [`Self::anywhere`].
    pub fn at(table: &Table<T>, key: u32, object: *const T) -> Result<Self> {
        table.insert(key, object)?;
        Ok(Registration { table, key })
    }

    /// The number.
    pub fn key(&self) -> u32 {
        self.key
    }
}

impl<T> Drop for Registration<T> {
    fn drop(&mut self) {
        // SAFETY: the table outlives its registrations, see `anywhere`.
        unsafe { (*self.table).remove(self.key) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Box<Table<u32>> {
        // SAFETY: zeroed memory is an empty table.
        unsafe { Box::<Table<u32>>::new_zeroed().assume_init() }
    }

    #[test]
    fn numbers_are_handed_out_from_below_and_one_place_of_each_leaf_stays_free() {
        let t = table();
        let x = 7u32;
        for want in 0..4095 {
            assert_eq!(t.insert_anywhere(&x).unwrap(), want);
        }
        assert_eq!(t.insert_anywhere(&x).unwrap(), 4096);
        t.remove(17);
        t.remove(5);
        assert_eq!(t.insert_anywhere(&x).unwrap(), 5);
        assert_eq!(t.insert_anywhere(&x).unwrap(), 17);
        assert_eq!(t.insert_anywhere(&x).unwrap(), 4097);
    }

    #[test]
    fn lookups() {
        let t = table();
        let (a, b) = (1u32, 2u32);
        assert!(t.get(0xabcdef).is_null());
        t.insert(0xabcdef, &a).unwrap();
        t.insert(0xabcdee, &b).unwrap();
        assert_eq!(t.get(0xabcdef), ptr::from_ref(&a));
        assert_eq!(t.with(0xabcdee, |v| *v), Some(2));
        // bits above 24 are not part of a number
        assert_eq!(t.get(0xff_abcdef), ptr::from_ref(&a));
        t.remove(0xabcdef);
        assert!(t.get(0xabcdef).is_null());
        assert_eq!(t.with(0xabcdef, |v| *v), None);
    }

    #[test]
    fn a_registration_ends_with_its_owner() {
        let t = table();
        let x = 7u32;
        let r = Registration::anywhere(&t, &x).unwrap();
        let key = r.key();
        assert!(!t.get(key).is_null());
        drop(r);
        assert!(t.get(key).is_null());
        // a second removal must not count twice
        t.remove(key);
        assert_eq!(t.insert_anywhere(&x).unwrap(), 0);
    }
}
