//! Tag matching: the loopback QP whose send queue carries the operations on a queue's tag list.

use super::{
    core::Core,
    qp::{
        create, destroy,
        modify::{modify_plain, to_state},
    },
    srq::Wish,
};
use crate::{
    abi::verbs::{consts::*, *},
    datapath::{
        qp::Qp,
        queue::SideArray,
        srq::{NO_TAG, Srq, Tag, TagMatching, TagOp},
    },
    error::Result,
    provider::Context,
    uverbs::{self, Attr},
};
use core::{cell::Cell, mem};
use prm::uverbs::{attr, method, object as obj};

/// The port of the loopback QP.
const PORT: u8 = 1;

/// LID of the port. Errors: the kernel's.
fn lid(context: &Context) -> Result<u16> {
    let mut port = Core::<48>::new();
    let mut attrs = [
        Attr::u64(attr::QUERY_PORT_PORT_NUM, u64::from(PORT)),
        Attr::output(attr::QUERY_PORT_RESP, &mut port.0),
    ];
    uverbs::execute(context.fd, obj::DEVICE, method::QUERY_PORT, &mut attrs)?;
    Ok(port.get16(22))
}

/// Makes the state of a tag-matching queue that the kernel has. What was made is undone on
/// failure.
///
/// # Safety
/// The pointers in `w` are valid objects of this library.
pub unsafe fn make(context: &Context, srq: &Srq, w: &Wish) -> Result<TagMatching> {
    let tags = SideArray::<Tag>::new(w.tm_cap.max_num_tags as usize + 1)?;
    let last = w.tm_cap.max_num_tags;
    for i in 0..=last {
        // SAFETY: within the array, which nobody else knows.
        unsafe { (*tags.at(i)).next = if i == last { NO_TAG } else { i + 1 } };
    }
    // SAFETY: plain numbers and pointers; zero is a value of each.
    let mut init: ibv_qp_init_attr_ex = unsafe { mem::zeroed() };
    init.qp_type = IBV_QPT_RC;
    init.srq = srq.ibv();
    init.send_cq = w.cq;
    init.recv_cq = w.cq;
    init.cap.max_send_wr = w.tm_cap.max_ops;
    init.cap.max_send_sge = 1;
    init.comp_mask = IBV_QP_INIT_ATTR_PD;
    init.pd = w.pd;
    // SAFETY: as the caller promises.
    let qp = unsafe { create::create(context, &mut init, None)? };
    // SAFETY: just made.
    let cmd_qp = unsafe { Qp::from_ibv(qp) };
    let ready = loop_back(context, cmd_qp)
        .and_then(|()| Ok(SideArray::<TagOp>::new(cmd_qp.sq.wqe_cnt as usize)?))
        .inspect_err(|_| {
            crate::border::keep_errno(|| {
                // SAFETY: nobody else knows the QP.
                unsafe { destroy::destroy_qp(qp) }
            });
        })?;
    Ok(TagMatching {
        cmd_qp,
        tags,
        head: Cell::new(0),
        tail: Cell::new(last),
        ops: ready,
        op_head: Cell::new(0),
        op_tail: Cell::new(0),
        unexp_in: Cell::new(0),
        unexp_out: Cell::new(0),
    })
}

/// Connects a QP with itself.
fn loop_back(context: &Context, qp: &Qp) -> Result<()> {
    // SAFETY: plain numbers; zero is a value of each.
    let zero: ibv_qp_attr = unsafe { mem::zeroed() };
    // SAFETY: the public part of a live QP.
    let handle = unsafe { (*qp.ibv()).handle };
    let step = |a: ibv_qp_attr, mask: u32| {
        modify_plain(context, handle, &a, mask | IBV_QP_STATE)?;
        to_state(qp, a.qp_state);
        Ok::<(), crate::error::Refusal>(())
    };
    let lid = lid(context)?;
    step(
        ibv_qp_attr { qp_state: IBV_QPS_INIT, port_num: PORT, ..zero },
        IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
    )?;
    let mut ah_attr = zero.ah_attr;
    ah_attr.dlid = lid;
    ah_attr.port_num = PORT;
    step(
        ibv_qp_attr {
            qp_state: IBV_QPS_RTR,
            path_mtu: IBV_MTU_256,
            dest_qp_num: qp.qp_num.get(),
            ah_attr,
            ..zero
        },
        IBV_QP_AV
            | IBV_QP_PATH_MTU
            | IBV_QP_DEST_QPN
            | IBV_QP_RQ_PSN
            | IBV_QP_MAX_DEST_RD_ATOMIC
            | IBV_QP_MIN_RNR_TIMER,
    )?;
    step(
        ibv_qp_attr { qp_state: IBV_QPS_RTS, ..zero },
        IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
    )
}

/// Destroys the loopback QP. Errors: the kernel's; everything then stays.
///
/// # Safety
/// `tm` is the state that [`make`] made, and nobody posts on it any more.
pub unsafe fn destroy(tm: &TagMatching) -> Result<()> {
    // SAFETY: as the caller promises.
    destroy::destroy(unsafe { (*tm.cmd_qp).ibv() })
}
