//! Does the device write received data in order?

use crate::{
    abi::{
        dv::consts::MLX5DV_DCTYPE_DCT,
        verbs::{consts::*, *},
    },
    datapath::qp::Qp,
    devx::{Mailboxes, object},
};
use core::ffi::{c_int, c_uint};
use prm::{Dctc, Qpc, QueryDctIn, QueryDctOut, QueryQpIn, QueryQpOut, opcode};

/// `IBV_QUERY_QP_DATA_IN_ORDER_WHOLE_MSG`.
const WHOLE_MSG: c_int = 1;

fn in_order(qp: &Qp) -> bool {
    if !qp.context().caps.qp_data_in_order {
        return false;
    }
    // SAFETY: the public part of a live QP.
    let handle = unsafe { (*qp.ibv()).handle };
    if qp.dc_type == MLX5DV_DCTYPE_DCT {
        let (mut c, mut out) = ([0u8; QueryDctIn::SIZE], [0u8; QueryDctOut::SIZE]);
        QueryDctIn::OPCODE.set(&mut c, u64::from(opcode::QUERY_DCT));
        QueryDctIn::DCTN.set(&mut c, u64::from(qp.qp_num.get()));
        return object::query(qp.context(), handle, Mailboxes::new(&c, &mut out)).is_ok()
            && Dctc::DATA_IN_ORDER.within(QueryDctOut::DCTC).is_set(&out);
    }
    if qp.state() != IBV_QPS_RTS {
        return false;
    }
    let (mut c, mut out) = ([0u8; QueryQpIn::SIZE], [0u8; QueryQpOut::SIZE]);
    QueryQpIn::OPCODE.set(&mut c, u64::from(opcode::QUERY_QP));
    QueryQpIn::QPN.set(&mut c, u64::from(qp.qp_num.get()));
    object::query(qp.context(), handle, Mailboxes::new(&c, &mut out)).is_ok()
        && Qpc::DATA_IN_ORDER.within(QueryQpOut::QPC).is_set(&out)
}

/// `ibv_query_qp_data_in_order`: whole messages, or 0 where that is not known.
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn query_qp_data_in_order(qp: *mut ibv_qp, _op: c_uint, _flags: u32) -> c_int {
    // SAFETY: the promise above.
    if in_order(unsafe { Qp::from_ibv(qp) }) { WHOLE_MSG } else { 0 }
}
