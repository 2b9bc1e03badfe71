//! Shared receive queues of every kind.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub SRQ_LAYOUTS;

    /// Output of CREATE_SRQ.
    CreateSrqOut = "create_srq_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        SRQN: 0x48, 24;
    }

    /// Input of DESTROY_SRQ.
    DestroySrqIn = "destroy_srq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        SRQN: 0x48, 24;
    }

    /// Output of CREATE_XRC_SRQ.
    CreateXrcSrqOut = "create_xrc_srq_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        XRC_SRQN: 0x48, 24;
    }

    /// Input of DESTROY_XRC_SRQ.
    DestroyXrcSrqIn = "destroy_xrc_srq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        XRC_SRQN: 0x48, 24;
    }

    /// Output of CREATE_XRQ.
    CreateXrqOut = "create_xrq_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        XRQN: 0x48, 24;
    }

    /// Input of DESTROY_XRQ.
    DestroyXrqIn = "destroy_xrq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        XRQN: 0x48, 24;
    }

    /// Shared receive queue context.
    Srqc = "srqc", 0x200 {
        STATE: 0x0, 4;
        LOG_SRQ_SIZE: 0x4, 4;
        WQ_SIGNATURE: 0x20, 1;
        CONT_SRQ: 0x21, 1;
        RLKY: 0x23, 1;
        LOG_RQ_STRIDE: 0x25, 3;
        XRCD: 0x28, 24;
        PAGE_OFFSET: 0x40, 6;
        CQN: 0x48, 24;
        LOG_PAGE_SIZE: 0x82, 6;
        PD: 0xc8, 24;
        LWM: 0xe0, 16;
        WQE_CNT: 0xf0, 16;
        DBR_ADDR: 0x140, 64;
    }

    /// Input of CREATE_SRQ.
    CreateSrqIn = "create_srq_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        SRQ_CONTEXT_ENTRY: 0x80, 512 as Srqc;
        PAS: 0x880, 64 [..];
    }

    /// Input of QUERY_SRQ.
    QuerySrqIn = "query_srq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        SRQN: 0x48, 24;
    }

    /// Output of QUERY_SRQ.
    QuerySrqOut = "query_srq_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        SRQ_CONTEXT_ENTRY: 0x80, 512 as Srqc;
        PAS: 0x880, 64 [..];
    }

    /// Input of ARM_RQ.
    ArmRqIn = "arm_rq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        SRQ_NUMBER: 0x48, 24;
        LWM: 0x70, 16;
    }

    /// XRC shared receive queue context.
    XrcSrqc = "xrc_srqc", 0x200 {
        STATE: 0x0, 4;
        LOG_XRC_SRQ_SIZE: 0x4, 4;
        WQ_SIGNATURE: 0x20, 1;
        CONT_SRQ: 0x21, 1;
        RLKY: 0x23, 1;
        BASIC_CYCLIC_RCV_WQE: 0x24, 1;
        LOG_RQ_STRIDE: 0x25, 3;
        XRCD: 0x28, 24;
        PAGE_OFFSET: 0x40, 6;
        DBR_UMEM_VALID: 0x47, 1;
        CQN: 0x48, 24;
        DBR_UMEM_ID: 0x60, 32;
        USER_INDEX_EQUAL_XRC_SRQN: 0x80, 1;
        LOG_PAGE_SIZE: 0x82, 6;
        USER_INDEX: 0x88, 24;
        PD: 0xc8, 24;
        LWM: 0xe0, 16;
        WQE_CNT: 0xf0, 16;
        DB_RECORD_ADDR_H: 0x140, 32;
        DB_RECORD_ADDR_L: 0x160, 30;
    }

    /// Input of CREATE_XRC_SRQ.
    CreateXrcSrqIn = "create_xrc_srq_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        XRC_SRQ_CONTEXT_ENTRY: 0x80, 512 as XrcSrqc;
        XRC_SRQ_UMEM_OFFSET: 0x280, 64;
        XRC_SRQ_UMEM_ID: 0x2c0, 32;
        XRC_SRQ_UMEM_VALID: 0x2e0, 1;
        PAS: 0x880, 64 [..];
    }

    /// Input of QUERY_XRC_SRQ.
    QueryXrcSrqIn = "query_xrc_srq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        XRC_SRQN: 0x48, 24;
    }

    /// Output of QUERY_XRC_SRQ.
    QueryXrcSrqOut = "query_xrc_srq_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        XRC_SRQ_CONTEXT_ENTRY: 0x80, 512 as XrcSrqc;
        PAS: 0x880, 64 [..];
    }

    /// Input of ARM_XRC_SRQ.
    ArmXrcSrqIn = "arm_xrc_srq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        XRC_SRQN: 0x48, 24;
        LWM: 0x70, 16;
    }

    /// Extended receive queue (tag matching) context.
    Xrqc = "xrqc", 0xa00 {
        STATE: 0x0, 4;
        RLKEY: 0x4, 1;
        TOPOLOGY: 0x14, 4;
        OFFLOAD: 0x1c, 4;
        USER_INDEX: 0x28, 24;
        CQN: 0x48, 24;
        LOG_MATCHING_LIST_SZ: 0x100, 4;
        APPEND_NEXT_INDEX: 0x110, 16;
        SW_PHASE_CNT: 0x120, 16;
        HW_PHASE_CNT: 0x130, 16;
        WQ: 0x400, 1536 as Wq;
    }

    /// Input of CREATE_XRQ.
    CreateXrqIn = "create_xrq_in", 0xa80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        XRQ_CONTEXT: 0x80, 2560 as Xrqc;
    }

    /// Input of QUERY_XRQ.
    QueryXrqIn = "query_xrq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        XRQN: 0x48, 24;
    }

    /// Output of QUERY_XRQ.
    QueryXrqOut = "query_xrq_out", 0xa80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        XRQ_CONTEXT: 0x80, 2560 as Xrqc;
    }

    /// Input of ARM_XRQ.
    ArmXrqIn = "arm_xrq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        XRQN: 0x48, 24;
        LWM: 0x70, 16;
    }
}
