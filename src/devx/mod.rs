//! DEVX: commands, objects and resources that the application handles itself.

pub mod reserved_qpn;
