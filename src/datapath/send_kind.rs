//! Kinds of send queues, how they are guarded, and what each makes of the application's opcodes.

use crate::abi::verbs::consts::*;
use prm::wqe::opcode;

/// What a send queue's functions differ by.
pub mod kind {
    /// Reliable connected.
    pub const RC: u8 = 0;
    /// Unreliable connected.
    pub const UC: u8 = 1;
    /// Unreliable datagram.
    pub const UD: u8 = 2;
    /// UD over a source QP number: packet headers are the application's.
    pub const UNDERLAY: u8 = 3;
    /// Extended reliable connected, sending side.
    pub const XRC: u8 = 4;
    /// Ethernet frames.
    pub const RAW: u8 = 5;
    /// DCI and others: this interface has no address to offer, the payload follows the control
    /// segment.
    pub const OTHER: u8 = 6;
}

/// How a queue is guarded, and whether its WQEs are signed.
pub mod mode {
    /// Lock; no signature.
    pub const LOCKED: u8 = 0;
    /// One thread; no signature.
    pub const SINGLE: u8 = 1;
    /// Signature; the lock is looked at when it is taken.
    pub const SIGNED: u8 = 2;
}

/// The kind of a QP.
pub fn kind_of(qp_type: u32, underlay: bool) -> u8 {
    match qp_type {
        IBV_QPT_RC => kind::RC,
        IBV_QPT_UC => kind::UC,
        IBV_QPT_UD if underlay => kind::UNDERLAY,
        IBV_QPT_UD => kind::UD,
        IBV_QPT_XRC_SEND => kind::XRC,
        IBV_QPT_RAW_PACKET => kind::RAW,
        _ => kind::OTHER,
    }
}

/// What an `IBV_WR_*` becomes on one kind of queue: the device's opcode, and what else there is to
/// do.
pub mod class {
    /// Bits of the device's opcode.
    pub const OPCODE: u16 = 0xff;
    /// A remote address segment.
    pub const RADDR: u16 = 0x100;
    /// The immediate is the application's, raw.
    pub const IMM: u16 = 0x200;
    /// The immediate is a key.
    pub const KEY: u16 = 0x400;
    /// More than addresses and pointers: the slow path of `post_send`.
    pub const SLOW: u16 = 0x800;
    /// Anything that a plain request has not.
    pub const SPECIAL: u16 = IMM | KEY | SLOW;
}

/// [`class`] by `IBV_WR_*`. Beyond the table an opcode is refused.
pub const fn classes(k: u8) -> [u16; 12] {
    const OPCODES: [u8; 12] = [
        opcode::RDMA_WRITE,
        opcode::RDMA_WRITE_IMM,
        opcode::SEND,
        opcode::SEND_IMM,
        opcode::RDMA_READ,
        opcode::ATOMIC_CS,
        opcode::ATOMIC_FA,
        opcode::UMR,
        opcode::UMR,
        opcode::SEND_INVAL,
        opcode::TSO,
        opcode::UMR,
    ];
    let mut table = [0; 12];
    let mut op = 0;
    while op < table.len() {
        table[op] = OPCODES[op] as u16
            | match op as u32 {
                IBV_WR_RDMA_WRITE => class::RADDR,
                IBV_WR_RDMA_WRITE_WITH_IMM => class::RADDR | class::IMM,
                IBV_WR_RDMA_READ if k != kind::UC => class::RADDR,
                IBV_WR_SEND_WITH_IMM => class::IMM,
                IBV_WR_SEND_WITH_INV => class::KEY,
                IBV_WR_LOCAL_INV | IBV_WR_BIND_MW if matches!(k, kind::RC | kind::XRC | kind::UC) => {
                    class::KEY | class::SLOW
                }
                IBV_WR_ATOMIC_CMP_AND_SWP | IBV_WR_ATOMIC_FETCH_AND_ADD => class::SLOW,
                _ => 0,
            };
        if !matches!(k, kind::RC | kind::XRC | kind::UC) {
            table[op] &= !class::RADDR;
        }
        if matches!(k, kind::RAW | kind::UNDERLAY) {
            table[op] |= class::SLOW;
        }
        op += 1;
    }
    table
}

/// What there is to do for an opcode of the application; None for one that is refused.
#[inline(always)]
pub fn class_of<const K: u8>(opcode: u32) -> Option<u16> {
    let table = const { &classes(K) };
    if opcode as usize >= table.len() {
        return None;
    }
    // SAFETY: below the length. Volatile, because the compiler would else make shifts and masks of
    // the table, one for each question.
    Some(unsafe { table.as_ptr().add(opcode as usize).read_volatile() })
}
