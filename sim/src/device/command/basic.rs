//! User contexts, UARs, protection domains, transport domains, XRC domains, multicast.

use super::{Check, Command, Done, Entry, demand, entry, refuse};
use crate::device::objects::{Key, kind};
use crate::device::{Chip, FIRST_UAR, UAR_END};
use prm::{
    AllocPdOut, AllocTransportDomainOut, AllocUarOut, AllocXrcdOut, AttachToMcgIn, CmdHcaCap, CreateUctxIn,
    CreateUctxOut, DeallocPdIn, DeallocTransportDomainIn, DeallocUarIn, DeallocXrcdIn, DestroyUctxIn,
    DetachFromMcgIn, Field, MboxIn, Mkc, opcode, status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::CREATE_UCTX, CreateUctxIn::SIZE, CreateUctxOut::SIZE, create_uctx),
    entry(opcode::DESTROY_UCTX, DestroyUctxIn::SIZE, 16, destroy_uctx),
    entry(opcode::ALLOC_UAR, MboxIn::SIZE, AllocUarOut::SIZE, alloc_uar),
    entry(opcode::DEALLOC_UAR, DeallocUarIn::SIZE, 16, dealloc_uar),
    entry(opcode::ALLOC_PD, MboxIn::SIZE, AllocPdOut::SIZE, alloc_pd),
    entry(opcode::DEALLOC_PD, DeallocPdIn::SIZE, 16, dealloc_pd),
    entry(opcode::ALLOC_TRANSPORT_DOMAIN, MboxIn::SIZE, AllocTransportDomainOut::SIZE, alloc_td),
    entry(opcode::DEALLOC_TRANSPORT_DOMAIN, DeallocTransportDomainIn::SIZE, 16, dealloc_td),
    entry(opcode::ALLOC_XRCD, MboxIn::SIZE, AllocXrcdOut::SIZE, alloc_xrcd),
    entry(opcode::DEALLOC_XRCD, DeallocXrcdIn::SIZE, 16, dealloc_xrcd),
    entry(opcode::ATTACH_TO_MCG, AttachToMcgIn::SIZE, 16, attach),
    entry(opcode::DETACH_FROM_MCG, DetachFromMcgIn::SIZE, 16, detach),
];

/// Number range of objects whose count a capability limits as a power of two.
pub(super) fn limited(chip: &Chip, cap: Field, first: u32) -> std::ops::Range<u32> {
    first..1u32.checked_shl(chip.caps.general(cap)).unwrap_or(1 << 24)
}

/// Make an object without a context; its number goes to `number` of the output.
fn plain(chip: &mut Chip, c: &mut Command, kind: u16, range: std::ops::Range<u32>, number: Field) -> Done {
    let n = chip.objs.number(kind, range)?;
    chip.objs.insert((kind, n), c.uid, c.input, vec![]);
    number.set(c.out, n as u64);
    Ok(())
}

fn create_uctx(chip: &mut Chip, c: &mut Command) -> Done {
    demand(c.uid == 0, status::BAD_RES, Check::Uid)?;
    let asked = CreateUctxIn::CAP.get(c.input);
    let offered = chip.caps.general(CmdHcaCap::UCTX_CAP) as u64;
    demand(asked & !offered == 0, status::BAD_PARAM, Check::Capability)?;
    let range = limited(chip, CmdHcaCap::LOG_MAX_UCTX, 1);
    plain(chip, c, kind::UCTX, range, CreateUctxOut::UID)
}

/// A user context goes only when its owner's objects are gone: nothing is cleaned silently.
fn destroy_uctx(chip: &mut Chip, c: &mut Command) -> Done {
    let uid = DestroyUctxIn::UID.get(c.input) as u16;
    chip.objs.owned((kind::UCTX, uid as u32), 0)?;
    demand(chip.objs.of_uid(uid).next().is_none(), status::RES_BUSY, Check::InUse)?;
    chip.objs.remove((kind::UCTX, uid as u32), 0)?;
    Ok(())
}

fn alloc_uar(chip: &mut Chip, c: &mut Command) -> Done {
    plain(chip, c, kind::UAR, FIRST_UAR..UAR_END, AllocUarOut::UAR)
}

fn dealloc_uar(chip: &mut Chip, c: &mut Command) -> Done {
    chip.objs.remove((kind::UAR, DeallocUarIn::UAR.get32(c.input)), c.uid)?;
    Ok(())
}

fn alloc_pd(chip: &mut Chip, c: &mut Command) -> Done {
    let range = limited(chip, CmdHcaCap::LOG_MAX_PD, 1);
    plain(chip, c, kind::PD, range, AllocPdOut::PD)
}

/// A domain is also in use while a valid memory key names it. Keys change their domain by
/// work requests, so they are looked at instead of counted.
fn dealloc_pd(chip: &mut Chip, c: &mut Command) -> Done {
    let pd = DeallocPdIn::PD.get32(c.input);
    chip.objs.owned((kind::PD, pd), c.uid)?;
    let keyed = chip.mkey_contexts().any(|mkc| !Mkc::FREE.is_set(mkc) && Mkc::PD.get32(mkc) == pd);
    demand(!keyed, status::RES_BUSY, Check::Mkey)?;
    chip.objs.remove((kind::PD, pd), c.uid)?;
    Ok(())
}

fn alloc_td(chip: &mut Chip, c: &mut Command) -> Done {
    let range = limited(chip, CmdHcaCap::LOG_MAX_TRANSPORT_DOMAIN, 1);
    plain(chip, c, kind::TD, range, AllocTransportDomainOut::TRANSPORT_DOMAIN)
}

fn dealloc_td(chip: &mut Chip, c: &mut Command) -> Done {
    chip.objs.remove((kind::TD, DeallocTransportDomainIn::TRANSPORT_DOMAIN.get32(c.input)), c.uid)?;
    Ok(())
}

fn alloc_xrcd(chip: &mut Chip, c: &mut Command) -> Done {
    let range = limited(chip, CmdHcaCap::LOG_MAX_XRCD, 1);
    plain(chip, c, kind::XRCD, range, AllocXrcdOut::XRCD)
}

fn dealloc_xrcd(chip: &mut Chip, c: &mut Command) -> Done {
    chip.objs.remove((kind::XRCD, DeallocXrcdIn::XRCD.get32(c.input)), c.uid)?;
    Ok(())
}

fn gid(c: &Command) -> [u8; 16] {
    let mut gid = [0; 16];
    gid.copy_from_slice(&c.input[AttachToMcgIn::MULTICAST_GID.byte()..][..16]);
    gid
}

/// The membership of a queue pair in a group, as an object that uses the queue pair.
fn member(chip: &Chip, gid: &[u8; 16], qpn: u32) -> Option<Key> {
    chip.objs
        .of_kind(opcode::ATTACH_TO_MCG)
        .find(|(_, o)| {
            AttachToMcgIn::QPN.get32(&o.input) == qpn && AttachToMcgIn::MULTICAST_GID.slice(&o.input) == gid
        })
        .map(|(k, _)| *k)
}

fn attach(chip: &mut Chip, c: &mut Command) -> Done {
    let (gid, qpn) = (gid(c), AttachToMcgIn::QPN.get32(c.input));
    chip.objs.owned((kind::QP, qpn), c.uid)?;
    demand(member(chip, &gid, qpn).is_none(), status::BAD_PARAM, Check::Overlap)?;
    let limit = chip.caps.general(CmdHcaCap::LOG_MAX_MCG);
    let n = chip.objs.number(opcode::ATTACH_TO_MCG, 1..1u32.checked_shl(limit).unwrap_or(1 << 20))?;
    chip.objs.insert((opcode::ATTACH_TO_MCG, n), c.uid, c.input, vec![(kind::QP, qpn)]);
    chip.mcg.push((gid, qpn));
    Ok(())
}

fn detach(chip: &mut Chip, c: &mut Command) -> Done {
    let (gid, qpn) = (gid(c), DetachFromMcgIn::QPN.get32(c.input));
    let Some(key) = member(chip, &gid, qpn) else {
        return refuse(status::BAD_RES, Check::Handle);
    };
    chip.objs.remove(key, c.uid)?;
    chip.mcg.retain(|m| *m != (gid, qpn));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    #[test]
    fn a_user_context_with_objects_stays() {
        let mut b = Bench::new();
        let uid = b.uctx();
        let pd = b.pd(uid);
        let destroy =
            |b: &mut Bench| b.cmd(opcode::DESTROY_UCTX, 0, 16, &[(DestroyUctxIn::UID, uid as u64)], 16);
        assert_eq!(destroy(&mut b), status::RES_BUSY);
        assert_eq!(b.chip.objects_of(uid), [(kind::PD, pd)]);
        let dealloc =
            |b: &mut Bench, uid| b.cmd(opcode::DEALLOC_PD, uid, 16, &[(DeallocPdIn::PD, pd as u64)], 16);
        let other = b.uctx();
        assert_eq!(dealloc(&mut b, other), status::BAD_RES);
        assert_eq!(dealloc(&mut b, uid), status::OK);
        assert_eq!(dealloc(&mut b, uid), status::BAD_RES);
        assert_eq!(destroy(&mut b), status::OK);
        assert_eq!(destroy(&mut b), status::BAD_RES);
        assert_eq!(b.cmd(opcode::ALLOC_PD, uid, 16, &[], 16), status::BAD_RES, "the user is gone");
    }

    #[test]
    fn users_make_no_user_contexts_and_ask_for_no_unknown_rights() {
        let mut b = Bench::new();
        let uid = b.uctx();
        assert_eq!(b.cmd(opcode::CREATE_UCTX, uid, 64, &[], 16), status::BAD_RES);
        assert_eq!(b.cmd(opcode::CREATE_UCTX, 0, 64, &[(CreateUctxIn::CAP, 1 << 30)], 16), status::BAD_PARAM);
        assert_eq!(b.cmd(opcode::CREATE_UCTX, 0, 16, &[], 16), status::BAD_INPUT_LEN);
    }

    #[test]
    fn uars_lie_in_their_part_of_the_bar() {
        let mut b = Bench::new();
        let first = b.uar(0);
        assert_eq!(first, FIRST_UAR);
        for n in FIRST_UAR + 1..UAR_END {
            assert_eq!(b.uar(0), n);
        }
        assert_eq!(b.cmd(opcode::ALLOC_UAR, 0, 16, &[], 16), status::NO_RESOURCES);
        assert_eq!(b.cmd(opcode::DEALLOC_UAR, 0, 16, &[(DeallocUarIn::UAR, first as u64)], 16), status::OK);
        assert_eq!(b.uar(0), first);
    }

    #[test]
    fn domains_come_and_go() {
        let mut b = Bench::new();
        let td = b.create(opcode::ALLOC_TRANSPORT_DOMAIN, 0, 16, &[]);
        let xrcd = b.create(opcode::ALLOC_XRCD, 0, 16, &[]);
        let gone = [
            (opcode::DEALLOC_TRANSPORT_DOMAIN, DeallocTransportDomainIn::TRANSPORT_DOMAIN, td),
            (opcode::DEALLOC_XRCD, DeallocXrcdIn::XRCD, xrcd),
        ];
        for (op, field, n) in gone {
            assert_eq!(b.cmd(op, 0, 16, &[(field, n as u64)], 16), status::OK);
            assert_eq!(b.cmd(op, 0, 16, &[(field, n as u64)], 16), status::BAD_RES);
        }
    }
}
