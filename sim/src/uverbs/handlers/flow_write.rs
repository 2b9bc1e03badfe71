//! CREATE_FLOW of the write commands: flows as the verbs describe them.

use super::super::bytes::{In, Out};
use super::super::cx::Cx;
use super::super::mailbox::Mailbox;
use super::super::objects::Object;
use super::flow::{self, Flow, bits};
use super::flow_spec::Specs;
use super::flow_table::{self, Action, Criteria, MATCH_BYTES};
use super::qp::Kind;
use nix::errno::Errno;

/// Types of flows.
mod kind {
    pub const NORMAL: u32 = 0;
    pub const ALL: u32 = 1;
    pub const MULTICAST: u32 = 2;
    pub const SNIFFER: u32 = 3;
}

/// Flags of a flow; the lowest is unused.
const DONT_TRAP: u32 = 1 << 1;
const EGRESS: u32 = 1 << 2;
const RESERVED: u32 = 1 << 3;

/// Most specifications of a flow, and the size of the largest kind.
const MOST_SPECS: usize = 10;
const LARGEST_SPEC: usize = 88;
const LAST_PRIORITY: u16 = 15;
/// Default flows come after all others.
const AFTER_ALL: u16 = u16::MAX - 1;

/// Table types as the device numbers them.
const RECEIVE: u32 = 0;
const SEND: u32 = 1;
const RECEIVE_SNIFFER: u32 = 5;

/// The request, before its specifications.
struct Request {
    qp: u32,
    kind: u32,
    priority: u16,
    specs: Vec<u8>,
    count: usize,
    flags: u32,
}

/// The checks of the core, in its order.
fn request(cx: &Cx<'_>) -> Result<Request, Errno> {
    const HEAD: usize = 24;
    let q = In(cx.core_in());
    let (size, count, flags) = (q.u16(12) as usize, q.u8(16) as usize, q.u32(20));
    let r = Request {
        qp: q.u32(4),
        kind: q.u32(8),
        priority: q.u16(14),
        specs: cx.core_in().get(HEAD..HEAD + size).unwrap_or(&[]).to_vec(),
        count,
        flags,
    };
    if q.u32(0) != 0 {
        return Err(Errno::EINVAL);
    }
    flow::privileged(cx)?;
    let by_default = matches!(r.kind, kind::ALL | kind::MULTICAST);
    let left = cx.core_in().len().saturating_sub(HEAD);
    let fits = size <= left && size <= count * LARGEST_SPEC;
    if flags >= RESERVED
        || (flags & DONT_TRAP != 0 && by_default)
        || count > MOST_SPECS
        || !fits
        || q.u16(17) != 0
        || q.u8(19) == 0
        || q.u8(19) > cx.dev.options.ports
    {
        return Err(Errno::EINVAL);
    }
    match cx.file.handles.get(r.qp) {
        Some(Object::Qp(qp)) if matches!(qp.kind, Kind::Ud | Kind::RawPacket) => Ok(r),
        _ => Err(Errno::EINVAL),
    }
}

/// The driver's request: descriptions of counters, `None` if there are none.
fn descriptions(cx: &Cx<'_>) -> Result<Option<Vec<(u32, u32)>>, Errno> {
    const SHORTEST: usize = 8;
    const ONE: usize = 16;
    /// Packets and bytes.
    const KINDS: u32 = 2;
    let input = cx.uhw_in()?;
    let q = In(&input);
    if input.is_empty() {
        return Ok(None);
    }
    if input.len() < SHORTEST {
        return Err(Errno::EOPNOTSUPP);
    }
    let blocks = q.u32(0);
    if blocks > 1 {
        return Err(Errno::EINVAL);
    }
    if !q.zero_from(SHORTEST + ONE * blocks as usize) {
        return Err(Errno::EOPNOTSUPP);
    }
    if blocks == 0 {
        return Ok(None);
    }
    let (at, n) = (q.u64(8), q.u32(16) as usize);
    if n == 0 || n > 2 * KINDS as usize * 1024 {
        return Err(Errno::EINVAL);
    }
    let mut list = vec![0; 8 * n];
    cx.client.read(at, &mut list).map_err(|_| Errno::EFAULT)?;
    let list: Vec<(u32, u32)> = list.chunks_exact(8).map(|c| (In(c).u32(0), In(c).u32(4))).collect();
    if list.iter().any(|(what, _)| *what >= KINDS) {
        return Err(Errno::EINVAL);
    }
    Ok(Some(list))
}

/// The firmware counter of a counters object, made at its first flow, and what is read of it.
fn counter(cx: &mut Cx<'_>, handle: u32, points: Option<Vec<(u32, u32)>>) -> Result<u32, Errno> {
    let bound = cx.file.handles.users(handle) > 0;
    let known = match cx.file.handles.get(handle) {
        Some(Object::Counters(c)) => c.number,
        _ => return Err(Errno::EINVAL),
    };
    // descriptions are for good while a flow counts
    if bound == points.is_some() {
        return Err(Errno::EINVAL);
    }
    let number = match known {
        Some(number) => number,
        None => cx.dev.exec(&Mailbox::command(0x939, 0, 16), 16)?.get(0x40, 32) as u32,
    };
    if let Some(Object::Counters(c)) = cx.file.handles.get_mut(handle) {
        c.number = Some(number);
        if let Some(points) = points {
            c.points = points;
        }
    }
    Ok(number)
}

/// CREATE_FLOW.
pub fn create(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let r = request(cx)?;
    let specs = Specs::parse(&r.specs, r.count, MATCH_BYTES)?;
    let mut holds = vec![r.qp];
    for handle in &specs.actions {
        match cx.file.handles.get(*handle) {
            Some(Object::FlowAction(_)) => holds.push(*handle),
            _ => return Err(Errno::EINVAL),
        }
    }
    let points = descriptions(cx)?;
    if r.priority > LAST_PRIORITY {
        return Err(Errno::ENOMEM);
    }
    let egress = r.flags & EGRESS != 0;
    if r.flags & !(DONT_TRAP | EGRESS) != 0 || (egress && matches!(r.kind, kind::ALL | kind::MULTICAST)) {
        return Err(Errno::EINVAL);
    }
    let (table_type, priority) = match r.kind {
        kind::NORMAL if egress => (SEND, r.priority),
        kind::NORMAL => (RECEIVE, r.priority),
        kind::ALL | kind::MULTICAST => (RECEIVE, AFTER_ALL),
        kind::SNIFFER => (RECEIVE_SNIFFER, 0),
        _ => return Err(Errno::EINVAL),
    };
    let mut action = Action { tag: specs.tag.unwrap_or(0), ..Action::default() };
    for handle in &specs.actions {
        if let Some(Object::FlowAction(a)) = cx.file.handles.get(*handle) {
            flow::apply(&mut action, a)?;
        }
    }
    if specs.drop {
        action.bits |= bits::DROP;
    } else if egress {
        action.bits |= bits::ALLOW;
    } else {
        action.bits |= bits::FORWARD;
        action.destinations.push((flow::TO_TIR, flow::interface_of(cx, r.qp)?));
    }
    let mut points = points;
    for handle in &specs.counters {
        action.counters.push(counter(cx, *handle, points.take())?);
        action.bits |= bits::COUNT;
        holds.push(*handle);
    }
    let mut specs = specs;
    if r.kind == kind::MULTICAST {
        multicast(&mut specs);
    }
    cx.dev.matchers += 1;
    let criteria = Criteria {
        serial: cx.dev.matchers,
        table_type,
        priority,
        enable: specs.criteria(),
        mask: std::mem::take(&mut specs.mask),
    };
    let (table, index) = flow_table::add(cx.dev, &criteria, &specs.value, &action)?;
    let handle = cx.commit(Object::Flow(Flow { table, index }), holds);
    let mut out = Out::new(8);
    out.u32(4, handle);
    cx.core_out(&out.0)
}

/// Match the group bit of destination addresses.
fn multicast(specs: &mut Specs) {
    let group = prm::Field::new(prm::DrMatchParam::OUTER.off + prm::DrMatchSpec::DMAC_47_16.off + 7, 1);
    group.set(&mut specs.mask, 1);
    group.set(&mut specs.value, 1);
}
