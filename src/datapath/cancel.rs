//! `mlx5dv_qp_cancel_posted_send_wrs` (`spec`: datapath, section 12): posted requests become NOPs
//! before the device has looked at them.

use super::{
    cqe::{REQ, req},
    qp::Qp,
    queue::SendQueue,
    segment::put32,
};
use crate::{
    devx::{Mailboxes, object},
    error::Result,
};
use core::ffi::c_int;
use prm::{
    Qpc, QueryQpIn, QueryQpOut, opcode,
    wqe::{Ctrl, opcode as wqe_opcode},
};

/// State of a drained or draining send queue, as QUERY_QP numbers it.
const STATE_SQD: u64 = 5;

/// Makes NOPs of all posted requests with this wr_id that the device has not started. Answers how
/// many. EINVAL unless the send queue is drained, and for a request that cannot be cancelled.
pub fn posted_sends(qp: &Qp, wr_id: u64) -> Result<c_int> {
    let sq = &qp.sq;
    if sq.wqe_cnt == 0 {
        return Err(refuse!(EINVAL, "QP without a send queue"));
    }
    sq.lock.with(|| {
        let (mut c, mut out) = ([0u8; QueryQpIn::SIZE], [0u8; QueryQpOut::SIZE]);
        QueryQpIn::OPCODE.set(&mut c, u64::from(opcode::QUERY_QP));
        QueryQpIn::QPN.set(&mut c, u64::from(qp.qp_num.get()));
        // SAFETY: the public part of a live QP.
        let handle = unsafe { (*qp.ibv()).handle };
        object::query(qp.context(), handle, Mailboxes::new(&c, &mut out))?;
        let state = Qpc::STATE.within(QueryQpOut::QPC).get(&out);
        if state != STATE_SQD {
            return Err(refuse!(EINVAL, "send queue is not drained", state = state));
        }
        let started = Qpc::HW_SQ_WQEBB_COUNTER.within(QueryQpOut::QPC).get(&out) as u32;
        // SAFETY: the lock is held, and the device is not reading.
        unsafe { cancel(sq, started, wr_id) }
    })
}

/// # Safety
/// The caller holds the queue's lock; the device has started the blocks before `started`, and waits.
unsafe fn cancel(sq: &SendQueue, started: u32, wr_id: u64) -> Result<c_int> {
    let cur_post = sq.cur_post.get();
    // The device's counter has 16 bits.
    let mut left = cur_post.wrapping_sub(started) & 0xffff;
    let mut at = cur_post.wrapping_sub(left);
    let mut count = 0;
    while left != 0 && left <= sq.wqe_cnt {
        let index = at & sq.mask;
        let ctrl = sq.wqe(index);
        // SAFETY: blocks and slots of the ring, in use by requests that wait.
        let blocks = unsafe {
            let word = |f: prm::Field| u32::from_be(ctrl.add(f.byte()).cast::<u32>().read());
            let slot = &mut *sq.slots.at(index);
            if slot.wr_id == wr_id {
                let first = word(Ctrl::OPMOD_IDX_OPCODE);
                match REQ[(first & 0xff) as usize] {
                    req::UNKNOWN => {
                        return Err(refuse!(EINVAL, "request cannot be cancelled", opcode = first & 0xff));
                    }
                    kind if kind & req::NOTED != 0 => {}
                    // A raw WQE stays one.
                    _ if slot.wr_data != 0 => {}
                    kind => slot.wr_data = u32::from(kind & 0xf),
                }
                put32(ctrl, Ctrl::OPMOD_IDX_OPCODE, first & 0x00ff_ff00 | u32::from(wqe_opcode::NOP));
                count += 1;
            }
            (word(Ctrl::QPN_DS) & 0x3f).div_ceil(4).max(1)
        };
        left = left.saturating_sub(blocks);
        at = at.wrapping_add(blocks);
    }
    Ok(count)
}
