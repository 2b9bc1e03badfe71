//! Types of `infiniband/verbs.h` and `infiniband/tm_types.h`.

mod attr;
pub mod consts;
mod flow;
mod objects;
mod wr;

pub use self::{attr::*, flow::*, objects::*, wr::*};

/// Declares types of which the library needs only pointers.
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
    /// ESP parameters of the kernel's uapi.
    ib_uverbs_flow_action_esp;
    /// ESP encapsulation of the kernel's uapi.
    ib_uverbs_flow_action_esp_encap;
    /// Port attributes as binaries of the first ABI know them.
    _compat_ibv_port_attr;
}
