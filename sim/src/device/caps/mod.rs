//! Capability pages, one per capability type, as (bit offset, width, value) lists.

use crate::device::{Config, PortType};
use prm::bits;

pub const GENERAL: u16 = 0x0;
pub const ATOMIC: u16 = 0x3;
pub const DEV_EVENT: u16 = 0x14;
pub const GENERAL_2: u16 = 0x20;

/// General device capabilities of an InfiniBand port.
const GENERAL_IB: &[(usize, usize, u64, &str)] = &[
    (0x006, 1, 1, "page_request_disable"),
    (0x010, 1, 1, "shared_object_to_user_object_allowed"),
    (0x020, 1, 1, "hca_cap_2"),
    (0x030, 16, 0, "vhca_id"),
    (0x080, 8, 15, "log_max_srq_sz"),
    (0x088, 8, 15, "log_max_qp_sz"),
    (0x090, 1, 1, "event_cap"),
    (0x09b, 5, 16, "log_max_qp"),
    (0x0a3, 1, 1, "ece_support"),
    (0x0ab, 5, 16, "log_max_srq"),
    (0x0c8, 8, 22, "log_max_cq_sz"),
    (0x0db, 5, 16, "log_max_cq"),
    (0x0e0, 8, 22, "log_max_eq_sz"),
    (0x0e8, 1, 1, "relaxed_ordering_write"),
    (0x0ea, 6, 24, "log_max_mkey"),
    (0x0f8, 1, 1, "dump_fill_mkey"),
    (0x0fc, 4, 7, "log_max_eq"),
    (0x100, 8, 4, "max_indirection"),
    (0x108, 1, 1, "fixed_buffer_size"),
    (0x109, 7, 60, "log_max_mrw_sz"),
    (0x112, 6, 5, "log_max_bsf_list_size"),
    (0x118, 1, 1, "umr_extended_translation_offset"),
    (0x119, 1, 1, "null_mkey"),
    (0x11a, 6, 16, "log_max_klm_list_size"),
    (0x12a, 6, 4, "log_max_ra_req_dc"),
    (0x13a, 6, 4, "log_max_ra_res_dc"),
    (0x14a, 6, 4, "log_max_ra_req_qp"),
    (0x15a, 6, 4, "log_max_ra_res_qp"),
    (0x160, 1, 1, "end_pad"),
    (0x169, 1, 1, "rts2rts_qp_counters_set_id"),
    (0x170, 16, 0, "gid_table_size: 8"),
    (0x180, 1, 1, "out_of_seq_cnt"),
    (0x181, 1, 1, "vport_counters"),
    (0x182, 1, 1, "retransmission_q_counters"),
    (0x186, 10, 512, "max_qp_cnt"),
    (0x190, 16, 0, "pkey_table_size: 128"),
    (0x1a2, 1, 1, "ib_virt"),
    (0x1ab, 5, 16, "local_ca_ack_delay"),
    (0x1b6, 2, 0, "port_type: IB"),
    (0x1b8, 8, 1, "num_ports"),
    (0x1c3, 5, 30, "log_max_msg"),
    (0x1fc, 4, 1, "cqe_version"),
    (0x200, 1, 1, "compact_address_vector"),
    (0x20a, 2, 2, "umr_fence: none needed"),
    (0x215, 1, 1, "sctr_data_cqe"),
    (0x217, 1, 1, "sho"),
    (0x219, 1, 1, "rf"),
    (0x21e, 1, 1, "atomic"),
    (0x220, 1, 1, "cq_oi"),
    (0x221, 1, 1, "cq_resize"),
    (0x222, 1, 1, "cq_moderation"),
    (0x226, 1, 1, "cq_eq_remap"),
    (0x228, 1, 1, "block_lb_mc"),
    (0x22e, 1, 1, "apm"),
    (0x230, 1, 1, "umr_ptr_rlky"),
    (0x231, 1, 1, "imaicl"),
    (0x236, 1, 1, "qkv"),
    (0x237, 1, 1, "pkv"),
    (0x238, 1, 1, "set_deth_sqpn"),
    (0x23c, 1, 1, "xrc"),
    (0x23d, 1, 1, "ud"),
    (0x23e, 1, 1, "uc"),
    (0x23f, 1, 1, "rc"),
    (0x240, 1, 1, "uar_4k"),
    (0x24a, 6, 5, "uar_sz: 32 MiB"),
    (0x252, 1, 1, "umem_uid_0"),
    (0x258, 8, 12, "log_pg_sz"),
    (0x260, 1, 1, "bf"),
    (0x261, 1, 1, "driver_version"),
    (0x266, 1, 1, "mkey_by_name"),
    (0x26b, 5, 9, "log_bf_reg_size"),
    (0x290, 16, 1024, "max_wqe_sz_sq: mlx5e wants 1024"),
    (0x2b0, 16, 512, "max_wqe_sz_rq"),
    (0x2d0, 16, 512, "max_wqe_sz_sq_dc"),
    (0x2e7, 25, 4096, "max_qp_mcg"),
    (0x318, 8, 12, "log_max_mcg"),
    (0x323, 5, 16, "log_max_transport_domain"),
    (0x32a, 1, 1, "relaxed_ordering_read"),
    (0x32b, 5, 16, "log_max_pd"),
    (0x33b, 5, 16, "log_max_xrcd"),
    (0x363, 5, 16, "log_max_rq"),
    (0x36b, 5, 16, "log_max_sq"),
    (0x373, 5, 16, "log_max_tir"),
    (0x37b, 5, 16, "log_max_tis"),
    (0x380, 1, 1, "basic_cyclic_rcv_wqe"),
    (0x383, 5, 16, "log_max_rmp"),
    (0x38b, 5, 16, "log_max_rqt"),
    (0x393, 5, 11, "log_max_rqt_size"),
    (0x39b, 5, 1, "log_max_tis_per_sq"),
    (0x3a3, 5, 13, "log_max_stride_sz_rq"),
    (0x3ab, 5, 4, "log_min_stride_sz_rq"),
    (0x3b3, 5, 6, "log_max_stride_sz_sq"),
    (0x3bb, 5, 6, "log_min_stride_sz_sq"),
    (0x3db, 5, 15, "log_max_wq_sz"),
    (0x400, 64, 1 << 0x0b | 1 << 0x20 | 1 << 0x24, "general_obj_types: geneve option, sampler, flow meter"),
    (0x463, 5, 10, "log_max_uctx"),
    (0x46b, 5, 16, "log_max_umem"),
    (0x470, 16, 64, "max_num_eqs"),
    (0x490, 16, 0, "log_uar_page_sz"),
    (0x4c0, 32, 1000, "device_frequency_mhz"),
    (0x4e0, 32, 1_000_000, "device_frequency_khz"),
    (0x520, 32, 1, "num_of_uars_per_page"),
    (0x608, 8, 1, "native_port_num"),
    (0x610, 8, 1, "num_vhca_ports"),
    (0x752, 1, 1, "data_direct"),
    (0x6a0, 32, 0x3, "uctx_cap: raw tx, internal resources"),
];

/// What an Ethernet port says differently, or in addition.
const GENERAL_ETH: &[(usize, usize, u64, &str)] = &[
    (0x1b6, 2, 1, "port_type: Ethernet"),
    (0x1a2, 1, 0, "ib_virt"),
    (0x1a6, 1, 1, "nic_flow_table"),
    (0x21c, 1, 1, "eth_net_offloads"),
    (0x21d, 1, 1, "roce"),
    (0x483, 5, 10, "log_max_l2_table"),
    (0x3eb, 5, 12, "log_max_vlan_list"),
    (0x3f3, 5, 7, "log_max_current_mc_list"),
    (0x3fb, 5, 7, "log_max_current_uc_list"),
    (0x1cc, 4, 8, "max_tc"),
    (0x170, 16, 4, "gid_table_size: 128"),
    (0x310, 8, 0x7f, "flow_counter_bulk_alloc"),
    (0x350, 16, 0xffff, "max_flow_counter"),
];

const ETH: &[(usize, usize, u64, &str)] = &[
    (0x000, 1, 1, "csum_cap"),
    (0x001, 1, 1, "vlan_cap"),
    (0x008, 1, 1, "self_lb_en_modifiable"),
    (0x00b, 5, 16, "max_lso_cap"),
    (0x012, 2, 2, "wqe_inline_mode: not required"),
    (0x014, 4, 11, "rss_ind_tbl_cap"),
    (0x019, 1, 1, "scatter_fcs"),
];

const ROCE: &[(usize, usize, u64, &str)] = &[
    (0x08c, 4, 6, "l3_type: bit 1 IPv4, bit 2 IPv6"),
    (0x098, 8, 5, "roce_version: 1, 2"),
    (0x0b0, 16, 4791, "r_roce_dest_udp_port"),
    (0x0c0, 16, 0xffff, "r_roce_max_src_udp_port"),
    (0x0d0, 16, 0xc000, "r_roce_min_src_udp_port"),
    (0x0f0, 16, 128, "roce_address_table_size"),
];

/// One table type of the flow table page.
const FLOW: &[(usize, usize, u64, &str)] = &[
    (0x000, 1, 1, "ft_support"),
    (0x002, 1, 1, "flow_counter"),
    (0x003, 1, 1, "flow_modify_en"),
    (0x004, 1, 1, "modify_root"),
    (0x005, 1, 1, "identified_miss_table_mode"),
    (0x006, 1, 1, "flow_table_modify"),
    (0x007, 1, 1, "reformat"),
    (0x008, 1, 1, "decap"),
    (0x022, 6, 22, "log_max_ft_size"),
    (0x028, 8, 10, "log_max_modify_header_context"),
    (0x030, 8, 16, "max_modify_header_actions"),
    (0x038, 8, 64, "max_ft_level"),
    (0x078, 8, 16, "log_max_ft_num"),
    (0x090, 8, 16, "log_max_flow_counter"),
    (0x098, 8, 6, "log_max_destination"),
    (0x0b8, 8, 20, "log_max_flow"),
    (0x100, 32, 0xfffb_fffc, "ft_field_support, outer"),
    (0x120, 32, 0xfffb_fe00, "ft_field_support, inner"),
    (0x15a, 1, 1, "ft_field_support, bth_dst_qp"),
    (0x180, 32, 0xfffb_fffc, "ft_field_bitmask_support, outer"),
    (0x1a0, 32, 0xfffb_fe00, "ft_field_bitmask_support, inner"),
];

fn flow_page() -> Vec<u8> {
    let mut b = vec![0u8; 4096];
    bits::set(&mut b, 0, 2, 3);
    // receive, receive rdma, transmit, transmit rdma
    for base in [0x200, 0x400, 0x800, 0xa00] {
        for &(o, w, v, _) in FLOW {
            bits::set(&mut b, base + o, w, v);
        }
    }
    b
}

const ATOMICS: &[(usize, usize, u64, &str)] = &[
    (0x040, 2, 1, "atomic_req_8B_endianness_mode: host"),
    (0x046, 1, 1, "supported_atomic_req_8B_endianness_mode_1"),
    (0x090, 16, 0x3, "atomic_operations: cmp+swap, fetch+add"),
    (0x0b0, 16, 0x8, "atomic_size_qp: 8 bytes"),
];

const GENERAL2: &[(usize, usize, u64, &str)] = &[(0x092, 1, 1, "query_vuid")];

pub struct Caps {
    pub general: Vec<u8>,
    pub eth: bool,
}

fn build(list: &[(usize, usize, u64, &str)]) -> Vec<u8> {
    let mut b = vec![0u8; 4096];
    for &(o, w, v, _) in list {
        bits::set(&mut b, o, w, v);
    }
    b
}

impl Caps {
    pub fn new(config: &Config) -> Caps {
        let mut general = build(GENERAL_IB);
        let eth = config.port_type == PortType::Ethernet;
        if eth {
            for &(o, w, v, _) in GENERAL_ETH {
                bits::set(&mut general, o, w, v);
            }
        }
        bits::set(&mut general, 0x1b8, 8, config.ports as u64);
        bits::set(&mut general, 0x752, 1, config.data_direct as u64);
        for &(page, off, width, value) in &config.caps {
            if page == GENERAL {
                bits::set(&mut general, off, width, value);
            }
        }
        Caps { general, eth }
    }

    pub fn page(&self, kind: u16) -> Option<Vec<u8>> {
        Some(match kind {
            GENERAL => self.general.clone(),
            0x1 => build(ETH),
            0x4 => build(ROCE),
            0x7 => flow_page(),
            ATOMIC => build(ATOMICS),
            GENERAL_2 => build(GENERAL2),
            DEV_EVENT => {
                let mut b = vec![0u8; 4096];
                // event numbers a user may subscribe to: first the ones bound to an object
                for n in [0x01u32, 0x02, 0x03, 0x04, 0x05, 0x07, 0x10, 0x11, 0x12, 0x13, 0x14, 0x27] {
                    set_event(&mut b, 0, n);
                }
                // then the ones of the whole device
                for n in [0x09u32, 0x15, 0x17] {
                    set_event(&mut b, 32, n);
                }
                b
            }
            // quality of service, device memory: nothing offered
            0x2 | 0xc | 0xd | 0xf => vec![0u8; 4096],
            _ => return None,
        })
    }
}

/// The masks are four big-endian 64-bit words; event n is bit n%64 of word n/64.
fn set_event(b: &mut [u8], base: usize, n: u32) {
    let w = base + (n as usize / 64) * 8;
    let bit = n as usize % 64;
    b[w + 7 - bit / 8] |= 1 << (bit % 8);
}
