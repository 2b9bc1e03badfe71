//! Completion queues: the struct, and what `verbs` needs of the data path.

use super::{
    queue::{Dbrec, Resource},
    srq::Srq,
};
use crate::{
    abi::verbs::{ibv_cq, ibv_cq_ex, ibv_wc},
    error::Result,
    provider::Context,
    sync::SpinLock,
    verbs::{buf::Buf, dbrec::DbrecSlot, pd::DomainRef},
};
use core::{
    cell::{Cell, UnsafeCell},
    ffi::c_int,
    ptr,
    sync::atomic::{AtomicBool, AtomicU32},
};

/// Size of libibverbs' `verbs_cq`: a union of `ibv_cq` and `ibv_cq_ex`.
pub const VERBS_CQ: usize = 288;
/// `op_own` of a CQE that the device has not written yet: opcode INVALID.
pub const OP_OWN_INVALID: u8 = 0xf0;

/// `ibv_poll_cq`.
pub type PollCq = unsafe extern "C" fn(*mut ibv_cq, c_int, *mut ibv_wc) -> c_int;

/// A completion queue. Cells are guarded by `lock` unless said otherwise.
#[repr(C)]
pub struct Cq {
    /// libibverbs' and the application's part.
    pub verbs: UnsafeCell<[u64; VERBS_CQ / 8]>,
    /// `ibv_poll_cq` for this queue's CQE size and version and locking; starts as None, set by
    /// `install`.
    pub poll: Cell<Option<PollCq>>,
    pub lock: SpinLock,
    /// Made by `ibv_create_cq_ex` or `mlx5dv_create_cq`: `ibv_cq_ex` is valid.
    pub extended: bool,
    /// Made with `IBV_CREATE_CQ_ATTR_SINGLE_THREADED`: start/next/end_poll take no lock.
    pub single_threaded: bool,
    /// The context's CQE version: 0 or 1.
    pub cqe_version: u8,
    /// Size of a CQE as a shift: 6 or 7. In a CQE of 128 bytes the record is the second half.
    pub cqe_shift: u32,
    /// First byte of the active ring.
    pub buf: Cell<*mut u8>,
    /// Entries of the ring less one; also in `ibv_cq.cqe`.
    pub mask: Cell<u32>,
    /// Consumer index, free-running.
    pub cons_index: Cell<u32>,
    /// `receive` is the consumer index, `send` the arm word.
    pub dbrec: *const Dbrec,
    /// Base of the page whose offset 0x20 arms the queue; NULL if there is none.
    pub uar: *mut u8,
    /// Number of the queue.
    pub cqn: u32,
    /// Completion events delivered so far; no guard.
    pub arm_sn: AtomicU32,
    /// The application polls the ring itself (`mlx5dv_init_obj`): cleaning leaves it alone.
    pub dv_owned: AtomicBool,
    /// `wc_flags` of creation, for `read_*`.
    pub wc_flags: u64,
    /// Wall-clock time stamps need the clock page: `start_poll` reads it.
    pub clock_update: bool,
    /// Lazy polling: the entry at hand and what it led to.
    pub cur: Lazy,
    /// The rings: the active one, and during a resize the new one.
    pub bufs: UnsafeCell<[Option<Buf>; 2]>,
    /// Owner of `dbrec`.
    pub dbrec_slot: DbrecSlot,
    /// Parent domain that the queue was made on.
    pub domain: Option<DomainRef>,
    pub context: *const Context,
}

/// What `start_poll`/`next_poll` leave for the readers. Guarded by the queue's lock.
pub struct Lazy {
    /// The CQE's record of 64 bytes.
    pub cqe: Cell<*const u8>,
    /// Resource of the last CQE, as a cache; cleared when it is destroyed.
    pub resource: Cell<*const Resource>,
    /// SRQ of the last CQE.
    pub srq: Cell<*const Srq>,
    /// Notes of the parser for the readers.
    pub flags: Cell<u32>,
    /// `IBV_WC_*` of a request whose opcode the device does not tell.
    pub wr_data: Cell<u32>,
    /// Clock parameters read at `start_poll`.
    pub clock: UnsafeCell<crate::abi::dv::mlx5dv_clock_info>,
}

impl Default for Lazy {
    fn default() -> Self {
        let clock = crate::abi::dv::mlx5dv_clock_info {
            nsec: 0,
            last_cycles: 0,
            frac: 0,
            mult: 0,
            shift: 0,
            mask: 0,
        };
        Lazy {
            cqe: Cell::new(ptr::null()),
            resource: Cell::new(ptr::null()),
            srq: Cell::new(ptr::null()),
            flags: Cell::new(0),
            wr_data: Cell::new(0),
            clock: UnsafeCell::new(clock),
        }
    }
}

impl Cq {
    /// The queue behind a public pointer.
    ///
    /// # Safety
    /// `cq` was made by this library and outlives the reference.
    #[inline(always)]
    pub unsafe fn from_ibv<'a>(cq: *mut ibv_cq) -> &'a Cq {
        // SAFETY: the public struct is the first member.
        unsafe { &*cq.cast() }
    }

    /// As [`Self::from_ibv`].
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    pub unsafe fn from_ibv_ex<'a>(cq: *mut ibv_cq_ex) -> &'a Cq {
        // SAFETY: as in `from_ibv`.
        unsafe { &*cq.cast() }
    }

    /// The public face.
    #[inline(always)]
    pub fn ibv(&self) -> *mut ibv_cq {
        self.verbs.get().cast()
    }

    /// The public face of an extended queue.
    #[inline(always)]
    pub fn ibv_ex(&self) -> *mut ibv_cq_ex {
        self.verbs.get().cast()
    }

    /// Entries of the ring.
    #[inline(always)]
    pub fn cqe_cnt(&self) -> u32 {
        self.mask.get() + 1
    }

    /// The context the queue belongs to.
    #[inline(always)]
    pub fn context(&self) -> &Context {
        // SAFETY: libibverbs' rule: a context outlives its objects.
        unsafe { &*self.context }
    }

    /// Chooses the polling function, and those of an extended queue. Called once for each queue,
    /// before it is known to anybody; buffer, sizes and flags are final.
    pub fn install(&self) {}

    /// Takes all entries of a resource out of the ring (`spec`: datapath, section 7, "Clean");
    /// receives of `srq` go back to it. The caller holds `lock`. Nothing happens to a queue that
    /// the application polls itself.
    pub fn clean(&self, _rsn: u32, _srq: Option<&Srq>) {}

    /// Copies what is left in the active ring to the ring at `to` with `to_mask + 1` entries of
    /// the same size, up to the entry that marks the resize. The caller holds `lock`, and switches
    /// `buf` and `mask` afterwards.
    pub fn copy_for_resize(&self, _to: *mut u8, _to_mask: u32) -> Result<()> {
        Ok(())
    }
}
