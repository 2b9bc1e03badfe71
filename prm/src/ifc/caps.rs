//! Capability queries and the smaller capability pages.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub CAPS_LAYOUTS;

    /// Layout `atomic_caps`.
    AtomicCaps = "atomic_caps", 0x800 {
        ATOMIC_REQ_8B_ENDIANNESS_MODE: 0x40, 2;
        SUPPORTED_ATOMIC_REQ_8B_ENDIANNESS_MODE_1: 0x46, 1;
        ATOMIC_OPERATIONS: 0x90, 16;
        ATOMIC_SIZE_QP: 0xb0, 16;
        ATOMIC_SIZE_DC: 0xd0, 16;
        FETCH_ADD_PCI_ATOMIC: 0x280, 16;
        SWAP_PCI_ATOMIC: 0x290, 16;
        COMPARE_SWAP_PCI_ATOMIC: 0x2a0, 16;
    }

    /// Layout `roce_cap`.
    RoceCap = "roce_cap", 0x800 {
        ROCE_APM: 0x0, 1;
        SW_R_ROCE_SRC_UDP_PORT: 0x4, 1;
        FL_RC_QP_WHEN_ROCE_DISABLED: 0x5, 1;
        FL_RC_QP_WHEN_ROCE_ENABLED: 0x6, 1;
        QP_TS_FORMAT: 0x1e, 2;
        L3_TYPE: 0x8c, 4;
        ROCE_VERSION: 0x98, 8;
        R_ROCE_DEST_UDP_PORT: 0xb0, 16;
        R_ROCE_MAX_SRC_UDP_PORT: 0xc0, 16;
        R_ROCE_MIN_SRC_UDP_PORT: 0xd0, 16;
        ROCE_ADDRESS_TABLE_SIZE: 0xf0, 16;
    }

    /// Layout `device_mem_cap`.
    DeviceMemCap = "device_mem_cap", 0x800 {
        MEMIC: 0x0, 1;
        LOG_MIN_MEMIC_ALLOC_SIZE: 0x2b, 5;
        LOG_MAX_MEMIC_ADDR_ALIGNMENT: 0x38, 8;
        MEMIC_BAR_START_ADDR: 0x40, 64;
        MEMIC_BAR_SIZE: 0x80, 32;
        MAX_MEMIC_SIZE: 0xa0, 32;
        STEERING_SW_ICM_START_ADDRESS: 0xc0, 64;
        LOG_HEADER_MODIFY_SW_ICM_SIZE: 0x108, 8;
        LOG_SW_ICM_ALLOC_GRANULARITY: 0x112, 6;
        LOG_STEERING_SW_ICM_SIZE: 0x118, 8;
        LOG_INDIRECT_ENCAP_SW_ICM_SIZE: 0x120, 8;
        LOG_HEADER_MODIFY_PATTERN_SW_ICM_SIZE: 0x138, 8;
        HEADER_MODIFY_SW_ICM_START_ADDRESS: 0x140, 64;
        HEADER_MODIFY_PATTERN_SW_ICM_START_ADDRESS: 0x1c0, 64;
        MEMIC_OPERATIONS: 0x200, 32;
        INDIRECT_ENCAP_SW_ICM_START_ADDRESS: 0x240, 64;
        INDIRECT_ENCAP_ICM_BASE: 0x280, 64;
    }

    /// Layout `odp_per_transport_service_cap`.
    OdpPerTransportServiceCap = "odp_per_transport_service_cap", 0x20 {
        SEND: 0x0, 1;
        RECEIVE: 0x1, 1;
        WRITE: 0x2, 1;
        READ: 0x3, 1;
        ATOMIC: 0x4, 1;
        SRQ_RECEIVE: 0x5, 1;
    }

    /// Layout `odp_cap`.
    OdpCap = "odp_cap", 0x800 {
        SIG: 0x40, 1;
        RC_ODP_CAPS: 0x80, 32 as OdpPerTransportServiceCap;
        UC_ODP_CAPS: 0xa0, 32 as OdpPerTransportServiceCap;
        UD_ODP_CAPS: 0xc0, 32 as OdpPerTransportServiceCap;
        XRC_ODP_CAPS: 0xe0, 32 as OdpPerTransportServiceCap;
        DC_ODP_CAPS: 0x100, 32 as OdpPerTransportServiceCap;
    }

    /// Layout `e_switch_cap`.
    ESwitchCap = "e_switch_cap", 0x800 {
        LOG_MAX_ESW_SF: 0x4b, 5;
        ESW_SF_BASE_ID: 0x50, 16;
        ESW_MANAGER_VPORT_NUMBER_VALID: 0x60, 1;
        ESW_MANAGER_VPORT_NUMBER: 0x70, 16;
    }

    /// Layout `qos_cap`.
    QosCap = "qos_cap", 0x800 {
        PACKET_PACING: 0x0, 1;
        ESW_SCHEDULING: 0x1, 1;
        ESW_BW_SHARE: 0x2, 1;
        ESW_RATE_LIMIT: 0x3, 1;
        PACKET_PACING_BURST_BOUND: 0x5, 1;
        PACKET_PACING_TYPICAL_SIZE: 0x6, 1;
        NIC_SQ_SCHEDULING: 0x8, 1;
        NIC_BW_SHARE: 0x9, 1;
        NIC_RATE_LIMIT: 0xa, 1;
        PACKET_PACING_UID: 0xb, 1;
        NIC_QP_SCHEDULING: 0x21, 1;
        PACKET_PACING_MAX_RATE: 0x40, 32;
        PACKET_PACING_MIN_RATE: 0x60, 32;
        PACKET_PACING_RATE_TABLE_SIZE: 0x90, 16;
        NIC_ELEMENT_TYPE: 0x100, 16;
        NIC_TSAR_TYPE: 0x110, 16;
    }

    /// General device capabilities, second page.
    CmdHcaCap2 = "cmd_hca_cap_2", 0x800 {
        QUERY_VUID: 0x92, 1;
        LOG_RESERVED_QPN_GRANULARITY: 0x93, 5;
        MAX_REFORMAT_INSERT_SIZE: 0xa0, 8;
        MAX_REFORMAT_INSERT_OFFSET: 0xa8, 8;
        MAX_REFORMAT_REMOVE_SIZE: 0xb0, 8;
        MAX_REFORMAT_REMOVE_OFFSET: 0xb8, 8;
        CROSS_VHCA_OBJECT_TO_OBJECT_SUPPORTED: 0xe0, 32;
        ALLOWED_OBJECT_FOR_OTHER_VHCA_ACCESS: 0x100, 64;
    }

    /// Layout `crypto_caps`.
    CryptoCaps = "crypto_caps", 0x800 {
        WRAPPED_CRYPTO_OPERATIONAL: 0x0, 1;
        WRAPPED_CRYPTO_GOING_TO_COMMISSIONING: 0x1, 1;
        WRAPPED_IMPORT_METHOD: 0x18, 8;
        LOG_MAX_NUM_DEKS: 0x2b, 5;
        LOG_MAX_NUM_IMPORT_KEKS: 0x33, 5;
        LOG_MAX_NUM_CREDS: 0x3b, 5;
        FAILED_SELFTESTS: 0x40, 16;
        NUM_NV_IMPORT_KEKS: 0x50, 8;
        NUM_NV_CREDENTIALS: 0x58, 8;
    }

    /// Layout `hca_cap_union`.
    HcaCapUnion = "hca_cap_union", 0x8000 {
        ATOMIC_CAPS: 0x0, 2048 as AtomicCaps;
        CMD_HCA_CAP: 0x0, 2048 as CmdHcaCap;
        FLOW_TABLE_NIC_CAP: 0x0, 32768 as FlowTableNicCap;
        FLOW_TABLE_ESWITCH_CAP: 0x0, 32768 as FlowTableEswitchCap;
        E_SWITCH_CAP: 0x0, 2048 as ESwitchCap;
        DEVICE_MEM_CAP: 0x0, 2048 as DeviceMemCap;
        ODP_CAP: 0x0, 2048 as OdpCap;
        ROCE_CAPS: 0x0, 2048 as RoceCap;
        QOS_CAPS: 0x0, 2048 as QosCap;
        CMD_HCA_CAP_2: 0x0, 2048 as CmdHcaCap2;
        CRYPTO_CAPS: 0x0, 2048 as CryptoCaps;
    }

    /// Output of QUERY_HCA_CAP.
    QueryHcaCapOut = "query_hca_cap_out", 0x8080 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        CAPABILITY: 0x80, 32768 as HcaCapUnion;
    }

    /// Input of QUERY_HCA_CAP.
    QueryHcaCapIn = "query_hca_cap_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        OTHER_FUNCTION: 0x40, 1;
        FUNCTION_ID: 0x50, 16;
    }

    /// Output of SET_HCA_CAP.
    SetHcaCapOut = "set_hca_cap_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Input of SET_HCA_CAP.
    SetHcaCapIn = "set_hca_cap_in", 0x8080 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        OTHER_FUNCTION: 0x40, 1;
        FUNCTION_ID: 0x50, 16;
        CAPABILITY: 0x80, 32768 as HcaCapUnion;
    }

    /// Layout `per_protocol_networking_offload_caps`.
    PerProtocolNetworkingOffloadCaps = "per_protocol_networking_offload_caps", 0x800 {
        CSUM_CAP: 0x0, 1;
        VLAN_CAP: 0x1, 1;
        LRO_CAP: 0x2, 1;
        SELF_LB_EN_MODIFIABLE: 0x8, 1;
        SELF_LB_MC: 0x9, 1;
        SELF_LB_UC: 0xa, 1;
        MAX_LSO_CAP: 0xb, 5;
        MULTI_PKT_SEND_WQE: 0x10, 2;
        WQE_INLINE_MODE: 0x12, 2;
        RSS_IND_TBL_CAP: 0x14, 4;
        REG_UMR_SQ: 0x18, 1;
        SCATTER_FCS: 0x19, 1;
        ENHANCED_MULTI_PKT_SEND_WQE: 0x1a, 1;
        SWP: 0x30, 1;
        SWP_CSUM: 0x31, 1;
        SWP_LSO: 0x32, 1;
    }

    /// Layout `virtio_emulation_cap`.
    VirtioEmulationCap = "virtio_emulation_cap", 0x800 {
        EVENT_MODE: 0x10, 8;
        VIRTIO_QUEUE_TYPE: 0x18, 8;
        LOG_DOORBELL_STRIDE: 0x33, 5;
        LOG_DOORBELL_BAR_SIZE: 0x3b, 5;
        DOORBELL_BAR_OFFSET: 0x40, 64;
    }

    /// Layout `device_event_cap`.
    DeviceEventCap = "device_event_cap", 0x800 {
        USER_AFFILIATED_EVENTS: 0x0, 64 [4];
        USER_UNAFFILIATED_EVENTS: 0x100, 64 [4];
    }
}
