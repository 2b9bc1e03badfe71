//! Shared receive queues: the struct.

use super::{
    qp::Qp,
    queue::{Dbrec, Resource, SideArray},
};
use crate::{
    abi::verbs::ibv_srq,
    provider::Context,
    sync::SpinLock,
    verbs::{buf::Buf, dbrec::DbrecSlot, pd::DomainRef, table::Registration},
};
use core::{
    cell::{Cell, UnsafeCell},
    mem,
};

/// Size of libibverbs' `verbs_srq`.
pub const VERBS_SRQ: usize = 160;

/// A shared receive queue. Cells are guarded by `lock`.
#[repr(C)]
pub struct Srq {
    /// libibverbs' and the application's part.
    pub verbs: UnsafeCell<[u64; VERBS_SRQ / 8]>,
    /// Kind `Srq`, or `Xsrq` for XRC and tag matching.
    pub resource: Resource,
    pub lock: SpinLock,
    /// `MLX5_SRQ_SIGNATURE`; told to the kernel, never applied to WQEs.
    pub wq_sig: bool,
    /// Size of a WQE, as a shift. A WQE starts with the 16-byte next segment.
    pub wqe_shift: u32,
    /// First byte of the ring.
    pub buf: *mut u8,
    /// WQEs in the ring, the wait queue's included.
    pub total: u32,
    /// WQEs of the main list: the first ones of the ring. Grows to `total` on a page fault.
    pub nwqes: Cell<u32>,
    /// Elements that a WQE has room for.
    pub max_gs: u32,
    /// First WQE of the free list: the next one to be posted.
    pub head: Cell<u32>,
    /// Last WQE of the free list; equal to `head` when nothing can be posted.
    pub tail: Cell<u32>,
    /// First WQE of the wait queue; -1 without one.
    pub waitq_head: Cell<i32>,
    /// Last WQE of the wait queue; -1 without one.
    pub waitq_tail: Cell<i32>,
    /// wr_id per WQE.
    pub wrid: SideArray<u64>,
    /// Bit per WQE: completed, and not in the list yet.
    pub free: SideArray<u64>,
    /// Receives posted so far; what the doorbell record carries.
    pub counter: Cell<u16>,
    /// Only `receive` is used.
    pub dbrec: *const Dbrec,
    /// Number of the queue.
    pub srqn: u32,
    /// Tag matching; None for other queues.
    pub tm: Option<TagMatching>,
    /// Owner of `dbrec`. Given back before the ring.
    pub dbrec_slot: DbrecSlot,
    /// Owner of `buf`.
    pub owned_buf: Buf,
    /// Parent domain whose callbacks made the memory.
    pub domain: Option<DomainRef>,
    /// Place in the context's table.
    pub registration: UnsafeCell<Option<Registration<Resource>>>,
    pub context: *const Context,
}

/// State of a tag-matching queue. Cells are guarded by the SRQ's lock.
pub struct TagMatching {
    /// Loopback QP whose send queue carries the list operations.
    pub cmd_qp: *const Qp,
    /// Entries for each tag and one more, chained through `next`.
    pub tags: SideArray<Tag>,
    /// First free tag; it may be used while it has a successor.
    pub head: Cell<u32>,
    /// Last free tag.
    pub tail: Cell<u32>,
    /// Operations posted on `cmd_qp`, one per basic block of its send queue.
    pub ops: SideArray<TagOp>,
    /// Next operation to post.
    pub op_head: Cell<u32>,
    /// Oldest operation not completed.
    pub op_tail: Cell<u32>,
    /// Unexpected messages that arrived.
    pub unexp_in: Cell<u32>,
    /// Unexpected messages that the application says it has seen.
    pub unexp_out: Cell<u32>,
}

/// No tag: end of the chain.
pub const NO_TAG: u32 = u32::MAX;

/// A tag entry.
#[derive(Clone, Copy)]
pub struct Tag {
    /// Next free entry, or [`NO_TAG`].
    pub next: u32,
    /// CQEs that refer to it and have not come yet.
    pub expect_cqe: i32,
    /// `recv_wr_id` of the application.
    pub wr_id: u64,
    /// Receive buffer.
    pub ptr: *mut u8,
    /// Its length.
    pub size: u32,
    /// `unexp_out` when it was appended.
    pub phase_cnt: u16,
}

// SAFETY: the pointer is an address of the application's, which only the poller writes to.
unsafe impl Send for Tag {}

/// An operation on the tag list.
#[derive(Clone, Copy)]
pub struct TagOp {
    /// Entry concerned, or [`NO_TAG`].
    pub tag: u32,
    /// The application's.
    pub wr_id: u64,
    /// Basic block behind the operation's WQE, not masked.
    pub wqe_head: u32,
}

impl Srq {
    /// The queue behind a public pointer.
    ///
    /// # Safety
    /// `srq` was made by this library and outlives the reference.
    #[inline(always)]
    pub unsafe fn from_ibv<'a>(srq: *mut ibv_srq) -> &'a Srq {
        // SAFETY: the public struct is the first member.
        unsafe { &*srq.cast() }
    }

    /// The queue whose member a resource is.
    ///
    /// # Safety
    /// `resource` is the member of a live `Srq`: its kind says so.
    #[inline(always)]
    pub unsafe fn of<'a>(resource: *const Resource) -> &'a Srq {
        // SAFETY: as the caller promises.
        unsafe { &*resource.byte_sub(mem::offset_of!(Srq, resource)).cast() }
    }

    /// The public face.
    #[inline(always)]
    pub fn ibv(&self) -> *mut ibv_srq {
        self.verbs.get().cast()
    }

    /// WQE `index`, below `total`.
    #[inline(always)]
    pub fn wqe(&self, index: u32) -> *mut u8 {
        self.buf.wrapping_add((index as usize) << self.wqe_shift)
    }

    /// The context the queue belongs to.
    #[inline(always)]
    pub fn context(&self) -> &Context {
        // SAFETY: libibverbs' rule: a context outlives its objects.
        unsafe { &*self.context }
    }
}
