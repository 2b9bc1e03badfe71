//! Queues driven as a driver does it: objects by commands, requests in memory, doorbells.

mod rig;

mod completion;
mod dc;
mod errors;
mod keys;
mod memory_ops;
mod messages;
mod packets;
mod shared;
