//! What a receiving end does: take messages in, let others read and write its memory.

use super::atomic::Operation;
use super::cq::Completion;
use super::endpoint::{End, Endpoint, Nak, Source};
use super::error::error_completion;
use super::key::Right;
use super::payload::{CopyFault, Payload};
use super::recv_queue::{Broken, Taken};
use super::wqe::Remote;
use crate::device::command::service;
use crate::device::host::Host;
use crate::device::objects::kind;
use crate::device::{Chip, PortType};
use prm::cqe::{self, Cqe64, syndrome};
use prm::{Mkc, Qpc, event};

/// A message for a receive entry.
pub(super) struct Message<'a> {
    /// Opcode of its completion.
    pub opcode: u8,
    /// Immediate data, key to invalidate, or partition key.
    pub imm: u32,
    /// Its bytes; `None` if they are elsewhere already (write with immediate).
    pub payload: Option<&'a Payload>,
    pub bytes: u64,
    pub solicited: bool,
    /// Queue pair that sent it, and flags of the network header.
    pub flags_rqpn: u32,
}

/// Why a request was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The other end says no.
    Nak(Nak),
    /// The sender's own memory failed.
    Local,
}

impl From<Nak> for Trouble {
    fn from(nak: Nak) -> Trouble {
        Trouble::Nak(nak)
    }
}

impl Chip {
    /// Whether a receive entry is there for an end.
    pub(super) fn ready_to_receive(&mut self, h: &dyn Host, end: &Endpoint) -> bool {
        match end.source {
            Source::Own(n) => self.dp.qps.get_mut(&n).is_some_and(|qp| qp.rq.ready(h)),
            Source::Shared(key) => self.dp.srqs.get_mut(&key).is_some_and(|s| !s.failed && s.rq.ready(h)),
            Source::None => false,
        }
    }

    /// Take the next receive entry of an end.
    pub(super) fn take_entry(&mut self, h: &dyn Host, end: &Endpoint) -> Result<Option<Taken>, Nak> {
        match end.source {
            Source::Own(n) => {
                let Some(qp) = self.dp.qps.get_mut(&n) else { return Ok(None) };
                qp.rq.take(h).map_err(|Broken| {
                    self.catastrophe(h, n);
                    Nak::Operation
                })
            }
            Source::Shared(key) => {
                let Some(srq) = self.dp.srqs.get_mut(&key).filter(|s| !s.failed) else {
                    return Err(Nak::Operation);
                };
                match srq.rq.take(h) {
                    Ok(taken) => {
                        if taken.is_some() {
                            self.check_limit(h, key);
                        }
                        Ok(taken)
                    }
                    Err(Broken) => {
                        srq.failed = true;
                        self.affiliated(h, event::SRQ_CATAS_ERROR, super::error::EVENT_QP, key.1);
                        Err(Nak::Operation)
                    }
                }
            }
            Source::None => Ok(None),
        }
    }

    /// Give a message to an end.
    pub(super) fn deliver(&mut self, h: &dyn Host, end: &Endpoint, m: &Message) -> Result<(), Trouble> {
        if let Source::Shared(key) = end.source
            && key.0 == kind::XRQ
            && m.payload.is_some()
        {
            return self.deliver_tagged(h, end, key, m);
        }
        if !self.ready_to_receive(h, end) {
            return Err(Nak::NotReady.into());
        }
        if m.opcode == cqe::opcode::RESP_SEND_INV && !self.invalidate(end, m.imm) {
            return Err(self.refuse_request(h, end, Nak::Access).into());
        }
        let Some(taken) = self.take_entry(h, end)? else { return Err(Nak::NotReady.into()) };
        let mut c = receive_completion(self, end, m, taken.counter);
        if let Some(payload) = m.payload {
            let room: u64 = taken.list.iter().map(super::wqe::Segment::len).sum();
            let placed = if m.bytes > room {
                Err((syndrome::LOCAL_LENGTH_ERR, Nak::Invalid.into()))
            } else if m.bytes > 0 && m.bytes <= self.inline_room(end.inline, end.cqn) {
                match self.bytes(h, payload) {
                    Ok(data) => {
                        super::send::inline(&mut c, &data);
                        Ok(())
                    }
                    Err(_) => Err((syndrome::REMOTE_OP_ERR, Trouble::Local)),
                }
            } else {
                self.place(h, end, &taken, payload)
            };
            if let Err((s, trouble)) = placed {
                self.fail_receive(h, end, taken.counter, s);
                return Err(trouble);
            }
        }
        self.complete_receive(h, end, c)
    }

    /// Put a payload where a receive entry says.
    pub(super) fn place(
        &mut self,
        h: &dyn Host,
        end: &Endpoint,
        taken: &Taken,
        payload: &Payload,
    ) -> Result<(), (u8, Trouble)> {
        let refused = (syndrome::LOCAL_PROT_ERR, Nak::Operation.into());
        let to = self.scatter(&taken.list, payload.len(), end.local()).map_err(|_| refused)?;
        self.copy(h, payload, &to).map_err(|fault| match fault {
            CopyFault::Destination => refused,
            CopyFault::Source => (syndrome::REMOTE_OP_ERR, Trouble::Local),
        })
    }

    pub(super) fn complete_receive(
        &mut self,
        h: &dyn Host,
        end: &Endpoint,
        c: Completion,
    ) -> Result<(), Trouble> {
        if self.complete(h, end.cqn, c).is_err() {
            if end.kind != End::DcTarget {
                self.catastrophe(h, end.number);
            }
            return Err(Nak::Operation.into());
        }
        Ok(())
    }

    /// A receive entry failed: it completes with error, and the end stops.
    pub(super) fn fail_receive(&mut self, h: &dyn Host, end: &Endpoint, counter: u16, s: u8) {
        let number = end.number;
        self.log(|| format!("queue {number:#x}: receive entry {counter:#x} failed: {s:#x}"));
        let c = error_completion(cqe::opcode::RESP_ERR, s, end.resource, end.number, counter);
        let told = self.complete(h, end.cqn, c).is_ok();
        if end.kind == End::DcTarget {
            return;
        }
        match told {
            true => self.enter_error(h, end.number),
            false => self.catastrophe(h, end.number),
        }
    }

    /// Make a key invalid that a peer names.
    fn invalidate(&mut self, end: &Endpoint, key: u32) -> bool {
        let Some(k) = self.dp.mkeys.get_mut(&(key >> 8)) else { return false };
        let qpn = Mkc::QPN.get(&k.mkc);
        let ours = qpn == super::key::ANY_QP || qpn == end.number as u64;
        let same = Mkc::MKEY_7_0.get(&k.mkc) == key as u64 & 0xff;
        let good = !k.free() && same && ours && Mkc::PD.get32(&k.mkc) == end.remote_pd && k.can_change();
        if good {
            Mkc::FREE.set(&mut k.mkc, 1);
        }
        good
    }

    /// RDMA write into an end's memory.
    pub(super) fn respond_write(
        &mut self,
        h: &dyn Host,
        end: &Endpoint,
        to: Remote,
        from: &Payload,
    ) -> Result<(), Trouble> {
        if !end.rights.write {
            return Err(self.refuse_request(h, end, Nak::Access).into());
        }
        let pieces = self.translate(to.key, to.addr, from.len(), end.remote(Right::RemoteWrite));
        let Ok(pieces) = pieces else { return Err(self.refuse_request(h, end, Nak::Access).into()) };
        match self.copy(h, from, &pieces) {
            Ok(()) => Ok(()),
            Err(CopyFault::Source) => Err(Trouble::Local),
            Err(CopyFault::Destination) => Err(self.refuse_request(h, end, Nak::Access).into()),
        }
    }

    /// The bytes that an RDMA read of an end's memory brings.
    pub(super) fn respond_read(
        &mut self,
        h: &dyn Host,
        end: &Endpoint,
        from: Remote,
        len: u64,
    ) -> Result<Payload, Trouble> {
        if !end.rights.read {
            return Err(self.refuse_request(h, end, Nak::Invalid).into());
        }
        match self.translate(from.key, from.addr, len, end.remote(Right::RemoteRead)) {
            Ok(pieces) => {
                let mut payload = Payload::new();
                payload.pieces = pieces;
                Ok(payload)
            }
            Err(_) => Err(self.refuse_request(h, end, Nak::Access).into()),
        }
    }

    /// An atomic on an end's memory; the bytes that were there before.
    pub(super) fn respond_atomic(
        &mut self,
        h: &dyn Host,
        end: &Endpoint,
        at: Remote,
        op: &Operation,
    ) -> Result<Payload, Trouble> {
        let len = op.size();
        if !end.rights.atomic || !at.addr.is_multiple_of(len) {
            return Err(self.refuse_request(h, end, Nak::Invalid).into());
        }
        let Ok(pieces) = self.translate(at.key, at.addr, len, end.remote(Right::Atomic)) else {
            return Err(self.refuse_request(h, end, Nak::Access).into());
        };
        let mut memory = Payload::new();
        memory.pieces.clone_from(&pieces);
        let Ok(old) = self.bytes(h, &memory) else {
            return Err(self.refuse_request(h, end, Nak::Access).into());
        };
        let (mut new, mut before) = (Payload::new(), Payload::new());
        new.push_bytes(&op.apply(&old));
        before.push_bytes(&old);
        match self.copy(h, &new, &pieces) {
            Ok(()) => Ok(before),
            Err(_) => Err(self.refuse_request(h, end, Nak::Access).into()),
        }
    }
}

/// The completion of a receive entry.
pub(super) fn receive_completion(chip: &Chip, end: &Endpoint, m: &Message, counter: u16) -> Completion {
    let mut c = Completion::new(m.opcode);
    c.solicited = m.solicited;
    let e = &mut c.record;
    // with one switchless subnet every sender is the port itself
    let lid = u64::from(chip.config().port_type == PortType::InfiniBand);
    Cqe64::SLID.set(e, lid);
    Cqe64::FLAGS_RQPN.set(e, m.flags_rqpn as u64);
    Cqe64::SRQN_UIDX.set(e, end.resource as u64);
    Cqe64::IMM_INVAL_PKEY.set(e, m.imm as u64);
    Cqe64::BYTE_CNT.set(e, m.bytes);
    Cqe64::SOP_DROP_QPN.set(e, end.number as u64);
    Cqe64::WQE_COUNTER.set(e, counter as u64);
    if m.solicited {
        let op_own = Cqe64::OP_OWN.get(e) | cqe::SOLICITED as u64;
        Cqe64::OP_OWN.set(e, op_own);
    }
    c
}

/// Whether a service acknowledges what it carries.
pub(super) fn acknowledges(st: u32) -> bool {
    matches!(st, service::RC | service::XRC | service::DCI)
}

impl super::qp::Qp {
    /// Longest message that the queue pair sends, in bytes.
    pub(super) fn longest(&self) -> u64 {
        match self.get(Qpc::LOG_MSG_MAX) {
            0 => 1 << 30,
            log => 1u64 << log.min(31),
        }
    }
}
