//! Headers put in front and taken away.

use super::*;
use crate::device::steering::packet::Layer;
use crate::device::steering::testing::{ether, ipv4, udp};

fn context(ty: u64, place: (u64, u64), data: &[u8]) -> Vec<u8> {
    let at = AllocPacketReformatContextIn::PACKET_REFORMAT_CONTEXT;
    let start = PacketReformatContextIn::REFORMAT_DATA.within(at).byte();
    let mut c = vec![0; start];
    TYPE.within(at).set(&mut c, ty);
    PacketReformatContextIn::REFORMAT_PARAM_0.within(at).set(&mut c, place.0);
    PacketReformatContextIn::REFORMAT_DATA_SIZE.within(at).set(&mut c, data.len() as u64);
    c.extend(data);
    c.resize(c.len().max(start + 2), 0);
    PacketReformatContextIn::REFORMAT_PARAM_1.within(at).set(&mut c, place.1);
    c
}

fn plain() -> Vec<u8> {
    [&ether(&[], ethertype::IPV4)[..], &ipv4(protocol::UDP, 12), &udp(1, 2, 4), b"data"].concat()
}

fn tunnel() -> Vec<u8> {
    [&ether(&[], ethertype::IPV4)[..], &ipv4(protocol::UDP, 0), &udp(3, 4789, 0), &[8, 0, 0, 0, 0, 0, 7, 0]]
        .concat()
}

#[test]
fn a_tunnel_goes_on_and_comes_off() {
    let mut f = Frame::new(plain(), 0, &[]);
    apply(&context(kind::L2_TO_L2_TUNNEL, (0, 0), &tunnel()), &mut f);
    assert_eq!(f.bytes.len(), 50 + 46);
    assert_eq!((be16(&f.bytes, 16), be16(&f.bytes, 38)), (82, 62), "lengths follow");
    let mut again = f.bytes.clone();
    ipv4_sum_is_right(&mut again);
    assert_eq!(f.seen.inner.and_then(|l: Layer| l.l2), Some(50));
    decapsulate(&mut f);
    assert_eq!(f.bytes, plain());
    decapsulate(&mut f);
    assert_eq!(f.bytes, plain(), "nothing more to take off");
}

fn ipv4_sum_is_right(p: &mut [u8]) {
    let sum = be16(p, 24);
    super::ipv4(p, 14);
    assert_eq!(be16(p, 24), sum);
}

#[test]
fn packets_of_a_layer_three_tunnel_lose_and_get_their_frame() {
    let gre = [0, 0, 8, 0];
    let data = [&ether(&[], ethertype::IPV4)[..], &ipv4(protocol::GRE, 0), &gre].concat();
    let mut f = Frame::new(plain(), 0, &[]);
    apply(&context(kind::L2_TO_L3_TUNNEL, (0, 0), &data), &mut f);
    assert_eq!(f.bytes[38..], plain()[14..]);
    assert_eq!(be16(&f.bytes, 16), 20 + 4 + 32);
    let header = ether(&[6], ethertype::IPV4);
    apply(&context(kind::L3_TUNNEL_TO_L2, (0, 0), &header), &mut f);
    assert_eq!(f.bytes, [&header[..], &plain()[14..]].concat());
}

#[test]
fn headers_and_tags_go_in_and_out() {
    let mut f = Frame::new(plain(), 0, &[]);
    push_vlan(0x8100_2064, &mut f);
    assert_eq!(f.bytes[12..16], [0x81, 0, 0x20, 0x64]);
    pop_vlan(&mut f);
    assert_eq!(f.bytes, plain());
    pop_vlan(&mut f);
    assert_eq!(f.bytes, plain(), "no tag is left");
    apply(&context(kind::INSERT_HEADER, (anchor::IP, 0), &[0xee; 4]), &mut f);
    assert_eq!(f.bytes[14..19], [0xee, 0xee, 0xee, 0xee, 0x45]);
    apply(&context(kind::REMOVE_HEADER, (anchor::MAC, 14), &[0; 4]), &mut f);
    assert_eq!(f.bytes, plain());
}
