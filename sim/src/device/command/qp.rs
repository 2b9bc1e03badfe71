//! Queue pairs: create, query, destroy.

use super::memory::PAGE;
use super::{Check, Command, Done, Entry, Refusal, demand, entry, refuse};
use crate::device::Chip;
use crate::device::objects::{Key, Place, general, kind};
use prm::{
    CmdHcaCap, CreateQpIn, CreateQpOut, DestroyQpIn, Field, Qpc, QueryQpIn, QueryQpOut, object, opcode,
    status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::CREATE_QP, CreateQpIn::SIZE, CreateQpOut::SIZE, create),
    entry(opcode::QUERY_QP, QueryQpIn::SIZE, QueryQpOut::SIZE, query),
    entry(opcode::DESTROY_QP, DestroyQpIn::SIZE, 16, destroy),
];

/// Service types of a queue pair context.
pub(in crate::device) mod service {
    pub const RC: u32 = 0x0;
    pub const UC: u32 = 0x1;
    pub const UD: u32 = 0x2;
    pub const XRC: u32 = 0x3;
    pub const DCI: u32 = 0x5;
    pub const QP0: u32 = 0x7;
    pub const QP1: u32 = 0x8;
    pub const RAW_ETHERTYPE: u32 = 0x9;
    pub const REG_UMR: u32 = 0xc;
}

/// Where receive entries come from (`rq_type`).
mod rq_type {
    pub const REGULAR: u32 = 0;
    pub const SHARED: u32 = 1;
    pub const ZERO_SIZE: u32 = 3;
}

/// Numbers below are reserved for management queue pairs.
const FIRST_QP: u32 = 0x40;

/// The shared receive queue with a number, of whatever kind.
pub(super) fn shared_queue(chip: &Chip, uid: u16, n: u32) -> Result<Key, Refusal> {
    let kinds = [kind::SRQ, kind::XRC_SRQ, kind::RMP, kind::XRQ];
    match kinds.into_iter().find(|k| chip.objs.contains(&(*k, n))) {
        Some(k) => chip.objs.usable((k, n), uid, Check::Srq).map(|_| (k, n)),
        None => refuse(status::BAD_RES, Check::Srq),
    }
}

/// A fresh number for a queue pair, send queue, receive queue or connected target.
pub(super) fn queue_number(chip: &mut Chip, kind: u16, cap: Field) -> Result<u32, Refusal> {
    let range = super::basic::limited(chip, cap, FIRST_QP);
    chip.objs.number(kind, range)
}

fn service_allowed(chip: &Chip, st: u32) -> bool {
    let cap = |f| chip.caps.general(f) != 0;
    match st {
        service::RC => cap(CmdHcaCap::RC),
        service::UC => cap(CmdHcaCap::UC),
        service::UD => cap(CmdHcaCap::UD),
        service::XRC => cap(CmdHcaCap::XRC),
        service::DCI => cap(CmdHcaCap::DCT),
        service::QP0 | service::QP1 | service::RAW_ETHERTYPE | service::REG_UMR => true,
        _ => false,
    }
}

/// What a queue pair refers to, each checked.
fn references(chip: &Chip, c: &Command) -> Result<Vec<Key>, Refusal> {
    let get = |f: Field| f.within(CreateQpIn::QPC).get32(c.input);
    let mut uses = vec![];
    let mut hold = |key: Key, check: Check| chip.objs.usable(key, c.uid, check).map(|_| uses.push(key));
    // the driver's queue pair for key updates works in no domain
    if get(Qpc::ST) != service::REG_UMR || get(Qpc::PD) != 0 {
        hold((kind::PD, get(Qpc::PD)), Check::Pd)?;
    }
    let rq = get(Qpc::RQ_TYPE);
    let has_sq = get(Qpc::NO_SQ) == 0;
    if has_sq {
        hold((kind::CQ, get(Qpc::CQN_SND)), Check::Cq)?;
    }
    let rcv = get(Qpc::CQN_RCV);
    if rq == rq_type::REGULAR || rcv != 0 {
        hold((kind::CQ, rcv), Check::Cq)?;
    }
    if has_sq || rq == rq_type::REGULAR {
        hold((kind::UAR, get(Qpc::UAR_PAGE)), Check::Uar)?;
    }
    if get(Qpc::ST) == service::XRC && get(Qpc::XRCD) != 0 {
        hold((kind::XRCD, get(Qpc::XRCD)), Check::Xrcd)?;
    }
    if get(Qpc::COUNTER_SET_ID) != 0 {
        hold((kind::Q_COUNTER, get(Qpc::COUNTER_SET_ID)), Check::Counter)?;
    }
    match rq {
        rq_type::SHARED => uses.push(shared_queue(chip, c.uid, get(Qpc::SRQN_RMPN_XRQN))?),
        rq_type::REGULAR | rq_type::ZERO_SIZE => {}
        _ => return refuse(status::BAD_PARAM, Check::Field),
    }
    Ok(uses)
}

/// Bytes of the queue pair's buffer: receive queue, then send queue.
fn buffer_size(c: &Command) -> u64 {
    let get = |f: Field| f.within(CreateQpIn::QPC).get32(c.input);
    let rq = if get(Qpc::RQ_TYPE) == rq_type::REGULAR {
        16u64 << (get(Qpc::LOG_RQ_STRIDE) + get(Qpc::LOG_RQ_SIZE))
    } else {
        0
    };
    let sq = if get(Qpc::NO_SQ) == 0 { 64u64 << get(Qpc::LOG_SQ_SIZE) } else { 0 };
    rq + sq
}

fn place(c: &Command) -> Place {
    let get = |f: Field| f.within(CreateQpIn::QPC).get32(c.input);
    if CreateQpIn::WQ_UMEM_VALID.is_set(c.input) {
        let id = CreateQpIn::WQ_UMEM_ID.get32(c.input);
        return Place::Umem { id, offset: CreateQpIn::WQ_UMEM_OFFSET.get(c.input) };
    }
    let shift = PAGE + get(Qpc::LOG_PAGE_SIZE);
    let offset = ((get(Qpc::PAGE_OFFSET) as u64) << shift) >> 6;
    Place::Pages { at: CreateQpIn::PAS.byte(), shift, offset }
}

/// The number of a new queue pair. Management queue pairs have the fixed ones, and a user
/// may name one of its reserved block; such a number stays the block's (`false`).
fn number(chip: &mut Chip, c: &Command) -> Result<(u32, bool), Refusal> {
    let st = Qpc::ST.within(CreateQpIn::QPC).get32(c.input);
    let fixed = match st {
        service::QP0 => Some(0),
        service::QP1 => Some(1),
        _ => None,
    };
    if let Some(n) = fixed.filter(|n| !chip.objs.contains(&(kind::QP, *n))) {
        return Ok((n, true));
    }
    let asked = CreateQpIn::INPUT_QPN.get32(c.input);
    if asked == 0 {
        return queue_number(chip, kind::QP, CmdHcaCap::LOG_MAX_QP).map(|n| (n, true));
    }
    let reserved = chip
        .objs
        .of_kind(general(object::RESERVED_QPN))
        .any(|(k, o)| o.uid == c.uid && (k.1..k.1 + o.count).contains(&asked));
    demand(reserved, status::BAD_PARAM, Check::Index)?;
    demand(!chip.objs.contains(&(kind::QP, asked)), status::BAD_RES_STATE, Check::Overlap)?;
    Ok((asked, false))
}

fn create(chip: &mut Chip, c: &mut Command) -> Done {
    let get = |f: Field| f.within(CreateQpIn::QPC).get32(c.input);
    demand(service_allowed(chip, get(Qpc::ST)), status::BAD_PARAM, Check::Capability)?;
    let limit = chip.caps.general(CmdHcaCap::LOG_MAX_QP_SZ);
    demand(get(Qpc::LOG_RQ_SIZE).max(get(Qpc::LOG_SQ_SIZE)) <= limit, status::EXCEED_LIM, Check::Size)?;
    let mut uses = references(chip, c)?;
    uses.extend(chip.check_buffer(c, place(c), buffer_size(c))?);
    let dbr_umem = (get(Qpc::DBR_UMEM_VALID) != 0).then(|| get(Qpc::DBR_UMEM_ID));
    uses.extend(chip.check_dbr(c, dbr_umem, Qpc::DBR_ADDR.within(CreateQpIn::QPC).get(c.input))?);
    let (n, own) = number(chip, c)?;
    chip.objs.insert_range((kind::QP, n), c.uid, c.input, uses, own as u32);
    chip.qp_create(n, c.input);
    CreateQpOut::QPN.set(c.out, n as u64);
    CreateQpOut::ECE.set(c.out, CreateQpIn::ECE.get(c.input));
    Ok(())
}

fn query(chip: &mut Chip, c: &mut Command) -> Done {
    let n = QueryQpIn::QPN.get32(c.input);
    chip.objs.owned((kind::QP, n), c.uid)?;
    let Some(out) = chip.qp_query(c.host, n) else {
        return refuse(status::BAD_RES, Check::Handle);
    };
    let qpc = QueryQpOut::QPC;
    c.answer(qpc.byte(), qpc.slice(&out));
    Ok(())
}

fn destroy(chip: &mut Chip, c: &mut Command) -> Done {
    let n = DestroyQpIn::QPN.get32(c.input);
    chip.objs.remove((kind::QP, n), c.uid)?;
    chip.qp_destroy(n);
    chip.qp_ext.remove(&n);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use crate::device::command::qp_state::state;
    use prm::{Ads, MboxIn, Rst2initQpIn};

    const CTX: Field = CreateQpIn::QPC;

    /// Fields of a queue pair with 16 send and 16 receive entries of 64 bytes.
    fn base(b: &mut Bench, uid: u16) -> Vec<(Field, u64)> {
        let (pd, cq, uar) = (b.pd(uid), b.cq(uid), b.uar(uid));
        vec![
            (Qpc::PD.within(CTX), pd as u64),
            (Qpc::CQN_SND.within(CTX), cq as u64),
            (Qpc::CQN_RCV.within(CTX), cq as u64),
            (Qpc::UAR_PAGE.within(CTX), uar as u64),
            (Qpc::LOG_SQ_SIZE.within(CTX), 4),
            (Qpc::LOG_RQ_SIZE.within(CTX), 4),
            (Qpc::LOG_RQ_STRIDE.within(CTX), 2),
            (Qpc::DBR_ADDR.within(CTX), 0x5000),
            (CreateQpIn::PAS, 0x6000),
        ]
    }

    fn make(b: &mut Bench, uid: u16, fields: &[(Field, u64)], len: usize) -> u8 {
        b.cmd(opcode::CREATE_QP, uid, len, fields, 16)
    }

    #[test]
    fn creation_checks_each_reference() {
        let mut b = Bench::new();
        let good = base(&mut b, 0);
        let len = CreateQpIn::SIZE + 8;
        let with = |f: Field, v: u64| [&good[..], &[(f.within(CTX), v)]].concat();
        for f in [Qpc::PD, Qpc::CQN_SND, Qpc::CQN_RCV, Qpc::UAR_PAGE, Qpc::COUNTER_SET_ID] {
            assert_eq!(make(&mut b, 0, &with(f, 0xee), len), status::BAD_RES, "{f:?}");
        }
        assert_eq!(make(&mut b, 0, &with(Qpc::RQ_TYPE, 1), len), status::BAD_RES, "no SRQ 0");
        assert_eq!(make(&mut b, 0, &with(Qpc::ST, 0xf), len), status::BAD_PARAM);
        assert_eq!(make(&mut b, 0, &with(Qpc::LOG_SQ_SIZE, 15), CreateQpIn::SIZE + 8), status::BAD_INPUT_LEN);
        assert_eq!(make(&mut b, 0, &good, CreateQpIn::SIZE), status::BAD_INPUT_LEN);
        assert_eq!(make(&mut b, 0, &good, len), status::OK);
    }

    #[test]
    fn what_a_queue_pair_uses_stays() {
        let mut b = Bench::new();
        let uid = b.uctx();
        let good = base(&mut b, uid);
        assert_eq!(make(&mut b, uid, &good, CreateQpIn::SIZE + 8), status::OK);
        let qpn = CreateQpOut::QPN.get(&b.out);
        let free = [
            (opcode::DEALLOC_PD, prm::DeallocPdIn::PD, good[0].1),
            (opcode::DESTROY_CQ, prm::DestroyCqIn::CQN, good[1].1),
            (opcode::DEALLOC_UAR, prm::DeallocUarIn::UAR, good[3].1),
        ];
        for (op, f, n) in free {
            assert_eq!(b.cmd(op, uid, 16, &[(f, n)], 16), status::RES_BUSY, "{:?}", opcode::name(op));
        }
        let destroy = [(DestroyQpIn::QPN, qpn)];
        assert_eq!(b.cmd(opcode::DESTROY_QP, 0xffff, 16, &destroy, 16), status::BAD_RES);
        assert_eq!(b.cmd(opcode::DESTROY_QP, uid, 16, &destroy, 16), status::OK);
        for (op, f, n) in free {
            assert_eq!(b.cmd(op, uid, 16, &[(f, n)], 16), status::OK, "{:?}", opcode::name(op));
        }
    }

    #[test]
    fn numbers_of_a_reserved_block_are_its_owners() {
        let mut b = Bench::new();
        let uid = b.uctx();
        let head = prm::GeneralObjInCmdHdr::LOG_OBJ_RANGE;
        let block = [(MboxIn::OP_MOD, object::RESERVED_QPN as u64), (head, 3)];
        assert_eq!(
            b.cmd(opcode::CREATE_GENERAL_OBJECT, uid, 32, &block, 16),
            status::OK,
            "{:#x}",
            b.syndrome()
        );
        let first = prm::GeneralObjOutCmdHdr::OBJ_ID.get(&b.out);
        assert_eq!(first % 8, 0);
        let good = base(&mut b, uid);
        let at = |n: u64| [&good[..], &[(CreateQpIn::INPUT_QPN, n)]].concat();
        let len = CreateQpIn::SIZE + 8;
        assert_eq!(make(&mut b, uid, &at(first + 8), len), status::BAD_PARAM);
        assert_eq!(make(&mut b, uid, &at(first + 3), len), status::OK);
        assert_eq!(CreateQpOut::QPN.get(&b.out), first + 3);
        assert_eq!(make(&mut b, uid, &at(first + 3), len), status::BAD_RES_STATE);
        assert_eq!(b.cmd(opcode::DESTROY_QP, uid, 16, &[(DestroyQpIn::QPN, first + 3)], 16), status::OK);
        assert_eq!(make(&mut b, uid, &at(first + 3), len), status::OK);
    }

    #[test]
    fn the_states_follow_each_other() {
        let mut b = Bench::new();
        let good = base(&mut b, 0);
        assert_eq!(make(&mut b, 0, &good, CreateQpIn::SIZE + 8), status::OK);
        let qpn = CreateQpOut::QPN.get(&b.out);
        let go = |b: &mut Bench, op: u16, f: &[(Field, u64)]| {
            let all = [&[(Rst2initQpIn::QPN, qpn)], f].concat();
            b.cmd(op, 0, Rst2initQpIn::SIZE, &all, 16)
        };
        let now = |b: &mut Bench| {
            assert_eq!(
                b.cmd(opcode::QUERY_QP, 0, 16, &[(QueryQpIn::QPN, qpn)], QueryQpOut::SIZE),
                status::OK
            );
            Qpc::STATE.within(QueryQpOut::QPC).get(&b.out) as u8
        };
        let path = |f: Field| f.within(Qpc::PRIMARY_ADDRESS_PATH).within(CTX);
        let port = path(Ads::VHCA_PORT_NUM);
        assert_eq!(go(&mut b, opcode::INIT2RTR_QP, &[]), status::BAD_QP_STATE);
        assert_eq!(go(&mut b, opcode::RST2INIT_QP, &[(port, 3)]), status::BAD_PARAM);
        assert_eq!(now(&mut b), state::RST);
        assert_eq!(go(&mut b, opcode::RST2INIT_QP, &[(port, 1), (Qpc::RRE.within(CTX), 1)]), status::OK);
        assert_eq!(go(&mut b, opcode::RST2INIT_QP, &[(port, 1)]), status::BAD_QP_STATE);
        assert_eq!(go(&mut b, opcode::INIT2RTR_QP, &[(Qpc::MTU.within(CTX), 0)]), status::BAD_PARAM);
        let rtr =
            [(Qpc::MTU.within(CTX), 5), (Qpc::REMOTE_QPN.within(CTX), 0x77), (Qpc::Q_KEY.within(CTX), 9)];
        assert_eq!(go(&mut b, opcode::INIT2RTR_QP, &rtr), status::OK);
        assert_eq!(now(&mut b), state::RTR);
        let out = |b: &Bench, f: Field| f.within(QueryQpOut::QPC).get(&b.out);
        assert_eq!((out(&b, Qpc::REMOTE_QPN), out(&b, Qpc::RRE)), (0x77, 1));
        assert_eq!(out(&b, Qpc::Q_KEY), 0, "not in the mask");
        let counter = [(Rst2initQpIn::OPT_PARAM_MASK, 1 << 25), (Qpc::COUNTER_SET_ID.within(CTX), 9)];
        assert_eq!(go(&mut b, opcode::RTR2RTS_QP, &counter), status::BAD_RES);
        assert_eq!(go(&mut b, opcode::RTR2RTS_QP, &[(Qpc::LOG_SRA_MAX.within(CTX), 7)]), status::EXCEED_LIM);
        assert_eq!(go(&mut b, opcode::RTR2RTS_QP, &[]), status::OK);
        let masked = [(Rst2initQpIn::OPT_PARAM_MASK, 1 << 5), (Qpc::Q_KEY.within(CTX), 9)];
        assert_eq!(go(&mut b, opcode::RTS2RTS_QP, &masked), status::OK);
        assert_eq!(now(&mut b), state::RTS);
        assert_eq!(out(&b, Qpc::Q_KEY), 9);
        assert_eq!(go(&mut b, opcode::QP_2ERR, &[]), status::OK);
        assert_eq!(now(&mut b), state::ERR);
        assert_eq!(go(&mut b, opcode::QP_2RST, &[]), status::OK);
        assert_eq!(now(&mut b), state::RST);
    }
}
