//! DEVX event channels and subscriptions (`spec/devx.md`, section 3).

use super::super::cx::Cx;
use super::super::device::Device;
use super::super::event_fd::EventKind;
use super::super::file::Subscription;
use super::super::objects::Object;
use nix::errno::Errno;
use std::sync::Arc;

/// Most event types of one call.
const MOST_EVENTS: usize = 16;
/// PORT_CHANGE: the only device-wide event of a device that does not tell its masks.
const PORT_CHANGE: u16 = 9;

/// DEVX_ASYNC_CMD_FD.ALLOC.
pub fn command_fd(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.new_event_fd_attr(0x1000, EventKind::DevxCommand).map(|_| ())
}

/// DEVX_ASYNC_EVENT_FD.ALLOC.
pub fn event_fd(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let omit_data = cx.flags(0x1001, 1)? != 0;
    cx.new_event_fd_attr(0x1000, EventKind::DevxEvent { omit_data }).map(|_| ())
}

fn in_mask(mask: &[u64; 4], event: u16) -> bool {
    // four big-endian words, the first for the highest numbers
    let word = mask.get(event as usize / 64);
    word.is_some_and(|w| w >> (event % 64) & 1 != 0)
}

/// Whether an event is one of the whole device.
pub fn is_unaffiliated(dev: &Device, event: u16) -> bool {
    match dev.cap(0x90, 1) {
        0 => event == PORT_CHANGE,
        _ => in_mask(&dev.unaffiliated_events, event),
    }
}

/// Events of queues that every device has.
fn is_legacy(event: u16) -> bool {
    matches!(event, 0x01..=0x05 | 0x07 | 0x10..=0x14 | 0x1c | 0x1d)
}

fn is_valid(dev: &Device, event: u16, with_object: bool) -> bool {
    if event > 255 {
        return false;
    }
    if !with_object {
        return is_unaffiliated(dev, event);
    }
    match (event, dev.cap(0x90, 1)) {
        // completions of CQs made by mailbox
        (0, _) => true,
        (_, 0) => is_legacy(event),
        _ => in_mask(&dev.affiliated_events, event),
    }
}

/// DEVX.SUBSCRIBE_EVENT.
pub fn subscribe(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.file.devx_uid()?;
    let object = match cx.handle(0x1001) {
        None => None,
        Some(handle) => match cx.file.handles.get(handle) {
            Some(Object::Devx(o)) => Some((handle, o.event_source())),
            _ => return Err(Errno::EINVAL),
        },
    };
    if cx.has(0x1004) && cx.has(0x1003) {
        return Err(Errno::EINVAL);
    }
    let cookie = if cx.has(0x1004) { cx.u64(0x1004)? } else { 0 };
    let list = cx.bytes(0x1002)?;
    if list.len() % 2 != 0 || list.len() / 2 > MOST_EVENTS {
        return Err(Errno::EINVAL);
    }
    let events: Vec<u16> = list.chunks_exact(2).map(|b| super::super::bytes::In(b).u16(0)).collect();
    if !events.iter().all(|e| is_valid(cx.dev, *e, object.is_some())) {
        return Err(Errno::EINVAL);
    }
    let eventfd = match cx.has(0x1003) {
        false => None,
        true => Some(Arc::new(eventfd(cx, cx.u32(0x1003)? as i32)?)),
    };
    let channel = cx.fd_key(0x1000).ok_or(Errno::EBADF)?;
    for event in events {
        cx.file.subscriptions.push(Subscription { event, object, channel, cookie, eventfd: eventfd.clone() });
    }
    Ok(())
}

/// A copy of the client's eventfd: EBADF if nothing is open there, EINVAL if it is not one.
fn eventfd(cx: &Cx<'_>, fd: i32) -> Result<std::os::fd::OwnedFd, Errno> {
    let path = format!("/proc/{}/fd/{fd}", cx.client.tid());
    let target = std::fs::read_link(path).map_err(|_| Errno::EBADF)?;
    if target.as_os_str() != "anon_inode:[eventfd]" {
        return Err(Errno::EINVAL);
    }
    cx.client.borrow_fd(fd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_read_by_event_number() {
        let mask = [1 << 9 | 1 << 5, 0, 0, 1 << 63];
        assert!(in_mask(&mask, 9) && in_mask(&mask, 5) && in_mask(&mask, 255));
        assert!(!in_mask(&mask, 8) && !in_mask(&mask, 64));
    }
}
