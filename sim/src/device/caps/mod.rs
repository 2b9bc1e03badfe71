//! Capability pages: what the device can do, and what the driver set of it.

mod general;
mod pages;

use super::{Config, PortType};
use prm::{AtomicCaps, CmdHcaCap, Field, FlowTableNicCap};
use std::collections::BTreeMap;

/// Numbers of the capability pages.
pub(super) mod page {
    pub const GENERAL: u16 = 0x00;
    pub const ETHERNET: u16 = 0x01;
    pub const ODP: u16 = 0x02;
    pub const ATOMIC: u16 = 0x03;
    pub const ROCE: u16 = 0x04;
    pub const FLOW_TABLE: u16 = 0x07;
    pub const QOS: u16 = 0x0c;
    pub const DEBUG: u16 = 0x0d;
    pub const DEVICE_MEMORY: u16 = 0x0f;
    pub const VIRTIO: u16 = 0x13;
    pub const EVENT: u16 = 0x14;
    pub const CRYPTO: u16 = 0x1a;
    pub const GENERAL_2: u16 = 0x20;
}

/// Length of the short pages and of the flow table pages, in bytes.
const SHORT: usize = 256;
const LONG: usize = 4096;

/// One page: what is possible, and what is in force.
struct Page {
    max: Vec<u8>,
    current: Vec<u8>,
}

/// All capability pages of a device.
pub(super) struct Caps {
    pages: BTreeMap<u16, Page>,
}

fn build(len: usize, list: &[(Field, u64)]) -> Vec<u8> {
    let mut b = vec![0u8; len];
    for (f, v) in list {
        f.set(&mut b, *v);
    }
    b
}

impl Caps {
    pub fn new(config: &Config) -> Caps {
        let eth = config.port_type == PortType::Ethernet;
        let mut bytes = BTreeMap::from([
            (page::GENERAL, general::page(config)),
            (page::ODP, vec![0; SHORT]),
            (page::ATOMIC, build(SHORT, pages::ATOMIC)),
            (page::QOS, build(SHORT, pages::QOS)),
            (page::DEBUG, vec![0; SHORT]),
            (page::DEVICE_MEMORY, pages::device_memory()),
            (page::VIRTIO, pages::virtio()),
            (page::EVENT, pages::events()),
            (page::CRYPTO, build(SHORT, pages::CRYPTO)),
            (page::GENERAL_2, build(SHORT, pages::GENERAL_2)),
            (page::FLOW_TABLE, pages::flow_tables()),
        ]);
        if eth {
            bytes.insert(page::ETHERNET, build(SHORT, pages::ETHERNET));
            bytes.insert(page::ROCE, build(SHORT, pages::ROCE));
        }
        for &(number, off, width, value) in &config.caps {
            let b = bytes.entry(number).or_insert_with(|| vec![0; SHORT]);
            Field::new(off, width).set(b, value);
        }
        let pages = bytes.into_iter().map(|(n, b)| (n, Page { current: b.clone(), max: b })).collect();
        Caps { pages }
    }

    /// A page's bytes: what is in force, or what is possible.
    pub fn page(&self, number: u16, current: bool) -> Option<&[u8]> {
        let p = self.pages.get(&number)?;
        Some(if current { &p.current } else { &p.max })
    }

    /// Put a page in force. False if there is no such page.
    pub fn set_page(&mut self, number: u16, bytes: &[u8]) -> bool {
        let Some(p) = self.pages.get_mut(&number) else { return false };
        if number == page::ATOMIC {
            // of this page the driver sends, and the device takes, one field only
            AtomicCaps::ATOMIC_REQ_8B_ENDIANNESS_MODE.copy(bytes, &mut p.current);
            return true;
        }
        let n = p.current.len().min(bytes.len());
        p.current[..n].copy_from_slice(&bytes[..n]);
        true
    }

    fn field(&self, number: u16, f: Field) -> u64 {
        self.pages.get(&number).map_or(0, |p| f.get(&p.current))
    }

    /// A field of the general page.
    pub fn general(&self, f: Field) -> u32 {
        self.field(page::GENERAL, f) as u32
    }

    /// A 64-bit field of the general page.
    pub fn general_wide(&self, f: Field) -> u64 {
        self.field(page::GENERAL, f)
    }

    /// A field of the second general page.
    pub fn general2(&self, f: Field) -> u32 {
        self.field(page::GENERAL_2, f) as u32
    }

    /// A field of the page about scheduling and pacing.
    pub fn qos(&self, f: Field) -> u32 {
        self.field(page::QOS, f) as u32
    }

    /// A field of the device memory page.
    pub fn device_memory(&self, f: Field) -> u32 {
        self.field(page::DEVICE_MEMORY, f) as u32
    }

    /// A field of the crypto page.
    pub fn crypto(&self, f: Field) -> u32 {
        self.field(page::CRYPTO, f) as u32
    }

    /// A field of the RoCE page.
    pub fn roce(&self, f: Field) -> u32 {
        self.field(page::ROCE, f) as u32
    }

    /// A field of the flow table page that concerns all tables.
    pub fn flow(&self, f: Field) -> u32 {
        self.field(page::FLOW_TABLE, f) as u32
    }

    /// A property of one type of flow tables; `None` for a type that the device lacks.
    pub fn flow_table(&self, table_type: u32, f: Field) -> Option<u32> {
        let properties = match table_type {
            0 => FlowTableNicCap::FLOW_TABLE_PROPERTIES_NIC_RECEIVE,
            1 => FlowTableNicCap::FLOW_TABLE_PROPERTIES_NIC_TRANSMIT,
            5 => FlowTableNicCap::FLOW_TABLE_PROPERTIES_NIC_RECEIVE_SNIFFER,
            6 => FlowTableNicCap::FLOW_TABLE_PROPERTIES_NIC_TRANSMIT_SNIFFER,
            7 => FlowTableNicCap::FLOW_TABLE_PROPERTIES_NIC_RECEIVE_RDMA,
            8 => FlowTableNicCap::FLOW_TABLE_PROPERTIES_NIC_TRANSMIT_RDMA,
            _ => return None,
        };
        let offered = self.general(CmdHcaCap::NIC_FLOW_TABLE) != 0;
        offered.then(|| self.field(page::FLOW_TABLE, f.within(properties)) as u32)
    }
}
