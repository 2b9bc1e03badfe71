//! Flow tables, groups, entries and counters.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub FLOW_LAYOUTS;

    /// Flow table context.
    FlowTableContext = "flow_table_context", 0x140 {
        REFORMAT_EN: 0x0, 1;
        DECAP_EN: 0x1, 1;
        SW_OWNER: 0x2, 1;
        TERMINATION_TABLE: 0x3, 1;
        TABLE_MISS_ACTION: 0x4, 4;
        LEVEL: 0x8, 8;
        LOG_SIZE: 0x18, 8;
        TABLE_MISS_ID: 0x28, 24;
        LAG_MASTER_NEXT_TABLE_ID: 0x48, 24;
        SW_OWNER_ICM_ROOT_1: 0xc0, 64;
        SW_OWNER_ICM_ROOT_0: 0x100, 64;
    }

    /// Input of CREATE_FLOW_TABLE.
    CreateFlowTableIn = "create_flow_table_in", 0x200 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
        TABLE_TYPE: 0x80, 8;
        FLOW_TABLE_CONTEXT: 0xc0, 320 as FlowTableContext;
    }

    /// Output of CREATE_FLOW_TABLE.
    CreateFlowTableOut = "create_flow_table_out", 0x80 {
        STATUS: 0x0, 8;
        ICM_ADDRESS_63_40: 0x8, 24;
        SYNDROME: 0x20, 32;
        ICM_ADDRESS_39_32: 0x40, 8;
        TABLE_ID: 0x48, 24;
        ICM_ADDRESS_31_0: 0x60, 32;
    }

    /// Input of DESTROY_FLOW_TABLE.
    DestroyFlowTableIn = "destroy_flow_table_in", 0x200 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
        TABLE_TYPE: 0x80, 8;
        TABLE_ID: 0xa8, 24;
    }

    /// Input of QUERY_FLOW_TABLE.
    QueryFlowTableIn = "query_flow_table_in", 0x200 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        TABLE_TYPE: 0x80, 8;
        TABLE_ID: 0xa8, 24;
    }

    /// Output of QUERY_FLOW_TABLE.
    QueryFlowTableOut = "query_flow_table_out", 0x200 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        FLOW_TABLE_CONTEXT: 0xc0, 320 as FlowTableContext;
    }

    /// Input of SYNC_STEERING.
    SyncSteeringIn = "sync_steering_in", 0x100 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
    }

    /// Output of SYNC_STEERING.
    SyncSteeringOut = "sync_steering_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Input of ALLOC_FLOW_COUNTER.
    AllocFlowCounterIn = "alloc_flow_counter_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        FLOW_COUNTER_BULK_LOG_SIZE: 0x6b, 5;
        FLOW_COUNTER_BULK: 0x78, 8;
    }

    /// Output of ALLOC_FLOW_COUNTER.
    AllocFlowCounterOut = "alloc_flow_counter_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        FLOW_COUNTER_ID: 0x40, 32;
    }

    /// Input of DEALLOC_FLOW_COUNTER.
    DeallocFlowCounterIn = "dealloc_flow_counter_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        FLOW_COUNTER_ID: 0x40, 32;
    }

    /// Input of CREATE_FLOW_GROUP.
    CreateFlowGroupIn = "create_flow_group_in", 0x2000 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
        TABLE_TYPE: 0x80, 8;
        GROUP_TYPE: 0x8c, 4;
        TABLE_ID: 0xa8, 24;
        SOURCE_ESWITCH_OWNER_VHCA_ID_VALID: 0xc0, 1;
        START_FLOW_INDEX: 0xe0, 32;
        END_FLOW_INDEX: 0x120, 32;
        MATCH_DEFINER_ID: 0x150, 16;
        MATCH_CRITERIA_ENABLE: 0x1f8, 8;
        MATCH_CRITERIA: 0x200, 4096;
    }

    /// Output of CREATE_FLOW_GROUP.
    CreateFlowGroupOut = "create_flow_group_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        GROUP_ID: 0x48, 24;
    }

    /// Input of DESTROY_FLOW_GROUP.
    DestroyFlowGroupIn = "destroy_flow_group_in", 0x200 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
        TABLE_TYPE: 0x80, 8;
        TABLE_ID: 0xa8, 24;
        GROUP_ID: 0xc0, 32;
    }

    /// Layout `dest_format`.
    DestFormat = "dest_format", 0x40 {
        DESTINATION_TYPE: 0x0, 8;
        DESTINATION_ID: 0x8, 24;
        PACKET_REFORMAT: 0x21, 1;
    }

    /// Layout `extended_dest_format`.
    ExtendedDestFormat = "extended_dest_format", 0x80 {
        DESTINATION_ENTRY: 0x0, 64 as DestFormat;
        PACKET_REFORMAT_ID: 0x40, 32;
    }

    /// Layout `flow_counter_list`.
    FlowCounterList = "flow_counter_list", 0x40 {
        FLOW_COUNTER_ID: 0x0, 32;
    }

    /// Layout `dest_format_flow_counter_list_auto`.
    DestFormatFlowCounterListAuto = "dest_format_flow_counter_list_auto", 0x40 {
        DEST_FORMAT: 0x0, 64 as DestFormat;
        FLOW_COUNTER_LIST: 0x0, 64 as FlowCounterList;
    }

    /// Flow table entry context.
    FlowContext = "flow_context", 0x1800 {
        PUSH_VLAN: 0x0, 32;
        GROUP_ID: 0x20, 32;
        FLOW_TAG: 0x48, 24;
        ACTION: 0x70, 16;
        EXTENDED_DESTINATION: 0x80, 1;
        FLOW_SOURCE: 0x82, 2;
        ENCRYPT_DECRYPT_TYPE: 0x84, 4;
        DESTINATION_LIST_SIZE: 0x88, 24;
        FLOW_COUNTER_LIST_SIZE: 0xa8, 24;
        PACKET_REFORMAT_ID: 0xc0, 32;
        MODIFY_HEADER_ID: 0xe0, 32;
        PUSH_VLAN_2: 0x100, 32;
        ENCRYPT_DECRYPT_OBJ_ID: 0x120, 32;
        MATCH_VALUE: 0x200, 4096;
        EXECUTE_ASO: 0x1200, 64 [4];
        DESTINATION: 0x1800, 64 [..] as DestFormatFlowCounterListAuto;
    }

    /// Input of SET_FTE.
    SetFteIn = "set_fte_in", 0x1a00 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
        TABLE_TYPE: 0x80, 8;
        TABLE_ID: 0xa8, 24;
        IGNORE_FLOW_LEVEL: 0xc0, 1;
        MODIFY_ENABLE_MASK: 0xd8, 8;
        FLOW_INDEX: 0x100, 32;
        FLOW_CONTEXT: 0x200, 6144 as FlowContext;
    }

    /// Output of SET_FTE.
    SetFteOut = "set_fte_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Input of DELETE_FTE.
    DeleteFteIn = "delete_fte_in", 0x200 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
        TABLE_TYPE: 0x80, 8;
        TABLE_ID: 0xa8, 24;
        FLOW_INDEX: 0x100, 32;
    }

    /// Input of QUERY_FLOW_GROUP.
    QueryFlowGroupIn = "query_flow_group_in", 0x200 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        TABLE_TYPE: 0x80, 8;
        TABLE_ID: 0xa8, 24;
        GROUP_ID: 0xc0, 32;
    }

    /// Output of QUERY_FLOW_GROUP.
    QueryFlowGroupOut = "query_flow_group_out", 0x2000 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        START_FLOW_INDEX: 0xe0, 32;
        END_FLOW_INDEX: 0x120, 32;
        MATCH_CRITERIA_ENABLE: 0x1f8, 8;
        MATCH_CRITERIA: 0x200, 4096;
    }

    /// Input of MODIFY_FLOW_TABLE.
    ModifyFlowTableIn = "modify_flow_table_in", 0x200 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
        MODIFY_FIELD_SELECT: 0x70, 16;
        TABLE_TYPE: 0x80, 8;
        TABLE_ID: 0xa8, 24;
        FLOW_TABLE_CONTEXT: 0xc0, 320 as FlowTableContext;
    }

    /// Input of SET_FLOW_TABLE_ROOT.
    SetFlowTableRootIn = "set_flow_table_root_in", 0x200 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        OTHER_VPORT: 0x40, 1;
        VPORT_NUMBER: 0x50, 16;
        TABLE_TYPE: 0x80, 8;
        TABLE_ID: 0xa8, 24;
        UNDERLAY_QPN: 0xc8, 24;
    }

    /// Input of QUERY_FTE.
    QueryFteIn = "query_fte_in", 0x200 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        TABLE_TYPE: 0x80, 8;
        TABLE_ID: 0xa8, 24;
        FLOW_INDEX: 0x100, 32;
    }

    /// Output of QUERY_FTE.
    QueryFteOut = "query_fte_out", 0x1a00 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        FLOW_CONTEXT: 0x200, 6144 as FlowContext;
    }

    /// Input of QUERY_FLOW_COUNTER.
    QueryFlowCounterIn = "query_flow_counter_in", 0x100 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        CLEAR: 0xc0, 1;
        NUM_OF_COUNTERS: 0xd0, 16;
        FLOW_COUNTER_ID: 0xe0, 32;
    }

    /// Output of QUERY_FLOW_COUNTER.
    QueryFlowCounterOut = "query_flow_counter_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        FLOW_STATISTICS: 0x80, 128 [..];
    }
}
