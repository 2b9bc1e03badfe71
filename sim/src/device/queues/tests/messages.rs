//! Messages of each transport.

use super::rig::{Rig, Work};
use prm::cqe::{self, Cqe64, format};
use prm::wqe::{Av, opcode};
use prm::{Field, Qpc, event};

const RC: u64 = 0;
const UC: u64 = 1;
const UD: u64 = 2;

fn get(e: &[u8], f: Field) -> u64 {
    f.get(&e[e.len() - 64..])
}

#[test]
fn a_send_fills_receive_entries_in_order_and_both_sides_hear() {
    for service in [RC, UC] {
        let mut r = Rig::new();
        let (mut a, mut b) = r.pair(service);
        let (from, to) = (r.page(), r.page());
        let (src, dst) = (r.key(from, 4096, &[]), r.key(to, 4096, &[]));
        r.write(from, b"twelve bytes");
        r.post_recv(&mut b.qp, &[(dst, to, 5), (dst, to + 100, 100)]);
        r.send(&mut a.qp, &Work::new(opcode::SEND_IMM).imm(0x1234_5678).sge(src, from, 12).solicited());
        assert_eq!(r.read(to, 6), b"twelv\0");
        assert_eq!(r.read(to + 100, 8), b"e bytes\0");
        let e = r.poll(&mut a.send).expect("sender's completion");
        assert_eq!(get(&e, Cqe64::OP_OWN) as u8 >> 4, cqe::opcode::REQ);
        assert_eq!(get(&e, Cqe64::SOP_DROP_QPN), (opcode::SEND_IMM as u64) << 24 | a.qp.n as u64);
        assert_eq!(get(&e, Cqe64::SRQN_UIDX), 0x123);
        assert_eq!(get(&e, Cqe64::WQE_COUNTER), 0);
        let e = r.poll(&mut b.receive).expect("receiver's completion");
        assert_eq!(get(&e, Cqe64::OP_OWN) as u8 >> 4, cqe::opcode::RESP_SEND_IMM);
        assert_eq!(get(&e, Cqe64::OP_OWN) as u8 & cqe::SOLICITED, cqe::SOLICITED);
        assert_eq!(get(&e, Cqe64::IMM_INVAL_PKEY), 0x1234_5678);
        assert_eq!(get(&e, Cqe64::BYTE_CNT), 12);
        assert_eq!(get(&e, Cqe64::SOP_DROP_QPN), b.qp.n as u64);
        assert!(r.poll(&mut a.send).is_none() && r.poll(&mut b.receive).is_none());
    }
}

#[test]
fn nothing_happens_before_the_doorbell() {
    let mut r = Rig::new();
    let (mut a, _) = r.pair(RC);
    r.post(&mut a.qp, &Work::new(opcode::NOP));
    r.progress();
    assert!(r.poll(&mut a.send).is_none(), "the record alone moves nothing");
    r.ring(&a.qp);
    assert!(r.poll(&mut a.send).is_some());
    // further work is not taken along by a doorbell that came before
    r.post(&mut a.qp, &Work::new(opcode::NOP));
    r.progress();
    assert!(r.poll(&mut a.send).is_none());
}

#[test]
fn a_doorbell_counts_in_the_page_of_its_queue_only() {
    let mut r = Rig::new();
    let (mut a, _) = r.pair(RC);
    let other = r.b.uar(0);
    r.post(&mut a.qp, &Work::new(opcode::NOP));
    let word = ((a.qp.n as u64) << 8).to_be_bytes();
    r.b.chip.uar_write(&r.b.host, other, 0x800, &word);
    assert!(r.poll(&mut a.send).is_none());
    // the doorbell of a 32-bit host comes in two halves
    let uar = r.uar as u32;
    r.b.chip.uar_write(&r.b.host, uar, 0x900, &word[..4]);
    assert!(r.poll(&mut a.send).is_none());
    r.b.chip.uar_write(&r.b.host, uar, 0x904, &word[4..]);
    assert!(r.poll(&mut a.send).is_some());
}

#[test]
fn requests_wrap_at_the_end_of_the_ring() {
    let mut r = Rig::new();
    let (mut a, mut b) = r.pair(RC);
    let to = r.page();
    let dst = r.key(to, 4096, &[]);
    let data: Vec<u8> = (0..100).collect();
    // three blocks each: the sixth request crosses the end
    for k in 0..40 {
        r.post_recv(&mut b.qp, &[(dst, to, 200)]);
        r.write(to, &[0; 100]);
        r.send(&mut a.qp, &Work::new(opcode::SEND).inline(&data).inline(&data[..20]));
        assert_eq!(r.read(to, 120), [&data[..], &data[..20]].concat(), "request {k}");
        assert!(r.poll(&mut a.send).is_some());
        assert_eq!(get(&r.poll(&mut b.receive).expect("received"), Cqe64::WQE_COUNTER), k);
    }
}

#[test]
fn silent_requests_complete_without_entries() {
    let mut r = Rig::new();
    let (mut a, mut b) = r.pair(RC);
    let to = r.page();
    let dst = r.key(to, 4096, &[]);
    for _ in 0..3 {
        r.post_recv(&mut b.qp, &[(dst, to, 64)]);
        r.post(&mut a.qp, &Work::new(opcode::SEND).inline(b"x").silent());
    }
    r.ring(&a.qp);
    assert!(r.poll(&mut a.send).is_none());
    for _ in 0..3 {
        assert!(r.poll(&mut b.receive).is_some());
    }
}

#[test]
fn short_messages_travel_in_the_completion_if_asked() {
    let mut r = Rig::new();
    let ctx = prm::CreateCqIn::CQ_CONTEXT;
    let long = [(prm::Cqc::CQE_SZ.within(ctx), 1)];
    let (send, mut receive) = (r.cq(4, &[]), r.cq(4, &long));
    let scatter = [(Qpc::CS_RES.within(prm::CreateQpIn::QPC), 2)];
    let mut a = r.qp(RC, &send, &send, &[]);
    let mut b = r.qp(RC, &receive, &receive, &scatter);
    r.make_rts(a.n, b.n, &[]);
    r.make_rts(b.n, a.n, &[]);
    let to = r.page();
    let dst = r.key(to, 4096, &[]);
    let data: Vec<u8> = (1..100).collect();
    for (len, kind) in [(32, format::INLINE_32), (33, format::INLINE_64), (64, format::INLINE_64), (65, 0)] {
        r.write(to, &[0; 100]);
        r.post_recv(&mut b, &[(dst, to, 100)]);
        r.send(&mut a, &Work::new(opcode::SEND).inline(&data[..len]));
        let e = r.poll(&mut receive).expect("received");
        assert_eq!(e[127] >> 2 & 3, kind, "{len} bytes");
        assert_eq!(get(&e, Cqe64::BYTE_CNT), len as u64);
        match kind {
            format::INLINE_32 => assert_eq!(e[64..64 + len], data[..len]),
            format::INLINE_64 => assert_eq!(e[..len], data[..len]),
            _ => assert_eq!(r.read(to, len), data[..len]),
        }
        if kind != 0 {
            assert_eq!(r.read(to, 100), [0; 100], "memory stays as it is");
        }
    }
}

/// The address segment of a datagram.
fn av(to: u32, qkey: u32) -> [u8; 48] {
    let mut s = [0; 48];
    Av::QKEY.set(&mut s, qkey as u64);
    Av::DQP_DCT.set(&mut s, (1 << 31 | to) as u64);
    s
}

#[test]
fn datagrams_need_the_key_and_leave_room_for_a_header() {
    let mut r = Rig::new();
    let (mut a, mut b) = r.pair(UD);
    let to = r.page();
    let dst = r.key(to, 4096, &[]);
    r.post_recv(&mut b.qp, &[(dst, to, 100)]);
    r.send(&mut a.qp, &Work::new(opcode::SEND).raw(&av(b.qp.n, 0x2222)).inline(b"wrong key"));
    assert!(r.poll(&mut a.send).is_some(), "the sender does not learn of it");
    assert!(r.poll(&mut b.receive).is_none());
    r.send(&mut a.qp, &Work::new(opcode::SEND_IMM).imm(7).raw(&av(b.qp.n, 0x1111)).inline(b"hello"));
    let e = r.poll(&mut b.receive).expect("received");
    assert_eq!(get(&e, Cqe64::BYTE_CNT), 45);
    assert_eq!(get(&e, Cqe64::FLAGS_RQPN) & 0xff_ffff, a.qp.n as u64);
    assert_eq!(get(&e, Cqe64::IMM_INVAL_PKEY), 7);
    assert_eq!(r.read(to + 40, 5), b"hello");
    // the sender's own key
    r.post_recv(&mut b.qp, &[(dst, to, 100)]);
    r.send(&mut a.qp, &Work::new(opcode::SEND).raw(&av(b.qp.n, 1 << 31)).inline(b"own"));
    assert_eq!(get(&r.poll(&mut b.receive).expect("received"), Cqe64::BYTE_CNT), 43);
    // without an entry it is lost, and the next one is not
    r.send(&mut a.qp, &Work::new(opcode::SEND).raw(&av(b.qp.n, 0x1111)).inline(b"lost"));
    r.post_recv(&mut b.qp, &[(dst, to, 100)]);
    r.send(&mut a.qp, &Work::new(opcode::SEND).raw(&av(b.qp.n, 0x1111)).inline(b"there"));
    assert!(r.poll(&mut b.receive).is_some());
    assert_eq!(r.read(to + 40, 5), b"there");
}

#[test]
fn multicast_reaches_the_members_but_not_the_sender() {
    let mut r = Rig::new();
    let (mut a, mut b) = r.pair(UD);
    let gid = [
        (prm::AttachToMcgIn::MULTICAST_GID.byte(), 0xffu8),
        (prm::AttachToMcgIn::MULTICAST_GID.byte() + 15, 9),
    ];
    for n in [a.qp.n, b.qp.n] {
        let f: Vec<_> = gid.iter().map(|(at, v)| (Field::new(at * 8, 8), *v as u64)).collect();
        let all = [&f[..], &[(prm::AttachToMcgIn::QPN, n as u64)]].concat();
        r.must(prm::opcode::ATTACH_TO_MCG, prm::AttachToMcgIn::SIZE, &all);
    }
    let to = r.page();
    let dst = r.key(to, 4096, &[]);
    r.post_recv(&mut a.qp, &[(dst, to, 100)]);
    r.post_recv(&mut b.qp, &[(dst, to, 100)]);
    let mut group = av(0xff_ffff, 0x1111);
    Field::new(Av::RGID.off, 8).set(&mut group, 0xff);
    Field::new(Av::RGID.off + 120, 8).set(&mut group, 9);
    r.send(&mut a.qp, &Work::new(opcode::SEND).raw(&group).inline(b"all"));
    assert!(r.poll(&mut b.receive).is_some());
    assert!(r.poll(&mut a.receive).is_none());
}

#[test]
fn the_first_message_in_rtr_is_an_event() {
    let mut r = Rig::new();
    let (send, receive) = (r.cq(4, &[]), r.cq(4, &[]));
    let mut a = r.qp(RC, &send, &send, &[]);
    let mut b = r.qp(RC, &receive, &receive, &[]);
    r.make_rts(a.n, b.n, &[]);
    r.make_rtr(b.n, a.n, &[]);
    let to = r.page();
    let dst = r.key(to, 4096, &[]);
    for _ in 0..2 {
        r.post_recv(&mut b, &[(dst, to, 100)]);
        r.send(&mut a, &Work::new(opcode::SEND).inline(b"x"));
    }
    assert_eq!(r.event(), Some((event::COMM_EST, b.n)));
    assert_eq!(r.event(), None);
}

#[test]
fn a_message_waits_for_its_receive_entry() {
    let mut r = Rig::new();
    let (mut a, mut b) = r.pair(RC);
    let to = r.page();
    let dst = r.key(to, 4096, &[]);
    r.send(&mut a.qp, &Work::new(opcode::SEND).inline(b"early"));
    r.progress();
    assert!(r.poll(&mut a.send).is_none());
    assert!(r.b.chip.waits());
    r.post_recv(&mut b.qp, &[(dst, to, 100)]);
    r.progress();
    assert!(r.poll(&mut a.send).is_some() && r.poll(&mut b.receive).is_some());
    assert_eq!(r.read(to, 5), b"early");
    assert!(!r.b.chip.waits());
}

#[test]
fn queues_take_turns() {
    let mut r = Rig::new();
    let cq = r.cq(6, &[]);
    let mut list: Vec<_> = (0..3).map(|_| r.qp(RC, &cq, &cq, &[])).collect();
    for q in &list {
        r.make_rts(q.n, q.n, &[]);
    }
    // a loop of NOPs in each ring is longer than what a doorbell does at once
    for q in &mut list {
        for _ in 0..15 {
            r.post(q, &Work::new(opcode::NOP));
        }
        r.ring(q);
    }
    r.progress();
    let mut cq = cq;
    let mut seen = std::collections::BTreeMap::new();
    while let Some(e) = r.poll(&mut cq) {
        *seen.entry(get(&e, Cqe64::SOP_DROP_QPN) & 0xff_ffff).or_insert(0) += 1;
    }
    assert_eq!(seen.into_values().collect::<Vec<_>>(), [15, 15, 15]);
}
