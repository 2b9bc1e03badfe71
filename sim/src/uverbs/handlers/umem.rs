//! DEVX user memory.

use super::super::cx::Cx;
use super::super::device::Device;
use super::super::mailbox::{Mailbox, Pages};
use super::super::objects::Object;
use nix::errno::Errno;

/// A registered range.
#[derive(Debug)]
pub struct Umem {
    /// The device's number.
    pub id: u32,
    /// User context it belongs to.
    pub uid: u16,
}

/// Access flags of verbs.
#[allow(missing_docs)]
pub mod access {
    pub const LOCAL_WRITE: u64 = 1;
    pub const REMOTE_WRITE: u64 = 1 << 1;
    pub const REMOTE_READ: u64 = 1 << 2;
    pub const REMOTE_ATOMIC: u64 = 1 << 3;
    pub const MW_BIND: u64 = 1 << 4;
    pub const ZERO_BASED: u64 = 1 << 5;
    pub const ON_DEMAND: u64 = 1 << 6;
    pub const HUGETLB: u64 = 1 << 7;
    pub const FLUSH_GLOBAL: u64 = 1 << 8;
    pub const FLUSH_PERSISTENT: u64 = 1 << 9;
    pub const RELAXED_ORDERING: u64 = 1 << 20;
    pub const OPTIONAL: u64 = 0x3ff << 20;
}

/// Remote writing and atomics need local writing.
pub fn check_access(flags: u64) -> Result<(), Errno> {
    use access::*;
    if flags & (REMOTE_WRITE | REMOTE_ATOMIC) != 0 && flags & LOCAL_WRITE == 0 {
        return Err(Errno::EINVAL);
    }
    Ok(())
}

/// Read and write bits of a translation entry.
const ENTRY_READ: u64 = 1;
const ENTRY_WRITE: u64 = 2;

/// DEVX_UMEM.REG.
pub fn register(cx: &mut Cx<'_>) -> Result<(), Errno> {
    use access::*;
    let uid = cx.file.devx_uid()?;
    let addr = cx.u64(0x1001)?;
    let len = cx.u64(0x1002)?;
    let flags = cx.flags(0x1003, LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | RELAXED_ORDERING)?;
    check_access(flags)?;
    let sizes = if cx.has(0x1005) { cx.u64(0x1005)? } else { !0xfff };
    let writable = flags & (LOCAL_WRITE | REMOTE_WRITE) != 0;
    let base = match cx.raw_fd(0x1006) {
        Some(fd) => super::dmabuf::attach(cx, fd, addr, len)?,
        None => super::pin::pin(cx, addr, len, writable)?,
    };
    let pages = Pages::of(base, len, base, sizes).ok_or(Errno::EINVAL)?;
    let bits = ENTRY_READ | if writable { ENTRY_WRITE } else { 0 };
    let mut create = Mailbox::command(0xa08, uid, 48);
    create.set(0x80 + 0x9b, 5, pages.shift as u64 - 12).set(0x80 + 0xa0, 32, pages.offset).set(
        0x80 + 0xc0,
        64,
        pages.count,
    );
    create.addresses(48, pages.addresses().map(|a| a | bits));
    let id = cx.dev.exec(&create, 16)?.get(0x48, 24) as u32;
    cx.commit(Object::Umem(Umem { id, uid }), Vec::new());
    cx.output(0x1004, &id.to_ne_bytes())
}

/// DESTROY_UMEM.
pub fn destroy(dev: &mut Device, umem: &Umem) -> Result<(), Errno> {
    let mut command = Mailbox::command(0xa0a, umem.uid, 16);
    command.set(0x48, 24, umem.id as u64);
    dev.exec(&command, 16).map(|_| ())
}
