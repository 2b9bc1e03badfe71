//! Receive queues of every kind: where the entries lie and which comes next.

use super::buffer::{Buf, record};
use super::wqe::{Reader, Segment};
use crate::device::Chip;
use crate::device::command::PAGE;
use crate::device::host::Host;
use crate::device::objects::{Key, Place, kind};
use prm::wqe::SrqNext;
use prm::{
    CreateRmpIn, CreateRqIn, CreateSrqIn, CreateXrcSrqIn, CreateXrqIn, Field, Rmpc, Rqc, Srqc, Wq, XrcSrqc,
    Xrqc, event,
};

/// A ring of receive entries.
#[derive(Default, Clone)]
pub(in crate::device) struct RecvQueue {
    pub buf: Buf,
    pub log_size: u32,
    /// Bytes of an entry; 0 if there is no receive queue.
    pub stride: u64,
    /// Bus address of the doorbell record's receive word.
    pub dbr: u64,
    /// Entries taken, free running.
    pub ci: u16,
    /// Entries posted, as last read from the doorbell record.
    pub pi: u16,
    /// Entries form a list: each names the next one.
    pub linked: bool,
    /// The next entry of a linked list.
    pub head: u16,
    /// Bytes before an entry's scatter list.
    pub skip: usize,
    /// The reserved key works.
    pub reserved_key: bool,
}

/// A receive entry taken from its queue.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    /// What the completion calls it.
    pub counter: u16,
    pub list: Vec<Segment>,
}

/// A shared receive queue.
pub(in crate::device) struct Srq {
    pub rq: RecvQueue,
    pub pd: u32,
    /// Completion queue and user index, of the kinds that have their own.
    pub cqn: u32,
    pub uidx: u32,
    pub xrcd: u32,
    /// Limit below which an event is raised, once.
    pub limit: u16,
    pub failed: bool,
}

/// A receive queue's own state is unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken;

impl RecvQueue {
    fn size(&self) -> u32 {
        1 << self.log_size
    }

    /// Whether an entry is there.
    pub fn ready(&mut self, h: &dyn Host) -> bool {
        if self.stride == 0 || self.dbr == 0 {
            return false;
        }
        if self.pi == self.ci
            && let Some(pi) = record(h, self.dbr)
        {
            self.pi = pi as u16;
        }
        self.pi != self.ci
    }

    /// Entries posted and not taken.
    pub fn posted(&mut self, h: &dyn Host) -> u16 {
        if let Some(pi) = record(h, self.dbr) {
            self.pi = pi as u16;
        }
        self.pi.wrapping_sub(self.ci)
    }

    /// Take the next entry, if there is one.
    pub(super) fn take(&mut self, h: &dyn Host) -> Result<Option<Taken>, Broken> {
        if !self.ready(h) {
            return Ok(None);
        }
        if self.pi.wrapping_sub(self.ci) as u32 > self.size() {
            return Err(Broken);
        }
        let mask = self.size() - 1;
        let place = if self.linked { self.head } else { self.ci };
        let at = (place as u32 & mask) as u64 * self.stride;
        let w = self.buf.read(h, at, self.stride as usize).map_err(|_| Broken)?;
        if self.linked {
            self.head = SrqNext::NEXT_WQE_INDEX.get(&w) as u16;
        }
        self.ci = self.ci.wrapping_add(1);
        let list = Reader::list(w.get(self.skip..).unwrap_or(&[])).scatter_list(self.reserved_key);
        Ok(Some(Taken { counter: place, list }))
    }

    /// As after a reset.
    pub fn reset(&mut self) {
        (self.ci, self.pi, self.head) = (0, 0, 0);
    }
}

/// Types of work queues (`wq_type`).
pub(super) mod wq_type {
    pub const LINKED_LIST: u64 = 0;
    pub const STRIDING_LINKED_LIST: u64 = 2;
    pub const STRIDING_CYCLIC: u64 = 3;
}

impl Chip {
    /// The ring that a work queue description at `at` of a command names.
    pub(super) fn work_queue_ring(&self, input: &[u8], at: Field) -> (Buf, u64) {
        let get = |f: Field| f.within(at).get32(input);
        let place = if get(Wq::WQ_UMEM_VALID) != 0 {
            Place::Umem { id: get(Wq::WQ_UMEM_ID), offset: Wq::WQ_UMEM_OFFSET.within(at).get(input) }
        } else {
            let shift = PAGE + get(Wq::LOG_WQ_PG_SZ);
            let offset = ((get(Wq::PAGE_OFFSET) as u64) << shift) >> 6;
            Place::Pages { at: Wq::PAS.within(at).byte(), shift, offset }
        };
        let bytes = 1u64 << (get(Wq::LOG_WQ_STRIDE) + get(Wq::LOG_WQ_SZ));
        let umem = (get(Wq::DBR_UMEM_VALID) != 0).then(|| get(Wq::DBR_UMEM_ID));
        (self.buffer(input, place, bytes), self.record_addr(umem, Wq::DBR_ADDR.within(at).get(input)))
    }

    /// The receive queue of a work queue description. `shared`: entries start with the link
    /// segment, cyclic ones too.
    pub(super) fn work_queue(&self, input: &[u8], at: Field, shared: bool) -> RecvQueue {
        let get = |f: Field| f.within(at).get(input);
        let (buf, dbr) = self.work_queue_ring(input, at);
        let ty = get(Wq::WQ_TYPE);
        let linked = matches!(ty, wq_type::LINKED_LIST | wq_type::STRIDING_LINKED_LIST);
        RecvQueue {
            buf,
            dbr,
            linked,
            log_size: get(Wq::LOG_WQ_SZ) as u32,
            stride: 1 << get(Wq::LOG_WQ_STRIDE),
            skip: if shared || linked || get(Wq::WQ_SIGNATURE) != 0 { SrqNext::SIZE } else { 0 },
            ..RecvQueue::default()
        }
    }

    /// A shared receive queue was made by a command.
    pub(in crate::device) fn srq_create(&mut self, kind: u16, id: u32, input: &[u8]) {
        let srq = match kind {
            kind::RMP => {
                let wq = Rmpc::WQ.within(CreateRmpIn::CTX);
                let mut rq = self.work_queue(input, wq, true);
                if Rmpc::BASIC_CYCLIC_RCV_WQE.within(CreateRmpIn::CTX).is_set(input) && !rq.linked {
                    rq.skip = 0;
                }
                Srq { rq, pd: Wq::PD.within(wq).get32(input), ..Srq::none() }
            }
            kind::XRQ => {
                let ctx = CreateXrqIn::XRQ_CONTEXT;
                let wq = Xrqc::WQ.within(ctx);
                Srq {
                    rq: self.work_queue(input, wq, true),
                    pd: Wq::PD.within(wq).get32(input),
                    cqn: Xrqc::CQN.within(ctx).get32(input),
                    uidx: Xrqc::USER_INDEX.within(ctx).get32(input),
                    ..Srq::none()
                }
            }
            kind::XRC_SRQ => self.xrc_srq(input),
            _ => self.plain_srq(input),
        };
        self.dp.srqs.insert((kind, id), srq);
    }

    fn plain_srq(&self, input: &[u8]) -> Srq {
        let get = |f: Field| f.within(CreateSrqIn::SRQ_CONTEXT_ENTRY).get32(input);
        let shift = PAGE + get(Srqc::LOG_PAGE_SIZE);
        let offset = ((get(Srqc::PAGE_OFFSET) as u64) << shift) >> 6;
        let stride = 16u64 << get(Srqc::LOG_RQ_STRIDE);
        let log_size = get(Srqc::LOG_SRQ_SIZE);
        let place = Place::Pages { at: CreateSrqIn::PAS.byte(), shift, offset };
        let rq = RecvQueue {
            buf: self.buffer(input, place, stride << log_size),
            log_size,
            stride,
            dbr: Srqc::DBR_ADDR.within(CreateSrqIn::SRQ_CONTEXT_ENTRY).get(input),
            linked: true,
            skip: SrqNext::SIZE,
            reserved_key: get(Srqc::RLKY) != 0,
            ..RecvQueue::default()
        };
        Srq { rq, pd: get(Srqc::PD), cqn: get(Srqc::CQN), xrcd: get(Srqc::XRCD), ..Srq::none() }
    }

    fn xrc_srq(&self, input: &[u8]) -> Srq {
        let ctx = CreateXrcSrqIn::XRC_SRQ_CONTEXT_ENTRY;
        let get = |f: Field| f.within(ctx).get32(input);
        let stride = 16u64 << get(XrcSrqc::LOG_RQ_STRIDE);
        let log_size = get(XrcSrqc::LOG_XRC_SRQ_SIZE);
        let place = if CreateXrcSrqIn::XRC_SRQ_UMEM_VALID.is_set(input) {
            let id = CreateXrcSrqIn::XRC_SRQ_UMEM_ID.get32(input);
            Place::Umem { id, offset: CreateXrcSrqIn::XRC_SRQ_UMEM_OFFSET.get(input) }
        } else {
            let shift = PAGE + get(XrcSrqc::LOG_PAGE_SIZE);
            let offset = ((get(XrcSrqc::PAGE_OFFSET) as u64) << shift) >> 6;
            Place::Pages { at: CreateXrcSrqIn::PAS.byte(), shift, offset }
        };
        let record =
            (get(XrcSrqc::DB_RECORD_ADDR_H) as u64) << 32 | (get(XrcSrqc::DB_RECORD_ADDR_L) as u64) << 2;
        let umem = (get(XrcSrqc::DBR_UMEM_VALID) != 0).then(|| get(XrcSrqc::DBR_UMEM_ID));
        let cyclic = get(XrcSrqc::BASIC_CYCLIC_RCV_WQE) != 0;
        let rq = RecvQueue {
            buf: self.buffer(input, place, stride << log_size),
            log_size,
            stride,
            dbr: self.record_addr(umem, record),
            linked: !cyclic,
            skip: if cyclic { 0 } else { SrqNext::SIZE },
            reserved_key: get(XrcSrqc::RLKY) != 0,
            ..RecvQueue::default()
        };
        Srq {
            rq,
            pd: get(XrcSrqc::PD),
            cqn: get(XrcSrqc::CQN),
            uidx: get(XrcSrqc::USER_INDEX),
            xrcd: get(XrcSrqc::XRCD),
            ..Srq::none()
        }
    }

    /// A shared receive queue was destroyed.
    pub(in crate::device) fn srq_destroy(&mut self, kind: u16, number: u32) {
        self.dp.srqs.remove(&(kind, number));
    }

    /// The limit of a shared queue was set: below it an event is raised, once.
    pub(in crate::device) fn srq_armed(&mut self, h: &dyn Host, kind: u16, number: u32, lwm: u16) {
        if let Some(srq) = self.dp.srqs.get_mut(&(kind, number)) {
            srq.limit = lwm;
        }
        self.check_limit(h, (kind, number));
    }

    /// Raise the limit event of a shared queue if it is due.
    pub(super) fn check_limit(&mut self, h: &dyn Host, key: Key) {
        let Some(srq) = self.dp.srqs.get_mut(&key) else { return };
        if srq.limit == 0 || srq.rq.posted(h) >= srq.limit {
            return;
        }
        srq.limit = 0;
        self.affiliated(h, event::SRQ_RQ_LIMIT, super::error::EVENT_QP, key.1);
    }

    /// A receive queue was made by a command.
    pub(in crate::device) fn rq_create(&mut self, rqn: u32, input: &[u8]) {
        let get = |f: Field| f.within(CreateRqIn::CTX).get32(input);
        let wq = Rqc::WQ.within(CreateRqIn::CTX);
        const RMP: u32 = 1;
        let shared = (get(Rqc::MEM_RQ_TYPE) == RMP).then(|| (kind::RMP, get(Rqc::RMPN)));
        let mut rq = self.work_queue(input, wq, false);
        rq.reserved_key = get(Rqc::RLKY) != 0;
        let rq = super::Rq {
            rq,
            shared,
            state: 0,
            cqn: get(Rqc::CQN),
            uidx: get(Rqc::USER_INDEX),
            pd: Wq::PD.within(wq).get32(input),
            flush: get(Rqc::FLUSH_IN_ERROR_EN) != 0,
            striding: super::striding::Striding::of(input, wq),
        };
        self.dp.rqs.insert(rqn, rq);
    }
}

impl Srq {
    fn none() -> Srq {
        Srq { rq: RecvQueue::default(), pd: 0, cqn: 0, uidx: 0, xrcd: 0, limit: 0, failed: false }
    }
}
