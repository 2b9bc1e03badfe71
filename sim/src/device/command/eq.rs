//! Event queues: create, query, destroy; the test hook that raises events.

use super::memory::PAGE;
use super::{Check, Command, Done, Entry, demand, entry, refuse};
use crate::device::Chip;
use crate::device::eq::Eq;
use crate::device::objects::kind;
use prm::{
    CmdHcaCap, CreateEqIn, CreateEqOut, DestroyEqIn, Eqc, Eqe, Field, MboxIn, QueryEqIn, QueryEqOut, opcode,
    status,
};

/// The simulator's own command, in the range that drivers pass through for general
/// commands: raise an event of the type in byte 8 and the subtype in byte 9, with the 28
/// bytes of event data that follow the 16-byte head.
pub const RAISE_EVENT: u16 = 0xcf0;
const RAISE_TYPE: Field = Field::new(0x40, 8);
const RAISE_SUBTYPE: Field = Field::new(0x48, 8);

const ARMED: u64 = 0x9;
const FIRED: u64 = 0xa;
const OVERRUN: u64 = 0xa;

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::CREATE_EQ, CreateEqIn::SIZE, CreateEqOut::SIZE, create),
    entry(opcode::QUERY_EQ, QueryEqIn::SIZE, QueryEqOut::EVENT_BITMASK.off / 8, query),
    entry(opcode::DESTROY_EQ, DestroyEqIn::SIZE, 16, destroy),
    entry(RAISE_EVENT, MboxIn::SIZE, 16, raise),
];

fn create(chip: &mut Chip, c: &mut Command) -> Done {
    let ctx = CreateEqIn::EQ_CONTEXT_ENTRY;
    let get = |f: Field| f.within(ctx).get32(c.input);
    let log_size = get(Eqc::LOG_EQ_SIZE);
    let page_shift = PAGE + get(Eqc::LOG_PAGE_SIZE);
    let uar = get(Eqc::UAR_PAGE);
    demand(log_size <= chip.caps.general(CmdHcaCap::LOG_MAX_EQ_SZ), status::EXCEED_LIM, Check::Size)?;
    chip.objs.usable((kind::UAR, uar), c.uid, Check::Uar)?;
    let offset = ((get(Eqc::PAGE_OFFSET) as u64) << page_shift) >> 6;
    let pages = (offset + ((Eqe::SIZE as u64) << log_size)).div_ceil(1 << page_shift) as usize;
    let pas = c.bytes(CreateEqIn::PAS.byte(), pages * 8)?;
    let pas = pas.chunks_exact(8).map(|p| prm::bits::be64(p, 0) & !0xfff).collect();
    let mut mask = [0; 4];
    for (k, m) in mask.iter_mut().enumerate() {
        *m = Field::new(CreateEqIn::EVENT_BITMASK.off + 64 * k, 64).get(c.input);
    }
    let limit = chip.caps.general(CmdHcaCap::MAX_NUM_EQS).clamp(1, 255);
    let n = chip.objs.number(kind::EQ, 1..limit + 1)?;
    chip.objs.insert((kind::EQ, n), c.uid, c.input, vec![(kind::UAR, uar)]);
    chip.eqs.insert(
        n,
        Eq {
            pas,
            log_size,
            page_shift,
            offset,
            vector: get(Eqc::INTR),
            uar,
            mask,
            ignore_overrun: get(Eqc::OI) != 0,
            pi: 0,
            ci: 0,
            armed: false,
            overrun: false,
        },
    );
    CreateEqOut::EQ_NUMBER.set(c.out, n as u64);
    Ok(())
}

fn query(chip: &mut Chip, c: &mut Command) -> Done {
    let n = QueryEqIn::EQ_NUMBER.get32(c.input);
    let o = chip.objs.owned((kind::EQ, n), c.uid)?;
    let ctx = CreateEqIn::EQ_CONTEXT_ENTRY;
    let from = &o.input[ctx.byte()..CreateEqIn::SIZE];
    let to = QueryEqOut::EQ_CONTEXT_ENTRY;
    c.answer(to.byte(), from);
    if let Some(eq) = chip.eqs.get(&n) {
        let mut set = |f: Field, v: u64| f.within(to).set(c.out, v);
        set(Eqc::STATUS, if eq.overrun { OVERRUN } else { 0 });
        set(Eqc::ST, if eq.armed { ARMED } else { FIRED });
        set(Eqc::CONSUMER_COUNTER, eq.ci as u64);
        set(Eqc::PRODUCER_COUNTER, eq.pi as u64);
    }
    Ok(())
}

fn destroy(chip: &mut Chip, c: &mut Command) -> Done {
    let n = DestroyEqIn::EQ_NUMBER.get32(c.input);
    chip.objs.remove((kind::EQ, n), c.uid)?;
    chip.eqs.remove(&n);
    Ok(())
}

fn raise(chip: &mut Chip, c: &mut Command) -> Done {
    let event = RAISE_TYPE.get(c.input) as u8;
    let sub = RAISE_SUBTYPE.get(c.input) as u8;
    demand(chip.config().event_hook, status::BAD_OP, Check::Feature)?;
    if event == prm::event::CMD {
        // the driver takes the bits of such an event for its own commands
        return refuse(status::BAD_PARAM, Check::Field);
    }
    let mut data = [0; 28];
    let given = c.input.get(16..).unwrap_or(&[]);
    let n = given.len().min(data.len());
    data[..n].copy_from_slice(&given[..n]);
    chip.raise(c.host, event, sub, &data);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, command};
    use super::*;
    use prm::event;

    /// An event queue of `1 << log` entries at 0x8000 that asks for port changes.
    fn make(b: &mut Bench, log: u64) -> (u32, u32) {
        let uar = b.uar(0);
        let ctx = CreateEqIn::EQ_CONTEXT_ENTRY;
        let fields = [
            (Eqc::LOG_EQ_SIZE.within(ctx), log),
            (Eqc::UAR_PAGE.within(ctx), uar as u64),
            (Eqc::INTR.within(ctx), 5),
            (Field::new(CreateEqIn::EVENT_BITMASK.off, 64), 1 << event::PORT_CHANGE),
            (CreateEqIn::PAS, 0x8000),
        ];
        let s = b.cmd(opcode::CREATE_EQ, 0, CreateEqIn::SIZE + 8, &fields, 16);
        assert_eq!(s, status::OK, "{:#x}", b.syndrome());
        (CreateEqOut::EQ_NUMBER.get32(&b.out), uar)
    }

    fn entry_at(b: &Bench, n: usize) -> Vec<u8> {
        b.host.bytes.borrow()[0x8000 + 64 * n..][..64].to_vec()
    }

    #[test]
    fn creation_checks_its_parts() {
        let mut b = Bench::new();
        let ctx = CreateEqIn::EQ_CONTEXT_ENTRY;
        let uar = b.uar(0) as u64;
        let mut try_with = |log: u64, uar: u64, len: usize| {
            let f = [(Eqc::LOG_EQ_SIZE.within(ctx), log), (Eqc::UAR_PAGE.within(ctx), uar)];
            b.cmd(opcode::CREATE_EQ, 0, len, &f, 16)
        };
        assert_eq!(try_with(4, 4000, CreateEqIn::SIZE + 8), status::BAD_RES);
        assert_eq!(try_with(31, uar, CreateEqIn::SIZE + 8), status::EXCEED_LIM);
        assert_eq!(try_with(7, uar, CreateEqIn::SIZE + 8), status::BAD_INPUT_LEN, "two pages needed");
        assert_eq!(try_with(7, uar, CreateEqIn::SIZE + 16), status::OK);
    }

    #[test]
    fn an_armed_queue_interrupts_once() {
        let mut b = Bench::new();
        let (eqn, uar) = make(&mut b, 2);
        let ring = |b: &mut Bench, uar: u32, offset: u32, ci: u32| {
            b.chip.uar_write(&b.host, uar, offset, &(eqn << 24 | ci).to_be_bytes());
        };
        b.chip.raise(&b.host, event::PORT_CHANGE, 4, &[1, 2, 3]);
        assert!(b.host.vectors.borrow().is_empty(), "not armed");
        let e = entry_at(&b, 0);
        assert_eq!((e[1], e[3], &e[32..35], e[63]), (event::PORT_CHANGE, 4, &[1u8, 2, 3][..], 0));
        ring(&mut b, uar, 0x40, 0);
        assert_eq!(b.host.vectors.take(), [5], "armed with entries left");
        ring(&mut b, uar + 1, 0x40, 1);
        b.chip.raise(&b.host, event::PORT_CHANGE, 4, &[]);
        assert!(b.host.vectors.borrow().is_empty(), "doorbell in another UAR page");
        ring(&mut b, uar, 0x40, 2);
        assert!(b.host.vectors.borrow().is_empty());
        b.chip.raise(&b.host, event::PORT_CHANGE, 4, &[]);
        b.chip.raise(&b.host, event::PORT_CHANGE, 4, &[]);
        assert_eq!(b.host.vectors.take(), [5]);
        b.chip.raise(&b.host, event::TEMP_WARN, 0, &[]);
        assert_eq!(entry_at(&b, 0)[63], 0, "nobody asked for this event");
        b.chip.raise(&b.host, event::PORT_CHANGE, 4, &[]);
        assert_eq!(entry_at(&b, 0)[63], 1, "second round");
    }

    #[test]
    fn a_full_queue_loses_events_and_says_so() {
        let mut b = Bench::new();
        let (eqn, uar) = make(&mut b, 1);
        for n in 0..3 {
            b.chip.raise(&b.host, event::PORT_CHANGE, n, &[]);
        }
        assert_eq!((entry_at(&b, 0)[3], entry_at(&b, 1)[3]), (0, 1));
        let query = |b: &mut Bench| {
            b.cmd(opcode::QUERY_EQ, 0, 16, &[(QueryEqIn::EQ_NUMBER, eqn as u64)], QueryEqOut::SIZE);
            let ctx = QueryEqOut::EQ_CONTEXT_ENTRY;
            (Eqc::STATUS.within(ctx).get(&b.out), Eqc::PRODUCER_COUNTER.within(ctx).get(&b.out))
        };
        assert_eq!(query(&mut b), (OVERRUN, 2));
        b.chip.uar_write(&b.host, uar, 0x48, &(eqn << 24 | 2).to_be_bytes());
        b.chip.raise(&b.host, event::PORT_CHANGE, 7, &[]);
        assert_eq!(entry_at(&b, 0)[3], 7);
    }

    #[test]
    fn the_hook_raises_any_event_but_command_completions() {
        let mut b = Bench::new();
        make(&mut b, 2);
        let mut cmd =
            command(RAISE_EVENT, 0, 48, &[(RAISE_TYPE, event::PORT_CHANGE as u64), (RAISE_SUBTYPE, 5)]);
        cmd[16] = 0x77;
        assert_eq!(b.run(&cmd, 16).0, status::OK);
        let e = entry_at(&b, 0);
        assert_eq!((e[1], e[3], e[32]), (event::PORT_CHANGE, 5, 0x77));
        RAISE_TYPE.set(&mut cmd, event::CMD as u64);
        assert_eq!(b.run(&cmd, 16).0, status::BAD_PARAM);
    }

    #[test]
    fn a_queue_in_use_stays_and_keeps_its_uar() {
        let mut b = Bench::new();
        let (eqn, uar) = make(&mut b, 2);
        let free = |b: &mut Bench, uar: u32| {
            b.cmd(opcode::DEALLOC_UAR, 0, 16, &[(prm::DeallocUarIn::UAR, uar as u64)], 16)
        };
        assert_eq!(free(&mut b, uar), status::RES_BUSY);
        assert_eq!(b.cmd(opcode::DESTROY_EQ, 0, 16, &[(DestroyEqIn::EQ_NUMBER, eqn as u64)], 16), status::OK);
        assert_eq!(free(&mut b, uar), status::OK);
        assert_eq!(
            b.cmd(opcode::DESTROY_EQ, 0, 16, &[(DestroyEqIn::EQ_NUMBER, eqn as u64)], 16),
            status::BAD_RES
        );
    }
}
