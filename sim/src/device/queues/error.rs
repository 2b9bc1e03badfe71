//! What goes wrong with queues: error states, flushing, asynchronous events.

use super::cq::Completion;
use super::recv_queue::Broken;
use super::send_queue::Ahead;
use super::wqe::Wqe;
use crate::device::Chip;
use crate::device::command::{service, state};
use crate::device::host::Host;
use prm::cqe::{self, ErrCqe, syndrome};
use prm::{Qpc, event};

/// Queue types in the data of events: queue pair, receive queue, send queue, DC target.
pub(super) const EVENT_QP: u8 = 0;
pub(super) const EVENT_RQ: u8 = 1;
pub(super) const EVENT_SQ: u8 = 2;
pub(super) const EVENT_DCT: u8 = 6;

/// User index of queues whose completions name the queue itself.
const NO_USER_INDEX: u32 = 0xff_ffff;

/// Vendor syndromes, as cards report them beside the PRM's.
fn vendor(s: u8) -> u8 {
    match s {
        syndrome::LOCAL_LENGTH_ERR => 0x69,
        syndrome::LOCAL_QP_OP_ERR => 0x68,
        syndrome::LOCAL_PROT_ERR => 0x51,
        syndrome::WR_FLUSH_ERR => 0xf9,
        syndrome::MW_BIND_ERR => 0x78,
        syndrome::REMOTE_INVAL_REQ_ERR => 0x8a,
        syndrome::REMOTE_ACCESS_ERR => 0x88,
        syndrome::REMOTE_OP_ERR => 0x89,
        syndrome::TRANSPORT_RETRY_EXC_ERR => 0x81,
        syndrome::RNR_RETRY_EXC_ERR => 0x87,
        _ => 0,
    }
}

/// What a completion's resource field holds: the user index, or for queues without one the
/// number of the shared queue.
pub(super) fn resource(uidx: u32, srqn: u32) -> u32 {
    if uidx == NO_USER_INDEX { srqn } else { uidx }
}

/// A completion with error.
pub(super) fn error_completion(opcode: u8, s: u8, resource: u32, op_qpn: u32, counter: u16) -> Completion {
    let mut c = Completion::new(opcode);
    let e = &mut c.record;
    ErrCqe::SRQN.set(e, resource as u64);
    ErrCqe::VENDOR_ERR_SYND.set(e, vendor(s) as u64);
    ErrCqe::SYNDROME.set(e, s as u64);
    ErrCqe::S_WQE_OPCODE_QPN.set(e, op_qpn as u64);
    ErrCqe::WQE_COUNTER.set(e, counter as u64);
    c
}

impl Chip {
    /// Raise an event that names a queue.
    pub(super) fn affiliated(&mut self, h: &dyn Host, event_type: u8, queue_type: u8, number: u32) {
        let mut data = [0; 28];
        data[20] = queue_type;
        data[24..].copy_from_slice(&number.to_be_bytes());
        self.raise(h, event_type, 0, &data);
    }

    /// A queue pair cannot go on and no completion can tell: event, error state.
    pub(super) fn catastrophe(&mut self, h: &dyn Host, qpn: u32) {
        self.log(|| format!("queue pair {qpn:#x} failed: its queue or doorbell record is unusable"));
        if self.set_error(qpn) {
            self.affiliated(h, event::WQ_CATAS_ERROR, EVENT_QP, qpn);
            self.flush_recv(h, qpn);
        }
    }

    /// Set the error state; false if it was set already.
    fn set_error(&mut self, qpn: u32) -> bool {
        let Some(qp) = self.dp.qps.get_mut(&qpn) else { return false };
        let fresh = qp.state != state::ERR || Qpc::STATE.get(&qp.ctx) != state::ERR as u64;
        qp.state = state::ERR;
        qp.wait = None;
        Qpc::STATE.set(&mut qp.ctx, state::ERR as u64);
        fresh
    }

    /// To the error state: all that is posted is flushed, now and from here on.
    pub(super) fn enter_error(&mut self, h: &dyn Host, qpn: u32) {
        self.set_error(qpn);
        self.flush_send(h, qpn);
        self.flush_recv(h, qpn);
        let Some(qp) = self.dp.qps.get(&qpn) else { return };
        if qp.srq.is_some() && qp.service() != service::XRC {
            self.affiliated(h, event::SRQ_LAST_WQE, EVENT_QP, qpn);
        } else {
            self.dp.erring.insert(qpn);
        }
    }

    /// A send request failed. Connected queue pairs stop altogether, datagram ones and
    /// unreliable ones on the send side only.
    pub(super) fn fail_send(&mut self, h: &dyn Host, qpn: u32, w: &Wqe, s: u8) {
        let opcode = w.opcode();
        self.log(|| format!("queue pair {qpn:#x}: request {:#x} opcode {opcode:#x} failed: {s:#x}", w.index));
        self.complete_send_error(h, qpn, w, s);
        let Some(qp) = self.dp.qps.get_mut(&qpn) else { return };
        qp.sq.ci = w.index.wrapping_add(w.blocks());
        if qp.state != state::RTS {
            return;
        }
        if qp.fail_stream(w.stream()) {
            return;
        }
        if matches!(qp.service(), service::UD | service::UC | service::QP0 | service::QP1) {
            qp.state = state::SQER;
            qp.wait = None;
            Qpc::STATE.set(&mut qp.ctx, state::SQER as u64);
            self.flush_send(h, qpn);
        } else {
            self.enter_error(h, qpn);
        }
    }

    pub(super) fn complete_send_error(&mut self, h: &dyn Host, qpn: u32, w: &Wqe, s: u8) {
        let Some(qp) = self.dp.qps.get(&qpn) else { return };
        let cqn = qp.get(Qpc::CQN_SND);
        let uidx = resource(qp.get(Qpc::USER_INDEX), 0);
        let op_qpn = (w.opcode() as u32) << 24 | qpn;
        let c = error_completion(cqe::opcode::REQ_ERR, s, uidx, op_qpn, w.index);
        if self.complete(h, cqn, c).is_err() {
            self.catastrophe(h, qpn);
        }
    }

    /// Complete everything posted to the send queue as flushed.
    pub(super) fn flush_send(&mut self, h: &dyn Host, qpn: u32) {
        let mut ahead = Ahead::default();
        while let Some(qp) = self.dp.qps.get(&qpn) {
            if !matches!(qp.state, state::ERR | state::SQER) || !qp.sq.has_work() {
                return;
            }
            let Ok(w) = qp.sq.next(h, &mut ahead) else { return self.catastrophe(h, qpn) };
            if let Some(qp) = self.dp.qps.get_mut(&qpn) {
                // never beyond what was posted, whatever the request claims
                let left = qp.sq.posted.wrapping_sub(qp.sq.ci);
                qp.sq.ci = qp.sq.ci.wrapping_add(w.blocks().min(left));
            }
            self.complete_send_error(h, qpn, &w, syndrome::WR_FLUSH_ERR);
        }
    }

    /// Complete everything posted to the receive queue of a queue pair as flushed. Entries of
    /// shared queues stay where they are.
    pub(super) fn flush_recv(&mut self, h: &dyn Host, qpn: u32) {
        loop {
            let Some(qp) = self.dp.qps.get_mut(&qpn) else { return };
            if qp.state != state::ERR || qp.srq.is_some() {
                return;
            }
            match qp.rq.take(h) {
                Ok(None) => return,
                Ok(Some(taken)) => {
                    let (cqn, uidx) = (qp.get(Qpc::CQN_RCV), resource(qp.get(Qpc::USER_INDEX), 0));
                    let s = syndrome::WR_FLUSH_ERR;
                    let c = error_completion(cqe::opcode::RESP_ERR, s, uidx, qpn, taken.counter);
                    if self.complete(h, cqn, c).is_err() {
                        return;
                    }
                }
                Err(Broken) => {
                    qp.rq.ci = qp.rq.pi;
                    return;
                }
            }
        }
    }

    /// Queue pairs in error get new receive entries flushed too; nothing rings for those.
    pub(super) fn flush_erring(&mut self, h: &dyn Host) {
        for qpn in self.dp.erring.clone() {
            match self.dp.qps.get(&qpn) {
                Some(qp) if qp.state == state::ERR => self.flush_recv(h, qpn),
                _ => {
                    self.dp.erring.remove(&qpn);
                }
            }
        }
    }
}
