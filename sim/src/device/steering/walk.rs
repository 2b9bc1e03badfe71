//! A packet's way through flow tables.

use super::packet::{Headers, headers};
use crate::device::Chip;
use crate::device::host::Host;

/// Table types whose roots packets start from.
const RECEIVE: u8 = 0;
const SEND: u8 = 1;

/// Bits of an entry's action.
mod action {
    pub const DROP: u32 = 0x2;
    pub const COUNT: u32 = 0x8;
}

/// Types of destinations.
mod destination {
    pub const TABLE: u32 = 1;
    pub const TIR: u32 = 2;
}

/// Most tables on a packet's way.
const MAX_HOPS: usize = 64;

/// Where a packet ends.
enum End {
    /// With these TIRs, and the tag that it got on the way.
    Tirs(Vec<(u32, u32)>),
    /// No entry matched in the last table.
    Miss,
    /// An entry said so.
    Dropped,
}

impl Chip {
    /// A packet leaves a send queue: through the send tables, and, as everything is in one
    /// place, back in.
    pub(in crate::device) fn packet_out(&mut self, h: &dyn Host, sqn: u32, p: &[u8]) {
        if let Some(root) = self.steer.roots.get(&SEND).copied() {
            let seen = headers(p, sqn);
            if matches!(self.walk_tables(root, p, &seen), End::Dropped) {
                return;
            }
        }
        self.packet_in(h, p);
    }

    /// A packet comes in: through the receive tables.
    pub(in crate::device) fn packet_in(&mut self, h: &dyn Host, p: &[u8]) {
        let Some(root) = self.steer.roots.get(&RECEIVE).copied() else { return };
        let seen = headers(p, 0);
        if let End::Tirs(list) = self.walk_tables(root, p, &seen) {
            for (tirn, tag) in list {
                self.tir_receive(h, tirn, p, &seen, tag);
            }
        }
    }

    fn walk_tables(&mut self, root: u32, p: &[u8], seen: &Headers) -> End {
        let (mut tirs, mut todo, mut hops) = (Vec::new(), vec![root], 0);
        let (mut dropped, mut matched) = (false, false);
        while let Some(n) = todo.pop() {
            hops += 1;
            let Some(table) = self.steer.tables.get(&n).filter(|_| hops <= MAX_HOPS) else { continue };
            let masks = &self.steer.masks;
            let hit = table
                .entries
                .values()
                .find(|e| masks.get(&e.group).is_some_and(|mask| seen.matches(mask, &e.value)));
            let Some(e) = hit else {
                todo.extend(table.miss);
                continue;
            };
            matched = true;
            if e.action & action::COUNT != 0 {
                for c in &e.counters {
                    let (packets, bytes) = self.steer.counts.entry(*c).or_default();
                    *packets += 1;
                    *bytes += p.len() as u64;
                }
            }
            dropped |= e.action & action::DROP != 0;
            for (kind, n) in &e.destinations {
                match *kind {
                    destination::TABLE => todo.push(*n),
                    destination::TIR => tirs.push((*n, e.tag)),
                    _ => {}
                }
            }
        }
        match (tirs.is_empty(), dropped, matched) {
            (false, _, _) => End::Tirs(tirs),
            (true, true, _) => End::Dropped,
            _ => End::Miss,
        }
    }
}
