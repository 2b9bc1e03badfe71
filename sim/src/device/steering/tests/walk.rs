//! A packet in; what comes out.

use super::*;
use crate::device::command::testing::Bench;
use crate::device::steering::mask_of;
use crate::device::steering::packet::{ethertype, protocol};
use crate::device::steering::testing::{ether, ipv4, udp};
use crate::device::steering::{Steer, Table};
use prm::{CreateFlowGroupIn, DrMatchParam, DrMatchSpec};
use std::collections::BTreeMap;

const PORT: Field = DrMatchSpec::UDP_DPORT.within(DrMatchParam::OUTER);

fn packet(port: u16) -> Vec<u8> {
    [&ether(&[], ethertype::IPV4)[..], &ipv4(protocol::UDP, 8), &udp(1, port, 0)].concat()
}

/// An entry in a group of its own that matches on a port, if at all.
fn entry(s: &mut Steer, group: u32, port: Option<u64>, action: u32, to: &[Destination]) -> Entry {
    let mut g = vec![0; CreateFlowGroupIn::SIZE];
    CreateFlowGroupIn::MATCH_CRITERIA_ENABLE.set(&mut g, 1);
    let (mut value, mask) = (vec![0; super::super::MATCH], if port.is_some() { 0xffff } else { 0 });
    PORT.within(CreateFlowGroupIn::MATCH_CRITERIA).set(&mut g, mask);
    PORT.set(&mut value, port.unwrap_or(0));
    s.masks.insert(group, mask_of(&g));
    Entry {
        group,
        value,
        action,
        tag: 0,
        destinations: to.iter().map(|d| (*d, None)).collect(),
        counters: vec![],
        modify_header: 0,
        reformat: 0,
        vlans: (0, 0),
    }
}

fn table(s: &mut Steer, n: u32, miss: Option<u32>, entries: Vec<Entry>) {
    let entries: BTreeMap<u32, Entry> = (0..).zip(entries).collect();
    s.tables.insert(n, Table { miss, entries });
}

const FORWARD: u32 = 4;

#[test]
fn packets_go_where_the_first_match_sends_them() {
    let mut b = Bench::new();
    let s = &mut b.chip.steer;
    let mut tagged = entry(s, 1, Some(7), FORWARD | action::COUNT, &[Destination::Table(2)]);
    (tagged.tag, tagged.counters) = (5, vec![33]);
    let dropped = entry(s, 2, Some(8), action::DROP | action::COUNT, &[]);
    let dropped = Entry { counters: vec![34], ..dropped };
    let never = entry(s, 3, Some(7), action::DROP, &[]);
    table(s, 1, Some(3), vec![tagged, dropped, never]);
    let both = entry(s, 4, None, FORWARD, &[Destination::Tir(9), Destination::Tir(10)]);
    table(s, 2, None, vec![both]);
    let rest = entry(s, 5, Some(9), action::ALLOW, &[]);
    table(s, 3, None, vec![rest]);
    let mut run = |port: u16| {
        let e = b.chip.through_tables(1, Frame::new(packet(port), 0, &[]));
        (e.tirs.iter().map(|(n, f)| (*n, f.tag)).collect::<Vec<_>>(), e.passed.len())
    };
    assert_eq!(run(7), (vec![(9, 5), (10, 5)], 0));
    assert_eq!(run(8), (vec![], 0), "dropped");
    assert_eq!(run(9), (vec![], 1), "missed to the table behind and let through");
    assert_eq!(run(10), (vec![], 1), "missed everywhere");
    assert_eq!(b.chip.steer.counts.get(&33), Some(&(1, 42)));
    assert_eq!(b.chip.steer.counts.get(&34), Some(&(1, 42)));
}

#[test]
fn a_part_of_the_mask_counts_only_if_enabled() {
    let mut g = vec![0; CreateFlowGroupIn::SIZE];
    PORT.within(CreateFlowGroupIn::MATCH_CRITERIA).set(&mut g, 0xffff);
    let f = Frame::new(packet(7), 0, &[]);
    let other = vec![0; super::super::MATCH];
    assert!(f.seen.matches(&mask_of(&g), &other));
    CreateFlowGroupIn::MATCH_CRITERIA_ENABLE.set(&mut g, 1);
    assert!(!f.seen.matches(&mask_of(&g), &other));
}

#[test]
fn tables_that_go_in_circles_end() {
    let mut b = Bench::new();
    let s = &mut b.chip.steer;
    let round = entry(s, 1, None, FORWARD, &[Destination::Table(1)]);
    table(s, 1, None, vec![round]);
    let e = b.chip.through_tables(1, Frame::new(packet(7), 0, &[]));
    assert!(e.tirs.is_empty() && e.passed.is_empty());
}

#[test]
fn destinations_get_copies_of_their_own() {
    let mut b = Bench::new();
    let s = &mut b.chip.steer;
    let mut split =
        entry(s, 1, None, FORWARD, &[Destination::Table(2), Destination::Tir(4), Destination::Port]);
    (split.action, split.vlans) = (split.action | action::PUSH_VLAN, (0x8100_0007, 0));
    table(s, 1, None, vec![split]);
    let mut pop = entry(s, 2, None, FORWARD | action::POP_VLAN, &[Destination::Tir(3)]);
    pop.tag = 1;
    table(s, 2, None, vec![pop]);
    let e = b.chip.through_tables(1, Frame::new(packet(7), 0, &[]));
    let seen: Vec<_> = e.tirs.iter().map(|(n, f)| (*n, f.tag, f.bytes.len())).collect();
    assert_eq!(seen, [(4, 0, 46), (3, 1, 42)]);
    assert_eq!(e.passed.first().map(|f| f.bytes.len()), Some(46));
}
