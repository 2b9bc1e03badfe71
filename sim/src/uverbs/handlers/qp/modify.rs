//! Moving queue pairs between states.

use super::super::super::bytes::{In, Out};
use super::super::super::cx::Cx;
use super::super::super::mailbox::Mailbox;
use super::super::super::objects::{Object, types};
use super::super::umem::access;
use super::path::Path;
use super::states::{self, State, attr};
use super::{Kind, QPC};
use nix::errno::Errno;

/// A modification, from whichever command.
#[derive(Clone, Debug)]
pub struct Change {
    pub handle: u32,
    pub mask: u32,
    pub to: u32,
    pub current: u32,
    pub qkey: u32,
    pub rq_psn: u32,
    pub sq_psn: u32,
    pub dest_qpn: u32,
    pub access: u64,
    pub pkey: u16,
    pub mtu: u8,
    pub migration: u8,
    pub max_rd_atomic: u8,
    pub max_dest_rd_atomic: u8,
    pub min_rnr: u8,
    pub port: u8,
    pub timeout: u8,
    pub retry: u8,
    pub rnr_retry: u8,
    pub dest: Path,
    pub alternate: Path,
    pub rate_limit: u32,
}

impl Change {
    fn read(core: &[u8]) -> Change {
        let q = In(core);
        Change {
            handle: q.u32(64),
            mask: q.u32(68),
            qkey: q.u32(72),
            rq_psn: q.u32(76),
            sq_psn: q.u32(80),
            dest_qpn: q.u32(84),
            access: q.u32(88) as u64,
            pkey: q.u16(92),
            to: q.u8(96) as u32,
            current: q.u8(97) as u32,
            mtu: q.u8(98),
            migration: q.u8(99),
            max_rd_atomic: q.u8(101),
            max_dest_rd_atomic: q.u8(102),
            min_rnr: q.u8(103),
            port: q.u8(104),
            timeout: q.u8(105),
            retry: q.u8(106),
            rnr_retry: q.u8(107),
            dest: Path::of_dest(&q, 0),
            alternate: Path::of_dest(&q, 32),
            rate_limit: q.u32(112),
        }
    }

    pub fn has(&self, attribute: u32) -> bool {
        self.mask & attribute != 0
    }
}

/// MODIFY_QP.
pub fn modify_write(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let change = Change::read(cx.core_in());
    if change.mask & !attr::LEGACY != 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    modify(cx, change)
}

/// The extended MODIFY_QP.
pub fn modify_write_ex(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let change = Change::read(cx.core_in());
    if change.mask & !(attr::LEGACY | attr::RATE_LIMIT) != 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    modify(cx, change)?;
    let mut r = Out::new(8);
    r.u32(4, 8);
    cx.core_out(&r.0)
}

fn modify(cx: &mut Cx<'_>, mut change: Change) -> Result<(), Errno> {
    cx.file.handles.lookup(change.handle as i64, types::QP).map_err(|_| Errno::EINVAL)?;
    let (kind, state, port, is_rss) = match cx.file.handles.get(change.handle) {
        Some(Object::Qp(qp)) => (qp.kind, qp.state, qp.port, qp.raw.as_ref().is_some_and(|r| r.is_rss())),
        _ => return Err(Errno::EINVAL),
    };
    let ports = cx.dev.options.ports;
    let bad_port = |p: u8| p == 0 || p > ports;
    if change.has(attr::PORT) && bad_port(change.port) {
        return Err(Errno::EINVAL);
    }
    if change.has(attr::AV) {
        if bad_port(change.dest.port) {
            change.dest.port = port;
        }
        change.dest.check(cx.dev)?;
    }
    if change.has(attr::ALT_PATH) {
        change.alternate.check(cx.dev)?;
    }
    let current = if change.has(attr::CUR_STATE) { State::from_verbs(change.current) } else { Some(state) };
    let target = if change.has(attr::STATE) { State::from_verbs(change.to) } else { current };
    let (Some(current), Some(target)) = (current, target) else { return Err(Errno::EINVAL) };
    if is_rss {
        return Err(Errno::EOPNOTSUPP);
    }
    driver_input(cx)?;
    if change.has(attr::RATE_LIMIT) && kind != Kind::RawPacket {
        return Err(Errno::EOPNOTSUPP);
    }
    if kind == Kind::Dct {
        return super::dct::modify(cx, &change, current, target);
    }
    if !states::is_ok(kind, current, target, change.mask) {
        return Err(Errno::EINVAL);
    }
    check_limits(cx, &change)?;
    if current != State::Reset || target != State::Reset {
        match kind {
            Kind::RawPacket => super::raw::modify(cx, &change, target)?,
            _ => send(cx, &change, kind, current, target)?,
        }
    }
    if let Some(Object::Qp(qp)) = cx.file.handles.get_mut(change.handle) {
        qp.state = target;
        if change.has(attr::ACCESS) {
            qp.rights = change.access;
        }
        if change.has(attr::MAX_DEST_RD_ATOMIC) {
            qp.responder_depth = change.max_dest_rd_atomic;
        }
        if change.has(attr::PORT) {
            qp.port = change.port;
        }
    }
    let mut d = Out::new(16);
    d.u32(0, 16.min(cx.uhw_out_len()) as u32);
    if cx.uhw_out_len() > 0 {
        cx.uhw_out(&d.0)?;
    }
    Ok(())
}

/// The driver's own input: burst of a rate limit, ECE options; nothing else.
fn driver_input(cx: &Cx<'_>) -> Result<(), Errno> {
    let input = cx.uhw_in()?;
    let q = In(&input);
    if q.u32(0) != 0 || !q.zero_from(16) {
        return Err(Errno::EOPNOTSUPP);
    }
    Ok(())
}

fn check_limits(cx: &mut Cx<'_>, change: &Change) -> Result<(), Errno> {
    let keys =
        if cx.dev.is_ethernet() { 1 } else { 128u32.checked_shl(cx.dev.cap(0x190, 16) as u32).unwrap_or(0) };
    let reads = 1u32 << cx.dev.cap(0x15a, 6).min(31);
    let dest_reads = 1u32 << cx.dev.cap(0x14a, 6).min(31);
    let wrong = (change.has(attr::PKEY) && change.pkey as u32 >= keys)
        || (change.has(attr::MAX_RD_ATOMIC) && change.max_rd_atomic as u32 > reads)
        || (change.has(attr::MAX_DEST_RD_ATOMIC) && change.max_dest_rd_atomic as u32 > dest_reads)
        || (change.has(attr::MTU) && !(1..=5).contains(&change.mtu));
    if wrong { Err(Errno::EINVAL) } else { Ok(()) }
}

/// The logarithm of a count, as contexts have it: 0 and 1 are the same.
fn log_of(count: u8) -> u64 {
    if count == 0 { 0 } else { (8 - (count - 1).leading_zeros().min(8)) as u64 }
}

const PATH: usize = QPC + 0xc0;
const ALTERNATE: usize = QPC + 0x220;

fn send(cx: &mut Cx<'_>, change: &Change, kind: Kind, from: State, to: State) -> Result<(), Errno> {
    let opcode = states::opcode(from, to).ok_or(Errno::EINVAL)?;
    let (number, uid) = match cx.file.handles.get(change.handle) {
        Some(Object::Qp(qp)) => (qp.number, qp.uid),
        _ => return Err(Errno::EINVAL),
    };
    let len = if matches!(opcode, 0x507 | 0x50a) { 16 } else { 272 };
    let mut m = Mailbox::command(opcode, uid, len);
    m.set(0x48, 24, number as u64);
    if len > 16 {
        context(cx, &mut m, change, kind, opcode)?;
        let asked = parameters(change) & states::optional_parameters(kind, opcode);
        m.set(0x80, 32, asked as u64);
    }
    cx.dev.exec(&m, 16).map(|_| ())
}

/// Optional parameters that a modification asks for, as the device numbers them.
fn parameters(change: &Change) -> u32 {
    let table = [
        (attr::ALT_PATH, 1),
        (attr::ACCESS | attr::MAX_DEST_RD_ATOMIC, 0b1110),
        (attr::PKEY, 1 << 4),
        (attr::QKEY, 1 << 5),
        (attr::MIN_RNR, 1 << 6),
        (attr::MAX_RD_ATOMIC, 1 << 8),
        (attr::MAX_DEST_RD_ATOMIC, 1 << 9),
        (attr::MIG_STATE, 1 << 10),
        (attr::RETRY, 1 << 12),
        (attr::RNR_RETRY, 1 << 13),
        (attr::TIMEOUT, 1 << 14),
        (attr::PORT, 1 << 16),
    ];
    table.iter().filter(|(a, _)| change.has(*a)).fold(0, |bits, (_, p)| bits | p)
}

fn context(cx: &Cx<'_>, m: &mut Mailbox, change: &Change, kind: Kind, opcode: u16) -> Result<(), Errno> {
    m.set(QPC + 0x08, 8, super::service_type(kind)).set(QPC + 0x13, 2, super::MIGRATED);
    if change.has(attr::MIG_STATE) {
        // armed, rearm, migrated: verbs count from the other end
        m.set(QPC + 0x13, 2, [3, 1, 0].get(change.migration as usize).copied().unwrap_or(3));
    }
    if change.has(attr::AV) {
        change.dest.put(cx.dev, m, PATH)?;
    }
    if change.has(attr::PORT) {
        m.set(PATH + 0x128, 8, change.port as u64);
    }
    if change.has(attr::PKEY) {
        m.set(PATH + 0x10, 16, change.pkey as u64);
    }
    if change.has(attr::TIMEOUT) {
        m.set(PATH + 0x40, 5, change.timeout as u64);
    }
    if change.has(attr::ALT_PATH) {
        change.alternate.put(cx.dev, m, ALTERNATE)?;
    }
    let largest = cx.dev.cap(0x1c3, 5);
    match (kind, opcode) {
        // one packet of the largest size
        (Kind::Ud, 0x503) => {
            m.set(QPC + 0x40, 3, 5).set(QPC + 0x43, 5, 12);
        }
        (_, 0x503) => {
            m.set(QPC + 0x40, 3, change.mtu as u64).set(QPC + 0x43, 5, largest);
        }
        _ => {}
    }
    let fields = [
        (attr::DEST_QPN, 0xa8, 24, change.dest_qpn as u64),
        (attr::RNR_RETRY, 0x390, 3, change.rnr_retry as u64),
        (attr::RETRY, 0x38d, 3, change.retry as u64),
        (attr::MAX_RD_ATOMIC, 0x388, 3, log_of(change.max_rd_atomic)),
        (attr::SQ_PSN, 0x3c8, 24, change.sq_psn as u64),
        (attr::MAX_DEST_RD_ATOMIC, 0x488, 3, log_of(change.max_dest_rd_atomic)),
        (attr::MIN_RNR, 0x4a3, 5, change.min_rnr as u64),
        (attr::RQ_PSN, 0x4a8, 24, change.rq_psn as u64),
        (attr::QKEY, 0x540, 32, change.qkey as u64),
    ];
    for (attribute, bit, width, value) in fields {
        if change.has(attribute) {
            m.set(QPC + bit, width, value);
        }
    }
    if change.has(attr::ACCESS) || change.has(attr::MAX_DEST_RD_ATOMIC) {
        rights(cx, m, granted(cx, change), QPC);
    }
    Ok(())
}

/// Remote rights after a change: reads and atomics need room to answer them.
fn granted(cx: &Cx<'_>, change: &Change) -> u64 {
    let (rights, depth) = match cx.file.handles.get(change.handle) {
        Some(Object::Qp(qp)) => (qp.rights, qp.responder_depth),
        _ => (0, 0),
    };
    let rights = if change.has(attr::ACCESS) { change.access } else { rights };
    let depth = if change.has(attr::MAX_DEST_RD_ATOMIC) { change.max_dest_rd_atomic } else { depth };
    if depth == 0 { rights & access::REMOTE_WRITE } else { rights }
}

/// Remote rights: reading, writing, atomics and how those count.
pub fn rights(cx: &Cx<'_>, m: &mut Mailbox, flags: u64, at: usize) {
    let set = |flag: u64| (flags & flag != 0) as u64;
    m.set(at + 0x490, 1, set(access::REMOTE_READ)).set(at + 0x491, 1, set(access::REMOTE_WRITE)).set(
        at + 0x492,
        1,
        set(access::REMOTE_ATOMIC),
    );
    if flags & access::REMOTE_ATOMIC != 0 && cx.dev.cap(0x21e, 1) != 0 {
        // compare-and-swap and fetch-and-add of eight bytes
        m.set(at + 0x48c, 4, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_become_logarithms() {
        assert_eq!([0, 1, 2, 3, 4, 5, 16].map(log_of), [0, 0, 1, 2, 2, 3, 4]);
    }
}
