//! RDMA netlink sockets of clients: a socket of a harmless family stands in, so that
//! binding, polling and receiving stay native; requests are taken from the sender's memory
//! and answered by unicast.

use super::super::client::{Client, FileKey, own_key};
use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, bind, getsockname, sendto, socket,
};
use std::collections::HashSet;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

/// The stand-in sockets.
#[derive(Debug, Default)]
pub struct NlSockets {
    ours: Option<OwnedFd>,
    known: HashSet<FileKey>,
}

impl NlSockets {
    /// A socket for a client that asked for the RDMA family. `kind` is socket(2)'s type.
    pub fn make(&mut self, kind: i32) -> Result<OwnedFd, Errno> {
        if self.ours.is_none() {
            let s = user_socket(SockFlag::SOCK_CLOEXEC)?;
            bind(s.as_raw_fd(), &NetlinkAddr::new(0, 0))?;
            self.ours = Some(s);
        }
        let mut flags = SockFlag::SOCK_CLOEXEC;
        if kind & libc::SOCK_NONBLOCK != 0 {
            flags |= SockFlag::SOCK_NONBLOCK;
        }
        let s = user_socket(flags)?;
        self.known.insert(own_key(s.as_fd())?);
        Ok(s)
    }

    /// Whether a client's descriptor is one of them.
    pub fn has(&self, key: FileKey) -> bool {
        self.known.contains(&key)
    }

    /// The port id that a client's socket is bound to.
    pub fn port_of(client: &dyn Client, fd: i32) -> u32 {
        let Ok(copy) = client.borrow_fd(fd) else { return 0 };
        getsockname::<NetlinkAddr>(copy.as_raw_fd()).map_or(0, |a| a.pid())
    }

    /// Send answers to a client's socket.
    pub fn answer(&self, port: u32, messages: &[Vec<u8>]) {
        let Some(ours) = &self.ours else { return };
        for message in messages {
            // a client that does not read loses messages, as with the kernel
            let _ = sendto(ours.as_raw_fd(), message, &NetlinkAddr::new(port, 0), MsgFlags::MSG_DONTWAIT);
        }
    }
}

fn user_socket(flags: SockFlag) -> Result<OwnedFd, Errno> {
    socket(AddressFamily::Netlink, SockType::Raw, flags, SockProtocol::NetlinkUserSock)
}
