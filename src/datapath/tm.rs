//! Tag matching: list operations and their completions (`spec`: datapath, sections 5 and 8).

use super::{
    cq::{Cq, flags},
    cqe::{Cqe, is_inline},
    doorbell::{self, Last},
    find::Target,
    parse::{self, Done},
    post_recv::{element, terminate},
    qp::Qp,
    queue::SendSlot,
    scatter,
    segment::{self, Cursor, put8, put16, put64},
    srq::{NO_TAG, Srq, TagMatching, TagOp},
};
use crate::{
    abi::verbs::{consts::*, ibv_ops_wr, ibv_srq},
    error::Errno,
};
use core::{ffi::c_int, ptr, sync::atomic::Ordering};
use prm::{
    cqe::{Cqe64, TM_SUCCESS_BIT, tm_op as event},
    wqe::{self, Data, Tm, tm_flags, tm_op},
};

/// Unexpected messages that the device may be ahead of the application's count.
const MAX_AHEAD: u16 = 0x3fff;

impl TagMatching {
    /// Drops one expected completion of a tag; the last one frees it.
    fn release(&self, index: u32) {
        if index as usize >= self.tags.len() {
            return;
        }
        // SAFETY: below the length; the caller holds the SRQ's lock.
        unsafe {
            let tag = &mut *self.tags.at(index);
            tag.expect_cqe -= 1;
            if tag.expect_cqe == 0 {
                tag.next = NO_TAG;
                (*self.tags.at(self.tail.get())).next = index;
                self.tail.set(index);
            }
        }
    }

    /// Notes an operation whose completion was asked for.
    fn note(&self, cmd: &Qp, nreq: u32, tag: u32, wr_id: u64) {
        let at = self.op_head.get();
        self.op_head.set(at.wrapping_add(1));
        let op = TagOp { tag, wr_id, wqe_head: cmd.sq.head.get().wrapping_add(nreq) };
        // SAFETY: one place for each basic block of the command queue.
        unsafe { self.ops.at(at & cmd.sq.mask).write(op) }
    }
}

/// `ibv_post_srq_ops`.
///
/// # Safety
/// libibverbs' promise: an SRQ of ours, a list of operations, a writable `bad`.
pub unsafe extern "C" fn post_srq_ops(
    ibv: *mut ibv_srq,
    first: *mut ibv_ops_wr,
    bad: *mut *mut ibv_ops_wr,
) -> c_int {
    // SAFETY: the promise above.
    let srq = unsafe { Srq::from_ibv(ibv) };
    let mut next = first;
    let Some(t) = &srq.tm else {
        // SAFETY: the promise above.
        unsafe { *bad = first };
        return Errno::EINVAL.0;
    };
    // SAFETY: the command QP lives as long as its SRQ.
    let cmd = unsafe { &*t.cmd_qp };
    srq.lock.lock();
    let mut failure = 0;
    let before = cmd.sq.head.get();
    let mut nreq = 0;
    let mut last = Last { ctrl: ptr::null_mut(), ow: 0 };
    let mut cur_post = cmd.sq.cur_post.get();
    // SAFETY: the application's list.
    while let Some(wr) = unsafe { next.as_mut() } {
        if cmd.sq.is_full(before.wrapping_add(nreq)) {
            failure = Errno::ENOMEM.0;
            break;
        }
        // SAFETY: a free block of the command queue.
        match unsafe { operation(t, cmd, wr, cur_post, nreq) } {
            Ok(l) => last = l,
            Err(e) => {
                failure = e.0;
                break;
            }
        }
        cur_post = cur_post.wrapping_add(last.ow.div_ceil(4));
        nreq += 1;
        next = wr.next;
    }
    if failure != 0 {
        // SAFETY: the promise above.
        unsafe { *bad = next };
    }
    if nreq != 0 {
        cmd.sq.head.set(before.wrapping_add(nreq));
        cmd.sq.cur_post.set(cur_post);
        // SAFETY: `last` is the last of the whole WQEs.
        unsafe { doorbell::ring(cmd, last, nreq, cur_post, cmd.hot.bf_span[0].get()) };
    }
    srq.lock.unlock();
    failure
}

/// Writes one operation at `cur_post`.
///
/// # Safety
/// The block is free; the request is the application's; the caller holds the SRQ's lock.
unsafe fn operation(
    t: &TagMatching,
    cmd: &Qp,
    wr: &mut ibv_ops_wr,
    cur_post: u32,
    nreq: u32,
) -> Result<Last, Errno> {
    let sq = &cmd.sq;
    let ctrl = sq.wqe(cur_post & sq.mask);
    let mut c = Cursor::new(sq, ctrl);
    let wr_flags = wr.flags as u32;
    let signaled = wr_flags & IBV_OPS_SIGNALED != 0;
    let seg = c.at;
    let mut tm_bits = 0;
    // SAFETY: control and tag segment lie in one block, and so does one data segment.
    unsafe {
        segment::ctrl_flags(ctrl, 0, 0);
        if signaled {
            tm_bits |= tm_flags::REQ;
        }
        if wr_flags & IBV_OPS_TM_SYNC != 0 {
            t.unexp_out.set(wr.tm.unexpected_cnt);
            tm_bits |= tm_flags::CNT;
            put16(seg, Tm::SW_CNT, wr.tm.unexpected_cnt as u16);
        }
        let op = match wr.opcode {
            IBV_WR_TAG_ADD => {
                let head = t.head.get();
                let index = (*t.tags.at(head)).next;
                if index == NO_TAG {
                    return Err(Errno::ENOMEM);
                }
                t.head.set(index);
                let tag = &mut *t.tags.at(head);
                let add = &wr.tm.add;
                tag.wr_id = add.recv_wr_id;
                tag.phase_cnt = t.unexp_out.get() as u16;
                tag.expect_cqe += 1;
                if signaled {
                    tag.expect_cqe += 1;
                    t.note(cmd, nreq, head, wr.wr_id);
                }
                wr.tm.handle = head;
                put16(seg, Tm::INDEX, head as u16);
                put64(seg, Tm::APPEND_TAG, add.tag);
                put64(seg, Tm::APPEND_MASK, add.mask);
                c.skip(Tm::SIZE);
                if add.num_sge > 0 && !add.sg_list.is_null() {
                    let sge = &*add.sg_list;
                    tag.ptr = sge.addr as *mut u8;
                    tag.size = sge.length;
                    element(c.at, sge);
                } else {
                    tag.ptr = ptr::null_mut();
                    tag.size = 0;
                    terminate(c.at);
                }
                c.skip(Data::SIZE);
                tm_op::APPEND
            }
            IBV_WR_TAG_DEL => {
                let index = wr.tm.handle;
                if index as usize >= t.tags.len() {
                    return Err(Errno::EINVAL);
                }
                put16(seg, Tm::INDEX, index as u16);
                if signaled {
                    (*t.tags.at(index)).expect_cqe += 1;
                    t.note(cmd, nreq, index, wr.wr_id);
                } else {
                    t.release(index);
                }
                c.skip(Tm::SIZE);
                tm_op::REMOVE
            }
            IBV_WR_TAG_SYNC => {
                if signaled {
                    t.note(cmd, nreq, NO_TAG, wr.wr_id);
                }
                c.skip(Tm::SIZE);
                tm_op::NOP
            }
            _ => return Err(Errno::EINVAL),
        };
        put8(seg, Tm::OPCODE, op << 4);
        put8(seg, Tm::FLAGS, tm_bits);
        let head_word = (cur_post & 0xffff) << 8 | u32::from(wqe::opcode::TAG_MATCHING);
        segment::ctrl_head(ctrl, head_word, cmd.qp_num.get() << 8 | c.ow);
    }
    sq.note(cur_post, SendSlot { wr_id: wr.wr_id, head: sq.head.get().wrapping_add(nreq), wr_data: 0 });
    Ok(Last { ctrl, ow: c.ow })
}

/// A completion of tag matching. None if it makes no sense.
#[cold]
pub fn complete(cq: &Cq, srq: &Srq, cqe: Cqe, op_own: u8, wide: bool) -> Option<Done> {
    let t = srq.tm.as_ref()?;
    match cqe.get8(Cqe64::APP_OP) {
        op @ (event::CONSUMED
        | event::EXPECTED
        | event::CONSUMED_MSG
        | event::CONSUMED_SW_RDNV
        | event::CONSUMED_MSG_SW_RDNV
        | event::MSG_COMPLETION_CANCELED) => matched(srq, t, cqe, op_own, op, wide),
        op @ (event::APPEND | event::REMOVE | event::NOOP) => listed(cq, srq, t, cqe, op),
        event::UNEXPECTED => {
            srq.lock.with(|| {
                t.unexp_in.set(t.unexp_in.get().wrapping_add(1));
                let ahead = t.unexp_in.get().wrapping_sub(t.unexp_out.get());
                if ahead > u32::from(MAX_AHEAD) {
                    cq.cur.add(flags::TM_SYNC_REQ);
                }
            });
            untagged(cq, srq, cqe, op_own, wide)
        }
        event::NO_TAG => untagged(cq, srq, cqe, op_own, wide),
        _ => None,
    }
}

/// A tag was used, or the message for it is complete.
fn matched(srq: &Srq, t: &TagMatching, cqe: Cqe, op_own: u8, op: u8, wide: bool) -> Option<Done> {
    let index = u32::from(cqe.get16(Cqe64::APP_INFO));
    if index as usize >= t.tags.len() {
        return None;
    }
    srq.lock.with(|| {
        // SAFETY: below the length; under the SRQ's lock.
        let tag = unsafe { &mut *t.tags.at(index) };
        if tag.expect_cqe == 0 {
            return Some(Done { wr_id: tag.wr_id, status: IBV_WC_GENERAL_ERR });
        }
        let mut done = Done { wr_id: tag.wr_id, status: IBV_WC_SUCCESS };
        if parse::has_wide_payload(op_own) && wide {
            let len = cqe.get32(Cqe64::BYTE_CNT);
            if len > tag.size || len as usize > 64 {
                done.status = IBV_WC_LOC_LEN_ERR;
            } else {
                // SAFETY: the application's buffer for this tag has room; the payload is the half
                // of the entry in front of the record.
                unsafe { ptr::copy_nonoverlapping(cqe.0.sub(64), tag.ptr, len as usize) };
            }
        }
        if !matches!(op, event::CONSUMED | event::CONSUMED_SW_RDNV) {
            t.release(index);
        }
        if matches!(
            op,
            event::CONSUMED_SW_RDNV | event::CONSUMED_MSG_SW_RDNV | event::MSG_COMPLETION_CANCELED
        ) {
            done.status = IBV_WC_TM_RNDV_INCOMPLETE;
        }
        Some(done)
    })
}

/// An operation on the list took effect, or not.
fn listed(cq: &Cq, srq: &Srq, t: &TagMatching, cqe: Cqe, op: u8) -> Option<Done> {
    // SAFETY: the command QP lives as long as its SRQ.
    let cmd = unsafe { &*t.cmd_qp };
    let success = cqe.get32(Cqe64::TM_SUCCESS) & TM_SUCCESS_BIT != 0;
    let status = if op == event::REMOVE && !success { IBV_WC_TM_ERR } else { IBV_WC_SUCCESS };
    srq.lock.with(|| {
        let at = t.op_tail.get();
        if at == t.op_head.get() {
            return None;
        }
        t.op_tail.set(at.wrapping_add(1));
        // SAFETY: one place for each basic block of the command queue.
        let noted = unsafe { t.ops.at(at & cmd.sq.mask).read() };
        if noted.tag != NO_TAG {
            // SAFETY: a tag that was posted.
            let phase = unsafe { (*t.tags.at(noted.tag)).phase_cnt };
            t.release(noted.tag);
            if op == event::REMOVE && status == IBV_WC_SUCCESS {
                t.release(noted.tag);
            }
            if cqe.get16(Cqe64::TM_HW_PHASE_CNT) != phase {
                cq.cur.add(flags::TM_SYNC_REQ);
            }
        }
        cmd.sq.tail.store(noted.wqe_head.wrapping_add(1), Ordering::Release);
        Some(Done { wr_id: noted.wr_id, status })
    })
}

/// A message without a matching tag: it used a receive of the SRQ.
fn untagged(cq: &Cq, srq: &Srq, cqe: Cqe, op_own: u8, wide: bool) -> Option<Done> {
    let counter = cqe.counter();
    if counter >= srq.total {
        return None;
    }
    let target = Target { srq, rq: ptr::null(), rx_csum: false };
    // SAFETY: below the array's length.
    let wr_id = unsafe { srq.wrid.at(counter).read() };
    let null = cq.context().info.dump_fill_mkey;
    let fits =
        !is_inline(op_own) || scatter::receive(&target, counter, cqe, op_own, wide, null) == IBV_WC_SUCCESS;
    srq.free_wqe(counter);
    fits.then_some(Done { wr_id, status: IBV_WC_SUCCESS })
}
