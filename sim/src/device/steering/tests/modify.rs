//! Rewriting.

use super::*;
use crate::device::steering::packet::{ethertype, protocol};
use crate::device::steering::testing::{ether, ipv4, udp};
use prm::bits::{be16, be32};

fn packet() -> Frame {
    let mut l4 = [&udp(1000, 2000, 4)[..], b"data"].concat();
    l4[6] = 1; // a sum, if a wrong one
    Frame::new([&ether(&[5], ethertype::IPV4)[..], &ipv4(protocol::UDP, l4.len()), &l4].concat(), 0, &[])
}

fn action(ty: u64, fields: &[(Field, u64)]) -> Vec<u8> {
    let mut a = vec![0; SetActionIn::SIZE];
    SetActionIn::ACTION_TYPE.set(&mut a, ty);
    fields.iter().for_each(|(f, v)| f.set(&mut a, *v));
    a
}

fn context(actions: &[Vec<u8>]) -> Vec<u8> {
    let mut c = vec![0; AllocModifyHeaderContextIn::SIZE];
    AllocModifyHeaderContextIn::NUM_OF_ACTIONS.set(&mut c, actions.len() as u64);
    [c, actions.concat()].concat()
}

fn set(field: u64, off: u64, len: u64, data: u64) -> Vec<u8> {
    let f = [(SetActionIn::FIELD, field), (SetActionIn::OFFSET, off), (SetActionIn::LENGTH, len)];
    action(SET, &[&f[..], &[(SetActionIn::DATA, data)]].concat())
}

#[test]
fn fields_are_set_and_sums_follow() {
    let mut f = packet();
    let list =
        [set(0x04, 0, 0, 0xa1a2_a3a4), set(0x16, 8, 8, 0x77), set(0x0c, 0, 16, 4242), set(0x17, 0, 12, 9)];
    apply(&context(&list), &mut f);
    assert_eq!(f.bytes[..6], [0xa1, 0xa2, 0xa3, 0xa4, 5, 6]);
    assert_eq!(f.bytes[34..38], [10, 0, 0x77, 2]);
    assert_eq!((be16(&f.bytes, 40), be16(&f.bytes, 14) & 0xfff), (4242, 9));
    let sum = |from: usize, to: usize, more: u32| {
        let words: u32 = (from..to).step_by(2).map(|k| be16(&f.bytes, k) as u32).sum::<u32>() + more;
        (words & 0xffff) + (words >> 16)
    };
    assert_eq!(sum(18, 38, 0), 0xffff, "the header's sum");
    assert_eq!(sum(30, 50, 17 + 12), 0xffff, "the datagram's sum");
    assert_eq!(prm::DrMatchSpec::UDP_DPORT.within(prm::DrMatchParam::OUTER).get(&f.seen.fields), 4242);
}

#[test]
fn only_known_fields_are_named() {
    let known = |list: &[u64]| list.iter().all(|f| is_header_field(*f));
    assert!(known(&[0x01, 0x17, 0x31, 0x46, 0x47, 0x48, 0x49, 0x50, 0x58, 0x59, 0x5c, 0x73]));
    for field in [0, 0x18, 0x30, 0x4a, 0x4f, 0x5d, 0x72, 0x74, 0xfff] {
        assert!(!is_header_field(field), "{field:#x}");
    }
}

#[test]
fn adding_wraps_and_copying_moves_bits() {
    let mut f = packet();
    let minus = action(ADD, &[(AddActionIn::FIELD, 0x0a), (AddActionIn::DATA, 0xffff_ffff)]);
    let copy = action(
        COPY,
        &[
            (CopyActionIn::SRC_FIELD, 0x0b),
            (CopyActionIn::SRC_OFFSET, 4),
            (CopyActionIn::LENGTH, 8),
            (CopyActionIn::DST_FIELD, 0x52),
            (CopyActionIn::DST_OFFSET, 16),
        ],
    );
    apply(&context(&[minus, set(0x52, 0, 0, 0x1111_2222), copy]), &mut f);
    assert_eq!(f.bytes[26], 63);
    // 1000 is 0x3e8
    assert_eq!(f.registers[C0 + 1], 0x113e_2222);
    let register = prm::DrMatchSetMisc2::METADATA_REG_C_1.within(prm::DrMatchParam::MISC2);
    assert_eq!(register.get(&f.seen.fields), 0x113e_2222, "tables match it");
}

#[test]
fn what_is_not_there_stays_away() {
    let mut f = packet();
    let before = f.bytes.clone();
    // TCP ports, an inner address, a version 6 address
    apply(&context(&[set(0x08, 0, 16, 1), set(0x45, 0, 0, 1), set(0x0d, 0, 0, 1)]), &mut f);
    assert_eq!(be32(&f.bytes, 30), be32(&before, 30));
    assert_eq!(f.bytes[38..42], before[38..42]);
}
