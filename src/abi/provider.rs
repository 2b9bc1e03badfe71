//! Types of libibverbs' private provider interface that are the same in every release that this
//! library serves (36 to 65), as `abi/provider-abi.json` has them. What differs from release to
//! release is data in `crate::provider::layout`.

use super::prelude::*;

/// `struct verbs_match_ent`: one way to recognise a device.
#[repr(C)]
pub struct verbs_match_ent {
    pub driver_data: *const c_void,
    /// Driver id or pointer to a modalias string, by `kind`.
    pub u: u64,
    pub vendor: u16,
    pub device: u16,
    /// 0 end of table, 1 PCI ids, 2 modalias, 3 driver id.
    pub kind: u8,
}

/// `struct verbs_device_ops`: what a provider registers.
#[repr(C)]
pub struct verbs_device_ops {
    pub name: *const c_char,
    pub match_min_abi_version: u32,
    pub match_max_abi_version: u32,
    pub match_table: *const verbs_match_ent,
    pub static_providers: *const *const verbs_device_ops,
    pub match_device: Option<unsafe extern "C" fn(*mut verbs_sysfs_dev) -> bool>,
    pub alloc_context:
        Option<unsafe extern "C" fn(*mut ibv_device, c_int, *mut c_void) -> *mut verbs_context>,
    pub import_context: Option<unsafe extern "C" fn(*mut ibv_device, c_int) -> *mut verbs_context>,
    pub alloc_device: Option<unsafe extern "C" fn(*mut verbs_sysfs_dev) -> *mut verbs_device>,
    pub uninit_device: Option<unsafe extern "C" fn(*mut verbs_device)>,
}

/// `struct verbs_sysfs_dev` up to `driver_id`; the part behind it differs between releases.
#[repr(C)]
pub struct verbs_sysfs_dev {
    pub entry: [*mut c_void; 2],
    pub provider_data: *mut c_void,
    pub match_: *const verbs_match_ent,
    pub flags: c_uint,
    pub sysfs_name: [c_char; 64],
    pub sysfs_cdev: u64,
    pub ibdev_name: [c_char; 64],
    pub ibdev_path: [c_char; 256],
    pub modalias: [c_char; 512],
    pub node_guid: u64,
    pub driver_id: u32,
}

/// `struct verbs_device` (712 bytes).
#[repr(C)]
pub struct verbs_device {
    pub device: ibv_device,
    pub ops: *const verbs_device_ops,
    pub refcount: c_int,
    pub entry: [*mut c_void; 2],
    pub sysfs: *mut verbs_sysfs_dev,
    pub core_support: u64,
}

/// `struct verbs_context`, whose layout depends on the release: see `crate::provider::layout`.
#[repr(C)]
pub struct verbs_context {
    _private: [u8; 0],
}
