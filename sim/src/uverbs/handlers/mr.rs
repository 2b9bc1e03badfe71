//! Memory regions and windows.

use super::super::cx::Cx;
use super::super::device::Device;
use nix::errno::Errno;

/// A memory region.
#[derive(Debug)]
pub struct Mr {
    /// Key.
    pub lkey: u32,
}

/// A memory window.
#[derive(Debug)]
pub struct Mw {
    /// Key.
    pub rkey: u32,
}

/// Not offered yet.
pub fn register_dm(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn advise(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn query(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn register_dmabuf(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn register_method(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn register(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn reregister(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn alloc_mw(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Nothing to give back.
pub fn destroy(_dev: &mut Device, _o: &Mr) -> Result<(), Errno> {
    Ok(())
}

/// Nothing to give back.
pub fn destroy_mw(_dev: &mut Device, _o: &Mw) -> Result<(), Errno> {
    Ok(())
}
