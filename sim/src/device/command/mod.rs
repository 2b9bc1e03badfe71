//! Device commands: what each opcode does.

use super::host::Host;
use super::objects::Obj;
use super::{Chip, GUID, MAC, Status, eq::Eq};
use prm::bits::{be64, get, set};

const OK: u8 = 0;
const BAD_OP: u8 = 0x2;
const BAD_PARAM: u8 = 0x3;
const BAD_RES: u8 = 0x5;

/// Answer of one command: status, syndrome, and the output with its 16-byte head.
struct Reply {
    status: u8,
    synd: u32,
    out: Vec<u8>,
}

fn done(out: Vec<u8>) -> Reply {
    Reply { status: OK, synd: 0, out }
}

fn fail(status: u8, synd: u32) -> Reply {
    Reply { status, synd, out: vec![0; 16] }
}

impl Chip {
    /// One device command: `input` is the whole input mailbox, `out` the whole output
    /// mailbox, whose first byte becomes the status and whose second word the syndrome.
    pub fn execute(&mut self, host: &dyn Host, input: &[u8], out: &mut [u8]) -> Status {
        let op = get(input, 0, 16) as u16;
        let op_mod = get(input, 0x30, 16) as u16;
        let uid = get(input, 0x10, 16) as u16;
        // room for the handlers' fixed offsets
        let mut padded = input.to_vec();
        padded.resize(input.len().max(0x400), 0);
        let mut r = self.exec(host, op, op_mod, uid, &padded, out.len());
        r.out.resize(out.len(), 0);
        out.copy_from_slice(&r.out);
        set(out, 0, 8, r.status as u64);
        set(out, 0x20, 32, r.synd as u64);
        Status { status: r.status, syndrome: r.synd }
    }

    fn alloc(&mut self, kind: u16, first: u32) -> u32 {
        let n = self.next.entry(kind).or_insert(first);
        let v = *n;
        *n += 1;
        v
    }

    fn make(&mut self, kind: u16, first: u32, input: &[u8], uid: u16) -> u32 {
        let id = self.alloc(kind, first);
        self.objs.insert((kind, id), Obj { input: input.to_vec(), uid });
        id
    }

    fn with_id(id: u32) -> Reply {
        let mut o = vec![0; 16];
        set(&mut o, 0x48, 24, id as u64);
        done(o)
    }

    fn exec(&mut self, h: &dyn Host, op: u16, op_mod: u16, uid: u16, i: &[u8], outlen: usize) -> Reply {
        let id24 = get(i, 0x48, 24) as u32;
        match op {
            0x100 => {
                let mut o = vec![0u8; 16 + 4096];
                match self.caps.page(op_mod >> 1) {
                    Some(p) => {
                        o[16..].copy_from_slice(&p);
                        done(o)
                    }
                    None => fail(BAD_PARAM, 0x100 << 8 | (op_mod >> 1) as u32),
                }
            }
            0x101 => {
                let mut o = vec![0u8; 272];
                set(&mut o, 0x80 + 0xc8, 24, 0x0002c9);
                o[256..272].copy_from_slice(b"EMU0000000001\0\0\0");
                done(o)
            }
            // init, teardown, enable, disable, set caps, driver version, set issi
            0x102 | 0x103 | 0x104 | 0x105 | 0x109 | 0x10d | 0x10b | 0x80d => {
                if op == 0x109 && op_mod >> 1 == 0 {
                    self.caps.general[..256].copy_from_slice(&i[16..272]);
                }
                done(vec![0; 16])
            }
            0x107 => done(vec![0; 16]), // query pages: none wanted
            0x108 => done(vec![0; 16]),
            0x10a => {
                let mut o = vec![0u8; 112];
                set(&mut o, 0x360, 32, 2);
                done(o)
            }
            0x203 => {
                let mut o = vec![0u8; 32];
                set(&mut o, 0x40, 32, 0x300);
                set(&mut o, 0x60, 32, 0x100);
                set(&mut o, 0x80, 32, 0x200);
                done(o)
            }
            0x301 => {
                let n = self.alloc(op, 1);
                let log_size = get(i, 0x80 + 0x63, 5) as u32;
                let page_shift = 12 + get(i, 0x80 + 0xc3, 5) as u32;
                let npages = ((64u64 << log_size) + (1 << page_shift) - 1) >> page_shift;
                let pas = (0..npages as usize).map(|k| be64(i, 272 + 8 * k) & !0xfff).collect();
                let mut mask = [0u64; 4];
                for (k, m) in mask.iter_mut().enumerate() {
                    *m = be64(i, 0x2c0 / 8 + 8 * k);
                }
                self.eqs.insert(
                    n,
                    Eq {
                        pas,
                        log_size,
                        page_shift,
                        vector: get(i, 0x80 + 0xb4, 12) as u32,
                        mask,
                        pi: 0,
                        ci: 0,
                        armed: false,
                    },
                );
                let mut o = vec![0; 16];
                set(&mut o, 0x58, 8, n as u64);
                done(o)
            }
            0x302 => {
                self.eqs.remove(&(get(i, 0x58, 8) as u32));
                done(vec![0; 16])
            }
            0x762 => {
                let mut o = vec![0u8; 528];
                let b = 0x80;
                set(&mut o, b + 0x102, 1, 0);
                set(&mut o, b + 0x110, 4, 5);
                set(&mut o, b + 0x118, 4, 4);
                set(&mut o, b + 0x11c, 4, 4);
                set(&mut o, b + 0x140, 64, GUID);
                set(&mut o, b + 0x180, 64, GUID);
                set(&mut o, b + 0x1c0, 64, GUID);
                set(&mut o, b + 0x200, 32, 0x0251_0868);
                set(&mut o, b + 0x300, 16, 1);
                set(&mut o, b + 0x31b, 5, 18);
                set(&mut o, b + 0x320, 16, 1);
                done(o)
            }
            0x764 => {
                let mut o = vec![0u8; 16];
                let idx = get(i, 0x70, 16);
                let n = if idx == 0xffff { 8 } else { 1 };
                set(&mut o, 0x60, 16, n);
                for k in 0..n {
                    let g = if idx == 0xffff { k } else { idx };
                    o.extend_from_slice(&0xfe80_0000_0000_0000u64.to_be_bytes());
                    o.extend_from_slice(&if g == 0 { GUID } else { 0 }.to_be_bytes());
                }
                done(o)
            }
            0x765 => {
                let mut o = vec![0u8; outlen];
                let idx = get(i, 0x70, 16);
                let n = if idx == 0xffff { 128 } else { 1 };
                for k in 0..n {
                    let p = if idx == 0xffff { k } else { idx };
                    set(&mut o, 0x80 + 32 * k as usize + 16, 16, if p == 0 { 0xffff } else { 0 });
                }
                done(o)
            }
            // counters: all zero
            0x842 | 0x773 | 0x770 | 0x76f | 0x822 | 0x824 | 0x826 => done(vec![0; outlen]),
            0x750 => {
                let mut o = vec![0u8; 16];
                set(&mut o, 0x60, 16, 1000);
                set(&mut o, 0x78, 4, 1);
                set(&mut o, 0x7c, 4, 1);
                done(o)
            }
            0x754 => {
                let mut o = vec![0u8; outlen.max(272)];
                let b = 0x80;
                set(&mut o, b + 0x1f, 1, self.roce_en as u64);
                set(&mut o, b + 0x130, 16, 9000);
                set(&mut o, b + 0x140, 64, GUID);
                set(&mut o, b + 0x180, 64, GUID);
                set(&mut o, b + 0x1c0, 64, GUID);
                if get(i, 0x65, 3) == 0 || get(i, 0x78, 8) == 0 {
                    set(&mut o, b + 0x7b0, 48, MAC);
                }
                done(o)
            }
            0x755 => {
                if i.len() >= 272 && get(i, 0x800 + 0x1f, 1) != 0 {
                    self.roce_en = true;
                }
                done(vec![0; 16])
            }
            // layer-2 table, RoCE addresses, local settings, vxlan ports
            0x829 | 0x82b | 0x827 | 0x828 | 0x751 => done(vec![0; 16]),
            0x761 => {
                let mut a = [0u8; 16];
                a.copy_from_slice(&i[16..32]);
                self.roce_addr.insert(
                    get(i, 0x40, 16) as u16,
                    (a, get(i, 0x80 + 0xd8, 8) as u8, get(i, 0x80 + 0xd4, 4) == 0),
                );
                done(vec![0; 16])
            }
            0x806 | 0x807 => {
                let mut g = [0u8; 16];
                g.copy_from_slice(&i[16..32]);
                self.mcg.retain(|m| *m != (g, id24));
                if op == 0x806 {
                    self.mcg.push((g, id24));
                }
                done(vec![0; 16])
            }
            // flow tables, groups, entries
            0x930 | 0x933 => {
                let id = self.make(op, 1, i, uid);
                self.ft_command(op, i, id);
                Self::with_id(id)
            }
            0x931 | 0x934 | 0x936 | 0x938 | 0x92f | 0x93c => {
                let kind = if op == 0x931 { 0x930 } else { 0x933 };
                let id = if op == 0x931 { get(i, 0xa8, 24) } else { get(i, 0xc0, 32) } as u32;
                if matches!(op, 0x931 | 0x934) && self.objs.remove(&(kind, id)).is_none() {
                    return fail(BAD_RES, 0x931_001);
                }
                self.ft_command(op, i, id);
                done(vec![0; 16])
            }
            // counters, packet reformat and header modify contexts: 32-bit numbers
            0x939 | 0x93d | 0x940 => {
                let n = if op == 0x939 { (get(i, 0x78, 8) as u32 * 128).max(1) } else { 1 };
                let id = self.alloc(op, 1);
                *self.next.get_mut(&op).unwrap() += n - 1;
                self.objs.insert((op, id), Obj { input: i.to_vec(), uid });
                let mut o = vec![0; 16];
                set(&mut o, 0x40, 32, id as u64);
                done(o)
            }
            0x93a | 0x93e | 0x941 => {
                self.objs.remove(&(op - 1, get(i, 0x40, 32) as u32));
                done(vec![0; 16])
            }
            0x93b => {
                let mut o = vec![0u8; outlen.max(32)];
                let first = get(i, 0xe0, 32) as u32;
                for k in 0..get(i, 0xd0, 16).max(1) as usize {
                    let (p, b) = self.steer.counts.get(&(first + k as u32)).copied().unwrap_or((0, 0));
                    set(&mut o, 128 + 128 * k, 64, p);
                    set(&mut o, 192 + 128 * k, 64, b);
                    if get(i, 0xc0, 1) != 0 {
                        self.steer.counts.remove(&(first + k as u32));
                    }
                }
                done(o)
            }
            0x805 => self.access_reg(i, op_mod, outlen),
            0x802 => {
                let v = self.alloc(op, super::FIRST_UAR);
                Self::with_id(v)
            }
            0x803 => done(vec![0; 16]),
            // plain resources whose number sits in bits 0x48..0x60 of both directions
            0x800 | 0x816 | 0x80e | 0x200 | 0x400 | 0x500 | 0x700 | 0x705 | 0x710 | 0x717 | 0x900 | 0x904
            | 0x908 | 0x90c | 0x912 | 0x916 | 0xa08 => {
                let id = if op == 0x500 && get(i, 0xc0 + 8, 8) == 7 {
                    0 // management queue pairs have fixed numbers
                } else if op == 0x500 && get(i, 0xc0 + 8, 8) == 8 {
                    1
                } else {
                    let first = if op == 0x200 { 0x10 } else { 0x40 };
                    // queue numbers share one space
                    let space = match op {
                        0x904 | 0x908 => 0x500,
                        0x705 | 0x90c | 0x717 => 0x700,
                        _ => op,
                    };
                    self.alloc(space, first)
                };
                self.objs.insert((op, id), Obj { input: i.to_vec(), uid });
                match op {
                    0x200 => self.mkey_create(id, i),
                    0x400 => self.cq_create(id, i),
                    0x500 => self.qp_create(id, i),
                    0x904 => self.sq_create(id, i),
                    0x908 => self.rq_create(id, i),
                    0x90c | 0x705 | 0x700 => self.srq_create(op, id, i),
                    _ => {}
                }
                Self::with_id(id)
            }
            0x771 => {
                let id = self.make(op, 1, i, uid);
                let mut o = vec![0; 16];
                set(&mut o, 0x58, 8, id as u64);
                done(o)
            }
            0x600 => {
                let n = get(i, 0x40, 4);
                let mut o = vec![0u8; 32];
                for k in 0..n as usize {
                    let id = self.make(op, 1, i, uid);
                    set(&mut o, 0x88 + 0x20 * k, 24, id as u64);
                }
                done(o)
            }
            0xa04 => {
                let id = self.make(op, 1, i, uid);
                let mut o = vec![0; 16];
                set(&mut o, 0x50, 16, id as u64);
                done(o)
            }
            0xa06 => {
                self.objs.remove(&(0xa04, get(i, 0x10, 16) as u32));
                done(vec![0; 16])
            }
            0x801 | 0x817 | 0x80f | 0x202 | 0x401 | 0x501 | 0x701 | 0x706 | 0x711 | 0x718 | 0x902 | 0x906
            | 0x90a | 0x90e | 0x914 | 0x918 | 0xa0a | 0x601 | 0x772 => {
                let (kind, id) = match op {
                    0x801 => (0x800, id24),
                    0x817 => (0x816, id24),
                    0x80f => (0x80e, id24),
                    0x202 => (0x200, id24),
                    0x401 => (0x400, id24),
                    0x501 => (0x500, id24),
                    0x772 => (0x771, get(i, 0x58, 8) as u32),
                    0x902 | 0x906 | 0x90a | 0x90e | 0x914 | 0x918 | 0xa0a => (op - 2, id24),
                    _ => (op - 1, id24),
                };
                match kind {
                    0x200 => drop(self.dp.mkeys.remove(&id)),
                    0x400 => drop(self.dp.cqs.remove(&id)),
                    0x904 => drop(self.dp.sqs.remove(&id)),
                    0x908 => drop(self.steer.rqs.remove(&id)),
                    0x500 => {
                        self.dp.qps.remove(&id);
                        self.dp.pending.remove(&id);
                    }
                    0x90c | 0x705 | 0x700 => drop(self.dp.srqs.remove(&(kind, id))),
                    _ => {}
                }
                match self.objs.remove(&(kind, id)) {
                    Some(_) => done(vec![0; 16]),
                    None => fail(BAD_RES, (op as u32) << 8 | 1),
                }
            }
            0x502 | 0x503 | 0x504 | 0x505 | 0x506 | 0x507 | 0x50a | 0x50c | 0x50e => {
                match self.qp_modify(h, op, id24, i) {
                    Some(()) => done(vec![0; 16]),
                    None => fail(BAD_RES, 0x500_001),
                }
            }
            0x50b => match self.qp_query(id24) {
                Some(o) => done(o),
                None => fail(BAD_RES, 0x50b_001),
            },
            0x403 => {
                if op_mod == 1 {
                    self.cq_resize(h, id24, i);
                }
                done(vec![0; 16])
            }
            0x901 | 0x905 | 0x909 | 0x913 | 0x917 => done(vec![0; 16]),
            0x703 | 0x708 | 0x90d => done(vec![0; 16]),
            // management datagrams through the command queue: not offered
            0xb22 => {
                let mut o = vec![0u8; 64 + 128];
                set(&mut o, 0x1f0, 16, 1);
                let t = self.config.vuid.as_bytes();
                o[64..64 + t.len()].copy_from_slice(t);
                done(o)
            }
            0x907 | 0x90b => {
                let mut r = self.query_blob(op - 3, id24, 32, 32, 240, outlen);
                set(&mut r.out, 0x108, 4, 1);
                r
            }
            0x90f => self.query_blob(0x90c, id24, 32, 32, 240, outlen),
            0x201 => self.query_blob(0x200, id24, 16, 16, 64, outlen),
            0x402 => self.query_blob(0x400, id24, 16, 16, 64, outlen),
            // general objects: (type, id), body after a 16-byte head
            0xa00 => {
                let t = get(i, 0x30, 16) as u16;
                let id = self.make(0x8000 | t, 1, i, uid);
                let mut o = vec![0; 16];
                set(&mut o, 0x40, 32, id as u64);
                done(o)
            }
            0xa01..=0xa03 => {
                let t = get(i, 0x30, 16) as u16;
                let id = get(i, 0x40, 32) as u32;
                let key = (0x8000 | t, id);
                if !self.objs.contains_key(&key) {
                    return fail(BAD_RES, 0xa00_001);
                }
                match op {
                    0xa02 => {
                        let mut o = vec![0; 16];
                        set(&mut o, 0x40, 32, id as u64);
                        o.extend_from_slice(&self.objs[&key].input[16..]);
                        done(o)
                    }
                    0xa01 => {
                        let ob = self.objs.get_mut(&key).unwrap();
                        let n = ob.input.len().min(i.len());
                        ob.input[16..n].copy_from_slice(&i[16..n]);
                        // tell whoever listens: object change, with type and number
                        let mut d = [0u8; 28];
                        d[2..4].copy_from_slice(&t.to_be_bytes());
                        d[4..8].copy_from_slice(&id.to_be_bytes());
                        self.raise(h, 0x27, 0, &d);
                        done(vec![0; 16])
                    }
                    _ => {
                        self.objs.remove(&key);
                        done(vec![0; 16])
                    }
                }
            }
            // test hook, in the range the kernel passes through as "general":
            // raise event (kind, sub) with the 28 data bytes that follow the head
            0xcf0 => {
                let (kind, sub) = (i[8], i[9]);
                let mut d = [0u8; 28];
                let n = i.len().saturating_sub(16).min(28);
                d[..n].copy_from_slice(&i[16..16 + n]);
                self.raise(h, kind, sub, &d);
                done(vec![0; 16])
            }
            _ => fail(BAD_OP, 0),
        }
    }

    fn query_blob(&self, kind: u16, id: u32, from: usize, to: usize, len: usize, outlen: usize) -> Reply {
        match self.objs.get(&(kind, id)) {
            Some(ob) => {
                let mut o = vec![0; outlen.max(to + len)];
                let n = len.min(ob.input.len().saturating_sub(from));
                o[to..to + n].copy_from_slice(&ob.input[from..from + n]);
                done(o)
            }
            None => fail(BAD_RES, (kind as u32) << 8 | 2),
        }
    }

    fn access_reg(&mut self, i: &[u8], op_mod: u16, outlen: usize) -> Reply {
        let reg = get(i, 0x50, 16) as u16;
        let mut o = vec![0u8; outlen.max(16)];
        // start from what was sent, as the device does
        let n = (i.len() - 16).min(o.len() - 16);
        o[16..16 + n].copy_from_slice(&i[16..16 + n]);
        let r = 0x80;
        match reg {
            0x7004 => {}
            0x6001 => {
                // node description
                let t = b"emulated ConnectX-7";
                o[16..16 + t.len()].copy_from_slice(t);
            }
            0x5003 => {
                // PMTU: max, admin, oper = 4096
                set(&mut o, r + 0x20, 16, 4096);
                set(&mut o, r + 0x40, 16, 4096);
                set(&mut o, r + 0x60, 16, 4096);
            }
            0x5004 => {
                // PTYS, InfiniBand part: 4x, HDR
                for (at, w, p) in [(0x80, 0xf, 0x7f), (0xe0, 0xf, 0x7f), (0x140, 2, 0x40)] {
                    set(&mut o, r + at, 16, w);
                    set(&mut o, r + at + 16, 16, p);
                }
                // Ethernet part: 100GBASE-CR4
                for at in [0x60, 0xc0, 0x120] {
                    set(&mut o, r + at, 32, 1 << 20);
                }
            }
            0x500f => {
                set(&mut o, r + 0x1c, 4, 4);
                set(&mut o, r + 0x3c, 4, 4);
                set(&mut o, r + 0x5c, 4, 4);
            }
            0x5006 => {
                set(&mut o, r + 0x0c, 4, 1);
                set(&mut o, r + 0x1c, 4, 1);
            }
            0x5008 => {} // port counters: zero
            0x5002 => set(&mut o, r + 0x18, 8, 4),
            _ if self.caps.eth && self.trace => {
                eprintln!("register {reg:#x} op_mod {op_mod} not known, echoed")
            }
            _ => {
                eprintln!("register {reg:#x} op_mod {op_mod} not known");
                return fail(BAD_PARAM, 0x805_000 | reg as u32);
            }
        }
        done(o)
    }
}
