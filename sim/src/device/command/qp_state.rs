//! The state machine of queue pairs: which command leads where, and what it sets.

use super::{Check, Command, Done, Entry, demand, entry, refuse};
use crate::device::Chip;
use crate::device::command::qp::service;
use crate::device::objects::kind;
use prm::{Ads, MboxIn, QpcExt};
use prm::{
    CmdHcaCap, Field, Init2initQpIn, Init2rtrQpIn, Qp2errIn, Qpc, Rst2initQpIn, Rtr2rtsQpIn, Rts2rtsQpIn,
    Sqerr2rtsQpIn, opcode, status,
};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::RST2INIT_QP, Rst2initQpIn::SIZE, 16, change),
    entry(opcode::INIT2INIT_QP, Rst2initQpIn::SIZE, 16, change),
    entry(opcode::INIT2RTR_QP, Init2rtrQpIn::SIZE, 16, change),
    entry(opcode::RTR2RTS_QP, Rtr2rtsQpIn::SIZE, 16, change),
    entry(opcode::RTS2RTS_QP, Rtr2rtsQpIn::SIZE, 16, change),
    entry(opcode::SQERR2RTS_QP, Sqerr2rtsQpIn::SIZE, 16, change),
    entry(opcode::SQD_RTS_QP, Sqerr2rtsQpIn::SIZE, 16, change),
    entry(opcode::QP_2ERR, Qp2errIn::SIZE, 16, change),
    entry(opcode::QP_2RST, Qp2errIn::SIZE, 16, change),
];

/// States of a queue pair context.
pub(in crate::device) mod state {
    pub const RST: u8 = 0;
    pub const INIT: u8 = 1;
    pub const RTR: u8 = 2;
    pub const RTS: u8 = 3;
    pub const SQER: u8 = 4;
    pub const SQD: u8 = 5;
    pub const ERR: u8 = 6;
}

/// Bits of `opt_param_mask`, and what they let a command change. The bits of
/// `opt_param_mask_95_32` concern the context's extension.
const OPTIONAL: &[(u32, &[Field])] = &[
    (1, &[Qpc::RRE]),
    (2, &[Qpc::RAE, Qpc::ATOMIC_MODE]),
    (3, &[Qpc::RWE]),
    (4, &[Ads::PKEY_INDEX.within(Qpc::PRIMARY_ADDRESS_PATH)]),
    (5, &[Qpc::Q_KEY]),
    (6, &[Qpc::MIN_RNR_NAK]),
    (7, &[Qpc::PRIMARY_ADDRESS_PATH]),
    (8, &[Qpc::LOG_SRA_MAX]),
    (9, &[Qpc::LOG_RRA_MAX]),
    (10, &[Qpc::PM_STATE]),
    (11, &[Qpc::DRAIN_SIGERR]),
    (12, &[Qpc::RETRY_COUNT]),
    (13, &[Qpc::RNR_RETRY]),
    (14, &[Ads::ACK_TIMEOUT.within(Qpc::PRIMARY_ADDRESS_PATH)]),
    (15, &[Qpc::LAG_TX_PORT_AFFINITY]),
    (16, &[Ads::VHCA_PORT_NUM.within(Qpc::PRIMARY_ADDRESS_PATH)]),
    (18, &[Qpc::SRQN_RMPN_XRQN]),
    (19, &[Qpc::CQN_RCV]),
    (21, &[Qpc::DC_ACCESS_KEY]),
    (25, &[Qpc::COUNTER_SET_ID]),
];
const COUNTER_BIT: u32 = 25;

const TO_INIT: &[Field] = &[
    Qpc::PM_STATE,
    Ads::PKEY_INDEX.within(Qpc::PRIMARY_ADDRESS_PATH),
    Ads::VHCA_PORT_NUM.within(Qpc::PRIMARY_ADDRESS_PATH),
    Qpc::Q_KEY,
    Qpc::COUNTER_SET_ID,
    Qpc::RRE,
    Qpc::RWE,
    Qpc::RAE,
];
const TO_RTR: &[Field] = &[
    Qpc::PRIMARY_ADDRESS_PATH,
    Qpc::MTU,
    Qpc::LOG_MSG_MAX,
    Qpc::REMOTE_QPN,
    Qpc::LOG_RRA_MAX,
    Qpc::MIN_RNR_NAK,
    Qpc::NEXT_RCV_PSN,
];
const TO_RTS: &[Field] = &[
    Ads::ACK_TIMEOUT.within(Qpc::PRIMARY_ADDRESS_PATH),
    Qpc::LOG_ACK_REQ_FREQ,
    Qpc::LOG_SRA_MAX,
    Qpc::RETRY_COUNT,
    Qpc::RNR_RETRY,
    Qpc::NEXT_SEND_PSN,
];

/// A transition: from which state, to which, and the fields that the command must carry.
struct Move {
    from: &'static [u8],
    to: u8,
    sets: &'static [Field],
}

fn transition(op: u16) -> Option<Move> {
    let any = &[state::RST, state::INIT, state::RTR, state::RTS, state::SQER, state::SQD, state::ERR];
    Some(match op {
        opcode::RST2INIT_QP => Move { from: &[state::RST], to: state::INIT, sets: TO_INIT },
        opcode::INIT2INIT_QP => Move { from: &[state::INIT], to: state::INIT, sets: &[] },
        opcode::INIT2RTR_QP => Move { from: &[state::INIT], to: state::RTR, sets: TO_RTR },
        opcode::RTR2RTS_QP => Move { from: &[state::RTR], to: state::RTS, sets: TO_RTS },
        opcode::RTS2RTS_QP => Move { from: &[state::RTS], to: state::RTS, sets: &[] },
        opcode::SQERR2RTS_QP => Move { from: &[state::SQER], to: state::RTS, sets: &[] },
        opcode::SQD_RTS_QP => Move { from: &[state::SQD], to: state::RTS, sets: &[] },
        opcode::QP_2ERR => Move { from: any, to: state::ERR, sets: &[] },
        opcode::QP_2RST => Move { from: any, to: state::RST, sets: &[] },
        _ => return None,
    })
}

/// All transition commands carry mask and context at the same place.
const MASK: Field = Rst2initQpIn::OPT_PARAM_MASK;
const CONTEXT: Field = Rst2initQpIn::QPC;

fn change(chip: &mut Chip, c: &mut Command) -> Done {
    let n = Rst2initQpIn::QPN.get32(c.input);
    chip.objs.owned((kind::QP, n), c.uid)?;
    let Some(step) = transition(c.opcode) else {
        return refuse(status::BAD_OP, Check::Opcode);
    };
    let Some(qp) = chip.dp.qps.get(&n) else {
        return refuse(status::BAD_RES, Check::Handle);
    };
    demand(step.from.contains(&qp.state), status::BAD_QP_STATE, Check::State)?;
    let st = Qpc::ST.get32(&qp.ctx);
    let mut fields = step.sets.to_vec();
    if c.input.len() > MboxIn::SIZE {
        check_values(chip, c, step.to, st)?;
        let mask = MASK.get32(c.input);
        for (bit, set) in OPTIONAL.iter().filter(|(bit, _)| mask >> bit & 1 != 0) {
            if *bit == COUNTER_BIT {
                let counter = Qpc::COUNTER_SET_ID.within(CONTEXT).get32(c.input);
                chip.objs.usable((kind::Q_COUNTER, counter), c.uid, Check::Counter)?;
            }
            fields.extend_from_slice(set);
        }
        extension(chip, c)?;
    }
    let Some(qp) = chip.dp.qps.get_mut(&n) else { return Ok(()) };
    let context = c.input.get(CONTEXT.byte()..).unwrap_or(&[]);
    for f in fields {
        f.copy(context, &mut qp.ctx);
    }
    qp.state = step.to;
    Qpc::STATE.set(&mut qp.ctx, step.to as u64);
    // options of error-corrected equalization come back as they were asked for
    if c.input.len() > MboxIn::SIZE {
        let ece = Rst2initQpIn::ECE.get(c.input);
        prm::Rst2initQpOut::ECE.set(c.out, ece);
    }
    chip.qp_moved(c.host, n);
    Ok(())
}

/// Ranges of what a command sets.
fn check_values(chip: &Chip, c: &Command, to: u8, st: u32) -> Done {
    let get = |f: Field| f.within(CONTEXT).get32(c.input);
    let cap = |f| chip.caps.general(f);
    let path = |f: Field| get(f.within(Qpc::PRIMARY_ADDRESS_PATH));
    let connected = matches!(st, service::RC | service::UC | service::XRC);
    match c.opcode {
        opcode::RST2INIT_QP => {
            let port = path(Ads::VHCA_PORT_NUM);
            let lowest = if connected || st == service::UD { 1 } else { 0 };
            demand((lowest..=chip.config().ports as u32).contains(&port), status::BAD_PARAM, Check::Index)
        }
        opcode::INIT2RTR_QP => {
            let lowest = if connected { 1 } else { 0 };
            demand((lowest..=5).contains(&get(Qpc::MTU)), status::BAD_PARAM, Check::Field)?;
            demand(get(Qpc::LOG_MSG_MAX) <= cap(CmdHcaCap::LOG_MAX_MSG), status::EXCEED_LIM, Check::Limit)?;
            demand(
                get(Qpc::LOG_RRA_MAX) <= cap(CmdHcaCap::LOG_MAX_RA_RES_QP),
                status::EXCEED_LIM,
                Check::Limit,
            )
        }
        opcode::RTR2RTS_QP => demand(
            get(Qpc::LOG_SRA_MAX) <= cap(CmdHcaCap::LOG_MAX_RA_REQ_QP),
            status::EXCEED_LIM,
            Check::Limit,
        ),
        _ => demand(to <= state::ERR, status::BAD_PARAM, Check::State),
    }
}

/// The context's extension: what of it a command may set depends on capabilities.
fn extension(chip: &mut Chip, c: &Command) -> Done {
    if !matches!(c.opcode, opcode::INIT2INIT_QP | opcode::RTS2RTS_QP) || !Rts2rtsQpIn::QPC_EXT.is_set(c.input)
    {
        return Ok(());
    }
    demand(chip.caps.general(CmdHcaCap::QPC_EXTENSION) != 0, status::BAD_PARAM, Check::Capability)?;
    demand(c.input.len() >= Init2initQpIn::SIZE, status::BAD_INPUT_LEN, Check::InputLength)?;
    let mask = Rts2rtsQpIn::OPT_PARAM_MASK_95_32.get(c.input);
    let ext = Rts2rtsQpIn::QPC_DATA_EXT;
    const QUEUE_GROUP: u64 = 0x2;
    const MMO: u64 = 0x8;
    if mask & QUEUE_GROUP != 0 {
        for f in [QpcExt::QOS_QUEUE_GROUP_ID_REQUESTER, QpcExt::QOS_QUEUE_GROUP_ID_RESPONDER] {
            let group = f.within(ext).get32(c.input);
            let key = (crate::device::objects::general(prm::object::SCHEDULING_ELEMENT), group);
            if group != 0 && !chip.objs.contains(&(kind::SCHEDULING, group)) {
                chip.objs.usable(key, c.uid, Check::Object)?;
            }
        }
    }
    if mask & MMO != 0 {
        demand(chip.caps.general(CmdHcaCap::DMA_MMO_QP) != 0, status::BAD_PARAM, Check::Capability)?;
    }
    const STREAM: u64 = 0x1;
    if mask & STREAM != 0 {
        let stream = QpcExt::DCI_STREAM_CHANNEL_ID.within(ext).get(c.input) as u16;
        chip.stream_reset(Rts2rtsQpIn::QPN.get32(c.input), stream);
    }
    let kept = chip.qp_ext.entry(Rts2rtsQpIn::QPN.get32(c.input)).or_insert_with(|| vec![0; QpcExt::SIZE]);
    for (_, f) in EXTENSION.iter().filter(|(bit, _)| mask & bit != 0) {
        f.copy(&c.input[ext.byte()..], kept);
    }
    Ok(())
}

/// Bits of `opt_param_mask_95_32`, and what of the extension they let a command change.
const EXTENSION: &[(u64, Field)] = &[
    (0x1, QpcExt::DCI_STREAM_CHANNEL_ID),
    (0x2, QpcExt::QOS_QUEUE_GROUP_ID_REQUESTER),
    (0x2, QpcExt::QOS_QUEUE_GROUP_ID_RESPONDER),
    (0x8, QpcExt::MMO),
];
