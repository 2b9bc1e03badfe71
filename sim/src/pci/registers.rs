//! BAR 0: initialization segment, command queue and UAR pages around a chip.

use super::command_queue::{Entry, Slot};
use crate::device::{Chip, Config, FIRST_UAR, Host};
use prm::bits::{be32, get};

const CMDQ_LOG_SIZE: u32 = 5;
const CMDQ_LOG_STRIDE: u32 = 6;
/// Event type of a completed command.
const EVENT_CMD: u8 = 0x0a;

/// The registers of one function.
pub struct Registers {
    config: Config,
    chip: Chip,
    cmdq: u64,
    nic_ifc: u32,
    health: u32,
}

impl Registers {
    /// Registers after reset, around a new chip.
    pub fn new(config: Config) -> Registers {
        Registers { chip: Chip::new(config.clone()), config, cmdq: 0, nic_ifc: 0, health: 0 }
    }

    /// Function-level reset.
    pub fn reset(&mut self) {
        *self = Registers::new(self.config.clone());
    }

    /// The chip behind the registers.
    pub fn chip(&mut self) -> &mut Chip {
        &mut self.chip
    }

    /// A read of BAR 0.
    pub fn read(&mut self, offset: u64, buf: &mut [u8]) {
        if offset >= (FIRST_UAR as u64) << 12 {
            if !self.chip.bar_read(offset, buf) {
                buf.fill(0);
            }
            return;
        }
        let mut word = offset & !3;
        let mut bytes = self.segment(word).to_be_bytes();
        for (k, b) in buf.iter_mut().enumerate() {
            let at = offset + k as u64;
            if at & !3 != word {
                word = at & !3;
                bytes = self.segment(word).to_be_bytes();
            }
            *b = bytes[(at & 3) as usize];
        }
    }

    /// A store into BAR 0.
    pub fn write(&mut self, host: &dyn Host, offset: u64, data: &[u8]) {
        if offset >= (FIRST_UAR as u64) << 12 {
            self.chip.bar_write(host, offset, data);
            return;
        }
        if data.len() != 4 {
            return;
        }
        let v = be32(data, 0);
        match offset {
            0x10 => self.cmdq = (self.cmdq & 0xffff_ffff) | (v as u64) << 32,
            0x14 => {
                self.cmdq = (self.cmdq & !0xffff_ffff) | (v & 0xffff_f000) as u64;
                self.nic_ifc = v >> 8 & 3;
            }
            0x18 => {
                for slot in 0..32 {
                    if v >> slot & 1 != 0 {
                        self.command(host, slot);
                    }
                }
            }
            _ => {}
        }
    }

    /// A word of the initialization segment.
    fn segment(&mut self, offset: u64) -> u32 {
        match offset {
            0x00 => 28 | 43 << 16,  // firmware minor, major
            0x04 => 5 << 16 | 1000, // command interface revision, firmware subminor
            0x10 => (self.cmdq >> 32) as u32,
            0x14 => {
                (self.cmdq as u32 & 0xffff_f000) | self.nic_ifc << 8 | CMDQ_LOG_SIZE << 4 | CMDQ_LOG_STRIDE
            }
            0x1fc => 0, // initializing: done
            0x1000 => (self.chip.clock() >> 32) as u32,
            0x1004 => self.chip.clock() as u32,
            0x1010 => {
                // the driver takes a counter that stands still for a dead device
                self.health = self.health.wrapping_add(1);
                self.health & 0xff_ffff
            }
            _ => 0,
        }
    }

    fn command(&mut self, host: &dyn Host, slot: u32) {
        let at = self.cmdq.wrapping_add((slot as u64) << CMDQ_LOG_STRIDE);
        let Ok(slot_at) = Slot::read(host, at) else { return };
        // The command that makes the command event queue is itself polled for: an event
        // for it would name a slot the driver has already given back.
        let told = self.chip.event_wanted(EVENT_CMD);
        let delivered = match slot_at.entry.input(host) {
            Ok(input) => {
                let out = self.execute(host, &input, &slot_at.entry);
                slot_at.entry.output(host, &out).map(|()| out)
            }
            Err(refused) => Err(refused),
        };
        if let Err(why) = &delivered {
            eprintln!("command slot {slot} not delivered: {why:?}");
        }
        slot_at.finish(host, delivered);
        if told {
            self.chip.raise(host, EVENT_CMD, 0, &(1u32 << slot).to_be_bytes());
        }
    }

    fn execute(&mut self, host: &dyn Host, input: &[u8], entry: &Entry) -> Vec<u8> {
        let mut out = vec![0u8; entry.output_len()];
        let status = self.chip.execute(host, input, &mut out);
        if status.status != 0 {
            eprintln!(
                "command {:#05x} modifier {:#x} user {} refused: status {:#x} syndrome {:#x}",
                get(input, 0, 16),
                get(input, 0x30, 16),
                get(input, 0x10, 16),
                status.status,
                status.syndrome
            );
        }
        out
    }
}
