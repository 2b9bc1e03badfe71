//! Device memory.

use super::super::cx::Cx;
use super::super::device::Device;
use super::super::file::OpenFile;
use nix::errno::Errno;

/// Device memory.
#[derive(Debug)]
pub struct Dm {
    /// Length.
    pub len: u64,
    /// Address on the device, for memory that regions can be made of.
    pub device_address: Option<u64>,
}

/// Give it back.
pub fn destroy(_dev: &mut Device, _file: &mut OpenFile, _dm: &Dm) {}

/// Not offered yet.
pub fn alloc(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn map_op(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn query(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn alloc_dmah(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}
