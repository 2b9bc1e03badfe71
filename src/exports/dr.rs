//! Software steering.

use crate::exports::prelude::*;

/// Action: aso (`MLX5_1.17`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_aso(
    _domain: *mut mlx5dv_dr_domain,
    _devx_obj: *mut mlx5dv_devx_obj,
    _offset: u32,
    _flags: u32,
    _return_reg_c: u8,
) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_aso")
}

/// Action: default miss (`MLX5_1.14`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_default_miss() -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_default_miss")
}

/// Action: dest array (`MLX5_1.16`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_dest_array(
    _domain: *mut mlx5dv_dr_domain,
    _num_dest: usize,
    _dests: *mut *mut mlx5dv_dr_action_dest_attr,
) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_dest_array")
}

/// Action: dest devx tir (`MLX5_1.15`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_dest_devx_tir(
    _devx_obj: *mut mlx5dv_devx_obj,
) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_dest_devx_tir")
}

/// Action: dest ib port (`MLX5_1.21`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_dest_ib_port(
    _domain: *mut mlx5dv_dr_domain,
    _ib_port: u32,
) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_dest_ib_port")
}

/// Action: dest ibv qp (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_dest_ibv_qp(_ibqp: *mut ibv_qp) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_dest_ibv_qp")
}

/// Action: dest root table (`MLX5_1.24`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_dest_root_table(
    _table: *mut mlx5dv_dr_table,
    _priority: u16,
) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_dest_root_table")
}

/// Action: dest table (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_dest_table(
    _table: *mut mlx5dv_dr_table,
) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_dest_table")
}

/// Action: dest vport (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_dest_vport(
    _domain: *mut mlx5dv_dr_domain,
    _vport: u32,
) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_dest_vport")
}

/// Action: drop (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_drop() -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_drop")
}

/// Action: flow counter (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_flow_counter(
    _devx_obj: *mut mlx5dv_devx_obj,
    _offset: u32,
) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_flow_counter")
}

/// Action: flow meter (`MLX5_1.12`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_flow_meter(
    _attr: *mut mlx5dv_dr_flow_meter_attr,
) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_flow_meter")
}

/// Action: flow sampler (`MLX5_1.16`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_flow_sampler(
    _attr: *mut mlx5dv_dr_flow_sampler_attr,
) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_flow_sampler")
}

/// Action: modify header (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_modify_header(
    _domain: *mut mlx5dv_dr_domain,
    _flags: u32,
    _actions_sz: usize,
    _actions: *mut __be64,
) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_modify_header")
}

/// Action: packet reformat (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_packet_reformat(
    _domain: *mut mlx5dv_dr_domain,
    _flags: u32,
    _reformat_type: c_uint,
    _data_sz: usize,
    _data: *mut c_void,
) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_packet_reformat")
}

/// Action: pop vlan (`MLX5_1.17`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_pop_vlan() -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_pop_vlan")
}

/// Action: push vlan (`MLX5_1.17`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_push_vlan(
    _domain: *mut mlx5dv_dr_domain,
    _vlan_hdr: __be32,
) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_push_vlan")
}

/// Action: tag (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_create_tag(_tag_value: u32) -> *mut mlx5dv_dr_action {
    missing!(null, "mlx5dv_dr_action_create_tag")
}

/// Destroy any action (EBUSY if used) (`MLX5_1.10`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_destroy(_action: *mut mlx5dv_dr_action) -> c_int {
    missing!(value, "mlx5dv_dr_action_destroy")
}

/// Change ASO offset/flags (`MLX5_1.17`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_modify_aso(
    _action: *mut mlx5dv_dr_action,
    _offset: u32,
    _flags: u32,
    _return_reg_c: u8,
) -> c_int {
    missing!(value, "mlx5dv_dr_action_modify_aso")
}

/// Change meter (`MLX5_1.12`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_action_modify_flow_meter(
    _action: *mut mlx5dv_dr_action,
    _attr: *mut mlx5dv_dr_flow_meter_attr,
    _modify_field_select: __be64,
) -> c_int {
    missing!(value, "mlx5dv_dr_action_modify_flow_meter")
}

/// Share ASO CT with peer domain; errno set too (`MLX5_1.22`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_aso_other_domain_link(
    _devx_obj: *mut mlx5dv_devx_obj,
    _peer_dmn: *mut mlx5dv_dr_domain,
    _dmn: *mut mlx5dv_dr_domain,
    _flags: u32,
    _return_reg_c: u8,
) -> c_int {
    missing!(value, "mlx5dv_dr_aso_other_domain_link")
}

/// Undo; errno set too (`MLX5_1.22`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_aso_other_domain_unlink(
    _devx_obj: *mut mlx5dv_devx_obj,
    _dmn: *mut mlx5dv_dr_domain,
) -> c_int {
    missing!(value, "mlx5dv_dr_aso_other_domain_unlink")
}

/// Allow or refuse equal rules (`MLX5_1.20`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_domain_allow_duplicate_rules(
    _domain: *mut mlx5dv_dr_domain,
    _allow: bool,
) {
    missing!(void, "mlx5dv_dr_domain_allow_duplicate_rules")
}

/// Steering domain (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_domain_create(
    _ctx: *mut ibv_context,
    _type_: c_uint,
) -> *mut mlx5dv_dr_domain {
    missing!(null, "mlx5dv_dr_domain_create")
}

/// Destroy (EBUSY if used) (`MLX5_1.10`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_domain_destroy(_domain: *mut mlx5dv_dr_domain) -> c_int {
    missing!(value, "mlx5dv_dr_domain_destroy")
}

/// Reclaim ICM eagerly (`MLX5_1.14`). Returns: nothing.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_domain_set_reclaim_device_memory(
    _dmn: *mut mlx5dv_dr_domain,
    _enable: bool,
) {
    missing!(void, "mlx5dv_dr_domain_set_reclaim_device_memory")
}

/// Flush SW/HW/memory; errno set too (`MLX5_1.10`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_domain_sync(_domain: *mut mlx5dv_dr_domain, _flags: u32) -> c_int {
    missing!(value, "mlx5dv_dr_domain_sync")
}

/// Matcher (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_matcher_create(
    _table: *mut mlx5dv_dr_table,
    _priority: u16,
    _match_criteria_enable: u8,
    _mask: *mut mlx5dv_flow_match_parameters,
) -> *mut mlx5dv_dr_matcher {
    missing!(null, "mlx5dv_dr_matcher_create")
}

/// Destroy (EBUSY if used) (`MLX5_1.10`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_matcher_destroy(_matcher: *mut mlx5dv_dr_matcher) -> c_int {
    missing!(value, "mlx5dv_dr_matcher_destroy")
}

/// Size hint / resizable; errno set too (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_matcher_set_layout(
    _matcher: *mut mlx5dv_dr_matcher,
    _layout: *mut mlx5dv_dr_matcher_layout,
) -> c_int {
    missing!(value, "mlx5dv_dr_matcher_set_layout")
}

/// Rule (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_rule_create(
    _matcher: *mut mlx5dv_dr_matcher,
    _value: *mut mlx5dv_flow_match_parameters,
    _num_actions: usize,
    _actions: *mut *mut mlx5dv_dr_action,
) -> *mut mlx5dv_dr_rule {
    missing!(null, "mlx5dv_dr_rule_create")
}

/// Destroy (`MLX5_1.10`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_rule_destroy(_rule: *mut mlx5dv_dr_rule) -> c_int {
    missing!(value, "mlx5dv_dr_rule_destroy")
}

/// Table at a level (`MLX5_1.10`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_table_create(
    _domain: *mut mlx5dv_dr_domain,
    _level: u32,
) -> *mut mlx5dv_dr_table {
    missing!(null, "mlx5dv_dr_table_create")
}

/// Destroy (EBUSY if used) (`MLX5_1.10`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dr_table_destroy(_table: *mut mlx5dv_dr_table) -> c_int {
    missing!(value, "mlx5dv_dr_table_destroy")
}
