//! Flow rules of the kernel's steering: matchers, rules, actions, anchors, counters.

use super::super::cx::Cx;
use super::super::device::Device;
use super::super::mailbox::Mailbox;
use super::super::objects::Object;
use super::flow_table::{self, Action, Criteria, MATCH_BYTES};
use nix::errno::Errno;
use prm::{AllocPacketReformatContextIn, PacketReformatContextIn};

/// Verbs flow counters. Nothing is on the device before a flow uses them.
#[derive(Debug, Default)]
pub struct Counters {
    /// Firmware counter, once a flow uses it.
    pub number: Option<u32>,
    /// What is counted, and at which place of a reader's array it is added.
    pub points: Vec<(u32, u32)>,
}

/// A matcher.
#[derive(Debug)]
pub struct Matcher {
    /// What it matches on.
    criteria: Criteria,
}

/// A rule.
#[derive(Debug)]
pub struct Flow {
    pub(super) table: u32,
    pub(super) index: u32,
}

/// A flow action.
#[derive(Debug)]
pub struct FlowAction {
    /// Context on the device; none for what needs no context.
    number: Option<u32>,
    kind: ActionKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ActionKind {
    ModifyHeader,
    Reformat,
    Decapsulate,
}

/// A steering anchor: a table that users can point at.
#[derive(Debug)]
pub struct Anchor {
    criteria: Criteria,
}

/// Bits of an entry's action.
pub(super) mod bits {
    pub const ALLOW: u32 = 1;
    pub const DROP: u32 = 2;
    pub const FORWARD: u32 = 4;
    pub const COUNT: u32 = 8;
    pub const REFORMAT: u32 = 0x10;
    pub const DECAPSULATE: u32 = 0x20;
    pub const MODIFY_HEADER: u32 = 0x40;
}

/// Destination types.
const TO_TABLE: u8 = 1;
pub(super) const TO_TIR: u8 = 2;

/// The priority of rules that take what no other rule took.
const DEFAULT_PRIORITY: u16 = u16::MAX;
/// The device's number of the e-switch's tables.
const FDB: u32 = 4;
/// The same for packets of RDMA that come in.
const RDMA_RECEIVE: u32 = 7;
/// Flow actions that a rule takes, and its last priority.
const MOST_ACTIONS: usize = 2;
const LAST_PRIORITY: u16 = 15;

/// Directions as the interface numbers them.
const NIC_RX: u64 = 0;
const NIC_TX: u64 = 1;
const RDMA_TX: u64 = 4;

/// The device's number of a table type.
fn table_type(ft_type: u64) -> Result<u32, Errno> {
    match ft_type {
        NIC_RX => Ok(0),
        NIC_TX => Ok(1),
        2 => Ok(4),
        3 => Ok(7),
        4 => Ok(8),
        _ => Err(Errno::EINVAL),
    }
}

/// Raw packets are for those who may have them.
pub(super) fn privileged(cx: &Cx<'_>) -> Result<(), Errno> {
    const CAP_NET_RAW: u32 = 13;
    match super::super::client::capable(cx.client.tid(), CAP_NET_RAW) {
        true => Ok(()),
        false => Err(Errno::EPERM),
    }
}

/// FLOW_MATCHER.CREATE.
pub fn create_matcher(cx: &mut Cx<'_>) -> Result<(), Errno> {
    const NORMAL: u8 = 0;
    const EGRESS: u64 = 4;
    let mut mask = cx.bytes(0x1001)?;
    if mask.len() > MATCH_BYTES {
        mask.truncate(MATCH_BYTES);
    }
    let priority = match cx.choice(0x1002) {
        Some(NORMAL) => cx.u16(0x1002)?,
        _ => DEFAULT_PRIORITY,
    };
    let enable = cx.bytes(0x1003)?.first().copied().unwrap_or(0);
    if cx.has(0x1004) && cx.has(0x1005) {
        return Err(Errno::EINVAL);
    }
    let ft_type = match (cx.has(0x1005), cx.flags(0x1004, EGRESS)?) {
        (true, _) => cx.u64(0x1005)?,
        (false, EGRESS) => NIC_TX,
        _ => NIC_RX,
    };
    if cx.has(0x1006) {
        // only the transport domains have ports
        return Err(Errno::EINVAL);
    }
    let table_type = table_type(ft_type)?;
    if table_type == FDB {
        // there is no switchdev mode here
        return Err(Errno::EINVAL);
    }
    cx.dev.matchers += 1;
    let criteria = Criteria { serial: cx.dev.matchers, table_type, priority, enable, mask };
    cx.commit(Object::Matcher(Matcher { criteria }), Vec::new());
    Ok(())
}

/// The receiving end of a queue pair: its transport interface.
pub(super) fn interface_of(cx: &Cx<'_>, handle: u32) -> Result<u32, Errno> {
    match cx.file.handles.get(handle) {
        Some(Object::Qp(qp)) => {
            qp.numbers().into_iter().find(|(op, _)| *op == 0x900).map(|(_, n)| n).ok_or(Errno::EINVAL)
        }
        _ => Err(Errno::EINVAL),
    }
}

fn destination(cx: &Cx<'_>, table_type: u32) -> Result<(Action, Vec<u32>), Errno> {
    const DEFAULT_MISS: u64 = 1;
    const DROP: u64 = 2;
    let flags = cx.flags(0x1009, DEFAULT_MISS | DROP)?;
    let (qp, devx) = (cx.handle(0x1002), cx.handle(0x1003));
    let mut action = Action::default();
    if flags == DEFAULT_MISS | DROP || (flags != 0 && (qp.is_some() || devx.is_some())) {
        return Err(Errno::EINVAL);
    }
    let egress = matches!(table_type, 1 | 8);
    if table_type == RDMA_RECEIVE && qp.is_none() && devx.is_none() {
        return Err(Errno::EINVAL);
    }
    if flags & DEFAULT_MISS != 0 && egress {
        // nothing comes after
        return Err(Errno::EOPNOTSUPP);
    }
    if flags & DROP != 0 {
        action.bits = bits::DROP;
        return Ok((action, Vec::new()));
    }
    match (qp, devx) {
        (Some(_), Some(_)) => Err(Errno::EINVAL),
        (Some(handle), None) => {
            action.bits = bits::FORWARD;
            action.destinations.push((TO_TIR, interface_of(cx, handle)?));
            Ok((action, vec![handle]))
        }
        (None, Some(handle)) => {
            let to = match cx.file.handles.get(handle) {
                Some(Object::Devx(o)) if o.target.create == 0x900 => (TO_TIR, o.target.number),
                Some(Object::Devx(o)) if o.target.create == 0x930 => (TO_TABLE, o.target.number),
                _ => return Err(Errno::EINVAL),
            };
            action.bits = bits::FORWARD;
            action.destinations.push(to);
            Ok((action, vec![handle]))
        }
        (None, None) => {
            action.bits = bits::ALLOW;
            Ok((action, Vec::new()))
        }
    }
}

/// FLOW.CREATE_FLOW of the driver.
pub fn create(cx: &mut Cx<'_>) -> Result<(), Errno> {
    privileged(cx)?;
    let matcher = cx.handle(0x1004).ok_or(Errno::EINVAL)?;
    let criteria = match cx.file.handles.get(matcher) {
        Some(Object::Matcher(m)) => m.criteria.clone(),
        _ => return Err(Errno::EINVAL),
    };
    let egress = matches!(criteria.table_type, 1 | 8);
    let (mut action, mut holds) = destination(cx, criteria.table_type)?;
    if egress && action.destinations.iter().any(|(to, _)| *to == TO_TIR) {
        return Err(Errno::EINVAL);
    }
    holds.push(matcher);
    let actions = cx.handle_array(0x1005);
    if actions.len() > MOST_ACTIONS {
        return Err(Errno::EINVAL);
    }
    for handle in actions {
        match cx.file.handles.get(handle) {
            Some(Object::FlowAction(a)) => apply(&mut action, a)?,
            _ => return Err(Errno::EINVAL),
        }
        holds.push(handle);
    }
    if let Some(handle) = cx.handle_array(0x1007).first().copied() {
        let offset = if cx.has(0x1008) { cx.u32(0x1008)? } else { 0 };
        match cx.file.handles.get(handle) {
            Some(Object::Devx(o))
                if o.target.create == super::opcodes::CREATE_FLOW_COUNTER && offset < o.bulk =>
            {
                action.counters.push(o.target.number + offset);
                action.bits |= bits::COUNT;
            }
            _ => return Err(Errno::EINVAL),
        }
        holds.push(handle);
    }
    if cx.has(0x1006) {
        let tag = cx.u32(0x1006)?;
        if tag >> 24 != 0 {
            return Err(Errno::EINVAL);
        }
        action.tag = tag;
    }
    if criteria.priority > LAST_PRIORITY && criteria.priority != DEFAULT_PRIORITY {
        return Err(Errno::ENOMEM);
    }
    let value = cx.bytes(0x1001)?;
    let (table, index) = flow_table::add(cx.dev, &criteria, &value, &action)?;
    cx.commit(Object::Flow(Flow { table, index }), holds);
    Ok(())
}

pub(super) fn apply(action: &mut Action, a: &FlowAction) -> Result<(), Errno> {
    let (bit, place) = match a.kind {
        ActionKind::ModifyHeader => (bits::MODIFY_HEADER, Some(&mut action.modify_header)),
        ActionKind::Reformat => (bits::REFORMAT, Some(&mut action.reformat)),
        ActionKind::Decapsulate => (bits::DECAPSULATE, None),
    };
    if action.bits & bit != 0 {
        return Err(Errno::EINVAL);
    }
    action.bits |= bit;
    if let (Some(place), Some(number)) = (place, a.number) {
        *place = number;
    }
    Ok(())
}

/// FLOW_ACTION.CREATE_MODIFY_HEADER.
pub fn create_modify_header(cx: &mut Cx<'_>) -> Result<(), Errno> {
    const ACTION_BYTES: usize = 8;
    let actions = cx.bytes(0x1001)?;
    let kind = match cx.u64(0x1002)? {
        direction @ (NIC_RX | NIC_TX | RDMA_TX) => table_type(direction)?,
        _ => return Err(Errno::EOPNOTSUPP),
    };
    if actions.len() % ACTION_BYTES != 0 {
        return Err(Errno::EINVAL);
    }
    let mut m = Mailbox::command(0x940, 0, 16);
    m.set(0x60, 8, kind as u64).set(0x78, 8, (actions.len() / ACTION_BYTES) as u64);
    m.0.extend_from_slice(&actions);
    let number = cx.dev.exec(&m, 16)?.get(0x40, 32) as u32;
    let action = FlowAction { number: Some(number), kind: ActionKind::ModifyHeader };
    cx.commit(Object::FlowAction(action), Vec::new());
    Ok(())
}

/// FLOW_ACTION.CREATE_PACKET_REFORMAT.
pub fn create_reformat(cx: &mut Cx<'_>) -> Result<(), Errno> {
    const DECAPSULATE: u64 = 0;
    let wanted = cx.u64(0x1001)?;
    let direction = cx.u64(0x1002)?;
    let goes = matches!((wanted, direction), (DECAPSULATE | 2, NIC_RX) | (1 | 3, NIC_TX));
    if !goes {
        return Err(Errno::EOPNOTSUPP);
    }
    if wanted == DECAPSULATE {
        let action = FlowAction { number: None, kind: ActionKind::Decapsulate };
        cx.commit(Object::FlowAction(action), Vec::new());
        return Ok(());
    }
    // L2 to L2 tunnel, L3 tunnel to L2, L2 to L3 tunnel
    let kind = match wanted {
        1 => 2,
        2 => 3,
        3 => 4,
        _ => return Err(Errno::EOPNOTSUPP),
    };
    let data = cx.bytes(0x1003)?;
    let context = AllocPacketReformatContextIn::PACKET_REFORMAT_CONTEXT.off;
    let start = (context + PacketReformatContextIn::REFORMAT_DATA.off) / 8;
    let mut m = Mailbox::command(0x93d, 0, AllocPacketReformatContextIn::SIZE);
    m.put(PacketReformatContextIn::REFORMAT_TYPE.at(context), kind)
        .put(PacketReformatContextIn::REFORMAT_DATA_SIZE.at(context), data.len() as u64);
    m.0.truncate(start);
    m.0.extend_from_slice(&data);
    let whole = m.0.len().next_multiple_of(4);
    m.0.resize(whole, 0);
    let number = cx.dev.exec(&m, 16)?.get(0x40, 32) as u32;
    let action = FlowAction { number: Some(number), kind: ActionKind::Reformat };
    cx.commit(Object::FlowAction(action), Vec::new());
    Ok(())
}

/// STEERING_ANCHOR.CREATE.
pub fn create_anchor(cx: &mut Cx<'_>) -> Result<(), Errno> {
    privileged(cx)?;
    let table_type = match table_type(cx.u64(0x1001)?)? {
        FDB => return Err(Errno::EOPNOTSUPP),
        nic @ (0 | 1) => nic,
        _ => return Err(Errno::EINVAL),
    };
    let priority = cx.u16(0x1002)?;
    cx.dev.matchers += 1;
    let criteria = Criteria { serial: cx.dev.matchers, table_type, priority, enable: 0, mask: Vec::new() };
    // a rule that passes everything on to what comes after
    let action = Action { bits: bits::ALLOW, ..Action::default() };
    let (number, _) = flow_table::add(cx.dev, &criteria, &[], &action)?;
    cx.commit(Object::Anchor(Anchor { criteria }), Vec::new());
    cx.output(0x1003, &number.to_ne_bytes())
}

/// COUNTERS.CREATE.
pub fn create_counters(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.commit(Object::Counters(Counters::default()), Vec::new());
    Ok(())
}

/// COUNTERS.READ: there is nothing to read while no flow uses them.
pub fn read_counters(cx: &mut Cx<'_>) -> Result<(), Errno> {
    const PREFER_CACHED: u64 = 1;
    cx.flags(2, PREFER_CACHED)?;
    let handle = cx.handle(0).ok_or(Errno::EINVAL)?;
    if cx.file.handles.users(handle) == 0 {
        return Err(Errno::EINVAL);
    }
    let (number, points) = match cx.file.handles.get(handle) {
        Some(Object::Counters(c)) => (c.number.ok_or(Errno::EINVAL)?, c.points.clone()),
        _ => return Err(Errno::EINVAL),
    };
    let mut values = vec![0u64; cx.len(1) / 8];
    if points.iter().any(|(_, index)| *index as usize >= values.len()) {
        return Err(Errno::EINVAL);
    }
    let mut m = Mailbox::command(0x93b, 0, 32);
    m.set(0xd0, 16, 1).set(0xe0, 32, number as u64);
    let reply = cx.dev.exec(&m, 32)?;
    let counted = [reply.get(0x80, 64), reply.get(0xc0, 64)];
    for (what, index) in points {
        if let (Some(v), Some(n)) = (values.get_mut(index as usize), counted.get(what as usize)) {
            *v += n;
        }
    }
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_ne_bytes()).collect();
    cx.output(1, &bytes)
}

/// A matcher has nothing on the device by itself.
pub fn destroy_matcher(_dev: &mut Device, _matcher: &Matcher) -> Result<(), Errno> {
    Ok(())
}

/// Remove a rule.
pub fn destroy(dev: &mut Device, flow: &Flow) -> Result<(), Errno> {
    flow_table::remove(dev, flow.table, flow.index)
}

/// Give an action's context back.
pub fn destroy_action(dev: &mut Device, action: &FlowAction) -> Result<(), Errno> {
    let Some(number) = action.number else { return Ok(()) };
    let opcode = if action.kind == ActionKind::ModifyHeader { 0x941 } else { 0x93e };
    let mut m = Mailbox::command(opcode, 0, 16);
    m.set(0x40, 32, number as u64);
    dev.exec(&m, 16).map(|_| ())
}

/// Free the firmware counter, if there is one.
pub fn destroy_counters(dev: &mut Device, counters: &Counters) -> Result<(), Errno> {
    let Some(number) = counters.number else { return Ok(()) };
    let mut m = Mailbox::command(0x93a, 0, 16);
    m.set(0x40, 32, number as u64);
    dev.exec(&m, 16).map(|_| ())
}

/// Remove an anchor's table.
pub fn destroy_anchor(dev: &mut Device, anchor: &Anchor) -> Result<(), Errno> {
    let number = flow_table::table_of(dev, &anchor.criteria)?;
    flow_table::remove(dev, number, 0)
}
