//! Queue pairs as the data path knows them: made, moved, queried.

use super::recv_queue::RecvQueue;
use super::send_queue::SendQueue;
use crate::device::Chip;
use crate::device::command::{PAGE, service, state};
use crate::device::host::Host;
use crate::device::objects::{Key, Place, kind};
use prm::wqe::SrqNext;
use prm::{CreateQpIn, Field, Qpc, QueryQpOut};
use std::collections::BTreeSet;

/// A queue pair.
pub(in crate::device) struct Qp {
    /// The context, kept current by commands.
    pub ctx: Vec<u8>,
    pub state: u8,
    pub sq: SendQueue,
    pub rq: RecvQueue,
    /// The shared queue that receives come from.
    pub srq: Option<Key>,
    /// What the request at the head of the send queue waits for.
    pub(super) wait: Option<Wait>,
    /// Something was received since the move to RTR.
    pub(super) established: bool,
    /// Streams of a DC initiator that are in error.
    pub(super) failed_streams: BTreeSet<u16>,
}

/// Why and since when a request waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    pub reason: WaitReason,
    /// Core clock when it began.
    pub since: u64,
}

/// What a request waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitReason {
    /// The peer has no receive entry.
    Receive,
    /// Nobody answers there.
    Peer,
}

impl Qp {
    pub fn get(&self, f: Field) -> u32 {
        f.get32(&self.ctx)
    }

    /// Service type.
    pub fn service(&self) -> u32 {
        self.get(Qpc::ST)
    }

    /// Whether it takes messages.
    pub fn receives(&self) -> bool {
        matches!(self.state, state::RTR | state::RTS | state::SQER | state::SQD)
    }

    /// Whether it sends datagrams.
    pub fn is_datagram(&self) -> bool {
        matches!(self.service(), service::UD | service::QP0 | service::QP1)
    }
}

/// log2 of the streams of a DC initiator, and of how many may fail before all of it does.
const LOG_STREAMS: Field = Field::new(0x3e3, 5);
const LOG_FAILED_STREAMS: Field = Field::new(0x403, 5);

impl Qp {
    /// A request on a stream failed. True if only the stream suffers.
    pub(super) fn fail_stream(&mut self, stream: u16) -> bool {
        if self.service() != service::DCI || self.get(LOG_STREAMS) == 0 {
            return false;
        }
        self.wait = None;
        self.failed_streams.insert(stream);
        self.failed_streams.len() <= 1 << self.get(LOG_FAILED_STREAMS)
    }
}

/// Where receive entries come from (`rq_type`).
const RQ_REGULAR: u32 = 0;

impl Chip {
    pub(in crate::device) fn qp_create(&mut self, qpn: u32, input: &[u8]) {
        let get = |f: Field| f.within(CreateQpIn::QPC).get32(input);
        let regular = get(Qpc::RQ_TYPE) == RQ_REGULAR;
        let stride = if regular { 16u64 << get(Qpc::LOG_RQ_STRIDE) } else { 0 };
        let rq_bytes = stride << get(Qpc::LOG_RQ_SIZE);
        let has_sq = get(Qpc::NO_SQ) == 0;
        let sq_bytes = if has_sq { 64u64 << get(Qpc::LOG_SQ_SIZE) } else { 0 };
        let place = if CreateQpIn::WQ_UMEM_VALID.is_set(input) {
            let id = CreateQpIn::WQ_UMEM_ID.get32(input);
            Place::Umem { id, offset: CreateQpIn::WQ_UMEM_OFFSET.get(input) }
        } else {
            let shift = PAGE + get(Qpc::LOG_PAGE_SIZE);
            let offset = ((get(Qpc::PAGE_OFFSET) as u64) << shift) >> 6;
            Place::Pages { at: CreateQpIn::PAS.byte(), shift, offset }
        };
        let buf = self.buffer(input, place, rq_bytes + sq_bytes);
        let umem = (get(Qpc::DBR_UMEM_VALID) != 0).then(|| get(Qpc::DBR_UMEM_ID));
        let dbr = self.record_addr(umem, Qpc::DBR_ADDR.within(CreateQpIn::QPC).get(input));
        let mut ctx = CreateQpIn::QPC.slice(input).to_vec();
        Qpc::STATE.set(&mut ctx, state::RST as u64);
        let srq = self.attached_queue(get(Qpc::RQ_TYPE), get(Qpc::SRQN_RMPN_XRQN));
        let sq = SendQueue {
            buf: buf.clone(),
            at: rq_bytes,
            log_size: get(Qpc::LOG_SQ_SIZE),
            dbr: if has_sq { dbr.wrapping_add(4) } else { 0 },
            ..SendQueue::default()
        };
        let rq = RecvQueue {
            buf,
            log_size: get(Qpc::LOG_RQ_SIZE),
            stride,
            dbr,
            skip: if get(Qpc::WQ_SIGNATURE) != 0 { SrqNext::SIZE } else { 0 },
            reserved_key: get(Qpc::RLKY) != 0,
            ..RecvQueue::default()
        };
        let qp = Qp {
            ctx,
            state: state::RST,
            sq,
            rq,
            srq,
            wait: None,
            established: false,
            failed_streams: BTreeSet::new(),
        };
        self.dp.qps.insert(qpn, qp);
    }

    /// The shared queue of a number that a context names.
    fn attached_queue(&self, rq_type: u32, n: u32) -> Option<Key> {
        if rq_type == RQ_REGULAR || n == 0 {
            return None;
        }
        self.shared_queue(n)
    }

    /// The shared queue with a number, of whatever kind: they share one number space.
    pub(super) fn shared_queue(&self, n: u32) -> Option<Key> {
        let kinds = [kind::RMP, kind::XRC_SRQ, kind::SRQ, kind::XRQ];
        kinds.into_iter().map(|k| (k, n)).find(|k| self.dp.srqs.contains_key(k))
    }

    /// A queue pair's state or context was changed by a command.
    pub(in crate::device) fn qp_moved(&mut self, h: &dyn Host, qpn: u32) {
        let Some(qp) = self.dp.qps.get_mut(&qpn) else { return };
        let (rq_type, n) = (qp.get(Qpc::RQ_TYPE), qp.get(Qpc::SRQN_RMPN_XRQN));
        match qp.state {
            state::RST => {
                qp.sq.reset();
                qp.rq.reset();
                qp.wait = None;
                qp.established = false;
                qp.failed_streams.clear();
                self.dp.forget(qpn);
            }
            state::INIT => {
                let srq = self.attached_queue(rq_type, n);
                if let Some(qp) = self.dp.qps.get_mut(&qpn) {
                    qp.srq = srq;
                }
            }
            state::RTS => {
                self.dp.pending.insert(qpn);
            }
            state::ERR => self.enter_error(h, qpn),
            _ => {}
        }
    }

    /// A stream of a DC initiator starts afresh.
    pub(in crate::device) fn stream_reset(&mut self, qpn: u32, stream: u16) {
        if let Some(qp) = self.dp.qps.get_mut(&qpn) {
            qp.failed_streams.remove(&stream);
        }
    }

    /// A queue pair was destroyed.
    pub(in crate::device) fn qp_destroy(&mut self, qpn: u32) {
        self.dp.qps.remove(&qpn);
        self.dp.forget(qpn);
    }

    /// The answer to a query: the context with the counters of now.
    pub(in crate::device) fn qp_query(&mut self, h: &dyn Host, qpn: u32) -> Option<Vec<u8>> {
        let qp = self.dp.qps.get(&qpn)?;
        let mut out = vec![0u8; QueryQpOut::SIZE];
        QueryQpOut::QPC.slice_mut(&mut out).copy_from_slice(&qp.ctx);
        let mut put = |f: Field, v: u64| f.within(QueryQpOut::QPC).set(&mut out, v);
        put(Qpc::STATE, qp.state as u64);
        put(Qpc::HW_SQ_WQEBB_COUNTER, qp.sq.ci as u64);
        let posted = super::buffer::record(h, qp.sq.dbr).unwrap_or(0);
        put(Qpc::SW_SQ_WQEBB_COUNTER, posted as u64);
        put(Qpc::HW_RQ_COUNTER, qp.rq.ci as u64);
        put(Qpc::SW_RQ_COUNTER, qp.rq.pi as u64);
        Some(out)
    }
}
