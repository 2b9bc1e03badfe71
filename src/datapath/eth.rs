//! Headers of Ethernet and underlay WQEs: checksum offload, inline packet headers, large send
//! (`spec`: datapath, section 2).

use super::{
    post_send::Payload,
    qp::Qp,
    segment::{Cursor, copy_in, put8, put16},
};
use crate::{
    abi::verbs::{consts::*, ibv_send_wr},
    error::Errno,
};
use core::ptr;
use prm::wqe::{Eth, OCTOWORD, eth_cs};

/// Header bytes that the Ethernet segment itself has room for.
pub const HEADER_ROOM: usize = 18;
/// Header bytes in the segment's first octoword.
const HEADER_START: usize = 2;
/// Shortest header of a large send: an Ethernet header.
const MIN_TSO_HEADER: usize = 14;
/// IPoIB encapsulation: what an underlay packet has inline at least.
const IPOIB_HEADER: usize = 4;

/// Zeroes the Ethernet segment and asks for checksums. EINVAL if the port has none.
///
/// # Safety
/// `at` has room for the segment.
pub unsafe fn start(qp: &Qp, at: *mut u8, send_flags: u32) -> Result<(), Errno> {
    // SAFETY: the promise above.
    unsafe {
        ptr::write_bytes(at, 0, Eth::SIZE);
        if send_flags & IBV_SEND_IP_CSUM != 0 {
            if !qp.tx_csum.get() {
                return Err(Errno::EINVAL);
            }
            put8(at, Eth::CS_FLAGS, eth_cs::L3 | eth_cs::L4);
        }
    }
    Ok(())
}

/// Ethernet segment of a frame, with the headers that must be inline. EINVAL.
///
/// # Safety
/// The cursor stands behind the control segment; the request is the application's.
pub unsafe fn raw(c: &mut Cursor, qp: &Qp, wr: &ibv_send_wr, from: &mut Payload) -> Result<(), Errno> {
    // SAFETY: the promise above: the segment lies in the first block.
    unsafe {
        start(qp, c.at, wr.send_flags)?;
        if wr.opcode == IBV_WR_TSO {
            let tso = &wr.u_bind_mw.tso;
            return large_send(c, qp, tso.hdr.cast(), tso.hdr_sz, tso.mss);
        }
        let min = usize::from(qp.eth_min_inline);
        take_header(c.at, min, from)?;
        put16(c.at, Eth::INLINE_HDR_SZ, min as u16);
        c.skip((16 + min) & !(OCTOWORD - 1));
    }
    Ok(())
}

/// Copies the first `min` bytes of the payload into the segment's header. EINVAL without that
/// many.
///
/// # Safety
/// `eth` is the segment, `min` at most [`HEADER_ROOM`].
pub unsafe fn take_header(eth: *mut u8, min: usize, from: &mut Payload) -> Result<(), Errno> {
    if from.count < 1 {
        return Err(Errno::EINVAL);
    }
    let header = eth.wrapping_add(Eth::INLINE_HDR_START.byte());
    // SAFETY: elements below the count, the application's memory; the header has room.
    unsafe {
        let mut taken = min as u32;
        if (*from.sge).length as usize >= HEADER_ROOM {
            ptr::copy_nonoverlapping((*from.sge).addr as *const u8, header, min);
        } else {
            let (mut left, mut last) = (min, 0);
            taken = 0;
            for i in 0..from.count as usize {
                if left == 0 {
                    break;
                }
                let sge = &*from.sge.add(i);
                let n = left.min(sge.length as usize);
                ptr::copy_nonoverlapping(sge.addr as *const u8, header.add(HEADER_ROOM - left), n);
                left -= n;
                (taken, last) = (n as u32, i);
            }
            if left != 0 {
                return Err(Errno::EINVAL);
            }
            advance(from, last);
        }
        from.offset = taken;
        if (*from.sge).length == taken {
            advance(from, 1);
            from.offset = 0;
        }
    }
    Ok(())
}

fn advance(from: &mut Payload, n: usize) {
    from.sge = from.sge.wrapping_add(n);
    from.count -= n as i32;
}

/// Ethernet segment of a large send: its header inline, across the end of the ring if need be.
/// EINVAL if the header is too short or does not fit.
///
/// # Safety
/// The cursor stands at a zeroed Ethernet segment in the first block; `header` has `size` bytes.
pub unsafe fn large_send(
    c: &mut Cursor,
    qp: &Qp,
    header: *const u8,
    size: u16,
    mss: u16,
) -> Result<(), Errno> {
    let len = usize::from(size);
    if len < MIN_TSO_HEADER || len > qp.sq.max_tso_header as usize {
        return Err(Errno::EINVAL);
    }
    let eth = c.at;
    let place = eth.wrapping_add(Eth::INLINE_HDR_START.byte());
    // SAFETY: the segment is in the first block; the WQE has room for the largest header.
    unsafe {
        put16(eth, Eth::MSS, mss);
        put16(eth, Eth::INLINE_HDR_SZ, size);
        copy_in(place, header, len, c.start, c.end);
    }
    // The part before the ring's end and the part behind it are each padded.
    let before = len.min(c.end.addr() - place.addr());
    c.skip(OCTOWORD + (before - HEADER_START).next_multiple_of(OCTOWORD));
    if before < len {
        c.wrap();
        c.skip((len - before).next_multiple_of(OCTOWORD));
    }
    Ok(())
}

/// EINVAL if a large send has more payload than the port takes.
///
/// # Safety
/// The elements are readable.
pub unsafe fn check_tso_payload(qp: &Qp, from: &Payload) -> Result<(), Errno> {
    let mut left = qp.sq.max_tso.get();
    for i in 0..from.count.max(0) as usize {
        // SAFETY: below the count.
        let length = unsafe { (*from.sge.add(i)).length };
        left = left.checked_sub(length).ok_or(Errno::EINVAL)?;
    }
    Ok(())
}

/// Padding and Ethernet segment of an underlay packet. EINVAL for immediate data, checksums that
/// the port has not, and a first element that does not hold the header.
///
/// # Safety
/// The cursor stands at the start of a block; the request is the application's.
pub unsafe fn underlay(c: &mut Cursor, qp: &Qp, wr: &ibv_send_wr, from: &mut Payload) -> Result<(), Errno> {
    if wr.opcode == IBV_WR_SEND_WITH_IMM {
        return Err(Errno::EINVAL);
    }
    // SAFETY: padding and segment lie in one block; the first element is the application's.
    unsafe {
        ptr::write_bytes(c.at, 0, OCTOWORD);
        c.skip(OCTOWORD);
        start(qp, c.at, wr.send_flags)?;
        if from.count < 1 || ((*from.sge).length as usize) < IPOIB_HEADER {
            return Err(Errno::EINVAL);
        }
        let sge = &*from.sge;
        let all = wr.send_flags & IBV_SEND_INLINE != 0 && sge.length as usize >= HEADER_ROOM;
        let n = if all { HEADER_ROOM } else { IPOIB_HEADER };
        ptr::copy_nonoverlapping(sge.addr as *const u8, c.at.add(Eth::INLINE_HDR_START.byte()), n);
        put16(c.at, Eth::INLINE_HDR_SZ, n as u16);
        from.offset = n as u32;
        if sge.length == n as u32 {
            advance(from, 1);
            from.offset = 0;
        }
    }
    c.skip(Eth::SIZE);
    Ok(())
}
