//! Ending by signal without leaving anything behind.
//!
//! Children get SIGKILL from the kernel when this program's main thread ends, however it
//! ends; what is left to do by hand after a polite signal is to remove the instance's folder.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

/// What to do before ending.
static LAST_WISH: Mutex<Option<LastWish>> = Mutex::new(None);

/// Something to clean up when a signal ends this program.
pub enum LastWish {
    /// Remove this folder; the children die with us.
    Remove(PathBuf),
    /// Ask another process, the owner of a shared guest, to end.
    End(i32),
}

/// Set what to clean up, or nothing.
pub fn on_end(wish: Option<LastWish>) {
    if let Ok(mut w) = LAST_WISH.lock() {
        *w = wish;
    }
}

fn polite() -> libc::sigset_t {
    // SAFETY: sigset_t is plain data that sigemptyset initializes; the calls only write it.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        for s in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            libc::sigaddset(&mut set, s);
        }
        set
    }
}

/// Handle SIGINT, SIGTERM and SIGHUP in a thread of their own. To be called first, while
/// there is one thread: the mask is inherited.
pub fn watch() {
    let set = polite();
    // SAFETY: blocks three signals in this thread and those it starts.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) };
    std::thread::spawn(move || {
        let mut signal = 0;
        // SAFETY: waits for the blocked signals; both pointers are to live locals.
        if unsafe { libc::sigwait(&set, &mut signal) } != 0 {
            return;
        }
        match LAST_WISH.lock().ok().and_then(|mut w| w.take()) {
            Some(LastWish::Remove(dir)) => {
                // a leftover is swept by the next start
                let _ = std::fs::remove_dir_all(dir);
            }
            Some(LastWish::End(pid)) => {
                // SAFETY: a plain system call.
                unsafe { libc::kill(pid, libc::SIGTERM) };
            }
            None => {}
        }
        std::process::exit(128 + signal);
    });
}

/// Make a child that dies with this thread, gets no signal from the terminal and has a clean
/// signal mask. To be started from the main thread, whose end is the program's.
pub fn bind(command: &mut Command) -> &mut Command {
    command.process_group(0);
    let set = polite();
    // SAFETY: between fork and exec only two async-signal-safe system calls are made.
    unsafe {
        command.pre_exec(move || {
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        })
    }
}
