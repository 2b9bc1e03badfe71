//! `ibv_post_send` (`spec`: datapath, sections 1 to 4), one function for each kind of QP.

use super::{
    ah::Ah,
    doorbell::{self, Last},
    eth,
    qp::{PostSend, Qp},
    queue::{SendQueue, SendSlot},
    segment::{self, Cursor, InlineWriter},
    umr_mw::{self, Binding},
};
use crate::{
    abi::verbs::{consts::*, ibv_qp, ibv_send_wr, ibv_sge},
    error::Errno,
};
use core::{ffi::c_int, ptr, sync::atomic::Ordering};
use prm::wqe::{Atomic, Av, Data, Raddr, Xrc, fm_ce_se, opcode};

/// What a send queue's functions differ by.
pub mod kind {
    /// Reliable connected.
    pub const RC: u8 = 0;
    /// Unreliable connected.
    pub const UC: u8 = 1;
    /// Unreliable datagram.
    pub const UD: u8 = 2;
    /// UD over a source QP number: packet headers are the application's.
    pub const UNDERLAY: u8 = 3;
    /// Extended reliable connected, sending side.
    pub const XRC: u8 = 4;
    /// Ethernet frames.
    pub const RAW: u8 = 5;
    /// DCI and others: this interface has no address to offer, the payload follows the control
    /// segment.
    pub const OTHER: u8 = 6;
}

/// How a queue is guarded, and whether its WQEs are signed.
pub mod mode {
    /// Lock; no signature.
    pub const LOCKED: u8 = 0;
    /// One thread; no signature.
    pub const SINGLE: u8 = 1;
    /// Signature; the lock is looked at when it is taken.
    pub const SIGNED: u8 = 2;
}

/// Takes the lock in the way that the mode knows.
#[inline(always)]
pub fn lock<const M: u8>(sq: &SendQueue) {
    match M {
        mode::LOCKED => sq.lock.lock_known::<true>(),
        mode::SINGLE => sq.lock.lock_known::<false>(),
        _ => sq.lock.lock(),
    }
}

/// The kind of a QP.
pub fn kind_of(qp_type: u32, underlay: bool) -> u8 {
    match qp_type {
        IBV_QPT_RC => kind::RC,
        IBV_QPT_UC => kind::UC,
        IBV_QPT_UD if underlay => kind::UNDERLAY,
        IBV_QPT_UD => kind::UD,
        IBV_QPT_XRC_SEND => kind::XRC,
        IBV_QPT_RAW_PACKET => kind::RAW,
        _ => kind::OTHER,
    }
}

/// The function for a kind and mode.
pub fn choose(k: u8, m: u8) -> PostSend {
    fn by_mode<const K: u8>(m: u8) -> PostSend {
        match m {
            mode::LOCKED => post_send::<K, { mode::LOCKED }>,
            mode::SINGLE => post_send::<K, { mode::SINGLE }>,
            _ => post_send::<K, { mode::SIGNED }>,
        }
    }
    match k {
        kind::RC => by_mode::<{ kind::RC }>(m),
        kind::UC => by_mode::<{ kind::UC }>(m),
        kind::UD => by_mode::<{ kind::UD }>(m),
        kind::UNDERLAY => by_mode::<{ kind::UNDERLAY }>(m),
        kind::XRC => by_mode::<{ kind::XRC }>(m),
        kind::RAW => by_mode::<{ kind::RAW }>(m),
        _ => by_mode::<{ kind::OTHER }>(m),
    }
}

/// Device opcodes by `IBV_WR_*`. Beyond the table an opcode is refused.
const OPCODES: [u8; 12] = [
    opcode::RDMA_WRITE,
    opcode::RDMA_WRITE_IMM,
    opcode::SEND,
    opcode::SEND_IMM,
    opcode::RDMA_READ,
    opcode::ATOMIC_CS,
    opcode::ATOMIC_FA,
    opcode::UMR,
    opcode::UMR,
    opcode::SEND_INVAL,
    opcode::TSO,
    opcode::UMR,
];

/// A set of `IBV_WR_*`.
const fn set(ops: &[u32]) -> u32 {
    let (mut s, mut i) = (0, 0);
    while i < ops.len() {
        s |= 1 << ops[i];
        i += 1;
    }
    s
}

const WITH_IMM: u32 = set(&[IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_SEND_WITH_IMM]);
const WITH_KEY: u32 = set(&[IBV_WR_SEND_WITH_INV, IBV_WR_LOCAL_INV, IBV_WR_BIND_MW]);
const WRITES: u32 = set(&[IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM]);
const READS_WRITES: u32 = WRITES | set(&[IBV_WR_RDMA_READ]);
const ATOMICS: u32 = set(&[IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD]);
const WINDOWS: u32 = set(&[IBV_WR_BIND_MW, IBV_WR_LOCAL_INV]);

impl SendQueue {
    /// Requests that may follow the ones posted.
    #[inline(always)]
    pub fn room(&self) -> u32 {
        let used = self.head.get().wrapping_sub(self.tail.load(Ordering::Relaxed));
        self.max_post.saturating_sub(used)
    }

    /// Would one more request behind `nreq` new ones not fit? `room` is what was found at the
    /// start; completions that came meanwhile are looked at again. The tail is an atomic: no need
    /// to take the CQ's lock, which a poller may hold while it waits for ours.
    #[inline(always)]
    pub fn overflows(&self, nreq: u32, room: &mut u32) -> bool {
        nreq >= *room && {
            *room = self.room();
            nreq >= *room
        }
    }

    /// Notes what the completion of the WQE at `cur_post` needs.
    #[inline(always)]
    pub fn note(&self, cur_post: u32, slot: SendSlot) {
        // SAFETY: the masked index is below the number of blocks, which is the array's length;
        // the caller holds the queue's lock, and no completion for a free slot can come.
        unsafe { self.slots.at(cur_post & self.mask).write(slot) }
    }
}

/// The verbs operation of every context.
///
/// # Safety
/// libibverbs' promise: a QP of ours, a list of work requests, a writable `bad_wr`.
pub unsafe extern "C" fn dispatch(
    qp: *mut ibv_qp,
    wr: *mut ibv_send_wr,
    bad_wr: *mut *mut ibv_send_wr,
) -> c_int {
    // SAFETY: the promise above.
    unsafe {
        match Qp::from_ibv(qp).hot.post_send.get() {
            Some(f) => f(qp, wr, bad_wr),
            // A QP without a send queue: opened, RSS or DCT.
            None => refuse_all(wr, bad_wr),
        }
    }
}

/// # Safety
/// As [`dispatch`].
#[cold]
unsafe fn refuse_all(wr: *mut ibv_send_wr, bad_wr: *mut *mut ibv_send_wr) -> c_int {
    if wr.is_null() {
        return 0;
    }
    // SAFETY: the promise above.
    unsafe { *bad_wr = wr };
    Errno::ENOMEM.0
}

/// # Safety
/// As [`dispatch`]; the QP has a send queue of this kind and mode.
unsafe extern "C" fn post_send<const K: u8, const M: u8>(
    ibv: *mut ibv_qp,
    first: *mut ibv_send_wr,
    bad_wr: *mut *mut ibv_send_wr,
) -> c_int {
    // SAFETY: the promise above.
    let qp = unsafe { Qp::from_ibv(ibv) };
    let sq = &qp.sq;
    lock::<M>(sq);
    let head = sq.head.get();
    let limit = sq.sge_limit.get();
    let qpn = qp.qp_num.get() << 8;
    let mut cur_post = sq.cur_post.get();
    let mut fence = sq.fm_cache.get();
    let mut room = sq.room();
    let mut nreq = 0;
    let mut any_inline = 0;
    let mut last = Last { ctrl: ptr::null_mut(), ow: 0 };
    let mut failure = 0;

    let mut next = first;
    // SAFETY: the application's list: each element is a whole request.
    while let Some(wr) = unsafe { next.as_ref() } {
        let Some(&device_opcode) = OPCODES.get(wr.opcode as usize) else {
            failure = Errno::EINVAL.0;
            break;
        };
        if sq.overflows(nreq, &mut room) || wr.num_sge > limit {
            failure = Errno::ENOMEM.0;
            break;
        }
        let op = 1u32 << wr.opcode;
        let flags = wr.send_flags;
        let fm = if flags & IBV_SEND_FENCE != 0 { fm_ce_se::FENCE } else { fence }
            | sq.sq_signal_bits
            | ((flags & IBV_SEND_SIGNALED) << 2) as u8
            | ((flags & IBV_SEND_SOLICITED) >> 1) as u8;
        let ctrl = sq.wqe(cur_post & sq.mask);
        // SAFETY: a block of the ring that is free: it was not full.
        unsafe { segment::ctrl_flags(ctrl, fm, immediate(wr, op)) };
        let mut w = Wqe { c: Cursor::new(sq, ctrl), fence: 0, wr_data: 0, inline: 0 };
        // SAFETY: the application's request; the WQE has room for what the QP's limits admit.
        if let Err(e) = unsafe { w.body::<K>(qp, wr, op) } {
            failure = e.0;
            break;
        }
        // SAFETY: the WQE's first block.
        unsafe {
            segment::ctrl_head(ctrl, cur_post << 8 & 0xff_ff00 | u32::from(device_opcode), qpn | w.c.ow);
            if M == mode::SIGNED && sq.wq_sig {
                segment::sign(sq, ctrl, w.c.ow);
            }
        }
        sq.note(cur_post, SendSlot { wr_id: wr.wr_id, head: head.wrapping_add(nreq), wr_data: w.wr_data });
        cur_post = cur_post.wrapping_add(w.c.ow.div_ceil(4));
        fence = w.fence;
        any_inline |= w.inline;
        last = Last { ctrl, ow: w.c.ow };
        nreq += 1;
        next = wr.next;
    }

    if failure != 0 {
        // SAFETY: the promise above.
        unsafe { *bad_wr = next };
    }
    if nreq != 0 {
        sq.fm_cache.set(fence);
        let span = qp.hot.bf_span[usize::from(any_inline & 1)].get();
        // SAFETY: `last` is the last of the `nreq` whole WQEs; a QP with a send queue has a
        // doorbell record and a register.
        unsafe { doorbell::ring(qp, last, nreq, cur_post, span) };
    }
    sq.lock.unlock();
    failure
}

/// The immediate field: data of the `_WITH_IMM` operations as they are, the key of those that
/// invalidate, else 0.
#[inline(always)]
fn immediate(wr: &ibv_send_wr, op: u32) -> u32 {
    if op & (WITH_IMM | WITH_KEY) == 0 {
        return 0;
    }
    // SAFETY: both members are plain numbers of the same size.
    let raw = unsafe { wr.u_imm_data.imm_data };
    match wr.opcode {
        // SAFETY: the operation says which member is set; a window is alive while it is bound.
        IBV_WR_BIND_MW => unsafe { (*wr.u_bind_mw.bind_mw.mw).rkey }.to_be(),
        _ if op & WITH_KEY != 0 => raw.to_be(),
        _ => raw,
    }
}

/// A WQE under construction.
struct Wqe {
    c: Cursor,
    /// Fence that the next request inherits.
    fence: u8,
    /// For the completion: `IBV_WC_*` where the device's opcode does not tell.
    wr_data: u32,
    /// 1 if it has inline data.
    inline: u8,
}

impl Wqe {
    /// Everything behind the control segment.
    ///
    /// # Safety
    /// As [`post_send`]; `wr.num_sge` was checked, the WQE's blocks are free.
    #[inline(always)]
    unsafe fn body<const K: u8>(&mut self, qp: &Qp, wr: &ibv_send_wr, op: u32) -> Result<(), Errno> {
        let mut from = Payload { sge: wr.sg_list, count: wr.num_sge, offset: 0 };
        // SAFETY: the operation says which members of the request are set. Within the first block
        // the segments of 16 bytes need no check against the ring's end; behind it there is one.
        unsafe {
            match K {
                kind::RC | kind::XRC => {
                    if op & WINDOWS != 0 {
                        self.window(wr, qp.qp_num.get())?;
                        return Ok(());
                    }
                    if K == kind::XRC {
                        segment::xrc(self.c.at, wr.qp_type.xrc.remote_srqn);
                        self.c.skip(Xrc::SIZE);
                    }
                    if op & READS_WRITES != 0 {
                        self.raddr(wr);
                    } else if op & ATOMICS != 0 {
                        self.atomic(qp, wr)?;
                    }
                }
                kind::UC => {
                    if op & WINDOWS != 0 {
                        self.window(wr, qp.qp_num.get())?;
                        return Ok(());
                    }
                    if op & WRITES != 0 {
                        self.raddr(wr);
                    }
                }
                kind::UD | kind::UNDERLAY => {
                    let to = &wr.wr.ud;
                    segment::datagram(self.c.at, &(*to.ah.cast::<Ah>()).av, to.remote_qkey, to.remote_qpn);
                    self.c.skip(Av::SIZE);
                    self.c.wrap();
                    if K == kind::UNDERLAY {
                        eth::underlay(&mut self.c, qp, wr, &mut from)?;
                    }
                }
                kind::RAW => eth::raw(&mut self.c, qp, wr, &mut from)?,
                _ => {}
            }
            if wr.send_flags & IBV_SEND_INLINE != 0 && from.count != 0 {
                self.inline = 1;
                return self.inline_data(qp, &from);
            }
            if K == kind::RAW && wr.opcode == IBV_WR_TSO {
                eth::check_tso_payload(qp, &from)?;
            }
            if op & ATOMICS != 0 {
                self.atomic_data(&from);
            } else if K == kind::RAW || K == kind::UNDERLAY {
                from.pointers(&mut self.c);
            } else {
                segment::data_list(&mut self.c, from.sge, from.count);
            }
        }
        Ok(())
    }

    /// # Safety
    /// The cursor stands in the WQE's first block; the request is an RDMA one.
    #[inline(always)]
    unsafe fn raddr(&mut self, wr: &ibv_send_wr) {
        // SAFETY: the promise above.
        unsafe { segment::raddr(self.c.at, wr.wr.rdma.remote_addr, wr.wr.rdma.rkey) };
        self.c.skip(Raddr::SIZE);
    }

    /// # Safety
    /// The cursor stands in the WQE's first block; the request is an atomic one.
    #[inline(always)]
    unsafe fn atomic(&mut self, qp: &Qp, wr: &ibv_send_wr) -> Result<(), Errno> {
        if !qp.atomics_enabled {
            return Err(Errno::EOPNOTSUPP);
        }
        // SAFETY: the promise above: at most control, XRC, remote address and operands precede
        // the end of the block.
        unsafe {
            let a = &wr.wr.atomic;
            segment::raddr(self.c.at, a.remote_addr, a.rkey);
            self.c.skip(Raddr::SIZE);
            if wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP {
                segment::atomic_cs(self.c.at, a.swap, a.compare_add);
            } else {
                segment::atomic_fa(self.c.at, a.compare_add);
            }
        }
        self.c.skip(Atomic::SIZE);
        Ok(())
    }

    /// Data segments of an atomic: always 8 bytes.
    ///
    /// # Safety
    /// The elements are readable; the WQE has room for them.
    #[inline(never)]
    unsafe fn atomic_data(&mut self, from: &Payload) {
        for i in 0..from.count.max(0) as usize {
            // SAFETY: below the count; 16 bytes at a multiple of 16 before the ring's end.
            unsafe {
                let sge = &*from.sge.add(i);
                if sge.length != 0 {
                    self.c.wrap();
                    segment::data(self.c.at, 8, sge.lkey, sge.addr);
                    self.c.skip(Data::SIZE);
                }
            }
        }
    }

    /// Bind or invalidate. There is no payload, whatever the request's list says.
    ///
    /// # Safety
    /// The cursor stands behind the control segment; the request is one of the two.
    #[inline(never)]
    unsafe fn window(&mut self, wr: &ibv_send_wr, qpn: u32) -> Result<(), Errno> {
        // SAFETY: the opcode says which member is set.
        let binding = unsafe {
            if wr.opcode == IBV_WR_BIND_MW {
                self.wr_data = IBV_WC_BIND_MW;
                let b = &wr.u_bind_mw.bind_mw;
                Binding::of(b.mw, b.rkey, &b.bind_info)
            } else {
                self.wr_data = IBV_WC_LOCAL_INV;
                Binding::invalidate(wr.u_imm_data.invalidate_rkey)
            }
        };
        // SAFETY: the promise above.
        unsafe { umr_mw::segments(&mut self.c, &binding, qpn)? };
        self.fence = fm_ce_se::INITIATOR_SMALL_FENCE;
        Ok(())
    }

    /// One inline segment of all that is left of the list. ENOMEM if it is too long.
    ///
    /// # Safety
    /// The elements are readable, and what they point to.
    #[inline(always)]
    unsafe fn inline_data(&mut self, qp: &Qp, from: &Payload) -> Result<(), Errno> {
        let max = qp.sq.max_inline as usize;
        let mut w = InlineWriter::new(&mut self.c);
        let mut offset = from.offset;
        for i in 0..from.count.max(0) as usize {
            // SAFETY: below the count; the application's memory.
            let ok = unsafe {
                let sge = &*from.sge.add(i);
                let (at, len) = (sge.addr as usize + offset as usize, sge.length - offset);
                w.push(&self.c, at as *const u8, len as usize, max)
            };
            if !ok {
                return Err(Errno::ENOMEM);
            }
            offset = 0;
        }
        // SAFETY: all pieces were pushed at this cursor.
        unsafe { w.close(&mut self.c) };
        Ok(())
    }
}

/// What is left of a request's scatter list behind the bytes that went into a header.
pub struct Payload {
    /// First element.
    pub sge: *const ibv_sge,
    /// Elements.
    pub count: i32,
    /// Bytes of the first element that are used already; less than its length.
    pub offset: u32,
}

impl Payload {
    /// Data segments, the first one shortened by what is used; none for elements of length zero.
    ///
    /// # Safety
    /// The elements are readable; the WQE has room for them.
    #[inline(always)]
    pub unsafe fn pointers(&self, c: &mut Cursor) {
        let mut offset = self.offset;
        for i in 0..self.count.max(0) as usize {
            // SAFETY: below the count; 16 bytes at a multiple of 16 before the ring's end.
            unsafe {
                let sge = &*self.sge.add(i);
                if sge.length != 0 {
                    c.wrap();
                    segment::data(c.at, sge.length - offset, sge.lkey, sge.addr + u64::from(offset));
                    c.skip(Data::SIZE);
                    offset = 0;
                }
            }
        }
    }
}
