//! User memory regions for the device's own structures, and device memory.

use super::{Check, Command, Done, Entry, demand, entry, refuse};
use crate::device::objects::kind;
use crate::device::{Chip, MEMIC_BAR, MEMIC_OPS_BAR};
use prm::{
    AllocMemicIn, AllocMemicOut, CmdHcaCap, CreateUmemIn, CreateUmemOut, DeallocMemicIn, DestroyUmemIn,
    DeviceMemCap, ModifyMemicIn, ModifyMemicOut, Umem, opcode, status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::CREATE_UMEM, CreateUmemIn::SIZE, CreateUmemOut::SIZE, create_umem),
    entry(opcode::DESTROY_UMEM, DestroyUmemIn::SIZE, 16, destroy_umem),
    entry(opcode::ALLOC_MEMIC, AllocMemicIn::SIZE, AllocMemicOut::SIZE, alloc_memic),
    entry(opcode::DEALLOC_MEMIC, DeallocMemicIn::SIZE, 16, dealloc_memic),
    entry(opcode::MODIFY_MEMIC, ModifyMemicIn::SIZE, ModifyMemicOut::SIZE, modify_memic),
];

/// Smallest page of a translation, as a logarithm.
pub(in crate::device) const PAGE: u32 = 12;

fn create_umem(chip: &mut Chip, c: &mut Command) -> Done {
    let umem = CreateUmemIn::UMEM;
    let n = Umem::NUM_OF_MTT.within(umem).get(c.input) as usize;
    let shift = PAGE + Umem::LOG_PAGE_SIZE.within(umem).get32(c.input);
    let offset = Umem::PAGE_OFFSET.within(umem).get(c.input);
    demand(n > 0, status::BAD_PARAM, Check::Size)?;
    demand(offset >> shift.min(63) == 0, status::BAD_PARAM, Check::Field)?;
    c.bytes(CreateUmemIn::SIZE, n.saturating_mul(8))?;
    let offered = chip.caps.general(CmdHcaCap::UMEM_UID_0) != 0;
    demand(c.uid != 0 || offered, status::BAD_RES, Check::Uid)?;
    let range = super::basic::limited(chip, CmdHcaCap::LOG_MAX_UMEM, 1);
    let id = chip.objs.number(kind::UMEM, range)?;
    chip.objs.insert((kind::UMEM, id), c.uid, c.input, vec![]);
    CreateUmemOut::UMEM_ID.set(c.out, id as u64);
    Ok(())
}

fn destroy_umem(chip: &mut Chip, c: &mut Command) -> Done {
    chip.objs.remove((kind::UMEM, DestroyUmemIn::UMEM_ID.get32(c.input)), c.uid)?;
    Ok(())
}

/// Device memory is given out inside the range that the driver names, first fit.
fn alloc_memic(chip: &mut Chip, c: &mut Command) -> Done {
    demand(chip.memory.is_some(), status::NO_RESOURCES, Check::Exhausted)?;
    let size = AllocMemicIn::MEMIC_SIZE.get(c.input);
    let from = AllocMemicIn::RANGE_START_ADDR.get(c.input);
    let len = AllocMemicIn::RANGE_SIZE.get(c.input);
    let log_align = AllocMemicIn::LOG_MEMIC_ADDR_ALIGNMENT.get32(c.input);
    let granule = 1u64 << chip.caps.device_memory(DeviceMemCap::LOG_MIN_MEMIC_ALLOC_SIZE);
    let max_align = chip.caps.device_memory(DeviceMemCap::LOG_MAX_MEMIC_ADDR_ALIGNMENT);
    demand(size > 0 && size.is_multiple_of(granule), status::BAD_PARAM, Check::Size)?;
    demand(log_align <= max_align, status::BAD_PARAM, Check::Field)?;
    let end = from.saturating_add(len);
    let bar = MEMIC_BAR;
    demand(from >= bar.start && end <= bar.end && size <= len, status::BAD_PARAM, Check::Index)?;
    let align = granule.max(1 << log_align);
    let taken: Vec<(u64, u64)> = chip
        .objs
        .of_kind(kind::MEMIC)
        .map(|(k, o)| (k.1 as u64, k.1 as u64 + AllocMemicIn::MEMIC_SIZE.get(&o.input)))
        .collect();
    let mut at = from.next_multiple_of(align);
    while let Some(&(_, busy_to)) = taken.iter().find(|(s, e)| *s < at + size && at < *e) {
        at = busy_to.next_multiple_of(align);
    }
    demand(at + size <= end, status::NO_RESOURCES, Check::Exhausted)?;
    chip.objs.insert((kind::MEMIC, at as u32), 0, c.input, vec![]);
    if let Some(memory) = &mut chip.memory {
        memory.clear(at, size);
    }
    AllocMemicOut::MEMIC_START_ADDR.set(c.out, at);
    Ok(())
}

fn dealloc_memic(chip: &mut Chip, c: &mut Command) -> Done {
    let at = DeallocMemicIn::MEMIC_START_ADDR.get(c.input);
    let size = DeallocMemicIn::MEMIC_SIZE.get(c.input);
    let key = (kind::MEMIC, u32::try_from(at).unwrap_or(u32::MAX));
    let o = chip.objs.owned(key, 0)?;
    demand(AllocMemicIn::MEMIC_SIZE.get(&o.input) == size, status::BAD_PARAM, Check::Size)?;
    chip.objs.remove(key, 0)?;
    Ok(())
}

/// Addresses through which stores act as atomic operations: one page for each operation of
/// each piece of device memory.
fn modify_memic(chip: &mut Chip, c: &mut Command) -> Done {
    let at = ModifyMemicIn::MEMIC_START_ADDR.get(c.input);
    let op = ModifyMemicIn::MEMIC_OPERATION_TYPE.get32(c.input);
    let key = (kind::MEMIC, u32::try_from(at).unwrap_or(u32::MAX));
    chip.objs.owned(key, 0)?;
    let offered = chip.caps.device_memory(DeviceMemCap::MEMIC_OPERATIONS);
    demand(op < 32 && offered >> op & 1 != 0, status::BAD_PARAM, Check::Capability)?;
    let page_of = |n: u32| MEMIC_OPS_BAR.start + ((n as u64) << 12);
    let same = chip
        .objs
        .of_kind(opcode::MODIFY_MEMIC)
        .find(|(_, o)| {
            ModifyMemicIn::MEMIC_START_ADDR.get(&o.input) == at
                && ModifyMemicIn::MEMIC_OPERATION_TYPE.get32(&o.input) == op
        })
        .map(|(k, _)| *k);
    match (c.op_mod, same) {
        (0, None) => {
            let pages = (MEMIC_OPS_BAR.end - MEMIC_OPS_BAR.start) >> 12;
            let n = chip.objs.number(opcode::MODIFY_MEMIC, 0..pages as u32)?;
            chip.objs.insert((opcode::MODIFY_MEMIC, n), 0, c.input, vec![key]);
            ModifyMemicOut::MEMIC_OPERATION_ADDR.set(c.out, page_of(n) | (at & 0xfff));
            Ok(())
        }
        (0, Some(k)) => {
            ModifyMemicOut::MEMIC_OPERATION_ADDR.set(c.out, page_of(k.1) | (at & 0xfff));
            Ok(())
        }
        (1, Some(k)) => chip.objs.remove(k, 0).map(drop),
        (1, None) => refuse(status::BAD_RES, Check::Handle),
        _ => refuse(status::BAD_PARAM, Check::OpMod),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use prm::{Field, MboxIn};

    fn umem(b: &mut Bench, uid: u16, len: usize, n: u64, offset: u64) -> u8 {
        let u = CreateUmemIn::UMEM;
        let fields = [(Umem::NUM_OF_MTT.within(u), n), (Umem::PAGE_OFFSET.within(u), offset)];
        b.cmd(opcode::CREATE_UMEM, uid, len, &fields, 16)
    }

    #[test]
    fn a_umem_needs_its_entries_and_its_owner() {
        let mut b = Bench::new();
        let uid = b.uctx();
        assert_eq!(umem(&mut b, uid, 64, 3, 0), status::BAD_INPUT_LEN);
        assert_eq!(umem(&mut b, uid, 64, 0, 0), status::BAD_PARAM);
        assert_eq!(umem(&mut b, uid, 64, 2, 0x1000), status::BAD_PARAM);
        assert_eq!(umem(&mut b, uid, 64, 2, 0xfff), status::OK);
        let id = CreateUmemOut::UMEM_ID.get(&b.out);
        let destroy =
            |b: &mut Bench, uid| b.cmd(opcode::DESTROY_UMEM, uid, 16, &[(DestroyUmemIn::UMEM_ID, id)], 16);
        let other = b.uctx();
        assert_eq!(destroy(&mut b, other), status::BAD_RES);
        assert_eq!(destroy(&mut b, uid), status::OK);
        assert_eq!(destroy(&mut b, uid), status::BAD_RES);
    }

    fn memic(b: &mut Bench, size: u64, fields: &[(Field, u64)]) -> (u8, u64) {
        let mut all = vec![
            (AllocMemicIn::RANGE_START_ADDR, MEMIC_BAR.start),
            (AllocMemicIn::RANGE_SIZE, 4096),
            (AllocMemicIn::MEMIC_SIZE, size),
        ];
        all.extend_from_slice(fields);
        let s = b.cmd(opcode::ALLOC_MEMIC, 0, AllocMemicIn::SIZE, &all, 16);
        (s, AllocMemicOut::MEMIC_START_ADDR.get(&b.out))
    }

    #[test]
    fn device_memory_is_given_without_overlap() {
        let mut b = Bench::new();
        assert_eq!(memic(&mut b, 65, &[]).0, status::BAD_PARAM);
        assert_eq!(memic(&mut b, 8192, &[]).0, status::BAD_PARAM);
        assert_eq!(memic(&mut b, 64, &[(AllocMemicIn::RANGE_START_ADDR, 0)]).0, status::BAD_PARAM);
        let (s, first) = memic(&mut b, 64, &[]);
        assert_eq!((s, first), (status::OK, MEMIC_BAR.start));
        assert_eq!(memic(&mut b, 2048, &[]), (status::OK, first + 64));
        assert_eq!(memic(&mut b, 2048, &[]).0, status::NO_RESOURCES);
        let aligned = memic(&mut b, 64, &[(AllocMemicIn::LOG_MEMIC_ADDR_ALIGNMENT, 10)]);
        assert_eq!(aligned, (status::OK, first + 3072));
        let dealloc = |b: &mut Bench, size| {
            let f = [(DeallocMemicIn::MEMIC_START_ADDR, first), (DeallocMemicIn::MEMIC_SIZE, size)];
            b.cmd(opcode::DEALLOC_MEMIC, 0, DeallocMemicIn::SIZE, &f, 16)
        };
        assert_eq!(dealloc(&mut b, 128), status::BAD_PARAM);
        assert_eq!(dealloc(&mut b, 64), status::OK);
        assert_eq!(dealloc(&mut b, 64), status::BAD_RES);
    }

    #[test]
    fn operations_hold_their_memory() {
        let mut b = Bench::new();
        let (_, at) = memic(&mut b, 64, &[]);
        let op = |b: &mut Bench, op_mod: u64, ty: u64| {
            let f = [
                (MboxIn::OP_MOD, op_mod),
                (ModifyMemicIn::MEMIC_START_ADDR, at),
                (ModifyMemicIn::MEMIC_OPERATION_TYPE, ty),
            ];
            b.cmd(opcode::MODIFY_MEMIC, 0, ModifyMemicIn::SIZE, &f, ModifyMemicOut::SIZE)
        };
        assert_eq!(op(&mut b, 0, 31), status::BAD_PARAM);
        assert_eq!(op(&mut b, 0, 0), status::OK);
        let addr = ModifyMemicOut::MEMIC_OPERATION_ADDR.get(&b.out);
        assert!(MEMIC_OPS_BAR.contains(&addr));
        let f = [(DeallocMemicIn::MEMIC_START_ADDR, at), (DeallocMemicIn::MEMIC_SIZE, 64)];
        assert_eq!(b.cmd(opcode::DEALLOC_MEMIC, 0, DeallocMemicIn::SIZE, &f, 16), status::RES_BUSY);
        assert_eq!(op(&mut b, 1, 0), status::OK);
        assert_eq!(op(&mut b, 1, 0), status::BAD_RES);
        assert_eq!(b.cmd(opcode::DEALLOC_MEMIC, 0, DeallocMemicIn::SIZE, &f, 16), status::OK);
    }
}
