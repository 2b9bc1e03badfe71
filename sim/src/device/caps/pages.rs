//! The capability pages besides the general one.

use super::{LONG, SHORT, build};
use crate::device::bar::memic_operation;
use crate::device::{MEMIC_BAR, SW_ICM, VAR_BAR};
use prm::{
    AtomicCaps, CmdHcaCap2, CryptoCaps, DeviceEventCap, DeviceMemCap as Mem, Field, FlowTableNicCap as Nic,
    FlowTablePropLayout as Prop, HeaderModifyCapProperties as Modify,
    PerProtocolNetworkingOffloadCaps as Eth, QosCap, RoceCap, VirtioEmulationCap, event,
};

/// Stateless offloads of an Ethernet port.
pub(super) const ETHERNET: &[(Field, u64)] = &[
    (Eth::CSUM_CAP, 1),
    (Eth::VLAN_CAP, 1),
    (Eth::SELF_LB_EN_MODIFIABLE, 1),
    (Eth::MAX_LSO_CAP, 16),
    (Eth::WQE_INLINE_MODE, 2), // not required
    (Eth::RSS_IND_TBL_CAP, 11),
    (Eth::SCATTER_FCS, 1),
];

pub(super) const ROCE: &[(Field, u64)] = &[
    (RoceCap::L3_TYPE, 6),      // bit 1 IPv4, bit 2 IPv6
    (RoceCap::ROCE_VERSION, 5), // versions 1 and 2
    (RoceCap::R_ROCE_DEST_UDP_PORT, 4791),
    (RoceCap::R_ROCE_MAX_SRC_UDP_PORT, 0xffff),
    (RoceCap::R_ROCE_MIN_SRC_UDP_PORT, 0xc000),
    (RoceCap::ROCE_ADDRESS_TABLE_SIZE, 128),
];

pub(super) const ATOMIC: &[(Field, u64)] = &[
    (AtomicCaps::ATOMIC_REQ_8B_ENDIANNESS_MODE, 0),
    (AtomicCaps::SUPPORTED_ATOMIC_REQ_8B_ENDIANNESS_MODE_1, 1),
    (AtomicCaps::ATOMIC_OPERATIONS, 0x3), // compare and swap, fetch and add
    (AtomicCaps::ATOMIC_SIZE_QP, 0x8),    // 8 bytes
    (AtomicCaps::ATOMIC_SIZE_DC, 0x8),
];

pub(super) const QOS: &[(Field, u64)] = &[
    (QosCap::PACKET_PACING, 1),
    (QosCap::PACKET_PACING_BURST_BOUND, 1),
    (QosCap::PACKET_PACING_TYPICAL_SIZE, 1),
    (QosCap::PACKET_PACING_UID, 1),
    (QosCap::PACKET_PACING_MIN_RATE, 1),
    (QosCap::PACKET_PACING_MAX_RATE, 100_000_000), // kilobits a second
    (QosCap::PACKET_PACING_RATE_TABLE_SIZE, 128),
    (QosCap::NIC_SQ_SCHEDULING, 1),
    (QosCap::NIC_BW_SHARE, 1),
    (QosCap::NIC_RATE_LIMIT, 1),
    (QosCap::NIC_QP_SCHEDULING, 1),
    (QosCap::NIC_ELEMENT_TYPE, 0x11), // arbiters and queue groups
    (QosCap::NIC_TSAR_TYPE, 0x1),     // deficit weighted round robin
];

pub(super) const CRYPTO: &[(Field, u64)] = &[
    (CryptoCaps::WRAPPED_CRYPTO_OPERATIONAL, 1),
    (CryptoCaps::WRAPPED_IMPORT_METHOD, 0x4), // AES
    (CryptoCaps::LOG_MAX_NUM_DEKS, 14),
    (CryptoCaps::LOG_MAX_NUM_IMPORT_KEKS, 4),
    (CryptoCaps::LOG_MAX_NUM_CREDS, 4),
];

pub(super) const GENERAL_2: &[(Field, u64)] = &[
    (CmdHcaCap2::QUERY_VUID, 1),
    (CmdHcaCap2::LOG_RESERVED_QPN_GRANULARITY, 3),
    // objects that another function may be let at
    (CmdHcaCap2::ALLOWED_OBJECT_FOR_OTHER_VHCA_ACCESS, 0x1ff),
];

/// Operations that accesses to an operation address can do.
const MEMIC_OPERATIONS: u64 = 1 << memic_operation::INCREMENT | 1 << memic_operation::TEST_AND_SET;
const LOG_ICM_GRANULE: u64 = 12;

/// Device memory, and the windows of software-managed steering memory.
pub(super) fn device_memory() -> Vec<u8> {
    let log = |n: usize| (SW_ICM[n].end - SW_ICM[n].start).ilog2() as u64;
    let size = MEMIC_BAR.end - MEMIC_BAR.start;
    build(
        SHORT,
        &[
            (Mem::MEMIC, 1),
            (Mem::LOG_MIN_MEMIC_ALLOC_SIZE, 6),
            (Mem::LOG_MAX_MEMIC_ADDR_ALIGNMENT, 12),
            (Mem::MEMIC_BAR_START_ADDR, MEMIC_BAR.start),
            (Mem::MEMIC_BAR_SIZE, size),
            (Mem::MAX_MEMIC_SIZE, size / 4),
            (Mem::MEMIC_OPERATIONS, MEMIC_OPERATIONS),
            (Mem::LOG_SW_ICM_ALLOC_GRANULARITY, LOG_ICM_GRANULE),
            (Mem::STEERING_SW_ICM_START_ADDRESS, SW_ICM[0].start),
            (Mem::LOG_STEERING_SW_ICM_SIZE, log(0)),
            (Mem::HEADER_MODIFY_SW_ICM_START_ADDRESS, SW_ICM[1].start),
            (Mem::LOG_HEADER_MODIFY_SW_ICM_SIZE, log(1)),
            (Mem::HEADER_MODIFY_PATTERN_SW_ICM_START_ADDRESS, SW_ICM[2].start),
            (Mem::LOG_HEADER_MODIFY_PATTERN_SW_ICM_SIZE, log(2)),
            (Mem::INDIRECT_ENCAP_SW_ICM_START_ADDRESS, SW_ICM[3].start),
            (Mem::LOG_INDIRECT_ENCAP_SW_ICM_SIZE, log(3)),
        ],
    )
}

/// Doorbells of virtio queues lie in the BAR. No event mode is offered, so that drivers
/// see the doorbells and make no virtio device.
pub(super) fn virtio() -> Vec<u8> {
    build(
        SHORT,
        &[
            (VirtioEmulationCap::LOG_DOORBELL_STRIDE, 12),
            (VirtioEmulationCap::LOG_DOORBELL_BAR_SIZE, (VAR_BAR.end - VAR_BAR.start).ilog2() as u64),
            (VirtioEmulationCap::DOORBELL_BAR_OFFSET, VAR_BAR.start),
        ],
    )
}

/// Events that users may subscribe to: first those of an object, then those of the device.
pub(super) fn events() -> Vec<u8> {
    const OF_OBJECTS: &[u8] = &[
        event::PATH_MIG,
        event::COMM_EST,
        event::SQ_DRAINED,
        event::CQ_ERROR,
        event::WQ_CATAS_ERROR,
        event::PATH_MIG_FAILED,
        event::WQ_INVAL_REQ_ERROR,
        event::WQ_ACCESS_ERROR,
        event::SRQ_CATAS_ERROR,
        event::SRQ_LAST_WQE,
        event::SRQ_RQ_LIMIT,
        event::XRQ_ERROR,
        event::DCT_DRAINED,
        event::DCT_KEY_VIOLATION,
        event::OBJECT_CHANGE,
    ];
    const OF_DEVICE: &[u8] = &[event::PORT_CHANGE, event::GPIO, event::TEMP_WARN, event::GENERAL];
    let mut b = vec![0; SHORT];
    let sets = [
        (DeviceEventCap::USER_AFFILIATED_EVENTS, OF_OBJECTS),
        (DeviceEventCap::USER_UNAFFILIATED_EVENTS, OF_DEVICE),
    ];
    for (mask, list) in sets {
        for n in list {
            // four words; type n is bit n % 64 of word n / 64
            let word = Field::new(mask.off + 64 * (*n as usize / 64), 64);
            let bits = word.get(&b) | 1 << (n % 64);
            word.set(&mut b, bits);
        }
    }
    b
}

/// Properties that every type of flow tables has.
const TABLE: &[(Field, u64)] = &[
    (Prop::FT_SUPPORT, 1),
    (Prop::FLOW_TAG, 1),
    (Prop::FLOW_COUNTER, 1),
    (Prop::FLOW_MODIFY_EN, 1),
    (Prop::MODIFY_ROOT, 1),
    (Prop::IDENTIFIED_MISS_TABLE, 1),
    (Prop::FLOW_TABLE_MODIFY, 1),
    (Prop::REFORMAT, 1),
    (Prop::DECAP, 1),
    (Prop::POP_VLAN, 1),
    (Prop::PUSH_VLAN, 1),
    (Prop::REFORMAT_L3_TUNNEL_TO_L2, 1),
    (Prop::REFORMAT_L2_TO_L3_TUNNEL, 1),
    (Prop::REFORMAT_AND_MODIFY_ACTION, 1),
    (Prop::METADATA_REG_A_WIDTH, 32),
    (Prop::METADATA_REG_B_WIDTH, 32),
    (Prop::LOG_MAX_FT_SIZE, 22),
    (Prop::LOG_MAX_MODIFY_HEADER_CONTEXT, 10),
    (Prop::MAX_MODIFY_HEADER_ACTIONS, 16),
    (Prop::MAX_FT_LEVEL, 64),
    (Prop::LOG_MAX_FT_NUM, 16),
    (Prop::LOG_MAX_FLOW_COUNTER, 16),
    (Prop::LOG_MAX_DESTINATION, 6),
    (Prop::LOG_MAX_FLOW, 20),
];
/// Header fields that a table can match, 32 at a time: outer, inner, then labels and the
/// like without those of programmable parsing.
const MATCHED: [u64; 4] = [0xffff_fffc, 0xffff_fe01, 0x07ff_fbff, 0];
/// Header fields that modifications set and add to.
const MODIFIED: [u64; 3] = [0xe30c_fe00, 0xe30c_fe03, 0xc0];

pub(super) fn flow_tables() -> Vec<u8> {
    let mut b = vec![0u8; LONG];
    let features = [
        Nic::NIC_RX_MULTI_PATH_TIRS,
        Nic::NIC_RX_MULTI_PATH_TIRS_FTS,
        Nic::NIC_RX_FLOW_TAG_MULTIPATH_EN,
        Nic::ALLOW_SNIFFER_AND_NIC_RX_SHARED_TIR,
        Nic::ENCAP_GENERAL_HEADER,
    ];
    for f in features {
        f.set(&mut b, 1);
    }
    Nic::LOG_MAX_PACKET_REFORMAT_CONTEXT.set(&mut b, 12);
    Nic::MAX_ENCAP_HEADER_SIZE.set(&mut b, 256);
    let types = [
        Nic::FLOW_TABLE_PROPERTIES_NIC_RECEIVE,
        Nic::FLOW_TABLE_PROPERTIES_NIC_RECEIVE_RDMA,
        Nic::FLOW_TABLE_PROPERTIES_NIC_TRANSMIT,
        Nic::FLOW_TABLE_PROPERTIES_NIC_TRANSMIT_RDMA,
        Nic::FLOW_TABLE_PROPERTIES_NIC_RECEIVE_SNIFFER,
        Nic::FLOW_TABLE_PROPERTIES_NIC_TRANSMIT_SNIFFER,
    ];
    for at in types {
        for (f, v) in TABLE {
            f.within(at).set(&mut b, *v);
        }
        for support in [Prop::FT_FIELD_SUPPORT, Prop::FT_FIELD_BITMASK_SUPPORT] {
            let word = |n: usize| Field::new(support.within(at).off + 32 * n, 32);
            for (k, fields) in MATCHED.into_iter().enumerate() {
                word(k).set(&mut b, fields);
            }
        }
    }
    for at in [Nic::HEADER_MODIFY_NIC_RECEIVE, Nic::HEADER_MODIFY_NIC_TRANSMIT] {
        for support in [Modify::SET_ACTION_FIELD_SUPPORT, Modify::ADD_ACTION_FIELD_SUPPORT] {
            for (k, fields) in MODIFIED.into_iter().enumerate() {
                Field::new(support.within(at).off + 32 * k, 32).set(&mut b, fields);
            }
        }
    }
    b
}
