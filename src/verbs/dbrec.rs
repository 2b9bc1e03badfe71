//! Doorbell records: a pool of pages, cut into slots of one cache line.

use super::{
    buf::{Buf, resource_type},
    pd::Pd,
};
use crate::{
    datapath::queue::Dbrec,
    error::{Errno, Result},
    mutex::Mutex,
    provider::Context,
};
use alloc::collections::BTreeMap;
use alloc::{vec, vec::Vec};
use core::{ffi::c_int, ptr::NonNull};

/// The records of a context.
#[derive(Default)]
pub struct DbrecPool(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    /// By address: a record's page is its address without the low bits.
    all: BTreeMap<usize, Page>,
    /// Pages with free slots; the last one is looked at first.
    available: Vec<usize>,
}

// SAFETY: owns plain memory.
unsafe impl Send for Pages {}

struct Page {
    buf: Buf,
    slots: Slots,
}

/// Which slots of a page are in use.
struct Slots {
    free: Vec<u64>,
    count: usize,
    used: usize,
}

impl Slots {
    fn new(count: usize) -> Slots {
        let mut free = vec![u64::MAX; count.div_ceil(64)];
        if !count.is_multiple_of(64)
            && let Some(last) = free.last_mut()
        {
            *last = (1 << (count % 64)) - 1;
        }
        Slots { free, count, used: 0 }
    }

    /// The lowest free slot.
    fn take(&mut self) -> Option<usize> {
        let (i, word) = self.free.iter_mut().enumerate().find(|(_, w)| **w != 0)?;
        let bit = word.trailing_zeros() as usize;
        *word &= *word - 1;
        self.used += 1;
        Some(i * 64 + bit)
    }

    fn give_back(&mut self, slot: usize) {
        if let Some(word) = self.free.get_mut(slot / 64) {
            *word |= 1 << (slot % 64);
            self.used -= 1;
        }
    }

    fn is_full(&self) -> bool {
        self.used == self.count
    }
}

/// Where a record came from.
enum Source {
    /// The context's pool; the fd is that of a dma-buf page.
    Pool(*const Context, Option<c_int>),
    /// The parent domain's callbacks.
    Custom(*const Pd),
}

/// A doorbell record, or none. Given back when dropped.
#[derive(Default)]
pub struct DbrecSlot(Option<(NonNull<Dbrec>, Source)>);

impl DbrecSlot {
    /// Takes a record for a queue on `pd`. ENOMEM.
    pub fn alloc(context: &Context, pd: Option<&Pd>) -> Result<DbrecSlot> {
        let callback = pd.and_then(|pd| {
            if pd.parent.as_ref().is_some_and(|p| p.heap.is_some()) {
                return None;
            }
            Some((pd, pd.callback_alloc(size_of::<Dbrec>(), size_of::<Dbrec>(), resource_type::DBR)?))
        });
        if let Some((pd, p)) = callback {
            let p = NonNull::new(p.cast())
                .ok_or(refuse!(ENOMEM, "the parent domain's allocator failed for a doorbell record"))?;
            return Ok(DbrecSlot(Some((p, Source::Custom(pd)))));
        }
        let (p, fd) = context.dbrecs.take(context, pd)?;
        Ok(DbrecSlot(Some((p, Source::Pool(context, fd)))))
    }

    /// The record; NULL without one.
    pub fn dbrec(&self) -> *const Dbrec {
        self.0.as_ref().map_or(core::ptr::null(), |(p, _)| p.as_ptr())
    }

    /// The application's callbacks made it: it is used as it came.
    pub fn is_custom(&self) -> bool {
        matches!(self.0, Some((_, Source::Custom(_))))
    }

    /// Both words zero, unless the application's callbacks made the record.
    pub fn clear_unless_custom(&self) {
        if !self.is_custom() {
            self.clear();
        }
    }

    /// Both words zero.
    pub fn clear(&self) {
        if let Some((p, _)) = &self.0 {
            // SAFETY: a record of ours; its words are atomics.
            unsafe { p.as_ref() }.clear();
        }
    }

    /// For a record in a dma-buf page: fd, offset in it.
    pub fn dmabuf(&self, page_size: usize) -> Option<(c_int, usize)> {
        match &self.0 {
            Some((p, Source::Pool(_, Some(fd)))) => Some((*fd, p.as_ptr() as usize & (page_size - 1))),
            _ => None,
        }
    }
}

impl Drop for DbrecSlot {
    fn drop(&mut self) {
        match &self.0 {
            None => {}
            // SAFETY: contexts outlive their queues.
            Some((p, Source::Pool(context, _))) => unsafe {
                (**context).dbrecs.give_back(&**context, p.as_ptr() as usize);
            },
            // SAFETY: the domain outlives the queue, which holds a reference to it.
            Some((p, Source::Custom(pd))) => unsafe {
                (**pd).callback_free(p.as_ptr().cast(), resource_type::DBR);
            },
        }
    }
}

impl DbrecPool {
    fn take(&self, context: &Context, pd: Option<&Pd>) -> Result<(NonNull<Dbrec>, Option<c_int>)> {
        let dmabuf = pd.is_some_and(Pd::has_heap);
        let mut guard = self.0.lock();
        let Pages { all, available } = &mut *guard;
        // dma-buf pages and others are never mixed.
        let matching = |a: &usize| all.get(a).is_some_and(|p| p.buf.dmabuf().is_some() == dmabuf);
        let address = match available.iter().rev().copied().find(matching) {
            Some(a) => a,
            None => {
                let buf = Buf::page(context, pd)?;
                let a = buf.addr() as usize;
                let slots = Slots::new(context.page_size / slot_size(context));
                all.insert(a, Page { buf, slots });
                available.push(a);
                a
            }
        };
        let page = all.get_mut(&address).ok_or(Errno::ENOMEM)?;
        let slot = page.slots.take().ok_or(Errno::ENOMEM)?;
        if page.slots.is_full() {
            available.retain(|a| *a != address);
        }
        let p = page.buf.addr().wrapping_add(slot * slot_size(context));
        Ok((NonNull::new(p.cast()).ok_or(Errno::ENOMEM)?, page.buf.dmabuf()))
    }

    fn give_back(&self, context: &Context, record: usize) {
        let address = record & !(context.page_size - 1);
        let mut guard = self.0.lock();
        let Pages { all, available } = &mut *guard;
        let Some(page) = all.get_mut(&address) else { return };
        if page.slots.is_full() {
            available.push(address);
        }
        page.slots.give_back((record - address) / slot_size(context));
        if page.slots.used == 0 {
            available.retain(|a| *a != address);
            all.remove(&address);
        }
    }
}

/// The kernel's cache line, so that two records never share one.
fn slot_size(context: &Context) -> usize {
    (context.info.cache_line_size as usize).clamp(size_of::<Dbrec>(), context.page_size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_free_slot_first() {
        let mut s = Slots::new(4096 / 64);
        let taken: Vec<_> = (0..64).map(|_| s.take().unwrap()).collect();
        assert_eq!(taken, (0..64).collect::<Vec<_>>());
        assert!(s.is_full());
        assert_eq!(s.take(), None);
        s.give_back(9);
        s.give_back(3);
        assert!(!s.is_full());
        assert_eq!((s.take(), s.take(), s.take()), (Some(3), Some(9), None));
    }

    #[test]
    fn sizes_that_are_not_whole_words() {
        let mut s = Slots::new(4096 / 128 + 1);
        for i in 0..33 {
            assert_eq!(s.take(), Some(i));
        }
        assert_eq!(s.take(), None);
        let mut s = Slots::new(65536 / 64);
        for i in 0..1024 {
            assert_eq!(s.take(), Some(i));
        }
        assert_eq!(s.take(), None);
    }
}
