//! `libmlx5.so.1`: the mlx5 verbs provider and the mlx5dv API.
//!
//! From the C border down: `exports` turns C calls into safe ones and results back (`border`);
//! `provider` is what libibverbs sees; `devx` and its neighbours do the work; `uverbs` is the only
//! room that talks to the kernel.
//!
//! There is no standard library in it (see `runtime`): `core`, `alloc` and libc do.
#![cfg_attr(not(test), no_std)]

#[cfg(not(panic = "abort"))]
#[cfg(not(test))]
compile_error!("a panic must not cross into C: build with panic = \"abort\"");

extern crate alloc;

#[macro_use]
mod error;
mod abi;
mod border;
mod datapath;
mod devx;
mod env;
mod exports;
mod fd;
mod handle;
mod mmio;
mod mutex;
mod provider;
#[cfg(not(test))]
mod runtime;
mod sync;
mod trace;
mod uverbs;
mod verbs;

/// Runs when the library is loaded, after libibverbs' own constructors: it is in DT_NEEDED.
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

extern "C" fn constructor() {
    provider::load();
}
