//! Capability pages of flow steering.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub CAP_FLOW_LAYOUTS;

    /// Layout `flow_table_fields_supported`.
    FlowTableFieldsSupported = "flow_table_fields_supported", 0x80 {
        OUTER_DMAC: 0x0, 1;
        OUTER_SMAC: 0x1, 1;
        OUTER_ETHER_TYPE: 0x2, 1;
        OUTER_IP_VERSION: 0x3, 1;
        OUTER_FIRST_PRIO: 0x4, 1;
        OUTER_FIRST_CFI: 0x5, 1;
        OUTER_FIRST_VID: 0x6, 1;
        OUTER_IPV4_TTL: 0x7, 1;
        OUTER_SECOND_PRIO: 0x8, 1;
        OUTER_SECOND_CFI: 0x9, 1;
        OUTER_SECOND_VID: 0xa, 1;
        OUTER_IPV6_FLOW_LABEL: 0xb, 1;
        OUTER_SIP: 0xc, 1;
        OUTER_DIP: 0xd, 1;
        OUTER_FRAG: 0xe, 1;
        OUTER_IP_PROTOCOL: 0xf, 1;
        OUTER_IP_ECN: 0x10, 1;
        OUTER_IP_DSCP: 0x11, 1;
        OUTER_UDP_SPORT: 0x12, 1;
        OUTER_UDP_DPORT: 0x13, 1;
        OUTER_TCP_SPORT: 0x14, 1;
        OUTER_TCP_DPORT: 0x15, 1;
        OUTER_TCP_FLAGS: 0x16, 1;
        OUTER_GRE_PROTOCOL: 0x17, 1;
        OUTER_GRE_KEY: 0x18, 1;
        OUTER_VXLAN_VNI: 0x19, 1;
        OUTER_GENEVE_VNI: 0x1a, 1;
        OUTER_GENEVE_OAM: 0x1b, 1;
        OUTER_GENEVE_PROTOCOL_TYPE: 0x1c, 1;
        OUTER_GENEVE_OPT_LEN: 0x1d, 1;
        SOURCE_VHCA_PORT: 0x1e, 1;
        SOURCE_ESWITCH_PORT: 0x1f, 1;
        INNER_DMAC: 0x20, 1;
        INNER_SMAC: 0x21, 1;
        INNER_ETHER_TYPE: 0x22, 1;
        INNER_IP_VERSION: 0x23, 1;
        INNER_FIRST_PRIO: 0x24, 1;
        INNER_FIRST_CFI: 0x25, 1;
        INNER_FIRST_VID: 0x26, 1;
        INNER_IPV4_TTL: 0x27, 1;
        INNER_SECOND_PRIO: 0x28, 1;
        INNER_SECOND_CFI: 0x29, 1;
        INNER_SECOND_VID: 0x2a, 1;
        INNER_IPV6_FLOW_LABEL: 0x2b, 1;
        INNER_SIP: 0x2c, 1;
        INNER_DIP: 0x2d, 1;
        INNER_FRAG: 0x2e, 1;
        INNER_IP_PROTOCOL: 0x2f, 1;
        INNER_IP_ECN: 0x30, 1;
        INNER_IP_DSCP: 0x31, 1;
        INNER_UDP_SPORT: 0x32, 1;
        INNER_UDP_DPORT: 0x33, 1;
        INNER_TCP_SPORT: 0x34, 1;
        INNER_TCP_DPORT: 0x35, 1;
        INNER_TCP_FLAGS: 0x36, 1;
        METADATA_REG_B: 0x3e, 1;
        METADATA_REG_A: 0x3f, 1;
        GENEVE_TLV_OPTION_0_DATA: 0x40, 1;
        GENEVE_TLV_OPTION_0_EXIST: 0x41, 1;
        OUTER_FIRST_MPLS_OVER_UDP_TTL: 0x45, 1;
        OUTER_FIRST_MPLS_OVER_UDP_S_BOS: 0x46, 1;
        OUTER_FIRST_MPLS_OVER_UDP_EXP: 0x47, 1;
        OUTER_FIRST_MPLS_OVER_UDP_LABEL: 0x48, 1;
        OUTER_FIRST_MPLS_OVER_GRE_TTL: 0x49, 1;
        OUTER_FIRST_MPLS_OVER_GRE_S_BOS: 0x4a, 1;
        OUTER_FIRST_MPLS_OVER_GRE_EXP: 0x4b, 1;
        OUTER_FIRST_MPLS_OVER_GRE_LABEL: 0x4c, 1;
        INNER_FIRST_MPLS_TTL: 0x4d, 1;
        INNER_FIRST_MPLS_S_BOS: 0x4e, 1;
        INNER_FIRST_MPLS_EXP: 0x4f, 1;
        INNER_FIRST_MPLS_LABEL: 0x50, 1;
        OUTER_FIRST_MPLS_TTL: 0x51, 1;
        OUTER_FIRST_MPLS_S_BOS: 0x52, 1;
        OUTER_FIRST_MPLS_EXP: 0x53, 1;
        OUTER_FIRST_MPLS_LABEL: 0x54, 1;
        OUTER_EMD_TAG: 0x55, 1;
        INNER_ESP_SPI: 0x56, 1;
        OUTER_ESP_SPI: 0x57, 1;
        INNER_IPV6_HOP_LIMIT: 0x58, 1;
        OUTER_IPV6_HOP_LIMIT: 0x59, 1;
        BTH_DST_QP: 0x5a, 1;
        INNER_FIRST_SVLAN: 0x5b, 1;
        INNER_SECOND_SVLAN: 0x5c, 1;
        OUTER_FIRST_SVLAN: 0x5d, 1;
        OUTER_SECOND_SVLAN: 0x5e, 1;
        SOURCE_SQN: 0x5f, 1;
    }

    /// Layout `flow_table_prop_layout`.
    FlowTablePropLayout = "flow_table_prop_layout", 0x200 {
        FT_SUPPORT: 0x0, 1;
        FLOW_TAG: 0x1, 1;
        FLOW_COUNTER: 0x2, 1;
        FLOW_MODIFY_EN: 0x3, 1;
        MODIFY_ROOT: 0x4, 1;
        IDENTIFIED_MISS_TABLE: 0x5, 1;
        FLOW_TABLE_MODIFY: 0x6, 1;
        REFORMAT: 0x7, 1;
        DECAP: 0x8, 1;
        RESET_ROOT_TO_DEFAULT: 0x9, 1;
        POP_VLAN: 0xa, 1;
        PUSH_VLAN: 0xb, 1;
        FPGA_VENDOR_ACCELERATION: 0xc, 1;
        POP_VLAN_2: 0xd, 1;
        PUSH_VLAN_2: 0xe, 1;
        REFORMAT_AND_VLAN_ACTION: 0xf, 1;
        MODIFY_AND_VLAN_ACTION: 0x10, 1;
        SW_OWNER: 0x11, 1;
        REFORMAT_L3_TUNNEL_TO_L2: 0x12, 1;
        REFORMAT_L2_TO_L3_TUNNEL: 0x13, 1;
        REFORMAT_AND_MODIFY_ACTION: 0x14, 1;
        SW_OWNER_V2: 0x1e, 1;
        LOG_MAX_FT_SIZE: 0x22, 6;
        LOG_MAX_MODIFY_HEADER_CONTEXT: 0x28, 8;
        MAX_MODIFY_HEADER_ACTIONS: 0x30, 8;
        MAX_FT_LEVEL: 0x38, 8;
        METADATA_REG_B_WIDTH: 0x50, 8;
        METADATA_REG_A_WIDTH: 0x58, 8;
        LOG_MAX_FT_NUM: 0x78, 8;
        LOG_MAX_FLOW_COUNTER: 0x90, 8;
        LOG_MAX_DESTINATION: 0x98, 8;
        LOG_MAX_FLOW: 0xb8, 8;
        FT_FIELD_SUPPORT: 0x100, 128 as FlowTableFieldsSupported;
        FT_FIELD_BITMASK_SUPPORT: 0x180, 128 as FlowTableFieldsSupported;
    }

    /// Layout `header_modify_cap_properties`.
    HeaderModifyCapProperties = "header_modify_cap_properties", 0x400 {
        SET_ACTION_FIELD_SUPPORT: 0x0, 128 as FlowTableFieldsSupported;
        ADD_ACTION_FIELD_SUPPORT: 0x100, 128 as FlowTableFieldsSupported;
        COPY_ACTION_FIELD_SUPPORT: 0x200, 32 [8];
    }

    /// Layout `flow_table_fields_supported_2`.
    FlowTableFieldsSupported2 = "flow_table_fields_supported_2", 0x80 {
        TUNNEL_HEADER_2_3: 0xf, 1;
        TUNNEL_HEADER_0_1: 0x10, 1;
        INNER_L3_OK: 0x17, 1;
        INNER_L4_OK: 0x18, 1;
        OUTER_L3_OK: 0x19, 1;
        OUTER_L4_OK: 0x1a, 1;
        PSP_HEADER: 0x1b, 1;
        INNER_IPV4_CHECKSUM_OK: 0x1c, 1;
        INNER_L4_CHECKSUM_OK: 0x1d, 1;
        OUTER_IPV4_CHECKSUM_OK: 0x1e, 1;
        OUTER_L4_CHECKSUM_OK: 0x1f, 1;
    }

    /// Layout `flow_table_nic_cap`.
    FlowTableNicCap = "flow_table_nic_cap", 0x8000 {
        NIC_RX_MULTI_PATH_TIRS: 0x0, 1;
        NIC_RX_MULTI_PATH_TIRS_FTS: 0x1, 1;
        ALLOW_SNIFFER_AND_NIC_RX_SHARED_TIR: 0x2, 1;
        NIC_RX_FLOW_TAG_MULTIPATH_EN: 0x4, 1;
        NIC_RECEIVE_MAX_STEERING_DEPTH: 0x18, 8;
        ENCAP_GENERAL_HEADER: 0x20, 1;
        LOG_MAX_PACKET_REFORMAT_CONTEXT: 0x2b, 5;
        MAX_ENCAP_HEADER_SIZE: 0x36, 10;
        FLOW_TABLE_PROPERTIES_NIC_RECEIVE: 0x200, 512 as FlowTablePropLayout;
        FLOW_TABLE_PROPERTIES_NIC_RECEIVE_RDMA: 0x400, 512 as FlowTablePropLayout;
        FLOW_TABLE_PROPERTIES_NIC_RECEIVE_SNIFFER: 0x600, 512 as FlowTablePropLayout;
        FLOW_TABLE_PROPERTIES_NIC_TRANSMIT: 0x800, 512 as FlowTablePropLayout;
        FLOW_TABLE_PROPERTIES_NIC_TRANSMIT_RDMA: 0xa00, 512 as FlowTablePropLayout;
        FLOW_TABLE_PROPERTIES_NIC_TRANSMIT_SNIFFER: 0xc00, 512 as FlowTablePropLayout;
        HEADER_MODIFY_NIC_RECEIVE: 0x1000, 1024 as HeaderModifyCapProperties;
        FT_FIELD_SUPPORT_2_NIC_RECEIVE: 0x1400, 128 as FlowTableFieldsSupported2;
        FT_FIELD_BITMASK_SUPPORT_2_NIC_RECEIVE: 0x1480, 128 as FlowTableFieldsSupported2;
        FT_FIELD_SUPPORT_2_NIC_RECEIVE_RDMA: 0x1500, 128 as FlowTableFieldsSupported2;
        FT_FIELD_BITMASK_SUPPORT_2_NIC_RECEIVE_RDMA: 0x1580, 128 as FlowTableFieldsSupported2;
        FT_FIELD_SUPPORT_2_NIC_RECEIVE_SNIFFER: 0x1600, 128 as FlowTableFieldsSupported2;
        FT_FIELD_BITMASK_SUPPORT_2_NIC_RECEIVE_SNIFFER: 0x1680, 128 as FlowTableFieldsSupported2;
        FT_FIELD_SUPPORT_2_NIC_TRANSMIT: 0x1700, 128 as FlowTableFieldsSupported2;
        FT_FIELD_BITMASK_SUPPORT_2_NIC_TRANSMIT: 0x1780, 128 as FlowTableFieldsSupported2;
        FT_FIELD_SUPPORT_2_NIC_TRANSMIT_RDMA: 0x1800, 128 as FlowTableFieldsSupported2;
        FT_FIELD_BITMASK_SUPPORT_2_NIC_TRANSMIT_RDMA: 0x1880, 128 as FlowTableFieldsSupported2;
        FT_FIELD_SUPPORT_2_NIC_TRANSMIT_SNIFFER: 0x1900, 128 as FlowTableFieldsSupported2;
        FT_FIELD_BITMASK_SUPPORT_2_NIC_TRANSMIT_SNIFFER: 0x1980, 128 as FlowTableFieldsSupported2;
        HEADER_MODIFY_NIC_TRANSMIT: 0x1c00, 1024 as HeaderModifyCapProperties;
        SW_STEERING_NIC_RX_ACTION_DROP_ICM_ADDRESS: 0x2000, 64;
        SW_STEERING_NIC_TX_ACTION_DROP_ICM_ADDRESS: 0x2040, 64;
        SW_STEERING_NIC_TX_ACTION_ALLOW_ICM_ADDRESS: 0x2080, 64;
    }

    /// Layout `flow_table_eswitch_cap`.
    FlowTableEswitchCap = "flow_table_eswitch_cap", 0x8000 {
        FDB_MULTI_PATH_TO_TABLE: 0x1c, 1;
        FLOW_TABLE_PROPERTIES_NIC_ESW_FDB: 0x200, 512 as FlowTablePropLayout;
        FLOW_TABLE_PROPERTIES_ESW_ACL_INGRESS: 0x400, 512 as FlowTablePropLayout;
        FLOW_TABLE_PROPERTIES_ESW_ACL_EGRESS: 0x600, 512 as FlowTablePropLayout;
        SW_STEERING_FDB_ACTION_DROP_ICM_ADDRESS_RX: 0x1800, 64;
        SW_STEERING_FDB_ACTION_DROP_ICM_ADDRESS_TX: 0x1840, 64;
        SW_STEERING_UPLINK_ICM_ADDRESS_RX: 0x1880, 64;
        SW_STEERING_UPLINK_ICM_ADDRESS_TX: 0x18c0, 64;
    }
}
