//! Device memory.

use super::super::cx::Cx;
use super::super::device::Device;
use super::super::file::OpenFile;
use nix::errno::Errno;

/// Device memory.
#[derive(Clone, Copy, Debug)]
pub struct Dm {
    /// Length.
    pub len: u64,
    /// Address on the device, for memory that regions can be made of.
    pub device_address: Option<u64>,
}

/// General object type of software-managed steering memory.
const SW_ICM: u32 = 8;

/// Whether the device has memory to give: of its own, or for steering.
pub fn is_supported(dev: &mut Device) -> bool {
    let own = dev.cap(0x1a8, 1) != 0 && prm::bits::get(&dev.capabilities(0xf), 0, 1) != 0;
    own || dev.cap(0x400, 64) >> SW_ICM & 1 != 0
}

/// Give it back.
pub fn destroy(_dev: &mut Device, _file: &mut OpenFile, _dm: &Dm) -> Result<(), Errno> {
    Ok(())
}

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
