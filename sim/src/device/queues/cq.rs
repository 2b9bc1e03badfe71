//! Completion queues: making, resizing, arming, writing entries.

use super::buffer::{Buf, record};
use super::compress::{Session, array_place};
use crate::device::Chip;
use crate::device::command::PAGE;
use crate::device::host::Host;
use crate::device::objects::Place;
use prm::cqe::{self, Cqe64};
use prm::{Cqc, CreateCqIn, Field, event};

/// A completion queue.
pub(in crate::device) struct Cq {
    /// The context.
    pub ctx: Vec<u8>,
    pub eqn: u32,
    /// Bus address of the doorbell record.
    pub dbr: u64,
    /// Producer counter, free running.
    pub pi: u32,
    /// The queue overflowed or cannot be written; nothing is added any more.
    pub broken: bool,
    buf: Buf,
    log_size: u32,
    entry: u64,
    /// Consumer counter as last read from the doorbell record.
    ci: u32,
    /// A consumer waits for an event.
    armed: Option<Arm>,
    /// Serial number of the arming that was answered last: it is answered once.
    answered: Option<u32>,
    /// Counter behind the last entry that counts as solicited.
    solicited_end: u32,
    pub(super) session: Session,
}

#[derive(Clone, Copy)]
struct Arm {
    solicited_only: bool,
    serial: u32,
}

/// Counters have 24 bits.
const COUNTER: u32 = 0xff_ffff;
/// Entries are written as 64-byte records; longer ones hold theirs in the second half.
pub(super) const RECORD: usize = Cqe64::SIZE;

/// The queue cannot take a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overrun;

/// A completion to write: the record, what goes in front of it in a long entry.
#[derive(Clone)]
pub(super) struct Completion {
    pub record: [u8; RECORD],
    pub front: Option<[u8; RECORD]>,
    /// Wakes a consumer that waits for solicited completions only.
    pub solicited: bool,
}

impl Completion {
    /// A completion with this opcode, all else zero.
    pub fn new(opcode: u8) -> Completion {
        let mut record = [0; RECORD];
        Cqe64::OP_OWN.set(&mut record, (opcode as u64) << 4);
        Completion { record, front: None, solicited: false }
    }

    pub fn opcode(&self) -> u8 {
        Cqe64::OP_OWN.get(&self.record) as u8 >> 4
    }

    fn is_error(&self) -> bool {
        matches!(self.opcode(), cqe::opcode::REQ_ERR | cqe::opcode::RESP_ERR)
    }
}

impl Cq {
    fn size(&self) -> u32 {
        1 << self.log_size
    }

    /// Most bytes of data that a completion carries: long entries have room in front.
    pub(super) fn inline_limit(&self) -> u64 {
        if self.entry as usize > RECORD { 64 } else { 32 }
    }

    fn ignores_overrun(&self) -> bool {
        Cqc::OI.is_set(&self.ctx)
    }

    pub(super) fn compresses(&self) -> bool {
        Cqc::CQE_COMP_EN.is_set(&self.ctx)
    }

    fn full(&mut self, h: &dyn Host) -> bool {
        let full = |cq: &Cq| cq.pi.wrapping_sub(cq.ci) & COUNTER >= cq.size();
        if full(self)
            && let Some(ci) = record(h, self.dbr)
        {
            self.ci = ci & COUNTER;
        }
        full(self)
    }

    /// Write a record at the producer's place, its owner byte last.
    fn write(&mut self, h: &dyn Host, c: &Completion) -> bool {
        let at = (self.pi & (self.size() - 1)) as u64 * self.entry + self.entry - RECORD as u64;
        let mut e = c.record;
        let parity = (self.pi >> self.log_size & 1) as u8;
        let last = RECORD - 1;
        e[last] = e[last] & !cqe::OWNER | parity;
        let front = match (&c.front, self.entry as usize > RECORD) {
            (Some(front), true) => self.buf.write(h, at - RECORD as u64, front),
            _ => Ok(()),
        };
        let written = front
            .and_then(|()| self.buf.write(h, at, &e[..last]))
            .and_then(|()| self.buf.write(h, at + last as u64, &e[last..]));
        self.pi = self.pi.wrapping_add(1);
        written.is_ok()
    }
}

impl Cq {
    /// Places left, as far as the consumer's counter tells.
    pub(super) fn room(&mut self, h: &dyn Host) -> u32 {
        if self.ignores_overrun() {
            return self.size();
        }
        if let Some(ci) = record(h, self.dbr) {
            self.ci = ci & COUNTER;
        }
        self.size().saturating_sub(self.pi.wrapping_sub(self.ci) & COUNTER)
    }

    /// Write the arrays of a compressed run whose title is to come next.
    pub(super) fn write_arrays(&mut self, h: &dyn Host, arrays: &[[u8; RECORD]]) {
        for (n, a) in arrays.iter().enumerate() {
            let place = self.pi.wrapping_add(array_place(n));
            let at = (place & (self.size() - 1)) as u64 * self.entry + self.entry - RECORD as u64;
            self.broken |= self.buf.write(h, at, a).is_err();
        }
    }
}

/// What describes a completion queue's buffer in a create or resize command.
fn place(input: &[u8]) -> (Place, u64) {
    let get = |f: Field| f.within(CreateCqIn::CQ_CONTEXT).get32(input);
    let bytes = entry_size(input) << get(Cqc::LOG_CQ_SIZE);
    if CreateCqIn::CQ_UMEM_VALID.is_set(input) {
        let id = CreateCqIn::CQ_UMEM_ID.get32(input);
        return (Place::Umem { id, offset: CreateCqIn::CQ_UMEM_OFFSET.get(input) }, bytes);
    }
    let shift = PAGE + get(Cqc::LOG_PAGE_SIZE);
    // the offset counts 64ths of a page
    let offset = ((get(Cqc::PAGE_OFFSET) as u64) << shift) >> 6;
    (Place::Pages { at: CreateCqIn::PAS.byte(), shift, offset }, bytes)
}

fn entry_size(input: &[u8]) -> u64 {
    match Cqc::CQE_SZ.within(CreateCqIn::CQ_CONTEXT).get(input) {
        0 => 64,
        _ => 128,
    }
}

impl Chip {
    pub(in crate::device) fn cq_create(&mut self, cqn: u32, input: &[u8]) {
        let ctx = CreateCqIn::CQ_CONTEXT.slice(input).to_vec();
        let (place, bytes) = place(input);
        let umem = Cqc::DBR_UMEM_VALID.is_set(&ctx).then(|| Cqc::DBR_UMEM_ID.get32(&ctx));
        let cq = Cq {
            buf: self.buffer(input, place, bytes),
            log_size: Cqc::LOG_CQ_SIZE.get32(&ctx),
            entry: entry_size(input),
            eqn: Cqc::C_EQN_OR_APU_ELEMENT.get32(&ctx),
            dbr: self.record_addr(umem, Cqc::DBR_ADDR.get(&ctx)),
            ctx,
            pi: 0,
            ci: 0,
            armed: None,
            answered: None,
            solicited_end: 0,
            broken: false,
            session: Session::default(),
        };
        self.dp.cqs.insert(cqn, cq);
    }

    /// The old buffer gets a last entry that says "resized"; the next one goes to the new buffer.
    pub(in crate::device) fn cq_resize(&mut self, h: &dyn Host, cqn: u32, input: &[u8]) {
        self.flush_session(h, cqn);
        let (place, bytes) = place(input);
        let buf = self.buffer(input, place, bytes);
        let Some(cq) = self.dp.cqs.get_mut(&cqn) else { return };
        cq.write(h, &Completion::new(cqe::opcode::RESIZE_CQ));
        cq.buf = buf;
        cq.ctx = CreateCqIn::CQ_CONTEXT.slice(input).to_vec();
        cq.log_size = Cqc::LOG_CQ_SIZE.get32(&cq.ctx);
        cq.entry = entry_size(input);
    }

    /// Add a completion. An overrun breaks the queue, with an event the first time.
    pub(super) fn complete(&mut self, h: &dyn Host, cqn: u32, mut c: Completion) -> Result<(), Overrun> {
        if !c.is_error() {
            Cqe64::TIMESTAMP.set(&mut c.record, self.clock());
        }
        let Some(cq) = self.dp.cqs.get_mut(&cqn) else { return Err(Overrun) };
        if cq.compresses() {
            return self.complete_compressed(h, cqn, c);
        }
        self.complete_now(h, cqn, c)
    }

    pub(super) fn complete_now(&mut self, h: &dyn Host, cqn: u32, c: Completion) -> Result<(), Overrun> {
        let Some(cq) = self.dp.cqs.get_mut(&cqn) else { return Err(Overrun) };
        if cq.broken {
            return Err(Overrun);
        }
        let full = !cq.ignores_overrun() && cq.full(h);
        if full || !cq.write(h, &c) {
            cq.broken = true;
            let syndrome = if full { event::CQ_OVERRUN } else { event::CQ_ACCESS_VIOLATION };
            let mut data = [0; 28];
            data[..4].copy_from_slice(&cqn.to_be_bytes());
            data[11] = syndrome;
            self.log(|| format!("completion queue {cqn:#x} failed, syndrome {syndrome}"));
            self.raise(h, event::CQ_ERROR, 0, &data);
            return Err(Overrun);
        }
        let wakes = c.solicited || c.is_error();
        if wakes {
            cq.solicited_end = cq.pi;
        }
        if let Some(arm) = cq.armed
            && (wakes || !arm.solicited_only)
        {
            self.answer_arm(h, cqn, arm.serial);
        }
        Ok(())
    }

    /// Raise the completion event that a consumer asked for.
    fn answer_arm(&mut self, h: &dyn Host, cqn: u32, serial: u32) {
        let Some(cq) = self.dp.cqs.get_mut(&cqn) else { return };
        cq.armed = None;
        cq.answered = Some(serial);
        let eqn = cq.eqn;
        let mut data = [0; 28];
        data[24..].copy_from_slice(&cqn.to_be_bytes());
        self.post_eqe(h, eqn, event::COMP, 0, &data);
    }

    /// The doorbell that asks for an event: serial number, kind and consumer counter in one
    /// word, the queue's number in the other. A serial number is answered once: the consumer
    /// counts it on with each event that it gets.
    pub(super) fn cq_doorbell(&mut self, h: &dyn Host, uar: u32, word: u32, cqn: u32) {
        let cqn = cqn & 0xff_ffff;
        self.flush_session(h, cqn);
        let Some(cq) = self.dp.cqs.get_mut(&cqn) else { return };
        if Cqc::UAR_PAGE.get32(&cq.ctx) != uar {
            self.log(|| format!("doorbell of completion queue {cqn:#x} in UAR page {uar}, not its own"));
            return;
        }
        let serial = word >> 28 & 3;
        if cq.answered == Some(serial) {
            return;
        }
        let solicited_only = word >> 24 & 1 != 0;
        let ci = word & COUNTER;
        let end = if solicited_only { cq.solicited_end } else { cq.pi };
        // entries behind the consumer's place are news; counters are compared in a circle
        let ahead = end.wrapping_sub(ci) & COUNTER;
        if ahead != 0 && ahead <= COUNTER / 2 {
            self.answer_arm(h, cqn, serial);
        } else {
            cq.armed = Some(Arm { solicited_only, serial });
        }
    }
}
