//! C types that cross the border, with the names and layouts of the public headers.
//!
//! Sizes and offsets are checked against the fact tables in `abi/`. C enums are plain integers
//! here: a caller may pass any value, and a Rust enum must not hold an unknown one.
#![allow(non_camel_case_types, dead_code)]

pub mod dv;
pub mod provider;
pub mod verbs;

/// What the type files start from.
mod prelude {
    #![allow(unused_imports)]
    pub use super::{dv::*, verbs::*};
    pub use core::ffi::{c_char, c_int, c_uint, c_void};
    pub use libc::{pthread_cond_t, pthread_mutex_t, timespec};
}
