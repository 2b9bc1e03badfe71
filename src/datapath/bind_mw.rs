//! `ibv_bind_mw`: a window of type 1 gets its new place by a posted work request.

use super::post_send;
use crate::{
    abi::verbs::{consts::*, ibv_mw, ibv_mw_bind, ibv_qp, ibv_send_wr, ibv_send_wr_bind_mw},
    border,
    error::{Errno, Refusal},
    verbs::mr::{Mr, mr_type},
};
use core::{ffi::c_int, mem, ptr};

/// A memory key with a tag one higher: what the window's key becomes.
fn next_tag(key: u32) -> u32 {
    key & !0xff | key.wrapping_add(1) & 0xff
}

/// The refusals of this call's own checks are also in errno, as the reference has them.
fn noted(r: Refusal) -> Refusal {
    r.errno().set();
    r
}

/// `ibv_bind_mw`; libibverbs has refused windows of type 2. The window's key is the new one as soon
/// as the request is posted.
///
/// Errors: EINVAL for an address or length without a region, for zero-based access or regions;
/// EOPNOTSUPP for regions that are not plain memory and lengths above 2 GiB; ENOMEM if the queue is
/// full.
///
/// # Safety
/// libibverbs' promise: a QP and a window of ours, a region of ours or none.
pub unsafe extern "C" fn bind_mw(qp: *mut ibv_qp, mw: *mut ibv_mw, bind: *mut ibv_mw_bind) -> c_int {
    border::value("ibv_bind_mw", || {
        // SAFETY: the promise above.
        let bind = unsafe { &*bind };
        let info = bind.bind_info;
        if info.mr.is_null() && (info.addr != 0 || info.length != 0) {
            return Err(refuse!(EINVAL, "a place without a region"));
        }
        if info.mw_access_flags & IBV_ACCESS_ZERO_BASED != 0 {
            return Err(noted(refuse!(EINVAL, "zero-based windows of type 1 do not exist")));
        }
        // SAFETY: NULL, or a region, which libibverbs' own part surrounds.
        if let Some(mr) = unsafe { info.mr.cast::<Mr>().as_ref() } {
            if mr.mr_type != mr_type::MR {
                return Err(noted(refuse!(EOPNOTSUPP, "the region is not plain memory", kind = mr.mr_type)));
            }
            if mr.access as u32 & IBV_ACCESS_ZERO_BASED != 0 {
                return Err(noted(refuse!(EINVAL, "the region is zero based")));
            }
        }
        // SAFETY: the promise above.
        let key = next_tag(unsafe { (*mw).rkey });
        // SAFETY: numbers and pointers, for which zero is a value.
        let mut wr: ibv_send_wr = unsafe { mem::zeroed() };
        wr.wr_id = bind.wr_id;
        wr.opcode = IBV_WR_BIND_MW;
        wr.send_flags = bind.send_flags;
        wr.u_bind_mw.bind_mw = ibv_send_wr_bind_mw { mw, rkey: key, bind_info: info };
        let mut bad = ptr::null_mut();
        // SAFETY: the promise above, and a request of our own.
        match unsafe { post_send::dispatch(qp, &mut wr, &mut bad) } {
            0 => {}
            e => return Err(Errno(e).into()),
        }
        // SAFETY: the promise above.
        unsafe { (*mw).rkey = key };
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::next_tag;

    #[test]
    fn tags_wrap_within_their_byte() {
        assert_eq!(next_tag(0x1234_56fe), 0x1234_56ff);
        assert_eq!(next_tag(0x1234_56ff), 0x1234_5600);
    }
}
