//! Registration with libibverbs, the match table, the device object.

use super::{ibverbs, open};
use crate::{
    abi::{provider::*, verbs::ibv_device},
    error::Errno,
    trace,
};
use core::{ffi::c_void, mem, ptr};

const MATCH_PCI: u8 = 1;
const MATCH_DRIVER_ID: u8 = 3;
const VENDOR_MELLANOX: u16 = 0x15b3;

/// PCI device ids of ConnectX and BlueField functions that mlx5 drives (`spec`: context, section 1).
pub const PCI_DEVICES: [u16; 25] = [
    0x1011, 0x1012, 0x1013, 0x1014, 0x1015, 0x1016, 0x1017, 0x1018, 0x1019, 0x101a, 0x101b, 0x101c, 0x101d,
    0x101e, 0x101f, 0x1021, 0x1023, 0x1025, 0x1027, 0x2101, 0xa2d2, 0xa2d3, 0xa2d6, 0xa2dc, 0xa2df,
];

// SAFETY: the tables are constant; their pointers lead to constants.
unsafe impl Sync for verbs_device_ops {}
// SAFETY: as above.
unsafe impl Sync for verbs_match_ent {}

const fn entry(kind: u8, u: u64, vendor: u16, device: u16) -> verbs_match_ent {
    verbs_match_ent { driver_data: ptr::null(), u, vendor, device, kind }
}

/// The driver id first, since libibverbs tries it before all others; then the PCI ids; a sentinel.
static MATCH_TABLE: [verbs_match_ent; PCI_DEVICES.len() + 2] = {
    let mut table = [const { entry(0, 0, 0, 0) }; PCI_DEVICES.len() + 2];
    table[0] = entry(MATCH_DRIVER_ID, prm::uverbs::DRIVER_MLX5 as u64, 0, 0);
    let mut i = 0;
    while i < PCI_DEVICES.len() {
        table[i + 1] = entry(MATCH_PCI, 0, VENDOR_MELLANOX, PCI_DEVICES[i]);
        i += 1;
    }
    table
};

static DEVICE_OPS: verbs_device_ops = verbs_device_ops {
    name: c"mlx5".as_ptr(),
    match_min_abi_version: 1,
    match_max_abi_version: 1,
    match_table: MATCH_TABLE.as_ptr(),
    static_providers: ptr::null(),
    match_device: None,
    alloc_context: Some(open::alloc_context),
    import_context: Some(open::import_context),
    alloc_device: Some(alloc_device),
    uninit_device: Some(uninit_device),
};

/// Called when the library is loaded: reads the trace setting and registers the provider with the
/// libibverbs of this process. An unknown libibverbs gets nothing; that is only traced.
pub fn load() {
    trace::init();
    if ibverbs::register(&DEVICE_OPS).is_none() {
        trace::note("no libibverbs of release 36 to 65 in this process", Errno::ENOSYS);
    }
}

/// True if `device` is driven by this very copy of the library through the kernel.
///
/// # Safety
/// `device` is NULL or a device that libibverbs handed out.
pub unsafe fn is_ours(device: *const ibv_device) -> bool {
    // SAFETY: libibverbs embeds each ibv_device at the start of a verbs_device.
    match unsafe { device.cast::<verbs_device>().as_ref() } {
        Some(d) => ptr::eq(d.ops, &DEVICE_OPS),
        None => false,
    }
}

/// Allocates a zeroed device object; libibverbs fills it. NULL on lack of memory.
unsafe extern "C" fn alloc_device(_sysfs: *mut verbs_sysfs_dev) -> *mut verbs_device {
    // SAFETY: calloc of a non-zero size.
    unsafe { libc::calloc(1, mem::size_of::<verbs_device>()).cast() }
}

unsafe extern "C" fn uninit_device(device: *mut verbs_device) {
    // SAFETY: libibverbs gives back what `alloc_device` made, once.
    unsafe { libc::free(device.cast::<c_void>()) }
}
