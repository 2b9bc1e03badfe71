//! Core structures of the write(2) commands, as bytes, and the calls that carry them.

use crate::{
    error::{Errno, Result},
    provider::{Context, context::survive_disassociation},
    uverbs::{self, Attr},
};

/// A core structure that is being filled. Reserved bytes stay zero.
pub struct Core<const N: usize>(pub [u8; N]);

impl<const N: usize> Core<N> {
    /// All zero.
    pub const fn new() -> Self {
        Core([0; N])
    }

    fn put(mut self, at: usize, bytes: &[u8]) -> Self {
        if let Some(place) = self.0.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
        self
    }

    /// Stores a number at byte `at`.
    pub fn u8(self, at: usize, v: u8) -> Self {
        self.put(at, &[v])
    }

    /// Stores a number at byte `at`.
    pub fn u16(self, at: usize, v: u16) -> Self {
        self.put(at, &v.to_ne_bytes())
    }

    /// Stores a number at byte `at`.
    pub fn u32(self, at: usize, v: u32) -> Self {
        self.put(at, &v.to_ne_bytes())
    }

    /// Stores a number at byte `at`.
    pub fn u64(self, at: usize, v: u64) -> Self {
        self.put(at, &v.to_ne_bytes())
    }

    /// Stores bytes at byte `at`.
    pub fn bytes(self, at: usize, v: &[u8]) -> Self {
        self.put(at, v)
    }

    /// Stores the address of the response, which most commands have at byte 0.
    pub fn response(self, at: &[u8]) -> Self {
        self.u64(0, at.as_ptr() as u64)
    }

    /// Reads a number of a response.
    pub fn get32(&self, at: usize) -> u32 {
        let mut v = [0; 4];
        if let Some(b) = self.0.get(at..at + 4) {
            v.copy_from_slice(b);
        }
        u32::from_ne_bytes(v)
    }

    /// Reads a number of a response.
    pub fn get64(&self, at: usize) -> u64 {
        let mut v = [0; 8];
        if let Some(b) = self.0.get(at..at + 8) {
            v.copy_from_slice(b);
        }
        u64::from_ne_bytes(v)
    }

    /// Reads a number of a response.
    pub fn get16(&self, at: usize) -> u16 {
        let mut v = [0; 2];
        if let Some(b) = self.0.get(at..at + 2) {
            v.copy_from_slice(b);
        }
        u16::from_ne_bytes(v)
    }

    /// Reads a number of a response.
    pub fn get8(&self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }
}

/// A command without driver part, with a response whose address is the first member.
pub fn command<const I: usize, const O: usize>(
    context: &Context,
    command: u16,
    core: Core<I>,
    response: &mut Core<O>,
) -> Result<(), Errno> {
    let core = core.response(&response.0);
    uverbs::invoke_write(context.fd, u32::from(command), &core.0, &mut response.0, &[], &mut [])
}

/// A command without driver part and without response.
pub fn order<const I: usize>(context: &Context, command: u32, core: &Core<I>) -> Result<(), Errno> {
    uverbs::invoke_write(context.fd, command, &core.0, &mut [], &[], &mut [])
}

/// A destroy method whose only attribute is the handle. EIO counts as success where the
/// application allowed that (the device is gone).
pub fn destroy(context: &Context, object: u16, method: u16, handle_attr: u16, handle: u32) -> Result<()> {
    let mut attrs = [Attr::handle(handle_attr, handle)];
    Ok(survive_disassociation(uverbs::execute(context.fd, object, method, &mut attrs))?)
}

/// A destroy method that answers how many events were delivered: the response, to wait for their
/// acknowledgement. Zero if the device is gone and the application allowed that.
pub fn destroy_with_events<const N: usize>(
    context: &Context,
    object: u16,
    method: u16,
    response_attr: u16,
    handle_attr: u16,
    handle: u32,
) -> Result<Core<N>> {
    let mut response = Core::<N>::new();
    let mut attrs = [Attr::output(response_attr, &mut response.0), Attr::handle(handle_attr, handle)];
    survive_disassociation(uverbs::execute(context.fd, object, method, &mut attrs))?;
    Ok(response)
}
