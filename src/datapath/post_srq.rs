//! Receives of shared receive queues (`spec`: datapath, section 5): a linked list through the
//! ring, since completions free its WQEs in any order.

use super::{
    post_recv::{element, terminate},
    segment::put16,
    srq::Srq,
};
use crate::{
    abi::verbs::{ibv_recv_wr, ibv_srq},
    error::Errno,
    mmio,
};
use core::{ffi::c_int, sync::atomic::Ordering};
use prm::wqe::{Data, INVALID_LKEY, SrqNext};

/// `ibv_post_srq_recv`.
///
/// # Safety
/// libibverbs' promise: an SRQ of ours, a list of work requests, a writable `bad_wr`.
pub unsafe extern "C" fn post_srq_recv(
    ibv: *mut ibv_srq,
    first: *mut ibv_recv_wr,
    bad_wr: *mut *mut ibv_recv_wr,
) -> c_int {
    // SAFETY: the promise above.
    let srq = unsafe { Srq::from_ibv(ibv) };
    srq.lock.lock();
    let mut nreq = 0u16;
    let mut failure = 0;
    let mut next = first;
    // SAFETY: the application's list.
    while let Some(wr) = unsafe { next.as_ref() } {
        if wr.num_sge > srq.max_gs as i32 {
            failure = Errno::EINVAL.0;
            break;
        }
        let head = srq.head.get();
        if head == srq.tail.get() && !srq.refill() {
            failure = Errno::ENOMEM.0;
            break;
        }
        let wqe = srq.wqe(head);
        // SAFETY: the head of the list is a free WQE of the ring; it has room for `max_gs`
        // elements behind the next segment.
        unsafe {
            srq.wrid.at(head).write(wr.wr_id);
            srq.head.set(u32::from(next_of(wqe)));
            let list = wqe.add(SrqNext::SIZE);
            let count = wr.num_sge.max(0) as usize;
            for i in 0..count {
                element(list.add(i * Data::SIZE), &*wr.sg_list.add(i));
            }
            if count < srq.max_gs as usize {
                terminate(list.add(count * Data::SIZE));
            }
        }
        nreq = nreq.wrapping_add(1);
        next = wr.next;
    }
    if failure != 0 {
        // SAFETY: the promise above.
        unsafe { *bad_wr = next };
    }
    if !core::ptr::eq(next, first) {
        srq.ring(nreq);
    }
    srq.lock.unlock();
    failure
}

/// Index that a WQE's next segment names.
///
/// # Safety
/// `wqe` is a WQE of an SRQ's ring.
#[inline(always)]
unsafe fn next_of(wqe: *const u8) -> u16 {
    // SAFETY: the promise above.
    unsafe { u16::from_be(wqe.add(SrqNext::NEXT_WQE_INDEX.byte()).cast::<u16>().read()) }
}

/// All methods want the queue's lock held, except [`Srq::free_wqe`], which takes it.
impl Srq {
    /// Makes `n` more receives known.
    pub fn ring(&self, n: u16) {
        let counter = self.counter.get().wrapping_add(n);
        self.counter.set(counter);
        mmio::to_device();
        // SAFETY: an SRQ has a doorbell record.
        unsafe { &*self.dbrec }.receive.store(u32::from(counter).to_be(), Ordering::Relaxed);
    }

    /// Links `index` behind the tail.
    fn append(&self, index: u32) {
        // SAFETY: both are WQEs of the ring.
        unsafe { put16(self.wqe(self.tail.get()), SrqNext::NEXT_WQE_INDEX, index as u16) };
        self.tail.set(index);
    }

    fn word(&self, index: u32) -> (*mut u64, u64) {
        (self.free.at(index / 64), 1 << (index % 64))
    }

    fn is_free(&self, index: u32) -> bool {
        let (word, bit) = self.word(index);
        // SAFETY: the array has a bit for each WQE of the ring.
        unsafe { *word & bit != 0 }
    }

    fn mark(&self, index: u32, free: bool) {
        let (word, bit) = self.word(index);
        // SAFETY: as in `is_free`.
        unsafe { if free { *word |= bit } else { *word &= !bit } }
    }

    /// The list has one WQE left, which must stay: puts completed ones behind it. False if there
    /// are none. The WQE after the tail is taken alone; else the first run of completed ones
    /// behind the head, or from the start of the ring.
    #[inline(always)]
    fn refill(&self) -> bool {
        let (tail, nwqes) = (self.tail.get(), self.nwqes.get());
        let next = if tail + 1 >= nwqes { 0 } else { tail + 1 };
        if self.is_free(next) {
            self.append(next);
            self.mark(next, false);
            return true;
        }
        self.refill_run(self.head.get(), nwqes)
    }

    #[cold]
    fn refill_run(&self, head: u32, nwqes: u32) -> bool {
        let Some(start) =
            (head + 1..nwqes).find(|&i| self.is_free(i)).or_else(|| (0..head).find(|&i| self.is_free(i)))
        else {
            return false;
        };
        for i in (start..nwqes).take_while(|&i| self.is_free(i)) {
            self.append(i);
            self.mark(i, false);
        }
        true
    }

    /// A completion frees WQE `index`. Takes the lock.
    #[inline(always)]
    pub fn free_wqe(&self, index: u32) {
        self.lock.lock();
        if index < self.total {
            self.mark(index, true);
        }
        self.lock.unlock();
    }

    /// A page of WQE `index` was not present: its buffers go to another WQE, and it waits until the
    /// device cannot look at it any more. The completion is nobody's.
    #[cold]
    pub fn page_fault(&self, index: u32) {
        if index >= self.total {
            return;
        }
        self.lock.with(|| {
            for i in 0..self.total {
                if self.is_free(i) {
                    self.append(i);
                    self.mark(i, false);
                }
            }
            self.nwqes.set(self.total);
            if self.waitq_head.get() < 0 {
                self.append(index);
            } else {
                // The faulted WQE joins the end of the wait queue, whose first one becomes usable.
                let (first, last) = (self.waitq_head.get() as u32, self.waitq_tail.get() as u32);
                // SAFETY: WQEs of the ring.
                unsafe {
                    put16(self.wqe(last), SrqNext::NEXT_WQE_INDEX, index as u16);
                    self.waitq_tail.set(index as i32);
                    self.waitq_head.set(i32::from(next_of(self.wqe(first))));
                }
                self.append(first);
            }
            let to = self.head.get();
            // SAFETY: both are WQEs of the ring with `max_gs` segments behind the next segment.
            unsafe {
                self.head.set(u32::from(next_of(self.wqe(to))));
                copy_list(self.wqe(index), self.wqe(to), self.max_gs);
                self.wrid.at(to).write(self.wrid.at(index).read());
            }
            self.ring(1);
        });
    }
}

/// Copies a scatter list up to its terminator.
///
/// # Safety
/// Both are WQEs with `max` segments behind the next segment.
unsafe fn copy_list(from: *const u8, to: *mut u8, max: u32) {
    for i in 0..max as usize {
        let at = SrqNext::SIZE + i * Data::SIZE;
        // SAFETY: the promise above.
        unsafe {
            let segment = from.add(at).cast::<[u64; 2]>().read();
            to.add(at).cast::<[u64; 2]>().write(segment);
            if from.add(at + Data::LKEY.byte()).cast::<u32>().read() == INVALID_LKEY.to_be() {
                return;
            }
        }
    }
}
