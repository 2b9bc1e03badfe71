//! The second front end: the same model inside the client, for a library that stands in
//! for system calls (LD_PRELOAD).
//!
//! One process has one world: a second process has devices of its own. Programs without
//! libc's functions (static ones, raw system calls) are not served.

use super::client::{Client, FileKey, own_key};
use super::engine;
use super::options::Options;
use super::supervisor::FIRST_FD;
use super::supervisor::paths::{Target, resolve};
use super::supervisor::watch::{Handle, Watch};
use super::world::{ReadVerdict, World};
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use std::cell::Cell;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Environment variable with the run's settings ([`Options::to_text`]).
pub const OPTIONS_ENV: &str = "MLX5_SIM_OPTIONS";
/// Environment variable with the run's folder.
pub const FOLDER_ENV: &str = "MLX5_SIM_FOLDER";

thread_local! {
    /// The model itself is running: what it calls is none of its business.
    static IN_MODEL: Cell<bool> = const { Cell::new(false) };
}

struct Inside {
    world: Arc<Mutex<World>>,
    watch: Arc<Handle>,
    tree: PathBuf,
    devices: usize,
}

static INSIDE: OnceLock<Option<Inside>> = OnceLock::new();

/// While it lives, calls of this thread pass through.
struct Guard(());

impl Guard {
    fn enter() -> Option<Guard> {
        let already = IN_MODEL.try_with(|c| c.replace(true)).unwrap_or(true);
        (!already).then(|| Guard(()))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = IN_MODEL.try_with(|c| c.set(false));
    }
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The model, made at its first use.
fn inside() -> Option<&'static Inside> {
    INSIDE.get_or_init(start).as_ref()
}

/// The model, if it has been used already.
fn running() -> Option<&'static Inside> {
    INSIDE.get().and_then(|i| i.as_ref())
}

fn start() -> Option<Inside> {
    let options = Options::from_text(&std::env::var(OPTIONS_ENV).ok()?)?;
    let folder = PathBuf::from(std::env::var_os(FOLDER_ENV)?).join(std::process::id().to_string());
    std::fs::create_dir_all(&folder).ok()?;
    match build(options, &folder) {
        Ok(inside) => Some(inside),
        Err(text) => {
            eprintln!("mlx5-sim: {text}");
            None
        }
    }
}

fn build(options: Options, folder: &Path) -> Result<Inside, String> {
    let (mut world, tree) = super::supervisor::make_world(options, folder)?;
    world.record.event(&format!("run on {} device(s)", world.devices.len()));
    let devices = world.devices.len();
    let world = Arc::new(Mutex::new(world));
    let watch =
        Watch::new(world.clone(), &folder.join("control")).map_err(|e| format!("control channel: {e}"))?;
    let handle = watch.handle();
    let watching = move || {
        let _guard = Guard::enter();
        watch.run_for_ever();
    };
    let engine_world = world.clone();
    let working = move || {
        let _guard = Guard::enter();
        engine::run(engine_world);
    };
    std::thread::Builder::new().spawn(watching).map_err(|e| e.to_string())?;
    std::thread::Builder::new().spawn(working).map_err(|e| e.to_string())?;
    // SAFETY: `at_exit` is a plain function that may run once at exit.
    unsafe { libc::atexit(at_exit) };
    Ok(Inside { world, watch: handle, tree, devices })
}

/// Closes that nobody has looked at yet belong into the record.
extern "C" fn at_exit() {
    if let (Some(_guard), Some(inside)) = (Guard::enter(), running()) {
        inside.watch.see_closes(&mut lock(&inside.world));
    }
}

/// The calling thread.
struct Own;

impl Client for Own {
    fn tid(&self) -> i32 {
        // SAFETY: gettid has no arguments and cannot fail.
        unsafe { libc::gettid() }
    }

    fn give_fd(&mut self, fd: BorrowedFd<'_>) -> Result<i32, Errno> {
        high_copy(fd)
    }

    fn file_key(&self, fd: i32) -> Option<FileKey> {
        key_of(fd)
    }
}

/// A copy of a descriptor at a number that reads and writes are looked at for.
fn high_copy(fd: BorrowedFd<'_>) -> Result<i32, Errno> {
    let copy = |from: i32| {
        // SAFETY: F_DUPFD_CLOEXEC takes numbers and returns a descriptor or -1.
        match unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, from) } {
            n if n >= 0 => Ok(n),
            _ => Err(Errno::last()),
        }
    };
    copy(FIRST_FD as i32).or_else(|_| copy(0))
}

fn key_of(fd: i32) -> Option<FileKey> {
    if fd < 0 {
        return None;
    }
    // SAFETY: the descriptor is only borrowed for one fstat; a closed one makes it fail.
    own_key(unsafe { BorrowedFd::borrow_raw(fd) }).ok()
}

/// What a stand-in does about a call.
pub enum Outcome {
    /// The native call.
    Native,
    /// That value.
    Value(i64),
    /// Fail.
    Fail(Errno),
    /// The native call, on another path.
    Elsewhere(PathBuf),
    /// The device node of that number.
    Node(usize),
}

fn is_ours(path: &Path) -> bool {
    path.starts_with("/sys") || path.starts_with("/dev/infiniband")
}

fn target(path: &Path) -> Option<(&'static Inside, Target)> {
    if !is_ours(path) {
        return None;
    }
    let inside = inside()?;
    Some((inside, resolve(path.to_str()?, inside.devices, &inside.tree)))
}

/// open(2) and its kin.
pub fn open(path: &Path, flags: i32) -> Outcome {
    let Some(_guard) = Guard::enter() else { return Outcome::Native };
    match target(path) {
        None | Some((_, Target::Other)) => Outcome::Native,
        Some((_, Target::Tree(real))) => Outcome::Elsewhere(real),
        Some((inside, Target::Control)) => {
            let pair = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC);
            match pair {
                Ok((ours, theirs)) => {
                    inside.watch.add_control(ours);
                    Outcome::Value(theirs.into_raw_fd() as i64)
                }
                Err(e) => Outcome::Fail(e),
            }
        }
        Some((inside, Target::Device(device))) => {
            let mut world = lock(&inside.world);
            inside.watch.see_closes(&mut world);
            let opened = match world.open(device, Own.tid()) {
                Ok(opened) => opened,
                Err(e) => return Outcome::Fail(e),
            };
            inside.watch.add_file(&opened.path, opened.number);
            match high_copy(opened.client_file.as_fd()) {
                Ok(fd) => {
                    if flags & libc::O_CLOEXEC == 0 {
                        // SAFETY: F_SETFD takes numbers; the descriptor is ours to give.
                        unsafe { libc::fcntl(fd, libc::F_SETFD, 0) };
                    }
                    Outcome::Value(fd as i64)
                }
                Err(e) => Outcome::Fail(e),
            }
        }
    }
}

/// Calls that ask about a path: stat, access, readlink, opendir.
pub fn about(path: &Path) -> Outcome {
    let Some(_guard) = Guard::enter() else { return Outcome::Native };
    match target(path) {
        Some((_, Target::Tree(real))) => Outcome::Elsewhere(real),
        Some((_, Target::Device(device))) => Outcome::Node(device),
        Some((inside, Target::Control)) => Outcome::Node(inside.devices),
        _ => Outcome::Native,
    }
}

fn number_of(world: &World, fd: i32) -> Option<u32> {
    world.number_of(key_of(fd)?)
}

/// fstat(2): a device file shows its node.
pub fn about_fd(fd: i32) -> Outcome {
    let Some(_guard) = Guard::enter() else { return Outcome::Native };
    let Some(inside) = running() else { return Outcome::Native };
    let world = lock(&inside.world);
    match number_of(&world, fd).and_then(|n| world.file(n)) {
        Some(file) => Outcome::Node(file.device),
        None => Outcome::Native,
    }
}

/// The verbs ioctl.
pub fn ioctl(fd: i32, arg: u64) -> Outcome {
    let Some(_guard) = Guard::enter() else { return Outcome::Native };
    let Some(inside) = running() else { return Outcome::Native };
    let mut world = lock(&inside.world);
    inside.watch.see_closes(&mut world);
    let Some(number) = number_of(&world, fd) else { return Outcome::Native };
    let result = world.ioctl(number, &mut Own, arg);
    inside.watch.add_events(&mut world);
    match result {
        Ok(()) => Outcome::Value(0),
        Err(e) => Outcome::Fail(e),
    }
}

/// mmap(2) of a shared file.
pub fn mmap(fd: i32, len: u64, prot: i32, offset: u64) -> Outcome {
    let Some(_guard) = Guard::enter() else { return Outcome::Native };
    let Some(inside) = running() else { return Outcome::Native };
    let mut world = lock(&inside.world);
    let Some(number) = number_of(&world, fd) else { return Outcome::Native };
    inside.watch.see_closes(&mut world);
    match world.mmap(number, len, prot, offset) {
        Ok(()) => Outcome::Native,
        Err(e) => Outcome::Fail(e),
    }
}

/// read(2) of a descriptor from [`FIRST_FD`] on.
pub fn read(fd: i32, len: u64) -> Outcome {
    let Some(_guard) = Guard::enter() else { return Outcome::Native };
    let (Some(inside), Some(key)) = (running(), key_of(fd)) else { return Outcome::Native };
    // SAFETY: F_GETFL takes numbers and returns flags or -1.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    match lock(&inside.world).read(key, len) {
        ReadVerdict::Native => Outcome::Native,
        ReadVerdict::Fail(Errno::EIO) if flags & libc::O_NONBLOCK != 0 => Outcome::Fail(Errno::EAGAIN),
        ReadVerdict::Fail(e) => Outcome::Fail(e),
    }
}

/// write(2) to a descriptor from [`FIRST_FD`] on.
pub fn write(fd: i32, addr: u64, len: u64) -> Outcome {
    let Some(_guard) = Guard::enter() else { return Outcome::Native };
    let Some(inside) = running() else { return Outcome::Native };
    let mut world = lock(&inside.world);
    let Some(number) = number_of(&world, fd) else { return Outcome::Native };
    inside.watch.see_closes(&mut world);
    let result = world.write(number, &mut Own, addr, len);
    inside.watch.add_events(&mut world);
    match result {
        Ok(n) => Outcome::Value(n as i64),
        Err(e) => Outcome::Fail(e),
    }
}

/// Whether a socket of that family and protocol is refused: RDMA netlink is not answered
/// here, so that libraries look at sysfs.
pub fn refuses_socket(family: i32, protocol: i32) -> bool {
    const NETLINK_RDMA: i32 = 20;
    family == libc::AF_NETLINK && protocol == NETLINK_RDMA && std::env::var_os(OPTIONS_ENV).is_some()
}
