//! Receive work queues and indirection tables.

use super::super::cx::Cx;
use super::super::device::Device;
use nix::errno::Errno;

/// A receive work queue.
#[derive(Debug, Default)]
pub struct Wq {
    /// Number.
    pub number: u32,
    /// The library's handle, which events name.
    pub user_handle: u64,
    /// Where its asynchronous events go.
    pub async_fd: Option<super::super::client::FileKey>,
    /// Asynchronous events sent.
    pub async_events: u32,
}

/// An indirection table.
#[derive(Debug)]
pub struct IndTable {
    /// Number.
    pub number: u32,
}

/// Not offered yet.
pub fn create(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn create_write(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn modify(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn destroy_write(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn create_table(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Nothing to give back.
pub fn destroy(_dev: &mut Device, _o: &Wq) -> Result<(), Errno> {
    Ok(())
}

/// Nothing to give back.
pub fn destroy_table(_dev: &mut Device, _o: &IndTable) -> Result<(), Errno> {
    Ok(())
}
