//! Flow steering: tables of entries that match packets by masks, and what entries do.
//!
//! Commands check and enter tables, groups and entries (see the command handlers); here is
//! the running form: [`Steer`]. A packet that comes in walks the receive tables from their
//! root, one that goes out the send tables; see `walk`.

mod packet;
mod segment;
mod tir;
mod walk;

pub(super) use segment::segments;

use crate::device::Chip;
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

/// A flow table entry.
pub(super) struct Entry {
    group: u32,
    value: Vec<u8>,
    action: u32,
    tag: u32,
    destinations: Vec<(u32, u32)>,
    counters: Vec<u32>,
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
        let size = match get(FlowContext::EXTENDED_DESTINATION) {
            0 => DestFormat::SIZE,
            _ => ExtendedDestFormat::SIZE,
        };
        let destinations = get(FlowContext::DESTINATION_LIST_SIZE) as usize;
        let counters = get(FlowContext::FLOW_COUNTER_LIST_SIZE) as usize;
        let list = FlowContext::DESTINATION.within(SetFteIn::FLOW_CONTEXT).byte();
        let list = || input.get(list..).unwrap_or(&[]).chunks_exact(size);
        Entry {
            group: get(FlowContext::GROUP_ID),
            value: FlowContext::MATCH_VALUE.within(SetFteIn::FLOW_CONTEXT).slice(input).to_vec(),
            action: get(FlowContext::ACTION),
            tag: get(FlowContext::FLOW_TAG),
            destinations: list()
                .take(destinations)
                .map(|d| (DestFormat::DESTINATION_TYPE.get32(d), DestFormat::DESTINATION_ID.get32(d)))
                .collect(),
            counters: list()
                .skip(destinations)
                .take(counters)
                .map(|d| FlowCounterList::FLOW_COUNTER_ID.get32(d))
                .collect(),
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
                st.masks.insert(id, CreateFlowGroupIn::MATCH_CRITERIA.slice(input).to_vec());
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
