//! Dynamically connected transport.

use super::rig::{CqH, QpH, Rig, Work, scatter};
use prm::cqe::{self, Cqe64, ErrCqe, syndrome};
use prm::wqe::{Av, opcode};
use prm::{CreateDctIn, CreateQpIn, CreateRmpIn, Dctc, Field, Qpc, Rmpc, Wq, event};

const DCI: u64 = 5;
const KEY: u64 = 0x1234_5678_9abc_def0;

struct Bed {
    r: Rig,
    send: CqH,
    receive: CqH,
    dct: u32,
    at: u64,
    key: u32,
}

fn bed() -> Bed {
    let mut r = Rig::new();
    let (send, receive) = (r.cq(5, &[]), r.cq(5, &[]));
    let (buf, dbr, at) = (r.page(), r.page(), r.page());
    let key = r.key(at, 4096, &[]);
    let wq = Rmpc::WQ.within(CreateRmpIn::CTX);
    let f = [
        (Rmpc::STATE.within(CreateRmpIn::CTX), 1),
        (Wq::WQ_TYPE.within(wq), 1),
        (Wq::PD.within(wq), r.pd),
        (Wq::LOG_WQ_STRIDE.within(wq), 6),
        (Wq::LOG_WQ_SZ.within(wq), 4),
        (Wq::DBR_ADDR.within(wq), dbr),
        (Wq::PAS.within(wq), buf),
    ];
    let rmp = r.b.create(prm::opcode::CREATE_RMP, 0, CreateRmpIn::SIZE + 8, &f) as u64;
    for k in 0..4 {
        r.write(buf + k * 64 + 16, &scatter(&[(key, at, 100)], 48));
    }
    r.write(dbr, &4u32.to_be_bytes());
    let ctx = CreateDctIn::DCT_CONTEXT_ENTRY;
    let f = [
        (Dctc::PD.within(ctx), r.pd),
        (Dctc::CQN.within(ctx), receive.n),
        (Dctc::SRQN_XRQN.within(ctx), rmp),
        (Dctc::MTU.within(ctx), 3),
        (Dctc::PORT.within(ctx), 1),
        (Dctc::RWE.within(ctx), 1),
        (Dctc::USER_INDEX.within(ctx), 0x55),
        (Dctc::DC_ACCESS_KEY.within(ctx), KEY),
    ];
    let dct = r.b.create(prm::opcode::CREATE_DCT, 0, CreateDctIn::SIZE, &f);
    Bed { r, send, receive, dct, at, key }
}

impl Bed {
    fn dci(&mut self, extra: &[(Field, u64)]) -> QpH {
        let none = [(Qpc::RQ_TYPE.within(CreateQpIn::QPC), 3)];
        let q = self.r.qp(DCI, &self.send.clone(), &self.receive.clone(), &[&none[..], extra].concat());
        self.r.make_rts(q.n, 0, &[]);
        q
    }

    fn av(&self, key: u64) -> [u8; 48] {
        let mut s = [0; 48];
        Av::DC_KEY.set(&mut s, key);
        Av::DQP_DCT.set(&mut s, (1 << 31 | self.dct) as u64);
        s
    }

    fn syndrome(&mut self) -> u8 {
        let e = self.r.poll(&mut self.send).expect("a completion");
        match e[63] >> 4 {
            cqe::opcode::REQ => 0,
            _ => ErrCqe::SYNDROME.get(&e) as u8,
        }
    }
}

#[test]
fn initiators_reach_any_target_that_they_have_the_key_of() {
    let mut b = bed();
    let mut q = b.dci(&[]);
    let av = b.av(KEY);
    b.r.send(&mut q, &Work::new(opcode::SEND).raw(&av).inline(b"to you"));
    assert_eq!(b.syndrome(), 0);
    let e = b.r.poll(&mut b.receive).expect("received");
    assert_eq!(Cqe64::SRQN_UIDX.get(&e), 0x55);
    assert_eq!(Cqe64::SOP_DROP_QPN.get(&e), b.dct as u64);
    assert_eq!(b.r.read(b.at, 6), b"to you");
    b.r.send(&mut q, &Work::new(opcode::RDMA_WRITE).raw(&av).remote(b.key, b.at + 50).inline(b"far"));
    assert_eq!(b.syndrome(), 0);
    assert_eq!(b.r.read(b.at + 50, 3), b"far");
}

#[test]
fn a_wrong_key_is_an_event_and_no_answer() {
    let mut b = bed();
    b.r.b.chip.clock_held = Some(0);
    let mut q = b.dci(&[]);
    let av = b.av(KEY + 1);
    b.r.send(&mut q, &Work::new(opcode::SEND).raw(&av).inline(b"x"));
    assert_eq!(b.r.event(), Some((event::DCT_KEY_VIOLATION, b.dct)));
    assert!(b.r.poll(&mut b.send).is_none());
    b.r.b.chip.clock_held = Some(60_000_000_000);
    b.r.progress();
    assert_eq!(b.syndrome(), syndrome::TRANSPORT_RETRY_EXC_ERR);
}

#[test]
fn a_target_without_the_right_refuses_and_lives_on() {
    let mut b = bed();
    let mut q = b.dci(&[]);
    let av = b.av(KEY);
    let read = Work::new(opcode::RDMA_READ).raw(&av).remote(b.key, b.at).sge(b.key, b.at, 8);
    b.r.send(&mut q, &read);
    assert_eq!(b.syndrome(), syndrome::REMOTE_INVAL_REQ_ERR);
    assert_eq!(b.r.state(q.n), 6);
    let mut q = b.dci(&[]);
    b.r.send(&mut q, &Work::new(opcode::SEND).raw(&av).inline(b"again"));
    assert_eq!(b.syndrome(), 0);
}

#[test]
fn a_failed_stream_leaves_the_others_alone_until_it_is_reset() {
    let mut b = bed();
    let ctx = CreateQpIn::QPC;
    // four streams, of which one may fail
    let streams = [(Field::new(0x3e3, 5).within(ctx), 2), (Field::new(0x403, 5).within(ctx), 0)];
    let mut q = b.dci(&streams);
    let av = b.av(KEY);
    let bad = Work::new(opcode::RDMA_WRITE).raw(&av).remote(b.key ^ 1, b.at).inline(b"x");
    let good = Work::new(opcode::RDMA_WRITE).raw(&av).remote(b.key, b.at).inline(b"x");
    b.r.send(&mut q, &bad.clone().stream(1));
    assert_eq!(b.syndrome(), syndrome::REMOTE_ACCESS_ERR);
    b.r.send(&mut q, &good.clone().stream(1));
    assert_eq!(b.syndrome(), syndrome::WR_FLUSH_ERR);
    b.r.send(&mut q, &good.clone().stream(2));
    assert_eq!(b.syndrome(), 0);
    assert_eq!(b.r.state(q.n), 3);
    let reset = [
        (prm::Rts2rtsQpIn::QPN, q.n as u64),
        (prm::Rts2rtsQpIn::QPC_EXT, 1),
        (prm::Rts2rtsQpIn::OPT_PARAM_MASK_95_32, 1),
        (prm::QpcExt::DCI_STREAM_CHANNEL_ID.within(prm::Rts2rtsQpIn::QPC_DATA_EXT), 1),
    ];
    b.r.must(prm::opcode::RTS2RTS_QP, prm::Rts2rtsQpIn::SIZE, &reset);
    b.r.send(&mut q, &good.clone().stream(1));
    assert_eq!(b.syndrome(), 0);
    // a second one is too many
    b.r.send(&mut q, &bad.clone().stream(1));
    b.r.send(&mut q, &bad.stream(2));
    assert_eq!(b.syndrome(), syndrome::REMOTE_ACCESS_ERR);
    assert_eq!(b.syndrome(), syndrome::REMOTE_ACCESS_ERR);
    assert_eq!(b.r.state(q.n), 6);
}
