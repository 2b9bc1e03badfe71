//! Source addresses of ports: the table a driver keeps, and the queries of it.

use super::super::bytes::Out;
use super::super::cx::Cx;
use super::super::device::Device;
use super::super::mailbox::Mailbox;
use nix::errno::Errno;

/// Kinds of an address, as the ioctl interface numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GidType {
    /// InfiniBand.
    Ib = 0,
    /// RoCE version 1.
    RoceV1 = 1,
    /// RoCE version 2.
    RoceV2 = 2,
}

/// One used entry of a port's table.
#[derive(Clone, Copy, Debug)]
pub struct Gid {
    /// The address.
    pub raw: [u8; 16],
    /// Its kind.
    pub kind: GidType,
}

/// Index of the loopback interface, the only network device every machine has.
const NETDEV_INDEX: u32 = 1;

/// The Ethernet address of a port.
pub fn mac(dev: &Device, port: u8) -> [u8; 6] {
    let [_, _, mac @ ..] = (dev.chip.config().mac + port as u64 - 1).to_be_bytes();
    mac
}

/// The used entries of a port, by index.
pub fn table(dev: &Device, port: u8) -> Vec<Gid> {
    if !dev.is_ethernet() {
        let mut raw = [0; 16];
        for (to, from) in raw.iter_mut().zip(0xfe80_0000_0000_0000u64.to_be_bytes()) {
            *to = from;
        }
        for (to, from) in
            raw.iter_mut().skip(8).zip(node_guid(dev).wrapping_add(port as u64 - 1).to_be_bytes())
        {
            *to = from;
        }
        return vec![Gid { raw, kind: GidType::Ib }];
    }
    let m = mac(dev, port);
    // the link-local address of the port's Ethernet address, and an IPv4 address
    let local = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, m[0] ^ 2, m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5]];
    let ipv4 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 16 * dev.index as u8 + port];
    [(local, GidType::RoceV1), (local, GidType::RoceV2), (ipv4, GidType::RoceV1), (ipv4, GidType::RoceV2)]
        .map(|(raw, kind)| Gid { raw, kind })
        .to_vec()
}

/// Number of entries a port's table has room for.
pub fn table_len(dev: &mut Device) -> u32 {
    if dev.is_ethernet() {
        let roce = dev.capabilities(4);
        prm::bits::get(&roce, 0xf0, 16) as u32
    } else {
        8 << dev.cap(0x170, 16)
    }
}

/// The device's own number, as the management interfaces show it.
pub fn node_guid(dev: &Device) -> u64 {
    dev.chip.config().guid
}

/// Tell the chip the addresses of its ports, as a driver does when its network device comes up.
pub fn bring_up(dev: &mut Device) {
    if !dev.is_ethernet() {
        return;
    }
    let mut enable = Mailbox::command(0x755, 0, 272 + 256); // MODIFY_NIC_VPORT_CONTEXT
    enable.set(0x7e, 1, 1).set(0x800 + 0x1f, 1, 1);
    dev.run(&enable, 16);
    for port in 1..=dev.options.ports {
        for (index, gid) in table(dev, port).into_iter().enumerate() {
            let mut set = Mailbox::command(0x761, 0, 48); // SET_ROCE_ADDRESS
            set.set(0x40, 16, index as u64).set(0x5c, 4, port as u64 - 1);
            let mapped = gid.raw.starts_with(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);
            let m = mac(dev, port);
            for (k, byte) in gid.raw.iter().enumerate() {
                set.set(0x80 + 8 * k, 8, *byte as u64);
            }
            for (k, byte) in m.iter().enumerate() {
                set.set(0x80 + 0x90 + 8 * k, 8, *byte as u64);
            }
            set.set(0x80 + 0xd4, 4, if mapped { 0 } else { 1 });
            set.set(0x80 + 0xd8, 8, if gid.kind == GidType::RoceV2 { 2 } else { 0 });
            dev.run(&set, 16);
        }
    }
}

fn entry(dev: &Device, port: u8, index: usize, gid: &Gid) -> Out {
    let mut e = Out::new(32);
    e.bytes(0, &gid.raw).u32(16, index as u32).u32(20, port as u32).u32(24, gid.kind as u32);
    if dev.is_ethernet() {
        e.u32(28, NETDEV_INDEX);
    }
    e
}

/// DEVICE.QUERY_GID_ENTRY.
pub fn query_entry(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.file.context()?;
    cx.flags(2, 0)?;
    let (port, index) = (cx.u64(0)?, cx.u64(1)?);
    if port == 0 || port > cx.dev.options.ports as u64 {
        return Err(Errno::EINVAL);
    }
    if index >= table_len(cx.dev) as u64 {
        return Err(Errno::EINVAL);
    }
    let gids = table(cx.dev, port as u8);
    let gid = gids.get(index as usize).ok_or(Errno::ENODATA)?;
    let e = entry(cx.dev, port as u8, index as usize, gid);
    cx.output_struct(3, &e.0)
}

/// DEVICE.QUERY_GID_TABLE.
pub fn query_table(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.file.context()?;
    cx.flags(1, 0)?;
    let size = cx.u64(0)? as usize;
    let room = match (cx.len(2), size) {
        (_, 0) => return Err(Errno::EINVAL),
        (len, size) if len % size != 0 => return Err(Errno::EINVAL),
        (len, size) => len / size,
    };
    let mut list = Vec::new();
    let mut count = 0u64;
    for port in 1..=cx.dev.options.ports {
        for (index, gid) in table(cx.dev, port).iter().enumerate() {
            if count as usize >= room {
                return Err(Errno::EINVAL);
            }
            let mut e = entry(cx.dev, port, index, gid).0;
            e.resize(size, 0);
            list.extend_from_slice(&e);
            count += 1;
        }
    }
    cx.output(2, &list)?;
    cx.output(3, &count.to_ne_bytes())
}
