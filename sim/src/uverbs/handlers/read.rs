//! What a read of an event descriptor answers where the native read would not do the same.

use super::super::event_fd::{EventFd, EventKind};
use super::super::world::ReadVerdict;
use nix::errno::Errno;

/// Judge a read of `len` bytes. `gone` tells that the device has been removed.
pub fn verdict(event: &mut EventFd, gone: bool, len: u64) -> ReadVerdict {
    if matches!(event.kind, EventKind::DevxEvent { .. }) && std::mem::take(&mut event.overflow) {
        return ReadVerdict::Fail(Errno::EOVERFLOW);
    }
    match event.head_length() {
        Some(head) if (head as u64) > len => match event.kind {
            EventKind::DevxCommand => ReadVerdict::Fail(Errno::ENOSPC),
            _ => ReadVerdict::Fail(Errno::EINVAL),
        },
        None if gone => ReadVerdict::Fail(Errno::EIO),
        _ => ReadVerdict::Native,
    }
}
