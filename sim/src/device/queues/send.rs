//! Execution of send queues of queue pairs: the walk, waiting, completion.

use super::cq::{Completion, RECORD};
use super::qp::{Qp, Wait, WaitReason};
use super::send_queue::Ahead;
use super::wqe::{Malformed, Wqe};
use crate::device::Chip;
use crate::device::command::{service, state};
use crate::device::host::Host;
use prm::cqe::{self, Cqe64, format, syndrome};
use prm::wqe::opcode;
use prm::{Ads, Qpc};

/// Requests that one queue executes before the next one has its turn.
pub(super) const BUDGET: u32 = 64;

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Done, with what its completion says.
    Done(Sent),
    /// To be tried again.
    Wait(WaitReason),
    /// Failed with a syndrome.
    Fail(u8),
}

/// What the completion of a request says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sent {
    /// Bytes moved.
    pub bytes: u64,
    /// Response data that goes into the completion instead of memory.
    pub inline: Option<Vec<u8>>,
}

impl Step {
    /// Done after moving some bytes.
    pub fn done(bytes: u64) -> Step {
        Step::Done(Sent { bytes, inline: None })
    }
}

impl From<Malformed> for Step {
    fn from(_: Malformed) -> Step {
        Step::Fail(syndrome::LOCAL_QP_OP_ERR)
    }
}

/// Time between attempts to reach a receiver that is not ready, by code (`min_rnr_nak`), in
/// units of 10 microseconds, as the InfiniBand architecture numbers them.
const RNR_TIMER: [u64; 32] = [
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
    3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
];
/// A software device and its clients are slower than a wire: an attempt lasts at least this
/// long, in nanoseconds.
const LEAST_ATTEMPT: u64 = 50_000_000;
/// Retry counts that mean "for ever" (RNR).
const FOR_EVER: u64 = 7;

impl Chip {
    /// Let a queue execute, within its budget.
    pub(super) fn run_queue(&mut self, h: &dyn Host, n: u32) {
        if self.dp.sqs.contains_key(&n) {
            return self.run_sq(h, n);
        }
        let mut ahead = Ahead::default();
        for _ in 0..BUDGET {
            let Some(qp) = self.dp.qps.get(&n) else { return };
            match qp.state {
                state::RTS => {}
                state::ERR | state::SQER => return self.flush_send(h, n),
                _ => return,
            }
            if !qp.sq.has_work() {
                return;
            }
            let Ok(w) = qp.sq.next(h, &mut ahead) else { return self.catastrophe(h, n) };
            let fits = w.blocks() <= qp.sq.posted.wrapping_sub(qp.sq.ci);
            let step = match w.belongs(n) && fits {
                true => self.execute_send(h, n, &w),
                false => Step::Fail(syndrome::LOCAL_QP_OP_ERR),
            };
            if !self.finish(h, n, &w, step) {
                return;
            }
        }
        self.dp.pending.insert(n);
    }

    /// Do what a step's outcome asks for. False if the queue must wait.
    fn finish(&mut self, h: &dyn Host, n: u32, w: &Wqe, step: Step) -> bool {
        let now = self.clock();
        let Some(qp) = self.dp.qps.get_mut(&n) else { return false };
        if qp.sq.ci != w.index {
            // flushed meanwhile: the queue pair talks to itself and failed as a receiver
            return true;
        }
        match step {
            Step::Done(sent) => {
                qp.sq.ci = w.index.wrapping_add(w.blocks());
                qp.wait = None;
                if w.signaled() {
                    self.complete_send(h, n, w, &sent);
                }
            }
            Step::Fail(s) => self.fail_send(h, n, w, s),
            Step::Wait(reason) => {
                let wait = match qp.wait {
                    Some(wait) if wait.reason == reason => wait,
                    _ => Wait { reason, since: now },
                };
                qp.wait = Some(wait);
                let s = match reason {
                    WaitReason::Receive => syndrome::RNR_RETRY_EXC_ERR,
                    WaitReason::Peer => syndrome::TRANSPORT_RETRY_EXC_ERR,
                };
                match self.patience(n, reason) {
                    Some(limit) if now - wait.since >= limit => self.fail_send(h, n, w, s),
                    _ => {
                        self.dp.waiting.insert(n);
                        return false;
                    }
                }
            }
        }
        true
    }

    /// How long a queue pair tries, in nanoseconds; `None` is for ever.
    fn patience(&self, n: u32, reason: WaitReason) -> Option<u64> {
        let qp = self.dp.qps.get(&n)?;
        match reason {
            WaitReason::Receive => {
                let retries = qp.get(Qpc::RNR_RETRY) as u64;
                let peer = self.dp.qps.get(&qp.get(Qpc::REMOTE_QPN)).unwrap_or(qp);
                let code = peer.get(Qpc::MIN_RNR_NAK) as usize;
                let timer = RNR_TIMER.get(code).copied().unwrap_or(0) * 10_000;
                (retries != FOR_EVER).then(|| retries * timer.max(LEAST_ATTEMPT))
            }
            WaitReason::Peer => {
                let code = qp.get(Ads::ACK_TIMEOUT.within(Qpc::PRIMARY_ADDRESS_PATH));
                let attempts = qp.get(Qpc::RETRY_COUNT) as u64 + 1;
                (code != 0).then(|| attempts * (4096u64 << code).max(LEAST_ATTEMPT))
            }
        }
    }

    pub(super) fn complete_send(&mut self, h: &dyn Host, n: u32, w: &Wqe, sent: &Sent) {
        let Some(qp) = self.dp.qps.get(&n) else { return };
        let cqn = qp.get(Qpc::CQN_SND);
        let mut c = Completion::new(cqe::opcode::REQ);
        let e = &mut c.record;
        Cqe64::SRQN_UIDX.set(e, super::error::resource(qp.get(Qpc::USER_INDEX), 0) as u64);
        Cqe64::SOP_DROP_QPN.set(e, (w.opcode() as u64) << 24 | n as u64);
        Cqe64::WQE_COUNTER.set(e, w.index as u64);
        Cqe64::BYTE_CNT.set(e, sent.bytes);
        if let Some(data) = &sent.inline {
            inline(&mut c, data);
        }
        if self.complete(h, cqn, c).is_err() {
            self.catastrophe(h, n);
        }
    }

    /// How many bytes of data a completion may carry: by the code in the queue pair's context
    /// and by what the completion queue's entries have room for.
    pub(super) fn inline_room(&self, code: u32, cqn: u32) -> u64 {
        let wanted = match code {
            0x1 | 0x11 => 32,
            0x2 | 0x22 => 64,
            _ => 0,
        };
        self.dp.cqs.get(&cqn).map_or(0, |cq| cq.inline_limit().min(wanted))
    }

    /// Execute one request.
    fn execute_send(&mut self, h: &dyn Host, n: u32, w: &Wqe) -> Step {
        let Some(qp) = self.dp.qps.get(&n) else { return Step::Fail(syndrome::LOCAL_QP_OP_ERR) };
        let kind = qp.service();
        match (w.opcode(), kind) {
            (opcode::NOP, _) => Step::done(0),
            (opcode::UMR, _) => self.umr(h, super::umr::Updater::of_qp(n, qp), w),
            (opcode::SET_PSV, _) => self.set_psv(n, w),
            (opcode::TAG_MATCHING, service::RC) => self.tag_operation(h, n, w),
            (opcode::MMO, service::RC | service::DCI) => self.mmo(h, n, w),
            (_, service::RC | service::UC | service::XRC) => self.connected(h, n, w),
            (_, service::DCI) => self.initiate_dc(h, n, w),
            (_, service::UD | service::QP0 | service::QP1) => self.datagram(h, n, w),
            _ => Step::Fail(syndrome::LOCAL_QP_OP_ERR),
        }
    }
}

/// Put data into a completion: up to 32 bytes at its start, up to 64 in front of it.
pub(super) fn inline(c: &mut Completion, data: &[u8]) {
    let small = data.len() <= 32;
    if small {
        if let Some(to) = c.record.get_mut(..data.len()) {
            to.copy_from_slice(data);
        }
    } else {
        let mut front = [0; RECORD];
        let n = data.len().min(RECORD);
        front[..n].copy_from_slice(&data[..n]);
        c.front = Some(front);
    }
    let kind = if small { format::INLINE_32 } else { format::INLINE_64 };
    let op_own = Cqe64::OP_OWN.get(&c.record) | (kind as u64) << 2;
    Cqe64::OP_OWN.set(&mut c.record, op_own);
}

impl Qp {
    /// This queue pair's own access to memory, for local reads.
    pub(super) fn local(&self, n: u32) -> super::key::Access {
        super::key::Access {
            right: super::key::Right::LocalRead,
            pd: self.get(Qpc::PD),
            qpn: n,
            reserved_key: self.get(Qpc::RLKY) != 0,
            any_pd: self.service() == service::REG_UMR,
        }
    }
}
