//! Boots a stock Debian kernel on the software ConnectX and runs programs in it.

mod apt;
mod bed;
mod channel;
mod cpio;
mod harness;
mod instance;
mod kernel;
mod kernel_log;
mod lifecycle;
mod machine;
mod paths;
mod root;
mod signals;
mod unpack;

use anyhow::{Context, Result, bail, ensure};
use channel::{Channel, Outcome};
use clap::{Args, Parser, Subcommand};
use harness::{Harness, Tally};
use machine::{Machine, Spec};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, SystemTime};

/// A guest that `up` keeps ends when nothing ran in it for this long.
const IDLE: Duration = Duration::from_secs(3600);

/// A stock kernel on a software ConnectX, as a place to run programs in.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Download and unpack what guests are made of
    Prepare {
        /// Kernels to prepare (default: all)
        kernel: Vec<String>,
    },
    /// Run a command in a guest: in one kept by `up` that fits, else in one of its own
    Run(RunArguments),
    /// Boot a guest and keep it running for later commands
    Up(BootArguments),
    /// The process behind `up`
    #[command(hide = true)]
    Serve(BootArguments),
    /// Show the guests that are kept running
    Status,
    /// End the guests that are kept running
    Down,
    /// Run the C programs of ctest/ in guests, on the reference library and on ours, and take
    /// drivers away and bring them back
    Ctest {
        #[command(flatten)]
        boot: BootArguments,
        /// Libraries to run with; what follows the first is compared with it
        #[arg(long, value_delimiter = ',', default_value = "reference,ours")]
        libs: Vec<String>,
        /// Write what the first library printed into this folder
        #[arg(long, value_name = "FOLDER")]
        answers: Option<PathBuf>,
        /// Only take drivers away and bring them back
        #[arg(long, conflicts_with_all = ["names", "answers"])]
        lifecycle: bool,
        /// Only the programs of ctest/
        #[arg(long, conflicts_with = "lifecycle")]
        programs: bool,
        /// Programs to run, by part of the name (default: all)
        names: Vec<String>,
    },
}

#[derive(Args, Clone)]
struct BootArguments {
    /// Guest kernel: 7, 6.12 or 6.1
    #[arg(long, default_value = kernel::KERNELS[0].0)]
    kernel: String,
    /// What the card's ports speak: ib or eth (default: ib; of ctest's programs: eth)
    #[arg(long, value_parser = ["ib", "eth"])]
    port: Option<String>,
    /// Number of cards
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    cards: u8,
    /// Ports of a card
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    ports: u8,
    /// Give the first card its data-direct companion
    #[arg(long)]
    data_direct: bool,
    /// Set a field of a capability page: PAGE:OFFSET:WIDTH:VALUE
    #[arg(long, value_name = "FIELD")]
    cap: Vec<String>,
    /// Do not load the drivers
    #[arg(long)]
    no_driver: bool,
    /// Guest memory in MiB
    #[arg(long, default_value_t = 1024)]
    memory: u32,
    /// Processors of the guest; the driver makes a completion vector for each (default: 2; of ctest's programs: 4)
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=8))]
    cpus: Option<u8>,
    /// More for the kernel's command line
    #[arg(long, default_value = "")]
    append: String,
    /// Another folder that the guest sees, at the same path
    #[arg(long, value_name = "FOLDER")]
    share: Vec<PathBuf>,
}

#[derive(Args)]
struct RunArguments {
    #[command(flatten)]
    boot: BootArguments,
    /// libmlx5 to run with: reference (the release's own), ours, or the path of a file
    #[arg(long, default_value = "reference")]
    lib: String,
    /// Release of rdma-core to run with: 65.0 or 56.1
    #[arg(long, default_value = root::RELEASES[0].0)]
    release: String,
    /// End the command, and the guest, after this many seconds
    #[arg(long, default_value_t = 600)]
    timeout: u64,
    /// Command and its arguments
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

impl BootArguments {
    fn spec(&self) -> Result<Spec> {
        let mut wanted = vec![paths::checkout(), paths::built()?];
        wanted.extend(paths::library()?.parent().map(PathBuf::from));
        wanted.extend(std::env::current_dir());
        wanted.extend(self.share.iter().cloned());
        let mut shares: Vec<PathBuf> = Vec::new();
        for dir in wanted {
            let dir = dir.canonicalize().with_context(|| format!("sharing {}", dir.display()))?;
            if !is_system(&dir) && !shares.iter().any(|s| dir.starts_with(s)) {
                shares.push(dir);
            }
        }
        Ok(Spec {
            kernel: self.kernel.clone(),
            port: self.port.clone().unwrap_or_else(|| "ib".into()),
            cards: self.cards,
            ports: self.ports,
            data_direct: self.data_direct,
            cap: self.cap.clone(),
            driver: !self.no_driver,
            memory: self.memory,
            cpus: self.cpus.unwrap_or(2),
            append: self.append.clone(),
            shares,
        })
    }

    fn boot(&self) -> Result<(Machine, Channel)> {
        prepare(&[&self.kernel], &[root::RELEASES[0].0])?;
        Machine::boot(&self.spec()?, &paths::cache()?, &paths::built()?.join("mlx5-sim-pci"))
    }
}

/// Whether the guest has a folder of its own at this path, which a shared one would hide.
fn is_system(dir: &Path) -> bool {
    const OWN: [&str; 10] =
        ["/usr", "/etc", "/bin", "/sbin", "/lib", "/lib64", "/proc", "/sys", "/dev", "/run"];
    dir == Path::new("/") || OWN.iter().any(|own| dir.starts_with(own))
}

/// Make what is missing of these kernels and releases.
fn prepare(kernels: &[&str], releases: &[&str]) -> Result<()> {
    ensure!(cfg!(target_arch = "x86_64"), "the bed's root and kernel are for x86-64 only");
    let cache = paths::cache()?;
    let _one_at_a_time = instance::hold(&cache.join("lock"))?;
    let tools = root::prepare(&cache, root::RELEASES[0].0)?;
    for release in releases {
        root::prepare(&cache, release)?;
    }
    for kernel in kernels {
        kernel::prepare(&cache, kernel, &tools)?;
    }
    Ok(())
}

fn library(name: &str) -> Result<String> {
    let path = match name {
        "reference" => return Ok(name.into()),
        "ours" => paths::library()?,
        path => PathBuf::from(path),
    };
    let path =
        path.canonicalize().with_context(|| format!("no library {} (cargo build?)", path.display()))?;
    Ok(path.to_str().context("the library's path is not text")?.to_owned())
}

fn run(a: &RunArguments) -> Result<ExitCode> {
    let directory = std::env::current_dir()?;
    let directory = if is_system(&directory) { PathBuf::from("/") } else { directory };
    let directory = directory.to_str().context("the current folder's name is not text")?.to_owned();
    let mut words = vec![a.release.clone(), library(&a.lib)?, directory];
    words.extend(a.command.iter().cloned());
    prepare(&[&a.boot.kernel], &[&a.release])?;
    let limit = Duration::from_secs(a.timeout);

    let key = a.boot.spec()?.key();
    for shared in instance::shared()?.iter().filter(|s| s.key == key) {
        let Some(_busy) = shared.reserve()? else { continue };
        // an interrupted command takes its guest with it: no half-done state stays
        signals::on_end(Some(signals::LastWish::End(shared.pid)));
        let outcome = Channel::open(&shared.dir)?.run(&words, limit, std::io::stdout(), std::io::stderr())?;
        let logs = machine::logs(&shared.dir);
        if !matches!(outcome, Outcome::Exit(_)) {
            shared.end();
        }
        signals::on_end(None);
        return report(outcome, a.timeout, &logs);
    }
    let (machine, mut channel) = a.boot.boot()?;
    let outcome = channel.run(&words, limit, std::io::stdout(), std::io::stderr())?;
    let logs = machine.logs();
    drop(machine);
    report(outcome, a.timeout, &logs)
}

fn report(outcome: Outcome, limit: u64, logs: &str) -> Result<ExitCode> {
    match outcome {
        Outcome::Exit(status) => Ok(ExitCode::from(status)),
        Outcome::TimedOut => {
            eprintln!("vm: not done after {limit} s, ended\n{logs}");
            Ok(ExitCode::from(124))
        }
        Outcome::Died => bail!("the guest ended\n{logs}"),
    }
}

/// Start `serve` detached from this terminal, and wait until it has booted.
fn up() -> Result<ExitCode> {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::CommandExt;
    let mut c = Command::new(std::env::current_exe()?);
    c.arg("serve").args(std::env::args_os().skip(2)).stdin(Stdio::null()).stdout(Stdio::piped());
    // SAFETY: between fork and exec only one async-signal-safe system call is made.
    unsafe {
        c.pre_exec(|| {
            libc::setsid();
            Ok(())
        })
    };
    let mut child = c.spawn()?;
    let mut line = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out).read_line(&mut line)?;
    }
    if line.trim() == "ready" {
        return Ok(ExitCode::SUCCESS);
    }
    child.wait()?;
    Ok(ExitCode::FAILURE)
}

fn serve(a: &BootArguments) -> Result<ExitCode> {
    let (mut machine, channel) = a.boot()?;
    // others connect now
    drop(channel);
    machine.instance.announce(&a.spec()?.key())?;
    println!("ready");
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    for fd in 0..3 {
        use std::os::fd::AsRawFd;
        // SAFETY: standard descriptors are replaced by one that is open and stays so.
        unsafe { libc::dup2(null.as_raw_fd(), fd) };
    }
    let started = SystemTime::now();
    while machine.alive() {
        std::thread::sleep(Duration::from_millis(500));
        let used = std::fs::metadata(machine.instance.dir.join("busy")).and_then(|m| m.modified());
        if used.unwrap_or(started).elapsed().unwrap_or_default() > IDLE {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn dispatch(cli: Cli) -> Result<ExitCode> {
    match cli.verb {
        Verb::Prepare { kernel } => {
            let all: Vec<&str> = kernel::KERNELS.iter().map(|k| k.0).collect();
            let kernels = if kernel.is_empty() { all } else { kernel.iter().map(String::as_str).collect() };
            let releases: Vec<&str> = root::RELEASES.iter().map(|r| r.0).collect();
            prepare(&kernels, &releases)?;
        }
        Verb::Run(a) => return run(&a),
        Verb::Up(_) => return up(),
        Verb::Serve(a) => return serve(&a),
        Verb::Status => {
            for s in instance::shared()? {
                println!("{} {}", s.pid, s.key);
            }
        }
        Verb::Down => {
            for s in instance::shared()? {
                s.end();
            }
            while !instance::shared()?.is_empty() {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        Verb::Ctest { boot, libs, answers, lifecycle, programs, names } => {
            let mut tally = Tally::default();
            let plain = boot.spec()?;
            // what the simulator is when a run does not say otherwise: a RoCE port, four vectors
            let like = BootArguments {
                port: boot.port.clone().or_else(|| Some("eth".into())),
                cpus: boot.cpus.or(Some(4)),
                ..boot
            }
            .spec()?;
            if !lifecycle {
                let mut harness = Harness::new(&names, &libs)?;
                harness.run(&like, &mut tally)?;
                if let Some(folder) = answers {
                    harness.write_answers(&folder)?;
                }
            }
            if !programs && names.is_empty() {
                lifecycle::run(&libs, &plain, &mut tally)?;
            }
            return Ok(tally.report());
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    signals::watch();
    match dispatch(cli) {
        Ok(code) => code,
        Err(e) => {
            eprintln!("vm: {e:#}");
            ExitCode::from(125)
        }
    }
}
