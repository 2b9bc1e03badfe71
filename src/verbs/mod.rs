//! Verbs objects: creation, modification, query, destruction. Posting and polling is `datapath`.

pub mod buf;
pub mod dbrec;
pub mod heap;
pub mod huge;
pub mod pd;
pub mod qp;
pub mod table;

use crate::provider::layout::Op;
use core::ffi::c_void;

/// Verbs operations of this room, for the table that a context gets.
pub fn ops() -> Vec<(Op, *const c_void)> {
    Vec::new()
}
