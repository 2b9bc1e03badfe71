//! DEVX without an object: general commands and event queue numbers.

use super::super::cx::Cx;
use super::super::device::COMPLETION_VECTORS;
use super::super::mailbox::Mailbox;
use super::opcodes;
use nix::errno::Errno;

/// The user context a command runs in.
pub fn uid_for(cx: &Cx<'_>, command: &Mailbox) -> Result<u16, Errno> {
    let own = cx.file.context()?.devx_uid;
    match (own, opcodes::is_whitelisted(command), cx.dev.whitelist_uid) {
        (0, true, 0) => Err(Errno::EOPNOTSUPP),
        (0, true, shared) => Ok(shared),
        (0, false, _) => Err(Errno::EINVAL),
        (uid, _, _) => Ok(uid),
    }
}

/// Send a process's own command: its output mailbox goes back to attribute `out` unless
/// the command never came back, and a refusal by the device is EREMOTEIO.
pub fn relay(cx: &mut Cx<'_>, command: &Mailbox, out: u16) -> Result<Vec<u8>, Errno> {
    let reply = cx.dev.command(command, cx.len(out))?;
    cx.output(out, &reply.out)?;
    if reply.status != 0 { Err(Errno::EREMOTEIO) } else { Ok(reply.out) }
}

/// DEVX.OTHER.
pub fn other(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let mut command = Mailbox(cx.bytes(0x1000)?);
    let uid = uid_for(cx, &command)?;
    if !opcodes::is_general(&command) {
        return Err(Errno::EINVAL);
    }
    command.set(0x10, 16, uid as u64);
    relay(cx, &command, 0x1001).map(|_| ())
}

/// DEVX.QUERY_EQN.
pub fn query_eqn(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.file.context()?;
    // the kernel keeps vectors in 16 bits
    let vector = cx.u32(0x1000)? & 0xffff;
    if vector >= COMPLETION_VECTORS {
        return Err(Errno::EINVAL);
    }
    let eqn = cx.dev.completion_eq(vector).ok_or(Errno::EINVAL)?;
    cx.output(0x1001, &eqn.to_ne_bytes())
}
