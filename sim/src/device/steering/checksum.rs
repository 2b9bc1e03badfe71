//! Sums in headers.

use super::packet::{Layer, protocol};
use crate::device::checksum::internet;
use prm::bits::{be16, get};

pub(super) fn put16(p: &mut [u8], at: usize, v: u16) {
    if let Some(to) = p.get_mut(at..at + 2) {
        to.copy_from_slice(&v.to_be_bytes());
    }
}

/// Sum the IPv4 header at `at` anew.
pub(super) fn ipv4(p: &mut [u8], at: usize) {
    let len = 4 * get(p, 8 * at + 4, 4) as usize;
    put16(p, at + 10, 0);
    let s = p.get(at..at + len).map_or(0, |header| internet(&[header]));
    put16(p, at + 10, s);
}

/// Sum the headers of a layer anew. A UDP sum of zero means none and stays.
pub(super) fn mend(p: &mut [u8], l: &Layer) {
    let Some(ip) = l.l3 else { return };
    if l.version == 4 {
        ipv4(p, ip);
    }
    let Some(at) = l.l4 else { return };
    let place = match l.protocol {
        protocol::TCP => at + 16,
        protocol::UDP if be16(p, at + 6) != 0 => at + 6,
        _ => return,
    };
    let (addresses, end) = match l.version {
        4 => (ip + 12..ip + 20, ip + be16(p, ip + 2) as usize),
        _ => (ip + 8..ip + 40, ip + 40 + be16(p, ip + 4) as usize),
    };
    put16(p, place, 0);
    let (Some(addresses), Some(whole)) = (p.get(addresses), p.get(at..end.min(p.len()))) else { return };
    let pseudo = [&(whole.len() as u32).to_be_bytes()[..], &[0, 0, 0, l.protocol]].concat();
    let s = internet(&[addresses, &pseudo, whole]);
    // zero is written as its other form
    put16(p, place, if s == 0 && l.protocol == protocol::UDP { 0xffff } else { s });
}
