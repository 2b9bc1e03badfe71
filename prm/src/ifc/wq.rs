//! Work queues: send queues, receive queues, memory pools.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub WQ_LAYOUTS;

    /// Send queue context.
    Sqc = "sqc", 0x780 {
        RLKY: 0x0, 1;
        CD_MASTER: 0x1, 1;
        FRE: 0x2, 1;
        FLUSH_IN_ERROR_EN: 0x3, 1;
        ALLOW_MULTI_PKT_SEND_WQE: 0x4, 1;
        MIN_WQE_INLINE_MODE: 0x5, 3;
        STATE: 0x8, 4;
        REG_UMR: 0xc, 1;
        ALLOW_SWP: 0xd, 1;
        HAIRPIN: 0xe, 1;
        NON_WIRE: 0xf, 1;
        TS_FORMAT: 0x1a, 2;
        USER_INDEX: 0x28, 24;
        CQN: 0x48, 24;
        HAIRPIN_PEER_RQ: 0x68, 24;
        HAIRPIN_PEER_VHCA: 0x90, 16;
        TS_CQE_TO_DEST_CQN: 0xc8, 24;
        PACKET_PACING_RATE_LIMIT_INDEX: 0xf0, 16;
        TIS_LST_SZ: 0x100, 16;
        QOS_QUEUE_GROUP_ID: 0x110, 16;
        TIS_NUM_0: 0x168, 24;
        WQ: 0x180, 1536 as Wq;
    }

    /// Output of MODIFY_SQ.
    ModifySqOut = "modify_sq_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Input of MODIFY_SQ.
    ModifySqIn = "modify_sq_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        SQ_STATE: 0x40, 4;
        SQN: 0x48, 24;
        MODIFY_BITMASK: 0x80, 64;
        SQ_CONTEXT: 0x100, 1920 as Sqc;
    }

    /// Output of CREATE_RMP.
    CreateRmpOut = "create_rmp_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        RMPN: 0x48, 24;
    }

    /// Input of DESTROY_RMP.
    DestroyRmpIn = "destroy_rmp_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        RMPN: 0x48, 24;
    }

    /// Output of CREATE_SQ.
    CreateSqOut = "create_sq_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        SQN: 0x48, 24;
    }

    /// Input of DESTROY_SQ.
    DestroySqIn = "destroy_sq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        SQN: 0x48, 24;
    }

    /// Output of CREATE_RQ.
    CreateRqOut = "create_rq_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        RQN: 0x48, 24;
    }

    /// Input of DESTROY_RQ.
    DestroyRqIn = "destroy_rq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        RQN: 0x48, 24;
    }

    /// Work queue description inside the contexts that own one.
    Wq = "wq", 0x600 {
        WQ_TYPE: 0x0, 4;
        WQ_SIGNATURE: 0x4, 1;
        END_PADDING_MODE: 0x5, 2;
        CD_SLAVE: 0x7, 1;
        HDS_SKIP_FIRST_SGE: 0x20, 1;
        LOG2_HDS_BUF_SIZE: 0x21, 3;
        PAGE_OFFSET: 0x2b, 5;
        LWM: 0x30, 16;
        PD: 0x48, 24;
        UAR_PAGE: 0x68, 24;
        DBR_ADDR: 0x80, 64;
        HW_COUNTER: 0xc0, 32;
        SW_COUNTER: 0xe0, 32;
        LOG_WQ_STRIDE: 0x10c, 4;
        LOG_WQ_PG_SZ: 0x113, 5;
        LOG_WQ_SZ: 0x11b, 5;
        DBR_UMEM_VALID: 0x120, 1;
        WQ_UMEM_VALID: 0x121, 1;
        LOG_HAIRPIN_NUM_PACKETS: 0x123, 5;
        LOG_HAIRPIN_DATA_SZ: 0x12b, 5;
        LOG_WQE_NUM_OF_STRIDES: 0x134, 4;
        TWO_BYTE_SHIFT_EN: 0x138, 1;
        LOG_WQE_STRIDE_SIZE: 0x13d, 3;
        DBR_UMEM_ID: 0x140, 32;
        WQ_UMEM_ID: 0x160, 32;
        WQ_UMEM_OFFSET: 0x180, 64;
        HEADERS_MKEY: 0x1c0, 32;
        PAS: 0x600, 64 [..];
    }

    /// Input of CREATE_SQ.
    CreateSqIn = "create_sq_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        CTX: 0x100, 1920 as Sqc;
    }

    /// Input of QUERY_SQ.
    QuerySqIn = "query_sq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        SQN: 0x48, 24;
    }

    /// Output of QUERY_SQ.
    QuerySqOut = "query_sq_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        SQ_CONTEXT: 0x100, 1920 as Sqc;
    }

    /// Receive queue context.
    Rqc = "rqc", 0x780 {
        RLKY: 0x0, 1;
        DELAY_DROP_EN: 0x1, 1;
        SCATTER_FCS: 0x2, 1;
        VSD: 0x3, 1;
        MEM_RQ_TYPE: 0x4, 4;
        STATE: 0x8, 4;
        FLUSH_IN_ERROR_EN: 0xd, 1;
        HAIRPIN: 0xe, 1;
        TS_FORMAT: 0x1a, 2;
        USER_INDEX: 0x28, 24;
        CQN: 0x48, 24;
        COUNTER_SET_ID: 0x60, 8;
        RMPN: 0x88, 24;
        HAIRPIN_PEER_SQ: 0xa8, 24;
        HAIRPIN_PEER_VHCA: 0xd0, 16;
        WQ: 0x180, 1536 as Wq;
    }

    /// Input of CREATE_RQ.
    CreateRqIn = "create_rq_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        CTX: 0x100, 1920 as Rqc;
    }

    /// Input of MODIFY_RQ.
    ModifyRqIn = "modify_rq_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        RQ_STATE: 0x40, 4;
        RQN: 0x48, 24;
        MODIFY_BITMASK: 0x80, 64;
        CTX: 0x100, 1920 as Rqc;
    }

    /// Input of QUERY_RQ.
    QueryRqIn = "query_rq_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        RQN: 0x48, 24;
    }

    /// Output of QUERY_RQ.
    QueryRqOut = "query_rq_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        RQ_CONTEXT: 0x100, 1920 as Rqc;
    }

    /// Receive memory pool context.
    Rmpc = "rmpc", 0x780 {
        STATE: 0x8, 4;
        BASIC_CYCLIC_RCV_WQE: 0x20, 1;
        WQ: 0x180, 1536 as Wq;
    }

    /// Input of CREATE_RMP.
    CreateRmpIn = "create_rmp_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        CTX: 0x100, 1920 as Rmpc;
    }

    /// Input of MODIFY_RMP.
    ModifyRmpIn = "modify_rmp_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        RMP_STATE: 0x40, 4;
        RMPN: 0x48, 24;
        BITMASK_LWM: 0xbf, 1;
        CTX: 0x100, 1920 as Rmpc;
    }

    /// Input of QUERY_RMP.
    QueryRmpIn = "query_rmp_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        RMPN: 0x48, 24;
    }

    /// Output of QUERY_RMP.
    QueryRmpOut = "query_rmp_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        RMP_CONTEXT: 0x100, 1920 as Rmpc;
    }
}
