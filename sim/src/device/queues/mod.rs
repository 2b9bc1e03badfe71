//! Data path: memory keys, completion queues, queue pairs, send and receive work.

use crate::device::Chip;
use crate::device::host::{Host, rd32};
use prm::bits::{be32, be64, get, set};
use std::collections::{BTreeMap, BTreeSet};

/// A queue buffer made of device pages.
#[derive(Default, Clone)]
pub(super) struct Buf {
    pub pas: Vec<u64>,
    pub shift: u32,
    pub off: u64,
}

impl Buf {
    fn each(&self, at: u64, len: usize, mut f: impl FnMut(u64, usize, usize)) {
        let (mut o, mut done) = (self.off + at, 0);
        while done < len {
            let page = (o >> self.shift) as usize;
            let inp = o & ((1 << self.shift) - 1);
            let n = ((1u64 << self.shift) - inp).min((len - done) as u64) as usize;
            if let Some(p) = self.pas.get(page) {
                f(p + inp, done, n);
            }
            o += n as u64;
            done += n;
        }
    }
    pub(super) fn read(&self, h: &dyn Host, at: u64, len: usize) -> Vec<u8> {
        let mut v = vec![0; len];
        self.each(at, len, |a, d, n| {
            let _ = h.read(a, &mut v[d..d + n]);
        });
        v
    }
    pub(super) fn write(&self, h: &dyn Host, at: u64, b: &[u8]) {
        self.each(at, b.len(), |a, d, n| {
            let _ = h.write(a, &b[d..d + n]);
        });
    }
}

pub(super) struct Mkey {
    pub mkc: [u8; 64],
    pub xlt: Vec<u8>,
}

pub(super) struct Cq {
    pub ctx: Vec<u8>,
    pub buf: Buf,
    pub log_size: u32,
    pub cqe_len: u64,
    pub eqn: u32,
    pub dbr: u64,
    pub pi: u32,
    /// Armed: `Some(solicited_only)`.
    pub armed: Option<bool>,
    pub broken: bool,
}

/// Where receives come from.
#[derive(Default, Clone)]
pub(super) struct Rq {
    pub buf: Buf,
    pub log_size: u32,
    pub stride: u64,
    pub dbr: u64,
    pub ci: u16,
    pub linked: bool,
    pub cur: u16,
    pub pd: u32,
    pub cqn: u32,
    pub uidx: u32,
}

#[derive(Default)]
pub(super) struct Qp {
    pub ctx: Vec<u8>,
    pub state: u8,
    pub sq: Buf,
    pub sq_at: u64,
    pub sq_log: u32,
    pub sq_dbr: u64,
    pub sq_ci: u16,
    pub rq: Rq,
    pub srq: Option<(u16, u32)>,
    pub stalls: u32,
}

/// A send queue without a queue pair (Ethernet, or the driver's own).
pub(super) struct Sq {
    pub buf: Buf,
    pub log_size: u32,
    pub dbr: u64,
    pub ci: u16,
    pub cqn: u32,
    pub uidx: u32,
}

#[derive(Default)]
pub(super) struct Dp {
    pub sqs: BTreeMap<u32, Sq>,
    pub mkeys: BTreeMap<u32, Mkey>,
    pub cqs: BTreeMap<u32, Cq>,
    pub qps: BTreeMap<u32, Qp>,
    pub srqs: BTreeMap<(u16, u32), Rq>,
    pub pending: BTreeSet<u32>,
}

const QPC: usize = 24; // byte offset of the context in the commands
pub const INVALID_LKEY: u32 = 0x100;
const NULL_KEY: u32 = 0x200;

// completion opcodes
const REQ: u8 = 0;
const REQ_ERR: u8 = 13;
const RESP_ERR: u8 = 14;

// syndromes
const LOCAL_LEN: u8 = 0x01;
const LOCAL_OP: u8 = 0x02;
const LOCAL_PROT: u8 = 0x04;
const FLUSHED: u8 = 0x05;
const REM_INVAL: u8 = 0x12;
const REM_ACCESS: u8 = 0x13;
const REM_OP: u8 = 0x14;
const RETRY: u8 = 0x15;
const RNR: u8 = 0x16;

enum Acc {
    LocalRead,
    LocalWrite,
    RemoteRead,
    RemoteWrite,
    Atomic,
}

struct Seg {
    key: u32,
    va: u64,
    len: usize,
}

enum Step {
    Done,
    Wait(u8),
    Fail(u8),
}

fn pas_of(i: &[u8], at: usize, bytes: u64, shift: u32, off: u64) -> Vec<u64> {
    let n = (off + bytes + (1 << shift) - 1) >> shift;
    (0..n as usize).map_while(|k| i.get(at + 8 * k..at + 8 * k + 8).map(|b| be64(b, 0) & !0xfff)).collect()
}

impl Chip {
    // ------------------------------------------------------------ memory keys

    pub(super) fn mkey_create(&mut self, idx: u32, i: &[u8]) {
        let mut mkc = [0u8; 64];
        mkc.copy_from_slice(&i[16..80]);
        let n = (get(i, 0x300, 32) as usize) * 16;
        let room = (get(&mkc, 0x1a0, 32) as usize) * 16;
        let mut xlt = i.get(272..(272 + n).min(i.len())).unwrap_or(&[]).to_vec();
        xlt.resize(room.max(n), 0);
        self.dp.mkeys.insert(idx, Mkey { mkc, xlt });
    }

    /// Turn a key range into device addresses.
    fn walk(&self, key: u32, va: u64, len: usize, acc: &Acc, depth: u32) -> Option<Vec<(u64, usize)>> {
        if len == 0 {
            return Some(vec![]);
        }
        let k = self.dp.mkeys.get(&(key >> 8))?;
        if depth > 3 || get(&k.mkc, 1, 1) != 0 || k.mkc[7] != key as u8 {
            return None;
        }
        // a key reached through another one is used with its local rights
        let right = match (acc, depth) {
            (Acc::LocalRead, _) | (Acc::RemoteRead, 1..) => 0x15,
            (Acc::LocalWrite, _) | (Acc::RemoteWrite | Acc::Atomic, 1..) => 0x14,
            (Acc::RemoteRead, 0) => 0x13,
            (Acc::RemoteWrite, 0) => 0x12,
            (Acc::Atomic, 0) => 0x11,
        };
        if depth == 0 && self.pd.is_some_and(|p| get(&k.mkc, 0x68, 24) as u32 != p) {
            return None;
        }
        if get(&k.mkc, right, 1) == 0 {
            return None;
        }
        let start = get(&k.mkc, 0x80, 64);
        let total = get(&k.mkc, 0xc0, 64);
        if get(&k.mkc, 0x60, 1) == 0 && (va < start || (va - start) as u128 + len as u128 > total as u128) {
            return None;
        }
        let mode = get(&k.mkc, 0x16, 2) | get(&k.mkc, 3, 3) << 2;
        let mut out = Vec::new();
        match mode {
            0 => out.push((va, len)),
            1 | 3 => {
                let shift = get(&k.mkc, 0x1da, 6) as u32;
                let base = start & !((1u64 << shift) - 1);
                let (mut a, mut left) = (va, len);
                while left > 0 {
                    let e = ((a - base) >> shift) as usize;
                    let inp = a & ((1 << shift) - 1);
                    let n = ((1u64 << shift) - inp).min(left as u64) as usize;
                    if mode == 1 {
                        let p = be64(k.xlt.get(8 * e..8 * e + 8)?, 0) & !0x7;
                        out.push((p + inp, n));
                    } else {
                        let ent = k.xlt.get(16 * e..16 * e + 16)?;
                        out.extend(self.walk(be32(ent, 4), be64(ent, 8) + inp, n, acc, depth + 1)?);
                    }
                    a += n as u64;
                    left -= n;
                }
            }
            2 => {
                let (mut skip, mut left) = (va - start, len);
                for ent in k.xlt.chunks_exact(16) {
                    if left == 0 {
                        break;
                    }
                    let bytes = be32(ent, 0) as u64;
                    if skip >= bytes {
                        skip -= bytes;
                        continue;
                    }
                    let n = (bytes - skip).min(left as u64) as usize;
                    out.extend(self.walk(be32(ent, 4), be64(ent, 8) + skip, n, acc, depth + 1)?);
                    skip = 0;
                    left -= n;
                }
                if left > 0 {
                    return None;
                }
            }
            _ => return None,
        }
        Some(out)
    }

    fn load(&self, h: &dyn Host, key: u32, va: u64, len: usize, acc: Acc) -> Option<Vec<u8>> {
        if key == NULL_KEY {
            return Some(vec![0; len]);
        }
        let mut v = vec![0; len];
        let mut d = 0;
        for (a, n) in self.walk(key, va, len, &acc, 0)? {
            if h.read(a, &mut v[d..d + n]).is_err() {
                return None;
            }
            d += n;
        }
        Some(v)
    }

    fn store(&self, h: &dyn Host, key: u32, va: u64, b: &[u8], acc: Acc) -> Option<()> {
        if key == NULL_KEY {
            return Some(());
        }
        let mut d = 0;
        for (a, n) in self.walk(key, va, b.len(), &acc, 0)? {
            if h.write(a, &b[d..d + n]).is_err() {
                return None;
            }
            d += n;
        }
        Some(())
    }

    fn umr(&mut self, h: &dyn Host, w: &[u8]) -> Step {
        let key = be32(w, 12);
        let flags = w[16];
        let octs = get(w, (16 + 4) * 8, 16) as usize;
        let mask = be64(w, 16 + 8);
        let mut off = get(w, (16 + 6) * 8, 16) as usize;
        if flags & 0x10 != 0 {
            off |= (be32(w, 32) as usize) << 16;
        } else {
            off = 0;
        }
        let seg = &w[64..128];
        let mut xlt = None;
        if octs > 0 {
            let bytes = octs * 16;
            if flags & 0x80 != 0 {
                xlt = w.get(128..128 + bytes).map(|x| x.to_vec());
            } else if w.len() >= 144 {
                let n = (be32(w, 128) as usize & 0x7fff_ffff).min(bytes);
                xlt = self.load(h, be32(w, 132), be64(w, 136), n, Acc::LocalRead);
            }
            if xlt.is_none() {
                return Step::Fail(LOCAL_PROT);
            }
        }
        let Some(k) = self.dp.mkeys.get_mut(&(key >> 8)) else { return Step::Fail(LOCAL_OP) };
        // mask bit -> field of the memory key context
        const F: &[(u32, usize, usize)] = &[
            (0, 0xc0, 64),
            (0, 0x60, 1),
            (1, 0x1db, 5),
            (42, 0x1da, 1),
            (6, 0x80, 64),
            (7, 0x68, 24),
            (8, 0x67, 1),
            (12, 0x61, 1),
            (13, 0x38, 8),
            (14, 0x20, 24),
            (17, 0x15, 1),
            (18, 0x14, 1),
            (19, 0x13, 1),
            (20, 0x12, 1),
            (21, 0x11, 1),
            (23, 0x0f, 1),
            (25, 0x0d, 1),
            (29, 0x01, 1),
            (47, 0x1d9, 1),
        ];
        for &(bit, o, wd) in F {
            if mask >> bit & 1 != 0 {
                let v = get(seg, o, wd);
                set(&mut k.mkc, o, wd, v);
            }
        }
        if let Some(x) = xlt {
            let at = off * 16;
            if k.xlt.len() < at + x.len() {
                k.xlt.resize(at + x.len(), 0);
            }
            k.xlt[at..at + x.len()].copy_from_slice(&x);
        }
        Step::Done
    }

    // ------------------------------------------------------ completion queues

    pub(super) fn umem_pages(&self, id: u32) -> Option<(Vec<u64>, u32)> {
        let ob = self.objs.get(&(0xa08, id))?;
        let i = &ob.input;
        let shift = 12 + get(i, 0x80 + 0x9b, 5) as u32;
        let n = get(i, 0x80 + 0xc0, 64) as usize;
        Some(((0..n).map(|k| be64(i, 48 + 8 * k) & !0x7).collect(), shift))
    }

    /// A shared receive queue's watermark was set.
    pub(super) fn srq_armed(&mut self, _h: &dyn Host, _kind: u16, _number: u32, _lwm: u16) {}

    /// A shared receive queue was destroyed.
    pub(super) fn srq_destroy(&mut self, kind: u16, number: u32) {
        self.dp.srqs.remove(&(kind, number));
    }

    /// A send or receive queue was moved to another state by a command.
    pub(super) fn queue_moved(&mut self, _h: &dyn Host, _kind: u16, _number: u32, _state: u8) {}

    pub(super) fn umem_addr(&self, id: u32, off: u64) -> u64 {
        match self.umem_pages(id) {
            Some((p, s)) => {
                let base = self.objs.get(&(0xa08, id)).map(|o| get(&o.input, 0x80 + 0xa0, 32)).unwrap_or(0);
                let o = off + base;
                p.get((o >> s) as usize).copied().unwrap_or(0) + (o & ((1 << s) - 1))
            }
            None => 0,
        }
    }

    pub(super) fn cq_create(&mut self, cqn: u32, i: &[u8]) {
        let c = 0x80;
        let shift = 12 + get(i, c + 0xc3, 5) as u32;
        let log_size = get(i, c + 0x63, 5) as u32;
        let cqe_len = if get(i, c + 0x8, 3) == 0 { 64 } else { 128 };
        // the offset counts 64ths of a page
        let mut off = get(i, c + 0x54, 6) << shift >> 6;
        let bytes = cqe_len << log_size;
        let mut pas = pas_of(i, 272, bytes, shift, off);
        let mut sh = shift;
        if get(i, 0x2e0, 1) != 0 {
            // user memory object: number and offset sit in the context's tail
            let id = get(i, 0x2c0, 32) as u32;
            off = get(i, 0x280, 64);
            if let Some((p, s)) = self.umem_pages(id) {
                pas = p;
                sh = s;
            }
        }
        let mut dbr = get(i, c + 0x1c0, 64);
        if get(i, c + 0x6, 1) != 0 {
            dbr = self.umem_addr(get(i, c + 0x20, 32) as u32, dbr);
        }
        self.dp.cqs.insert(
            cqn,
            Cq {
                ctx: i[16..80].to_vec(),
                buf: Buf { pas, shift: sh, off },
                log_size,
                cqe_len,
                eqn: get(i, c + 0xa0, 32) as u32,
                dbr,
                pi: 0,
                armed: None,
                broken: false,
            },
        );
    }

    pub(super) fn post_cqe(&mut self, h: &dyn Host, cqn: u32, mut e: [u8; 64], solicited: bool) {
        let t = self.clock();
        let Some(cq) = self.dp.cqs.get_mut(&cqn) else { return };
        let ci = rd32(h, cq.dbr) & 0xff_ffff;
        let size = 1u32 << cq.log_size;
        if (cq.pi.wrapping_sub(ci) & 0xff_ffff) >= size && get(&cq.ctx, 0xe, 1) == 0 {
            if std::mem::replace(&mut cq.broken, true) {
                return;
            }
            let mut d = [0u8; 28];
            d[0..4].copy_from_slice(&cqn.to_be_bytes());
            d[11] = 1;
            self.raise(h, 0x04, 0, &d);
            return;
        }
        e[48..56].copy_from_slice(&t.to_be_bytes());
        e[63] = (e[63] & !1) | (cq.pi >> cq.log_size & 1) as u8;
        let at = (cq.pi & (size - 1)) as u64 * cq.cqe_len + (cq.cqe_len - 64);
        cq.buf.write(h, at, &e[..63]);
        cq.buf.write(h, at + 63, &e[63..]);
        cq.pi = cq.pi.wrapping_add(1);
        let err = e[63] >> 4 >= 13;
        if let Some(sol_only) = cq.armed {
            if !sol_only || solicited || err {
                cq.armed = None;
                let eqn = cq.eqn;
                self.comp_event(h, eqn, cqn);
            }
        }
    }

    /// The old buffer gets a last entry that says "resized"; the next one goes to the new buffer.
    pub(super) fn cq_resize(&mut self, h: &dyn Host, cqn: u32, i: &[u8]) -> Option<()> {
        let old = self.dp.cqs.get(&cqn)?;
        let mut e = [0u8; 64];
        e[63] = 5 << 4 | (old.pi >> old.log_size & 1) as u8;
        let at = (old.pi & ((1 << old.log_size) - 1)) as u64 * old.cqe_len + old.cqe_len - 64;
        old.buf.write(h, at, &e);
        let (pi, armed, eqn, dbr) = (old.pi.wrapping_add(1), old.armed, old.eqn, old.dbr);
        self.cq_create(cqn, i);
        let n = self.dp.cqs.get_mut(&cqn)?;
        (n.pi, n.armed, n.eqn, n.dbr) = (pi, armed, eqn, dbr);
        Some(())
    }

    fn comp_event(&mut self, h: &dyn Host, eqn: u32, cqn: u32) {
        let mut d = [0u8; 28];
        d[24..28].copy_from_slice(&cqn.to_be_bytes());
        self.post_eqe(h, eqn, 0, 0, &d);
    }

    fn cq_doorbell(&mut self, h: &dyn Host, hi: u32, cqn: u32) {
        let cqn = cqn & 0xff_ffff;
        let Some(cq) = self.dp.cqs.get_mut(&cqn) else { return };
        let ci = hi & 0xff_ffff;
        if cq.pi & 0xff_ffff != ci {
            cq.armed = None;
            let eqn = cq.eqn;
            self.comp_event(h, eqn, cqn);
        } else {
            cq.armed = Some(hi >> 24 & 1 != 0);
        }
    }

    // ------------------------------------------------------------ queue pairs

    pub(super) fn qp_create(&mut self, qpn: u32, i: &[u8]) {
        let c = 0xc0;
        let shift = 12 + get(i, c + 0xa3, 5) as u32;
        let mut off = get(i, c + 0x494, 6) << shift >> 6;
        let rq_type = get(i, c + 0x565, 3);
        let rq_log = get(i, c + 0x49, 4) as u32;
        let stride = 16u64 << get(i, c + 0x4d, 3);
        let rq_bytes = if rq_type == 0 { stride << rq_log } else { 0 };
        let sq_log = get(i, c + 0x51, 4) as u32;
        let sq_bytes = if get(i, c + 0x50, 1) != 0 { 0 } else { 64u64 << sq_log };
        let mut pas = pas_of(i, 272, rq_bytes + sq_bytes, shift, off);
        let mut sh = shift;
        if get(i, 0x860, 1) != 0 {
            off = get(i, 0x800, 64);
            if let Some((p, s)) = self.umem_pages(get(i, 0x840, 32) as u32) {
                pas = p;
                sh = s;
            }
        }
        let buf = Buf { pas, shift: sh, off };
        let mut dbr = get(i, c + 0x500, 64);
        if get(i, c + 0x683, 1) != 0 {
            dbr = self.umem_addr(get(i, c + 0x720, 32) as u32, dbr);
        }
        let srqn = get(i, c + 0x568, 24) as u32;
        let srq = match rq_type {
            1 | 2 => [0x90cu16, 0x705, 0x700, 0x717]
                .iter()
                .map(|k| (*k, srqn))
                .find(|k| self.dp.srqs.contains_key(k)),
            _ => None,
        };
        let mut ctx = i[QPC..QPC + 232].to_vec();
        set(&mut ctx, 0, 4, 0);
        self.dp.qps.insert(
            qpn,
            Qp {
                ctx,
                state: 0,
                sq: buf.clone(),
                sq_at: rq_bytes,
                sq_log,
                sq_dbr: dbr + 4,
                sq_ci: 0,
                rq: Rq {
                    buf,
                    log_size: rq_log,
                    stride: if rq_type == 0 { stride } else { 0 },
                    dbr,
                    ..Default::default()
                },
                srq,
                stalls: 0,
            },
        );
    }

    pub(super) fn sq_create(&mut self, sqn: u32, i: &[u8]) {
        let c = 0x100;
        let w = c + 0x180;
        let shift = 12 + get(i, w + 0x113, 5) as u32;
        let mut off = get(i, w + 0x2b, 5) << shift >> 6;
        let log = get(i, w + 0x11b, 5) as u32;
        let stride = 1u64 << get(i, w + 0x10c, 4);
        let mut pas = pas_of(i, (w + 0x600) / 8, stride << log, shift, off);
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
        self.dp.sqs.insert(
            sqn,
            Sq {
                buf: Buf { pas, shift: sh, off },
                log_size: log,
                dbr: dbr + 4,
                ci: 0,
                cqn: get(i, c + 0x48, 24) as u32,
                uidx: get(i, c + 0x28, 24) as u32,
            },
        );
    }

    /// Packets leave for nowhere; NOP and key updates are done; completions are given.
    fn kick_sq(&mut self, h: &dyn Host, sqn: u32) {
        while let Some(q) = self.dp.sqs.get_mut(&sqn) {
            let pi = rd32(h, q.dbr) as u16;
            if pi == q.ci {
                return;
            }
            let mask = (1u64 << q.log_size) - 1;
            let at = q.ci;
            let mut w = q.buf.read(h, (at as u64 & mask) * 64, 64);
            let bytes = ((w[7] & 0x3f) as usize * 16).max(16);
            let mut k = 1;
            while w.len() < bytes {
                w.extend(q.buf.read(h, ((at as u64 + k) & mask) * 64, 64));
                k += 1;
            }
            q.ci = at.wrapping_add((bytes.div_ceil(64)) as u16);
            let (cqn, uidx) = (q.cqn, q.uidx);
            if w[3] == 0x25 {
                self.pd = None;
                self.umr(h, &w);
            }
            // packets of user queues come back in, those of the driver leave for nowhere
            let user = self.objs.get(&(0x904, sqn)).is_some_and(|o| o.uid != 0 && o.uid != 0xffff);
            if matches!(w[3], 0x0a | 0x0e) && user {
                if let Some(p) = self.eth_packet(h, &w) {
                    self.packet_in(h, &p);
                }
            }
            if w[11] & 0x0c == 0x08 {
                let mut e = [0u8; 64];
                e[32..36].copy_from_slice(&uidx.to_be_bytes());
                e[56..60].copy_from_slice(&((w[3] as u32) << 24 | sqn).to_be_bytes());
                e[60..62].copy_from_slice(&at.to_be_bytes());
                self.post_cqe(h, cqn, e, false);
            }
        }
    }

    fn eth_packet(&mut self, h: &dyn Host, w: &[u8]) -> Option<Vec<u8>> {
        self.pd = None;
        let n = get(w, 28 * 8, 16) as usize;
        let mut p = w.get(30..30 + n)?.to_vec();
        let mut at = if n > 2 { (30 + n + 15) & !15 } else { 32 };
        while at + 16 <= w.len() {
            let c = be32(w, at);
            if c >> 31 != 0 {
                let k = (c & 0x7fff_ffff) as usize;
                p.extend_from_slice(w.get(at + 4..at + 4 + k)?);
                at += (4 + k + 15) & !15;
            } else {
                p.extend(self.load(h, be32(w, at + 4), be64(w, at + 8), c as usize, Acc::LocalRead)?);
                at += 16;
            }
        }
        Some(p)
    }

    /// Put a packet where a receive entry says.
    pub(super) fn scatter_raw(&self, h: &dyn Host, w: &[u8], data: &[u8]) -> bool {
        let mut l = Vec::new();
        for s in w.chunks_exact(16) {
            let key = be32(s, 4);
            if key == INVALID_LKEY {
                break;
            }
            l.push(Seg { key, va: be64(s, 8), len: (be32(s, 0) & 0x7fff_ffff) as usize });
        }
        self.scatter_list(h, &l, data).is_ok()
    }

    /// Shared receive queues made as RMP: the work queue description is at bit 0x280 of the input.
    pub(super) fn srq_create(&mut self, kind: u16, id: u32, i: &[u8]) {
        let rq = if kind == 0x90c {
            let w = 0x100 + 0x180;
            let mut shift = 12 + get(i, w + 0x113, 5) as u32;
            let mut off = get(i, w + 0x2b, 5) << shift >> 6;
            let stride = 1u64 << get(i, w + 0x10c, 4);
            let log = get(i, w + 0x11b, 5) as u32;
            let mut pas = Vec::new();
            if get(i, w + 0x121, 1) != 0 {
                off = get(i, w + 0x180, 64);
                if let Some((p, s)) = self.umem_pages(get(i, w + 0x160, 32) as u32) {
                    (pas, shift) = (p, s);
                }
            } else {
                pas = pas_of(i, (w + 0x600) / 8, stride << log, shift, off);
            }
            let mut dbr = get(i, w + 0x80, 64);
            if get(i, w + 0x120, 1) != 0 {
                dbr = self.umem_addr(get(i, w + 0x140, 32) as u32, dbr);
            }
            Rq {
                buf: Buf { pas, shift, off },
                log_size: log,
                stride,
                dbr,
                linked: get(i, w, 4) == 0,
                pd: get(i, w + 0x48, 24) as u32,
                ..Default::default()
            }
        } else {
            let c = 0x80;
            let shift = 12 + get(i, c + 0x82, 6) as u32;
            let off = get(i, c + 0x40, 6) << shift >> 6;
            let stride = 16u64 << get(i, c + 0x25, 3);
            let log = get(i, c + 4, 4) as u32;
            Rq {
                buf: Buf { pas: pas_of(i, 272, stride << log, shift, off), shift, off },
                log_size: log,
                stride,
                dbr: get(i, c + 0x140, 64),
                linked: true,
                pd: get(i, c + 0xc8, 24) as u32,
                cqn: get(i, c + 0x48, 24) as u32,
                uidx: get(i, c + 0x88, 24) as u32,
                ..Default::default()
            }
        };
        self.dp.srqs.insert((kind, id), rq);
    }

    /// A queue pair's state was changed by a command.
    pub(super) fn qp_moved(&mut self, h: &dyn Host, qpn: u32) {
        let Some(q) = self.dp.qps.get_mut(&qpn) else { return };
        match q.state {
            0 => {
                q.sq_ci = 0;
                q.rq.ci = 0;
                self.dp.pending.remove(&qpn);
            }
            3 => self.kick(h, qpn),
            6 => self.flush(h, qpn),
            _ => {}
        }
    }

    /// The contexts of all memory keys, as they are now.
    pub(super) fn mkey_contexts(&self) -> impl Iterator<Item = &[u8]> {
        self.dp.mkeys.values().map(|k| &k.mkc[..])
    }

    pub(super) fn qp_query(&self, qpn: u32) -> Option<Vec<u8>> {
        let q = self.dp.qps.get(&qpn)?;
        let mut o = vec![0u8; 272];
        o[QPC..QPC + 232].copy_from_slice(&q.ctx);
        Some(o)
    }

    // ------------------------------------------------------------- work queues

    pub(super) fn queue_doorbell(&mut self, h: &dyn Host, _uar: u32, off: u64, data: &[u8]) {
        match (off, data.len()) {
            (0x20, 8) => self.cq_doorbell(h, be32(data, 0), be32(data, 4)),
            (0x20, 4) => self.cq_hi = be32(data, 0),
            (0x24, 4) => {
                let hi = self.cq_hi;
                self.cq_doorbell(h, hi, be32(data, 0))
            }
            (o, 8) if o >= 0x800 && (o & 0xff) < 64 => {
                let k = (o & 0x3f) as usize;
                self.bf[k..k + 8].copy_from_slice(data);
                if k == 0 {
                    self.kick(h, be32(data, 4) >> 8);
                } else if k == 56 {
                    self.blue_flame(h);
                }
            }
            // a send doorbell: first eight bytes of the control segment
            (o, 8) if o & 0xff == 0 && o >= 0x800 => self.kick(h, be32(data, 4) >> 8),
            (o, 4) if o & 0xff == 4 && o >= 0x800 => self.kick(h, be32(data, 0) >> 8),
            _ => {}
        }
    }

    /// A whole 64-byte write arrived: enough for the kernel's write-combining test,
    /// which looks for a completion of a NOP that only this copy asks for.
    fn blue_flame(&mut self, h: &dyn Host) {
        let w = self.bf;
        let n = be32(&w, 4) >> 8;
        let Some(sq) = self.dp.sqs.get(&n) else { return };
        let idx = u16::from_be_bytes([w[1], w[2]]) as u64 & ((1 << sq.log_size) - 1);
        let here = sq.buf.read(h, idx * 64, 16);
        if w[3] != 0 || w[11] & 0x0c != 0x08 || here[11] & 0x0c == 0x08 {
            return;
        }
        let cqn = sq.cqn;
        let mut e = [0u8; 64];
        e[56..60].copy_from_slice(&n.to_be_bytes());
        e[60..62].copy_from_slice(&w[1..3]);
        self.post_cqe(h, cqn, e, false);
    }

    pub(super) fn tick(&mut self, h: &dyn Host) -> bool {
        let l: Vec<u32> = std::mem::take(&mut self.dp.pending).into_iter().collect();
        for q in l {
            self.kick(h, q);
        }
        !self.dp.pending.is_empty()
    }

    fn wqe(&self, h: &dyn Host, q: &Qp, ci: u16) -> Vec<u8> {
        let mask = (1u64 << q.sq_log) - 1;
        let first = q.sq.read(h, q.sq_at + (ci as u64 & mask) * 64, 64);
        let bytes = (first[7] & 0x3f) as usize * 16;
        let mut v = first;
        let mut k = 1;
        while v.len() < bytes {
            v.extend(q.sq.read(h, q.sq_at + ((ci as u64 + k) & mask) * 64, 64));
            k += 1;
        }
        v.truncate(bytes.max(16));
        v
    }

    pub(super) fn kick(&mut self, h: &dyn Host, qpn: u32) {
        loop {
            let Some(q) = self.dp.qps.get(&qpn) else { return self.kick_sq(h, qpn) };
            if q.state == 6 {
                return self.flush(h, qpn);
            }
            if q.state != 3 || q.sq_dbr == 4 {
                return;
            }
            let pi = rd32(h, q.sq_dbr) as u16;
            if pi == q.sq_ci {
                return;
            }
            let ci = q.sq_ci;
            let w = self.wqe(h, q, ci);
            let units = (w.len() as u16).div_ceil(64);
            match self.send(h, qpn, &w, ci) {
                Step::Done => {
                    let q = self.dp.qps.get_mut(&qpn).unwrap();
                    q.sq_ci = ci.wrapping_add(units);
                    q.stalls = 0;
                    if w[11] & 0x0c == 0x08 {
                        self.req_cqe(h, qpn, &w, ci, None);
                    }
                }
                Step::Wait(synd) => {
                    let q = self.dp.qps.get_mut(&qpn).unwrap();
                    q.stalls += 1;
                    let rnr = get(&q.ctx, 0x390, 3);
                    let limit = if synd == RNR && rnr == 7 { u32::MAX } else { 1000 };
                    if q.stalls > limit {
                        self.fail_send(h, qpn, &w, ci, units, synd);
                        continue;
                    }
                    self.dp.pending.insert(qpn);
                    return;
                }
                Step::Fail(synd) => self.fail_send(h, qpn, &w, ci, units, synd),
            }
        }
    }

    fn fail_send(&mut self, h: &dyn Host, qpn: u32, w: &[u8], ci: u16, units: u16, synd: u8) {
        self.req_cqe(h, qpn, w, ci, Some(synd));
        let q = self.dp.qps.get_mut(&qpn).unwrap();
        q.sq_ci = ci.wrapping_add(units);
        q.state = 6;
        set(&mut q.ctx, 0, 4, 6);
        self.flush(h, qpn);
    }

    fn flush(&mut self, h: &dyn Host, qpn: u32) {
        loop {
            let Some(q) = self.dp.qps.get(&qpn) else { return };
            let pi = rd32(h, q.sq_dbr) as u16;
            if q.sq_dbr == 4 || pi == q.sq_ci {
                break;
            }
            let ci = q.sq_ci;
            let w = self.wqe(h, q, ci);
            self.req_cqe(h, qpn, &w, ci, Some(FLUSHED));
            let units = (w.len() as u16).div_ceil(64);
            self.dp.qps.get_mut(&qpn).unwrap().sq_ci = ci.wrapping_add(units);
        }
        let linked = self.dp.qps[&qpn].srq.is_some();
        if !linked {
            while let Some((idx, _)) = self.take_recv(h, qpn) {
                self.resp_err(h, qpn, idx, FLUSHED);
            }
        }
    }

    fn req_cqe(&mut self, h: &dyn Host, qpn: u32, w: &[u8], ci: u16, err: Option<u8>) {
        let q = &self.dp.qps[&qpn];
        let cqn = get(&q.ctx, 0x3e8, 24) as u32;
        let mut e = [0u8; 64];
        e[32..36].copy_from_slice(&(get(&q.ctx, 0x88, 24) as u32).to_be_bytes());
        e[56..60].copy_from_slice(&((w[3] as u32) << 24 | qpn).to_be_bytes());
        e[60..62].copy_from_slice(&ci.to_be_bytes());
        match err {
            None => {
                e[63] = REQ << 4;
                let n: usize = self.last_len;
                e[44..48].copy_from_slice(&(n as u32).to_be_bytes());
            }
            Some(s) => {
                e[63] = REQ_ERR << 4;
                e[54] = 0;
                e[55] = s;
            }
        }
        let synd = e[55];
        self.post_cqe_err(h, cqn, e, false, if err.is_some() { Some(synd) } else { None });
    }

    /// Error entries keep their syndrome where good ones carry the clock.
    fn post_cqe_err(&mut self, h: &dyn Host, cqn: u32, e: [u8; 64], sol: bool, synd: Option<u8>) {
        match synd {
            None => self.post_cqe(h, cqn, e, sol),
            Some(s) => {
                let save = self.clock_fixed;
                self.clock_fixed = Some(s as u64);
                self.post_cqe(h, cqn, e, sol);
                self.clock_fixed = save;
            }
        }
    }

    /// Take the next receive entry: its index, and its scatter list.
    fn take_recv(&mut self, h: &dyn Host, qpn: u32) -> Option<(u16, Vec<Seg>)> {
        let q = self.dp.qps.get_mut(&qpn)?;
        let sig = get(&q.ctx, 0x20, 1) != 0;
        let (rq, srq) = match q.srq {
            Some(k) => (self.dp.srqs.get_mut(&k)?, true),
            None => (&mut q.rq, false),
        };
        if rq.stride == 0 || rq.dbr == 0 {
            return None;
        }
        let pi = rd32(h, rq.dbr) as u16;
        if pi == rq.ci {
            return None;
        }
        let mask = (1u32 << rq.log_size) - 1;
        let idx = if rq.linked { rq.cur } else { (rq.ci as u32 & mask) as u16 };
        let counter = if rq.linked { rq.cur } else { rq.ci };
        let w = rq.buf.read(h, idx as u64 * rq.stride, rq.stride as usize);
        let mut at = 0;
        if rq.linked {
            rq.cur = u16::from_be_bytes([w[2], w[3]]);
        }
        // entries of shared queues start with the link segment, cyclic ones too
        if srq || sig {
            at = 16;
        }
        rq.ci = rq.ci.wrapping_add(1);
        let mut l = Vec::new();
        while at + 16 <= w.len() {
            let key = be32(&w, at + 4);
            if key == INVALID_LKEY {
                break;
            }
            let n = be32(&w, at) & 0x7fff_ffff;
            if n > 0 {
                l.push(Seg { key, va: be64(&w, at + 8), len: n as usize });
            }
            at += 16;
        }
        Some((counter, l))
    }

    fn resp_err(&mut self, h: &dyn Host, qpn: u32, idx: u16, synd: u8) {
        let q = &self.dp.qps[&qpn];
        let cqn = get(&q.ctx, 0x4e8, 24) as u32;
        let mut e = [0u8; 64];
        e[32..36].copy_from_slice(&(get(&q.ctx, 0x88, 24) as u32).to_be_bytes());
        e[56..60].copy_from_slice(&qpn.to_be_bytes());
        e[60..62].copy_from_slice(&idx.to_be_bytes());
        e[55] = synd;
        e[63] = RESP_ERR << 4;
        self.post_cqe_err(h, cqn, e, true, Some(synd));
    }

    fn scatter_list(&self, h: &dyn Host, l: &[Seg], data: &[u8]) -> Result<(), u8> {
        let room: usize = l.iter().map(|s| s.len).sum();
        if data.len() > room {
            return Err(LOCAL_LEN);
        }
        let mut d = 0;
        for s in l {
            let n = s.len.min(data.len() - d);
            if self.store(h, s.key, s.va, &data[d..d + n], Acc::LocalWrite).is_none() {
                return Err(LOCAL_PROT);
            }
            d += n;
            if d == data.len() {
                break;
            }
        }
        Ok(())
    }

    /// Give a message to a queue pair's receive side.
    #[allow(clippy::too_many_arguments)]
    fn deliver(
        &mut self,
        h: &dyn Host,
        to: u32,
        op: u8,
        imm: u32,
        data: &[u8],
        place: bool,
        src: u32,
        sol: bool,
    ) -> Step {
        let Some((idx, list)) = self.take_recv(h, to) else { return Step::Wait(RNR) };
        self.pd = Some(self.recv_pd(to));
        if place {
            if let Err(s) = self.scatter_list(h, &list, data) {
                if false {
                    let l: Vec<_> = list.iter().map(|s| (s.key, s.va, s.len)).collect();
                    eprintln!(
                        "receive on {to:#x} entry {idx}: {} bytes into {l:x?}: error {s:#x}",
                        data.len()
                    );
                }
                self.resp_err(h, to, idx, s);
                let q = self.dp.qps.get_mut(&to).unwrap();
                q.state = 6;
                set(&mut q.ctx, 0, 4, 6);
                self.flush(h, to);
                return Step::Fail(if s == LOCAL_LEN { REM_INVAL } else { REM_OP });
            }
        }
        let q = &self.dp.qps[&to];
        let ud = matches!(q.ctx[1], 2 | 7 | 8);
        let (cqn, uidx) = match (q.ctx[1], q.srq.and_then(|k| self.dp.srqs.get(&k))) {
            (3, Some(r)) => (r.cqn, r.uidx),
            _ => (get(&q.ctx, 0x4e8, 24) as u32, get(&q.ctx, 0x88, 24) as u32),
        };
        let mut e = [0u8; 64];
        e[22..24].copy_from_slice(&1u16.to_be_bytes()); // source LID
        // a GRH is there; which kind of network header it holds; who sent it
        let grh = if ud && data.len() >= 40 { 1u32 << 28 | (self.l3_kind & 3) << 24 } else { 0 };
        e[24..28].copy_from_slice(&(grh | src).to_be_bytes());
        e[32..36].copy_from_slice(&uidx.to_be_bytes());
        e[36..40].copy_from_slice(&imm.to_be_bytes());
        e[44..48].copy_from_slice(&(data.len() as u32).to_be_bytes());
        e[56..60].copy_from_slice(&to.to_be_bytes());
        e[60..62].copy_from_slice(&idx.to_be_bytes());
        e[63] = op << 4;
        self.post_cqe(h, cqn, e, sol);
        Step::Done
    }

    fn send(&mut self, h: &dyn Host, qpn: u32, w: &[u8], _ci: u16) -> Step {
        let opcode = w[3];
        let imm = be32(w, 12);
        let sol = w[11] & 2 != 0;
        let q = &self.dp.qps[&qpn];
        let kind = q.ctx[1]; // service type
        let dest = get(&q.ctx, 0xa8, 24) as u32;
        let mut at = 16;
        self.last_len = 0;
        match opcode {
            0x00 => return Step::Done,
            0x25 => {
                self.pd = None;
                return self.umr(h, w);
            }
            0x1b => {
                if let Some(k) = self.dp.mkeys.get_mut(&(imm >> 8)) {
                    set(&mut k.mkc, 1, 1, 1);
                }
                return Step::Done;
            }
            _ => {}
        }
        // datagrams: where to
        let mut ud_to = 0;
        let mut qkey = 0;
        let ud = matches!(kind, 2 | 7 | 8);
        if ud {
            qkey = be32(w, at);
            let d = be32(w, at + 8);
            ud_to = d & 0xff_ffff;
            at += if d >> 31 != 0 { 48 } else { 16 };
        }
        self.pd = Some(get(&self.dp.qps[&qpn].ctx, 0x28, 24) as u32);
        let mut xrc_srq = None;
        if kind == 3 {
            xrc_srq = Some(be32(w, at) & 0xff_ffff);
            at += 16;
        }
        let (mut raddr, mut rkey) = (0, 0);
        if matches!(opcode, 0x08 | 0x09 | 0x10 | 0x11 | 0x12) {
            raddr = be64(w, at);
            rkey = be32(w, at + 8);
            at += 16;
        }
        let (mut swap, mut cmp) = (0, 0);
        if matches!(opcode, 0x11 | 0x12) {
            swap = be64(w, at);
            cmp = be64(w, at + 8);
            at += 16;
        }
        // local buffers
        let mut segs = Vec::new();
        let mut data = Vec::new();
        while at + 4 <= w.len() {
            let c = be32(w, at);
            if c >> 31 != 0 {
                let n = (c & 0x7fff_ffff) as usize;
                match w.get(at + 4..at + 4 + n) {
                    Some(x) => data.extend_from_slice(x),
                    None => return Step::Fail(LOCAL_OP),
                }
                at += (4 + n + 15) & !15;
            } else {
                if at + 16 > w.len() {
                    break;
                }
                segs.push(Seg { key: be32(w, at + 4), va: be64(w, at + 8), len: c as usize });
                at += 16;
            }
        }
        if !matches!(opcode, 0x10..=0x12) {
            for s in &segs {
                match self.load(h, s.key, s.va, s.len, Acc::LocalRead) {
                    Some(d) => data.extend_from_slice(&d),
                    None => return Step::Fail(LOCAL_PROT),
                }
            }
        }
        self.last_len = data.len();
        if ud {
            let own = &self.dp.qps[&qpn].ctx;
            let own_key = get(own, 0x540, 32) as u32;
            let key = if qkey >> 31 != 0 { own_key } else { qkey };
            let from = match get(own, 0x408, 24) as u32 {
                0 => qpn,
                n => n,
            };
            let (mut p, l3) = self.net_header(w, data.len());
            self.l3_kind = l3;
            p.extend_from_slice(&data);
            let to: Vec<u32> = if ud_to == 0xff_ffff {
                let g = w.get(48..64).unwrap_or(&[]);
                self.mcg.iter().filter(|(m, n)| m[..] == *g && *n != qpn).map(|(_, n)| *n).collect()
            } else {
                vec![ud_to]
            };
            let op = if opcode == 0x0b { 3 } else { 2 };
            let n = self.last_len;
            for t in to {
                let ok = self.dp.qps.get(&t).is_some_and(|r| {
                    matches!(r.state, 2..=4) && (t == 1 || get(&r.ctx, 0x540, 32) as u32 == key)
                });
                if ok {
                    // nobody waits for a datagram: without a buffer it is lost
                    let low = if op == 2 { 0xffff } else { imm }; // without immediate: the partition key
                    let _ = self.deliver(h, t, op, low, &p, true, from, sol);
                }
            }
            self.last_len = n;
            return Step::Done;
        }
        let back = self.dp.qps.get(&dest);
        match back {
            None => return Step::Wait(RETRY),
            Some(r) if !matches!(r.state, 2..=4) || r.ctx[1] != kind => return Step::Wait(RETRY),
            Some(r) => {
                let bit = match opcode {
                    0x08 | 0x09 => 0x491,
                    0x10 => 0x490,
                    0x11 | 0x12 => 0x492,
                    _ => 0,
                };
                if bit != 0 && get(&r.ctx, bit, 1) == 0 {
                    return Step::Fail(if bit == 0x491 { REM_ACCESS } else { REM_INVAL });
                }
            }
        }
        if let Some(n) = xrc_srq {
            // the sender names the shared queue
            let k = (0x705, n);
            if !self.dp.srqs.contains_key(&k) {
                return Step::Fail(REM_INVAL);
            }
            self.dp.qps.get_mut(&dest).unwrap().srq = Some(k);
        }
        match opcode {
            0x0a => self.deliver(h, dest, 2, 0, &data, true, qpn, sol),
            0x0b => self.deliver(h, dest, 3, imm, &data, true, qpn, sol),
            0x01 => {
                if let Some(k) = self.dp.mkeys.get_mut(&(imm >> 8)) {
                    set(&mut k.mkc, 1, 1, 1);
                }
                self.deliver(h, dest, 4, imm, &data, true, qpn, sol)
            }
            0x08 | 0x09 => {
                if opcode == 0x09 && !self.has_recv(h, dest) {
                    return Step::Wait(RNR);
                }
                self.pd = Some(self.remote_pd(dest));
                if self.store(h, rkey, raddr, &data, Acc::RemoteWrite).is_none() {
                    return Step::Fail(REM_ACCESS);
                }
                if opcode == 0x09 {
                    return self.deliver(h, dest, 1, imm, &data, false, qpn, sol);
                }
                Step::Done
            }
            0x10 => {
                let n: usize = segs.iter().map(|s| s.len).sum();
                let own = self.pd.replace(self.remote_pd(dest));
                let Some(d) = self.load(h, rkey, raddr, n, Acc::RemoteRead) else {
                    return Step::Fail(REM_ACCESS);
                };
                self.pd = own;
                self.last_len = n;
                match self.scatter_list(h, &segs, &d) {
                    Ok(()) => Step::Done,
                    Err(s) => Step::Fail(s),
                }
            }
            0x11 | 0x12 => {
                let own = self.pd.replace(self.remote_pd(dest));
                let Some(d) = self.load(h, rkey, raddr, 8, Acc::Atomic) else {
                    return Step::Fail(REM_ACCESS);
                };
                let old = u64::from_le_bytes(d[..8].try_into().unwrap());
                let new =
                    if opcode == 0x11 { if old == cmp { swap } else { old } } else { old.wrapping_add(swap) };
                self.store(h, rkey, raddr, &new.to_le_bytes(), Acc::Atomic);
                self.pd = own;
                self.last_len = 8;
                match self.scatter_list(h, &segs, &old.to_le_bytes()) {
                    Ok(()) => Step::Done,
                    Err(s) => Step::Fail(s),
                }
            }
            _ => {
                eprintln!("send opcode {opcode:#x} not handled");
                Step::Fail(LOCAL_OP)
            }
        }
    }

    /// The protection domain that receive buffers are checked against.
    fn recv_pd(&self, qpn: u32) -> u32 {
        let q = &self.dp.qps[&qpn];
        match q.srq.and_then(|k| self.dp.srqs.get(&k)) {
            Some(r) => r.pd,
            None => get(&q.ctx, 0x28, 24) as u32,
        }
    }

    /// Remote keys are checked against the target's domain; for XRC that is the shared queue's.
    fn remote_pd(&self, qpn: u32) -> u32 {
        if self.dp.qps[&qpn].ctx[1] == 3 {
            self.recv_pd(qpn)
        } else {
            get(&self.dp.qps[&qpn].ctx, 0x28, 24) as u32
        }
    }

    /// The forty bytes in front of a datagram, and the kind that the completion names:
    /// 0 InfiniBand GRH, 1 IPv6, 2 IPv4.
    fn net_header(&self, w: &[u8], len: usize) -> (Vec<u8>, u32) {
        let mut g = vec![0u8; 40];
        if be32(w, 24) >> 31 == 0 || w.len() < 64 {
            return (g, 0);
        }
        let src = self.roce_addr.get(&((be32(w, 44) >> 20 & 0xff) as u16));
        let dst = &w[48..64];
        let (addr, ver, v4) = match src {
            Some((a, ver, v4)) => (*a, *ver, *v4),
            None => {
                let mut a = [0u8; 16];
                a[0..2].copy_from_slice(&[0xfe, 0x80]);
                a[8..].copy_from_slice(&self.config.guid.to_be_bytes());
                (a, 0, false)
            }
        };
        if ver == 2 && v4 {
            g[20] = 0x45;
            g[22..24].copy_from_slice(&(len as u16 + 20 + 8 + 12 + 4).to_be_bytes());
            g[28] = 64;
            g[29] = 17;
            g[32..36].copy_from_slice(&addr[12..16]);
            g[36..40].copy_from_slice(&dst[12..16]);
            // header checksum
            let mut s: u32 = g[20..40].chunks(2).map(|c| u16::from_be_bytes([c[0], c[1]]) as u32).sum();
            while s >> 16 != 0 {
                s = (s & 0xffff) + (s >> 16);
            }
            g[30..32].copy_from_slice(&(!(s as u16)).to_be_bytes());
            return (g, 2);
        }
        g[0] = 0x60;
        g[4..6].copy_from_slice(&(len as u16 + 24).to_be_bytes());
        g[6] = if ver == 2 { 17 } else { 0x1b };
        g[7] = 64;
        g[8..24].copy_from_slice(&addr);
        g[24..40].copy_from_slice(dst);
        (g, if ver == 2 { 1 } else { 0 })
    }

    fn has_recv(&self, h: &dyn Host, qpn: u32) -> bool {
        let Some(q) = self.dp.qps.get(&qpn) else { return false };
        let rq = match q.srq {
            Some(k) => match self.dp.srqs.get(&k) {
                Some(r) => r,
                None => return false,
            },
            None => &q.rq,
        };
        rq.stride != 0 && rd32(h, rq.dbr) as u16 != rq.ci
    }
}
