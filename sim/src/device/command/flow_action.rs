//! What flow entries point at: counters, packet reformats, header modifications.

use super::{Check, Command, Done, Entry, demand, entry, refuse};
use crate::device::objects::kind;
use crate::device::{Chip, steering};
use prm::{
    AllocFlowCounterIn, AllocFlowCounterOut, AllocModifyHeaderContextIn, AllocModifyHeaderContextOut,
    AllocPacketReformatContextIn, AllocPacketReformatContextOut, CmdHcaCap, DeallocFlowCounterIn,
    DeallocModifyHeaderContextIn, DeallocPacketReformatContextIn, Field, FlowTableNicCap,
    FlowTablePropLayout, PacketReformatContextIn, QueryFlowCounterIn, QueryFlowCounterOut, SetActionIn,
    opcode, status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::ALLOC_FLOW_COUNTER, AllocFlowCounterIn::SIZE, AllocFlowCounterOut::SIZE, alloc_counter),
    entry(opcode::DEALLOC_FLOW_COUNTER, DeallocFlowCounterIn::SIZE, 16, dealloc_counter),
    entry(opcode::QUERY_FLOW_COUNTER, QueryFlowCounterIn::SIZE, QueryFlowCounterOut::SIZE, query_counter),
    entry(
        opcode::ALLOC_PACKET_REFORMAT_CONTEXT,
        AllocPacketReformatContextIn::PACKET_REFORMAT_CONTEXT.off / 8 + 8,
        AllocPacketReformatContextOut::SIZE,
        alloc_reformat,
    ),
    entry(
        opcode::DEALLOC_PACKET_REFORMAT_CONTEXT,
        DeallocPacketReformatContextIn::SIZE,
        16,
        dealloc_reformat,
    ),
    entry(
        opcode::ALLOC_MODIFY_HEADER_CONTEXT,
        AllocModifyHeaderContextIn::SIZE,
        AllocModifyHeaderContextOut::SIZE,
        alloc_modify,
    ),
    entry(opcode::DEALLOC_MODIFY_HEADER_CONTEXT, DeallocModifyHeaderContextIn::SIZE, 16, dealloc_modify),
];

/// Bytes of one counter's statistics: packets, then octets.
const STATISTICS: usize = 16;
/// Types of packet reformat: encapsulations and decapsulation, then header insertion and
/// removal.
const REFORMATS: &[u64] = &[0, 1, 2, 3, 4, 0xf, 0x10];
const REFORMAT_TYPE: Field = Field::new(0, 8);
/// Decapsulation to layer 3 and the like carry the headers to put in front.
const REMOVE_HEADER: u64 = 0x10;
/// Set, add, copy.
const ACTIONS: std::ops::RangeInclusive<u64> = 1..=3;
/// One counter, or a block: `flow_counter_bulk` has a bit for 128 shifted left by it.
fn alloc_counter(chip: &mut Chip, c: &mut Command) -> Done {
    let bulk = AllocFlowCounterIn::FLOW_COUNTER_BULK.get32(c.input);
    let offered = chip.caps.general(CmdHcaCap::FLOW_COUNTER_BULK_ALLOC);
    let log = AllocFlowCounterIn::FLOW_COUNTER_BULK_LOG_SIZE.get32(c.input);
    let count = match (bulk, log) {
        (0, 0) => 1,
        (0, log) => {
            let limit = chip.caps.general(CmdHcaCap::LOG_MAX_FLOW_COUNTER_BULK);
            demand(log <= limit, status::EXCEED_LIM, Check::Limit)?;
            1 << log
        }
        (bulk, _) => {
            demand(bulk.is_power_of_two() && bulk & !offered == 0, status::BAD_PARAM, Check::Capability)?;
            128 * bulk
        }
    };
    let n = chip.objs.numbers(kind::FLOW_COUNTER, 1..1 << 24, count)?;
    chip.objs.insert_range((kind::FLOW_COUNTER, n), c.uid, c.input, vec![], count);
    AllocFlowCounterOut::FLOW_COUNTER_ID.set(c.out, n as u64);
    Ok(())
}

fn dealloc_counter(chip: &mut Chip, c: &mut Command) -> Done {
    let n = DeallocFlowCounterIn::FLOW_COUNTER_ID.get32(c.input);
    let o = chip.objs.remove((kind::FLOW_COUNTER, n), c.uid)?;
    for id in n..n + o.count {
        chip.steer.counts.remove(&id);
    }
    Ok(())
}

fn query_counter(chip: &mut Chip, c: &mut Command) -> Done {
    let first = QueryFlowCounterIn::FLOW_COUNTER_ID.get32(c.input);
    let n = QueryFlowCounterIn::NUM_OF_COUNTERS.get32(c.input).max(1);
    let Some(key) = chip.objs.covering(kind::FLOW_COUNTER, first) else {
        return refuse(status::BAD_RES, Check::Handle);
    };
    let o = chip.objs.owned(key, c.uid)?;
    demand(first + n <= key.1 + o.count, status::BAD_INDEX, Check::Index)?;
    c.room(QueryFlowCounterOut::SIZE + STATISTICS * n as usize)?;
    for k in 0..n {
        let (packets, octets) = chip.steer.counts.get(&(first + k)).copied().unwrap_or((0, 0));
        let at = QueryFlowCounterOut::SIZE + STATISTICS * k as usize;
        c.answer(at, &packets.to_be_bytes());
        c.answer(at + 8, &octets.to_be_bytes());
        if QueryFlowCounterIn::CLEAR.is_set(c.input) {
            chip.steer.counts.remove(&(first + k));
        }
    }
    Ok(())
}

fn alloc_reformat(chip: &mut Chip, c: &mut Command) -> Done {
    let at = AllocPacketReformatContextIn::PACKET_REFORMAT_CONTEXT;
    let ty = REFORMAT_TYPE.within(at).get(c.input);
    demand(REFORMATS.contains(&ty), status::BAD_PARAM, Check::Field)?;
    let size = PacketReformatContextIn::REFORMAT_DATA_SIZE.within(at).get(c.input) as usize;
    let limit = chip.caps.flow(FlowTableNicCap::MAX_ENCAP_HEADER_SIZE) as usize;
    demand(size <= limit, status::EXCEED_LIM, Check::Size)?;
    demand(size > 0 || ty == REMOVE_HEADER, status::BAD_PARAM, Check::Size)?;
    if ty != REMOVE_HEADER {
        c.bytes(PacketReformatContextIn::REFORMAT_DATA.within(at).byte(), size)?;
    }
    let log = chip.caps.flow(FlowTableNicCap::LOG_MAX_PACKET_REFORMAT_CONTEXT).clamp(1, 24);
    let n = chip.objs.number(kind::REFORMAT, 1..1 << log)?;
    chip.objs.insert((kind::REFORMAT, n), c.uid, c.input, vec![]);
    AllocPacketReformatContextOut::PACKET_REFORMAT_ID.set(c.out, n as u64);
    Ok(())
}

fn dealloc_reformat(chip: &mut Chip, c: &mut Command) -> Done {
    let n = DeallocPacketReformatContextIn::PACKET_REFORMAT_ID.get32(c.input);
    chip.objs.remove((kind::REFORMAT, n), c.uid)?;
    Ok(())
}

fn alloc_modify(chip: &mut Chip, c: &mut Command) -> Done {
    let table_type = AllocModifyHeaderContextIn::TABLE_TYPE.get32(c.input);
    let n = AllocModifyHeaderContextIn::NUM_OF_ACTIONS.get32(c.input);
    let Some(limit) = chip.caps.flow_table(table_type, FlowTablePropLayout::MAX_MODIFY_HEADER_ACTIONS) else {
        return refuse(status::BAD_PARAM, Check::Table);
    };
    demand(n > 0, status::BAD_PARAM, Check::Size)?;
    demand(n <= limit, status::EXCEED_LIM, Check::Limit)?;
    let actions = c.bytes(AllocModifyHeaderContextIn::SIZE, n as usize * SetActionIn::SIZE)?;
    for a in actions.chunks_exact(SetActionIn::SIZE) {
        demand(ACTIONS.contains(&SetActionIn::ACTION_TYPE.get(a)), status::BAD_PARAM, Check::Field)?;
        let field = SetActionIn::FIELD.get(a);
        demand(steering::is_header_field(field), status::BAD_PARAM, Check::Capability)?;
        // a length of 0 stands for 32 bits
        let end = SetActionIn::OFFSET.get(a) + (SetActionIn::LENGTH.get(a).wrapping_sub(1) & 31) + 1;
        let is_add = SetActionIn::ACTION_TYPE.get(a) == 2;
        demand(is_add || end <= 32, status::BAD_PARAM, Check::Size)?;
    }
    let log = chip.caps.flow_table(table_type, FlowTablePropLayout::LOG_MAX_MODIFY_HEADER_CONTEXT);
    let id = chip.objs.number(kind::MODIFY_HEADER, 1..1 << log.unwrap_or(1).clamp(1, 24))?;
    chip.objs.insert((kind::MODIFY_HEADER, id), c.uid, c.input, vec![]);
    AllocModifyHeaderContextOut::MODIFY_HEADER_ID.set(c.out, id as u64);
    Ok(())
}

fn dealloc_modify(chip: &mut Chip, c: &mut Command) -> Done {
    let n = DeallocModifyHeaderContextIn::MODIFY_HEADER_ID.get32(c.input);
    chip.objs.remove((kind::MODIFY_HEADER, n), c.uid)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use prm::AddActionIn;

    #[test]
    fn counters_come_in_blocks() {
        let mut b = Bench::new();
        let alloc = |b: &mut Bench, bulk: u64| {
            let f = [(AllocFlowCounterIn::FLOW_COUNTER_BULK, bulk)];
            let s = b.cmd(opcode::ALLOC_FLOW_COUNTER, 0, 16, &f, 16);
            (s, AllocFlowCounterOut::FLOW_COUNTER_ID.get(&b.out))
        };
        assert_eq!(alloc(&mut b, 3).0, status::BAD_PARAM);
        let (s, one) = alloc(&mut b, 0);
        assert_eq!(s, status::OK);
        let (s, block) = alloc(&mut b, 2);
        assert_eq!(s, status::OK);
        let query = |b: &mut Bench, id: u64, n: u64, len| {
            let f = [(QueryFlowCounterIn::FLOW_COUNTER_ID, id), (QueryFlowCounterIn::NUM_OF_COUNTERS, n)];
            b.cmd(opcode::QUERY_FLOW_COUNTER, 0, QueryFlowCounterIn::SIZE, &f, len)
        };
        b.chip.steer.counts.insert(block as u32 + 255, (7, 700));
        assert_eq!(query(&mut b, block + 255, 1, 16), status::BAD_OUTPUT_LEN);
        assert_eq!(query(&mut b, block + 255, 1, 32), status::OK);
        assert_eq!(prm::bits::be64(&b.out, 16), 7);
        assert_eq!(query(&mut b, block + 255, 2, 64), status::BAD_INDEX);
        assert_eq!(query(&mut b, block + 256, 1, 32), status::BAD_RES);
        assert_eq!(query(&mut b, one, 1, 32), status::OK);
        let free = |b: &mut Bench, id: u64| {
            b.cmd(opcode::DEALLOC_FLOW_COUNTER, 0, 16, &[(DeallocFlowCounterIn::FLOW_COUNTER_ID, id)], 16)
        };
        assert_eq!(free(&mut b, block + 1), status::BAD_RES);
        assert_eq!(free(&mut b, block), status::OK);
        assert_eq!(query(&mut b, block, 1, 32), status::BAD_RES);
    }

    #[test]
    fn header_actions_are_checked_one_by_one() {
        let mut b = Bench::new();
        let action = |k: usize| move |f: Field| f.at(AllocModifyHeaderContextIn::BITS + 64 * k);
        let alloc = |b: &mut Bench, n: u64, len: usize, f: &[(Field, u64)]| {
            let all = [&[(AllocModifyHeaderContextIn::NUM_OF_ACTIONS, n)], f].concat();
            b.cmd(opcode::ALLOC_MODIFY_HEADER_CONTEXT, 0, len, &all, 16)
        };
        let set = [(action(0)(SetActionIn::ACTION_TYPE), 1), (action(0)(SetActionIn::FIELD), 0x0a)];
        assert_eq!(alloc(&mut b, 0, 24, &set), status::BAD_PARAM);
        assert_eq!(alloc(&mut b, 200, 16 + 1600, &set), status::EXCEED_LIM);
        assert_eq!(alloc(&mut b, 2, 24, &set), status::BAD_INPUT_LEN);
        assert_eq!(alloc(&mut b, 2, 32, &set), status::BAD_PARAM, "the second is no action");
        assert_eq!(alloc(&mut b, 1, 24, &[(action(0)(SetActionIn::ACTION_TYPE), 1)]), status::BAD_PARAM);
        let beyond =
            [&set[..], &[(action(0)(SetActionIn::OFFSET), 30), (action(0)(SetActionIn::LENGTH), 8)]].concat();
        assert_eq!(alloc(&mut b, 1, 24, &beyond), status::BAD_PARAM);
        let add = [(action(1)(AddActionIn::ACTION_TYPE), 2), (action(1)(AddActionIn::FIELD), 0x0a)];
        assert_eq!(alloc(&mut b, 2, 32, &[&set[..], &add].concat()), status::OK);
        let id = AllocModifyHeaderContextOut::MODIFY_HEADER_ID.get(&b.out);
        let free = [(DeallocModifyHeaderContextIn::MODIFY_HEADER_ID, id)];
        assert_eq!(b.cmd(opcode::DEALLOC_MODIFY_HEADER_CONTEXT, 0, 16, &free, 16), status::OK);
        assert_eq!(b.cmd(opcode::DEALLOC_MODIFY_HEADER_CONTEXT, 0, 16, &free, 16), status::BAD_RES);
    }

    #[test]
    fn a_reformat_carries_its_headers() {
        let mut b = Bench::new();
        let at = AllocPacketReformatContextIn::PACKET_REFORMAT_CONTEXT;
        let alloc = |b: &mut Bench, ty: u64, size: u64, len: usize| {
            let f = [
                (REFORMAT_TYPE.within(at), ty),
                (PacketReformatContextIn::REFORMAT_DATA_SIZE.within(at), size),
            ];
            b.cmd(opcode::ALLOC_PACKET_REFORMAT_CONTEXT, 0, len, &f, 16)
        };
        assert_eq!(alloc(&mut b, 0x55, 50, 90), status::BAD_PARAM);
        assert_eq!(alloc(&mut b, 0, 0, 90), status::BAD_PARAM);
        assert_eq!(alloc(&mut b, 0, 60, 90), status::BAD_INPUT_LEN);
        assert_eq!(alloc(&mut b, 0, 1000, 1100), status::EXCEED_LIM);
        assert_eq!(alloc(&mut b, 0, 50, 34 + 50), status::OK);
    }
}
