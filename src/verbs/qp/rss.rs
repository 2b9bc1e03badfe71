//! RSS QPs: a hash over an indirection table, without queues of their own.

use super::{super::core::Core, bare, flags::Plan, kernel};
use crate::{
    abi::verbs::*,
    datapath::qp::Qp,
    error::Result,
    provider::Context,
    verbs::object::{self, boxed},
};
use alloc::boxed::Box;

/// Longest key of the driver's request.
const MAX_KEY: usize = 128;

/// Creates an RSS QP. EINVAL for a key too long; the kernel's.
///
/// # Safety
/// The pointers in `a` are NULL or valid.
pub unsafe fn create(context: &Context, a: &mut ibv_qp_init_attr_ex, plan: &Plan) -> Result<Box<Qp>> {
    let conf = &a.rx_hash_conf;
    let len = usize::from(conf.rx_hash_key_len);
    if len > MAX_KEY {
        return Err(refuse!(EINVAL, "hash key too long", rx_hash_key_len = len));
    }
    // SAFETY: the application's key has that length.
    let key = unsafe { object::slice(conf.rx_hash_key, len) };
    let request = Core::<152>::new()
        .u64(0, conf.rx_hash_fields_mask)
        .u8(8, conf.rx_hash_function)
        .u8(9, conf.rx_hash_key_len)
        .bytes(16, key)
        .u32(148, plan.flags);
    let mut qp = boxed(Qp { rss: true, ..bare(context, a.qp_type) })?;
    // SAFETY: as the caller promises.
    let response = unsafe { kernel::create(context, &mut qp, a, &request.0)? };
    qp.own.numbers = response.numbers;
    // SAFETY: as the caller promises.
    qp.own.domain = unsafe { super::create::parent_of(a) };
    Ok(qp)
}
