//! Packet reformats: putting headers in front, taking them away.

use super::checksum::{ipv4, put16};
use super::frame::Frame;
use super::packet::{ethertype, headers, protocol};
use prm::bits::be16;
use prm::{AllocPacketReformatContextIn, Field, PacketReformatContextIn};

/// Types of packet reformat.
mod kind {
    pub const L2_TO_VXLAN: u64 = 0;
    pub const L2_TO_NVGRE: u64 = 1;
    pub const L2_TO_L2_TUNNEL: u64 = 2;
    pub const L3_TUNNEL_TO_L2: u64 = 3;
    pub const L2_TO_L3_TUNNEL: u64 = 4;
    pub const INSERT_HEADER: u64 = 0xf;
    pub const REMOVE_HEADER: u64 = 0x10;
}

/// Places that insertions and removals are counted from.
mod anchor {
    pub const MAC: u64 = 1;
    pub const IP: u64 = 7;
    pub const TRANSPORT: u64 = 9;
}

const TYPE: Field = Field::new(0, 8);

/// Do what a reformat context says.
pub(super) fn apply(context: &[u8], f: &mut Frame) {
    let at = AllocPacketReformatContextIn::PACKET_REFORMAT_CONTEXT;
    let get = |f: Field| f.within(at).get(context);
    let size = get(PacketReformatContextIn::REFORMAT_DATA_SIZE) as usize;
    let start = PacketReformatContextIn::REFORMAT_DATA.within(at).byte();
    let data = context.get(start..start + size).unwrap_or(&[]);
    let offset = get(PacketReformatContextIn::REFORMAT_PARAM_1) as usize;
    let place = match get(PacketReformatContextIn::REFORMAT_PARAM_0) {
        anchor::MAC => f.seen.outer.l2,
        anchor::IP => f.seen.outer.l3,
        anchor::TRANSPORT => f.seen.outer.l4,
        _ => None,
    };
    match TYPE.within(at).get(context) {
        kind::L2_TO_VXLAN | kind::L2_TO_NVGRE | kind::L2_TO_L2_TUNNEL => encapsulate(data, 0, f),
        kind::L2_TO_L3_TUNNEL => {
            if let Some(ip) = f.seen.outer.l3 {
                encapsulate(data, ip, f);
            }
        }
        kind::L3_TUNNEL_TO_L2 => {
            if let Some(ip) = f.seen.inner.and_then(|l| l.l3) {
                f.bytes.splice(..ip, data.iter().copied());
                name_ip(&mut f.bytes, data.len());
            }
        }
        kind::INSERT_HEADER => {
            if let Some(at) = place.map(|p| p + offset).filter(|at| *at <= f.bytes.len()) {
                f.bytes.splice(at..at, data.iter().copied());
            }
        }
        kind::REMOVE_HEADER => {
            if let Some(at) = place.map(|p| p + offset).filter(|at| at + size <= f.bytes.len()) {
                f.bytes.drain(at..at + size);
            }
        }
        _ => {}
    }
    f.read();
}

/// Take a tunnel's headers away, up to the frame that it carries.
pub(super) fn decapsulate(f: &mut Frame) {
    if let Some(at) = f.seen.inner.and_then(|l| l.l2) {
        f.bytes.drain(..at);
        f.read();
    }
}

/// Put `data` in place of the first `cut` bytes; lengths in it follow the packet.
fn encapsulate(data: &[u8], cut: usize, f: &mut Frame) {
    f.bytes.splice(..cut, data.iter().copied());
    let p = &mut f.bytes;
    let l = headers(p, &[]).outer;
    let Some(ip) = l.l3.filter(|ip| *ip < data.len()) else { return };
    let len = p.len() - ip;
    match l.version {
        4 => {
            put16(p, ip + 2, len as u16);
            ipv4(p, ip);
        }
        _ => put16(p, ip + 4, len.saturating_sub(40) as u16),
    }
    if let Some(udp) = l.l4.filter(|_| l.protocol == protocol::UDP) {
        let len = (p.len() - udp) as u16;
        put16(p, udp + 4, len);
    }
}

/// The frame's protocol is what the packet behind its header of `len` bytes is.
fn name_ip(p: &mut [u8], len: usize) {
    let ty = match p.get(len).map(|b| b >> 4) {
        Some(6) => ethertype::IPV6,
        _ => ethertype::IPV4,
    };
    if len >= 14 && matches!(be16(p, len - 2), 0 | ethertype::IPV4 | ethertype::IPV6) {
        put16(p, len - 2, ty);
    }
}

/// Put a VLAN tag in, the protocol in its upper half.
pub(super) fn push_vlan(tag: u32, f: &mut Frame) {
    const AT: usize = 12;
    if f.bytes.len() >= AT {
        f.bytes.splice(AT..AT, tag.to_be_bytes());
        f.read();
    }
}

/// Take the first VLAN tag away.
pub(super) fn pop_vlan(f: &mut Frame) {
    if let Some(at) = f.seen.outer.vlan {
        f.bytes.drain(at..at + 4);
        f.read();
    }
}

#[cfg(test)]
#[path = "tests/reformat.rs"]
mod tests;
