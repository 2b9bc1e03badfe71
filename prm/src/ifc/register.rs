//! Access registers.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub REGISTER_LAYOUTS;

    /// Output of ACCESS_REGISTER.
    AccessRegisterOut = "access_register_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        REGISTER_DATA: 0x80, 32 [..];
    }

    /// Input of ACCESS_REGISTER.
    AccessRegisterIn = "access_register_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        REGISTER_ID: 0x50, 16;
        ARGUMENT: 0x60, 32;
        REGISTER_DATA: 0x80, 32 [..];
    }

    /// Layout `pcam_reg`.
    PcamReg = "pcam_reg", 0x260 {
        FEATURE_GROUP: 0x10, 8;
        ACCESS_REG_GROUP: 0x18, 8;
        PORT_ACCESS_REG_CAP_MASK: 0x40, 128;
        FEATURE_CAP_MASK: 0x140, 128;
    }

    /// Layout `mcam_reg`.
    McamReg = "mcam_reg", 0x240 {
        FEATURE_GROUP: 0x10, 8;
        ACCESS_REG_GROUP: 0x18, 8;
        MNG_ACCESS_REG_CAP_MASK: 0x40, 128;
        MNG_FEATURE_CAP_MASK: 0x140, 128;
    }

    /// Layout `pmtu_reg`.
    PmtuReg = "pmtu_reg", 0x80 {
        LOCAL_PORT: 0x8, 8;
        MAX_MTU: 0x20, 16;
        ADMIN_MTU: 0x40, 16;
        OPER_MTU: 0x60, 16;
    }

    /// Layout `paos_reg`.
    PaosReg = "paos_reg", 0x80 {
        SWID: 0x0, 8;
        LOCAL_PORT: 0x8, 8;
        ADMIN_STATUS: 0x14, 4;
        OPER_STATUS: 0x1c, 4;
        ASE: 0x20, 1;
        EE: 0x21, 1;
        E: 0x3e, 2;
    }

    /// Layout `pvlc_reg`.
    PvlcReg = "pvlc_reg", 0x80 {
        LOCAL_PORT: 0x8, 8;
        VL_HW_CAP: 0x1c, 4;
        VL_ADMIN: 0x3c, 4;
        VL_OPERATIONAL: 0x5c, 4;
    }

    /// Layout `ptys_reg`.
    PtysReg = "ptys_reg", 0x200 {
        AN_DISABLE_ADMIN: 0x1, 1;
        AN_DISABLE_CAP: 0x2, 1;
        LOCAL_PORT: 0x8, 8;
        PROTO_MASK: 0x1d, 3;
        AN_STATUS: 0x20, 4;
        DATA_RATE_OPER: 0x30, 16;
        EXT_ETH_PROTO_CAPABILITY: 0x40, 32;
        ETH_PROTO_CAPABILITY: 0x60, 32;
        IB_LINK_WIDTH_CAPABILITY: 0x80, 16;
        IB_PROTO_CAPABILITY: 0x90, 16;
        EXT_ETH_PROTO_ADMIN: 0xa0, 32;
        ETH_PROTO_ADMIN: 0xc0, 32;
        IB_LINK_WIDTH_ADMIN: 0xe0, 16;
        IB_PROTO_ADMIN: 0xf0, 16;
        EXT_ETH_PROTO_OPER: 0x100, 32;
        ETH_PROTO_OPER: 0x120, 32;
        IB_LINK_WIDTH_OPER: 0x140, 16;
        IB_PROTO_OPER: 0x150, 16;
        CONNECTOR_TYPE: 0x17c, 4;
        ETH_PROTO_LP_ADVERTISE: 0x180, 32;
    }

    /// Layout `pmlp_reg`.
    PmlpReg = "pmlp_reg", 0x200 {
        RXTX: 0x0, 1;
        LOCAL_PORT: 0x8, 8;
        WIDTH: 0x18, 8;
        LANE0_MODULE_MAPPING: 0x20, 32;
    }
}
