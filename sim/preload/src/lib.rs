//! Stand-ins for the C library's functions through which a program meets a device: opened
//! files, their status, ioctl, mmap, read. Each asks the model in [`sim::uverbs::inside`];
//! what does not concern the device goes to the kernel as it is.

#![allow(clippy::missing_safety_doc)] // every function here is the C function of its name

use libc::{c_char, c_int, c_ulong, c_void, mode_t, off_t, size_t, ssize_t};
use sim::uverbs::attrs::VERBS_IOCTL;
use sim::uverbs::inside::{self, Outcome};
use sim::uverbs::supervisor::FIRST_FD;
use sim::uverbs::sysfs::{FIRST_MINOR, MAJOR};
use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The path of a C string; none for NULL.
///
/// # Safety
/// `path` is NULL or a C string that outlives the result.
unsafe fn path_of<'a>(path: *const c_char) -> Option<&'a Path> {
    if path.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
    Some(Path::new(OsStr::from_bytes(bytes)))
}

fn c_path(path: PathBuf) -> CString {
    CString::new(path.into_os_string().into_vec()).unwrap_or_default()
}

fn fail(errno: i32) -> i64 {
    // SAFETY: the address of this thread's errno is always valid.
    unsafe { *libc::__errno_location() = errno };
    -1
}

/// A system call by number, with errno set on failure.
///
/// # Safety
/// As the system call demands.
unsafe fn call(nr: i64, args: [usize; 6]) -> i64 {
    let [a, b, c, d, e, f] = args;
    // SAFETY: the caller's promise.
    unsafe { libc::syscall(nr, a, b, c, d, e, f) }
}

/// open in all its forms.
///
/// # Safety
/// As open(2) demands.
unsafe fn open_any(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: a caller of open gives a C string.
    let known = unsafe { path_of(path) }.map_or(Outcome::Native, |p| inside::open(p, flags));
    let native = |at: *const c_char| {
        // SAFETY: the caller's promise; `at` is its path or one of ours.
        unsafe {
            call(libc::SYS_openat, [folder as usize, at as usize, flags as usize, mode as usize, 0, 0])
                as c_int
        }
    };
    match known {
        Outcome::Value(fd) => fd as c_int,
        Outcome::Fail(e) => fail(e as i32) as c_int,
        Outcome::Elsewhere(real) => native(c_path(real).as_ptr()),
        Outcome::Native | Outcome::Node(_) => native(path),
    }
}

macro_rules! open_functions {
    ($($name:ident)*) => {$(
        /// open(2). The mode is read as if it were always given.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
            // SAFETY: as the C function.
            unsafe { open_any(libc::AT_FDCWD, path, flags, mode) }
        }
    )*};
}
open_functions!(open open64);

macro_rules! openat_functions {
    ($($name:ident)*) => {$(
        /// openat(2). The mode is read as if it were always given.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
            // SAFETY: as the C function.
            unsafe { open_any(folder, path, flags, mode) }
        }
    )*};
}
openat_functions!(openat openat64);

/// The device node as stat shows it.
///
/// # Safety
/// `st` has room for a `struct stat`.
unsafe fn put_node(st: *mut libc::stat, device: usize) {
    // SAFETY: a structure of integers may be all zero.
    let mut node: libc::stat = unsafe { std::mem::zeroed() };
    node.st_mode = libc::S_IFCHR | 0o666;
    node.st_rdev = libc::makedev(MAJOR, FIRST_MINOR + device as u32);
    node.st_nlink = 1;
    node.st_blksize = 4096;
    node.st_dev = 5;
    node.st_ino = 1000 + device as u64;
    // SAFETY: the caller's promise.
    unsafe { st.write(node) };
}

/// stat of a path in all its forms.
///
/// # Safety
/// As newfstatat(2) demands.
unsafe fn stat_any(folder: c_int, path: *const c_char, st: *mut libc::stat, flags: c_int) -> c_int {
    // SAFETY: a caller of stat gives a C string.
    let known = unsafe { path_of(path) }.map_or(Outcome::Native, inside::about);
    let native = |at: *const c_char| {
        // SAFETY: the caller's promise; `at` is its path or one of ours.
        unsafe {
            call(libc::SYS_newfstatat, [folder as usize, at as usize, st as usize, flags as usize, 0, 0])
                as c_int
        }
    };
    match known {
        Outcome::Node(device) => {
            // SAFETY: a caller of stat gives room for the structure.
            unsafe { put_node(st, device) };
            0
        }
        Outcome::Elsewhere(real) => native(c_path(real).as_ptr()),
        _ => native(path),
    }
}

macro_rules! stat_functions {
    ($($name:ident $flags:expr;)*) => {$(
        /// stat(2) or lstat(2).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(path: *const c_char, st: *mut libc::stat) -> c_int {
            // SAFETY: as the C function.
            unsafe { stat_any(libc::AT_FDCWD, path, st, $flags) }
        }
    )*};
}
stat_functions! {
    stat 0;
    stat64 0;
    lstat libc::AT_SYMLINK_NOFOLLOW;
    lstat64 libc::AT_SYMLINK_NOFOLLOW;
}

macro_rules! fstatat_functions {
    ($($name:ident)*) => {$(
        /// fstatat(3).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(folder: c_int, path: *const c_char, st: *mut libc::stat, flags: c_int) -> c_int {
            // SAFETY: as the C function.
            unsafe { stat_any(folder, path, st, flags) }
        }
    )*};
}
fstatat_functions!(fstatat fstatat64);

macro_rules! fstat_functions {
    ($($name:ident)*) => {$(
        /// fstat(2).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(fd: c_int, st: *mut libc::stat) -> c_int {
            match inside::about_fd(fd) {
                Outcome::Node(device) => {
                    // SAFETY: a caller of fstat gives room for the structure.
                    unsafe { put_node(st, device) };
                    0
                }
                // SAFETY: as the C function.
                _ => unsafe { call(libc::SYS_fstat, [fd as usize, st as usize, 0, 0, 0, 0]) as c_int },
            }
        }
    )*};
}
fstat_functions!(fstat fstat64);

/// access(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn access(path: *const c_char, mode: c_int) -> c_int {
    // SAFETY: a caller of access gives a C string.
    let known = unsafe { path_of(path) }.map_or(Outcome::Native, inside::about);
    let native = |at: *const c_char| {
        // SAFETY: as the C function; `at` is the caller's path or one of ours.
        unsafe {
            call(libc::SYS_faccessat, [libc::AT_FDCWD as usize, at as usize, mode as usize, 0, 0, 0]) as c_int
        }
    };
    match known {
        Outcome::Node(_) => 0,
        Outcome::Elsewhere(real) => native(c_path(real).as_ptr()),
        _ => native(path),
    }
}

/// readlink(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readlink(path: *const c_char, buf: *mut c_char, len: size_t) -> ssize_t {
    // SAFETY: a caller of readlink gives a C string.
    let known = unsafe { path_of(path) }.map_or(Outcome::Native, inside::about);
    let native = |at: *const c_char| {
        // SAFETY: as the C function; `at` is the caller's path or one of ours.
        unsafe {
            call(libc::SYS_readlinkat, [libc::AT_FDCWD as usize, at as usize, buf as usize, len, 0, 0])
                as ssize_t
        }
    };
    match known {
        Outcome::Node(_) => fail(libc::EINVAL) as ssize_t,
        Outcome::Elsewhere(real) => native(c_path(real).as_ptr()),
        _ => native(path),
    }
}

/// opendir(3), which the C library opens by itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn opendir(path: *const c_char) -> *mut libc::DIR {
    // SAFETY: a caller of opendir gives a C string.
    let known = unsafe { path_of(path) }.map_or(Outcome::Native, inside::about);
    let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NONBLOCK | libc::O_CLOEXEC;
    let native = |at: *const c_char| {
        // SAFETY: `at` is the caller's path or one of ours.
        let fd = unsafe {
            call(libc::SYS_openat, [libc::AT_FDCWD as usize, at as usize, flags as usize, 0, 0, 0])
        };
        if fd < 0 {
            return std::ptr::null_mut();
        }
        // SAFETY: the descriptor is a folder's, and the stream owns it from now on.
        unsafe { libc::fdopendir(fd as c_int) }
    };
    match known {
        Outcome::Elsewhere(real) => native(c_path(real).as_ptr()),
        _ => native(path),
    }
}

/// ioctl(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ioctl(fd: c_int, command: c_ulong, arg: usize) -> c_int {
    if command as u32 == VERBS_IOCTL {
        match inside::ioctl(fd, arg as u64) {
            Outcome::Value(v) => return v as c_int,
            Outcome::Fail(e) => return fail(e as i32) as c_int,
            _ => {}
        }
    }
    // SAFETY: as the C function.
    unsafe { call(libc::SYS_ioctl, [fd as usize, command as usize, arg, 0, 0, 0]) as c_int }
}

macro_rules! mmap_functions {
    ($($name:ident)*) => {$(
        /// mmap(2).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            addr: *mut c_void,
            len: size_t,
            prot: c_int,
            flags: c_int,
            fd: c_int,
            offset: off_t,
        ) -> *mut c_void {
            let shared_file = flags & libc::MAP_SHARED != 0 && flags & libc::MAP_ANONYMOUS == 0;
            if shared_file && let Outcome::Fail(e) = inside::mmap(fd, len as u64, prot, offset as u64) {
                fail(e as i32);
                return libc::MAP_FAILED;
            }
            let args = [addr as usize, len, prot as usize, flags as usize, fd as usize, offset as usize];
            // SAFETY: as the C function.
            unsafe { call(libc::SYS_mmap, args) as *mut c_void }
        }
    )*};
}
mmap_functions!(mmap mmap64);

/// read(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn read(fd: c_int, buf: *mut c_void, len: size_t) -> ssize_t {
    if fd >= FIRST_FD as c_int
        && let Outcome::Fail(e) = inside::read(fd, len as u64)
    {
        return fail(e as i32) as ssize_t;
    }
    // SAFETY: as the C function.
    unsafe { call(libc::SYS_read, [fd as usize, buf as usize, len, 0, 0, 0]) as ssize_t }
}

/// write(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn write(fd: c_int, buf: *const c_void, len: size_t) -> ssize_t {
    if fd >= FIRST_FD as c_int {
        match inside::write(fd, buf as u64, len as u64) {
            Outcome::Value(v) => return v as ssize_t,
            Outcome::Fail(e) => return fail(e as i32) as ssize_t,
            _ => {}
        }
    }
    // SAFETY: as the C function.
    unsafe { call(libc::SYS_write, [fd as usize, buf as usize, len, 0, 0, 0]) as ssize_t }
}

/// socket(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn socket(family: c_int, kind: c_int, protocol: c_int) -> c_int {
    if inside::refuses_socket(family, protocol) {
        return fail(libc::EPROTONOSUPPORT) as c_int;
    }
    // SAFETY: socket takes numbers.
    unsafe { call(libc::SYS_socket, [family as usize, kind as usize, protocol as usize, 0, 0, 0]) as c_int }
}
