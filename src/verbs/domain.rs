//! Creation and destruction of protection, parent and thread domains.

use super::{
    core::{self as kernel, Core},
    object::{self, boxed},
    pd::{Parent, Pd, Td},
};
use crate::{
    abi::verbs::{consts::*, *},
    border,
    error::Result,
    mutex::Mutex,
    provider::{Context, uar::Class},
    uverbs::{self, Attr, dma_heap},
};
use core::{
    ffi::c_int,
    ptr::NonNull,
    sync::atomic::{AtomicUsize, Ordering},
};
use prm::uverbs::{attr, method, object as obj, write};

/// `ibv_alloc_pd`. Errors: the kernel's, ENOMEM.
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn alloc_pd(context: *mut ibv_context) -> *mut ibv_pd {
    border::null("ibv_alloc_pd", || {
        // SAFETY: the promise above.
        let ctx = unsafe { Context::from_own(context) };
        let (mut response, mut driver) = (Core::<4>::new(), [0u8; 4]);
        let core = Core::<8>::new().response(&response.0);
        uverbs::invoke_write(ctx.fd, u32::from(write::ALLOC_PD), &core.0, &mut response.0, &[], &mut driver)?;
        let handle = response.get32(0);
        let pd = Pd::new(ibv_pd { context, handle }, u32::from_ne_bytes(driver), None);
        match boxed(pd) {
            Ok(pd) => Ok(object::give(pd)),
            Err(r) => {
                let _ = destroy_pd(ctx, handle);
                Err(r)
            }
        }
    })
}

fn destroy_pd(context: &Context, handle: u32) -> Result<()> {
    kernel::destroy(context, obj::PD, method::PD_DESTROY, attr::DESTROY_PD_HANDLE, handle)
}

impl Pd {
    fn new(verbs: ibv_pd, pdn: u32, parent: Option<Parent>) -> Pd {
        Pd { verbs, pdn, refcount: AtomicUsize::new(1), parent, opaque: Mutex::new(None) }
    }

    /// EBUSY while objects refer to the domain.
    fn check_unused(&self) -> Result<()> {
        match self.refcount.load(Ordering::Acquire) {
            0 | 1 => Ok(()),
            n => Err(refuse!(EBUSY, "objects refer to the domain", refcount = n)),
        }
    }
}

/// `ibv_dealloc_pd`, for parent domains too: these are unknown to the kernel. EBUSY while queues
/// or parent domains refer to it; else the kernel's errors.
///
/// # Safety
/// As [`alloc_pd`].
pub unsafe extern "C" fn dealloc_pd(pd: *mut ibv_pd) -> c_int {
    border::value("ibv_dealloc_pd", || {
        // SAFETY: the promise of verbs operations.
        let p = unsafe { Pd::from_ibv(pd) };
        p.check_unused()?;
        match &p.parent {
            Some(parent) => {
                if let Some(td) = p.td() {
                    td.refcount.fetch_sub(1, Ordering::Release);
                }
                // SAFETY: counted when the parent domain was made.
                unsafe { parent.pd.as_ref() }.refcount.fetch_sub(1, Ordering::Release);
            }
            None => {
                super::opaque::release(p)?;
                destroy_pd(p.context(), p.verbs.handle)?;
            }
        }
        // SAFETY: made by `give`, and not referred to any more.
        drop(unsafe { object::take::<Pd, _>(pd) });
        Ok(())
    })
}

/// `ibv_import_pd`. Errors: the kernel's, ENOMEM.
///
/// # Safety
/// As [`alloc_pd`].
pub unsafe extern "C" fn import_pd(context: *mut ibv_context, handle: u32) -> *mut ibv_pd {
    border::null("ibv_import_pd", || {
        // SAFETY: the promise of verbs operations.
        let ctx = unsafe { Context::from_own(context) };
        let mut pdn = 0u32;
        let mut attrs =
            [Attr::handle(attr::QUERY_PD_HANDLE, handle), Attr::number(attr::QUERY_PD_RESP_PDN, &mut pdn)];
        uverbs::execute(ctx.fd, obj::PD, method::PD_QUERY, &mut attrs)?;
        Ok(object::give(boxed(Pd::new(ibv_pd { context, handle }, pdn, None))?))
    })
}

/// `ibv_unimport_pd`: forgets the domain and leaves the kernel's object to its owner. A parent
/// domain, which nobody can import, is left alone.
///
/// # Safety
/// As [`alloc_pd`].
pub unsafe extern "C" fn unimport_pd(pd: *mut ibv_pd) {
    border::void("ibv_unimport_pd", || {
        // SAFETY: the promise of verbs operations.
        let p = unsafe { Pd::from_ibv(pd) };
        p.check_unused()?;
        if p.parent.is_some() {
            return Err(refuse!(EINVAL, "a parent domain is never imported"));
        }
        super::opaque::release(p)?;
        // SAFETY: made by `give`, and not referred to any more.
        drop(unsafe { object::take::<Pd, _>(pd) });
        Ok(())
    })
}

/// `ibv_alloc_parent_domain`. EINVAL for a missing domain or unknown bits; ENOMEM; what opening
/// the heap of shared pages says.
///
/// # Safety
/// As [`alloc_pd`].
pub unsafe extern "C" fn alloc_parent_domain(
    context: *mut ibv_context,
    attr: *mut ibv_parent_domain_init_attr,
) -> *mut ibv_pd {
    const KNOWN: u32 = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS
        | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT
        | IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC;
    border::null("ibv_alloc_parent_domain", || {
        // SAFETY: the promise of verbs operations.
        let (ctx, a) = unsafe { (Context::from_own(context), &*attr) };
        if a.pd.is_null() {
            return Err(refuse!(EINVAL, "parent domain without a domain"));
        }
        if a.comp_mask & !KNOWN != 0 {
            return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = a.comp_mask));
        }
        let has = |bit: u32| a.comp_mask & bit != 0;
        // SAFETY: the promise of verbs operations.
        let real = unsafe { Pd::from_ibv(a.pd) }.real();
        let shared = has(IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC) && ctx.device.cc_dma_bounce;
        let heap = if shared { Some(dma_heap::open(dma_heap::CC_SHARED)?) } else { None };
        let allocators = has(IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS);
        let parent = Parent {
            pd: NonNull::from(real),
            td: NonNull::new(a.td.cast()),
            alloc: if allocators { a.alloc } else { None },
            free: if allocators { a.free } else { None },
            pd_context: if has(IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT) {
                a.pd_context
            } else {
                ::core::ptr::null_mut()
            },
            heap,
        };
        let verbs = ibv_pd { context, handle: real.verbs.handle };
        let pd = boxed(Pd::new(verbs, real.pdn, Some(parent)))?;
        real.refcount.fetch_add(1, Ordering::Relaxed);
        if let Some(td) = pd.td() {
            td.refcount.fetch_add(1, Ordering::Relaxed);
        }
        Ok(object::give(pd))
    })
}

/// `ibv_alloc_td`. EINVAL for comp_mask bits; ENOMEM; without a register of its own to be had,
/// the errno of its allocation.
///
/// # Safety
/// As [`alloc_pd`].
pub unsafe extern "C" fn alloc_td(context: *mut ibv_context, attr: *mut ibv_td_init_attr) -> *mut ibv_td {
    border::null("ibv_alloc_td", || {
        // SAFETY: the promise of verbs operations.
        let (ctx, a) = unsafe { (Context::from_own(context), &*attr) };
        if a.comp_mask != 0 {
            return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = a.comp_mask));
        }
        let bf = if ctx.info.bf_reg_size != 0 {
            ctx.uars.take(Class::Dedicated)?
        } else {
            ctx.uars.singleton().ok_or(refuse!(ENOMEM, "the context has no non-cached register"))?
        };
        match boxed(Td { verbs: ibv_td { context }, refcount: AtomicUsize::new(1), bf }) {
            Ok(td) => Ok(object::give(td)),
            Err(r) => {
                ctx.uars.give_back(bf);
                Err(r)
            }
        }
    })
}

/// `ibv_dealloc_td`. EBUSY while parent domains refer to it.
///
/// # Safety
/// As [`alloc_pd`].
pub unsafe extern "C" fn dealloc_td(td: *mut ibv_td) -> c_int {
    border::value("ibv_dealloc_td", || {
        // SAFETY: the promise of verbs operations; `Td` starts with the public struct.
        let t = unsafe { &*td.cast::<Td>() };
        let n = t.refcount.load(Ordering::Acquire);
        if n > 1 {
            return Err(refuse!(EBUSY, "parent domains refer to the thread domain", refcount = n));
        }
        // SAFETY: as above.
        unsafe { Context::from_own(t.verbs.context) }.uars.give_back(t.bf);
        // SAFETY: made by `give`, and not referred to any more.
        drop(unsafe { object::take::<Td, _>(td) });
        Ok(())
    })
}
