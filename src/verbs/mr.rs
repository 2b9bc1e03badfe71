//! Memory regions.

use super::{
    core::{self as kernel, Core},
    object::{self, boxed},
    pd::Pd,
};
use crate::{
    abi::verbs::{consts::*, *},
    border,
    error::Result,
    provider::Context,
    uverbs::{self, Attr},
};
use core::{
    ffi::{c_int, c_uint, c_void},
    ptr,
};
use prm::uverbs::{attr, method, object as obj, write};

/// libibverbs' `verbs_mr`, the same in every release.
#[repr(C)]
pub struct Mr {
    /// The application's part.
    pub verbs: ibv_mr,
    /// `IBV_MR_TYPE_*` of the private header.
    pub mr_type: c_uint,
    /// Access flags of registration.
    pub access: c_int,
}

/// `enum ibv_mr_type`.
pub mod mr_type {
    pub const MR: u32 = 0;
    pub const NULL_MR: u32 = 1;
    pub const IMPORTED_MR: u32 = 2;
    pub const DMABUF_MR: u32 = 3;
}

/// A region that the kernel knows: destroyed if it does not become an object.
struct Registered<'a> {
    context: &'a Context,
    handle: u32,
    lkey: u32,
    rkey: u32,
}

impl Registered<'_> {
    /// Makes the object. ENOMEM destroys the kernel's.
    fn finish(
        self,
        pd: *mut ibv_pd,
        addr: *mut c_void,
        length: usize,
        mr_type: u32,
        access: c_int,
    ) -> Result<*mut ibv_mr> {
        let verbs = ibv_mr {
            context: self.context.ibv(),
            pd,
            addr,
            length,
            handle: self.handle,
            lkey: self.lkey,
            rkey: self.rkey,
        };
        let mr = boxed(Mr { verbs, mr_type, access }).inspect_err(|_| {
            let _ = destroy(self.context, self.handle);
        })?;
        Ok(object::give(mr))
    }
}

fn destroy(context: &Context, handle: u32) -> Result<()> {
    kernel::destroy(context, obj::MR, method::MR_DESTROY, attr::DESTROY_MR_HANDLE, handle)
}

/// The write command; `ibv_reg_mr` and implicit regions use it.
fn register(pd: &Pd, addr: u64, length: usize, iova: u64, access: c_int) -> Result<Registered<'_>> {
    let context = pd.context();
    let core = Core::<40>::new()
        .u64(8, addr)
        .u64(16, length as u64)
        .u64(24, iova)
        .u32(32, pd.verbs.handle)
        .u32(36, access as u32);
    let mut response = Core::<12>::new();
    kernel::command(context, write::REG_MR, core, &mut response)?;
    Ok(Registered { context, handle: response.get32(0), lkey: response.get32(4), rkey: response.get32(8) })
}

/// `ibv_reg_mr` and its relatives. Errors: the kernel's, ENOMEM.
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn reg_mr(
    pd: *mut ibv_pd,
    addr: *mut c_void,
    length: usize,
    hca_va: u64,
    access: c_int,
) -> *mut ibv_mr {
    border::null("ibv_reg_mr", || {
        // SAFETY: the promise above.
        let p = unsafe { Pd::from_ibv(pd) };
        register(p, addr as u64, length, hca_va, access)?.finish(pd, addr, length, mr_type::MR, access)
    })
}

/// `ibv_reg_dmabuf_mr`, and with the driver's access flags `mlx5dv_reg_dmabuf_mr`.
pub fn reg_dmabuf(
    pd: *mut ibv_pd,
    p: &Pd,
    (offset, length, iova): (u64, usize, u64),
    fd: c_int,
    access: c_int,
    driver_access: Option<u32>,
) -> Result<*mut ibv_mr> {
    let context = p.context();
    let (mut lkey, mut rkey) = (0u32, 0u32);
    let mut attrs = [
        Attr::new_object(attr::REG_DMABUF_MR_HANDLE),
        Attr::number(attr::REG_DMABUF_MR_RESP_LKEY, &mut lkey),
        Attr::number(attr::REG_DMABUF_MR_RESP_RKEY, &mut rkey),
        Attr::handle(attr::REG_DMABUF_MR_PD_HANDLE, p.verbs.handle),
        Attr::u64(attr::REG_DMABUF_MR_OFFSET, offset),
        Attr::u64(attr::REG_DMABUF_MR_LENGTH, length as u64),
        Attr::u64(attr::REG_DMABUF_MR_IOVA, iova),
        Attr::u32(attr::REG_DMABUF_MR_FD, fd as u32),
        Attr::u32(attr::REG_DMABUF_MR_ACCESS_FLAGS, access as u32),
        Attr::when(
            driver_access.is_some(),
            Attr::u32(attr::MLX5_REG_DMABUF_MR_ACCESS_FLAGS, driver_access.unwrap_or(0)),
        ),
    ];
    uverbs::execute(context.fd, obj::MR, method::REG_DMABUF_MR, &mut attrs)?;
    let handle = attrs[0].new_handle();
    // The region has no address in this process; libibverbs gives the offset as such.
    Registered { context, handle, lkey, rkey }.finish(
        pd,
        offset as *mut c_void,
        length,
        mr_type::DMABUF_MR,
        access,
    )
}

/// `ibv_reg_dmabuf_mr`. Errors: the kernel's, ENOMEM.
///
/// # Safety
/// As [`reg_mr`].
pub unsafe extern "C" fn reg_dmabuf_mr(
    pd: *mut ibv_pd,
    offset: u64,
    length: usize,
    iova: u64,
    fd: c_int,
    access: c_int,
) -> *mut ibv_mr {
    border::null("ibv_reg_dmabuf_mr", || {
        // SAFETY: the promise of verbs operations.
        let p = unsafe { Pd::from_ibv(pd) };
        reg_dmabuf(pd, p, (offset, length, iova), fd, access, None)
    })
}

/// `ibv_reg_mr_ex`. libibverbs has checked which members go together. Errors: the kernel's,
/// ENOMEM.
///
/// # Safety
/// As [`reg_mr`].
pub unsafe extern "C" fn reg_mr_ex(pd: *mut ibv_pd, init: *mut ibv_mr_init_attr) -> *mut ibv_mr {
    /// Bits of `ibv_mr_init_attr.comp_mask` (verbs.h of release 59 and later).
    const IOVA: u64 = 1;
    const ADDR: u64 = 1 << 1;
    const FD: u64 = 1 << 2;
    const FD_OFFSET: u64 = 1 << 3;
    const DMAH: u64 = 1 << 4;
    border::null("ibv_reg_mr_ex", || {
        // SAFETY: the promise of verbs operations.
        let (p, a) = unsafe { (Pd::from_ibv(pd), &*init) };
        let has = |bit: u64| a.comp_mask & bit != 0;
        let context = p.context();
        let (mut lkey, mut rkey) = (0u32, 0u32);
        let dmah = if has(DMAH) && !a.dmah.is_null() {
            // SAFETY: libibverbs' promise; ours starts with the public struct.
            Some(unsafe { &*a.dmah.cast::<super::dmah::Dmah>() }.handle)
        } else {
            None
        };
        let addr = if has(ADDR) { a.addr } else { ptr::null_mut() };
        // The device sees the region at its own address unless another one is given.
        let own = if has(ADDR) {
            a.addr as u64
        } else if has(FD_OFFSET) {
            a.fd_offset
        } else {
            0
        };
        let iova = if has(IOVA) { a.iova } else { own };
        let mut attrs = [
            Attr::when(dmah.is_some(), Attr::handle(attr::REG_MR_DMA_HANDLE, dmah.unwrap_or(0))),
            Attr::when(has(ADDR), Attr::u64(attr::REG_MR_ADDR, a.addr as u64)),
            Attr::when(has(FD), Attr::u32(attr::REG_MR_FD, a.fd as u32)),
            Attr::when(has(FD_OFFSET), Attr::u64(attr::REG_MR_FD_OFFSET, a.fd_offset)),
            Attr::u64(attr::REG_MR_IOVA, iova),
            Attr::new_object(attr::REG_MR_HANDLE),
            Attr::number(attr::REG_MR_RESP_LKEY, &mut lkey),
            Attr::number(attr::REG_MR_RESP_RKEY, &mut rkey),
            Attr::handle(attr::REG_MR_PD_HANDLE, p.verbs.handle),
            Attr::u64(attr::REG_MR_LENGTH, a.length as u64),
            Attr::u32(attr::REG_MR_ACCESS_FLAGS, a.access as u32),
        ];
        uverbs::execute(context.fd, obj::MR, method::REG_MR, &mut attrs)?;
        let handle = attrs[5].new_handle();
        let mr_type = if has(FD) { mr_type::DMABUF_MR } else { mr_type::MR };
        Registered { context, handle, lkey, rkey }.finish(pd, addr, a.length, mr_type, a.access)
    })
}

/// `ibv_rereg_mr`. The flags remembered for binding windows stay those of registration, as
/// upstream has it. Errors: the kernel's.
///
/// # Safety
/// As [`reg_mr`].
pub unsafe extern "C" fn rereg_mr(
    mr: *mut Mr,
    flags: c_int,
    pd: *mut ibv_pd,
    addr: *mut c_void,
    length: usize,
    access: c_int,
) -> c_int {
    border::value("ibv_rereg_mr", || {
        // SAFETY: the promise of verbs operations.
        let m = unsafe { &mut *mr };
        // SAFETY: as above.
        let context = unsafe { Context::from_own(m.verbs.context) };
        let change = |bit: u32| flags as u32 & bit != 0;
        let pd_handle = if change(IBV_REREG_MR_CHANGE_PD) && !pd.is_null() {
            // SAFETY: as above.
            unsafe { Pd::from_ibv(pd) }.verbs.handle
        } else {
            0
        };
        let core = Core::<48>::new()
            .u32(8, m.verbs.handle)
            .u32(12, flags as u32)
            .u64(16, addr as u64)
            .u64(24, length as u64)
            .u64(32, addr as u64)
            .u32(40, pd_handle)
            .u32(44, access as u32);
        let mut response = Core::<8>::new();
        kernel::command(context, write::REREG_MR, core, &mut response)?;
        m.verbs.lkey = response.get32(0);
        m.verbs.rkey = response.get32(4);
        if change(IBV_REREG_MR_CHANGE_PD) {
            m.verbs.context = context.ibv();
        }
        Ok(())
    })
}

/// `ibv_dereg_mr`. Errors: the kernel's.
///
/// # Safety
/// As [`reg_mr`].
pub unsafe extern "C" fn dereg_mr(mr: *mut Mr) -> c_int {
    border::value("ibv_dereg_mr", || {
        // SAFETY: the promise of verbs operations.
        let m = unsafe { &*mr };
        if m.mr_type != mr_type::NULL_MR {
            // SAFETY: as above.
            destroy(unsafe { Context::from_own(m.verbs.context) }, m.verbs.handle)?;
        }
        // SAFETY: made by `give`, and not used any more.
        drop(unsafe { object::take::<Mr, _>(mr) });
        Ok(())
    })
}

/// `ibv_alloc_null_mr`: no object of the kernel, only the device's key. ENOTSUP if it has none.
///
/// # Safety
/// As [`reg_mr`].
pub unsafe extern "C" fn alloc_null_mr(pd: *mut ibv_pd) -> *mut ibv_mr {
    const INVALID_LKEY: u32 = 0x100;
    border::null("ibv_alloc_null_mr", || {
        // SAFETY: the promise of verbs operations.
        let context = unsafe { Pd::from_ibv(pd) }.context();
        let lkey = context.info.dump_fill_mkey;
        if lkey == INVALID_LKEY {
            return Err(refuse!(ENOTSUP, "device without a null key"));
        }
        let verbs = ibv_mr {
            context: context.ibv(),
            pd,
            addr: ptr::null_mut(),
            length: usize::MAX,
            handle: 0,
            lkey,
            rkey: 0,
        };
        Ok(object::give(boxed(Mr { verbs, mr_type: mr_type::NULL_MR, access: 0 })?))
    })
}

/// `ibv_reg_dm_mr`. EINVAL for access flags that device memory cannot have, or without
/// `IBV_ACCESS_ZERO_BASED`; else the kernel's, ENOMEM.
///
/// # Safety
/// As [`reg_mr`].
pub unsafe extern "C" fn reg_dm_mr(
    pd: *mut ibv_pd,
    dm: *mut ibv_dm,
    offset: u64,
    length: usize,
    access: c_uint,
) -> *mut ibv_mr {
    const ALLOWED: u32 = IBV_ACCESS_LOCAL_WRITE
        | IBV_ACCESS_REMOTE_WRITE
        | IBV_ACCESS_REMOTE_READ
        | IBV_ACCESS_REMOTE_ATOMIC
        | IBV_ACCESS_ZERO_BASED
        | IB_UVERBS_ACCESS_OPTIONAL_RANGE;
    border::null("ibv_reg_dm_mr", || {
        if access & !ALLOWED != 0 {
            return Err(refuse!(EINVAL, "access flags that device memory cannot have", access = access));
        }
        if access & IBV_ACCESS_ZERO_BASED == 0 {
            return Err(refuse!(EINVAL, "device memory is zero based", access = access));
        }
        // SAFETY: the promise of verbs operations.
        let p = unsafe { Pd::from_ibv(pd) };
        // SAFETY: as above.
        let dm_handle = unsafe { (*dm).handle };
        let context = p.context();
        let (mut lkey, mut rkey) = (0u32, 0u32);
        let mut attrs = [
            Attr::new_object(attr::REG_DM_MR_HANDLE),
            Attr::number(attr::REG_DM_MR_RESP_LKEY, &mut lkey),
            Attr::number(attr::REG_DM_MR_RESP_RKEY, &mut rkey),
            Attr::handle(attr::REG_DM_MR_PD_HANDLE, p.verbs.handle),
            Attr::handle(attr::REG_DM_MR_DM_HANDLE, dm_handle),
            Attr::u64(attr::REG_DM_MR_OFFSET, offset),
            Attr::u64(attr::REG_DM_MR_LENGTH, length as u64),
            Attr::u32(attr::REG_DM_MR_ACCESS_FLAGS, access),
        ];
        uverbs::execute(context.fd, obj::MR, method::DM_MR_REG, &mut attrs)?;
        let handle = attrs[0].new_handle();
        Registered { context, handle, lkey, rkey }.finish(
            pd,
            ptr::null_mut(),
            length,
            mr_type::MR,
            access as c_int,
        )
    })
}

/// `ibv_import_mr`. Errors: the kernel's, ENOMEM.
///
/// # Safety
/// As [`reg_mr`].
pub unsafe extern "C" fn import_mr(pd: *mut ibv_pd, handle: u32) -> *mut ibv_mr {
    border::null("ibv_import_mr", || {
        // SAFETY: the promise of verbs operations.
        let p = unsafe { Pd::from_ibv(pd) };
        let context = p.context();
        let (mut lkey, mut rkey, mut length, mut iova) = (0u32, 0u32, 0u64, 0u64);
        let mut attrs = [
            Attr::handle(attr::QUERY_MR_HANDLE, handle),
            Attr::number(attr::QUERY_MR_RESP_LKEY, &mut lkey),
            Attr::number(attr::QUERY_MR_RESP_RKEY, &mut rkey),
            Attr::number(attr::QUERY_MR_RESP_LENGTH, &mut length),
            Attr::number(attr::QUERY_MR_RESP_IOVA, &mut iova).optional(),
        ];
        uverbs::execute(context.fd, obj::MR, method::QUERY_MR, &mut attrs)?;
        let verbs = ibv_mr {
            context: context.ibv(),
            pd,
            addr: ptr::null_mut(),
            length: length as usize,
            handle,
            lkey,
            rkey,
        };
        Ok(object::give(boxed(Mr { verbs, mr_type: mr_type::IMPORTED_MR, access: 0 })?))
    })
}

/// `ibv_unimport_mr`: forgets the region and leaves the kernel's object to its owner.
///
/// # Safety
/// As [`reg_mr`].
pub unsafe extern "C" fn unimport_mr(mr: *mut ibv_mr) {
    // SAFETY: made by `give` in `import_mr`, and not used any more.
    drop(unsafe { object::take::<Mr, _>(mr) });
}

/// `ibv_advise_mr`. Errors: the kernel's.
///
/// # Safety
/// As [`reg_mr`]; `sg_list` is readable for `num_sge` elements.
pub unsafe extern "C" fn advise_mr(
    pd: *mut ibv_pd,
    advice: c_uint,
    flags: u32,
    sg_list: *mut ibv_sge,
    num_sge: u32,
) -> c_int {
    border::value("ibv_advise_mr", || {
        // SAFETY: the promise of verbs operations.
        let p = unsafe { Pd::from_ibv(pd) };
        let len = num_sge as usize * size_of::<ibv_sge>();
        // SAFETY: as above.
        let list = unsafe { Attr::input_raw(attr::ADVISE_MR_SGE_LIST, sg_list.cast(), len) };
        let mut attrs = [
            Attr::handle(attr::ADVISE_MR_PD_HANDLE, p.verbs.handle),
            Attr::u64(attr::ADVISE_MR_ADVICE, u64::from(advice)),
            Attr::u32(attr::ADVISE_MR_FLAGS, flags),
            list,
        ];
        Ok(uverbs::execute(p.context().fd, obj::MR, method::ADVISE_MR, &mut attrs)?)
    })
}
