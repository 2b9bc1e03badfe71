//! The context: libibverbs' part in front, in the layout of the release at hand, ours behind it.

use super::{
    bfreg::Counts,
    caps::Caps,
    clock::Clocks,
    debug_file::DebugFile,
    device_query::DeviceCaps,
    get_context::Response,
    layout::{ContextLayout, MAX_VERBS_CONTEXT},
    register,
    stall::Stall,
    uar::UarPool,
};
use crate::{
    abi::{dv::mlx5dv_ctx_allocators, provider::verbs_context, verbs::ibv_context},
    datapath::{mkey::Mkey, queue::Resource},
    devx::{Object, reserved_qpn::ReservedQpns},
    error::{Errno, Result},
    mutex::Mutex,
    verbs::{dbrec::DbrecPool, huge::HugePool, table::Table},
};
use core::ffi::c_int;

/// Room for `verbs_context` of any release.
#[repr(C)]
pub struct VerbsPart([u64; MAX_VERBS_CONTEXT.div_ceil(8)]);

/// A device context. Made by [`super::open`], seen by C as the `ibv_context` inside `verbs`.
#[repr(C)]
pub struct Context {
    verbs: VerbsPart,
    /// Where libibverbs keeps what in `verbs`.
    pub layout: &'static ContextLayout,
    /// The device file. Owned by the verbs part, which closes it.
    pub fd: c_int,
    /// System page size in bytes.
    pub page_size: usize,
    /// `MLX5_SINGLE_THREADED=1` at open: no locks.
    pub single_threaded: bool,
    /// `MLX5_SHUT_UP_BF`: no BlueFlame.
    pub shut_up_bf: bool,
    /// `MLX5_POST_SEND_PREFER_BF`: BlueFlame for posts.
    pub prefer_bf: bool,
    /// BlueFlame registers that the environment asks for.
    pub bfregs: Counts,
    /// What the kernel said when the context was made.
    pub info: Response,
    /// What the device can do, from its capability pages.
    pub caps: Caps,
    /// What the device can do, from the kernel's driver response.
    pub device: DeviceCaps,
    /// Clock pages.
    pub clocks: Clocks,
    /// Where errors are logged.
    pub debug: DebugFile,
    /// Whether polls of an empty CQ wait.
    pub stall: Stall,
    /// UAR pages and their registers.
    pub uars: UarPool,
    /// Link layer and flags of ports 1 and 2, as they were at open; zero if not known.
    pub ports: [PortInfo; 2],
    /// Buffer allocators set by `mlx5dv_set_context_attr`.
    pub allocators: Mutex<Option<Allocators>>,
    /// Blocks of reserved QP numbers.
    pub reserved_qpns: Mutex<ReservedQpns>,
    /// Held while an address handle is mapped to a QP.
    pub ah_mappings: Mutex<()>,
    /// Huge page segments of queues.
    pub huge: HugePool,
    /// Doorbell records of queues.
    pub dbrecs: DbrecPool,
    /// Objects of completions by user index (CQE version 1).
    pub uidxs: Table<Resource>,
    /// QPs by number (CQE version 0).
    pub qps: Table<Resource>,
    /// Basic SRQs by number; all SRQs with CQE version 0.
    pub srqs: Table<Resource>,
    /// Mkeys of `mlx5dv_create_mkey` by index.
    pub mkeys: Table<Mkey>,
    /// The login of `mlx5dv_crypto_login`.
    pub crypto_login: Mutex<Option<Object>>,
    /// Held while a number of QPs or SRQs passes from one object to another (CQE version 0): the
    /// kernel may give it to a new object before the old one is out of the table.
    pub numbers: Mutex<()>,
}

/// What an address handle needs to know of a port.
#[derive(Clone, Copy, Default, Debug)]
pub struct PortInfo {
    /// `IBV_LINK_LAYER_*`; 0 if the port could not be queried.
    pub link_layer: u8,
    /// `IBV_QPF_*`.
    pub flags: u8,
}

/// A copy of the application's allocators.
#[derive(Clone, Copy)]
pub struct Allocators(pub mlx5dv_ctx_allocators);

// SAFETY: two functions and a cookie of the application, which promises that they may be called
// from any thread that creates objects.
unsafe impl Send for Allocators {}

impl Context {
    /// The context behind a public pointer. EOPNOTSUPP if the device is not driven by this very
    /// copy of the library; EINVAL for NULL.
    ///
    /// # Safety
    /// `context` is NULL or an open context of libibverbs; it outlives the reference.
    pub unsafe fn from_ibv<'a>(context: *mut ibv_context) -> Result<&'a Context> {
        if context.is_null() {
            return Err(refuse!(EINVAL, "context is NULL"));
        }
        // SAFETY: a live context of whichever provider; its device pointer is public.
        if !unsafe { register::is_ours((*context).device) } {
            return Err(refuse!(EOPNOTSUPP, "context is not of this provider"));
        }
        // SAFETY: our own contexts have the ibv_context at the offset that libibverbs uses.
        Ok(unsafe { Self::from_own(context) })
    }

    /// As [`Self::from_ibv`] for a context that libibverbs hands to our own operations.
    ///
    /// # Safety
    /// `context` was opened by this library and outlives the reference.
    #[inline(always)]
    pub unsafe fn from_own<'a>(context: *mut ibv_context) -> &'a Context {
        // SAFETY: `open` placed the context so that this is its start; `layout` of all contexts of
        // a process is the same, since they share one libibverbs.
        unsafe { &*context.byte_sub(super::open::ibv_context_offset()).cast::<Context>() }
    }

    /// The public face.
    pub fn ibv(&self) -> *mut ibv_context {
        // SAFETY: the offset lies within `verbs`.
        unsafe { core::ptr::from_ref(self).cast_mut().byte_add(self.layout.ibv_context).cast() }
    }

    /// The start of libibverbs' part.
    pub fn verbs(&self) -> *mut verbs_context {
        core::ptr::from_ref(&self.verbs).cast_mut().cast()
    }

    /// Takes over the application's allocators; NULL functions switch them off.
    pub fn set_allocators(&self, allocators: mlx5dv_ctx_allocators) {
        *self.allocators.lock() = Some(Allocators(allocators));
    }

    /// The allocators, if both functions are set.
    pub fn allocators(&self) -> Option<Allocators> {
        let a = (*self.allocators.lock())?;
        (a.0.alloc.is_some() && a.0.free.is_some()).then_some(a)
    }

    /// Offset in the device file of a mapping command with an index (`spec`: context, section 4).
    pub fn mmap_offset(&self, command: u64, index: u64) -> u64 {
        self.page_size as u64 * ((command << 8) | (index & 0xff) | ((index >> 8) << 16))
    }
}

/// EIO of a destroy call counts as success when the application allowed it.
pub fn survive_disassociation(r: core::result::Result<(), Errno>) -> core::result::Result<(), Errno> {
    match r {
        Err(Errno::EIO) if super::ibverbs::get().is_some_and(|i| i.allow_disassociate_destroy()) => Ok(()),
        r => r,
    }
}
