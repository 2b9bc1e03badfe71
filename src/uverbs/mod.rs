//! The kernel: one typed command, one `execute`, the write(2) fall-back, mappings.
//!
//! The only room with ioctl(2) in it. Nothing here knows the device.

mod command;
pub mod dma_heap;
mod legacy;
mod mapping;

pub use command::{Attr, Kind, execute};
pub use legacy::{extended, invoke_write, write_command};
pub use mapping::Mapping;
