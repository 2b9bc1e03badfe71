//! DEVX: commands, objects and resources that the application handles itself.

pub mod ah_map;
pub mod async_cmd;
pub mod command;
pub mod dm;
pub mod dmabuf;
pub mod eq;
pub mod event;
pub mod export;
pub mod object;
pub mod pp;
pub mod qp_knobs;
pub mod qp_state;
pub mod reserved_qpn;
pub mod sched;
pub mod uar;
pub mod umem;
pub mod var;

pub use command::Mailboxes;
pub use object::Object;
