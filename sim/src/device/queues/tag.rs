//! Tag matching: lists of expected messages, and what arrives for them.

use super::cq::Completion;
use super::endpoint::{Endpoint, Nak};
use super::payload::Payload;
use super::recv_queue::Taken;
use super::respond::{Message, Trouble, receive_completion};
use super::send::Step;
use super::wqe::{Reader, Segment, Wqe};
use crate::device::Chip;
use crate::device::host::Host;
use crate::device::objects::{Key, kind};
use prm::cqe::{self, APP_TAG_MATCHING, Cqe64, TM_SUCCESS_BIT, Tmh, syndrome, tm_op};
use prm::wqe::{Tm, tm_flags};

/// The expected messages of one queue.
#[derive(Default)]
pub(in crate::device) struct Matching {
    /// In the order in which they were appended.
    list: Vec<Expected>,
    /// Unexpected messages so far: software must have seen as many when it appends.
    phase: u16,
}

struct Expected {
    index: u16,
    tag: u64,
    mask: u64,
    data: Vec<Segment>,
}

/// Kinds of messages, first byte of their header.
mod header {
    pub const NO_TAG: u64 = 0;
    pub const RENDEZVOUS: u64 = 1;
    pub const EAGER: u64 = 3;
}

/// The completion of a list operation or a message in tag matching.
fn mark(c: &mut Completion, op: u8, index: u16) {
    Cqe64::APP.set(&mut c.record, APP_TAG_MATCHING as u64);
    Cqe64::APP_OP.set(&mut c.record, op as u64);
    Cqe64::APP_INFO.set(&mut c.record, index as u64);
}

impl Chip {
    /// A list operation, on the queue pair that a tag-matching queue takes its commands from.
    pub(super) fn tag_operation(&mut self, h: &dyn Host, n: u32, w: &Wqe) -> Step {
        let bad = Step::Fail(syndrome::LOCAL_QP_OP_ERR);
        let Some(key) = self.dp.qps.get(&n).and_then(|qp| qp.srq).filter(|k| k.0 == kind::XRQ) else {
            return bad;
        };
        let mut r = Reader::new(w);
        let s = match r.take(Tm::SIZE) {
            Ok(s) => s,
            Err(e) => return e.into(),
        };
        let index = Tm::INDEX.get(s) as u16;
        let matching = self.dp.matching.entry(key).or_default();
        let (op, done) = match Tm::OPCODE.get(s) as u8 >> 4 {
            prm::wqe::tm_op::NOP => (tm_op::NOOP, true),
            prm::wqe::tm_op::APPEND => {
                let data = match r.data() {
                    Ok(data) => data,
                    Err(e) => return e.into(),
                };
                if matching.list.iter().any(|e| e.index == index) {
                    return bad;
                }
                let (tag, mask) = (Tm::APPEND_TAG.get(s), Tm::APPEND_MASK.get(s));
                matching.list.push(Expected { index, tag, mask, data });
                (tm_op::APPEND, true)
            }
            prm::wqe::tm_op::REMOVE => {
                let before = matching.list.len();
                matching.list.retain(|e| e.index != index);
                (tm_op::REMOVE, matching.list.len() < before)
            }
            _ => return bad,
        };
        if (Tm::FLAGS.get(s) as u8) & tm_flags::REQ != 0 {
            let mut c = Completion::new(cqe::opcode::NO_PACKET);
            let phase = matching.phase;
            mark(&mut c, op, index);
            let e = &mut c.record;
            Cqe64::TM_SUCCESS.set(e, if done { TM_SUCCESS_BIT as u64 } else { 0 });
            Cqe64::TM_HW_PHASE_CNT.set(e, phase as u64);
            Cqe64::WQE_COUNTER.set(e, w.index as u64);
            Cqe64::SOP_DROP_QPN.set(e, n as u64);
            let Some(srq) = self.dp.srqs.get(&key) else { return bad };
            Cqe64::SRQN_UIDX.set(e, super::error::resource(srq.uidx, key.1) as u64);
            let cqn = srq.cqn;
            if self.complete(h, cqn, c).is_err() {
                return bad;
            }
        }
        Step::done(0)
    }

    /// A message for a tag-matching queue.
    pub(super) fn deliver_tagged(
        &mut self,
        h: &dyn Host,
        end: &Endpoint,
        key: Key,
        m: &Message,
    ) -> Result<(), Trouble> {
        let Some(payload) = m.payload else { return Err(Nak::Invalid.into()) };
        let data = self.bytes(h, payload).map_err(|_| Trouble::Local)?;
        let kind = if data.len() < Tmh::SIZE { header::NO_TAG } else { Tmh::OPCODE.get(&data) };
        let tag = Tmh::TAG.get(&data);
        let matching = self.dp.matching.entry(key).or_default();
        let place = match kind {
            header::EAGER | header::RENDEZVOUS => {
                matching.list.iter().position(|e| (e.tag ^ tag) & e.mask == 0)
            }
            _ => None,
        };
        let Some(place) = place else {
            let op = if kind == header::NO_TAG { tm_op::NO_TAG } else { tm_op::UNEXPECTED };
            return self.deliver_unexpected(h, end, key, m, &data, op);
        };
        let expected = matching.list.remove(place);
        let body = data.get(Tmh::SIZE..).unwrap_or(&[]);
        let room: u64 = expected.data.iter().map(Segment::len).sum();
        let small = Message { bytes: body.len() as u64, ..*m };
        let mut c = receive_completion(self, end, &small, 0);
        copy_header(&mut c, &data);
        // rendezvous is left to software, which finds where to read in the buffer
        let op = match kind {
            header::RENDEZVOUS => tm_op::CONSUMED_MSG_SW_RDNV,
            _ => tm_op::CONSUMED_MSG,
        };
        mark(&mut c, op, expected.index);
        if body.len() as u64 > room {
            self.fail_receive(h, end, expected.index, syndrome::LOCAL_LENGTH_ERR);
            return Err(Nak::Invalid.into());
        }
        let mut part = Payload::new();
        part.push_bytes(body);
        let taken = Taken { counter: expected.index, list: expected.data };
        if let Err((s, trouble)) = self.place(h, end, &taken, &part) {
            self.fail_receive(h, end, expected.index, s);
            return Err(trouble);
        }
        self.complete_receive(h, end, c)
    }

    /// Nothing expects a message: it goes to the queue itself, header and all.
    fn deliver_unexpected(
        &mut self,
        h: &dyn Host,
        end: &Endpoint,
        key: Key,
        m: &Message,
        data: &[u8],
        op: u8,
    ) -> Result<(), Trouble> {
        let Some(taken) = self.take_entry(h, end)? else { return Err(Nak::NotReady.into()) };
        let mut whole = Payload::new();
        whole.push_bytes(data);
        let mut c = receive_completion(self, end, m, taken.counter);
        copy_header(&mut c, data);
        mark(&mut c, op, 0);
        let room: u64 = taken.list.iter().map(Segment::len).sum();
        let placed = match whole.len() <= room {
            true => self.place(h, end, &taken, &whole),
            false => Err((syndrome::LOCAL_LENGTH_ERR, Nak::Invalid.into())),
        };
        if let Err((s, trouble)) = placed {
            self.fail_receive(h, end, taken.counter, s);
            return Err(trouble);
        }
        if op == tm_op::UNEXPECTED
            && let Some(matching) = self.dp.matching.get_mut(&key)
        {
            matching.phase = matching.phase.wrapping_add(1);
        }
        self.complete_receive(h, end, c)
    }
}

/// A message's tag header stands at the start of its completion.
fn copy_header(c: &mut Completion, data: &[u8]) {
    if let (Some(to), Some(from)) = (c.record.get_mut(..Tmh::SIZE), data.get(..Tmh::SIZE)) {
        to.copy_from_slice(from);
    }
}
