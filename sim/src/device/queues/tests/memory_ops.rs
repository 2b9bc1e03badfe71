//! RDMA reads, writes, atomics, copies.

use super::rig::{Rig, Side, Work, pointer};
use prm::cqe::{self, Cqe64, ErrCqe, format, syndrome};
use prm::wqe::{MmoMeta, opcode};
use prm::{Field, Qpc, event, status};

const RC: u64 = 0;
const UC: u64 = 1;

fn get(e: &[u8], f: Field) -> u64 {
    f.get(&e[e.len() - 64..])
}

struct Two {
    r: Rig,
    a: Side,
    b: Side,
    near: u64,
    far: u64,
    lkey: u32,
    rkey: u32,
}

fn two(service: u64) -> Two {
    let mut r = Rig::new();
    let (a, b) = r.pair(service);
    let (near, far) = (r.page(), r.page());
    let (lkey, rkey) = (r.key(near, 4096, &[]), r.key(far, 4096, &[]));
    Two { r, a, b, near, far, lkey, rkey }
}

#[test]
fn writes_and_reads_move_bytes() {
    let mut t = two(RC);
    t.r.write(t.near, b"written");
    t.r.send(&mut t.a.qp, &Work::new(opcode::RDMA_WRITE).remote(t.rkey, t.far + 10).sge(t.lkey, t.near, 7));
    assert_eq!(t.r.read(t.far + 10, 8), b"written\0");
    assert!(t.r.poll(&mut t.a.send).is_some());
    t.r.send(
        &mut t.a.qp,
        &Work::new(opcode::RDMA_READ).remote(t.rkey, t.far + 10).sge(t.lkey, t.near + 100, 3).sge(
            t.lkey,
            t.near + 200,
            4,
        ),
    );
    assert_eq!(t.r.read(t.near + 100, 4), b"wri\0");
    assert_eq!(t.r.read(t.near + 200, 5), b"tten\0");
    assert_eq!(get(&t.r.poll(&mut t.a.send).expect("read"), Cqe64::BYTE_CNT), 7);
    assert!(t.r.poll(&mut t.b.receive).is_none(), "the other side sees nothing");
}

#[test]
fn a_write_with_immediate_takes_a_receive_entry() {
    let mut t = two(UC);
    t.r.post_recv(&mut t.b.qp, &[]);
    let w = Work::new(opcode::RDMA_WRITE_IMM).imm(5).remote(t.rkey, t.far).inline(b"abc");
    t.r.send(&mut t.a.qp, &w);
    let e = t.r.poll(&mut t.b.receive).expect("received");
    assert_eq!(get(&e, Cqe64::OP_OWN) as u8 >> 4, cqe::opcode::RESP_WR_IMM);
    assert_eq!((get(&e, Cqe64::IMM_INVAL_PKEY), get(&e, Cqe64::BYTE_CNT)), (5, 3));
    assert_eq!(t.r.read(t.far, 3), b"abc");
}

#[test]
fn reads_over_unreliable_queue_pairs_are_refused() {
    let mut t = two(UC);
    t.r.send(&mut t.a.qp, &Work::new(opcode::RDMA_READ).remote(t.rkey, t.far).sge(t.lkey, t.near, 8));
    let e = t.r.poll(&mut t.a.send).expect("error");
    assert_eq!(get(&e, ErrCqe::SYNDROME) as u8, syndrome::LOCAL_QP_OP_ERR);
    assert_eq!(t.r.state(t.a.qp.n), 4, "send queue error");
    // the receive side goes on
    t.r.post_recv(&mut t.a.qp, &[(t.lkey, t.near, 100)]);
    t.r.send(&mut t.b.qp, &Work::new(opcode::SEND).inline(b"still"));
    assert!(t.r.poll(&mut t.a.receive).is_some());
    t.r.move_qp(prm::opcode::SQERR2RTS_QP, t.a.qp.n, &[]);
    t.r.send(&mut t.a.qp, &Work::new(opcode::NOP));
    let e = t.r.poll(&mut t.a.send).expect("works again");
    assert_eq!(get(&e, Cqe64::OP_OWN) as u8 >> 4, cqe::opcode::REQ);
}

fn operands(words: &[u64], size: usize) -> Vec<u8> {
    let mut s: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()[8 - size..].to_vec()).collect();
    s.resize(s.len().next_multiple_of(16), 0);
    s
}

#[test]
fn atomics_change_memory_and_return_what_was() {
    let mut t = two(RC);
    t.r.write(t.far, &100u64.to_le_bytes());
    let mut run = |op: u8, opmod: u8, words: &[u64], size: usize| {
        let w = Work::new(op).opmod(opmod).remote(t.rkey, t.far).raw(&operands(words, size)).sge(
            t.lkey,
            t.near,
            size as u32,
        );
        t.r.write(t.near, &[0; 8]);
        t.r.send(&mut t.a.qp, &w);
        let e = t.r.poll(&mut t.a.send).expect("completion");
        assert_eq!(get(&e, Cqe64::OP_OWN) as u8 >> 4, cqe::opcode::REQ, "{op:#x}");
        let word = |at| u64::from_le_bytes(t.r.read(at, 8).try_into().expect("eight bytes"));
        (word(t.near), word(t.far))
    };
    assert_eq!(run(opcode::ATOMIC_FA, 0, &[5, 0], 8), (100, 105));
    assert_eq!(run(opcode::ATOMIC_CS, 0, &[7, 100], 8), (105, 105), "compares wrong");
    assert_eq!(run(opcode::ATOMIC_CS, 0, &[7, 105], 8), (105, 7));
    assert_eq!(run(opcode::ATOMIC_MASKED_CS, 9, &[0xf0, 7, 0xff, 0xf], 8), (7, 0xf0));
    assert_eq!(run(opcode::ATOMIC_MASKED_FA, 8, &[0x10, 0x80], 4), (0xf0, 0));
}

#[test]
fn an_unaligned_atomic_is_an_invalid_request() {
    let mut t = two(RC);
    let w = Work::new(opcode::ATOMIC_FA)
        .remote(t.rkey, t.far + 4)
        .raw(&operands(&[1, 0], 8))
        .sge(t.lkey, t.near, 8);
    t.r.send(&mut t.a.qp, &w);
    let e = t.r.poll(&mut t.a.send).expect("error");
    assert_eq!(get(&e, ErrCqe::SYNDROME) as u8, syndrome::REMOTE_INVAL_REQ_ERR);
    assert_eq!(t.r.event(), Some((event::WQ_INVAL_REQ_ERROR, t.b.qp.n)));
    assert_eq!((t.r.state(t.a.qp.n), t.r.state(t.b.qp.n)), (6, 6));
}

#[test]
fn short_answers_travel_in_the_completion_if_asked() {
    let mut r = Rig::new();
    let (mut send, receive) = (r.cq(4, &[]), r.cq(4, &[]));
    let mut a = r.qp(RC, &send, &receive, &[(Qpc::CS_REQ.within(prm::CreateQpIn::QPC), 0x11)]);
    let b = r.qp(RC, &receive, &receive, &[]);
    r.make_rts(a.n, b.n, &[]);
    r.make_rts(b.n, a.n, &[]);
    let (near, far) = (r.page(), r.page());
    let (lkey, rkey) = (r.key(near, 4096, &[]), r.key(far, 4096, &[]));
    r.write(far, &[7; 64]);
    r.send(&mut a, &Work::new(opcode::RDMA_READ).remote(rkey, far).sge(lkey, near, 20));
    let e = r.poll(&mut send).expect("completion");
    assert_eq!(e[63] >> 2 & 3, format::INLINE_32);
    assert_eq!(e[..20], [7; 20]);
    assert_eq!(r.read(near, 20), [0; 20]);
}

#[test]
fn refused_accesses_stop_both_sides() {
    type Case = (&'static str, Option<Field>, u8, u8, u8);
    let cases: [Case; 3] = [
        (
            "write right of the queue pair",
            Some(Qpc::RWE),
            opcode::RDMA_WRITE,
            syndrome::REMOTE_ACCESS_ERR,
            event::WQ_ACCESS_ERROR,
        ),
        (
            "read right of the queue pair",
            Some(Qpc::RRE),
            opcode::RDMA_READ,
            syndrome::REMOTE_INVAL_REQ_ERR,
            event::WQ_INVAL_REQ_ERROR,
        ),
        ("bounds", None, opcode::RDMA_READ, syndrome::REMOTE_ACCESS_ERR, event::WQ_ACCESS_ERROR),
    ];
    for (what, right, op, want, want_event) in cases {
        let mut r = Rig::new();
        let (mut send, mut receive) = (r.cq(4, &[]), r.cq(4, &[]));
        let mut a = r.qp(RC, &send, &send, &[]);
        let mut b = r.qp(RC, &receive, &receive, &[]);
        r.make_rts(a.n, b.n, &[]);
        let off: Vec<_> = right.into_iter().map(|f| (f, 0)).collect();
        r.make_rts(b.n, a.n, &off);
        let (near, far) = (r.page(), r.page());
        let (lkey, rkey) = (r.key(near, 4096, &[]), r.key(far, 100, &[]));
        r.post_recv(&mut b, &[(lkey, near, 10)]);
        let at = if right.is_some() { far } else { far + 93 };
        r.send(&mut a, &Work::new(op).silent().remote(rkey, at).sge(lkey, near, 8));
        let e = r.poll(&mut send).expect("errors complete, silent or not");
        assert_eq!(get(&e, Cqe64::OP_OWN) as u8 >> 4, cqe::opcode::REQ_ERR, "{what}");
        assert_eq!(get(&e, ErrCqe::SYNDROME) as u8, want, "{what}");
        assert_ne!(get(&e, ErrCqe::VENDOR_ERR_SYND), 0);
        assert_eq!(r.event(), Some((want_event, b.n)), "{what}");
        assert_eq!((r.state(a.n), r.state(b.n)), (6, 6), "{what}");
        let e = r.poll(&mut receive).expect("its receive entry is flushed");
        assert_eq!(get(&e, ErrCqe::SYNDROME) as u8, syndrome::WR_FLUSH_ERR);
    }
}

#[test]
fn the_copy_engine_wants_its_permission_and_equal_lengths() {
    let mut t = two(RC);
    let mut meta = [0; 16];
    MmoMeta::OPAQUE_LKEY.set(&mut meta, t.lkey as u64);
    MmoMeta::OPAQUE_VADDR.set(&mut meta, t.near + 4000);
    t.r.write(t.near, b"copied");
    let copy = |len: u32, to_len: u32| {
        Work::new(opcode::MMO)
            .opmod(1)
            .raw(&meta)
            .raw(&pointer(t.lkey, t.near, len))
            .raw(&pointer(t.rkey, t.far, to_len))
    };
    let f = [
        (prm::Rts2rtsQpIn::QPN, t.a.qp.n as u64),
        (prm::Rts2rtsQpIn::QPC_EXT, 1),
        (prm::Rts2rtsQpIn::OPT_PARAM_MASK_95_32, 8),
        (prm::QpcExt::MMO.within(prm::Rts2rtsQpIn::QPC_DATA_EXT), 1),
    ];
    let s = t.r.b.cmd(prm::opcode::RTS2RTS_QP, 0, prm::Rts2rtsQpIn::SIZE, &f, 16);
    assert_eq!(s, status::OK, "{:#x}", t.r.b.syndrome());
    t.r.send(&mut t.a.qp, &copy(6, 6));
    let e = t.r.poll(&mut t.a.send).expect("completion");
    assert_eq!(get(&e, Cqe64::OP_OWN) as u8 >> 4, cqe::opcode::REQ);
    assert_eq!(t.r.read(t.far, 6), b"copied");
    t.r.send(&mut t.b.qp, &copy(6, 6));
    let e = t.r.poll(&mut t.b.send).expect("completion");
    assert_eq!(get(&e, ErrCqe::SYNDROME) as u8, syndrome::LOCAL_QP_OP_ERR, "not allowed on this one");
    t.r.send(&mut t.a.qp, &copy(6, 7));
    let e = t.r.poll(&mut t.a.send).expect("completion");
    assert_eq!(get(&e, ErrCqe::SYNDROME) as u8, syndrome::LOCAL_QP_OP_ERR);
}
