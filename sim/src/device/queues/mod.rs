//! Data path: memory keys, completion queues, send and receive work.
//!
//! Strict: work is executed only after its doorbell, as far as the doorbell record said
//! then. A doorbell executes some of it at once; what exceeds a queue's budget goes on in
//! [`Chip::progress`], queue after queue. What waits (for a receive entry, for a peer) is
//! tried again there too.

mod atomic;
mod blue_flame;
mod buffer;
mod compress;
mod connected;
mod cq;
mod datagram;
mod endpoint;
mod error;
mod key;
mod mmo;
mod payload;
mod qp;
mod recv_queue;
mod respond;
mod rq;
mod send;
mod send_queue;
mod sq;
mod striding;
mod tag;
mod umr;
mod wqe;

#[cfg(test)]
mod tests;

pub(super) use rq::{PacketInfo, Rq};

use super::Chip;
use super::command::state;
use super::host::Host;
use super::objects::Key;
use prm::bits::{be32, be64};
use prm::{Qpc, event};
use std::collections::{BTreeMap, BTreeSet};

/// The running state of all queues and keys.
#[derive(Default)]
pub(super) struct Dp {
    pub mkeys: BTreeMap<u32, key::Mkey>,
    pub cqs: BTreeMap<u32, cq::Cq>,
    pub qps: BTreeMap<u32, qp::Qp>,
    pub sqs: BTreeMap<u32, sq::Sq>,
    pub rqs: BTreeMap<u32, Rq>,
    pub srqs: BTreeMap<Key, recv_queue::Srq>,
    matching: BTreeMap<Key, tag::Matching>,
    psvs: BTreeMap<u32, u64>,
    icm: payload::Icm,
    /// Queues with work that can be done at once.
    pending: BTreeSet<u32>,
    /// Queues whose next request waits for something.
    waiting: BTreeSet<u32>,
    /// Queue pairs in error with a receive queue of their own.
    erring: BTreeSet<u32>,
    /// Completion queues with compressed completions to write.
    sessions: BTreeSet<u32>,
    /// First halves of doorbells that come in two stores, by page and place.
    halves: BTreeMap<(u32, u32), u32>,
    /// Send doorbell registers as they are being written, by page and register.
    images: BTreeMap<(u32, u32), blue_flame::Image>,
}

impl Dp {
    /// A queue has nothing to do any more.
    fn forget(&mut self, n: u32) {
        self.pending.remove(&n);
        self.waiting.remove(&n);
        self.erring.remove(&n);
    }
}

/// Place of the completion queue doorbell in a UAR page.
const CQ_DOORBELL: u32 = 0x20;
/// Where the send doorbells begin.
const SEND_DOORBELLS: u32 = 0x800;
/// Bytes of a send doorbell register.
const REGISTER: u32 = 0x100;
/// Bytes of a basic block.
const BLOCK: u32 = prm::wqe::BB as u32;

impl Chip {
    /// A store into a UAR page that is no event queue's.
    pub(super) fn queue_doorbell(&mut self, h: &dyn Host, uar: u32, offset: u32, data: &[u8]) {
        match (offset, data.len()) {
            (CQ_DOORBELL, 8) => self.cq_doorbell(h, uar, be32(data, 0), be32(data, 4)),
            (o, 64) if o >= SEND_DOORBELLS && o % REGISTER == 0 => {
                self.send_doorbell(h, uar, be64(data, 0));
                self.blue_flame(h, data);
            }
            (o, 8) if o >= SEND_DOORBELLS && o % REGISTER < BLOCK => {
                if o % REGISTER == 0 {
                    self.send_doorbell(h, uar, be64(data, 0));
                }
                self.blue_flame_part(h, uar, o / REGISTER, (o % REGISTER) as usize, data);
            }
            // hosts that store 32 bits at a time write the high half first
            (o, 4) if o & 4 == 0 => {
                self.dp.halves.insert((uar, o), be32(data, 0));
            }
            (o, 4) => {
                let high = self.dp.halves.remove(&(uar, o & !4)).unwrap_or(0);
                let word = (high as u64) << 32 | be32(data, 0) as u64;
                self.queue_doorbell(h, uar, o & !4, &word.to_be_bytes());
            }
            // the rest of a request copied into the register: memory holds it as well
            _ => {}
        }
        self.flush_sessions(h);
    }

    /// A send doorbell: the first eight bytes of a control segment, which name the queue.
    fn send_doorbell(&mut self, h: &dyn Host, uar: u32, word: u64) {
        let n = (word >> 8) as u32 & 0xff_ffff;
        let own = match (self.dp.qps.get(&n), self.dp.sqs.get(&n)) {
            (Some(qp), _) => qp.get(Qpc::UAR_PAGE),
            (_, Some(sq)) => sq.uar,
            _ => {
                return self
                    .log(|| format!("doorbell in UAR page {uar} for queue {n:#x}, which is not there"));
            }
        };
        if own != uar {
            return self.log(|| format!("doorbell of queue {n:#x} in UAR page {uar}, not its own ({own})"));
        }
        if let Some(qp) = self.dp.qps.get_mut(&n) {
            if matches!(qp.state, state::RST | state::INIT) {
                return self.log(|| format!("doorbell of queue pair {n:#x}, which does not send yet"));
            }
            match qp.sq.ring(h) {
                Ok(()) => self.run_queue(h, n),
                Err(_) => self.catastrophe(h, n),
            }
        } else if let Some(sq) = self.dp.sqs.get_mut(&n) {
            match sq.sq.ring(h) {
                Ok(()) => self.run_queue(h, n),
                Err(_) => self.affiliated(h, event::WQ_CATAS_ERROR, error::EVENT_SQ, n),
            }
        }
    }

    /// Let queues work: those with work left, those that waited, those in error that got new
    /// receive entries. True if some have more to do at once.
    pub(super) fn tick(&mut self, h: &dyn Host) -> bool {
        let mut turn = std::mem::take(&mut self.dp.pending);
        turn.append(&mut self.dp.waiting);
        for n in turn {
            self.run_queue(h, n);
        }
        self.flush_erring(h);
        self.flush_sessions(h);
        !self.dp.pending.is_empty()
    }

    /// Whether something waits that no doorbell will wake: time, or memory that a driver
    /// writes without telling. [`Chip::progress`] looks at it.
    pub fn waits(&self) -> bool {
        !self.dp.waiting.is_empty() || !self.dp.erring.is_empty()
    }
}
