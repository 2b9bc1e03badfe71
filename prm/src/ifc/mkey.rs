//! Memory keys, signature values and device memory.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub MKEY_LAYOUTS;

    /// Memory key context.
    Mkc = "mkc", 0x200 {
        FREE: 0x1, 1;
        ACCESS_MODE_4_2: 0x3, 3;
        RELAXED_ORDERING_WRITE: 0xd, 1;
        SMALL_FENCE_ON_RDMA_READ_RESPONSE: 0xf, 1;
        UMR_EN: 0x10, 1;
        A: 0x11, 1;
        RW: 0x12, 1;
        RR: 0x13, 1;
        LW: 0x14, 1;
        LR: 0x15, 1;
        ACCESS_MODE_1_0: 0x16, 2;
        QPN: 0x20, 24;
        MKEY_7_0: 0x38, 8;
        LENGTH64: 0x60, 1;
        BSF_EN: 0x61, 1;
        SYNC_UMR: 0x62, 1;
        EXPECTED_SIGERR_COUNT: 0x65, 1;
        EN_RINVAL: 0x67, 1;
        PD: 0x68, 24;
        START_ADDR: 0x80, 64;
        LEN: 0xc0, 64;
        BSF_OCTWORD_SIZE: 0x100, 32;
        CROSSING_TARGET_VHCA_ID: 0x180, 16;
        TRANSLATIONS_OCTWORD_SIZE: 0x1a0, 32;
        RELAXED_ORDERING_READ: 0x1d9, 1;
        LOG_PAGE_SIZE_5: 0x1da, 1;
        LOG_PAGE_SIZE: 0x1db, 5;
        CRYPTO_EN: 0x1e3, 2;
    }

    /// Output of CREATE_MKEY.
    CreateMkeyOut = "create_mkey_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        MKEY_INDEX: 0x48, 24;
    }

    /// Input of CREATE_MKEY.
    CreateMkeyIn = "create_mkey_in", 0x880 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        PG_ACCESS: 0x60, 1;
        MKEY_UMEM_VALID: 0x61, 1;
        DATA_DIRECT: 0x62, 1;
        MEMORY_KEY_MKEY_ENTRY: 0x80, 512 as Mkc;
        TRANSLATIONS_OCTWORD_ACTUAL_SIZE: 0x300, 32;
        MKEY_UMEM_ID: 0x320, 32;
        MKEY_UMEM_OFFSET: 0x340, 64;
        KLM_PAS_MTT: 0x880, 32 [..];
    }

    /// Output of DESTROY_MKEY.
    DestroyMkeyOut = "destroy_mkey_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Input of DESTROY_MKEY.
    DestroyMkeyIn = "destroy_mkey_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        MKEY_INDEX: 0x48, 24;
    }

    /// Output of CREATE_PSV.
    CreatePsvOut = "create_psv_out", 0x100 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        PSV0_INDEX: 0x88, 24;
        PSV1_INDEX: 0xa8, 24;
        PSV2_INDEX: 0xc8, 24;
        PSV3_INDEX: 0xe8, 24;
    }

    /// Input of CREATE_PSV.
    CreatePsvIn = "create_psv_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        NUM_PSV: 0x40, 4;
        PD: 0x48, 24;
    }

    /// Input of DESTROY_PSV.
    DestroyPsvIn = "destroy_psv_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        PSVN: 0x48, 24;
    }

    /// Input of QUERY_MKEY.
    QueryMkeyIn = "query_mkey_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        MKEY_INDEX: 0x48, 24;
        PG_ACCESS: 0x60, 1;
    }

    /// Output of QUERY_MKEY.
    QueryMkeyOut = "query_mkey_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        MEMORY_KEY_MKEY_ENTRY: 0x80, 512 as Mkc;
    }

    /// Input of ALLOC_MEMIC.
    AllocMemicIn = "alloc_memic_in", 0x100 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        LOG_MEMIC_ADDR_ALIGNMENT: 0x78, 8;
        RANGE_START_ADDR: 0x80, 64;
        RANGE_SIZE: 0xc0, 32;
        MEMIC_SIZE: 0xe0, 32;
    }

    /// Output of ALLOC_MEMIC.
    AllocMemicOut = "alloc_memic_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        MEMIC_START_ADDR: 0x40, 64;
    }

    /// Input of DEALLOC_MEMIC.
    DeallocMemicIn = "dealloc_memic_in", 0x100 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        MEMIC_START_ADDR: 0x80, 64;
        MEMIC_SIZE: 0xc0, 32;
    }

    /// Input of MODIFY_MEMIC.
    ModifyMemicIn = "modify_memic_in", 0x200 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        MEMIC_OPERATION_TYPE: 0x78, 8;
        MEMIC_START_ADDR: 0x80, 64;
    }

    /// Output of MODIFY_MEMIC.
    ModifyMemicOut = "modify_memic_out", 0x200 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        MEMIC_OPERATION_ADDR: 0x80, 64;
    }
}
