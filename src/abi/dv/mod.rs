//! Types of `mlx5dv.h`.

pub mod consts;
mod device;
mod devx;
mod dr;
mod flow;
mod mkey;
mod objects;

pub use self::{device::*, devx::*, dr::*, flow::*, mkey::*, objects::*};

/// 32 bits, most significant byte first.
pub type __be32 = core::ffi::c_uint;
/// 64 bits, most significant byte first. `unsigned long long` in C, and not the `unsigned long`
/// of `uint64_t`: prototypes tell the two apart.
pub type __be64 = core::ffi::c_ulonglong;

/// Declares types of which the application sees only pointers.
macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            _private: [u8; 0],
        }
    )*};
}

opaque! {
    /// A firmware object made through DEVX.
    mlx5dv_devx_obj;
    /// The address vector of a datagram work request (`prm` has its layout).
    mlx5_wqe_av;
    /// A data encryption key.
    mlx5dv_dek;
    /// A crypto login object.
    mlx5dv_crypto_login_obj;
    /// A kernel flow matcher.
    mlx5dv_flow_matcher;
    /// A scheduling node.
    mlx5dv_sched_node;
    /// A scheduling leaf.
    mlx5dv_sched_leaf;
    /// A software steering domain.
    mlx5dv_dr_domain;
    /// A software steering table.
    mlx5dv_dr_table;
    /// A software steering matcher.
    mlx5dv_dr_matcher;
    /// A software steering rule.
    mlx5dv_dr_rule;
    /// A software steering action.
    mlx5dv_dr_action;
}
