//! Descriptors a process reads events from.
//!
//! Each is one end of a packet socket pair, so reading, polling and non-blocking mode are
//! native and every read gets one whole record; the other end is ours. Records that do not
//! fit the socket wait here.

use super::client::{FileKey, own_key};
use super::objects::types;
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, recv, send, socketpair};
use std::collections::VecDeque;
use std::os::fd::{AsRawFd, OwnedFd};

/// What kind of records a descriptor delivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Asynchronous events of the device: 16 bytes each.
    Async,
    /// Completion events: 8 bytes each.
    Completion,
    /// Results of asynchronous DEVX commands: a work request id and the output.
    DevxCommand,
    /// DEVX events: a cookie, and the event entry unless `omit_data`.
    DevxEvent {
        /// Only the cookie is delivered, once for each subscription until it is read.
        omit_data: bool,
    },
}

/// Our side of an event descriptor.
#[derive(Debug)]
pub struct EventFd {
    /// What it delivers.
    pub kind: EventKind,
    /// Identity of the client's end.
    pub key: FileKey,
    /// A process and a number that the client's end had when it was made.
    pub given: Option<(i32, i32)>,
    /// A record was lost for want of memory: the next read fails once with EOVERFLOW.
    pub overflow: bool,
    socket: OwnedFd,
    waiting: VecDeque<Vec<u8>>,
}

impl EventFd {
    /// A new pair: our side, and the end for the client.
    pub fn pair(kind: EventKind) -> Result<(EventFd, OwnedFd), Errno> {
        let (ours, theirs) =
            socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)?;
        let key = own_key(std::os::fd::AsFd::as_fd(&theirs))?;
        let event =
            EventFd { kind, key, given: None, overflow: false, socket: ours, waiting: VecDeque::new() };
        Ok((event, theirs))
    }

    /// Type of the object that the descriptor is.
    pub fn object_type(&self) -> u16 {
        match self.kind {
            EventKind::Async => types::ASYNC_EVENT,
            EventKind::Completion => types::COMP_CHANNEL,
            EventKind::DevxCommand => types::DEVX_ASYNC_CMD_FD,
            EventKind::DevxEvent { .. } => types::DEVX_ASYNC_EVENT_FD,
        }
    }

    /// Our end's number, for polling.
    pub fn raw(&self) -> i32 {
        self.socket.as_raw_fd()
    }

    /// Our end.
    pub fn socket(&self) -> &OwnedFd {
        &self.socket
    }

    /// Queue a record for the reader.
    pub fn push(&mut self, record: &[u8]) {
        self.waiting.push_back(record.to_vec());
        self.flush();
    }

    /// Move waiting records into the socket as far as it takes them.
    pub fn flush(&mut self) {
        while let Some(record) = self.waiting.front() {
            match send(self.raw(), record, MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL) {
                Err(Errno::EAGAIN | Errno::ENOBUFS) => return,
                // sent, or nobody will ever read it
                _ => self.waiting.pop_front(),
            };
        }
    }

    /// Whether records wait because the socket is full.
    pub fn is_stuck(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Take every unread record back out of the client's end, keep those that `keep`
    /// accepts, and return how many were dropped.
    pub fn take_back(&mut self, mut keep: impl FnMut(&[u8]) -> bool) -> u32 {
        let mut records = VecDeque::new();
        if let Some(theirs) = self.client_end() {
            let mut buf = vec![0u8; 0x1_0010];
            while let Ok(n) = recv(theirs.as_raw_fd(), &mut buf, MsgFlags::MSG_DONTWAIT) {
                if n == 0 {
                    break;
                }
                records.push_back(buf.get(..n).unwrap_or(&[]).to_vec());
            }
        }
        records.append(&mut self.waiting);
        let before = records.len();
        records.retain(|r| keep(r));
        let dropped = before - records.len();
        self.waiting = records;
        self.flush();
        dropped as u32
    }

    /// Length of the record the next read would get.
    pub fn head_length(&self) -> Option<usize> {
        let theirs = self.client_end()?;
        let mut none = [0u8; 1];
        let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_PEEK | MsgFlags::MSG_TRUNC;
        recv(theirs.as_raw_fd(), &mut none, flags).ok().filter(|n| *n > 0)
    }

    /// Bytes that have not been read yet.
    pub fn unread_bytes(&self) -> u64 {
        let waiting: usize = self.waiting.iter().map(Vec::len).sum();
        let mut queued: libc::c_int = 0;
        if let Some(theirs) = self.client_end() {
            // SAFETY: FIONREAD stores one int through the pointer, which is valid.
            unsafe { libc::ioctl(theirs.as_raw_fd(), libc::FIONREAD, &raw mut queued) };
        }
        waiting as u64 + queued.max(0) as u64
    }

    /// The device is gone: readers wake up once they have read what is there.
    pub fn hang_up(&mut self) {
        let _ = nix::sys::socket::shutdown(self.raw(), nix::sys::socket::Shutdown::Write);
    }

    /// Borrow the client's end, as long as it still has it under the number it got.
    fn client_end(&self) -> Option<OwnedFd> {
        let (process, fd) = self.given?;
        let copy = super::client::take_fd(process, fd).ok()?;
        (own_key(std::os::fd::AsFd::as_fd(&copy)).ok()? == self.key).then_some(copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fd: &OwnedFd) -> Option<Vec<u8>> {
        let mut b = [0u8; 100];
        recv(fd.as_raw_fd(), &mut b, MsgFlags::MSG_DONTWAIT).ok().map(|n| b[..n].to_vec())
    }

    #[test]
    fn records_beyond_the_sockets_room_wait_and_keep_their_order() {
        let (mut ours, theirs) = EventFd::pair(EventKind::Completion).expect("pair");
        for k in 0..2000u64 {
            ours.push(&k.to_ne_bytes());
        }
        assert!(ours.is_stuck());
        for k in 0..2000u64 {
            if read_len(&theirs) == 0 {
                ours.flush();
            }
            assert_eq!(read(&theirs).as_deref(), Some(&k.to_ne_bytes()[..]));
        }
        assert!(!ours.is_stuck());
    }

    fn read_len(fd: &OwnedFd) -> usize {
        let mut none = [0u8; 1];
        recv(fd.as_raw_fd(), &mut none, MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_PEEK | MsgFlags::MSG_TRUNC)
            .unwrap_or(0)
    }

    #[test]
    fn unread_records_of_one_object_are_taken_back() {
        let (mut ours, theirs) = EventFd::pair(EventKind::Completion).expect("pair");
        ours.given = Some((std::process::id() as i32, theirs.as_raw_fd()));
        for k in [1u64, 2, 1, 3] {
            ours.push(&k.to_ne_bytes());
        }
        assert_eq!(ours.head_length(), Some(8));
        assert_eq!(read(&theirs).as_deref(), Some(&1u64.to_ne_bytes()[..]));
        assert_eq!(ours.take_back(|r| r != 1u64.to_ne_bytes()), 1);
        assert_eq!(read(&theirs).as_deref(), Some(&2u64.to_ne_bytes()[..]));
        assert_eq!(read(&theirs).as_deref(), Some(&3u64.to_ne_bytes()[..]));
        assert_eq!(read(&theirs), None);
    }
}
