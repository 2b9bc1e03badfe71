//! Packets: from send queues through flow tables into receive queues.

use super::rig::{CqH, DEPTH, Rig, Work, scatter};
use prm::cqe::{self, Cqe64, ErrCqe, syndrome};
use prm::wqe::{Eth, opcode};
use prm::{
    CreateFlowGroupIn, CreateFlowGroupOut, CreateFlowTableIn, CreateFlowTableOut, CreateRqIn, CreateSqIn,
    CreateTirIn, DrMatchParam, DrMatchSpec, Field, FlowContext, FlowTableContext, ModifyRqIn, ModifySqIn,
    Rqc, SetFlowTableRootIn, SetFteIn, Sqc, Tirc, Wq,
};

const RDY: u64 = 1;
const DMAC: u64 = 0x0203_0405;

/// A queue of 16 entries of 64 bytes.
struct Ring {
    n: u32,
    buf: u64,
    dbr: u64,
    pi: u16,
}

struct Bed {
    r: Rig,
    uid: u16,
    send: CqH,
    receive: CqH,
    sq: Ring,
    rq: Ring,
    at: u64,
    key: u32,
}

fn wq(r: &mut Rig, at: Field, extra: &[(Field, u64)]) -> (Vec<(Field, u64)>, u64, u64) {
    let (buf, dbr) = (r.page(), r.page());
    let mut f = vec![
        (Wq::WQ_TYPE.within(at), 1),
        (Wq::PD.within(at), r.pd),
        (Wq::UAR_PAGE.within(at), r.uar),
        (Wq::LOG_WQ_STRIDE.within(at), 6),
        (Wq::LOG_WQ_SZ.within(at), 4),
        (Wq::DBR_ADDR.within(at), dbr),
        (Wq::PAS.within(at), buf),
    ];
    f.extend(extra.iter().map(|(f, v)| (f.within(at), *v)));
    (f, buf, dbr)
}

impl Bed {
    fn new(extra: &[(Field, u64)]) -> Bed {
        let mut r = Rig::with(crate::device::Config {
            port_type: crate::device::PortType::Ethernet,
            ..Default::default()
        });
        let uid = r.b.uctx();
        let (send, receive) = (r.cq(4, &[]), r.cq(4, &[]));
        let td = r.b.create(prm::opcode::ALLOC_TRANSPORT_DOMAIN, 0, 16, &[]) as u64;
        let (mut f, buf, dbr) = wq(&mut r, Rqc::WQ.within(CreateRqIn::CTX), extra);
        f.push((Rqc::CQN.within(CreateRqIn::CTX), receive.n));
        f.push((Rqc::USER_INDEX.within(CreateRqIn::CTX), 0x66));
        let n = r.b.create(prm::opcode::CREATE_RQ, 0, CreateRqIn::SIZE + 8, &f);
        let rq = Ring { n, buf, dbr, pi: 0 };
        let (mut f, buf, dbr) = wq(&mut r, Sqc::WQ.within(CreateSqIn::CTX), &[]);
        f.push((Sqc::CQN.within(CreateSqIn::CTX), send.n));
        f.push((Sqc::FLUSH_IN_ERROR_EN.within(CreateSqIn::CTX), 1));
        let n = r.b.create(prm::opcode::CREATE_SQ, uid, CreateSqIn::SIZE + 8, &f);
        let sq = Ring { n, buf, dbr, pi: 0 };
        let tir = [
            (Tirc::TRANSPORT_DOMAIN.within(CreateTirIn::CTX), td),
            (Tirc::INLINE_RQN.within(CreateTirIn::CTX), rq.n as u64),
        ];
        let tirn = r.b.create(prm::opcode::CREATE_TIR, 0, CreateTirIn::SIZE, &tir);
        let rdy = [(ModifyRqIn::RQN, rq.n as u64), (Rqc::STATE.within(ModifyRqIn::CTX), RDY)];
        r.must(prm::opcode::MODIFY_RQ, ModifyRqIn::SIZE, &rdy);
        let at = r.page();
        let key = r.key(at, 4096, &[]);
        let mut bed = Bed { r, uid, send, receive, sq, rq, at, key };
        bed.steer(tirn);
        bed
    }

    /// Packets to one destination go to a TIR and get a tag.
    fn steer(&mut self, tirn: u32) {
        let r = &mut self.r;
        let table = [(FlowTableContext::LOG_SIZE.within(CreateFlowTableIn::FLOW_TABLE_CONTEXT), 2)];
        r.must(prm::opcode::CREATE_FLOW_TABLE, CreateFlowTableIn::SIZE, &table);
        let id = CreateFlowTableOut::TABLE_ID.get(&r.b.out);
        let dmac = DrMatchSpec::DMAC_47_16.within(DrMatchParam::OUTER);
        let group = [
            (CreateFlowGroupIn::TABLE_ID, id),
            (CreateFlowGroupIn::END_FLOW_INDEX, 3),
            (CreateFlowGroupIn::MATCH_CRITERIA_ENABLE, 1),
            (dmac.within(CreateFlowGroupIn::MATCH_CRITERIA), 0xffff_ffff),
        ];
        r.must(prm::opcode::CREATE_FLOW_GROUP, CreateFlowGroupIn::SIZE, &group);
        let group = CreateFlowGroupOut::GROUP_ID.get(&r.b.out);
        let flow = |f: Field| f.within(SetFteIn::FLOW_CONTEXT);
        const FORWARD: u64 = 4;
        const TIR: u64 = 2;
        let entry = [
            (SetFteIn::TABLE_ID, id),
            (flow(FlowContext::GROUP_ID), group),
            (flow(FlowContext::ACTION), FORWARD),
            (flow(FlowContext::FLOW_TAG), 0x777),
            (flow(FlowContext::DESTINATION_LIST_SIZE), 1),
            (dmac.within(flow(FlowContext::MATCH_VALUE)), DMAC),
            (flow(FlowContext::DESTINATION), TIR << 56 | (tirn as u64) << 32),
        ];
        r.must(prm::opcode::SET_FLOW_TABLE_ENTRY, SetFteIn::SIZE + 8, &entry);
        r.must(
            prm::opcode::SET_FLOW_TABLE_ROOT,
            SetFlowTableRootIn::SIZE,
            &[(SetFlowTableRootIn::TABLE_ID, id)],
        );
    }

    fn sq_ready(&mut self) {
        let f = [(ModifySqIn::SQN, self.sq.n as u64), (Sqc::STATE.within(ModifySqIn::SQ_CONTEXT), RDY)];
        let s = self.r.b.cmd(prm::opcode::MODIFY_SQ, self.uid, ModifySqIn::SIZE, &f, 16);
        assert_eq!(s, 0, "{:#x}", self.r.b.syndrome());
    }

    fn post_recv(&mut self, list: &[(u32, u64, u32)]) {
        let at = self.rq.buf + (self.rq.pi % DEPTH) as u64 * 64;
        self.r.write(at, &scatter(list, 64));
        self.rq.pi += 1;
        self.r.write(self.rq.dbr, &(self.rq.pi as u32).to_be_bytes());
    }

    fn send(&mut self, w: &Work) {
        let bytes = w.bytes(self.sq.n, self.sq.pi);
        for (k, block) in bytes.chunks(64).enumerate() {
            self.r.write(self.sq.buf + (self.sq.pi as u64 + k as u64) % 16 * 64, block);
        }
        self.sq.pi += (bytes.len() / 64) as u16;
        self.r.write(self.sq.dbr + 4, &(self.sq.pi as u32).to_be_bytes());
        let word = ((self.sq.n as u64) << 8).to_be_bytes();
        self.r.b.chip.uar_write(&self.r.b.host, self.r.uar as u32, 0x800, &word);
    }
}

/// A request that sends a frame, its first 18 bytes as inline headers.
fn frame(op: u8, mss: u16, header: &[u8], body: &[u8]) -> Work {
    let len = (Eth::INLINE_HDR_START.byte() + header.len()).next_multiple_of(16).max(32);
    let mut eth = vec![0; len];
    Eth::MSS.set(&mut eth, mss as u64);
    Eth::INLINE_HDR_SZ.set(&mut eth, header.len() as u64);
    let at = Eth::INLINE_HDR_START.byte();
    eth[at..at + header.len()].copy_from_slice(header);
    Work::new(op).raw(&eth).inline(body)
}

fn header(dmac: u32, len: usize) -> Vec<u8> {
    let mut h = vec![0; len];
    h[..4].copy_from_slice(&dmac.to_be_bytes());
    h[12..14].copy_from_slice(&0x0800u16.to_be_bytes());
    h
}

#[test]
fn a_frame_that_matches_arrives_with_its_tag() {
    let mut b = Bed::new(&[]);
    b.post_recv(&[(b.key, b.at, 2000)]);
    let w = frame(opcode::SEND, 0, &header(DMAC as u32, 18), b"payload");
    b.send(&w);
    assert!(b.r.poll(&mut b.send).is_none(), "the queue is not ready yet");
    b.sq_ready();
    b.r.progress();
    assert!(b.r.poll(&mut b.send).is_some());
    let e = b.r.poll(&mut b.receive).expect("received");
    assert_eq!(Cqe64::BYTE_CNT.get(&e), 25);
    assert_eq!(Cqe64::SOP_DROP_QPN.get(&e) & 0xff_ffff, 0x777);
    assert_eq!(Cqe64::SRQN_UIDX.get(&e), 0x66);
    assert_eq!(b.r.read(b.at + 18, 7), b"payload");
    b.post_recv(&[(b.key, b.at, 2000)]);
    b.send(&frame(opcode::SEND, 0, &header(1, 18), b"for somebody else"));
    assert!(b.r.poll(&mut b.send).is_some());
    assert!(b.r.poll(&mut b.receive).is_none());
}

#[test]
fn a_large_send_arrives_in_pieces() {
    let mut b = Bed::new(&[]);
    b.sq_ready();
    for k in 0..3u64 {
        b.post_recv(&[(b.key, b.at + 200 * k, 200)]);
    }
    let mut h = header(DMAC as u32, 54);
    h[14] = 0x45;
    h[23] = 6;
    let body: Vec<u8> = (0..250).collect();
    b.send(&frame(opcode::TSO, 100, &h, &body));
    let lengths: Vec<u64> =
        (0..3).map(|_| Cqe64::BYTE_CNT.get(&b.r.poll(&mut b.receive).expect("a piece"))).collect();
    assert_eq!(lengths, [154, 154, 104]);
    assert_eq!(b.r.read(b.at + 454, 50), body[200..]);
    assert!(b.r.poll(&mut b.send).is_some() && b.r.poll(&mut b.send).is_none());
}

#[test]
fn striding_entries_fill_stride_by_stride() {
    const STRIDING_CYCLIC: u64 = 3;
    let mut b = Bed::new(&[(Wq::WQ_TYPE, STRIDING_CYCLIC)]);
    b.sq_ready();
    // 512 strides of 64 bytes; the buffer behind it is shorter
    b.post_recv(&[(b.key, b.at, 4096)]);
    for len in [20, 82, 20] {
        b.send(&frame(opcode::SEND, 0, &header(DMAC as u32, 18), &vec![7; len - 18]));
    }
    let mut next = || b.r.poll(&mut b.receive).expect("received");
    let seen: Vec<_> = (0..3)
        .map(|_| next())
        .map(|e| (Cqe64::WQE_ID.get(&e), Cqe64::WQE_COUNTER.get(&e), Cqe64::BYTE_CNT.get(&e)))
        .collect();
    assert_eq!(seen, [(0, 0, 1 << 16 | 20), (0, 1, 2 << 16 | 82), (0, 3, 1 << 16 | 20)]);
    assert_eq!(b.r.read(b.at + 3 * 64, 4), DMAC.to_be_bytes()[4..]);
}

#[test]
fn a_frame_longer_than_its_entry_stops_the_queue() {
    let mut b = Bed::new(&[]);
    b.sq_ready();
    b.post_recv(&[(b.key, b.at, 10)]);
    b.send(&frame(opcode::SEND, 0, &header(DMAC as u32, 18), b"x"));
    let e = b.r.poll(&mut b.receive).expect("an error");
    assert_eq!(e[63] >> 4, cqe::opcode::RESP_ERR);
    assert_eq!(ErrCqe::SYNDROME.get(&e) as u8, syndrome::LOCAL_LENGTH_ERR);
    assert_eq!(b.r.event(), Some((prm::event::WQ_CATAS_ERROR, b.rq.n)));
    let q = [(prm::QueryRqIn::RQN, b.rq.n as u64)];
    assert_eq!(b.r.b.cmd(prm::opcode::QUERY_RQ, 0, 16, &q, prm::QueryRqOut::SIZE), 0);
    assert_eq!(Rqc::STATE.within(prm::QueryRqOut::RQ_CONTEXT).get(&b.r.b.out), 3);
}

#[test]
fn a_bad_request_stops_a_send_queue_and_flushes_it() {
    let mut b = Bed::new(&[]);
    b.sq_ready();
    b.send(&Work::new(opcode::RDMA_WRITE));
    let e = b.r.poll(&mut b.send).expect("an error");
    assert_eq!(ErrCqe::SYNDROME.get(&e) as u8, syndrome::LOCAL_QP_OP_ERR);
    b.send(&Work::new(opcode::NOP));
    let e = b.r.poll(&mut b.send).expect("flushed");
    assert_eq!(ErrCqe::SYNDROME.get(&e) as u8, syndrome::WR_FLUSH_ERR);
}
