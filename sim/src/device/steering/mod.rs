//! Flow steering: tables of entries that match packets by masks, and what entries do.
//!
//! Commands check and enter tables, groups and entries (see the command handlers); here is
//! the running form: [`Steer`]. A packet that comes in walks the receive tables from their
//! root, one that goes out the send tables; see `walk`.

mod checksum;
mod frame;
mod modify;
mod packet;
mod reformat;
mod segment;
#[cfg(test)]
mod testing;
mod tir;
mod tunnel;
mod walk;

pub(super) use modify::is_header_field;
pub(super) use segment::segments;

use crate::device::Chip;
use prm::flow::destination;
use prm::{
    CreateFlowGroupIn, CreateFlowTableIn, DeleteFteIn, DestFormat, DestroyFlowGroupIn, DestroyFlowTableIn,
    ExtendedDestFormat, Field, FlowContext, FlowCounterList, FlowTableContext, ModifyFlowTableIn,
    SetFlowTableRootIn, SetFteIn, opcode,
};
use std::collections::BTreeMap;

/// Bytes of match parameters.
const MATCH: usize = FlowContext::MATCH_VALUE.len_bytes();

/// A flow table.
pub(super) struct Table {
    /// Table for packets that no entry matches.
    miss: Option<u32>,
    entries: BTreeMap<u32, Entry>,
}

/// Where an entry sends packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    Table(u32),
    Tir(u32),
    Sampler(u32),
    /// Out of the tables: a port, a vport, the wire.
    Port,
}

/// A flow table entry.
#[derive(Clone)]
pub(super) struct Entry {
    group: u32,
    value: Vec<u8>,
    action: u32,
    tag: u32,
    /// Each with the reformat that packets to it get.
    destinations: Vec<(Destination, Option<u32>)>,
    counters: Vec<u32>,
    modify_header: u32,
    reformat: u32,
    /// VLAN tags to put in, the second behind the first.
    vlans: (u32, u32),
}

/// The running state of steering.
#[derive(Default)]
pub(super) struct Steer {
    tables: BTreeMap<u32, Table>,
    /// Masks of groups.
    masks: BTreeMap<u32, Vec<u8>>,
    /// Root tables by table type.
    pub roots: BTreeMap<u8, u32>,
    /// Packets and bytes by counter.
    pub counts: BTreeMap<u32, (u64, u64)>,
    /// Packets by sampler.
    sampled: BTreeMap<u32, u32>,
}

/// Bytes of one part of the match parameters.
const PART: usize = 64;

/// A group's mask: the parts whose bits of `match_criteria_enable` are set, lowest first.
fn mask_of(input: &[u8]) -> Vec<u8> {
    let enabled = CreateFlowGroupIn::MATCH_CRITERIA_ENABLE.get32(input);
    let mut mask = CreateFlowGroupIn::MATCH_CRITERIA.slice(input).to_vec();
    for (k, part) in mask.chunks_mut(PART).enumerate() {
        if enabled >> k & 1 == 0 {
            part.fill(0);
        }
    }
    mask
}

fn destination_of(d: &[u8], extended: bool) -> (Destination, Option<u32>) {
    let id = DestFormat::DESTINATION_ID.get32(d);
    let to = match DestFormat::DESTINATION_TYPE.get32(d) {
        destination::TABLE => Destination::Table(id),
        destination::TIR => Destination::Tir(id),
        destination::SAMPLER => Destination::Sampler(id),
        _ => Destination::Port,
    };
    let again = extended && DestFormat::PACKET_REFORMAT.is_set(d);
    (to, again.then(|| ExtendedDestFormat::PACKET_REFORMAT_ID.get32(d)))
}

/// Set in `table_miss_action`: continue at the table that `table_miss_id` names.
const MISS_FORWARD: u64 = 1;

fn miss_of(input: &[u8], context: Field) -> Option<u32> {
    let forward = FlowTableContext::TABLE_MISS_ACTION.within(context).get(input) == MISS_FORWARD;
    forward.then(|| FlowTableContext::TABLE_MISS_ID.within(context).get32(input))
}

impl Entry {
    fn of(input: &[u8]) -> Entry {
        let get = |f: Field| f.within(SetFteIn::FLOW_CONTEXT).get32(input);
        let extended = get(FlowContext::EXTENDED_DESTINATION) != 0;
        let size = if extended { ExtendedDestFormat::SIZE } else { DestFormat::SIZE };
        let destinations = get(FlowContext::DESTINATION_LIST_SIZE) as usize;
        let counters = get(FlowContext::FLOW_COUNTER_LIST_SIZE) as usize;
        let list = FlowContext::DESTINATION.within(SetFteIn::FLOW_CONTEXT).byte();
        let list = || input.get(list..).unwrap_or(&[]).chunks_exact(size);
        Entry {
            group: get(FlowContext::GROUP_ID),
            value: FlowContext::MATCH_VALUE.within(SetFteIn::FLOW_CONTEXT).slice(input).to_vec(),
            action: get(FlowContext::ACTION),
            tag: get(FlowContext::FLOW_TAG),
            destinations: list().take(destinations).map(|d| destination_of(d, extended)).collect(),
            counters: list()
                .skip(destinations)
                .take(counters)
                .map(|d| FlowCounterList::FLOW_COUNTER_ID.get32(d))
                .collect(),
            modify_header: get(FlowContext::MODIFY_HEADER_ID),
            reformat: get(FlowContext::PACKET_REFORMAT_ID),
            vlans: (get(FlowContext::PUSH_VLAN), get(FlowContext::PUSH_VLAN_2)),
        }
    }
}

impl Chip {
    /// A command on tables, groups or entries succeeded; `id` is the new number, or the
    /// table's.
    pub(super) fn ft_command(&mut self, op: u16, input: &[u8], id: u32) {
        let st = &mut self.steer;
        match op {
            opcode::CREATE_FLOW_TABLE => {
                let miss = miss_of(input, CreateFlowTableIn::FLOW_TABLE_CONTEXT);
                st.tables.insert(id, Table { miss, entries: BTreeMap::new() });
            }
            opcode::DESTROY_FLOW_TABLE => {
                st.tables.remove(&DestroyFlowTableIn::TABLE_ID.get32(input));
            }
            opcode::MODIFY_FLOW_TABLE => {
                let miss = miss_of(input, ModifyFlowTableIn::FLOW_TABLE_CONTEXT);
                if let Some(t) = st.tables.get_mut(&ModifyFlowTableIn::TABLE_ID.get32(input)) {
                    t.miss = miss;
                }
            }
            opcode::CREATE_FLOW_GROUP => {
                st.masks.insert(id, mask_of(input));
            }
            opcode::DESTROY_FLOW_GROUP => {
                st.masks.remove(&DestroyFlowGroupIn::GROUP_ID.get32(input));
            }
            opcode::SET_FLOW_TABLE_ROOT => {
                let ty = SetFlowTableRootIn::TABLE_TYPE.get(input) as u8;
                // roots for the queue pair of an underlay are not the port's
                if SetFlowTableRootIn::UNDERLAY_QPN.get(input) == 0 {
                    st.roots.insert(ty, SetFlowTableRootIn::TABLE_ID.get32(input));
                }
            }
            opcode::SET_FLOW_TABLE_ENTRY => {
                if let Some(t) = st.tables.get_mut(&SetFteIn::TABLE_ID.get32(input)) {
                    t.entries.insert(SetFteIn::FLOW_INDEX.get32(input), Entry::of(input));
                }
            }
            opcode::DELETE_FLOW_TABLE_ENTRY => {
                if let Some(t) = st.tables.get_mut(&DeleteFteIn::TABLE_ID.get32(input)) {
                    t.entries.remove(&DeleteFteIn::FLOW_INDEX.get32(input));
                }
            }
            _ => {}
        }
    }
}
