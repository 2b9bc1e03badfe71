//! Shared receive queues and XRC domains.

use super::super::cx::Cx;
use super::super::device::Device;
use nix::errno::Errno;

/// A shared receive queue.
#[derive(Debug, Default)]
pub struct Srq {
    /// Number.
    pub number: u32,
    /// Opcode it was made by.
    pub create_opcode: u16,
    /// The library's handle, which events name.
    pub user_handle: u64,
    /// Where its asynchronous events go.
    pub async_fd: Option<super::super::client::FileKey>,
    /// Asynchronous events sent.
    pub async_events: u32,
}

/// An XRC domain.
#[derive(Debug)]
pub struct Xrcd {
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
pub fn create_xsrq_write(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn modify(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn query(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn destroy_write(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn open_xrcd(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Nothing to give back.
pub fn destroy(_dev: &mut Device, _o: &Srq) -> Result<(), Errno> {
    Ok(())
}

/// Nothing to give back.
pub fn destroy_xrcd(_dev: &mut Device, _o: &Xrcd) -> Result<(), Errno> {
    Ok(())
}
