//! Shared receive queues: plain, XRC, memory pools, tag-matching queues.

use super::memory::PAGE;
use super::{Check, Command, Done, Entry, Refusal, demand, entry};
use crate::device::Chip;
use crate::device::objects::{Key, Place, kind};
use prm::{
    ArmRqIn, ArmXrcSrqIn, ArmXrqIn, CmdHcaCap, CreateRmpIn, CreateRmpOut, CreateSrqIn, CreateSrqOut,
    CreateXrcSrqIn, CreateXrcSrqOut, CreateXrqIn, CreateXrqOut, DestroyRmpIn, DestroySrqIn, DestroyXrcSrqIn,
    DestroyXrqIn, Field, ModifyRmpIn, QueryRmpIn, QueryRmpOut, QuerySrqIn, QuerySrqOut, QueryXrcSrqIn,
    QueryXrcSrqOut, QueryXrqIn, QueryXrqOut, Rmpc, Srqc, Wq, XrcSrqc, Xrqc, opcode, status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::CREATE_SRQ, CreateSrqIn::SIZE, CreateSrqOut::SIZE, create_srq),
    entry(opcode::QUERY_SRQ, QuerySrqIn::SIZE, 16 + Srqc::SIZE, query_srq),
    entry(opcode::ARM_RQ, ArmRqIn::SIZE, 16, arm_srq),
    entry(opcode::DESTROY_SRQ, DestroySrqIn::SIZE, 16, destroy_srq),
    entry(opcode::CREATE_XRC_SRQ, CreateXrcSrqIn::SIZE, CreateXrcSrqOut::SIZE, create_xrc_srq),
    entry(opcode::QUERY_XRC_SRQ, QueryXrcSrqIn::SIZE, 16 + XrcSrqc::SIZE, query_xrc_srq),
    entry(opcode::ARM_XRC_SRQ, ArmXrcSrqIn::SIZE, 16, arm_xrc_srq),
    entry(opcode::DESTROY_XRC_SRQ, DestroyXrcSrqIn::SIZE, 16, destroy_xrc_srq),
    entry(opcode::CREATE_RMP, CreateRmpIn::SIZE, CreateRmpOut::SIZE, create_rmp),
    entry(opcode::QUERY_RMP, QueryRmpIn::SIZE, QueryRmpOut::SIZE, query_rmp),
    entry(opcode::MODIFY_RMP, ModifyRmpIn::SIZE, 16, modify_rmp),
    entry(opcode::DESTROY_RMP, DestroyRmpIn::SIZE, 16, destroy_rmp),
    entry(opcode::CREATE_XRQ, CreateXrqIn::SIZE, CreateXrqOut::SIZE, create_xrq),
    entry(opcode::QUERY_XRQ, QueryXrqIn::SIZE, QueryXrqOut::SIZE, query_xrq),
    entry(opcode::ARM_XRQ, ArmXrqIn::SIZE, 16, arm_xrq),
    entry(opcode::DESTROY_XRQ, DestroyXrqIn::SIZE, 16, destroy_xrq),
];

const FIRST_SRQ: u32 = 0x40;

/// Where each kind keeps the low-watermark that arming sets.
fn watermark(kind: u16) -> Field {
    match kind {
        kind::SRQ => Srqc::LWM.within(CreateSrqIn::SRQ_CONTEXT_ENTRY),
        kind::XRC_SRQ => XrcSrqc::LWM.within(CreateXrcSrqIn::XRC_SRQ_CONTEXT_ENTRY),
        kind::RMP => Wq::LWM.within(Rmpc::WQ).within(CreateRmpIn::CTX),
        _ => Wq::LWM.within(Xrqc::WQ).within(CreateXrqIn::XRQ_CONTEXT),
    }
}

fn number(chip: &mut Chip, kind: u16, cap: Field) -> Result<u32, Refusal> {
    let range = super::basic::limited(chip, cap, FIRST_SRQ);
    chip.objs.number(kind, range)
}

/// What the work queue description at bit `at` of a command refers to: domain, buffer,
/// doorbell record. A send queue also names a UAR page.
pub(super) fn work_queue(chip: &Chip, c: &Command, at: Field, send: bool) -> Result<Vec<Key>, Refusal> {
    let get = |f: Field| f.within(at).get32(c.input);
    let limit = chip.caps.general(CmdHcaCap::LOG_MAX_WQ_SZ);
    demand(get(Wq::LOG_WQ_SZ) <= limit, status::EXCEED_LIM, Check::Size)?;
    let pd = (kind::PD, get(Wq::PD));
    let mut uses = vec![];
    // drivers make queues without a domain, for what needs no memory key
    if c.uid != 0 || pd.1 != 0 {
        chip.objs.usable(pd, c.uid, Check::Pd)?;
        uses.push(pd);
    }
    if send {
        let uar = (kind::UAR, get(Wq::UAR_PAGE));
        chip.objs.usable(uar, c.uid, Check::Uar)?;
        uses.push(uar);
    }
    let bytes = 1u64 << (get(Wq::LOG_WQ_STRIDE) + get(Wq::LOG_WQ_SZ));
    let place = if get(Wq::WQ_UMEM_VALID) != 0 {
        Place::Umem { id: get(Wq::WQ_UMEM_ID), offset: Wq::WQ_UMEM_OFFSET.within(at).get(c.input) }
    } else {
        let shift = PAGE + get(Wq::LOG_WQ_PG_SZ);
        let offset = ((get(Wq::PAGE_OFFSET) as u64) << shift) >> 6;
        Place::Pages { at: Wq::PAS.within(at).byte(), shift, offset }
    };
    uses.extend(chip.check_buffer(c, place, bytes)?);
    let dbr_umem = (get(Wq::DBR_UMEM_VALID) != 0).then(|| get(Wq::DBR_UMEM_ID));
    uses.extend(chip.check_dbr(c, dbr_umem, Wq::DBR_ADDR.within(at).get(c.input))?);
    Ok(uses)
}

fn create_srq(chip: &mut Chip, c: &mut Command) -> Done {
    let get = |f: Field| f.within(CreateSrqIn::SRQ_CONTEXT_ENTRY).get32(c.input);
    demand(
        get(Srqc::LOG_SRQ_SIZE) <= chip.caps.general(CmdHcaCap::LOG_MAX_SRQ_SZ),
        status::EXCEED_LIM,
        Check::Size,
    )?;
    let pd = (kind::PD, get(Srqc::PD));
    chip.objs.usable(pd, c.uid, Check::Pd)?;
    let mut uses = vec![pd];
    if get(Srqc::CQN) != 0 {
        let cq = (kind::CQ, get(Srqc::CQN));
        chip.objs.usable(cq, c.uid, Check::Cq)?;
        uses.push(cq);
    }
    let shift = PAGE + get(Srqc::LOG_PAGE_SIZE);
    let offset = ((get(Srqc::PAGE_OFFSET) as u64) << shift) >> 6;
    let bytes = 16u64 << (get(Srqc::LOG_RQ_STRIDE) + get(Srqc::LOG_SRQ_SIZE));
    let place = Place::Pages { at: CreateSrqIn::PAS.byte(), shift, offset };
    uses.extend(chip.check_buffer(c, place, bytes)?);
    let n = number(chip, kind::SRQ, CmdHcaCap::LOG_MAX_SRQ)?;
    enter(chip, c, (kind::SRQ, n), uses, CreateSrqOut::SRQN)
}

fn create_xrc_srq(chip: &mut Chip, c: &mut Command) -> Done {
    let ctx = CreateXrcSrqIn::XRC_SRQ_CONTEXT_ENTRY;
    let get = |f: Field| f.within(ctx).get32(c.input);
    demand(chip.caps.general(CmdHcaCap::XRC) != 0, status::BAD_OP, Check::Capability)?;
    let size = get(XrcSrqc::LOG_XRC_SRQ_SIZE);
    demand(size <= chip.caps.general(CmdHcaCap::LOG_MAX_SRQ_SZ), status::EXCEED_LIM, Check::Size)?;
    let keys = [
        ((kind::PD, get(XrcSrqc::PD)), Check::Pd),
        ((kind::CQ, get(XrcSrqc::CQN)), Check::Cq),
        ((kind::XRCD, get(XrcSrqc::XRCD)), Check::Xrcd),
    ];
    let mut uses = vec![];
    for (key, check) in keys {
        chip.objs.usable(key, c.uid, check)?;
        uses.push(key);
    }
    let place = if CreateXrcSrqIn::XRC_SRQ_UMEM_VALID.is_set(c.input) {
        let id = CreateXrcSrqIn::XRC_SRQ_UMEM_ID.get32(c.input);
        Place::Umem { id, offset: CreateXrcSrqIn::XRC_SRQ_UMEM_OFFSET.get(c.input) }
    } else {
        let shift = PAGE + get(XrcSrqc::LOG_PAGE_SIZE);
        let offset = ((get(XrcSrqc::PAGE_OFFSET) as u64) << shift) >> 6;
        Place::Pages { at: CreateXrcSrqIn::PAS.byte(), shift, offset }
    };
    uses.extend(chip.check_buffer(c, place, 16u64 << (get(XrcSrqc::LOG_RQ_STRIDE) + size))?);
    if get(XrcSrqc::DBR_UMEM_VALID) != 0 {
        let addr =
            (get(XrcSrqc::DB_RECORD_ADDR_H) as u64) << 32 | (get(XrcSrqc::DB_RECORD_ADDR_L) as u64) << 2;
        uses.extend(chip.check_dbr(c, Some(get(XrcSrqc::DBR_UMEM_ID)), addr)?);
    }
    let n = number(chip, kind::XRC_SRQ, CmdHcaCap::LOG_MAX_SRQ)?;
    enter(chip, c, (kind::XRC_SRQ, n), uses, CreateXrcSrqOut::XRC_SRQN)
}

fn create_rmp(chip: &mut Chip, c: &mut Command) -> Done {
    let uses = work_queue(chip, c, Rmpc::WQ.within(CreateRmpIn::CTX), false)?;
    let n = number(chip, kind::RMP, CmdHcaCap::LOG_MAX_RMP)?;
    enter(chip, c, (kind::RMP, n), uses, CreateRmpOut::RMPN)
}

fn create_xrq(chip: &mut Chip, c: &mut Command) -> Done {
    let ctx = CreateXrqIn::XRQ_CONTEXT;
    let get = |f: Field| f.within(ctx).get32(c.input);
    demand(chip.caps.general(CmdHcaCap::TAG_MATCHING) != 0, status::BAD_OP, Check::Capability)?;
    let list = get(Xrqc::LOG_MATCHING_LIST_SZ);
    demand(list <= chip.caps.general(CmdHcaCap::LOG_TAG_MATCHING_LIST_SZ), status::EXCEED_LIM, Check::Limit)?;
    let mut uses = work_queue(chip, c, Xrqc::WQ.within(ctx), false)?;
    let cq = (kind::CQ, get(Xrqc::CQN));
    chip.objs.usable(cq, c.uid, Check::Cq)?;
    uses.push(cq);
    let n = number(chip, kind::XRQ, CmdHcaCap::LOG_MAX_XRQ)?;
    enter(chip, c, (kind::XRQ, n), uses, CreateXrqOut::XRQN)
}

fn enter(chip: &mut Chip, c: &mut Command, key: Key, uses: Vec<Key>, number: Field) -> Done {
    chip.objs.insert(key, c.uid, c.input, uses);
    chip.srq_create(key.0, key.1, c.input);
    number.set(c.out, key.1 as u64);
    Ok(())
}

fn query(chip: &mut Chip, c: &mut Command, key: Key, from: Field, to: Field) -> Done {
    let o = chip.objs.owned(key, c.uid)?;
    c.answer(to.byte(), from.slice(&o.input));
    Ok(())
}

fn query_srq(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::SRQ, QuerySrqIn::SRQN.get32(c.input));
    query(chip, c, key, CreateSrqIn::SRQ_CONTEXT_ENTRY, QuerySrqOut::SRQ_CONTEXT_ENTRY)
}

fn query_xrc_srq(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::XRC_SRQ, QueryXrcSrqIn::XRC_SRQN.get32(c.input));
    query(chip, c, key, CreateXrcSrqIn::XRC_SRQ_CONTEXT_ENTRY, QueryXrcSrqOut::XRC_SRQ_CONTEXT_ENTRY)
}

fn query_rmp(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::RMP, QueryRmpIn::RMPN.get32(c.input));
    query(chip, c, key, CreateRmpIn::CTX, QueryRmpOut::RMP_CONTEXT)
}

fn query_xrq(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::XRQ, QueryXrqIn::XRQN.get32(c.input));
    query(chip, c, key, CreateXrqIn::XRQ_CONTEXT, QueryXrqOut::XRQ_CONTEXT)
}

/// Set the watermark below which the queue raises its limit event, once.
fn arm(chip: &mut Chip, c: &mut Command, key: Key, lwm: u64) -> Done {
    let o = chip.objs.owned_mut(key, c.uid)?;
    watermark(key.0).set(&mut o.input, lwm);
    chip.srq_armed(c.host, key.0, key.1, lwm as u16);
    Ok(())
}

/// ARM_RQ with operation 1 arms a plain queue; the number may be a memory pool's.
fn arm_srq(chip: &mut Chip, c: &mut Command) -> Done {
    let key = super::qp::shared_queue(chip, c.uid, ArmRqIn::SRQ_NUMBER.get32(c.input))?;
    arm(chip, c, key, ArmRqIn::LWM.get(c.input))
}

fn arm_xrc_srq(chip: &mut Chip, c: &mut Command) -> Done {
    arm(chip, c, (kind::XRC_SRQ, ArmXrcSrqIn::XRC_SRQN.get32(c.input)), ArmXrcSrqIn::LWM.get(c.input))
}

fn arm_xrq(chip: &mut Chip, c: &mut Command) -> Done {
    arm(chip, c, (kind::XRQ, ArmXrqIn::XRQN.get32(c.input)), ArmXrqIn::LWM.get(c.input))
}

/// A pool's state must be the one that the command expects; the watermark is armed here.
fn modify_rmp(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::RMP, ModifyRmpIn::RMPN.get32(c.input));
    let state = Rmpc::STATE.within(CreateRmpIn::CTX);
    let o = chip.objs.owned_mut(key, c.uid)?;
    demand(ModifyRmpIn::RMP_STATE.get(c.input) == state.get(&o.input), status::BAD_RES_STATE, Check::State)?;
    Rmpc::STATE.within(ModifyRmpIn::CTX).copy(c.input, &mut o.input);
    if ModifyRmpIn::BITMASK_LWM.is_set(c.input) {
        let lwm = Wq::LWM.within(Rmpc::WQ).within(ModifyRmpIn::CTX).get(c.input);
        return arm(chip, c, key, lwm);
    }
    Ok(())
}

fn destroy(chip: &mut Chip, c: &mut Command, key: Key) -> Done {
    chip.objs.remove(key, c.uid)?;
    chip.srq_destroy(key.0, key.1);
    Ok(())
}

fn destroy_srq(chip: &mut Chip, c: &mut Command) -> Done {
    destroy(chip, c, (kind::SRQ, DestroySrqIn::SRQN.get32(c.input)))
}

fn destroy_xrc_srq(chip: &mut Chip, c: &mut Command) -> Done {
    destroy(chip, c, (kind::XRC_SRQ, DestroyXrcSrqIn::XRC_SRQN.get32(c.input)))
}

fn destroy_rmp(chip: &mut Chip, c: &mut Command) -> Done {
    destroy(chip, c, (kind::RMP, DestroyRmpIn::RMPN.get32(c.input)))
}

fn destroy_xrq(chip: &mut Chip, c: &mut Command) -> Done {
    destroy(chip, c, (kind::XRQ, DestroyXrqIn::XRQN.get32(c.input)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::testing::Bench;
    use super::*;

    fn rmp_fields(pd: u64) -> Vec<(Field, u64)> {
        let wq = Rmpc::WQ.within(CreateRmpIn::CTX);
        vec![
            (Rmpc::STATE.within(CreateRmpIn::CTX), 1),
            (Wq::WQ_TYPE.within(wq), 1),
            (Wq::PD.within(wq), pd),
            (Wq::LOG_WQ_STRIDE.within(wq), 6),
            (Wq::LOG_WQ_SZ.within(wq), 4),
            (Wq::DBR_ADDR.within(wq), 0x7000),
            (Wq::PAS.within(wq), 0x9000),
        ]
    }

    /// A memory pool of 16 entries of 64 bytes.
    pub fn rmp(b: &mut Bench, pd: u64) -> u32 {
        b.create(opcode::CREATE_RMP, 0, CreateRmpIn::SIZE + 8, &rmp_fields(pd))
    }

    #[test]
    fn a_pool_checks_its_work_queue() {
        let mut b = Bench::new();
        let pd = b.pd(0) as u64;
        let make = |b: &mut Bench, f: &[(Field, u64)], len| b.cmd(opcode::CREATE_RMP, 0, len, f, 16);
        let wq = Rmpc::WQ.within(CreateRmpIn::CTX);
        assert_eq!(make(&mut b, &rmp_fields(99), CreateRmpIn::SIZE + 8), status::BAD_RES);
        assert_eq!(make(&mut b, &rmp_fields(pd), CreateRmpIn::SIZE), status::BAD_INPUT_LEN);
        let big = [rmp_fields(pd), vec![(Wq::LOG_WQ_SZ.within(wq), 30)]].concat();
        assert_eq!(make(&mut b, &big, CreateRmpIn::SIZE + 8), status::EXCEED_LIM);
        let n = rmp(&mut b, pd) as u64;
        let modify = |b: &mut Bench, state: u64| {
            let lwm = Wq::LWM.within(Rmpc::WQ).within(ModifyRmpIn::CTX);
            let f = [
                (ModifyRmpIn::RMPN, n),
                (ModifyRmpIn::RMP_STATE, state),
                (ModifyRmpIn::BITMASK_LWM, 1),
                (Rmpc::STATE.within(ModifyRmpIn::CTX), 1),
                (lwm, 7),
            ];
            b.cmd(opcode::MODIFY_RMP, 0, ModifyRmpIn::SIZE, &f, 16)
        };
        assert_eq!(modify(&mut b, 0), status::BAD_RES_STATE);
        assert_eq!(modify(&mut b, 1), status::OK);
        assert_eq!(b.cmd(opcode::QUERY_RMP, 0, 16, &[(QueryRmpIn::RMPN, n)], QueryRmpOut::SIZE), status::OK);
        assert_eq!(Wq::LWM.within(Rmpc::WQ).within(QueryRmpOut::RMP_CONTEXT).get(&b.out), 7);
        let free = [(prm::DeallocPdIn::PD, pd)];
        assert_eq!(b.cmd(opcode::DEALLOC_PD, 0, 16, &free, 16), status::RES_BUSY);
        assert_eq!(b.cmd(opcode::DESTROY_RMP, 0, 16, &[(DestroyRmpIn::RMPN, n)], 16), status::OK);
        assert_eq!(b.cmd(opcode::DEALLOC_PD, 0, 16, &free, 16), status::OK);
    }

    #[test]
    fn an_xrc_queue_needs_domain_and_completion_queue() {
        let mut b = Bench::new();
        let (pd, cq) = (b.pd(0) as u64, b.cq(0) as u64);
        let xrcd = b.create(opcode::ALLOC_XRCD, 0, 16, &[]) as u64;
        let ctx = CreateXrcSrqIn::XRC_SRQ_CONTEXT_ENTRY;
        let f = |pd: u64, cq: u64, xrcd: u64| {
            vec![
                (XrcSrqc::PD.within(ctx), pd),
                (XrcSrqc::CQN.within(ctx), cq),
                (XrcSrqc::XRCD.within(ctx), xrcd),
                (XrcSrqc::LOG_XRC_SRQ_SIZE.within(ctx), 4),
                (XrcSrqc::LOG_RQ_STRIDE.within(ctx), 1),
                (CreateXrcSrqIn::PAS, 0x9000),
            ]
        };
        let len = CreateXrcSrqIn::SIZE + 8;
        for bad in [f(99, cq, xrcd), f(pd, 99, xrcd), f(pd, cq, 99)] {
            assert_eq!(b.cmd(opcode::CREATE_XRC_SRQ, 0, len, &bad, 16), status::BAD_RES);
        }
        let n = b.create(opcode::CREATE_XRC_SRQ, 0, len, &f(pd, cq, xrcd)) as u64;
        let arm = [(ArmXrcSrqIn::XRC_SRQN, n), (ArmXrcSrqIn::LWM, 3)];
        assert_eq!(b.cmd(opcode::ARM_XRC_SRQ, 0, 16, &arm, 16), status::OK);
        let query = [(QueryXrcSrqIn::XRC_SRQN, n)];
        assert_eq!(b.cmd(opcode::QUERY_XRC_SRQ, 0, 16, &query, QueryXrcSrqOut::SIZE), status::OK);
        assert_eq!(XrcSrqc::LWM.within(QueryXrcSrqOut::XRC_SRQ_CONTEXT_ENTRY).get(&b.out), 3);
        let free = [(prm::DeallocXrcdIn::XRCD, xrcd)];
        assert_eq!(b.cmd(opcode::DEALLOC_XRCD, 0, 16, &free, 16), status::RES_BUSY);
        assert_eq!(b.cmd(opcode::DESTROY_XRC_SRQ, 0, 16, &[(DestroyXrcSrqIn::XRC_SRQN, n)], 16), status::OK);
        assert_eq!(b.cmd(opcode::DEALLOC_XRCD, 0, 16, &free, 16), status::OK);
    }
}
