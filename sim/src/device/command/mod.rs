//! Device commands: which exist, what they demand, and how they refuse.
//!
//! A command is looked up by opcode, its lengths and its user are checked, and its handler
//! runs. A refusal carries the PRM's status and the check that refused; the syndrome that
//! the caller sees is `opcode << 8 | check`.

mod basic;
mod cap;
mod counter;
mod cq;
mod dct;
mod eq;
mod flow;
mod flow_action;
mod general;
mod general_types;
mod init;
mod inject;
mod memory;
mod mkey;
mod qp;
mod qp_state;
mod register;
mod rx_tx;
mod sched;
mod srq;
mod vport;
mod wq;

#[cfg(test)]
pub(super) mod testing;

pub use eq::RAISE_EVENT;
pub(super) use init::{Pages, special_key};
pub use inject::Fault;
pub(super) use inject::Faults;
pub(super) use memory::PAGE;
pub(super) use mkey::access_mode;
pub(super) use qp::service;
pub(super) use qp_state::state;
pub(super) use vport::Ports;
pub(super) use wq::state as queue_state;

use super::host::Host;
use super::objects::kind;
use super::{Chip, Status};
use prm::{MboxIn, MboxOut, opcode, status};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What refused a command: the low byte of its syndrome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Check {
    Opcode = 1,
    InputLength,
    OutputLength,
    OpMod,
    SystemState,
    Uid,
    Handle,
    Owner,
    InUse,
    Exhausted,
    Limit,
    State,
    Field,
    Size,
    Index,
    Pd,
    Cq,
    Eq,
    Uar,
    Umem,
    Srq,
    Rq,
    Rqt,
    Tir,
    Tis,
    TransportDomain,
    Xrcd,
    Counter,
    Mkey,
    Table,
    Object,
    Dma,
    Capability,
    Feature,
    Overlap,
    Injected,
}

/// A command is refused.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refusal {
    /// The PRM's status.
    pub status: u8,
    /// What refused.
    pub check: Check,
    /// A syndrome that stands for itself (injected faults).
    pub syndrome: Option<u32>,
}

/// Refuse with a status for a reason.
pub(super) fn refuse<T>(status: u8, check: Check) -> Result<T, Refusal> {
    Err(Refusal { status, check, syndrome: None })
}

/// Refuse with a status for a reason unless `condition` holds.
pub(super) fn demand(condition: bool, status: u8, check: Check) -> Result<(), Refusal> {
    if condition { Ok(()) } else { refuse(status, check) }
}

/// Result of a handler.
pub(super) type Done = Result<(), Refusal>;

/// One command on its way.
pub(super) struct Command<'a> {
    pub host: &'a dyn Host,
    pub opcode: u16,
    pub op_mod: u16,
    pub uid: u16,
    pub input: &'a [u8],
    /// The output, zeroed, head included.
    pub out: &'a mut [u8],
}

impl Command<'_> {
    /// The input's bytes in `from..from + len`, or a bad input length.
    pub fn bytes(&self, from: usize, len: usize) -> Result<&[u8], Refusal> {
        match from.checked_add(len).and_then(|end| self.input.get(from..end)) {
            Some(b) => Ok(b),
            None => refuse(status::BAD_INPUT_LEN, Check::InputLength),
        }
    }

    /// Demand room for `len` bytes of output.
    pub fn room(&self, len: usize) -> Done {
        demand(self.out.len() >= len, status::BAD_OUTPUT_LEN, Check::OutputLength)
    }

    /// Copy bytes to the output at `at`, as far as both reach.
    pub fn answer(&mut self, at: usize, data: &[u8]) {
        if let Some(to) = self.out.get_mut(at..) {
            let n = to.len().min(data.len());
            to[..n].copy_from_slice(&data[..n]);
        }
    }
}

/// One command that the chip knows.
pub(super) struct Entry {
    pub opcode: u16,
    /// Smallest input and output in bytes.
    pub min_in: usize,
    pub min_out: usize,
    pub handler: fn(&mut Chip, &mut Command) -> Done,
}

pub(super) const fn entry(
    opcode: u16,
    min_in: usize,
    min_out: usize,
    handler: fn(&mut Chip, &mut Command) -> Done,
) -> Entry {
    Entry { opcode, min_in, min_out, handler }
}

static TABLE: LazyLock<BTreeMap<u16, &'static Entry>> = LazyLock::new(|| {
    [
        basic::COMMANDS,
        cap::COMMANDS,
        counter::COMMANDS,
        cq::COMMANDS,
        dct::COMMANDS,
        eq::COMMANDS,
        flow::COMMANDS,
        flow_action::COMMANDS,
        general::COMMANDS,
        init::COMMANDS,
        memory::COMMANDS,
        mkey::COMMANDS,
        qp::COMMANDS,
        qp_state::COMMANDS,
        register::COMMANDS,
        rx_tx::COMMANDS,
        sched::COMMANDS,
        srq::COMMANDS,
        vport::COMMANDS,
        wq::COMMANDS,
    ]
    .into_iter()
    .flatten()
    .map(|e| (e.opcode, e))
    .collect()
});

/// How far the function has come up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Life {
    /// After reset.
    Disabled,
    /// ENABLE_HCA done.
    Enabled,
    /// INIT_HCA done.
    Running,
}

/// The life that a command needs: queries and the start-up sequence run before INIT_HCA.
fn needs(op: u16) -> Life {
    match op {
        opcode::ENABLE_HCA | opcode::NOP | opcode::DISABLE_HCA => Life::Disabled,
        0x100..=0x1ff | opcode::ACCESS_REG | opcode::QUERY_VUID => Life::Enabled,
        _ => Life::Running,
    }
}

impl Chip {
    /// One device command: `input` is the whole input mailbox, `out` the whole output
    /// mailbox, whose first byte becomes the status and whose second word the syndrome.
    pub fn execute(&mut self, host: &dyn Host, input: &[u8], out: &mut [u8]) -> Status {
        out.fill(0);
        let op = MboxIn::OPCODE.get(input) as u16;
        let mut c = Command {
            host,
            opcode: op,
            op_mod: MboxIn::OP_MOD.get(input) as u16,
            uid: MboxIn::UID.get(input) as u16,
            input,
            out,
        };
        let done = self.run(&mut c);
        let Err(refusal) = done else {
            MboxOut::STATUS.set(c.out, status::OK as u64);
            return Status { status: status::OK, syndrome: 0 };
        };
        let syndrome = refusal.syndrome.unwrap_or((op as u32) << 8 | refusal.check as u32);
        let uid = c.uid;
        out.fill(0);
        MboxOut::STATUS.set(out, refusal.status as u64);
        MboxOut::SYNDROME.set(out, syndrome as u64);
        self.log(|| {
            format!(
                "{} ({op:#05x}) of user {uid} refused: {} ({:#x}), syndrome {syndrome:#x} ({:?}), {} bytes in, {} out",
                opcode::name(op).unwrap_or("unknown command"),
                status::name(refusal.status).unwrap_or("?"),
                refusal.status,
                refusal.check,
                input.len(),
                out.len(),
            )
        });
        Status { status: refusal.status, syndrome }
    }

    fn run(&mut self, c: &mut Command) -> Done {
        let Some(entry) = TABLE.get(&c.opcode) else {
            return refuse(status::BAD_OP, Check::Opcode);
        };
        if let Some(fault) = self.faults.hit(c.opcode) {
            return Err(fault);
        }
        demand(c.input.len() >= entry.min_in, status::BAD_INPUT_LEN, Check::InputLength)?;
        c.room(entry.min_out)?;
        demand(self.life >= needs(c.opcode), status::BAD_SYS_STATE, Check::SystemState)?;
        let known = c.uid == 0
            || c.uid == super::objects::SHARED_UID
            || self.objs.contains(&(kind::UCTX, c.uid as u32));
        demand(known, status::BAD_RES, Check::Uid)?;
        (entry.handler)(self, c)
    }

    /// Hand a line to the log, if there is one.
    pub(super) fn log(&mut self, line: impl FnOnce() -> String) {
        if let Some(log) = &mut self.logger {
            log(&line());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::Bench;
    use super::*;

    /// Opcodes that have a name and that this device does not offer: page faults, e-switch,
    /// bonds, monitors, congestion settings, wake-up, management datagrams by command.
    const NOT_OFFERED: &[u16] = &[
        opcode::PAGE_FAULT_RESUME,
        opcode::GEN_EQE,
        opcode::MAD_IFC,
        opcode::ARM_DCT_FOR_KEY_VIOLATION,
        opcode::QUERY_ESW_FUNCTIONS,
        opcode::QUERY_ESW_VPORT_CONTEXT,
        opcode::MODIFY_ESW_VPORT_CONTEXT,
        opcode::SET_MONITOR_COUNTER,
        opcode::ARM_MONITOR_COUNTER,
        opcode::CONFIG_INT_MODERATION,
        opcode::GET_DROPPED_PACKET_LOG,
        opcode::QUERY_MAD_DEMUX,
        opcode::SET_MAD_DEMUX,
        opcode::MODIFY_CONG_STATUS,
        opcode::MODIFY_CONG_PARAMS,
        opcode::SET_WOL_ROL,
        opcode::QUERY_WOL_ROL,
        opcode::CREATE_LAG,
        opcode::MODIFY_LAG,
        opcode::DESTROY_LAG,
        opcode::CREATE_VPORT_LAG,
        opcode::DESTROY_VPORT_LAG,
        opcode::SET_DELAY_DROP_PARAMS,
        opcode::QUERY_DELAY_DROP_PARAMS,
        opcode::SYNC_CRYPTO,
    ];

    #[test]
    fn every_named_opcode_is_offered_or_refused_on_purpose() {
        let mut b = Bench::new();
        for op in opcode::ALL {
            let offered = TABLE.contains_key(op);
            assert_ne!(offered, NOT_OFFERED.contains(op), "{:?}", opcode::name(*op));
            if !offered {
                assert_eq!(b.cmd(*op, 0, 16, &[], 16), status::BAD_OP);
            }
        }
    }

    /// Numbers that look like nothing, from a seed.
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }
    }

    #[test]
    fn no_command_brings_the_device_down() {
        let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
        let mut b = Bench::new();
        let (mut good, mut bad) = (0, 0);
        for round in 0..20_000u32 {
            let ops: Vec<u16> = TABLE.keys().copied().collect();
            let op = ops[noise.next() as usize % ops.len()];
            if matches!(op, opcode::TEARDOWN_HCA | opcode::DISABLE_HCA | opcode::SET_HCA_CAP) {
                continue;
            }
            let len = TABLE[&op].min_in + (noise.next() % 48) as usize;
            let mut input = vec![0u8; len];
            // mostly zeros and small numbers, so that some commands get through
            for _ in 0..noise.next() % 24 {
                let at = noise.next() as usize % len;
                input[at] = match noise.next() % 4 {
                    0 => noise.next() as u8,
                    1 => 0xff,
                    _ => (noise.next() % 8) as u8,
                };
            }
            MboxIn::OPCODE.set(&mut input, op as u64);
            MboxIn::UID.set(&mut input, 0);
            let room = TABLE[&op].min_out + (noise.next() % 64) as usize;
            let cut = if round % 16 == 0 { noise.next() as usize % (len + 1) } else { len };
            match b.run(&input[..cut], room).0 {
                status::OK => good += 1,
                _ => bad += 1,
            }
            let word = [(noise.next() % 256) as u8, 0, (noise.next() % 2) as u8, (noise.next() % 256) as u8];
            let data = [word, word].concat();
            let (uar, place) =
                (16 + noise.next() as u32 % 8, [0x20, 0x40, 0x48, 0x800, 0x900][round as usize % 5]);
            b.chip.uar_write(
                &b.host,
                uar,
                place,
                &data[..if place == 0x40 || place == 0x48 { 4 } else { 8 }],
            );
            b.chip.progress(&b.host);
        }
        assert!(good > 500 && bad > 500, "{good} commands done, {bad} refused");
    }
}
