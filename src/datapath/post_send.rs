//! `ibv_post_send` (`spec`: datapath, sections 1 to 4), one function for each kind of QP.

use super::{
    builder::idx_opcode,
    doorbell::{self, Last},
    eth,
    fast_send::addresses,
    qp::{PostSend, Qp},
    queue::{SendQueue, SendSlot},
    segment::{self, Cursor, InlineWriter},
    send_kind::{class, class_of, kind, mode},
    umr_mw::{self, Binding},
};
use crate::{
    abi::verbs::{consts::*, ibv_qp, ibv_send_wr, ibv_sge},
    error::Errno,
};
use core::{ffi::c_int, sync::atomic::Ordering};
use prm::wqe::{Atomic, Ctrl, Data, Raddr, fm_ce_se};

/// Takes the lock in the way that the mode knows.
#[inline(always)]
pub fn lock<const M: u8>(sq: &SendQueue) {
    match M {
        mode::LOCKED => sq.lock.lock_known::<true>(),
        mode::SINGLE => sq.lock.lock_known::<false>(),
        _ => sq.lock.lock(),
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

/// `fm_ce_se` by the low bits of `send_flags`: fence, signalled, solicited.
const FM_CE_SE: [u8; 8] = {
    let mut t = [0; 8];
    let mut flags = 0;
    while flags < 8 {
        if flags & IBV_SEND_FENCE as usize != 0 {
            t[flags] |= fm_ce_se::FENCE;
        }
        if flags & IBV_SEND_SIGNALED as usize != 0 {
            t[flags] |= fm_ce_se::CQ_UPDATE;
        }
        if flags & IBV_SEND_SOLICITED as usize != 0 {
            t[flags] |= fm_ce_se::SOLICITED;
        }
        flags += 1;
    }
    t
};

/// Control flags of a request: its own, the queue's, and a fence that the request before left if it
/// brings none itself.
#[inline(always)]
pub fn control_flags(sq: &SendQueue, send_flags: u32, pending: u8) -> u8 {
    let fm = FM_CE_SE[(send_flags & 7) as usize] | sq.sq_signal_bits;
    if pending != 0 { inherit(fm, pending) } else { fm }
}

#[cold]
#[inline(never)]
fn inherit(fm: u8, pending: u8) -> u8 {
    if fm & fm_ce_se::FENCE != 0 { fm } else { fm | pending }
}

impl SendQueue {
    /// Does one more request not fit, with `head` posted? The tail is an atomic: no need to take the
    /// CQ's lock, which a poller may hold while it waits for ours.
    #[inline(always)]
    pub fn is_full(&self, head: u32) -> bool {
        head.wrapping_sub(self.tail.load(Ordering::Relaxed)) >= self.max_post
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
    unsafe { Qp::from_ibv(qp).hot.post_send.get()(qp, wr, bad_wr) }
}

/// For a QP without a send queue: opened, RSS or DCT.
///
/// # Safety
/// As [`dispatch`].
pub unsafe extern "C" fn refuse_all(
    _qp: *mut ibv_qp,
    wr: *mut ibv_send_wr,
    bad_wr: *mut *mut ibv_send_wr,
) -> c_int {
    if wr.is_null() {
        return 0;
    }
    // SAFETY: the promise above.
    unsafe { *bad_wr = wr };
    Errno::ENOMEM.0
}

/// # Safety
/// As [`dispatch`]; the QP has a send queue of this kind and mode.
#[inline(never)]
pub unsafe extern "C" fn post_send<const K: u8, const M: u8>(
    ibv: *mut ibv_qp,
    first: *mut ibv_send_wr,
    bad_wr: *mut *mut ibv_send_wr,
) -> c_int {
    if first.is_null() {
        return 0;
    }
    // SAFETY: the promise above.
    let qp = unsafe { Qp::from_ibv(ibv) };
    let sq = &qp.sq;
    lock::<M>(sq);
    let head = sq.head.get();
    let mut last = sq.cur_post.get();
    let mut inline = 0;
    let mut next = first;
    let failure = loop {
        // SAFETY: the application's list: each element is a whole request.
        let wr = unsafe { &*next };
        let cur_post = sq.cur_post.get();
        // SAFETY: the lock is held, and the request is the application's.
        unsafe {
            if M == mode::SIGNED || !plain::<K>(qp, wr) {
                let built = special::<K>(qp, wr);
                if built.errno != 0 {
                    break c_int::from(built.errno);
                }
                inline |= usize::from(built.inline);
            }
        }
        last = cur_post;
        next = wr.next;
        if next.is_null() {
            break 0;
        }
    };
    if failure != 0 {
        // SAFETY: the promise above.
        unsafe { *bad_wr = next };
    }
    let nreq = sq.head.get().wrapping_sub(head);
    if nreq != 0 {
        let ctrl = sq.wqe(last & sq.mask);
        // SAFETY: the last of the `nreq` whole WQEs starts at `last`; a QP with a send queue has a
        // doorbell record and a register.
        unsafe {
            let ow = u32::from(ctrl.add(Ctrl::QPN_DS.byte() + 3).read());
            doorbell::ring(qp, Last { ctrl, ow }, nreq, sq.cur_post.get(), qp.hot.bf_span[inline].get());
        }
    }
    sq.lock.unlock();
    failure
}

/// Builds a request that has only addresses and pointers, and moves the queue behind it. False, with
/// nothing written, for any other and for one that cannot be posted now: [`special`] says why.
///
/// # Safety
/// As [`post_send`]; the caller holds the lock.
#[inline(always)]
unsafe fn plain<const K: u8>(qp: &Qp, wr: &ibv_send_wr) -> bool {
    let sq = &qp.sq;
    let Some(class) = class_of::<K>(wr.opcode) else { return false };
    let head = sq.head.get();
    if class & class::SPECIAL != 0
        || wr.send_flags & IBV_SEND_INLINE != 0
        || sq.is_full(head)
        || wr.num_sge > sq.sge_limit.get()
        || sq.fm_cache.get() != 0
    {
        return false;
    }
    // SAFETY: the promise above.
    unsafe { build_plain::<K, false>(qp, wr, class, head) };
    true
}

/// Builds a plain request and moves the queue behind it. Answers the WQE and the position behind it.
/// `FEW` if there is one element or none.
///
/// # Safety
/// The queue is not full, no fence is pending, the elements are not too many, and the class is that
/// of the request, which is the application's; the caller holds the lock.
#[inline(always)]
pub unsafe fn build_plain<const K: u8, const FEW: bool>(
    qp: &Qp,
    wr: &ibv_send_wr,
    class: u16,
    head: u32,
) -> (Last, u32) {
    let sq = &qp.sq;
    let cur_post = sq.cur_post.get();
    let index = cur_post & sq.mask;
    let ctrl = sq.wqe(index);
    // SAFETY: a free block of the ring; the WQE has room for what the QP's limits admit.
    unsafe {
        segment::ctrl_flags(ctrl, control_flags(sq, wr.send_flags, 0), 0);
        let mut c = addresses::<K>(sq, wr, class, ctrl);
        if !FEW {
            segment::data_list(&mut c, wr.sg_list, wr.num_sge);
        } else if wr.num_sge == 1 {
            segment::one_pointer(&mut c, wr.sg_list);
        }
        let last = Last { ctrl, ow: c.ow };
        (last, close_plain(qp, wr, class, last, index, cur_post, head))
    }
}

/// Makes a plain WQE whole and moves the queue behind it; answers the new position.
///
/// # Safety
/// All but the head of the control segment is written; the index is that of the WQE.
#[inline(always)]
pub unsafe fn close_plain(
    qp: &Qp,
    wr: &ibv_send_wr,
    class: u16,
    wqe: Last,
    index: u32,
    cur_post: u32,
    head: u32,
) -> u32 {
    let sq = &qp.sq;
    // SAFETY: the promise above; a masked index is below the array's length.
    unsafe {
        let first = idx_opcode(cur_post, u32::from(class & class::OPCODE));
        segment::ctrl_head(wqe.ctrl, first, qp.qp_num.get() << 8 | wqe.ow);
        SendSlot::write_plain(sq.slots.at(index), wr.wr_id, head);
    }
    let after = cur_post.wrapping_add((wqe.ow + 3) >> 2);
    sq.cur_post.set(after);
    sq.head.set(head.wrapping_add(1));
    after
}

/// Builds one request of any kind and moves the queue behind it. ENOMEM for a full queue or too many
/// elements, EINVAL for an unknown opcode, and what the request's own parts refuse: in the order
/// that upstream has.
///
/// # Safety
/// As [`post_send`]; the caller holds the lock.
#[inline(never)]
unsafe fn special<const K: u8>(qp: &Qp, wr: &ibv_send_wr) -> Built {
    let refused = |e: Errno| Built { errno: e.0 as u8, ..Built::default() };
    let sq = &qp.sq;
    let Some(class) = class_of::<K>(wr.opcode) else { return refused(Errno::EINVAL) };
    let (head, cur_post) = (sq.head.get(), sq.cur_post.get());
    if sq.is_full(head) || wr.num_sge > sq.sge_limit.get() {
        return refused(Errno::ENOMEM);
    }
    let index = cur_post & sq.mask;
    let ctrl = sq.wqe(index);
    let fm = control_flags(sq, wr.send_flags, sq.fm_cache.get());
    let imm = if class & (class::IMM | class::KEY) == 0 { 0 } else { immediate(wr, class) };
    let mut w = Wqe { c: Cursor::new(sq, ctrl), built: Built::default() };
    // SAFETY: a block of the ring that is free: it was not full.
    let body = unsafe {
        segment::ctrl_flags(ctrl, fm, imm);
        w.body::<K>(qp, wr)
    };
    if let Err(e) = body {
        return refused(e);
    }
    let (ow, built) = (w.c.ow, w.built);
    let wr_data = u32::from(built.wr_data);
    // SAFETY: the WQE's first block; the masked index is below the array's length.
    unsafe {
        let first = idx_opcode(cur_post, u32::from(class & class::OPCODE));
        segment::ctrl_head(ctrl, first, qp.qp_num.get() << 8 | ow);
        if sq.wq_sig {
            segment::sign(sq, ctrl, ow);
        }
        sq.slots.at(index).write(SendSlot { wr_id: wr.wr_id, head, wr_data });
    }
    sq.fm_cache.set(built.fence);
    sq.cur_post.set(cur_post.wrapping_add((ow + 3) >> 2));
    sq.head.set(head.wrapping_add(1));
    built
}

/// The immediate field of requests that have one: data of the `_WITH_IMM` operations as they are,
/// the key of those that invalidate.
#[inline(always)]
fn immediate(wr: &ibv_send_wr, class: u16) -> u32 {
    // SAFETY: both members are plain numbers of the same size.
    let raw = unsafe { wr.u_imm_data.imm_data };
    if class & class::IMM != 0 {
        return raw;
    }
    if wr.opcode == IBV_WR_BIND_MW {
        // SAFETY: the operation says which member is set; a window is alive while it is bound.
        return unsafe { (*wr.u_bind_mw.bind_mw.mw).rkey }.to_be();
    }
    raw.to_be()
}

/// What [`special`] made of a request. Small enough to be returned in a register.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Built {
    /// For the completion: `IBV_WC_*` where the device's opcode does not tell.
    wr_data: u16,
    /// 0, or why there is no WQE.
    errno: u8,
    /// Fence that the next request inherits.
    fence: u8,
    /// There is inline data.
    inline: bool,
}

/// A WQE under construction.
struct Wqe {
    c: Cursor,
    built: Built,
}

impl Wqe {
    /// Everything behind the control segment.
    ///
    /// # Safety
    /// As [`special`]; `wr.num_sge` was checked, the WQE's blocks are free.
    #[inline(always)]
    unsafe fn body<const K: u8>(&mut self, qp: &Qp, wr: &ibv_send_wr) -> Result<(), Errno> {
        let mut from = Payload { sge: wr.sg_list, count: wr.num_sge, offset: 0 };
        let atomic = matches!(wr.opcode, IBV_WR_ATOMIC_CMP_AND_SWP | IBV_WR_ATOMIC_FETCH_AND_ADD);
        let window = matches!(wr.opcode, IBV_WR_BIND_MW | IBV_WR_LOCAL_INV);
        let window = window && matches!(K, kind::RC | kind::XRC | kind::UC);
        // SAFETY: the operation says which members of the request are set. Within the first block
        // the segments of 16 bytes need no check against the ring's end; behind it there is one.
        unsafe {
            if window {
                self.window(wr, qp.qp_num.get())?;
            } else {
                let class = class_of::<K>(wr.opcode).unwrap_or(0);
                self.c = addresses::<K>(&qp.sq, wr, class, self.c.at.wrapping_sub(Ctrl::SIZE));
            }
            match K {
                kind::RC | kind::XRC if atomic => self.atomic(qp, wr)?,
                kind::UNDERLAY => {
                    self.c.wrap();
                    eth::underlay(&mut self.c, qp, wr, &mut from)?;
                }
                kind::RAW => eth::raw(&mut self.c, qp, wr, &mut from)?,
                _ => {}
            }
            if wr.send_flags & IBV_SEND_INLINE != 0 && from.count != 0 {
                self.built.inline = true;
                return self.inline_data(qp, &from);
            }
            if K == kind::RAW && wr.opcode == IBV_WR_TSO {
                eth::check_tso_payload(qp, &from)?;
            }
            if atomic {
                self.atomic_data(&from);
            } else {
                from.pointers(&mut self.c);
            }
        }
        Ok(())
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

    /// Bind or invalidate. The request's list, if it has one, follows as for others.
    ///
    /// # Safety
    /// The cursor stands behind the control segment; the request is one of the two.
    #[inline(never)]
    unsafe fn window(&mut self, wr: &ibv_send_wr, qpn: u32) -> Result<(), Errno> {
        // SAFETY: the opcode says which member is set.
        let binding = unsafe {
            if wr.opcode == IBV_WR_BIND_MW {
                self.built.wr_data = IBV_WC_BIND_MW as u16;
                let b = &wr.u_bind_mw.bind_mw;
                Binding::of(b.mw, b.rkey, &b.bind_info)
            } else {
                self.built.wr_data = IBV_WC_LOCAL_INV as u16;
                Binding::invalidate()
            }
        };
        // SAFETY: the promise above.
        unsafe { umr_mw::segments(&mut self.c, &binding, qpn)? };
        self.built.fence = fm_ce_se::INITIATOR_SMALL_FENCE;
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
