//! VAR: doorbell pages that hardware emulation hands on.

use crate::{
    abi::{
        dv::{consts::MLX5_IB_UAPI_VAR_ALLOC_FLAG_TLP, mlx5dv_var},
        verbs::ibv_context,
    },
    error::Result,
    handle::{self, Room},
    provider::Context,
    uverbs::{self, Attr},
};
use prm::uverbs::{attr, method, object};

/// A VAR. C sees its first member.
#[repr(C)]
pub struct Var {
    /// What the application maps.
    pub public: mlx5dv_var,
    /// The kernel's handle.
    pub handle: u32,
    context: *mut ibv_context,
}

impl Var {
    /// A VAR that somebody allocated: by [`alloc`] or in another process.
    pub fn new(context: &Context, handle: u32, page_id: u32, length: u32, mmap_off: i64) -> Var {
        let public = mlx5dv_var { page_id, length, mmap_off, comp_mask: 0 };
        Var { public, handle, context: context.ibv() }
    }

    /// The VAR behind C's pointer. EINVAL for NULL.
    ///
    /// # Safety
    /// `p` is NULL or from [`alloc`] or an import, and not freed.
    pub unsafe fn from_c<'a>(p: *mut mlx5dv_var) -> Result<&'a Var> {
        // SAFETY: the promise above.
        unsafe { p.cast::<Var>().as_ref() }.ok_or(refuse!(EINVAL, "VAR is NULL"))
    }
}

/// `mlx5dv_alloc_var`. Errors: EOPNOTSUPP for unknown flags; the kernel's (ENOSPC if all are
/// taken, EPROTONOSUPPORT or EOPNOTSUPP if the device or the kernel has none).
pub fn alloc(context: &Context, flags: u32) -> Result<*mut mlx5dv_var> {
    if flags & !MLX5_IB_UAPI_VAR_ALLOC_FLAG_TLP != 0 {
        return Err(refuse!(EOPNOTSUPP, "unknown flags", flags = flags));
    }
    let room = Room::<Var>::new()?;
    let (mut mmap_off, mut length, mut page_id) = (0u64, 0u32, 0u32);
    // Kernels before the flags refuse the attribute, so it is sent only if it says something.
    let mut attrs = [
        Attr::when(flags != 0, Attr::u32(attr::VAR_OBJ_ALLOC_FLAGS, flags)),
        Attr::new_object(attr::VAR_OBJ_ALLOC_HANDLE),
        Attr::number(attr::VAR_OBJ_ALLOC_MMAP_OFFSET, &mut mmap_off),
        Attr::number(attr::VAR_OBJ_ALLOC_MMAP_LENGTH, &mut length),
        Attr::number(attr::VAR_OBJ_ALLOC_PAGE_ID, &mut page_id),
    ];
    uverbs::execute(context.fd, object::VAR, method::VAR_OBJ_ALLOC, &mut attrs)?;
    let handle = attrs[1].new_handle();
    Ok(room.fill(Var::new(context, handle, page_id, length, mmap_off as i64)).cast())
}

/// `mlx5dv_free_var`. The handle goes whatever the kernel says; a refusal is only traced.
///
/// # Safety
/// As [`Var::from_c`]; nobody uses it any more.
pub unsafe fn free(p: *mut mlx5dv_var) -> Result<()> {
    // SAFETY: the promise above; the application keeps the context open.
    let fd = unsafe { Context::from_ibv(Var::from_c(p)?.context)? }.fd;
    // SAFETY: the promise above; the VAR came from a Room.
    let var = unsafe { handle::take(p.cast::<Var>()) };
    let mut attrs = [Attr::handle(attr::VAR_OBJ_DESTROY_HANDLE, var.handle)];
    Ok(uverbs::execute(fd, object::VAR, method::VAR_OBJ_DESTROY, &mut attrs)?)
}
