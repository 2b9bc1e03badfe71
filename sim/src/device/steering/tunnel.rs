//! Tunnel headers: what they say, and where what they carry begins.

use super::packet::{Headers, ethertype};
use prm::bits::{be16, be32, get};
use prm::{DrMatchParam, DrMatchSetMisc, DrMatchSetMisc2, DrMatchSetMisc3, DrMatchSetMisc5, Field};

/// Ports at which tunnels listen.
mod port {
    pub const GTPU: u16 = 2152;
    pub const VXLAN: u16 = 4789;
    pub const VXLAN_GPE: u16 = 4790;
    pub const ROCE: u16 = 4791;
    pub const GENEVE: u16 = 6081;
    pub const MPLS: u16 = 6635;
}

/// Place and ethertype of what a tunnel carries.
type Carried = Option<(usize, u16)>;

/// The payload of a UDP packet at `at`, sent to `port`; `vxlan` are further ports of VXLAN.
pub(super) fn udp(h: &mut Headers, p: &[u8], at: usize, port: u16, vxlan: &[u16]) -> Carried {
    let t = p.get(at..).filter(|t| t.len() >= 8)?;
    match port {
        port::GENEVE => {
            let words = get(t, 2, 6) as usize;
            h.misc(DrMatchSetMisc::GENEVE_OPT_LEN, words as u64);
            h.misc(DrMatchSetMisc::GENEVE_OAM, get(t, 8, 1));
            h.misc(DrMatchSetMisc::GENEVE_PROTOCOL_TYPE, be16(t, 2) as u64);
            h.misc(DrMatchSetMisc::GENEVE_VNI, get(t, 32, 24));
            raw(h, t);
            Some((at + 8 + 4 * words, be16(t, 2)))
        }
        port::VXLAN_GPE => {
            h.misc3(DrMatchSetMisc3::OUTER_VXLAN_GPE_FLAGS, get(t, 0, 8));
            h.misc3(DrMatchSetMisc3::OUTER_VXLAN_GPE_NEXT_PROTOCOL, get(t, 24, 8));
            h.misc3(DrMatchSetMisc3::OUTER_VXLAN_GPE_VNI, get(t, 32, 24));
            raw(h, t);
            let carried = match get(t, 24, 8) {
                1 => ethertype::IPV4,
                2 => ethertype::IPV6,
                _ => ethertype::BRIDGING,
            };
            Some((at + 8, carried))
        }
        port::GTPU => {
            h.misc3(DrMatchSetMisc3::GTPU_MSG_FLAGS, get(t, 0, 8));
            h.misc3(DrMatchSetMisc3::GTPU_MSG_TYPE, get(t, 8, 8));
            h.misc3(DrMatchSetMisc3::GTPU_TEID, be32(t, 4) as u64);
            h.misc3(DrMatchSetMisc3::GTPU_DW_0, be32(t, 0) as u64);
            gtpu_payload(h, p, at)
        }
        port::MPLS => {
            h.label(p, at, DrMatchSetMisc2::OUTER_FIRST_MPLS_OVER_UDP_LABEL.off);
            Some((below_labels(p, at), ethertype::MPLS))
        }
        port::ROCE => {
            h.misc(DrMatchSetMisc::BTH_OPCODE, get(t, 0, 8));
            h.misc(DrMatchSetMisc::BTH_DST_QP, get(t, 40, 24));
            h.misc(DrMatchSetMisc::BTH_A, get(p.get(at + 8..).unwrap_or(&[]), 0, 1));
            None
        }
        _ if port == port::VXLAN || vxlan.contains(&port) => {
            h.misc(DrMatchSetMisc::VXLAN_VNI, get(t, 32, 24));
            raw(h, t);
            Some((at + 8, ethertype::BRIDGING))
        }
        _ => None,
    }
}

/// The first words of a tunnel header as they are.
fn raw(h: &mut Headers, t: &[u8]) {
    let words = [
        DrMatchSetMisc5::TUNNEL_HEADER_0,
        DrMatchSetMisc5::TUNNEL_HEADER_1,
        DrMatchSetMisc5::TUNNEL_HEADER_2,
        DrMatchSetMisc5::TUNNEL_HEADER_3,
    ];
    for (k, f) in words.into_iter().enumerate() {
        f.within(DrMatchParam::MISC5).set(&mut h.fields, be32(t, 4 * k) as u64);
    }
}

/// Behind the header come a word of optional fields and extensions, if any flag is set.
fn gtpu_payload(h: &mut Headers, p: &[u8], at: usize) -> Carried {
    /// The message that carries a user's packet.
    const USER_DATA: u64 = 255;
    let t = p.get(at..)?;
    let optional = get(t, 5, 3) != 0;
    let mut next = at + 8;
    if optional {
        h.misc3(DrMatchSetMisc3::GTPU_DW_2, be32(t, 8) as u64);
        h.misc3(DrMatchSetMisc3::GTPU_FIRST_EXT_DW_0, be32(t, 12) as u64);
        next += 4;
        let mut extension = get(t, 88, 8);
        // extensions in words, each with the next one's type at its end
        while extension != 0 {
            let words = p.get(next).copied().filter(|n| *n != 0)? as usize;
            next += 4 * words;
            extension = *p.get(next - 1)? as u64;
        }
    }
    let carried = match p.get(next)? >> 4 {
        6 => ethertype::IPV6,
        _ => ethertype::IPV4,
    };
    (get(t, 8, 8) == USER_DATA).then_some((next, carried))
}

/// Generic routing encapsulation at `at`.
pub(super) fn gre(h: &mut Headers, p: &[u8], at: usize) -> Carried {
    let t = p.get(at..).filter(|t| t.len() >= 4)?;
    let (sum, key, sequence) = (get(t, 0, 1), get(t, 2, 1), get(t, 3, 1));
    h.misc(DrMatchSetMisc::GRE_C_PRESENT, sum);
    h.misc(DrMatchSetMisc::GRE_K_PRESENT, key);
    h.misc(DrMatchSetMisc::GRE_S_PRESENT, sequence);
    h.misc(DrMatchSetMisc::GRE_PROTOCOL, be16(t, 2) as u64);
    let mut next = at + 4 + 4 * sum as usize;
    if key != 0 {
        /// The key's two parts are neighbours.
        const KEY: Field = Field::new(DrMatchSetMisc::GRE_KEY_H.off, 32);
        h.misc(KEY, be32(p, next) as u64);
        next += 4;
    }
    next += 4 * sequence as usize;
    let carried = be16(t, 2);
    if carried == ethertype::MPLS {
        h.label(p, next, DrMatchSetMisc2::OUTER_FIRST_MPLS_OVER_GRE_LABEL.off);
        next = below_labels(p, next);
    }
    Some((next, carried))
}

/// Where a stack of labels ends.
fn below_labels(p: &[u8], mut at: usize) -> usize {
    while let Some(entry) = p.get(at..at + 4) {
        at += 4;
        if get(entry, 23, 1) != 0 {
            break;
        }
    }
    at
}
