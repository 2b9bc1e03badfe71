//! Every `mlx5dv_*` symbol, one file a family.
//!
//! A function here turns C pointers into references, calls its safe twin in one of the rooms
//! below and turns the result back by the function's own convention (`crate::border`). The
//! functions are literal `#[unsafe(no_mangle)]` items because cbindgen, which holds the header
//! to them, does not see through macros. A symbol that is exported but not written yet has the
//! body `missing!(…)`; `docs/matrix.md` is made from that word.

/// Body of an entry point that is not written yet: EOPNOTSUPP by the function's convention.
macro_rules! missing {
    ($convention:ident, $name:literal) => {
        $crate::border::$convention($name, || Err(refuse!(EOPNOTSUPP, "not implemented")))
    };
}

mod context;
mod crypto;
mod devx;
mod dm;
mod dr;
mod dump;
mod eq;
mod events;
mod export;
mod flow;
mod mkey;
mod mr;
mod objects;
mod qp;
mod sched;
mod uar;
mod umem;
mod var;
mod vfio;
mod wr;

/// What each file of this folder starts from.
mod prelude {
    #![allow(unused_imports)]
    pub(crate) use crate::abi::{dv::*, verbs::*};
    pub(crate) use crate::border;
    pub(crate) use crate::error::{Errno, Refusal, Result};
    pub(crate) use core::ffi::{c_char, c_int, c_uint, c_void};
    pub(crate) use libc::FILE;
}
