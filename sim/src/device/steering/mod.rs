//! Receive steering of Ethernet packets: flow tables, groups, entries, TIRs.

use crate::device::Chip;
use crate::device::host::{Host, rd32};
use crate::device::queues::{Buf, Rq};
use prm::bits::{be32, get, set};
use std::collections::BTreeMap;

pub(super) struct Table {
    pub miss: u32,
    pub entries: BTreeMap<u32, Entry>,
}

pub(super) struct Entry {
    pub group: u32,
    pub value: Vec<u8>,
    pub action: u32,
    pub tag: u32,
    /// (type, number) of each destination, then the counters.
    pub dests: Vec<(u8, u32)>,
    pub counters: Vec<u32>,
}

#[derive(Default)]
pub(super) struct Steer {
    pub tables: BTreeMap<u32, Table>,
    pub masks: BTreeMap<u32, Vec<u8>>,
    pub roots: BTreeMap<u8, u32>,
    pub counts: BTreeMap<u32, (u64, u64)>,
    /// Ethernet receive queues with their completion queue and user index.
    pub rqs: BTreeMap<u32, (Rq, u32, u32)>,
}

/// The match vector of a packet, in the layout of the match parameters.
fn headers(p: &[u8]) -> Vec<u8> {
    let mut m = vec![0u8; 512];
    if p.len() < 14 {
        return m;
    }
    m[8..14].copy_from_slice(&p[0..6]);
    m[0..6].copy_from_slice(&p[6..12]);
    let mut at = 12;
    let mut et = u16::from_be_bytes([p[12], p[13]]);
    if et == 0x8100 && p.len() >= 18 {
        let tci = u16::from_be_bytes([p[14], p[15]]);
        set(&mut m, 0x70, 16, tci as u64);
        set(&mut m, 0x90, 1, 1);
        et = u16::from_be_bytes([p[16], p[17]]);
        at = 16;
    }
    set(&mut m, 0x30, 16, et as u64);
    let ip = &p[(at + 2).min(p.len())..];
    let (proto, l4) = match et {
        0x0800 if ip.len() >= 20 => {
            set(&mut m, 0x93, 4, 4);
            set(&mut m, 0x88, 8, ip[1] as u64);
            set(&mut m, 0xd0, 4, (ip[0] & 15) as u64);
            set(&mut m, 0xd8, 8, ip[8] as u64);
            let f = u16::from_be_bytes([ip[6], ip[7]]);
            set(&mut m, 0x92, 1, (f & 0x3fff != 0) as u64);
            m[44..48].copy_from_slice(&ip[12..16]);
            m[60..64].copy_from_slice(&ip[16..20]);
            (ip[9], &ip[((ip[0] & 15) as usize * 4).min(ip.len())..])
        }
        0x86dd if ip.len() >= 40 => {
            set(&mut m, 0x93, 4, 6);
            set(&mut m, 0x88, 8, (be32(ip, 0) >> 20 & 0xff) as u64);
            set(&mut m, 0xd8, 8, ip[7] as u64);
            m[32..48].copy_from_slice(&ip[8..24]);
            m[48..64].copy_from_slice(&ip[24..40]);
            set(&mut m, 0x200 + 0xec, 20, (be32(ip, 0) & 0xf_ffff) as u64);
            (ip[6], &ip[40..])
        }
        _ => return m,
    };
    set(&mut m, 0x80, 8, proto as u64);
    if l4.len() >= 4 {
        let (s, d) = (get(l4, 0, 16), get(l4, 16, 16));
        match proto {
            6 => {
                set(&mut m, 0xa0, 16, s);
                set(&mut m, 0xb0, 16, d);
                if l4.len() >= 14 {
                    set(&mut m, 0x97, 9, get(l4, 103, 9));
                }
            }
            17 => {
                set(&mut m, 0xe0, 16, s);
                set(&mut m, 0xf0, 16, d);
            }
            _ => {}
        }
    }
    m
}

impl Chip {
    pub(super) fn ft_command(&mut self, op: u16, i: &[u8], id: u32) {
        let st = &mut self.steer;
        let table = get(i, 0xa8, 24) as u32;
        match op {
            0x930 => {
                let miss = if get(i, 0xc4, 4) == 1 { get(i, 0xc0 + 0x28, 24) as u32 } else { 0 };
                st.tables.insert(id, Table { miss, entries: BTreeMap::new() });
            }
            0x931 => drop(st.tables.remove(&table)),
            0x933 => {
                st.masks.insert(id, i[64..576].to_vec());
            }
            0x934 => drop(st.masks.remove(&(get(i, 0xc0, 32) as u32))),
            0x92f => {
                st.roots.insert(i[16], table);
            }
            0x93c => {
                if let Some(t) = st.tables.get_mut(&table) {
                    t.miss = if get(i, 0xc0 + 0x40 + 4, 4) == 1 {
                        get(i, 0xc0 + 0x40 + 0x28, 24) as u32
                    } else {
                        0
                    };
                }
            }
            0x936 => {
                let c = 0x200;
                let nd = get(i, c + 0x88, 24) as usize;
                let nc = get(i, c + 0xa8, 24) as usize;
                let size = if get(i, c + 0x80, 1) != 0 { 16 } else { 8 };
                let at = (c + 0x1800) / 8;
                let word = |k: usize| i.get(at + k..at + k + 4).map(|b| be32(b, 0)).unwrap_or(0);
                let dests =
                    (0..nd).map(|k| word(k * size)).map(|w| ((w >> 24) as u8, w & 0xff_ffff)).collect();
                let counters = (0..nc).map(|k| word((nd + k) * size)).collect();
                let e = Entry {
                    group: get(i, c + 0x20, 32) as u32,
                    value: i[(c + 0x200) / 8..(c + 0x200) / 8 + 512].to_vec(),
                    action: get(i, c + 0x70, 16) as u32,
                    tag: get(i, c + 0x48, 24) as u32,
                    dests,
                    counters,
                };
                if let Some(t) = st.tables.get_mut(&table) {
                    t.entries.insert(get(i, 0x100, 32) as u32, e);
                }
            }
            0x938 => {
                if let Some(t) = st.tables.get_mut(&table) {
                    t.entries.remove(&(get(i, 0x100, 32) as u32));
                }
            }
            _ => {}
        }
    }

    pub(super) fn rq_create(&mut self, rqn: u32, i: &[u8]) {
        let c = 0x100;
        let w = c + 0x180;
        let shift = 12 + get(i, w + 0x113, 5) as u32;
        let mut off = get(i, w + 0x2b, 5) << shift >> 6;
        let stride = 1u64 << get(i, w + 0x10c, 4);
        let log = get(i, w + 0x11b, 5) as u32;
        let n = (off + (stride << log) + (1 << shift) - 1) >> shift;
        let at = (w + 0x600) / 8;
        let mut pas: Vec<u64> = (0..n as usize)
            .map_while(|k| i.get(at + 8 * k..at + 8 * k + 8).map(|b| prm::bits::be64(b, 0) & !0xfff))
            .collect();
        let mut sh = shift;
        if get(i, w + 0x121, 1) != 0 {
            off = get(i, w + 0x180, 64);
            if let Some((p, s)) = self.umem_pages(get(i, w + 0x160, 32) as u32) {
                pas = p;
                sh = s;
            }
        }
        let mut dbr = get(i, w + 0x80, 64);
        if get(i, w + 0x120, 1) != 0 {
            dbr = self.umem_addr(get(i, w + 0x140, 32) as u32, dbr);
        }
        let rq = Rq {
            buf: Buf { pas, shift: sh, off },
            log_size: log,
            stride,
            dbr,
            pd: get(i, w + 0x48, 24) as u32,
            ..Default::default()
        };
        let cqn = get(i, c + 0x48, 24) as u32;
        let uidx = get(i, c + 0x28, 24) as u32;
        self.steer.rqs.insert(rqn, (rq, cqn, uidx));
    }

    /// A packet comes in: walk the receive tables from the root.
    pub(super) fn packet_in(&mut self, h: &dyn Host, p: &[u8]) {
        let m = headers(p);
        let Some(&root) = self.steer.roots.get(&0) else { return };
        let mut todo = vec![root];
        let mut hops = 0;
        while let Some(t) = todo.pop() {
            hops += 1;
            if hops > 64 {
                return;
            }
            let Some(table) = self.steer.tables.get(&t) else { continue };
            let hit = table.entries.values().find(|e| {
                self.steer
                    .masks
                    .get(&e.group)
                    .is_some_and(|k| k.iter().zip(&m).zip(&e.value).all(|((k, m), v)| k & m == k & v))
            });
            let Some(e) = hit else {
                if table.miss != 0 {
                    todo.push(table.miss);
                }
                continue;
            };
            let (dests, tag, counters) = (e.dests.clone(), e.tag, e.counters.clone());
            let action = e.action;
            for c in counters {
                let n = self.steer.counts.entry(c).or_default();
                n.0 += 1;
                n.1 += p.len() as u64;
            }
            if action & 2 != 0 {
                continue;
            }
            for (kind, n) in dests {
                match kind {
                    1 => todo.push(n),
                    2 => self.tir_receive(h, n, p, &m, tag),
                    _ => {}
                }
            }
        }
    }

    fn tir_receive(&mut self, h: &dyn Host, tirn: u32, p: &[u8], m: &[u8], tag: u32) {
        let Some(t) = self.objs.get(&(0x900, tirn)) else { return };
        let c = 0x100;
        let rqn = if get(&t.input, c + 0x20, 4) == 0 {
            get(&t.input, c + 0xe8, 24) as u32
        } else {
            let Some(q) = self.objs.get(&(0x916, get(&t.input, c + 0x108, 24) as u32)) else { return };
            let n = (get(&q.input, c + 0xd0, 16) as usize).max(1);
            let hash: usize = m[0..64].iter().map(|&x| x as usize).sum();
            get(&q.input, c + 0x780 + 32 * (hash % n) + 8, 24) as u32
        };
        let Some((rq, cqn, uidx)) = self.steer.rqs.get_mut(&rqn) else { return };
        let (cqn, uidx) = (*cqn, *uidx);
        let pi = rd32(h, rq.dbr) as u16;
        if rq.dbr == 0 || pi == rq.ci {
            return;
        }
        let idx = rq.ci;
        let w = rq.buf.read(h, (idx as u64 & ((1 << rq.log_size) - 1)) * rq.stride, rq.stride as usize);
        rq.ci = idx.wrapping_add(1);
        self.pd = Some(rq.pd);
        let mut e = [0u8; 64];
        let ok = self.scatter_raw(h, &w, p);
        e[32..36].copy_from_slice(&uidx.to_be_bytes());
        e[44..48].copy_from_slice(&(p.len() as u32).to_be_bytes());
        e[56..60].copy_from_slice(&(tag & 0xff_ffff).to_be_bytes());
        e[60..62].copy_from_slice(&idx.to_be_bytes());
        e[63] = if ok { 2 << 4 } else { 14 << 4 };
        self.post_cqe(h, cqn, e, false);
    }
}
