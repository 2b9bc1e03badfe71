//! The verbs ioctl: attributes on the stack, one system call.
//!
//! Layout of the argument block: a header of 24 bytes, then 16 bytes per attribute (kernel uapi
//! `rdma/rdma_user_ioctl_cmds.h`). An input of up to 8 bytes travels inside its attribute.

use crate::{error::Errno, trace};
use core::{ffi::c_int, marker::PhantomData, mem, ptr};
use prm::uverbs::{ATTR_F_MANDATORY, DRIVER_MLX5};

/// `struct ib_uverbs_ioctl_hdr`.
#[repr(C)]
struct Header {
    length: u16,
    object_id: u16,
    method_id: u16,
    num_attrs: u16,
    reserved1: u64,
    driver_id: u32,
    reserved2: u32,
}

/// `struct ib_uverbs_attr` and what the builder wants to remember about it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Wire {
    attr_id: u16,
    len: u16,
    flags: u16,
    data_hi: u16,
    data: u64,
}

/// One attribute of a verbs ioctl.
///
/// An array of them, built in the order in which the kernel shall see them, is the whole command;
/// [`Attr::absent`] leaves a place empty, so that a condition needs no second array.
pub struct Attr<'a> {
    wire: Wire,
    kind: Kind,
    /// Longer than a u16 can say: refused before the kernel is asked.
    too_long: bool,
    borrow: PhantomData<&'a mut [u8]>,
}

/// What an attribute is, for those who look at a command: its wire form does not tell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// Left out.
    Absent,
    /// Bytes that the kernel reads.
    Input,
    /// Bytes that the kernel writes.
    Output,
    /// Handle of an object.
    Object,
    /// File descriptor.
    File,
}

impl<'a> Attr<'a> {
    const fn raw(kind: Kind, attr_id: u16, len: usize, data: u64) -> Self {
        Attr {
            wire: Wire { attr_id, len: len as u16, flags: ATTR_F_MANDATORY, data_hi: 0, data },
            kind,
            too_long: len > u16::MAX as usize,
            borrow: PhantomData,
        }
    }

    /// No attribute: this place of the array is left out.
    pub const fn absent() -> Self {
        Self::raw(Kind::Absent, 0, 0, 0)
    }

    /// `attr` if the condition holds, else nothing.
    pub fn when(condition: bool, attr: Self) -> Self {
        if condition { attr } else { Self::absent() }
    }

    /// Input bytes.
    pub fn input(id: u16, bytes: &'a [u8]) -> Self {
        // SAFETY: a slice is readable for its length.
        unsafe { Self::input_raw(id, bytes.as_ptr(), bytes.len()) }
    }

    /// Input bytes that the caller of the library promises to be readable; a pointer that is not
    /// makes the kernel answer EFAULT (up to 8 bytes travel inside the attribute and are read here).
    ///
    /// # Safety
    /// `bytes` is NULL or, if `len` is at most 8, readable for `len`.
    pub unsafe fn input_raw(id: u16, bytes: *const u8, len: usize) -> Self {
        if len <= 8 && !bytes.is_null() {
            let mut inline = [0u8; 8];
            // SAFETY: readable for `len` by the caller's promise; `inline` holds 8.
            unsafe { ptr::copy_nonoverlapping(bytes, inline.as_mut_ptr(), len) };
            Self::raw(Kind::Input, id, len, u64::from_ne_bytes(inline))
        } else {
            Self::raw(Kind::Input, id, len, bytes as u64)
        }
    }

    /// An input of 8 bytes by value: `const_in` attributes and 64-bit numbers.
    pub const fn u64(id: u16, value: u64) -> Self {
        Self::raw(Kind::Input, id, 8, value)
    }

    /// An input of 4 bytes.
    pub fn u32(id: u16, value: u32) -> Self {
        Self::input_inline(id, &value.to_ne_bytes())
    }

    /// An input of 2 bytes.
    pub fn u16(id: u16, value: u16) -> Self {
        Self::input_inline(id, &value.to_ne_bytes())
    }

    /// An input of 1 byte.
    pub fn u8(id: u16, value: u8) -> Self {
        Self::input_inline(id, &[value])
    }

    fn input_inline(id: u16, bytes: &[u8]) -> Self {
        let mut inline = [0u8; 8];
        inline[..bytes.len()].copy_from_slice(bytes);
        Self::raw(Kind::Input, id, bytes.len(), u64::from_ne_bytes(inline))
    }

    /// Output bytes.
    pub fn output(id: u16, bytes: &'a mut [u8]) -> Self {
        Self::raw(Kind::Output, id, bytes.len(), bytes.as_mut_ptr() as u64)
    }

    /// Output bytes at an address that a caller of the library gave; the kernel answers EFAULT if
    /// it cannot be written.
    pub fn output_raw(id: u16, bytes: *mut u8, len: usize) -> Self {
        Self::raw(Kind::Output, id, len, bytes as u64)
    }

    /// An output number.
    pub fn number<T: Number>(id: u16, value: &'a mut T) -> Self {
        Self::raw(Kind::Output, id, mem::size_of::<T>(), ptr::from_mut(value) as u64)
    }

    /// An existing object.
    pub const fn handle(id: u16, handle: u32) -> Self {
        Self::raw(Kind::Object, id, 0, handle as u64)
    }

    /// A new object: its handle is in [`Attr::new_handle`] after a successful call.
    pub const fn new_object(id: u16) -> Self {
        Self::raw(Kind::Object, id, 0, 0)
    }

    /// A new file descriptor: see [`Attr::new_fd`].
    pub const fn new_file(id: u16) -> Self {
        Self::raw(Kind::File, id, 0, 0)
    }

    /// An open file descriptor; -1 leaves the attribute out, as every release of libibverbs does.
    pub const fn fd(id: u16, fd: c_int) -> Self {
        if fd == -1 { Self::absent() } else { Self::raw(Kind::File, id, 0, fd as i64 as u64) }
    }

    /// Lets an older kernel, which does not know this attribute, ignore it.
    pub const fn optional(mut self) -> Self {
        self.wire.flags = 0;
        self
    }

    /// The handle of a new object.
    pub const fn new_handle(&self) -> u32 {
        self.wire.data as u32
    }

    /// The number of a new file descriptor.
    pub const fn new_fd(&self) -> c_int {
        self.wire.data as c_int
    }

    /// What the attribute is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its number.
    pub fn id(&self) -> u16 {
        self.wire.attr_id
    }

    /// Length in bytes of what it carries or points to.
    pub fn len(&self) -> usize {
        usize::from(self.wire.len)
    }

    /// The kernel may ignore it.
    pub fn is_optional(&self) -> bool {
        self.wire.flags & ATTR_F_MANDATORY == 0
    }

    /// A handle, a descriptor, an input of up to 8 bytes, or the address of anything else.
    pub fn data(&self) -> u64 {
        self.wire.data
    }

    fn is_present(&self) -> bool {
        self.kind != Kind::Absent
    }
}

/// Plain numbers that an output attribute may have.
pub trait Number {}
impl Number for u16 {}
impl Number for u32 {}
impl Number for u64 {}

/// Sends a command: `object`.`method` with `attrs` in their order. One ioctl(2), no retries.
///
/// Errors, in errno too: EINVAL without asking the kernel if an attribute is longer than 65535
/// bytes; else the kernel's. New handles and fds are read from the attributes afterwards.
pub fn execute<const N: usize>(
    fd: c_int,
    object: u16,
    method: u16,
    attrs: &mut [Attr; N],
) -> Result<(), Errno> {
    #[repr(C)]
    struct Block<const N: usize> {
        header: Header,
        attrs: [Wire; N],
    }
    const { assert!(N <= 64, "more attributes than any method has") };
    if attrs.iter().any(|a| a.is_present() && a.too_long) {
        trace::ioctl(object, method, attrs, Err(Errno::EINVAL));
        Errno::EINVAL.set();
        return Err(Errno::EINVAL);
    }
    let empty = Wire { attr_id: 0, len: 0, flags: 0, data_hi: 0, data: 0 };
    let mut block = Block {
        header: Header {
            length: 0,
            object_id: object,
            method_id: method,
            num_attrs: 0,
            reserved1: 0,
            driver_id: DRIVER_MLX5,
            reserved2: 0,
        },
        attrs: [empty; N],
    };
    let mut n = 0;
    for a in attrs.iter().filter(|a| a.is_present()) {
        block.attrs[n] = a.wire;
        n += 1;
    }
    block.header.num_attrs = n as u16;
    block.header.length = (mem::size_of::<Header>() + n * mem::size_of::<Wire>()) as u16;
    let result = ioctl(fd, ptr::from_mut(&mut block).cast());
    for (a, w) in attrs.iter_mut().filter(|a| a.is_present()).zip(block.attrs.iter()) {
        a.wire = *w;
    }
    trace::ioctl(object, method, attrs, result);
    result
}

#[cfg(not(test))]
fn ioctl(fd: c_int, block: *mut u8) -> Result<(), Errno> {
    // SAFETY: the block is a complete ioctl argument; every pointer in it is a borrow that lives
    // as long as `attrs`, or one that the library's caller answers for.
    match unsafe { libc::ioctl(fd, prm::uverbs::RDMA_VERBS_IOCTL as libc::c_ulong as _, block) } {
        0 => Ok(()),
        _ => Err(Errno::last()),
    }
}

#[cfg(test)]
use tests::ioctl;

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::RefCell;

    type Fake = Box<dyn FnMut(&[u8]) -> Result<(), Errno>>;
    thread_local! {
        static KERNEL: RefCell<Option<Fake>> = const { RefCell::new(None) };
    }

    /// Stands in for ioctl(2) in unit tests: hands the block to the closure of this thread.
    pub fn ioctl(_fd: c_int, block: *mut u8) -> Result<(), Errno> {
        // SAFETY: `execute` built the block; its first two bytes are its length.
        let bytes = unsafe {
            let len = u16::from_ne_bytes([*block, *block.add(1)]) as usize;
            core::slice::from_raw_parts(block, len)
        };
        KERNEL.with(|k| match k.borrow_mut().as_mut() {
            Some(f) => f(bytes),
            None => Err(Errno::ENOTTY),
        })
    }

    fn with_kernel(f: impl FnMut(&[u8]) -> Result<(), Errno> + 'static) {
        KERNEL.with(|k| *k.borrow_mut() = Some(Box::new(f)));
    }

    #[test]
    fn block_has_the_kernels_layout() {
        with_kernel(|b| {
            assert_eq!(b.len(), 24 + 2 * 16);
            assert_eq!(b[..8], [56, 0, 0x00, 0x10, 0x02, 0x10, 2, 0]);
            assert_eq!(b[16..24], [1, 0, 0, 0, 0, 0, 0, 0]);
            // first attribute: u32 in line, mandatory
            assert_eq!(b[24..40], [0x00, 0x10, 4, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0]);
            // second: an optional handle; the absent one between them is gone
            assert_eq!(b[40..56], [0x09, 0x10, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]);
            Ok(())
        });
        let mut attrs = [Attr::u32(0x1000, 7), Attr::fd(0x1004, -1), Attr::handle(0x1009, 5).optional()];
        assert_eq!(execute(3, 0x1000, 0x1002, &mut attrs), Ok(()));
    }

    #[test]
    fn long_buffers_never_reach_the_kernel() {
        with_kernel(|_| panic!("asked the kernel"));
        let big = vec![0u8; 65536];
        assert_eq!(execute(3, 0, 0, &mut [Attr::input(1, &big)]), Err(Errno::EINVAL));
    }

    #[test]
    fn short_input_travels_inside_the_attribute_and_long_by_address() {
        let long = [9u8; 9];
        let at = long.as_ptr() as u64;
        with_kernel(move |b| {
            assert_eq!(b[32..40], [1, 2, 3, 0, 0, 0, 0, 0]);
            assert_eq!(b[48..56], at.to_ne_bytes());
            Err(Errno::EREMOTEIO)
        });
        let r = execute(3, 0, 0, &mut [Attr::input(1, &[1, 2, 3]), Attr::input(2, &long)]);
        assert_eq!(r, Err(Errno::EREMOTEIO));
    }
}
