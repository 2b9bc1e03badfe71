//! Scheduling elements of the e-switch command set, and the packet pacing table.

use super::{Check, Command, Done, Entry, demand, entry};
use crate::device::Chip;
use crate::device::objects::kind;
use prm::{
    CmdHcaCap, CreateSchedulingElementIn, CreateSchedulingElementOut, DestroySchedulingElementIn, Field,
    ModifySchedulingElementIn, QosCap, QueryRateLimitIn, QueryRateLimitOut, QuerySchedulingElementIn,
    QuerySchedulingElementOut, SchedContext, SetPpRateLimitIn, opcode, status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(
        opcode::CREATE_SCHEDULING_ELEMENT,
        CreateSchedulingElementIn::SIZE,
        CreateSchedulingElementOut::SIZE,
        create,
    ),
    entry(
        opcode::QUERY_SCHEDULING_ELEMENT,
        QuerySchedulingElementIn::SIZE,
        QuerySchedulingElementOut::SIZE,
        query,
    ),
    entry(opcode::MODIFY_SCHEDULING_ELEMENT, ModifySchedulingElementIn::SIZE, 16, modify),
    entry(opcode::DESTROY_SCHEDULING_ELEMENT, DestroySchedulingElementIn::SIZE, 16, destroy),
    entry(opcode::SET_PP_RATE_LIMIT, SetPpRateLimitIn::SIZE, 16, set_rate),
    entry(opcode::QUERY_RATE_LIMIT, QueryRateLimitIn::SIZE, QueryRateLimitOut::SIZE, query_rate),
];

/// Types of scheduling elements.
pub(super) mod element_type {
    pub const TSAR: u32 = 0;
    pub const QUEUE_GROUP: u32 = 4;
}

/// The hierarchy of the NIC; the e-switch has none here.
const HIERARCHY_NIC: u32 = 3;
/// Bits of the modify mask, and the fields behind them.
pub(super) const MODIFIABLE: &[(u64, Field)] =
    &[(0x1, SchedContext::BW_SHARE), (0x2, SchedContext::MAX_AVERAGE_BW)];

fn create(chip: &mut Chip, c: &mut Command) -> Done {
    let hierarchy = CreateSchedulingElementIn::SCHEDULING_HIERARCHY.get32(c.input);
    check_hierarchy(chip, hierarchy)?;
    let uses = chip.check_scheduling(c.input, CreateSchedulingElementIn::SCHEDULING_CONTEXT, c.uid)?;
    let n = chip.objs.number(kind::SCHEDULING, 1..1 << 16)?;
    chip.objs.insert((kind::SCHEDULING, n), c.uid, c.input, uses);
    CreateSchedulingElementOut::SCHEDULING_ELEMENT_ID.set(c.out, n as u64);
    Ok(())
}

fn check_hierarchy(chip: &Chip, hierarchy: u32) -> Done {
    let offered = chip.caps.qos(QosCap::NIC_SQ_SCHEDULING) != 0;
    demand(offered && hierarchy == HIERARCHY_NIC, status::BAD_PARAM, Check::Capability)
}

impl Chip {
    /// Check a scheduling context: type, and a parent that can have children. The objects
    /// that it refers to.
    pub(super) fn check_scheduling(
        &self,
        input: &[u8],
        at: Field,
        uid: u16,
    ) -> Result<Vec<crate::device::objects::Key>, super::Refusal> {
        let get = |f: Field| f.within(at).get32(input);
        let element = get(SchedContext::ELEMENT_TYPE);
        let offered = self.caps.qos(QosCap::NIC_ELEMENT_TYPE);
        let bit = match element {
            element_type::TSAR => 0x1,
            element_type::QUEUE_GROUP => 0x10,
            _ => 0,
        };
        demand(offered & bit != 0, status::BAD_PARAM, Check::Capability)?;
        let parent = get(SchedContext::PARENT_ELEMENT_ID);
        if parent == 0 {
            // only an arbiter can be the root
            demand(element == element_type::TSAR, status::BAD_PARAM, Check::Object)?;
            return Ok(vec![]);
        }
        let general = crate::device::objects::general(prm::object::SCHEDULING_ELEMENT);
        let key = if self.objs.contains(&(general, parent)) {
            (general, parent)
        } else {
            (kind::SCHEDULING, parent)
        };
        let o = self.objs.usable(key, uid, Check::Object)?;
        let inside = if key.0 == general {
            prm::SchedElem::SCHED_CONTEXT.within(prm::CreateSchedElemIn::SCHED_ELEM)
        } else {
            CreateSchedulingElementIn::SCHEDULING_CONTEXT
        };
        let parent_type = SchedContext::ELEMENT_TYPE.within(inside).get32(&o.input);
        demand(parent_type == element_type::TSAR, status::BAD_PARAM, Check::Object)?;
        Ok(vec![key])
    }
}

fn query(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::SCHEDULING, QuerySchedulingElementIn::SCHEDULING_ELEMENT_ID.get32(c.input));
    let o = chip.objs.owned(key, c.uid)?;
    let from = CreateSchedulingElementIn::SCHEDULING_CONTEXT;
    c.answer(QuerySchedulingElementOut::SCHEDULING_CONTEXT.byte(), from.slice(&o.input));
    Ok(())
}

fn modify(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::SCHEDULING, ModifySchedulingElementIn::SCHEDULING_ELEMENT_ID.get32(c.input));
    let mask = ModifySchedulingElementIn::MODIFY_BITMASK.get(c.input);
    let o = chip.objs.owned_mut(key, c.uid)?;
    for (_, f) in MODIFIABLE.iter().filter(|(bit, _)| mask & bit != 0) {
        let v = f.within(ModifySchedulingElementIn::SCHEDULING_CONTEXT).get(c.input);
        f.within(CreateSchedulingElementIn::SCHEDULING_CONTEXT).set(&mut o.input, v);
    }
    Ok(())
}

fn destroy(chip: &mut Chip, c: &mut Command) -> Done {
    let n = DestroySchedulingElementIn::SCHEDULING_ELEMENT_ID.get32(c.input);
    check_hierarchy(chip, DestroySchedulingElementIn::SCHEDULING_HIERARCHY.get32(c.input))?;
    chip.objs.remove((kind::SCHEDULING, n), c.uid)?;
    Ok(())
}

/// The driver manages the table's indexes; a rate of zero frees one.
fn set_rate(chip: &mut Chip, c: &mut Command) -> Done {
    demand(chip.caps.general(CmdHcaCap::QOS) != 0, status::BAD_OP, Check::Capability)?;
    let index = SetPpRateLimitIn::RATE_LIMIT_INDEX.get32(c.input);
    let size = chip.caps.qos(QosCap::PACKET_PACING_RATE_TABLE_SIZE);
    demand((1..=size).contains(&index), status::BAD_INDEX, Check::Index)?;
    let rate = SetPpRateLimitIn::RATE_LIMIT.get32(c.input);
    let key = (kind::RATE_LIMIT, index);
    if rate == 0 {
        if chip.objs.contains(&key) {
            chip.objs.remove(key, c.uid)?;
        }
        return Ok(());
    }
    let (min, max) =
        (chip.caps.qos(QosCap::PACKET_PACING_MIN_RATE), chip.caps.qos(QosCap::PACKET_PACING_MAX_RATE));
    demand((min..=max).contains(&rate), status::BAD_PARAM, Check::Limit)?;
    if chip.objs.contains(&key) {
        chip.objs.owned_mut(key, c.uid)?.input = c.input.to_vec();
    } else {
        chip.objs.insert(key, c.uid, c.input, vec![]);
    }
    Ok(())
}

fn query_rate(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::RATE_LIMIT, QueryRateLimitIn::RATE_LIMIT_INDEX.get32(c.input));
    let o = chip.objs.owned(key, c.uid)?;
    // the entry sits at the same place in the output
    for f in [
        SetPpRateLimitIn::RATE_LIMIT,
        SetPpRateLimitIn::BURST_UPPER_BOUND,
        SetPpRateLimitIn::TYPICAL_PACKET_SIZE,
    ] {
        f.copy(&o.input, c.out);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    #[test]
    fn elements_form_a_tree() {
        let mut b = Bench::new();
        let ctx = CreateSchedulingElementIn::SCHEDULING_CONTEXT;
        let make = |b: &mut Bench, hierarchy: u64, ty: u32, parent: u64| {
            let f = [
                (CreateSchedulingElementIn::SCHEDULING_HIERARCHY, hierarchy),
                (SchedContext::ELEMENT_TYPE.within(ctx), ty as u64),
                (SchedContext::PARENT_ELEMENT_ID.within(ctx), parent),
            ];
            let s = b.cmd(opcode::CREATE_SCHEDULING_ELEMENT, 0, CreateSchedulingElementIn::SIZE, &f, 64);
            (s, CreateSchedulingElementOut::SCHEDULING_ELEMENT_ID.get(&b.out))
        };
        assert_eq!(make(&mut b, 2, element_type::TSAR, 0).0, status::BAD_PARAM);
        assert_eq!(
            make(&mut b, 3, element_type::QUEUE_GROUP, 0).0,
            status::BAD_PARAM,
            "a leaf without parent"
        );
        let (s, root) = make(&mut b, 3, element_type::TSAR, 0);
        assert_eq!(s, status::OK);
        let (s, leaf) = make(&mut b, 3, element_type::QUEUE_GROUP, root);
        assert_eq!(s, status::OK);
        assert_eq!(make(&mut b, 3, element_type::QUEUE_GROUP, leaf).0, status::BAD_PARAM);
        let destroy = |b: &mut Bench, n: u64| {
            let f = [
                (DestroySchedulingElementIn::SCHEDULING_HIERARCHY, 3),
                (DestroySchedulingElementIn::SCHEDULING_ELEMENT_ID, n),
            ];
            b.cmd(opcode::DESTROY_SCHEDULING_ELEMENT, 0, DestroySchedulingElementIn::SIZE, &f, 16)
        };
        assert_eq!(destroy(&mut b, root), status::RES_BUSY);
        assert_eq!(destroy(&mut b, leaf), status::OK);
        assert_eq!(destroy(&mut b, root), status::OK);
    }

    #[test]
    fn the_pacing_table_checks_index_and_rate() {
        let mut b = Bench::new();
        let set = |b: &mut Bench, index: u64, rate: u64| {
            let f = [(SetPpRateLimitIn::RATE_LIMIT_INDEX, index), (SetPpRateLimitIn::RATE_LIMIT, rate)];
            b.cmd(opcode::SET_PP_RATE_LIMIT, 0, SetPpRateLimitIn::SIZE, &f, 16)
        };
        let query = |b: &mut Bench, index: u64| {
            let f = [(QueryRateLimitIn::RATE_LIMIT_INDEX, index)];
            b.cmd(opcode::QUERY_RATE_LIMIT, 0, 16, &f, QueryRateLimitOut::SIZE)
        };
        assert_eq!(set(&mut b, 0, 5000), status::BAD_INDEX);
        assert_eq!(set(&mut b, 60000, 5000), status::BAD_INDEX);
        assert_eq!(set(&mut b, 1, u32::MAX as u64), status::BAD_PARAM);
        assert_eq!(query(&mut b, 1), status::BAD_RES);
        assert_eq!(set(&mut b, 1, 5000), status::OK);
        assert_eq!(query(&mut b, 1), status::OK);
        assert_eq!(QueryRateLimitOut::RATE_LIMIT.get(&b.out), 5000);
        assert_eq!(set(&mut b, 1, 0), status::OK);
        assert_eq!(query(&mut b, 1), status::BAD_RES);
    }
}
