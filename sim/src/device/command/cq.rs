//! Completion queues: create, modify, resize, query, destroy.

use super::memory::PAGE;
use super::{Check, Command, Done, Entry, demand, entry, refuse};
use crate::device::Chip;
use crate::device::host::rd32;
use crate::device::objects::{Place, kind};
use prm::{
    CmdHcaCap, Cqc, CreateCqIn, CreateCqOut, DestroyCqIn, Field, ModifyCqIn, QueryCqIn, QueryCqOut, opcode,
    status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::CREATE_CQ, CreateCqIn::SIZE, CreateCqOut::SIZE, create),
    entry(opcode::QUERY_CQ, QueryCqIn::SIZE, QueryCqOut::CQ_CONTEXT.off / 8 + Cqc::SIZE, query),
    entry(opcode::MODIFY_CQ, ModifyCqIn::SIZE, 16, modify),
    entry(opcode::DESTROY_CQ, DestroyCqIn::SIZE, 16, destroy),
];

/// What a modify command may change: select bit, and the context fields behind it.
const MODIFIABLE: &[(u32, Field)] = &[
    (0x1, Cqc::CQ_PERIOD),
    (0x2, Cqc::CQ_MAX_COUNT),
    (0x4, Cqc::OI),
    (0x8, Cqc::C_EQN_OR_APU_ELEMENT),
    (0x10, Cqc::CQ_PERIOD_MODE),
];
const SELECT_EQ: u32 = 0x8;
/// What describes a queue's buffer, replaced by a resize.
const SIZE_FIELDS: &[Field] = &[Cqc::CQE_SZ, Cqc::PAGE_OFFSET, Cqc::LOG_CQ_SIZE, Cqc::LOG_PAGE_SIZE];
/// Queue status of a context: the queue overflowed.
const OVERFLOW: u64 = 0x9;

/// Where a create or resize command puts the queue, and how many bytes it takes. The two
/// commands have the same layout.
fn place(c: &Command) -> (Place, u64) {
    let ctx = CreateCqIn::CQ_CONTEXT;
    let get = |f: Field| f.within(ctx).get32(c.input);
    let entry = if get(Cqc::CQE_SZ) == 0 { 64 } else { 128 };
    let bytes = (entry as u64) << get(Cqc::LOG_CQ_SIZE);
    let shift = PAGE + get(Cqc::LOG_PAGE_SIZE);
    if CreateCqIn::CQ_UMEM_VALID.is_set(c.input) {
        let id = CreateCqIn::CQ_UMEM_ID.get32(c.input);
        return (Place::Umem { id, offset: CreateCqIn::CQ_UMEM_OFFSET.get(c.input) }, bytes);
    }
    // the offset counts 64ths of a page
    let offset = ((get(Cqc::PAGE_OFFSET) as u64) << shift) >> 6;
    (Place::Pages { at: CreateCqIn::PAS.byte(), shift, offset }, bytes)
}

fn check_size(chip: &Chip, c: &Command) -> Done {
    let ctx = CreateCqIn::CQ_CONTEXT;
    let get = |f: Field| f.within(ctx).get32(c.input);
    demand(
        get(Cqc::LOG_CQ_SIZE) <= chip.caps.general(CmdHcaCap::LOG_MAX_CQ_SZ),
        status::EXCEED_LIM,
        Check::Size,
    )?;
    // 64 bytes, 128 bytes, 128 bytes with the entry padded
    demand(get(Cqc::CQE_SZ) <= 2, status::BAD_PARAM, Check::Field)
}

fn create(chip: &mut Chip, c: &mut Command) -> Done {
    let ctx = CreateCqIn::CQ_CONTEXT;
    let get = |f: Field| f.within(ctx).get32(c.input);
    check_size(chip, c)?;
    if get(Cqc::CQE_COMP_EN) != 0 {
        demand(chip.caps.general(CmdHcaCap::CQE_COMPRESSION) != 0, status::BAD_PARAM, Check::Capability)?;
    }
    let (eq, uar) = ((kind::EQ, get(Cqc::C_EQN_OR_APU_ELEMENT)), (kind::UAR, get(Cqc::UAR_PAGE)));
    let apu = get(Cqc::APU_CQ) != 0;
    let mut uses = vec![];
    if !apu {
        chip.objs.usable(eq, c.uid, Check::Eq)?;
        uses.push(eq);
    }
    chip.objs.usable(uar, c.uid, Check::Uar)?;
    uses.push(uar);
    let (place, bytes) = place(c);
    uses.extend(chip.check_buffer(c, place, bytes)?);
    let dbr_umem = (get(Cqc::DBR_UMEM_VALID) != 0).then(|| get(Cqc::DBR_UMEM_ID));
    uses.extend(chip.check_dbr(c, dbr_umem, Cqc::DBR_ADDR.within(ctx).get(c.input))?);
    let range = super::basic::limited(chip, CmdHcaCap::LOG_MAX_CQ, 0x40);
    let n = chip.objs.number(kind::CQ, range)?;
    chip.objs.insert((kind::CQ, n), c.uid, c.input, uses);
    chip.cq_create(n, c.input);
    CreateCqOut::CQN.set(c.out, n as u64);
    Ok(())
}

fn query(chip: &mut Chip, c: &mut Command) -> Done {
    let n = QueryCqIn::CQN.get32(c.input);
    let o = chip.objs.owned((kind::CQ, n), c.uid)?;
    let ctx = CreateCqIn::CQ_CONTEXT;
    c.answer(QueryCqOut::CQ_CONTEXT.byte(), &o.input[ctx.byte()..ctx.byte() + Cqc::SIZE]);
    if let Some(cq) = chip.dp.cqs.get(&n) {
        let mut set = |f: Field, v: u64| f.within(QueryCqOut::CQ_CONTEXT).set(c.out, v);
        set(Cqc::STATUS, if cq.broken { OVERFLOW } else { 0 });
        set(Cqc::PRODUCER_COUNTER, cq.pi as u64);
        set(Cqc::CONSUMER_COUNTER, rd32(c.host, cq.dbr) as u64);
    }
    Ok(())
}

fn modify(chip: &mut Chip, c: &mut Command) -> Done {
    let key = (kind::CQ, ModifyCqIn::CQN.get32(c.input));
    chip.objs.owned(key, c.uid)?;
    match c.op_mod {
        0 => modify_fields(chip, c, key),
        1 => resize(chip, c, key),
        _ => refuse(status::BAD_PARAM, Check::OpMod),
    }
}

fn modify_fields(chip: &mut Chip, c: &mut Command, key: (u16, u32)) -> Done {
    let select = ModifyCqIn::FIELD_SELECT.get32(c.input);
    let known = MODIFIABLE.iter().fold(0, |all, (bit, _)| all | bit);
    demand(select & !known == 0, status::BAD_PARAM, Check::Field)?;
    let ctx = ModifyCqIn::CQ_CONTEXT;
    if select & SELECT_EQ != 0 {
        let eq = (kind::EQ, Cqc::C_EQN_OR_APU_ELEMENT.within(ctx).get32(c.input));
        chip.objs.usable(eq, c.uid, Check::Eq)?;
        let o = chip.objs.owned(key, c.uid)?;
        let uses = o.uses.iter().map(|k| if k.0 == kind::EQ { eq } else { *k }).collect();
        chip.objs.relink(key, uses);
    }
    let o = chip.objs.owned_mut(key, c.uid)?;
    for (bit, field) in MODIFIABLE {
        if select & bit != 0 {
            // create and modify carry the context at the same place
            field.within(ctx).copy(c.input, &mut o.input);
        }
    }
    let (from, to) = (ctx.byte(), ctx.byte() + Cqc::SIZE);
    if let Some(cq) = chip.dp.cqs.get_mut(&key.1) {
        cq.ctx = o.input[from..to].to_vec();
        cq.eqn = Cqc::C_EQN_OR_APU_ELEMENT.get32(&cq.ctx);
    }
    Ok(())
}

fn resize(chip: &mut Chip, c: &mut Command, key: (u16, u32)) -> Done {
    check_size(chip, c)?;
    let (place, bytes) = place(c);
    let buffer = chip.check_buffer(c, place, bytes)?;
    let ctx = ModifyCqIn::CQ_CONTEXT;
    if let Some(cq) = chip.dp.cqs.get(&key.1) {
        let outstanding = cq.pi.wrapping_sub(rd32(c.host, cq.dbr)) & 0xff_ffff;
        let room = 1u32 << Cqc::LOG_CQ_SIZE.within(ctx).get32(c.input);
        // one entry of the new queue is the first after the "resized" mark
        demand(outstanding < room, status::BAD_SIZE_OUTS_CQES, Check::Size)?;
    }
    let o = chip.objs.owned_mut(key, c.uid)?;
    for field in SIZE_FIELDS {
        field.within(ctx).copy(c.input, &mut o.input);
    }
    for field in [ModifyCqIn::CQ_UMEM_OFFSET, ModifyCqIn::CQ_UMEM_ID, ModifyCqIn::CQ_UMEM_VALID] {
        field.copy(c.input, &mut o.input);
    }
    o.input.truncate(CreateCqIn::SIZE);
    o.input.extend_from_slice(&c.input[ModifyCqIn::SIZE..]);
    let input = o.input.clone();
    let dbr = Cqc::DBR_UMEM_VALID.within(ctx).is_set(&input);
    let dbr = dbr.then(|| (kind::UMEM, Cqc::DBR_UMEM_ID.within(ctx).get32(&input)));
    let mut uses: Vec<_> = o.uses.iter().filter(|k| k.0 != kind::UMEM).copied().collect();
    uses.extend(buffer);
    uses.extend(dbr);
    chip.objs.relink(key, uses);
    chip.cq_resize(c.host, key.1, &input);
    Ok(())
}

fn destroy(chip: &mut Chip, c: &mut Command) -> Done {
    let n = DestroyCqIn::CQN.get32(c.input);
    chip.objs.remove((kind::CQ, n), c.uid)?;
    chip.dp.cqs.remove(&n);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use prm::{CreateUmemIn, MboxIn, Umem};

    const CTX: Field = CreateCqIn::CQ_CONTEXT;

    fn base(b: &mut Bench) -> Vec<(Field, u64)> {
        let (eq, uar) = (b.eq(), b.uar(0));
        vec![
            (Cqc::LOG_CQ_SIZE.within(CTX), 4),
            (Cqc::C_EQN_OR_APU_ELEMENT.within(CTX), eq as u64),
            (Cqc::UAR_PAGE.within(CTX), uar as u64),
        ]
    }

    fn make(b: &mut Bench, fields: &[(Field, u64)], len: usize) -> u8 {
        b.cmd(opcode::CREATE_CQ, 0, len, fields, 16)
    }

    #[test]
    fn creation_checks_each_part() {
        let mut b = Bench::new();
        let good = base(&mut b);
        let with = |extra: &[(Field, u64)]| [&good[..], extra].concat();
        let len = CreateCqIn::SIZE + 8;
        assert_eq!(make(&mut b, &with(&[]), CreateCqIn::SIZE), status::BAD_INPUT_LEN);
        assert_eq!(make(&mut b, &with(&[(Cqc::LOG_CQ_SIZE.within(CTX), 31)]), len), status::EXCEED_LIM);
        assert_eq!(make(&mut b, &with(&[(Cqc::LOG_CQ_SIZE.within(CTX), 7)]), len), status::BAD_INPUT_LEN);
        assert_eq!(make(&mut b, &with(&[(Cqc::CQE_SZ.within(CTX), 5)]), len), status::BAD_PARAM);
        assert_eq!(make(&mut b, &with(&[(Cqc::C_EQN_OR_APU_ELEMENT.within(CTX), 99)]), len), status::BAD_RES);
        assert_eq!(make(&mut b, &with(&[(Cqc::UAR_PAGE.within(CTX), 4000)]), len), status::BAD_RES);
        assert_eq!(make(&mut b, &with(&[(Cqc::DBR_ADDR.within(CTX), 0x3002)]), len), status::BAD_PARAM);
        assert_eq!(make(&mut b, &with(&[]), len), status::OK);
    }

    #[test]
    fn a_umem_holds_as_long_as_its_queue() {
        let mut b = Bench::new();
        let good = base(&mut b);
        let u = CreateUmemIn::UMEM;
        let umem = b.create(opcode::CREATE_UMEM, 0, 56, &[(Umem::NUM_OF_MTT.within(u), 1)]) as u64;
        let place = |offset: u64| {
            let f = [
                (CreateCqIn::CQ_UMEM_VALID, 1),
                (CreateCqIn::CQ_UMEM_ID, umem),
                (CreateCqIn::CQ_UMEM_OFFSET, offset),
                (Cqc::DBR_UMEM_VALID.within(CTX), 1),
                (Cqc::DBR_UMEM_ID.within(CTX), umem),
                (Cqc::DBR_ADDR.within(CTX), 0),
            ];
            [&good[..], &f].concat()
        };
        assert_eq!(make(&mut b, &place(0xc01), CreateCqIn::SIZE), status::BAD_PARAM, "does not fit");
        assert_eq!(make(&mut b, &place(0xc00), CreateCqIn::SIZE), status::OK);
        let cqn = CreateCqOut::CQN.get(&b.out);
        let free = [(prm::DestroyUmemIn::UMEM_ID, umem)];
        assert_eq!(b.cmd(opcode::DESTROY_UMEM, 0, 16, &free, 16), status::RES_BUSY);
        assert_eq!(b.cmd(opcode::DESTROY_CQ, 0, 16, &[(DestroyCqIn::CQN, cqn)], 16), status::OK);
        assert_eq!(b.cmd(opcode::DESTROY_UMEM, 0, 16, &free, 16), status::OK);
    }

    #[test]
    fn moderation_and_event_queue_can_change() {
        let mut b = Bench::new();
        let cqn = b.cq(0) as u64;
        let eq = b.eq() as u64;
        let modify = |b: &mut Bench, f: &[(Field, u64)]| {
            let all = [&[(ModifyCqIn::CQN, cqn)], f].concat();
            b.cmd(opcode::MODIFY_CQ, 0, ModifyCqIn::SIZE, &all, 16)
        };
        let m = ModifyCqIn::CQ_CONTEXT;
        assert_eq!(modify(&mut b, &[(ModifyCqIn::FIELD_SELECT, 0x100)]), status::BAD_PARAM);
        let (period, count) = (Cqc::CQ_PERIOD.within(m), Cqc::CQ_MAX_COUNT.within(m));
        assert_eq!(modify(&mut b, &[(ModifyCqIn::FIELD_SELECT, 1), (period, 77), (count, 5)]), status::OK);
        let to_eq = Cqc::C_EQN_OR_APU_ELEMENT.within(m);
        assert_eq!(modify(&mut b, &[(ModifyCqIn::FIELD_SELECT, 8), (to_eq, 200)]), status::BAD_RES);
        assert_eq!(modify(&mut b, &[(ModifyCqIn::FIELD_SELECT, 8), (to_eq, eq)]), status::OK);
        assert_eq!(b.cmd(opcode::QUERY_CQ, 0, 16, &[(QueryCqIn::CQN, cqn)], QueryCqOut::SIZE), status::OK);
        let q = QueryCqOut::CQ_CONTEXT;
        assert_eq!(Cqc::CQ_PERIOD.within(q).get(&b.out), 77);
        assert_eq!(Cqc::CQ_MAX_COUNT.within(q).get(&b.out), 0, "not selected");
        assert_eq!(Cqc::C_EQN_OR_APU_ELEMENT.within(q).get(&b.out), eq);
        let destroy = [(prm::DestroyEqIn::EQ_NUMBER, eq)];
        assert_eq!(b.cmd(opcode::DESTROY_EQ, 0, 16, &destroy, 16), status::RES_BUSY);
        assert_eq!(b.cmd(opcode::DESTROY_CQ, 0, 16, &[(DestroyCqIn::CQN, cqn)], 16), status::OK);
        assert_eq!(b.cmd(opcode::DESTROY_EQ, 0, 16, &destroy, 16), status::OK);
    }

    #[test]
    fn a_resize_needs_room_and_pages() {
        let mut b = Bench::new();
        let cqn = b.cq(0) as u64;
        let m = ModifyCqIn::CQ_CONTEXT;
        let resize = |b: &mut Bench, log: u64, len: usize| {
            let f = [
                (MboxIn::OP_MOD, 1),
                (ModifyCqIn::CQN, cqn),
                (Cqc::LOG_CQ_SIZE.within(m), log),
                (ModifyCqIn::PAS, 0x6000),
            ];
            b.cmd(opcode::MODIFY_CQ, 0, len, &f, 16)
        };
        assert_eq!(resize(&mut b, 6, ModifyCqIn::SIZE), status::BAD_INPUT_LEN);
        assert_eq!(resize(&mut b, 6, ModifyCqIn::SIZE + 8), status::OK);
        assert_eq!(b.cmd(opcode::QUERY_CQ, 0, 16, &[(QueryCqIn::CQN, cqn)], QueryCqOut::SIZE), status::OK);
        assert_eq!(Cqc::LOG_CQ_SIZE.within(QueryCqOut::CQ_CONTEXT).get(&b.out), 6);
        // one mark was written; consumer index still 0
        assert_eq!(resize(&mut b, 0, ModifyCqIn::SIZE + 8), status::BAD_SIZE_OUTS_CQES);
    }
}
