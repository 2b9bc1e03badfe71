//! Memory keys: rights, kinds, changes by work requests, windows.

use super::rig::{Rig, Side, Work, pointer};
use crate::device::MEMIC_BAR;
use prm::cqe::{self, Cqe64, ErrCqe, syndrome};
use prm::wqe::{MkeyContext, RepeatBlock, RepeatEntry, UmrCtrl, mkey_access, mkey_mask, opcode, umr_flags};
use prm::{CreateMkeyIn, Field, Mkc};

const RC: u64 = 0;
const CTX: Field = CreateMkeyIn::MEMORY_KEY_MKEY_ENTRY;
const RIGHTS: u64 = mkey_mask::ACCESS_LOCAL_WRITE
    | mkey_mask::ACCESS_REMOTE_READ
    | mkey_mask::ACCESS_REMOTE_WRITE
    | mkey_mask::ACCESS_ATOMIC;

fn result(r: &Rig, s: &mut Side) -> Result<(), u8> {
    let e = r.poll(&mut s.send).expect("a completion");
    let f = |f: Field| f.get(&e[e.len() - 64..]);
    match f(Cqe64::OP_OWN) as u8 >> 4 {
        cqe::opcode::REQ => Ok(()),
        _ => Err(f(ErrCqe::SYNDROME) as u8),
    }
}

/// Write eight bytes through a key of the other side.
fn write_through(r: &mut Rig, a: &mut Side, key: u32, va: u64) -> Result<(), u8> {
    r.send(&mut a.qp, &Work::new(opcode::RDMA_WRITE).remote(key, va).inline(b"12345678"));
    result(r, a)
}

#[test]
fn a_key_is_refused_for_each_of_its_reasons() {
    let cases: [(&str, (Field, u64)); 5] = [
        ("free", (Mkc::FREE.within(CTX), 1)),
        ("no right", (Mkc::RW.within(CTX), 0)),
        ("another queue pair's", (Mkc::QPN.within(CTX), 0x3f)),
        ("too short", (Mkc::LEN.within(CTX), 7)),
        ("starts later", (Mkc::START_ADDR.within(CTX), 0x1000_0000)),
    ];
    for (what, change) in cases {
        let mut r = Rig::new();
        let (mut a, _) = r.pair(RC);
        let at = r.page();
        let key = r.key(at, 4096, &[change]);
        assert_eq!(write_through(&mut r, &mut a, key, at), Err(syndrome::REMOTE_ACCESS_ERR), "{what}");
        assert_eq!(r.read(at, 8), [0; 8], "{what}");
    }
    let mut r = Rig::new();
    let (mut a, _) = r.pair(RC);
    let at = r.page();
    let own = r.pd;
    r.pd = r.b.pd(0) as u64;
    let foreign = r.key(at, 4096, &[]);
    r.pd = own;
    assert_eq!(write_through(&mut r, &mut a, foreign, at), Err(syndrome::REMOTE_ACCESS_ERR), "domain");
}

#[test]
fn device_memory_counts_from_zero() {
    let mut r = Rig::new();
    let (mut a, _) = r.pair(RC);
    let memic = [
        (Mkc::ACCESS_MODE_1_0.within(CTX), 5 & 3),
        (Mkc::ACCESS_MODE_4_2.within(CTX), 5 >> 2),
        (Mkc::START_ADDR.within(CTX), MEMIC_BAR.start + 0x100),
    ];
    let key = r.key(0, 64, &memic);
    assert_eq!(write_through(&mut r, &mut a, key, 56), Ok(()));
    let mut b = [0; 8];
    assert!(r.b.chip.device_memory().expect("device memory").read(MEMIC_BAR.start + 0x100 + 56, &mut b));
    assert_eq!(&b, b"12345678");
    assert_eq!(write_through(&mut r, &mut a, key, 57), Err(syndrome::REMOTE_ACCESS_ERR));
}

/// A request that changes a key: mask, context fields, inline translation.
fn umr(key: u32, flags: u8, mask: u64, fields: &[(Field, u64)], list: &[u8]) -> Work {
    let mut ctrl = [0; UmrCtrl::SIZE];
    UmrCtrl::FLAGS.set(&mut ctrl, (flags | umr_flags::INLINE) as u64);
    UmrCtrl::KLM_OCTOWORDS.set(&mut ctrl, list.len() as u64 / 16);
    UmrCtrl::MKEY_MASK.set(&mut ctrl, mask);
    let mut ctx = [0; MkeyContext::SIZE];
    fields.iter().for_each(|(f, v)| f.set(&mut ctx, *v));
    Work::new(opcode::UMR).imm(key).raw(&ctrl).raw(&ctx).raw(list)
}

/// Make a key valid over a list.
fn register(key: u32, list: &[u8], len: u64) -> Work {
    let access = mkey_access::LOCAL_WRITE | mkey_access::REMOTE_WRITE | mkey_access::REMOTE_READ;
    let fields = [
        (MkeyContext::QPN_MKEY, 0xffff_ff00 | key as u64 & 0xff),
        (MkeyContext::ACCESS_FLAGS, access as u64),
        (MkeyContext::START_ADDR, 0),
        (MkeyContext::LEN, len),
    ];
    let mask = mkey_mask::FREE | mkey_mask::MKEY | mkey_mask::LEN | mkey_mask::START_ADDR | RIGHTS;
    umr(key, 0, mask, &fields, list)
}

#[test]
fn a_list_of_pieces_becomes_one_range() {
    let mut r = Rig::new();
    let (mut a, mut b) = r.pair(RC);
    let at = r.page();
    let inner = r.key(at, 4096, &[]);
    let key = r.free_key(4, &[]) | 9;
    let list = [pointer(inner, at + 100, 3), pointer(inner, at + 200, 5)].concat();
    r.send(&mut b.qp, &register(key, &[list, vec![0; 32]].concat(), 8));
    assert_eq!(result(&r, &mut b), Ok(()));
    assert_eq!(write_through(&mut r, &mut a, key, 0), Ok(()));
    assert_eq!(r.read(at + 100, 4), b"123\0");
    assert_eq!(r.read(at + 200, 6), b"45678\0");
    // invalidated, it is nothing any more
    let free = umr(key, 0, mkey_mask::FREE, &[(MkeyContext::FREE, prm::wqe::MKEY_FREE as u64)], &[]);
    r.send(&mut b.qp, &free);
    assert_eq!(result(&r, &mut b), Ok(()));
    assert_eq!(write_through(&mut r, &mut a, key, 0), Err(syndrome::REMOTE_ACCESS_ERR));
}

#[test]
fn strided_pieces_repeat() {
    let mut r = Rig::new();
    let (mut a, mut b) = r.pair(RC);
    let at = r.page();
    let inner = r.key(at, 4096, &[]);
    let key = r.free_key(4, &[]);
    let mut block = vec![0; RepeatBlock::SIZE];
    RepeatBlock::BYTE_COUNT.set(&mut block, 3);
    RepeatBlock::OP.set(&mut block, prm::wqe::REPEAT_BLOCK_OP as u64);
    RepeatBlock::REPEAT_COUNT.set(&mut block, 4);
    RepeatBlock::NUM_ENT.set(&mut block, 2);
    for (stride, count, va) in [(10u64, 2u64, at), (20, 1, at + 1000)] {
        let mut e = vec![0; RepeatEntry::SIZE];
        RepeatEntry::STRIDE.set(&mut e, stride);
        RepeatEntry::BYTE_COUNT.set(&mut e, count);
        RepeatEntry::MEMKEY.set(&mut e, inner as u64);
        RepeatEntry::VA.set(&mut e, va);
        block.extend(e);
    }
    block.resize(64, 0);
    r.send(&mut b.qp, &register(key, &block, 12));
    assert_eq!(result(&r, &mut b), Ok(()));
    // eight bytes from place 1: 1 | 2 | 3 4 5 | 6 7 8 -> entries in turn
    assert_eq!(write_through(&mut r, &mut a, key, 1), Ok(()));
    assert_eq!(r.read(at, 2), b"\x001");
    assert_eq!(r.read(at + 1000, 1), b"2");
    assert_eq!(r.read(at + 10, 2), b"34");
    assert_eq!(r.read(at + 1020, 1), b"5");
    assert_eq!(r.read(at + 20, 2), b"67");
    assert_eq!(r.read(at + 1040, 1), b"8");
    assert_eq!(write_through(&mut r, &mut a, key, 5), Err(syndrome::REMOTE_ACCESS_ERR), "beyond the end");
}

#[test]
fn changes_are_refused_where_they_are_not_allowed() {
    let mut r = Rig::new();
    let at = r.page();
    let own = r.pd;
    r.pd = r.b.pd(0) as u64;
    let foreign = r.free_key(4, &[]);
    r.pd = own;
    let fixed = r.free_key(4, &[(Mkc::UMR_EN.within(CTX), 0)]);
    let good = r.free_key(4, &[]);
    let inner = r.key(at, 4096, &[]);
    let read_only = r.key(at, 4096, &[(Mkc::LW.within(CTX), 0)]);
    let list = |key: u32, len: u32| [pointer(key, at, len), vec![0; 48]].concat();
    let cases = [
        ("foreign domain", register(foreign, &list(inner, 8), 8)),
        ("key that does not change", register(fixed, &list(inner, 8), 8)),
        ("no such key", register(0xabcd_ef00, &list(inner, 8), 8)),
        ("beyond the region", register(good, &list(inner, 5000), 5000)),
        ("write through a region for reading", register(good, &list(read_only, 8), 8)),
    ];
    for (what, w) in cases {
        let (mut a, _) = r.pair(RC);
        r.send(&mut a.qp, &w);
        assert_eq!(result(&r, &mut a), Err(syndrome::MW_BIND_ERR), "{what}");
    }
}

#[test]
fn a_window_of_a_queue_pair_is_bound_once_and_opens_for_it_only() {
    let mut r = Rig::new();
    let (mut a, mut b) = r.pair(RC);
    let at = r.page();
    let inner = r.key(at, 4096, &[]);
    let key = r.free_key(4, &[(Mkc::EN_RINVAL.within(CTX), 1)]) | 3;
    let fields = [
        (MkeyContext::QPN_MKEY, (b.qp.n as u64) << 8 | 3),
        (MkeyContext::ACCESS_FLAGS, (mkey_access::REMOTE_WRITE) as u64),
        (MkeyContext::START_ADDR, at),
        (MkeyContext::LEN, 100),
    ];
    let mask =
        mkey_mask::FREE | mkey_mask::MKEY | mkey_mask::QPN | mkey_mask::LEN | mkey_mask::START_ADDR | RIGHTS;
    let list = [pointer(inner, at, 100), vec![0; 48]].concat();
    let bind = umr(key, umr_flags::CHECK_FREE, mask, &fields, &list);
    r.send(&mut b.qp, &bind);
    assert_eq!(result(&r, &mut b), Ok(()));
    assert_eq!(write_through(&mut r, &mut a, key, at + 8), Ok(()));
    assert_eq!(r.read(at + 8, 8), b"12345678");
    // another queue pair of the same domain may not use it
    let (mut c, _) = r.pair(RC);
    assert_eq!(write_through(&mut r, &mut c, key, at), Err(syndrome::REMOTE_ACCESS_ERR));
    // the peer takes it away by a send
    r.post_recv(&mut b.qp, &[(inner, at, 100)]);
    r.send(&mut a.qp, &Work::new(opcode::SEND_INVAL).imm(key).inline(b"bye"));
    assert_eq!(result(&r, &mut a), Ok(()));
    let e = r.poll(&mut b.receive).expect("received");
    assert_eq!(e[63] >> 4, cqe::opcode::RESP_SEND_INV);
    assert_eq!(Cqe64::IMM_INVAL_PKEY.get32(&e), key);
    assert_eq!(write_through(&mut r, &mut a, key, at), Err(syndrome::REMOTE_ACCESS_ERR));
}

#[test]
fn a_bound_window_is_not_bound_again() {
    let mut r = Rig::new();
    let (_, mut b) = r.pair(RC);
    let at = r.page();
    let inner = r.key(at, 4096, &[]);
    let key = r.free_key(4, &[]);
    let list = [pointer(inner, at, 100), vec![0; 48]].concat();
    r.send(&mut b.qp, &register(key, &list, 100));
    assert_eq!(result(&r, &mut b), Ok(()));
    r.send(&mut b.qp, &umr(key, umr_flags::CHECK_FREE, mkey_mask::FREE, &[], &[]));
    assert_eq!(result(&r, &mut b), Err(syndrome::MW_BIND_ERR));
}

#[test]
fn translations_come_from_memory_and_at_an_offset() {
    let mut r = Rig::new();
    let (mut a, mut b) = r.pair(RC);
    let (at, table) = (r.page(), r.page());
    let (inner, table_key) = (r.key(at, 4096, &[]), r.key(table, 4096, &[]));
    let key = r.free_key(8, &[]);
    let first = [pointer(inner, at, 4), pointer(inner, at + 100, 4), vec![0; 32]].concat();
    r.send(&mut b.qp, &register(key, &first, 8));
    assert_eq!(result(&r, &mut b), Ok(()));
    // replace the second entry, from memory
    r.write(table, &pointer(inner, at + 500, 4));
    let mut ctrl = [0; UmrCtrl::SIZE];
    UmrCtrl::FLAGS.set(&mut ctrl, umr_flags::TRANSLATION_OFFSET as u64);
    UmrCtrl::KLM_OCTOWORDS.set(&mut ctrl, 1);
    UmrCtrl::TRANSLATION_OFFSET.set(&mut ctrl, 1);
    let w = Work::new(opcode::UMR).imm(key).raw(&ctrl).raw(&[0; MkeyContext::SIZE]).sge(table_key, table, 16);
    r.send(&mut b.qp, &w);
    assert_eq!(result(&r, &mut b), Ok(()));
    assert_eq!(write_through(&mut r, &mut a, key, 0), Ok(()));
    assert_eq!((r.read(at, 4), r.read(at + 500, 4)), (b"1234".to_vec(), b"5678".to_vec()));
}
