//! What a method sees of the call it serves.

use super::attrs::{Bundle, Given};
use super::client::{Client, FileKey};
use super::device::Device;
use super::event_fd::{EventFd, EventKind};
use super::file::OpenFile;
use super::objects::{Object, types};
use super::spec::{Generation, WriteSpec};
use nix::errno::Errno;
use std::os::fd::AsFd;

/// Driver input of a core method.
pub const UHW_IN: u16 = 0x1000;
/// Driver output of a core method.
pub const UHW_OUT: u16 = 0x1001;

/// Output memory of a write command.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    /// Address in the client; 0 where there is none.
    pub addr: u64,
    /// Its length.
    pub len: usize,
    /// The ioctl attribute it came by.
    pub attr: Option<u16>,
    /// What the kernel does not fill becomes zero.
    pub zero_fill: bool,
}

/// A write command, from write(2) or INVOKE_WRITE.
#[derive(Debug)]
pub struct WriteCall {
    /// Its declaration.
    pub spec: &'static WriteSpec,
    /// The core request.
    pub core_in: Vec<u8>,
    /// The driver's request.
    pub uhw_in: Vec<u8>,
    /// Where the core response goes.
    pub core_out: Window,
    /// Where the driver's response goes.
    pub uhw_out: Window,
}

/// Events of a destroyed object that the client has to acknowledge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    /// Completion events read.
    pub completion: u32,
    /// Asynchronous events read.
    pub asynchronous: u32,
}

/// One call being served.
pub struct Cx<'a> {
    /// The device.
    pub dev: &'a mut Device,
    /// The open file.
    pub file: &'a mut OpenFile,
    /// The caller.
    pub client: &'a mut dyn Client,
    /// The kernel being played.
    pub generation: Generation,
    /// The attributes, for a call that has them.
    pub bundle: Option<Bundle>,
    /// The write command, if it is one.
    pub write: Option<WriteCall>,
    /// What the destroyed object had reported.
    pub reported: Reported,
    /// A handle taken for a new object that is not live yet.
    pub pending: Option<u32>,
    /// The new object, once live.
    pub live: Option<u32>,
}

impl Cx<'_> {
    fn given(&self, id: u16) -> Option<&Given> {
        self.bundle.as_ref().and_then(|b| b.find(id))
    }

    /// Whether the client gave the attribute.
    pub fn has(&self, id: u16) -> bool {
        self.given(id).is_some()
    }

    /// Length of an attribute, 0 if not given.
    pub fn len(&self, id: u16) -> usize {
        self.given(id).map_or(0, |g| g.wire.len as usize)
    }

    /// An input; ENOENT if not given.
    pub fn bytes(&self, id: u16) -> Result<Vec<u8>, Errno> {
        self.given(id).ok_or(Errno::ENOENT)?.bytes(self.client)
    }

    /// A 16-bit input.
    pub fn u16(&self, id: u16) -> Result<u16, Errno> {
        self.bytes(id).map(|b| super::bytes::In(&b).u16(0))
    }

    /// A 32-bit input.
    pub fn u32(&self, id: u16) -> Result<u32, Errno> {
        self.bytes(id).map(|b| super::bytes::In(&b).u32(0))
    }

    /// A 64-bit input.
    pub fn u64(&self, id: u16) -> Result<u64, Errno> {
        self.bytes(id).map(|b| super::bytes::In(&b).u64(0))
    }

    /// Flags, 0 if not given; EINVAL for a length other than 4 or 8 or a flag outside `allowed`.
    pub fn flags(&self, id: u16, allowed: u64) -> Result<u64, Errno> {
        let Some(given) = self.given(id) else { return Ok(0) };
        let bytes = given.bytes(self.client)?;
        let flags = match bytes.len() {
            8 => super::bytes::In(&bytes).u64(0),
            4 => super::bytes::In(&bytes).u32(0) as u64,
            _ => return Err(Errno::EINVAL),
        };
        if flags & !allowed != 0 { Err(Errno::EINVAL) } else { Ok(flags) }
    }

    /// The choice of an enum attribute.
    pub fn choice(&self, id: u16) -> Option<u8> {
        self.given(id).map(|g| g.wire.extra as u8)
    }

    /// The handle in an object attribute.
    pub fn handle(&self, id: u16) -> Option<u32> {
        self.given(id).and_then(|g| u32::try_from(g.wire.data).ok())
    }

    /// The handles of an array attribute.
    pub fn handle_array(&self, id: u16) -> Vec<u32> {
        self.given(id).map(|g| g.handles.clone()).unwrap_or_default()
    }

    /// The descriptor number in a raw descriptor attribute.
    pub fn raw_fd(&self, id: u16) -> Option<i32> {
        self.given(id).map(|g| g.wire.data as i32)
    }

    /// The file that a descriptor attribute is open on.
    pub fn fd_key(&self, id: u16) -> Option<FileKey> {
        self.given(id).and_then(|g| self.client.file_key(g.wire.data as i32))
    }

    /// Write an output, as much of it as the client has room for. An output that was not
    /// asked for is left out.
    pub fn output(&self, id: u16, data: &[u8]) -> Result<(), Errno> {
        self.put(id, data, false)
    }

    /// Write a structure; room beyond it becomes zero.
    pub fn output_struct(&self, id: u16, data: &[u8]) -> Result<(), Errno> {
        self.put(id, data, true)
    }

    fn put(&self, id: u16, data: &[u8], zero_fill: bool) -> Result<(), Errno> {
        let (Some(bundle), Some(given)) = (&self.bundle, self.given(id)) else { return Ok(()) };
        copy_out(self.client, given.wire.data, given.wire.len as usize, data, zero_fill)?;
        bundle.mark_valid(self.client, given)
    }

    /// The driver's input: of the write command, or the attribute.
    pub fn uhw_in(&self) -> Result<Vec<u8>, Errno> {
        match &self.write {
            Some(w) => Ok(w.uhw_in.clone()),
            None if self.has(UHW_IN) => self.bytes(UHW_IN),
            None => Ok(Vec::new()),
        }
    }

    /// Room for the driver's output.
    pub fn uhw_out_len(&self) -> usize {
        match &self.write {
            Some(w) => w.uhw_out.len,
            None => self.len(UHW_OUT),
        }
    }

    /// Write the driver's output, as much of it as there is room for.
    pub fn uhw_out(&self, data: &[u8]) -> Result<(), Errno> {
        match &self.write {
            Some(w) => self.put_window(w.uhw_out, data),
            None => self.output(UHW_OUT, data),
        }
    }

    /// The core request of a write command.
    pub fn core_in(&self) -> &[u8] {
        self.write.as_ref().map_or(&[], |w| &w.core_in)
    }

    /// Room for the core response of a write command.
    pub fn core_out_len(&self) -> usize {
        self.write.as_ref().map_or(0, |w| w.core_out.len)
    }

    /// Write the core response.
    pub fn core_out(&self, data: &[u8]) -> Result<(), Errno> {
        self.write.as_ref().map_or(Ok(()), |w| self.put_window(w.core_out, data))
    }

    fn put_window(&self, w: Window, data: &[u8]) -> Result<(), Errno> {
        if w.addr == 0 && w.len == 0 {
            return Ok(());
        }
        copy_out(self.client, w.addr, w.len, data, w.zero_fill)?;
        match (w.attr.and_then(|id| self.given(id)), &self.bundle) {
            (Some(given), Some(bundle)) => bundle.mark_valid(self.client, given),
            _ => Ok(()),
        }
    }

    /// The handle for a new object.
    pub fn new_handle(&mut self) -> u32 {
        if let Some(handle) = self.pending {
            return handle;
        }
        let handle = self
            .bundle
            .as_mut()
            .and_then(|b| b.new_handle.take())
            .unwrap_or_else(|| self.file.handles.reserve());
        self.pending = Some(handle);
        handle
    }

    /// Make the new object live. It holds the objects in `uses`.
    pub fn commit(&mut self, object: Object, uses: Vec<u32>) -> u32 {
        let handle = self.new_handle();
        self.file.handles.commit(handle, object, uses);
        self.pending = None;
        self.live = Some(handle);
        handle
    }

    /// Make an event descriptor and give it to the client; its number there.
    pub fn new_event_fd(&mut self, kind: EventKind) -> Result<i32, Errno> {
        let (mut ours, theirs) = EventFd::pair(kind)?;
        let fd = self.client.give_fd(theirs.as_fd())?;
        ours.given = Some((super::client::process_of(self.client.tid()), fd));
        let key = ours.key;
        self.file.new_events.push((ours.raw(), key));
        self.file.event_fds.insert(key, ours);
        if kind == EventKind::Async && self.file.async_fd.is_none() {
            self.file.async_fd = Some(key);
        }
        Ok(fd)
    }

    /// Make an event descriptor for attribute `id`.
    pub fn new_event_fd_attr(&mut self, id: u16, kind: EventKind) -> Result<FileKey, Errno> {
        let fd = self.new_event_fd(kind)?;
        self.put_new_fd(id, fd)?;
        self.client.file_key(fd).ok_or(Errno::EBADF)
    }

    /// Tell the client the number of the descriptor it got for attribute `id`.
    pub fn put_new_fd(&self, id: u16, fd: i32) -> Result<(), Errno> {
        match (&self.bundle, self.given(id)) {
            (Some(bundle), Some(given)) => bundle.put_data(self.client, given, fd as i64),
            _ => Ok(()),
        }
    }

    /// The slot of the caller's memory.
    pub fn slot(&self) -> u64 {
        self.dev.bus.slot_of_thread(self.client.tid())
    }

    /// The number of the protection domain behind a handle.
    pub fn pdn(&self, handle: u32) -> Result<u32, Errno> {
        match &self.file.handles.lookup(handle as i64, types::PD)?.object {
            Object::Pd(pd) => Ok(pd.pdn),
            _ => Err(Errno::EINVAL),
        }
    }
}

/// Copy to the client what fits, with zeroes behind if asked for.
fn copy_out(client: &dyn Client, addr: u64, room: usize, data: &[u8], zero_fill: bool) -> Result<(), Errno> {
    let n = data.len().min(room);
    client.write(addr, data.get(..n).unwrap_or(data))?;
    if zero_fill && room > n {
        client.write(addr + n as u64, &vec![0; room - n])?;
    }
    Ok(())
}
