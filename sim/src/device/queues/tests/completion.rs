//! Completion queues: events, overruns, compression, resizing.

use super::rig::{CqH, Rig, Work};
use prm::cqe::{self, Cqe64, ErrCqe, format};
use prm::wqe::opcode;
use prm::{Cqc, CreateCqIn, Field, event};

const RC: u64 = 0;
const CTX: Field = CreateCqIn::CQ_CONTEXT;

fn completion_event(r: &mut Rig, cq: &CqH) -> bool {
    match r.event() {
        None => false,
        Some(e) => {
            assert_eq!(e, (event::COMP, cq.n as u32));
            true
        }
    }
}

#[test]
fn an_event_comes_once_for_each_arming() {
    let mut r = Rig::new();
    let (mut a, _) = r.pair(RC);
    r.send(&mut a.qp, &Work::new(opcode::NOP));
    assert!(!completion_event(&mut r, &a.send), "nobody asked");
    r.arm(&a.send, 0, false);
    assert!(completion_event(&mut r, &a.send), "an entry is there already");
    assert!(r.poll(&mut a.send).is_some());
    r.arm(&a.send, 1, false);
    assert!(!completion_event(&mut r, &a.send));
    r.send(&mut a.qp, &Work::new(opcode::NOP));
    r.send(&mut a.qp, &Work::new(opcode::NOP));
    assert!(completion_event(&mut r, &a.send));
    assert!(!completion_event(&mut r, &a.send), "once");
    r.arm(&a.send, 1, false);
    assert!(!completion_event(&mut r, &a.send), "this arming was answered");
    r.arm(&a.send, 2, false);
    assert!(completion_event(&mut r, &a.send));
}

#[test]
fn solicited_consumers_sleep_through_the_rest() {
    let mut r = Rig::new();
    let (mut a, mut b) = r.pair(RC);
    let at = r.page();
    let key = r.key(at, 4096, &[]);
    for _ in 0..3 {
        r.post_recv(&mut b.qp, &[(key, at, 64)]);
    }
    r.arm(&b.receive, 0, true);
    r.send(&mut a.qp, &Work::new(opcode::SEND).inline(b"x"));
    assert!(!completion_event(&mut r, &b.receive));
    r.send(&mut a.qp, &Work::new(opcode::SEND).inline(b"x").solicited());
    assert!(completion_event(&mut r, &b.receive));
    // errors wake too
    while r.poll(&mut b.receive).is_some() {}
    r.arm(&b.receive, 1, true);
    r.move_qp(prm::opcode::QP_2ERR, b.qp.n, &[]);
    assert!(completion_event(&mut r, &b.receive));
}

#[test]
fn an_overrun_breaks_the_queue_and_its_queue_pair() {
    let mut r = Rig::new();
    let (send, receive) = (r.cq(1, &[]), r.cq(4, &[]));
    let mut a = r.qp(RC, &send, &receive, &[]);
    r.make_rts(a.n, a.n, &[]);
    for _ in 0..3 {
        r.post(&mut a, &Work::new(opcode::NOP));
    }
    r.ring(&a);
    assert_eq!(r.event(), Some((event::CQ_ERROR, send.n as u32)));
    assert_eq!(r.event(), Some((event::WQ_CATAS_ERROR, a.n)));
    assert_eq!(r.event(), None);
    assert_eq!(r.state(a.n), 6);
    let f = [(prm::QueryCqIn::CQN, send.n)];
    assert_eq!(r.b.cmd(prm::opcode::QUERY_CQ, 0, 16, &f, prm::QueryCqOut::SIZE), 0);
    assert_eq!(Cqc::STATUS.within(prm::QueryCqOut::CQ_CONTEXT).get(&r.b.out), 9);
}

#[test]
fn a_queue_that_may_overrun_goes_round() {
    let mut r = Rig::new();
    let (send, receive) = (r.cq(1, &[(Cqc::OI.within(CTX), 1)]), r.cq(4, &[]));
    let mut a = r.qp(RC, &send, &receive, &[]);
    r.make_rts(a.n, a.n, &[]);
    for _ in 0..3 {
        r.send(&mut a, &Work::new(opcode::NOP));
    }
    assert_eq!(r.event(), None);
    let first = r.read(send.buf, 64);
    assert_eq!(Cqe64::WQE_COUNTER.get(&first), 2, "the third took the first one's place");
}

#[test]
fn entries_go_on_in_the_new_buffer() {
    let mut r = Rig::new();
    let (mut a, _) = r.pair(RC);
    r.send(&mut a.qp, &Work::new(opcode::NOP));
    let new = r.page();
    for k in 1..=32 {
        r.write(new + k * 64 - 1, &[0xf1]);
    }
    let f = [
        (prm::MboxIn::OP_MOD, 1),
        (prm::ModifyCqIn::CQN, a.send.n),
        (Cqc::LOG_CQ_SIZE.within(prm::ModifyCqIn::CQ_CONTEXT), 5),
        (prm::ModifyCqIn::PAS, new),
    ];
    r.must(prm::opcode::MODIFY_CQ, prm::ModifyCqIn::SIZE + 8, &f);
    assert!(r.poll(&mut a.send).is_some());
    let mark = r.poll(&mut a.send).expect("the mark");
    assert_eq!(mark[63] >> 4, cqe::opcode::RESIZE_CQ);
    r.send(&mut a.qp, &Work::new(opcode::NOP));
    let mut cq = CqH { buf: new, log: 5, ..a.send };
    let e = r.poll(&mut cq).expect("in the new buffer");
    assert_eq!(Cqe64::WQE_COUNTER.get(&e), 1);
}

#[test]
fn runs_are_compressed_and_loners_are_not() {
    let mut r = Rig::new();
    let compress = [(Cqc::CQE_COMP_EN.within(CTX), 1)];
    let (mut send, receive) = (r.cq(5, &compress), r.cq(4, &[]));
    let mut a = r.qp(RC, &send, &receive, &[]);
    r.make_rts(a.n, a.n, &[]);
    r.send(&mut a, &Work::new(opcode::NOP));
    let e = r.poll(&mut send).expect("a loner");
    assert_eq!(e[63] >> 2 & 3, format::NONE);
    for _ in 0..10 {
        r.post(&mut a, &Work::new(opcode::NOP));
    }
    r.ring(&a);
    let title = r.poll(&mut send).expect("a title");
    assert_eq!(title[63] >> 2 & 3, format::COMPRESSED);
    assert_eq!(Cqe64::BYTE_CNT.get(&title), 10);
    let arrays = [r.read(send.buf + 2 * 64, 64), r.read(send.buf + 9 * 64, 64)].concat();
    let counters: Vec<u16> = arrays.chunks(8).take(10).map(|m| prm::bits::be16(m, 0)).collect();
    assert_eq!(counters, (1..11).collect::<Vec<u16>>());
    // the run took ten places
    send.ci += 9;
    r.write(send.dbr, &send.ci.to_be_bytes());
    r.send(&mut a, &Work::new(0x3f));
    let e = r.poll(&mut send).expect("an error is never compressed");
    assert_eq!(e[63] >> 4, cqe::opcode::REQ_ERR);
    assert_eq!(ErrCqe::WQE_COUNTER.get(&e), 11);
}
