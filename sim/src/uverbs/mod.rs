//! The uverbs face: shows the chip to processes as `/dev/infiniband/uverbsN`, without any
//! kernel driver.
//!
//! It is a small mlx5_ib and ib_uverbs in user space. Front ends ([`supervisor`] by seccomp
//! user notification, the preload library inside the client) bring system calls in; the
//! [`world::World`] behind them parses each call by the kernel's own attribute rules
//! ([`spec`], [`attrs`]), keeps the objects of each open file ([`objects`]), turns methods
//! into device commands ([`handlers`]) that run on the very chip the PCI face shows to a
//! real kernel ([`device`]), and turns the chip's event entries into what a process reads
//! from its event descriptors ([`events`]).

pub mod attrs;
pub mod bus;
pub mod bytes;
pub mod client;
pub mod control;
pub mod cx;
pub mod device;
pub mod engine;
pub mod event_fd;
pub mod events;
pub mod fault;
pub mod file;
pub mod handlers;
pub mod inside;
pub mod latency;
pub mod mailbox;
pub mod netlink;
pub mod objects;
pub mod options;
pub mod record;
pub mod shm;
pub mod spec;
pub mod supervisor;
pub mod sysfs;
pub mod world;
pub mod write_abi;
