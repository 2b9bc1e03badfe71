//! Queue pairs, dynamically connected targets, multicast.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub QP_LAYOUTS;

    /// Dynamically connected target context.
    Dctc = "dctc", 0x380 {
        STATE: 0x4, 4;
        DATA_IN_ORDER: 0x1d, 1;
        USER_INDEX: 0x28, 24;
        CQN: 0x48, 24;
        COUNTER_SET_ID: 0x60, 8;
        ATOMIC_MODE: 0x68, 4;
        RRE: 0x6c, 1;
        RWE: 0x6d, 1;
        RAE: 0x6e, 1;
        ATOMIC_LIKE_WRITE_EN: 0x6f, 1;
        LATENCY_SENSITIVE: 0x70, 1;
        RLKY: 0x71, 1;
        FREE_AR: 0x72, 1;
        CS_RES: 0x88, 8;
        MIN_RNR_NAK: 0x93, 5;
        SRQN_XRQN: 0xa8, 24;
        PD: 0xc8, 24;
        TCLASS: 0xe0, 8;
        FLOW_LABEL: 0xec, 20;
        DC_ACCESS_KEY: 0x100, 64;
        MTU: 0x145, 3;
        PORT: 0x148, 8;
        PKEY_INDEX: 0x150, 16;
        MY_ADDR_INDEX: 0x168, 8;
        HOP_LIMIT: 0x178, 8;
        DC_ACCESS_KEY_VIOLATION_COUNT: 0x180, 32;
        DEI_CFI: 0x1b4, 1;
        ETH_PRIO: 0x1b5, 3;
        ECN: 0x1b8, 2;
        DSCP: 0x1ba, 6;
        ECE: 0x1e0, 32;
    }

    /// Address vector of a datagram.
    UdAv = "ud_av", 0x180 {
        SL_OR_ETH_PRIO: 0x64, 4;
        SRC_ADDR_INDEX: 0xe4, 8;
        RGID_OR_RIP: 0x100, 8 [16];
    }

    /// Address path of a queue pair.
    Ads = "ads", 0x160 {
        FL: 0x0, 1;
        FREE_AR: 0x1, 1;
        PKEY_INDEX: 0x10, 16;
        GRH: 0x28, 1;
        MLID: 0x29, 7;
        RLID: 0x30, 16;
        ACK_TIMEOUT: 0x40, 5;
        SRC_ADDR_INDEX: 0x48, 8;
        STAT_RATE: 0x54, 4;
        HOP_LIMIT: 0x58, 8;
        TCLASS: 0x64, 8;
        FLOW_LABEL: 0x6c, 20;
        RGID_RIP: 0x80, 8 [16];
        F_DSCP: 0x104, 1;
        F_ECN: 0x105, 1;
        F_ETH_PRIO: 0x107, 1;
        ECN: 0x108, 2;
        DSCP: 0x10a, 6;
        UDP_SPORT: 0x110, 16;
        DEI_CFI: 0x120, 1;
        ETH_PRIO: 0x121, 3;
        SL: 0x124, 4;
        VHCA_PORT_NUM: 0x128, 8;
        RMAC_47_32: 0x130, 16;
        RMAC_31_0: 0x140, 32;
    }

    /// Queue pair context.
    Qpc = "qpc", 0x740 {
        STATE: 0x0, 4;
        LAG_TX_PORT_AFFINITY: 0x4, 4;
        ST: 0x8, 8;
        ISOLATE_VL_TC: 0x12, 1;
        PM_STATE: 0x13, 2;
        REQ_E2E_CREDIT_MODE: 0x16, 2;
        OFFLOAD_TYPE: 0x18, 4;
        END_PADDING_MODE: 0x1c, 2;
        WQ_SIGNATURE: 0x20, 1;
        BLOCK_LB_MC: 0x21, 1;
        ATOMIC_LIKE_WRITE_EN: 0x22, 1;
        LATENCY_SENSITIVE: 0x23, 1;
        DRAIN_SIGERR: 0x25, 1;
        PD: 0x28, 24;
        MTU: 0x40, 3;
        LOG_MSG_MAX: 0x43, 5;
        LOG_RQ_SIZE: 0x49, 4;
        LOG_RQ_STRIDE: 0x4d, 3;
        NO_SQ: 0x50, 1;
        LOG_SQ_SIZE: 0x51, 4;
        TS_FORMAT: 0x58, 2;
        DATA_IN_ORDER: 0x5a, 1;
        RLKY: 0x5b, 1;
        ULP_STATELESS_OFFLOAD_MODE: 0x5c, 4;
        COUNTER_SET_ID: 0x60, 8;
        UAR_PAGE: 0x68, 24;
        USER_INDEX: 0x88, 24;
        LOG_PAGE_SIZE: 0xa3, 5;
        REMOTE_QPN: 0xa8, 24;
        PRIMARY_ADDRESS_PATH: 0xc0, 352 as Ads;
        SECONDARY_ADDRESS_PATH: 0x220, 352 as Ads;
        LOG_ACK_REQ_FREQ: 0x380, 4;
        LOG_SRA_MAX: 0x388, 3;
        RETRY_COUNT: 0x38d, 3;
        RNR_RETRY: 0x390, 3;
        FRE: 0x394, 1;
        CUR_RNR_RETRY: 0x395, 3;
        CUR_RETRY_COUNT: 0x398, 3;
        NEXT_SEND_PSN: 0x3c8, 24;
        CQN_SND: 0x3e8, 24;
        DETH_SQPN: 0x408, 24;
        LAST_ACKED_PSN: 0x448, 24;
        SSN: 0x468, 24;
        LOG_RRA_MAX: 0x488, 3;
        ATOMIC_MODE: 0x48c, 4;
        RRE: 0x490, 1;
        RWE: 0x491, 1;
        RAE: 0x492, 1;
        PAGE_OFFSET: 0x494, 6;
        CD_SLAVE_RECEIVE: 0x49d, 1;
        CD_SLAVE_SEND: 0x49e, 1;
        CD_MASTER: 0x49f, 1;
        MIN_RNR_NAK: 0x4a3, 5;
        NEXT_RCV_PSN: 0x4a8, 24;
        XRCD: 0x4c8, 24;
        CQN_RCV: 0x4e8, 24;
        DBR_ADDR: 0x500, 64;
        Q_KEY: 0x540, 32;
        RQ_TYPE: 0x565, 3;
        SRQN_RMPN_XRQN: 0x568, 24;
        RMSN: 0x588, 24;
        HW_SQ_WQEBB_COUNTER: 0x5a0, 16;
        SW_SQ_WQEBB_COUNTER: 0x5b0, 16;
        HW_RQ_COUNTER: 0x5c0, 32;
        SW_RQ_COUNTER: 0x5e0, 32;
        CGS: 0x62f, 1;
        CS_REQ: 0x630, 8;
        CS_RES: 0x638, 8;
        DC_ACCESS_KEY: 0x640, 64;
        DBR_UMEM_VALID: 0x683, 1;
        DBR_UMEM_ID: 0x720, 32;
    }

    /// Extension of the queue pair context.
    QpcExt = "qpc_ext", 0x600 {
        MMO: 0x2, 1;
        DCI_STREAM_CHANNEL_ID: 0x10, 16;
        QOS_QUEUE_GROUP_ID_REQUESTER: 0x20, 32;
        QOS_QUEUE_GROUP_ID_RESPONDER: 0x40, 32;
    }

    /// Output of CREATE_QP.
    CreateQpOut = "create_qp_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        QPN: 0x48, 24;
        ECE: 0x60, 32;
    }

    /// Input of CREATE_QP.
    CreateQpIn = "create_qp_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        INPUT_QPN: 0x48, 24;
        OPT_PARAM_MASK: 0x80, 32;
        ECE: 0xa0, 32;
        QPC: 0xc0, 1856 as Qpc;
        WQ_UMEM_OFFSET: 0x800, 64;
        WQ_UMEM_ID: 0x840, 32;
        WQ_UMEM_VALID: 0x860, 1;
        PAS: 0x880, 64 [..];
    }

    /// Input of DESTROY_QP.
    DestroyQpIn = "destroy_qp_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        QPN: 0x48, 24;
    }

    /// Output of INIT2INIT_QP.
    Init2initQpOut = "init2init_qp_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        ECE: 0x60, 32;
    }

    /// Input of INIT2INIT_QP.
    Init2initQpIn = "init2init_qp_in", 0xe80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        QPC_EXT: 0x40, 1;
        QPN: 0x48, 24;
        OPT_PARAM_MASK: 0x80, 32;
        ECE: 0xa0, 32;
        QPC: 0xc0, 1856 as Qpc;
        OPT_PARAM_MASK_95_32: 0x840, 64;
        QPC_DATA_EXT: 0x880, 1536 as QpcExt;
    }

    /// Output of INIT2RTR_QP.
    Init2rtrQpOut = "init2rtr_qp_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        ECE: 0x60, 32;
    }

    /// Input of INIT2RTR_QP.
    Init2rtrQpIn = "init2rtr_qp_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        QPN: 0x48, 24;
        OPT_PARAM_MASK: 0x80, 32;
        ECE: 0xa0, 32;
        QPC: 0xc0, 1856 as Qpc;
    }

    /// Output of RTR2RTS_QP.
    Rtr2rtsQpOut = "rtr2rts_qp_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        ECE: 0x60, 32;
    }

    /// Input of RTR2RTS_QP.
    Rtr2rtsQpIn = "rtr2rts_qp_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        QPN: 0x48, 24;
        OPT_PARAM_MASK: 0x80, 32;
        ECE: 0xa0, 32;
        QPC: 0xc0, 1856 as Qpc;
    }

    /// Output of RST2INIT_QP.
    Rst2initQpOut = "rst2init_qp_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        ECE: 0x60, 32;
    }

    /// Input of RST2INIT_QP.
    Rst2initQpIn = "rst2init_qp_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        QPN: 0x48, 24;
        OPT_PARAM_MASK: 0x80, 32;
        ECE: 0xa0, 32;
        QPC: 0xc0, 1856 as Qpc;
    }

    /// Output of RTS2RTS_QP.
    Rts2rtsQpOut = "rts2rts_qp_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        ECE: 0x60, 32;
    }

    /// Input of RTS2RTS_QP.
    Rts2rtsQpIn = "rts2rts_qp_in", 0xe80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        QPC_EXT: 0x40, 1;
        QPN: 0x48, 24;
        OPT_PARAM_MASK: 0x80, 32;
        ECE: 0xa0, 32;
        QPC: 0xc0, 1856 as Qpc;
        OPT_PARAM_MASK_95_32: 0x840, 64;
        QPC_DATA_EXT: 0x880, 1536 as QpcExt;
    }

    /// Output of QUERY_QP.
    QueryQpOut = "query_qp_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        OPT_PARAM_MASK: 0x80, 32;
        QPC: 0xc0, 1856 as Qpc;
        PAS: 0x880, 64 [..];
    }

    /// Input of QUERY_QP.
    QueryQpIn = "query_qp_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        QPN: 0x48, 24;
    }

    /// Output of QUERY_DCT.
    QueryDctOut = "query_dct_out", 0x400 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        DCTC: 0x80, 896 as Dctc;
    }

    /// Input of QUERY_DCT.
    QueryDctIn = "query_dct_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        DCTN: 0x48, 24;
    }

    /// Output of CREATE_DCT.
    CreateDctOut = "create_dct_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        DCTN: 0x48, 24;
        ECE: 0x60, 32;
    }

    /// Input of DESTROY_DCT.
    DestroyDctIn = "destroy_dct_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        DCTN: 0x48, 24;
    }

    /// Input of ATTACH_TO_MCG.
    AttachToMcgIn = "attach_to_mcg_in", 0x100 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        QPN: 0x48, 24;
        MULTICAST_GID: 0x80, 8 [16];
    }

    /// Input of DETACH_FROM_MCG.
    DetachFromMcgIn = "detach_from_mcg_in", 0x100 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        QPN: 0x48, 24;
        MULTICAST_GID: 0x80, 8 [16];
    }

    /// Input of CREATE_DCT.
    CreateDctIn = "create_dct_in", 0x400 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        DCT_CONTEXT_ENTRY: 0x80, 896 as Dctc;
    }

    /// Input of DRAIN_DCT.
    DrainDctIn = "drain_dct_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        DCTN: 0x48, 24;
    }

    /// Input of QP_2ERR.
    Qp2errIn = "qp_2err_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        QPN: 0x48, 24;
    }

    /// Input of QP_2RST.
    Qp2rstIn = "qp_2rst_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        QPN: 0x48, 24;
    }

    /// Input of SQERR2RTS_QP.
    Sqerr2rtsQpIn = "sqerr2rts_qp_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        QPN: 0x48, 24;
        OPT_PARAM_MASK: 0x80, 32;
        QPC: 0xc0, 1856 as Qpc;
    }
}
