//! Reading completion entries, and what they mean: tables that need no queue.

use crate::abi::verbs::consts::*;
use prm::{
    Field,
    cqe::{Cqe64, OWNER, format, hds, l3_type, opcode as cqe_op, syndrome},
    wqe::opcode,
};

/// The 64-byte record of a completion.
#[derive(Clone, Copy, PartialEq)]
pub struct Cqe(pub *const u8);

/// All reads: the pointer is a record of a ring that the device has handed over, or that nobody
/// but the device may write. Fields are aligned to their size.
impl Cqe {
    /// A big-endian word of 32 bits.
    #[inline(always)]
    pub fn get32(self, f: Field) -> u32 {
        // SAFETY: see above.
        u32::from_be(unsafe { self.0.add(f.byte()).cast::<u32>().read() })
    }

    /// The same, as it lies in memory.
    #[inline(always)]
    pub fn raw32(self, f: Field) -> u32 {
        // SAFETY: see above.
        unsafe { self.0.add(f.byte()).cast::<u32>().read() }
    }

    /// A big-endian word of 64 bits.
    #[inline(always)]
    pub fn get64(self, f: Field) -> u64 {
        // SAFETY: see above.
        u64::from_be(unsafe { self.0.add(f.byte()).cast::<u64>().read() })
    }

    /// A big-endian word of 16 bits.
    #[inline(always)]
    pub fn get16(self, f: Field) -> u16 {
        // SAFETY: see above.
        u16::from_be(unsafe { self.0.add(f.byte()).cast::<u16>().read() })
    }

    /// A byte.
    #[inline(always)]
    pub fn get8(self, f: Field) -> u8 {
        // SAFETY: see above.
        unsafe { self.0.add(f.byte()).read() }
    }

    /// Opcode, format and owner bit: the byte that the device writes last.
    #[inline(always)]
    pub fn op_own(self) -> u8 {
        // SAFETY: see above. Volatile, because the device changes it.
        unsafe { self.0.add(Cqe64::OP_OWN.byte()).read_volatile() }
    }

    /// Number of the queue pair.
    #[inline(always)]
    pub fn qpn(self) -> u32 {
        self.get32(Cqe64::SOP_DROP_QPN) & 0xff_ffff
    }

    /// A 24-bit number at the end of a word, as it lies in memory.
    #[inline(always)]
    pub fn raw24(self, f: Field) -> u32 {
        self.raw32(f) & 0xff_ffff_u32.to_be()
    }

    /// Opcode of the completed send WQE.
    #[inline(always)]
    pub fn send_opcode(self) -> u8 {
        self.get8(Cqe64::SOP_DROP_QPN)
    }

    /// User index (CQE version 1) or SRQ number (version 0).
    #[inline(always)]
    pub fn srqn_uidx(self) -> u32 {
        self.get32(Cqe64::SRQN_UIDX) & 0xff_ffff
    }

    /// Index of the WQE.
    #[inline(always)]
    pub fn counter(self) -> u32 {
        u32::from(self.get16(Cqe64::WQE_COUNTER))
    }

    /// Are layers 3 and 4 good and is it IPv4?
    #[inline(always)]
    pub fn csum_ok(self) -> bool {
        let good = hds::L3_OK | hds::L4_OK;
        self.get8(Cqe64::HDS_IP_EXT) & good == good
            && self.get8(Cqe64::L4_HDR_TYPE_ETC) >> 2 & 3 == l3_type::IPV4
    }

    /// Does the message carry a global route header?
    #[inline(always)]
    pub fn grh(self) -> bool {
        self.get32(Cqe64::FLAGS_RQPN) >> 28 & 3 != 0
    }
}

/// Opcode of an `op_own`.
#[inline(always)]
pub fn op_of(op_own: u8) -> u8 {
    op_own >> 4
}

/// Format of an `op_own`.
#[inline(always)]
pub fn format_of(op_own: u8) -> u8 {
    op_own >> 2 & 3
}

/// Bits of `op_own` that a plain requester completion has zero once the owner bit is compared:
/// opcode, format, owner.
pub const PLAIN_REQ: u8 = 0xf0 | 3 << 2 | OWNER;
/// `op_own` of an entry from here up is not written yet.
pub const NOT_WRITTEN: u8 = cqe_op::INVALID << 4;

/// A payload in or before the entry. (A compressed entry looks like one: the application that
/// asked for compression polls the ring itself.)
#[inline(always)]
pub fn is_inline(op_own: u8) -> bool {
    format_of(op_own) != format::NONE
}

/// What a send opcode completes as: `IBV_WC_*` in the low nibble, and how the rest is filled.
pub mod req {
    /// Immediate data was sent.
    pub const WITH_IMM: u8 = 0x10;
    /// `byte_len` is the entry's.
    pub const BYTES: u8 = 0x20;
    /// `byte_len` is 8.
    pub const ATOMIC: u8 = 0x40;
    /// The opcode is what was noted with the WQE.
    pub const NOTED: u8 = 0x80;
    /// Nothing is known about it: the opcode stays what it was.
    pub const UNKNOWN: u8 = 0xff;
    /// Any of those that need more than the opcode.
    pub const SPECIAL: u8 = 0xf0;
}

/// [`req`] by send opcode.
pub static REQ: [u8; 256] = {
    let mut t = [req::UNKNOWN; 256];
    t[opcode::RDMA_WRITE as usize] = IBV_WC_RDMA_WRITE as u8;
    t[opcode::RDMA_WRITE_IMM as usize] = IBV_WC_RDMA_WRITE as u8 | req::WITH_IMM;
    t[opcode::SEND as usize] = IBV_WC_SEND as u8;
    t[opcode::SEND_IMM as usize] = IBV_WC_SEND as u8 | req::WITH_IMM;
    t[opcode::SEND_INVAL as usize] = IBV_WC_SEND as u8;
    t[opcode::RDMA_READ as usize] = IBV_WC_RDMA_READ as u8 | req::BYTES;
    t[opcode::ATOMIC_CS as usize] = IBV_WC_COMP_SWAP as u8 | req::ATOMIC;
    t[opcode::ATOMIC_FA as usize] = IBV_WC_FETCH_ADD as u8 | req::ATOMIC;
    t[opcode::TSO as usize] = IBV_WC_TSO as u8;
    t[opcode::UMR as usize] = req::NOTED;
    t[opcode::SET_PSV as usize] = req::NOTED;
    t[opcode::NOP as usize] = req::NOTED;
    t[opcode::MMO as usize] = req::NOTED;
    t
};

/// `status` and `opcode` of an `ibv_wc` as they lie there, by send opcode: for those of [`REQ`] that
/// are not special. The sign marks the others.
pub static PLAIN: [i64; 256] = {
    let mut t = [-1; 256];
    let mut op = 0;
    while op < t.len() {
        if REQ[op] & req::SPECIAL == 0 {
            t[op] = (IBV_WC_SUCCESS as i64) | (REQ[op] as i64) << 32;
        }
        op += 1;
    }
    t
};

/// `IBV_WC_*` status of an error syndrome.
pub fn status_of(s: u8) -> u32 {
    match s {
        syndrome::LOCAL_LENGTH_ERR => IBV_WC_LOC_LEN_ERR,
        syndrome::LOCAL_QP_OP_ERR => IBV_WC_LOC_QP_OP_ERR,
        syndrome::LOCAL_PROT_ERR => IBV_WC_LOC_PROT_ERR,
        syndrome::WR_FLUSH_ERR => IBV_WC_WR_FLUSH_ERR,
        syndrome::MW_BIND_ERR => IBV_WC_MW_BIND_ERR,
        syndrome::BAD_RESP_ERR => IBV_WC_BAD_RESP_ERR,
        syndrome::LOCAL_ACCESS_ERR => IBV_WC_LOC_ACCESS_ERR,
        syndrome::REMOTE_INVAL_REQ_ERR => IBV_WC_REM_INV_REQ_ERR,
        syndrome::REMOTE_ACCESS_ERR => IBV_WC_REM_ACCESS_ERR,
        syndrome::REMOTE_OP_ERR => IBV_WC_REM_OP_ERR,
        syndrome::TRANSPORT_RETRY_EXC_ERR => IBV_WC_RETRY_EXC_ERR,
        syndrome::RNR_RETRY_EXC_ERR => IBV_WC_RNR_RETRY_EXC_ERR,
        syndrome::REMOTE_ABORTED_ERR => IBV_WC_REM_ABORT_ERR,
        _ => IBV_WC_GENERAL_ERR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syndromes() {
        let known = [
            (1, 1),
            (2, 2),
            (4, 4),
            (5, 5),
            (6, 6),
            (0x10, 7),
            (0x11, 8),
            (0x12, 9),
            (0x13, 10),
            (0x14, 11),
            (0x15, 12),
            (0x16, 13),
            (0x22, 16),
        ];
        for s in 0..=255 {
            let expected = known.iter().find(|k| k.0 == s).map_or(21, |k| k.1);
            assert_eq!(status_of(s), expected, "syndrome {s:#x}");
        }
    }

    #[test]
    fn fields_of_a_record() {
        #[repr(align(64))]
        struct Record([u8; 64]);
        let mut r = Record([0; 64]);
        for (i, b) in r.0.iter_mut().enumerate() {
            *b = i as u8;
        }
        let c = Cqe(r.0.as_ptr());
        assert_eq!(c.qpn(), 0x393a3b);
        assert_eq!(c.send_opcode(), 0x38);
        assert_eq!(c.srqn_uidx(), 0x212223);
        assert_eq!(c.counter(), 0x3c3d);
        assert_eq!(c.op_own(), 0x3f);
        assert_eq!(c.get64(Cqe64::TIMESTAMP), 0x3031_3233_3435_3637);
        assert!(c.grh());
        assert!(!c.csum_ok());
        for (hds, l4, good) in [(6, 2 << 2, true), (6, 1 << 2, false), (4, 2 << 2, false)] {
            r.0[28..30].copy_from_slice(&[hds, l4]);
            assert_eq!(Cqe(r.0.as_ptr()).csum_ok(), good);
        }
    }
}
