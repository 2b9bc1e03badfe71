//! General objects: one set of commands for many types. What a type demands is said in
//! [`super::general_types`].

use super::general_types::{Type, find};
use super::{Check, Command, Done, Entry, Refusal, demand, entry, refuse};
use crate::device::Chip;
use crate::device::objects::{Key, general};
use prm::{CmdHcaCap, GeneralObjInCmdHdr, GeneralObjOutCmdHdr, opcode, status};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::CREATE_GENERAL_OBJECT, GeneralObjInCmdHdr::SIZE, GeneralObjOutCmdHdr::SIZE, create),
    entry(opcode::MODIFY_GENERAL_OBJECT, GeneralObjInCmdHdr::SIZE, GeneralObjOutCmdHdr::SIZE, modify),
    entry(opcode::QUERY_GENERAL_OBJECT, GeneralObjInCmdHdr::SIZE, GeneralObjOutCmdHdr::SIZE, query),
    entry(opcode::DESTROY_GENERAL_OBJECT, GeneralObjInCmdHdr::SIZE, GeneralObjOutCmdHdr::SIZE, destroy),
];

/// The type that a command names, if the device offers it. Types below 64 have a bit in
/// the capabilities.
fn offered(chip: &Chip, c: &Command) -> Result<&'static Type, Refusal> {
    let number = GeneralObjInCmdHdr::OBJ_TYPE.get(c.input) as u16;
    let bits = chip.caps.general_wide(CmdHcaCap::GENERAL_OBJ_TYPES);
    match find(number) {
        Some(t) if number < 64 && bits >> number & 1 != 0 => Ok(t),
        _ => refuse(status::BAD_PARAM, Check::Object),
    }
}

fn key(t: &Type, c: &Command) -> Key {
    (general(t.number), GeneralObjInCmdHdr::OBJ_ID.get32(c.input))
}

fn create(chip: &mut Chip, c: &mut Command) -> Done {
    let t = offered(chip, c)?;
    demand(c.input.len() >= GeneralObjInCmdHdr::SIZE + t.len, status::BAD_INPUT_LEN, Check::InputLength)?;
    let log_range = GeneralObjInCmdHdr::LOG_OBJ_RANGE.get32(c.input);
    let max_range = (t.log_max_range)(chip);
    demand(log_range <= max_range, status::EXCEED_LIM, Check::Limit)?;
    let uses = (t.check)(chip, c)?;
    let range = (t.range)(chip);
    let n = chip.objs.numbers(general(t.number), range, 1 << log_range)?;
    chip.objs.insert_range((general(t.number), n), c.uid, c.input, uses, 1 << log_range);
    (t.created)(chip, n);
    GeneralObjOutCmdHdr::OBJ_ID.set(c.out, n as u64);
    Ok(())
}

/// Change the fields that the object's `modify_field_select` names, which is the first word
/// of every type that can be modified.
fn modify(chip: &mut Chip, c: &mut Command) -> Done {
    let t = offered(chip, c)?;
    demand(!t.modifiable.is_empty(), status::BAD_PARAM, Check::Feature)?;
    demand(c.input.len() >= GeneralObjInCmdHdr::SIZE + t.len, status::BAD_INPUT_LEN, Check::InputLength)?;
    let select = prm::bits::be64(c.input, GeneralObjInCmdHdr::SIZE);
    let known = t.modifiable.iter().fold(0, |all, (bit, _)| all | bit);
    demand(select & !known == 0, status::BAD_PARAM, Check::Field)?;
    let o = chip.objs.owned_mut(key(t, c), c.uid)?;
    for (_, f) in t.modifiable.iter().filter(|(bit, _)| select & bit != 0) {
        f.at(GeneralObjInCmdHdr::BITS).copy(c.input, &mut o.input);
    }
    Ok(())
}

fn query(chip: &mut Chip, c: &mut Command) -> Done {
    let t = offered(chip, c)?;
    let (kind, n) = key(t, c);
    // a number inside a block names the block
    let Some(key) = chip.objs.covering(kind, n) else {
        return refuse(status::BAD_RES, Check::Handle);
    };
    chip.objs.owned(key, c.uid)?;
    c.room(GeneralObjOutCmdHdr::SIZE + t.len)?;
    let o = chip.objs.owned(key, c.uid)?;
    let mut body = o.input[GeneralObjInCmdHdr::SIZE..GeneralObjInCmdHdr::SIZE + t.len].to_vec();
    for f in t.secret {
        f.slice_mut(&mut body).fill(0);
    }
    GeneralObjOutCmdHdr::OBJ_ID.set(c.out, n as u64);
    c.answer(GeneralObjOutCmdHdr::SIZE, &body);
    Ok(())
}

fn destroy(chip: &mut Chip, c: &mut Command) -> Done {
    let t = offered(chip, c)?;
    chip.objs.remove(key(t, c), c.uid)?;
    Ok(())
}
