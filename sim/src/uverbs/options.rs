//! What a run of the simulator is asked to be.

use super::spec::Generation;
use crate::device::PortType;
use std::path::PathBuf;

/// Settings of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the ports speak.
    pub port: PortType,
    /// Number of devices.
    pub devices: usize,
    /// Ports of each device, 1 or 2.
    pub ports: u8,
    /// The kernel to play.
    pub generation: Generation,
    /// Whether each device has a data-direct companion function.
    pub data_direct: bool,
    /// Answer RDMA netlink instead of refusing the socket.
    pub netlink: bool,
    /// Where the record goes.
    pub record: Option<PathBuf>,
    /// Keep addresses in the record as they are.
    pub record_raw: bool,
    /// Fault rules, as written.
    pub faults: Vec<String>,
    /// Capability fields to set differently: page, bit, width, value.
    pub caps: Vec<(u16, usize, usize, u64)>,
    /// The device disappears after that many calls.
    pub disassociate_after: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            port: PortType::Ethernet,
            devices: 1,
            ports: 1,
            generation: Generation::V7_2,
            data_direct: false,
            netlink: false,
            record: None,
            record_raw: false,
            faults: Vec::new(),
            caps: Vec::new(),
            disassociate_after: None,
        }
    }
}
