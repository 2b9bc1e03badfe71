//! What send and receive queues consist of.

use crate::{error::Errno, sync::SpinLock};
use core::{
    cell::Cell,
    ptr::{self, NonNull},
    sync::atomic::{AtomicU32, Ordering},
};

/// Size of a send queue's basic block in bytes, as a shift.
pub const SEND_WQE_SHIFT: u32 = 6;
/// What `sge_limit` says in states in which nothing may be posted: not even zero elements fit.
pub const POST_REFUSED: i32 = -1;

/// The two words of a doorbell record, big-endian. The device reads them by DMA.
#[repr(C)]
pub struct Dbrec {
    /// Receive counter of a QP, SRQ or WQ; consumer index of a CQ.
    pub receive: AtomicU32,
    /// Send counter of a QP; arm word of a CQ.
    pub send: AtomicU32,
}

impl Dbrec {
    /// Both words zero, as a queue starts.
    pub fn clear(&self) {
        self.receive.store(0, Ordering::Relaxed);
        self.send.store(0, Ordering::Relaxed);
    }
}

/// A fixed array beside a ring: wr_ids and the like. Elements are reached by pointer, because
/// posting and polling threads use different ones at the same time.
pub struct SideArray<T> {
    base: NonNull<T>,
    len: usize,
}

// SAFETY: owns plain memory; who may touch which element is the queue's discipline.
unsafe impl<T: Copy + Send> Send for SideArray<T> {}
// SAFETY: as above.
unsafe impl<T: Copy + Send> Sync for SideArray<T> {}

impl<T: Copy> SideArray<T> {
    /// No elements, no memory.
    pub const fn empty() -> Self {
        SideArray { base: NonNull::dangling(), len: 0 }
    }

    /// `len` zeroed elements. ENOMEM.
    pub fn new(len: usize) -> Result<Self, Errno> {
        if len == 0 || size_of::<T>() == 0 {
            return Ok(Self::empty());
        }
        // SAFETY: both factors are non-zero; calloc checks the product.
        let p = unsafe { libc::calloc(len, size_of::<T>()) };
        NonNull::new(p.cast()).map(|base| SideArray { base, len }).ok_or(Errno::ENOMEM)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Address of element `i`, which must be below `len()`: callers mask the index with the ring's
    /// size, which is the array's.
    #[inline(always)]
    pub fn at(&self, i: u32) -> *mut T {
        debug_assert!((i as usize) < self.len);
        self.base.as_ptr().wrapping_add(i as usize)
    }
}

impl<T> Drop for SideArray<T> {
    fn drop(&mut self) {
        if self.len != 0 {
            // SAFETY: `new` got it from calloc; freed once.
            unsafe { libc::free(self.base.as_ptr().cast()) }
        }
    }
}

/// What software remembers of the basic block at which a send request starts. One struct, so that
/// a post and a completion each touch one cache line.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SendSlot {
    /// The application's.
    pub wr_id: u64,
    /// `head` of the queue when the request was posted: its completion frees everything up to it.
    pub head: u32,
    /// `IBV_WC_*` that the completion reports where the device's opcode does not tell; 0 otherwise.
    pub wr_data: u32,
}

impl SendSlot {
    /// Writes a slot without `wr_data`, as two words.
    ///
    /// # Safety
    /// `slot` is a slot of the queue, which nobody else uses.
    #[inline(always)]
    pub unsafe fn write_plain(slot: *mut SendSlot, wr_id: u64, head: u32) {
        // SAFETY: the promise above; on the little-endian processors that this library is written
        // for, the upper half of the second word is `wr_data`.
        unsafe {
            let words = slot.cast::<u64>();
            words.write(wr_id);
            words.add(1).write(u64::from(head).to_le());
        }
    }
}

/// A send queue. All cells are guarded by `lock`.
#[repr(C)]
pub struct SendQueue {
    pub lock: SpinLock,
    /// Signature of each WQE (`MLX5_QP_SIGNATURE`).
    pub wq_sig: bool,
    /// Fence bits that the next request inherits. Survives a reset of the QP.
    pub fm_cache: Cell<u8>,
    /// 8 (CQE requested) if all requests are signalled, else 0.
    pub sq_signal_bits: u8,
    /// Elements that a request may have in the QP's present state: [`POST_REFUSED`] before RTS.
    pub sge_limit: Cell<i32>,
    /// First byte of the ring.
    pub buf: *mut u8,
    /// First byte behind the ring.
    pub end: *mut u8,
    /// Basic blocks in the ring: a power of two, or 0 for a QP without a send queue.
    pub wqe_cnt: u32,
    /// `wqe_cnt - 1`; 0 without a send queue.
    pub mask: u32,
    /// Requests that the ring holds.
    pub max_post: u32,
    /// Requests posted so far.
    pub head: Cell<u32>,
    /// Requests completed so far. Stored under the CQ's lock, read by posting threads without it.
    pub tail: AtomicU32,
    /// Basic blocks used so far, not masked.
    pub cur_post: Cell<u32>,
    /// Per basic block.
    pub slots: SideArray<SendSlot>,
    /// Elements that a request may have.
    pub max_gs: u32,
    /// Bytes that a request may have inline.
    pub max_inline: u32,
    /// Headers of a TSO request that a WQE has room for, in bytes.
    pub max_tso_header: u32,
    /// Largest TSO payload in bytes; set when the port is known.
    pub max_tso: Cell<u32>,
    /// Ring's offset in the QP's buffer; 0 if it has a buffer of its own.
    pub offset: usize,
}

impl SendQueue {
    /// A QP without a send queue.
    pub const fn none() -> SendQueue {
        SendQueue {
            lock: SpinLock::new(true),
            wq_sig: false,
            fm_cache: Cell::new(0),
            sq_signal_bits: 0,
            sge_limit: Cell::new(POST_REFUSED),
            buf: ptr::null_mut(),
            end: ptr::null_mut(),
            wqe_cnt: 0,
            mask: 0,
            max_post: 0,
            head: Cell::new(0),
            tail: AtomicU32::new(0),
            cur_post: Cell::new(0),
            slots: SideArray::empty(),
            max_gs: 0,
            max_inline: 0,
            max_tso_header: 0,
            max_tso: Cell::new(0),
            offset: 0,
        }
    }

    /// Basic block `index`, already masked.
    #[inline(always)]
    pub fn wqe(&self, index: u32) -> *mut u8 {
        self.buf.wrapping_add((index << SEND_WQE_SHIFT) as usize)
    }

    /// Counters as after creation: the QP went to RESET.
    pub fn reset(&self) {
        self.head.set(0);
        self.tail.store(0, Ordering::Relaxed);
        self.cur_post.set(0);
    }
}

/// A receive queue of a QP or WQ. All cells are guarded by `lock`.
#[repr(C)]
pub struct RecvQueue {
    pub lock: SpinLock,
    /// Each WQE starts with a signature segment (`MLX5_QP_SIGNATURE`, `MLX5_RWQ_SIGNATURE`).
    pub wq_sig: bool,
    /// Size of a WQE, as a shift.
    pub wqe_shift: u32,
    /// Elements that a request may have in the present state: [`POST_REFUSED`] in RESET. For a WQ
    /// always `max_gs`.
    pub sge_limit: Cell<i32>,
    /// First byte of the ring.
    pub buf: *mut u8,
    /// WQEs in the ring: a power of two, or 0 for a QP without a receive queue.
    pub wqe_cnt: u32,
    /// `wqe_cnt - 1`; 0 without a receive queue.
    pub mask: u32,
    /// Requests that the ring holds.
    pub max_post: u32,
    /// Elements that a WQE has room for.
    pub max_gs: u32,
    /// Requests posted so far.
    pub head: Cell<u32>,
    /// Requests completed so far. Stored under the CQ's lock, read by posting threads without it.
    pub tail: AtomicU32,
    /// wr_id per WQE.
    pub wrid: SideArray<u64>,
    /// Ring's offset in the buffer.
    pub offset: usize,
}

impl RecvQueue {
    /// A QP without a receive queue.
    pub const fn none() -> RecvQueue {
        RecvQueue {
            lock: SpinLock::new(true),
            wq_sig: false,
            wqe_shift: 0,
            sge_limit: Cell::new(POST_REFUSED),
            buf: ptr::null_mut(),
            wqe_cnt: 0,
            mask: 0,
            max_post: 0,
            max_gs: 0,
            head: Cell::new(0),
            tail: AtomicU32::new(0),
            wrid: SideArray::empty(),
            offset: 0,
        }
    }

    /// WQE `index`, already masked.
    #[inline(always)]
    pub fn wqe(&self, index: u32) -> *mut u8 {
        self.buf.wrapping_add((index as usize) << self.wqe_shift)
    }

    /// Counters as after creation: the QP went to RESET.
    pub fn reset(&self) {
        self.head.set(0);
        self.tail.store(0, Ordering::Relaxed);
    }
}

/// What a CQE's user index (CQE version 1) or QP/SRQ number (version 0) leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ResourceKind {
    /// A [`super::qp::Qp`] with or without queues.
    Qp,
    /// A [`super::qp::Qp`] that is a DCT: receives through its SRQ.
    Dct,
    /// A [`super::wq::Wq`].
    Rwq,
    /// A basic [`super::srq::Srq`]; found by its number (CQE version 0).
    Srq,
    /// An XRC or tag-matching [`super::srq::Srq`].
    Xsrq,
}

/// Head of everything that completions belong to. It is a member of the queue's struct; `of()` of
/// each struct leads back.
#[repr(C)]
pub struct Resource {
    pub kind: ResourceKind,
    /// What CQEs carry: the user index (version 1), else the number of the QP or SRQ.
    pub rsn: Cell<u32>,
}

impl Resource {
    /// A resource whose number is not known yet.
    pub const fn new(kind: ResourceKind) -> Resource {
        Resource { kind, rsn: Cell::new(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_arrays_start_zero_and_may_be_empty() {
        let a = SideArray::<SendSlot>::new(16).unwrap();
        // SAFETY: 15 is below the length.
        assert_eq!(unsafe { *a.at(15) }, SendSlot { wr_id: 0, head: 0, wr_data: 0 });
        assert_eq!(SideArray::<u64>::new(0).unwrap().len(), 0);
        assert!(SideArray::<u64>::new(usize::MAX / 4).is_err());
        assert_eq!(size_of::<SendSlot>(), 16);
    }
}
