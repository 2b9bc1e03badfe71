//! Send queues and receive queues that stand alone (Ethernet, raw packets).

use super::qp::queue_number;
use super::srq::work_queue;
use super::{Check, Command, Done, Entry, Refusal, demand, entry, refuse};
use crate::device::Chip;
use crate::device::objects::{Key, general, kind};
use prm::{
    CmdHcaCap, CreateRqIn, CreateRqOut, CreateSqIn, CreateSqOut, DestroyRqIn, DestroySqIn, Field, ModifyRqIn,
    ModifySqIn, QueryRqIn, QueryRqOut, QuerySqIn, QuerySqOut, Rqc, Sqc, object, opcode, status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::CREATE_SQ, CreateSqIn::SIZE, CreateSqOut::SIZE, create_sq),
    entry(opcode::MODIFY_SQ, ModifySqIn::SIZE, 16, modify_sq),
    entry(opcode::QUERY_SQ, QuerySqIn::SIZE, QuerySqOut::SIZE, query_sq),
    entry(opcode::DESTROY_SQ, DestroySqIn::SIZE, 16, destroy_sq),
    entry(opcode::CREATE_RQ, CreateRqIn::SIZE, CreateRqOut::SIZE, create_rq),
    entry(opcode::MODIFY_RQ, ModifyRqIn::SIZE, 16, modify_rq),
    entry(opcode::QUERY_RQ, QueryRqIn::SIZE, QueryRqOut::SIZE, query_rq),
    entry(opcode::DESTROY_RQ, DestroyRqIn::SIZE, 16, destroy_rq),
];

/// States of send and receive queues.
pub(in crate::device) mod state {
    pub const RST: u64 = 0;
    pub const RDY: u64 = 1;
    pub const ERR: u64 = 3;
}

/// Where a receive queue's entries lie (`mem_rq_type`).
mod memory_type {
    pub const INLINE: u32 = 0;
    pub const RMP: u32 = 1;
}

/// Bits of MODIFY_SQ's mask.
const SQ_RATE_LIMIT: u64 = 0x1;
const SQ_QUEUE_GROUP: u64 = 0x4;
/// Bits of MODIFY_RQ's mask.
const RQ_VSD: u64 = 0x2;
const RQ_SCATTER_FCS: u64 = 0x4;
const RQ_COUNTER: u64 = 0x8;

fn create_sq(chip: &mut Chip, c: &mut Command) -> Done {
    let get = |f: Field| f.within(CreateSqIn::CTX).get32(c.input);
    demand(get(Sqc::STATE) == state::RST as u32, status::BAD_PARAM, Check::State)?;
    let mut uses = vec![];
    if get(Sqc::HAIRPIN) == 0 {
        uses = work_queue(chip, c, Sqc::WQ.within(CreateSqIn::CTX), true)?;
    }
    if get(Sqc::CQN) != 0 || get(Sqc::HAIRPIN) == 0 {
        let cq = (kind::CQ, get(Sqc::CQN));
        chip.objs.usable(cq, c.uid, Check::Cq)?;
        uses.push(cq);
    }
    if get(Sqc::TIS_LST_SZ) != 0 {
        let tis = (kind::TIS, get(Sqc::TIS_NUM_0));
        chip.objs.usable(tis, c.uid, Check::Tis)?;
        uses.push(tis);
    }
    uses.extend(rate_limit(chip, get(Sqc::PACKET_PACING_RATE_LIMIT_INDEX))?);
    let n = queue_number(chip, kind::SQ, CmdHcaCap::LOG_MAX_SQ)?;
    chip.objs.insert((kind::SQ, n), c.uid, c.input, uses);
    chip.sq_create(n, c.input);
    CreateSqOut::SQN.set(c.out, n as u64);
    Ok(())
}

/// The packet pacing entry that an index names; index 0 paces nothing.
fn rate_limit(chip: &Chip, index: u32) -> Result<Option<Key>, Refusal> {
    let key = (kind::RATE_LIMIT, index);
    match index {
        0 => Ok(None),
        _ if chip.objs.contains(&key) => Ok(Some(key)),
        _ => refuse(status::BAD_RES, Check::Object),
    }
}

/// Check the move of a queue from its state, which the command must know, to another.
fn step(now: u64, expected: u64, to: u64) -> Done {
    demand(now == expected, status::BAD_RES_STATE, Check::State)?;
    let allowed = match to {
        state::RST | state::ERR => true,
        state::RDY => now != state::ERR,
        _ => false,
    };
    demand(allowed, status::BAD_RES_STATE, Check::State)
}

fn modify_sq(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::SQ, ModifySqIn::SQN.get32(c.input));
    let (from, to) = (ModifySqIn::SQ_CONTEXT, CreateSqIn::CTX);
    let o = chip.objs.owned(key, c.uid)?;
    let next = Sqc::STATE.within(from).get(c.input);
    step(Sqc::STATE.within(to).get(&o.input), ModifySqIn::SQ_STATE.get(c.input), next)?;
    let mask = ModifySqIn::MODIFY_BITMASK.get(c.input);
    let mut fields = vec![Sqc::STATE];
    if mask & SQ_RATE_LIMIT != 0 {
        let index = Sqc::PACKET_PACING_RATE_LIMIT_INDEX.within(from).get32(c.input);
        let entry = rate_limit(chip, index)?;
        let mut uses: Vec<Key> = o.uses.iter().filter(|k| k.0 != kind::RATE_LIMIT).copied().collect();
        uses.extend(entry);
        chip.objs.relink(key, uses);
        fields.push(Sqc::PACKET_PACING_RATE_LIMIT_INDEX);
    }
    if mask & SQ_QUEUE_GROUP != 0 {
        let group = Sqc::QOS_QUEUE_GROUP_ID.within(from).get32(c.input);
        if group != 0 && !chip.objs.contains(&(kind::SCHEDULING, group)) {
            chip.objs.usable((general(object::SCHEDULING_ELEMENT), group), c.uid, Check::Object)?;
        }
        fields.push(Sqc::QOS_QUEUE_GROUP_ID);
    }
    let o = chip.objs.owned_mut(key, c.uid)?;
    for f in fields {
        f.within(to).set(&mut o.input, f.within(from).get(c.input));
    }
    chip.queue_moved(c.host, key.0, key.1, next as u8);
    Ok(())
}

fn query_sq(chip: &mut Chip, c: &mut Command) -> Done {
    let o = chip.objs.owned((kind::SQ, QuerySqIn::SQN.get32(c.input)), c.uid)?;
    c.answer(QuerySqOut::SQ_CONTEXT.byte(), CreateSqIn::CTX.slice(&o.input));
    Ok(())
}

fn destroy_sq(chip: &mut Chip, c: &mut Command) -> Done {
    let n = DestroySqIn::SQN.get32(c.input);
    chip.objs.remove((kind::SQ, n), c.uid)?;
    chip.sq_destroy(n);
    Ok(())
}

fn create_rq(chip: &mut Chip, c: &mut Command) -> Done {
    let get = |f: Field| f.within(CreateRqIn::CTX).get32(c.input);
    demand(get(Rqc::STATE) == state::RST as u32, status::BAD_PARAM, Check::State)?;
    let mut uses = match (get(Rqc::MEM_RQ_TYPE), get(Rqc::HAIRPIN)) {
        (_, 1) => vec![],
        (memory_type::INLINE, _) => work_queue(chip, c, Rqc::WQ.within(CreateRqIn::CTX), false)?,
        (memory_type::RMP, _) => vec![(kind::RMP, get(Rqc::RMPN))],
        _ => return refuse(status::BAD_PARAM, Check::Field),
    };
    if get(Rqc::MEM_RQ_TYPE) == memory_type::RMP {
        chip.objs.usable((kind::RMP, get(Rqc::RMPN)), c.uid, Check::Srq)?;
    }
    if get(Rqc::CQN) != 0 || get(Rqc::HAIRPIN) == 0 {
        let cq = (kind::CQ, get(Rqc::CQN));
        chip.objs.usable(cq, c.uid, Check::Cq)?;
        uses.push(cq);
    }
    if get(Rqc::COUNTER_SET_ID) != 0 {
        let counter = (kind::Q_COUNTER, get(Rqc::COUNTER_SET_ID));
        chip.objs.usable(counter, c.uid, Check::Counter)?;
        uses.push(counter);
    }
    let n = queue_number(chip, kind::RQ, CmdHcaCap::LOG_MAX_RQ)?;
    chip.objs.insert((kind::RQ, n), c.uid, c.input, uses);
    chip.rq_create(n, c.input);
    CreateRqOut::RQN.set(c.out, n as u64);
    Ok(())
}

fn modify_rq(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::RQ, ModifyRqIn::RQN.get32(c.input));
    let (from, to) = (ModifyRqIn::CTX, CreateRqIn::CTX);
    let o = chip.objs.owned(key, c.uid)?;
    let next = Rqc::STATE.within(from).get(c.input);
    step(Rqc::STATE.within(to).get(&o.input), ModifyRqIn::RQ_STATE.get(c.input), next)?;
    let mask = ModifyRqIn::MODIFY_BITMASK.get(c.input);
    let mut fields = vec![Rqc::STATE];
    for (bit, f) in
        [(RQ_VSD, Rqc::VSD), (RQ_SCATTER_FCS, Rqc::SCATTER_FCS), (RQ_COUNTER, Rqc::COUNTER_SET_ID)]
    {
        if mask & bit != 0 {
            fields.push(f);
        }
    }
    if mask & RQ_COUNTER != 0 {
        let counter = (kind::Q_COUNTER, Rqc::COUNTER_SET_ID.within(from).get32(c.input));
        let mut uses: Vec<Key> = o.uses.iter().filter(|k| k.0 != kind::Q_COUNTER).copied().collect();
        if counter.1 != 0 {
            chip.objs.usable(counter, c.uid, Check::Counter)?;
            uses.push(counter);
        }
        chip.objs.relink(key, uses);
    }
    let o = chip.objs.owned_mut(key, c.uid)?;
    for f in fields {
        f.within(to).set(&mut o.input, f.within(from).get(c.input));
    }
    chip.queue_moved(c.host, key.0, key.1, next as u8);
    Ok(())
}

fn query_rq(chip: &mut Chip, c: &mut Command) -> Done {
    let o = chip.objs.owned((kind::RQ, QueryRqIn::RQN.get32(c.input)), c.uid)?;
    c.answer(QueryRqOut::RQ_CONTEXT.byte(), CreateRqIn::CTX.slice(&o.input));
    Ok(())
}

fn destroy_rq(chip: &mut Chip, c: &mut Command) -> Done {
    let n = DestroyRqIn::RQN.get32(c.input);
    chip.objs.remove((kind::RQ, n), c.uid)?;
    chip.rq_destroy(n);
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::testing::Bench;
    use super::*;
    use prm::Wq;

    /// A receive queue of 16 entries.
    pub fn rq(b: &mut Bench) -> u32 {
        let (pd, cq) = (b.pd(0) as u64, b.cq(0) as u64);
        let f = rq_fields(pd, cq);
        b.create(opcode::CREATE_RQ, 0, CreateRqIn::SIZE + 8, &f)
    }

    fn rq_fields(pd: u64, cq: u64) -> Vec<(Field, u64)> {
        let wq = Rqc::WQ.within(CreateRqIn::CTX);
        vec![
            (Rqc::CQN.within(CreateRqIn::CTX), cq),
            (Wq::WQ_TYPE.within(wq), 1),
            (Wq::PD.within(wq), pd),
            (Wq::LOG_WQ_STRIDE.within(wq), 6),
            (Wq::LOG_WQ_SZ.within(wq), 4),
            (Wq::DBR_ADDR.within(wq), 0x7000),
            (Wq::PAS.within(wq), 0x9000),
        ]
    }

    #[test]
    fn receive_queues_check_and_move() {
        let mut b = Bench::new();
        let (pd, cq) = (b.pd(0) as u64, b.cq(0) as u64);
        let len = CreateRqIn::SIZE + 8;
        assert_eq!(b.cmd(opcode::CREATE_RQ, 0, len, &rq_fields(pd, 9), 16), status::BAD_RES);
        assert_eq!(b.cmd(opcode::CREATE_RQ, 0, len, &rq_fields(99, cq), 16), status::BAD_RES);
        let n = b.create(opcode::CREATE_RQ, 0, len, &rq_fields(pd, cq)) as u64;
        let go = |b: &mut Bench, from: u64, to: u64| {
            let f = [
                (ModifyRqIn::RQN, n),
                (ModifyRqIn::RQ_STATE, from),
                (Rqc::STATE.within(ModifyRqIn::CTX), to),
            ];
            b.cmd(opcode::MODIFY_RQ, 0, ModifyRqIn::SIZE, &f, 16)
        };
        assert_eq!(go(&mut b, state::RDY, state::RDY), status::BAD_RES_STATE, "it is in reset");
        assert_eq!(go(&mut b, state::RST, 2), status::BAD_RES_STATE, "no such state");
        assert_eq!(go(&mut b, state::RST, state::RDY), status::OK);
        assert_eq!(go(&mut b, state::RDY, state::ERR), status::OK);
        assert_eq!(go(&mut b, state::ERR, state::RDY), status::BAD_RES_STATE);
        assert_eq!(b.cmd(opcode::QUERY_RQ, 0, 16, &[(QueryRqIn::RQN, n)], QueryRqOut::SIZE), status::OK);
        assert_eq!(Rqc::STATE.within(QueryRqOut::RQ_CONTEXT).get(&b.out), state::ERR);
        assert_eq!(b.cmd(opcode::DESTROY_RQ, 0, 16, &[(DestroyRqIn::RQN, n)], 16), status::OK);
        assert_eq!(b.cmd(opcode::DESTROY_RQ, 0, 16, &[(DestroyRqIn::RQN, n)], 16), status::BAD_RES);
    }

    #[test]
    fn send_queues_need_their_interface_and_uar() {
        let mut b = Bench::new();
        let (pd, cq, uar) = (b.pd(0) as u64, b.cq(0) as u64, b.uar(0) as u64);
        let td = b.create(opcode::ALLOC_TRANSPORT_DOMAIN, 0, 16, &[]) as u64;
        let tis = super::super::rx_tx::tests::tis(&mut b, td) as u64;
        let (ctx, wq) = (CreateSqIn::CTX, Sqc::WQ.within(CreateSqIn::CTX));
        let f = |tis: u64, uar: u64| {
            [
                (Sqc::CQN.within(ctx), cq),
                (Sqc::TIS_LST_SZ.within(ctx), 1),
                (Sqc::TIS_NUM_0.within(ctx), tis),
                (Wq::PD.within(wq), pd),
                (Wq::UAR_PAGE.within(wq), uar),
                (Wq::LOG_WQ_STRIDE.within(wq), 6),
                (Wq::LOG_WQ_SZ.within(wq), 4),
                (Wq::PAS.within(wq), 0x9000),
            ]
        };
        let len = CreateSqIn::SIZE + 8;
        assert_eq!(b.cmd(opcode::CREATE_SQ, 0, len, &f(99, uar), 16), status::BAD_RES);
        assert_eq!(b.cmd(opcode::CREATE_SQ, 0, len, &f(tis, 4000), 16), status::BAD_RES);
        let n = b.create(opcode::CREATE_SQ, 0, len, &f(tis, uar)) as u64;
        let free = [(prm::DestroyTisIn::TISN, tis)];
        assert_eq!(b.cmd(opcode::DESTROY_TIS, 0, 16, &free, 16), status::RES_BUSY);
        let group = Sqc::QOS_QUEUE_GROUP_ID.within(ModifySqIn::SQ_CONTEXT);
        let pace = Sqc::PACKET_PACING_RATE_LIMIT_INDEX.within(ModifySqIn::SQ_CONTEXT);
        let modify = |b: &mut Bench, mask: u64, f: (Field, u64)| {
            let all = [(ModifySqIn::SQN, n), (ModifySqIn::MODIFY_BITMASK, mask), f];
            b.cmd(opcode::MODIFY_SQ, 0, ModifySqIn::SIZE, &all, 16)
        };
        assert_eq!(modify(&mut b, SQ_QUEUE_GROUP, (group, 7)), status::BAD_RES);
        assert_eq!(modify(&mut b, SQ_RATE_LIMIT, (pace, 7)), status::BAD_RES);
        assert_eq!(modify(&mut b, 0, (pace, 7)), status::OK);
        assert_eq!(b.cmd(opcode::DESTROY_SQ, 0, 16, &[(DestroySqIn::SQN, n)], 16), status::OK);
        assert_eq!(b.cmd(opcode::DESTROY_TIS, 0, 16, &free, 16), status::OK);
    }
}
