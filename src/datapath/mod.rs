//! Posting and polling: ring arithmetic, doorbells, work requests, completions.
//!
//! Nothing here allocates or enters the kernel. The structs of the queues stand here, because
//! their layout serves these paths; `verbs` creates, modifies and destroys them. C threads use one
//! queue at the same time, so every struct is reached by shared reference, and each member that
//! changes is a cell or an atomic whose comment names its guard.

pub mod ah;
mod bind_mw;
mod bsf;
mod builder;
mod builder_dv;
mod builder_ops;
mod builder_set;
pub mod cancel;
mod clean;
pub mod cq;
mod cqe;
mod doorbell;
mod eth;
mod fast_send;
mod find;
mod install;
mod lazy;
pub mod mkey;
pub mod mkey_check;
mod mkey_conf;
mod parse;
mod poll;
mod post_recv;
mod post_send;
mod post_srq;
pub mod qp;
pub mod queue;
mod readers;
mod scatter;
mod segment;
mod send_kind;
pub mod srq;
mod stall;
mod tm;
mod umr_mw;
pub mod wq;

use crate::provider::layout::Op;
use core::ffi::c_void;

/// Verbs operations of the data path, for the table that a context gets.
pub fn ops() -> [(Op, *const c_void); 8] {
    [
        (Op::post_send, post_send::dispatch as *const c_void),
        (Op::post_recv, post_recv::dispatch as *const c_void),
        (Op::post_srq_recv, post_srq::post_srq_recv as *const c_void),
        (Op::post_srq_ops, tm::post_srq_ops as *const c_void),
        (Op::bind_mw, bind_mw::bind_mw as *const c_void),
        (Op::poll_cq, poll::dispatch as *const c_void),
        (Op::req_notify_cq, clean::req_notify_cq as *const c_void),
        (Op::cq_event, clean::cq_event as *const c_void),
    ]
}
