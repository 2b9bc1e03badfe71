//! Completion queues: the struct, and what `verbs` needs of the data path.

use super::{
    find::Finder,
    lazy, poll,
    queue::Dbrec,
    readers,
    stall::{self, Stall},
};
use crate::{
    abi::{
        dv::mlx5dv_clock_info,
        verbs::{consts::*, ibv_cq, ibv_cq_ex, ibv_wc},
    },
    provider::{Context, get_context::comp_mask},
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

/// The polling function of a queue; a new queue finds nothing.
#[derive(Clone, Copy)]
pub struct Poll(pub PollCq);

impl Default for Poll {
    fn default() -> Self {
        Poll(poll::nothing)
    }
}

/// A completion queue. Cells are guarded by `lock` unless said otherwise.
#[repr(C)]
pub struct Cq {
    /// libibverbs' and the application's part.
    pub verbs: UnsafeCell<[u64; VERBS_CQ / 8]>,
    /// `ibv_poll_cq` for this queue's CQE size and version and locking; set by
    /// `install`.
    pub poll: Cell<Poll>,
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
    /// Owner of `dbrec`. Given back before the rings.
    pub dbrec_slot: DbrecSlot,
    /// The rings: the active one, and during a resize the new one.
    pub bufs: UnsafeCell<[Option<Buf>; 2]>,
    /// Parent domain that the queue was made on.
    pub domain: Option<DomainRef>,
    pub context: *const Context,
}

/// What `start_poll`/`next_poll` leave for the readers, and notes from one poll to the next.
/// Guarded by the queue's lock.
pub struct Lazy {
    /// The CQE's record of 64 bytes.
    pub cqe: Cell<*const u8>,
    /// Notes of the parser for the readers: [`flags`].
    pub flags: Cell<u32>,
    /// `IBV_WC_*` of a request whose opcode the device does not tell.
    pub wr_data: Cell<u32>,
    /// Queues of the last CQEs; forgotten at `start_poll` and when one of them is destroyed.
    finder: UnsafeCell<Finder>,
    /// Clock parameters read at `start_poll`.
    pub clock: UnsafeCell<mlx5dv_clock_info>,
    /// Classic polling: a completion could not be parsed, and the application does not know yet.
    pub failed: Cell<bool>,
    /// Classic polling: waiting between polls.
    pub stall: Stall,
}

/// Bits of [`Lazy::flags`].
pub mod flags {
    /// The entry tells whether the packet's checksums are good.
    pub const RX_CSUM_VALID: u32 = 1;
    /// The device and the application disagree about unexpected messages.
    pub const TM_SYNC_REQ: u32 = 2;
}

impl Lazy {
    /// Adds a note.
    pub fn add(&self, flag: u32) {
        self.flags.set(self.flags.get() | flag);
    }
}

impl Default for Lazy {
    fn default() -> Self {
        let clock = mlx5dv_clock_info { nsec: 0, last_cycles: 0, frac: 0, mult: 0, shift: 0, mask: 0 };
        Lazy {
            cqe: Cell::new(ptr::null()),
            flags: Cell::new(0),
            wr_data: Cell::new(0),
            finder: UnsafeCell::new(Finder::new()),
            clock: UnsafeCell::new(clock),
            failed: Cell::new(false),
            stall: Stall::default(),
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

    /// Queues of the last CQEs. The caller holds `lock`, or is the one thread of the queue.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub fn finder(&self) -> &mut Finder {
        // SAFETY: as the comment says; the reference does not outlive the parsing of one entry.
        unsafe { &mut *self.cur.finder.get() }
    }

    /// Chooses the polling function, and those of an extended queue. Called once for each queue,
    /// before it is known to anybody; buffer, sizes and flags are final.
    pub fn install(&self) {
        self.poll.set(Poll(if self.extended { poll::choose(self) } else { stall::choose(self) }));
        if !self.extended {
            return;
        }
        // SAFETY: the queue is not known to anybody yet.
        let ex = unsafe { &mut *self.ibv_ex() };
        let (start, next, end) = lazy::choose(self);
        ex.start_poll = Some(start);
        ex.next_poll = Some(next);
        ex.end_poll = Some(end);
        ex.read_opcode = Some(readers::opcode);
        ex.read_vendor_err = Some(readers::vendor_err);
        ex.read_wc_flags = Some(readers::wc_flags);
        let with = |flag: u32| self.wc_flags & u64::from(flag) != 0;
        macro_rules! readers {
            ($($flag:ident $member:ident $reader:ident;)*) => {
                $(if with($flag) { ex.$member = Some(readers::$reader); })*
            };
        }
        readers! {
            IBV_WC_EX_WITH_BYTE_LEN read_byte_len byte_len;
            IBV_WC_EX_WITH_IMM read_imm_data imm_data;
            IBV_WC_EX_WITH_QP_NUM read_qp_num qp_num;
            IBV_WC_EX_WITH_SRC_QP read_src_qp src_qp;
            IBV_WC_EX_WITH_SLID read_slid slid;
            IBV_WC_EX_WITH_SL read_sl sl;
            IBV_WC_EX_WITH_DLID_PATH_BITS read_dlid_path_bits dlid_path_bits;
            IBV_WC_EX_WITH_COMPLETION_TIMESTAMP read_completion_ts completion_ts;
            IBV_WC_EX_WITH_CVLAN read_cvlan cvlan;
            IBV_WC_EX_WITH_FLOW_TAG read_flow_tag flow_tag;
            IBV_WC_EX_WITH_TM_INFO read_tm_info tm_info;
        }
        if with(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK) {
            // A device with a real-time clock writes nanoseconds, unless raw cycles are wanted too.
            let real_time = self.context().info.comp_mask & comp_mask::REAL_TIME_TS != 0
                && !with(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP);
            ex.read_completion_wallclock_ns =
                Some(if real_time { readers::completion_ts } else { readers::completion_wallclock_ns });
        }
    }
}
