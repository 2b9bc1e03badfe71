//! Compressed completions, for queues that ask for them: a run of alike completions becomes
//! a title entry and arrays of eight small ones. A run of n takes n places in the queue: the
//! title the first, the arrays the second, the ninth, the seventeenth and so on.

use super::cq::{Completion, Overrun, RECORD};
use super::rq::{CHECKSUM, RX_HASH};
use crate::device::Chip;
use crate::device::host::Host;
use prm::cqe::{self, Cqe64, format};
use prm::{Cqc, Field};

/// Completions that wait to be written together.
#[derive(Default)]
pub(super) struct Session {
    waiting: Vec<Completion>,
}

/// A small completion: 8 bytes.
enum Mini {}
impl Mini {
    const SIZE: usize = 8;
    const WQE_COUNTER: Field = Field::new(0x0, 16);
    const WQE_OPCODE: Field = Field::new(0x10, 8);
    const CHECKSUM: Field = Field::new(0x0, 16);
    const STRIDE_INDEX: Field = Field::new(0x10, 16);
    const RX_HASH: Field = Field::new(0x0, 32);
    const BYTE_CNT: Field = Field::new(0x20, 32);
}

/// Small completions in an array entry.
const PER_ENTRY: usize = RECORD / Mini::SIZE;
/// Longest run.
const MAX_RUN: usize = 64;
/// Result formats of a queue context: hash or checksum in each small completion.
const FORMAT_HASH: u64 = 0;

/// The queue's number in [`Cqe64::SOP_DROP_QPN`].
const QPN: Field = Field::new(Cqe64::SOP_DROP_QPN.off + 8, 24);

/// Whether `next` can follow `last` in one run.
fn alike(last: &Completion, next: &Completion) -> bool {
    let same = |f: Field| f.get(&last.record) == f.get(&next.record);
    let kind = same(Cqe64::OP_OWN) && same(Cqe64::SRQN_UIDX) && !last.solicited && !next.solicited;
    let counter = |c: &Completion| Cqe64::WQE_COUNTER.get(&c.record) as u16;
    kind && match next.opcode() {
        // opcodes of requests may differ: small completions carry them
        cqe::opcode::REQ => same(QPN),
        _ => same(Cqe64::SOP_DROP_QPN) && counter(next) == counter(last).wrapping_add(1),
    }
}

/// Whether a completion says nothing that a small one cannot.
fn compressible(c: &Completion) -> bool {
    let plain = Cqe64::OP_OWN.get(&c.record) as u8 >> 2 & 3 == format::NONE && c.front.is_none();
    plain && matches!(c.opcode(), cqe::opcode::REQ | cqe::opcode::RESP_SEND)
}

fn mini(c: &Completion, result_format: u64) -> [u8; Mini::SIZE] {
    let mut m = [0; Mini::SIZE];
    match (c.opcode(), result_format) {
        (cqe::opcode::REQ, _) => {
            Mini::WQE_COUNTER.set(&mut m, Cqe64::WQE_COUNTER.get(&c.record));
            Mini::WQE_OPCODE.set(&mut m, Cqe64::SOP_DROP_QPN.get(&c.record) >> 24);
        }
        (_, FORMAT_HASH) => Mini::RX_HASH.set(&mut m, RX_HASH.get(&c.record)),
        _ => {
            Mini::CHECKSUM.set(&mut m, CHECKSUM.get(&c.record));
            Mini::STRIDE_INDEX.set(&mut m, Cqe64::WQE_COUNTER.get(&c.record));
        }
    }
    Mini::BYTE_CNT.set(&mut m, Cqe64::BYTE_CNT.get(&c.record));
    m
}

impl Chip {
    pub(super) fn complete_compressed(
        &mut self,
        h: &dyn Host,
        cqn: u32,
        c: Completion,
    ) -> Result<(), Overrun> {
        let goes_on = self.dp.cqs.get(&cqn).is_some_and(|cq| {
            let w = &cq.session.waiting;
            w.len() < MAX_RUN && w.last().is_none_or(|last| alike(last, &c))
        });
        if !goes_on || !compressible(&c) {
            self.flush_session(h, cqn);
        }
        if !compressible(&c) {
            return self.complete_now(h, cqn, c);
        }
        let Some(cq) = self.dp.cqs.get_mut(&cqn) else { return Err(Overrun) };
        if cq.broken {
            return Err(Overrun);
        }
        cq.session.waiting.push(c);
        self.dp.sessions.insert(cqn);
        Ok(())
    }

    /// Write what waits in a queue.
    pub(super) fn flush_session(&mut self, h: &dyn Host, cqn: u32) {
        self.dp.sessions.remove(&cqn);
        let Some(cq) = self.dp.cqs.get_mut(&cqn) else { return };
        let run = std::mem::take(&mut cq.session.waiting);
        let result_format = Cqc::MINI_CQE_RES_FORMAT.get(&cq.ctx);
        let fits = cq.room(h) as usize >= run.len();
        let Some(first) = run.first().filter(|_| run.len() > 1 && fits) else {
            for c in run {
                // a broken queue has told so itself
                let _ = self.complete_now(h, cqn, c);
            }
            return;
        };
        let mut title = first.clone();
        Cqe64::BYTE_CNT.set(&mut title.record, run.len() as u64);
        let op_own = title.record[RECORD - 1];
        title.record[RECORD - 1] = op_own & !0xc | format::COMPRESSED << 2;
        let arrays: Vec<[u8; RECORD]> = run
            .chunks(PER_ENTRY)
            .map(|part| {
                let mut a = [0; RECORD];
                let minis = part.iter().map(|c| mini(c, result_format));
                a.chunks_exact_mut(Mini::SIZE).zip(minis).for_each(|(to, m)| to.copy_from_slice(&m));
                a
            })
            .collect();
        if let Some(cq) = self.dp.cqs.get_mut(&cqn) {
            cq.write_arrays(h, &arrays);
        }
        if self.complete_now(h, cqn, title).is_ok()
            && let Some(cq) = self.dp.cqs.get_mut(&cqn)
        {
            cq.pi = cq.pi.wrapping_add(run.len() as u32 - 1);
        }
    }

    /// Write what waits anywhere: the device goes to rest.
    pub(super) fn flush_sessions(&mut self, h: &dyn Host) {
        while let Some(cqn) = self.dp.sessions.first().copied() {
            self.flush_session(h, cqn);
        }
    }
}

/// Places of a run's arrays, counted from its title.
pub(super) fn array_place(n: usize) -> u32 {
    if n == 0 { 1 } else { (n * PER_ENTRY) as u32 }
}
