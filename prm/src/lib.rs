//! Wire formats of mlx5 devices and of the uverbs interface to them.
//!
//! Fields and numbers only, no behaviour: what a device command, a context, a work
//! queue entry, a completion entry, an event entry or a uverbs attribute looks like.
//! `no_std`, no dependency, no allocation. Field positions in device structures are
//! counted in bits from the most significant bit of the first byte, as the programmer's
//! reference manual (PRM) counts them.
#![no_std]

pub mod bits;
pub mod uverbs;

pub use bits::Field;
