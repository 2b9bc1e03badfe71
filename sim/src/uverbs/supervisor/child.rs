//! Starting the program under the filter, and getting hold of its listener.

use super::super::client::take_fd;
use super::{CONTROL_ENV, filter};
use libc::sock_filter;
use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::Command;
use std::thread::JoinHandle;

/// A started program.
pub struct Started {
    /// The listener of its filter.
    pub listener: OwnedFd,
    /// Ends with the program's exit status. The program dies with this thread's process.
    pub wait: JoinHandle<i32>,
}

/// Start `program`; it runs once the listener is ours.
pub fn start(program: &[OsString], instructions: &[sock_filter], control: &Path) -> Result<Started, String> {
    let (name, args) = program.split_first().ok_or("no program given")?;
    let (mut ours, theirs) = UnixStream::pair().map_err(|e| format!("socket pair: {e}"))?;
    let mut command = Command::new(name);
    command.args(args).env(CONTROL_ENV, control);
    let instructions = instructions.to_vec();
    let child_end = theirs.as_raw_fd();
    let parent_end = ours.as_raw_fd();
    let held = forwarded();
    // SAFETY: between fork and exec the closure makes system calls only: no allocation, no
    // lock of the parent's.
    unsafe {
        command.pre_exec(move || {
            libc::close(parent_end);
            let _ = held.thread_unblock();
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            let listener = filter::install(&instructions)?;
            let mut message = [0u8; 8];
            message[..4].copy_from_slice(&libc::getpid().to_ne_bytes());
            message[4..].copy_from_slice(&listener.to_ne_bytes());
            // write(2) and read(2) as such: the filter may forward what streams use
            if libc::write(child_end, message.as_ptr().cast(), message.len()) != message.len() as isize {
                return Err(std::io::Error::last_os_error());
            }
            // exec closes the listener: it must be the parent's by then
            let mut taken = [0u8; 1];
            match libc::read(child_end, taken.as_mut_ptr().cast(), 1) {
                1 => Ok(()),
                _ => Err(std::io::Error::from_raw_os_error(libc::EPIPE)),
            }
        });
    }
    let shown = name.to_string_lossy().into_owned();
    // the thread that forks must live as long as the program: its death is the program's
    let wait = std::thread::spawn(move || {
        let spawned = command.spawn();
        drop(command);
        drop(theirs);
        match spawned {
            Ok(mut child) => match child.wait() {
                Ok(status) => exit_status(status),
                Err(_) => 126,
            },
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                eprintln!("mlx5-sim: {shown}: not found");
                127
            }
            Err(e) => {
                eprintln!("mlx5-sim: {shown}: {e}");
                126
            }
        }
    });
    let mut message = [0u8; 8];
    if ours.read_exact(&mut message).is_err() {
        let status = wait.join().unwrap_or(126);
        return Err(format!(
            "the program could not be put under a seccomp filter (status {status}); is it already under one with a listener?"
        ));
    }
    let word =
        |at: usize| message.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(-1, i32::from_ne_bytes);
    let listener = take_fd(word(0), word(4)).map_err(|e: Errno| format!("the filter's listener: {e}"))?;
    ours.write_all(&[1]).map_err(|e| format!("starting the program: {e}"))?;
    forward_signals(Pid::from_raw(word(0)));
    Ok(Started { listener, wait })
}

/// Signals to the supervisor that are meant for the program.
fn forwarded() -> SigSet {
    [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT].into_iter().collect()
}

/// Hold the signals that will be forwarded. Threads started later hold them too.
pub fn hold_signals() {
    let _ = forwarded().thread_block();
}

/// Pass signals on, so that the program ends and the run after it. An interrupt from the
/// terminal has reached the program already.
fn forward_signals(program: Pid) {
    std::thread::spawn(move || {
        while let Ok(signal) = forwarded().wait() {
            if signal != Signal::SIGINT {
                let _ = kill(program, signal);
            }
        }
    });
}

/// A status as shells have it: the code, or 128 and the signal.
pub fn exit_status(status: std::process::ExitStatus) -> i32 {
    match (status.code(), status.signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => {
            eprintln!("mlx5-sim: the program was killed by signal {signal}");
            128 + signal
        }
        (None, None) => 126,
    }
}
