//! Flow tables, groups and entries, checked before the steering gets them.

use super::basic::limited;
use super::{Check, Command, Done, Entry, Refusal, demand, entry, refuse};
use crate::device::Chip;
use crate::device::objects::{Key, general, kind};
use prm::flow::{action, destination};
use prm::{
    CreateFlowGroupIn, CreateFlowGroupOut, CreateFlowTableIn, CreateFlowTableOut, DeleteFteIn, DestFormat,
    DestroyFlowGroupIn, DestroyFlowTableIn, ExtendedDestFormat, Field, FlowContext, FlowTableContext,
    FlowTablePropLayout, MboxIn, ModifyFlowTableIn, QueryFlowGroupIn, QueryFlowGroupOut, QueryFlowTableIn,
    QueryFlowTableOut, QueryFteIn, QueryFteOut, SetFlowTableRootIn, SetFteIn, object, opcode, status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::CREATE_FLOW_TABLE, CreateFlowTableIn::SIZE, CreateFlowTableOut::SIZE, create_table),
    entry(opcode::MODIFY_FLOW_TABLE, ModifyFlowTableIn::SIZE, 16, modify_table),
    entry(opcode::QUERY_FLOW_TABLE, QueryFlowTableIn::SIZE, QueryFlowTableOut::SIZE, query_table),
    entry(opcode::DESTROY_FLOW_TABLE, DestroyFlowTableIn::SIZE, 16, destroy_table),
    entry(opcode::SET_FLOW_TABLE_ROOT, SetFlowTableRootIn::SIZE, 16, set_root),
    entry(opcode::CREATE_FLOW_GROUP, CreateFlowGroupIn::SIZE, CreateFlowGroupOut::SIZE, create_group),
    entry(opcode::QUERY_FLOW_GROUP, QueryFlowGroupIn::SIZE, QueryFlowGroupOut::SIZE, query_group),
    entry(opcode::DESTROY_FLOW_GROUP, DestroyFlowGroupIn::SIZE, 16, destroy_group),
    entry(opcode::SET_FLOW_TABLE_ENTRY, SetFteIn::SIZE, 16, set_entry),
    entry(opcode::QUERY_FLOW_TABLE_ENTRY, QueryFteIn::SIZE, QueryFteOut::SIZE, query_entry),
    entry(opcode::DELETE_FLOW_TABLE_ENTRY, DeleteFteIn::SIZE, 16, delete_entry),
    entry(opcode::SYNC_STEERING, MboxIn::SIZE, 16, sync),
];

const ENTRY: u16 = opcode::SET_FLOW_TABLE_ENTRY;
/// Set in `table_miss_action`: continue at the table that `table_miss_id` names.
const MISS_FORWARD: u64 = 1;

fn sync(_: &mut Chip, _: &mut Command) -> Done {
    Ok(())
}

/// The table that a command names, of the type that it names.
fn table(chip: &Chip, uid: u16, id: u32, table_type: u64) -> Result<Key, Refusal> {
    let key = (kind::FLOW_TABLE, id);
    let o = chip.objs.owned(key, uid)?;
    demand(CreateFlowTableIn::TABLE_TYPE.get(&o.input) == table_type, status::BAD_PARAM, Check::Table)?;
    Ok(key)
}

fn context(f: Field) -> Field {
    f.within(CreateFlowTableIn::FLOW_TABLE_CONTEXT)
}

/// The miss table of a table context at `at`, checked.
fn miss(chip: &Chip, c: &Command, at: Field) -> Result<Vec<Key>, Refusal> {
    if FlowTableContext::TABLE_MISS_ACTION.within(at).get(c.input) != MISS_FORWARD {
        return Ok(vec![]);
    }
    let key = (kind::FLOW_TABLE, FlowTableContext::TABLE_MISS_ID.within(at).get32(c.input));
    chip.objs.usable(key, c.uid, Check::Table)?;
    Ok(vec![key])
}

fn create_table(chip: &mut Chip, c: &mut Command) -> Done {
    let ty = CreateFlowTableIn::TABLE_TYPE.get32(c.input);
    let cap = |f: Field| chip.caps.flow_table(ty, f);
    demand(cap(FlowTablePropLayout::FT_SUPPORT) == Some(1), status::BAD_PARAM, Check::Capability)?;
    let get = |f: Field| context(f).get32(c.input);
    let within = |f: Field, limit: Field| Some(get(f)) <= cap(limit);
    demand(
        within(FlowTableContext::LOG_SIZE, FlowTablePropLayout::LOG_MAX_FT_SIZE),
        status::EXCEED_LIM,
        Check::Size,
    )?;
    let uses = miss(chip, c, CreateFlowTableIn::FLOW_TABLE_CONTEXT)?;
    let log = cap(FlowTablePropLayout::LOG_MAX_FT_NUM).unwrap_or(8).min(24);
    let n = chip.objs.number(kind::FLOW_TABLE, 1..1 << log)?;
    chip.objs.insert((kind::FLOW_TABLE, n), c.uid, c.input, uses);
    chip.ft_command(c.opcode, c.input, n);
    CreateFlowTableOut::TABLE_ID.set(c.out, n as u64);
    Ok(())
}

fn modify_table(chip: &mut Chip, c: &mut Command) -> Done {
    let id = ModifyFlowTableIn::TABLE_ID.get32(c.input);
    let key = table(chip, c.uid, id, ModifyFlowTableIn::TABLE_TYPE.get(c.input))?;
    const MISS: u64 = 1;
    let select = ModifyFlowTableIn::MODIFY_FIELD_SELECT.get(c.input);
    demand(select & !(MISS | 0x8000) == 0, status::BAD_PARAM, Check::Field)?;
    if select & MISS != 0 {
        let at = ModifyFlowTableIn::FLOW_TABLE_CONTEXT;
        let uses = miss(chip, c, at)?;
        chip.objs.relink(key, uses);
        let o = chip.objs.owned_mut(key, c.uid)?;
        for f in [FlowTableContext::TABLE_MISS_ACTION, FlowTableContext::TABLE_MISS_ID] {
            context(f).set(&mut o.input, f.within(at).get(c.input));
        }
        chip.ft_command(c.opcode, c.input, id);
    }
    Ok(())
}

fn query_table(chip: &mut Chip, c: &mut Command) -> Done {
    let id = QueryFlowTableIn::TABLE_ID.get32(c.input);
    let key = table(chip, c.uid, id, QueryFlowTableIn::TABLE_TYPE.get(c.input))?;
    let o = chip.objs.owned(key, c.uid)?;
    let from = CreateFlowTableIn::FLOW_TABLE_CONTEXT;
    c.answer(QueryFlowTableOut::FLOW_TABLE_CONTEXT.byte(), from.slice(&o.input));
    Ok(())
}

fn destroy_table(chip: &mut Chip, c: &mut Command) -> Done {
    let id = DestroyFlowTableIn::TABLE_ID.get32(c.input);
    let key = table(chip, c.uid, id, DestroyFlowTableIn::TABLE_TYPE.get(c.input))?;
    chip.objs.remove(key, c.uid)?;
    chip.ft_command(c.opcode, c.input, id);
    chip.steer.roots.retain(|_, root| *root != id);
    Ok(())
}

fn set_root(chip: &mut Chip, c: &mut Command) -> Done {
    let id = SetFlowTableRootIn::TABLE_ID.get32(c.input);
    table(chip, c.uid, id, SetFlowTableRootIn::TABLE_TYPE.get(c.input))?;
    chip.ft_command(c.opcode, c.input, id);
    Ok(())
}

fn create_group(chip: &mut Chip, c: &mut Command) -> Done {
    let get = |f: Field| f.get32(c.input);
    let id = get(CreateFlowGroupIn::TABLE_ID);
    let key = table(chip, c.uid, id, CreateFlowGroupIn::TABLE_TYPE.get(c.input))?;
    let o = chip.objs.owned(key, c.uid)?;
    let size = 1u64 << context(FlowTableContext::LOG_SIZE).get(&o.input);
    let (start, end) = (get(CreateFlowGroupIn::START_FLOW_INDEX), get(CreateFlowGroupIn::END_FLOW_INDEX));
    demand(start <= end && (end as u64) < size, status::BAD_INDEX, Check::Index)?;
    let overlaps = chip.objs.of_kind(kind::FLOW_GROUP).any(|(_, g)| {
        CreateFlowGroupIn::TABLE_ID.get32(&g.input) == id
            && CreateFlowGroupIn::START_FLOW_INDEX.get32(&g.input) <= end
            && start <= CreateFlowGroupIn::END_FLOW_INDEX.get32(&g.input)
    });
    demand(!overlaps, status::BAD_RES_STATE, Check::Overlap)?;
    let mut uses = vec![key];
    let definer = get(CreateFlowGroupIn::MATCH_DEFINER_ID);
    if definer != 0 {
        let definer = (general(object::MATCH_DEFINER), definer);
        chip.objs.usable(definer, c.uid, Check::Object)?;
        uses.push(definer);
    }
    let range = limited(chip, prm::CmdHcaCap::LOG_MAX_MKEY, 1);
    let n = chip.objs.number(kind::FLOW_GROUP, range)?;
    chip.objs.insert((kind::FLOW_GROUP, n), c.uid, c.input, uses);
    chip.ft_command(c.opcode, c.input, n);
    CreateFlowGroupOut::GROUP_ID.set(c.out, n as u64);
    Ok(())
}

/// The group that a command names, in the table that it names.
fn group(chip: &Chip, uid: u16, id: u32, table: u32) -> Result<Key, Refusal> {
    let key = (kind::FLOW_GROUP, id);
    let o = chip.objs.owned(key, uid)?;
    demand(CreateFlowGroupIn::TABLE_ID.get32(&o.input) == table, status::BAD_PARAM, Check::Table)?;
    Ok(key)
}

fn query_group(chip: &mut Chip, c: &mut Command) -> Done {
    let id = QueryFlowGroupIn::GROUP_ID.get32(c.input);
    let key = group(chip, c.uid, id, QueryFlowGroupIn::TABLE_ID.get32(c.input))?;
    let o = chip.objs.owned(key, c.uid)?;
    // output and creating input agree in where the fields lie
    let fields = [
        CreateFlowGroupIn::START_FLOW_INDEX,
        CreateFlowGroupIn::END_FLOW_INDEX,
        CreateFlowGroupIn::MATCH_CRITERIA_ENABLE,
        CreateFlowGroupIn::MATCH_CRITERIA,
    ];
    for f in fields {
        f.copy(&o.input, c.out);
    }
    Ok(())
}

fn destroy_group(chip: &mut Chip, c: &mut Command) -> Done {
    let id = DestroyFlowGroupIn::GROUP_ID.get32(c.input);
    let key = group(chip, c.uid, id, DestroyFlowGroupIn::TABLE_ID.get32(c.input))?;
    chip.objs.remove(key, c.uid)?;
    chip.ft_command(c.opcode, c.input, id);
    Ok(())
}

/// Whether tables of a type see packets that leave.
fn sends(table_type: u64) -> bool {
    const NIC: u64 = 1;
    const RDMA: u64 = 8;
    matches!(table_type, NIC | RDMA)
}

/// Where an entry sends packets and what counts them, each checked.
fn entry_references(chip: &Chip, c: &Command, table: Key) -> Result<Vec<Key>, Refusal> {
    let get = |f: Field| f.within(SetFteIn::FLOW_CONTEXT).get32(c.input);
    let does = get(FlowContext::ACTION);
    let mut uses = vec![];
    let mut hold = |key: Key, check: Check| chip.objs.usable(key, c.uid, check).map(|_| uses.push(key));
    let verdicts = does & (action::ALLOW | action::DROP | action::FORWARD);
    demand(verdicts.count_ones() <= 1, status::BAD_PARAM, Check::Field)?;
    let destinations = get(FlowContext::DESTINATION_LIST_SIZE) as usize;
    let counters = get(FlowContext::FLOW_COUNTER_LIST_SIZE) as usize;
    demand((does & action::FORWARD != 0) == (destinations > 0), status::BAD_PARAM, Check::Field)?;
    demand((does & action::COUNT != 0) == (counters > 0), status::BAD_PARAM, Check::Field)?;
    let extended = get(FlowContext::EXTENDED_DESTINATION) != 0;
    let size = if extended { ExtendedDestFormat::SIZE } else { DestFormat::SIZE };
    let list = c.bytes(SetFteIn::SIZE, (destinations + counters).saturating_mul(size))?;
    let o = chip.objs.owned(table, c.uid)?;
    let (own_type, own_level) =
        (CreateFlowTableIn::TABLE_TYPE.get(&o.input), context(FlowTableContext::LEVEL).get(&o.input));
    for d in list.chunks_exact(size).take(destinations) {
        let id = DestFormat::DESTINATION_ID.get32(d);
        match DestFormat::DESTINATION_TYPE.get32(d) {
            destination::TABLE => {
                let key = (kind::FLOW_TABLE, id);
                hold(key, Check::Table)?;
                if let Some(next) = chip.objs.get(&key) {
                    let same = CreateFlowTableIn::TABLE_TYPE.get(&next.input) == own_type;
                    let deeper = context(FlowTableContext::LEVEL).get(&next.input) > own_level;
                    let free = SetFteIn::IGNORE_FLOW_LEVEL.is_set(c.input);
                    demand(!same || deeper || free, status::BAD_PARAM, Check::Limit)?;
                }
            }
            destination::TIR => hold((kind::TIR, id), Check::Tir)?,
            destination::SAMPLER => hold((general(object::FLOW_SAMPLER), id), Check::Object)?,
            destination::TABLE_TYPE => {}
            // the one vport and the wire, from tables that send
            destination::VPORT if sends(own_type) && id == 0 => {}
            destination::UPLINK if sends(own_type) => {}
            _ => return refuse(status::BAD_PARAM, Check::Field),
        }
    }
    for d in list.chunks_exact(size).skip(destinations) {
        let id = prm::FlowCounterList::FLOW_COUNTER_ID.get32(d);
        match chip.objs.covering(kind::FLOW_COUNTER, id) {
            Some(key) => hold(key, Check::Counter)?,
            None => return refuse(status::BAD_RES, Check::Counter),
        }
    }
    if does & action::REFORMAT != 0 && !extended {
        hold((kind::REFORMAT, get(FlowContext::PACKET_REFORMAT_ID)), Check::Object)?;
    }
    if does & action::MODIFY_HEADER != 0 {
        hold((kind::MODIFY_HEADER, get(FlowContext::MODIFY_HEADER_ID)), Check::Object)?;
    }
    Ok(uses)
}

/// Operation 0 makes an entry, operation 1 replaces parts of one: the driver sends the
/// whole entry with either.
fn set_entry(chip: &mut Chip, c: &mut Command) -> Done {
    let (id, index) = (SetFteIn::TABLE_ID.get32(c.input), SetFteIn::FLOW_INDEX.get32(c.input));
    let t = table(chip, c.uid, id, SetFteIn::TABLE_TYPE.get(c.input))?;
    let group_id = FlowContext::GROUP_ID.within(SetFteIn::FLOW_CONTEXT).get32(c.input);
    let g = group(chip, c.uid, group_id, id)?;
    let o = chip.objs.owned(g, c.uid)?;
    let range = CreateFlowGroupIn::START_FLOW_INDEX.get32(&o.input)
        ..=CreateFlowGroupIn::END_FLOW_INDEX.get32(&o.input);
    demand(range.contains(&index), status::BAD_INDEX, Check::Index)?;
    let mut uses = entry_references(chip, c, t)?;
    uses.push(g);
    let known = chip.flow_entries.get(&(id, index)).copied();
    match (c.op_mod, known) {
        (0, None) => {
            let n = chip.objs.number(ENTRY, 1..u32::MAX)?;
            chip.objs.insert((ENTRY, n), c.uid, c.input, uses);
            chip.flow_entries.insert((id, index), n);
        }
        (0, Some(_)) => return refuse(status::BAD_RES_STATE, Check::Overlap),
        (1, Some(n)) => {
            chip.objs.owned_mut((ENTRY, n), c.uid)?.input = c.input.to_vec();
            chip.objs.relink((ENTRY, n), uses);
        }
        (1, None) => return refuse(status::BAD_RES, Check::Handle),
        _ => return refuse(status::BAD_PARAM, Check::OpMod),
    }
    chip.ft_command(c.opcode, c.input, id);
    Ok(())
}

fn entry_key(chip: &Chip, table: u32, index: u32) -> Result<Key, Refusal> {
    match chip.flow_entries.get(&(table, index)) {
        Some(n) => Ok((ENTRY, *n)),
        None => refuse(status::BAD_RES, Check::Handle),
    }
}

fn query_entry(chip: &mut Chip, c: &mut Command) -> Done {
    let key = entry_key(chip, QueryFteIn::TABLE_ID.get32(c.input), QueryFteIn::FLOW_INDEX.get32(c.input))?;
    let o = chip.objs.owned(key, c.uid)?;
    c.answer(QueryFteOut::FLOW_CONTEXT.byte(), &o.input[SetFteIn::FLOW_CONTEXT.byte()..]);
    Ok(())
}

fn delete_entry(chip: &mut Chip, c: &mut Command) -> Done {
    let (id, index) = (DeleteFteIn::TABLE_ID.get32(c.input), DeleteFteIn::FLOW_INDEX.get32(c.input));
    let key = entry_key(chip, id, index)?;
    chip.objs.remove(key, c.uid)?;
    chip.flow_entries.remove(&(id, index));
    chip.ft_command(c.opcode, c.input, id);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    fn make_table(b: &mut Bench, ty: u64, level: u64, log: u64, miss: u64) -> (u8, u64) {
        let f = [
            (CreateFlowTableIn::TABLE_TYPE, ty),
            (context(FlowTableContext::LEVEL), level),
            (context(FlowTableContext::LOG_SIZE), log),
            (context(FlowTableContext::TABLE_MISS_ACTION), (miss != 0) as u64),
            (context(FlowTableContext::TABLE_MISS_ID), miss),
        ];
        let s = b.cmd(opcode::CREATE_FLOW_TABLE, 0, CreateFlowTableIn::SIZE, &f, 16);
        (s, CreateFlowTableOut::TABLE_ID.get(&b.out))
    }

    fn make_group(b: &mut Bench, table: u64, start: u64, end: u64) -> (u8, u64) {
        let f = [
            (CreateFlowGroupIn::TABLE_ID, table),
            (CreateFlowGroupIn::START_FLOW_INDEX, start),
            (CreateFlowGroupIn::END_FLOW_INDEX, end),
        ];
        let s = b.cmd(opcode::CREATE_FLOW_GROUP, 0, CreateFlowGroupIn::SIZE, &f, 16);
        (s, CreateFlowGroupOut::GROUP_ID.get(&b.out))
    }

    fn set(b: &mut Bench, op_mod: u64, t: u64, g: u64, index: u64, act: u32, dest: Option<u64>) -> u8 {
        let ctx = |f: Field| f.within(SetFteIn::FLOW_CONTEXT);
        let mut f = vec![
            (MboxIn::OP_MOD, op_mod),
            (SetFteIn::TABLE_ID, t),
            (SetFteIn::FLOW_INDEX, index),
            (ctx(FlowContext::GROUP_ID), g),
            (ctx(FlowContext::ACTION), act as u64),
        ];
        if let Some(d) = dest {
            f.push((ctx(FlowContext::DESTINATION_LIST_SIZE), 1));
            f.push((Field::new(SetFteIn::BITS, 32), 1 << 24 | d));
        }
        b.cmd(opcode::SET_FLOW_TABLE_ENTRY, 0, SetFteIn::SIZE + 8, &f, 16)
    }

    #[test]
    fn tables_check_type_size_and_miss() {
        let mut b = Bench::new();
        assert_eq!(make_table(&mut b, 4, 0, 4, 0).0, status::BAD_PARAM, "no e-switch here");
        assert_eq!(make_table(&mut b, 0, 0, 40, 0).0, status::EXCEED_LIM);
        assert_eq!(make_table(&mut b, 0, 0, 4, 77).0, status::BAD_RES);
        let (_, next) = make_table(&mut b, 0, 2, 4, 0);
        let (s, first) = make_table(&mut b, 0, 1, 4, next);
        assert_eq!(s, status::OK);
        let destroy = |b: &mut Bench, ty: u64, t: u64| {
            let f = [(DestroyFlowTableIn::TABLE_TYPE, ty), (DestroyFlowTableIn::TABLE_ID, t)];
            b.cmd(opcode::DESTROY_FLOW_TABLE, 0, DestroyFlowTableIn::SIZE, &f, 16)
        };
        assert_eq!(destroy(&mut b, 0, next), status::RES_BUSY);
        let unlink = [(ModifyFlowTableIn::TABLE_ID, first), (ModifyFlowTableIn::MODIFY_FIELD_SELECT, 1)];
        assert_eq!(b.cmd(opcode::MODIFY_FLOW_TABLE, 0, ModifyFlowTableIn::SIZE, &unlink, 16), status::OK);
        assert_eq!(destroy(&mut b, 1, next), status::BAD_PARAM, "another type");
        assert_eq!(destroy(&mut b, 0, next), status::OK);
        let root = [(SetFlowTableRootIn::TABLE_ID, next)];
        assert_eq!(
            b.cmd(opcode::SET_FLOW_TABLE_ROOT, 0, SetFlowTableRootIn::SIZE, &root, 16),
            status::BAD_RES
        );
    }

    #[test]
    fn groups_stay_inside_and_apart() {
        let mut b = Bench::new();
        let (_, t) = make_table(&mut b, 0, 0, 4, 0);
        assert_eq!(make_group(&mut b, 99, 0, 1).0, status::BAD_RES);
        assert_eq!(make_group(&mut b, t, 0, 16).0, status::BAD_INDEX);
        assert_eq!(make_group(&mut b, t, 5, 4).0, status::BAD_INDEX);
        assert_eq!(make_group(&mut b, t, 0, 3).0, status::OK);
        assert_eq!(make_group(&mut b, t, 3, 5).0, status::BAD_RES_STATE);
        let (s, g) = make_group(&mut b, t, 4, 5);
        assert_eq!(s, status::OK);
        let f = [(DestroyFlowTableIn::TABLE_ID, t)];
        assert_eq!(b.cmd(opcode::DESTROY_FLOW_TABLE, 0, DestroyFlowTableIn::SIZE, &f, 16), status::RES_BUSY);
        let f = [(DestroyFlowGroupIn::TABLE_ID, t), (DestroyFlowGroupIn::GROUP_ID, g)];
        assert_eq!(b.cmd(opcode::DESTROY_FLOW_GROUP, 0, DestroyFlowGroupIn::SIZE, &f, 16), status::OK);
    }

    #[test]
    fn entries_name_what_exists() {
        let mut b = Bench::new();
        let (_, t) = make_table(&mut b, 0, 1, 4, 0);
        let (_, above) = make_table(&mut b, 0, 0, 4, 0);
        let (_, below) = make_table(&mut b, 0, 2, 4, 0);
        let (_, g) = make_group(&mut b, t, 0, 3);
        assert_eq!(set(&mut b, 0, t, g, 4, action::DROP, None), status::BAD_INDEX);
        assert_eq!(set(&mut b, 0, t, g, 0, action::FORWARD, None), status::BAD_PARAM, "to nowhere");
        assert_eq!(set(&mut b, 0, t, g, 0, action::DROP | action::ALLOW, None), status::BAD_PARAM);
        assert_eq!(set(&mut b, 0, t, g, 0, action::FORWARD, Some(99)), status::BAD_RES);
        assert_eq!(set(&mut b, 0, t, g, 0, action::FORWARD, Some(above)), status::BAD_PARAM, "upwards");
        assert_eq!(set(&mut b, 0, t, g, 0, action::MODIFY_HEADER, None), status::BAD_RES);
        assert_eq!(set(&mut b, 1, t, g, 0, action::DROP, None), status::BAD_RES, "nothing to modify");
        assert_eq!(set(&mut b, 0, t, g, 0, action::FORWARD, Some(below)), status::OK);
        assert_eq!(set(&mut b, 0, t, g, 0, action::DROP, None), status::BAD_RES_STATE);
        let gone = [(DestroyFlowTableIn::TABLE_ID, below)];
        let destroy =
            |b: &mut Bench| b.cmd(opcode::DESTROY_FLOW_TABLE, 0, DestroyFlowTableIn::SIZE, &gone, 16);
        assert_eq!(destroy(&mut b), status::RES_BUSY);
        assert_eq!(set(&mut b, 1, t, g, 0, action::DROP, None), status::OK);
        assert_eq!(destroy(&mut b), status::OK);
        let f = [(DeleteFteIn::TABLE_ID, t), (DeleteFteIn::FLOW_INDEX, 0)];
        assert_eq!(b.cmd(opcode::DELETE_FLOW_TABLE_ENTRY, 0, DeleteFteIn::SIZE, &f, 16), status::OK);
        assert_eq!(b.cmd(opcode::DELETE_FLOW_TABLE_ENTRY, 0, DeleteFteIn::SIZE, &f, 16), status::BAD_RES);
    }
}
