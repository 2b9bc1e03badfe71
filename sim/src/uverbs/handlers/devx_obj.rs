//! DEVX objects: firmware objects made, changed, queried and destroyed by mailbox.

use super::super::cx::Cx;
use super::super::device::Device;
use super::super::engine::Ring;
use super::super::event_fd::EventKind;
use super::super::mailbox::Mailbox;
use super::super::objects::Object;
use super::opcodes::{self, Target};
use nix::errno::Errno;

/// What an event says it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventSource {
    /// Kind: one of the constants below, or a general object type.
    pub kind: u16,
    /// Number.
    pub number: u32,
}

impl EventSource {
    /// A completion queue.
    pub const CQ: u16 = 0x8000;
    /// A queue; the low bits have its type: 0 QP, 1 RQ, 2 SQ, 3 XRQ.
    pub const QUEUE: u16 = 0x8100;
    /// A DC target.
    pub const DCT: u16 = 0x8200;
    /// A shared receive queue, whose events do not tell a queue type.
    pub const SRQ: u16 = 0x81ff;

    /// Whether an event about `event` is about this.
    pub fn matches(self, event: EventSource) -> bool {
        let shared = self.kind == Self::SRQ && event.kind & 0xff00 == Self::QUEUE;
        self.number == event.number && (self.kind == event.kind || shared)
    }
}

/// A DEVX object.
#[derive(Debug)]
pub struct DevxObj {
    /// What it is.
    pub target: Target,
    /// Bulk flow counters: how many numbers it has.
    pub bulk: u32,
    /// The command that destroys it.
    pub destroy: Mailbox,
    /// Its doorbells, if it is a queue.
    pub ring: Option<Ring>,
}

impl DevxObj {
    /// What events about it say.
    pub fn event_source(&self) -> EventSource {
        let kind = match self.target.create {
            opcodes::CREATE_CQ => EventSource::CQ,
            opcodes::CREATE_QP => EventSource::QUEUE,
            0x908 => EventSource::QUEUE | 1,
            opcodes::CREATE_SQ => EventSource::QUEUE | 2,
            0x717 => EventSource::QUEUE | 3,
            0x710 => EventSource::DCT,
            0x700 | 0x705 | 0x90c => EventSource::SRQ,
            _ => self.target.object_type,
        };
        EventSource { kind, number: self.target.number }
    }
}

/// DEVX_OBJ.CREATE.
pub fn create(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let mut command = Mailbox(cx.bytes(0x1001)?);
    if opcodes::is_tunnelled(&command) {
        return Err(Errno::EINVAL);
    }
    let uid = super::devx::uid_for(cx, &command)?;
    let kind = opcodes::create(&command).ok_or(Errno::EINVAL)?;
    command.set(0x10, 16, uid as u64);
    match kind.opcode {
        opcodes::CREATE_MKEY => {
            if command.0.len() < 16 + 64 {
                return Err(Errno::EINVAL);
            }
            // keys of keys have no memory of their own
            let mode = command.get(0x80 + 0x16, 2) | command.get(0x80 + 3, 3) << 2;
            if !matches!(mode, 2 | 3) {
                command.set(0x61, 1, 1);
            }
        }
        opcodes::CREATE_CQ => {
            let eqn = command.get(0x80 + 0xa0, 32) as u32;
            if !cx.dev.is_completion_eq(eqn) {
                return Err(Errno::ENOENT);
            }
            mark_umems(&mut command);
        }
        _ => mark_umems(&mut command),
    }
    let reply = cx.dev.command(&command, cx.len(0x1002))?;
    if reply.status != 0 {
        cx.output(0x1002, &reply.out)?;
        return Err(Errno::EREMOTEIO);
    }
    let number = kind.number(&command, &reply.out);
    let object_type = if kind.opcode == opcodes::GENERAL_CREATE { command.get(0x30, 16) as u16 } else { 0 };
    let object = DevxObj {
        target: Target { create: kind.opcode, object_type, number },
        bulk: (command.get(0x78, 8) as u32 * 128).max(1),
        destroy: kind.destroy_command(&command, number, uid),
        ring: Ring::of_command(&command, number),
    };
    cx.commit(Object::Devx(object), Vec::new());
    cx.output(0x1002, &reply.out)
}

/// Queues of a user live in memory it has registered: the kernel says so for it.
fn mark_umems(command: &mut Mailbox) {
    const WQ: usize = 0x100 + 0x180;
    match opcodes::opcode(command) {
        opcodes::CREATE_CQ => command.set(0x80 + 6, 1, 1).set(0x2e0, 1, 1),
        opcodes::CREATE_QP => command.set(0xc0 + 0x683, 1, 1).set(0x860, 1, 1),
        // RQ, SQ, RMP: the work queue inside the context
        0x904 | 0x908 | 0x90c => command.set(WQ + 0x120, 2, 3),
        // XRC SRQ: the queue and its doorbell record
        0x705 => command.set(0x80 + 0x47, 1, 1).set(0x2e0, 1, 1),
        _ => command,
    };
}

/// The object behind a handle that queries and changes may name: DEVX objects, and the
/// verbs objects that are queues.
fn names(object: &Object, target: Target, query: bool) -> bool {
    let of = |create: u16, number: u32| target.create == create && target.number == number;
    match object {
        Object::Devx(o) if query && o.target.create == opcodes::CREATE_FLOW_COUNTER => {
            target.create == o.target.create
                && target.number.checked_sub(o.target.number).is_some_and(|k| k < o.bulk)
        }
        Object::Devx(o) => o.target == target,
        Object::Cq(cq) => of(opcodes::CREATE_CQ, cq.number),
        Object::Srq(srq) => of(srq.create_opcode, srq.number),
        Object::Qp(qp) => qp.numbers().iter().any(|(create, number)| of(*create, *number)),
        Object::Wq(wq) => of(0x908, wq.number),
        Object::IndTable(table) => of(0x916, table.number),
        _ => false,
    }
}

fn checked(cx: &Cx<'_>, find: fn(&Mailbox) -> Option<Target>, query: bool) -> Result<Mailbox, Errno> {
    let mut command = Mailbox(cx.bytes(0x1001)?);
    if opcodes::is_tunnelled(&command) {
        return Err(Errno::EINVAL);
    }
    let uid = super::devx::uid_for(cx, &command)?;
    let target = find(&command).ok_or(Errno::EINVAL)?;
    let object = cx.handle(0x1000).and_then(|h| cx.file.handles.get(h)).ok_or(Errno::EINVAL)?;
    if !names(object, target, query) {
        return Err(Errno::EINVAL);
    }
    command.set(0x10, 16, uid as u64);
    Ok(command)
}

/// DEVX_OBJ.MODIFY.
pub fn modify(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let command = checked(cx, opcodes::modify, false)?;
    super::devx::relay(cx, &command, 0x1002).map(|_| ())
}

/// DEVX_OBJ.QUERY.
pub fn query(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let command = checked(cx, opcodes::query, true)?;
    super::devx::relay(cx, &command, 0x1002).map(|_| ())
}

/// Unread output that one command descriptor holds at most.
const MOST_PENDING: u64 = 1 << 20;

/// DEVX_OBJ.ASYNC_QUERY: the answer goes to the command descriptor, whatever it is.
pub fn async_query(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let mut command = Mailbox(cx.bytes(0x1001)?);
    if opcodes::is_tunnelled(&command) {
        return Err(Errno::EINVAL);
    }
    super::devx::uid_for(cx, &command)?;
    opcodes::query(&command).ok_or(Errno::EINVAL)?;
    let out_len = cx.u64(0x1004)?;
    if out_len > u16::MAX as u64 {
        return Err(Errno::EINVAL);
    }
    command = checked(cx, opcodes::query, true)?;
    let key = cx.fd_key(0x1002).ok_or(Errno::EBADF)?;
    let channel = cx.file.event_fd(key, |k| k == EventKind::DevxCommand).ok_or(Errno::EBADF)?;
    if channel.unread_bytes() + out_len > MOST_PENDING {
        return Err(Errno::EAGAIN);
    }
    let mut record = cx.u64(0x1003)?.to_ne_bytes().to_vec();
    let mut out = cx.dev.command(&command, out_len as usize)?.out;
    out.truncate(out_len as usize);
    record.append(&mut out);
    if let Some(channel) = cx.file.event_fd(key, |k| k == EventKind::DevxCommand) {
        channel.push(&record);
    }
    Ok(())
}

/// Destroy the firmware object.
pub fn destroy(dev: &mut Device, object: &DevxObj) -> Result<(), Errno> {
    dev.exec(&object.destroy, 16).map(|_| ())
}
