//! Match parameters of flow groups and entries.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub MATCH_PARAM_LAYOUTS;

    /// Layout `dr_match_spec`.
    DrMatchSpec = "dr_match_spec", 0x200 {
        SMAC_47_16: 0x0, 32;
        SMAC_15_0: 0x20, 16;
        ETHERTYPE: 0x30, 16;
        DMAC_47_16: 0x40, 32;
        DMAC_15_0: 0x60, 16;
        FIRST_PRIO: 0x70, 3;
        FIRST_CFI: 0x73, 1;
        FIRST_VID: 0x74, 12;
        IP_PROTOCOL: 0x80, 8;
        IP_DSCP: 0x88, 6;
        IP_ECN: 0x8e, 2;
        CVLAN_TAG: 0x90, 1;
        SVLAN_TAG: 0x91, 1;
        FRAG: 0x92, 1;
        IP_VERSION: 0x93, 4;
        TCP_FLAGS: 0x97, 9;
        TCP_SPORT: 0xa0, 16;
        TCP_DPORT: 0xb0, 16;
        IPV4_IHL: 0xd0, 4;
        L3_OK: 0xd4, 1;
        L4_OK: 0xd5, 1;
        IPV4_CHECKSUM_OK: 0xd6, 1;
        L4_CHECKSUM_OK: 0xd7, 1;
        IP_TTL_HOPLIMIT: 0xd8, 8;
        UDP_SPORT: 0xe0, 16;
        UDP_DPORT: 0xf0, 16;
        SRC_IP_127_96: 0x100, 32;
        SRC_IP_95_64: 0x120, 32;
        SRC_IP_63_32: 0x140, 32;
        SRC_IP_31_0: 0x160, 32;
        DST_IP_127_96: 0x180, 32;
        DST_IP_95_64: 0x1a0, 32;
        DST_IP_63_32: 0x1c0, 32;
        DST_IP_31_0: 0x1e0, 32;
    }

    /// Layout `dr_match_set_misc`.
    DrMatchSetMisc = "dr_match_set_misc", 0x200 {
        GRE_C_PRESENT: 0x0, 1;
        BTH_A: 0x1, 1;
        GRE_K_PRESENT: 0x2, 1;
        GRE_S_PRESENT: 0x3, 1;
        SOURCE_VHCA_PORT: 0x4, 4;
        SOURCE_SQN: 0x8, 24;
        SOURCE_ESWITCH_OWNER_VHCA_ID: 0x20, 16;
        SOURCE_PORT: 0x30, 16;
        OUTER_SECOND_PRIO: 0x40, 3;
        OUTER_SECOND_CFI: 0x43, 1;
        OUTER_SECOND_VID: 0x44, 12;
        INNER_SECOND_PRIO: 0x50, 3;
        INNER_SECOND_CFI: 0x53, 1;
        INNER_SECOND_VID: 0x54, 12;
        OUTER_SECOND_CVLAN_TAG: 0x60, 1;
        INNER_SECOND_CVLAN_TAG: 0x61, 1;
        OUTER_SECOND_SVLAN_TAG: 0x62, 1;
        INNER_SECOND_SVLAN_TAG: 0x63, 1;
        OUTER_EMD_TAG: 0x64, 1;
        GRE_PROTOCOL: 0x70, 16;
        GRE_KEY_H: 0x80, 24;
        GRE_KEY_L: 0x98, 8;
        VXLAN_VNI: 0xa0, 24;
        BTH_OPCODE: 0xb8, 8;
        GENEVE_VNI: 0xc0, 24;
        GENEVE_TLV_OPTION_0_EXIST: 0xde, 1;
        GENEVE_OAM: 0xdf, 1;
        OUTER_IPV6_FLOW_LABEL: 0xec, 20;
        INNER_IPV6_FLOW_LABEL: 0x10c, 20;
        GENEVE_OPT_LEN: 0x12a, 6;
        GENEVE_PROTOCOL_TYPE: 0x130, 16;
        BTH_DST_QP: 0x148, 24;
        INNER_ESP_SPI: 0x160, 32;
        OUTER_ESP_SPI: 0x180, 32;
    }

    /// Layout `dr_match_set_misc2`.
    DrMatchSetMisc2 = "dr_match_set_misc2", 0x200 {
        OUTER_FIRST_MPLS_LABEL: 0x0, 20;
        OUTER_FIRST_MPLS_EXP: 0x14, 3;
        OUTER_FIRST_MPLS_S_BOS: 0x17, 1;
        OUTER_FIRST_MPLS_TTL: 0x18, 8;
        INNER_FIRST_MPLS_LABEL: 0x20, 20;
        INNER_FIRST_MPLS_EXP: 0x34, 3;
        INNER_FIRST_MPLS_S_BOS: 0x37, 1;
        INNER_FIRST_MPLS_TTL: 0x38, 8;
        OUTER_FIRST_MPLS_OVER_GRE_LABEL: 0x40, 20;
        OUTER_FIRST_MPLS_OVER_GRE_EXP: 0x54, 3;
        OUTER_FIRST_MPLS_OVER_GRE_S_BOS: 0x57, 1;
        OUTER_FIRST_MPLS_OVER_GRE_TTL: 0x58, 8;
        OUTER_FIRST_MPLS_OVER_UDP_LABEL: 0x60, 20;
        OUTER_FIRST_MPLS_OVER_UDP_EXP: 0x74, 3;
        OUTER_FIRST_MPLS_OVER_UDP_S_BOS: 0x77, 1;
        OUTER_FIRST_MPLS_OVER_UDP_TTL: 0x78, 8;
        METADATA_REG_C_7: 0x80, 32;
        METADATA_REG_C_6: 0xa0, 32;
        METADATA_REG_C_5: 0xc0, 32;
        METADATA_REG_C_4: 0xe0, 32;
        METADATA_REG_C_3: 0x100, 32;
        METADATA_REG_C_2: 0x120, 32;
        METADATA_REG_C_1: 0x140, 32;
        METADATA_REG_C_0: 0x160, 32;
        METADATA_REG_A: 0x180, 32;
    }

    /// Layout `dr_match_set_misc3`.
    DrMatchSetMisc3 = "dr_match_set_misc3", 0x200 {
        INNER_TCP_SEQ_NUM: 0x0, 32;
        OUTER_TCP_SEQ_NUM: 0x20, 32;
        INNER_TCP_ACK_NUM: 0x40, 32;
        OUTER_TCP_ACK_NUM: 0x60, 32;
        OUTER_VXLAN_GPE_VNI: 0x88, 24;
        OUTER_VXLAN_GPE_NEXT_PROTOCOL: 0xa0, 8;
        OUTER_VXLAN_GPE_FLAGS: 0xa8, 8;
        ICMP_HEADER_DATA: 0xc0, 32;
        ICMPV6_HEADER_DATA: 0xe0, 32;
        ICMP_TYPE: 0x100, 8;
        ICMP_CODE: 0x108, 8;
        ICMPV6_TYPE: 0x110, 8;
        ICMPV6_CODE: 0x118, 8;
        GENEVE_TLV_OPTION_0_DATA: 0x120, 32;
        GTPU_TEID: 0x140, 32;
        GTPU_MSG_TYPE: 0x160, 8;
        GTPU_MSG_FLAGS: 0x168, 8;
        GTPU_DW_2: 0x180, 32;
        GTPU_FIRST_EXT_DW_0: 0x1a0, 32;
        GTPU_DW_0: 0x1c0, 32;
    }

    /// Layout `dr_match_set_misc4`.
    DrMatchSetMisc4 = "dr_match_set_misc4", 0x200 {
        PROG_SAMPLE_FIELD_VALUE_0: 0x0, 32;
        PROG_SAMPLE_FIELD_ID_0: 0x20, 32;
        PROG_SAMPLE_FIELD_VALUE_1: 0x40, 32;
        PROG_SAMPLE_FIELD_ID_1: 0x60, 32;
        PROG_SAMPLE_FIELD_VALUE_2: 0x80, 32;
        PROG_SAMPLE_FIELD_ID_2: 0xa0, 32;
        PROG_SAMPLE_FIELD_VALUE_3: 0xc0, 32;
        PROG_SAMPLE_FIELD_ID_3: 0xe0, 32;
        PROG_SAMPLE_FIELD_VALUE_4: 0x100, 32;
        PROG_SAMPLE_FIELD_ID_4: 0x120, 32;
        PROG_SAMPLE_FIELD_VALUE_5: 0x140, 32;
        PROG_SAMPLE_FIELD_ID_5: 0x160, 32;
        PROG_SAMPLE_FIELD_VALUE_6: 0x180, 32;
        PROG_SAMPLE_FIELD_ID_6: 0x1a0, 32;
        PROG_SAMPLE_FIELD_VALUE_7: 0x1c0, 32;
        PROG_SAMPLE_FIELD_ID_7: 0x1e0, 32;
    }

    /// Layout `dr_match_set_misc5`.
    DrMatchSetMisc5 = "dr_match_set_misc5", 0x200 {
        MACSEC_TAG_0: 0x0, 32;
        MACSEC_TAG_1: 0x20, 32;
        MACSEC_TAG_2: 0x40, 32;
        MACSEC_TAG_3: 0x60, 32;
        TUNNEL_HEADER_0: 0x80, 32;
        TUNNEL_HEADER_1: 0xa0, 32;
        TUNNEL_HEADER_2: 0xc0, 32;
        TUNNEL_HEADER_3: 0xe0, 32;
    }

    /// Layout `dr_match_param`.
    DrMatchParam = "dr_match_param", 0xe00 {
        OUTER: 0x0, 512 as DrMatchSpec;
        MISC: 0x200, 512 as DrMatchSetMisc;
        INNER: 0x400, 512 as DrMatchSpec;
        MISC2: 0x600, 512 as DrMatchSetMisc2;
        MISC3: 0x800, 512 as DrMatchSetMisc3;
        MISC4: 0xa00, 512 as DrMatchSetMisc4;
        MISC5: 0xc00, 512 as DrMatchSetMisc5;
    }
}
