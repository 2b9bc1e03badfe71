//! The listener of a seccomp filter: notifications in, answers and descriptors out.

use nix::errno::Errno;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

const NOTIF_RECV: libc::Ioctl = 0xc050_2100u32 as libc::Ioctl;
const NOTIF_SEND: libc::Ioctl = 0xc018_2101u32 as libc::Ioctl;
const NOTIF_ADDFD: libc::Ioctl = 0x4018_2103u32 as libc::Ioctl;
const NOTIF_SET_FLAGS: libc::Ioctl = 0x4008_2104u32 as libc::Ioctl;
/// Wake the caller on the same CPU, where the kernel can.
const SYNC_WAKE_UP: u64 = 1;

/// One forwarded system call.
#[derive(Clone, Copy, Debug)]
pub struct Notification {
    /// Its id, for the answer.
    pub id: u64,
    /// The thread that made it.
    pub tid: i32,
    /// Its number.
    pub nr: i64,
    /// Its arguments.
    pub args: [u64; 6],
}

/// How a forwarded call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It goes on as if nothing had happened.
    Continue,
    /// It returns that value.
    Value(i64),
    /// It fails.
    Fail(Errno),
    /// It has been answered already.
    Sent,
}

impl From<Errno> for Answer {
    fn from(errno: Errno) -> Answer {
        Answer::Fail(errno)
    }
}

/// The listener.
#[derive(Debug)]
pub struct Listener(OwnedFd);

impl Listener {
    /// Take over a listener's descriptor.
    pub fn new(fd: OwnedFd) -> Listener {
        let flags = SYNC_WAKE_UP;
        // SAFETY: the command takes its flags by value; a kernel without it refuses.
        unsafe { libc::ioctl(fd.as_raw_fd(), NOTIF_SET_FLAGS, flags) };
        Listener(fd)
    }

    /// The descriptor, for polling.
    pub fn fd(&self) -> &OwnedFd {
        &self.0
    }

    /// Wait for the next call.
    pub fn receive(&self) -> Result<Notification, Errno> {
        // SAFETY: a structure of integers may be all zero, as the kernel demands.
        let mut n: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: the kernel fills the structure, whose size is part of the command.
        if unsafe { libc::ioctl(self.0.as_raw_fd(), NOTIF_RECV, &raw mut n) } != 0 {
            return Err(Errno::last());
        }
        Ok(Notification { id: n.id, tid: n.pid as i32, nr: n.data.nr as i64, args: n.data.args })
    }

    /// Answer a call. The caller may be gone by now.
    pub fn answer(&self, id: u64, answer: Answer) {
        let mut r = libc::seccomp_notif_resp { id, val: 0, error: 0, flags: 0 };
        match answer {
            Answer::Sent => return,
            Answer::Continue => r.flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
            Answer::Value(v) => r.val = v,
            Answer::Fail(e) => r.error = -(e as i32),
        }
        // SAFETY: the kernel reads the structure, whose size is part of the command.
        unsafe { libc::ioctl(self.0.as_raw_fd(), NOTIF_SEND, &raw const r) };
    }

    /// Install a descriptor in the caller, at `number` or the lowest free one. With `send`
    /// its number is also the call's answer.
    pub fn add_fd(
        &self,
        id: u64,
        fd: BorrowedFd<'_>,
        number: Option<u32>,
        close_on_exec: bool,
        send: bool,
    ) -> Result<i32, Errno> {
        let mut flags = 0;
        if number.is_some() {
            flags |= libc::SECCOMP_ADDFD_FLAG_SETFD as u32;
        }
        if send {
            flags |= libc::SECCOMP_ADDFD_FLAG_SEND as u32;
        }
        let add = libc::seccomp_notif_addfd {
            id,
            flags,
            srcfd: fd.as_raw_fd() as u32,
            newfd: number.unwrap_or(0),
            newfd_flags: if close_on_exec { libc::O_CLOEXEC as u32 } else { 0 },
        };
        // SAFETY: the kernel reads the structure, whose size is part of the command.
        match unsafe { libc::ioctl(self.0.as_raw_fd(), NOTIF_ADDFD, &raw const add) } {
            n if n >= 0 => Ok(n),
            _ => Err(Errno::last()),
        }
    }
}
