//! Destination MAC of an address, where the kernel does not tell it with the handle.

use crate::{
    abi::verbs::ibv_ah_attr,
    error::{Errno, Result},
    provider::{Context, ibverbs},
};

/// Asks libibverbs, which looks into the host's neighbour tables. Errors: its own.
pub fn resolve(context: &Context, attr: &ibv_ah_attr) -> Result<[u8; 6]> {
    let ibverbs = ibverbs::get().ok_or(refuse!(ENOSYS, "no known libibverbs"))?;
    let (mut mac, mut vlan, mut attr) = ([0u8; 6], 0u16, *attr);
    // SAFETY: the context is open; the outputs are writable; the function reads `attr` only.
    let r = unsafe {
        (ibverbs.ibv_resolve_eth_l2_from_gid)(context.ibv(), &mut attr, mac.as_mut_ptr(), &mut vlan)
    };
    match r {
        0 => Ok(mac),
        n if n < 0 => Err(Errno::last().into()),
        n => Err(Errno(n).into()),
    }
}
