//! Setters of the `ibv_wr_*` interface: addresses and data.

use super::{
    ah::Ah,
    builder::kind,
    eth,
    post_send::Payload,
    qp::Qp,
    segment::{self, Cursor, InlineWriter},
};
use crate::{
    abi::verbs::{ibv_ah, ibv_data_buf, ibv_qp_ex, ibv_sge},
    error::Errno,
};
use core::{ffi::c_void, slice};
use prm::wqe::{Ctrl, Data, Eth};

/// One pointer; none if the length is zero.
///
/// # Safety
/// libibverbs' promise: a request of a QP of this kind is open.
pub unsafe extern "C" fn set_sge<const K: u8, const SIGNED: bool>(
    ex: *mut ibv_qp_ex,
    lkey: u32,
    addr: u64,
    length: u32,
) {
    // SAFETY: the promise above.
    let qp = unsafe { Qp::from_ibv_ex(ex) };
    let ctrl = qp.wr.ctrl.get();
    if ctrl.is_null() {
        return;
    }
    let mut ow = qp.wr.ow.get();
    if length != 0 {
        // SAFETY: 16 bytes at a multiple of 16 in the ring; every WQE has room for one element.
        unsafe { segment::data(qp.place(ctrl, ow), length, lkey, addr) };
        ow += (Data::SIZE / 16) as u32;
    }
    qp.step::<K, SIGNED>(ctrl, ow);
}

/// Pointers; those of length zero are left out. ENOMEM for more than the QP was made for.
///
/// # Safety
/// As [`set_sge`]; `count` elements are readable at `list`.
pub unsafe extern "C" fn set_sge_list<const K: u8, const SIGNED: bool>(
    ex: *mut ibv_qp_ex,
    count: usize,
    list: *const ibv_sge,
) {
    // SAFETY: the promise above.
    let qp = unsafe { Qp::from_ibv_ex(ex) };
    let ctrl = qp.wr.ctrl.get();
    if ctrl.is_null() {
        return;
    }
    if count > qp.sq.max_gs as usize {
        qp.fail(Errno::ENOMEM);
        return;
    }
    let mut c = qp.cursor(ctrl);
    // SAFETY: the count was checked against what the WQE has room for.
    unsafe { segment::data_list(&mut c, list, count as i32) };
    qp.step::<K, SIGNED>(ctrl, c.ow);
}

/// One piece inline. ENOMEM if it is too long.
///
/// # Safety
/// As [`set_sge`]; `length` bytes are readable at `addr`.
pub unsafe extern "C" fn set_inline_data<const K: u8, const SIGNED: bool>(
    ex: *mut ibv_qp_ex,
    addr: *mut c_void,
    length: usize,
) {
    let piece = ibv_data_buf { addr, length };
    // SAFETY: the promise above.
    unsafe { set_inline_data_list::<K, SIGNED>(ex, 1, &piece) }
}

/// Pieces inline, one behind the other. ENOMEM if they are too long.
///
/// # Safety
/// As [`set_sge`]; `count` pieces are readable.
#[inline(always)]
pub unsafe extern "C" fn set_inline_data_list<const K: u8, const SIGNED: bool>(
    ex: *mut ibv_qp_ex,
    count: usize,
    list: *const ibv_data_buf,
) {
    // SAFETY: the promise above.
    let qp = unsafe { Qp::from_ibv_ex(ex) };
    let ctrl = qp.wr.ctrl.get();
    if ctrl.is_null() {
        return;
    }
    let mut c = qp.cursor(ctrl);
    // SAFETY: the promise above.
    let pieces = unsafe { slice::from_raw_parts(list, count) };
    // SAFETY: as above.
    match unsafe { inline_pieces(qp, &mut c, pieces, 0) } {
        Ok(()) => qp.step::<K, SIGNED>(ctrl, c.ow),
        Err(e) => qp.fail(e),
    }
}

/// Appends one inline segment of all pieces, the first one from `offset` on. ENOMEM.
///
/// # Safety
/// The pieces are readable.
#[inline(always)]
unsafe fn inline_pieces(
    qp: &Qp,
    c: &mut Cursor,
    pieces: &[ibv_data_buf],
    mut offset: usize,
) -> Result<(), Errno> {
    qp.wr.note(|b| b.inline = 1);
    let mut w = InlineWriter::new(c);
    for piece in pieces {
        let from = piece.addr.cast::<u8>().wrapping_add(offset);
        // SAFETY: the promise above; the WQE has room for `max_inline` bytes.
        if !unsafe { w.push(c, from, piece.length - offset, qp.sq.max_inline as usize) } {
            return Err(Errno::ENOMEM);
        }
        offset = 0;
    }
    // SAFETY: all pieces were pushed at this cursor.
    unsafe { w.close(c) };
    Ok(())
}

/// Destination of a datagram.
///
/// # Safety
/// As [`set_sge`], on a UD QP; the address handle is alive.
pub unsafe extern "C" fn set_ud_addr<const SIGNED: bool>(
    ex: *mut ibv_qp_ex,
    ah: *mut ibv_ah,
    qpn: u32,
    qkey: u32,
) {
    // SAFETY: the promise above; the segment fills the first block.
    unsafe {
        let qp = Qp::from_ibv_ex(ex);
        let ctrl = qp.wr.ctrl.get();
        if !ctrl.is_null() {
            segment::datagram(ctrl.add(Ctrl::SIZE), &Ah::from_ibv(ah).av, qkey, qpn);
            qp.step::<{ kind::UD }, SIGNED>(ctrl, qp.wr.ow.get());
        }
    }
}

/// Target SRQ of an XRC request.
///
/// # Safety
/// As [`set_sge`], on an XRC QP.
pub unsafe extern "C" fn set_xrc_srqn<const SIGNED: bool>(ex: *mut ibv_qp_ex, srqn: u32) {
    // SAFETY: the promise above; the segment lies in the first block.
    unsafe {
        let qp = Qp::from_ibv_ex(ex);
        let ctrl = qp.wr.ctrl.get();
        if !ctrl.is_null() {
            segment::xrc(ctrl.add(Ctrl::SIZE), srqn);
            qp.step::<{ kind::XRC }, SIGNED>(ctrl, qp.wr.ow.get());
        }
    }
}

/// The Ethernet WQE's headers, taken from the data unless a large send has brought its own.
/// EINVAL without enough data.
///
/// # Safety
/// An Ethernet request is open at `ctrl`; the elements are readable, and what they point to.
unsafe fn header(qp: &Qp, ctrl: *mut u8, from: &mut Payload) -> Result<Cursor, Errno> {
    let mut c = qp.cursor(ctrl);
    if qp.wr.header_due.get() {
        let min = usize::from(qp.eth_min_inline);
        // SAFETY: the segment lies in the first block; the promise above.
        unsafe {
            eth::take_header(c.at, min, from)?;
            segment::put16(c.at, Eth::INLINE_HDR_SZ, min as u16);
        }
        c.skip((16 + min) & !15);
    }
    Ok(c)
}

/// As [`set_sge`], for frames. EINVAL if the data is shorter than the header.
///
/// # Safety
/// As [`set_sge`].
pub unsafe extern "C" fn set_sge_eth<const SIGNED: bool>(
    ex: *mut ibv_qp_ex,
    lkey: u32,
    addr: u64,
    length: u32,
) {
    let sge = ibv_sge { addr, length, lkey };
    // SAFETY: the promise above.
    unsafe { pointers_eth::<SIGNED>(Qp::from_ibv_ex(ex), 1, &sge) }
}

/// As [`set_sge_list`], for frames.
///
/// # Safety
/// As [`set_sge_list`].
pub unsafe extern "C" fn set_sge_list_eth<const SIGNED: bool>(
    ex: *mut ibv_qp_ex,
    count: usize,
    list: *const ibv_sge,
) {
    // SAFETY: the promise above.
    let qp = unsafe { Qp::from_ibv_ex(ex) };
    if count > qp.sq.max_gs as usize {
        qp.fail(Errno::ENOMEM);
        return;
    }
    // SAFETY: the promise above.
    unsafe { pointers_eth::<SIGNED>(qp, count, list) }
}

/// # Safety
/// As [`set_sge_list`]; the count was checked.
unsafe fn pointers_eth<const SIGNED: bool>(qp: &Qp, count: usize, list: *const ibv_sge) {
    let ctrl = qp.wr.ctrl.get();
    if ctrl.is_null() {
        return;
    }
    let mut from = Payload { sge: list, count: count as i32, offset: 0 };
    // SAFETY: the promise above.
    match unsafe { header(qp, ctrl, &mut from) } {
        Ok(mut c) => {
            // SAFETY: as above.
            unsafe { from.pointers(&mut c) };
            qp.close::<SIGNED>(ctrl, c.ow);
        }
        Err(e) => qp.fail(e),
    }
}

/// As [`set_inline_data`], for frames.
///
/// # Safety
/// As [`set_inline_data`].
pub unsafe extern "C" fn set_inline_data_eth<const SIGNED: bool>(
    ex: *mut ibv_qp_ex,
    addr: *mut c_void,
    length: usize,
) {
    let piece = ibv_data_buf { addr, length };
    // SAFETY: the promise above.
    if let Err(e) = unsafe { inline_eth::<SIGNED>(Qp::from_ibv_ex(ex), slice::from_ref(&piece)) } {
        // SAFETY: the promise above.
        unsafe { Qp::from_ibv_ex(ex) }.fail(e);
    }
}

/// As [`set_inline_data_list`], for frames; too much data is EINVAL here.
///
/// # Safety
/// As [`set_inline_data_list`].
pub unsafe extern "C" fn set_inline_data_list_eth<const SIGNED: bool>(
    ex: *mut ibv_qp_ex,
    count: usize,
    list: *const ibv_data_buf,
) {
    // SAFETY: the promise above.
    unsafe {
        let qp = Qp::from_ibv_ex(ex);
        if inline_eth::<SIGNED>(qp, slice::from_raw_parts(list, count)).is_err() {
            qp.fail(Errno::EINVAL);
        }
    }
}

/// # Safety
/// As [`set_inline_data_list`].
unsafe fn inline_eth<const SIGNED: bool>(qp: &Qp, pieces: &[ibv_data_buf]) -> Result<(), Errno> {
    let ctrl = qp.wr.ctrl.get();
    if ctrl.is_null() {
        return Ok(());
    }
    let mut c = qp.cursor(ctrl);
    let (mut first, mut offset) = (0, 0);
    if qp.wr.header_due.get() {
        let min = usize::from(qp.eth_min_inline);
        // SAFETY: the segment lies in the first block; the pieces are readable.
        (first, offset) = unsafe { take_header_of_pieces(c.at, min, pieces)? };
        // SAFETY: as above.
        unsafe { segment::put16(c.at, Eth::INLINE_HDR_SZ, min as u16) };
        c.skip((16 + min) & !15);
    }
    // SAFETY: the promise above.
    unsafe { inline_pieces(qp, &mut c, &pieces[first..], offset)? };
    qp.close::<SIGNED>(ctrl, c.ow);
    Ok(())
}

/// Copies the first `min` bytes into the segment's header; answers the piece and the offset in it
/// where the rest starts. EINVAL without that many.
///
/// # Safety
/// `eth` is the segment; the pieces are readable.
unsafe fn take_header_of_pieces(
    eth: *mut u8,
    min: usize,
    pieces: &[ibv_data_buf],
) -> Result<(usize, usize), Errno> {
    let header = eth.wrapping_add(Eth::INLINE_HDR_START.byte());
    let mut taken = 0;
    for (i, piece) in pieces.iter().enumerate() {
        let n = piece.length.min(min - taken);
        // SAFETY: the promise above; the header has room for `min` bytes.
        unsafe {
            core::ptr::copy_nonoverlapping(piece.addr.cast::<u8>(), header.add(taken), n);
        }
        taken += n;
        if taken == min {
            return Ok(if n == piece.length { (i + 1, 0) } else { (i, n) });
        }
    }
    Err(Errno::EINVAL)
}
