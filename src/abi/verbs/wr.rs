//! Work requests and work completions.

use crate::abi::prelude::*;

/// `struct ibv_data_buf` of `verbs.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_data_buf {
    pub addr: *mut c_void,
    pub length: usize,
}

/// `struct ibv_grh` of `verbs.h` (40 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_grh {
    pub version_tclass_flow: u32,
    pub paylen: u16,
    pub next_hdr: u8,
    pub hop_limit: u8,
    pub sgid: ibv_gid,
    pub dgid: ibv_gid,
}

/// `struct ibv_mw_bind` of `verbs.h` (48 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_mw_bind {
    pub wr_id: u64,
    pub send_flags: c_uint,
    pub bind_info: ibv_mw_bind_info,
}

/// `struct ibv_mw_bind_info` of `verbs.h` (32 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_mw_bind_info {
    pub mr: *mut ibv_mr,
    pub addr: u64,
    pub length: u64,
    pub mw_access_flags: c_uint,
}

/// Member `add` of `ibv_ops_wr_tm`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_ops_wr_tm_add {
    pub recv_wr_id: u64,
    pub sg_list: *mut ibv_sge,
    pub num_sge: c_int,
    pub tag: u64,
    pub mask: u64,
}

/// Member `tm` of `ibv_ops_wr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_ops_wr_tm {
    pub unexpected_cnt: u32,
    pub handle: u32,
    pub add: ibv_ops_wr_tm_add,
}

/// `struct ibv_ops_wr` of `verbs.h` (72 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_ops_wr {
    pub wr_id: u64,
    pub next: *mut ibv_ops_wr,
    pub opcode: c_uint,
    pub flags: c_int,
    pub tm: ibv_ops_wr_tm,
}

/// `struct ibv_poll_cq_attr` of `verbs.h` (4 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_poll_cq_attr {
    pub comp_mask: u32,
}

/// `struct ibv_recv_wr` of `verbs.h` (32 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_recv_wr {
    pub wr_id: u64,
    pub next: *mut ibv_recv_wr,
    pub sg_list: *mut ibv_sge,
    pub num_sge: c_int,
}

/// `struct ibv_rvh` of `tm_types.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_rvh {
    pub va: u64,
    pub rkey: u32,
    pub len: u32,
}

/// Unnamed union of `ibv_send_wr`: `imm_data`, `invalidate_rkey`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ibv_send_wr_imm_data_or {
    pub imm_data: u32,
    pub invalidate_rkey: u32,
}

/// Member `rdma` of `ibv_send_wr_wr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_send_wr_wr_rdma {
    pub remote_addr: u64,
    pub rkey: u32,
}

/// Member `atomic` of `ibv_send_wr_wr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_send_wr_wr_atomic {
    pub remote_addr: u64,
    pub compare_add: u64,
    pub swap: u64,
    pub rkey: u32,
}

/// Member `ud` of `ibv_send_wr_wr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_send_wr_wr_ud {
    pub ah: *mut ibv_ah,
    pub remote_qpn: u32,
    pub remote_qkey: u32,
}

/// Member `wr` of `ibv_send_wr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ibv_send_wr_wr {
    pub rdma: ibv_send_wr_wr_rdma,
    pub atomic: ibv_send_wr_wr_atomic,
    pub ud: ibv_send_wr_wr_ud,
}

/// Member `xrc` of `ibv_send_wr_qp_type`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_send_wr_qp_type_xrc {
    pub remote_srqn: u32,
}

/// Member `qp_type` of `ibv_send_wr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ibv_send_wr_qp_type {
    pub xrc: ibv_send_wr_qp_type_xrc,
}

/// Member `bind_mw` of `ibv_send_wr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_send_wr_bind_mw {
    pub mw: *mut ibv_mw,
    pub rkey: u32,
    pub bind_info: ibv_mw_bind_info,
}

/// Member `tso` of `ibv_send_wr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_send_wr_tso {
    pub hdr: *mut c_void,
    pub hdr_sz: u16,
    pub mss: u16,
}

/// Unnamed union of `ibv_send_wr`: `bind_mw`, `tso`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ibv_send_wr_bind_mw_or {
    pub bind_mw: ibv_send_wr_bind_mw,
    pub tso: ibv_send_wr_tso,
}

/// `struct ibv_send_wr` of `verbs.h` (128 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_send_wr {
    pub wr_id: u64,
    pub next: *mut ibv_send_wr,
    pub sg_list: *mut ibv_sge,
    pub num_sge: c_int,
    pub opcode: c_uint,
    pub send_flags: c_uint,
    pub u_imm_data: ibv_send_wr_imm_data_or,
    pub wr: ibv_send_wr_wr,
    pub qp_type: ibv_send_wr_qp_type,
    pub u_bind_mw: ibv_send_wr_bind_mw_or,
}

/// `struct ibv_sge` of `verbs.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_sge {
    pub addr: u64,
    pub length: u32,
    pub lkey: u32,
}

/// `struct ibv_tmh` of `tm_types.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_tmh {
    pub opcode: u8,
    pub reserved: [u8; 3],
    pub app_ctx: u32,
    pub tag: u64,
}

/// Unnamed union of `ibv_wc`: `imm_data`, `invalidated_rkey`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ibv_wc_imm_data_or {
    pub imm_data: u32,
    pub invalidated_rkey: u32,
}

/// `struct ibv_wc` of `verbs.h` (48 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_wc {
    pub wr_id: u64,
    pub status: c_uint,
    pub opcode: c_uint,
    pub vendor_err: u32,
    pub byte_len: u32,
    pub u_imm_data: ibv_wc_imm_data_or,
    pub qp_num: u32,
    pub src_qp: u32,
    pub wc_flags: c_uint,
    pub pkey_index: u16,
    pub slid: u16,
    pub sl: u8,
    pub dlid_path_bits: u8,
}

/// `struct ibv_wc_tm_info` of `verbs.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_wc_tm_info {
    pub tag: u64,
    pub r#priv: u32,
}
