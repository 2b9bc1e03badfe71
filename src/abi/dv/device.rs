//! Device and context: capabilities, open attributes, clock, port.

use crate::abi::prelude::*;

/// `struct mlx5_ib_uapi_query_port` of `mlx5_user_ioctl_verbs.h` (40 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5_ib_uapi_query_port {
    pub flags: u64,
    pub vport: u16,
    pub vport_vhca_id: u16,
    pub esw_owner_vhca_id: u16,
    pub rsvd0: u16,
    pub vport_steering_icm_rx: u64,
    pub vport_steering_icm_tx: u64,
    pub reg_c0: mlx5_ib_uapi_reg,
}

/// `struct mlx5_ib_uapi_reg` of `mlx5_user_ioctl_verbs.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5_ib_uapi_reg {
    pub value: u32,
    pub mask: u32,
}

/// `struct mlx5dv_clock_info` of `mlx5dv.h` (40 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_clock_info {
    pub nsec: u64,
    pub last_cycles: u64,
    pub frac: u64,
    pub mult: u32,
    pub shift: u32,
    pub mask: u64,
}

/// `struct mlx5dv_context` of `mlx5dv.h` (200 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_context {
    pub version: u8,
    pub flags: u64,
    pub comp_mask: u64,
    pub cqe_comp_caps: mlx5dv_cqe_comp_caps,
    pub sw_parsing_caps: mlx5dv_sw_parsing_caps,
    pub striding_rq_caps: mlx5dv_striding_rq_caps,
    pub tunnel_offloads_caps: u32,
    pub max_dynamic_bfregs: u32,
    pub max_clock_info_update_nsec: u64,
    pub flow_action_flags: u32,
    pub dc_odp_caps: u32,
    pub hca_core_clock: *mut c_void,
    pub num_lag_ports: u8,
    pub sig_caps: mlx5dv_sig_caps,
    pub dci_streams_caps: mlx5dv_dci_streams_caps,
    pub max_wr_memcpy_length: usize,
    pub crypto_caps: mlx5dv_crypto_caps,
    pub max_dc_rd_atom: u64,
    pub max_dc_init_rd_atom: u64,
    pub reg_c0: mlx5_ib_uapi_reg,
    pub ooo_recv_wrs_caps: mlx5dv_ooo_recv_wrs_caps,
}

/// `struct mlx5dv_context_attr` of `mlx5dv.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_context_attr {
    pub flags: u32,
    pub comp_mask: u64,
    pub fds: *mut ibv_fd_arr,
}

/// `struct mlx5dv_cqe_comp_caps` of `mlx5dv.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_cqe_comp_caps {
    pub max_num: u32,
    pub supported_format: u32,
}

/// `struct mlx5dv_ctx_allocators` of `mlx5dv.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_ctx_allocators {
    pub alloc: Option<unsafe extern "C" fn(usize, *mut c_void) -> *mut c_void>,
    pub free: Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>,
    pub data: *mut c_void,
}

/// `struct mlx5dv_dci_streams_caps` of `mlx5dv.h` (2 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_dci_streams_caps {
    pub max_log_num_concurent: u8,
    pub max_log_num_errored: u8,
}

/// `struct mlx5dv_ooo_recv_wrs_caps` of `mlx5dv.h` (20 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_ooo_recv_wrs_caps {
    pub max_rc: u32,
    pub max_xrc: u32,
    pub max_dct: u32,
    pub max_ud: u32,
    pub max_uc: u32,
}

/// `struct mlx5dv_striding_rq_caps` of `mlx5dv.h` (20 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_striding_rq_caps {
    pub min_single_stride_log_num_of_bytes: u32,
    pub max_single_stride_log_num_of_bytes: u32,
    pub min_single_wqe_log_num_of_strides: u32,
    pub max_single_wqe_log_num_of_strides: u32,
    pub supported_qpts: u32,
}

/// `struct mlx5dv_sw_parsing_caps` of `mlx5dv.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_sw_parsing_caps {
    pub sw_parsing_offloads: u32,
    pub supported_qpts: u32,
}
