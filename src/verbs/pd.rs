//! Protection domains, parent domains, thread domains.

use crate::{
    abi::verbs::{ibv_pd, ibv_td},
    fd::OwnedFd,
    mutex::Mutex,
    provider::{Context, uar::Bfreg},
    verbs::buf,
};
use alloc::boxed::Box;
use core::{
    ffi::c_void,
    ptr::NonNull,
    sync::atomic::{AtomicUsize, Ordering},
};

type Alloc = unsafe extern "C" fn(*mut ibv_pd, *mut c_void, usize, usize, u64) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut ibv_pd, *mut c_void, *mut c_void, u64);

/// A protection domain or a parent domain.
#[repr(C)]
pub struct Pd {
    /// The application's part.
    pub verbs: ibv_pd,
    /// Number of the (real) domain.
    pub pdn: u32,
    /// 1, and 1 for each object that keeps the domain from being freed.
    pub refcount: AtomicUsize,
    /// Set for a parent domain.
    pub parent: Option<Parent>,
    /// 64-byte region for memcpy requests: made once, with the first QP that can post them.
    pub opaque: Mutex<Option<Opaque>>,
}

/// What makes a domain a parent domain.
pub struct Parent {
    /// The real domain.
    pub pd: NonNull<Pd>,
    /// Thread domain.
    pub td: Option<NonNull<Td>>,
    pub alloc: Option<Alloc>,
    pub free: Option<Free>,
    pub pd_context: *mut c_void,
    /// dma-buf heap that memory comes from.
    pub heap: Option<OwnedFd>,
}

/// Scratch region of memcpy requests.
pub struct Opaque {
    /// Kernel handle of the region.
    pub handle: u32,
    pub lkey: u32,
    /// 64 bytes, aligned to 64.
    pub memory: Box<OpaqueMemory>,
}

/// Memory of [`Opaque`].
#[repr(C, align(64))]
pub struct OpaqueMemory(pub [u8; 64]);

/// A thread domain.
#[repr(C)]
pub struct Td {
    /// The application's part.
    pub verbs: ibv_td,
    /// 1, and 1 for each parent domain.
    pub refcount: AtomicUsize,
    /// Register of its QPs.
    pub bf: NonNull<Bfreg>,
}

impl Parent {
    /// Both callbacks are there: one alone counts for nothing.
    pub fn has_callbacks(&self) -> bool {
        self.alloc.is_some() && self.free.is_some()
    }
}

impl Pd {
    /// The domain behind a public pointer.
    ///
    /// # Safety
    /// `pd` was made by this library and outlives the reference.
    pub unsafe fn from_ibv<'a>(pd: *mut ibv_pd) -> &'a Pd {
        // SAFETY: the public struct is the first member.
        unsafe { &*pd.cast() }
    }

    /// The domain that the kernel knows: of a parent domain, the one below.
    pub fn real(&self) -> &Pd {
        match &self.parent {
            // SAFETY: the parent domain holds a reference to it.
            Some(p) => unsafe { p.pd.as_ref() },
            None => self,
        }
    }

    /// The thread domain.
    pub fn td(&self) -> Option<&Td> {
        // SAFETY: the parent domain holds a reference to it.
        self.parent.as_ref()?.td.as_ref().map(|t| unsafe { t.as_ref() })
    }

    /// Memory comes from a dma-buf heap.
    pub fn has_heap(&self) -> bool {
        self.parent.as_ref().is_some_and(|p| p.heap.is_some())
    }

    /// The context the domain belongs to.
    pub fn context(&self) -> &Context {
        // SAFETY: libibverbs' rule: a context outlives its objects; ours was made by this library.
        unsafe { Context::from_own(self.verbs.context) }
    }

    /// Asks the parent domain's callback for memory. None if there is none (both must be set) or
    /// if it answers `IBV_ALLOCATOR_USE_DEFAULT`.
    pub fn callback_alloc(&self, size: usize, align: usize, resource_type: u64) -> Option<*mut c_void> {
        let parent = self.parent.as_ref()?;
        let (alloc, _) = parent.alloc.zip(parent.free)?;
        // SAFETY: the application's own function, with the arguments that it expects.
        let p = unsafe { alloc(buf::pd_pointer(self), parent.pd_context, size, align, resource_type) };
        (p as isize != -1).then_some(p)
    }

    /// Gives memory of [`Self::callback_alloc`] back.
    pub fn callback_free(&self, p: *mut c_void, resource_type: u64) {
        if let Some(parent) = &self.parent
            && let Some(free) = parent.free
        {
            // SAFETY: the application's own function, with memory that it allocated.
            unsafe { free(buf::pd_pointer(self), parent.pd_context, p, resource_type) }
        }
    }
}

/// A reference that keeps a domain from being freed.
pub struct DomainRef(NonNull<Pd>);

impl DomainRef {
    /// Counts the reference.
    pub fn new(pd: &Pd) -> DomainRef {
        pd.refcount.fetch_add(1, Ordering::Relaxed);
        DomainRef(NonNull::from(pd))
    }

    /// The domain.
    pub fn pd(&self) -> &Pd {
        // SAFETY: alive because it is counted.
        unsafe { self.0.as_ref() }
    }

    /// A reference to `pd` if it is a parent domain.
    ///
    /// # Safety
    /// `pd` is NULL or a domain of this library.
    pub unsafe fn of_parent(pd: *mut ibv_pd) -> Option<DomainRef> {
        // SAFETY: as the caller promises.
        let pd: &Pd = unsafe { pd.cast::<Pd>().as_ref() }?;
        pd.parent.is_some().then(|| DomainRef::new(pd))
    }
}

impl Drop for DomainRef {
    fn drop(&mut self) {
        self.pd().refcount.fetch_sub(1, Ordering::Release);
    }
}
