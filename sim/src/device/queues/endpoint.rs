//! The receiving end of a message: a queue pair, or a DC target; what it lets others do.

use super::error::{EVENT_DCT, EVENT_QP};
use super::key::{Access, Right};
use super::qp::Qp;
use crate::device::Chip;
use crate::device::command::{service, state};
use crate::device::host::Host;
use crate::device::objects::{Key, kind};
use prm::{CreateDctIn, Dctc, Field, Qpc, event};

/// Where an end takes its receive entries from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The queue pair's own queue.
    Own(u32),
    /// A shared queue.
    Shared(Key),
    /// It receives nothing.
    None,
}

/// A receiving end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Endpoint {
    /// Queue pair or target that completions name.
    pub number: u32,
    pub source: Source,
    pub cqn: u32,
    /// Resource field of completions.
    pub resource: u32,
    /// Domain of receive buffers.
    pub pd: u32,
    /// Domain of remote memory.
    pub remote_pd: u32,
    pub rights: Rights,
    /// Code of how much data goes into completions.
    pub inline: u32,
    pub reserved_key: bool,
    pub kind: End,
}

/// What kind of end it is: who suffers when it refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Acknowledges; stops with an event when it refuses.
    Reliable,
    /// Drops what it refuses.
    Unreliable,
    /// Takes datagrams.
    Datagram,
    /// Acknowledges, stays as it is when it refuses.
    DcTarget,
}

/// What others may do to memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rights {
    pub read: bool,
    pub write: bool,
    pub atomic: bool,
}

/// A negative answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nak {
    NotReady,
    Access,
    Invalid,
    Operation,
}

impl Endpoint {
    /// Access to memory in the name of the sender.
    pub fn remote(&self, right: Right) -> Access {
        Access { right, pd: self.remote_pd, qpn: self.number, reserved_key: false, any_pd: false }
    }

    /// Access to receive buffers.
    pub fn local(&self) -> Access {
        Access {
            right: Right::LocalWrite,
            pd: self.pd,
            qpn: self.number,
            reserved_key: self.reserved_key,
            any_pd: false,
        }
    }
}

impl Chip {
    /// The receiving end of a queue pair. `xrc` is the shared queue that a sender names.
    pub(super) fn end_of_qp(&self, n: u32, qp: &Qp, xrc: Option<u32>) -> Result<Endpoint, Nak> {
        let own = qp.get(Qpc::PD);
        let reserved_key = qp.get(Qpc::RLKY) != 0;
        let mut end = Endpoint {
            number: n,
            source: if qp.rq.stride > 0 { Source::Own(n) } else { Source::None },
            cqn: qp.get(Qpc::CQN_RCV),
            resource: super::error::resource(qp.get(Qpc::USER_INDEX), 0),
            pd: own,
            remote_pd: own,
            rights: Rights {
                read: qp.get(Qpc::RRE) != 0,
                write: qp.get(Qpc::RWE) != 0,
                atomic: qp.get(Qpc::RAE) != 0,
            },
            inline: qp.get(Qpc::CS_RES),
            reserved_key,
            kind: match qp.service() {
                service::UC => End::Unreliable,
                _ if qp.is_datagram() => End::Datagram,
                _ => End::Reliable,
            },
        };
        if let Some(key) = qp.srq {
            end.source = Source::Shared(key);
            if let Some(srq) = self.dp.srqs.get(&key) {
                end.pd = srq.pd;
                end.resource = super::error::resource(qp.get(Qpc::USER_INDEX), key.1);
                if key.0 == kind::XRQ {
                    (end.cqn, end.resource) = (srq.cqn, super::error::resource(srq.uidx, key.1));
                }
            }
        }
        if qp.service() == service::XRC
            && let Some(n) = xrc
        {
            let key = self.shared_queue(n).filter(|k| matches!(k.0, kind::XRC_SRQ | kind::SRQ));
            let key = key.ok_or(Nak::Invalid)?;
            let srq = self.dp.srqs.get(&key).ok_or(Nak::Invalid)?;
            if srq.xrcd != qp.get(Qpc::XRCD) {
                return Err(Nak::Invalid);
            }
            // XRC works in the shared queue's domain and reports to its completion queue
            end.source = Source::Shared(key);
            (end.pd, end.remote_pd) = (srq.pd, srq.pd);
            (end.cqn, end.resource) = (srq.cqn, super::error::resource(srq.uidx, key.1));
        }
        Ok(end)
    }

    /// The receiving end of a DC target, if it is there and the access key opens it.
    pub(super) fn end_of_dct(&mut self, h: &dyn Host, n: u32, access_key: u64) -> Option<Endpoint> {
        const DRAINED: u32 = 2;
        let ctx = CreateDctIn::DCT_CONTEXT_ENTRY;
        let o = self.objs.get(&(kind::DCT, n))?;
        let get = |f: Field| f.within(ctx).get32(&o.input);
        if get(Dctc::STATE) == DRAINED {
            return None;
        }
        if Dctc::DC_ACCESS_KEY.within(ctx).get(&o.input) != access_key {
            if let Some(o) = self.objs.get_mut(&(kind::DCT, n)) {
                let f = Dctc::DC_ACCESS_KEY_VIOLATION_COUNT.within(ctx);
                let count = f.get(&o.input).saturating_add(1);
                f.set(&mut o.input, count);
            }
            self.affiliated(h, event::DCT_KEY_VIOLATION, EVENT_DCT, n);
            return None;
        }
        let srq = self.shared_queue(get(Dctc::SRQN_XRQN));
        let pd = get(Dctc::PD);
        Some(Endpoint {
            number: n,
            source: srq.map_or(Source::None, Source::Shared),
            cqn: get(Dctc::CQN),
            resource: super::error::resource(get(Dctc::USER_INDEX), get(Dctc::SRQN_XRQN)),
            pd: srq.and_then(|k| self.dp.srqs.get(&k)).map_or(pd, |s| s.pd),
            remote_pd: pd,
            rights: Rights {
                read: get(Dctc::RRE) != 0,
                write: get(Dctc::RWE) != 0,
                atomic: get(Dctc::RAE) != 0,
            },
            inline: get(Dctc::CS_RES),
            reserved_key: get(Dctc::RLKY) != 0,
            kind: End::DcTarget,
        })
    }

    /// A message reached a queue pair: the first one in RTR is an event.
    pub(super) fn reached(&mut self, h: &dyn Host, n: u32) {
        let Some(qp) = self.dp.qps.get_mut(&n) else { return };
        if qp.state == state::RTR && !std::mem::replace(&mut qp.established, true) {
            self.affiliated(h, event::COMM_EST, EVENT_QP, n);
        }
    }

    /// An end refuses a request: reliable ones stop, with an event that says why.
    pub(super) fn refuse_request(&mut self, h: &dyn Host, end: &Endpoint, nak: Nak) -> Nak {
        let event_type = match nak {
            Nak::Access => event::WQ_ACCESS_ERROR,
            Nak::Invalid => event::WQ_INVAL_REQ_ERROR,
            Nak::NotReady | Nak::Operation => return nak,
        };
        if end.kind == End::Reliable {
            self.affiliated(h, event_type, EVENT_QP, end.number);
            self.enter_error(h, end.number);
        }
        nak
    }
}
