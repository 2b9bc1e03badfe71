//! The scratch region of memcpy requests: the device writes its result there.

use super::{
    core::{self as kernel, Core},
    object::boxed,
    pd::{Opaque, OpaqueMemory, Pd},
};
use crate::{abi::verbs::consts::*, error::Result};
use prm::uverbs::{attr, method, object as obj, write};

/// Lkey and address of the domain's region, which is made with the first call. Errors: ENOMEM,
/// the kernel's.
pub fn get(pd: &Pd) -> Result<(u32, u64)> {
    let real = pd.real();
    let mut opaque = real.opaque.lock();
    if opaque.is_none() {
        *opaque = Some(register(real)?);
    }
    Ok(opaque.as_ref().map_or((0, 0), |o| (o.lkey, o.memory.0.as_ptr() as u64)))
}

fn register(pd: &Pd) -> Result<Opaque> {
    let memory = boxed(OpaqueMemory([0; 64]))?;
    let at = memory.0.as_ptr() as u64;
    let core = Core::<40>::new()
        .u64(8, at)
        .u64(16, size_of::<OpaqueMemory>() as u64)
        .u64(24, at)
        .u32(32, pd.verbs.handle)
        .u32(36, IBV_ACCESS_LOCAL_WRITE);
    let mut response = Core::<12>::new();
    kernel::command(pd.context(), write::REG_MR, core, &mut response)?;
    Ok(Opaque { handle: response.get32(0), lkey: response.get32(4), memory })
}

/// Takes the region back, if it was made. Errors: the kernel's; the region then stays.
pub fn release(pd: &Pd) -> Result<()> {
    let mut opaque = pd.opaque.lock();
    if let Some(o) = opaque.as_ref() {
        kernel::destroy(pd.context(), obj::MR, method::MR_DESTROY, attr::DESTROY_MR_HANDLE, o.handle)?;
        *opaque = None;
    }
    Ok(())
}
