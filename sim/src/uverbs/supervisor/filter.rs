//! The seccomp filter: which system calls come to the supervisor.

use super::super::attrs::VERBS_IOCTL;
use super::FIRST_FD;
use libc::{sock_filter, sock_fprog};
use nix::errno::Errno;

const NOTIFY: u32 = libc::SECCOMP_RET_USER_NOTIF;
const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
/// Offsets in `struct seccomp_data`.
const NR: u32 = 0;
const ARCH: u32 = 4;
const ARGS: u32 = 16;
/// AUDIT_ARCH of this machine.
#[cfg(target_arch = "x86_64")]
const THIS_ARCH: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const THIS_ARCH: u32 = 0xc000_00b7;
/// Netlink family of RDMA.
const NETLINK_RDMA: u32 = 20;

/// Low word of argument `n`.
const fn arg(n: u32) -> u32 {
    ARGS + 8 * n
}

struct Program(Vec<sock_filter>);

impl Program {
    fn load(&mut self, offset: u32) {
        self.0.push(sock_filter {
            code: (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16,
            jt: 0,
            jf: 0,
            k: offset,
        });
    }

    fn jump(&mut self, test: u32, k: u32, yes: u8, no: u8) {
        self.0.push(sock_filter { code: (libc::BPF_JMP | test | libc::BPF_K) as u16, jt: yes, jf: no, k });
    }

    fn answer(&mut self, k: u32) {
        self.0.push(sock_filter { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k });
    }

    /// Forward a call always.
    fn always(&mut self, nr: i64) {
        self.jump(libc::BPF_JEQ, nr as u32, 0, 1);
        self.answer(NOTIFY);
    }

    /// Forward a call if a test on one argument holds.
    fn when(&mut self, nr: i64, argument: u32, test: u32, k: u32) {
        self.jump(libc::BPF_JEQ, nr as u32, 0, 4);
        self.load(arg(argument));
        self.jump(test, k, 0, 1);
        self.answer(NOTIFY);
        self.answer(ALLOW);
    }
}

/// Calls that name files, in the forms this machine has.
#[cfg(target_arch = "x86_64")]
const OLD_PATH_CALLS: &[i64] =
    &[libc::SYS_open, libc::SYS_stat, libc::SYS_lstat, libc::SYS_access, libc::SYS_readlink];
#[cfg(not(target_arch = "x86_64"))]
const OLD_PATH_CALLS: &[i64] = &[];
const PATH_CALLS: &[i64] = &[
    libc::SYS_openat,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
];

/// The filter of a run. `netlink` forwards sends, `write` writes to device files.
pub fn build(netlink: bool, write: bool) -> Vec<sock_filter> {
    let mut p = Program(Vec::new());
    p.load(ARCH);
    p.jump(libc::BPF_JEQ, THIS_ARCH, 1, 0);
    p.answer(ALLOW);
    p.load(NR);
    p.when(libc::SYS_ioctl, 1, libc::BPF_JEQ, VERBS_IOCTL);
    p.when(libc::SYS_read, 0, libc::BPF_JGE, FIRST_FD);
    if write {
        p.when(libc::SYS_write, 0, libc::BPF_JGE, FIRST_FD);
    }
    for nr in PATH_CALLS.iter().chain(OLD_PATH_CALLS) {
        p.always(*nr);
    }
    // shared file mappings only
    p.jump(libc::BPF_JEQ, libc::SYS_mmap as u32, 0, 5);
    p.load(arg(3));
    p.jump(libc::BPF_JSET, libc::MAP_ANONYMOUS as u32, 2, 0);
    p.jump(libc::BPF_JSET, libc::MAP_SHARED as u32, 0, 1);
    p.answer(NOTIFY);
    p.answer(ALLOW);
    // RDMA netlink sockets only
    p.jump(libc::BPF_JEQ, libc::SYS_socket as u32, 0, 6);
    p.load(arg(0));
    p.jump(libc::BPF_JEQ, libc::AF_NETLINK as u32, 0, 3);
    p.load(arg(2));
    p.jump(libc::BPF_JEQ, NETLINK_RDMA, 0, 1);
    p.answer(NOTIFY);
    p.answer(ALLOW);
    if netlink {
        p.always(libc::SYS_sendmsg);
        p.always(libc::SYS_sendto);
    }
    p.answer(ALLOW);
    p.0
}

/// Put the calling process under the filter; the listener's descriptor.
pub fn install(filter: &[sock_filter]) -> Result<i32, Errno> {
    let program = sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: PR_SET_NO_NEW_PRIVS takes numbers only.
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        return Err(Errno::last());
    }
    let flags = [
        libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
        libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
    ];
    for flag in flags {
        // SAFETY: `program` and the instructions it points to outlive the call, which only
        // reads them.
        let fd = unsafe {
            libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flag, &raw const program)
        };
        if fd >= 0 {
            return Ok(fd as i32);
        }
    }
    Err(Errno::last())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Run the program on a call, as the kernel would.
    fn run(filter: &[sock_filter], nr: i64, args: [u64; 6]) -> u32 {
        let mut data = [0u8; 64];
        data[..4].copy_from_slice(&(nr as u32).to_ne_bytes());
        data[4..8].copy_from_slice(&THIS_ARCH.to_ne_bytes());
        for (k, a) in args.iter().enumerate() {
            data[16 + 8 * k..24 + 8 * k].copy_from_slice(&a.to_ne_bytes());
        }
        let (mut at, mut word) = (0, 0u32);
        loop {
            let i = filter[at];
            at += 1;
            let code = i.code as u32;
            match code & 7 {
                libc::BPF_LD => {
                    let k = i.k as usize;
                    word = u32::from_ne_bytes(data[k..k + 4].try_into().expect("word"));
                }
                libc::BPF_JMP => {
                    let hit = match code & 0xf0 {
                        libc::BPF_JEQ => word == i.k,
                        libc::BPF_JGE => word >= i.k,
                        libc::BPF_JSET => word & i.k != 0,
                        other => panic!("jump {other:#x}"),
                    };
                    at += if hit { i.jt } else { i.jf } as usize;
                }
                _ => return i.k,
            }
        }
    }

    #[test]
    fn only_what_concerns_the_device_is_forwarded() {
        let f = build(false, false);
        let forwarded = |nr, args| run(&f, nr, args) == NOTIFY;
        assert!(forwarded(libc::SYS_ioctl, [3, VERBS_IOCTL as u64, 0, 0, 0, 0]));
        assert!(!forwarded(libc::SYS_ioctl, [3, 0x5401, 0, 0, 0, 0]));
        assert!(forwarded(libc::SYS_mmap, [0, 4096, 1, libc::MAP_SHARED as u64, 3, 0]));
        assert!(!forwarded(libc::SYS_mmap, [0, 4096, 1, libc::MAP_PRIVATE as u64, 3, 0]));
        assert!(!forwarded(
            libc::SYS_mmap,
            [0, 4096, 1, (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u64, 0, 0]
        ));
        assert!(forwarded(libc::SYS_socket, [libc::AF_NETLINK as u64, 3, 20, 0, 0, 0]));
        assert!(!forwarded(libc::SYS_socket, [libc::AF_NETLINK as u64, 3, 0, 0, 0, 0]));
        assert!(!forwarded(libc::SYS_socket, [libc::AF_INET as u64, 1, 20, 0, 0, 0]));
        assert!(forwarded(libc::SYS_openat, [0; 6]) && forwarded(libc::SYS_statx, [0; 6]));
        assert!(forwarded(libc::SYS_read, [FIRST_FD as u64, 0, 0, 0, 0, 0]));
        assert!(!forwarded(libc::SYS_read, [3, 0, 0, 0, 0, 0]));
        assert!(!forwarded(libc::SYS_write, [FIRST_FD as u64, 0, 0, 0, 0, 0]));
        assert!(!forwarded(libc::SYS_sendmsg, [0; 6]) && !forwarded(libc::SYS_getpid, [0; 6]));
        let f = build(true, true);
        assert_eq!(run(&f, libc::SYS_write, [600, 0, 0, 0, 0, 0]), NOTIFY);
        assert_eq!(run(&f, libc::SYS_sendmsg, [0; 6]), NOTIFY);
    }
}
