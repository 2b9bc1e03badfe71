//! What `ibv_wc_read_*` tells of the completion at hand (`spec`: datapath, section 8).

use super::{
    cq::{Cq, flags},
    cqe::{Cqe, REQ, op_of, req},
};
use crate::abi::verbs::{consts::*, ibv_cq_ex, ibv_wc_tm_info};
use core::ffi::c_uint;
use prm::cqe::{APP_TAG_MATCHING, Cqe64, ErrCqe, Tmh, opcode, tm_op};

/// The queue and its entry at hand.
///
/// # Safety
/// libibverbs' promise for all readers: an extended CQ of ours, between a successful
/// `ibv_start_poll` or `ibv_next_poll` and `ibv_end_poll`.
#[inline(always)]
unsafe fn at_hand<'a>(ex: *mut ibv_cq_ex) -> (&'a Cq, Cqe) {
    // SAFETY: the promise above.
    let cq = unsafe { Cq::from_ibv_ex(ex) };
    (cq, Cqe(cq.cur.cqe.get()))
}

/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn opcode(ex: *mut ibv_cq_ex) -> c_uint {
    // SAFETY: the promise there.
    let (cq, cqe) = unsafe { at_hand(ex) };
    let op = op_of(cqe.op_own());
    if op == opcode::REQ {
        let kind = REQ[usize::from(cqe.send_opcode())];
        let noted = cq.cur.wr_data.get();
        // Raw WQEs are told as such whatever they did.
        if kind < req::NOTED && noted != IBV_WC_DRIVER2 {
            return u32::from(kind & 0xf);
        }
        return match kind {
            req::UNKNOWN if noted != IBV_WC_DRIVER2 => 0,
            _ => noted,
        };
    }
    receive_opcode(cqe, op)
}

#[inline(never)]
fn receive_opcode(cqe: Cqe, op: u8) -> c_uint {
    match op {
        opcode::RESP_WR_IMM => IBV_WC_RECV_RDMA_WITH_IMM,
        opcode::RESP_SEND | opcode::RESP_SEND_IMM | opcode::RESP_SEND_INV => {
            if cqe.get8(Cqe64::APP) != APP_TAG_MATCHING {
                return IBV_WC_RECV;
            }
            match cqe.get8(Cqe64::APP_OP) {
                tm_op::CONSUMED_MSG_SW_RDNV
                | tm_op::CONSUMED_MSG
                | tm_op::CONSUMED_SW_RDNV
                | tm_op::EXPECTED
                | tm_op::UNEXPECTED => IBV_WC_TM_RECV,
                tm_op::NO_TAG => IBV_WC_TM_NO_TAG,
                _ => IBV_WC_SEND,
            }
        }
        opcode::NO_PACKET => match cqe.get8(Cqe64::APP_OP) {
            tm_op::REMOVE => IBV_WC_TM_DEL,
            tm_op::APPEND => IBV_WC_TM_ADD,
            tm_op::NOOP => IBV_WC_TM_SYNC,
            tm_op::CONSUMED => IBV_WC_TM_RECV,
            _ => IBV_WC_SEND,
        },
        _ => IBV_WC_SEND,
    }
}

/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn wc_flags(ex: *mut ibv_cq_ex) -> c_uint {
    // SAFETY: the promise there.
    let (cq, cqe) = unsafe { at_hand(ex) };
    let noted = cq.cur.flags.get();
    let mut f = 0;
    if noted & flags::RX_CSUM_VALID != 0 && cqe.csum_ok() {
        f |= IBV_WC_IP_CSUM_OK;
    }
    f |= match op_of(cqe.op_own()) {
        opcode::RESP_WR_IMM | opcode::RESP_SEND_IMM => IBV_WC_WITH_IMM,
        opcode::RESP_SEND_INV => IBV_WC_WITH_INV,
        _ => 0,
    };
    if noted & flags::TM_SYNC_REQ != 0 {
        f |= IBV_WC_TM_SYNC_REQ;
    }
    if cqe.get8(Cqe64::APP) == APP_TAG_MATCHING {
        f |= match cqe.get8(Cqe64::APP_OP) {
            tm_op::CONSUMED_MSG_SW_RDNV | tm_op::CONSUMED_MSG | tm_op::MSG_COMPLETION_CANCELED => {
                IBV_WC_TM_MATCH | IBV_WC_TM_DATA_VALID
            }
            tm_op::CONSUMED_SW_RDNV | tm_op::CONSUMED => IBV_WC_TM_MATCH,
            tm_op::EXPECTED => IBV_WC_TM_DATA_VALID,
            _ => 0,
        };
    }
    f | if cqe.grh() { IBV_WC_GRH } else { 0 }
}

/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn byte_len(ex: *mut ibv_cq_ex) -> u32 {
    // SAFETY: the promise there.
    unsafe { at_hand(ex) }.1.get32(Cqe64::BYTE_CNT)
}

/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn vendor_err(ex: *mut ibv_cq_ex) -> u32 {
    // SAFETY: the promise there.
    u32::from(unsafe { at_hand(ex) }.1.get8(ErrCqe::VENDOR_ERR_SYND))
}

/// Immediate data as it came, or the invalidated key in host order.
///
/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn imm_data(ex: *mut ibv_cq_ex) -> c_uint {
    // SAFETY: the promise there.
    let cqe = unsafe { at_hand(ex) }.1;
    match op_of(cqe.op_own()) {
        opcode::RESP_SEND_INV => cqe.get32(Cqe64::IMM_INVAL_PKEY),
        _ => cqe.raw32(Cqe64::IMM_INVAL_PKEY),
    }
}

/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn qp_num(ex: *mut ibv_cq_ex) -> u32 {
    // SAFETY: the promise there.
    unsafe { at_hand(ex) }.1.qpn()
}

/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn src_qp(ex: *mut ibv_cq_ex) -> u32 {
    // SAFETY: the promise there.
    unsafe { at_hand(ex) }.1.get32(Cqe64::FLAGS_RQPN) & 0xff_ffff
}

/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn slid(ex: *mut ibv_cq_ex) -> u32 {
    // SAFETY: the promise there.
    u32::from(unsafe { at_hand(ex) }.1.get16(Cqe64::SLID))
}

/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn sl(ex: *mut ibv_cq_ex) -> u8 {
    // SAFETY: the promise there.
    unsafe { at_hand(ex) }.1.get8(Cqe64::FLAGS_RQPN) & 0xf
}

/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn dlid_path_bits(ex: *mut ibv_cq_ex) -> u8 {
    // SAFETY: the promise there.
    unsafe { at_hand(ex) }.1.get8(Cqe64::ML_PATH) & 0x7f
}

/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn completion_ts(ex: *mut ibv_cq_ex) -> u64 {
    // SAFETY: the promise there.
    unsafe { at_hand(ex) }.1.get64(Cqe64::TIMESTAMP)
}

/// The time stamp in nanoseconds, by the clock parameters read at `ibv_start_poll`.
///
/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn completion_wallclock_ns(ex: *mut ibv_cq_ex) -> u64 {
    // SAFETY: the promise there; the parameters change only in start_poll.
    unsafe {
        let (cq, cqe) = at_hand(ex);
        nanoseconds(&*cq.cur.clock.get(), cqe.get64(Cqe64::TIMESTAMP))
    }
}

/// `mlx5dv_ts_to_ns`: cycles of the device's counter as nanoseconds.
pub fn nanoseconds(clock: &crate::abi::dv::mlx5dv_clock_info, cycles: u64) -> u64 {
    let delta = cycles.wrapping_sub(clock.last_cycles) & clock.mask;
    let mult = u64::from(clock.mult);
    // A counter has run on for less than half its range, or the stamp is older than the page.
    if delta > clock.mask / 2 {
        let back = delta.wrapping_neg() & clock.mask;
        let ns = back.wrapping_mul(mult).wrapping_sub(clock.frac).wrapping_shr(clock.shift);
        clock.nsec.wrapping_sub(ns)
    } else {
        let ns = delta.wrapping_mul(mult).wrapping_add(clock.frac).wrapping_shr(clock.shift);
        clock.nsec.wrapping_add(ns)
    }
}

/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn cvlan(ex: *mut ibv_cq_ex) -> u16 {
    // SAFETY: the promise there.
    unsafe { at_hand(ex) }.1.get16(Cqe64::VLAN_INFO)
}

/// # Safety
/// See [`at_hand`].
pub unsafe extern "C" fn flow_tag(ex: *mut ibv_cq_ex) -> u32 {
    // SAFETY: the promise there.
    unsafe { at_hand(ex) }.1.qpn()
}

/// # Safety
/// See [`at_hand`]; `info` is writable.
pub unsafe extern "C" fn tm_info(ex: *mut ibv_cq_ex, info: *mut ibv_wc_tm_info) {
    // SAFETY: the promise above.
    unsafe {
        let cqe = at_hand(ex).1;
        (*info).tag = cqe.get64(Tmh::TAG);
        (*info).r#priv = cqe.get32(Tmh::APP_CTX);
    }
}
