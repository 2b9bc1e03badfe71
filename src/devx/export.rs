//! Objects as bytes that another process, which shares the device file, makes handles of.
//!
//! The bytes are those of upstream's library, so that a process with one can give to a process
//! with the other. Handles are not looked at: a stale one shows when it is used.

use super::{
    object::{Info, Kind, Object},
    umem::Umem,
    var::Var,
};
use crate::{
    abi::dv::{mlx5dv_devx_obj, mlx5dv_devx_umem, mlx5dv_export_sizes, mlx5dv_var},
    error::Result,
    handle::Room,
    provider::Context,
};
use core::{ffi::c_void, mem, ptr};

/// A VAR as bytes.
#[repr(C)]
pub struct VarBlob {
    handle: u32,
    page_id: u32,
    length: u32,
    reserved: u32,
    mmap_off: i64,
}

/// A umem as bytes.
#[repr(C)]
pub struct UmemBlob {
    handle: u32,
    umem_id: u32,
}

/// A firmware object as bytes.
#[repr(C)]
pub struct ObjectBlob {
    handle: u32,
    kind: u32,
    object_id: u32,
    reserved: u32,
    rx_icm_addr: u64,
    log_obj_range: u8,
    reserved2: [u8; 7],
}

/// Their sizes, for `_mlx5dv_get_export_sizes`.
const SIZES: mlx5dv_export_sizes = mlx5dv_export_sizes {
    var_attrs_size: mem::size_of::<VarBlob>() as u32,
    devx_umem_attrs_size: mem::size_of::<UmemBlob>() as u32,
    devx_obj_attrs_size: mem::size_of::<ObjectBlob>() as u32,
};

/// Writes a blob. EINVAL without a place for it.
///
/// # Safety
/// `data` is NULL or writable for a `T`.
unsafe fn write<T>(data: *mut c_void, blob: T) -> Result<()> {
    if data.is_null() {
        return Err(refuse!(EINVAL, "no place for the exported bytes"));
    }
    // SAFETY: the promise above.
    unsafe { data.cast::<T>().write_unaligned(blob) };
    Ok(())
}

/// Reads a blob. EINVAL without one.
///
/// # Safety
/// `data` is NULL or holds a `T`.
unsafe fn read<T>(data: *const c_void) -> Result<T> {
    if data.is_null() {
        return Err(refuse!(EINVAL, "no exported bytes"));
    }
    // SAFETY: the promise above.
    Ok(unsafe { data.cast::<T>().read_unaligned() })
}

/// `mlx5dv_var_export`.
///
/// # Safety
/// `data` is NULL or has 24 bytes.
pub unsafe fn var(var: &Var, data: *mut c_void) -> Result<()> {
    let v = &var.public;
    let (page_id, length, mmap_off) = (v.page_id, v.length, v.mmap_off);
    // SAFETY: the promise above.
    unsafe { write(data, VarBlob { handle: var.handle, page_id, length, reserved: 0, mmap_off }) }
}

/// `mlx5dv_var_import`.
///
/// # Safety
/// `data` is NULL or from [`var`].
pub unsafe fn import_var(context: &Context, data: *const c_void) -> Result<*mut mlx5dv_var> {
    // SAFETY: the promise above.
    let b: VarBlob = unsafe { read(data)? };
    Ok(Room::new()?.fill(Var::new(context, b.handle, b.page_id, b.length, b.mmap_off)).cast())
}

/// `mlx5dv_devx_umem_export`.
///
/// # Safety
/// `data` is NULL or has 8 bytes.
pub unsafe fn umem(umem: &Umem, data: *mut c_void) -> Result<()> {
    // SAFETY: the promise above.
    unsafe { write(data, UmemBlob { handle: umem.handle, umem_id: umem.public.umem_id }) }
}

/// `mlx5dv_devx_umem_import`.
///
/// # Safety
/// `data` is NULL or from [`umem`].
pub unsafe fn import_umem(context: &Context, data: *const c_void) -> Result<*mut mlx5dv_devx_umem> {
    // SAFETY: the promise above.
    let b: UmemBlob = unsafe { read(data)? };
    Ok(Room::new()?.fill(Umem::imported(context, b.handle, b.umem_id)).cast())
}

/// `mlx5dv_devx_obj_export`.
///
/// # Safety
/// `data` is NULL or has 32 bytes.
pub unsafe fn object(obj: &Object, data: *mut c_void) -> Result<()> {
    let blob = ObjectBlob {
        handle: obj.handle,
        kind: obj.info.kind.0,
        object_id: obj.info.object_id,
        reserved: 0,
        rx_icm_addr: obj.info.rx_icm_addr,
        log_obj_range: obj.info.log_obj_range,
        reserved2: [0; 7],
    };
    // SAFETY: the promise above.
    unsafe { write(data, blob) }
}

/// `mlx5dv_devx_obj_import`.
///
/// # Safety
/// `data` is NULL or from [`object`].
pub unsafe fn import_object(context: &Context, data: *const c_void) -> Result<*mut mlx5dv_devx_obj> {
    // SAFETY: the promise above.
    let b: ObjectBlob = unsafe { read(data)? };
    let info = Info {
        kind: Kind(b.kind),
        object_id: b.object_id,
        rx_icm_addr: b.rx_icm_addr,
        log_obj_range: b.log_obj_range,
    };
    Ok(Room::new()?.fill(Object { context: context.ibv(), handle: b.handle, info }).cast())
}

/// `_mlx5dv_get_export_sizes`: `len` is the size of the caller's struct, which may be of a newer
/// header (the rest becomes zero) or shorter (nothing is written behind it).
///
/// # Safety
/// `sizes` is NULL or writable for `len`.
pub unsafe fn sizes(sizes: *mut mlx5dv_export_sizes, len: usize) -> Result<()> {
    if sizes.is_null() {
        return Err(refuse!(EINVAL, "no place for the sizes"));
    }
    let known = len.min(mem::size_of::<mlx5dv_export_sizes>());
    // SAFETY: the promise above; `known` is at most the size of either.
    unsafe {
        sizes.cast::<u8>().write_bytes(0, len);
        ptr::from_ref(&SIZES).cast::<u8>().copy_to_nonoverlapping(sizes.cast(), known);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_have_the_layout_of_the_sheet() {
        assert_eq!(
            (SIZES.var_attrs_size, SIZES.devx_umem_attrs_size, SIZES.devx_obj_attrs_size),
            (24, 8, 32)
        );
        assert_eq!(mem::offset_of!(VarBlob, mmap_off), 16);
        assert_eq!(mem::offset_of!(ObjectBlob, rx_icm_addr), 16);
        assert_eq!(mem::offset_of!(ObjectBlob, log_obj_range), 24);
    }

    #[test]
    fn sizes_respect_the_callers_struct() {
        for (len, expected) in
            [(0, [9; 5]), (4, [24, 9, 9, 9, 9]), (12, [24, 8, 32, 9, 9]), (16, [24, 8, 32, 0, 9])]
        {
            let mut room = [9u32; 5];
            // SAFETY: the room is longer than any of the lengths.
            unsafe { sizes(room.as_mut_ptr().cast(), len) }.map_err(|r| r.errno()).unwrap();
            assert_eq!(room, expected, "{len}");
        }
    }
}
