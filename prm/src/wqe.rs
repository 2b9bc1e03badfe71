//! Work queue entries: segments of send, receive and shared receive queues, opcodes, flags.
//!
//! A WQE is a row of segments of 16-byte octowords ("ds" counts them); a send queue is a ring of
//! 64-byte basic blocks. All numbers are big-endian.

use crate::layout::layouts;

/// Bytes of a basic block of a send queue.
pub const BB: usize = 64;
/// log2 of [`BB`].
pub const BB_SHIFT: u32 = 6;
/// Bytes of an octoword, the unit that segments are counted in.
pub const OCTOWORD: usize = 16;

layouts! {
    /// Layouts of this family as data.
    pub WQE_LAYOUTS;

    /// First segment of each send WQE.
    Ctrl = "mlx5_wqe_ctrl_seg", 0x80 {
        OPMOD_IDX_OPCODE: 0x0, 32;
        QPN_DS: 0x20, 32;
        SIGNATURE: 0x40, 8;
        DCI_STREAM_CHANNEL_ID: 0x48, 16;
        FM_CE_SE: 0x58, 8;
        IMM: 0x60, 32;
    }

    /// Remote address of RDMA and atomics.
    Raddr = "mlx5_wqe_raddr_seg", 0x80 {
        RADDR: 0x0, 64;
        RKEY: 0x40, 32;
    }

    /// Operands of an atomic.
    Atomic = "mlx5_wqe_atomic_seg", 0x80 {
        SWAP_ADD: 0x0, 64;
        COMPARE: 0x40, 64;
    }

    /// Pointer to local memory.
    Data = "mlx5_wqe_data_seg", 0x80 {
        BYTE_COUNT: 0x0, 32;
        LKEY: 0x20, 32;
        ADDR: 0x40, 64;
    }

    /// Header of inline data; the bytes follow.
    Inline = "mlx5_wqe_inl_data_seg", 0x20 {
        BYTE_COUNT: 0x0, 32;
    }

    /// Address vector, also the datagram segment of UD and DC.
    Av = "mlx5_wqe_av", 0x180 {
        QKEY: 0x0, 32;
        DC_KEY: 0x0, 64;
        DQP_DCT: 0x40, 32;
        STAT_RATE_SL: 0x60, 8;
        FL_MLID: 0x68, 8;
        RLID: 0x70, 16;
        RMAC: 0xa0, 48;
        TCLASS: 0xd0, 8;
        HOP_LIMIT: 0xd8, 8;
        GRH_GID_FL: 0xe0, 32;
        RGID: 0x100, 128;
    }

    /// Ethernet segment, with room for 18 bytes of headers.
    Eth = "mlx5_wqe_eth_seg", 0x100 {
        CS_FLAGS: 0x20, 8;
        MSS: 0x30, 16;
        INLINE_HDR_SZ: 0x60, 16;
        INLINE_HDR_START: 0x70, 16;
        INLINE_HDR: 0x80, 128;
    }

    /// First segment of a shared receive queue's WQE.
    SrqNext = "mlx5_wqe_srq_next_seg", 0x80 {
        NEXT_WQE_INDEX: 0x10, 16;
        SIGNATURE: 0x20, 8;
    }

    /// Tag matching operation.
    Tm = "mlx5_wqe_tm_seg", 0x100 {
        OPCODE: 0x0, 8;
        FLAGS: 0x8, 8;
        INDEX: 0x10, 16;
        SW_CNT: 0x30, 16;
        APPEND_TAG: 0x80, 64;
        APPEND_MASK: 0xc0, 64;
    }

    /// What a UMR changes.
    UmrCtrl = "mlx5_wqe_umr_ctrl_seg", 0x180 {
        FLAGS: 0x0, 8;
        KLM_OCTOWORDS: 0x20, 16;
        TRANSLATION_OFFSET: 0x30, 16;
        BSF_OCTOWORDS: 0x30, 16;
        MKEY_MASK: 0x40, 64;
    }

    /// New values of a memory key.
    MkeyContext = "mlx5_wqe_mkey_context_seg", 0x200 {
        FREE: 0x0, 8;
        ACCESS_FLAGS: 0x10, 8;
        SF: 0x18, 8;
        QPN_MKEY: 0x20, 32;
        FLAGS_PD: 0x60, 32;
        START_ADDR: 0x80, 64;
        LEN: 0xc0, 64;
        BSF_OCTWORD_SIZE: 0x100, 32;
        TRANSLATIONS_OCTWORD_SIZE: 0x1a0, 32;
        LOG_PAGE_SIZE: 0x1d8, 8;
    }

    /// Entry of an indirect key: key, length, address.
    Klm = "mlx5_wqe_umr_klm_seg", 0x80 {
        BYTE_COUNT: 0x0, 32;
        MKEY: 0x20, 32;
        ADDRESS: 0x40, 64;
    }

    /// Header of an interleaved layout.
    RepeatBlock = "mlx5_wqe_umr_repeat_block_seg", 0x80 {
        BYTE_COUNT: 0x0, 32;
        OP: 0x20, 32;
        REPEAT_COUNT: 0x40, 32;
        NUM_ENT: 0x70, 16;
    }

    /// One entry of an interleaved layout.
    RepeatEntry = "mlx5_wqe_umr_repeat_ent_seg", 0x80 {
        STRIDE: 0x0, 16;
        BYTE_COUNT: 0x10, 16;
        MEMKEY: 0x20, 32;
        VA: 0x40, 64;
    }

    /// Target of an XRC send.
    Xrc = "xrc_seg", 0x80 {
        SRQN: 0x0, 32;
    }

    /// SET_PSV: start value of one signature domain.
    SetPsv = "set_psv_seg", 0x80 {
        PSV_INDEX: 0x0, 32;
        SYNDROME: 0x20, 16;
        TRANSIENT_SIGNATURE: 0x40, 64;
    }

    /// DMA of the memory-to-memory engine: where its own state goes.
    MmoMeta = "mmo_meta_seg", 0x80 {
        MMO_CONTROL: 0x0, 32;
        OPAQUE_LKEY: 0x20, 32;
        OPAQUE_VADDR: 0x40, 64;
    }

    /// Signature block format of a key.
    SigBsf = "sig_bsf", 0x200 {
        SIZE_SBS: 0x0, 8;
        CHECK_BYTE_MASK: 0x8, 8;
        COPY_OR_WIRE_BS: 0x10, 8;
        MEM_BS: 0x18, 8;
        RAW_DATA_SIZE: 0x20, 32;
        WIRE_BFS_PSV: 0x40, 32;
        MEM_BFS_PSV: 0x60, 32;
        WIRE_INLINE: 0x100, 128;
        MEM_INLINE: 0x180, 128;
    }

    /// T10-DIF part of a [`SigBsf`], one for each domain.
    BsfInline = "bsf_inline", 0x80 {
        VALID: 0x0, 16;
        APP_TAG: 0x10, 16;
        REF_TAG: 0x20, 32;
        DIF_TYPE: 0x40, 8;
        REPEAT_BLOCK: 0x48, 8;
        DIF_INC_REF_GUARD_CHECK: 0x68, 8;
        DIF_APP_BITMASK_CHECK: 0x70, 16;
    }

    /// Crypto block format of a key.
    CryptoBsf = "crypto_bsf", 0x200 {
        SIZE_TYPE: 0x0, 8;
        ENC_ORDER: 0x8, 8;
        ENC_STANDARD: 0x18, 8;
        RAW_DATA_SIZE: 0x20, 32;
        BS: 0x40, 8;
        XTS_TWEAK: 0x80, 128;
        DEK_POINTER: 0x100, 32;
        KEYTAG: 0x140, 64;
    }
}

/// Opcodes of send WQEs.
pub mod opcode {
    /// Nothing; completes if asked to.
    pub const NOP: u8 = 0x00;
    /// Send and invalidate a remote key.
    pub const SEND_INVAL: u8 = 0x01;
    /// RDMA write.
    pub const RDMA_WRITE: u8 = 0x08;
    /// RDMA write with immediate.
    pub const RDMA_WRITE_IMM: u8 = 0x09;
    /// Send.
    pub const SEND: u8 = 0x0a;
    /// Send with immediate.
    pub const SEND_IMM: u8 = 0x0b;
    /// Large send: the device cuts segments.
    pub const TSO: u8 = 0x0e;
    /// RDMA read.
    pub const RDMA_READ: u8 = 0x10;
    /// Compare and swap.
    pub const ATOMIC_CS: u8 = 0x11;
    /// Fetch and add.
    pub const ATOMIC_FA: u8 = 0x12;
    /// Masked compare and swap.
    pub const ATOMIC_MASKED_CS: u8 = 0x14;
    /// Masked fetch and add.
    pub const ATOMIC_MASKED_FA: u8 = 0x15;
    /// Start value of a signature domain.
    pub const SET_PSV: u8 = 0x20;
    /// User memory registration: change a memory key.
    pub const UMR: u8 = 0x25;
    /// Tag list operation.
    pub const TAG_MATCHING: u8 = 0x28;
    /// Access to flow tables (steering).
    pub const FLOW_TBL_ACCESS: u8 = 0x2c;
    /// Memory-to-memory engine; the operation is in opmod.
    pub const MMO: u8 = 0x2f;
}

/// Opmod of [`opcode::MMO`]: plain copy.
pub const MMO_DMA: u8 = 1;

/// Bits of [`Ctrl::FM_CE_SE`].
pub mod fm_ce_se {
    /// Wait for all earlier reads and atomics.
    pub const FENCE: u8 = 0x80;
    /// Wait for all earlier local operations (UMR).
    pub const INITIATOR_SMALL_FENCE: u8 = 0x20;
    /// Write a completion.
    pub const CQ_UPDATE: u8 = 0x08;
    /// The peer's completion is a solicited one.
    pub const SOLICITED: u8 = 0x02;
}

/// Bits of [`Eth::CS_FLAGS`].
pub mod eth_cs {
    /// Compute the IP checksum.
    pub const L3: u8 = 0x40;
    /// Compute the TCP or UDP checksum.
    pub const L4: u8 = 0x80;
}

/// Bit of [`Inline::BYTE_COUNT`] that tells inline data from a pointer.
pub const INLINE_SEG: u32 = 0x8000_0000;
/// Key that ends a scatter list.
pub const INVALID_LKEY: u32 = 0x100;
/// Bit of [`Av::DQP_DCT`]: the address vector has its extended part.
pub const EXTENDED_UD_AV: u32 = 0x8000_0000;

/// Bits of [`UmrCtrl::FLAGS`].
pub mod umr_flags {
    /// Translations follow in the WQE.
    pub const INLINE: u8 = 0x80;
    /// Refuse unless the key is free.
    pub const CHECK_FREE: u8 = 0x20;
    /// The offset field counts.
    pub const TRANSLATION_OFFSET: u8 = 0x10;
    /// Refuse unless the key belongs to this QP.
    pub const CHECK_QPN: u8 = 0x08;
}

/// Bits of [`UmrCtrl::MKEY_MASK`].
pub mod mkey_mask {
    /// Length.
    pub const LEN: u64 = 1 << 0;
    /// Start address.
    pub const START_ADDR: u64 = 1 << 6;
    /// Signature error counter.
    pub const SIG_ERR: u64 = 1 << 9;
    /// Block signature format in use.
    pub const BSF_ENABLE: u64 = 1 << 12;
    /// Variant byte of the key.
    pub const MKEY: u64 = 1 << 13;
    /// QP that the key belongs to.
    pub const QPN: u64 = 1 << 14;
    /// Local write.
    pub const ACCESS_LOCAL_WRITE: u64 = 1 << 18;
    /// Remote read.
    pub const ACCESS_REMOTE_READ: u64 = 1 << 19;
    /// Remote write.
    pub const ACCESS_REMOTE_WRITE: u64 = 1 << 20;
    /// Remote atomics.
    pub const ACCESS_ATOMIC: u64 = 1 << 21;
    /// State: free or in use.
    pub const FREE: u64 = 1 << 29;
}

/// Bits of [`MkeyContext::ACCESS_FLAGS`].
pub mod mkey_access {
    /// Remote atomics.
    pub const ATOMIC: u8 = 0x40;
    /// Remote write.
    pub const REMOTE_WRITE: u8 = 0x20;
    /// Remote read.
    pub const REMOTE_READ: u8 = 0x10;
    /// Local write.
    pub const LOCAL_WRITE: u8 = 0x08;
    /// Local read.
    pub const LOCAL_READ: u8 = 0x04;
}

/// [`MkeyContext::FREE`]: the key is free.
pub const MKEY_FREE: u8 = 0x40;
/// [`MkeyContext::FLAGS_PD`]: block signature format is in use.
pub const MKEY_BSF_ENABLE: u32 = 1 << 30;
/// [`MkeyContext::FLAGS_PD`]: shift of the parity of the signature error counter.
pub const MKEY_SIG_ERR_SHIFT: u32 = 26;
/// [`RepeatBlock::OP`]: entries repeat.
pub const REPEAT_BLOCK_OP: u32 = 0x400;

/// Tag list operations: high nibble of [`Tm::OPCODE`].
pub mod tm_op {
    /// Nothing but the counters.
    pub const NOP: u8 = 0x0;
    /// Append a tag.
    pub const APPEND: u8 = 0x1;
    /// Remove a tag.
    pub const REMOVE: u8 = 0x2;
}

/// Bits of [`Tm::FLAGS`].
pub mod tm_flags {
    /// Write a completion for the operation.
    pub const REQ: u8 = 0x80;
    /// `sw_cnt` is valid.
    pub const CNT: u8 = 0x40;
}

/// Codes of signature block sizes (`SigBsf` block size fields, low nibble).
pub mod block_size {
    /// 512 bytes.
    pub const B512: u8 = 1;
    /// 520 bytes.
    pub const B520: u8 = 2;
    /// 4096 bytes.
    pub const B4096: u8 = 3;
    /// 4160 bytes.
    pub const B4160: u8 = 4;
    /// 4048 bytes.
    pub const B4048: u8 = 6;
}

/// Block format selectors: top byte of [`SigBsf::WIRE_BFS_PSV`] and [`SigBsf::MEM_BFS_PSV`].
pub mod bfs {
    /// CRC32.
    pub const CRC32: u8 = 0x20;
    /// CRC32C.
    pub const CRC32C: u8 = 0x40;
    /// CRC64 of the XP10 polynomial.
    pub const CRC64_XP10: u8 = 0x50;
    /// The seed is zero.
    pub const SEED_ZERO: u8 = 0x01;
    /// The result is inverted.
    pub const INVERT: u8 = 0x02;
}
