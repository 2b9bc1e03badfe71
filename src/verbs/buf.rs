//! Memory of queues: which kind a queue gets, and giving it back.
//!
//! In this order (`spec`: objects, section 3): the dma-buf heap of the parent domain, its
//! allocator callbacks, the context's allocators, the kind that `<PREFIX>_ALLOC_TYPE` names, the
//! kind that the caller prefers.

use super::{huge, pd::Pd};
use crate::{
    abi::verbs::{consts::*, ibv_pd},
    env,
    error::{Errno, Result},
    fd::OwnedFd,
    provider::{Context, ibverbs},
    uverbs::{Mapping, dma_heap},
};
use core::{
    ffi::{CStr, c_int, c_void},
    ptr,
};

/// mmap command of contiguous buffers; the index is the block's size as a power of two.
const MMAP_GET_CONTIGUOUS_PAGES: u64 = 1;
/// Bounds of `<PREFIX>_MAX_LOG2_CONTIG_BSIZE` and `<PREFIX>_MIN_LOG2_CONTIG_BSIZE`.
const CONTIG_LOG2: (u32, u32) = (12, 23);

/// `resource_type` of the allocator callbacks of parent domains.
pub mod resource_type {
    const MLX5: u64 = 1 << 32;
    pub const QP: u64 = MLX5 | 1;
    pub const RWQ: u64 = MLX5 | 2;
    pub const DBR: u64 = MLX5 | 3;
    pub const SRQ: u64 = MLX5 | 4;
    pub const CQ: u64 = MLX5 | 5;
}

/// Who needs memory: names the environment variables and the callbacks' resource type.
pub struct Component {
    alloc_type: &'static CStr,
    max_log2: &'static CStr,
    min_log2: &'static CStr,
    resource_type: u64,
}

macro_rules! components {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal, $type:expr;)*) => {$(
        $(#[$doc])*
        pub static $name: Component = Component {
            alloc_type: c_str(concat!($prefix, "_ALLOC_TYPE\0")),
            max_log2: c_str(concat!($prefix, "_MAX_LOG2_CONTIG_BSIZE\0")),
            min_log2: c_str(concat!($prefix, "_MIN_LOG2_CONTIG_BSIZE\0")),
            resource_type: $type,
        };
    )*};
}

components! {
    /// Rings of QPs.
    QP = "MLX_QP", resource_type::QP;
    /// Rings of CQs.
    CQ = "MLX_CQ", resource_type::CQ;
    /// Rings of SRQs.
    SRQ = "MLX_SRQ", resource_type::SRQ;
    /// Rings of WQs.
    RWQ = "MLX_RWQ", resource_type::RWQ;
    /// `ibv_alloc_buf`.
    MR = "MLX_MR", 0;
}

const fn c_str(s: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(s.as_bytes()) {
        Ok(s) => s,
        Err(_) => c"",
    }
}

/// Kinds that the environment can name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AllocType {
    Anon,
    Huge,
    Contig,
    PreferHuge,
    PreferContig,
    All,
}

impl AllocType {
    fn parse(text: &[u8]) -> Option<AllocType> {
        const NAMES: [(&[u8], AllocType); 6] = [
            (b"ANON", AllocType::Anon),
            (b"HUGE", AllocType::Huge),
            (b"CONTIG", AllocType::Contig),
            (b"PREFER_CONTIG", AllocType::PreferContig),
            (b"PREFER_HUGE", AllocType::PreferHuge),
            (b"ALL", AllocType::All),
        ];
        NAMES.iter().find(|(name, _)| text.eq_ignore_ascii_case(name)).map(|(_, t)| *t)
    }
}

/// What is asked for.
pub struct Request<'a> {
    pub component: &'static Component,
    /// In bytes.
    pub size: usize,
    /// Told to the parent domain's callback.
    pub align: usize,
    /// Parent domain, or plain PD, of the queue.
    pub pd: Option<&'a Pd>,
    /// Kind without any wish from elsewhere.
    pub default: AllocType,
}

enum Kind {
    /// malloc'ed and page aligned.
    Anon,
    /// Part of a huge page segment.
    Huge(#[expect(dead_code, reason = "held to be dropped")] huge::Chunks),
    Contig(#[expect(dead_code, reason = "held to be dropped")] Mapping),
    /// The context's allocators.
    External(*const Context),
    /// The parent domain's callbacks; the domain outlives the buffer, which holds a queue of it.
    Custom(*const Pd, u64),
    /// Mapped from the domain's heap.
    Dmabuf(OwnedFd),
}

/// Memory of a queue. Given back when dropped.
pub struct Buf {
    addr: *mut u8,
    len: usize,
    kind: Kind,
}

/// Rounds up to a multiple of a power of two. EINVAL on overflow cannot be told from a size that
/// nobody has, so it saturates and the allocation fails.
pub fn align(size: usize, to: usize) -> usize {
    size.checked_add(to - 1).map_or(usize::MAX & !(to - 1), |n| n & !(to - 1))
}

impl Buf {
    /// First byte; NULL for some empty buffers.
    pub fn addr(&self) -> *mut u8 {
        self.addr
    }

    /// Recorded length: that which was asked for, rounded as the kind needs.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The application's callbacks made it: it is used as it came, not zeroed.
    pub fn is_custom(&self) -> bool {
        matches!(self.kind, Kind::Custom(..))
    }

    /// fd of a dma-buf.
    pub fn dmabuf(&self) -> Option<c_int> {
        match &self.kind {
            Kind::Dmabuf(fd) => Some(fd.number()),
            _ => None,
        }
    }

    /// Zeroes the first `len` bytes, unless the application's callbacks made the memory.
    pub fn zero(&self, len: usize) {
        if !self.is_custom() && !self.addr.is_null() {
            // SAFETY: writable for `self.len`, and nobody else knows the memory yet.
            unsafe { ptr::write_bytes(self.addr, 0, len.min(self.len)) }
        }
    }

    /// Allocates by the rules above. Errors: ENOMEM, or what the system call said.
    pub fn alloc(context: &Context, request: &Request) -> Result<Buf> {
        if let Some(parent) = request.pd.and_then(|pd| pd.parent.as_ref()) {
            if let Some(heap) = &parent.heap {
                return Self::dmabuf_from(heap, align(request.size, context.page_size));
            }
            if let Some(pd) = request.pd
                && parent.has_callbacks()
            {
                return Self::custom(context, pd, request);
            }
        }
        if context.allocators().is_some() {
            return Self::external(context, request.size);
        }
        let kind = env::get(request.component.alloc_type)
            .and_then(|v| AllocType::parse(v.to_bytes()))
            .unwrap_or(request.default);
        let anon = || Self::anon(context, request.size);
        let huge = || Self::huge(context, request.size);
        let contig = || Self::contig(context, request);
        match kind {
            AllocType::Anon => anon(),
            AllocType::Huge => huge(),
            AllocType::Contig => contig(),
            AllocType::PreferHuge => huge().or_else(|_| anon()),
            AllocType::PreferContig => contig().or_else(|_| anon()),
            AllocType::All => huge().or_else(|_| contig()).or_else(|_| anon()),
        }
    }

    /// A page for doorbell records: never a kind of the environment.
    pub fn page(context: &Context, pd: Option<&Pd>) -> Result<Buf> {
        if let Some(heap) = pd.and_then(|pd| pd.parent.as_ref()).and_then(|p| p.heap.as_ref()) {
            return Self::dmabuf_from(heap, context.page_size);
        }
        if context.allocators().is_some() {
            return Self::external(context, context.page_size);
        }
        Self::anon(context, context.page_size)
    }

    fn anon(context: &Context, size: usize) -> Result<Buf> {
        let len = align(size, context.page_size);
        let mut p: *mut c_void = ptr::null_mut();
        // SAFETY: the page size is a power of two and a multiple of a pointer's size.
        if unsafe { libc::posix_memalign(&mut p, context.page_size, len) } != 0 {
            return Err(refuse!(ENOMEM, "no memory for a queue", size = size));
        }
        let buf = Buf { addr: p.cast(), len, kind: Kind::Anon };
        ibverbs::dontfork(p, len)?;
        Ok(buf)
    }

    fn huge(context: &Context, size: usize) -> Result<Buf> {
        let chunks = context.huge.alloc(size)?;
        let (addr, len) = (chunks.addr(), chunks.len());
        let buf = Buf { addr, len, kind: Kind::Huge(chunks) };
        ibverbs::dontfork(addr.cast(), len)?;
        Ok(buf)
    }

    /// Asks the kernel for physically contiguous blocks, from large to small. Kernels of today
    /// refuse each.
    fn contig(context: &Context, request: &Request) -> Result<Buf> {
        let (low, high) =
            contig_bounds(env::int(request.component.max_log2), env::int(request.component.min_log2));
        let wanted = request.size.max(1).next_power_of_two().trailing_zeros().min(high);
        let len = request.size;
        let mut failure = Errno::ENOMEM;
        // The order that fits is tried even if it is below the bound.
        for order in (low.min(wanted)..=wanted).rev() {
            let offset = context.page_size as u64 * (MMAP_GET_CONTIGUOUS_PAGES << 8 | u64::from(order));
            match Mapping::new(context.fd, offset, len, libc::PROT_READ | libc::PROT_WRITE) {
                Ok(m) => {
                    let addr = m.base().as_ptr();
                    ibverbs::dontfork(addr, len)?;
                    return Ok(Buf { addr: addr.cast(), len, kind: Kind::Contig(m) });
                }
                Err(e) => failure = e,
            }
            if failure == Errno::EINVAL {
                break;
            }
        }
        Err(failure.into())
    }

    fn external(context: &Context, size: usize) -> Result<Buf> {
        let Some((alloc, data)) = context.allocators().and_then(|a| Some((a.0.alloc?, a.0.data))) else {
            return Err(refuse!(ENOMEM, "allocators were taken away"));
        };
        // SAFETY: the application's own function, with the argument that it gave.
        let p = unsafe { alloc(size, data) };
        if p.is_null() && size != 0 {
            return Err(refuse!(ENOMEM, "the application's allocator failed", size = size));
        }
        let buf = Buf { addr: p.cast(), len: size, kind: Kind::External(context) };
        ibverbs::dontfork(p, size)?;
        Ok(buf)
    }

    /// From the domain's callbacks. If they leave it to the default, that is plain memory, whatever
    /// the environment says.
    fn custom(context: &Context, pd: &Pd, request: &Request) -> Result<Buf> {
        let resource_type = request.component.resource_type;
        let Some(p) = pd.callback_alloc(request.size, request.align, resource_type) else {
            return Self::anon(context, request.size);
        };
        if p.is_null() && request.size != 0 {
            return Err(refuse!(ENOMEM, "the parent domain's allocator failed"));
        }
        Ok(Buf { addr: p.cast(), len: request.size, kind: Kind::Custom(pd, resource_type) })
    }

    fn dmabuf_from(heap: &OwnedFd, size: usize) -> Result<Buf> {
        let (fd, addr) = dma_heap::alloc(heap, size)?;
        let buf = Buf { addr: addr.cast(), len: size, kind: Kind::Dmabuf(fd) };
        ibverbs::dontfork(addr, size)?;
        Ok(buf)
    }
}

/// Smallest and largest order from the environment's values; bad ones count as not set.
fn contig_bounds(max: Option<c_int>, min: Option<c_int>) -> (u32, u32) {
    let valid = |v: Option<c_int>| {
        v.and_then(|v| u32::try_from(v).ok()).filter(|v| (CONTIG_LOG2.0..=CONTIG_LOG2.1).contains(v))
    };
    let high = valid(max).unwrap_or(CONTIG_LOG2.1);
    let low = valid(min).filter(|low| *low <= high).unwrap_or(CONTIG_LOG2.0);
    (low, high)
}

/// Default kind of a queue: huge pages if the variable is exactly "y".
pub fn default_type(variable: &CStr) -> AllocType {
    match env::get(variable) {
        Some(v) if v.to_bytes() == b"y" => AllocType::Huge,
        _ => AllocType::Anon,
    }
}

/// Variable that asks for huge pages for QPs of a type.
pub fn qp_variable(qp_type: u32) -> &'static CStr {
    match qp_type {
        IBV_QPT_RC => c"HUGE_RC",
        IBV_QPT_UC => c"HUGE_UC",
        IBV_QPT_UD => c"HUGE_UD",
        IBV_QPT_RAW_PACKET => c"HUGE_RAW_ETH",
        _ => c"HUGE_NA",
    }
}

impl Drop for Buf {
    fn drop(&mut self) {
        let p: *mut c_void = self.addr.cast();
        if !matches!(self.kind, Kind::Custom(..)) && !p.is_null() {
            ibverbs::dofork(p, self.len);
        }
        match &self.kind {
            // SAFETY: NULL, or from posix_memalign; freed once.
            Kind::Anon => unsafe { libc::free(p) },
            Kind::Huge(_) | Kind::Contig(_) => {}
            Kind::External(context) => {
                // SAFETY: contexts outlive their objects. The function is looked up now, as upstream
                // does: the application may have replaced both since.
                if let Some(a) = unsafe { &**context }.allocators()
                    && let Some(free) = a.0.free
                {
                    // SAFETY: the application's own function, with memory that it allocated.
                    unsafe { free(p, a.0.data) }
                }
            }
            // SAFETY: the domain outlives the queue, which holds a reference to it.
            Kind::Custom(pd, resource_type) => unsafe { &**pd }.callback_free(p, *resource_type),
            Kind::Dmabuf(_) => dma_heap::unmap(p, self.len),
        }
    }
}

/// Public pointer of a PD as callbacks get it.
pub fn pd_pointer(pd: &Pd) -> *mut ibv_pd {
    ptr::from_ref(pd).cast_mut().cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_kinds() {
        assert_eq!(AllocType::parse(b"huge"), Some(AllocType::Huge));
        assert_eq!(AllocType::parse(b"Prefer_Contig"), Some(AllocType::PreferContig));
        assert_eq!(AllocType::parse(b"HUGEX"), None);
        assert_eq!(AllocType::parse(b""), None);
    }

    #[test]
    fn bounds_of_contiguous_blocks() {
        assert_eq!(contig_bounds(None, None), (12, 23));
        assert_eq!(contig_bounds(Some(20), Some(14)), (14, 20));
        assert_eq!(contig_bounds(Some(24), Some(11)), (12, 23));
        assert_eq!(contig_bounds(Some(13), Some(14)), (12, 13));
        assert_eq!(contig_bounds(Some(-1), None), (12, 23));
    }

    #[test]
    fn rounding_up_never_wraps() {
        assert_eq!(align(1, 4096), 4096);
        assert_eq!(align(4096, 4096), 4096);
        assert_eq!(align(0, 4096), 0);
        assert_eq!(align(usize::MAX, 4096), usize::MAX - 4095);
    }
}
