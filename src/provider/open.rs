//! Opening, importing and closing a device.

use super::{
    bfreg::Counts,
    caps::Caps,
    clock::Clocks,
    context::{Context, PortInfo},
    debug_file::DebugFile,
    device_query::DeviceCaps,
    get_context::{self, Request, Response},
    ibverbs::{self, Ibverbs},
    layout::ContextLayout,
    ops, port,
    stall::{self, Stall},
    uar::UarPool,
};
use crate::{
    abi::{
        dv::{consts::*, mlx5dv_context_attr},
        provider::{verbs_context, verbs_device},
        verbs::{ibv_context, ibv_device},
    },
    border, env,
    error::{Errno, Result},
    mutex::Mutex,
    trace,
    verbs::{dbrec::DbrecPool, huge::HugePool},
};
use core::{
    ffi::{CStr, c_int, c_void},
    mem, ptr, slice,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Offset of `ibv_context` in our contexts: one value per process, known since the first open.
static IBV_CONTEXT: AtomicUsize = AtomicUsize::new(0);

/// Offset of the `ibv_context` in every context of this process.
#[inline(always)]
pub fn ibv_context_offset() -> usize {
    IBV_CONTEXT.load(Ordering::Relaxed)
}

/// Called by libibverbs for `ibv_open_device` and by `mlx5dv_open_device`. `private` is NULL or a
/// `mlx5dv_context_attr`. Takes over `cmd_fd`: a failure closes it.
///
/// # Safety
/// libibverbs' promise: `device` is one of ours, `cmd_fd` is its open file.
pub unsafe extern "C" fn alloc_context(
    device: *mut ibv_device,
    cmd_fd: c_int,
    private: *mut c_void,
) -> *mut verbs_context {
    border::null("alloc_context", || {
        let ibverbs = ibverbs::get().ok_or(refuse!(ENOSYS, "no known libibverbs"))?;
        // SAFETY: the promise above; the private data comes from `open_device` below.
        let attr = unsafe { private.cast::<mlx5dv_context_attr>().as_ref() };
        // SAFETY: as above.
        unsafe {
            open(ibverbs, device, cmd_fd, |bfregs| {
                let request = Request { bfregs, ..request(attr)? };
                get_context::get_context(cmd_fd, &request)
            })
        }
    })
}

/// Called by libibverbs for `ibv_import_device`. A failure closes the caller's fd, as upstream does.
///
/// # Safety
/// As [`alloc_context`].
pub unsafe extern "C" fn import_context(device: *mut ibv_device, cmd_fd: c_int) -> *mut verbs_context {
    border::null("import_context", || {
        let ibverbs = ibverbs::get().ok_or(refuse!(ENOSYS, "no known libibverbs"))?;
        // SAFETY: the promise of alloc_context.
        unsafe { open(ibverbs, device, cmd_fd, |_| get_context::query_context(cmd_fd)) }
    })
}

/// Checks the open attributes. EINVAL for unknown bits.
///
/// # Safety
/// The fd array is readable for its count.
unsafe fn request(attr: Option<&mlx5dv_context_attr>) -> Result<Request<'_>> {
    let bfregs = Counts { total: 0, low_latency: 0 };
    let none = Request { bfregs, strict_devx: false, fds: None };
    let Some(attr) = attr else { return Ok(none) };
    let unknown = attr.comp_mask & !u64::from(MLX5DV_CONTEXT_ATTR_MASK_FD_ARRAY);
    if unknown != 0 {
        return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = attr.comp_mask));
    }
    let mut fds = None;
    // A struct of an older release ends before `fds`: look at it only if the mask asks.
    if attr.comp_mask != 0 {
        // SAFETY: the application fills the array for as long as the call lasts.
        if let Some(array) = unsafe { attr.fds.as_ref() } {
            let given = if array.arr.is_null() { 0 } else { array.count as usize };
            let start = ptr::NonNull::new(array.arr).unwrap_or(ptr::NonNull::dangling());
            // SAFETY: as above; nothing is read of an array that is not there.
            fds = Some(unsafe { slice::from_raw_parts(start.as_ptr(), given) });
        }
    }
    if attr.flags & !MLX5DV_CONTEXT_FLAGS_DEVX != 0 {
        return Err(refuse!(EINVAL, "unknown flags", flags = attr.flags));
    }
    Ok(Request { strict_devx: attr.flags == MLX5DV_CONTEXT_FLAGS_DEVX, fds, ..none })
}

/// The verbs part of a context while it is being made: undone by drop.
struct Half<'a> {
    ibverbs: &'a Ibverbs,
    memory: *mut Context,
}

impl Drop for Half<'_> {
    fn drop(&mut self) {
        border::keep_errno(|| {
            // SAFETY: libibverbs made the struct by calloc and initialised its part, which stands
            // at the start; nobody else knows it yet.
            unsafe {
                (self.ibverbs.verbs_uninit_context)(self.memory.cast());
                libc::free(self.memory.cast());
            }
        })
    }
}

/// All steps of open that do not depend on where the kernel side comes from.
///
/// # Safety
/// As [`alloc_context`].
unsafe fn open(
    ibverbs: &'static Ibverbs,
    device: *mut ibv_device,
    cmd_fd: c_int,
    kernel_side: impl FnOnce(Counts) -> Result<Response>,
) -> Result<*mut verbs_context> {
    // SAFETY: the promise of alloc_context; ENOMEM closes the fd inside.
    let memory = unsafe {
        (ibverbs._verbs_init_and_alloc_context)(
            device,
            cmd_fd,
            mem::size_of::<Context>(),
            ibverbs::AT_START,
            prm::uverbs::DRIVER_MLX5,
        )
    };
    if memory.is_null() {
        return Err(Errno::last().into());
    }
    let half = Half { ibverbs, memory: memory.cast() };
    // SAFETY: our struct starts with room for the largest verbs_context.
    let layout = unsafe { ibverbs.context_layout(memory.cast()) }
        .ok_or(refuse!(ENOSYS, "libibverbs has an unknown context layout"))?;
    IBV_CONTEXT.store(layout.ibv_context, Ordering::Relaxed);

    let page_size = page_size();
    let debug = DebugFile::from_env();
    stall::read_freeze();
    let single_threaded = env::is_one(c"MLX5_SINGLE_THREADED");
    let bfregs = Counts::from_env(page_size)?;
    let info = kernel_side(bfregs)?;
    if info.cqe_version > 1 {
        return Err(refuse!(EINVAL, "unknown CQE version", cqe_version = info.cqe_version));
    }
    // SAFETY: the verbs part is initialised and ours alone; the device is a verbs_device.
    unsafe { tell_libibverbs(layout, memory, device, &info) };

    let shut_up_bf = env::not_zero(c"MLX5_SHUT_UP_BF");
    let mut uars = UarPool::new(cmd_fd, &info, page_size, bfregs, shut_up_bf, single_threaded)?;
    let offset = |command: u64, index: u64| page_size as u64 * (command << 8 | index);
    let clocks = Clocks::map(cmd_fd, &info, page_size, offset, &debug);
    // SAFETY: libibverbs has filled the device, whose name is a C string.
    let stall = Stall::from_env(unsafe { CStr::from_ptr((*device).name.as_ptr()) });
    let caps = Caps::collect(cmd_fd);
    let device_caps = DeviceCaps::collect(cmd_fd, &info);
    let mut ports = [PortInfo::default(); 2];
    for (n, cached) in (1u8..).zip(&mut ports).take(usize::from(info.num_ports)) {
        *cached = port::cache(cmd_fd, n).unwrap_or_default();
    }
    if let Err(r) = uars.allocate_singleton() {
        trace::note("no non-cached UAR: completion queues cannot be armed", r.errno());
    }

    let context = half.memory;
    mem::forget(half);
    // SAFETY: the struct is ours and large enough; each member behind the verbs part is written
    // exactly once, without reading what was there.
    unsafe {
        macro_rules! init {
            ($($member:ident: $value:expr),* $(,)?) => {
                $((&raw mut (*context).$member).write($value);)*
            };
        }
        init! {
            layout: layout,
            fd: cmd_fd,
            page_size: page_size,
            single_threaded: single_threaded,
            shut_up_bf: shut_up_bf,
            prefer_bf: env::get(c"MLX5_POST_SEND_PREFER_BF").is_none_or(|v| v.to_bytes() != b"0"),
            bfregs: bfregs,
            info: info,
            caps: caps,
            device: device_caps,
            clocks: clocks,
            debug: debug,
            stall: stall,
            uars: uars,
            ports: ports,
            allocators: Mutex::new(None),
            reserved_qpns: Mutex::default(),
            ah_mappings: Mutex::default(),
            huge: HugePool::default(),
            dbrecs: DbrecPool::default(),
            crypto_login: Mutex::new(None),
            numbers: Mutex::default(),
        }
        // The number tables are empty as they are: libibverbs gave zeroed memory.
        ops::set(ibverbs, &*context);
    }
    Ok(context.cast())
}

/// Passes on what the kernel told libibverbs through us.
///
/// # Safety
/// `memory` is a context with this layout, `device` a verbs_device.
unsafe fn tell_libibverbs(
    layout: &ContextLayout,
    memory: *mut c_void,
    device: *mut ibv_device,
    info: &Response,
) {
    // SAFETY: the promise above.
    unsafe {
        let ibv: *mut ibv_context = memory.byte_add(layout.ibv_context).cast();
        (*ibv).num_comp_vectors = info.num_comp_vectors as c_int;
        if info.async_fd >= 0 {
            (*ibv).async_fd = info.async_fd;
        }
        (*device.cast::<verbs_device>()).core_support = info.core_support;
    }
}

/// System page size in bytes.
fn page_size() -> usize {
    // SAFETY: no preconditions.
    match unsafe { libc::sysconf(libc::_SC_PAGESIZE) } {
        n if n > 0 => n as usize,
        _ => super::bfreg::ADAPTER_PAGE,
    }
}

/// `mlx5dv_open_device`. EOPNOTSUPP if the device is not driven by this copy of the library.
///
/// # Safety
/// `device` is from libibverbs, `attr` is NULL or valid for the call.
pub unsafe fn open_device(
    device: *mut ibv_device,
    attr: *mut mlx5dv_context_attr,
) -> Result<*mut ibv_context> {
    // SAFETY: the promise above.
    if !unsafe { super::is_ours(device) } {
        return Err(refuse!(EOPNOTSUPP, "device is not driven by this provider"));
    }
    let ibverbs = ibverbs::get().ok_or(refuse!(ENOSYS, "no known libibverbs"))?;
    // SAFETY: as above; libibverbs hands `attr` to alloc_context.
    let context = unsafe { (ibverbs.verbs_open_device)(device, attr.cast()) };
    if context.is_null() { Err(Errno::last().into()) } else { Ok(context) }
}

/// The verbs operation that ends a context. Pages, registers and objects of the library go first,
/// then the fds, then the struct.
///
/// # Safety
/// libibverbs' promise: `context` is ours and nobody uses it any more.
pub unsafe extern "C" fn free_context(context: *mut ibv_context) {
    let Some(ibverbs) = ibverbs::get() else { return };
    // SAFETY: the promise above: this is the last use of a struct that `open` completed.
    unsafe {
        let c = ptr::from_ref(Context::from_own(context)).cast_mut();
        let verbs = (*c).verbs();
        ptr::drop_in_place(c);
        (ibverbs.verbs_uninit_context)(verbs);
        libc::free(c.cast());
    }
}
