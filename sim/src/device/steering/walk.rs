//! A packet's way through flow tables.

use super::frame::{B, Frame};
use super::{Destination, Entry, modify, reformat};
use crate::device::Chip;
use crate::device::host::Host;
use crate::device::objects::{general, kind};
use prm::flow::action;
use prm::{CreateFlowSamplerIn, Field, FlowSampler};

/// Table types whose roots packets start from.
const RECEIVE: u8 = 0;
const SEND: u8 = 1;
const RECEIVE_SNIFFER: u8 = 5;
const SEND_SNIFFER: u8 = 6;

/// Most tables on a packet's way.
const MAX_HOPS: usize = 64;

/// What came of a packet in the tables.
#[derive(Default)]
pub(super) struct Ends {
    /// Copies for TIRs.
    pub tirs: Vec<(u32, Frame)>,
    /// Copies that leave the tables: no entry matched in the last one, an entry let it pass,
    /// or sent it to a port.
    pub passed: Vec<Frame>,
}

impl Chip {
    fn frame(&self, p: &[u8], sqn: u32) -> Frame {
        let vxlan: Vec<u16> = self.ports.vxlan.iter().copied().collect();
        Frame::new(p.to_vec(), sqn, &vxlan)
    }

    /// A packet leaves a send queue: through the send tables, and, as everything is in one
    /// place, back in.
    pub(in crate::device) fn packet_out(&mut self, h: &dyn Host, sqn: u32, p: &[u8]) {
        let frame = self.frame(p, sqn);
        let passed = match self.steer.roots.get(&SEND).copied() {
            Some(root) => self.through_tables(root, frame).passed,
            None => vec![frame],
        };
        for f in passed {
            self.sniff(h, SEND_SNIFFER, &f.bytes);
            self.packet_in(h, &f.bytes);
        }
    }

    /// A packet comes in: through the receive tables.
    pub(in crate::device) fn packet_in(&mut self, h: &dyn Host, p: &[u8]) {
        self.sniff(h, RECEIVE_SNIFFER, p);
        if let Some(root) = self.steer.roots.get(&RECEIVE).copied() {
            let frame = self.frame(p, 0);
            self.hand_over(h, root, frame);
        }
    }

    /// A copy for who listens.
    fn sniff(&mut self, h: &dyn Host, table_type: u8, p: &[u8]) {
        if let Some(root) = self.steer.roots.get(&table_type).copied() {
            let frame = self.frame(p, 0);
            self.hand_over(h, root, frame);
        }
    }

    fn hand_over(&mut self, h: &dyn Host, root: u32, frame: Frame) {
        for (tirn, f) in self.through_tables(root, frame).tirs {
            self.tir_receive(h, tirn, &f);
        }
    }

    /// Walk the tables from `root` on.
    pub(super) fn through_tables(&mut self, root: u32, frame: Frame) -> Ends {
        let (mut ends, mut todo, mut hops) = (Ends::default(), vec![(root, frame)], 0);
        while let Some((n, mut f)) = todo.pop() {
            hops += 1;
            let Some(table) = self.steer.tables.get(&n).filter(|_| hops <= MAX_HOPS) else { continue };
            let masks = &self.steer.masks;
            let hit = table
                .entries
                .values()
                .find(|e| masks.get(&e.group).is_some_and(|mask| f.seen.matches(mask, &e.value)));
            let Some(e) = hit.cloned() else {
                match table.miss {
                    Some(next) => todo.push((next, f)),
                    None => ends.passed.push(f),
                }
                continue;
            };
            self.count(&e, f.bytes.len());
            if e.action & action::DROP != 0 {
                continue;
            }
            self.change(&e, &mut f);
            if e.action & action::ALLOW != 0 {
                ends.passed.push(f);
                continue;
            }
            let mut tables = Vec::new();
            for (to, again) in &e.destinations {
                let mut copy = f.clone();
                if let Some(id) = again {
                    self.reformat(*id, &mut copy);
                }
                match *to {
                    Destination::Table(next) => tables.push((next, copy)),
                    Destination::Tir(tirn) => ends.tirs.push((tirn, copy)),
                    Destination::Sampler(id) => {
                        for next in self.sample(id) {
                            tables.push((next, copy.clone()));
                        }
                    }
                    Destination::Port => ends.passed.push(copy),
                }
            }
            // the first one is walked first
            todo.extend(tables.into_iter().rev());
        }
        ends
    }

    fn count(&mut self, e: &Entry, bytes: usize) {
        if e.action & action::COUNT == 0 {
            return;
        }
        for c in &e.counters {
            let (packets, octets) = self.steer.counts.entry(*c).or_default();
            *packets += 1;
            *octets += bytes as u64;
        }
    }

    /// What an entry changes of a packet, in the device's order.
    fn change(&self, e: &Entry, f: &mut Frame) {
        let does = |bit: u32| e.action & bit != 0;
        if e.tag != 0 {
            f.tag = e.tag;
        }
        if does(action::DECAPSULATE) {
            reformat::decapsulate(f);
        }
        for bit in [action::POP_VLAN, action::POP_VLAN_2] {
            if does(bit) {
                reformat::pop_vlan(f);
            }
        }
        if does(action::MODIFY_HEADER)
            && let Some(context) = self.objs.get(&(kind::MODIFY_HEADER, e.modify_header))
        {
            modify::apply(&context.input, f);
        }
        for (bit, tag) in [(action::PUSH_VLAN, e.vlans.0), (action::PUSH_VLAN_2, e.vlans.1)] {
            if does(bit) {
                reformat::push_vlan(tag, f);
            }
        }
        if does(action::REFORMAT) {
            self.reformat(e.reformat, f);
        }
    }

    fn reformat(&self, id: u32, f: &mut Frame) {
        if let Some(context) = self.objs.get(&(kind::REFORMAT, id)) {
            reformat::apply(&context.input, f);
        }
    }

    /// The tables that a sampler sends a packet to: always its default one, and each so
    /// many packets also the one for samples.
    fn sample(&mut self, id: u32) -> Vec<u32> {
        let key = (general(prm::object::FLOW_SAMPLER), id);
        let Some(o) = self.objs.get(&key) else { return Vec::new() };
        let get = |f: Field| f.within(CreateFlowSamplerIn::SAMPLER).get32(&o.input);
        let ratio = get(FlowSampler::SAMPLE_RATIO);
        let (sample, default) = (get(FlowSampler::SAMPLE_TABLE_ID), get(FlowSampler::DEFAULT_TABLE_ID));
        let seen = self.steer.sampled.entry(id).or_default();
        *seen += 1;
        // a ratio of 0 samples nothing
        let due = seen.checked_rem(ratio) == Some(0);
        if due { vec![default, sample] } else { vec![default] }
    }
}

impl Frame {
    /// What the completion has as metadata: register B.
    pub fn metadata(&self) -> u32 {
        self.registers[B]
    }
}

#[cfg(test)]
#[path = "tests/walk.rs"]
mod tests;
