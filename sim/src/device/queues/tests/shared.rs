//! Shared receive queues: pools, XRC, limits, what an error leaves.

use super::rig::{CqH, QpH, Rig, Work, scatter};
use prm::cqe::{self, Cqe64, ErrCqe, syndrome};
use prm::wqe::{SrqNext, opcode};
use prm::{CreateQpIn, CreateRmpIn, CreateXrcSrqIn, Field, Qpc, Rmpc, Wq, XrcSrqc, event};

const RC: u64 = 0;
const XRC: u64 = 3;
const DEPTH: u16 = 16;

/// A linked list of 16 entries of 64 bytes.
struct Pool {
    n: u64,
    buf: u64,
    dbr: u64,
    posted: u16,
    at: u16,
}

impl Pool {
    fn rmp(r: &mut Rig) -> Pool {
        let (buf, dbr) = (r.page(), r.page());
        let wq = Rmpc::WQ.within(CreateRmpIn::CTX);
        let f = [
            (Rmpc::STATE.within(CreateRmpIn::CTX), 1),
            (Wq::PD.within(wq), r.pd),
            (Wq::LOG_WQ_STRIDE.within(wq), 6),
            (Wq::LOG_WQ_SZ.within(wq), 4),
            (Wq::DBR_ADDR.within(wq), dbr),
            (Wq::PAS.within(wq), buf),
        ];
        let n = r.b.create(prm::opcode::CREATE_RMP, 0, CreateRmpIn::SIZE + 8, &f) as u64;
        Pool::linked(r, n, buf, dbr)
    }

    /// The driver links the entries: here each one to the third one on.
    fn linked(r: &Rig, n: u64, buf: u64, dbr: u64) -> Pool {
        for k in 0..DEPTH {
            let mut next = [0; 16];
            SrqNext::NEXT_WQE_INDEX.set(&mut next, ((k + 3) % DEPTH) as u64);
            r.write(buf + k as u64 * 64, &next);
        }
        Pool { n, buf, dbr, posted: 0, at: 0 }
    }

    fn post(&mut self, r: &Rig, list: &[(u32, u64, u32)]) {
        r.write(self.buf + self.at as u64 * 64 + 16, &scatter(list, 48));
        self.at = (self.at + 3) % DEPTH;
        self.posted += 1;
        r.write(self.dbr, &(self.posted as u32).to_be_bytes());
    }
}

fn attached(r: &mut Rig, send: &CqH, receive: &CqH, pool: &Pool) -> QpH {
    let f =
        [(Qpc::RQ_TYPE.within(CreateQpIn::QPC), 1), (Qpc::SRQN_RMPN_XRQN.within(CreateQpIn::QPC), pool.n)];
    r.qp(RC, send, receive, &f)
}

#[test]
fn entries_come_in_the_order_of_the_list() {
    let mut r = Rig::new();
    let mut pool = Pool::rmp(&mut r);
    let (send, mut receive) = (r.cq(4, &[]), r.cq(4, &[]));
    let mut a = r.qp(RC, &send, &send, &[]);
    let b = attached(&mut r, &send, &receive, &pool);
    r.make_rts(a.n, b.n, &[]);
    r.make_rts(b.n, a.n, &[]);
    let at = r.page();
    let key = r.key(at, 4096, &[]);
    for k in 0..3u64 {
        pool.post(&r, &[(key, at + 100 * k, 100)]);
    }
    for k in 0..3u64 {
        r.send(&mut a, &Work::new(opcode::SEND).inline(b"shared"));
        let e = r.poll(&mut receive).expect("received");
        assert_eq!(Cqe64::WQE_COUNTER.get(&e), 3 * k, "entries are called by their place");
        assert_eq!(r.read(at + 100 * k, 6), b"shared");
    }
}

#[test]
fn the_limit_is_an_event_once() {
    let mut r = Rig::new();
    let mut pool = Pool::rmp(&mut r);
    let (send, receive) = (r.cq(4, &[]), r.cq(4, &[]));
    let mut a = r.qp(RC, &send, &send, &[]);
    let b = attached(&mut r, &send, &receive, &pool);
    r.make_rts(a.n, b.n, &[]);
    r.make_rts(b.n, a.n, &[]);
    let at = r.page();
    let key = r.key(at, 4096, &[]);
    for _ in 0..4 {
        pool.post(&r, &[(key, at, 100)]);
    }
    let arm = [(prm::ArmRqIn::SRQ_NUMBER, pool.n), (prm::ArmRqIn::LWM, 3), (prm::MboxIn::OP_MOD, 1)];
    r.must(prm::opcode::ARM_RQ, prm::ArmRqIn::SIZE, &arm);
    assert_eq!(r.event(), None);
    r.send(&mut a, &Work::new(opcode::SEND).inline(b"x"));
    assert_eq!(r.event(), None, "three are left");
    r.send(&mut a, &Work::new(opcode::SEND).inline(b"x"));
    assert_eq!(r.event(), Some((event::SRQ_RQ_LIMIT, pool.n as u32)));
    r.send(&mut a, &Work::new(opcode::SEND).inline(b"x"));
    assert_eq!(r.event(), None);
    r.must(prm::opcode::ARM_RQ, prm::ArmRqIn::SIZE, &arm);
    assert_eq!(r.event(), Some((event::SRQ_RQ_LIMIT, pool.n as u32)), "below it already");
}

#[test]
fn an_error_leaves_shared_entries_and_says_that_none_will_come() {
    let mut r = Rig::new();
    let mut pool = Pool::rmp(&mut r);
    let (send, mut receive) = (r.cq(4, &[]), r.cq(4, &[]));
    let a = attached(&mut r, &send, &receive, &pool);
    let mut b = attached(&mut r, &send, &receive, &pool);
    let mut c = r.qp(RC, &send, &send, &[]);
    r.make_rts(a.n, a.n, &[]);
    r.make_rts(b.n, c.n, &[]);
    r.make_rts(c.n, b.n, &[]);
    let at = r.page();
    let key = r.key(at, 4096, &[]);
    pool.post(&r, &[(key, at, 100)]);
    r.move_qp(prm::opcode::QP_2ERR, a.n, &[]);
    assert_eq!(r.event(), Some((event::SRQ_LAST_WQE, a.n)));
    assert!(r.poll(&mut receive).is_none());
    r.send(&mut c, &Work::new(opcode::SEND).inline(b"to b"));
    assert!(r.poll(&mut receive).is_some());
    r.send(&mut b, &Work::new(opcode::NOP));
}

#[test]
fn xrc_senders_name_the_shared_queue() {
    let mut r = Rig::new();
    let (mut send, mut receive) = (r.cq(4, &[]), r.cq(4, &[]));
    let xrcd = r.b.create(prm::opcode::ALLOC_XRCD, 0, 16, &[]) as u64;
    let other = r.b.create(prm::opcode::ALLOC_XRCD, 0, 16, &[]) as u64;
    let ctx = CreateXrcSrqIn::XRC_SRQ_CONTEXT_ENTRY;
    let make = |r: &mut Rig, xrcd: u64, cq: u64| {
        let (buf, dbr) = (r.page(), r.page());
        let f = [
            (XrcSrqc::PD.within(ctx), r.pd),
            (XrcSrqc::CQN.within(ctx), cq),
            (XrcSrqc::XRCD.within(ctx), xrcd),
            (XrcSrqc::LOG_XRC_SRQ_SIZE.within(ctx), 4),
            (XrcSrqc::LOG_RQ_STRIDE.within(ctx), 2),
            (XrcSrqc::USER_INDEX.within(ctx), 0x777),
            (XrcSrqc::DB_RECORD_ADDR_H.within(ctx), dbr >> 32),
            (XrcSrqc::DB_RECORD_ADDR_L.within(ctx), (dbr & 0xffff_ffff) >> 2),
            (CreateXrcSrqIn::PAS, buf),
        ];
        let n = r.b.create(prm::opcode::CREATE_XRC_SRQ, 0, CreateXrcSrqIn::SIZE + 8, &f) as u64;
        Pool::linked(r, n, buf, dbr)
    };
    let mut pool = make(&mut r, xrcd, receive.n);
    let foreign = make(&mut r, other, receive.n);
    let target = [
        (Qpc::RQ_TYPE.within(CreateQpIn::QPC), 3),
        (Qpc::NO_SQ.within(CreateQpIn::QPC), 1),
        (Qpc::XRCD.within(CreateQpIn::QPC), xrcd),
    ];
    let none = [(Qpc::RQ_TYPE.within(CreateQpIn::QPC), 3)];
    let mut a = r.qp(XRC, &send, &send, &none);
    let b = r.qp(XRC, &send, &send, &target);
    r.make_rts(a.n, b.n, &[]);
    r.make_rts(b.n, a.n, &[]);
    let at = r.page();
    let key = r.key(at, 4096, &[]);
    pool.post(&r, &[(key, at, 100)]);
    let xrc = |n: u64| {
        let mut s = [0; 16];
        prm::wqe::Xrc::SRQN.set(&mut s, n);
        s
    };
    r.send(&mut a, &Work::new(opcode::SEND).raw(&xrc(pool.n)).inline(b"named"));
    assert!(r.poll(&mut send).is_some());
    let e = r.poll(&mut receive).expect("received");
    assert_eq!(Cqe64::SRQN_UIDX.get(&e), 0x777, "the shared queue's own index");
    assert_eq!(r.read(at, 5), b"named");
    r.ring(&b);
    assert_eq!((r.event(), r.state(b.n)), (None, 3), "a doorbell means nothing without a send queue");
    r.send(&mut a, &Work::new(opcode::SEND).raw(&xrc(foreign.n)).inline(b"x"));
    let e = r.poll(&mut send).expect("error");
    assert_eq!(e[63] >> 4, cqe::opcode::REQ_ERR);
    assert_eq!(ErrCqe::SYNDROME.get(&e) as u8, syndrome::REMOTE_INVAL_REQ_ERR);
    let _: Field = XrcSrqc::XRCD;
}
