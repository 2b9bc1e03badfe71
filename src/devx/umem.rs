//! User memory that firmware objects may use.

use crate::{
    abi::{
        dv::{consts::MLX5DV_UMEM_MASK_DMABUF, mlx5dv_devx_umem, mlx5dv_devx_umem_in},
        verbs::ibv_context,
    },
    border,
    error::Result,
    handle::{self, Room},
    provider::{Context, ibverbs},
    uverbs::{self, Attr},
};
use core::{
    ffi::{c_int, c_void},
    ptr,
};
use prm::uverbs::{attr, method, object};

/// All page sizes that a device may know: multiples of the adapter page.
const ANY_PAGE_SIZE: u64 = !0xfff;

/// What to register.
#[derive(Clone, Copy)]
pub struct Region {
    /// First byte; an offset if there is a dma-buf.
    pub addr: *mut c_void,
    /// Length in bytes.
    pub size: usize,
    /// `IBV_ACCESS_*`.
    pub access: u32,
    /// Page sizes that the caller's use of it allows, as a bit mask.
    pub pgsz_bitmap: u64,
    /// The caller depends on the bitmap: a kernel that does not know it must refuse.
    pub strict_bitmap: bool,
    /// Memory of a dma-buf instead of the process's own.
    pub dmabuf_fd: Option<c_int>,
}

impl Region {
    /// What `mlx5dv_devx_umem_reg` registers.
    pub fn plain(addr: *mut c_void, size: usize, access: u32) -> Region {
        let pgsz_bitmap = ANY_PAGE_SIZE;
        Region { addr, size, access, pgsz_bitmap, strict_bitmap: false, dmabuf_fd: None }
    }

    /// What `mlx5dv_devx_umem_reg_ex` registers. EOPNOTSUPP for unknown mask bits.
    ///
    /// # Safety
    /// `p` is NULL or a struct of a release that knows the members whose bits are set.
    pub unsafe fn from_c(p: *const mlx5dv_devx_umem_in) -> Result<Region> {
        if p.is_null() {
            return Err(refuse!(EINVAL, "umem_in is NULL"));
        }
        // SAFETY: members of every release's struct.
        let comp_mask = unsafe { (&raw const (*p).comp_mask).read() };
        let dmabuf = u64::from(MLX5DV_UMEM_MASK_DMABUF);
        if comp_mask & !dmabuf != 0 {
            return Err(refuse!(EOPNOTSUPP, "unknown comp_mask bits", comp_mask = comp_mask));
        }
        // SAFETY: as above; `dmabuf_fd` exists where its bit does.
        unsafe {
            Ok(Region {
                pgsz_bitmap: (&raw const (*p).pgsz_bitmap).read(),
                strict_bitmap: true,
                dmabuf_fd: (comp_mask & dmabuf != 0).then(|| (&raw const (*p).dmabuf_fd).read()),
                ..Region::plain(
                    (&raw const (*p).addr).read(),
                    (&raw const (*p).size).read(),
                    (&raw const (*p).access).read(),
                )
            })
        }
    }
}

/// Memory of the process that is kept out of forked children; undone by drop.
struct Unforked {
    addr: *mut c_void,
    size: usize,
}

impl Unforked {
    const NONE: Unforked = Unforked { addr: ptr::null_mut(), size: 0 };

    /// Errors: madvise's.
    fn new(addr: *mut c_void, size: usize) -> Result<Unforked> {
        ibverbs::dontfork(addr, size)?;
        Ok(Unforked { addr, size })
    }
}

impl Drop for Unforked {
    fn drop(&mut self) {
        if self.size != 0 {
            border::keep_errno(|| ibverbs::dofork(self.addr, self.size));
        }
    }
}

/// Registered memory. C sees its first member.
#[repr(C)]
pub struct Umem {
    /// Number that firmware objects know it by.
    pub public: mlx5dv_devx_umem,
    /// The kernel's handle.
    pub handle: u32,
    context: *mut ibv_context,
    memory: Unforked,
}

impl Umem {
    /// A handle for memory that somebody else registered.
    pub fn imported(context: &Context, handle: u32, umem_id: u32) -> Umem {
        let public = mlx5dv_devx_umem { umem_id };
        Umem { public, handle, context: context.ibv(), memory: Unforked::NONE }
    }

    /// The umem behind C's pointer. EINVAL for NULL.
    ///
    /// # Safety
    /// `p` is NULL or from [`reg`] or an import, and not deregistered.
    pub unsafe fn from_c<'a>(p: *mut mlx5dv_devx_umem) -> Result<&'a Umem> {
        // SAFETY: the promise above.
        unsafe { p.cast::<Umem>().as_ref() }.ok_or(refuse!(EINVAL, "umem is NULL"))
    }
}

/// `mlx5dv_devx_umem_reg` and `_reg_ex`.
///
/// Errors: madvise's under `ibv_fork_init`; EBADF for a dma-buf fd of -1; the kernel's (EINVAL for
/// access bits or a size that cannot be, EFAULT for memory that is not there, ENOMEM beyond the
/// locked memory limit).
pub fn reg(context: &Context, region: &Region) -> Result<*mut mlx5dv_devx_umem> {
    let room = Room::<Umem>::new()?;
    // The memory of a dma-buf is not this process's, and `addr` is no address then.
    let memory = match region.dmabuf_fd {
        None => Unforked::new(region.addr, region.size)?,
        Some(_) => Unforked::NONE,
    };
    if region.dmabuf_fd == Some(-1) {
        return Err(refuse!(EBADF, "dmabuf_fd is -1"));
    }
    let bitmap = Attr::u64(attr::DEVX_UMEM_REG_PGSZ_BITMAP, region.pgsz_bitmap);
    let mut umem_id = 0u32;
    let mut attrs = [
        Attr::u64(attr::DEVX_UMEM_REG_ADDR, region.addr as u64),
        Attr::u64(attr::DEVX_UMEM_REG_LEN, region.size as u64),
        Attr::u32(attr::DEVX_UMEM_REG_ACCESS, region.access),
        Attr::fd(attr::DEVX_UMEM_REG_DMABUF_FD, region.dmabuf_fd.unwrap_or(-1)),
        if region.strict_bitmap { bitmap } else { bitmap.optional() },
        Attr::number(attr::DEVX_UMEM_REG_OUT_ID, &mut umem_id),
        Attr::new_object(attr::DEVX_UMEM_REG_HANDLE),
    ];
    uverbs::execute(context.fd, object::DEVX_UMEM, method::DEVX_UMEM_REG, &mut attrs)?;
    let handle = attrs[6].new_handle();
    Ok(room.fill(Umem { memory, ..Umem::imported(context, handle, umem_id) }).cast())
}

/// `mlx5dv_devx_umem_dereg`. A failure (firmware objects still use it, EIO after removal) keeps
/// the handle.
///
/// # Safety
/// As [`Umem::from_c`]; on success nobody uses it any more.
pub unsafe fn dereg(p: *mut mlx5dv_devx_umem) -> Result<()> {
    // SAFETY: the promise above; the application keeps the context open.
    let (umem, fd) = unsafe {
        let umem = Umem::from_c(p)?;
        (umem, Context::from_ibv(umem.context)?.fd)
    };
    let mut attrs = [Attr::handle(attr::DEVX_UMEM_DEREG_HANDLE, umem.handle)];
    uverbs::execute(fd, object::DEVX_UMEM, method::DEVX_UMEM_DEREG, &mut attrs)?;
    // SAFETY: the promise above; the umem came from a Room.
    drop(unsafe { handle::take(p.cast::<Umem>()) });
    Ok(())
}
