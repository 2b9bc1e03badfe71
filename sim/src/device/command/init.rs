//! The function's life: enabling, initialization, pages, interface level, identity.

use super::{Check, Command, Done, Entry, Life, demand, entry, refuse};
use crate::device::Chip;
use crate::device::host::Host;
use prm::{
    EnableHcaIn, InitHcaIn, ManagePagesIn, ManagePagesOut, MboxIn, QueryAdapterOut, QueryIssiOut,
    QueryPagesOut, QuerySpecialContextsOut, QueryVuidOut, SetDriverVersionIn, SetIssiIn, opcode, status,
};

/// Numbers of the keys that exist from the start, as lkey values.
pub(in crate::device) mod special_key {
    /// The reserved lkey, which also ends a scatter list.
    pub const RESERVED: u32 = 0x100;
    /// Reads zero, swallows what is written.
    pub const NULL: u32 = 0x200;
    /// Swallows what is written, fills with a pattern.
    pub const DUMP_FILL: u32 = 0x300;
    /// Marks a repeated block of an interleaved list.
    pub const REPEATED: u32 = 0x400;
}

/// Interface levels that the device supports, one bit each.
const SUPPORTED_ISSI: u64 = 0b11;
const PSID: &[u8; 16] = b"SIM0000000001\0\0\0";

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::ENABLE_HCA, EnableHcaIn::SIZE, 12, enable),
    entry(opcode::DISABLE_HCA, MboxIn::SIZE, 16, disable),
    entry(opcode::INIT_HCA, InitHcaIn::SIZE, 16, init),
    entry(opcode::TEARDOWN_HCA, MboxIn::SIZE, 16, teardown),
    entry(opcode::QUERY_PAGES, MboxIn::SIZE, QueryPagesOut::SIZE, query_pages),
    entry(opcode::MANAGE_PAGES, ManagePagesIn::SIZE, ManagePagesOut::SIZE, manage_pages),
    entry(opcode::QUERY_ISSI, MboxIn::SIZE, QueryIssiOut::SIZE, query_issi),
    entry(opcode::SET_ISSI, SetIssiIn::SIZE, 16, set_issi),
    entry(opcode::SET_DRIVER_VERSION, SetDriverVersionIn::SIZE, 16, nothing),
    entry(opcode::QUERY_ADAPTER, MboxIn::SIZE, QueryAdapterOut::SIZE, query_adapter),
    entry(opcode::QUERY_SPECIAL_CONTEXTS, MboxIn::SIZE, QuerySpecialContextsOut::SIZE, special_contexts),
    entry(opcode::QUERY_VUID, MboxIn::SIZE, QueryVuidOut::SIZE, query_vuid),
    entry(opcode::NOP, MboxIn::SIZE, 16, nothing),
];

/// Pages of the driver's memory that the device holds, and how many it asks for.
#[derive(Default)]
pub(in crate::device) struct Pages {
    held: Vec<u64>,
    wanted_at_boot: u32,
    wanted_at_init: u32,
}

impl Pages {
    pub fn new(boot: u32, init: u32) -> Pages {
        Pages { held: Vec::new(), wanted_at_boot: boot, wanted_at_init: init }
    }
}

impl Chip {
    /// Bring a chip after reset to life the way a driver does, for a carrier that has no
    /// driver of its own. False if a step was refused (faults can be injected here too).
    pub fn boot(&mut self, host: &dyn Host) -> bool {
        let steps = [(opcode::ENABLE_HCA, 0), (opcode::SET_ISSI, 1), (opcode::INIT_HCA, 0)];
        steps.into_iter().all(|(op, issi)| {
            let mut input = [0u8; 16];
            MboxIn::OPCODE.set(&mut input, op as u64);
            if op == opcode::SET_ISSI {
                SetIssiIn::CURRENT_ISSI.set(&mut input, issi);
            }
            self.execute(host, &input, &mut [0u8; 16]).status == status::OK
        })
    }
}

fn nothing(_: &mut Chip, _: &mut Command) -> Done {
    Ok(())
}

fn enable(chip: &mut Chip, _: &mut Command) -> Done {
    demand(chip.life == Life::Disabled, status::BAD_SYS_STATE, Check::SystemState)?;
    chip.life = Life::Enabled;
    Ok(())
}

fn disable(chip: &mut Chip, _: &mut Command) -> Done {
    chip.drop_everything();
    chip.life = Life::Disabled;
    Ok(())
}

fn init(chip: &mut Chip, _: &mut Command) -> Done {
    demand(chip.life == Life::Enabled, status::BAD_SYS_STATE, Check::SystemState)?;
    chip.life = Life::Running;
    Ok(())
}

/// Tear the function down; what is still there goes with it.
fn teardown(chip: &mut Chip, _: &mut Command) -> Done {
    chip.drop_everything();
    chip.life = Life::Enabled;
    Ok(())
}

fn query_pages(chip: &mut Chip, c: &mut Command) -> Done {
    let n = match c.op_mod {
        1 => chip.pages.wanted_at_boot,
        2 => chip.pages.wanted_at_init,
        3 => 0,
        _ => return refuse(status::BAD_PARAM, Check::OpMod),
    };
    QueryPagesOut::NUM_PAGES.set(c.out, n as u64);
    Ok(())
}

fn manage_pages(chip: &mut Chip, c: &mut Command) -> Done {
    let n = ManagePagesIn::INPUT_NUM_ENTRIES.get(c.input) as usize;
    match c.op_mod {
        // the driver has none to give
        0 => Ok(()),
        // the driver gives pages
        1 => {
            let list = c.bytes(ManagePagesIn::SIZE, n.saturating_mul(8))?;
            let pages: Vec<u64> = list.chunks_exact(8).map(|p| prm::bits::be64(p, 0)).collect();
            let fresh = pages.iter().all(|p| p & 0xfff == 0 && !chip.pages.held.contains(p));
            demand(fresh, status::BAD_PARAM, Check::Field)?;
            chip.pages.held.extend(pages);
            Ok(())
        }
        // the driver takes pages back
        2 => {
            let room = (c.out.len() - ManagePagesOut::SIZE) / 8;
            let n = n.min(room).min(chip.pages.held.len());
            let rest = chip.pages.held.len() - n;
            let back: Vec<u8> = chip.pages.held.drain(rest..).flat_map(u64::to_be_bytes).collect();
            ManagePagesOut::OUTPUT_NUM_ENTRIES.set(c.out, n as u64);
            c.answer(ManagePagesOut::SIZE, &back);
            Ok(())
        }
        _ => refuse(status::BAD_PARAM, Check::OpMod),
    }
}

fn query_issi(chip: &mut Chip, c: &mut Command) -> Done {
    QueryIssiOut::CURRENT_ISSI.set(c.out, chip.issi as u64);
    QueryIssiOut::SUPPORTED_ISSI_DW0.set(c.out, SUPPORTED_ISSI);
    Ok(())
}

fn set_issi(chip: &mut Chip, c: &mut Command) -> Done {
    let issi = SetIssiIn::CURRENT_ISSI.get(c.input) as u16;
    demand(issi < 64 && SUPPORTED_ISSI >> issi & 1 != 0, status::BAD_PARAM, Check::Field)?;
    chip.issi = issi;
    Ok(())
}

fn query_adapter(_: &mut Chip, c: &mut Command) -> Done {
    QueryAdapterOut::IEEE_VENDOR_ID.set(c.out, 0x0002c9);
    QueryAdapterOut::VSD_VENDOR_ID.set(c.out, 0x15b3);
    QueryAdapterOut::VSD_CONTD_PSID.slice_mut(c.out).copy_from_slice(PSID);
    Ok(())
}

fn special_contexts(_: &mut Chip, c: &mut Command) -> Done {
    QuerySpecialContextsOut::DUMP_FILL_MKEY.set(c.out, special_key::DUMP_FILL as u64);
    QuerySpecialContextsOut::RESD_LKEY.set(c.out, special_key::RESERVED as u64);
    QuerySpecialContextsOut::NULL_MKEY.set(c.out, special_key::NULL as u64);
    QuerySpecialContextsOut::TERMINATE_SCATTER_LIST_MKEY.set(c.out, special_key::RESERVED as u64);
    QuerySpecialContextsOut::REPEATED_MKEY.set(c.out, special_key::REPEATED as u64);
    Ok(())
}

fn query_vuid(chip: &mut Chip, c: &mut Command) -> Done {
    let vuid = chip.config().vuid.clone();
    c.room(QueryVuidOut::SIZE + vuid.len())?;
    QueryVuidOut::NUM_OF_ENTRIES.set(c.out, 1);
    c.answer(QueryVuidOut::SIZE, vuid.as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, command};
    use super::*;
    use crate::device::{Chip, Config};

    #[test]
    fn unknown_opcodes_and_short_mailboxes_are_refused() {
        let mut b = Bench::new();
        assert_eq!(b.cmd(0x7ff, 0, 16, &[], 16), status::BAD_OP);
        assert_eq!(b.cmd(opcode::ALLOC_PD, 0, 12, &[], 16), status::BAD_INPUT_LEN);
        assert_eq!(b.cmd(opcode::ALLOC_PD, 0, 16, &[], 8), status::BAD_OUTPUT_LEN);
        assert_eq!(b.cmd(opcode::QUERY_ADAPTER, 0, 16, &[], 16), status::BAD_OUTPUT_LEN);
        assert_eq!(b.syndrome(), (opcode::QUERY_ADAPTER as u32) << 8 | Check::OutputLength as u32);
        assert_eq!(b.cmd(opcode::ALLOC_PD, 77, 16, &[], 16), status::BAD_RES, "no such user");
    }

    #[test]
    fn nothing_is_made_before_init() {
        let b = Bench::new();
        let mut chip = Chip::new(Config::default());
        let mut out = [0; 16];
        let mut run = |op| chip.execute(&b.host, &command(op, 0, 16, &[]), &mut out).status;
        assert_eq!(run(opcode::INIT_HCA), status::BAD_SYS_STATE);
        assert_eq!(run(opcode::ALLOC_PD), status::BAD_SYS_STATE);
        assert_eq!(run(opcode::ENABLE_HCA), status::OK);
        assert_eq!(run(opcode::ENABLE_HCA), status::BAD_SYS_STATE);
        assert_eq!(run(opcode::ALLOC_PD), status::BAD_SYS_STATE);
        assert_eq!(run(opcode::INIT_HCA), status::OK);
        assert_eq!(run(opcode::ALLOC_PD), status::OK);
        assert_eq!(run(opcode::TEARDOWN_HCA), status::OK);
        assert_eq!(run(opcode::ALLOC_PD), status::BAD_SYS_STATE);
    }

    #[test]
    fn pages_go_and_come_back() {
        let mut b = Bench::with(Config { pages: (2, 3), ..Config::default() });
        let query = |b: &mut Bench, op_mod| {
            assert_eq!(b.cmd(opcode::QUERY_PAGES, 0, 16, &[(MboxIn::OP_MOD, op_mod)], 16), 0);
            QueryPagesOut::NUM_PAGES.get(&b.out)
        };
        assert_eq!((query(&mut b, 1), query(&mut b, 2), query(&mut b, 3)), (2, 3, 0));
        let pas = |n: usize| prm::Field::new(128 + 64 * n, 64);
        let give =
            [(MboxIn::OP_MOD, 1), (ManagePagesIn::INPUT_NUM_ENTRIES, 2), (pas(0), 0x1000), (pas(1), 0x2000)];
        assert_eq!(b.cmd(opcode::MANAGE_PAGES, 0, 24, &give, 16), status::BAD_INPUT_LEN);
        assert_eq!(b.cmd(opcode::MANAGE_PAGES, 0, 32, &give, 16), status::OK);
        assert_eq!(b.cmd(opcode::MANAGE_PAGES, 0, 32, &give, 16), status::BAD_PARAM, "given twice");
        let take = [(MboxIn::OP_MOD, 2), (ManagePagesIn::INPUT_NUM_ENTRIES, 9)];
        assert_eq!(b.cmd(opcode::MANAGE_PAGES, 0, 16, &take, 16 + 72), status::OK);
        assert_eq!(ManagePagesOut::OUTPUT_NUM_ENTRIES.get(&b.out), 2);
        assert_eq!((pas(0).get(&b.out), pas(1).get(&b.out)), (0x1000, 0x2000));
    }

    #[test]
    fn the_interface_level_is_one_of_the_supported() {
        let mut b = Bench::new();
        assert_eq!(b.cmd(opcode::SET_ISSI, 0, 16, &[(SetIssiIn::CURRENT_ISSI, 7)], 16), status::BAD_PARAM);
        assert_eq!(b.cmd(opcode::QUERY_ISSI, 0, 16, &[], QueryIssiOut::SIZE), status::OK);
        assert_eq!(QueryIssiOut::CURRENT_ISSI.get(&b.out), 1);
    }

    #[test]
    fn the_vuid_is_the_configured_one() {
        let mut b = Bench::new();
        assert_eq!(b.cmd(opcode::QUERY_VUID, 0, 16, &[], QueryVuidOut::SIZE), status::BAD_OUTPUT_LEN);
        assert_eq!(b.cmd(opcode::QUERY_VUID, 0, 16, &[], QueryVuidOut::SIZE + 128), status::OK);
        let vuid = b.chip.config().vuid.clone();
        assert_eq!(&b.out[QueryVuidOut::SIZE..QueryVuidOut::SIZE + vuid.len()], vuid.as_bytes());
    }
}
