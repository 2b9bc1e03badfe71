//! Attributes of a port, from what the chip tells of it.

use super::super::bytes::Out;
use super::super::device::Device;
use super::super::mailbox::Mailbox;

/// Port speed in units of 100 Mb/s: 4 lanes of 50 Gb/s on InfiniBand, 100 Gb/s on Ethernet.
pub const SPEED_100MBPS: u64 = 2000;

const LINK_INFINIBAND: u8 = 1;
const LINK_ETHERNET: u8 = 2;
const MTU_1024: u8 = 3;
const MTU_4096: u8 = 5;

/// `struct ib_uverbs_query_port_resp`, 40 bytes.
pub fn attributes(dev: &mut Device, port: u8) -> Out {
    if dev.is_ethernet() { ethernet(dev) } else { infiniband(dev, port) }
}

fn common(dev: &Device, r: &mut Out) {
    r.u32(4, 1 << dev.cap(0x1c3, 5));
}

fn infiniband(dev: &mut Device, port: u8) -> Out {
    let mut query = Mailbox::command(0x762, 0, 16);
    query.set(0x78, 8, port as u64);
    let context = dev.run(&query, 528);
    let (width, speed) = link(dev, port);
    let field = |bit: usize, width: usize| context.get(0x80 + bit, width);
    let mut r = Out::new(40);
    common(dev, &mut r);
    r.u32(0, field(0x200, 32) as u32)
        .u32(16, 8 << dev.cap(0x170, 16))
        .u16(20, 128 << dev.cap(0x190, 16))
        .u16(22, field(0x300, 16) as u16)
        .u16(24, field(0x320, 16) as u16)
        .u8(26, field(0x11c, 4) as u8)
        .u8(27, MTU_4096)
        .u8(28, MTU_4096)
        .u8(29, field(0x318, 3) as u8)
        // four virtual lanes
        .u8(30, 3)
        .u8(31, field(0x330, 4) as u8)
        .u8(32, field(0x31b, 5) as u8)
        .u8(33, field(0x314, 4) as u8)
        .u8(34, width)
        .u8(35, speed)
        .u8(36, field(0x110, 4) as u8)
        .u8(37, LINK_INFINIBAND);
    r
}

/// Width and speed of an InfiniBand link as verbs number them, from the port type and
/// speed register.
fn link(dev: &mut Device, port: u8) -> (u8, u8) {
    const PTYS: u64 = 0x5004;
    let mut read = Mailbox::command(0x805, 0, 16 + 64);
    read.set(0x30, 16, 1).set(0x50, 16, PTYS).set(0x80 + 8, 8, port as u64).set(0x80 + 0x1d, 3, 1);
    let reply = dev.run(&read, 16 + 64);
    // one bit for each of 1, 2, 4, 8 and 12 lanes
    let width = match reply.get(0x80 + 0x140, 16) {
        1 => 1,
        2 => 16,
        8 => 4,
        16 => 8,
        _ => 2,
    };
    (width, reply.get(0x80 + 0x150, 16) as u8)
}

fn ethernet(dev: &mut Device) -> Out {
    let up = dev.run(&Mailbox::command(0x750, 0, 16), 16).get(0x7c, 4) == 1;
    let gids = super::gid::table_len(dev);
    let mut r = Out::new(40);
    common(dev, &mut r);
    // connection management, IP based addresses
    r.u32(0, 1 << 16 | 1 << 26)
        .u32(16, gids)
        .u16(20, 1)
        .u8(26, if up { 4 } else { 1 })
        .u8(27, MTU_4096)
        .u8(28, MTU_1024)
        // 4 lanes at EDR
        .u8(34, 2)
        .u8(35, 32)
        .u8(36, if up { 5 } else { 3 })
        .u8(37, LINK_ETHERNET)
        // addresses need a global route header
        .u8(38, 1);
    r
}
