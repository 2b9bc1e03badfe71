//! From the device's event entries to what processes read.

use super::event_fd::EventKind;
use super::file::OpenFile;
use super::handlers::devx_obj::EventSource;
use super::objects::Object;
use nix::unistd::write;

/// Event types of the device (PRM, event queue entries).
#[allow(missing_docs)]
pub mod kinds {
    pub const COMPLETION: u8 = 0x00;
    pub const PATH_MIGRATED: u8 = 0x01;
    pub const COMM_ESTABLISHED: u8 = 0x02;
    pub const SQ_DRAINED: u8 = 0x03;
    pub const CQ_ERROR: u8 = 0x04;
    pub const WQ_CATASTROPHIC: u8 = 0x05;
    pub const PATH_MIGRATION_FAILED: u8 = 0x07;
    pub const PORT_CHANGE: u8 = 0x09;
    pub const WQ_INVALID_REQUEST: u8 = 0x10;
    pub const WQ_ACCESS_ERROR: u8 = 0x11;
    pub const SRQ_CATASTROPHIC: u8 = 0x12;
    pub const SRQ_LAST_WQE: u8 = 0x13;
    pub const SRQ_LIMIT: u8 = 0x14;
    pub const XRQ_ERROR: u8 = 0x18;
    pub const DCT_DRAINED: u8 = 0x1c;
    pub const DCT_KEY_VIOLATION: u8 = 0x1d;
}

/// One event entry, decoded as far as delivery needs it.
#[derive(Clone, Debug)]
pub struct Event {
    /// Event type.
    pub kind: u8,
    /// Subtype.
    pub subtype: u8,
    /// The entry as the device wrote it.
    pub entry: [u8; 64],
}

impl Event {
    /// Decode an entry.
    pub fn new(entry: [u8; 64]) -> Event {
        Event { kind: entry[1], subtype: entry[3], entry }
    }

    fn word(&self, at: usize) -> u32 {
        prm::bits::be32(&self.entry, 32 + at)
    }

    /// The object an affiliated event names.
    pub fn source(&self) -> EventSource {
        use kinds::*;
        let number = self.word(24) & 0xff_ffff;
        match self.kind {
            COMPLETION => EventSource { kind: EventSource::CQ, number },
            CQ_ERROR => EventSource { kind: EventSource::CQ, number: self.word(0) & 0xff_ffff },
            PATH_MIGRATED
            | COMM_ESTABLISHED
            | SQ_DRAINED
            | WQ_CATASTROPHIC
            | PATH_MIGRATION_FAILED
            | WQ_INVALID_REQUEST
            | WQ_ACCESS_ERROR
            | SRQ_CATASTROPHIC
            | SRQ_LAST_WQE
            | SRQ_LIMIT => {
                // queue type: 0 QP, 1 RQ, 2 SQ
                EventSource { kind: EventSource::QUEUE | self.entry[32 + 20] as u16, number }
            }
            DCT_DRAINED | DCT_KEY_VIOLATION => EventSource { kind: EventSource::DCT, number },
            XRQ_ERROR => EventSource { kind: EventSource::QUEUE | 3, number: self.word(20) & 0xff_ffff },
            // the header common to newer events: object type and number
            _ => EventSource { kind: (self.word(0) & 0xffff) as u16, number: self.word(4) },
        }
    }
}

/// Deliver an event to one open file.
pub fn deliver(file: &mut OpenFile, event: &Event, unaffiliated: bool) {
    if !file.disassociated {
        to_subscribers(file, event, unaffiliated);
        match event.kind {
            kinds::COMPLETION => to_completion_channel(file, event.source().number),
            _ => to_async(file, event),
        }
    }
}

fn to_subscribers(file: &mut OpenFile, event: &Event, unaffiliated: bool) {
    let source = event.source();
    let due: Vec<_> = file
        .subscriptions
        .iter()
        .filter(|s| s.event == event.kind as u16)
        .filter(|s| match &s.object {
            None => unaffiliated,
            Some((_, object)) => object.matches(source),
        })
        .cloned()
        .collect();
    for subscription in due {
        if let Some(eventfd) = &subscription.eventfd {
            let _ = write(eventfd.as_ref(), &1u64.to_ne_bytes());
            continue;
        }
        let Some(channel) = file.event_fds.get_mut(&subscription.channel) else { continue };
        let EventKind::DevxEvent { omit_data } = channel.kind else { continue };
        let cookie = subscription.cookie.to_ne_bytes();
        if omit_data {
            // one record for each subscription until it is read
            channel.take_back(|r| r != cookie);
            channel.push(&cookie);
        } else {
            channel.push(&[&cookie[..], &event.entry[..]].concat());
        }
    }
}

fn to_completion_channel(file: &mut OpenFile, number: u32) {
    let mut target = None;
    for (_, object) in file.handles.iter_mut() {
        if let Object::Cq(cq) = object
            && cq.number == number
        {
            cq.completion_events += 1;
            target = cq.channel.map(|key| (key, cq.user_handle));
        }
    }
    if let Some((key, user_handle)) = target
        && let Some(channel) = file.event_fds.get_mut(&key)
    {
        channel.push(&user_handle.to_ne_bytes());
    }
}

/// Asynchronous event numbers of the verbs interface.
mod ib {
    pub const CQ_ERR: u32 = 0;
    pub const QP_FATAL: u32 = 1;
    pub const QP_REQ_ERR: u32 = 2;
    pub const QP_ACCESS_ERR: u32 = 3;
    pub const COMM_EST: u32 = 4;
    pub const SQ_DRAINED: u32 = 5;
    pub const PATH_MIG: u32 = 6;
    pub const PATH_MIG_ERR: u32 = 7;
    pub const DEVICE_FATAL: u32 = 8;
    pub const PORT_ACTIVE: u32 = 9;
    pub const PORT_ERR: u32 = 10;
    pub const LID_CHANGE: u32 = 11;
    pub const PKEY_CHANGE: u32 = 12;
    pub const SRQ_ERR: u32 = 14;
    pub const SRQ_LIMIT_REACHED: u32 = 15;
    pub const QP_LAST_WQE_REACHED: u32 = 16;
    pub const CLIENT_REREGISTER: u32 = 17;
    pub const GID_CHANGE: u32 = 18;
}

fn to_async(file: &mut OpenFile, event: &Event) {
    use kinds::*;
    let number = event.source().number;
    let verbs_event = match event.kind {
        PATH_MIGRATED => ib::PATH_MIG,
        COMM_ESTABLISHED => ib::COMM_EST,
        SQ_DRAINED => ib::SQ_DRAINED,
        WQ_CATASTROPHIC => ib::QP_FATAL,
        PATH_MIGRATION_FAILED => ib::PATH_MIG_ERR,
        WQ_INVALID_REQUEST => ib::QP_REQ_ERR,
        WQ_ACCESS_ERROR => ib::QP_ACCESS_ERR,
        SRQ_LAST_WQE => ib::QP_LAST_WQE_REACHED,
        CQ_ERROR => ib::CQ_ERR,
        SRQ_CATASTROPHIC => ib::SRQ_ERR,
        SRQ_LIMIT => ib::SRQ_LIMIT_REACHED,
        PORT_CHANGE => return port_change(file, event),
        _ => return,
    };
    let mut target = None;
    for (_, object) in file.handles.iter_mut() {
        match (event.kind, object) {
            (CQ_ERROR, Object::Cq(cq)) if cq.number == number => {
                cq.async_events += 1;
                target = Some((cq.user_handle, cq.async_fd));
            }
            (SRQ_CATASTROPHIC | SRQ_LIMIT, Object::Srq(srq)) if srq.number == number => {
                srq.async_events += 1;
                target = Some((srq.user_handle, srq.async_fd));
            }
            (CQ_ERROR | SRQ_CATASTROPHIC | SRQ_LIMIT, _) => {}
            (_, Object::Qp(qp)) if qp.owns(number) => {
                qp.async_events += 1;
                target = Some((qp.user_handle, qp.async_fd));
            }
            (_, Object::Wq(wq)) if wq.number == number => {
                wq.async_events += 1;
                target = Some((wq.user_handle, wq.async_fd));
            }
            _ => {}
        }
    }
    if let Some((element, fd)) = target {
        push_async(file, fd, element, verbs_event);
    }
}

fn port_change(file: &mut OpenFile, event: &Event) {
    let verbs_event = match event.subtype {
        1 => ib::PORT_ERR,
        4 => ib::PORT_ACTIVE,
        6 => ib::LID_CHANGE,
        7 => ib::PKEY_CHANGE,
        8 => ib::GID_CHANGE,
        9 => ib::CLIENT_REREGISTER,
        _ => return,
    };
    // the port is in the upper half of the ninth byte of the data
    let port = event.entry[32 + 8] >> 4;
    push_async(file, None, port as u64, verbs_event);
}

fn push_async(file: &mut OpenFile, fd: Option<super::client::FileKey>, element: u64, verbs_event: u32) {
    let Some(key) = fd.or(file.async_fd) else { return };
    if let Some(channel) = file.event_fds.get_mut(&key) {
        let mut record = element.to_ne_bytes().to_vec();
        record.extend_from_slice(&verbs_event.to_ne_bytes());
        record.extend_from_slice(&[0; 4]);
        channel.push(&record);
    }
}

/// The device is gone: what its files hear of it.
pub fn device_fatal(file: &mut OpenFile) {
    push_async(file, None, 0, ib::DEVICE_FATAL);
}

/// An asynchronous verbs event by number, for tests that need one the device never raises.
pub fn raise_async(file: &mut OpenFile, element: u64, verbs_event: u32) {
    push_async(file, None, element, verbs_event);
}
