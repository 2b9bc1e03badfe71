//! Sizes of a QP's queues: from capabilities that the application wants to rings.
//!
//! The kernel derives the receive ring itself and refuses another; `max_inline_data` and the other
//! reported values must be those of upstream's library, because applications size their own
//! structures by them.

use crate::{
    abi::{
        dv::consts::*,
        verbs::{consts::*, ibv_qp_cap},
    },
    datapath::queue::SEND_WQE_SHIFT,
    error::Result,
};

/// Basic block of a send queue in bytes.
const SEND_WQE_BB: u64 = 1 << SEND_WQE_SHIFT;
/// Smallest receive ring in bytes.
const MIN_RQ_BYTES: u64 = 64;
/// Data segment, signature segment.
const SEGMENT: u64 = 16;
/// Inline header.
const INLINE_HEADER: u64 = 4;

/// Limits of the device.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest send WQE in bytes.
    pub max_sq_desc: u32,
    /// Largest receive WQE in bytes.
    pub max_rq_desc: u32,
    /// Most basic blocks of a send queue.
    pub max_send_wqebb: u32,
    /// Most requests of a receive queue.
    pub max_recv_wr: u32,
}

/// What the application wants.
#[derive(Clone, Copy)]
pub struct Wish {
    /// `IBV_QPT_*`.
    pub qp_type: u32,
    /// A driver QP is a DCI.
    pub dci: bool,
    /// UD QP with a source QPN.
    pub underlay: bool,
    pub cap: ibv_qp_cap,
    /// `IBV_QP_EX_WITH_*` if given.
    pub ops: Option<u64>,
    /// `MLX5DV_QP_EX_WITH_*`.
    pub dv_ops: u64,
    /// Room for TSO headers, if given.
    pub max_tso_header: Option<u16>,
    /// Receives come from an SRQ.
    pub srq: bool,
    /// WQEs are signed.
    pub wq_sig: bool,
    /// Receives place data out of order: the most that the device takes then, by type. 0 if there
    /// is no such limit for the type.
    pub ooo_limit: Option<u32>,
}

/// The send ring.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SendSize {
    /// In bytes.
    pub bytes: usize,
    pub wqe_cnt: u32,
    pub max_post: u32,
    pub max_gs: u32,
    /// Bytes inline.
    pub max_inline: u32,
    pub max_tso_header: u32,
}

/// The receive ring.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RecvSize {
    /// In bytes.
    pub bytes: usize,
    pub wqe_cnt: u32,
    pub wqe_shift: u32,
    pub max_post: u32,
    pub max_gs: u32,
}

/// Rounds up to a power of two.
fn pow2(n: u64) -> u64 {
    n.checked_next_power_of_two().unwrap_or(u64::MAX)
}

/// Rounds up to a multiple of a power of two.
fn align(n: u64, to: u64) -> u64 {
    (n + to - 1) & !(to - 1)
}

/// Number of significant bits.
fn ilog(n: u64) -> u32 {
    64 - n.leading_zeros()
}

/// Bytes that a send WQE needs beside data, for the largest operation. EINVAL for a type that has
/// no send queue.
fn overhead(w: &Wish) -> Result<u64> {
    const RDMA: u64 = IBV_QP_EX_WITH_RDMA_WRITE as u64
        | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM as u64
        | IBV_QP_EX_WITH_RDMA_READ as u64;
    const ATOMIC: u64 = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP as u64 | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD as u64;
    const UMR: u64 = IBV_QP_EX_WITH_BIND_MW as u64 | IBV_QP_EX_WITH_LOCAL_INV as u64;
    const DV_UMR: u64 = MLX5DV_QP_EX_WITH_MR_INTERLEAVED as u64
        | MLX5DV_QP_EX_WITH_MR_LIST as u64
        | MLX5DV_QP_EX_WITH_MKEY_CONFIGURE as u64;
    let bad = || refuse!(EINVAL, "QP type without a send queue", qp_type = w.qp_type);
    let ops = match (w.ops, w.qp_type) {
        (Some(ops), _) => ops,
        (None, IBV_QPT_RC | IBV_QPT_UC | IBV_QPT_DRIVER | IBV_QPT_XRC_SEND | IBV_QPT_XRC_RECV) => {
            RDMA | ATOMIC | UMR
        }
        (None, IBV_QPT_UD | IBV_QPT_RAW_PACKET) => 0,
        (None, _) => return Err(bad()),
    };
    let operation = if ops & UMR != 0 || w.dv_ops & DV_UMR != 0 {
        192
    } else if ops & ATOMIC != 0 {
        48
    } else if ops & RDMA != 0 {
        32
    } else {
        16
    };
    let transport = match w.qp_type {
        IBV_QPT_RC | IBV_QPT_UC => 0,
        IBV_QPT_UD if w.underlay => 96,
        IBV_QPT_UD => 48,
        IBV_QPT_XRC_SEND | IBV_QPT_XRC_RECV => 16,
        IBV_QPT_RAW_PACKET => 32,
        IBV_QPT_DRIVER if w.dci => 48,
        _ => return Err(bad()),
    };
    Ok(operation + transport)
}

/// The send ring. EINVAL where the wish exceeds the device. `max_inline` becomes what a WQE has
/// room for as soon as that is known, so also where the number of requests is refused; it stays
/// without a send queue.
pub fn send(w: &Wish, limits: &Limits, max_inline: &mut u32) -> Result<SendSize> {
    let cap = &w.cap;
    // Unknown types are refused here, also without a send queue.
    let overhead = overhead(w)?;
    if cap.max_send_wr == 0 {
        return Ok(SendSize::default());
    }
    let max_desc = u64::from(limits.max_sq_desc);
    let too_long = || refuse!(EINVAL, "send WQE too long", max_send_sge = cap.max_send_sge);
    let inline = match u64::from(cap.max_inline_data) {
        0 => 0,
        n => overhead + align(INLINE_HEADER + n, SEGMENT),
    };
    let tso = w.max_tso_header.map_or(0, u64::from);
    let size = overhead + align(tso, SEGMENT);
    let room = max_desc.checked_sub(size).ok_or_else(too_long)?;
    let sge = u64::from(cap.max_send_sge);
    if sge > room / SEGMENT {
        return Err(too_long());
    }
    let wqe = align((size + sge * SEGMENT).max(inline), SEND_WQE_BB);
    if wqe > max_desc {
        return Err(too_long());
    }
    // A WQE that the segments fill to the last byte has no room for inline data at all.
    *max_inline = wqe.saturating_sub(overhead + INLINE_HEADER) as u32;
    let wr = u64::from(cap.max_send_wr);
    if wr > 0x7fff_ffff / max_desc {
        return Err(refuse!(EINVAL, "too many send requests", max_send_wr = cap.max_send_wr));
    }
    let bytes = pow2(wr * wqe);
    let wqe_cnt = bytes / SEND_WQE_BB;
    if wqe_cnt > u64::from(limits.max_send_wqebb) {
        return Err(refuse!(EINVAL, "too many send requests", max_send_wr = cap.max_send_wr));
    }
    Ok(SendSize {
        bytes: bytes as usize,
        wqe_cnt: wqe_cnt as u32,
        max_post: (bytes / wqe) as u32,
        max_gs: cap.max_send_sge,
        max_inline: *max_inline,
        max_tso_header: tso as u32,
    })
}

/// The receive ring. EINVAL where the wish exceeds the device.
pub fn recv(w: &Wish, limits: &Limits) -> Result<RecvSize> {
    let cap = &w.cap;
    if cap.max_recv_wr == 0 {
        return Ok(RecvSize::default());
    }
    let too_many = || refuse!(EINVAL, "too many receive requests", max_recv_wr = cap.max_recv_wr);
    let mut depth = u64::from(cap.max_recv_wr);
    let mut doubled = false;
    match w.ooo_limit {
        Some(limit) if limit != 0 && depth > 1 => {
            if depth > u64::from(limit) {
                return Err(too_many());
            }
            depth *= 2;
            doubled = true;
        }
        _ if depth > u64::from(limits.max_recv_wr) => return Err(too_many()),
        _ => {}
    }
    if w.srq {
        return Ok(RecvSize::default());
    }
    let signature = if w.wq_sig { SEGMENT } else { 0 };
    let stride = receive_stride(cap.max_recv_sge, signature, limits.max_rq_desc)?;
    let bytes = (pow2(depth) * stride).max(MIN_RQ_BYTES);
    let wqe_cnt = bytes / stride;
    let max_post = 1 << ilog(wqe_cnt - 1);
    Ok(RecvSize {
        bytes: bytes as usize,
        wqe_cnt: wqe_cnt as u32,
        wqe_shift: ilog(stride - 1),
        max_post: if doubled { max_post / 2 } else { max_post },
        max_gs: ((stride - signature) / SEGMENT) as u32,
    })
}

/// Distance of receive WQEs: room for `sge` elements and `extra` bytes in front. EINVAL if that is
/// more than the device takes, before or after rounding up to a power of two.
fn receive_stride(sge: u32, extra: u64, max_desc: u32) -> Result<u64> {
    let size = SEGMENT * u64::from(sge.max(1)) + extra;
    let stride = pow2(size);
    if stride > u64::from(max_desc) {
        return Err(refuse!(EINVAL, "receive WQE too long", max_recv_sge = sge));
    }
    Ok(stride)
}

/// The ring of a WQ (`spec`: objects, section 12): no limit on requests here, and the WQE's length
/// is checked before rounding up. EINVAL.
pub fn wq(max_wr: u32, max_sge: u32, striding: bool, wq_sig: bool, max_rq_desc: u32) -> Result<RecvSize> {
    if max_wr == 0 {
        return Err(refuse!(EINVAL, "no receive requests"));
    }
    let of = |condition: bool| if condition { SEGMENT } else { 0 };
    let extra = of(striding) + of(wq_sig);
    let size = SEGMENT * u64::from(max_sge.max(1)) + extra;
    if size > u64::from(max_rq_desc) {
        return Err(refuse!(EINVAL, "receive WQE too long", max_sge = max_sge));
    }
    let stride = pow2(size);
    let bytes = (pow2(u64::from(max_wr)) * stride).max(MIN_RQ_BYTES);
    let wqe_cnt = bytes / stride;
    if bytes > u64::from(u32::MAX >> 1) {
        return Err(refuse!(EINVAL, "too many receive requests", max_wr = max_wr));
    }
    Ok(RecvSize {
        bytes: bytes as usize,
        wqe_cnt: wqe_cnt as u32,
        wqe_shift: ilog(stride - 1),
        max_post: 1 << ilog(wqe_cnt - 1),
        max_gs: ((stride - extra) / SEGMENT) as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Errno;

    const LIMITS: Limits =
        Limits { max_sq_desc: 1024, max_rq_desc: 512, max_send_wqebb: 32768, max_recv_wr: 32768 };

    fn wish(qp_type: u32) -> Wish {
        let cap = ibv_qp_cap {
            max_send_wr: 1,
            max_recv_wr: 1,
            max_send_sge: 1,
            max_recv_sge: 1,
            max_inline_data: 0,
        };
        Wish {
            qp_type,
            dci: false,
            underlay: false,
            cap,
            ops: None,
            dv_ops: 0,
            max_tso_header: None,
            srq: false,
            wq_sig: false,
            ooo_limit: None,
        }
    }

    /// The table of the sheet.
    #[test]
    fn default_operations() {
        for (w, wqe, inline) in [
            (wish(IBV_QPT_RC), 256, 60),
            (wish(IBV_QPT_UC), 256, 60),
            (wish(IBV_QPT_XRC_SEND), 256, 44),
            (Wish { dci: true, ..wish(IBV_QPT_DRIVER) }, 256, 12),
            (wish(IBV_QPT_UD), 128, 60),
            (Wish { underlay: true, ..wish(IBV_QPT_UD) }, 128, 12),
            (wish(IBV_QPT_RAW_PACKET), 64, 12),
        ] {
            let s = send(&w, &LIMITS, &mut 0).unwrap();
            assert_eq!((s.bytes, s.max_inline, s.max_post), (wqe, inline, 1), "type {}", w.qp_type);
        }
        assert!(send(&wish(IBV_QPT_DRIVER), &LIMITS, &mut 0).is_err());
        assert!(send(&wish(7), &LIMITS, &mut 0).is_err());
    }

    #[test]
    fn only_what_is_asked_for_takes_room() {
        let rc = |ops: u32, dv: u32| {
            let w = Wish { ops: Some(u64::from(ops)), dv_ops: u64::from(dv), ..wish(IBV_QPT_RC) };
            send(&w, &LIMITS, &mut 0).unwrap().bytes
        };
        assert_eq!(rc(IBV_QP_EX_WITH_SEND, 0), 64);
        assert_eq!(rc(IBV_QP_EX_WITH_RDMA_READ, 0), 64);
        assert_eq!(rc(IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, 0), 64);
        assert_eq!(rc(IBV_QP_EX_WITH_LOCAL_INV, 0), 256);
        assert_eq!(rc(IBV_QP_EX_WITH_SEND, MLX5DV_QP_EX_WITH_MR_LIST), 256);
        assert_eq!(rc(IBV_QP_EX_WITH_SEND, MLX5DV_QP_EX_WITH_RAW_WQE), 64);
    }

    #[test]
    fn limits_of_the_send_queue() {
        let rc = |wr, sge, inline| {
            let mut w = wish(IBV_QPT_RC);
            w.cap.max_send_wr = wr;
            w.cap.max_send_sge = sge;
            w.cap.max_inline_data = inline;
            send(&w, &LIMITS, &mut 0).map(|s| (s.wqe_cnt, s.max_post, s.max_inline)).map_err(|r| r.errno())
        };
        assert_eq!(rc(1, 52, 0), Ok((16, 1, 1024 - 192 - 4)));
        assert_eq!(rc(1, 53, 0), Err(Errno::EINVAL));
        assert_eq!(rc(1, 0, 828), Ok((16, 1, 828)));
        assert_eq!(rc(1, 0, 829), Err(Errno::EINVAL));
        assert_eq!(rc(8192, 1, 0), Ok((32768, 8192, 60)));
        assert_eq!(rc(8193, 1, 0), Err(Errno::EINVAL));
        assert_eq!(rc(u32::MAX, 1, 0), Err(Errno::EINVAL));
        assert_eq!(rc(1, u32::MAX, 0), Err(Errno::EINVAL));
        assert_eq!(rc(1, 0, u32::MAX), Err(Errno::EINVAL));
        assert_eq!(rc(0, u32::MAX, u32::MAX), Ok((0, 0, 0)));
    }

    #[test]
    fn receive_queue() {
        let rc = |wr, sge, sig| {
            let mut w = wish(IBV_QPT_RC);
            w.cap.max_recv_wr = wr;
            w.cap.max_recv_sge = sge;
            w.wq_sig = sig;
            recv(&w, &LIMITS).map(|r| (r.wqe_cnt, r.wqe_shift, r.max_post, r.max_gs)).map_err(|r| r.errno())
        };
        assert_eq!(rc(1, 1, false), Ok((4, 4, 4, 1)));
        assert_eq!(rc(1, 0, false), Ok((4, 4, 4, 1)));
        assert_eq!(rc(20, 2, false), Ok((32, 5, 32, 2)));
        assert_eq!(rc(20, 3, false), Ok((32, 6, 32, 4)));
        assert_eq!(rc(1, 4, true), Ok((1, 7, 1, 7)));
        assert_eq!(rc(1, 32, false), Ok((1, 9, 1, 32)));
        assert_eq!(rc(1, 32, true), Err(Errno::EINVAL));
        assert_eq!(rc(1, 33, false), Err(Errno::EINVAL));
        assert_eq!(rc(32768, 1, false).map(|r| r.0), Ok(32768));
        assert_eq!(rc(32769, 1, false), Err(Errno::EINVAL));
        assert_eq!(rc(0, 99, false), Ok((0, 0, 0, 0)));
    }

    #[test]
    fn out_of_order_receives_take_two_entries_each() {
        let mut w = Wish { ooo_limit: Some(100), ..wish(IBV_QPT_RC) };
        w.cap.max_recv_wr = 100;
        let r = recv(&w, &LIMITS).unwrap();
        assert_eq!((r.wqe_cnt, r.max_post), (256, 128));
        w.cap.max_recv_wr = 101;
        assert!(recv(&w, &LIMITS).is_err());
        w.cap.max_recv_wr = 1;
        assert_eq!(recv(&w, &LIMITS).unwrap().wqe_cnt, 4);
        w.ooo_limit = Some(0);
        w.cap.max_recv_wr = 40000;
        assert!(recv(&w, &LIMITS).is_err());
    }

    #[test]
    fn work_queues() {
        let q = |wr, sge, striding, sig| {
            wq(wr, sge, striding, sig, 512).map(|r| (r.wqe_cnt, r.wqe_shift, r.max_post, r.max_gs)).ok()
        };
        assert_eq!(q(16, 1, false, false), Some((16, 4, 16, 1)));
        assert_eq!(q(16, 1, true, false), Some((16, 5, 16, 1)));
        assert_eq!(q(16, 1, true, true), Some((16, 6, 16, 2)));
        assert_eq!(q(0, 1, false, false), None);
        assert_eq!(q(1, 32, false, false), Some((1, 9, 1, 32)));
        assert_eq!(q(1, 32, true, false), None);
        assert_eq!(q(u32::MAX, 1, false, false), None);
    }
}
