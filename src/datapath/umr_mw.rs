//! Memory windows: bind and invalidate as UMR work requests (`spec`: datapath, section 11).

use super::segment::{Cursor, put8, put16, put32, put64};
use crate::{
    abi::verbs::{consts::*, ibv_mw, ibv_mw_bind_info},
    error::Errno,
};
use core::ptr;
use prm::wqe::{Klm, MKEY_FREE, MkeyContext, UmrCtrl, mkey_access, mkey_mask, umr_flags};

/// Longest memory window in bytes.
const MAX_LENGTH: u64 = 1 << 31;
/// Octowords of translations that a window's UMR carries: one entry and its padding to 64 bytes.
const KLM_OCTOWORDS: u16 = 4;
/// A key that no QP owns.
const ANY_QPN: u32 = 0xffff_ff00;

/// What a window shall become.
pub struct Binding {
    /// `IBV_MW_TYPE_*`.
    pub mw_type: u32,
    /// New rkey; only its low byte is the request's.
    pub rkey: u32,
    /// Key of the memory region beneath.
    pub mr_lkey: u32,
    pub addr: u64,
    /// 0: the window is taken away.
    pub length: u64,
    /// `IBV_ACCESS_*`.
    pub access: u32,
}

impl Binding {
    /// A window over a region.
    ///
    /// # Safety
    /// `mw` is a window; `info.mr` is a memory region unless the length is 0.
    #[inline(always)]
    pub unsafe fn of(mw: *const ibv_mw, rkey: u32, info: &ibv_mw_bind_info) -> Binding {
        // SAFETY: the promise above.
        let mr_lkey = if info.length == 0 { 0 } else { unsafe { (*info.mr).lkey } };
        Binding {
            // SAFETY: the promise above.
            mw_type: unsafe { (*mw).type_ },
            rkey,
            mr_lkey,
            addr: info.addr,
            length: info.length,
            access: info.mw_access_flags,
        }
    }

    /// An invalidation: which key is in the control segment.
    pub fn invalidate() -> Binding {
        Binding { mw_type: IBV_MW_TYPE_2, rkey: 0, mr_lkey: 0, addr: 0, length: 0, access: 0 }
    }
}

/// `IBV_ACCESS_*` as bits of the mkey context.
fn access_flags(access: u32) -> u8 {
    let bit = |flag: u32, bit: u8| if access & flag != 0 { bit } else { 0 };
    bit(IBV_ACCESS_REMOTE_ATOMIC, mkey_access::ATOMIC)
        | bit(IBV_ACCESS_REMOTE_WRITE, mkey_access::REMOTE_WRITE)
        | bit(IBV_ACCESS_REMOTE_READ, mkey_access::REMOTE_READ)
        | bit(IBV_ACCESS_LOCAL_WRITE, mkey_access::LOCAL_WRITE)
}

/// Appends the segments behind the control segment. EOPNOTSUPP beyond 2 GiB.
///
/// # Safety
/// The cursor stands behind the control segment of a WQE with room for a bind.
pub unsafe fn segments(c: &mut Cursor, b: &Binding, qpn: u32) -> Result<(), Errno> {
    if b.length > MAX_LENGTH {
        return Err(Errno::EOPNOTSUPP);
    }
    let (present, type2) = (b.length != 0, b.mw_type == IBV_MW_TYPE_2);
    let umr = c.at;
    // SAFETY: the UMR control segment fills the first block.
    unsafe {
        ptr::write_bytes(umr, 0, UmrCtrl::SIZE);
        let mut flags = umr_flags::INLINE | umr_flags::TRANSLATION_OFFSET;
        let mut mask = mkey_mask::FREE | mkey_mask::MKEY;
        if type2 {
            mask |= mkey_mask::QPN;
            flags |= if present { umr_flags::CHECK_FREE } else { umr_flags::CHECK_QPN };
        }
        if present {
            put16(umr, UmrCtrl::KLM_OCTOWORDS, KLM_OCTOWORDS);
            mask |= mkey_mask::LEN
                | mkey_mask::START_ADDR
                | mkey_mask::ACCESS_LOCAL_WRITE
                | mkey_mask::ACCESS_REMOTE_READ
                | mkey_mask::ACCESS_REMOTE_WRITE
                | mkey_mask::ACCESS_ATOMIC;
        }
        put8(umr, UmrCtrl::FLAGS, flags);
        put64(umr, UmrCtrl::MKEY_MASK, mask);
    }
    c.skip(UmrCtrl::SIZE);
    c.wrap();

    let key = c.at;
    // SAFETY: a block of its own. Fields that the mask leaves out keep what the ring had.
    unsafe {
        let owner = if !type2 || !present { ANY_QPN } else { qpn << 8 };
        put32(key, MkeyContext::QPN_MKEY, (b.rkey & 0xff) | owner);
        if present {
            put8(key, MkeyContext::FREE, 0);
            put8(key, MkeyContext::ACCESS_FLAGS, access_flags(b.access));
            let start = if b.access & IBV_ACCESS_ZERO_BASED != 0 { 0 } else { b.addr };
            put64(key, MkeyContext::START_ADDR, start);
            put64(key, MkeyContext::LEN, b.length);
        } else {
            put8(key, MkeyContext::FREE, MKEY_FREE);
        }
    }
    c.skip(MkeyContext::SIZE);
    if present {
        c.wrap();
        let klm = c.at;
        let padded = usize::from(KLM_OCTOWORDS) * prm::wqe::OCTOWORD;
        // SAFETY: a block of its own.
        unsafe {
            put32(klm, Klm::BYTE_COUNT, b.length as u32);
            put32(klm, Klm::MKEY, b.mr_lkey);
            put64(klm, Klm::ADDRESS, b.addr);
            ptr::write_bytes(klm.add(Klm::SIZE), 0, padded - Klm::SIZE);
        }
        c.skip(padded);
    }
    Ok(())
}
