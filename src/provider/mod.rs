//! What libibverbs sees: registration, private layouts, device match, open and close, the table
//! of verbs operations, and the device-wide queries.

pub mod bfreg;
pub mod caps;
pub mod clock;
pub mod context;
pub mod data_direct;
pub mod debug_file;
pub mod device_query;
pub mod dv_query;
pub mod get_context;
pub mod ibverbs;
pub mod layout;
mod open;
mod ops;
pub mod port;
mod register;
pub mod stall;
pub mod uar;

pub use context::Context;
pub use open::open_device;
pub use register::{is_ours, load};
