//! Posting and polling: ring arithmetic, doorbells, work requests, completions.
//!
//! Nothing here allocates or enters the kernel. The structs of the queues stand here, because
//! their layout serves these paths; `verbs` creates, modifies and destroys them. C threads use one
//! queue at the same time, so every struct is reached by shared reference, and each member that
//! changes is a cell or an atomic whose comment names its guard.

pub mod ah;
pub mod cq;
pub mod mkey;
pub mod qp;
pub mod queue;
pub mod srq;
pub mod wq;

use crate::provider::layout::Op;
use core::ffi::c_void;

/// Verbs operations of the data path, for the table that a context gets. `cqe_version` is that of
/// the context: 0 or 1.
pub fn ops(_cqe_version: u8) -> Vec<(Op, *const c_void)> {
    Vec::new()
}
