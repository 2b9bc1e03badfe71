//! The PCI face: shows the chip to a real kernel.
//!
//! A vfio-user server ([`vfio_user`]) gives a virtual machine one or more PCI functions. Each
//! [`Function`] is a configuration space ([`config_space`]), BAR 0 ([`registers`]) around a
//! chip, and a view of the guest's memory and interrupts ([`guest`]).

mod command_queue;
mod config_space;
mod control;
mod function;
mod guest;
mod registers;
mod server;
mod vfio_user;

pub use control::Control;
pub use function::{Function, Kind};
pub use registers::Registers;
pub use server::{Server, Slot};
