//! Requests and setters of `mlx5dv_qp_ex` beside memory keys: DC addresses, raw WQEs, memcpy
//! (`spec`: datapath, section 10).

use super::{
    ah::Ah,
    builder::{idx_opcode, kind},
    qp::Qp,
    segment::{self, Cursor, copy_in, put32, put64},
};
use crate::{
    abi::{
        dv::mlx5dv_qp_ex,
        verbs::{consts::*, ibv_ah},
    },
    error::Errno,
};
use core::{ffi::c_void, ptr};
use prm::wqe::{Av, BB, Ctrl, Data, EXTENDED_UD_AV, MMO_DMA, MmoMeta, OCTOWORD, opcode};

/// Octowords of the largest WQE that can say its size.
const MAX_OCTOWORDS: u32 = 63;
/// Length that a memcpy request writes as zero.
const LENGTH_AS_ZERO: usize = 1 << 31;

/// Destination of a DC request.
///
/// # Safety
/// The manual's promise: a request of a DCI is open; the address handle is alive.
pub unsafe extern "C" fn set_dc_addr<const SIGNED: bool>(
    dv: *mut mlx5dv_qp_ex,
    ah: *mut ibv_ah,
    dctn: u32,
    key: u64,
) {
    // SAFETY: the promise above; the segment fills the first block.
    unsafe {
        let qp = Qp::from_dv(dv);
        let ctrl = qp.wr.ctrl.get();
        if ctrl.is_null() {
            return;
        }
        let at = ctrl.add(Ctrl::SIZE);
        let av = &Ah::from_ibv(ah).av;
        ptr::copy_nonoverlapping(av.as_ptr(), at, Av::SIZE);
        let target = at.add(Av::DQP_DCT.byte()).cast::<u32>();
        target.write(target.read() | (dctn | EXTENDED_UD_AV).to_be());
        put64(at, Av::DC_KEY, key);
        qp.step::<{ kind::DCI }, SIGNED>(ctrl, qp.wr.ow.get());
    }
}

/// As [`set_dc_addr`], on one of the DCI's streams.
///
/// # Safety
/// As [`set_dc_addr`].
pub unsafe extern "C" fn set_dc_addr_stream<const SIGNED: bool>(
    dv: *mut mlx5dv_qp_ex,
    ah: *mut ibv_ah,
    dctn: u32,
    key: u64,
    stream_id: u16,
) {
    // SAFETY: the promise above.
    unsafe {
        let ctrl = Qp::from_dv(dv).wr.ctrl.get();
        if !ctrl.is_null() {
            let at = ctrl.add(Ctrl::DCI_STREAM_CHANNEL_ID.byte()).cast::<u16>();
            at.write_unaligned(stream_id.to_be());
        }
        set_dc_addr::<SIGNED>(dv, ah, dctn, key);
    }
}

/// A WQE that the application has built: taken as it is, but for its index.
///
/// # Safety
/// The manual's promise: between start and complete; `wqe` is a whole WQE of the size it says.
pub unsafe extern "C" fn raw_wqe<const SIGNED: bool>(dv: *mut mlx5dv_qp_ex, wqe: *const c_void) {
    let from = wqe.cast::<u8>();
    // SAFETY: the promise above. The ring is larger than a WQE: a QP for raw WQEs has room for the
    // sizes it was made with.
    unsafe {
        let qp = Qp::from_dv(dv);
        let word = |at: usize| u32::from_be(from.add(at).cast::<u32>().read_unaligned());
        let first = word(Ctrl::OPMOD_IDX_OPCODE.byte());
        let ow = word(Ctrl::QPN_DS.byte()) & MAX_OCTOWORDS;
        let ctrl = qp.open::<false>(0, IBV_WC_DRIVER2, (*qp.ibv_ex()).wr_id, 0);
        if ctrl.is_null() {
            return;
        }
        let len = (ow as usize * OCTOWORD).min(qp.sq.wqe_cnt as usize * BB);
        copy_in(ctrl, from, len, qp.sq.buf, qp.sq.end);
        let cur_post = qp.sq.cur_post.get();
        put32(ctrl, Ctrl::OPMOD_IDX_OPCODE, first & 0xff00_00ff | idx_opcode(cur_post, 0));
        if SIGNED {
            segment::sign(&qp.sq, ctrl, ow);
        }
        qp.wr.ow.set(ow);
        qp.sq.cur_post.set(cur_post.wrapping_add(ow.div_ceil(4)));
    }
}

/// A copy in local memory by the device. EINVAL for no length and for one beyond the device's
/// limit.
///
/// # Safety
/// The manual's promise: between start and complete.
pub unsafe extern "C" fn memcpy<const SIGNED: bool>(
    dv: *mut mlx5dv_qp_ex,
    dest_lkey: u32,
    dest_addr: u64,
    src_lkey: u32,
    src_addr: u64,
    length: usize,
) {
    // SAFETY: the promise above; four octowords fill the first block.
    unsafe {
        let qp = Qp::from_dv(dv);
        let (opaque_lkey, opaque_addr) = qp.opaque;
        let max = qp.context().caps.max_wr_memcpy_length;
        // Without the scratch region the QP was not made for this.
        if length == 0 || length as u64 > max || opaque_addr == 0 {
            qp.fail(Errno::EINVAL);
            return;
        }
        let ex = qp.ibv_ex();
        let word = u32::from(MMO_DMA) << 24 | u32::from(opcode::MMO);
        let ctrl = qp.open::<false>(word, IBV_WC_DRIVER3, (*ex).wr_id, (*ex).wr_flags);
        if ctrl.is_null() {
            return;
        }
        let mut c = Cursor::new(&qp.sq, ctrl);
        put32(c.at, MmoMeta::MMO_CONTROL, 0);
        put32(c.at, MmoMeta::OPAQUE_LKEY, opaque_lkey);
        put64(c.at, MmoMeta::OPAQUE_VADDR, opaque_addr);
        c.skip(MmoMeta::SIZE);
        let length = if length == LENGTH_AS_ZERO { 0 } else { length as u32 };
        segment::data(c.at, length, src_lkey, src_addr);
        c.skip(Data::SIZE);
        segment::data(c.at, length, dest_lkey, dest_addr);
        c.skip(Data::SIZE);
        qp.close::<SIGNED>(ctrl, c.ow);
    }
}
