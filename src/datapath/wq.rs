//! Work queues (`ibv_wq`): the struct.

use super::queue::{Dbrec, RecvQueue, Resource};
use crate::{
    abi::verbs::ibv_wq,
    provider::Context,
    verbs::{buf::Buf, dbrec::DbrecSlot, pd::DomainRef, table::Registration},
};
use core::{
    cell::{Cell, UnsafeCell},
    mem,
};

/// A receive work queue.
#[repr(C)]
pub struct Wq {
    /// libibverbs' and the application's part; `post_recv` in it is ours.
    pub verbs: UnsafeCell<mem::MaybeUninit<ibv_wq>>,
    /// Kind `Rwq`; its number is always a user index.
    pub resource: Resource,
    pub rq: RecvQueue,
    /// Only `receive` is used.
    pub dbrec: *const Dbrec,
    /// `IBV_WQS_*` as modified last.
    pub state: Cell<u32>,
    /// WQEs start with a 16-byte next segment instead of a signature segment.
    pub striding: bool,
    /// Owner of `dbrec`. Given back before the ring.
    pub dbrec_slot: DbrecSlot,
    /// Owner of the ring.
    pub buf: Buf,
    /// Parent domain whose callbacks made the memory.
    pub domain: Option<DomainRef>,
    /// Place in the context's table.
    pub registration: UnsafeCell<Option<Registration<Resource>>>,
    pub context: *const Context,
}

impl Wq {
    /// The queue behind a public pointer.
    ///
    /// # Safety
    /// `wq` was made by this library and outlives the reference.
    #[inline(always)]
    pub unsafe fn from_ibv<'a>(wq: *mut ibv_wq) -> &'a Wq {
        // SAFETY: the public struct is the first member.
        unsafe { &*wq.cast() }
    }

    /// The queue whose member a resource is.
    ///
    /// # Safety
    /// `resource` is the member of a live `Wq`: its kind says so.
    #[inline(always)]
    pub unsafe fn of<'a>(resource: *const Resource) -> &'a Wq {
        // SAFETY: as the caller promises.
        unsafe { &*resource.byte_sub(mem::offset_of!(Wq, resource)).cast() }
    }

    /// The public face.
    #[inline(always)]
    pub fn ibv(&self) -> *mut ibv_wq {
        self.verbs.get().cast()
    }

    /// Sets the functions of the public part. Called once, before the queue is known to anybody.
    pub fn install(&self) {
        // SAFETY: the queue is not known to anybody yet.
        unsafe { (*self.ibv()).post_recv = Some(super::post_recv::post_wq_recv) }
    }
}
