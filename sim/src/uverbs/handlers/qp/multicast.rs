//! Multicast groups of datagram queue pairs.

use super::super::super::bytes::In;
use super::super::super::cx::Cx;
use super::super::super::mailbox::Mailbox;
use super::super::super::objects::{Object, types};
use super::Kind;
use nix::errno::Errno;

/// ATTACH_MCAST and DETACH_MCAST.
pub fn attach_multicast(cx: &mut Cx<'_>, attach: bool) -> Result<(), Errno> {
    let q = In(cx.core_in());
    let gid: [u8; 16] = q.bytes(0);
    let handle = q.u32(16);
    cx.file.handles.lookup(handle as i64, types::QP).map_err(|_| Errno::EINVAL)?;
    let Some(Object::Qp(qp)) = cx.file.handles.get(handle) else { return Err(Errno::EINVAL) };
    if qp.kind != Kind::Ud || gid.first() != Some(&0xff) {
        return Err(Errno::EINVAL);
    }
    let mut command = Mailbox::command(if attach { 0x806 } else { 0x807 }, qp.uid, 32);
    command.set(0x48, 24, qp.number as u64);
    for (k, byte) in gid.iter().enumerate() {
        command.set(0x80 + 8 * k, 8, *byte as u64);
    }
    cx.dev.exec(&command, 16).map(|_| ())
}
