//! Queue pairs and address handles.

use super::super::cx::Cx;
use super::super::device::Device;
use nix::errno::Errno;

/// A queue pair.
#[derive(Debug, Default)]
pub struct Qp {
    /// Number.
    pub number: u32,
    /// The library's handle, which events name.
    pub user_handle: u64,
    /// Where its asynchronous events go.
    pub async_fd: Option<super::super::client::FileKey>,
    /// Asynchronous events sent.
    pub async_events: u32,
}

impl Qp {
    /// Its doorbells.
    pub fn ring(&self) -> Option<super::super::engine::Ring> {
        None
    }

    /// Whether an event's number is this queue pair's.
    pub fn owns(&self, number: u32) -> bool {
        self.number == number
    }

    /// Create opcodes and numbers of the firmware objects it is made of.
    pub fn numbers(&self) -> Vec<(u16, u32)> {
        vec![(0x500, self.number)]
    }
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
pub fn create_write_ex(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn query(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn modify_write(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn modify_write_ex(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn destroy_write(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn open(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn create_ah(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn attach_multicast(_cx: &mut Cx<'_>, _attach: bool) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Nothing to give back.
pub fn destroy(_dev: &mut Device, _o: &Qp) -> Result<(), Errno> {
    Ok(())
}
