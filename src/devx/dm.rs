//! Device memory: MEMIC, which the process maps, and the steering memories, which it only names.

use super::dmabuf;
use crate::{
    abi::{
        dv::{consts::*, mlx5dv_alloc_dm_attr},
        verbs::{ibv_alloc_dm_attr, ibv_context, ibv_dm},
    },
    border,
    error::Result,
    handle::{self, Room},
    provider::{Context, layout::Op},
    uverbs::{self, Attr, Mapping},
};
use core::{
    ffi::{c_int, c_void},
    ptr::{self, NonNull},
};
use prm::uverbs::{attr, method, object};

/// mmap command of device memory (`spec`: context, section 4).
const MMAP_DEVICE_MEM: u64 = 8;
const MEMIC: u32 = MLX5_IB_UAPI_DM_TYPE_MEMIC;
/// Device memory is accessed in words of this many bytes.
const WORD: usize = 4;

/// Device memory. C sees its first member.
#[repr(C)]
pub struct Dm {
    /// The public part.
    pub verbs: ibv_dm,
    /// Length in bytes, as it was asked for.
    pub length: u64,
    /// First byte in this process; NULL for memory that cannot be mapped.
    pub start_va: *mut u8,
    /// Address in the device's own memory, of memory that cannot be mapped.
    pub remote_va: u64,
    mapping: Option<Mapping>,
    /// Where the device file has the memory; 0 if nowhere. Operation addresses have places of
    /// their own, so that an export gives the memory itself.
    file_offset: u64,
}

impl Dm {
    /// The memory behind C's pointer and its context. EINVAL for NULL, EOPNOTSUPP for another
    /// provider's.
    ///
    /// # Safety
    /// `p` is NULL or live device memory of whichever provider.
    pub unsafe fn from_c<'a>(p: *mut ibv_dm) -> Result<(&'a Dm, &'a Context)> {
        // SAFETY: the promise above; the context pointer is public.
        let public = unsafe { p.as_ref() }.ok_or(refuse!(EINVAL, "device memory is NULL"))?;
        // SAFETY: as above; memory of a context of ours was made here.
        unsafe {
            let context = Context::from_ibv(public.context)?;
            Ok((&*p.cast(), context))
        }
    }

    /// Memory without a place in the process.
    fn unmapped(context: &Context, handle: u32, length: u64, remote_va: u64) -> Dm {
        let verbs =
            ibv_dm { context: context.ibv(), memcpy_to_dm: None, memcpy_from_dm: None, comp_mask: 0, handle };
        Dm { verbs, length, start_va: ptr::null_mut(), remote_va, mapping: None, file_offset: 0 }
    }

    /// MEMIC at `page_index` of the device file. Errors: mmap's.
    fn mapped(context: &Context, handle: u32, length: u64, place: Place) -> Result<Dm> {
        let (mapping, start_va) = map(context, length, place)?;
        let mut dm = Dm::unmapped(context, handle, length, 0);
        dm.verbs.memcpy_to_dm = Some(memcpy_to_dm);
        dm.verbs.memcpy_from_dm = Some(memcpy_from_dm);
        dm.start_va = start_va.as_ptr();
        dm.mapping = Some(mapping);
        dm.file_offset = place.file_offset(context);
        Ok(dm)
    }

    /// Checks a copy and gives the first word in device memory. EFAULT beyond the end, then EINVAL
    /// for what is not whole words.
    fn word_at(&self, offset: u64, len: usize) -> Result<NonNull<u32>> {
        if offset.checked_add(len as u64).is_none_or(|end| end > self.length) {
            return Err(refuse!(EFAULT, "copy beyond the end of the device memory", offset = offset));
        }
        if !(offset as usize | len).is_multiple_of(WORD) {
            return Err(refuse!(EINVAL, "offset or length is not a multiple of 4", length = len));
        }
        let start = NonNull::new(self.start_va).ok_or(refuse!(EINVAL, "device memory is not mapped"))?;
        // SAFETY: within the mapping, as just checked.
        Ok(unsafe { start.add(offset as usize) }.cast())
    }
}

/// Where the device file has a piece of device memory.
#[derive(Clone, Copy)]
struct Place {
    page_index: u16,
    /// Offset whose low bits lead to the first byte in the first page.
    start_offset: u64,
}

impl Place {
    fn file_offset(self, context: &Context) -> u64 {
        context.mmap_offset(MMAP_DEVICE_MEM, u64::from(self.page_index))
    }
}

/// Maps the pages of `length` bytes of device memory.
fn map(context: &Context, length: u64, place: Place) -> Result<(Mapping, NonNull<u8>)> {
    let page = context.page_size;
    let len = (length as usize).checked_next_multiple_of(page);
    let len = len.ok_or(refuse!(ENOMEM, "length overflows", length = length))?;
    let prot = libc::PROT_READ | libc::PROT_WRITE;
    let mapping = Mapping::new(context.fd, place.file_offset(context), len, prot)?;
    // SAFETY: the offset is reduced to the first page.
    let start = unsafe { mapping.base().cast::<u8>().add(place.start_offset as usize & (page - 1)) };
    Ok((mapping, start))
}

/// `mlx5dv_alloc_dm`.
///
/// Errors: EOPNOTSUPP for an unknown type; EINVAL for mask bits and for more MEMIC than there is;
/// the kernel's (EPERM for the steering memories without privileges) and mmap's.
pub fn alloc(context: &Context, attr: &ibv_alloc_dm_attr, dv: &mlx5dv_alloc_dm_attr) -> Result<*mut ibv_dm> {
    if dv.type_ > MLX5_IB_UAPI_DM_TYPE_ENCAP_SW_ICM {
        return Err(refuse!(EOPNOTSUPP, "unknown type of device memory", type_ = dv.type_));
    }
    if attr.comp_mask != 0 {
        return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = attr.comp_mask));
    }
    if dv.comp_mask != 0 {
        return Err(refuse!(EINVAL, "unknown comp_mask bits of mlx5", comp_mask = dv.comp_mask));
    }
    let room = Room::<Dm>::new()?;
    let memic = dv.type_ == MEMIC;
    let length = attr.length as u64;
    if memic && length > context.device.max_dm_size {
        return Err(refuse!(EINVAL, "longer than max_dm_size", length = length));
    }
    let (mut start_offset, mut page_index) = (0u64, 0u16);
    let type_ = Attr::u64(attr::ALLOC_DM_REQ_TYPE, u64::from(dv.type_));
    let mut attrs = [
        Attr::new_object(attr::ALLOC_DM_HANDLE),
        Attr::u64(attr::ALLOC_DM_LENGTH, length),
        Attr::u32(attr::ALLOC_DM_ALIGNMENT, attr.log_align_req),
        // MEMIC is what kernels that do not know types have.
        if memic { type_.optional() } else { type_ },
        Attr::number(attr::ALLOC_DM_RESP_START_OFFSET, &mut start_offset),
        Attr::when(memic, Attr::number(attr::ALLOC_DM_RESP_PAGE_INDEX, &mut page_index)),
    ];
    uverbs::execute(context.fd, object::DM, method::DM_ALLOC, &mut attrs)?;
    let handle = attrs[0].new_handle();
    if !memic {
        return Ok(room.fill(Dm::unmapped(context, handle, length, start_offset)).cast());
    }
    match Dm::mapped(context, handle, length, Place { page_index, start_offset }) {
        Ok(dm) => Ok(room.fill(dm).cast()),
        Err(r) => {
            let _ = border::keep_errno(|| free_handle(context, handle));
            Err(r)
        }
    }
}

fn free_handle(context: &Context, handle: u32) -> Result<()> {
    let mut attrs = [Attr::handle(attr::FREE_DM_HANDLE, handle)];
    Ok(uverbs::execute(context.fd, object::DM, method::DM_FREE, &mut attrs)?)
}

/// `ibv_free_dm`. A failure (memory regions still use it) keeps everything.
///
/// # Safety
/// As [`Dm::from_c`]; on success nobody uses it any more.
unsafe fn free(p: *mut ibv_dm) -> Result<()> {
    // SAFETY: the promise above.
    let (dm, context) = unsafe { Dm::from_c(p)? };
    free_handle(context, dm.verbs.handle)?;
    // SAFETY: the promise above; the memory came from a Room. Drop undoes the mapping.
    drop(unsafe { handle::take(p.cast::<Dm>()) });
    Ok(())
}

/// `ibv_import_dm`: MEMIC that another process, which shares the device file, allocated.
fn import(context: &Context, handle: u32) -> Result<*mut ibv_dm> {
    let room = Room::<Dm>::new()?;
    let (mut start_offset, mut page_index, mut length) = (0u64, 0u16, 0u64);
    let mut attrs = [
        Attr::handle(attr::QUERY_DM_REQ_HANDLE, handle),
        Attr::number(attr::QUERY_DM_RESP_START_OFFSET, &mut start_offset),
        Attr::number(attr::QUERY_DM_RESP_PAGE_INDEX, &mut page_index),
        Attr::number(attr::QUERY_DM_RESP_LENGTH, &mut length),
    ];
    uverbs::execute(context.fd, object::DM, method::DM_QUERY, &mut attrs)?;
    Ok(room.fill(Dm::mapped(context, handle, length, Place { page_index, start_offset })?).cast())
}

/// `mlx5dv_dm_map_op_addr`: the address at which operation `op` on the memory is done by writing.
/// Each call makes a mapping that lasts as long as the process.
///
/// Errors: the kernel's (EOPNOTSUPP for an operation that the device does not have), mmap's.
pub fn map_op_addr(context: &Context, dm: &Dm, op: u8) -> Result<*mut c_void> {
    let (mut start_offset, mut page_index) = (0u64, 0u16);
    let mut attrs = [
        Attr::handle(attr::DM_MAP_OP_ADDR_REQ_HANDLE, dm.verbs.handle),
        Attr::u8(attr::DM_MAP_OP_ADDR_REQ_OP, op),
        Attr::number(attr::DM_MAP_OP_ADDR_RESP_START_OFFSET, &mut start_offset),
        Attr::number(attr::DM_MAP_OP_ADDR_RESP_PAGE_INDEX, &mut page_index),
    ];
    uverbs::execute(context.fd, object::DM, method::DM_MAP_OP_ADDR, &mut attrs)?;
    let (mapping, start) = map(context, dm.length, Place { page_index, start_offset })?;
    mapping.leak();
    Ok(start.as_ptr().cast())
}

/// Copies into device memory, by whole words in ascending order.
///
/// # Safety
/// libibverbs' promise: `dm` is live and made here, `host` is readable for `len`.
unsafe extern "C" fn memcpy_to_dm(dm: *mut ibv_dm, offset: u64, host: *const c_void, len: usize) -> c_int {
    border::value("ibv_memcpy_to_dm", || {
        // SAFETY: the hook is only set on memory made here.
        let to = unsafe { &*dm.cast::<Dm>() }.word_at(offset, len)?;
        for i in 0..len / WORD {
            // SAFETY: `word_at` checked the words of device memory; the host's are the caller's.
            unsafe { to.add(i).write_volatile(host.cast::<u32>().add(i).read_unaligned()) };
        }
        Ok(())
    })
}

/// Copies out of device memory, by whole words in ascending order.
///
/// # Safety
/// As [`memcpy_to_dm`], `host` being writable.
unsafe extern "C" fn memcpy_from_dm(host: *mut c_void, dm: *mut ibv_dm, offset: u64, len: usize) -> c_int {
    border::value("ibv_memcpy_from_dm", || {
        // SAFETY: the hook is only set on memory made here.
        let from = unsafe { &*dm.cast::<Dm>() }.word_at(offset, len)?;
        for i in 0..len / WORD {
            // SAFETY: as in `memcpy_to_dm`.
            unsafe { host.cast::<u32>().add(i).write_unaligned(from.add(i).read_volatile()) };
        }
        Ok(())
    })
}

/// # Safety
/// libibverbs' promise: `context` is ours, `attr` is valid for the call.
unsafe extern "C" fn alloc_dm_op(context: *mut ibv_context, attr: *mut ibv_alloc_dm_attr) -> *mut ibv_dm {
    border::null("ibv_alloc_dm", || {
        // SAFETY: the promise above.
        let (context, attr) = unsafe { (Context::from_own(context), attr.as_ref()) };
        let attr = attr.ok_or(refuse!(EINVAL, "attributes are NULL"))?;
        alloc(context, attr, &mlx5dv_alloc_dm_attr { type_: MEMIC, comp_mask: 0 })
    })
}

/// # Safety
/// libibverbs' promise: `dm` is ours and not used any more.
unsafe extern "C" fn free_dm_op(dm: *mut ibv_dm) -> c_int {
    // SAFETY: the promise above.
    border::value("ibv_free_dm", || unsafe { free(dm) })
}

/// # Safety
/// libibverbs' promise: `context` is ours.
unsafe extern "C" fn import_dm_op(context: *mut ibv_context, handle: u32) -> *mut ibv_dm {
    // SAFETY: the promise above.
    border::null("ibv_import_dm", || import(unsafe { Context::from_own(context) }, handle))
}

/// # Safety
/// libibverbs' promise: `dm` is ours, imported and not used any more.
unsafe extern "C" fn unimport_dm_op(dm: *mut ibv_dm) {
    border::void("ibv_unimport_dm", || {
        // SAFETY: the promise above; the memory came from a Room. Drop undoes the mapping.
        unsafe {
            Dm::from_c(dm)?;
            drop(handle::take(dm.cast::<Dm>()));
        }
        Ok(())
    })
}

/// # Safety
/// libibverbs' promise: `dm` is ours.
unsafe extern "C" fn dm_export_dmabuf_fd_op(dm: *mut ibv_dm) -> c_int {
    border::minus_one("ibv_dm_export_dmabuf_fd", || {
        // SAFETY: the promise above.
        let (dm, context) = unsafe { Dm::from_c(dm)? };
        dmabuf::export(context, dm.file_offset)
    })
}

/// Verbs operations on device memory.
pub fn ops() -> [(Op, *const c_void); 5] {
    [
        (Op::alloc_dm, alloc_dm_op as *const c_void),
        (Op::free_dm, free_dm_op as *const c_void),
        (Op::import_dm, import_dm_op as *const c_void),
        (Op::unimport_dm, unimport_dm_op as *const c_void),
        (Op::dm_export_dmabuf_fd, dm_export_dmabuf_fd_op as *const c_void),
    ]
}
