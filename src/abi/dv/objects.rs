//! Objects: raw views of queues, creation attributes, builders.

use crate::abi::prelude::*;

/// `struct mlx5dv_ah` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_ah {
    pub av: *mut mlx5_wqe_av,
    pub comp_mask: u64,
}

/// `struct mlx5dv_alloc_dm_attr` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_alloc_dm_attr {
    pub type_: c_uint,
    pub comp_mask: u64,
}

/// `struct mlx5dv_cq` of `mlx5dv.h` (48 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_cq {
    pub buf: *mut c_void,
    pub dbrec: *mut u32,
    pub cqe_cnt: u32,
    pub cqe_size: u32,
    pub cq_uar: *mut c_void,
    pub cqn: u32,
    pub comp_mask: u64,
}

/// `struct mlx5dv_cq_init_attr` of `mlx5dv.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_cq_init_attr {
    pub comp_mask: u64,
    pub cqe_comp_res_format: u8,
    pub flags: u32,
    pub cqe_size: u16,
}

/// Unnamed union of `mlx5dv_dc_init_attr`: `dct_access_key`, `dci_streams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union mlx5dv_dc_init_attr_dct_access_key_or {
    pub dct_access_key: u64,
    pub dci_streams: mlx5dv_dci_streams,
}

/// `struct mlx5dv_dc_init_attr` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_dc_init_attr {
    pub dc_type: c_uint,
    pub u_dct_access_key: mlx5dv_dc_init_attr_dct_access_key_or,
}

/// `struct mlx5dv_dci_streams` of `mlx5dv.h` (2 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_dci_streams {
    pub log_num_concurent: u8,
    pub log_num_errored: u8,
}

/// `struct mlx5dv_dm` of `mlx5dv.h` (32 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_dm {
    pub buf: *mut c_void,
    pub length: u64,
    pub comp_mask: u64,
    pub remote_va: u64,
}

/// Member `qp` of `mlx5dv_obj`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_obj_qp {
    pub in_: *mut ibv_qp,
    pub out: *mut mlx5dv_qp,
}

/// Member `cq` of `mlx5dv_obj`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_obj_cq {
    pub in_: *mut ibv_cq,
    pub out: *mut mlx5dv_cq,
}

/// Member `srq` of `mlx5dv_obj`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_obj_srq {
    pub in_: *mut ibv_srq,
    pub out: *mut mlx5dv_srq,
}

/// Member `rwq` of `mlx5dv_obj`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_obj_rwq {
    pub in_: *mut ibv_wq,
    pub out: *mut mlx5dv_rwq,
}

/// Member `dm` of `mlx5dv_obj`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_obj_dm {
    pub in_: *mut ibv_dm,
    pub out: *mut mlx5dv_dm,
}

/// Member `ah` of `mlx5dv_obj`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_obj_ah {
    pub in_: *mut ibv_ah,
    pub out: *mut mlx5dv_ah,
}

/// Member `pd` of `mlx5dv_obj`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_obj_pd {
    pub in_: *mut ibv_pd,
    pub out: *mut mlx5dv_pd,
}

/// Member `devx` of `mlx5dv_obj`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_obj_devx {
    pub in_: *mut mlx5dv_devx_obj,
    pub out: *mut mlx5dv_devx,
}

/// `struct mlx5dv_obj` of `mlx5dv.h` (128 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_obj {
    pub qp: mlx5dv_obj_qp,
    pub cq: mlx5dv_obj_cq,
    pub srq: mlx5dv_obj_srq,
    pub rwq: mlx5dv_obj_rwq,
    pub dm: mlx5dv_obj_dm,
    pub ah: mlx5dv_obj_ah,
    pub pd: mlx5dv_obj_pd,
    pub devx: mlx5dv_obj_devx,
}

/// `struct mlx5dv_pd` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_pd {
    pub pdn: u32,
    pub comp_mask: u64,
}

/// Member `sq` of `mlx5dv_qp`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_qp_sq {
    pub buf: *mut c_void,
    pub wqe_cnt: u32,
    pub stride: u32,
}

/// Member `rq` of `mlx5dv_qp`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_qp_rq {
    pub buf: *mut c_void,
    pub wqe_cnt: u32,
    pub stride: u32,
}

/// Member `bf` of `mlx5dv_qp`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_qp_bf {
    pub reg: *mut c_void,
    pub size: u32,
}

/// `struct mlx5dv_qp` of `mlx5dv.h` (96 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_qp {
    pub dbrec: *mut u32,
    pub sq: mlx5dv_qp_sq,
    pub rq: mlx5dv_qp_rq,
    pub bf: mlx5dv_qp_bf,
    pub comp_mask: u64,
    pub uar_mmap_offset: i64,
    pub tirn: u32,
    pub tisn: u32,
    pub rqn: u32,
    pub sqn: u32,
    pub tir_icm_addr: u64,
}

/// `struct mlx5dv_qp_ex` of `mlx5dv.h` (104 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct mlx5dv_qp_ex {
    pub comp_mask: u64,
    pub wr_set_dc_addr: Option<unsafe extern "C" fn(*mut mlx5dv_qp_ex, *mut ibv_ah, u32, u64)>,
    pub wr_mr_interleaved: Option<
        unsafe extern "C" fn(*mut mlx5dv_qp_ex, *mut mlx5dv_mkey, u32, u32, u16, *mut mlx5dv_mr_interleaved),
    >,
    pub wr_mr_list: Option<unsafe extern "C" fn(*mut mlx5dv_qp_ex, *mut mlx5dv_mkey, u32, u16, *mut ibv_sge)>,
    pub wr_mkey_configure:
        Option<unsafe extern "C" fn(*mut mlx5dv_qp_ex, *mut mlx5dv_mkey, u8, *mut mlx5dv_mkey_conf_attr)>,
    pub wr_set_mkey_access_flags: Option<unsafe extern "C" fn(*mut mlx5dv_qp_ex, u32)>,
    pub wr_set_mkey_layout_list: Option<unsafe extern "C" fn(*mut mlx5dv_qp_ex, u16, *const ibv_sge)>,
    pub wr_set_mkey_layout_interleaved:
        Option<unsafe extern "C" fn(*mut mlx5dv_qp_ex, u32, u16, *const mlx5dv_mr_interleaved)>,
    pub wr_set_mkey_sig_block: Option<unsafe extern "C" fn(*mut mlx5dv_qp_ex, *const mlx5dv_sig_block_attr)>,
    pub wr_raw_wqe: Option<unsafe extern "C" fn(*mut mlx5dv_qp_ex, *const c_void)>,
    pub wr_set_dc_addr_stream: Option<unsafe extern "C" fn(*mut mlx5dv_qp_ex, *mut ibv_ah, u32, u64, u16)>,
    pub wr_memcpy: Option<unsafe extern "C" fn(*mut mlx5dv_qp_ex, u32, u64, u32, u64, usize)>,
    pub wr_set_mkey_crypto: Option<unsafe extern "C" fn(*mut mlx5dv_qp_ex, *const mlx5dv_crypto_attr)>,
}

/// `struct mlx5dv_qp_init_attr` of `mlx5dv.h` (40 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_qp_init_attr {
    pub comp_mask: u64,
    pub create_flags: u32,
    pub dc_init_attr: mlx5dv_dc_init_attr,
    pub send_ops_flags: u64,
}

/// `struct mlx5dv_rwq` of `mlx5dv.h` (32 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_rwq {
    pub buf: *mut c_void,
    pub dbrec: *mut u32,
    pub wqe_cnt: u32,
    pub stride: u32,
    pub comp_mask: u64,
}

/// `struct mlx5dv_srq` of `mlx5dv.h` (48 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_srq {
    pub buf: *mut c_void,
    pub dbrec: *mut u32,
    pub stride: u32,
    pub head: u32,
    pub tail: u32,
    pub comp_mask: u64,
    pub srqn: u32,
}

/// `struct mlx5dv_striding_rq_init_attr` of `mlx5dv.h` (12 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_striding_rq_init_attr {
    pub single_stride_log_num_of_bytes: u32,
    pub single_wqe_log_num_of_strides: u32,
    pub two_byte_shift_en: u8,
}

/// `struct mlx5dv_wq_init_attr` of `mlx5dv.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_wq_init_attr {
    pub comp_mask: u64,
    pub striding_rq_attrs: mlx5dv_striding_rq_init_attr,
}
