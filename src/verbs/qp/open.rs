//! Opening an XRC target QP that another process has made.

use super::{
    super::{
        core::{self as kernel_call, Core},
        object::{self, boxed},
        small::xrcd_handle,
    },
    bare, kernel,
};
use crate::{
    abi::verbs::{consts::*, *},
    border,
    provider::Context,
};
use core::{mem, ptr};
use prm::uverbs::write;

/// `ibv_open_qp`. EOPNOTSUPP for unknown bits, EINVAL without number, domain or type; else the
/// kernel's, ENOMEM.
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn open_qp(context: *mut ibv_context, attr: *mut ibv_qp_open_attr) -> *mut ibv_qp {
    const NEEDED: u32 = IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_TYPE;
    border::null("ibv_open_qp", || {
        // SAFETY: the promise above.
        let (ctx, a) = unsafe { (Context::from_own(context), &*attr) };
        if a.comp_mask >= IBV_QP_OPEN_ATTR_RESERVED {
            return Err(refuse!(EOPNOTSUPP, "unknown comp_mask bits", comp_mask = a.comp_mask));
        }
        if a.comp_mask & NEEDED != NEEDED {
            return Err(refuse!(EINVAL, "number, domain and type are needed", comp_mask = a.comp_mask));
        }
        let qp = boxed(bare(ctx, a.qp_type))?;
        // SAFETY: as above.
        let xrcd = unsafe { xrcd_handle(a.xrcd) };
        let core =
            Core::<32>::new().u64(8, qp.ibv() as u64).u32(16, xrcd).u32(20, a.qp_num).u8(24, a.qp_type as u8);
        let mut response = Core::<32>::new();
        kernel_call::command(ctx, write::OPEN_QP, core, &mut response)?;
        // SAFETY: plain numbers and pointers; zero is a value of each.
        let mut init: ibv_qp_init_attr_ex = unsafe { mem::zeroed() };
        init.comp_mask = IBV_QP_INIT_ATTR_XRCD;
        init.xrcd = a.xrcd;
        init.qp_type = a.qp_type;
        init.qp_context =
            if a.comp_mask & IBV_QP_OPEN_ATTR_CONTEXT != 0 { a.qp_context } else { ptr::null_mut() };
        // The number that was asked for, as libibverbs' own command has it.
        kernel::publish(ctx, &qp, &init, response.get32(0), a.qp_num);
        qp.qp_num.set(a.qp_num);
        qp.resource.rsn.set(a.qp_num);
        Ok(object::give(qp))
    })
}
