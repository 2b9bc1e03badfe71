//! Capability pages: query and set.

use super::{Check, Command, Done, Entry, demand, entry, refuse};
use crate::device::Chip;
use prm::{QueryHcaCapIn, QueryHcaCapOut, SetHcaCapIn, opcode, status};

pub(super) const COMMANDS: &[Entry] =
    &[entry(opcode::QUERY_HCA_CAP, QueryHcaCapIn::SIZE, 16, query), entry(opcode::SET_HCA_CAP, 16, 16, set)];

/// The operation modifier is the page's number and whether the current values are meant.
fn query(chip: &mut Chip, c: &mut Command) -> Done {
    demand(!QueryHcaCapIn::OTHER_FUNCTION.is_set(c.input), status::BAD_PARAM, Check::Capability)?;
    let Some(page) = chip.caps.page(c.op_mod >> 1, c.op_mod & 1 != 0) else {
        return refuse(status::BAD_PARAM, Check::OpMod);
    };
    let at = QueryHcaCapOut::CAPABILITY.byte();
    c.room(at + page.len())?;
    c.answer(at, page);
    Ok(())
}

/// The driver puts a page in force. Values are taken as they are: a driver that sets more
/// than the maximum gets what it asked for where nothing else depends on it.
fn set(chip: &mut Chip, c: &mut Command) -> Done {
    let page = c.input.get(SetHcaCapIn::CAPABILITY.byte()..).unwrap_or(&[]).to_vec();
    demand(!page.is_empty(), status::BAD_INPUT_LEN, Check::InputLength)?;
    demand(chip.caps.set_page(c.op_mod >> 1, &page), status::BAD_PARAM, Check::OpMod)
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use prm::{CmdHcaCap, MboxIn};

    fn query(b: &mut Bench, op_mod: u64, len: usize) -> u8 {
        b.cmd(opcode::QUERY_HCA_CAP, 0, 16, &[(MboxIn::OP_MOD, op_mod)], len)
    }

    #[test]
    fn the_driver_sets_the_current_page_only() {
        let mut b = Bench::new();
        let cap = CmdHcaCap::LOG_MAX_QP.within(QueryHcaCapOut::CAPABILITY);
        assert_eq!(query(&mut b, 0, 16 + 4096), status::OK);
        let max = cap.get(&b.out);
        assert!(max > 4);
        let mut cmd = b.out[..16 + 256].to_vec();
        cap.set(&mut cmd, 4);
        cmd[..16].fill(0);
        MboxIn::OPCODE.set(&mut cmd, opcode::SET_HCA_CAP as u64);
        assert_eq!(b.run(&cmd, 16).0, status::OK);
        assert_eq!(query(&mut b, 1, 16 + 4096), status::OK);
        assert_eq!(cap.get(&b.out), 4);
        assert_eq!(query(&mut b, 0, 16 + 4096), status::OK);
        assert_eq!(cap.get(&b.out), max);
    }

    #[test]
    fn pages_need_room_and_exist() {
        let mut b = Bench::new();
        assert_eq!(query(&mut b, 0x7e, 16 + 4096), status::BAD_PARAM);
        assert_eq!(query(&mut b, 0, 100), status::BAD_OUTPUT_LEN);
        assert_eq!(query(&mut b, 7 << 1, 16 + 256), status::BAD_OUTPUT_LEN, "flow tables are long");
        assert_eq!(query(&mut b, 7 << 1, 16 + 4096), status::OK);
    }
}
