//! Wire formats of mlx5 devices and of the uverbs interface to them.
//!
//! Fields and numbers only, no behaviour: what a device command, a context, a work
//! queue entry, a completion entry, an event entry or a uverbs attribute looks like.
//! `no_std`, no dependency, no allocation. Field positions in device structures are
//! counted in bits from the most significant bit of the first byte, as the programmer's
//! reference manual (PRM) counts them.
//!
//! ```
//! use prm::{AllocPdOut, CreateMkeyIn, Mkc, opcode};
//!
//! let mut cmd = [0u8; CreateMkeyIn::SIZE];
//! CreateMkeyIn::OPCODE.set(&mut cmd, opcode::CREATE_MKEY as u64);
//! Mkc::PD.within(CreateMkeyIn::MEMORY_KEY_MKEY_ENTRY).set(&mut cmd, 7);
//! assert_eq!(cmd[0x1d..0x20], [0, 0, 7]);
//! assert_eq!(AllocPdOut::PD.get(&[0; 16]), 0);
//! ```
#![no_std]

pub mod bits;
pub mod cqe;
pub mod event;
pub mod flow;
pub mod ifc;
pub mod layout;
pub mod object;
pub mod opcode;
pub mod status;
pub mod uverbs;
pub mod wqe;

pub use bits::Field;
pub use ifc::*;
pub use layout::Layout;
