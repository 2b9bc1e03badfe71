//! Life of the function and its basic resources: initialization, pages, user contexts, UARs, protection and transport domains, user memory.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub DEVICE_LAYOUTS;

    /// Head that the output of every command starts with.
    MboxOut = "mbox_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Head that the input of every command starts with.
    MboxIn = "mbox_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
    }

    /// Input of ENABLE_HCA.
    EnableHcaIn = "enable_hca_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        FUNCTION_ID: 0x50, 16;
    }

    /// Output of ENABLE_HCA.
    EnableHcaOut = "enable_hca_out", 0x60 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Output of QUERY_ISSI.
    QueryIssiOut = "query_issi_out", 0x380 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        CURRENT_ISSI: 0x50, 16;
        SUPPORTED_ISSI_DW0: 0x360, 32;
    }

    /// Input of QUERY_ISSI.
    QueryIssiIn = "query_issi_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
    }

    /// Output of SET_ISSI.
    SetIssiOut = "set_issi_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Input of SET_ISSI.
    SetIssiIn = "set_issi_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        CURRENT_ISSI: 0x50, 16;
    }

    /// Output of QUERY_PAGES.
    QueryPagesOut = "query_pages_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        EMBEDDED_CPU_FUNCTION: 0x40, 1;
        FUNCTION_ID: 0x50, 16;
        NUM_PAGES: 0x60, 32;
    }

    /// Input of QUERY_PAGES.
    QueryPagesIn = "query_pages_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        FUNCTION_ID: 0x50, 16;
    }

    /// Output of MANAGE_PAGES.
    ManagePagesOut = "manage_pages_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        OUTPUT_NUM_ENTRIES: 0x40, 32;
        PAS: 0x80, 64 [..];
    }

    /// Input of MANAGE_PAGES.
    ManagePagesIn = "manage_pages_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        EMBEDDED_CPU_FUNCTION: 0x40, 1;
        FUNCTION_ID: 0x50, 16;
        INPUT_NUM_ENTRIES: 0x60, 32;
        PAS: 0x80, 64 [..];
    }

    /// Output of TEARDOWN_HCA.
    TeardownHcaOut = "teardown_hca_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        STATE: 0x7f, 1;
    }

    /// Input of TEARDOWN_HCA.
    TeardownHcaIn = "teardown_hca_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        PROFILE: 0x50, 16;
    }

    /// Output of INIT_HCA.
    InitHcaOut = "init_hca_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Input of INIT_HCA.
    InitHcaIn = "init_hca_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
    }

    /// Output of ALLOC_UAR.
    AllocUarOut = "alloc_uar_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        UAR: 0x48, 24;
    }

    /// Input of ALLOC_UAR.
    AllocUarIn = "alloc_uar_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
    }

    /// Output of DEALLOC_UAR.
    DeallocUarOut = "dealloc_uar_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Input of DEALLOC_UAR.
    DeallocUarIn = "dealloc_uar_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        UAR: 0x48, 24;
    }

    /// Output of ALLOC_PD.
    AllocPdOut = "alloc_pd_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        PD: 0x48, 24;
    }

    /// Input of ALLOC_PD.
    AllocPdIn = "alloc_pd_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
    }

    /// Output of DEALLOC_PD.
    DeallocPdOut = "dealloc_pd_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Input of DEALLOC_PD.
    DeallocPdIn = "dealloc_pd_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        PD: 0x48, 24;
    }

    /// Memory translation entry of a umem.
    Mtt = "mtt", 0x40 {
        PTAG_63_32: 0x0, 32;
        PTAG_31_8: 0x20, 24;
        WR_EN: 0x3e, 1;
        RD_EN: 0x3f, 1;
    }

    /// User memory description.
    Umem = "umem", 0x100 {
        LOG_PAGE_SIZE: 0x9b, 5;
        PAGE_OFFSET: 0xa0, 32;
        NUM_OF_MTT: 0xc0, 64;
        MTT: 0x100, 64 [..] as Mtt;
    }

    /// Input of CREATE_UMEM.
    CreateUmemIn = "create_umem_in", 0x180 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        UMEM: 0x80, 256 as Umem;
    }

    /// Output of CREATE_UMEM.
    CreateUmemOut = "create_umem_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        UMEM_ID: 0x48, 24;
    }

    /// Input of DESTROY_UMEM.
    DestroyUmemIn = "destroy_umem_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        UMEM_ID: 0x48, 24;
    }

    /// Output of DESTROY_UMEM.
    DestroyUmemOut = "destroy_umem_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
    }

    /// Output of ALLOC_TRANSPORT_DOMAIN.
    AllocTransportDomainOut = "alloc_transport_domain_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        TRANSPORT_DOMAIN: 0x48, 24;
    }

    /// Input of DEALLOC_TRANSPORT_DOMAIN.
    DeallocTransportDomainIn = "dealloc_transport_domain_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        TRANSPORT_DOMAIN: 0x48, 24;
    }

    /// Output of ALLOC_XRCD.
    AllocXrcdOut = "alloc_xrcd_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        XRCD: 0x48, 24;
    }

    /// Input of DEALLOC_XRCD.
    DeallocXrcdIn = "dealloc_xrcd_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        XRCD: 0x48, 24;
    }

    /// Input of QUERY_SPECIAL_CONTEXTS.
    QuerySpecialContextsIn = "query_special_contexts_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
    }

    /// Output of QUERY_SPECIAL_CONTEXTS.
    QuerySpecialContextsOut = "query_special_contexts_out", 0x100 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        DUMP_FILL_MKEY: 0x40, 32;
        RESD_LKEY: 0x60, 32;
        NULL_MKEY: 0x80, 32;
        TERMINATE_SCATTER_LIST_MKEY: 0xa0, 32;
        REPEATED_MKEY: 0xc0, 32;
    }

    /// Input of CREATE_UCTX.
    CreateUctxIn = "create_uctx_in", 0x100 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        CAP: 0x80, 32;
    }

    /// Output of CREATE_UCTX.
    CreateUctxOut = "create_uctx_out", 0x80 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        UID: 0x50, 16;
    }

    /// Input of DESTROY_UCTX.
    DestroyUctxIn = "destroy_uctx_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        UID: 0x50, 16;
    }

    /// Output of QUERY_ADAPTER.
    QueryAdapterOut = "query_adapter_out", 0x880 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        IEEE_VENDOR_ID: 0x148, 24;
        VSD_VENDOR_ID: 0x170, 16;
        VSD: 0x180, 8 [208];
        VSD_CONTD_PSID: 0x800, 8 [16];
    }

    /// Input of ALLOC_XRCD.
    AllocXrcdIn = "alloc_xrcd_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
    }

    /// Input of ALLOC_TRANSPORT_DOMAIN.
    AllocTransportDomainIn = "alloc_transport_domain_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
    }

    /// Input of SET_DRIVER_VERSION.
    SetDriverVersionIn = "set_driver_version_in", 0x280 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        DRIVER_VERSION: 0x80, 8 [64];
    }

    /// Input of QUERY_VUID.
    QueryVuidIn = "query_vuid_in", 0x80 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        QUERY_VFS_VUID: 0x60, 1;
        DATA_DIRECT: 0x61, 1;
        VHCA_ID: 0x70, 16;
    }

    /// Output of QUERY_VUID.
    QueryVuidOut = "query_vuid_out", 0x200 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        NUM_OF_ENTRIES: 0x1f0, 16;
        VUID: 0x200, 8 [..];
    }

    /// Input of ALLOW_OTHER_VHCA_ACCESS.
    AllowOtherVhcaAccessIn = "allow_other_vhca_access_in", 0x200 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        OBJECT_TYPE_TO_BE_ACCESSED: 0x90, 16;
        OBJECT_ID_TO_BE_ACCESSED: 0xa0, 32;
        ACCESS_KEY: 0x100, 32 [8];
    }
}
