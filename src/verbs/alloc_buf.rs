//! `ibv_alloc_buf`: memory for the application of the kind that queues get.

use super::{
    buf::{self, AllocType, Buf, Request},
    object::{self, boxed},
    pd::{DomainRef, Pd},
};
use crate::{
    abi::verbs::{ibv_buf, ibv_pd},
    border,
};
use core::ffi::c_void;

/// A buffer that an application holds.
#[repr(C)]
struct Owned {
    /// The part that libibverbs reads.
    verbs: ibv_buf,
    /// Dropped before the domain, whose callbacks it may need.
    memory: Buf,
    domain: Option<DomainRef>,
}

/// `ibv_alloc_buf`. Errors: EINVAL for a size of 0, ENOMEM whatever the reason; `handle` is then
/// left alone.
///
/// # Safety
/// libibverbs' promise for verbs operations: `pd` is ours, `handle` is writable.
pub unsafe extern "C" fn alloc_buf(pd: *mut ibv_pd, size: usize, handle: *mut *mut ibv_buf) -> *mut c_void {
    border::null("ibv_alloc_buf", || {
        // SAFETY: the promise above.
        let (domain, own) = unsafe { (DomainRef::of_parent(pd), Pd::from_ibv(pd)) };
        let context = own.context();
        if size == 0 {
            return Err(refuse!(EINVAL, "a buffer of 0 bytes"));
        }
        let memory = Buf::alloc(
            context,
            &Request {
                component: &buf::MR,
                size,
                align: context.page_size,
                pd: Some(own),
                default: AllocType::Anon,
            },
        )
        .map_err(|_| refuse!(ENOMEM, "no memory for a buffer", size = size))?;
        let addr: *mut c_void = memory.addr().cast();
        let verbs = ibv_buf { addr, size: memory.len(), pd, dmabuf_fd: memory.dmabuf().unwrap_or(-1) };
        let buffer = boxed(Owned { verbs, memory, domain })?;
        // SAFETY: the promise above.
        unsafe { handle.write(object::give(buffer)) };
        Ok(addr)
    })
}

/// `ibv_free_buf`.
///
/// # Safety
/// `handle` came from [`alloc_buf`], and nobody uses it any more.
pub unsafe extern "C" fn free_buf(handle: *mut ibv_buf) {
    // SAFETY: the promise above.
    drop(unsafe { object::take::<Owned, _>(handle) });
}
