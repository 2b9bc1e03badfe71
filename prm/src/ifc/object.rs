//! General objects.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub OBJECT_LAYOUTS;

    /// Head of the general object commands, input.
    GeneralObjInCmdHdr = "general_obj_in_cmd_hdr", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OBJ_TYPE: 0x30, 16;
        OBJ_ID: 0x40, 32;
        LOG_OBJ_RANGE: 0x63, 5;
    }

    /// Head of the general object commands, output.
    GeneralObjOutCmdHdr = "general_obj_out_cmd_hdr", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        OBJ_ID: 0x40, 32;
    }

    /// Layout `flow_meter`.
    FlowMeter = "flow_meter", 0x400 {
        MODIFY_FIELD_SELECT: 0x0, 64;
        ACTIVE: 0x40, 1;
        RETURN_REG_ID: 0x44, 4;
        TABLE_TYPE: 0x48, 8;
        DESTINATION_TABLE_ID: 0x68, 24;
        FLOW_METER_PARAMS: 0x100, 256;
        SW_STEERING_ICM_ADDRESS_RX: 0x380, 64;
        SW_STEERING_ICM_ADDRESS_TX: 0x3c0, 64;
    }

    /// Input of CREATE_FLOW_METER.
    CreateFlowMeterIn = "create_flow_meter_in", 0x480 {
        HDR: 0x0, 128 as GeneralObjInCmdHdr;
        METER: 0x80, 1024 as FlowMeter;
    }

    /// Output of QUERY_FLOW_METER.
    QueryFlowMeterOut = "query_flow_meter_out", 0x480 {
        HDR: 0x0, 128 as GeneralObjOutCmdHdr;
        OBJ: 0x80, 1024 as FlowMeter;
    }

    /// Layout `flow_sampler`.
    FlowSampler = "flow_sampler", 0x140 {
        MODIFY_FIELD_SELECT: 0x0, 64;
        TABLE_TYPE: 0x40, 8;
        LEVEL: 0x48, 8;
        IGNORE_FLOW_LEVEL: 0x5f, 1;
        SAMPLE_RATIO: 0x60, 32;
        SAMPLE_TABLE_ID: 0x88, 24;
        DEFAULT_TABLE_ID: 0xa8, 24;
        SW_STEERING_ICM_ADDRESS_RX: 0xc0, 64;
        SW_STEERING_ICM_ADDRESS_TX: 0x100, 64;
    }

    /// Input of CREATE_FLOW_SAMPLER.
    CreateFlowSamplerIn = "create_flow_sampler_in", 0x1c0 {
        HDR: 0x0, 128 as GeneralObjInCmdHdr;
        SAMPLER: 0x80, 320 as FlowSampler;
    }

    /// Output of QUERY_FLOW_SAMPLER.
    QueryFlowSamplerOut = "query_flow_sampler_out", 0x1c0 {
        HDR: 0x0, 128 as GeneralObjOutCmdHdr;
        OBJ: 0x80, 320 as FlowSampler;
    }

    /// Layout `modify_header_arg`.
    ModifyHeaderArg = "modify_header_arg", 0xa0 {
        ACCESS_PD: 0x88, 24;
    }

    /// Input of CREATE_MODIFY_HEADER_ARG.
    CreateModifyHeaderArgIn = "create_modify_header_arg_in", 0x120 {
        HDR: 0x0, 128 as GeneralObjInCmdHdr;
        ARG: 0x80, 160 as ModifyHeaderArg;
    }

    /// Layout `definer`.
    Definer = "definer", 0x400 {
        MODIFY_FIELD_SELECT: 0x0, 64;
        FORMAT_ID: 0x90, 16;
        CTRL: 0x200, 160;
        MATCH_MASK_DW_11_8: 0x2a0, 96;
        MATCH_MASK_DW_7_0: 0x300, 256;
    }

    /// Input of CREATE_DEFINER.
    CreateDefinerIn = "create_definer_in", 0x480 {
        HDR: 0x0, 128 as GeneralObjInCmdHdr;
        DEFINER: 0x80, 1024 as Definer;
    }

    /// Layout `av_qp_mapping`.
    AvQpMapping = "av_qp_mapping", 0x200 {
        MODIFY_FIELD_SELECT: 0x0, 64;
        QPN: 0x60, 32;
        REMOTE_ADDRESS_VECTOR: 0x80, 384 as UdAv;
    }

    /// Input of CREATE_AV_QP_MAPPING.
    CreateAvQpMappingIn = "create_av_qp_mapping_in", 0x280 {
        HDR: 0x0, 128 as GeneralObjInCmdHdr;
        MAPPING: 0x80, 512 as AvQpMapping;
    }

    /// Layout `reserved_qpn`.
    ReservedQpn = "reserved_qpn", 0x80 {
    }

    /// Input of CREATE_RESERVED_QPN.
    CreateReservedQpnIn = "create_reserved_qpn_in", 0x100 {
        HDR: 0x0, 128 as GeneralObjInCmdHdr;
        RQPNS: 0x80, 128 as ReservedQpn;
    }

    /// Layout `crypto_login_obj`.
    CryptoLoginObj = "crypto_login_obj", 0x800 {
        MODIFY_FIELD_SELECT: 0x0, 64;
        STATE: 0x84, 4;
        CREDENTIAL_POINTER: 0x88, 24;
        SESSION_IMPORT_KEK_PTR: 0xa8, 24;
        CREDENTIAL: 0x200, 32 [12];
    }

    /// Input of CREATE_CRYPTO_LOGIN_OBJ.
    CreateCryptoLoginObjIn = "create_crypto_login_obj_in", 0x880 {
        HDR: 0x0, 128 as GeneralObjInCmdHdr;
        LOGIN_OBJ: 0x80, 2048 as CryptoLoginObj;
    }

    /// Output of QUERY_CRYPTO_LOGIN_OBJ.
    QueryCryptoLoginObjOut = "query_crypto_login_obj_out", 0x880 {
        HDR: 0x0, 128 as GeneralObjOutCmdHdr;
        OBJ: 0x80, 2048 as CryptoLoginObj;
    }

    /// Layout `encryption_key_obj`.
    EncryptionKeyObj = "encryption_key_obj", 0x800 {
        MODIFY_FIELD_SELECT: 0x0, 64;
        STATE: 0x40, 8;
        KEY_SIZE: 0x54, 4;
        HAS_KEYTAG: 0x58, 1;
        KEY_PURPOSE: 0x5c, 4;
        PD: 0x68, 24;
        OPAQUE: 0x180, 64;
        KEY: 0x200, 32 [32];
    }

    /// Input of CREATE_ENCRYPTION_KEY_OBJ.
    CreateEncryptionKeyObjIn = "create_encryption_key_obj_in", 0x880 {
        HDR: 0x0, 128 as GeneralObjInCmdHdr;
        KEY_OBJ: 0x80, 2048 as EncryptionKeyObj;
    }

    /// Output of QUERY_ENCRYPTION_KEY_OBJ.
    QueryEncryptionKeyObjOut = "query_encryption_key_obj_out", 0x880 {
        HDR: 0x0, 128 as GeneralObjOutCmdHdr;
        OBJ: 0x80, 2048 as EncryptionKeyObj;
    }

    /// Layout `sw_icm`.
    SwIcm = "sw_icm", 0x200 {
        MODIFY_FIELD_SELECT: 0x0, 64;
        LOG_SW_ICM_SIZE: 0x58, 8;
        SW_ICM_START_ADDR: 0x80, 64;
    }

    /// Input of CREATE_SW_ICM.
    CreateSwIcmIn = "create_sw_icm_in", 0x280 {
        HDR: 0x0, 128 as GeneralObjInCmdHdr;
        SW_ICM: 0x80, 512 as SwIcm;
    }
}
