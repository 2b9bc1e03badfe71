//! Protection domains.

use super::super::cx::Cx;
use super::super::device::Device;
use super::super::mailbox::Mailbox;
use super::super::objects::Object;
use nix::errno::Errno;

/// A protection domain.
#[derive(Debug)]
pub struct Pd {
    /// The device's number.
    pub pdn: u32,
    /// User context it belongs to.
    pub uid: u16,
}

/// ALLOC_PD of the write commands.
pub fn alloc(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let uid = cx.file.context()?.devx_uid;
    let pdn = cx.dev.exec(&Mailbox::command(0x800, uid, 16), 16)?.get(0x48, 24) as u32;
    let handle = cx.commit(Object::Pd(Pd { pdn, uid }), Vec::new());
    cx.uhw_out(&pdn.to_ne_bytes())?;
    cx.core_out(&handle.to_ne_bytes())
}

/// PD.QUERY.
pub fn query(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let handle = cx.handle(0x1000).ok_or(Errno::EINVAL)?;
    let pdn = cx.pdn(handle)?;
    cx.output(0x1001, &pdn.to_ne_bytes())
}

/// DEALLOC_PD.
pub fn destroy(dev: &mut Device, pd: &Pd) -> Result<(), Errno> {
    let mut command = Mailbox::command(0x801, pd.uid, 16);
    command.set(0x48, 24, pd.pdn as u64);
    dev.exec(&command, 16).map(|_| ())
}
