//! Device commands: mailboxes, commands without an object, and what a status means.
//!
//! The application's own commands get the kernel's answer as it is: EREMOTEIO says that the device
//! refused and that status and syndrome stand in the output. Only commands that this library makes
//! itself have the status turned into an errno ([`checked`]).

use crate::{
    error::{Errno, Refusal, Result},
    provider::Context,
    uverbs::{self, Attr},
};
use core::{ffi::c_void, marker::PhantomData, slice};
use prm::{
    bits,
    uverbs::{attr, method, object},
};

/// A command and the place for the device's answer.
#[derive(Clone, Copy)]
pub struct Mailboxes<'a> {
    input: *const u8,
    in_len: usize,
    output: *mut u8,
    out_len: usize,
    borrow: PhantomData<&'a mut [u8]>,
}

impl<'a> Mailboxes<'a> {
    /// Those of an application. They may be one and the same memory; addresses that cannot be read
    /// or written are the kernel's to refuse (EFAULT).
    ///
    /// # Safety
    /// `input` is NULL or, if `in_len` is at most 8, readable for `in_len`.
    pub unsafe fn from_c(input: *const c_void, in_len: usize, output: *mut c_void, out_len: usize) -> Self {
        Mailboxes { input: input.cast(), in_len, output: output.cast(), out_len, borrow: PhantomData }
    }

    /// The library's own.
    pub fn new(input: &'a [u8], output: &'a mut [u8]) -> Self {
        let (output, out_len) = (output.as_mut_ptr(), output.len());
        Mailboxes { input: input.as_ptr(), in_len: input.len(), output, out_len, borrow: PhantomData }
    }

    /// The command as attribute `id`.
    pub fn input(&self, id: u16) -> Attr<'a> {
        // SAFETY: the promise of `from_c`; `new` has a slice.
        unsafe { Attr::input_raw(id, self.input, self.in_len) }
    }

    /// The place for the answer as attribute `id`.
    pub fn output(&self, id: u16) -> Attr<'a> {
        Attr::output_raw(id, self.output, self.out_len)
    }

    /// Looks into both mailboxes after the kernel has accepted them.
    ///
    /// # Safety
    /// A call with these mailboxes has succeeded: the kernel read one and wrote the other.
    pub unsafe fn after_success<R>(&self, look: impl FnOnce(&[u8], &[u8]) -> R) -> R {
        // SAFETY: the kernel takes no command shorter than 16 bytes, so neither pointer is NULL,
        // and it has just read and written them; they may overlap, being only read here.
        let (input, output) = unsafe {
            (slice::from_raw_parts(self.input, self.in_len), slice::from_raw_parts(self.output, self.out_len))
        };
        look(input, output)
    }
}

/// `mlx5dv_devx_general_cmd`: a command that belongs to no object.
///
/// Errors: the kernel's (EINVAL for an opcode that needs an object, or without a DEVX context);
/// EREMOTEIO if the device refused, with the answer written.
pub fn general(context: &Context, m: Mailboxes) -> Result<()> {
    let mut attrs = [m.input(attr::DEVX_OTHER_CMD_IN), m.output(attr::DEVX_OTHER_CMD_OUT)];
    Ok(uverbs::execute(context.fd, object::DEVX, method::DEVX_OTHER, &mut attrs)?)
}

/// Turns the kernel's EREMOTEIO into the errno of the status in `output`: for commands that this
/// library makes, never for the application's own.
pub fn checked<T>(result: Result<T>, output: &[u8]) -> Result<T> {
    result.map_err(|r| if r.errno() == Errno::EREMOTEIO { refused(output) } else { r })
}

/// A refusal by the device, as the status in `output` has it.
#[cold]
fn refused(output: &[u8]) -> Refusal {
    let syndrome = bits::be32(output, 4);
    match status_errno(bits::get(output, 0, 8) as u8) {
        Errno::EINVAL => refuse!(EINVAL, "refused by the device", syndrome = syndrome),
        Errno::EBUSY => refuse!(EBUSY, "refused by the device", syndrome = syndrome),
        Errno::ENOMEM => refuse!(ENOMEM, "refused by the device", syndrome = syndrome),
        Errno::EAGAIN => refuse!(EAGAIN, "refused by the device", syndrome = syndrome),
        _ => refuse!(EIO, "refused by the device", syndrome = syndrome),
    }
}

/// The errno of a command status (`spec`: DEVX, section 1.3).
pub fn status_errno(status: u8) -> Errno {
    use prm::status::*;
    match status {
        BAD_OP | BAD_PARAM | BAD_RES | BAD_RES_STATE | BAD_INDEX | BAD_QP_STATE | BAD_PKT
        | BAD_SIZE_OUTS_CQES => Errno::EINVAL,
        RES_BUSY => Errno::EBUSY,
        EXCEED_LIM => Errno::ENOMEM,
        NO_RESOURCES => Errno::EAGAIN,
        _ => Errno::EIO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_the_errno_of_the_sheet() {
        let table = [
            (0x01, Errno::EIO),
            (0x02, Errno::EINVAL),
            (0x03, Errno::EINVAL),
            (0x04, Errno::EIO),
            (0x05, Errno::EINVAL),
            (0x06, Errno::EBUSY),
            (0x08, Errno::ENOMEM),
            (0x09, Errno::EINVAL),
            (0x0a, Errno::EINVAL),
            (0x0f, Errno::EAGAIN),
            (0x10, Errno::EINVAL),
            (0x30, Errno::EINVAL),
            (0x40, Errno::EINVAL),
            (0x50, Errno::EIO),
            (0x51, Errno::EIO),
            (0x0b, Errno::EIO),
            (0xff, Errno::EIO),
        ];
        for (status, errno) in table {
            assert_eq!(status_errno(status), errno, "{status:#x}");
        }
    }

    #[test]
    fn only_a_refusal_by_the_device_is_mapped() {
        let output = [6, 0, 0, 0, 0, 0, 0x12, 0x34];
        let r = checked::<()>(Err(Errno::EREMOTEIO.into()), &output).unwrap_err();
        assert_eq!((r.errno(), r.told().2), (Errno::EBUSY, 0x1234));
        let r = checked::<()>(Err(Errno::ENOMEM.into()), &output).unwrap_err();
        assert_eq!(r.errno(), Errno::ENOMEM);
        assert!(checked(Ok(()), &output).is_ok());
    }
}
