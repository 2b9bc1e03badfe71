//! The companion function for data direct.

use super::Context;
use crate::{
    error::Result,
    uverbs::{self, Attr},
};
use prm::uverbs::{attr, method, object};

/// Writes the sysfs path (without `/sys`) of the data-direct device that is bonded with this one.
///
/// Errors: ENODEV if there is none; ENOSPC if `len` is too short for the path and its NUL; EINVAL
/// above 65535; EPROTONOSUPPORT on kernels without it. `buffer` is untouched on error.
pub fn sysfs_path(context: &Context, buffer: *mut u8, len: usize) -> Result<()> {
    let mut attrs = [Attr::output_raw(attr::GET_DATA_DIRECT_SYSFS_PATH, buffer, len)];
    Ok(uverbs::execute(context.fd, object::DEVICE, method::GET_DATA_DIRECT_SYSFS_PATH, &mut attrs)?)
}
