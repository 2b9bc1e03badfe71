//! Layouts of device commands and contexts, by family.
//!
//! Every layout is a type without values whose constants are its fields, named as the PRM
//! names them: `CreateMkeyIn::MEMORY_KEY_MKEY_ENTRY`. All of them are also found in the
//! crate's root.

pub mod cap_flow;
pub mod cap_general;
pub mod caps;
pub mod cq;
pub mod device;
pub mod eq;
pub mod flow;
pub mod header;
pub mod match_param;
pub mod mkey;
pub mod object;
pub mod qp;
pub mod register;
pub mod rx_tx;
pub mod sched;
pub mod srq;
pub mod vport;
pub mod wq;

pub use cap_flow::*;
pub use cap_general::*;
pub use caps::*;
pub use cq::*;
pub use device::*;
pub use eq::*;
pub use flow::*;
pub use header::*;
pub use match_param::*;
pub use mkey::*;
pub use object::*;
pub use qp::*;
pub use register::*;
pub use rx_tx::*;
pub use sched::*;
pub use srq::*;
pub use vport::*;
pub use wq::*;

use crate::layout::Layout;

/// Every layout of this crate, by family.
pub const FAMILIES: &[&[Layout]] = &[
    CAP_FLOW_LAYOUTS,
    CAP_GENERAL_LAYOUTS,
    CAPS_LAYOUTS,
    CQ_LAYOUTS,
    DEVICE_LAYOUTS,
    EQ_LAYOUTS,
    FLOW_LAYOUTS,
    HEADER_LAYOUTS,
    MATCH_PARAM_LAYOUTS,
    MKEY_LAYOUTS,
    OBJECT_LAYOUTS,
    QP_LAYOUTS,
    REGISTER_LAYOUTS,
    RX_TX_LAYOUTS,
    SCHED_LAYOUTS,
    SRQ_LAYOUTS,
    VPORT_LAYOUTS,
    WQ_LAYOUTS,
];
