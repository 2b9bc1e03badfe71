//! Event queues: the kernel's, by number; queues and vectors of one's own exist on VFIO only.

use crate::{
    error::{Refusal, Result},
    provider::Context,
    uverbs::{self, Attr},
};
use prm::uverbs::{attr, method, object};

/// `mlx5dv_devx_query_eqn`: number of the event queue behind a completion vector.
///
/// Errors: the kernel's (EINVAL for a vector that the device does not have; it looks at the low 16
/// bits only).
pub fn query_eqn(context: &Context, vector: u32, eqn: *mut u32) -> Result<()> {
    let mut attrs = [
        Attr::u32(attr::DEVX_QUERY_EQN_USER_VEC, vector),
        Attr::output_raw(attr::DEVX_QUERY_EQN_DEV_EQN, eqn.cast(), size_of::<u32>()),
    ];
    Ok(uverbs::execute(context.fd, object::DEVX, method::DEVX_QUERY_EQN, &mut attrs)?)
}

/// Why a context of the kernel gives no vectors and event queues of one's own.
pub fn of_the_kernel(_context: &Context) -> Refusal {
    refuse!(EOPNOTSUPP, "vectors and event queues belong to the kernel")
}
