//! Flow specifications and counters.

use crate::abi::prelude::*;

/// `struct ibv_counter_attach_attr` of `verbs.h` (12 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_counter_attach_attr {
    pub counter_desc: c_uint,
    pub index: u32,
    pub comp_mask: u32,
}

/// `struct ibv_counters` of `verbs.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_counters {
    pub context: *mut ibv_context,
}

/// `struct ibv_counters_init_attr` of `verbs.h` (4 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_counters_init_attr {
    pub comp_mask: u32,
}

/// `struct ibv_flow` of `verbs.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow {
    pub comp_mask: u32,
    pub context: *mut ibv_context,
    pub handle: u32,
}

/// `struct ibv_flow_action` of `verbs.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_action {
    pub context: *mut ibv_context,
}

/// `struct ibv_flow_action_esp_attr` of `verbs.h` (56 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_action_esp_attr {
    pub esp_attr: *mut ib_uverbs_flow_action_esp,
    pub keymat_proto: c_uint,
    pub keymat_len: u16,
    pub keymat_ptr: *mut c_void,
    pub replay_proto: c_uint,
    pub replay_len: u16,
    pub replay_ptr: *mut c_void,
    pub esp_encap: *mut ib_uverbs_flow_action_esp_encap,
    pub comp_mask: u32,
    pub esn: u32,
}

/// `struct ibv_flow_attr` of `verbs.h` (20 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_attr {
    pub comp_mask: u32,
    pub type_: c_uint,
    pub size: u16,
    pub priority: u16,
    pub num_of_specs: u8,
    pub port: u8,
    pub flags: u32,
}

/// `struct ibv_flow_esp_filter` of `verbs.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_esp_filter {
    pub spi: u32,
    pub seq: u32,
}

/// `struct ibv_flow_eth_filter` of `verbs.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_eth_filter {
    pub dst_mac: [u8; 6],
    pub src_mac: [u8; 6],
    pub ether_type: u16,
    pub vlan_tag: u16,
}

/// `struct ibv_flow_gre_filter` of `verbs.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_gre_filter {
    pub c_ks_res0_ver: u16,
    pub protocol: u16,
    pub key: u32,
}

/// `struct ibv_flow_ipv4_ext_filter` of `verbs.h` (12 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_ipv4_ext_filter {
    pub src_ip: u32,
    pub dst_ip: u32,
    pub proto: u8,
    pub tos: u8,
    pub ttl: u8,
    pub flags: u8,
}

/// `struct ibv_flow_ipv4_filter` of `verbs.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_ipv4_filter {
    pub src_ip: u32,
    pub dst_ip: u32,
}

/// `struct ibv_flow_ipv6_filter` of `verbs.h` (40 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_ipv6_filter {
    pub src_ip: [u8; 16],
    pub dst_ip: [u8; 16],
    pub flow_label: u32,
    pub next_hdr: u8,
    pub traffic_class: u8,
    pub hop_limit: u8,
}

/// `struct ibv_flow_mpls_filter` of `verbs.h` (4 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_mpls_filter {
    pub label: u32,
}

/// Member `hdr` of `ibv_flow_spec`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_hdr {
    pub type_: c_uint,
    pub size: u16,
}

/// `struct ibv_flow_spec` of verbs.h: a flow specification of any type, told apart by `hdr.type`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ibv_flow_spec {
    pub hdr: ibv_flow_spec_hdr,
    pub eth: ibv_flow_spec_eth,
    pub ipv4: ibv_flow_spec_ipv4,
    pub tcp_udp: ibv_flow_spec_tcp_udp,
    pub ipv4_ext: ibv_flow_spec_ipv4_ext,
    pub ipv6: ibv_flow_spec_ipv6,
    pub esp: ibv_flow_spec_esp,
    pub tunnel: ibv_flow_spec_tunnel,
    pub gre: ibv_flow_spec_gre,
    pub mpls: ibv_flow_spec_mpls,
    pub flow_tag: ibv_flow_spec_action_tag,
    pub drop: ibv_flow_spec_action_drop,
    pub handle: ibv_flow_spec_action_handle,
    pub flow_count: ibv_flow_spec_counter_action,
}

/// `struct ibv_flow_spec_action_drop` of `verbs.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_action_drop {
    pub type_: c_uint,
    pub size: u16,
}

/// `struct ibv_flow_spec_action_handle` of `verbs.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_action_handle {
    pub type_: c_uint,
    pub size: u16,
    pub action: *const ibv_flow_action,
}

/// `struct ibv_flow_spec_action_tag` of `verbs.h` (12 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_action_tag {
    pub type_: c_uint,
    pub size: u16,
    pub tag_id: u32,
}

/// `struct ibv_flow_spec_counter_action` of `verbs.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_counter_action {
    pub type_: c_uint,
    pub size: u16,
    pub counters: *mut ibv_counters,
}

/// `struct ibv_flow_spec_esp` of `verbs.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_esp {
    pub type_: c_uint,
    pub size: u16,
    pub val: ibv_flow_esp_filter,
    pub mask: ibv_flow_esp_filter,
}

/// `struct ibv_flow_spec_eth` of `verbs.h` (40 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_eth {
    pub type_: c_uint,
    pub size: u16,
    pub val: ibv_flow_eth_filter,
    pub mask: ibv_flow_eth_filter,
}

/// `struct ibv_flow_spec_gre` of `verbs.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_gre {
    pub type_: c_uint,
    pub size: u16,
    pub val: ibv_flow_gre_filter,
    pub mask: ibv_flow_gre_filter,
}

/// `struct ibv_flow_spec_ipv4` of `verbs.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_ipv4 {
    pub type_: c_uint,
    pub size: u16,
    pub val: ibv_flow_ipv4_filter,
    pub mask: ibv_flow_ipv4_filter,
}

/// `struct ibv_flow_spec_ipv4_ext` of `verbs.h` (32 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_ipv4_ext {
    pub type_: c_uint,
    pub size: u16,
    pub val: ibv_flow_ipv4_ext_filter,
    pub mask: ibv_flow_ipv4_ext_filter,
}

/// `struct ibv_flow_spec_ipv6` of `verbs.h` (88 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_ipv6 {
    pub type_: c_uint,
    pub size: u16,
    pub val: ibv_flow_ipv6_filter,
    pub mask: ibv_flow_ipv6_filter,
}

/// `struct ibv_flow_spec_mpls` of `verbs.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_mpls {
    pub type_: c_uint,
    pub size: u16,
    pub val: ibv_flow_mpls_filter,
    pub mask: ibv_flow_mpls_filter,
}

/// `struct ibv_flow_spec_tcp_udp` of `verbs.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_tcp_udp {
    pub type_: c_uint,
    pub size: u16,
    pub val: ibv_flow_tcp_udp_filter,
    pub mask: ibv_flow_tcp_udp_filter,
}

/// `struct ibv_flow_spec_tunnel` of `verbs.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_spec_tunnel {
    pub type_: c_uint,
    pub size: u16,
    pub val: ibv_flow_tunnel_filter,
    pub mask: ibv_flow_tunnel_filter,
}

/// `struct ibv_flow_tcp_udp_filter` of `verbs.h` (4 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_tcp_udp_filter {
    pub dst_port: u16,
    pub src_port: u16,
}

/// `struct ibv_flow_tunnel_filter` of `verbs.h` (4 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ibv_flow_tunnel_filter {
    pub tunnel_id: u32,
}
