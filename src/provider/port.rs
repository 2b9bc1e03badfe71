//! Port queries.

use super::context::{Context, PortInfo};
use crate::{
    abi::verbs::{ibv_context, ibv_port_attr},
    error::{Errno, Result},
    uverbs::{self, Attr},
};
use core::{ffi::c_int, mem::MaybeUninit};
use prm::uverbs::{attr, method, object};

/// Reads link layer and flags of a port, for address handles. None if the query fails.
///
/// Response: `ib_uverbs_query_port_resp_ex`, 48 bytes; link layer at 37, flags at 38.
pub fn cache(fd: c_int, port: u8) -> Option<PortInfo> {
    let mut response = [0u8; 48];
    let mut attrs = [
        Attr::u64(attr::QUERY_PORT_PORT_NUM, u64::from(port)),
        Attr::output(attr::QUERY_PORT_RESP, &mut response),
    ];
    uverbs::execute(fd, object::DEVICE, method::QUERY_PORT, &mut attrs).ok()?;
    Some(PortInfo { link_layer: response[37], flags: response[38] })
}

/// `_mlx5dv_query_port`: vport data of a port, as many bytes as the caller's header knows.
/// Errors: the kernel's (EINVAL for a bad port or a struct shorter than 40 bytes).
pub fn dv_query_port(context: &Context, port: u32, info: *mut u8, len: usize) -> Result<()> {
    let mut attrs =
        [Attr::u32(attr::MLX5_QUERY_PORT_PORT_NUM, port), Attr::output_raw(attr::QUERY_PORT, info, len)];
    Ok(uverbs::execute(context.fd, object::DEVICE, method::MLX5_QUERY_PORT, &mut attrs)?)
}

/// The verbs operation. libibverbs' own command does the work, because only it knows how long its
/// `ibv_port_attr` is: the struct grew between releases and carries no size.
///
/// # Safety
/// libibverbs' promise: `context` is ours, `attr` is a whole struct of its release.
pub unsafe extern "C" fn query_port_op(
    context: *mut ibv_context,
    port: u8,
    attr: *mut ibv_port_attr,
) -> c_int {
    /// Length of `struct ibv_query_port`: header, response address, port number.
    const COMMAND_LEN: usize = 24;
    let mut command = MaybeUninit::<[u64; 8]>::zeroed();
    match super::ibverbs::get() {
        // SAFETY: the prototype is the same in releases 36 to 65; the scratch command is large enough.
        Some(i) => unsafe {
            (i.ibv_cmd_query_port)(context, port, attr, command.as_mut_ptr().cast(), COMMAND_LEN)
        },
        None => Errno::ENOSYS.0,
    }
}

/// The verbs operation of releases from 62 on.
///
/// # Safety
/// libibverbs' promise: `context` is ours, `speed` is writable.
pub unsafe extern "C" fn query_port_speed_op(context: *mut ibv_context, port: u32, speed: *mut u64) -> c_int {
    match super::ibverbs::get().and_then(|i| i.ibv_cmd_query_port_speed) {
        // SAFETY: the function takes what the operation gets.
        Some(f) => unsafe { f(context, port, speed) },
        None => Errno::EOPNOTSUPP.0,
    }
}
