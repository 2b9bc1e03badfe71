//! Memory keys, signature values, and what other functions may use.

use super::{Check, Command, Done, Entry, demand, entry, refuse};
use crate::device::Chip;
use crate::device::objects::{general, kind};
use prm::{
    AllowOtherVhcaAccessIn, CmdHcaCap, CmdHcaCap2, CreateMkeyIn, CreateMkeyOut, CreatePsvIn, CreatePsvOut,
    DestroyMkeyIn, DestroyPsvIn, Field, Mkc, QueryMkeyIn, QueryMkeyOut, opcode, status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::CREATE_MKEY, CreateMkeyIn::SIZE, CreateMkeyOut::SIZE, create),
    entry(
        opcode::QUERY_MKEY,
        QueryMkeyIn::SIZE,
        QueryMkeyOut::MEMORY_KEY_MKEY_ENTRY.off / 8 + Mkc::SIZE,
        query,
    ),
    entry(opcode::DESTROY_MKEY, DestroyMkeyIn::SIZE, 16, destroy),
    entry(opcode::CREATE_PSV, CreatePsvIn::SIZE, CreatePsvOut::SIZE, create_psv),
    entry(opcode::DESTROY_PSV, DestroyPsvIn::SIZE, 16, destroy_psv),
    entry(opcode::ALLOW_OTHER_VHCA_ACCESS, AllowOtherVhcaAccessIn::SIZE, 16, allow_other),
];

/// Numbers below belong to the keys that exist from the start.
const FIRST_KEY: u32 = 0x10;

/// How a key's addresses are translated.
pub(in crate::device) mod access_mode {
    pub const PA: u64 = 0;
    pub const MTT: u64 = 1;
    pub const KLM: u64 = 2;
    pub const KSM: u64 = 3;
    pub const SW_ICM: u64 = 4;
    pub const MEMIC: u64 = 5;
}

fn create(chip: &mut Chip, c: &mut Command) -> Done {
    let ctx = CreateMkeyIn::MEMORY_KEY_MKEY_ENTRY;
    let get = |f: Field| f.within(ctx).get(c.input);
    let mode = get(Mkc::ACCESS_MODE_1_0) | get(Mkc::ACCESS_MODE_4_2) << 2;
    let modes = [
        access_mode::PA,
        access_mode::MTT,
        access_mode::KLM,
        access_mode::KSM,
        access_mode::SW_ICM,
        access_mode::MEMIC,
    ];
    demand(modes.contains(&mode), status::BAD_PARAM, Check::Field)?;
    // a free key gets its domain when it is made valid by a work request
    if get(Mkc::FREE) == 0 {
        chip.objs.usable((kind::PD, get(Mkc::PD) as u32), c.uid, Check::Pd)?;
    }
    let log_len = chip.caps.general(CmdHcaCap::LOG_MAX_MRW_SZ);
    let fits = get(Mkc::LENGTH64) != 0 || get(Mkc::LEN) <= 1u64.checked_shl(log_len).unwrap_or(u64::MAX);
    demand(fits, status::EXCEED_LIM, Check::Size)?;
    if get(Mkc::BSF_EN) != 0 {
        demand(get(Mkc::BSF_OCTWORD_SIZE) != 0, status::BAD_PARAM, Check::Field)?;
    }
    let room = get(Mkc::TRANSLATIONS_OCTWORD_SIZE);
    let given = CreateMkeyIn::TRANSLATIONS_OCTWORD_ACTUAL_SIZE.get(c.input);
    demand(given <= room, status::BAD_PARAM, Check::Size)?;
    let mut input = c.input.to_vec();
    let mut uses = vec![];
    if CreateMkeyIn::MKEY_UMEM_VALID.is_set(c.input) {
        // the translation lies in user memory: fetch it as if the command carried it
        let id = CreateMkeyIn::MKEY_UMEM_ID.get32(c.input);
        let offset = CreateMkeyIn::MKEY_UMEM_OFFSET.get(c.input);
        let bytes = given * 16;
        let place = crate::device::objects::Place::Umem { id, offset };
        uses.extend(chip.check_buffer(c, place, bytes)?);
        input.truncate(CreateMkeyIn::SIZE);
        for entry in (0..bytes).step_by(8) {
            let mut word = [0; 8];
            let addr = chip.umem_addr(id, offset + entry);
            let read = addr.is_some_and(|addr| c.host.read(addr, &mut word).is_ok());
            demand(read, status::BAD_PARAM, Check::Dma)?;
            input.extend_from_slice(&word);
        }
    } else {
        c.bytes(CreateMkeyIn::SIZE, given as usize * 16)?;
    }
    let log_max = chip.caps.general(CmdHcaCap::LOG_MAX_MKEY).min(24);
    let n = chip.objs.number(kind::MKEY, FIRST_KEY..1 << log_max)?;
    chip.objs.insert((kind::MKEY, n), c.uid, &input[..CreateMkeyIn::SIZE], uses);
    chip.mkey_create(n, &input);
    CreateMkeyOut::MKEY_INDEX.set(c.out, n as u64);
    Ok(())
}

/// The context as it is now: work requests change it behind the command's back.
fn query(chip: &mut Chip, c: &mut Command) -> Done {
    let n = QueryMkeyIn::MKEY_INDEX.get32(c.input);
    chip.objs.owned((kind::MKEY, n), c.uid)?;
    if let Some(key) = chip.dp.mkeys.get(&n) {
        c.answer(QueryMkeyOut::MEMORY_KEY_MKEY_ENTRY.byte(), &key.mkc);
    }
    Ok(())
}

fn destroy(chip: &mut Chip, c: &mut Command) -> Done {
    let n = DestroyMkeyIn::MKEY_INDEX.get32(c.input);
    chip.objs.remove((kind::MKEY, n), c.uid)?;
    chip.dp.mkeys.remove(&n);
    Ok(())
}

fn create_psv(chip: &mut Chip, c: &mut Command) -> Done {
    demand(chip.caps.general(CmdHcaCap::SHO) != 0, status::BAD_OP, Check::Capability)?;
    let n = CreatePsvIn::NUM_PSV.get32(c.input);
    demand((1..=4).contains(&n), status::BAD_PARAM, Check::Field)?;
    let pd = (kind::PD, CreatePsvIn::PD.get32(c.input));
    chip.objs.usable(pd, c.uid, Check::Pd)?;
    let fields = [
        CreatePsvOut::PSV0_INDEX,
        CreatePsvOut::PSV1_INDEX,
        CreatePsvOut::PSV2_INDEX,
        CreatePsvOut::PSV3_INDEX,
    ];
    for field in fields.into_iter().take(n as usize) {
        let psv = chip.objs.number(kind::PSV, 1..1 << 20)?;
        chip.objs.insert((kind::PSV, psv), c.uid, c.input, vec![pd]);
        field.set(c.out, psv as u64);
    }
    Ok(())
}

fn destroy_psv(chip: &mut Chip, c: &mut Command) -> Done {
    chip.objs.remove((kind::PSV, DestroyPsvIn::PSVN.get32(c.input)), c.uid)?;
    Ok(())
}

/// The kind behind an object type of the cross-function commands.
fn shareable(object_type: u16) -> u16 {
    match object_type {
        0xff01 => kind::MKEY,
        0xff02 => kind::QP,
        0xff03 => kind::PSV,
        0xff04 => kind::RMP,
        0xff06 => kind::RQ,
        0xff07 => kind::SQ,
        0xff08 => kind::TIR,
        0xff09 => kind::TIS,
        0xff0a => kind::DCT,
        0xff0b => kind::XRQ,
        0xff0e => kind::RQT,
        0xff0f => kind::FLOW_COUNTER,
        0xff10 => kind::CQ,
        0xff15 => kind::FLOW_TABLE,
        t => general(t),
    }
}

fn allow_other(chip: &mut Chip, c: &mut Command) -> Done {
    let offered = chip.caps.general2(CmdHcaCap2::ALLOWED_OBJECT_FOR_OTHER_VHCA_ACCESS) != 0;
    demand(offered, status::BAD_OP, Check::Capability)?;
    let object_type = AllowOtherVhcaAccessIn::OBJECT_TYPE_TO_BE_ACCESSED.get(c.input) as u16;
    let key = (shareable(object_type), AllowOtherVhcaAccessIn::OBJECT_ID_TO_BE_ACCESSED.get32(c.input));
    chip.objs.owned(key, c.uid)?;
    let access_key = AllowOtherVhcaAccessIn::ACCESS_KEY.slice(c.input);
    if access_key.len() != 32 {
        return refuse(status::BAD_INPUT_LEN, Check::InputLength);
    }
    chip.shared.insert(key, access_key.to_vec());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use prm::DeallocPdIn;

    const CTX: Field = CreateMkeyIn::MEMORY_KEY_MKEY_ENTRY;

    fn make(b: &mut Bench, uid: u16, pd: u32, extra: &[(Field, u64)]) -> u8 {
        let base = [
            (Mkc::PD.within(CTX), pd as u64),
            (Mkc::ACCESS_MODE_1_0.within(CTX), access_mode::MTT),
            (Mkc::LEN.within(CTX), 4096),
            (Mkc::TRANSLATIONS_OCTWORD_SIZE.within(CTX), 1),
            (CreateMkeyIn::TRANSLATIONS_OCTWORD_ACTUAL_SIZE, 1),
        ];
        b.cmd(opcode::CREATE_MKEY, uid, CreateMkeyIn::SIZE + 16, &[&base[..], extra].concat(), 16)
    }

    #[test]
    fn a_key_needs_domain_mode_and_translation() {
        let mut b = Bench::new();
        let pd = b.pd(0);
        assert_eq!(make(&mut b, 0, 999, &[]), status::BAD_RES);
        assert_eq!(make(&mut b, 0, 999, &[(Mkc::FREE.within(CTX), 1)]), status::OK);
        assert_eq!(make(&mut b, 0, pd, &[(Mkc::ACCESS_MODE_4_2.within(CTX), 7)]), status::BAD_PARAM);
        let two = (CreateMkeyIn::TRANSLATIONS_OCTWORD_ACTUAL_SIZE, 2);
        assert_eq!(make(&mut b, 0, pd, &[two]), status::BAD_PARAM, "more than its room");
        let room = (Mkc::TRANSLATIONS_OCTWORD_SIZE.within(CTX), 2);
        assert_eq!(make(&mut b, 0, pd, &[two, room]), status::BAD_INPUT_LEN);
        assert_eq!(make(&mut b, 0, pd, &[(Mkc::LEN.within(CTX), u64::MAX)]), status::EXCEED_LIM);
        assert_eq!(make(&mut b, 0, pd, &[(Mkc::BSF_EN.within(CTX), 1)]), status::BAD_PARAM);
        let uid = b.uctx();
        let foreign = b.pd(uid);
        let other = b.uctx();
        assert_eq!(make(&mut b, other, foreign, &[]), status::BAD_RES);
    }

    #[test]
    fn a_domain_with_keys_stays() {
        let mut b = Bench::new();
        let uid = b.uctx();
        let pd = b.pd(uid);
        assert_eq!(make(&mut b, uid, pd, &[]), status::OK);
        let key = CreateMkeyOut::MKEY_INDEX.get(&b.out);
        let dealloc = [(DeallocPdIn::PD, pd as u64)];
        assert_eq!(b.cmd(opcode::DEALLOC_PD, uid, 16, &dealloc, 16), status::RES_BUSY);
        assert_eq!(
            b.cmd(opcode::QUERY_MKEY, uid, 16, &[(QueryMkeyIn::MKEY_INDEX, key)], QueryMkeyOut::SIZE),
            0
        );
        assert_eq!(Mkc::PD.within(QueryMkeyOut::MEMORY_KEY_MKEY_ENTRY).get32(&b.out), pd);
        let destroy = [(DestroyMkeyIn::MKEY_INDEX, key)];
        assert_eq!(b.cmd(opcode::DESTROY_MKEY, uid, 16, &destroy, 16), status::OK);
        assert_eq!(b.cmd(opcode::DESTROY_MKEY, uid, 16, &destroy, 16), status::BAD_RES);
        assert_eq!(b.cmd(opcode::DEALLOC_PD, uid, 16, &dealloc, 16), status::OK);
    }

    #[test]
    fn signature_values_hold_their_domain() {
        let mut b = Bench::new();
        let pd = b.pd(0) as u64;
        let psv = |b: &mut Bench, n: u64, pd: u64| {
            b.cmd(opcode::CREATE_PSV, 0, 16, &[(CreatePsvIn::NUM_PSV, n), (CreatePsvIn::PD, pd)], 32)
        };
        assert_eq!(psv(&mut b, 0, pd), status::BAD_PARAM);
        assert_eq!(psv(&mut b, 5, pd), status::BAD_PARAM);
        assert_eq!(psv(&mut b, 1, 999), status::BAD_RES);
        assert_eq!(psv(&mut b, 2, pd), status::OK);
        let (p0, p1) = (CreatePsvOut::PSV0_INDEX.get(&b.out), CreatePsvOut::PSV1_INDEX.get(&b.out));
        assert_ne!(p0, p1);
        assert_eq!(b.cmd(opcode::DEALLOC_PD, 0, 16, &[(DeallocPdIn::PD, pd)], 16), status::RES_BUSY);
        for p in [p0, p1] {
            assert_eq!(b.cmd(opcode::DESTROY_PSV, 0, 16, &[(DestroyPsvIn::PSVN, p)], 16), status::OK);
        }
        assert_eq!(b.cmd(opcode::DEALLOC_PD, 0, 16, &[(DeallocPdIn::PD, pd)], 16), status::OK);
    }

    #[test]
    fn only_the_owner_shares_an_object() {
        let mut b = Bench::new();
        let uid = b.uctx();
        let pd = b.pd(uid);
        assert_eq!(make(&mut b, uid, pd, &[]), status::OK);
        let key = CreateMkeyOut::MKEY_INDEX.get(&b.out);
        let other = b.uctx();
        let allow = |b: &mut Bench, uid| {
            let f = [
                (AllowOtherVhcaAccessIn::OBJECT_TYPE_TO_BE_ACCESSED, 0xff01),
                (AllowOtherVhcaAccessIn::OBJECT_ID_TO_BE_ACCESSED, key),
            ];
            b.cmd(opcode::ALLOW_OTHER_VHCA_ACCESS, uid, 64, &f, 16)
        };
        assert_eq!(allow(&mut b, other), status::BAD_RES);
        assert_eq!(allow(&mut b, uid), status::OK);
    }
}
