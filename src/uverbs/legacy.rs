//! Commands that have no ioctl method: the write(2) commands, sent through `INVOKE_WRITE` where
//! the kernel has it and by write(2) where it does not.

use super::command::{Attr, execute};
use crate::{
    error::{Errno, Result},
    trace,
};
use core::ffi::c_int;
use prm::uverbs::{attr, method, object, write};

/// Sends `command` through the ioctl `INVOKE_WRITE`.
///
/// `core_in`/`core_out` are the command's and its response's core structures, `driver_in` and
/// `driver_out` the driver's parts; an empty slice leaves the attribute out.
pub fn invoke_write(
    fd: c_int,
    command: u32,
    core_in: &[u8],
    core_out: &mut [u8],
    driver_in: &[u8],
    driver_out: &mut [u8],
) -> Result<(), Errno> {
    let mut attrs = [
        Attr::u64(attr::WRITE_CMD, command as u64),
        Attr::when(!core_in.is_empty(), Attr::input(attr::CORE_IN, core_in)),
        Attr::when(!core_out.is_empty(), Attr::output(attr::CORE_OUT, core_out)),
        Attr::when(!driver_in.is_empty(), Attr::input(attr::UHW_IN, driver_in)),
        Attr::when(!driver_out.is_empty(), Attr::output(attr::UHW_OUT, driver_out)),
    ];
    execute(fd, object::DEVICE, method::INVOKE_WRITE, &mut attrs)
}

/// Sends a (not extended) command by write(2): the way of kernels before the ioctl interface.
///
/// The buffer is a header (command u32, words in u16, words out u16), the response address, the
/// rest of the core structure and the driver's part. `core_in` is the core structure after its
/// response address; `response` receives core and driver response in one piece.
pub fn write_command(
    fd: c_int,
    command: u16,
    core_in: &[u8],
    driver_in: &[u8],
    response: &mut [u8],
) -> Result<(), Errno> {
    const HEADER: usize = 16;
    let mut buffer = [0u8; 512];
    let len = HEADER + core_in.len() + driver_in.len();
    let Some(body) = buffer.get_mut(HEADER..len) else { return Err(Errno::EINVAL) };
    let (core, driver) = body.split_at_mut(core_in.len());
    core.copy_from_slice(core_in);
    driver.copy_from_slice(driver_in);
    buffer[0..4].copy_from_slice(&u32::from(command).to_ne_bytes());
    buffer[4..6].copy_from_slice(&((len / 4) as u16).to_ne_bytes());
    buffer[6..8].copy_from_slice(&((response.len() / 4) as u16).to_ne_bytes());
    buffer[8..16].copy_from_slice(&(response.as_mut_ptr() as u64).to_ne_bytes());
    // SAFETY: `buffer` is readable for `len`; the kernel writes at most `response.len()` bytes.
    let n = unsafe { libc::write(fd, buffer.as_ptr().cast(), len) };
    let result = match n {
        n if n == len as isize => Ok(()),
        n if n < 0 => Err(Errno::last()),
        _ => Err(Errno::EINVAL),
    };
    trace::write(command, result);
    result
}

/// Number of an extended command for [`invoke_write`].
pub const fn extended(command: u16) -> u32 {
    command as u32 | write::EXTENDED
}
