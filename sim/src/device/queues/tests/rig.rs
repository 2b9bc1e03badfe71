//! A chip with memory, and the calls of a small driver.

use crate::device::Config;
use crate::device::Host;
use crate::device::command::testing::{Bench, command};
use prm::wqe::{Ctrl, Data, INLINE_SEG, Raddr, fm_ce_se};
use prm::{
    Ads, Cqc, CreateCqIn, CreateEqIn, CreateEqOut, CreateMkeyIn, CreateMkeyOut, CreateQpIn, CreateQpOut, Eqc,
    Eqe, Field, Mkc, Qpc, QueryQpIn, QueryQpOut, Rst2initQpIn, opcode,
};

const PAGE: u64 = 4096;

pub struct Rig {
    pub b: Bench,
    pub pd: u64,
    pub uar: u64,
    next: u64,
    eq: Eq,
}

struct Eq {
    n: u64,
    buf: u64,
    ci: u32,
}

#[derive(Clone, Debug)]
pub struct CqH {
    pub n: u64,
    pub buf: u64,
    pub dbr: u64,
    pub log: u32,
    pub entry: u64,
    pub ci: u32,
}

#[derive(Clone, Debug)]
pub struct QpH {
    pub n: u32,
    pub buf: u64,
    pub dbr: u64,
    pub sq_at: u64,
    pub pi: u16,
    pub rq_pi: u16,
}

/// Entries of a test queue pair's rings.
pub const DEPTH: u16 = 16;

impl Rig {
    pub fn new() -> Rig {
        Rig::with(Config::default())
    }

    pub fn with(config: Config) -> Rig {
        let mut b = Bench::with(config);
        let (pd, uar) = (b.pd(0) as u64, b.uar(0) as u64);
        let mut r = Rig { b, pd, uar, next: 0x10000, eq: Eq { n: 0, buf: 0, ci: 0 } };
        let buf = r.page();
        let ctx = CreateEqIn::EQ_CONTEXT_ENTRY;
        let fields = [
            (Eqc::LOG_EQ_SIZE.within(ctx), 6),
            (Eqc::UAR_PAGE.within(ctx), uar),
            (CreateEqIn::PAS, buf),
            // every event type that the tests look for, and completions
            (Field::new(CreateEqIn::EVENT_BITMASK.off, 64), 0x3fff_fffe),
        ];
        assert_eq!(
            r.b.cmd(opcode::CREATE_EQ, 0, CreateEqIn::SIZE + 8, &fields, 16),
            0,
            "{:#x}",
            r.b.syndrome()
        );
        let n = CreateEqOut::EQ_NUMBER.get(&r.b.out);
        // entries start out as the hardware's: owner bit of the turn before
        for k in 0..64 {
            r.write(buf + k * 64 + 63, &[1]);
        }
        r.eq = Eq { n, buf, ci: 0 };
        r
    }

    /// Fresh zeroed memory of a page.
    pub fn page(&mut self) -> u64 {
        self.next += PAGE;
        self.next - PAGE
    }

    pub fn write(&self, at: u64, data: &[u8]) {
        self.b.host.write(at, data).expect("test memory");
    }

    pub fn read(&self, at: u64, len: usize) -> Vec<u8> {
        let mut v = vec![0; len];
        self.b.host.read(at, &mut v).expect("test memory");
        v
    }

    /// The next event: type and queue number.
    pub fn event(&mut self) -> Option<(u8, u32)> {
        let at = self.eq.buf + (self.eq.ci % 64) as u64 * 64;
        let e = self.read(at, 64);
        if Eqe::OWNER.get(&e) as u32 != (self.eq.ci / 64) & 1 {
            return None;
        }
        self.eq.ci += 1;
        let data = Eqe::EVENT_DATA.slice(&e);
        let ty = Eqe::EVENT_TYPE.get(&e) as u8;
        let at = if ty == prm::event::CQ_ERROR { 0 } else { 24 };
        Some((ty, prm::bits::be32(data, at)))
    }

    pub fn cq(&mut self, log: u32, extra: &[(Field, u64)]) -> CqH {
        let (buf, dbr) = (self.page(), self.page());
        let ctx = CreateCqIn::CQ_CONTEXT;
        let mut fields = vec![
            (Cqc::LOG_CQ_SIZE.within(ctx), log as u64),
            (Cqc::UAR_PAGE.within(ctx), self.uar),
            (Cqc::C_EQN_OR_APU_ELEMENT.within(ctx), self.eq.n),
            (Cqc::DBR_ADDR.within(ctx), dbr),
            (CreateCqIn::PAS, buf),
        ];
        fields.extend_from_slice(extra);
        let entry =
            if extra.iter().any(|(f, v)| *f == Cqc::CQE_SZ.within(ctx) && *v != 0) { 128 } else { 64 };
        let n = self.b.create(opcode::CREATE_CQ, 0, CreateCqIn::SIZE + 8, &fields) as u64;
        for k in 0..1u64 << log {
            self.write(buf + (k + 1) * entry - 1, &[0xf1]);
        }
        CqH { n, buf, dbr, log, entry, ci: 0 }
    }

    /// The next completion, consumed.
    pub fn poll(&self, cq: &mut CqH) -> Option<Vec<u8>> {
        let at = cq.buf + (cq.ci as u64 & ((1 << cq.log) - 1)) * cq.entry;
        let e = self.read(at, cq.entry as usize);
        let op_own = *e.last().expect("an entry has bytes");
        if op_own >> 4 == 15 || op_own as u32 & 1 != cq.ci >> cq.log & 1 {
            return None;
        }
        cq.ci += 1;
        self.write(cq.dbr, &cq.ci.to_be_bytes());
        Some(e)
    }

    /// Ask for an event.
    pub fn arm(&mut self, cq: &CqH, serial: u32, solicited: bool) {
        let word = serial << 28 | (solicited as u32) << 24 | cq.ci & 0xff_ffff;
        let bytes = [word.to_be_bytes(), (cq.n as u32).to_be_bytes()].concat();
        self.b.chip.uar_write(&self.b.host, self.uar as u32, 0x20, &bytes);
    }

    /// A key over pages that lie where `va` says.
    pub fn key(&mut self, va: u64, len: u64, extra: &[(Field, u64)]) -> u32 {
        let ctx = CreateMkeyIn::MEMORY_KEY_MKEY_ENTRY;
        let first = va / PAGE * PAGE;
        let pages = (va + len - first).div_ceil(PAGE);
        let octwords = pages.div_ceil(2);
        let mut fields = vec![
            (Mkc::PD.within(ctx), self.pd),
            (Mkc::ACCESS_MODE_1_0.within(ctx), 1),
            (Mkc::LR.within(ctx), 1),
            (Mkc::LW.within(ctx), 1),
            (Mkc::RR.within(ctx), 1),
            (Mkc::RW.within(ctx), 1),
            (Mkc::A.within(ctx), 1),
            (Mkc::QPN.within(ctx), 0xff_ffff),
            (Mkc::MKEY_7_0.within(ctx), 0x5a),
            (Mkc::START_ADDR.within(ctx), va),
            (Mkc::LEN.within(ctx), len),
            (Mkc::LOG_PAGE_SIZE.within(ctx), 12),
            (Mkc::TRANSLATIONS_OCTWORD_SIZE.within(ctx), octwords),
            (CreateMkeyIn::TRANSLATIONS_OCTWORD_ACTUAL_SIZE, octwords),
        ];
        for k in 0..pages {
            fields.push((Field::new(CreateMkeyIn::SIZE * 8 + k as usize * 64, 64), first + k * PAGE));
        }
        fields.extend_from_slice(extra);
        let len = CreateMkeyIn::SIZE + octwords as usize * 16;
        let s = self.b.cmd(opcode::CREATE_MKEY, 0, len, &fields, 16);
        assert_eq!(s, 0, "syndrome {:#x}", self.b.syndrome());
        let variant =
            fields.iter().rev().find(|(f, _)| *f == Mkc::MKEY_7_0.within(ctx)).map_or(0, |(_, v)| *v);
        CreateMkeyOut::MKEY_INDEX.get32(&self.b.out) << 8 | variant as u32
    }

    /// An indirect key that work requests may change, free at first.
    pub fn free_key(&mut self, octwords: u64, extra: &[(Field, u64)]) -> u32 {
        let ctx = CreateMkeyIn::MEMORY_KEY_MKEY_ENTRY;
        let mut fields = vec![
            (Mkc::PD.within(ctx), self.pd),
            (Mkc::FREE.within(ctx), 1),
            (Mkc::UMR_EN.within(ctx), 1),
            (Mkc::ACCESS_MODE_1_0.within(ctx), 2),
            (Mkc::LR.within(ctx), 1),
            (Mkc::QPN.within(ctx), 0xff_ffff),
            (Mkc::TRANSLATIONS_OCTWORD_SIZE.within(ctx), octwords),
        ];
        fields.extend_from_slice(extra);
        let s = self.b.cmd(opcode::CREATE_MKEY, 0, CreateMkeyIn::SIZE, &fields, 16);
        assert_eq!(s, 0, "syndrome {:#x}", self.b.syndrome());
        CreateMkeyOut::MKEY_INDEX.get32(&self.b.out) << 8
    }

    /// A queue pair with 16 receive entries of 64 bytes, then 16 send blocks.
    pub fn qp(&mut self, service: u64, send: &CqH, receive: &CqH, extra: &[(Field, u64)]) -> QpH {
        let (buf, dbr) = (self.page(), self.page());
        let ctx = CreateQpIn::QPC;
        let mut fields = vec![
            (Qpc::ST.within(ctx), service),
            (Qpc::PD.within(ctx), self.pd),
            (Qpc::CQN_SND.within(ctx), send.n),
            (Qpc::CQN_RCV.within(ctx), receive.n),
            (Qpc::UAR_PAGE.within(ctx), self.uar),
            (Qpc::USER_INDEX.within(ctx), 0x123),
            (Qpc::LOG_RQ_SIZE.within(ctx), 4),
            (Qpc::LOG_RQ_STRIDE.within(ctx), 2),
            (Qpc::LOG_SQ_SIZE.within(ctx), 4),
            (Qpc::DBR_ADDR.within(ctx), dbr),
            (CreateQpIn::PAS, buf),
        ];
        fields.extend_from_slice(extra);
        let s = self.b.cmd(opcode::CREATE_QP, 0, CreateQpIn::SIZE + 8, &fields, 16);
        assert_eq!(s, 0, "syndrome {:#x}", self.b.syndrome());
        let n = CreateQpOut::QPN.get32(&self.b.out);
        let regular = !fields.iter().any(|(f, v)| *f == Qpc::RQ_TYPE.within(ctx) && *v != 0);
        QpH { n, buf, dbr, sq_at: if regular { 64 * DEPTH as u64 } else { 0 }, pi: 0, rq_pi: 0 }
    }

    pub fn move_qp(&mut self, op: u16, n: u32, fields: &[(Field, u64)]) {
        let mut all = vec![(Rst2initQpIn::QPN, n as u64)];
        all.extend(fields.iter().map(|(f, v)| (f.within(Rst2initQpIn::QPC), *v)));
        let s = self.b.cmd(op, 0, Rst2initQpIn::SIZE, &all, 16);
        assert_eq!(s, 0, "{:?} syndrome {:#x}", opcode::name(op), self.b.syndrome());
    }

    /// To INIT and RTR.
    pub fn make_rtr(&mut self, n: u32, peer: u32, extra: &[(Field, u64)]) {
        let path = |f: Field| f.within(Qpc::PRIMARY_ADDRESS_PATH);
        let init = [
            (path(Ads::VHCA_PORT_NUM), 1),
            (Qpc::RRE, 1),
            (Qpc::RWE, 1),
            (Qpc::RAE, 1),
            (Qpc::Q_KEY, 0x1111),
        ];
        self.move_qp(opcode::RST2INIT_QP, n, &[&init[..], extra].concat());
        let rtr = [(Qpc::MTU, 5), (Qpc::LOG_MSG_MAX, 30), (Qpc::REMOTE_QPN, peer as u64)];
        self.move_qp(opcode::INIT2RTR_QP, n, &[&rtr[..], extra].concat());
    }

    pub fn make_rts(&mut self, n: u32, peer: u32, extra: &[(Field, u64)]) {
        self.make_rtr(n, peer, extra);
        let path = |f: Field| f.within(Qpc::PRIMARY_ADDRESS_PATH);
        let rts = [(path(Ads::ACK_TIMEOUT), 14), (Qpc::RETRY_COUNT, 1), (Qpc::RNR_RETRY, 7)];
        self.move_qp(opcode::RTR2RTS_QP, n, &[&rts[..], extra].concat());
    }

    /// Two queue pairs connected to each other, each with its own pair of completion queues.
    pub fn pair(&mut self, service: u64) -> (Side, Side) {
        let side = |r: &mut Rig| {
            let (send, receive) = (r.cq(4, &[]), r.cq(4, &[]));
            let qp = r.qp(service, &send, &receive, &[]);
            Side { qp, send, receive }
        };
        let (a, b) = (side(self), side(self));
        self.make_rts(a.qp.n, b.qp.n, &[]);
        self.make_rts(b.qp.n, a.qp.n, &[]);
        (a, b)
    }

    pub fn state(&mut self, n: u32) -> u64 {
        let f = [(QueryQpIn::QPN, n as u64)];
        assert_eq!(self.b.cmd(opcode::QUERY_QP, 0, 16, &f, QueryQpOut::SIZE), 0);
        Qpc::STATE.within(QueryQpOut::QPC).get(&self.b.out)
    }

    /// Put a send request into the ring, and tell the doorbell record of it.
    pub fn post(&self, q: &mut QpH, w: &Work) {
        let bytes = w.bytes(q.n, q.pi);
        for (k, block) in bytes.chunks(64).enumerate() {
            let at = (q.pi.wrapping_add(k as u16) % DEPTH) as u64 * 64;
            self.write(q.buf + q.sq_at + at, block);
        }
        q.pi = q.pi.wrapping_add(bytes.len().div_ceil(64) as u16);
        self.write(q.dbr + 4, &(q.pi as u32).to_be_bytes());
    }

    /// Ring the send doorbell.
    pub fn ring(&mut self, q: &QpH) {
        let word = ((q.n as u64) << 8).to_be_bytes();
        self.b.chip.uar_write(&self.b.host, self.uar as u32, 0x800, &word);
    }

    pub fn send(&mut self, q: &mut QpH, w: &Work) {
        self.post(q, w);
        self.ring(q);
    }

    /// Post a receive entry of up to four pieces.
    pub fn post_recv(&self, q: &mut QpH, list: &[(u32, u64, u32)]) {
        let at = q.buf + (q.rq_pi % DEPTH) as u64 * 64;
        self.write(at, &scatter(list, 64));
        q.rq_pi = q.rq_pi.wrapping_add(1);
        self.write(q.dbr, &(q.rq_pi as u32).to_be_bytes());
    }

    pub fn progress(&mut self) {
        for _ in 0..100 {
            if !self.b.chip.progress(&self.b.host) {
                return;
            }
        }
        panic!("there is always more to do");
    }

    /// Run a command whose success is expected.
    pub fn must(&mut self, op: u16, len: usize, fields: &[(Field, u64)]) {
        let input = command(op, 0, len, fields);
        let (s, _) = self.b.run(&input, 1024);
        assert_eq!(s, 0, "{:?} syndrome {:#x}", opcode::name(op), self.b.syndrome());
    }
}

/// One side of a connection.
#[derive(Clone, Debug)]
pub struct Side {
    pub qp: QpH,
    pub send: CqH,
    pub receive: CqH,
}

/// A scatter list, ended if there is room.
pub fn scatter(list: &[(u32, u64, u32)], size: usize) -> Vec<u8> {
    let mut w: Vec<u8> = list.iter().flat_map(|(key, va, len)| pointer(*key, *va, *len)).collect();
    if w.len() + 16 <= size {
        w.extend(pointer(prm::wqe::INVALID_LKEY, 0, 0));
    }
    w.resize(size, 0);
    w
}

pub fn pointer(key: u32, va: u64, len: u32) -> Vec<u8> {
    let mut s = vec![0; 16];
    Data::BYTE_COUNT.set(&mut s, len as u64);
    Data::LKEY.set(&mut s, key as u64);
    Data::ADDR.set(&mut s, va);
    s
}

/// A send request being built.
#[derive(Clone, Debug)]
pub struct Work {
    op: u8,
    opmod: u8,
    flags: u8,
    imm: u32,
    stream: u16,
    body: Vec<u8>,
}

impl Work {
    /// A request that asks for a completion.
    pub fn new(op: u8) -> Work {
        Work { op, opmod: 0, flags: fm_ce_se::CQ_UPDATE, imm: 0, stream: 0, body: vec![] }
    }

    pub fn imm(mut self, imm: u32) -> Work {
        self.imm = imm;
        self
    }

    pub fn opmod(mut self, opmod: u8) -> Work {
        self.opmod = opmod;
        self
    }

    pub fn stream(mut self, stream: u16) -> Work {
        self.stream = stream;
        self
    }

    pub fn silent(mut self) -> Work {
        self.flags &= !fm_ce_se::CQ_UPDATE;
        self
    }

    pub fn solicited(mut self) -> Work {
        self.flags |= fm_ce_se::SOLICITED;
        self
    }

    pub fn raw(mut self, segment: &[u8]) -> Work {
        self.body.extend_from_slice(segment);
        self
    }

    pub fn remote(self, key: u32, va: u64) -> Work {
        let mut s = [0; 16];
        Raddr::RADDR.set(&mut s, va);
        Raddr::RKEY.set(&mut s, key as u64);
        self.raw(&s)
    }

    pub fn sge(self, key: u32, va: u64, len: u32) -> Work {
        self.raw(&pointer(key, va, len))
    }

    pub fn inline(self, data: &[u8]) -> Work {
        let mut s = (INLINE_SEG | data.len() as u32).to_be_bytes().to_vec();
        s.extend_from_slice(data);
        s.resize(s.len().next_multiple_of(16), 0);
        self.raw(&s)
    }

    pub fn bytes(&self, queue: u32, pi: u16) -> Vec<u8> {
        let mut w = vec![0; 16];
        let ds = 1 + self.body.len() / 16;
        Ctrl::OPMOD_IDX_OPCODE.set(&mut w, (self.opmod as u64) << 24 | (pi as u64) << 8 | self.op as u64);
        Ctrl::QPN_DS.set(&mut w, (queue as u64) << 8 | ds as u64);
        Ctrl::DCI_STREAM_CHANNEL_ID.set(&mut w, self.stream as u64);
        Ctrl::FM_CE_SE.set(&mut w, self.flags as u64);
        Ctrl::IMM.set(&mut w, self.imm as u64);
        w.extend_from_slice(&self.body);
        w.resize(w.len().next_multiple_of(64), 0xee);
        w
    }
}
