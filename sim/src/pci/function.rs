//! One PCI function: configuration space, BAR 0 and the guest it is plugged into.

use super::config_space::{self, ConfigSpace};
use super::guest::GuestView;
use super::registers::Registers;
use crate::device::{Config, Fault};

/// PCI device numbers: a ConnectX-7, and the companion through which its data-direct
/// traffic goes.
const CONNECTX_7: u16 = 0x1021;
const DATA_DIRECT: u16 = 0x2100;

/// Size of BAR 0 in bytes.
const BAR_CARD: u64 = 32 << 20;
const BAR_DATA_DIRECT: u64 = 1 << 20;

/// What a function is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A card with a chip made from this configuration.
    Card(Config),
    /// The data-direct companion of the card with this vendor's unique id: configuration
    /// space and VPD only.
    DataDirect(String),
}

/// A PCI function.
pub struct Function {
    kind: Kind,
    config: ConfigSpace,
    registers: Option<Registers>,
    /// The guest's memory and interrupts.
    pub guest: GuestView,
}

impl Function {
    /// A function after power-on.
    pub fn new(kind: Kind) -> Function {
        Function { config: space(&kind), registers: registers(&kind), guest: GuestView::default(), kind }
    }

    /// Size of BAR 0.
    pub fn bar_size(&self) -> u64 {
        match self.kind {
            Kind::Card(_) => BAR_CARD,
            Kind::DataDirect(_) => BAR_DATA_DIRECT,
        }
    }

    /// Whether the function has MSI-X vectors.
    pub fn has_msix(&self) -> bool {
        self.registers.is_some()
    }

    /// Reset: a new chip, configuration space as after power-on. Guest memory and vectors,
    /// which are the machine's and not the function's, stay.
    pub fn reset(&mut self) {
        self.config = space(&self.kind);
        self.registers = registers(&self.kind);
        self.guest.set_bus_master(false);
    }

    /// Unplug: reset, and forget the guest.
    pub fn unplug(&mut self) {
        self.reset();
        self.guest = GuestView::default();
    }

    /// Read configuration space.
    pub fn config_read(&self, offset: u64, buf: &mut [u8]) {
        self.config.read(offset, buf);
    }

    /// Write configuration space.
    pub fn config_write(&mut self, offset: u64, data: &[u8]) {
        if self.config.write(offset, data) {
            self.reset();
        }
        self.guest.set_bus_master(self.config.bus_master());
    }

    /// Read BAR 0.
    pub fn bar_read(&mut self, offset: u64, buf: &mut [u8]) {
        match &mut self.registers {
            Some(r) => r.read(offset, buf),
            None => buf.fill(0),
        }
    }

    /// Write BAR 0.
    pub fn bar_write(&mut self, offset: u64, data: &[u8]) {
        if let Some(r) = &mut self.registers {
            r.write(&self.guest, offset, data);
        }
    }

    /// Make the chip raise an event.
    pub fn raise(&mut self, event_type: u8, subtype: u8, data: &[u8]) {
        if let Some(r) = &mut self.registers {
            r.chip().raise(&self.guest, event_type, subtype, data);
        }
    }

    /// Make a command fail later.
    pub fn inject(&mut self, fault: Fault) {
        if let Some(r) = &mut self.registers {
            r.chip().inject(fault);
        }
    }

    /// Forget the faults that still wait for their command.
    pub fn clear_faults(&mut self) {
        if let Some(r) = &mut self.registers {
            r.chip().clear_faults();
        }
    }

    /// Let the chip's queues make progress. True if more is to do, now or later without
    /// being told.
    pub fn progress(&mut self) -> bool {
        self.registers.as_mut().is_some_and(|r| r.chip().progress(&self.guest) || r.chip().waits())
    }
}

fn space(kind: &Kind) -> ConfigSpace {
    match kind {
        Kind::Card(c) => ConfigSpace::new(
            CONNECTX_7,
            config_space::vital_product_data("Software ConnectX-7", &c.vuid),
            true,
        ),
        Kind::DataDirect(vuid) => ConfigSpace::new(
            DATA_DIRECT,
            config_space::vital_product_data("Software data direct", vuid),
            false,
        ),
    }
}

fn registers(kind: &Kind) -> Option<Registers> {
    match kind {
        Kind::Card(config) => Some(Registers::new(config.clone())),
        Kind::DataDirect(_) => None,
    }
}
