//! The main front end: a supervisor that starts the program under a seccomp filter and
//! serves the few system calls that the filter forwards. Everything else stays native.

mod calls;
mod child;
mod filter;
mod listener;
mod nl_socket;
pub mod paths;
pub mod watch;

use super::engine;
use super::inside;
use super::options::Options;
use super::sysfs;
use super::world::World;
use calls::Server;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Environment variable that tells a program where the control channel is.
pub const CONTROL_ENV: &str = "MLX5_SIM_CONTROL";
/// Device and event descriptors get numbers from here on, so that the filter can tell
/// reads and writes of them from all others.
pub const FIRST_FD: u32 = 512;

/// A folder that disappears with its value.
struct RunDir(PathBuf);

impl RunDir {
    fn new() -> Result<RunDir, String> {
        let candidates = ["/dev/shm".into(), std::env::temp_dir()];
        let mut last = String::new();
        for base in candidates {
            match nix::unistd::mkdtemp(&base.join("mlx5-sim-XXXXXX")) {
                Ok(path) => return Ok(RunDir(path)),
                Err(e) => last = format!("{}: {e}", base.display()),
            }
        }
        Err(format!("no folder for the device's pages: {last}"))
    }
}

impl Drop for RunDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Run a program with the model inside it, by the preload library at `library`; its exit
/// status.
pub fn run_inside(options: Options, library: &Path, program: &[OsString]) -> Result<i32, String> {
    // what the program will find wrong is better said now
    let mut faults = super::fault::Faults::default();
    options.faults.iter().try_for_each(|rule| faults.add(rule)).map_err(|e| e.to_string())?;
    let run_dir = RunDir::new()?;
    let (name, args) = program.split_first().ok_or("no program given")?;
    let status = std::process::Command::new(name)
        .args(args)
        .env("LD_PRELOAD", library)
        .env(inside::OPTIONS_ENV, options.to_text()?)
        .env(inside::FOLDER_ENV, &run_dir.0)
        .status()
        .map_err(|e| format!("{}: {e}", name.to_string_lossy()))?;
    Ok(child::exit_status(status))
}

/// Run a program on the simulated device; its exit status.
pub fn run(options: Options, program: &[OsString]) -> Result<i32, String> {
    let run_dir = RunDir::new()?;
    let (mut world, tree) = make_world(options, &run_dir.0)?;
    let wants_write = world.wants_write();
    let netlink = world.options.netlink;
    world.record.event(&format!("run on {} device(s)", world.devices.len()));
    let world = Arc::new(Mutex::new(world));
    let control = run_dir.0.join("control");
    let watch = watch::Watch::new(world.clone(), &control).map_err(|e| format!("control channel: {e}"))?;

    let filter = filter::build(netlink, wants_write);
    child::hold_signals();
    let started = child::start(program, &filter, &control)?;
    let server = Arc::new(Server::new(world.clone(), started.listener, tree, netlink, watch.handle()));
    // two threads, so that a call whose memory access stalls holds up no other program
    for _ in 0..2 {
        let server = server.clone();
        std::thread::spawn(move || server.serve());
    }
    let engine_world = world.clone();
    std::thread::spawn(move || engine::run(engine_world));
    watch.run_until_hang_up(&server);
    let status = started.wait.join().map_err(|_| "the program's parent thread failed".to_string())?;
    drop(world.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(status)
}

/// The devices and the tree of files that shows them.
pub fn make_world(options: Options, run_dir: &Path) -> Result<(World, PathBuf), String> {
    let mut world = World::new(options, run_dir).map_err(|e| e.to_string())?;
    let tree = run_dir.join("tree");
    let settings = world.options.clone();
    sysfs::build(&tree, &settings, &mut world.devices).map_err(|e| format!("{}: {e}", tree.display()))?;
    Ok((world, tree))
}
