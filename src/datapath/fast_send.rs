//! `ibv_post_send` of one plain request: what programs post most, in one straight run without a
//! call or a spilled register. Whatever is not plain, or cannot be posted at once, goes on to the
//! general function, before anything was written.

use super::{
    ah::Ah,
    doorbell::{self, Last},
    post_send::{build_plain, close_plain, control_flags, post_send},
    qp::{PostSend, Qp},
    queue::SendQueue,
    segment::{self, Cursor},
    send_kind::{class, class_of, kind, mode},
};
use crate::abi::verbs::{consts::*, ibv_qp, ibv_send_wr};
use core::ffi::c_int;
use prm::wqe::{Av, INLINE_SEG, Inline, OCTOWORD, Raddr, Xrc};

/// The function for a queue with a register of its own; None if there is none for the kind and mode.
pub fn choose(k: u8, m: u8) -> Option<PostSend> {
    fn by_mode<const K: u8>(m: u8) -> Option<PostSend> {
        match m {
            mode::LOCKED => Some(one::<K, { mode::LOCKED }>),
            mode::SINGLE => Some(one::<K, { mode::SINGLE }>),
            _ => None,
        }
    }
    match k {
        kind::RC => by_mode::<{ kind::RC }>(m),
        kind::UC => by_mode::<{ kind::UC }>(m),
        kind::UD => by_mode::<{ kind::UD }>(m),
        kind::XRC => by_mode::<{ kind::XRC }>(m),
        _ => None,
    }
}

/// Takes the lock if it is free.
#[inline(always)]
fn try_lock<const M: u8>(sq: &SendQueue) -> bool {
    if M == mode::LOCKED {
        sq.lock.try_lock()
    } else {
        sq.lock.lock_known::<false>();
        true
    }
}

/// Is there room for a request with this many elements, and does no fence wait for it? The caller
/// holds the lock.
#[inline(always)]
fn ready(sq: &SendQueue, head: u32, num_sge: i32) -> bool {
    !sq.is_full(head) && num_sge <= sq.sge_limit.get() && sq.fm_cache.get() == 0
}

/// # Safety
/// As `post_send::dispatch`; the QP has a send queue of this kind and mode and a register of its
/// own.
unsafe extern "C" fn one<const K: u8, const M: u8>(
    ibv: *mut ibv_qp,
    first: *mut ibv_send_wr,
    bad_wr: *mut *mut ibv_send_wr,
) -> c_int {
    // SAFETY: the promise above.
    unsafe {
        let qp = Qp::from_ibv(ibv);
        let sq = &qp.sq;
        let Some(wr) = first.as_ref() else { return 0 };
        if wr.next.is_null()
            && wr.num_sge <= 1
            && let Some(class) = class_of::<K>(wr.opcode)
            && class & class::SPECIAL == 0
        {
            if wr.send_flags & IBV_SEND_INLINE != 0 {
                return one_inline::<K, M>(ibv, first, bad_wr);
            }
            if try_lock::<M>(sq) {
                let head = sq.head.get();
                if ready(sq, head, wr.num_sge) {
                    let (wqe, after) = build_plain::<K, true>(qp, wr, class, head);
                    doorbell::ring_own(qp, wqe, after, qp.hot.bf_span[0].get());
                    sq.lock.unlock();
                    return 0;
                }
                sq.lock.unlock();
            }
        }
        post_send::<K, M>(ibv, first, bad_wr)
    }
}

/// As [`one`], for a request that is single and plain but has its data inline: one piece that fits
/// before the end of the ring.
///
/// # Safety
/// As [`one`].
#[inline(never)]
unsafe extern "C" fn one_inline<const K: u8, const M: u8>(
    ibv: *mut ibv_qp,
    first: *mut ibv_send_wr,
    bad_wr: *mut *mut ibv_send_wr,
) -> c_int {
    // SAFETY: the promise above.
    unsafe {
        let qp = Qp::from_ibv(ibv);
        let (sq, wr) = (&qp.sq, &*first);
        if wr.num_sge == 1 && try_lock::<M>(sq) {
            let sge = &*wr.sg_list;
            let len = sge.length;
            let head = sq.head.get();
            let cur_post = sq.cur_post.get();
            let index = cur_post & sq.mask;
            let ctrl = sq.wqe(index);
            let room = sq.end.addr() - ctrl.addr();
            if ready(sq, head, 1)
                && len.wrapping_sub(1) < sq.max_inline.min(segment::MAX_SHORT)
                && len as usize + PREAMBLE <= room
                && let Some(class) = class_of::<K>(wr.opcode)
            {
                segment::ctrl_flags(ctrl, control_flags(sq, wr.send_flags, 0), 0);
                let c = addresses::<K>(sq, wr, class, ctrl);
                c.at.cast::<u32>().write((INLINE_SEG | len).to_be());
                segment::copy_bytes(c.at.add(Inline::SIZE), sge.addr as *const u8, len as usize);
                let ow = c.ow + (len + Inline::SIZE as u32).div_ceil(OCTOWORD as u32);
                let wqe = Last { ctrl, ow };
                let after = close_plain(qp, wr, class, wqe, index, cur_post, head);
                doorbell::ring_own(qp, wqe, after, qp.hot.bf_span[1].get());
                sq.lock.unlock();
                return 0;
            }
            sq.lock.unlock();
        }
        post_send::<K, M>(ibv, first, bad_wr)
    }
}

/// Bytes in front of inline data that no request exceeds here.
const PREAMBLE: usize = 16 + Av::SIZE + Raddr::SIZE + Inline::SIZE;

/// Segments between control and data.
///
/// # Safety
/// As `post_send::pointers`.
#[inline(always)]
pub unsafe fn addresses<const K: u8>(sq: &SendQueue, wr: &ibv_send_wr, class: u16, ctrl: *mut u8) -> Cursor {
    let mut c = Cursor::new(sq, ctrl);
    // SAFETY: they lie in the first block. The opcode says which members are set.
    unsafe {
        match K {
            kind::XRC => {
                segment::xrc(c.at, wr.qp_type.xrc.remote_srqn);
                c.skip(Xrc::SIZE);
            }
            kind::UD | kind::UNDERLAY => {
                let to = &wr.wr.ud;
                segment::datagram(c.at, &(*to.ah.cast::<Ah>()).av, to.remote_qkey, to.remote_qpn);
                c.skip(Av::SIZE);
            }
            _ => {}
        }
        if !matches!(K, kind::UD | kind::UNDERLAY | kind::RAW | kind::OTHER) && class & class::RADDR != 0 {
            segment::raddr(c.at, wr.wr.rdma.remote_addr, wr.wr.rdma.rkey);
            c.skip(Raddr::SIZE);
        }
    }
    c
}
