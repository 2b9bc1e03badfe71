//! The table of verbs operations that a context gets.

use super::{
    Context,
    clock::query_rt_values_op,
    device_query::query_device_ex_op,
    ibverbs::Ibverbs,
    layout::{Op, OpsTable},
    open::free_context,
    port::{query_port_op, query_port_speed_op},
};
use crate::{datapath, devx, verbs};
use core::ffi::c_void;

/// Gives the context our operations. What is not set keeps libibverbs' own answer, which is that
/// of a provider without the operation.
pub fn set(ibverbs: &Ibverbs, context: &Context) {
    let mut table = OpsTable::new(context.layout.ops_release);
    let ops: [(Op, *const c_void); _] = [
        (Op::free_context, free_context as *const c_void),
        (Op::query_device_ex, query_device_ex_op as *const c_void),
        (Op::query_port, query_port_op as *const c_void),
        (Op::query_port_speed, query_port_speed_op as *const c_void),
        (Op::query_rt_values, query_rt_values_op as *const c_void),
    ];
    let queues = datapath::ops();
    for (op, function) in ops.into_iter().chain(devx::dm::ops()).chain(verbs::ops()).chain(queues) {
        table.set(op, function);
    }
    // SAFETY: the verbs part was initialised by libibverbs; the table has its release's layout
    // and is copied.
    unsafe { (ibverbs.verbs_set_ops)(context.verbs(), table.as_ptr()) }
}
