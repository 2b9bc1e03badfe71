//! `mlx5-sim`: runs programs on a software ConnectX.

use clap::{Parser, Subcommand, ValueEnum};
use sim::device::PortType;
use sim::uverbs::options::Options;
use sim::uverbs::spec::Generation;
use sim::uverbs::supervisor;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs unmodified RDMA programs on a software ConnectX: no card, no driver, no privileges.
#[derive(Parser)]
#[command(name = "mlx5-sim", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  mlx5-sim run -- ibv_devinfo -v
  mlx5-sim run --record calls.txt -- ./program          every call to the device, as text
  mlx5-sim run --fault QP.CREATE=ENOMEM -- ./program    the first CREATE_QP fails
  mlx5-sim run --fault CMD.0x400=3/0x1234 -- ./program  the device refuses CREATE_CQ
  mlx5-sim event 0x9 4 000000000000000010               from inside the program: port 1 is up
'mlx5-sim help run' explains the options.";

#[derive(Subcommand)]
enum Command {
    /// Run a program, and whatever it starts, on the software ConnectX.
    Run(Run),
    /// Have the device raise an event (called by a program that 'run' started).
    Event {
        /// Event type, for example 0x9 for a port change.
        kind: String,
        /// Subtype.
        #[arg(default_value = "0")]
        subtype: String,
        /// Event data as hexadecimal bytes, at most 28.
        #[arg(default_value = "")]
        data: String,
        /// Which device.
        #[arg(long, default_value_t = 0)]
        device: usize,
    },
    /// Send a line to the control channel (called by a program that 'run' started).
    ///
    /// 'mlx5-sim control help' lists what can be asked.
    Control {
        /// The line.
        #[arg(required = true)]
        line: Vec<String>,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Port {
    /// InfiniBand
    Ib,
    /// Ethernet, with RoCE
    Roce,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kernel {
    /// Linux 6.1
    #[value(name = "6.1")]
    V6_1,
    /// Linux 6.12
    #[value(name = "6.12")]
    V6_12,
    /// Linux 7.2
    #[value(name = "7.2")]
    V7_2,
}

#[derive(clap::Args)]
#[command(after_long_help = FAULTS)]
struct Run {
    /// What the ports speak.
    #[arg(long, value_enum, default_value = "roce")]
    port: Port,
    /// Number of devices (mlx5_0, mlx5_1, …).
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    devices: u8,
    /// Ports of each device.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    ports: u8,
    /// The kernel to play: which methods and attributes exist.
    #[arg(long, value_enum, default_value = "7.2")]
    kernel: Kernel,
    /// Give each device a data-direct companion function.
    #[arg(long)]
    data_direct: bool,
    /// Answer RDMA netlink instead of refusing the socket.
    #[arg(long)]
    netlink: bool,
    /// Write every call to the device to FILE as text ("-" is standard error).
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Keep addresses in the record as they are, instead of stable names.
    #[arg(long, requires = "record")]
    raw: bool,
    /// Make a call or a device command fail; may be given more than once.
    #[arg(long, value_name = "WHAT[#N]=OUTCOME")]
    fault: Vec<String>,
    /// Set a field of a capability page: PAGE:BIT:WIDTH=VALUE.
    #[arg(long, value_name = "FIELD", value_parser = capability)]
    cap: Vec<(u16, usize, usize, u64)>,
    /// Remove the device after N calls (0 never).
    #[arg(long, value_name = "N")]
    disassociate: Option<u64>,
    /// Put the device inside the program instead of beside it: faster calls, but no static
    /// programs, and every process has a device of its own.
    #[arg(long, conflicts_with = "netlink")]
    preload: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

const FAULTS: &str = "\
Faults:
  WHAT is OBJECT.METHOD (QP.CREATE), WRITE.COMMAND (WRITE.REG_MR), OPEN, MMAP,
       ANY (every call that reaches the device), or CMD.OPCODE (a device command)
  #N   the N-th of them fails (default the first), #N+ from the N-th on, #* all
  OUTCOME is an errno by name or number; for CMD also STATUS/SYNDROME
  --fault QP.CREATE=ENOMEM     --fault WRITE.REG_MR#2=EFAULT   --fault ANY#7=EIO
  --fault CMD.0xa00=3/0x1234   --fault CMD.0x100=ETIMEDOUT     --fault MMAP#*=EAGAIN";

fn capability(text: &str) -> Result<(u16, usize, usize, u64), String> {
    let wrong = || format!("'{text}' is not PAGE:BIT:WIDTH=VALUE, for example 0:0x21b:1=1");
    let number = |s: &str| match s.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => s.parse::<u64>().ok(),
    };
    let (field, value) = text.split_once('=').ok_or_else(wrong)?;
    let parts: Vec<u64> = field.split(':').map(number).collect::<Option<_>>().ok_or_else(wrong)?;
    match (parts.as_slice(), number(value)) {
        ([page @ 0..=0xff, bit @ 0..=0x7fff, width @ 1..=64], Some(value)) => {
            Ok((*page as u16, *bit as usize, *width as usize, value))
        }
        _ => Err(wrong()),
    }
}

fn run(args: Run) -> Result<i32, String> {
    let options = Options {
        port: match args.port {
            Port::Ib => PortType::InfiniBand,
            Port::Roce => PortType::Ethernet,
        },
        devices: args.devices as usize,
        ports: args.ports,
        generation: match args.kernel {
            Kernel::V6_1 => Generation::V6_1,
            Kernel::V6_12 => Generation::V6_12,
            Kernel::V7_2 => Generation::V7_2,
        },
        data_direct: args.data_direct,
        netlink: args.netlink,
        record: args.record,
        record_raw: args.raw,
        faults: args.fault,
        caps: args.cap,
        disassociate_after: args.disassociate.filter(|n| *n > 0),
    };
    if args.preload {
        return supervisor::run_inside(options, &preload_library()?, &args.program);
    }
    supervisor::run(options, &args.program)
}

/// The preload library lies beside this program, or where libraries of its prefix lie.
fn preload_library() -> Result<PathBuf, String> {
    const NAME: &str = "libmlx5_sim_preload.so";
    let own = std::env::current_exe().map_err(|e| format!("where this program is: {e}"))?;
    let beside = own.parent().unwrap_or(std::path::Path::new("."));
    let places = [beside.join(NAME), beside.join("../lib").join(NAME)];
    places
        .iter()
        .find(|p| p.exists())
        .cloned()
        .ok_or_else(|| format!("{NAME} is not in {}; build the package mlx5-sim-preload", beside.display()))
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(args) => run(args),
        Command::Event { kind, subtype, data, device } => {
            let line = format!("@{device} event {kind} {subtype} {data}");
            sim::uverbs::control::send(line.trim()).map(|_| 0)
        }
        Command::Control { line } => sim::uverbs::control::send(&line.join(" ")).map(|reply| {
            print!("{reply}");
            0
        }),
    };
    match outcome {
        Ok(status) => ExitCode::from(status as u8),
        Err(text) => {
            eprintln!("mlx5-sim: {text}");
            ExitCode::from(2)
        }
    }
}
