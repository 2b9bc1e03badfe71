//! Completion queues.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub CQ_LAYOUTS;

    /// Output of CREATE_CQ.
    CreateCqOut = "create_cq_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        CQN: 0x48, 24;
    }

    /// Input of DESTROY_CQ.
    DestroyCqIn = "destroy_cq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        CQN: 0x48, 24;
    }

    /// Completion queue context.
    Cqc = "cqc", 0x200 {
        STATUS: 0x0, 4;
        AS_NOTIFY: 0x4, 1;
        INITIATOR_SRC_DCT: 0x5, 1;
        DBR_UMEM_VALID: 0x6, 1;
        APU_CQ: 0x7, 1;
        CQE_SZ: 0x8, 3;
        CC: 0xb, 1;
        SCQE_BREAK_MODERATION_EN: 0xd, 1;
        OI: 0xe, 1;
        CQ_PERIOD_MODE: 0xf, 2;
        CQE_COMP_EN: 0x11, 1;
        MINI_CQE_RES_FORMAT: 0x12, 2;
        ST: 0x14, 4;
        CQE_COMPRESSION_LAYOUT: 0x1e, 2;
        DBR_UMEM_ID: 0x20, 32;
        PAGE_OFFSET: 0x54, 6;
        LOG_CQ_SIZE: 0x63, 5;
        UAR_PAGE: 0x68, 24;
        CQ_PERIOD: 0x84, 12;
        CQ_MAX_COUNT: 0x90, 16;
        C_EQN_OR_APU_ELEMENT: 0xa0, 32;
        LOG_PAGE_SIZE: 0xc3, 5;
        LAST_NOTIFIED_INDEX: 0x108, 24;
        LAST_SOLICIT_INDEX: 0x128, 24;
        CONSUMER_COUNTER: 0x148, 24;
        PRODUCER_COUNTER: 0x168, 24;
        DBR_ADDR: 0x1c0, 64;
    }

    /// Input of CREATE_CQ.
    CreateCqIn = "create_cq_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        CQ_CONTEXT: 0x80, 512 as Cqc;
        CQ_UMEM_OFFSET: 0x280, 64;
        CQ_UMEM_ID: 0x2c0, 32;
        CQ_UMEM_VALID: 0x2e0, 1;
        PAS: 0x880, 64 [..];
    }

    /// Input of QUERY_CQ.
    QueryCqIn = "query_cq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        CQN: 0x48, 24;
    }

    /// Output of QUERY_CQ.
    QueryCqOut = "query_cq_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        CQ_CONTEXT: 0x80, 512 as Cqc;
        PAS: 0x880, 64 [..];
    }

    /// Input of MODIFY_CQ.
    ModifyCqIn = "modify_cq_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        CQN: 0x48, 24;
        FIELD_SELECT: 0x60, 32;
        CQ_CONTEXT: 0x80, 512 as Cqc;
        CQ_UMEM_OFFSET: 0x280, 64;
        CQ_UMEM_ID: 0x2c0, 32;
        CQ_UMEM_VALID: 0x2e0, 1;
        PAS: 0x880, 64 [..];
    }
}
