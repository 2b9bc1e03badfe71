//! The general capability page.

use super::{SHORT, build};
use crate::device::{Config, PortType};
use prm::{CmdHcaCap as C, Field, object};

/// General object types that the device offers, as numbers of bits.
const OBJECTS: &[u16] = &[
    object::SW_ICM,
    object::FLOW_METER,
    object::GENEVE_TLV_OPT,
    object::DEK,
    object::VIRTIO_NET_Q,
    object::MATCH_DEFINER,
    object::CRYPTO_LOGIN,
    object::FLOW_SAMPLER,
    object::HEADER_MODIFY_ARGUMENT,
    object::ASO_FLOW_METER,
    object::ASO_FIRST_HIT,
    object::SCHEDULING_ELEMENT,
    object::RESERVED_QPN,
    object::ASO_CT,
    object::AV_QP_MAPPING,
];

/// Queues and their sizes, as logarithms where the name says so.
const SIZES: &[(Field, u64)] = &[
    (C::LOG_MAX_SRQ_SZ, 15),
    (C::LOG_MAX_QP_SZ, 15),
    (C::LOG_MAX_QP, 16),
    (C::LOG_MAX_SRQ, 16),
    (C::LOG_MAX_CQ_SZ, 22),
    (C::LOG_MAX_CQ, 16),
    (C::LOG_MAX_EQ_SZ, 22),
    (C::LOG_MAX_EQ, 7),
    (C::MAX_NUM_EQS, 64),
    (C::LOG_MAX_MKEY, 24),
    (C::LOG_MAX_MRW_SZ, 60),
    (C::LOG_MAX_BSF_LIST_SIZE, 5),
    (C::LOG_MAX_KLM_LIST_SIZE, 16),
    (C::MAX_INDIRECTION, 4),
    (C::LOG_MAX_RA_REQ_DC, 4),
    (C::LOG_MAX_RA_RES_DC, 4),
    (C::LOG_MAX_RA_REQ_QP, 4),
    (C::LOG_MAX_RA_RES_QP, 4),
    (C::LOG_MAX_MSG, 30),
    // the Ethernet driver wants send entries of 1024 bytes
    (C::MAX_WQE_SZ_SQ, 1024),
    (C::MAX_WQE_SZ_RQ, 512),
    (C::MAX_WQE_SZ_SQ_DC, 512),
    (C::MAX_QP_CNT, 255),
    (C::MAX_QP_MCG, 4096),
    (C::LOG_MAX_MCG, 12),
    (C::LOG_MAX_TRANSPORT_DOMAIN, 16),
    (C::LOG_MAX_PD, 16),
    (C::LOG_MAX_XRCD, 16),
    (C::LOG_MAX_RQ, 16),
    (C::LOG_MAX_SQ, 16),
    (C::LOG_MAX_TIR, 16),
    (C::LOG_MAX_TIS, 16),
    (C::LOG_MAX_RMP, 16),
    (C::LOG_MAX_RQT, 16),
    (C::LOG_MAX_RQT_SIZE, 11),
    (C::LOG_MAX_TIS_PER_SQ, 1),
    (C::LOG_MAX_STRIDE_SZ_RQ, 13),
    (C::LOG_MIN_STRIDE_SZ_RQ, 4),
    (C::LOG_MAX_STRIDE_SZ_SQ, 6),
    (C::LOG_MIN_STRIDE_SZ_SQ, 6),
    (C::LOG_MAX_WQ_SZ, 15),
    (C::LOG_MAX_UCTX, 10),
    (C::LOG_MAX_UMEM, 16),
    (C::LOG_MAX_XRQ, 10),
    (C::LOG_TAG_MATCHING_LIST_SZ, 6),
    (C::LOG_MAX_DCI_STREAM_CHANNELS, 4),
    (C::LOG_MAX_DCI_ERRORED_STREAMS, 4),
    (C::LOG_MAX_FLOW_COUNTER_BULK, 12),
    (C::LOG_MAX_NUM_HEADER_MODIFY_ARGUMENT, 16),
    (C::LOG_HEADER_MODIFY_ARGUMENT_GRANULARITY, 0),
    (C::LOG_HEADER_MODIFY_ARGUMENT_MAX_ALLOC, 10),
    (C::LOG_PG_SZ, 12),
    (C::LOG_UAR_PAGE_SZ, 0),
    (C::UAR_SZ, 5), // 32 MiB
    (C::NUM_OF_UARS_PER_PAGE, 1),
    (C::LOG_BF_REG_SIZE, 9),
    (C::LOCAL_CA_ACK_DELAY, 16),
    (C::GID_TABLE_SIZE, 0),  // 8
    (C::PKEY_TABLE_SIZE, 0), // 128
    (C::CQE_COMPRESSION_TIMEOUT, 4),
    (C::CQE_COMPRESSION_MAX_NUM, 64),
    // the core clock counts nanoseconds
    (C::DEVICE_FREQUENCY_MHZ, 1000),
    (C::DEVICE_FREQUENCY_KHZ, 1_000_000),
    (C::CQE_VERSION, 1),
    (C::UMR_FENCE, 2), // none needed
    (C::NATIVE_PORT_NUM, 1),
    // raw sending, and use of the device's internal resources
    (C::UCTX_CAP, 0x3),
    (C::MATCH_DEFINER_FORMAT_SUPPORTED, 1 | 1 << 4 | 1 << 22 | 1 << 24 | 1 << 32),
    (C::STEERING_FORMAT_VERSION, 2),
];

/// Features that are simply there.
const FEATURES: &[Field] = &[
    C::PAGE_REQUEST_DISABLE,
    C::SHARED_OBJECT_TO_USER_OBJECT_ALLOWED,
    C::HCA_CAP_2,
    C::EVENT_CAP,
    C::ECE_SUPPORT,
    C::RELAXED_ORDERING_WRITE,
    C::RELAXED_ORDERING_READ,
    C::DUMP_FILL_MKEY,
    C::TERMINATE_SCATTER_LIST_MKEY,
    C::REPEATED_MKEY,
    C::FIXED_BUFFER_SIZE,
    C::UMR_EXTENDED_TRANSLATION_OFFSET,
    C::NULL_MKEY,
    C::QPC_EXTENSION,
    C::QP_DATA_IN_ORDER,
    C::END_PAD,
    C::RTS2RTS_QP_COUNTERS_SET_ID,
    C::RTS2RTS_QP_UDP_SPORT,
    C::OUT_OF_SEQ_CNT,
    C::VPORT_COUNTERS,
    C::RETRANSMISSION_Q_COUNTERS,
    C::COMPACT_ADDRESS_VECTOR,
    C::SCTR_DATA_CQE,
    C::SHO,
    C::SIGERR_DOMAIN_AND_SIG_TYPE,
    C::SIG_CRC32C,
    C::RF,
    C::ATOMIC,
    C::CQ_OI,
    C::CQ_RESIZE,
    C::CQ_MODERATION,
    C::CQ_EQ_REMAP,
    C::BLOCK_LB_MC,
    C::APM,
    C::UMR_PTR_RLKEY,
    C::IMAICL,
    C::QKV,
    C::PKV,
    C::SET_DETH_SQPN,
    C::XRC,
    C::UD,
    C::UC,
    C::RC,
    C::DCT,
    C::UAR_4K,
    C::UMEM_UID_0,
    C::BF,
    C::DRIVER_VERSION,
    C::MKEY_BY_NAME,
    C::QP_BY_NAME,
    C::BASIC_CYCLIC_RCV_WQE,
    C::MODIFY_TIS,
    C::TAG_MATCHING,
    C::DEVICE_MEMORY,
    C::QOS,
    C::CRYPTO,
    C::AES_XTS_SINGLE_BLOCK_LE_TWEAK,
    C::AES_XTS_MULTI_BLOCK_BE_TWEAK,
    C::CQE_COMPRESSION,
    C::CQE_128_ALWAYS,
    C::DMA_MMO_SQ,
    C::DMA_MMO_QP,
];

/// What an Ethernet port says differently, or in addition.
const ETHERNET: &[(Field, u64)] = &[
    (C::PORT_TYPE, 1),
    (C::NIC_FLOW_TABLE, 1),
    (C::ETH_NET_OFFLOADS, 1),
    (C::ROCE, 1),
    (C::LOG_MAX_L2_TABLE, 10),
    (C::LOG_MAX_VLAN_LIST, 12),
    (C::LOG_MAX_CURRENT_MC_LIST, 7),
    (C::LOG_MAX_CURRENT_UC_LIST, 7),
    (C::MAX_TC, 8),
    (C::GID_TABLE_SIZE, 4), // 128
    (C::FLOW_COUNTER_BULK_ALLOC, 0x7f),
    (C::MAX_FLOW_COUNTER_15_0, 0xffff),
];

/// What an InfiniBand port says: ports are virtual, else the driver asks everything by
/// management datagrams.
const INFINIBAND: &[(Field, u64)] = &[(C::PORT_TYPE, 0), (C::IB_VIRT, 1)];

/// The page of a device.
pub(super) fn page(config: &Config) -> Vec<u8> {
    let mut b = build(SHORT, SIZES);
    let mut set = |f: Field, v: u64| f.set(&mut b, v);
    for f in FEATURES {
        set(*f, 1);
    }
    set(C::GENERAL_OBJ_TYPES, OBJECTS.iter().fold(0, |bits, t| bits | 1 << t));
    let list = match config.port_type {
        PortType::Ethernet => ETHERNET,
        PortType::InfiniBand => INFINIBAND,
    };
    for (f, v) in list {
        set(*f, *v);
    }
    set(C::NUM_PORTS, config.ports as u64);
    set(C::NUM_VHCA_PORTS, 1);
    if config.ports > 1 {
        set(C::NUM_LAG_PORTS, config.ports as u64);
        set(C::LAG_TX_PORT_AFFINITY, 1);
        set(C::RTS2RTS_LAG_TX_PORT_AFFINITY, 1);
    }
    set(C::DATA_DIRECT, config.data_direct as u64);
    b
}
