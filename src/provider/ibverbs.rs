//! What this library takes from libibverbs: found at run time in the copy that is loaded, so that
//! one file serves every release. Only functions whose prototype never changed are used.

use super::layout::{self, ContextLayout};
use crate::abi::{
    provider::{verbs_context, verbs_device_ops},
    verbs::{ibv_ah_attr, ibv_comp_channel, ibv_context, ibv_cq, ibv_device, ibv_port_attr},
};
use alloc::boxed::Box;
use core::{
    ffi::{CStr, c_char, c_int, c_void},
    mem, ptr,
    sync::atomic::{AtomicPtr, Ordering},
};

type Register = unsafe extern "C" fn(*const verbs_device_ops);
type QueryPortSpeed = unsafe extern "C" fn(*mut ibv_context, u32, *mut u64) -> c_int;

macro_rules! imports {
    ($($(#[$doc:meta])* $field:ident: $type:ty;)*) => {
        /// Functions of libibverbs.
        pub struct Ibverbs {
            /// NN of `verbs_register_driver_NN`.
            pub pabi: u32,
            /// Offset of `comp_mask` in `verbs_qp`.
            pub qp_comp_mask: usize,
            $($(#[$doc])* pub $field: $type,)*
            /// Queries a port's speed; since release 62.
            pub ibv_cmd_query_port_speed: Option<QueryPortSpeed>,
        }

        impl Ibverbs {
            fn find(handle: *mut c_void) -> Option<Ibverbs> {
                let (pabi, _) = registration(handle)?;
                // SAFETY (each transmute): the symbol is a function of the type written beside
                // it in every release from 36 to 65 (abi/provider-abi.json, verbs-public.json).
                $(let $field = {
                    let p = symbol(handle, concat!(stringify!($field), "\0"))?;
                    // SAFETY: see above.
                    unsafe { mem::transmute::<*mut c_void, $type>(p) }
                };)*
                let qp_comp_mask = qp_comp_mask(handle)?;
                let ibv_cmd_query_port_speed = query_port_speed(handle);
                Some(Ibverbs { pabi, qp_comp_mask, $($field,)* ibv_cmd_query_port_speed })
            }
        }
    };
}

imports! {
    /// Allocates the context struct and initialises its verbs part; takes over the fd.
    _verbs_init_and_alloc_context:
        unsafe extern "C" fn(*mut ibv_device, c_int, usize, *mut verbs_context, u32) -> *mut c_void;
    /// Closes the fds and drops the device reference; does not free the struct.
    verbs_uninit_context: unsafe extern "C" fn(*mut verbs_context);
    /// Copies the operations that are set into the context.
    verbs_set_ops: unsafe extern "C" fn(*mut verbs_context, *const c_void);
    /// Opens the device file and calls our `alloc_context` with the private data.
    verbs_open_device: unsafe extern "C" fn(*mut ibv_device, *mut c_void) -> *mut ibv_context;
    /// Initialises the verbs part of a CQ.
    verbs_init_cq:
        unsafe extern "C" fn(*mut ibv_cq, *mut ibv_context, *mut ibv_comp_channel, *mut c_void);
    /// Set if a destroy call that the kernel answers with EIO counts as done.
    verbs_allow_disassociate_destroy: *const bool;
    /// Keeps a range out of forked children.
    ibv_dontfork_range: unsafe extern "C" fn(*mut c_void, usize) -> c_int;
    /// Undoes `ibv_dontfork_range`.
    ibv_dofork_range: unsafe extern "C" fn(*mut c_void, usize) -> c_int;
    /// Finds the MAC of a RoCE destination.
    ibv_resolve_eth_l2_from_gid:
        unsafe extern "C" fn(*mut ibv_context, *mut ibv_ah_attr, *mut u8, *mut u16) -> c_int;
    /// Queries a port; knows how long this release's `ibv_port_attr` is.
    ibv_cmd_query_port:
        unsafe extern "C" fn(*mut ibv_context, u8, *mut ibv_port_attr, *mut c_void, usize) -> c_int;
}

// SAFETY: a table of functions and one pointer to a flag that libibverbs sets before main.
unsafe impl Send for Ibverbs {}
// SAFETY: as above.
unsafe impl Sync for Ibverbs {}

/// Found once, by whichever thread comes first; never freed.
static IBVERBS: AtomicPtr<Ibverbs> = AtomicPtr::new(ptr::null_mut());

/// libibverbs, if the copy in this process is one we know.
pub fn get() -> Option<&'static Ibverbs> {
    // SAFETY: NULL, or a table that stays for ever.
    if let Some(i) = unsafe { IBVERBS.load(Ordering::Acquire).as_ref() } {
        return Some(i);
    }
    let found = Box::into_raw(Box::new(Ibverbs::find(handle()?)?));
    match IBVERBS.compare_exchange(ptr::null_mut(), found, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: as above.
        Ok(_) => unsafe { found.as_ref() },
        Err(other) => {
            // SAFETY: ours, and nobody has seen it: another thread was first.
            drop(unsafe { Box::from_raw(found) });
            // SAFETY: as above.
            unsafe { other.as_ref() }
        }
    }
}

/// The libibverbs of this process.
fn handle() -> Option<*mut c_void> {
    // SAFETY: DT_NEEDED has loaded the library already; this only answers the handle of that very
    // copy, also where the program opened it with RTLD_LOCAL.
    let handle = unsafe { libc::dlopen(c"libibverbs.so.1".as_ptr(), libc::RTLD_NOW) };
    (!handle.is_null()).then_some(handle)
}

/// Registers the provider, if this libibverbs has a private ABI that we know. Nothing else is
/// looked up: most processes that load the library never open a device.
pub fn register(ops: &'static verbs_device_ops) -> Option<()> {
    let (_, register) = registration(handle()?)?;
    // SAFETY: verbs_register_driver_NN keeps the pointer for ever.
    unsafe { register(ops) };
    Some(())
}

impl Ibverbs {
    /// Which layout a context has that libibverbs has initialised.
    ///
    /// # Safety
    /// `context` is readable for [`layout::MAX_VERBS_CONTEXT`] bytes.
    pub unsafe fn context_layout(&self, context: *const verbs_context) -> Option<&'static ContextLayout> {
        layout::context_layouts(self.pabi).iter().find(|l| {
            // SAFETY: `sz` lies within every layout.
            unsafe { context.byte_add(l.sz).cast::<usize>().read() == l.size }
        })
    }

    /// True if EIO of a destroy call counts as success.
    pub fn allow_disassociate_destroy(&self) -> bool {
        // SAFETY: the data symbol of libibverbs lives as long as the library.
        unsafe { self.verbs_allow_disassociate_destroy.read_volatile() }
    }
}

/// The registration function that this libibverbs has: each release has one.
fn registration(handle: *mut c_void) -> Option<(u32, Register)> {
    layout::PABIS.into_iter().find_map(|n| {
        let name = c_text("verbs_register_driver_", n);
        let version = c_text("IBVERBS_PRIVATE_", n);
        // SAFETY: a valid handle and two C strings.
        let p = unsafe { libc::dlvsym(handle, name.as_ptr(), version.as_ptr()) };
        // SAFETY: this symbol is a function of this type in every release.
        (!p.is_null()).then(|| (n, unsafe { mem::transmute::<*mut c_void, Register>(p) }))
    })
}

/// A function that releases before 62 do not have.
fn query_port_speed(handle: *mut c_void) -> Option<QueryPortSpeed> {
    let p = symbol(handle, "ibv_cmd_query_port_speed\0")?;
    // SAFETY: the symbol is a function of this type in every release that has it.
    Some(unsafe { mem::transmute::<*mut c_void, QueryPortSpeed>(p) })
}

/// Where this libibverbs has `comp_mask` in `verbs_qp`.
fn qp_comp_mask(handle: *mut c_void) -> Option<usize> {
    let p = symbol(handle, "ibv_qp_to_qp_ex\0")?;
    // SAFETY: the function has this type, up to the names of the pointers, in every release.
    let f = unsafe { mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void) -> *mut c_void>(p) };
    // SAFETY: the probe's dummy is as large as the largest verbs_qp.
    layout::probe_qp_comp_mask(|qp| unsafe { f(qp) })
}

/// `prefix` and a number of two digits as a C string.
fn c_text(prefix: &str, n: u32) -> [c_char; 32] {
    let mut text = [0; 32];
    let digits = [b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8];
    for (to, from) in text.iter_mut().take(31).zip(prefix.bytes().chain(digits)) {
        *to = from as c_char;
    }
    text
}

fn symbol(handle: *mut c_void, name: &'static str) -> Option<*mut c_void> {
    let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
    // SAFETY: a valid handle and a C string.
    let p = unsafe { libc::dlsym(handle, name.as_ptr()) };
    (!p.is_null()).then_some(p)
}

/// Pages that the device reads or writes must not be copied on fork. Errors: madvise's errno.
pub fn dontfork(base: *mut c_void, len: usize) -> Result<(), crate::error::Errno> {
    let Some(i) = get() else { return Ok(()) };
    // SAFETY: libibverbs only gives advice about the range; a wrong one is refused by the kernel.
    match unsafe { (i.ibv_dontfork_range)(base, len) } {
        0 => Ok(()),
        _ => Err(crate::error::Errno::last()),
    }
}

/// Undoes [`dontfork`].
pub fn dofork(base: *mut c_void, len: usize) {
    if let Some(i) = get() {
        // SAFETY: as in `dontfork`.
        unsafe { (i.ibv_dofork_range)(base, len) };
    }
}

/// A NULL context pointer: `_verbs_init_and_alloc_context` takes the offset of `verbs_context` in
/// our struct in this form, and ours stands at offset 0.
pub const AT_START: *mut verbs_context = ptr::null_mut();
