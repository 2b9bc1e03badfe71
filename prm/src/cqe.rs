//! Completion queue entries of 64 bytes; of a 128-byte entry the second half. Big-endian.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub CQE_LAYOUTS;

    /// A completion.
    Cqe64 = "mlx5_cqe64", 0x200 {
        TM_SUCCESS: 0x0, 32;
        WQE_ID: 0x10, 16;
        TM_HW_PHASE_CNT: 0x20, 16;
        ML_PATH: 0x88, 8;
        SLID: 0xb0, 16;
        FLAGS_RQPN: 0xc0, 32;
        HDS_IP_EXT: 0xe0, 8;
        L4_HDR_TYPE_ETC: 0xe8, 8;
        VLAN_INFO: 0xf0, 16;
        SRQN_UIDX: 0x100, 32;
        IMM_INVAL_PKEY: 0x120, 32;
        APP: 0x140, 8;
        APP_OP: 0x148, 8;
        APP_INFO: 0x150, 16;
        BYTE_CNT: 0x160, 32;
        TIMESTAMP: 0x180, 64;
        SOP_DROP_QPN: 0x1c0, 32;
        WQE_COUNTER: 0x1e0, 16;
        SIGNATURE: 0x1f0, 8;
        OP_OWN: 0x1f8, 8;
    }

    /// A completion with error.
    ErrCqe = "mlx5_err_cqe", 0x200 {
        SRQN: 0x100, 32;
        VENDOR_ERR_SYND: 0x1b0, 8;
        SYNDROME: 0x1b8, 8;
        S_WQE_OPCODE_QPN: 0x1c0, 32;
        WQE_COUNTER: 0x1e0, 16;
        SIGNATURE: 0x1f0, 8;
        OP_OWN: 0x1f8, 8;
    }

    /// A signature error found on an indirect memory key.
    SigErrCqe = "sig_err_cqe", 0x200 {
        EXPECTED_TRANS_SIG: 0x80, 32;
        ACTUAL_TRANS_SIG: 0xa0, 32;
        EXPECTED_REF_TAG: 0xc0, 32;
        ACTUAL_REF_TAG: 0xe0, 32;
        SYNDROME: 0x100, 16;
        SIG_TYPE: 0x110, 8;
        DOMAIN: 0x118, 8;
        MKEY: 0x120, 32;
        SIG_ERR_OFFSET: 0x140, 64;
        OP_OWN: 0x1f8, 8;
    }

    /// Header of a tag matching message, which arrives in the first 16 bytes.
    Tmh = "tmh", 0x80 {
        OPCODE: 0x0, 8;
        APP_CTX: 0x20, 32;
        TAG: 0x40, 64;
    }
}

/// Opcodes: high nibble of [`Cqe64::OP_OWN`].
pub mod opcode {
    /// A send WQE completed.
    pub const REQ: u8 = 0;
    /// An RDMA write with immediate arrived.
    pub const RESP_WR_IMM: u8 = 1;
    /// A send arrived.
    pub const RESP_SEND: u8 = 2;
    /// A send with immediate arrived.
    pub const RESP_SEND_IMM: u8 = 3;
    /// A send with invalidate arrived.
    pub const RESP_SEND_INV: u8 = 4;
    /// The queue goes on in its resized buffer.
    pub const RESIZE_CQ: u8 = 5;
    /// Tag matching event without a packet.
    pub const NO_PACKET: u8 = 6;
    /// Signature error.
    pub const SIG_ERR: u8 = 12;
    /// A send WQE failed.
    pub const REQ_ERR: u8 = 13;
    /// A receive WQE failed.
    pub const RESP_ERR: u8 = 14;
    /// Not written yet.
    pub const INVALID: u8 = 15;
}

/// Bit of [`Cqe64::OP_OWN`]: parity of the turn in which the entry was written.
pub const OWNER: u8 = 1;
/// Bit of [`Cqe64::OP_OWN`]: the event was a solicited one.
pub const SOLICITED: u8 = 2;
/// `op_own` of an entry that was never written: invalid opcode.
pub const OP_OWN_INVALID: u8 = 0xf0;

/// Formats: bits 3:2 of [`Cqe64::OP_OWN`].
pub mod format {
    /// No payload.
    pub const NONE: u8 = 0;
    /// Up to 32 bytes of payload at the start of this entry.
    pub const INLINE_32: u8 = 1;
    /// Up to 64 bytes of payload in the 64 bytes before.
    pub const INLINE_64: u8 = 2;
    /// A compressed session.
    pub const COMPRESSED: u8 = 3;
}

/// Bits of [`Cqe64::HDS_IP_EXT`].
pub mod hds {
    /// Layer 2 is good.
    pub const L2_OK: u8 = 1;
    /// Layer 3 is good.
    pub const L3_OK: u8 = 2;
    /// Layer 4 is good.
    pub const L4_OK: u8 = 4;
}

/// Layer 3 type: bits 3:2 of [`Cqe64::L4_HDR_TYPE_ETC`].
pub mod l3_type {
    /// None.
    pub const NONE: u8 = 0;
    /// IPv6.
    pub const IPV6: u8 = 1;
    /// IPv4.
    pub const IPV4: u8 = 2;
}

/// Syndromes of [`ErrCqe::SYNDROME`].
pub mod syndrome {
    /// Local length error.
    pub const LOCAL_LENGTH_ERR: u8 = 0x01;
    /// Local QP operation error.
    pub const LOCAL_QP_OP_ERR: u8 = 0x02;
    /// Local protection error.
    pub const LOCAL_PROT_ERR: u8 = 0x04;
    /// Flushed.
    pub const WR_FLUSH_ERR: u8 = 0x05;
    /// Memory window bind error.
    pub const MW_BIND_ERR: u8 = 0x06;
    /// Bad response.
    pub const BAD_RESP_ERR: u8 = 0x10;
    /// Local access error.
    pub const LOCAL_ACCESS_ERR: u8 = 0x11;
    /// Remote: invalid request.
    pub const REMOTE_INVAL_REQ_ERR: u8 = 0x12;
    /// Remote: access refused.
    pub const REMOTE_ACCESS_ERR: u8 = 0x13;
    /// Remote: operation error.
    pub const REMOTE_OP_ERR: u8 = 0x14;
    /// No acknowledgement.
    pub const TRANSPORT_RETRY_EXC_ERR: u8 = 0x15;
    /// Receiver was not ready for too long.
    pub const RNR_RETRY_EXC_ERR: u8 = 0x16;
    /// Remote: aborted.
    pub const REMOTE_ABORTED_ERR: u8 = 0x22;
}

/// Vendor syndrome that goes with [`syndrome::REMOTE_ABORTED_ERR`] when a page was not present.
pub const VENDOR_ODP_PFAULT: u8 = 0x93;

/// [`Cqe64::APP`]: the completion belongs to tag matching.
pub const APP_TAG_MATCHING: u8 = 1;
/// [`Cqe64::TM_SUCCESS`]: the operation took effect.
pub const TM_SUCCESS_BIT: u32 = 0x8000_0000;

/// Operations of [`Cqe64::APP_OP`] with [`APP_TAG_MATCHING`].
pub mod tm_op {
    /// A tag was consumed; the message comes later.
    pub const CONSUMED: u8 = 0x1;
    /// An expected message arrived.
    pub const EXPECTED: u8 = 0x2;
    /// An unexpected message arrived.
    pub const UNEXPECTED: u8 = 0x3;
    /// A message without a tag arrived.
    pub const NO_TAG: u8 = 0x4;
    /// A tag was appended.
    pub const APPEND: u8 = 0x5;
    /// A tag was removed.
    pub const REMOVE: u8 = 0x6;
    /// A synchronisation was done.
    pub const NOOP: u8 = 0x7;
    /// A tag was consumed by a rendezvous that software goes on with.
    pub const CONSUMED_SW_RDNV: u8 = 0x9;
    /// A tag was consumed and its message is complete.
    pub const CONSUMED_MSG: u8 = 0xa;
    /// As [`CONSUMED_MSG`], by a software rendezvous.
    pub const CONSUMED_MSG_SW_RDNV: u8 = 0xb;
    /// The message completed after the tag was cancelled.
    pub const MSG_COMPLETION_CANCELED: u8 = 0xc;
}

/// Bits of [`SigErrCqe::SYNDROME`].
pub mod sig_syndrome {
    /// Application tag.
    pub const APP_TAG: u16 = 1 << 12;
    /// Reference tag.
    pub const REF_TAG: u16 = 1 << 11;
    /// Guard.
    pub const GUARD: u16 = 1 << 13;
}
