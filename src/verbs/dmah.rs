//! DMA handles: hints for the processing of inbound writes.

use super::{
    core as kernel,
    object::{self, boxed},
};
use crate::{
    abi::verbs::{consts::*, *},
    border,
    provider::Context,
    uverbs::{self, Attr},
};
use core::ffi::c_int;
use prm::uverbs::{attr, method, object as obj};

/// libibverbs' `verbs_dmah`.
#[repr(C)]
pub struct Dmah {
    /// The application's part.
    pub verbs: ibv_dmah,
    /// The kernel's handle.
    pub handle: u32,
}

/// `ibv_alloc_dmah`. EOPNOTSUPP for unknown bits; EINVAL without processing hints, or with only
/// one of CPU and memory type; else the kernel's, ENOMEM.
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn alloc_dmah(
    context: *mut ibv_context,
    init: *mut ibv_dmah_init_attr,
) -> *mut ibv_dmah {
    const CPU_ID: u32 = IBV_DMAH_INIT_ATTR_MASK_CPU_ID;
    const PH: u32 = IBV_DMAH_INIT_ATTR_MASK_PH;
    const MEM_TYPE: u32 = IBV_DMAH_INIT_ATTR_MASK_TPH_MEM_TYPE;
    border::null("ibv_alloc_dmah", || {
        // SAFETY: the promise above.
        let (ctx, a) = unsafe { (Context::from_own(context), &*init) };
        let has = |bit: u32| a.comp_mask & bit != 0;
        if a.comp_mask & !(CPU_ID | PH | MEM_TYPE) != 0 {
            return Err(refuse!(EOPNOTSUPP, "unknown comp_mask bits", comp_mask = a.comp_mask));
        }
        if !has(PH) || has(CPU_ID) != has(MEM_TYPE) {
            return Err(refuse!(EINVAL, "hints that do not go together", comp_mask = a.comp_mask));
        }
        let mut attrs = [
            Attr::new_object(attr::ALLOC_DMAH_HANDLE),
            Attr::when(has(CPU_ID), Attr::u32(attr::ALLOC_DMAH_CPU_ID, a.cpu_id)),
            Attr::when(has(MEM_TYPE), Attr::u64(attr::ALLOC_DMAH_TPH_MEM_TYPE, u64::from(a.tph_mem_type))),
            Attr::u8(attr::ALLOC_DMAH_PH, a.ph),
        ];
        uverbs::execute(ctx.fd, obj::DMAH, method::DMAH_ALLOC, &mut attrs)?;
        let handle = attrs[0].new_handle();
        let dmah = boxed(Dmah { verbs: ibv_dmah { context }, handle }).inspect_err(|_| {
            let _ = kernel::destroy(ctx, obj::DMAH, method::DMAH_FREE, attr::FREE_DMA_HANDLE, handle);
        })?;
        Ok(object::give(dmah))
    })
}

/// `ibv_dealloc_dmah`. Errors: the kernel's.
///
/// # Safety
/// As [`alloc_dmah`].
pub unsafe extern "C" fn dealloc_dmah(dmah: *mut ibv_dmah) -> c_int {
    border::value("ibv_dealloc_dmah", || {
        // SAFETY: the promise of verbs operations.
        let (d, ctx) = unsafe { (&*dmah.cast::<Dmah>(), Context::from_own((*dmah).context)) };
        kernel::destroy(ctx, obj::DMAH, method::DMAH_FREE, attr::FREE_DMA_HANDLE, d.handle)?;
        // SAFETY: made by `give`, and not used any more.
        drop(unsafe { object::take::<Dmah, _>(dmah) });
        Ok(())
    })
}
