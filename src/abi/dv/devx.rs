//! DEVX, UAR, VAR, packet pacing, scheduling, export blobs, VFIO.

use crate::abi::prelude::*;

/// `struct mlx5_ib_uapi_devx_async_cmd_hdr` of `mlx5_user_ioctl_verbs.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5_ib_uapi_devx_async_cmd_hdr {
    pub wr_id: u64,
    pub out_data: [u8; 0],
}

/// `struct mlx5_ib_uapi_devx_async_event_hdr` of `mlx5_user_ioctl_verbs.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5_ib_uapi_devx_async_event_hdr {
    pub cookie: u64,
    pub out_data: [u8; 0],
}

/// `struct mlx5dv_devx` of `mlx5dv.h` (4 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_devx {
    pub handle: u32,
}

/// `struct mlx5dv_devx_cmd_comp` of `mlx5dv.h` (4 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_devx_cmd_comp {
    pub fd: c_int,
}

/// `struct mlx5dv_devx_eq` of `mlx5dv.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_devx_eq {
    pub vaddr: *mut c_void,
}

/// `struct mlx5dv_devx_event_channel` of `mlx5dv.h` (4 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_devx_event_channel {
    pub fd: c_int,
}

/// `struct mlx5dv_devx_msi_vector` of `mlx5dv.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_devx_msi_vector {
    pub vector: c_int,
    pub fd: c_int,
}

/// `struct mlx5dv_devx_uar` of `mlx5dv.h` (40 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_devx_uar {
    pub reg_addr: *mut c_void,
    pub base_addr: *mut c_void,
    pub page_id: u32,
    pub mmap_off: i64,
    pub comp_mask: u64,
}

/// `struct mlx5dv_devx_umem` of `mlx5dv.h` (4 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_devx_umem {
    pub umem_id: u32,
}

/// `struct mlx5dv_devx_umem_in` of `mlx5dv.h` (48 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_devx_umem_in {
    pub addr: *mut c_void,
    pub size: usize,
    pub access: u32,
    pub pgsz_bitmap: u64,
    pub comp_mask: u64,
    pub dmabuf_fd: c_int,
}

/// `struct mlx5dv_export_sizes` of `mlx5dv.h` (12 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_export_sizes {
    pub var_attrs_size: u32,
    pub devx_umem_attrs_size: u32,
    pub devx_obj_attrs_size: u32,
}

/// `struct mlx5dv_pp` of `mlx5dv.h` (2 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_pp {
    pub index: u16,
}

/// `struct mlx5dv_sched_attr` of `mlx5dv.h` (32 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_sched_attr {
    pub parent: *mut mlx5dv_sched_node,
    pub flags: u32,
    pub bw_share: u32,
    pub max_avg_bw: u32,
    pub comp_mask: u64,
}

/// `struct mlx5dv_var` of `mlx5dv.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_var {
    pub page_id: u32,
    pub length: u32,
    pub mmap_off: i64,
    pub comp_mask: u64,
}

/// `struct mlx5dv_vfio_context_attr` of `mlx5dv.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_vfio_context_attr {
    pub pci_name: *const c_char,
    pub flags: u32,
    pub comp_mask: u64,
}
