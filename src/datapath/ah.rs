//! Address handles: the struct.

use crate::{
    abi::{dv::mlx5dv_devx_obj, verbs::ibv_ah},
    provider::Context,
};
use core::cell::Cell;

/// An address handle.
#[repr(C)]
pub struct Ah {
    /// libibverbs' and the application's part.
    pub verbs: ibv_ah,
    /// Address vector, ready for a datagram segment: key and destination at 0..12 are filled per
    /// request. See `prm` for its layout.
    pub av: [u8; 48],
    /// The kernel has an object of it, which destroy must destroy.
    pub kernel_object: bool,
    /// GRH present.
    pub is_global: bool,
    /// Firmware object that ties the handle to a QP (`mlx5dv_map_ah_to_qp`); guarded by the
    /// context's mutex.
    pub mapping: Cell<*mut mlx5dv_devx_obj>,
    pub context: *const Context,
}

impl Ah {
    /// The handle behind a public pointer.
    ///
    /// # Safety
    /// `ah` was made by this library and outlives the reference.
    #[inline(always)]
    pub unsafe fn from_ibv<'a>(ah: *mut ibv_ah) -> &'a Ah {
        // SAFETY: the public struct is the first member.
        unsafe { &*ah.cast() }
    }
}
