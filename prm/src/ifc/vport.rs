//! Ports and virtual ports: contexts, addresses, link aggregation, management datagrams.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub VPORT_LAYOUTS;

    /// E-switch side of a virtual port.
    EswVportContext = "esw_vport_context", 0x800 {
        VPORT_SVLAN_STRIP: 0x3, 1;
        VPORT_CVLAN_STRIP: 0x4, 1;
        VPORT_SVLAN_INSERT: 0x5, 1;
        VPORT_CVLAN_INSERT: 0x6, 2;
        SVLAN_CFI: 0x40, 1;
        SVLAN_PCP: 0x41, 3;
        SVLAN_ID: 0x44, 12;
        CVLAN_CFI: 0x50, 1;
        CVLAN_PCP: 0x51, 3;
        CVLAN_ID: 0x54, 12;
        SW_STEERING_VPORT_ICM_ADDRESS_RX: 0x780, 64;
        SW_STEERING_VPORT_ICM_ADDRESS_TX: 0x7c0, 64;
    }

    /// Output of QUERY_ESW_VPORT_CONTEXT.
    QueryEswVportContextOut = "query_esw_vport_context_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        ESW_VPORT_CONTEXT: 0x80, 2048 as EswVportContext;
    }

    /// Input of QUERY_ESW_VPORT_CONTEXT.
    QueryEswVportContextIn = "query_esw_vport_context_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
    }

    /// Ethernet side of a virtual port.
    NicVportContext = "nic_vport_context", 0x800 {
        MIN_WQE_INLINE_MODE: 0x5, 3;
        DISABLE_MC_LOCAL_LB: 0x8, 1;
        DISABLE_UC_LOCAL_LB: 0x9, 1;
        ROCE_EN: 0x1f, 1;
        ARM_CHANGE_EVENT: 0x20, 1;
        EVENT_ON_MTU: 0x3b, 1;
        EVENT_ON_PROMISC_CHANGE: 0x3c, 1;
        EVENT_ON_VLAN_CHANGE: 0x3d, 1;
        EVENT_ON_MC_ADDRESS_CHANGE: 0x3e, 1;
        EVENT_ON_UC_ADDRESS_CHANGE: 0x3f, 1;
        VHCA_ID_TYPE: 0x40, 1;
        AFFILIATION_CRITERIA: 0x4c, 4;
        AFFILIATED_VHCA_ID: 0x50, 16;
        MTU: 0x130, 16;
        SYSTEM_IMAGE_GUID: 0x140, 64;
        PORT_GUID: 0x180, 64;
        NODE_GUID: 0x1c0, 64;
        QKEY_VIOLATION_COUNTER: 0x350, 16;
        PROMISC_UC: 0x780, 1;
        PROMISC_MC: 0x781, 1;
        PROMISC_ALL: 0x782, 1;
        ALLOWED_LIST_TYPE: 0x785, 3;
        ALLOWED_LIST_SIZE: 0x794, 12;
        PERMANENT_ADDRESS: 0x7a0, 64;
        CURRENT_UC_MAC_ADDRESS: 0x800, 64 [..];
    }

    /// Output of QUERY_NIC_VPORT_CONTEXT.
    QueryNicVportContextOut = "query_nic_vport_context_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        NIC_VPORT_CONTEXT: 0x80, 2048 as NicVportContext;
    }

    /// Input of QUERY_NIC_VPORT_CONTEXT.
    QueryNicVportContextIn = "query_nic_vport_context_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
        ALLOWED_LIST_TYPE: 0x65, 3;
    }

    /// Link aggregation context.
    Lagc = "lagc", 0x40 {
        FDB_SELECTION_MODE: 0x0, 1;
        PORT_SELECT_MODE: 0x15, 3;
        LAG_STATE: 0x1d, 3;
        TX_REMAP_AFFINITY_2: 0x34, 4;
        TX_REMAP_AFFINITY_1: 0x3c, 4;
    }

    /// Output of QUERY_LAG.
    QueryLagOut = "query_lag_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        CTX: 0x40, 64 as Lagc;
    }

    /// Input of QUERY_LAG.
    QueryLagIn = "query_lag_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
    }

    /// Layout `roce_addr_layout`.
    RoceAddrLayout = "roce_addr_layout", 0x100 {
        SOURCE_L3_ADDRESS: 0x0, 8 [16];
        VLAN_VALID: 0x83, 1;
        VLAN_ID: 0x84, 12;
        SOURCE_MAC_47_32: 0x90, 16;
        SOURCE_MAC_31_0: 0xa0, 32;
        ROCE_L3_TYPE: 0xd4, 4;
        ROCE_VERSION: 0xd8, 8;
    }

    /// Output of QUERY_ROCE_ADDRESS.
    QueryRoceAddressOut = "query_roce_address_out", 0x180 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        ROCE_ADDRESS: 0x80, 256 as RoceAddrLayout;
    }

    /// Input of QUERY_ROCE_ADDRESS.
    QueryRoceAddressIn = "query_roce_address_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        ROCE_ADDRESS_INDEX: 0x40, 16;
        VHCA_PORT_NUM: 0x5c, 4;
    }

    /// Layout `host_params_context`.
    HostParamsContext = "host_params_context", 0x200 {
        HOST_NUMBER: 0x0, 8;
        HOST_PF_VHCA_ID_VALID: 0xe, 1;
        HOST_PF_DISABLED: 0xf, 1;
        HOST_NUM_OF_VFS: 0x10, 16;
        HOST_TOTAL_VFS: 0x20, 16;
        HOST_PCI_BUS: 0x30, 16;
        HOST_PF_VHCA_ID: 0x40, 16;
        HOST_PCI_DEVICE: 0x50, 16;
        HOST_PCI_FUNCTION: 0x70, 16;
    }

    /// Input of QUERY_ESW_FUNCTIONS.
    QueryEswFunctionsIn = "query_esw_functions_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
    }

    /// Output of QUERY_ESW_FUNCTIONS.
    QueryEswFunctionsOut = "query_esw_functions_out", 0x400 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        HOST_PARAMS_CONTEXT: 0x80, 512 as HostParamsContext;
        HOST_SF_ENABLE: 0x400, 64 [..];
    }

    /// Output of MODIFY_NIC_VPORT_CONTEXT.
    ModifyNicVportContextOut = "modify_nic_vport_context_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Layout `modify_nic_vport_field_select`.
    ModifyNicVportFieldSelect = "modify_nic_vport_field_select", 0x20 {
        AFFILIATION: 0x12, 1;
        DISABLE_UC_LOCAL_LB: 0x14, 1;
        DISABLE_MC_LOCAL_LB: 0x15, 1;
        NODE_GUID: 0x16, 1;
        PORT_GUID: 0x17, 1;
        MIN_INLINE: 0x18, 1;
        MTU: 0x19, 1;
        CHANGE_EVENT: 0x1a, 1;
        PROMISC: 0x1b, 1;
        PERMANENT_ADDRESS: 0x1c, 1;
        ADDRESSES_LIST: 0x1d, 1;
        ROCE_EN: 0x1e, 1;
    }

    /// Input of MODIFY_NIC_VPORT_CONTEXT.
    ModifyNicVportContextIn = "modify_nic_vport_context_in", 0x1000 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
        FIELD_SELECT: 0x60, 32 as ModifyNicVportFieldSelect;
        NIC_VPORT_CONTEXT: 0x800, 2048 as NicVportContext;
    }

    /// Input of ADD_VXLAN_UDP_DPORT.
    AddVxlanUdpDportIn = "add_vxlan_udp_dport_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        VXLAN_UDP_PORT: 0x70, 16;
    }

    /// Input of DELETE_VXLAN_UDP_DPORT.
    DeleteVxlanUdpDportIn = "delete_vxlan_udp_dport_in", 0x80 {
        OPCODE: 0x0, 16;
        VXLAN_UDP_PORT: 0x70, 16;
    }

    /// Input of SET_L2_TABLE_ENTRY.
    SetL2TableEntryIn = "set_l2_table_entry_in", 0x200 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        TABLE_INDEX: 0xa8, 24;
        VLAN_VALID: 0xf3, 1;
        VLAN: 0xf4, 12;
        MAC_ADDRESS: 0x100, 64;
    }

    /// Input of DELETE_L2_TABLE_ENTRY.
    DeleteL2TableEntryIn = "delete_l2_table_entry_in", 0x200 {
        OPCODE: 0x0, 16;
        TABLE_INDEX: 0xa8, 24;
    }

    /// InfiniBand port of a virtual port.
    HcaVportContext = "hca_vport_context", 0x1000 {
        FIELD_SELECT: 0x0, 32;
        SM_VIRT_AWARE: 0x100, 1;
        HAS_SMI: 0x101, 1;
        HAS_RAW: 0x102, 1;
        GRH_REQUIRED: 0x103, 1;
        PORT_PHYSICAL_STATE: 0x110, 4;
        VPORT_STATE_POLICY: 0x114, 4;
        PORT_STATE: 0x118, 4;
        VPORT_STATE: 0x11c, 4;
        SYSTEM_IMAGE_GUID: 0x140, 64;
        PORT_GUID: 0x180, 64;
        NODE_GUID: 0x1c0, 64;
        CAP_MASK1: 0x200, 32;
        CAP_MASK1_FIELD_SELECT: 0x220, 32;
        CAP_MASK2: 0x240, 32;
        CAP_MASK2_FIELD_SELECT: 0x260, 32;
        LID: 0x300, 16;
        INIT_TYPE_REPLY: 0x314, 4;
        LMC: 0x318, 3;
        SUBNET_TIMEOUT: 0x31b, 5;
        SM_LID: 0x320, 16;
        SM_SL: 0x330, 4;
        QKEY_VIOLATION_COUNTER: 0x340, 16;
        PKEY_VIOLATION_COUNTER: 0x350, 16;
    }

    /// Input of QUERY_HCA_VPORT_CONTEXT.
    QueryHcaVportContextIn = "query_hca_vport_context_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        PORT_NUM: 0x44, 4;
        VPORT_NUMBER: 0x50, 16;
    }

    /// Output of QUERY_HCA_VPORT_CONTEXT.
    QueryHcaVportContextOut = "query_hca_vport_context_out", 0x1080 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        HCA_VPORT_CONTEXT: 0x80, 4096 as HcaVportContext;
    }

    /// Input of MODIFY_HCA_VPORT_CONTEXT.
    ModifyHcaVportContextIn = "modify_hca_vport_context_in", 0x1080 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        PORT_NUM: 0x44, 4;
        VPORT_NUMBER: 0x50, 16;
        HCA_VPORT_CONTEXT: 0x80, 4096 as HcaVportContext;
    }

    /// Input of QUERY_HCA_VPORT_GID.
    QueryHcaVportGidIn = "query_hca_vport_gid_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        PORT_NUM: 0x44, 4;
        VPORT_NUMBER: 0x50, 16;
        GID_INDEX: 0x70, 16;
    }

    /// Output of QUERY_HCA_VPORT_GID.
    QueryHcaVportGidOut = "query_hca_vport_gid_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        GIDS_NUM: 0x60, 16;
        GID: 0x80, 128 [..];
    }

    /// Input of QUERY_HCA_VPORT_PKEY.
    QueryHcaVportPkeyIn = "query_hca_vport_pkey_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        PORT_NUM: 0x44, 4;
        VPORT_NUMBER: 0x50, 16;
        PKEY_INDEX: 0x70, 16;
    }

    /// Output of QUERY_HCA_VPORT_PKEY.
    QueryHcaVportPkeyOut = "query_hca_vport_pkey_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        PKEY: 0x80, 32 [..];
    }

    /// Input of QUERY_VPORT_STATE.
    QueryVportStateIn = "query_vport_state_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
    }

    /// Output of QUERY_VPORT_STATE.
    QueryVportStateOut = "query_vport_state_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        MAX_TX_SPEED: 0x40, 16;
        TX_SPEED: 0x60, 16;
        ADMIN_STATE: 0x78, 4;
        STATE: 0x7c, 4;
    }

    /// Input of MODIFY_VPORT_STATE.
    ModifyVportStateIn = "modify_vport_state_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
        MAX_TX_SPEED: 0x60, 16;
        ADMIN_STATE: 0x78, 4;
    }

    /// Input of SET_ROCE_ADDRESS.
    SetRoceAddressIn = "set_roce_address_in", 0x180 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        ROCE_ADDRESS_INDEX: 0x40, 16;
        VHCA_PORT_NUM: 0x5c, 4;
        ROCE_ADDRESS: 0x80, 256 as RoceAddrLayout;
    }

    /// Input of QUERY_VPORT_COUNTER.
    QueryVportCounterIn = "query_vport_counter_in", 0x100 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        PORT_NUM: 0x44, 4;
        VPORT_NUMBER: 0x50, 16;
        CLEAR: 0xc0, 1;
    }

    /// Input of QUERY_VNIC_ENV.
    QueryVnicEnvIn = "query_vnic_env_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
    }

    /// Input of CREATE_LAG.
    CreateLagIn = "create_lag_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        CTX: 0x40, 64 as Lagc;
    }

    /// Input of MODIFY_LAG.
    ModifyLagIn = "modify_lag_in", 0x100 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        FIELD_SELECT: 0x60, 32;
        CTX: 0x80, 64 as Lagc;
    }

    /// Input of QUERY_L2_TABLE_ENTRY.
    QueryL2TableEntryIn = "query_l2_table_entry_in", 0x200 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        TABLE_INDEX: 0xa8, 24;
    }

    /// Output of QUERY_L2_TABLE_ENTRY.
    QueryL2TableEntryOut = "query_l2_table_entry_out", 0x200 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        VLAN_VALID: 0xf3, 1;
        VLAN: 0xf4, 12;
        MAC_ADDRESS: 0x100, 64;
    }

    /// Input of SET_MAD_DEMUX.
    SetMadDemuxIn = "set_mad_demux_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        DEMUX_MODE: 0x46, 2;
    }

    /// Input of MAD_IFC.
    MadIfcIn = "mad_ifc_in", 0x880 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        REMOTE_LID: 0x40, 16;
        PORT: 0x58, 8;
        MAD: 0x80, 8 [256];
    }

    /// Output of MAD_IFC.
    MadIfcOut = "mad_ifc_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        RESPONSE_MAD_PACKET: 0x80, 8 [256];
    }
}
