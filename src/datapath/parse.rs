//! Completions off the fast path, and what the classic and the lazy interface share.

use super::{
    cq::Cq,
    cqe::{Cqe, format_of, is_inline, op_of, req, status_of},
    find::{Finder, Target},
    mkey::SignatureError,
    scatter,
    srq::Srq,
    tm,
};
use crate::{
    abi::verbs::{consts::*, ibv_wc},
    provider::stall,
};
use core::{fmt, sync::atomic::Ordering};
use prm::cqe::{APP_TAG_MATCHING, Cqe64, ErrCqe, SigErrCqe, VENDOR_ODP_PFAULT, opcode, syndrome};

/// What became of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is a completion of the application.
    Filled,
    /// It was the library's own: look at the next one.
    Again,
    /// It belongs to nothing that is known.
    Failed,
}

/// A completion with its status; what else the application may know it reads from the entry.
#[derive(Clone, Copy)]
pub struct Done {
    pub wr_id: u64,
    pub status: u32,
}

/// Fills what a send completion has beyond its opcode.
#[inline(never)]
pub fn special(cqe: Cqe, kind: u8, wr_data: u32, wc: &mut ibv_wc) {
    wc.wc_flags = 0;
    if kind != req::UNKNOWN {
        wc.opcode = u32::from(kind & 0xf);
        wc.wc_flags = u32::from(kind >> 3) & IBV_WC_WITH_IMM;
        if kind & req::BYTES != 0 {
            wc.byte_len = cqe.get32(Cqe64::BYTE_CNT);
        } else if kind & req::ATOMIC != 0 {
            wc.byte_len = 8;
        } else if kind & req::NOTED != 0 {
            wc.opcode = wr_data;
        }
    }
    if wr_data == IBV_WC_DRIVER2 {
        wc.opcode = IBV_WC_DRIVER2;
    }
}

/// Gives the WQE of a receive back: its wr_id and, for payload in the entry, how copying it went.
/// None if the device named a WQE that does not exist.
///
/// # Safety
/// The target was found for this completion.
#[inline(always)]
pub unsafe fn take_receive<const WIDE: bool>(
    cq: &Cq,
    target: &Target,
    cqe: Cqe,
    op_own: u8,
) -> Option<(u64, u32)> {
    let counter = cqe.counter();
    let mut status = IBV_WC_SUCCESS;
    // SAFETY: the promise above; the indices are below the arrays' lengths.
    unsafe {
        match target.srq.as_ref() {
            Some(srq) => {
                if counter >= srq.total {
                    return None;
                }
                let wr_id = srq.wrid.at(counter).read();
                if is_inline(op_own) {
                    status = scatter::receive(target, counter, cqe, op_own, WIDE, 0);
                }
                // Last, because a posting thread may write to the WQE at once.
                srq.free_wqe(counter);
                Some((wr_id, status))
            }
            None => {
                // By the entry's counter: a queue that may take messages out of order does not
                // complete them in the order of posting.
                let rq = &*target.rq;
                let tail = rq.tail.load(Ordering::Relaxed);
                let index = counter & rq.mask;
                let wr_id = rq.wrid.at(index).read();
                if is_inline(op_own) {
                    let null = cq.context().info.dump_fill_mkey;
                    status = scatter::receive(target, index, cqe, op_own, WIDE, null);
                }
                rq.tail.store(tail.wrapping_add(1), Ordering::Release);
                Some((wr_id, status))
            }
        }
    }
}

/// A send with payload: read or atomic whose answer is in the entry.
pub fn inline_send<const V1: bool>(cq: &Cq, cqe: Cqe, op_own: u8, wide: bool) -> Option<(Done, u8, u32)> {
    let qp = Finder::new().sender::<V1>(cq, cqe)?;
    let index = cqe.counter() & qp.sq.mask;
    // SAFETY: the masked index is below the array's length: the queue has a ring.
    let slot = unsafe { qp.sq.slots.at(index).read() };
    let kind = super::cqe::REQ[usize::from(cqe.send_opcode())];
    let len = match kind {
        k if k != req::UNKNOWN && k & req::BYTES != 0 => cqe.get32(Cqe64::BYTE_CNT),
        k if k != req::UNKNOWN && k & req::ATOMIC != 0 => 8,
        _ => 0,
    };
    let status = scatter::send(qp, index, cqe, op_own, len as usize, wide);
    qp.sq.tail.store(slot.head.wrapping_add(1), Ordering::Release);
    Some((Done { wr_id: slot.wr_id, status }, kind, slot.wr_data))
}

/// Classic: everything but plain sends and receives.
#[inline(never)]
pub fn other<const V1: bool, const WIDE: bool>(cq: &Cq, cqe: Cqe, op_own: u8, wc: &mut ibv_wc) -> Outcome {
    wc.wc_flags = 0;
    wc.qp_num = cqe.qpn();
    match op_of(op_own) {
        opcode::REQ => match inline_send::<V1>(cq, cqe, op_own, WIDE) {
            Some((done, kind, wr_data)) => {
                wc.wr_id = done.wr_id;
                wc.status = done.status;
                special(cqe, kind, wr_data, wc);
                Outcome::Filled
            }
            None => Outcome::Failed,
        },
        opcode::REQ_ERR | opcode::RESP_ERR => match error::<V1>(cq, cqe, op_own) {
            Ok(done) => {
                wc.wr_id = done.wr_id;
                wc.status = done.status;
                wc.vendor_err = u32::from(cqe.get8(ErrCqe::VENDOR_ERR_SYND));
                Outcome::Filled
            }
            Err(o) => o,
        },
        opcode::NO_PACKET => match no_packet::<V1>(cq, cqe, op_own, WIDE) {
            Ok(done) => {
                wc.wr_id = done.wr_id;
                wc.status = done.status;
                Outcome::Filled
            }
            Err(o) => o,
        },
        opcode::SIG_ERR => signature_error(cq, cqe),
        // Upstream counts entries that it does not know, with nothing in them.
        _ => Outcome::Filled,
    }
}

/// Classic: an entry of a tag-matching queue.
#[cold]
pub fn tag_matching(cq: &Cq, srq: *const Srq, cqe: Cqe, op_own: u8, wide: bool, wc: &mut ibv_wc) -> Outcome {
    // SAFETY: found for this completion.
    match tm::complete(cq, unsafe { &*srq }, cqe, op_own, wide) {
        Some(done) => {
            wc.wr_id = done.wr_id;
            wc.status = done.status;
            Outcome::Filled
        }
        None => Outcome::Failed,
    }
}

/// A tag-matching event without a packet.
pub fn no_packet<const V1: bool>(cq: &Cq, cqe: Cqe, op_own: u8, wide: bool) -> Result<Done, Outcome> {
    if cqe.get8(Cqe64::APP) != APP_TAG_MATCHING {
        return Err(Outcome::Failed);
    }
    let target = Finder::new().target::<V1>(cq, cqe).ok_or(Outcome::Failed)?;
    // SAFETY: found for this completion.
    let srq = unsafe { target.srq.as_ref() }.ok_or(Outcome::Failed)?;
    tm::complete(cq, srq, cqe, op_own, wide).ok_or(Outcome::Failed)
}

/// A completion with error.
pub fn error<const V1: bool>(cq: &Cq, cqe: Cqe, op_own: u8) -> Result<Done, Outcome> {
    let code = cqe.get8(ErrCqe::SYNDROME);
    let fault =
        code == syndrome::REMOTE_ABORTED_ERR && cqe.get8(ErrCqe::VENDOR_ERR_SYND) == VENDOR_ODP_PFAULT;
    let status = status_of(code);
    let expected = matches!(code, syndrome::WR_FLUSH_ERR | syndrome::TRANSPORT_RETRY_EXC_ERR);
    if !expected && !fault {
        report(cq, cqe);
    }
    if op_of(op_own) == opcode::REQ_ERR {
        let qp = Finder::new().sender::<V1>(cq, cqe).ok_or(Outcome::Failed)?;
        // SAFETY: the masked index is below the array's length: the queue has a ring.
        let slot = unsafe { qp.sq.slots.at(cqe.counter() & qp.sq.mask).read() };
        qp.sq.tail.store(slot.head.wrapping_add(1), Ordering::Release);
        return Ok(Done { wr_id: slot.wr_id, status });
    }
    let target = Finder::new().target::<V1>(cq, cqe).ok_or(Outcome::Failed)?;
    // SAFETY: found for this completion.
    unsafe {
        if fault && let Some(srq) = target.srq.as_ref() {
            srq.page_fault(cqe.counter());
            return Err(Outcome::Again);
        }
        // An error has no payload, whatever the format says.
        let plain = op_own & 0xf0;
        let (wr_id, _) = take_receive::<false>(cq, &target, cqe, plain).ok_or(Outcome::Failed)?;
        Ok(Done { wr_id, status })
    }
}

/// An entry's record as four lines of four words.
struct Dump(Cqe);

impl fmt::Display for Dump {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for i in 0..16 {
            // SAFETY: the record's 64 bytes, aligned.
            let word = u32::from_be(unsafe { self.0.0.cast::<u32>().add(i).read() });
            write!(f, "{word:08x}{}", if i % 4 == 3 { '\n' } else { ' ' })?;
        }
        Ok(())
    }
}

/// Tells the debug file of an error that should not happen, and stops for a debugger if asked to.
#[cold]
fn report(cq: &Cq, cqe: Cqe) {
    cq.context().debug.write(format_args!("mlx5: got completion with error:\n{}", Dump(cqe)));
    while stall::freeze_on_error_cqe() {
        // SAFETY: no preconditions.
        unsafe { libc::sleep(10) };
    }
}

/// A signature error: kept with the mkey for `mlx5dv_mkey_check`.
#[cold]
pub fn signature_error(cq: &Cq, cqe: Cqe) -> Outcome {
    let index = cqe.get32(SigErrCqe::MKEY) >> 8;
    let found = cq.context().mkeys.with(index, |mkey| {
        let Some(sig) = &mkey.sig else { return false };
        sig.err_exists.set(true);
        sig.err_count.set(sig.err_count.get().wrapping_add(1));
        sig.err_count_updated.set(true);
        let pair = |transient, tag| u64::from(cqe.get32(transient)) << 32 | u64::from(cqe.get32(tag));
        sig.err.set(SignatureError {
            syndrome: cqe.get16(SigErrCqe::SYNDROME),
            expected: pair(SigErrCqe::EXPECTED_TRANS_SIG, SigErrCqe::EXPECTED_REF_TAG),
            actual: pair(SigErrCqe::ACTUAL_TRANS_SIG, SigErrCqe::ACTUAL_REF_TAG),
            offset: cqe.get64(SigErrCqe::SIG_ERR_OFFSET),
            sig_type: cqe.get8(SigErrCqe::SIG_TYPE) & 7,
            domain: cqe.get8(SigErrCqe::DOMAIN) & 7,
        });
        true
    });
    if found == Some(true) { Outcome::Again } else { Outcome::Failed }
}

/// Does the entry hold payload before its record?
pub fn has_wide_payload(op_own: u8) -> bool {
    format_of(op_own) == prm::cqe::format::INLINE_64
}
