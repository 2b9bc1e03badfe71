//! Packets for tests.

use super::checksum::ipv4 as sum;
use super::packet::ethertype;

/// An Ethernet header with these customer tags.
pub fn ether(tags: &[u16], ty: u16) -> Vec<u8> {
    let mut p = vec![1, 2, 3, 4, 5, 6, 8, 9, 0xa, 0xb, 0xc, 0xd];
    for tag in tags {
        p.extend(ethertype::VLAN.to_be_bytes());
        p.extend(tag.to_be_bytes());
    }
    p.extend(ty.to_be_bytes());
    p
}

/// An IPv4 header before `len` bytes, from 10.0.0.1 to 10.0.0.2.
pub fn ipv4(protocol: u8, len: usize) -> Vec<u8> {
    let mut p = vec![0x45, 0, 0, 0, 0, 1, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    p[2..4].copy_from_slice(&(20 + len as u16).to_be_bytes());
    sum(&mut p, 0);
    p
}

/// An IPv6 header before `len` bytes.
pub fn ipv6(protocol: u8, len: usize) -> Vec<u8> {
    let mut p = vec![0; 40];
    p[0] = 0x60;
    p[4..6].copy_from_slice(&(len as u16).to_be_bytes());
    (p[6], p[7]) = (protocol, 64);
    p[36..40].copy_from_slice(&[0xff, 0, 0, 0xee]);
    p
}

/// A UDP header before `len` bytes, without a sum.
pub fn udp(from: u16, to: u16, len: usize) -> Vec<u8> {
    [from, to, 8 + len as u16, 0].iter().flat_map(|w| w.to_be_bytes()).collect()
}
