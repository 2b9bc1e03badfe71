//! The client side of a call: the memory and the descriptors of the process that made it.

use nix::errno::Errno;
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::unistd::Pid;
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Identity of an open file: device and inode number.
pub type FileKey = (u64, u64);

/// The thread that made a call.
pub trait Client {
    /// Its thread id.
    fn tid(&self) -> i32;
    /// Copy from its memory.
    fn read(&self, addr: u64, buf: &mut [u8]) -> Result<(), Errno> {
        read_memory(self.tid(), addr, buf)
    }
    /// Copy into its memory.
    fn write(&self, addr: u64, data: &[u8]) -> Result<(), Errno> {
        write_memory(self.tid(), addr, data)
    }
    /// Install a copy of `fd`, close-on-exec, and return its number there.
    fn give_fd(&mut self, fd: BorrowedFd<'_>) -> Result<i32, Errno>;
    /// Which file one of its descriptors is open on.
    fn file_key(&self, fd: i32) -> Option<FileKey> {
        file_key(&format!("/proc/{}/fd/{fd}", self.tid()))
    }
    /// A copy of one of its descriptors.
    fn borrow_fd(&self, fd: i32) -> Result<OwnedFd, Errno> {
        take_fd(self.tid(), fd)
    }
}

/// Identity of the file a path leads to.
pub fn file_key(path: &str) -> Option<FileKey> {
    nix::sys::stat::stat(path).ok().map(|st| (st.st_dev, st.st_ino))
}

/// Identity of one of our own descriptors.
pub fn own_key(fd: BorrowedFd<'_>) -> Result<FileKey, Errno> {
    nix::sys::stat::fstat(fd).map(|st| (st.st_dev, st.st_ino))
}

/// Copy from the memory of a process; EFAULT unless all of it is there.
pub fn read_memory(tid: i32, addr: u64, buf: &mut [u8]) -> Result<(), Errno> {
    if buf.is_empty() {
        return Ok(());
    }
    let want = buf.len();
    let remote = [RemoteIoVec { base: addr as usize, len: want }];
    match process_vm_readv(Pid::from_raw(tid), &mut [IoSliceMut::new(buf)], &remote) {
        Ok(n) if n == want => Ok(()),
        _ => Err(Errno::EFAULT),
    }
}

/// Copy into the memory of a process; EFAULT unless all of it is there.
pub fn write_memory(tid: i32, addr: u64, data: &[u8]) -> Result<(), Errno> {
    if data.is_empty() {
        return Ok(());
    }
    let remote = [RemoteIoVec { base: addr as usize, len: data.len() }];
    match process_vm_writev(Pid::from_raw(tid), &[IoSlice::new(data)], &remote) {
        Ok(n) if n == data.len() => Ok(()),
        _ => Err(Errno::EFAULT),
    }
}

/// The process a thread belongs to; the thread's own id if it is gone.
pub fn process_of(tid: i32) -> i32 {
    status_field(tid, "Tgid:").and_then(|v| v.parse().ok()).unwrap_or(tid)
}

/// Whether the thread has a capability (bit number as in `linux/capability.h`).
pub fn capable(tid: i32, capability: u32) -> bool {
    status_field(tid, "CapEff:")
        .and_then(|v| u64::from_str_radix(&v, 16).ok())
        .is_some_and(|mask| mask >> capability & 1 != 0)
}

fn status_field(tid: i32, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/{tid}/status")).ok()?;
    let line = text.lines().find(|l| l.starts_with(name))?;
    line.get(name.len()..).map(|v| v.trim().to_string())
}

/// A copy of descriptor `fd` of the process that thread `tid` belongs to.
pub fn take_fd(tid: i32, fd: i32) -> Result<OwnedFd, Errno> {
    // SAFETY: pidfd_open takes two numbers and returns a descriptor or -1.
    let pidfd = unsafe { libc::syscall(libc::SYS_pidfd_open, process_of(tid), 0) };
    let pidfd = own(pidfd).map_err(|_| Errno::EBADF)?;
    // SAFETY: pidfd_getfd takes three numbers and returns a descriptor or -1.
    let copy = unsafe { libc::syscall(libc::SYS_pidfd_getfd, pidfd.as_raw_fd(), fd, 0) };
    own(copy)
}

fn own(result: libc::c_long) -> Result<OwnedFd, Errno> {
    match i32::try_from(result) {
        // SAFETY: a descriptor the kernel has just made for us belongs to nobody else.
        Ok(fd) if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(Errno::last()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_copied_whole_or_refused() {
        let me = std::process::id() as i32;
        let word = 0x1122_3344_5566_7788u64;
        let mut got = [0u8; 8];
        read_memory(me, &raw const word as u64, &mut got).expect("own memory");
        assert_eq!(u64::from_ne_bytes(got), word);
        assert_eq!(read_memory(me, 8, &mut got), Err(Errno::EFAULT));
        assert_eq!(write_memory(me, 8, &got), Err(Errno::EFAULT));
    }

    #[test]
    fn threads_lead_to_their_process() {
        let me = std::process::id() as i32;
        // SAFETY: gettid has no arguments and cannot fail.
        let tid = std::thread::spawn(|| unsafe { libc::gettid() }).join().expect("thread");
        assert_ne!(tid, me);
        assert_eq!(process_of(me), me);
    }
}
