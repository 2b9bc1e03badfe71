//! One open device file: its user context, its objects, its event descriptors and what it
//! may map.

use super::client::FileKey;
use super::event_fd::{EventFd, EventKind};
use super::objects::Handles;
use super::shm::SharedPages;
use nix::errno::Errno;
use std::collections::BTreeMap;
use std::fs::File;

/// What GET_CONTEXT made.
#[derive(Debug)]
pub struct Ucontext {
    /// The device's user context; 0 without DEVX.
    pub devx_uid: u16,
    /// Transport domain.
    pub transport_domain: u32,
    /// Completion entry version the library works with.
    pub cqe_version: u8,
    /// Library capabilities: bit 0 4K UARs, bit 1 dynamic UARs.
    pub lib_caps: u64,
    /// The response, for QUERY_CONTEXT.
    pub response: Vec<u8>,
    /// UAR pages of the library that lets the kernel hand out registers.
    pub static_uars: Vec<u32>,
}

/// One range that may be mapped by an offset the kernel handed out.
#[derive(Debug)]
pub struct MapEntry {
    /// Byte offset for mmap.
    pub offset: u64,
    /// Length in bytes.
    pub len: u64,
    /// What is there.
    pub what: Mapped,
}

/// What lies behind a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapped {
    /// A UAR page.
    Uar(u32),
    /// A virtio doorbell region.
    Var(u32),
    /// Device memory at that address of the device.
    DeviceMemory(u64),
    /// Operations of that number on device memory at that address.
    DeviceOperation(u64, u8),
}

/// A DEVX event subscription.
#[derive(Clone, Debug)]
pub struct Subscription {
    /// Event type.
    pub event: u16,
    /// The object's handle and number, for events of one object.
    pub object: Option<(u32, super::handlers::devx_obj::EventSource)>,
    /// The channel.
    pub channel: FileKey,
    /// What is delivered with each event.
    pub cookie: u64,
    /// An eventfd that is signalled instead.
    pub eventfd: Option<std::sync::Arc<std::os::fd::OwnedFd>>,
}

/// A UAR page whose doorbells the engine looks at.
#[derive(Debug)]
pub struct Doorbells {
    /// The device's UAR number.
    pub uar: u32,
    /// The page.
    pub page: SharedPages,
}

/// One open device file.
#[derive(Debug)]
pub struct OpenFile {
    /// Number in records: `ctx<number>`.
    pub number: u32,
    /// Which device.
    pub device: usize,
    /// Identity of the shared file behind it.
    pub key: FileKey,
    /// The shared file: what the client maps.
    pub shared: File,
    /// Process that opened it.
    pub opener: i32,
    /// Set by GET_CONTEXT.
    pub ucontext: Option<Ucontext>,
    /// Its objects.
    pub handles: Handles,
    /// Its event descriptors, by identity of the client's end.
    pub event_fds: BTreeMap<FileKey, EventFd>,
    /// The descriptor that asynchronous events go to.
    pub async_fd: Option<FileKey>,
    /// DEVX subscriptions.
    pub subscriptions: Vec<Subscription>,
    /// Ranges that may be mapped.
    pub maps: Vec<MapEntry>,
    /// UAR pages to watch.
    pub doorbells: Vec<Doorbells>,
    /// Pages the face writes for the client: clock pages.
    pub clock_pages: Option<SharedPages>,
    /// The device is gone for this file.
    pub disassociated: bool,
    /// Event descriptors that want to be watched by the front end.
    pub new_events: Vec<(i32, FileKey)>,
}

impl OpenFile {
    /// A file just opened.
    pub fn new(number: u32, device: usize, key: FileKey, shared: File, opener: i32) -> OpenFile {
        OpenFile {
            number,
            device,
            key,
            shared,
            opener,
            ucontext: None,
            handles: Handles::default(),
            event_fds: BTreeMap::new(),
            async_fd: None,
            subscriptions: Vec::new(),
            maps: Vec::new(),
            doorbells: Vec::new(),
            clock_pages: None,
            disassociated: false,
            new_events: Vec::new(),
        }
    }

    /// The user context, or EINVAL before GET_CONTEXT.
    pub fn context(&self) -> Result<&Ucontext, Errno> {
        self.ucontext.as_ref().ok_or(Errno::EINVAL)
    }

    /// The DEVX user context's id, or EINVAL where there is none.
    pub fn devx_uid(&self) -> Result<u16, Errno> {
        match self.context()?.devx_uid {
            0 => Err(Errno::EINVAL),
            uid => Ok(uid),
        }
    }

    /// The event descriptor an attribute or command names.
    pub fn event_fd(&mut self, key: FileKey, kind: impl Fn(EventKind) -> bool) -> Option<&mut EventFd> {
        self.event_fds.get_mut(&key).filter(|e| kind(e.kind))
    }

    /// Offer `len` bytes for mapping and choose the offset. Dynamic offsets begin at
    /// command number 9, with a 16-bit index below it whose upper half sits above the
    /// command (`native-sim.md`, 6.3).
    pub fn offer_map(&mut self, len: u64, what: Mapped) -> u64 {
        const FIRST: u64 = 9 << 16;
        self.offer_from(FIRST, len, what)
    }

    /// Offer device memory for mapping: command number 8.
    pub fn offer_device_memory(&mut self, len: u64, what: Mapped) -> u64 {
        const FIRST: u64 = 8 << 16;
        self.offer_from(FIRST, len, what)
    }

    fn offer_from(&mut self, first: u64, len: u64, what: Mapped) -> u64 {
        let pages = len.div_ceil(4096).max(1);
        let mut at = first;
        let mut taken: Vec<(u64, u64)> =
            self.maps.iter().map(|m| (dynamic_index(m.offset), m.len.div_ceil(4096).max(1))).collect();
        taken.sort_unstable();
        for (start, count) in taken {
            if start >= first && start < at + pages && at < start + count {
                at = start + count;
            }
        }
        let offset = dynamic_offset(at);
        self.maps.push(MapEntry { offset, len, what });
        offset
    }
}

/// mmap offset of a dynamic entry: command in bits 16 and up of `index`, index below.
fn dynamic_offset(index: u64) -> u64 {
    let (command, index) = (index >> 16, index & 0xffff);
    ((index >> 8) << 16 | command << 8 | index & 0xff) << 12
}

fn dynamic_index(offset: u64) -> u64 {
    let page = offset >> 12;
    let (command, index) = (page >> 8 & 0xff, (page >> 16) << 8 | page & 0xff);
    command << 16 | index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dynamic_offsets_follow_the_kernels_encoding() {
        assert_eq!(dynamic_offset(9 << 16), 0x90_0000);
        assert_eq!(dynamic_offset(9 << 16 | 1), 0x90_1000);
        assert_eq!(dynamic_offset(9 << 16 | 0x100), 0x1090_0000);
        for index in [9 << 16, 9 << 16 | 0xff, 9 << 16 | 0x1234, 10 << 16] {
            assert_eq!(dynamic_index(dynamic_offset(index)), index);
        }
    }
}
