//! Completion queues.

use super::super::bytes::{In, Out};
use super::super::client::FileKey;
use super::super::cx::Cx;
use super::super::device::Device;
use super::super::mailbox::{Mailbox, Pages};
use super::super::objects::{Object, types};
use super::super::spec::Generation;
use nix::errno::Errno;

/// A completion queue.
#[derive(Debug)]
pub struct Cq {
    /// The device's number.
    pub number: u32,
    /// User context it belongs to.
    pub uid: u16,
    /// The library's handle, which events name.
    pub user_handle: u64,
    /// Completion channel.
    pub channel: Option<FileKey>,
    /// Where its asynchronous events go.
    pub async_fd: Option<FileKey>,
    /// Completion events sent.
    pub completion_events: u32,
    /// Asynchronous events sent.
    pub async_events: u32,
    /// Entries, a power of two.
    pub entries: u32,
    /// Bytes of an entry.
    pub entry_size: u32,
    /// UAR page its arming goes through.
    pub uar: u32,
    /// Bus address of its doorbell record.
    pub dbr: u64,
    /// Timestamp format: 0 free running, 2 real time.
    pub real_time: bool,
}

struct Request {
    cqe: u32,
    vector: u32,
    flags: u64,
    user_handle: u64,
    channel: Option<FileKey>,
    async_fd: Option<FileKey>,
}

/// Timestamps wanted.
const FLAG_TIMESTAMP: u64 = 1;
/// Overruns are not looked for.
const FLAG_IGNORE_OVERRUN: u64 = 2;

/// CQ.CREATE.
pub fn create(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let request = Request {
        cqe: cx.u32(1)?,
        vector: cx.u32(4)?,
        flags: cx.flags(5, FLAG_TIMESTAMP | FLAG_IGNORE_OVERRUN)?,
        user_handle: cx.u64(2)?,
        channel: cx.fd_key(3),
        async_fd: cx.fd_key(7),
    };
    let (_, cqe) = make(cx, request)?;
    cx.output(6, &cqe.to_ne_bytes())
}

/// CREATE_CQ of the write commands.
pub fn create_write(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let q = In(cx.core_in());
    let (user_handle, cqe, vector, channel) = (q.u64(8), q.u32(16), q.u32(20), q.u32(24) as i32);
    let channel = channel_key(cx, channel)?;
    let (handle, cqe) = make(cx, Request { cqe, vector, flags: 0, user_handle, channel, async_fd: None })?;
    let mut r = Out::new(8);
    r.u32(0, handle).u32(4, cqe);
    cx.core_out(&r.0)
}

/// The extended CREATE_CQ of the write commands.
pub fn create_write_ex(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let q = In(cx.core_in());
    let (user_handle, cqe, vector, channel) = (q.u64(0), q.u32(8), q.u32(12), q.u32(16) as i32);
    let (mask, flags) = (q.u32(20), q.u32(24) as u64);
    if mask != 0 {
        return Err(Errno::EINVAL);
    }
    let channel = channel_key(cx, channel)?;
    let (handle, cqe) = make(cx, Request { cqe, vector, flags, user_handle, channel, async_fd: None })?;
    let mut r = Out::new(16);
    r.u32(0, handle).u32(4, cqe).u32(12, 16);
    cx.core_out(&r.0)
}

fn channel_key(cx: &Cx<'_>, fd: i32) -> Result<Option<FileKey>, Errno> {
    if fd < 0 {
        return Ok(None);
    }
    let key = cx.client.file_key(fd).ok_or(Errno::EBADF)?;
    match cx.file.event_fds.get(&key) {
        Some(e) if e.object_type() == types::COMP_CHANNEL => Ok(Some(key)),
        _ => Err(Errno::EBADF),
    }
}

fn make(cx: &mut Cx<'_>, request: Request) -> Result<(u32, u32), Errno> {
    let context = cx.file.context()?;
    let (uid, dynamic) = (context.devx_uid, context.lib_caps & 2 != 0);
    let static_uar = context.static_uars.first().copied();
    if request.cqe < 1 || request.vector >= super::super::device::COMPLETION_VECTORS {
        return Err(Errno::EINVAL);
    }
    let input = cx.uhw_in()?;
    let q = In(&input);
    if request.flags & !(FLAG_TIMESTAMP | FLAG_IGNORE_OVERRUN) != 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    let most = 1u64 << cx.dev.cap(0xc8, 8);
    let entries = (request.cqe as u64 + 1).next_power_of_two();
    if request.cqe as u64 > most - 1 || entries > most {
        return Err(Errno::EINVAL);
    }
    let (size, flags) = (q.u32(16), q.u16(22));
    let uar_attr = cx.generation.has(Generation::V6_12) && cx.has(0x1002);
    if !(size == 64 || size == 128) || flags & !7 != 0 || !q.zero_from(28) {
        return Err(Errno::EINVAL);
    }
    let bytes = entries * size as u64;
    let base = super::pin::pin(cx, q.u64(0), bytes, true)?;
    let dbr = super::pin::pin(cx, q.u64(8), 8, true)?;
    let uar = match (flags & 2 != 0, uar_attr) {
        (_, true) => cx.u32(0x1002)?,
        (true, _) => q.u16(24) as u32,
        _ if dynamic => return Err(Errno::EINVAL),
        _ => static_uar.ok_or(Errno::EINVAL)?,
    };
    let pages = Pages::of_queue(base, bytes).ok_or(Errno::EINVAL)?;
    let mut create = Mailbox::command(0x400, uid, 272);
    context_bits(&mut create, entries, size, &pages);
    compression(cx, &mut create, &q, size)?;
    if flags & 1 != 0 {
        if size != 128 || cx.dev.cap(0x5bd, 1) == 0 {
            return Err(Errno::EOPNOTSUPP);
        }
        // entries padded to 128 bytes
        create.set(0x80 + 8, 3, 2);
    }
    let eqn = cx.dev.completion_eq(request.vector).ok_or(Errno::EINVAL)?;
    create.set(0x80 + 0x68, 24, uar as u64).set(0x80 + 0xa0, 32, eqn as u64).set(0x80 + 0x1c0, 64, dbr).set(
        0x80 + 0x0e,
        1,
        (request.flags & FLAG_IGNORE_OVERRUN != 0) as u64,
    );
    create.addresses(272, pages.addresses());
    let number = cx.dev.exec(&create, 16)?.get(0x48, 24) as u32;
    let cq = Cq {
        number,
        uid,
        user_handle: request.user_handle,
        channel: request.channel,
        async_fd: request.async_fd,
        completion_events: 0,
        async_events: 0,
        entries: entries as u32,
        entry_size: size,
        uar,
        dbr,
        real_time: flags & 4 != 0,
    };
    let handle = cx.commit(Object::Cq(cq), Vec::new());
    let mut r = Out::new(8);
    r.u32(0, number);
    cx.uhw_out(&r.0)?;
    Ok((handle, entries as u32 - 1))
}

fn context_bits(create: &mut Mailbox, entries: u64, size: u32, pages: &Pages) {
    create
        .set(0x80 + 8, 3, if size == 128 { 1 } else { 0 })
        .set(0x80 + 0x63, 5, entries.trailing_zeros() as u64)
        .set(0x80 + 0x54, 6, pages.offset >> (pages.shift - 6))
        .set(0x80 + 0xc3, 5, pages.shift as u64 - 12);
}

/// Compressed entries, if the library asked for them: one format the device has.
fn compression(cx: &Cx<'_>, create: &mut Mailbox, q: &In<'_>, size: u32) -> Result<(), Errno> {
    if q.u8(20) == 0 {
        return Ok(());
    }
    let capable = cx.dev.cap(0x5bf, 1) != 0 && (size == 64 || cx.dev.cap(0x5be, 1) != 0);
    let format = q.u8(21);
    if !capable || format & !7 != 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    if format.count_ones() != 1 {
        return Err(Errno::EINVAL);
    }
    create.set(0x80 + 0x12, 2, format.trailing_zeros() as u64).set(0x80 + 0x14, 1, 1);
    Ok(())
}

/// The response of CQ.DESTROY.
pub fn destroyed(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let r = reported(cx);
    cx.output(1, &r.0)
}

fn reported(cx: &Cx<'_>) -> Out {
    let mut r = Out::new(8);
    r.u32(0, cx.reported.completion).u32(4, cx.reported.asynchronous);
    r
}

/// DESTROY_CQ of the write commands.
pub fn destroy_write(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let handle = In(cx.core_in()).u32(8);
    cx.reported = super::destroy_checked(cx, handle, types::CQ)?;
    let r = reported(cx);
    cx.core_out(&r.0)
}

/// DESTROY_CQ of the device.
pub fn destroy(dev: &mut Device, cq: &Cq) -> Result<(), Errno> {
    let mut command = Mailbox::command(0x401, cq.uid, 16);
    command.set(0x48, 24, cq.number as u64);
    dev.exec(&command, 16).map(|_| ())
}

fn get<'a>(cx: &'a Cx<'_>, handle: u32) -> Result<&'a Cq, Errno> {
    match &cx.file.handles.lookup(handle as i64, types::CQ)?.object {
        Object::Cq(cq) => Ok(cq),
        _ => Err(Errno::EINVAL),
    }
}

/// RESIZE_CQ.
pub fn resize(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let q = In(cx.core_in());
    let (handle, cqe) = (q.u32(8), q.u32(12));
    let cq = get(cx, handle)?;
    let (number, uid, old, own_size) = (cq.number, cq.uid, cq.entries, cq.entry_size);
    if cx.dev.cap(0x221, 1) == 0 {
        return Err(Errno::ENOSYS);
    }
    let most = 1u64 << cx.dev.cap(0xc8, 8);
    let entries = (cqe as u64 + 1).next_power_of_two();
    if cqe < 1 || cqe as u64 > most || entries > most + 1 {
        return Err(Errno::EINVAL);
    }
    if entries as u32 != old {
        let input = cx.uhw_in()?;
        let d = In(&input);
        let size = d.u16(8) as u32;
        if d.u16(10) != 0 || d.u32(12) != 0 || size == 0 || entries > u64::from(u32::MAX) / size as u64 {
            return Err(Errno::EINVAL);
        }
        let size = if size == 64 || size == 128 { size } else { own_size };
        let bytes = entries * size as u64;
        let base = super::pin::pin(cx, d.u64(0), bytes, true)?;
        let pages = Pages::of_queue(base, bytes).ok_or(Errno::EINVAL)?;
        let mut modify = Mailbox::command(0x403, uid, 272);
        modify
            .set(0x30, 16, 1)
            .set(0x48, 24, number as u64)
            // size, page offset and page size change
            .set(0x60, 32, 7);
        context_bits(&mut modify, entries, size, &pages);
        modify.addresses(272, pages.addresses());
        cx.dev.exec(&modify, 16)?;
        if let Some(Object::Cq(cq)) = cx.file.handles.get_mut(handle) {
            cq.entries = entries as u32;
        }
    }
    let mut r = Out::new(8);
    r.u32(0, entries as u32 - 1);
    cx.core_out(&r.0)
}

/// Moderation of completion events.
pub fn modify(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let q = In(cx.core_in());
    let (handle, mask, count, period) = (q.u32(0), q.u32(4), q.u16(8), q.u16(10));
    if mask == 0 {
        return Err(Errno::EINVAL);
    }
    if mask & !1 != 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    let cq = get(cx, handle)?;
    let (number, uid) = (cq.number, cq.uid);
    if cx.dev.cap(0x222, 1) == 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    if period > 0xfff {
        return Err(Errno::EINVAL);
    }
    let mut modify = Mailbox::command(0x403, uid, 272);
    modify.set(0x48, 24, number as u64).set(0x60, 32, 3).set(0x80 + 0x84, 12, period as u64).set(
        0x80 + 0x90,
        16,
        count as u64,
    );
    cx.dev.exec(&modify, 16).map(|_| ())
}
