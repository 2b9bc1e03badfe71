//! Transport interface objects, indirection tables, queue counters.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub RX_TX_LAYOUTS;

    /// Output of CREATE_TIR.
    CreateTirOut = "create_tir_out", 0x80 {
        STATUS: 0x0, 8;
        ICM_ADDRESS_63_40: 0x8, 24;
        SYNDROME: 0x20, 32;
        ICM_ADDRESS_39_32: 0x40, 8;
        TIRN: 0x48, 24;
        ICM_ADDRESS_31_0: 0x60, 32;
    }

    /// Input of DESTROY_TIR.
    DestroyTirIn = "destroy_tir_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        TIRN: 0x48, 24;
    }

    /// Transport interface send context.
    Tisc = "tisc", 0x500 {
        STRICT_LAG_TX_PORT_AFFINITY: 0x0, 1;
        TLS_EN: 0x1, 1;
        LAG_TX_PORT_AFFINITY: 0x4, 4;
        PRIO: 0xc, 4;
        TRANSPORT_DOMAIN: 0x128, 24;
        UNDERLAY_QPN: 0x148, 24;
        PD: 0x168, 24;
    }

    /// Output of QUERY_TIS.
    QueryTisOut = "query_tis_out", 0x580 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        TIS_CONTEXT: 0x80, 1280 as Tisc;
    }

    /// Input of QUERY_TIS.
    QueryTisIn = "query_tis_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        TISN: 0x48, 24;
    }

    /// Output of MODIFY_TIS.
    ModifyTisOut = "modify_tis_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Layout `modify_tis_bitmask`.
    ModifyTisBitmask = "modify_tis_bitmask", 0x40 {
        LAG_TX_PORT_AFFINITY: 0x3d, 1;
        STRICT_LAG_TX_PORT_AFFINITY: 0x3e, 1;
        PRIO: 0x3f, 1;
    }

    /// Input of MODIFY_TIS.
    ModifyTisIn = "modify_tis_in", 0x600 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        TISN: 0x48, 24;
        BITMASK: 0x80, 64 as ModifyTisBitmask;
        CTX: 0x100, 1280 as Tisc;
    }

    /// Output of CREATE_RQT.
    CreateRqtOut = "create_rqt_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        RQTN: 0x48, 24;
    }

    /// Input of DESTROY_RQT.
    DestroyRqtIn = "destroy_rqt_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        RQTN: 0x48, 24;
    }

    /// Output of CREATE_TIS.
    CreateTisOut = "create_tis_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        TISN: 0x48, 24;
    }

    /// Input of DESTROY_TIS.
    DestroyTisIn = "destroy_tis_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        TISN: 0x48, 24;
    }

    /// Output of ALLOC_Q_COUNTER.
    AllocQCounterOut = "alloc_q_counter_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        COUNTER_SET_ID: 0x58, 8;
    }

    /// Input of DEALLOC_Q_COUNTER.
    DeallocQCounterIn = "dealloc_q_counter_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        COUNTER_SET_ID: 0x58, 8;
    }

    /// Receive indirection table context.
    Rqtc = "rqtc", 0x780 {
        LIST_Q_TYPE: 0xa5, 3;
        RQT_MAX_SIZE: 0xb0, 16;
        RQ_VHCA_ID_FORMAT: 0xc0, 1;
        RQT_ACTUAL_SIZE: 0xd0, 16;
        RQ_NUM: 0x780, 32 [..];
    }

    /// Input of CREATE_RQT.
    CreateRqtIn = "create_rqt_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        RQT_CONTEXT: 0x100, 1920 as Rqtc;
    }

    /// Input of MODIFY_RQT.
    ModifyRqtIn = "modify_rqt_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        RQTN: 0x48, 24;
        BITMASK_RQN_LIST: 0xbf, 1;
        CTX: 0x100, 1920 as Rqtc;
    }

    /// Input of QUERY_RQT.
    QueryRqtIn = "query_rqt_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        RQTN: 0x48, 24;
    }

    /// Output of QUERY_RQT.
    QueryRqtOut = "query_rqt_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        RQT_CONTEXT: 0x100, 1920 as Rqtc;
    }

    /// Transport interface receive context.
    Tirc = "tirc", 0x780 {
        DISP_TYPE: 0x20, 4;
        TLS_EN: 0x24, 1;
        LRO_TIMEOUT_PERIOD_USECS: 0x84, 16;
        PACKET_MERGE_MASK: 0x94, 4;
        LRO_MAX_IP_PAYLOAD_SIZE: 0x98, 8;
        INLINE_RQN: 0xe8, 24;
        RX_HASH_SYMMETRIC: 0x100, 1;
        TUNNELED_OFFLOAD_EN: 0x102, 1;
        INDIRECT_TABLE: 0x108, 24;
        RX_HASH_FN: 0x120, 4;
        SELF_LB_BLOCK: 0x126, 2;
        TRANSPORT_DOMAIN: 0x128, 24;
        RX_HASH_TOEPLITZ_KEY: 0x140, 32 [10];
        RX_HASH_FIELD_SELECTOR_OUTER: 0x280, 32;
        RX_HASH_FIELD_SELECTOR_INNER: 0x2a0, 32;
    }

    /// Input of CREATE_TIR.
    CreateTirIn = "create_tir_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        CTX: 0x100, 1920 as Tirc;
    }

    /// Input of MODIFY_TIR.
    ModifyTirIn = "modify_tir_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        TIRN: 0x48, 24;
        BITMASK: 0x80, 64;
        CTX: 0x100, 1920 as Tirc;
    }

    /// Input of QUERY_TIR.
    QueryTirIn = "query_tir_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        TIRN: 0x48, 24;
    }

    /// Output of QUERY_TIR.
    QueryTirOut = "query_tir_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        TIR_CONTEXT: 0x100, 1920 as Tirc;
    }

    /// Input of CREATE_TIS.
    CreateTisIn = "create_tis_in", 0x600 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        CTX: 0x100, 1280 as Tisc;
    }

    /// Input of ALLOC_Q_COUNTER.
    AllocQCounterIn = "alloc_q_counter_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
    }

    /// Input of QUERY_Q_COUNTER.
    QueryQCounterIn = "query_q_counter_in", 0x100 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        CLEAR: 0xc0, 1;
        COUNTER_SET_ID: 0xf8, 8;
    }

    /// Output of QUERY_Q_COUNTER.
    QueryQCounterOut = "query_q_counter_out", 0x800 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        RX_WRITE_REQUESTS: 0x80, 32;
        RX_READ_REQUESTS: 0xc0, 32;
        RX_ATOMIC_REQUESTS: 0x100, 32;
        RX_DCT_CONNECT: 0x140, 32;
        OUT_OF_BUFFER: 0x180, 32;
        OUT_OF_SEQUENCE: 0x1c0, 32;
        DUPLICATE_REQUEST: 0x200, 32;
        RNR_NAK_RETRY_ERR: 0x240, 32;
        PACKET_SEQ_ERR: 0x280, 32;
        IMPLIED_NAK_SEQ_ERR: 0x2c0, 32;
        LOCAL_ACK_TIMEOUT_ERR: 0x300, 32;
    }
}
