//! The flow tables of the driver: one for each matcher that has rules, chained by priority
//! from the root of its direction.

use super::super::device::Device;
use super::super::mailbox::Mailbox;
use nix::errno::Errno;
use prm::{
    CreateFlowGroupIn, CreateFlowTableIn, DeleteFteIn, DestroyFlowGroupIn, DestroyFlowTableIn, FlowContext,
    FlowTableContext, ModifyFlowTableIn, SetFlowTableRootIn, SetFteIn,
};
use std::collections::BTreeMap;

/// Bytes of match parameters.
pub const MATCH_BYTES: usize = 512;
/// Rules that a table has room for, as a logarithm.
const LOG_ENTRIES: u32 = 8;

/// One table.
#[derive(Debug)]
pub struct FlowTable {
    /// The matcher it belongs to.
    matcher: u64,
    /// Direction and domain, as the device numbers it.
    table_type: u32,
    priority: u16,
    /// The device's number.
    pub number: u32,
    group: u32,
    /// Rules by index: what they match, and the bits of their actions.
    used: BTreeMap<u32, (Vec<u8>, u32)>,
}

/// What a matcher matches on.
#[derive(Clone, Debug)]
pub struct Criteria {
    /// Serial number of the matcher: later ones of a priority come later.
    pub serial: u64,
    /// Direction and domain, as the device numbers it.
    pub table_type: u32,
    /// Lower ones come first.
    pub priority: u16,
    /// Which parts of the mask count.
    pub enable: u8,
    /// The mask.
    pub mask: Vec<u8>,
}

/// The table of a matcher, made if there is none.
pub fn table_of(dev: &mut Device, c: &Criteria) -> Result<u32, Errno> {
    if let Some(t) = dev.flow_tables.iter().find(|t| t.matcher == c.serial) {
        return Ok(t.number);
    }
    let mut m = Mailbox::command(0x930, 0, CreateFlowTableIn::SIZE);
    let context = CreateFlowTableIn::FLOW_TABLE_CONTEXT.off;
    m.put(CreateFlowTableIn::TABLE_TYPE, c.table_type as u64)
        .put(FlowTableContext::LOG_SIZE.at(context), LOG_ENTRIES as u64)
        .put(FlowTableContext::REFORMAT_EN.at(context), 1)
        .put(FlowTableContext::DECAP_EN.at(context), 1);
    let number = dev.exec(&m, 16)?.get(0x48, 24) as u32;
    let group = match create_group(dev, c, number) {
        Ok(group) => group,
        Err(errno) => {
            destroy_table(dev, c.table_type, number);
            return Err(errno);
        }
    };
    let new = FlowTable {
        matcher: c.serial,
        table_type: c.table_type,
        priority: c.priority,
        number,
        group,
        used: BTreeMap::new(),
    };
    let place = (c.table_type, c.priority, c.serial);
    let at = dev.flow_tables.partition_point(|t| (t.table_type, t.priority, t.matcher) < place);
    dev.flow_tables.insert(at, new);
    chain(dev, c.table_type)?;
    Ok(number)
}

fn create_group(dev: &mut Device, c: &Criteria, table: u32) -> Result<u32, Errno> {
    let mut m = Mailbox::command(0x933, 0, CreateFlowGroupIn::SIZE);
    m.put(CreateFlowGroupIn::TABLE_TYPE, c.table_type as u64)
        .put(CreateFlowGroupIn::TABLE_ID, table as u64)
        .put(CreateFlowGroupIn::END_FLOW_INDEX, (1 << LOG_ENTRIES) - 1)
        .put(CreateFlowGroupIn::MATCH_CRITERIA_ENABLE, c.enable as u64);
    put_match(&mut m, CreateFlowGroupIn::MATCH_CRITERIA.byte(), &c.mask);
    Ok(dev.exec(&m, 16)?.get(0x48, 24) as u32)
}

fn put_match(m: &mut Mailbox, at: usize, bytes: &[u8]) {
    for (to, from) in m.0.iter_mut().skip(at).take(MATCH_BYTES).zip(bytes) {
        *to = *from;
    }
}

/// Let the root be the first table of a direction, and each table miss to the next.
fn chain(dev: &mut Device, table_type: u32) -> Result<(), Errno> {
    let order: Vec<u32> =
        dev.flow_tables.iter().filter(|t| t.table_type == table_type).map(|t| t.number).collect();
    // from the end, so that no table misses to one that is to go
    for (k, number) in order.iter().enumerate().rev() {
        let mut m = Mailbox::command(0x93c, 0, ModifyFlowTableIn::SIZE);
        let context = ModifyFlowTableIn::FLOW_TABLE_CONTEXT.off;
        m.put(ModifyFlowTableIn::MODIFY_FIELD_SELECT, 1)
            .put(ModifyFlowTableIn::TABLE_TYPE, table_type as u64)
            .put(ModifyFlowTableIn::TABLE_ID, *number as u64);
        if let Some(next) = order.get(k + 1) {
            m.put(FlowTableContext::TABLE_MISS_ACTION.at(context), 1)
                .put(FlowTableContext::TABLE_MISS_ID.at(context), *next as u64);
        }
        dev.exec(&m, 16)?;
    }
    if let Some(first) = order.first() {
        let mut m = Mailbox::command(0x92f, 0, SetFlowTableRootIn::SIZE);
        m.put(SetFlowTableRootIn::TABLE_TYPE, table_type as u64)
            .put(SetFlowTableRootIn::TABLE_ID, *first as u64);
        dev.exec(&m, 16)?;
    }
    Ok(())
}

fn destroy_table(dev: &mut Device, table_type: u32, number: u32) {
    let mut m = Mailbox::command(0x931, 0, DestroyFlowTableIn::SIZE);
    m.put(DestroyFlowTableIn::TABLE_TYPE, table_type as u64).put(DestroyFlowTableIn::TABLE_ID, number as u64);
    dev.run(&m, 16);
}

/// What a rule does.
#[derive(Clone, Debug, Default)]
pub struct Action {
    /// Bits of the entry's action.
    pub bits: u32,
    /// Destinations: type and number.
    pub destinations: Vec<(u8, u32)>,
    /// Counters.
    pub counters: Vec<u32>,
    /// Tag that completions carry.
    pub tag: u32,
    /// Packet reformat context.
    pub reformat: u32,
    /// Header modification context.
    pub modify_header: u32,
}

/// What rules that match the same must agree on: drop, reformat, decapsulate, modify header.
const EXCLUSIVE: u32 = 0x2 | 0x10 | 0x20 | 0x40;

/// Add a rule; table and index.
pub fn add(dev: &mut Device, c: &Criteria, value: &[u8], action: &Action) -> Result<(u32, u32), Errno> {
    let number = table_of(dev, c)?;
    let Some(table) = dev.flow_tables.iter_mut().find(|t| t.number == number) else {
        return Err(Errno::EINVAL);
    };
    let group = table.group;
    if table.used.values().any(|(v, does)| v == value && (does ^ action.bits) & EXCLUSIVE != 0) {
        return Err(Errno::EEXIST);
    }
    let index = (0..1 << LOG_ENTRIES).find(|k| !table.used.contains_key(k)).ok_or(Errno::ENOSPC)?;
    table.used.insert(index, (value.to_vec(), action.bits));
    let context = SetFteIn::FLOW_CONTEXT.off;
    let list = (context + FlowContext::DESTINATION.off) / 8;
    let entries = action.destinations.len() + action.counters.len();
    let mut m = Mailbox::command(0x936, 0, list + 8 * entries);
    m.put(SetFteIn::TABLE_TYPE, c.table_type as u64)
        .put(SetFteIn::TABLE_ID, number as u64)
        .put(SetFteIn::FLOW_INDEX, index as u64)
        .put(FlowContext::GROUP_ID.at(context), group as u64)
        .put(FlowContext::FLOW_TAG.at(context), action.tag as u64)
        .put(FlowContext::ACTION.at(context), action.bits as u64)
        .put(FlowContext::DESTINATION_LIST_SIZE.at(context), action.destinations.len() as u64)
        .put(FlowContext::FLOW_COUNTER_LIST_SIZE.at(context), action.counters.len() as u64)
        .put(FlowContext::PACKET_REFORMAT_ID.at(context), action.reformat as u64)
        .put(FlowContext::MODIFY_HEADER_ID.at(context), action.modify_header as u64);
    put_match(&mut m, (context + FlowContext::MATCH_VALUE.off) / 8, value);
    for (k, (kind, id)) in action.destinations.iter().enumerate() {
        m.set(8 * (list + 8 * k), 8, *kind as u64).set(8 * (list + 8 * k) + 8, 24, *id as u64);
    }
    for (k, id) in action.counters.iter().enumerate() {
        m.set(8 * (list + 8 * (action.destinations.len() + k)), 32, *id as u64);
    }
    match dev.exec(&m, 16) {
        Ok(_) => Ok((number, index)),
        Err(errno) => {
            forget(dev, number, index);
            Err(errno)
        }
    }
}

/// Remove a rule.
pub fn remove(dev: &mut Device, number: u32, index: u32) -> Result<(), Errno> {
    let Some(t) = dev.flow_tables.iter().find(|t| t.number == number) else { return Ok(()) };
    let mut m = Mailbox::command(0x938, 0, DeleteFteIn::SIZE);
    m.put(DeleteFteIn::TABLE_TYPE, t.table_type as u64)
        .put(DeleteFteIn::TABLE_ID, number as u64)
        .put(DeleteFteIn::FLOW_INDEX, index as u64);
    dev.exec(&m, 16)?;
    forget(dev, number, index);
    Ok(())
}

/// Take a rule out of the books; a table without rules goes.
fn forget(dev: &mut Device, number: u32, index: u32) {
    let Some(at) = dev.flow_tables.iter().position(|t| t.number == number) else { return };
    let empty = dev.flow_tables.get_mut(at).is_some_and(|t| {
        t.used.remove(&index);
        t.used.is_empty()
    });
    if empty {
        let t = dev.flow_tables.remove(at);
        let _ = chain(dev, t.table_type);
        let mut m = Mailbox::command(0x934, 0, DestroyFlowGroupIn::SIZE);
        m.put(DestroyFlowGroupIn::TABLE_TYPE, t.table_type as u64)
            .put(DestroyFlowGroupIn::TABLE_ID, number as u64)
            .put(DestroyFlowGroupIn::GROUP_ID, t.group as u64);
        dev.run(&m, 16);
        destroy_table(dev, t.table_type, number);
    }
}
