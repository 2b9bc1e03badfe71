//! What headers amount to.

use super::*;
use crate::device::steering::testing::{ether, ipv4, ipv6, udp};
use prm::DrMatchSetMisc5;

fn outer(h: &Headers, f: Field) -> u64 {
    f.within(DrMatchParam::OUTER).get(&h.fields)
}

fn inner(h: &Headers, f: Field) -> u64 {
    f.within(DrMatchParam::INNER).get(&h.fields)
}

fn misc(h: &Headers, f: Field) -> u64 {
    f.within(DrMatchParam::MISC).get(&h.fields)
}

#[test]
fn a_tagged_udp_packet_fills_its_fields() {
    let p =
        [&ether(&[0x600a], ethertype::IPV4)[..], &ipv4(protocol::UDP, 8), &udp(0x1234, 0x5678, 0)].concat();
    let h = headers(&p, &[]);
    assert_eq!(outer(&h, DrMatchSpec::DMAC_47_16), 0x0102_0304);
    assert_eq!(outer(&h, DrMatchSpec::SMAC_15_0), 0x0c0d);
    assert_eq!((outer(&h, DrMatchSpec::FIRST_PRIO), outer(&h, DrMatchSpec::FIRST_VID)), (3, 10));
    assert_eq!((outer(&h, DrMatchSpec::CVLAN_TAG), outer(&h, DrMatchSpec::SVLAN_TAG)), (1, 0));
    assert_eq!((outer(&h, DrMatchSpec::ETHERTYPE), outer(&h, DrMatchSpec::IP_VERSION)), (0x800, 4));
    assert_eq!(outer(&h, DrMatchSpec::DST_IP_31_0), 0x0a00_0002);
    assert_eq!((outer(&h, DrMatchSpec::UDP_SPORT), outer(&h, DrMatchSpec::UDP_DPORT)), (0x1234, 0x5678));
    assert_eq!(outer(&h, DrMatchSpec::TCP_DPORT), 0);
    assert_eq!((h.outer.l3_type(), h.outer.l4_type()), (l3_type::IPV4, L4_UDP));
    assert_eq!(
        h.outer,
        Layer { l2: Some(0), vlan: Some(12), l3: Some(18), version: 4, l4: Some(38), protocol: 17 }
    );
}

#[test]
fn vxlan_shows_what_it_carries() {
    let inside = [&ether(&[], ethertype::IPV6)[..], &ipv6(protocol::UDP, 8), &udp(7, 8, 0)].concat();
    let vni = [8, 0, 0, 0, 0x12, 0x34, 0x56, 0];
    let p = |port: u16| {
        let l4 = udp(9, port, 8 + inside.len());
        [&ether(&[], ethertype::IPV4)[..], &ipv4(protocol::UDP, l4.len()), &l4, &vni, &inside].concat()
    };
    let h = headers(&p(4789), &[]);
    assert_eq!(misc(&h, DrMatchSetMisc::VXLAN_VNI), 0x12_3456);
    assert_eq!(DrMatchSetMisc5::TUNNEL_HEADER_1.within(DrMatchParam::MISC5).get(&h.fields), 0x1234_5600);
    assert_eq!(inner(&h, DrMatchSpec::IP_VERSION), 6);
    assert_eq!((inner(&h, DrMatchSpec::UDP_SPORT), outer(&h, DrMatchSpec::UDP_SPORT)), (7, 9));
    assert_eq!(inner(&h, DrMatchSpec::DST_IP_31_0), 0xff00_00ee);
    assert_eq!(h.inner.map(|l| (l.l2, l.l3)), Some((Some(50), Some(64))));
    assert!(headers(&p(5000), &[]).inner.is_none());
    assert!(headers(&p(5000), &[5000]).inner.is_some(), "a port that was added");
}

#[test]
fn gre_geneve_and_mpls_are_tunnels_too() {
    let inside =
        [&ipv4(protocol::TCP, 20)[..], &[0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0x50, 0x12], &[0; 6]].concat();
    let gre = [&[0x20, 0, 8, 0, 0xaa, 0xbb, 0xcc, 0xdd][..], &inside].concat();
    let p = [&ether(&[], ethertype::IPV4)[..], &ipv4(protocol::GRE, gre.len()), &gre].concat();
    let h = headers(&p, &[]);
    assert_eq!((misc(&h, DrMatchSetMisc::GRE_PROTOCOL), misc(&h, DrMatchSetMisc::GRE_K_PRESENT)), (0x800, 1));
    assert_eq!((misc(&h, DrMatchSetMisc::GRE_KEY_H), misc(&h, DrMatchSetMisc::GRE_KEY_L)), (0xaa_bbcc, 0xdd));
    assert_eq!((inner(&h, DrMatchSpec::TCP_DPORT), inner(&h, DrMatchSpec::TCP_FLAGS)), (2, 0x12));
    let misc3 = |f: Field| f.within(DrMatchParam::MISC3).get(&h.fields);
    assert_eq!(
        (misc3(DrMatchSetMisc3::INNER_TCP_SEQ_NUM), misc3(DrMatchSetMisc3::OUTER_TCP_SEQ_NUM)),
        (3, 0)
    );
    let geneve = [&[1, 0x80, 0x65, 0x58, 0, 0, 9, 0, 1, 2, 3, 4][..], &ether(&[], 0x806)].concat();
    let l4 = udp(1, 6081, geneve.len());
    let p = [&ether(&[], ethertype::IPV4)[..], &ipv4(protocol::UDP, l4.len()), &l4, &geneve].concat();
    let h = headers(&p, &[]);
    assert_eq!((misc(&h, DrMatchSetMisc::GENEVE_VNI), misc(&h, DrMatchSetMisc::GENEVE_OAM)), (9, 1));
    assert_eq!(inner(&h, DrMatchSpec::ETHERTYPE), 0x806);
    let labels = [&[0x12, 0x34, 0x50, 64, 0x99, 0x99, 0x91, 64][..], &inside].concat();
    let l4 = udp(1, 6635, labels.len());
    let p = [&ether(&[], ethertype::IPV4)[..], &ipv4(protocol::UDP, l4.len()), &l4, &labels].concat();
    let h = headers(&p, &[]);
    let label = DrMatchSetMisc2::OUTER_FIRST_MPLS_OVER_UDP_LABEL.within(DrMatchParam::MISC2);
    assert_eq!(label.get(&h.fields), 0x1_2345);
    assert_eq!(inner(&h, DrMatchSpec::TCP_SPORT), 1);
}

#[test]
fn later_fragments_have_no_ports() {
    let mut ip = ipv4(protocol::UDP, 8);
    (ip[6], ip[7]) = (0, 5);
    let p = [&ether(&[], ethertype::IPV4)[..], &ip, &udp(7, 8, 0)].concat();
    let h = headers(&p, &[]);
    assert_eq!((outer(&h, DrMatchSpec::FRAG), outer(&h, DrMatchSpec::UDP_SPORT)), (1, 0));
    let extension = [protocol::UDP, 0, 0, 1, 0, 0, 0, 9];
    let ip = ipv6(protocol::FRAGMENT, 16);
    let p = [&ether(&[], ethertype::IPV6)[..], &ip, &extension, &udp(7, 8, 0)].concat();
    let h = headers(&p, &[]);
    assert_eq!((outer(&h, DrMatchSpec::FRAG), outer(&h, DrMatchSpec::IP_PROTOCOL)), (1, 17));
    assert_eq!(outer(&h, DrMatchSpec::UDP_SPORT), 7, "the first fragment has them");
}

#[test]
fn short_frames_are_no_trouble() {
    let inside = [&ether(&[], ethertype::IPV6)[..], &ipv6(protocol::UDP, 8), &udp(7, 8, 0)].concat();
    for port in [4789, 4790, 6081, 6635, 2152, 4791] {
        let l4 = udp(9, port, 8 + inside.len());
        let p =
            [&ether(&[1, 2], ethertype::IPV4)[..], &ipv4(protocol::UDP, l4.len()), &l4, &[0xff; 8], &inside];
        let p = p.concat();
        for n in 0..p.len() {
            headers(&p[..n], &[]);
        }
    }
}
