//! Kernel flow steering.

use crate::abi::prelude::*;

/// Member `bulk_obj` of `mlx5dv_flow_action_attr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_flow_action_attr_bulk_obj {
    pub obj: *mut mlx5dv_devx_obj,
    pub offset: u32,
}

/// Unnamed union of `mlx5dv_flow_action_attr`: `qp`, `counter`, `action`, `tag_value`, `obj`, `bulk_obj`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union mlx5dv_flow_action_attr_qp_or {
    pub qp: *mut ibv_qp,
    pub counter: *mut ibv_counters,
    pub action: *mut ibv_flow_action,
    pub tag_value: u32,
    pub obj: *mut mlx5dv_devx_obj,
    pub bulk_obj: mlx5dv_flow_action_attr_bulk_obj,
}

/// `struct mlx5dv_flow_action_attr` of `mlx5dv.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_flow_action_attr {
    pub type_: c_uint,
    pub u_qp: mlx5dv_flow_action_attr_qp_or,
}

/// `struct mlx5dv_flow_action_esp` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_flow_action_esp {
    pub comp_mask: u64,
    pub action_flags: u32,
}

/// `struct mlx5dv_flow_match_parameters` of `mlx5dv.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_flow_match_parameters {
    pub match_sz: usize,
    pub match_buf: [u64; 0],
}

/// `struct mlx5dv_flow_matcher_attr` of `mlx5dv.h` (40 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_flow_matcher_attr {
    pub type_: c_uint,
    pub flags: u32,
    pub priority: u16,
    pub match_criteria_enable: u8,
    pub match_mask: *mut mlx5dv_flow_match_parameters,
    pub comp_mask: u64,
    pub ft_type: c_uint,
    pub ib_port: u32,
}

/// `struct mlx5dv_steering_anchor` of `mlx5dv.h` (4 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_steering_anchor {
    pub id: u32,
}

/// `struct mlx5dv_steering_anchor_attr` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_steering_anchor_attr {
    pub ft_type: c_uint,
    pub priority: u16,
    pub comp_mask: u64,
}
