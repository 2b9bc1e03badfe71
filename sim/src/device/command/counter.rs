//! Queue counters and the statistics that have no object behind them.

use super::{Check, Command, Done, Entry, demand, entry};
use crate::device::Chip;
use crate::device::objects::kind;
use prm::{
    AllocQCounterOut, CmdHcaCap, DeallocQCounterIn, MboxIn, QueryQCounterIn, QueryVnicEnvIn,
    QueryVportCounterIn, opcode, status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::ALLOC_Q_COUNTER, MboxIn::SIZE, AllocQCounterOut::SIZE, alloc),
    entry(opcode::DEALLOC_Q_COUNTER, DeallocQCounterIn::SIZE, 16, dealloc),
    entry(opcode::QUERY_Q_COUNTER, QueryQCounterIn::SIZE, 16, query),
    entry(opcode::QUERY_VPORT_COUNTER, QueryVportCounterIn::SIZE, 16, zeros),
    entry(opcode::QUERY_VNIC_ENV, QueryVnicEnvIn::SIZE, 16, zeros),
    entry(opcode::QUERY_CONG_STATUS, MboxIn::SIZE, 16, zeros),
    entry(opcode::QUERY_CONG_PARAMS, MboxIn::SIZE, 16, zeros),
    entry(opcode::QUERY_CONG_STATISTICS, MboxIn::SIZE, 16, zeros),
];

/// Counters that never move: this device's ports lose nothing and see no congestion.
fn zeros(_: &mut Chip, _: &mut Command) -> Done {
    Ok(())
}

fn alloc(chip: &mut Chip, c: &mut Command) -> Done {
    let limit = chip.caps.general(CmdHcaCap::MAX_QP_CNT).clamp(1, 255);
    let n = chip.objs.number(kind::Q_COUNTER, 1..limit + 1)?;
    chip.objs.insert((kind::Q_COUNTER, n), c.uid, c.input, vec![]);
    AllocQCounterOut::COUNTER_SET_ID.set(c.out, n as u64);
    Ok(())
}

fn dealloc(chip: &mut Chip, c: &mut Command) -> Done {
    let n = DeallocQCounterIn::COUNTER_SET_ID.get32(c.input);
    chip.objs.remove((kind::Q_COUNTER, n), c.uid)?;
    Ok(())
}

/// The errors that the counters count do not occur between queues of one chip, so all
/// of them stand at zero.
fn query(chip: &mut Chip, c: &mut Command) -> Done {
    let n = QueryQCounterIn::COUNTER_SET_ID.get32(c.input);
    demand(chip.objs.contains(&(kind::Q_COUNTER, n)), status::BAD_RES, Check::Handle)
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    #[test]
    fn counter_sets_have_eight_bit_numbers() {
        let mut b = Bench::new();
        for n in 1..=255 {
            assert_eq!(b.cmd(opcode::ALLOC_Q_COUNTER, 0, 16, &[], 16), status::OK);
            assert_eq!(AllocQCounterOut::COUNTER_SET_ID.get(&b.out), n);
        }
        assert_eq!(b.cmd(opcode::ALLOC_Q_COUNTER, 0, 16, &[], 16), status::NO_RESOURCES);
        let free = [(DeallocQCounterIn::COUNTER_SET_ID, 9)];
        assert_eq!(b.cmd(opcode::DEALLOC_Q_COUNTER, 0, 16, &free, 16), status::OK);
        assert_eq!(b.cmd(opcode::DEALLOC_Q_COUNTER, 0, 16, &free, 16), status::BAD_RES);
        let query = [(QueryQCounterIn::COUNTER_SET_ID, 9)];
        assert_eq!(b.cmd(opcode::QUERY_Q_COUNTER, 0, QueryQCounterIn::SIZE, &query, 256), status::BAD_RES);
    }
}
