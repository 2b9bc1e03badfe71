//! Send queues alone: packets, and the driver's internal work.

use super::cq::Completion;
use super::error::{EVENT_SQ, error_completion, resource};
use super::key::{Access, Right};
use super::send::BUDGET;
use super::send_queue::{Ahead, SendQueue};
use super::umr::Updater;
use super::wqe::{Reader, Segment, Wqe};
use crate::device::Chip;
use crate::device::command::queue_state as state;
use crate::device::host::Host;
use crate::device::objects::{SHARED_UID, kind};
use prm::cqe::{self, Cqe64, syndrome};
use prm::wqe::{Eth, OCTOWORD, opcode};
use prm::{CreateSqIn, Field, Sqc, Wq, event};

/// A send queue.
pub(in crate::device) struct Sq {
    pub sq: SendQueue,
    pub state: u8,
    pub cqn: u32,
    pub uidx: u32,
    pub pd: u32,
    pub uar: u32,
    pub reserved_key: bool,
    /// It may change memory keys.
    pub reg_umr: bool,
    /// Requests complete as flushed when the queue goes to error.
    pub flush: bool,
}

/// Longest packet or large send, in bytes.
const LONGEST: u64 = 1 << 18;

impl Chip {
    pub(in crate::device) fn sq_create(&mut self, sqn: u32, input: &[u8]) {
        let get = |f: Field| f.within(CreateSqIn::CTX).get32(input);
        let wq = Sqc::WQ.within(CreateSqIn::CTX);
        let (buf, dbr) = self.work_queue_ring(input, wq);
        let blocks = Wq::LOG_WQ_SZ.within(wq).get32(input);
        let sq = Sq {
            sq: SendQueue { buf, log_size: blocks.min(16), dbr: dbr.wrapping_add(4), ..SendQueue::default() },
            state: get(Sqc::STATE) as u8,
            cqn: get(Sqc::CQN),
            uidx: get(Sqc::USER_INDEX),
            pd: Wq::PD.within(wq).get32(input),
            uar: Wq::UAR_PAGE.within(wq).get32(input),
            reserved_key: get(Sqc::RLKY) != 0,
            reg_umr: get(Sqc::REG_UMR) != 0,
            flush: get(Sqc::FLUSH_IN_ERROR_EN) != 0,
        };
        self.dp.sqs.insert(sqn, sq);
    }

    /// Let a send queue execute, within its budget.
    pub(super) fn run_sq(&mut self, h: &dyn Host, n: u32) {
        let mut ahead = Ahead::default();
        for _ in 0..BUDGET {
            let Some(q) = self.dp.sqs.get(&n) else { return };
            match q.state as u64 {
                state::RDY if q.sq.has_work() => {}
                state::ERR => return self.flush_sq(h, n),
                _ => return,
            }
            let Ok(w) = q.sq.next(h, &mut ahead) else { return self.fail_sq(h, n) };
            let fits = w.blocks() <= q.sq.posted.wrapping_sub(q.sq.ci);
            let done =
                if w.belongs(n) && fits { self.execute_sq(h, n, &w) } else { Err(syndrome::LOCAL_QP_OP_ERR) };
            let Some(q) = self.dp.sqs.get_mut(&n) else { return };
            let left = q.sq.posted.wrapping_sub(q.sq.ci);
            q.sq.ci = q.sq.ci.wrapping_add(w.blocks().min(left));
            let told = match done {
                Ok(()) if !w.signaled() => true,
                Ok(()) => self.complete_sq(h, n, &w),
                Err(s) => self.complete_sq_error(h, n, &w, s),
            };
            if done.is_err() || !told {
                self.log(|| format!("send queue {n:#x}: request {:#x} failed: {done:?}", w.index));
                return self.fail_sq(h, n);
            }
        }
        self.dp.pending.insert(n);
    }

    fn execute_sq(&mut self, h: &dyn Host, n: u32, w: &Wqe) -> Result<(), u8> {
        let Some(q) = self.dp.sqs.get(&n) else { return Err(syndrome::LOCAL_QP_OP_ERR) };
        let access =
            Access { right: Right::LocalRead, pd: q.pd, qpn: n, reserved_key: q.reserved_key, any_pd: false };
        let driver = self.objs.get(&(kind::SQ, n)).is_some_and(|o| matches!(o.uid, 0 | SHARED_UID));
        match w.opcode() {
            opcode::NOP => Ok(()),
            opcode::UMR if q.reg_umr => match self.umr(h, Updater::of_sq(n, access, driver), w) {
                super::send::Step::Fail(s) => Err(s),
                _ => Ok(()),
            },
            opcode::SEND | opcode::TSO => {
                let packets = self.packets(h, access, w)?;
                // packets of user queues come back in, those of the driver leave for nowhere
                if !driver {
                    packets.iter().for_each(|p| self.packet_out(h, n, p));
                }
                Ok(())
            }
            _ => Err(syndrome::LOCAL_QP_OP_ERR),
        }
    }

    /// The packets of a request: one, or those that a large send is cut into.
    fn packets(&mut self, h: &dyn Host, access: Access, w: &Wqe) -> Result<Vec<Vec<u8>>, u8> {
        let bad = |_| syndrome::LOCAL_QP_OP_ERR;
        let mut r = Reader::new(w);
        let first = r.take(Eth::INLINE_HDR.byte()).map_err(bad)?;
        let header_len = Eth::INLINE_HDR_SZ.get(first) as usize;
        let mss = Eth::MSS.get(first) as usize;
        // two header bytes lie before the next octoword; without a header there is none
        let more = header_len.saturating_sub(2).next_multiple_of(OCTOWORD);
        let rest = r.take(more).map_err(bad)?;
        let start = Eth::INLINE_HDR_START.byte();
        let header: Vec<u8> =
            first.get(start..).unwrap_or(&[]).iter().chain(rest).take(header_len).copied().collect();
        let data = r.data().map_err(bad)?;
        if data.iter().map(Segment::len).sum::<u64>() > LONGEST {
            return Err(syndrome::LOCAL_LENGTH_ERR);
        }
        let payload = self.gather(&data, access).map_err(|_| syndrome::LOCAL_PROT_ERR)?;
        let body = self.bytes(h, &payload).map_err(|_| syndrome::LOCAL_PROT_ERR)?;
        if w.opcode() == opcode::SEND {
            return Ok(vec![[header, body].concat()]);
        }
        if mss == 0 || header.is_empty() {
            return Err(syndrome::LOCAL_QP_OP_ERR);
        }
        Ok(crate::device::steering::segments(&header, &body, mss))
    }

    pub(super) fn complete_sq(&mut self, h: &dyn Host, n: u32, w: &Wqe) -> bool {
        let Some(q) = self.dp.sqs.get(&n) else { return false };
        let cqn = q.cqn;
        let mut c = Completion::new(cqe::opcode::REQ);
        Cqe64::SRQN_UIDX.set(&mut c.record, resource(q.uidx, 0) as u64);
        Cqe64::SOP_DROP_QPN.set(&mut c.record, (w.opcode() as u64) << 24 | n as u64);
        Cqe64::WQE_COUNTER.set(&mut c.record, w.index as u64);
        self.complete(h, cqn, c).is_ok()
    }

    fn complete_sq_error(&mut self, h: &dyn Host, n: u32, w: &Wqe, s: u8) -> bool {
        let Some(q) = self.dp.sqs.get(&n) else { return false };
        let (cqn, uidx) = (q.cqn, resource(q.uidx, 0));
        let op_qpn = (w.opcode() as u32) << 24 | n;
        let c = error_completion(cqe::opcode::REQ_ERR, s, uidx, op_qpn, w.index);
        self.complete(h, cqn, c).is_ok()
    }

    fn fail_sq(&mut self, h: &dyn Host, n: u32) {
        if let Some(o) = self.objs.get_mut(&(kind::SQ, n)) {
            Sqc::STATE.within(CreateSqIn::CTX).set(&mut o.input, state::ERR);
        }
        self.affiliated(h, event::WQ_CATAS_ERROR, EVENT_SQ, n);
        self.sq_moved(h, n, state::ERR as u8);
    }

    /// A send queue's state changed.
    pub(super) fn sq_moved(&mut self, h: &dyn Host, n: u32, to: u8) {
        let Some(q) = self.dp.sqs.get_mut(&n) else { return };
        q.state = to;
        match to as u64 {
            state::RST => {
                q.sq.reset();
                self.dp.forget(n);
            }
            state::RDY => {
                self.dp.pending.insert(n);
            }
            _ => self.flush_sq(h, n),
        }
    }

    fn flush_sq(&mut self, h: &dyn Host, n: u32) {
        let mut ahead = Ahead::default();
        loop {
            let Some(q) = self.dp.sqs.get(&n).filter(|q| q.flush && q.sq.has_work()) else { return };
            let Ok(w) = q.sq.next(h, &mut ahead) else { return };
            if let Some(q) = self.dp.sqs.get_mut(&n) {
                let left = q.sq.posted.wrapping_sub(q.sq.ci);
                q.sq.ci = q.sq.ci.wrapping_add(w.blocks().min(left));
            }
            if !self.complete_sq_error(h, n, &w, syndrome::WR_FLUSH_ERR) {
                return;
            }
        }
    }

    /// A send queue was destroyed.
    pub(in crate::device) fn sq_destroy(&mut self, n: u32) {
        self.dp.sqs.remove(&n);
        self.dp.forget(n);
    }

    /// A send or receive queue was moved to another state by a command.
    pub(in crate::device) fn queue_moved(&mut self, h: &dyn Host, of: u16, n: u32, to: u8) {
        match of {
            kind::SQ => self.sq_moved(h, n, to),
            _ => self.rq_moved(h, n, to),
        }
    }
}
