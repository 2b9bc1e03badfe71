//! A software ConnectX.
//!
//! `device` is the chip: it knows commands, contexts, queues and memory access, and
//! nothing of who drives it. `uverbs` shows it to a process as `/dev/infiniband/uverbsN`
//! without any kernel driver; `pci` shows it to a real kernel in a virtual machine.

pub mod device;
pub mod pci;
pub mod uverbs;
mod words;
