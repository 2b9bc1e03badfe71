//! Packets taken apart: the match parameters that their headers amount to.

use super::MATCH;
use crate::device::queues::PacketInfo;
use prm::bits::{be16, be32, get};
use prm::cqe::{hds, l3_type};
use prm::{DrMatchParam, DrMatchSetMisc, DrMatchSpec, Field};

/// What headers say.
pub(super) struct Headers {
    /// In the layout of match parameters.
    pub fields: Vec<u8>,
    pub l3: u8,
    /// 1 TCP, 2 UDP, 0 neither.
    pub l4: u8,
}

const VLAN: u16 = 0x8100;
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const TCP: u8 = 6;
const UDP: u8 = 17;
const L4_TCP: u8 = 1;
const L4_UDP: u8 = 2;

/// Read the headers of a frame. `sqn`: the send queue that it comes from.
pub(super) fn headers(p: &[u8], sqn: u32) -> Headers {
    let outer = |f: Field| f.within(DrMatchParam::OUTER);
    let misc = |f: Field| f.within(DrMatchParam::MISC);
    let mut h = Headers { fields: vec![0; MATCH], l3: l3_type::NONE, l4: 0 };
    let m = &mut h.fields;
    misc(DrMatchSetMisc::SOURCE_SQN).set(m, sqn as u64);
    if p.len() < 14 {
        return h;
    }
    outer(DrMatchSpec::DMAC_47_16).set(m, be32(p, 0) as u64);
    outer(DrMatchSpec::DMAC_15_0).set(m, be16(p, 4) as u64);
    outer(DrMatchSpec::SMAC_47_16).set(m, be32(p, 6) as u64);
    outer(DrMatchSpec::SMAC_15_0).set(m, be16(p, 10) as u64);
    let (mut ethertype, mut at) = (be16(p, 12), 14);
    if ethertype == VLAN && p.len() >= 18 {
        let tci = be16(p, 14) as u64;
        outer(DrMatchSpec::FIRST_PRIO).set(m, tci >> 13);
        outer(DrMatchSpec::FIRST_CFI).set(m, tci >> 12 & 1);
        outer(DrMatchSpec::FIRST_VID).set(m, tci & 0xfff);
        outer(DrMatchSpec::CVLAN_TAG).set(m, 1);
        (ethertype, at) = (be16(p, 16), 18);
    }
    outer(DrMatchSpec::ETHERTYPE).set(m, ethertype as u64);
    let ip = p.get(at..).unwrap_or(&[]);
    let (protocol, rest) = match ethertype {
        IPV4 if ip.len() >= 20 => {
            h.l3 = l3_type::IPV4;
            outer(DrMatchSpec::IP_VERSION).set(m, 4);
            outer(DrMatchSpec::IP_DSCP).set(m, get(ip, 8, 6));
            outer(DrMatchSpec::IP_ECN).set(m, get(ip, 14, 2));
            outer(DrMatchSpec::IPV4_IHL).set(m, get(ip, 4, 4));
            outer(DrMatchSpec::IP_TTL_HOPLIMIT).set(m, get(ip, 64, 8));
            let fragment = get(ip, 50, 14) != 0;
            outer(DrMatchSpec::FRAG).set(m, fragment as u64);
            outer(DrMatchSpec::SRC_IP_31_0).set(m, be32(ip, 12) as u64);
            outer(DrMatchSpec::DST_IP_31_0).set(m, be32(ip, 16) as u64);
            (get(ip, 72, 8) as u8, ip.get(get(ip, 4, 4) as usize * 4..).unwrap_or(&[]))
        }
        IPV6 if ip.len() >= 40 => {
            h.l3 = l3_type::IPV6;
            outer(DrMatchSpec::IP_VERSION).set(m, 6);
            outer(DrMatchSpec::IP_DSCP).set(m, get(ip, 4, 6));
            outer(DrMatchSpec::IP_ECN).set(m, get(ip, 10, 2));
            outer(DrMatchSpec::IP_TTL_HOPLIMIT).set(m, get(ip, 56, 8));
            misc(DrMatchSetMisc::OUTER_IPV6_FLOW_LABEL).set(m, get(ip, 12, 20));
            let (src, dst) = (outer(DrMatchSpec::SRC_IP_127_96), outer(DrMatchSpec::DST_IP_127_96));
            for k in 0..4 {
                src.nth(k, 32).set(m, be32(ip, 8 + 4 * k) as u64);
                dst.nth(k, 32).set(m, be32(ip, 24 + 4 * k) as u64);
            }
            (get(ip, 48, 8) as u8, ip.get(40..).unwrap_or(&[]))
        }
        _ => return h,
    };
    outer(DrMatchSpec::IP_PROTOCOL).set(m, protocol as u64);
    outer(DrMatchSpec::L3_OK).set(m, 1);
    outer(DrMatchSpec::IPV4_CHECKSUM_OK).set(m, 1);
    if rest.len() < 4 {
        return h;
    }
    let (sport, dport) = (be16(rest, 0) as u64, be16(rest, 2) as u64);
    match protocol {
        TCP => {
            h.l4 = L4_TCP;
            outer(DrMatchSpec::TCP_SPORT).set(m, sport);
            outer(DrMatchSpec::TCP_DPORT).set(m, dport);
            outer(DrMatchSpec::TCP_FLAGS).set(m, get(rest, 103, 9));
        }
        UDP => {
            h.l4 = L4_UDP;
            outer(DrMatchSpec::UDP_SPORT).set(m, sport);
            outer(DrMatchSpec::UDP_DPORT).set(m, dport);
        }
        _ => return h,
    }
    outer(DrMatchSpec::L4_OK).set(m, 1);
    outer(DrMatchSpec::L4_CHECKSUM_OK).set(m, 1);
    h
}

impl Headers {
    /// Whether all bits of `mask` are as in `value`.
    pub fn matches(&self, mask: &[u8], value: &[u8]) -> bool {
        mask.iter().zip(&self.fields).zip(value).all(|((k, m), v)| k & m == k & v)
    }

    /// What a completion says of the packet.
    pub fn info(&self, flow_tag: u32, rx_hash: u32) -> PacketInfo {
        let mut good = hds::L2_OK;
        if self.l3 != l3_type::NONE {
            good |= hds::L3_OK;
        }
        if self.l4 != 0 {
            good |= hds::L4_OK;
        }
        PacketInfo { flow_tag, rx_hash, good, l3: self.l3, l4: self.l4 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tagged_udp_packet_fills_its_fields() {
        let mut p = vec![0u8; 60];
        p[0..6].copy_from_slice(&[1, 2, 3, 4, 5, 6]);
        p[12..18].copy_from_slice(&[0x81, 0, 0x60, 0x0a, 8, 0]);
        p[18] = 0x45;
        p[27] = UDP;
        p[30..38].copy_from_slice(&[10, 0, 0, 1, 10, 0, 0, 2]);
        p[38..42].copy_from_slice(&[0x12, 0x34, 0x56, 0x78]);
        let h = headers(&p, 9);
        let outer = |f: Field| f.within(DrMatchParam::OUTER).get(&h.fields);
        assert_eq!(outer(DrMatchSpec::DMAC_47_16), 0x0102_0304);
        assert_eq!((outer(DrMatchSpec::FIRST_PRIO), outer(DrMatchSpec::FIRST_VID)), (3, 10));
        assert_eq!((outer(DrMatchSpec::ETHERTYPE), outer(DrMatchSpec::IP_VERSION)), (0x800, 4));
        assert_eq!(outer(DrMatchSpec::DST_IP_31_0), 0x0a00_0002);
        assert_eq!((outer(DrMatchSpec::UDP_SPORT), outer(DrMatchSpec::UDP_DPORT)), (0x1234, 0x5678));
        assert_eq!(outer(DrMatchSpec::TCP_DPORT), 0);
        assert_eq!((h.l3, h.l4), (l3_type::IPV4, L4_UDP));
    }

    #[test]
    fn short_frames_are_no_trouble() {
        for n in 0..60 {
            let mut p = vec![0x45; n];
            if n > 13 {
                p[12..14].copy_from_slice(&[8, 0]);
            }
            headers(&p, 0);
        }
    }
}
