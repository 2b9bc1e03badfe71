//! The PCI face: shows the chip to a real kernel.

mod registers;

pub use registers::Registers;
