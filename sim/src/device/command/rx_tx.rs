//! Transport interface objects and receive indirection tables.

use super::basic::limited;
use super::{Check, Command, Done, Entry, Refusal, demand, entry, refuse};
use crate::device::Chip;
use crate::device::objects::{Key, kind};
use prm::{
    CmdHcaCap, CreateRqtIn, CreateRqtOut, CreateTirIn, CreateTirOut, CreateTisIn, CreateTisOut, DestroyRqtIn,
    DestroyTirIn, DestroyTisIn, Field, ModifyRqtIn, ModifyTirIn, ModifyTisBitmask, ModifyTisIn, QueryRqtIn,
    QueryRqtOut, QueryTirIn, QueryTirOut, QueryTisIn, QueryTisOut, Rqtc, Tirc, Tisc, opcode, status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::CREATE_TIR, CreateTirIn::SIZE, CreateTirOut::SIZE, create_tir),
    entry(opcode::MODIFY_TIR, ModifyTirIn::SIZE, 16, modify_tir),
    entry(opcode::QUERY_TIR, QueryTirIn::SIZE, QueryTirOut::SIZE, query_tir),
    entry(opcode::DESTROY_TIR, DestroyTirIn::SIZE, 16, destroy_tir),
    entry(opcode::CREATE_TIS, CreateTisIn::SIZE, CreateTisOut::SIZE, create_tis),
    entry(opcode::MODIFY_TIS, ModifyTisIn::SIZE, 16, modify_tis),
    entry(opcode::QUERY_TIS, QueryTisIn::SIZE, QueryTisOut::SIZE, query_tis),
    entry(opcode::DESTROY_TIS, DestroyTisIn::SIZE, 16, destroy_tis),
    entry(opcode::CREATE_RQT, CreateRqtIn::SIZE, CreateRqtOut::SIZE, create_rqt),
    entry(opcode::MODIFY_RQT, ModifyRqtIn::SIZE, 16, modify_rqt),
    entry(opcode::QUERY_RQT, QueryRqtIn::SIZE, QueryRqtOut::SIZE, query_rqt),
    entry(opcode::DESTROY_RQT, DestroyRqtIn::SIZE, 16, destroy_rqt),
];

/// How a TIR spreads packets.
mod disp_type {
    pub const DIRECT: u32 = 0;
    pub const INDIRECT: u32 = 1;
}

/// Bits of MODIFY_TIR's mask and the fields behind them.
const TIR_FIELDS: &[(u64, &[Field])] = &[
    (0x1, &[Tirc::PACKET_MERGE_MASK, Tirc::LRO_TIMEOUT_PERIOD_USECS, Tirc::LRO_MAX_IP_PAYLOAD_SIZE]),
    (0x2, &[Tirc::INDIRECT_TABLE]),
    (
        0x4,
        &[
            Tirc::RX_HASH_FN,
            Tirc::RX_HASH_SYMMETRIC,
            Tirc::RX_HASH_TOEPLITZ_KEY,
            Tirc::RX_HASH_FIELD_SELECTOR_OUTER,
            Tirc::RX_HASH_FIELD_SELECTOR_INNER,
        ],
    ),
    (0x10, &[Tirc::SELF_LB_BLOCK]),
];

/// What a TIR delivers to.
fn target(chip: &Chip, uid: u16, input: &[u8], ctx: Field) -> Result<Key, Refusal> {
    let get = |f: Field| f.within(ctx).get32(input);
    match get(Tirc::DISP_TYPE) {
        disp_type::DIRECT => {
            let n = get(Tirc::INLINE_RQN);
            let kinds = [kind::RQ, kind::RMP, kind::XRQ, kind::QP];
            let found = kinds.into_iter().find(|k| chip.objs.contains(&(*k, n)));
            let key = (found.unwrap_or(kind::RQ), n);
            chip.objs.usable(key, uid, Check::Rq).map(|_| key)
        }
        disp_type::INDIRECT => {
            let key = (kind::RQT, get(Tirc::INDIRECT_TABLE));
            chip.objs.usable(key, uid, Check::Rqt).map(|_| key)
        }
        _ => refuse(status::BAD_PARAM, Check::Field),
    }
}

fn create_tir(chip: &mut Chip, c: &mut Command) -> Done {
    let ctx = CreateTirIn::CTX;
    let td = (kind::TD, Tirc::TRANSPORT_DOMAIN.within(ctx).get32(c.input));
    let mut uses = vec![];
    // without a domain, loopback is not told apart
    if td.1 != 0 {
        chip.objs.usable(td, c.uid, Check::TransportDomain)?;
        uses.push(td);
    }
    uses.push(target(chip, c.uid, c.input, ctx)?);
    let range = limited(chip, CmdHcaCap::LOG_MAX_TIR, 1);
    let n = chip.objs.number(kind::TIR, range)?;
    chip.objs.insert((kind::TIR, n), c.uid, c.input, uses);
    CreateTirOut::TIRN.set(c.out, n as u64);
    Ok(())
}

fn modify_tir(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::TIR, ModifyTirIn::TIRN.get32(c.input));
    let mask = ModifyTirIn::BITMASK.get(c.input);
    let known = TIR_FIELDS.iter().fold(0, |all, (bit, _)| all | bit);
    demand(mask & !known == 0, status::BAD_PARAM, Check::Field)?;
    let o = chip.objs.owned(key, c.uid)?;
    let mut next = o.input.clone();
    let td = (kind::TD, Tirc::TRANSPORT_DOMAIN.within(CreateTirIn::CTX).get32(&next));
    for (_, fields) in TIR_FIELDS.iter().filter(|(bit, _)| mask & bit != 0) {
        for f in *fields {
            // create and modify carry the context at the same place
            f.within(ModifyTirIn::CTX).copy(c.input, &mut next);
        }
    }
    let to = target(chip, c.uid, &next, CreateTirIn::CTX)?;
    let mut uses = if td.1 != 0 { vec![td] } else { vec![] };
    uses.push(to);
    chip.objs.relink(key, uses);
    chip.objs.owned_mut(key, c.uid)?.input = next;
    Ok(())
}

fn query_tir(chip: &mut Chip, c: &mut Command) -> Done {
    let o = chip.objs.owned((kind::TIR, QueryTirIn::TIRN.get32(c.input)), c.uid)?;
    c.answer(QueryTirOut::TIR_CONTEXT.byte(), CreateTirIn::CTX.slice(&o.input));
    Ok(())
}

fn destroy_tir(chip: &mut Chip, c: &mut Command) -> Done {
    chip.objs.remove((kind::TIR, DestroyTirIn::TIRN.get32(c.input)), c.uid)?;
    Ok(())
}

fn create_tis(chip: &mut Chip, c: &mut Command) -> Done {
    let get = |f: Field| f.within(CreateTisIn::CTX).get32(c.input);
    let td = (kind::TD, get(Tisc::TRANSPORT_DOMAIN));
    chip.objs.usable(td, c.uid, Check::TransportDomain)?;
    let mut uses = vec![td];
    if get(Tisc::UNDERLAY_QPN) != 0 {
        let qp = (kind::QP, get(Tisc::UNDERLAY_QPN));
        chip.objs.usable(qp, c.uid, Check::Object)?;
        uses.push(qp);
    }
    if get(Tisc::TLS_EN) != 0 {
        let pd = (kind::PD, get(Tisc::PD));
        chip.objs.usable(pd, c.uid, Check::Pd)?;
        uses.push(pd);
    }
    affinity(chip, get(Tisc::LAG_TX_PORT_AFFINITY))?;
    let range = limited(chip, CmdHcaCap::LOG_MAX_TIS, 1);
    let n = chip.objs.number(kind::TIS, range)?;
    chip.objs.insert((kind::TIS, n), c.uid, c.input, uses);
    CreateTisOut::TISN.set(c.out, n as u64);
    Ok(())
}

/// A port of a bond must be one of its ports; 0 leaves the choice to the device.
fn affinity(chip: &Chip, port: u32) -> Done {
    let ports = chip.caps.general(CmdHcaCap::NUM_LAG_PORTS).max(chip.config().ports as u32);
    demand(port <= ports, status::BAD_PARAM, Check::Index)
}

fn modify_tis(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::TIS, ModifyTisIn::TISN.get32(c.input));
    chip.objs.owned(key, c.uid)?;
    affinity(chip, Tisc::LAG_TX_PORT_AFFINITY.within(ModifyTisIn::CTX).get32(c.input))?;
    let o = chip.objs.owned_mut(key, c.uid)?;
    let pairs = [
        (ModifyTisBitmask::LAG_TX_PORT_AFFINITY, Tisc::LAG_TX_PORT_AFFINITY),
        (ModifyTisBitmask::STRICT_LAG_TX_PORT_AFFINITY, Tisc::STRICT_LAG_TX_PORT_AFFINITY),
        (ModifyTisBitmask::PRIO, Tisc::PRIO),
    ];
    for (bit, f) in pairs {
        if bit.within(ModifyTisIn::BITMASK).is_set(c.input) {
            f.within(ModifyTisIn::CTX).copy(c.input, &mut o.input);
        }
    }
    Ok(())
}

fn query_tis(chip: &mut Chip, c: &mut Command) -> Done {
    let o = chip.objs.owned((kind::TIS, QueryTisIn::TISN.get32(c.input)), c.uid)?;
    c.answer(QueryTisOut::TIS_CONTEXT.byte(), CreateTisIn::CTX.slice(&o.input));
    Ok(())
}

fn destroy_tis(chip: &mut Chip, c: &mut Command) -> Done {
    chip.objs.remove((kind::TIS, DestroyTisIn::TISN.get32(c.input)), c.uid)?;
    Ok(())
}

/// The receive queues of a table, each checked. Create and modify carry it at one place.
fn table(chip: &Chip, c: &Command, max: u32) -> Result<Vec<Key>, Refusal> {
    let ctx = CreateRqtIn::RQT_CONTEXT;
    let n = Rqtc::RQT_ACTUAL_SIZE.within(ctx).get32(c.input);
    demand(n <= max, status::BAD_PARAM, Check::Size)?;
    let list = c.bytes(Rqtc::RQ_NUM.within(ctx).byte(), n as usize * 4)?;
    let mut uses = vec![];
    for entry in list.chunks_exact(4) {
        let key = (kind::RQ, prm::bits::be32(entry, 0) & 0xff_ffff);
        chip.objs.usable(key, c.uid, Check::Rq)?;
        uses.push(key);
    }
    Ok(uses)
}

fn create_rqt(chip: &mut Chip, c: &mut Command) -> Done {
    let max = Rqtc::RQT_MAX_SIZE.within(CreateRqtIn::RQT_CONTEXT).get32(c.input);
    let limit = 1u32 << chip.caps.general(CmdHcaCap::LOG_MAX_RQT_SIZE);
    demand(max <= limit, status::EXCEED_LIM, Check::Size)?;
    let uses = table(chip, c, max)?;
    let range = limited(chip, CmdHcaCap::LOG_MAX_RQT, 1);
    let n = chip.objs.number(kind::RQT, range)?;
    chip.objs.insert((kind::RQT, n), c.uid, c.input, uses);
    CreateRqtOut::RQTN.set(c.out, n as u64);
    Ok(())
}

fn modify_rqt(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::RQT, ModifyRqtIn::RQTN.get32(c.input));
    let o = chip.objs.owned(key, c.uid)?;
    if !ModifyRqtIn::BITMASK_RQN_LIST.is_set(c.input) {
        return Ok(());
    }
    let max = Rqtc::RQT_MAX_SIZE.within(CreateRqtIn::RQT_CONTEXT).get32(&o.input);
    let uses = table(chip, c, max)?;
    chip.objs.relink(key, uses);
    let o = chip.objs.owned_mut(key, c.uid)?;
    Rqtc::RQT_ACTUAL_SIZE.within(CreateRqtIn::RQT_CONTEXT).copy(c.input, &mut o.input);
    o.input.truncate(CreateRqtIn::SIZE);
    o.input.extend_from_slice(&c.input[ModifyRqtIn::SIZE..]);
    Ok(())
}

fn query_rqt(chip: &mut Chip, c: &mut Command) -> Done {
    let o = chip.objs.owned((kind::RQT, QueryRqtIn::RQTN.get32(c.input)), c.uid)?;
    let at = CreateRqtIn::RQT_CONTEXT.byte();
    c.answer(QueryRqtOut::RQT_CONTEXT.byte(), &o.input[at..]);
    Ok(())
}

fn destroy_rqt(chip: &mut Chip, c: &mut Command) -> Done {
    chip.objs.remove((kind::RQT, DestroyRqtIn::RQTN.get32(c.input)), c.uid)?;
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::testing::Bench;
    use super::*;

    /// A send interface in a transport domain.
    pub fn tis(b: &mut Bench, td: u64) -> u32 {
        let f = [(Tisc::TRANSPORT_DOMAIN.within(CreateTisIn::CTX), td)];
        b.create(opcode::CREATE_TIS, 0, CreateTisIn::SIZE, &f)
    }

    #[test]
    fn send_interfaces_hold_their_domain_and_change() {
        let mut b = Bench::new();
        let f = [(Tisc::TRANSPORT_DOMAIN.within(CreateTisIn::CTX), 9)];
        assert_eq!(b.cmd(opcode::CREATE_TIS, 0, CreateTisIn::SIZE, &f, 16), status::BAD_RES);
        let td = b.create(opcode::ALLOC_TRANSPORT_DOMAIN, 0, 16, &[]) as u64;
        let n = tis(&mut b, td) as u64;
        let free = [(prm::DeallocTransportDomainIn::TRANSPORT_DOMAIN, td)];
        assert_eq!(b.cmd(opcode::DEALLOC_TRANSPORT_DOMAIN, 0, 16, &free, 16), status::RES_BUSY);
        let modify = |b: &mut Bench, port: u64| {
            let f = [
                (ModifyTisIn::TISN, n),
                (ModifyTisBitmask::LAG_TX_PORT_AFFINITY.within(ModifyTisIn::BITMASK), 1),
                (Tisc::LAG_TX_PORT_AFFINITY.within(ModifyTisIn::CTX), port),
                (Tisc::PRIO.within(ModifyTisIn::CTX), 3),
            ];
            b.cmd(opcode::MODIFY_TIS, 0, ModifyTisIn::SIZE, &f, 16)
        };
        assert_eq!(modify(&mut b, 15), status::BAD_PARAM);
        assert_eq!(modify(&mut b, 1), status::OK);
        assert_eq!(b.cmd(opcode::QUERY_TIS, 0, 16, &[(QueryTisIn::TISN, n)], QueryTisOut::SIZE), status::OK);
        let out = |f: Field| f.within(QueryTisOut::TIS_CONTEXT);
        assert_eq!(out(Tisc::LAG_TX_PORT_AFFINITY).get(&b.out), 1);
        assert_eq!(out(Tisc::PRIO).get(&b.out), 0, "not in the mask");
        assert_eq!(b.cmd(opcode::DESTROY_TIS, 0, 16, &[(DestroyTisIn::TISN, n)], 16), status::OK);
        assert_eq!(b.cmd(opcode::DEALLOC_TRANSPORT_DOMAIN, 0, 16, &free, 16), status::OK);
    }

    #[test]
    fn a_table_holds_its_queues_and_a_tir_its_table() {
        let mut b = Bench::new();
        let rq = super::super::wq::tests::rq(&mut b) as u64;
        let td = b.create(opcode::ALLOC_TRANSPORT_DOMAIN, 0, 16, &[]) as u64;
        let ctx = CreateRqtIn::RQT_CONTEXT;
        let make = |b: &mut Bench, size: u64, rq: u64, len: usize| {
            let f = [
                (Rqtc::RQT_MAX_SIZE.within(ctx), 2),
                (Rqtc::RQT_ACTUAL_SIZE.within(ctx), size),
                (Rqtc::RQ_NUM.within(ctx), rq),
            ];
            b.cmd(opcode::CREATE_RQT, 0, len, &f, 16)
        };
        assert_eq!(make(&mut b, 1, 7, CreateRqtIn::SIZE + 4), status::BAD_RES);
        assert_eq!(make(&mut b, 1, rq, CreateRqtIn::SIZE), status::BAD_INPUT_LEN);
        assert_eq!(make(&mut b, 3, rq, CreateRqtIn::SIZE + 12), status::BAD_PARAM);
        assert_eq!(make(&mut b, 1, rq, CreateRqtIn::SIZE + 4), status::OK);
        let rqt = CreateRqtOut::RQTN.get(&b.out);
        assert_eq!(b.cmd(opcode::DESTROY_RQ, 0, 16, &[(prm::DestroyRqIn::RQN, rq)], 16), status::RES_BUSY);
        let tir = |b: &mut Bench, td: u64, rqt: u64| {
            let f = [
                (Tirc::DISP_TYPE.within(CreateTirIn::CTX), 1),
                (Tirc::TRANSPORT_DOMAIN.within(CreateTirIn::CTX), td),
                (Tirc::INDIRECT_TABLE.within(CreateTirIn::CTX), rqt),
            ];
            b.cmd(opcode::CREATE_TIR, 0, CreateTirIn::SIZE, &f, 16)
        };
        assert_eq!(tir(&mut b, 99, rqt), status::BAD_RES);
        assert_eq!(tir(&mut b, td, 99), status::BAD_RES);
        assert_eq!(tir(&mut b, td, rqt), status::OK);
        let tirn = CreateTirOut::TIRN.get(&b.out);
        let free = [(DestroyRqtIn::RQTN, rqt)];
        assert_eq!(b.cmd(opcode::DESTROY_RQT, 0, 16, &free, 16), status::RES_BUSY);
        let bad = [(ModifyTirIn::TIRN, tirn), (ModifyTirIn::BITMASK, 0x100)];
        assert_eq!(b.cmd(opcode::MODIFY_TIR, 0, ModifyTirIn::SIZE, &bad, 16), status::BAD_PARAM);
        assert_eq!(b.cmd(opcode::DESTROY_TIR, 0, 16, &[(DestroyTirIn::TIRN, tirn)], 16), status::OK);
        assert_eq!(b.cmd(opcode::DESTROY_RQT, 0, 16, &free, 16), status::OK);
        assert_eq!(b.cmd(opcode::DESTROY_RQ, 0, 16, &[(prm::DestroyRqIn::RQN, rq)], 16), status::OK);
    }
}
