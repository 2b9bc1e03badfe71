//! Receive queues alone: packets that steering gives them.

use super::cq::Completion;
use super::error::{EVENT_RQ, error_completion, resource};
use super::key::{Access, Right};
use super::payload::Payload;
use super::recv_queue::{Broken, RecvQueue, Taken};
use super::striding::Striding;
use super::wqe::Segment;
use crate::device::command::queue_state as state;
use crate::device::host::Host;
use crate::device::objects::{Key, kind};
use crate::device::{Chip, checksum};
use prm::cqe::{self, Cqe64, syndrome};
use prm::{Field, event};

/// A receive queue.
pub(in crate::device) struct Rq {
    pub rq: RecvQueue,
    /// The memory pool that it takes its entries from instead.
    pub shared: Option<Key>,
    pub state: u8,
    pub cqn: u32,
    pub uidx: u32,
    pub pd: u32,
    /// Entries complete as flushed when the queue goes to error.
    pub flush: bool,
    pub striding: Option<Striding>,
}

/// What steering found out about a packet, for its completion.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::device) struct PacketInfo {
    /// The tag that a flow entry gave it.
    pub flow_tag: u32,
    pub rx_hash: u32,
    /// What header modifications left in the register for completions.
    pub metadata: u32,
    /// Parts of [`cqe::hds`] that are good.
    pub good: u8,
    /// [`cqe::l3_type`].
    pub l3: u8,
    /// Kind of transport header: 1 TCP, 2 UDP.
    pub l4: u8,
}

/// Hash of the packet in a receive completion.
pub(super) const RX_HASH: Field = Field::new(0x60, 32);
/// Where the summed bytes of a packet start: behind the Ethernet header.
const BODY: usize = 14;
/// Sum of the packet's bytes.
pub(super) const CHECKSUM: Field = Field::new(0xa0, 16);
/// Metadata that steering left.
const METADATA: Field = Cqe64::IMM_INVAL_PKEY;

impl Chip {
    /// A packet for a receive queue. Without an entry it is lost.
    pub(in crate::device) fn receive_packet(&mut self, h: &dyn Host, rqn: u32, p: &[u8], info: PacketInfo) {
        let Some(rq) = self.dp.rqs.get_mut(&rqn).filter(|rq| rq.state == state::RDY as u8) else { return };
        let len = p.len() as u64;
        if rq.striding.as_mut().is_some_and(|s| s.needs_entry(len)) {
            let Some(taken) = self.take_packet_entry(h, rqn) else { return };
            if let Some(s) = self.dp.rqs.get_mut(&rqn).and_then(|rq| rq.striding.as_mut()) {
                s.start(taken);
            }
        }
        let Some(rq) = self.dp.rqs.get_mut(&rqn) else { return };
        let mut c = Completion::new(cqe::opcode::RESP_SEND);
        let (list, counter) = match &mut rq.striding {
            Some(s) => {
                let Some(slot) = s.take(len) else { return };
                Cqe64::WQE_ID.set(&mut c.record, slot.counter as u64);
                Cqe64::BYTE_CNT.set(&mut c.record, (slot.taken as u64) << 16 | len);
                (slot.list, slot.index)
            }
            None => {
                let Some(taken) = self.take_packet_entry(h, rqn) else { return };
                Cqe64::BYTE_CNT.set(&mut c.record, len);
                (taken.list, taken.counter)
            }
        };
        let e = &mut c.record;
        Cqe64::WQE_COUNTER.set(e, counter as u64);
        Cqe64::SOP_DROP_QPN.set(e, info.flow_tag as u64 & 0xff_ffff);
        Cqe64::HDS_IP_EXT.set(e, info.good as u64);
        Cqe64::L4_HDR_TYPE_ETC.set(e, (info.l4 as u64) << 4 | (info.l3 as u64) << 2);
        RX_HASH.set(e, info.rx_hash as u64);
        METADATA.set(e, info.metadata as u64);
        CHECKSUM.set(e, checksum::sum(&[p.get(BODY..).unwrap_or(&[])]) as u64);
        self.place_packet(h, rqn, &list, p, c, counter);
    }

    fn place_packet(
        &mut self,
        h: &dyn Host,
        rqn: u32,
        list: &[Segment],
        p: &[u8],
        c: Completion,
        counter: u16,
    ) {
        let Some(rq) = self.dp.rqs.get(&rqn) else { return };
        let shared = rq.shared.and_then(|k| self.dp.srqs.get(&k));
        let pd = shared.map_or(rq.pd, |s| s.pd);
        let (cqn, uidx) = (rq.cqn, resource(rq.uidx, rq.shared.map_or(0, |k| k.1)));
        let access = Access {
            right: Right::LocalWrite,
            pd,
            qpn: rqn,
            reserved_key: rq.rq.reserved_key,
            any_pd: false,
        };
        let room: u64 = list.iter().map(Segment::len).sum();
        let mut payload = Payload::new();
        payload.push_bytes(p);
        let placed = if room < payload.len() {
            Err(syndrome::LOCAL_LENGTH_ERR)
        } else {
            match self.scatter(list, payload.len(), access) {
                Ok(to) => self.copy(h, &payload, &to).map_err(|_| syndrome::LOCAL_PROT_ERR),
                Err(_) => Err(syndrome::LOCAL_PROT_ERR),
            }
        };
        let mut c = match placed {
            Ok(()) => c,
            Err(s) => error_completion(cqe::opcode::RESP_ERR, s, uidx, rqn, counter),
        };
        Cqe64::SRQN_UIDX.set(&mut c.record, uidx as u64);
        let told = self.complete(h, cqn, c).is_ok();
        if placed.is_err() || !told {
            self.log(|| format!("receive queue {rqn:#x} failed: {placed:?}"));
            self.fail_rq(h, rqn);
        }
    }

    fn take_packet_entry(&mut self, h: &dyn Host, rqn: u32) -> Option<Taken> {
        let rq = self.dp.rqs.get_mut(&rqn)?;
        let taken = match rq.shared {
            Some(key) => {
                let taken = self.dp.srqs.get_mut(&key).map(|s| s.rq.take(h));
                if matches!(taken, Some(Ok(Some(_)))) {
                    self.check_limit(h, key);
                }
                taken?
            }
            None => rq.rq.take(h),
        };
        match taken {
            Ok(taken) => taken,
            Err(Broken) => {
                self.fail_rq(h, rqn);
                None
            }
        }
    }

    fn fail_rq(&mut self, h: &dyn Host, rqn: u32) {
        if let Some(o) = self.objs.get_mut(&(kind::RQ, rqn)) {
            prm::Rqc::STATE.within(prm::CreateRqIn::CTX).set(&mut o.input, state::ERR);
        }
        self.affiliated(h, event::WQ_CATAS_ERROR, EVENT_RQ, rqn);
        self.rq_moved(h, rqn, state::ERR as u8);
    }

    /// A receive queue's state changed.
    pub(super) fn rq_moved(&mut self, h: &dyn Host, rqn: u32, to: u8) {
        let Some(rq) = self.dp.rqs.get_mut(&rqn) else { return };
        rq.state = to;
        if let Some(s) = &mut rq.striding {
            s.reset();
        }
        match to as u64 {
            state::RST => rq.rq.reset(),
            state::ERR => self.flush_rq(h, rqn),
            _ => {}
        }
    }

    fn flush_rq(&mut self, h: &dyn Host, rqn: u32) {
        loop {
            let Some(rq) = self.dp.rqs.get_mut(&rqn).filter(|rq| rq.flush && rq.shared.is_none()) else {
                return;
            };
            let Ok(Some(taken)) = rq.rq.take(h) else { return };
            let (cqn, uidx) = (rq.cqn, resource(rq.uidx, 0));
            let s = syndrome::WR_FLUSH_ERR;
            let c = error_completion(cqe::opcode::RESP_ERR, s, uidx, rqn, taken.counter);
            if self.complete(h, cqn, c).is_err() {
                return;
            }
        }
    }

    /// A receive queue was destroyed.
    pub(in crate::device) fn rq_destroy(&mut self, rqn: u32) {
        self.dp.rqs.remove(&rqn);
    }
}
