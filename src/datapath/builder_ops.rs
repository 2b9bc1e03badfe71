//! Requests of the `ibv_wr_*` interface: what comes before the setters.

use super::{
    builder::{kind, setters},
    eth,
    qp::Qp,
    segment::{self, Cursor},
    umr_mw::{self, Binding},
};
use crate::{
    abi::verbs::{consts::*, ibv_mw, ibv_mw_bind_info, ibv_qp_ex},
    error::Errno,
};
use core::ffi::{c_uint, c_void};
use prm::wqe::{Atomic, Av, Ctrl, Raddr, Xrc, fm_ce_se, opcode};

/// Octowords in front of the operation's own segments: control segment, and room for the address
/// where a setter fills it.
const fn preamble(k: u8) -> u32 {
    match k {
        kind::UD | kind::DCI => ((Ctrl::SIZE + Av::SIZE) / 16) as u32,
        kind::XRC => ((Ctrl::SIZE + Xrc::SIZE) / 16) as u32,
        _ => (Ctrl::SIZE / 16) as u32,
    }
}

impl Qp {
    /// Begins a request of the application; None if the queue is full.
    ///
    /// # Safety
    /// `ex` is the face of this QP.
    #[inline(always)]
    unsafe fn begin<const K: u8, const QUICK: bool>(
        &self,
        ex: *mut ibv_qp_ex,
        opcode: u8,
        wr_data: u32,
    ) -> Option<*mut u8> {
        // SAFETY: the application fills these members before the call.
        let (wr_id, flags) = unsafe { ((*ex).wr_id, (*ex).wr_flags) };
        let ctrl = self.open::<QUICK>(u32::from(opcode), wr_data, wr_id, flags);
        if setters(K) == 2 {
            self.wr.setters.set(0);
        }
        (QUICK || !ctrl.is_null()).then_some(ctrl)
    }

    /// Place of the first segment behind the preamble.
    #[inline(always)]
    fn first<const K: u8>(&self, ctrl: *mut u8) -> *mut u8 {
        match K {
            // The address fills the first block.
            kind::UD | kind::DCI => self.place(ctrl, preamble(K)),
            _ => ctrl.wrapping_add(preamble(K) as usize * prm::wqe::OCTOWORD),
        }
    }
}

/// Immediate field, raw.
///
/// # Safety
/// `ctrl` is the control segment of the open WQE.
#[inline(always)]
unsafe fn set_imm(ctrl: *mut u8, raw: u32) {
    // SAFETY: the promise above.
    unsafe { ctrl.add(Ctrl::IMM.byte()).cast::<u32>().write(raw) }
}

/// # Safety
/// libibverbs' promise: between start and complete of a QP with builders of this kind.
pub unsafe extern "C" fn send<const K: u8>(ex: *mut ibv_qp_ex) {
    // SAFETY: the promise above.
    unsafe {
        let qp = Qp::from_ibv_ex(ex);
        match qp.is_quick() {
            true => message::<K, true>(qp, ex, opcode::SEND, None),
            false => message_with_care::<K>(ex, opcode::SEND, None),
        }
    }
}

/// # Safety
/// As [`send`].
#[inline(always)]
unsafe fn message<const K: u8, const QUICK: bool>(qp: &Qp, ex: *mut ibv_qp_ex, opcode: u8, imm: Option<u32>) {
    // SAFETY: the promise above.
    unsafe {
        let Some(ctrl) = qp.begin::<K, QUICK>(ex, opcode, 0) else { return };
        if let Some(imm) = imm {
            set_imm(ctrl, imm);
        }
        qp.wr.ow.set(preamble(K));
    }
}

/// # Safety
/// As [`send`].
#[cold]
#[inline(never)]
unsafe fn message_with_care<const K: u8>(ex: *mut ibv_qp_ex, opcode: u8, imm: Option<u32>) {
    // SAFETY: the promise above.
    unsafe { message::<K, false>(Qp::from_ibv_ex(ex), ex, opcode, imm) }
}

/// # Safety
/// As [`send`].
pub unsafe extern "C" fn send_imm<const K: u8>(ex: *mut ibv_qp_ex, imm: c_uint) {
    // SAFETY: the promise above.
    unsafe {
        let qp = Qp::from_ibv_ex(ex);
        match qp.is_quick() {
            true => message::<K, true>(qp, ex, opcode::SEND_IMM, Some(imm)),
            false => message_with_care::<K>(ex, opcode::SEND_IMM, Some(imm)),
        }
    }
}

/// # Safety
/// As [`send`].
pub unsafe extern "C" fn send_inv<const K: u8>(ex: *mut ibv_qp_ex, rkey: u32) {
    // SAFETY: the promise above.
    unsafe {
        let qp = Qp::from_ibv_ex(ex);
        match qp.is_quick() {
            true => message::<K, true>(qp, ex, opcode::SEND_INVAL, Some(rkey.to_be())),
            false => message_with_care::<K>(ex, opcode::SEND_INVAL, Some(rkey.to_be())),
        }
    }
}

/// Read or write: a remote address behind the preamble.
///
/// # Safety
/// As [`send`].
#[inline(always)]
unsafe fn rdma<const K: u8, const QUICK: bool>(
    qp: &Qp,
    ex: *mut ibv_qp_ex,
    opcode: u8,
    rkey: u32,
    addr: u64,
    imm: Option<u32>,
) {
    // SAFETY: the promise above; 16 bytes at a multiple of 16 in the ring.
    unsafe {
        let Some(ctrl) = qp.begin::<K, QUICK>(ex, opcode, 0) else { return };
        if let Some(imm) = imm {
            set_imm(ctrl, imm);
        }
        segment::raddr(qp.first::<K>(ctrl), addr, rkey);
        qp.wr.ow.set(preamble(K) + (Raddr::SIZE / 16) as u32);
    }
}

/// # Safety
/// As [`send`].
#[cold]
#[inline(never)]
unsafe fn rdma_with_care<const K: u8>(
    ex: *mut ibv_qp_ex,
    opcode: u8,
    rkey: u32,
    addr: u64,
    imm: Option<u32>,
) {
    // SAFETY: the promise above.
    unsafe { rdma::<K, false>(Qp::from_ibv_ex(ex), ex, opcode, rkey, addr, imm) }
}

/// # Safety
/// As [`send`].
pub unsafe extern "C" fn rdma_read<const K: u8>(ex: *mut ibv_qp_ex, rkey: u32, addr: u64) {
    // SAFETY: the promise above.
    unsafe {
        let qp = Qp::from_ibv_ex(ex);
        match qp.is_quick() {
            true => rdma::<K, true>(qp, ex, opcode::RDMA_READ, rkey, addr, None),
            false => rdma_with_care::<K>(ex, opcode::RDMA_READ, rkey, addr, None),
        }
    }
}

/// # Safety
/// As [`send`].
pub unsafe extern "C" fn rdma_write<const K: u8>(ex: *mut ibv_qp_ex, rkey: u32, addr: u64) {
    // SAFETY: the promise above.
    unsafe {
        let qp = Qp::from_ibv_ex(ex);
        match qp.is_quick() {
            true => rdma::<K, true>(qp, ex, opcode::RDMA_WRITE, rkey, addr, None),
            false => rdma_with_care::<K>(ex, opcode::RDMA_WRITE, rkey, addr, None),
        }
    }
}

/// # Safety
/// As [`send`].
pub unsafe extern "C" fn rdma_write_imm<const K: u8>(
    ex: *mut ibv_qp_ex,
    rkey: c_uint,
    addr: u64,
    imm: c_uint,
) {
    // SAFETY: the promise above.
    unsafe {
        let qp = Qp::from_ibv_ex(ex);
        match qp.is_quick() {
            true => rdma::<K, true>(qp, ex, opcode::RDMA_WRITE_IMM, rkey, addr, Some(imm)),
            false => rdma_with_care::<K>(ex, opcode::RDMA_WRITE_IMM, rkey, addr, Some(imm)),
        }
    }
}

/// # Safety
/// As [`send`].
#[inline(always)]
unsafe fn atomic<const K: u8>(
    ex: *mut ibv_qp_ex,
    opcode: u8,
    rkey: u32,
    addr: u64,
    operands: impl FnOnce(*mut u8),
) {
    // SAFETY: the promise above; the remote address may end the ring.
    unsafe {
        let qp = Qp::from_ibv_ex(ex);
        let Some(ctrl) = qp.begin::<K, false>(ex, opcode, 0) else { return };
        segment::raddr(qp.first::<K>(ctrl), addr, rkey);
        let ow = preamble(K) + (Raddr::SIZE / 16) as u32;
        operands(qp.place(ctrl, ow));
        qp.wr.ow.set(ow + (Atomic::SIZE / 16) as u32);
    }
}

/// # Safety
/// As [`send`].
pub unsafe extern "C" fn atomic_cmp_swp<const K: u8>(
    ex: *mut ibv_qp_ex,
    rkey: u32,
    addr: u64,
    compare: u64,
    swap: u64,
) {
    // SAFETY: the promise above; `at` is 16 bytes in the ring.
    unsafe {
        atomic::<K>(ex, opcode::ATOMIC_CS, rkey, addr, |at| segment::atomic_cs(at, swap, compare));
    }
}

/// # Safety
/// As [`send`].
pub unsafe extern "C" fn atomic_fetch_add<const K: u8>(ex: *mut ibv_qp_ex, rkey: u32, addr: u64, add: u64) {
    // SAFETY: the promise above; `at` is 16 bytes in the ring.
    unsafe { atomic::<K>(ex, opcode::ATOMIC_FA, rkey, addr, |at| segment::atomic_fa(at, add)) }
}

/// Bind or invalidate: whole at once, and the next request waits for it.
///
/// # Safety
/// As [`send`].
#[inline(always)]
unsafe fn window<const SIGNED: bool>(ex: *mut ibv_qp_ex, imm: u32, wr_data: u32, binding: Binding) {
    // SAFETY: the promise above; the WQE has room for a bind.
    unsafe {
        let qp = Qp::from_ibv_ex(ex);
        let Some(ctrl) = qp.begin::<{ kind::RC }, false>(ex, opcode::UMR, wr_data) else { return };
        set_imm(ctrl, imm.to_be());
        let mut c = Cursor::new(&qp.sq, ctrl);
        match umr_mw::segments(&mut c, &binding, qp.qp_num.get()) {
            Ok(()) => {
                qp.set_fence(fm_ce_se::INITIATOR_SMALL_FENCE);
                qp.close::<SIGNED>(ctrl, c.ow);
            }
            Err(e) => qp.fail(e),
        }
    }
}

/// # Safety
/// As [`send`]; the window and its region are alive.
pub unsafe extern "C" fn bind_mw<const SIGNED: bool>(
    ex: *mut ibv_qp_ex,
    mw: *mut ibv_mw,
    rkey: u32,
    info: *const ibv_mw_bind_info,
) {
    // SAFETY: the promise above.
    unsafe {
        // Only windows of type 2 are bound this way, as the manual has it.
        let binding = Binding { mw_type: IBV_MW_TYPE_2, ..Binding::of(mw, rkey, &*info) };
        window::<SIGNED>(ex, (*mw).rkey, IBV_WC_BIND_MW, binding);
    }
}

/// # Safety
/// As [`send`].
pub unsafe extern "C" fn local_inv<const SIGNED: bool>(ex: *mut ibv_qp_ex, rkey: u32) {
    // SAFETY: the promise above.
    unsafe { window::<SIGNED>(ex, rkey, IBV_WC_LOCAL_INV, Binding::invalidate()) }
}

/// A frame: the setter copies its headers into the Ethernet segment.
///
/// # Safety
/// As [`send`].
pub unsafe extern "C" fn send_eth(ex: *mut ibv_qp_ex) {
    // SAFETY: the promise above; the segment lies in the first block.
    unsafe {
        let qp = Qp::from_ibv_ex(ex);
        let Some(ctrl) = qp.begin::<{ kind::RAW }, false>(ex, opcode::SEND, 0) else { return };
        qp.wr.ow.set(1);
        qp.wr.header_due.set(true);
        if let Err(e) = eth::start(qp, ctrl.add(Ctrl::SIZE), (*ex).wr_flags) {
            qp.fail(e);
        }
    }
}

/// A large send: the header is given here.
///
/// # Safety
/// As [`send`]; `header` has `size` bytes.
pub unsafe extern "C" fn send_tso(ex: *mut ibv_qp_ex, header: *mut c_void, size: u16, mss: u16) {
    // SAFETY: the promise above; the segment lies in the first block.
    unsafe {
        let qp = Qp::from_ibv_ex(ex);
        let Some(ctrl) = qp.begin::<{ kind::RAW }, false>(ex, opcode::TSO, 0) else { return };
        let mut c = Cursor::new(&qp.sq, ctrl);
        qp.wr.header_due.set(false);
        let built: Result<(), Errno> = eth::start(qp, c.at, (*ex).wr_flags)
            .and_then(|()| eth::large_send(&mut c, qp, header.cast(), size, mss));
        qp.wr.ow.set(c.ow);
        if let Err(e) = built {
            qp.fail(e);
        }
    }
}
