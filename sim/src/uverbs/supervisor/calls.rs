//! The forwarded system calls.

use super::super::client::{Client, FileKey};
use super::super::netlink;
use super::super::sysfs::{FIRST_MINOR, MAJOR};
use super::super::world::{ReadVerdict, World};
use super::FIRST_FD;
use super::listener::{Answer, Listener, Notification};
use super::nl_socket::NlSockets;
use super::paths::{Target, resolve};
use super::watch::Handle;
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use nix::sys::stat::{FileStat, lstat, stat};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Longest path that is looked at.
const PATH_BYTES: usize = 1024;

/// The serving side of a run.
pub struct Server {
    world: Arc<Mutex<World>>,
    listener: Listener,
    tree: PathBuf,
    devices: usize,
    watch: Arc<Handle>,
    netlink: bool,
    nl: Mutex<NlSockets>,
}

/// The caller of a forwarded call.
struct Caller<'a> {
    tid: i32,
    id: u64,
    listener: &'a Listener,
}

impl Client for Caller<'_> {
    fn tid(&self) -> i32 {
        self.tid
    }

    fn give_fd(&mut self, fd: BorrowedFd<'_>) -> Result<i32, Errno> {
        self.install(fd, true, false)
    }
}

impl Caller<'_> {
    /// Install a descriptor at a number that the filter can tell.
    fn install(&self, fd: BorrowedFd<'_>, close_on_exec: bool, send: bool) -> Result<i32, Errno> {
        let is_free = |n: &u32| std::fs::symlink_metadata(format!("/proc/{}/fd/{n}", self.tid)).is_err();
        let number = (FIRST_FD..FIRST_FD + 4096).find(is_free);
        match self.listener.add_fd(self.id, fd, number, close_on_exec, send) {
            // a process with a low limit gets the lowest number
            Err(Errno::EBADF | Errno::EMFILE) if number.is_some() => {
                self.listener.add_fd(self.id, fd, None, close_on_exec, send)
            }
            other => other,
        }
    }

    /// A path in the caller's memory.
    fn path(&self, addr: u64) -> Option<String> {
        let mut text = Vec::new();
        while text.len() < PATH_BYTES {
            let at = addr + text.len() as u64;
            let mut block = vec![0u8; (4096 - (at & 4095) as usize).min(256)];
            self.read(at, &mut block).ok()?;
            if let Some(end) = block.iter().position(|b| *b == 0) {
                text.extend_from_slice(block.get(..end)?);
                return String::from_utf8(text).ok();
            }
            text.append(&mut block);
        }
        None
    }
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

fn io_errno(e: std::io::Error) -> Errno {
    e.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}

impl Server {
    /// Serve the calls that `listener` brings.
    pub fn new(
        world: Arc<Mutex<World>>,
        listener: OwnedFd,
        tree: PathBuf,
        netlink: bool,
        watch: Arc<Handle>,
    ) -> Server {
        let devices = lock(&world).devices.len();
        Server {
            world,
            listener: Listener::new(listener),
            tree,
            devices,
            watch,
            netlink,
            nl: Mutex::default(),
        }
    }

    /// The listener.
    pub fn listener(&self) -> &Listener {
        &self.listener
    }

    /// Serve until the listener is gone.
    pub fn serve(&self) {
        super::super::latency::answer_soon();
        loop {
            match self.listener.receive() {
                Ok(n) => {
                    let answer = self.handle(&n).unwrap_or_else(Answer::Fail);
                    self.listener.answer(n.id, answer);
                }
                // the caller was killed, or everybody is gone: the watcher sees the latter
                Err(Errno::EINTR) => {}
                Err(Errno::ENOENT) => std::thread::sleep(std::time::Duration::from_millis(1)),
                Err(_) => return,
            }
        }
    }

    fn handle(&self, n: &Notification) -> Result<Answer, Errno> {
        let mut caller = Caller { tid: n.tid, id: n.id, listener: &self.listener };
        let a = n.args;
        match n.nr {
            libc::SYS_ioctl => self.ioctl(&mut caller, a[0] as i32, a[2]),
            libc::SYS_mmap => Ok(self.mmap(&caller, a)),
            libc::SYS_read => Ok(self.read(&caller, a[0] as i32, a[2])),
            libc::SYS_write => self.write(&mut caller, a[0] as i32, a[1], a[2]),
            libc::SYS_openat => self.open(&caller, a[1], a[2] as i32, a[3] as u32),
            libc::SYS_newfstatat => self.stat(&caller, a[0] as i32, a[1], a[2], a[3] as i32, false),
            libc::SYS_fstat => self.stat(&caller, a[0] as i32, 0, a[1], 0, false),
            libc::SYS_statx => self.stat(&caller, a[0] as i32, a[1], a[4], a[2] as i32, true),
            libc::SYS_faccessat | libc::SYS_faccessat2 => self.access(&caller, a[1], a[2] as i32),
            libc::SYS_readlinkat => self.readlink(&caller, a[1], a[2], a[3] as usize),
            libc::SYS_socket => self.socket(&caller, a[1] as i32),
            libc::SYS_sendmsg => self.nl_send(&caller, a[0] as i32, a[1], None),
            libc::SYS_sendto => self.nl_send(&caller, a[0] as i32, a[1], Some(a[2])),
            _ => self.old_path_call(&caller, n.nr, a),
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn old_path_call(&self, caller: &Caller<'_>, nr: i64, a: [u64; 6]) -> Result<Answer, Errno> {
        match nr {
            libc::SYS_open => self.open(caller, a[0], a[1] as i32, a[2] as u32),
            libc::SYS_stat => self.stat(caller, libc::AT_FDCWD, a[0], a[1], 0, false),
            libc::SYS_lstat => {
                self.stat(caller, libc::AT_FDCWD, a[0], a[1], libc::AT_SYMLINK_NOFOLLOW, false)
            }
            libc::SYS_access => self.access(caller, a[0], a[1] as i32),
            libc::SYS_readlink => self.readlink(caller, a[0], a[1], a[2] as usize),
            _ => Ok(Answer::Continue),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn old_path_call(&self, _caller: &Caller<'_>, _nr: i64, _a: [u64; 6]) -> Result<Answer, Errno> {
        Ok(Answer::Continue)
    }

    /// The world, after every close that has happened.
    fn world(&self) -> MutexGuard<'_, World> {
        let mut world = lock(&self.world);
        self.watch.see_closes(&mut world);
        world
    }

    fn key(&self, caller: &Caller<'_>, fd: i32) -> Option<FileKey> {
        caller.file_key(fd)
    }

    fn ioctl(&self, caller: &mut Caller<'_>, fd: i32, arg: u64) -> Result<Answer, Errno> {
        let Some(key) = self.key(caller, fd) else { return Ok(Answer::Continue) };
        let mut world = self.world();
        let Some(number) = world.number_of(key) else { return Ok(Answer::Continue) };
        let result = world.ioctl(number, caller, arg);
        self.watch.add_events(&mut world);
        result.map(|()| Answer::Value(0))
    }

    fn mmap(&self, caller: &Caller<'_>, a: [u64; 6]) -> Answer {
        let Some(key) = self.key(caller, a[4] as i32) else { return Answer::Continue };
        let mut world = lock(&self.world);
        let Some(number) = world.number_of(key) else { return Answer::Continue };
        self.watch.see_closes(&mut world);
        match world.mmap(number, a[1], a[2] as i32, a[5]) {
            Ok(()) => Answer::Continue,
            Err(e) => Answer::Fail(e),
        }
    }

    fn read(&self, caller: &Caller<'_>, fd: i32, len: u64) -> Answer {
        let Some(key) = self.key(caller, fd) else { return Answer::Continue };
        let non_blocking = descriptor_flags(caller.tid, fd) & libc::O_NONBLOCK != 0;
        match lock(&self.world).read(key, len) {
            ReadVerdict::Native => Answer::Continue,
            // a reader that does not wait never hears of the removal
            ReadVerdict::Fail(Errno::EIO) if non_blocking => Answer::Fail(Errno::EAGAIN),
            ReadVerdict::Fail(e) => Answer::Fail(e),
        }
    }

    fn write(&self, caller: &mut Caller<'_>, fd: i32, addr: u64, len: u64) -> Result<Answer, Errno> {
        let Some(key) = self.key(caller, fd) else { return Ok(Answer::Continue) };
        let mut world = self.world();
        let Some(number) = world.number_of(key) else { return Ok(Answer::Continue) };
        let result = world.write(number, caller, addr, len);
        self.watch.add_events(&mut world);
        result.map(|n| Answer::Value(n as i64))
    }

    fn target(&self, caller: &Caller<'_>, path: u64) -> Target {
        match caller.path(path) {
            Some(p) if p.starts_with('/') => resolve(&p, self.devices, &self.tree),
            _ => Target::Other,
        }
    }

    fn open(&self, caller: &Caller<'_>, path: u64, flags: i32, _mode: u32) -> Result<Answer, Errno> {
        let close_on_exec = flags & libc::O_CLOEXEC != 0;
        match self.target(caller, path) {
            Target::Other => Ok(Answer::Continue),
            Target::Device(device) => {
                let mut world = self.world();
                let opened = world.open(device, caller.tid)?;
                self.watch.add_file(&opened.path, opened.number);
                caller.install(opened.client_file.as_fd(), close_on_exec, true)?;
                Ok(Answer::Sent)
            }
            Target::Control => {
                let (ours, theirs) =
                    socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)?;
                self.watch.add_control(ours);
                caller.listener.add_fd(caller.id, theirs.as_fd(), None, close_on_exec, true)?;
                Ok(Answer::Sent)
            }
            Target::Tree(real) => {
                let file = std::fs::OpenOptions::new()
                    .read(true)
                    .custom_flags(flags & (libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_PATH))
                    .open(real)
                    .map_err(io_errno)?;
                caller.listener.add_fd(caller.id, file.as_fd(), None, close_on_exec, true)?;
                Ok(Answer::Sent)
            }
        }
    }

    fn stat(
        &self,
        caller: &Caller<'_>,
        fd: i32,
        path: u64,
        buf: u64,
        flags: i32,
        extended: bool,
    ) -> Result<Answer, Errno> {
        let named = if path == 0 { Some(String::new()) } else { caller.path(path) };
        let st = match named {
            None => return Ok(Answer::Continue),
            Some(p) if p.is_empty() => {
                let device = self.key(caller, fd).and_then(|key| {
                    let world = lock(&self.world);
                    world.number_of(key).and_then(|n| world.file(n)).map(|f| f.device)
                });
                match device {
                    Some(device) => node(device),
                    None => return Ok(Answer::Continue),
                }
            }
            Some(p) if p.starts_with('/') => match resolve(&p, self.devices, &self.tree) {
                Target::Other => return Ok(Answer::Continue),
                Target::Device(device) => node(device),
                Target::Control => node(self.devices),
                Target::Tree(real) if flags & libc::AT_SYMLINK_NOFOLLOW != 0 => lstat(&real)?,
                Target::Tree(real) => stat(&real)?,
            },
            Some(_) => return Ok(Answer::Continue),
        };
        let bytes = if extended { statx_bytes(&st) } else { stat_bytes(&st) };
        caller.write(buf, &bytes)?;
        Ok(Answer::Value(0))
    }

    fn access(&self, caller: &Caller<'_>, path: u64, mode: i32) -> Result<Answer, Errno> {
        match self.target(caller, path) {
            Target::Other => Ok(Answer::Continue),
            Target::Device(_) | Target::Control => Ok(Answer::Value(0)),
            Target::Tree(real) => {
                nix::unistd::access(&real, nix::unistd::AccessFlags::from_bits_truncate(mode))?;
                Ok(Answer::Value(0))
            }
        }
    }

    fn readlink(&self, caller: &Caller<'_>, path: u64, buf: u64, len: usize) -> Result<Answer, Errno> {
        match self.target(caller, path) {
            Target::Other => Ok(Answer::Continue),
            Target::Device(_) | Target::Control => Err(Errno::EINVAL),
            Target::Tree(real) => {
                let link = std::fs::read_link(real).map_err(io_errno)?.into_os_string().into_encoded_bytes();
                let n = link.len().min(len);
                caller.write(buf, link.get(..n).unwrap_or(&link))?;
                Ok(Answer::Value(n as i64))
            }
        }
    }

    fn socket(&self, caller: &Caller<'_>, kind: i32) -> Result<Answer, Errno> {
        if !self.netlink {
            return Err(Errno::EPROTONOSUPPORT);
        }
        let s = lock(&self.nl).make(kind)?;
        caller.listener.add_fd(caller.id, s.as_fd(), None, kind & libc::SOCK_CLOEXEC != 0, true)?;
        Ok(Answer::Sent)
    }

    /// A send on a netlink socket: the bytes at `addr`, or the message header there.
    fn nl_send(&self, caller: &Caller<'_>, fd: i32, addr: u64, len: Option<u64>) -> Result<Answer, Errno> {
        if !self.key(caller, fd).is_some_and(|k| lock(&self.nl).has(k)) {
            return Ok(Answer::Continue);
        }
        let request = match len {
            Some(len) => {
                let mut b = vec![0; len.min(4096) as usize];
                caller.read(addr, &mut b)?;
                b
            }
            None => gather(caller, addr)?,
        };
        if request.len() >= 16 {
            let port = NlSockets::port_of(caller, fd);
            let mut world = lock(&self.world);
            let answers = netlink::answer(&mut world.devices, &request, port);
            lock(&self.nl).answer(port, &answers);
        }
        Ok(Answer::Value(request.len() as i64))
    }
}

/// The bytes that a message header's vectors point to.
fn gather(caller: &Caller<'_>, header: u64) -> Result<Vec<u8>, Errno> {
    let mut h = [0u8; 56];
    caller.read(header, &mut h)?;
    let h = super::super::bytes::In(&h);
    // struct msghdr: name 0, namelen 8, iov 16, iovlen 24
    let (vectors, count) = (h.u64(16), h.u64(24).min(8));
    let mut request = Vec::new();
    for k in 0..count {
        let mut v = [0u8; 16];
        caller.read(vectors + 16 * k, &mut v)?;
        let v = super::super::bytes::In(&v);
        let mut part = vec![0; v.u64(8).min(4096) as usize];
        caller.read(v.u64(0), &mut part)?;
        request.append(&mut part);
    }
    Ok(request)
}

/// Status flags of a client's descriptor.
fn descriptor_flags(tid: i32, fd: i32) -> i32 {
    let text = std::fs::read_to_string(format!("/proc/{tid}/fdinfo/{fd}")).unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("flags:"));
    line.and_then(|v| i32::from_str_radix(v.trim(), 8).ok()).unwrap_or(0)
}

/// The device node as stat shows it.
fn node(device: usize) -> FileStat {
    // SAFETY: a structure of integers may be all zero.
    let mut st: FileStat = unsafe { std::mem::zeroed() };
    st.st_mode = libc::S_IFCHR | 0o666;
    st.st_rdev = libc::makedev(MAJOR, FIRST_MINOR + device as u32);
    st.st_nlink = 1;
    st.st_blksize = 4096;
    st.st_dev = 5;
    st.st_ino = 1000 + device as u64;
    st
}

fn stat_bytes(st: &FileStat) -> Vec<u8> {
    let len = std::mem::size_of::<FileStat>();
    // SAFETY: the structure is plain integers, all of them set, and is read as bytes.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(st).cast::<u8>(), len) }.to_vec()
}

fn statx_bytes(st: &FileStat) -> Vec<u8> {
    /// Everything that stat has.
    const BASIC: u32 = 0x7ff;
    let mut b = super::super::bytes::Out::new(256);
    b.u32(0, BASIC)
        .u32(4, 4096)
        .u32(16, st.st_nlink as u32)
        .u32(20, st.st_uid)
        .u32(24, st.st_gid)
        .u16(28, st.st_mode as u16)
        .u64(32, st.st_ino)
        .u64(40, st.st_size as u64)
        .u32(128, libc::major(st.st_rdev))
        .u32(132, libc::minor(st.st_rdev))
        .u32(136, libc::major(st.st_dev))
        .u32(140, libc::minor(st.st_dev));
    b.0
}
