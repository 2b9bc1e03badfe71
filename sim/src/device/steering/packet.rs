//! Packets taken apart: where their headers lie, and the match parameters that these amount to.

use super::MATCH;
use super::tunnel;
use crate::device::queues::PacketInfo;
use prm::bits::{be16, be32, get};
use prm::cqe::{hds, l3_type};
use prm::{DrMatchParam, DrMatchSetMisc, DrMatchSetMisc2, DrMatchSetMisc3, DrMatchSpec, Field};

/// Numbers of protocols on Ethernet.
pub(super) mod ethertype {
    pub const IPV4: u16 = 0x0800;
    pub const VLAN: u16 = 0x8100;
    pub const IPV6: u16 = 0x86dd;
    pub const MPLS: u16 = 0x8847;
    pub const MPLS_MULTICAST: u16 = 0x8848;
    pub const SERVICE_VLAN: u16 = 0x88a8;
    /// A frame as payload of a tunnel.
    pub const BRIDGING: u16 = 0x6558;
}

/// Numbers of protocols on IP.
pub(super) mod protocol {
    pub const HOP_BY_HOP: u8 = 0;
    pub const ICMP: u8 = 1;
    pub const IPV4: u8 = 4;
    pub const TCP: u8 = 6;
    pub const UDP: u8 = 17;
    pub const IPV6: u8 = 41;
    pub const ROUTING: u8 = 43;
    pub const FRAGMENT: u8 = 44;
    pub const GRE: u8 = 47;
    pub const ESP: u8 = 50;
    pub const ICMPV6: u8 = 58;
    pub const DESTINATION: u8 = 60;
    pub const MPLS: u8 = 137;
}

/// Kinds of transport headers, as completions have them.
pub(super) const L4_TCP: u8 = 1;
pub(super) const L4_UDP: u8 = 2;

/// Where the headers of one nesting lie, in bytes from the start of the packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layer {
    /// Where the Ethernet header starts; none under IP in IP.
    pub l2: Option<usize>,
    /// Where the first VLAN tag's protocol lies.
    pub vlan: Option<usize>,
    pub l3: Option<usize>,
    /// 4 or 6, 0 for neither.
    pub version: u8,
    /// Where the transport header starts.
    pub l4: Option<usize>,
    pub protocol: u8,
}

impl Layer {
    /// [`l3_type`] of it.
    pub fn l3_type(&self) -> u8 {
        match self.version {
            4 => l3_type::IPV4,
            6 => l3_type::IPV6,
            _ => l3_type::NONE,
        }
    }

    /// 1 TCP, 2 UDP, 0 neither.
    pub fn l4_type(&self) -> u8 {
        match (self.l4, self.protocol) {
            (Some(_), protocol::TCP) => L4_TCP,
            (Some(_), protocol::UDP) => L4_UDP,
            _ => 0,
        }
    }
}

/// What headers say.
pub(super) struct Headers {
    /// In the layout of match parameters.
    pub fields: Vec<u8>,
    pub outer: Layer,
    /// What a tunnel carries.
    pub inner: Option<Layer>,
    /// Ports at which VXLAN is spoken, besides its own.
    udp_ports: Vec<u16>,
}

/// What the next header behind one is.
enum Next {
    /// An Ethernet frame.
    Frame(usize),
    /// An IP packet of this version.
    Ip(usize, u8),
    Nothing,
}

/// Fields of one nesting: the plain ones, then those that lie elsewhere.
struct Names {
    spec: Field,
    flow_label: Field,
    second: [Field; 5],
    mpls: usize,
    esp: Field,
    sequence: Field,
    acknowledged: Field,
}

const OUTER: Names = Names {
    spec: DrMatchParam::OUTER,
    flow_label: DrMatchSetMisc::OUTER_IPV6_FLOW_LABEL,
    second: [
        DrMatchSetMisc::OUTER_SECOND_PRIO,
        DrMatchSetMisc::OUTER_SECOND_CFI,
        DrMatchSetMisc::OUTER_SECOND_VID,
        DrMatchSetMisc::OUTER_SECOND_CVLAN_TAG,
        DrMatchSetMisc::OUTER_SECOND_SVLAN_TAG,
    ],
    mpls: DrMatchSetMisc2::OUTER_FIRST_MPLS_LABEL.off,
    esp: DrMatchSetMisc::OUTER_ESP_SPI,
    sequence: DrMatchSetMisc3::OUTER_TCP_SEQ_NUM,
    acknowledged: DrMatchSetMisc3::OUTER_TCP_ACK_NUM,
};

const INNER: Names = Names {
    spec: DrMatchParam::INNER,
    flow_label: DrMatchSetMisc::INNER_IPV6_FLOW_LABEL,
    second: [
        DrMatchSetMisc::INNER_SECOND_PRIO,
        DrMatchSetMisc::INNER_SECOND_CFI,
        DrMatchSetMisc::INNER_SECOND_VID,
        DrMatchSetMisc::INNER_SECOND_CVLAN_TAG,
        DrMatchSetMisc::INNER_SECOND_SVLAN_TAG,
    ],
    mpls: DrMatchSetMisc2::INNER_FIRST_MPLS_LABEL.off,
    esp: DrMatchSetMisc::INNER_ESP_SPI,
    sequence: DrMatchSetMisc3::INNER_TCP_SEQ_NUM,
    acknowledged: DrMatchSetMisc3::INNER_TCP_ACK_NUM,
};

/// Read the headers of a frame. `vxlan`: further ports at which VXLAN is spoken.
pub(super) fn headers(p: &[u8], vxlan: &[u16]) -> Headers {
    let mut h =
        Headers { fields: vec![0; MATCH], outer: Layer::default(), inner: None, udp_ports: vxlan.to_vec() };
    let (outer, next) = h.layer(p, Next::Frame(0), &OUTER);
    h.outer = outer;
    if !matches!(next, Next::Nothing) {
        let (inner, _) = h.layer(p, next, &INNER);
        h.inner = Some(inner);
    }
    h
}

impl Headers {
    /// Store a field of the first miscellaneous part.
    pub(super) fn misc(&mut self, f: Field, v: u64) {
        f.within(DrMatchParam::MISC).set(&mut self.fields, v);
    }

    /// Store a field of the second miscellaneous part.
    pub(super) fn misc2(&mut self, f: Field, v: u64) {
        f.within(DrMatchParam::MISC2).set(&mut self.fields, v);
    }

    /// Store a field of the third miscellaneous part.
    pub(super) fn misc3(&mut self, f: Field, v: u64) {
        f.within(DrMatchParam::MISC3).set(&mut self.fields, v);
    }

    /// One nesting of headers: from its start up to what it carries.
    fn layer(&mut self, p: &[u8], start: Next, names: &Names) -> (Layer, Next) {
        let mut l = Layer::default();
        let ip = match start {
            Next::Frame(at) => match self.ethernet(p, at, &mut l, names) {
                Some(found) => found,
                None => return (l, Next::Nothing),
            },
            Next::Ip(at, version) => (at, version),
            Next::Nothing => return (l, Next::Nothing),
        };
        let Some(at) = self.ip(p, ip, &mut l, names) else { return (l, Next::Nothing) };
        let next = self.transport(p, at, &mut l, names);
        (l, next)
    }

    /// An Ethernet header with its tags. Where an IP header follows, and its version.
    fn ethernet(&mut self, p: &[u8], at: usize, l: &mut Layer, names: &Names) -> Option<(usize, u8)> {
        if p.len() < at + 14 {
            return None;
        }
        l.l2 = Some(at);
        let m = &mut self.fields;
        let spec = |f: Field| f.within(names.spec);
        spec(DrMatchSpec::DMAC_47_16).set(m, be32(p, at) as u64);
        spec(DrMatchSpec::DMAC_15_0).set(m, be16(p, at + 4) as u64);
        spec(DrMatchSpec::SMAC_47_16).set(m, be32(p, at + 6) as u64);
        spec(DrMatchSpec::SMAC_15_0).set(m, be16(p, at + 10) as u64);
        let first = [
            spec(DrMatchSpec::FIRST_PRIO),
            spec(DrMatchSpec::FIRST_CFI),
            spec(DrMatchSpec::FIRST_VID),
            spec(DrMatchSpec::CVLAN_TAG),
            spec(DrMatchSpec::SVLAN_TAG),
        ];
        let (mut ty, mut end) = (be16(p, at + 12), at + 14);
        for names in [first, names.second.map(|f| f.within(DrMatchParam::MISC))] {
            if !matches!(ty, ethertype::VLAN | ethertype::SERVICE_VLAN) || p.len() < end + 4 {
                break;
            }
            l.vlan.get_or_insert(end - 2);
            let [prio, cfi, vid, customer, service] = names;
            let tci = be16(p, end) as u64;
            prio.set(m, tci >> 13);
            cfi.set(m, tci >> 12 & 1);
            vid.set(m, tci & 0xfff);
            if ty == ethertype::VLAN { customer } else { service }.set(m, 1);
            (ty, end) = (be16(p, end + 2), end + 4);
        }
        spec(DrMatchSpec::ETHERTYPE).set(m, ty as u64);
        match ty {
            ethertype::IPV4 => Some((end, 4)),
            ethertype::IPV6 => Some((end, 6)),
            ethertype::MPLS | ethertype::MPLS_MULTICAST => {
                self.label(p, end, names.mpls);
                None
            }
            _ => None,
        }
    }

    /// An MPLS label entry, whose fields lie as in the match parameters.
    pub(super) fn label(&mut self, p: &[u8], at: usize, field: usize) {
        self.misc2(Field::new(field, 32), be32(p, at) as u64);
    }

    /// An IP header with its extensions. Where the transport header is, unless the packet is
    /// a later fragment.
    fn ip(&mut self, p: &[u8], (at, version): (usize, u8), l: &mut Layer, names: &Names) -> Option<usize> {
        let ip = p.get(at..).unwrap_or(&[]);
        if ip.len() < if version == 4 { 20 } else { 40 } || get(ip, 0, 4) as u8 != version {
            return None;
        }
        (l.l3, l.version) = (Some(at), version);
        let m = &mut self.fields;
        let spec = |f: Field| f.within(names.spec);
        spec(DrMatchSpec::IP_VERSION).set(m, version as u64);
        spec(DrMatchSpec::L3_OK).set(m, 1);
        spec(DrMatchSpec::IPV4_CHECKSUM_OK).set(m, 1);
        let (protocol, next, fragment, later) = if version == 4 {
            spec(DrMatchSpec::IP_DSCP).set(m, get(ip, 8, 6));
            spec(DrMatchSpec::IP_ECN).set(m, get(ip, 14, 2));
            spec(DrMatchSpec::IPV4_IHL).set(m, get(ip, 4, 4));
            spec(DrMatchSpec::IP_TTL_HOPLIMIT).set(m, get(ip, 64, 8));
            spec(DrMatchSpec::SRC_IP_31_0).set(m, be32(ip, 12) as u64);
            spec(DrMatchSpec::DST_IP_31_0).set(m, be32(ip, 16) as u64);
            let words = get(ip, 4, 4) as usize;
            (get(ip, 72, 8) as u8, at + 4 * words, get(ip, 50, 14) != 0, get(ip, 51, 13) != 0)
        } else {
            spec(DrMatchSpec::IP_DSCP).set(m, get(ip, 4, 6));
            spec(DrMatchSpec::IP_ECN).set(m, get(ip, 10, 2));
            spec(DrMatchSpec::IP_TTL_HOPLIMIT).set(m, get(ip, 56, 8));
            names.flow_label.within(DrMatchParam::MISC).set(m, get(ip, 12, 20));
            for k in 0..4 {
                spec(DrMatchSpec::SRC_IP_127_96).nth(k, 32).set(m, be32(ip, 8 + 4 * k) as u64);
                spec(DrMatchSpec::DST_IP_127_96).nth(k, 32).set(m, be32(ip, 24 + 4 * k) as u64);
            }
            extensions(p, get(ip, 48, 8) as u8, at + 40)
        };
        l.protocol = protocol;
        spec(DrMatchSpec::IP_PROTOCOL).set(m, protocol as u64);
        spec(DrMatchSpec::FRAG).set(m, fragment as u64);
        (!later && next <= p.len()).then_some(next)
    }

    /// What follows an IP header.
    fn transport(&mut self, p: &[u8], at: usize, l: &mut Layer, names: &Names) -> Next {
        let t = p.get(at..).unwrap_or(&[]);
        let spec = |f: Field| f.within(names.spec);
        match l.protocol {
            protocol::TCP if t.len() >= 20 => {
                l.l4 = Some(at);
                let m = &mut self.fields;
                spec(DrMatchSpec::TCP_SPORT).set(m, be16(t, 0) as u64);
                spec(DrMatchSpec::TCP_DPORT).set(m, be16(t, 2) as u64);
                spec(DrMatchSpec::TCP_FLAGS).set(m, get(t, 103, 9));
                self.misc3(names.sequence, be32(t, 4) as u64);
                self.misc3(names.acknowledged, be32(t, 8) as u64);
            }
            protocol::UDP if t.len() >= 8 => {
                l.l4 = Some(at);
                let m = &mut self.fields;
                spec(DrMatchSpec::UDP_SPORT).set(m, be16(t, 0) as u64);
                spec(DrMatchSpec::UDP_DPORT).set(m, be16(t, 2) as u64);
            }
            protocol::ESP if t.len() >= 8 => self.misc(names.esp, be32(t, 0) as u64),
            protocol::ICMP if t.len() >= 8 && l.version == 4 => {
                self.misc3(DrMatchSetMisc3::ICMP_TYPE, get(t, 0, 8));
                self.misc3(DrMatchSetMisc3::ICMP_CODE, get(t, 8, 8));
                self.misc3(DrMatchSetMisc3::ICMP_HEADER_DATA, be32(t, 4) as u64);
            }
            protocol::ICMPV6 if t.len() >= 8 && l.version == 6 => {
                self.misc3(DrMatchSetMisc3::ICMPV6_TYPE, get(t, 0, 8));
                self.misc3(DrMatchSetMisc3::ICMPV6_CODE, get(t, 8, 8));
                self.misc3(DrMatchSetMisc3::ICMPV6_HEADER_DATA, be32(t, 4) as u64);
            }
            _ => {}
        }
        if l.l4.is_some() {
            spec(DrMatchSpec::L4_OK).set(&mut self.fields, 1);
            spec(DrMatchSpec::L4_CHECKSUM_OK).set(&mut self.fields, 1);
        }
        if names.spec == DrMatchParam::INNER {
            return Next::Nothing;
        }
        match l.protocol {
            protocol::UDP if t.len() >= 8 => {
                let ports = std::mem::take(&mut self.udp_ports);
                payload(p, tunnel::udp(self, p, at + 8, be16(t, 2), &ports))
            }
            protocol::GRE => payload(p, tunnel::gre(self, p, at)),
            protocol::IPV4 => Next::Ip(at, 4),
            protocol::IPV6 => Next::Ip(at, 6),
            protocol::MPLS => {
                self.label(p, at, DrMatchSetMisc2::INNER_FIRST_MPLS_LABEL.off);
                Next::Nothing
            }
            _ => Next::Nothing,
        }
    }

    /// Whether all bits of `mask` are as in `value`.
    pub fn matches(&self, mask: &[u8], value: &[u8]) -> bool {
        mask.iter().zip(&self.fields).zip(value).all(|((k, m), v)| k & m == k & v)
    }

    /// What a completion says of the packet.
    pub fn info(&self, flow_tag: u32, rx_hash: u32, metadata: u32) -> PacketInfo {
        let (l3, l4) = (self.outer.l3_type(), self.outer.l4_type());
        let mut good = hds::L2_OK;
        if l3 != l3_type::NONE {
            good |= hds::L3_OK;
        }
        if l4 != 0 {
            good |= hds::L4_OK;
        }
        PacketInfo { flow_tag, rx_hash, metadata, good, l3, l4 }
    }
}

/// What a tunnel carries: where, and its ethertype.
fn payload(p: &[u8], found: Option<(usize, u16)>) -> Next {
    match found {
        Some((at, ethertype::BRIDGING)) => Next::Frame(at),
        Some((at, ethertype::IPV4)) => Next::Ip(at, 4),
        Some((at, ethertype::IPV6)) => Next::Ip(at, 6),
        // behind MPLS the first nibble tells
        Some((at, ethertype::MPLS)) => match p.get(at).map(|b| b >> 4) {
            Some(v @ (4 | 6)) => Next::Ip(at, v),
            _ => Next::Frame(at),
        },
        _ => Next::Nothing,
    }
}

/// Step over the extension headers of IPv6: protocol, place, whether the packet is a
/// fragment and whether it is a later one.
fn extensions(p: &[u8], mut protocol: u8, mut at: usize) -> (u8, usize, bool, bool) {
    let (mut fragment, mut later) = (false, false);
    // more than these are not looked through
    const MOST: usize = 8;
    for _ in 0..MOST {
        let Some(head) = p.get(at..at + 8) else { break };
        let len = match protocol {
            protocol::HOP_BY_HOP | protocol::ROUTING | protocol::DESTINATION => {
                8 * (get(head, 8, 8) as usize + 1)
            }
            protocol::FRAGMENT => {
                fragment = true;
                later = get(head, 16, 13) != 0;
                8
            }
            _ => break,
        };
        (protocol, at) = (get(head, 0, 8) as u8, at + len);
    }
    (protocol, at, fragment, later)
}

#[cfg(test)]
#[path = "tests/packet.rs"]
mod tests;
