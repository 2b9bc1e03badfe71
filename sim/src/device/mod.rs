//! The chip: a software ConnectX that knows commands, contexts, queues and memory access,
//! and nothing of who drives it.
//!
//! Whoever carries it (a uverbs face or a PCI face) implements [`Host`] and calls
//! [`Chip::execute`] for device commands, [`Chip::uar_write`] for stores into UAR pages and
//! [`Chip::progress`] as long as it says that work is left.

mod caps;
mod command;
mod eq;
mod host;
mod objects;
mod queues;
mod steering;

pub use host::{DmaFault, Host};

use std::collections::BTreeMap;
use std::time::Instant;

/// First UAR page number that ALLOC_UAR hands out: below it lie the pages of the
/// initialization segment and the MSI-X tables (a UAR's number is its page in BAR 0).
pub const FIRST_UAR: u32 = 16;

pub(crate) const MAC: u64 = 0x0200_00ff_c0c7;
pub(crate) const GUID: u64 = 0x0200_00ff_fe00_c0c7;

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
}

impl Default for Config {
    fn default() -> Config {
        Config {
            port_type: PortType::InfiniBand,
            ports: 1,
            caps: Vec::new(),
            vuid: "MT2099X00001SIMCX7S0D0F0".into(),
            data_direct: true,
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

/// A software ConnectX.
pub struct Chip {
    config: Config,
    caps: caps::Caps,
    eqs: BTreeMap<u32, eq::Eq>,
    objs: BTreeMap<(u16, u32), objects::Obj>,
    next: BTreeMap<u16, u32>,
    t0: Instant,
    dp: queues::Dp,
    cq_hi: u32,
    last_len: usize,
    clock_fixed: Option<u64>,
    pd: Option<u32>,
    bf: [u8; 64],
    roce_en: bool,
    steer: steering::Steer,
    l3_kind: u32,
    mcg: Vec<([u8; 16], u32)>,
    /// Source addresses by index: address, RoCE version, is it IPv4.
    roce_addr: BTreeMap<u16, ([u8; 16], u8, bool)>,
    trace: bool,
}

impl Chip {
    /// A chip after reset.
    pub fn new(config: Config) -> Chip {
        Chip {
            caps: caps::Caps::new(&config),
            config,
            eqs: BTreeMap::new(),
            objs: BTreeMap::new(),
            next: BTreeMap::new(),
            t0: Instant::now(),
            dp: queues::Dp::default(),
            cq_hi: 0,
            last_len: 0,
            clock_fixed: None,
            pd: None,
            bf: [0; 64],
            roce_en: false,
            steer: steering::Steer::default(),
            l3_kind: 0,
            mcg: Vec::new(),
            roce_addr: BTreeMap::new(),
            trace: false,
        }
    }

    /// What the chip was made from.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The free-running core clock, in nanoseconds since the chip was made.
    pub fn clock(&self) -> u64 {
        self.clock_fixed.unwrap_or_else(|| self.t0.elapsed().as_nanos() as u64)
    }

    /// A store of 4, 8 or 64 bytes into UAR page `uar` at `offset`: 0x20 CQ arm,
    /// 0x40/0x48 EQ consumer index with and without arming, 0x800 and up send doorbells.
    pub fn uar_write(&mut self, host: &dyn Host, uar: u32, offset: u32, data: &[u8]) {
        match (offset, data.len()) {
            (0x40, 4) => self.eq_doorbell(host, prm::bits::be32(data, 0), true),
            (0x48, 4) => self.eq_doorbell(host, prm::bits::be32(data, 0), false),
            _ => self.queue_doorbell(host, uar, offset as u64, data),
        }
    }

    /// Let queues make progress. True if more is to do.
    pub fn progress(&mut self, host: &dyn Host) -> bool {
        self.tick(host)
    }
}
