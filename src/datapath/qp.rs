//! Queue pairs: the struct, and what `verbs` needs of the data path.

use super::{
    post_recv, post_send,
    queue::{Dbrec, RecvQueue, Resource, ResourceKind, SendQueue},
};
use crate::{
    abi::{
        dv::mlx5dv_qp_ex,
        verbs::{ibv_qp, ibv_qp_ex, ibv_recv_wr, ibv_send_wr},
    },
    provider::{Context, layout::MAX_VERBS_QP, uar::Bfreg},
    verbs::qp::Ownership,
};
use core::{
    cell::{Cell, UnsafeCell},
    ffi::c_int,
    mem::{self, MaybeUninit},
};

/// A queue pair. Its first bytes are `verbs_qp` of whichever release; ours stand behind the
/// largest one.
#[repr(C)]
pub struct Qp {
    /// libibverbs' and the application's part: `ibv_qp`, `ibv_qp_ex`, then `comp_mask` of
    /// `verbs_qp` at an offset that the release decides.
    pub verbs: UnsafeCell<[u64; MAX_VERBS_QP / 8]>,
    /// `mlx5dv_qp_ex_from_ibv_qp_ex` answers its address.
    pub dv: UnsafeCell<MaybeUninit<mlx5dv_qp_ex>>,
    /// Functions and limits that posting needs at once; set by `install`.
    pub hot: Hot,
    /// Kind `Qp` or `Dct`.
    pub resource: Resource,
    /// `IBV_QPT_*`; for `IBV_QPT_DRIVER` see `dc_type`.
    pub qp_type: u32,
    /// `MLX5DV_DCTYPE_*` of a driver QP, else 0.
    pub dc_type: u32,
    /// Number of the QP; 0 for a DCT before RTR and for RSS.
    pub qp_num: Cell<u32>,
    /// BlueFlame register; NULL for QPs that never ring: DCT, RSS, opened.
    pub bf: *const Bfreg,
    /// BlueFlame for posts that are not inline: `MLX5_POST_SEND_PREFER_BF`, and not `MLX5_SHUT_UP_BF`.
    pub prefer_bf: bool,
    /// No BlueFlame at all: `MLX5_SHUT_UP_BF`.
    pub shut_up_bf: bool,
    /// UD QP of `IBV_QP_CREATE_SOURCE_QPN`.
    pub underlay: bool,
    /// RSS QP: a handle without queues.
    pub rss: bool,
    /// Atomic requests may be posted.
    pub atomics_enabled: bool,
    /// Bytes of the packet header that must be inline in an Ethernet WQE: 0 or 18.
    pub eth_min_inline: u16,
    /// Checksum offloads that the port has, `IBV_RAW_PACKET_CAP_*`-wise: set when known.
    pub tx_csum: Cell<bool>,
    /// As `tx_csum`, for receives: `wc_flags` tell IP checksums.
    pub rx_csum: Cell<bool>,
    pub sq: SendQueue,
    pub rq: RecvQueue,
    /// NULL for QPs without queues.
    pub dbrec: *const Dbrec,
    /// State of the `ibv_wr_*` builder. Guarded by the send queue's lock.
    pub wr: Builder,
    /// Lkey and address of the PD's 64-byte scratch region for memcpy requests; (0, 0) without.
    pub opaque: (u32, u64),
    /// Owners of rings, doorbell record, register, table entry, and notes for modify.
    pub own: Ownership,
    pub context: *const Context,
}

/// `ibv_post_send`.
pub type PostSend = unsafe extern "C" fn(*mut ibv_qp, *mut ibv_send_wr, *mut *mut ibv_send_wr) -> c_int;
/// `ibv_post_recv`.
pub type PostRecv = unsafe extern "C" fn(*mut ibv_qp, *mut ibv_recv_wr, *mut *mut ibv_recv_wr) -> c_int;

/// What the functions that every QP has in common look at first. Starts empty
/// (`Default`); [`Qp::install`] fills it.
pub struct Hot {
    /// `ibv_post_send` for this QP's type, locking and signature.
    pub post_send: Cell<PostSend>,
    /// `ibv_post_recv` for this QP.
    pub post_recv: Cell<PostRecv>,
    /// Sizes of WQEs that go out by BlueFlame, of posts without and with inline data: a span of n
    /// stands for 2 to n + 1 octowords, 0 for none.
    pub bf_span: [Cell<u32>; 2],
}

impl Default for Hot {
    fn default() -> Self {
        Hot {
            post_send: Cell::new(post_send::refuse_all),
            post_recv: Cell::new(post_recv::refuse_all),
            bf_span: Default::default(),
        }
    }
}

/// State between `ibv_wr_start` and `ibv_wr_complete`. Guarded by the send queue's lock. The
/// queue's own counters move with each request; a failed batch moves them back.
#[derive(Default)]
#[repr(C)]
pub struct Builder {
    /// What a start clears: one word.
    pub batch: Cell<Batch>,
    /// Setters that the open WQE has got.
    pub setters: Cell<u32>,
    /// Octowords of the open WQE so far.
    pub ow: Cell<u32>,
    /// Control segment of the open WQE; NULL if there is none, because the queue is full.
    pub ctrl: Cell<*mut u8>,
    /// The open Ethernet WQE has no inline header yet.
    pub header_due: Cell<bool>,
    /// Setters that `mkey_configure` waits for.
    pub mkey_setters: Cell<u32>,
    /// Mkey of the open WQE; NULL if it is not a configuration.
    pub mkey: Cell<*const super::mkey::Mkey>,
}

/// What is known of a batch.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct Batch {
    /// Requests so far.
    pub nreq: u32,
    /// First errno, 0 if none.
    pub err: u8,
    /// 1 if a request carries data inline.
    pub inline: u8,
    /// The queue's fence bits before the batch, if `fence_moved`.
    pub fence: u8,
    pub fence_moved: bool,
}

impl Builder {
    /// Changes what is known of the batch.
    #[inline(always)]
    pub fn note(&self, f: impl FnOnce(&mut Batch)) {
        // SAFETY: the lock is held, and `f` does not come back here.
        f(unsafe { &mut *self.batch.as_ptr() });
    }
}

impl Default for Resource {
    fn default() -> Self {
        Resource::new(ResourceKind::Qp)
    }
}

/// What posting functions a QP shall get.
#[derive(Clone, Copy, Debug, Default)]
pub struct WrOps {
    /// `IBV_QP_EX_WITH_*`; 0 if the application did not ask for the extended interface.
    pub verbs: u64,
    /// `MLX5DV_QP_EX_WITH_*`.
    pub dv: u64,
    /// `IBV_QP_INIT_ATTR_SEND_OPS_FLAGS` or `MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS` was set.
    pub asked: bool,
}

impl Qp {
    /// The QP behind a public pointer.
    ///
    /// # Safety
    /// `qp` was made by this library and outlives the reference.
    #[inline(always)]
    pub unsafe fn from_ibv<'a>(qp: *mut ibv_qp) -> &'a Qp {
        // SAFETY: the public struct is the first member.
        unsafe { &*qp.cast() }
    }

    /// As [`Self::from_ibv`].
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    pub unsafe fn from_ibv_ex<'a>(qp: *mut ibv_qp_ex) -> &'a Qp {
        // SAFETY: as in `from_ibv`.
        unsafe { &*qp.cast() }
    }

    /// The QP behind its mlx5dv face.
    ///
    /// # Safety
    /// `dv` is the address of a live QP's `dv` member.
    #[inline(always)]
    pub unsafe fn from_dv<'a>(dv: *mut mlx5dv_qp_ex) -> &'a Qp {
        // SAFETY: as the caller promises.
        unsafe { &*dv.byte_sub(mem::offset_of!(Qp, dv)).cast() }
    }

    /// The QP whose member a resource is.
    ///
    /// # Safety
    /// `resource` is the member of a live `Qp`: its kind says so.
    #[inline(always)]
    pub unsafe fn of<'a>(resource: *const Resource) -> &'a Qp {
        // SAFETY: as the caller promises.
        unsafe { &*resource.byte_sub(mem::offset_of!(Qp, resource)).cast() }
    }

    /// The public face.
    #[inline(always)]
    pub fn ibv(&self) -> *mut ibv_qp {
        self.verbs.get().cast()
    }

    /// The face of the extended work request interface.
    #[inline(always)]
    pub fn ibv_ex(&self) -> *mut ibv_qp_ex {
        self.verbs.get().cast()
    }

    /// State as libibverbs tracks it, `IBV_QPS_*`.
    #[inline(always)]
    pub fn state(&self) -> u32 {
        // SAFETY: the public part is initialised; libibverbs stores the member without lock, as
        // it always has.
        unsafe { (&raw const (*self.ibv()).state).read() }
    }

    /// The context the QP belongs to.
    #[inline(always)]
    pub fn context(&self) -> &Context {
        // SAFETY: libibverbs' rule: a context outlives its objects.
        unsafe { &*self.context }
    }
}
