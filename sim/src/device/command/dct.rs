//! Dynamically connected targets: create, query, drain, destroy.

use super::qp::{queue_number, shared_queue};
use super::{Check, Command, Done, Entry, demand, entry};
use crate::device::Chip;
use crate::device::objects::kind;
use prm::{
    CmdHcaCap, CreateDctIn, CreateDctOut, Dctc, DestroyDctIn, DrainDctIn, Field, QueryDctIn, QueryDctOut,
    event, opcode, status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::CREATE_DCT, CreateDctIn::SIZE, CreateDctOut::SIZE, create),
    entry(opcode::QUERY_DCT, QueryDctIn::SIZE, QueryDctOut::SIZE, query),
    entry(opcode::DRAIN_DCT, DrainDctIn::SIZE, 16, drain),
    entry(opcode::DESTROY_DCT, DestroyDctIn::SIZE, 16, destroy),
];

const CTX: Field = CreateDctIn::DCT_CONTEXT_ENTRY;
/// States of a target.
mod state {
    pub const ACTIVE: u64 = 0;
    pub const DRAINED: u64 = 2;
}

fn create(chip: &mut Chip, c: &mut Command) -> Done {
    let get = |f: Field| f.within(CTX).get32(c.input);
    demand(chip.caps.general(CmdHcaCap::DCT) != 0, status::BAD_OP, Check::Capability)?;
    let (pd, cq) = ((kind::PD, get(Dctc::PD)), (kind::CQ, get(Dctc::CQN)));
    chip.objs.usable(pd, c.uid, Check::Pd)?;
    chip.objs.usable(cq, c.uid, Check::Cq)?;
    let srq = shared_queue(chip, c.uid, get(Dctc::SRQN_XRQN))?;
    demand((1..=5).contains(&get(Dctc::MTU)), status::BAD_PARAM, Check::Field)?;
    demand((1..=chip.config().ports as u32).contains(&get(Dctc::PORT)), status::BAD_PARAM, Check::Index)?;
    let mut uses = vec![pd, cq, srq];
    if get(Dctc::COUNTER_SET_ID) != 0 {
        let counter = (kind::Q_COUNTER, get(Dctc::COUNTER_SET_ID));
        chip.objs.usable(counter, c.uid, Check::Counter)?;
        uses.push(counter);
    }
    let n = queue_number(chip, kind::DCT, CmdHcaCap::LOG_MAX_QP)?;
    chip.objs.insert((kind::DCT, n), c.uid, c.input, uses);
    if let Some(o) = chip.objs.get_mut(&(kind::DCT, n)) {
        Dctc::STATE.within(CTX).set(&mut o.input, state::ACTIVE);
    }
    CreateDctOut::DCTN.set(c.out, n as u64);
    CreateDctOut::ECE.set(c.out, Dctc::ECE.within(CTX).get(c.input));
    Ok(())
}

fn query(chip: &mut Chip, c: &mut Command) -> Done {
    let o = chip.objs.owned((kind::DCT, QueryDctIn::DCTN.get32(c.input)), c.uid)?;
    c.answer(QueryDctOut::DCTC.byte(), CTX.slice(&o.input));
    Ok(())
}

/// Nothing new is accepted from here on; an event tells when all is through, at once here.
fn drain(chip: &mut Chip, c: &mut Command) -> Done {
    let n = DrainDctIn::DCTN.get32(c.input);
    let o = chip.objs.owned_mut((kind::DCT, n), c.uid)?;
    let state = Dctc::STATE.within(CTX);
    demand(state.get(&o.input) == state::ACTIVE, status::BAD_RES_STATE, Check::State)?;
    state.set(&mut o.input, state::DRAINED);
    let mut data = [0; 28];
    data[24..].copy_from_slice(&n.to_be_bytes());
    chip.raise(c.host, event::DCT_DRAINED, 0, &data);
    Ok(())
}

fn destroy(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::DCT, DestroyDctIn::DCTN.get32(c.input));
    let o = chip.objs.owned(key, c.uid)?;
    let state = Dctc::STATE.within(CTX);
    demand(state.get(&o.input) == state::DRAINED, status::BAD_RES_STATE, Check::State)?;
    chip.objs.remove(key, c.uid)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    #[test]
    fn a_target_is_drained_before_it_goes() {
        let mut b = Bench::new();
        let (pd, cq) = (b.pd(0) as u64, b.cq(0) as u64);
        let srq = super::super::srq::tests::rmp(&mut b, pd) as u64;
        let mut f = vec![
            (Dctc::PD.within(CTX), pd),
            (Dctc::CQN.within(CTX), cq),
            (Dctc::SRQN_XRQN.within(CTX), srq),
            (Dctc::MTU.within(CTX), 3),
        ];
        let make = |b: &mut Bench, f: &[(Field, u64)]| b.cmd(opcode::CREATE_DCT, 0, CreateDctIn::SIZE, f, 16);
        assert_eq!(make(&mut b, &f), status::BAD_PARAM, "no port");
        f.push((Dctc::PORT.within(CTX), 1));
        f[2].1 = 9;
        assert_eq!(make(&mut b, &f), status::BAD_RES);
        f[2].1 = srq;
        assert_eq!(make(&mut b, &f), status::OK);
        let n = CreateDctOut::DCTN.get(&b.out);
        let run = |b: &mut Bench, op| b.cmd(op, 0, 16, &[(DestroyDctIn::DCTN, n)], QueryDctOut::SIZE);
        assert_eq!(run(&mut b, opcode::QUERY_DCT), status::OK);
        assert_eq!(Dctc::PD.within(QueryDctOut::DCTC).get(&b.out), pd);
        assert_eq!(run(&mut b, opcode::DESTROY_DCT), status::BAD_RES_STATE);
        assert_eq!(run(&mut b, opcode::DRAIN_DCT), status::OK);
        assert_eq!(run(&mut b, opcode::DRAIN_DCT), status::BAD_RES_STATE);
        assert_eq!(run(&mut b, opcode::DESTROY_DCT), status::OK);
        assert_eq!(run(&mut b, opcode::QUERY_DCT), status::BAD_RES);
    }
}
