//! The types of general objects: length, ranges, checks, what may change and what is kept
//! secret.

use super::sched::MODIFIABLE as SCHED_MODIFIABLE;
use super::{Check, Command, Refusal, demand, refuse};
use crate::device::objects::{Key, general, kind};
use crate::device::{Chip, SW_ICM};
use prm::{
    AvQpMapping, CmdHcaCap, CmdHcaCap2, CreateAvQpMappingIn, CreateCryptoLoginObjIn, CreateDefinerIn,
    CreateEncryptionKeyObjIn, CreateFlowMeterIn, CreateFlowSamplerIn, CreateModifyHeaderArgIn,
    CreateSchedElemIn, CreateSwIcmIn, CryptoCaps, CryptoLoginObj, Definer, EncryptionKeyObj, Field,
    FlowMeter, FlowSampler, GeneralObjInCmdHdr, ModifyHeaderArg, QosCap, ReservedQpn, SchedContext,
    SchedElem, SwIcm, object, status,
};

/// Objects that a new one refers to, or why it is refused.
type Checked = Result<Vec<Key>, Refusal>;

/// What a type of general object demands.
pub(super) struct Type {
    pub number: u16,
    /// Bytes behind the command's head.
    pub len: usize,
    /// Largest `log_obj_range`.
    pub log_max_range: fn(&Chip) -> u32,
    /// Numbers that objects of the type may have.
    pub range: fn(&Chip) -> std::ops::Range<u32>,
    /// Checks a creating command, and says what the object refers to.
    pub check: fn(&Chip, &Command) -> Checked,
    /// Runs after the object was entered.
    pub created: fn(&mut Chip, u32),
    /// Bits of `modify_field_select` and the fields behind them.
    pub modifiable: &'static [(u64, Field)],
    /// Fields that a query does not show.
    pub secret: &'static [Field],
}

const PLAIN: Type = Type {
    number: 0,
    len: 0,
    log_max_range: |_| 0,
    range: |_| 1..1 << 24,
    check: |_, _| Ok(vec![]),
    created: |_, _| {},
    modifiable: &[],
    secret: &[],
};

/// Objects of an asynchronous steering operation have a protection domain here.
const ASO_ACCESS_PD: Field = Field::new(0x88, 24);
const ASO_LEN: usize = 64;

const TYPES: &[Type] = &[
    Type { number: object::SW_ICM, len: SwIcm::SIZE, check: sw_icm, ..PLAIN },
    Type {
        number: object::FLOW_METER,
        len: FlowMeter::SIZE,
        check: flow_meter,
        modifiable: &[(0x1, FlowMeter::ACTIVE), (0x4, FlowMeter::FLOW_METER_PARAMS)],
        ..PLAIN
    },
    Type { number: object::GENEVE_TLV_OPT, len: 64, ..PLAIN },
    Type {
        number: object::DEK,
        len: EncryptionKeyObj::SIZE,
        range: |chip| 1..1 << chip.caps.crypto(CryptoCaps::LOG_MAX_NUM_DEKS).clamp(1, 24),
        check: dek,
        modifiable: &[(0x1, EncryptionKeyObj::KEY)],
        secret: &[EncryptionKeyObj::KEY],
        ..PLAIN
    },
    Type { number: object::VIRTIO_NET_Q, len: 0x400 / 8, check: not_offered, ..PLAIN },
    Type { number: object::MATCH_DEFINER, len: Definer::SIZE, check: definer, ..PLAIN },
    Type {
        number: object::CRYPTO_LOGIN,
        len: CryptoLoginObj::SIZE,
        check: crypto_login,
        secret: &[CryptoLoginObj::CREDENTIAL],
        ..PLAIN
    },
    Type { number: object::FLOW_SAMPLER, len: FlowSampler::SIZE, check: flow_sampler, ..PLAIN },
    Type {
        number: object::HEADER_MODIFY_ARGUMENT,
        len: ModifyHeaderArg::SIZE,
        log_max_range: |chip| chip.caps.general(CmdHcaCap::LOG_HEADER_MODIFY_ARGUMENT_MAX_ALLOC),
        check: header_modify_argument,
        ..PLAIN
    },
    Type { number: object::ASO_FLOW_METER, len: ASO_LEN, log_max_range: |_| 15, check: aso, ..PLAIN },
    Type { number: object::ASO_FIRST_HIT, len: ASO_LEN, log_max_range: |_| 15, check: aso, ..PLAIN },
    Type {
        number: object::SCHEDULING_ELEMENT,
        len: SchedElem::SIZE,
        check: scheduling,
        modifiable: &[
            (SCHED_MODIFIABLE[0].0, SchedContext::BW_SHARE.within(SchedElem::SCHED_CONTEXT)),
            (SCHED_MODIFIABLE[1].0, SchedContext::MAX_AVERAGE_BW.within(SchedElem::SCHED_CONTEXT)),
        ],
        ..PLAIN
    },
    Type {
        number: object::RESERVED_QPN,
        len: ReservedQpn::SIZE,
        log_max_range: |chip| chip.caps.general2(CmdHcaCap2::LOG_RESERVED_QPN_GRANULARITY),
        range: |chip| super::basic::limited(chip, CmdHcaCap::LOG_MAX_QP, 0x40),
        check: reserved_qpn,
        ..PLAIN
    },
    Type { number: object::ASO_CT, len: ASO_LEN, log_max_range: |_| 15, check: aso, ..PLAIN },
    Type { number: object::AV_QP_MAPPING, len: AvQpMapping::SIZE, check: av_qp_mapping, ..PLAIN },
];

/// What the chip knows of a type.
pub(super) fn find(number: u16) -> Option<&'static Type> {
    TYPES.iter().find(|t| t.number == number)
}

/// The capability exists for the driver's sake; the objects are another device's business.
fn not_offered(_: &Chip, _: &Command) -> Checked {
    refuse(status::BAD_OP, Check::Feature)
}

fn pd(chip: &Chip, c: &Command, n: u32) -> Result<Key, Refusal> {
    chip.objs.usable((kind::PD, n), c.uid, Check::Pd).map(|_| (kind::PD, n))
}

fn flow_table(chip: &Chip, c: &Command, n: u32) -> Result<Key, Refusal> {
    chip.objs.usable((kind::FLOW_TABLE, n), c.uid, Check::Table).map(|_| (kind::FLOW_TABLE, n))
}

/// Software chooses the address; it must lie in one of the windows and be free.
fn sw_icm(chip: &Chip, c: &Command) -> Checked {
    let at = CreateSwIcmIn::SW_ICM;
    let start = SwIcm::SW_ICM_START_ADDR.within(at).get(c.input);
    let log_size = SwIcm::LOG_SW_ICM_SIZE.within(at).get32(c.input);
    let granule = chip.caps.device_memory(prm::DeviceMemCap::LOG_SW_ICM_ALLOC_GRANULARITY);
    demand(log_size >= granule && log_size < 40, status::BAD_PARAM, Check::Size)?;
    let end = start.saturating_add(1 << log_size);
    let inside = SW_ICM.iter().any(|w| w.start <= start && end <= w.end);
    demand(inside && start.is_multiple_of(1 << granule), status::BAD_PARAM, Check::Index)?;
    let overlaps = chip.objs.of_kind(general(object::SW_ICM)).any(|(_, o)| {
        let s = SwIcm::SW_ICM_START_ADDR.within(at).get(&o.input);
        let e = s + (1 << SwIcm::LOG_SW_ICM_SIZE.within(at).get32(&o.input));
        s < end && start < e
    });
    demand(!overlaps, status::BAD_RES_STATE, Check::Overlap)?;
    Ok(vec![])
}

fn flow_meter(chip: &Chip, c: &Command) -> Checked {
    let get = |f: Field| f.within(CreateFlowMeterIn::METER).get32(c.input);
    match get(FlowMeter::DESTINATION_TABLE_ID) {
        0 => Ok(vec![]),
        n => flow_table(chip, c, n).map(|k| vec![k]),
    }
}

fn dek(chip: &Chip, c: &Command) -> Checked {
    demand(chip.caps.general(CmdHcaCap::CRYPTO) != 0, status::BAD_OP, Check::Capability)?;
    let get = |f: Field| f.within(CreateEncryptionKeyObjIn::KEY_OBJ).get32(c.input);
    // 128 or 256 bits
    demand(get(EncryptionKeyObj::KEY_SIZE) <= 1, status::BAD_PARAM, Check::Field)?;
    // TLS, IPsec, AES-XTS, MACsec, GCM, PSP
    demand((1..=6).contains(&get(EncryptionKeyObj::KEY_PURPOSE)), status::BAD_PARAM, Check::Field)?;
    Ok(vec![pd(chip, c, get(EncryptionKeyObj::PD))?])
}

fn definer(chip: &Chip, c: &Command) -> Checked {
    let format = Definer::FORMAT_ID.within(CreateDefinerIn::DEFINER).get32(c.input);
    let offered = chip.caps.general_wide(CmdHcaCap::MATCH_DEFINER_FORMAT_SUPPORTED);
    demand(format < 64 && offered >> format & 1 != 0, status::BAD_PARAM, Check::Capability)?;
    Ok(vec![])
}

fn crypto_login(chip: &Chip, c: &Command) -> Checked {
    demand(chip.caps.crypto(CryptoCaps::WRAPPED_CRYPTO_OPERATIONAL) != 0, status::BAD_OP, Check::Capability)?;
    let get = |f: Field| f.within(CreateCryptoLoginObjIn::LOGIN_OBJ).get32(c.input);
    let credentials = 1 << chip.caps.crypto(CryptoCaps::LOG_MAX_NUM_CREDS);
    let keks = 1 << chip.caps.crypto(CryptoCaps::LOG_MAX_NUM_IMPORT_KEKS);
    demand(get(CryptoLoginObj::CREDENTIAL_POINTER) < credentials, status::BAD_INDEX, Check::Index)?;
    demand(get(CryptoLoginObj::SESSION_IMPORT_KEK_PTR) < keks, status::BAD_INDEX, Check::Index)?;
    Ok(vec![])
}

fn flow_sampler(chip: &Chip, c: &Command) -> Checked {
    let get = |f: Field| f.within(CreateFlowSamplerIn::SAMPLER).get32(c.input);
    demand(get(FlowSampler::SAMPLE_RATIO) != 0, status::BAD_PARAM, Check::Field)?;
    let mut uses = vec![flow_table(chip, c, get(FlowSampler::SAMPLE_TABLE_ID))?];
    if get(FlowSampler::DEFAULT_TABLE_ID) != 0 {
        uses.push(flow_table(chip, c, get(FlowSampler::DEFAULT_TABLE_ID))?);
    }
    Ok(uses)
}

fn header_modify_argument(chip: &Chip, c: &Command) -> Checked {
    let n = ModifyHeaderArg::ACCESS_PD.within(CreateModifyHeaderArgIn::ARG).get32(c.input);
    Ok(vec![pd(chip, c, n)?])
}

fn aso(chip: &Chip, c: &Command) -> Checked {
    Ok(vec![pd(chip, c, ASO_ACCESS_PD.at(GeneralObjInCmdHdr::BITS).get32(c.input))?])
}

fn scheduling(chip: &Chip, c: &Command) -> Checked {
    demand(chip.caps.qos(QosCap::NIC_SQ_SCHEDULING) != 0, status::BAD_OP, Check::Capability)?;
    let at = CreateSchedElemIn::SCHED_ELEM;
    demand(SchedElem::SCHEDULING_HIERARCHY.within(at).get(c.input) == 3, status::BAD_PARAM, Check::Field)?;
    chip.check_scheduling(c.input, SchedElem::SCHED_CONTEXT.within(at), c.uid)
}

/// A block has exactly the size that the capability names.
fn reserved_qpn(chip: &Chip, c: &Command) -> Checked {
    let log = GeneralObjInCmdHdr::LOG_OBJ_RANGE.get32(c.input);
    let granule = chip.caps.general2(CmdHcaCap2::LOG_RESERVED_QPN_GRANULARITY);
    demand(log == granule, status::BAD_PARAM, Check::Size)?;
    Ok(vec![])
}

/// The number is the peer's, whose queue pair another user or another device may own.
fn av_qp_mapping(_: &Chip, c: &Command) -> Checked {
    let n = AvQpMapping::QPN.within(CreateAvQpMappingIn::MAPPING).get32(c.input);
    demand(n != 0, status::BAD_PARAM, Check::Field)?;
    Ok(vec![])
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use prm::{GeneralObjOutCmdHdr, opcode};

    const TYPE: Field = GeneralObjInCmdHdr::OBJ_TYPE;
    const ID: Field = GeneralObjInCmdHdr::OBJ_ID;

    fn create(b: &mut Bench, uid: u16, ty: u16, len: usize, f: &[(Field, u64)]) -> (u8, u64) {
        let all = [&[(TYPE, ty as u64)], f].concat();
        let s = b.cmd(opcode::CREATE_GENERAL_OBJECT, uid, 16 + len, &all, 16);
        (s, GeneralObjOutCmdHdr::OBJ_ID.get(&b.out))
    }

    fn on(b: &mut Bench, op: u16, uid: u16, ty: u16, id: u64, outlen: usize) -> u8 {
        b.cmd(op, uid, 16, &[(TYPE, ty as u64), (ID, id)], outlen)
    }

    #[test]
    fn unknown_types_and_short_bodies_are_refused() {
        let mut b = Bench::new();
        assert_eq!(create(&mut b, 0, 0x3f, 256, &[]).0, status::BAD_PARAM);
        assert_eq!(create(&mut b, 0, 0xff00, 256, &[]).0, status::BAD_PARAM);
        assert_eq!(create(&mut b, 0, object::DEK, 64, &[]).0, status::BAD_INPUT_LEN);
    }

    #[test]
    fn a_key_is_kept_secret_and_holds_its_domain() {
        let mut b = Bench::new();
        let uid = b.uctx();
        let pd = b.pd(uid) as u64;
        let at = CreateEncryptionKeyObjIn::KEY_OBJ;
        let f = |pd: u64, purpose: u64| {
            [
                (EncryptionKeyObj::PD.within(at), pd),
                (EncryptionKeyObj::KEY_PURPOSE.within(at), purpose),
                (EncryptionKeyObj::OPAQUE.within(at), 0x1122),
                (Field::new(EncryptionKeyObj::KEY.within(at).off, 32), 0x5555),
            ]
        };
        assert_eq!(create(&mut b, uid, object::DEK, 256, &f(99, 3)).0, status::BAD_RES);
        assert_eq!(create(&mut b, uid, object::DEK, 256, &f(pd, 0)).0, status::BAD_PARAM);
        let (s, id) = create(&mut b, uid, object::DEK, 256, &f(pd, 3));
        assert_eq!(s, status::OK);
        let free = [(prm::DeallocPdIn::PD, pd)];
        assert_eq!(b.cmd(opcode::DEALLOC_PD, uid, 16, &free, 16), status::RES_BUSY);
        assert_eq!(
            on(&mut b, opcode::QUERY_GENERAL_OBJECT, uid, object::DEK, id, 64),
            status::BAD_OUTPUT_LEN
        );
        assert_eq!(on(&mut b, opcode::QUERY_GENERAL_OBJECT, uid, object::DEK, id, 272), status::OK);
        assert_eq!(EncryptionKeyObj::OPAQUE.within(at).get(&b.out), 0x1122);
        assert_eq!(Field::new(EncryptionKeyObj::KEY.within(at).off, 32).get(&b.out), 0);
        let other = b.uctx();
        assert_eq!(on(&mut b, opcode::DESTROY_GENERAL_OBJECT, other, object::DEK, id, 16), status::BAD_RES);
        assert_eq!(on(&mut b, opcode::DESTROY_GENERAL_OBJECT, uid, object::DEK, id, 16), status::OK);
        assert_eq!(on(&mut b, opcode::QUERY_GENERAL_OBJECT, uid, object::DEK, id, 272), status::BAD_RES);
        assert_eq!(b.cmd(opcode::DEALLOC_PD, uid, 16, &free, 16), status::OK);
    }

    #[test]
    fn modify_changes_what_the_select_word_names() {
        let mut b = Bench::new();
        let (s, id) = create(&mut b, 0, object::FLOW_METER, FlowMeter::SIZE, &[]);
        assert_eq!(s, status::OK);
        let at = CreateFlowMeterIn::METER;
        let modify = |b: &mut Bench, select: u64| {
            let f = [
                (TYPE, object::FLOW_METER as u64),
                (ID, id),
                (FlowMeter::MODIFY_FIELD_SELECT.within(at), select),
                (FlowMeter::ACTIVE.within(at), 1),
                (FlowMeter::RETURN_REG_ID.within(at), 5),
            ];
            b.cmd(opcode::MODIFY_GENERAL_OBJECT, 0, 16 + FlowMeter::SIZE, &f, 16)
        };
        assert_eq!(modify(&mut b, 0x8000), status::BAD_PARAM);
        assert_eq!(modify(&mut b, 1), status::OK);
        assert_eq!(
            on(&mut b, opcode::QUERY_GENERAL_OBJECT, 0, object::FLOW_METER, id, 16 + FlowMeter::SIZE),
            0
        );
        assert_eq!(FlowMeter::ACTIVE.within(at).get(&b.out), 1);
        assert_eq!(FlowMeter::RETURN_REG_ID.within(at).get(&b.out), 0, "not selectable");
        let (s, id) = create(&mut b, 0, object::MATCH_DEFINER, Definer::SIZE, &[]);
        assert_eq!(s, status::OK, "{:#x}", b.syndrome());
        assert_eq!(
            on(&mut b, opcode::MODIFY_GENERAL_OBJECT, 0, object::MATCH_DEFINER, id, 16),
            status::BAD_PARAM
        );
    }

    #[test]
    fn ranges_are_aligned_and_limited() {
        let mut b = Bench::new();
        let pd = b.pd(0) as u64;
        let range = GeneralObjInCmdHdr::LOG_OBJ_RANGE;
        let access = ModifyHeaderArg::ACCESS_PD.within(CreateModifyHeaderArgIn::ARG);
        let ty = object::HEADER_MODIFY_ARGUMENT;
        assert_eq!(
            create(&mut b, 0, ty, ModifyHeaderArg::SIZE, &[(range, 31), (access, pd)]).0,
            status::EXCEED_LIM
        );
        let (s, first) = create(&mut b, 0, ty, ModifyHeaderArg::SIZE, &[(range, 4), (access, pd)]);
        assert_eq!((s, first % 16), (status::OK, 0));
        let (s, next) = create(&mut b, 0, ty, ModifyHeaderArg::SIZE, &[(range, 4), (access, pd)]);
        assert_eq!((s, next), (status::OK, first + 16));
        let len = 16 + ModifyHeaderArg::SIZE;
        assert_eq!(on(&mut b, opcode::QUERY_GENERAL_OBJECT, 0, ty, first + 7, len), status::OK);
        assert_eq!(on(&mut b, opcode::DESTROY_GENERAL_OBJECT, 0, ty, first + 7, 16), status::BAD_RES);
        assert_eq!(on(&mut b, opcode::DESTROY_GENERAL_OBJECT, 0, ty, first, 16), status::OK);
    }

    #[test]
    fn steering_memory_does_not_overlap() {
        let mut b = Bench::new();
        let at = CreateSwIcmIn::SW_ICM;
        let make = |b: &mut Bench, start: u64, log: u64| {
            let f = [(SwIcm::SW_ICM_START_ADDR.within(at), start), (SwIcm::LOG_SW_ICM_SIZE.within(at), log)];
            create(b, 0, object::SW_ICM, SwIcm::SIZE, &f).0
        };
        assert_eq!(make(&mut b, SW_ICM[0].start, 5), status::BAD_PARAM);
        assert_eq!(make(&mut b, SW_ICM[0].start - 0x10_0000, 12), status::BAD_PARAM);
        assert_eq!(make(&mut b, SW_ICM[0].start, 16), status::OK);
        assert_eq!(make(&mut b, SW_ICM[0].start + 0x8000, 12), status::BAD_RES_STATE);
        assert_eq!(make(&mut b, SW_ICM[0].start + 0x10000, 12), status::OK);
    }

    #[test]
    fn logins_name_existing_credentials() {
        let mut b = Bench::new();
        let at = CreateCryptoLoginObjIn::LOGIN_OBJ;
        let make = |b: &mut Bench, credential: u64| {
            let f = [(CryptoLoginObj::CREDENTIAL_POINTER.within(at), credential)];
            create(b, 0, object::CRYPTO_LOGIN, CryptoLoginObj::SIZE, &f).0
        };
        assert_eq!(make(&mut b, 1 << 23), status::BAD_INDEX);
        assert_eq!(make(&mut b, 0), status::OK);
    }
}
