//! Packet reformat and header modification.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub HEADER_LAYOUTS;

    /// Layer-2 header of a packet.
    L2Hdr = "l2_hdr", 0x90 {
        DMAC_47_16: 0x0, 32;
        DMAC_15_0: 0x20, 16;
        SMAC_47_32: 0x30, 16;
        SMAC_31_0: 0x40, 32;
        ETHERTYPE: 0x60, 16;
        VLAN_TYPE: 0x70, 16;
        VLAN: 0x80, 16;
    }

    /// Header modification: set a field.
    SetActionIn = "set_action_in", 0x40 {
        ACTION_TYPE: 0x0, 4;
        FIELD: 0x4, 12;
        OFFSET: 0x13, 5;
        LENGTH: 0x1b, 5;
        DATA: 0x20, 32;
    }

    /// Header modification: add to a field.
    AddActionIn = "add_action_in", 0x40 {
        ACTION_TYPE: 0x0, 4;
        FIELD: 0x4, 12;
        DATA: 0x20, 32;
    }

    /// Header modification: copy a field.
    CopyActionIn = "copy_action_in", 0x40 {
        ACTION_TYPE: 0x0, 4;
        SRC_FIELD: 0x4, 12;
        SRC_OFFSET: 0x13, 5;
        LENGTH: 0x1b, 5;
        DST_FIELD: 0x24, 12;
        DST_OFFSET: 0x33, 5;
    }

    /// Reformat description inside ALLOC_PACKET_REFORMAT_CONTEXT.
    PacketReformatContextIn = "packet_reformat_context_in", 0x40 {
        REFORMAT_TYPE: 0x5, 3;
        REFORMAT_PARAM_0: 0xc, 4;
        REFORMAT_DATA_SIZE: 0x16, 10;
        REFORMAT_PARAM_1: 0x20, 8;
        REFORMAT_DATA: 0x30, 8 [2];
        MORE_REFORMAT_DATA: 0x40, 8 [..];
    }

    /// Input of ALLOC_PACKET_REFORMAT_CONTEXT.
    AllocPacketReformatContextIn = "alloc_packet_reformat_context_in", 0x120 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        PACKET_REFORMAT_CONTEXT: 0xe0, 64 as PacketReformatContextIn;
    }

    /// Output of ALLOC_PACKET_REFORMAT_CONTEXT.
    AllocPacketReformatContextOut = "alloc_packet_reformat_context_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        PACKET_REFORMAT_ID: 0x40, 32;
    }

    /// Input of DEALLOC_PACKET_REFORMAT_CONTEXT.
    DeallocPacketReformatContextIn = "dealloc_packet_reformat_context_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        PACKET_REFORMAT_ID: 0x40, 32;
    }

    /// Output of DEALLOC_PACKET_REFORMAT_CONTEXT.
    DeallocPacketReformatContextOut = "dealloc_packet_reformat_context_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Layout `dr_action_hw_set`.
    DrActionHwSet = "dr_action_hw_set", 0x40 {
        OPCODE: 0x0, 8;
        DESTINATION_FIELD_CODE: 0x8, 8;
        DESTINATION_LEFT_SHIFTER: 0x12, 6;
        DESTINATION_LENGTH: 0x1b, 5;
        INLINE_DATA: 0x20, 32;
    }

    /// Layout `dr_action_hw_copy`.
    DrActionHwCopy = "dr_action_hw_copy", 0x40 {
        OPCODE: 0x0, 8;
        DESTINATION_FIELD_CODE: 0x8, 8;
        DESTINATION_LEFT_SHIFTER: 0x12, 6;
        DESTINATION_LENGTH: 0x1a, 6;
        SOURCE_FIELD_CODE: 0x28, 8;
        SOURCE_LEFT_SHIFTER: 0x32, 6;
    }

    /// Output of ALLOC_MODIFY_HEADER_CONTEXT.
    AllocModifyHeaderContextOut = "alloc_modify_header_context_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        MODIFY_HEADER_ID: 0x40, 32;
    }

    /// Input of DEALLOC_MODIFY_HEADER_CONTEXT.
    DeallocModifyHeaderContextIn = "dealloc_modify_header_context_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        MODIFY_HEADER_ID: 0x40, 32;
    }

    /// Input of ALLOC_MODIFY_HEADER_CONTEXT.
    AllocModifyHeaderContextIn = "alloc_modify_header_context_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        TABLE_TYPE: 0x60, 8;
        NUM_OF_ACTIONS: 0x78, 8;
        ACTIONS: 0x80, 64 [..];
    }
}
