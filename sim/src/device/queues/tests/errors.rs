//! Error states, flushing, waiting that ends, malformed requests.

use super::rig::{DEPTH, Rig, Work, pointer};
use prm::cqe::{self, Cqe64, ErrCqe, syndrome};
use prm::wqe::{INLINE_SEG, opcode};
use prm::{Field, Qpc, event};

const RC: u64 = 0;

fn get(e: &[u8], f: Field) -> u64 {
    f.get(&e[e.len() - 64..])
}

fn syndrome_of(e: Option<Vec<u8>>) -> u8 {
    let e = e.expect("a completion");
    assert!(matches!(get(&e, Cqe64::OP_OWN) as u8 >> 4, cqe::opcode::REQ_ERR | cqe::opcode::RESP_ERR));
    get(&e, ErrCqe::SYNDROME) as u8
}

#[test]
fn a_failed_request_flushes_what_follows_and_all_receives() {
    let mut r = Rig::new();
    let (mut a, _) = r.pair(RC);
    let at = r.page();
    let key = r.key(at, 4096, &[]);
    r.post_recv(&mut a.qp, &[(key, at, 8)]);
    r.post(&mut a.qp, &Work::new(opcode::SEND).sge(key ^ 1, at, 8));
    r.post(&mut a.qp, &Work::new(opcode::NOP).silent());
    r.post(&mut a.qp, &Work::new(opcode::NOP));
    r.ring(&a.qp);
    assert_eq!(syndrome_of(r.poll(&mut a.send)), syndrome::LOCAL_PROT_ERR);
    for index in [1, 2] {
        let e = r.poll(&mut a.send).expect("flushed");
        assert_eq!(get(&e, ErrCqe::WQE_COUNTER), index);
        assert_eq!(get(&e, ErrCqe::S_WQE_OPCODE_QPN), a.qp.n as u64);
        assert_eq!(get(&e, ErrCqe::SYNDROME) as u8, syndrome::WR_FLUSH_ERR);
    }
    assert_eq!(syndrome_of(r.poll(&mut a.receive)), syndrome::WR_FLUSH_ERR);
    assert_eq!(r.state(a.qp.n), 6);
    // what is posted from here on is flushed as well
    r.send(&mut a.qp, &Work::new(opcode::NOP));
    assert_eq!(syndrome_of(r.poll(&mut a.send)), syndrome::WR_FLUSH_ERR);
    r.post_recv(&mut a.qp, &[(key, at, 8)]);
    r.progress();
    assert_eq!(syndrome_of(r.poll(&mut a.receive)), syndrome::WR_FLUSH_ERR);
    // a reset forgets everything
    r.move_qp(prm::opcode::QP_2RST, a.qp.n, &[]);
    assert!(!r.b.chip.waits() || r.poll(&mut a.send).is_none());
}

#[test]
fn malformed_requests_are_operation_errors() {
    let too_long = pointer(0, 0, INLINE_SEG | 100);
    let bad: [(&str, Work); 4] = [
        ("unknown opcode", Work::new(0x3f)),
        ("no remote address", Work::new(opcode::RDMA_WRITE)),
        ("inline data beyond the end", Work::new(opcode::SEND).raw(&too_long)),
        (
            "masked atomic of 16 bytes",
            Work::new(opcode::ATOMIC_MASKED_FA).opmod(10).remote(0, 0).raw(&[0; 32]),
        ),
    ];
    for (what, w) in bad {
        let mut r = Rig::new();
        let (mut a, _) = r.pair(RC);
        r.send(&mut a.qp, &w);
        assert_eq!(syndrome_of(r.poll(&mut a.send)), syndrome::LOCAL_QP_OP_ERR, "{what}");
    }
}

#[test]
fn a_request_for_another_place_or_queue_is_not_executed() {
    for (queue, shift) in [(1, 0), (0, 1)] {
        let mut r = Rig::new();
        let (mut a, _) = r.pair(RC);
        let bytes = Work::new(opcode::NOP).bytes(a.qp.n ^ queue, shift);
        r.write(a.qp.buf + a.qp.sq_at, &bytes);
        r.write(a.qp.dbr + 4, &1u32.to_be_bytes());
        r.ring(&a.qp);
        assert_eq!(syndrome_of(r.poll(&mut a.send)), syndrome::LOCAL_QP_OP_ERR);
    }
}

#[test]
fn an_impossible_doorbell_record_is_catastrophic() {
    let mut r = Rig::new();
    let (a, _) = r.pair(RC);
    r.write(a.qp.dbr + 4, &(DEPTH as u32 + 1).to_be_bytes());
    r.ring(&a.qp);
    assert_eq!(r.event(), Some((event::WQ_CATAS_ERROR, a.qp.n)));
    assert_eq!(r.state(a.qp.n), 6);
}

#[test]
fn a_message_too_long_for_its_entry_is_an_error_on_both_sides() {
    let mut r = Rig::new();
    let (mut a, mut b) = r.pair(RC);
    let at = r.page();
    let key = r.key(at, 4096, &[]);
    r.post_recv(&mut b.qp, &[(key, at, 4)]);
    r.post_recv(&mut b.qp, &[(key, at, 400)]);
    r.send(&mut a.qp, &Work::new(opcode::SEND).inline(b"five!"));
    assert_eq!(syndrome_of(r.poll(&mut a.send)), syndrome::REMOTE_INVAL_REQ_ERR);
    assert_eq!(syndrome_of(r.poll(&mut b.receive)), syndrome::LOCAL_LENGTH_ERR);
    assert_eq!(syndrome_of(r.poll(&mut b.receive)), syndrome::WR_FLUSH_ERR);
    assert_eq!(r.read(at, 4), [0; 4]);
}

#[test]
fn a_receive_entry_with_a_bad_key_is_an_error_on_both_sides() {
    let mut r = Rig::new();
    let (mut a, mut b) = r.pair(RC);
    r.post_recv(&mut b.qp, &[(0x7777_7777, 0, 100)]);
    r.send(&mut a.qp, &Work::new(opcode::SEND).inline(b"five!"));
    assert_eq!(syndrome_of(r.poll(&mut a.send)), syndrome::REMOTE_OP_ERR);
    assert_eq!(syndrome_of(r.poll(&mut b.receive)), syndrome::LOCAL_PROT_ERR);
}

#[test]
fn memory_that_does_not_answer_is_a_protection_error() {
    let mut r = Rig::new();
    let (mut a, mut b) = r.pair(RC);
    // the key is good, the pages behind it are not there
    let gone = r.key(0x4000_0000, 4096, &[]);
    let at = r.page();
    let key = r.key(at, 4096, &[]);
    r.post_recv(&mut b.qp, &[(key, at, 100)]);
    r.send(&mut a.qp, &Work::new(opcode::SEND).sge(gone, 0x4000_0000, 8));
    assert_eq!(syndrome_of(r.poll(&mut a.send)), syndrome::LOCAL_PROT_ERR);
}

#[test]
fn a_ring_whose_memory_is_gone_is_catastrophic() {
    let mut r = Rig::new();
    let (send, receive) = (r.cq(4, &[]), r.cq(4, &[]));
    let ctx = prm::CreateQpIn::QPC;
    let a = r.qp(RC, &send, &receive, &[(prm::CreateQpIn::PAS, 0x7000_0000)]);
    assert!(Qpc::ST.within(ctx).bits == 8);
    r.make_rts(a.n, a.n, &[]);
    r.write(a.dbr + 4, &1u32.to_be_bytes());
    r.ring(&a);
    assert_eq!(r.event(), Some((event::WQ_CATAS_ERROR, a.n)));
}

#[test]
fn patience_ends() {
    // (who is missing, retries of the kind, syndrome)
    for (ready_peer, want) in
        [(true, syndrome::RNR_RETRY_EXC_ERR), (false, syndrome::TRANSPORT_RETRY_EXC_ERR)]
    {
        let mut r = Rig::new();
        r.b.chip.clock_held = Some(1_000_000);
        let (mut send, receive) = (r.cq(4, &[]), r.cq(4, &[]));
        let mut a = r.qp(RC, &send, &send, &[]);
        let b = r.qp(RC, &receive, &receive, &[]);
        r.make_rts(a.n, b.n, &[(Qpc::RNR_RETRY, 2)]);
        if ready_peer {
            r.make_rts(b.n, a.n, &[]);
        }
        r.send(&mut a, &Work::new(opcode::SEND).inline(b"x"));
        r.progress();
        assert!(r.poll(&mut send).is_none());
        r.b.chip.clock_held = Some(10_000_000_000);
        r.progress();
        assert_eq!(syndrome_of(r.poll(&mut send)), want);
        assert_eq!(r.state(a.n), 6);
    }
}

#[test]
fn no_retries_no_patience() {
    let mut r = Rig::new();
    let (mut send, receive) = (r.cq(4, &[]), r.cq(4, &[]));
    let mut a = r.qp(RC, &send, &send, &[]);
    let b = r.qp(RC, &receive, &receive, &[]);
    r.make_rts(a.n, b.n, &[(Qpc::RNR_RETRY, 0)]);
    r.make_rts(b.n, a.n, &[]);
    r.send(&mut a, &Work::new(opcode::SEND).inline(b"x"));
    assert_eq!(syndrome_of(r.poll(&mut send)), syndrome::RNR_RETRY_EXC_ERR);
}

#[test]
fn a_queue_pair_that_fails_talking_to_itself_completes_each_request_once() {
    let mut r = Rig::new();
    let mut cq = r.cq(4, &[]);
    let mut a = r.qp(RC, &cq, &cq, &[]);
    r.make_rts(a.n, a.n, &[]);
    r.post_recv(&mut a, &[(0x7777_7777, 0, 100)]);
    r.send(&mut a, &Work::new(opcode::SEND).inline(b"x"));
    let mut seen = vec![];
    while let Some(e) = r.poll(&mut cq) {
        seen.push(get(&e, Cqe64::OP_OWN) as u8 >> 4);
    }
    seen.sort_unstable();
    assert_eq!(seen, [cqe::opcode::REQ_ERR, cqe::opcode::RESP_ERR]);
}
