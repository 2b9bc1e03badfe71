//! Software steering.

use crate::abi::prelude::*;

/// Unnamed union of `mlx5dv_dr_action_dest_attr`: `dest`, `dest_reformat`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union mlx5dv_dr_action_dest_attr_dest_or {
    pub dest: *mut mlx5dv_dr_action,
    pub dest_reformat: *mut mlx5dv_dr_action_dest_reformat,
}

/// `struct mlx5dv_dr_action_dest_attr` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_dr_action_dest_attr {
    pub type_: c_uint,
    pub u_dest: mlx5dv_dr_action_dest_attr_dest_or,
}

/// `struct mlx5dv_dr_action_dest_reformat` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_dr_action_dest_reformat {
    pub reformat: *mut mlx5dv_dr_action,
    pub dest: *mut mlx5dv_dr_action,
}

/// `struct mlx5dv_dr_flow_meter_attr` of `mlx5dv.h` (32 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_dr_flow_meter_attr {
    pub next_table: *mut mlx5dv_dr_table,
    pub active: u8,
    pub reg_c_index: u8,
    pub flow_meter_parameter_sz: usize,
    pub flow_meter_parameter: *mut c_void,
}

/// `struct mlx5dv_dr_flow_sampler_attr` of `mlx5dv.h` (40 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_dr_flow_sampler_attr {
    pub sample_ratio: u32,
    pub default_next_table: *mut mlx5dv_dr_table,
    pub num_sample_actions: u32,
    pub sample_actions: *mut *mut mlx5dv_dr_action,
    pub action: u64,
}

/// `struct mlx5dv_dr_matcher_layout` of `mlx5dv.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_dr_matcher_layout {
    pub flags: u32,
    pub log_num_of_rules_hint: u32,
}
