//! Event queues.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub EQ_LAYOUTS;

    /// Event queue context.
    Eqc = "eqc", 0x200 {
        STATUS: 0x0, 4;
        EC: 0xd, 1;
        OI: 0xe, 1;
        ST: 0x14, 4;
        PAGE_OFFSET: 0x54, 6;
        LOG_EQ_SIZE: 0x63, 5;
        UAR_PAGE: 0x68, 24;
        INTR: 0xb8, 8;
        LOG_PAGE_SIZE: 0xc3, 5;
        CONSUMER_COUNTER: 0x148, 24;
        PRODUCER_COUNTER: 0x168, 24;
    }

    /// Output of CREATE_EQ.
    CreateEqOut = "create_eq_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        EQ_NUMBER: 0x58, 8;
    }

    /// Input of CREATE_EQ.
    CreateEqIn = "create_eq_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        EQ_CONTEXT_ENTRY: 0x80, 512 as Eqc;
        EVENT_BITMASK: 0x2c0, 64 [4];
        PAS: 0x880, 64 [..];
    }

    /// Output of DESTROY_EQ.
    DestroyEqOut = "destroy_eq_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Input of DESTROY_EQ.
    DestroyEqIn = "destroy_eq_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        EQ_NUMBER: 0x58, 8;
    }

    /// Input of QUERY_EQ.
    QueryEqIn = "query_eq_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        EQ_NUMBER: 0x58, 8;
    }

    /// Output of QUERY_EQ.
    QueryEqOut = "query_eq_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        EQ_CONTEXT_ENTRY: 0x80, 512 as Eqc;
        EVENT_BITMASK: 0x2c0, 64;
    }

    /// Event queue entry.
    Eqe = "eqe", 0x200 {
        EVENT_TYPE: 0x8, 8;
        EVENT_SUB_TYPE: 0x18, 8;
        EVENT_DATA: 0x100, 32 [7];
        SIGNATURE: 0x1f0, 8;
        OWNER: 0x1ff, 1;
    }
}
