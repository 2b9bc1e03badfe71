//! Requests of connected queue pairs (RC, UC, XRC) and of DC initiators.

use super::atomic::Operation;
use super::endpoint::{End, Endpoint, Nak};
use super::payload::{CopyFault, Payload};
use super::qp::WaitReason;
use super::respond::{Message, Trouble, acknowledges};
use super::send::{Sent, Step};
use super::wqe::{Reader, Remote, Segment, Wqe, has_remote};
use crate::device::Chip;
use crate::device::command::service;
use crate::device::host::Host;
use prm::Qpc;
use prm::cqe::{self, syndrome};
use prm::wqe::{Av, opcode};

/// A request taken apart.
struct Request {
    op: u8,
    remote: Option<Remote>,
    atomic: Option<Operation>,
    data: Vec<Segment>,
}

impl Request {
    fn read(w: &Wqe, mut r: Reader) -> Result<Request, Step> {
        let op = w.opcode();
        let remote = if has_remote(op) { Some(r.remote()?) } else { None };
        let is_atomic = matches!(
            op,
            opcode::ATOMIC_CS | opcode::ATOMIC_FA | opcode::ATOMIC_MASKED_CS | opcode::ATOMIC_MASKED_FA
        );
        let atomic = if is_atomic { Some(Operation::read(op, w.opmod(), &mut r)?) } else { None };
        Ok(Request { op, remote, atomic, data: r.data()? })
    }

    fn bytes(&self) -> u64 {
        self.data.iter().map(Segment::len).sum()
    }
}

/// Opcodes that a service knows.
fn allowed(st: u32, op: u8) -> bool {
    let sends = matches!(op, opcode::SEND | opcode::SEND_IMM | opcode::SEND_INVAL);
    let writes = matches!(op, opcode::RDMA_WRITE | opcode::RDMA_WRITE_IMM);
    let fetches = matches!(
        op,
        opcode::RDMA_READ
            | opcode::ATOMIC_CS
            | opcode::ATOMIC_FA
            | opcode::ATOMIC_MASKED_CS
            | opcode::ATOMIC_MASKED_FA
    );
    sends || writes || fetches && acknowledges(st)
}

impl Chip {
    /// A request of a connected queue pair.
    pub(super) fn connected(&mut self, h: &dyn Host, n: u32, w: &Wqe) -> Step {
        let Some(qp) = self.dp.qps.get(&n) else { return Step::Fail(syndrome::LOCAL_QP_OP_ERR) };
        let st = qp.service();
        let dest = qp.get(Qpc::REMOTE_QPN);
        if !allowed(st, w.opcode()) {
            return Step::Fail(syndrome::LOCAL_QP_OP_ERR);
        }
        let mut r = Reader::new(w);
        let xrc = match st {
            service::XRC => match r.xrc() {
                Ok(srqn) => Some(srqn),
                Err(e) => return e.into(),
            },
            _ => None,
        };
        let request = match Request::read(w, r) {
            Ok(request) => request,
            Err(step) => return step,
        };
        let payload = match self.outgoing(n, &request) {
            Ok(payload) => payload,
            Err(step) => return step,
        };
        // the peer must know us, and be ready to receive
        let peer = self.dp.qps.get(&dest);
        let peer = peer.filter(|p| p.receives() && p.service() == st && p.get(Qpc::REMOTE_QPN) == n);
        let end = match peer {
            Some(p) => self.end_of_qp(dest, p, xrc),
            None if st == service::UC => return Step::done(payload.len()),
            None => return Step::Wait(WaitReason::Peer),
        };
        let end = match end {
            Ok(end) => end,
            Err(nak) => return self.answered(n, &request, Err(nak.into()), payload.len()),
        };
        self.reached(h, dest);
        self.carry_out(h, n, w, &request, payload, end)
    }

    /// A request of a DC initiator: each one names its target.
    pub(super) fn initiate_dc(&mut self, h: &dyn Host, n: u32, w: &Wqe) -> Step {
        let Some(qp) = self.dp.qps.get(&n) else { return Step::Fail(syndrome::LOCAL_QP_OP_ERR) };
        if qp.failed_streams.contains(&w.stream()) {
            return Step::Fail(syndrome::WR_FLUSH_ERR);
        }
        if !allowed(service::DCI, w.opcode()) {
            return Step::Fail(syndrome::LOCAL_QP_OP_ERR);
        }
        let mut r = Reader::new(w);
        let (target, key) = match r.address() {
            Ok(av) => (Av::DQP_DCT.get32(av) & 0xff_ffff, Av::DC_KEY.get(av)),
            Err(e) => return e.into(),
        };
        let request = match Request::read(w, r) {
            Ok(request) => request,
            Err(step) => return step,
        };
        let payload = match self.outgoing(n, &request) {
            Ok(payload) => payload,
            Err(step) => return step,
        };
        match self.end_of_dct(h, target, key) {
            Some(end) => self.carry_out(h, n, w, &request, payload, end),
            None => Step::Wait(WaitReason::Peer),
        }
    }

    /// The bytes that a request sends; for reads and atomics, nothing, and room is checked.
    fn outgoing(&self, n: u32, request: &Request) -> Result<Payload, Step> {
        let Some(qp) = self.dp.qps.get(&n) else { return Err(Step::Fail(syndrome::LOCAL_QP_OP_ERR)) };
        if request.bytes() > qp.longest() {
            return Err(Step::Fail(syndrome::LOCAL_LENGTH_ERR));
        }
        if request.op == opcode::RDMA_READ || request.atomic.is_some() {
            return Ok(Payload::new());
        }
        self.gather(&request.data, qp.local(n)).map_err(|_| Step::Fail(syndrome::LOCAL_PROT_ERR))
    }

    /// Do at the other end what a request says.
    fn carry_out(
        &mut self,
        h: &dyn Host,
        n: u32,
        w: &Wqe,
        request: &Request,
        payload: Payload,
        end: Endpoint,
    ) -> Step {
        let bytes = payload.len();
        let to = request.remote.unwrap_or(Remote { addr: 0, key: 0 });
        let message = |opcode: u8, payload| Message {
            opcode,
            imm: w.imm(),
            payload,
            bytes,
            solicited: w.solicited(),
            flags_rqpn: n,
        };
        let done = match request.op {
            opcode::RDMA_WRITE => self.respond_write(h, &end, to, &payload),
            opcode::RDMA_WRITE_IMM if !self.ready_to_receive(h, &end) => Err(Nak::NotReady.into()),
            opcode::RDMA_WRITE_IMM => self
                .respond_write(h, &end, to, &payload)
                .and_then(|()| self.deliver(h, &end, &message(cqe::opcode::RESP_WR_IMM, None))),
            opcode::SEND => {
                let m = Message { imm: 0, ..message(cqe::opcode::RESP_SEND, Some(&payload)) };
                self.deliver(h, &end, &m)
            }
            opcode::SEND_IMM => self.deliver(h, &end, &message(cqe::opcode::RESP_SEND_IMM, Some(&payload))),
            opcode::SEND_INVAL => self.deliver(h, &end, &message(cqe::opcode::RESP_SEND_INV, Some(&payload))),
            _ => return self.fetch(h, n, request, to, end),
        };
        let unreliable = end.kind == End::Unreliable;
        match done {
            // nobody acknowledges: the sender does not learn what became of it
            Err(Trouble::Nak(_)) if unreliable => Step::done(bytes),
            _ => self.answered(n, request, done, bytes),
        }
    }

    /// Read or atomic: fetch from the other end, then put it into local memory.
    fn fetch(&mut self, h: &dyn Host, n: u32, request: &Request, from: Remote, end: Endpoint) -> Step {
        let bytes = match &request.atomic {
            Some(op) => op.size(),
            None => request.bytes(),
        };
        let Some(qp) = self.dp.qps.get(&n) else { return Step::Fail(syndrome::LOCAL_QP_OP_ERR) };
        let own = qp.local(n);
        let room = self.inline_room(qp.get(Qpc::CS_REQ), qp.get(Qpc::CQN_SND));
        if request.bytes() < bytes {
            return Step::Fail(syndrome::LOCAL_LENGTH_ERR);
        }
        // local memory is checked before anything happens over there
        let Ok(to) = self.scatter(&request.data, bytes, own) else {
            return Step::Fail(syndrome::LOCAL_PROT_ERR);
        };
        let got = match &request.atomic {
            Some(op) => self.respond_atomic(h, &end, from, op),
            None => self.respond_read(h, &end, from, bytes),
        };
        let got = match got {
            Ok(got) => got,
            Err(trouble) => return self.answered(n, request, Err(trouble), bytes),
        };
        if bytes > 0 && bytes <= room {
            return match self.bytes(h, &got) {
                Ok(data) => Step::Done(Sent { bytes, inline: Some(data) }),
                Err(_) => Step::Fail(syndrome::REMOTE_OP_ERR),
            };
        }
        match self.copy(h, &got, &to) {
            Ok(()) => Step::done(bytes),
            Err(CopyFault::Destination) => Step::Fail(syndrome::LOCAL_PROT_ERR),
            Err(CopyFault::Source) => {
                let nak = self.refuse_request(h, &end, Nak::Access);
                self.answered(n, request, Err(nak.into()), bytes)
            }
        }
    }

    /// What an answer means for the request.
    fn answered(&mut self, n: u32, request: &Request, done: Result<(), Trouble>, bytes: u64) -> Step {
        match done {
            Ok(()) => Step::done(bytes),
            Err(Trouble::Local) => Step::Fail(syndrome::LOCAL_PROT_ERR),
            Err(Trouble::Nak(Nak::NotReady)) => Step::Wait(WaitReason::Receive),
            Err(Trouble::Nak(nak)) => {
                let op = request.op;
                self.log(|| format!("queue pair {n:#x}: opcode {op:#x} refused by the other end: {nak:?}"));
                Step::Fail(match nak {
                    Nak::Access => syndrome::REMOTE_ACCESS_ERR,
                    Nak::Invalid => syndrome::REMOTE_INVAL_REQ_ERR,
                    Nak::Operation | Nak::NotReady => syndrome::REMOTE_OP_ERR,
                })
            }
        }
    }
}
