//! The chip: a software ConnectX that knows commands, contexts, queues and memory access,
//! and nothing of who drives it.
//!
//! Whoever carries it (a uverbs face or a PCI face) implements [`Host`] and calls
//! [`Chip::execute`] for device commands, [`Chip::uar_write`] for stores into UAR pages and
//! [`Chip::progress`] as long as it says that work is left.

mod bar;
mod caps;
mod checksum;
mod command;
mod eq;
mod host;
mod memory;
mod objects;
mod queues;
mod steering;

pub use command::{Fault, RAISE_EVENT};
pub use host::{DmaFault, Host};
pub use memory::DeviceMemory;

use command::Life;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

/// First UAR page number that ALLOC_UAR hands out: below it lie the pages of the
/// initialization segment and the MSI-X tables (a UAR's number is its page in BAR 0).
pub const FIRST_UAR: u32 = 16;
/// UAR page numbers end here: the device memory's part of the BAR follows.
pub const UAR_END: u32 = (MEMIC_BAR.start >> 12) as u32;
/// Device memory's part of BAR 0, in bytes from its start.
pub const MEMIC_BAR: Range<u64> = 24 << 20..25 << 20;
/// The part of BAR 0 where stores act as atomic operations on device memory.
pub const MEMIC_OPS_BAR: Range<u64> = 25 << 20..26 << 20;
/// The doorbells of virtio queues in BAR 0, one page each.
pub const VAR_BAR: Range<u64> = 31 << 20..32 << 20;
/// Windows of software-managed steering memory in the device's address space: steering,
/// header modification, patterns, indirect encapsulation.
pub const SW_ICM: [Range<u64>; 4] = [
    0x1_0000_0000..0x1_0400_0000,
    0x1_1000_0000..0x1_1100_0000,
    0x1_2000_0000..0x1_2100_0000,
    0x1_3000_0000..0x1_3040_0000,
];

/// What a port speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortType {
    /// InfiniBand.
    InfiniBand,
    /// Ethernet, with RoCE.
    Ethernet,
}

/// How a chip is made.
#[derive(Clone, Debug)]
pub struct Config {
    /// What the ports speak.
    pub port_type: PortType,
    /// Number of ports, 1 or 2.
    pub ports: u8,
    /// Fields of capability pages to set differently: page, bit offset, width, value.
    pub caps: Vec<(u16, usize, usize, u64)>,
    /// The vendor's unique id that QUERY_VUID answers.
    pub vuid: String,
    /// Whether the device offers data direct.
    pub data_direct: bool,
    /// Node GUID; ports get the numbers that follow.
    pub guid: u64,
    /// MAC address of the first port, in the low 48 bits.
    pub mac: u64,
    /// Pages of memory that the device asks its driver for at boot and at initialization.
    pub pages: (u32, u32),
    /// Whether the simulator's own command that raises events is there.
    pub event_hook: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            port_type: PortType::InfiniBand,
            ports: 1,
            caps: Vec::new(),
            vuid: "MT2099X00001SIMCX7S0D0F0".into(),
            data_direct: true,
            guid: 0x0200_00ff_fe00_c0c7,
            mac: 0x0200_00ff_c0c7,
            pages: (0, 0),
            event_hook: true,
        }
    }
}

/// Status of a command: the first byte of its output, and the syndrome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// 0 is success; other values as the PRM numbers them.
    pub status: u8,
    /// What exactly was refused.
    pub syndrome: u32,
}

/// Hears a line at a time.
type Logger = Box<dyn FnMut(&str) + Send>;

/// A software ConnectX.
///
/// The tables that commands and data path share: [`objects::Objects`] holds what exists,
/// who owns it and who uses it (see there), each object with its creating command, kept
/// current; `dp` and `steer` hold the running state of queues, keys and flow tables under
/// the same numbers. A command handler checks and enters the object first and then calls
/// the data path: `mkey_create`, `cq_create`, `cq_resize`, `qp_create`, `qp_moved`,
/// `sq_create`, `rq_create`, `srq_create`, `srq_armed`, `srq_destroy`, `queue_moved`,
/// `ft_command`.
pub struct Chip {
    config: Config,
    caps: caps::Caps,
    life: Life,
    issi: u16,
    pages: command::Pages,
    faults: command::Faults,
    logger: Option<Logger>,
    memory: Option<DeviceMemory>,
    t0: Instant,
    eqs: BTreeMap<u32, eq::Eq>,
    objs: objects::Objects,
    /// Extensions of queue pair contexts, by number.
    qp_ext: BTreeMap<u32, Vec<u8>>,
    /// Objects that other functions may use, with the key that lets them.
    shared: BTreeMap<objects::Key, Vec<u8>>,
    ports: command::Ports,
    /// What was written to registers, by number and port.
    registers: BTreeMap<(u16, u32), Vec<u8>>,
    /// Numbers of flow table entries, by table and index.
    flow_entries: BTreeMap<(u32, u32), u32>,
    /// Members of multicast groups: group and queue pair.
    mcg: Vec<([u8; 16], u32)>,
    /// Source addresses by index: address, RoCE version, is it IPv4.
    roce_addr: BTreeMap<u16, ([u8; 16], u8, bool)>,
    dp: queues::Dp,
    steer: steering::Steer,
    /// Where tests hold the clock.
    #[cfg(test)]
    clock_held: Option<u64>,
}

impl Chip {
    /// A chip after reset.
    pub fn new(config: Config) -> Chip {
        Chip {
            caps: caps::Caps::new(&config),
            life: Life::Disabled,
            issi: 0,
            pages: command::Pages::new(config.pages.0, config.pages.1),
            faults: command::Faults::default(),
            logger: None,
            memory: DeviceMemory::new().ok(),
            t0: Instant::now(),
            eqs: BTreeMap::new(),
            objs: objects::Objects::default(),
            qp_ext: BTreeMap::new(),
            shared: BTreeMap::new(),
            ports: command::Ports::new(config.guid, config.mac),
            registers: BTreeMap::new(),
            flow_entries: BTreeMap::new(),
            mcg: Vec::new(),
            roce_addr: BTreeMap::new(),
            dp: queues::Dp::default(),
            steer: steering::Steer::default(),
            #[cfg(test)]
            clock_held: None,
            config,
        }
    }

    /// What the chip was made from.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// GUID of a port, which counts from 1.
    pub fn port_guid(&self, port: u32) -> u64 {
        self.config.guid.wrapping_add(port.saturating_sub(1) as u64)
    }

    /// Hear of refused commands and lost events, a line each.
    pub fn set_log(&mut self, log: impl FnMut(&str) + Send + 'static) {
        self.logger = Some(Box::new(log));
    }

    /// Memory on the device that programs map; `None` if the system gave none.
    pub fn device_memory(&mut self) -> Option<&mut DeviceMemory> {
        self.memory.as_mut()
    }

    /// What a user context owns: kind (opcode of the creating command) and number.
    pub fn objects_of(&self, uid: u16) -> Vec<(u16, u32)> {
        self.objs.of_uid(uid).collect()
    }

    /// Everything that commands made goes: teardown and function reset.
    fn drop_everything(&mut self) {
        self.eqs.clear();
        self.objs = objects::Objects::default();
        self.qp_ext.clear();
        self.shared.clear();
        self.ports = command::Ports::new(self.config.guid, self.config.mac);
        self.registers.clear();
        self.flow_entries.clear();
        self.mcg.clear();
        self.roce_addr.clear();
        self.dp = queues::Dp::default();
        self.steer = steering::Steer::default();
    }

    /// The free-running core clock, in nanoseconds since the chip was made.
    pub fn clock(&self) -> u64 {
        #[cfg(test)]
        if let Some(held) = self.clock_held {
            return held;
        }
        self.t0.elapsed().as_nanos() as u64
    }

    /// A store of 4, 8 or 64 bytes into UAR page `uar` at `offset`: 0x20 CQ arm,
    /// 0x40/0x48 EQ consumer index with and without arming, 0x800 and up send doorbells.
    pub fn uar_write(&mut self, host: &dyn Host, uar: u32, offset: u32, data: &[u8]) {
        match (offset, data.len()) {
            (0x40, 4) => self.eq_doorbell(host, uar, prm::bits::be32(data, 0), true),
            (0x48, 4) => self.eq_doorbell(host, uar, prm::bits::be32(data, 0), false),
            _ => self.queue_doorbell(host, uar, offset, data),
        }
    }

    /// Let queues make progress. True if more is to do.
    pub fn progress(&mut self, host: &dyn Host) -> bool {
        self.tick(host)
    }
}
