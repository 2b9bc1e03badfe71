//! Serves software ConnectX cards to a virtual machine over vfio-user.

use clap::{Parser, ValueEnum};
use sim::device::{Config, PortType};
use sim::pci::{Control, Function, Kind, Server, Slot};
use std::path::PathBuf;
use std::process::ExitCode;

/// A software ConnectX-7 as a PCI function for QEMU's vfio-user-pci device.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    /// Unix socket to offer a card on; several make several cards
    #[arg(long, required = true, value_name = "PATH")]
    socket: Vec<PathBuf>,
    /// Unix socket to offer the data-direct companion of the first card on
    #[arg(long, value_name = "PATH")]
    data_direct: Option<PathBuf>,
    /// What the ports speak
    #[arg(long, value_enum, default_value = "ib")]
    port: Port,
    /// Ports of a card
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    ports: u8,
    /// Set a field of a capability page: PAGE:OFFSET:WIDTH:VALUE, offset and width in bits,
    /// numbers decimal or 0x-hexadecimal
    #[arg(long, value_name = "FIELD", value_parser = capability)]
    cap: Vec<(u16, usize, usize, u64)>,
    /// Unix socket of the control channel: raises events
    #[arg(long, value_name = "PATH")]
    control: Option<PathBuf>,
    /// End when the last client has gone
    #[arg(long)]
    once: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Port {
    /// InfiniBand
    Ib,
    /// Ethernet with RoCE
    Eth,
}

fn number(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.map_err(|e| format!("{text}: {e}"))
}

fn capability(text: &str) -> Result<(u16, usize, usize, u64), String> {
    let parts = text.split(':').map(number).collect::<Result<Vec<_>, _>>()?;
    match *parts {
        [page, offset, width @ 1..=64, value] if page <= 0xffff && offset + width <= 4096 * 8 => {
            Ok((page as u16, offset as usize, width as usize, value))
        }
        _ => Err("not a PAGE:OFFSET:WIDTH:VALUE of a capability page".into()),
    }
}

fn serve(a: Arguments) -> std::io::Result<()> {
    let mut slots = Vec::new();
    for (k, path) in a.socket.iter().enumerate() {
        let config = Config {
            port_type: match a.port {
                Port::Ib => PortType::InfiniBand,
                Port::Eth => PortType::Ethernet,
            },
            ports: a.ports,
            caps: a.cap.clone(),
            vuid: format!("MT2099X{k:05}SIMCX7S0D0F0"),
            data_direct: true,
            // each card has addresses of its own
            guid: Config::default().guid + ((k as u64) << 8),
            mac: Config::default().mac + ((k as u64) << 8),
            ..Config::default()
        };
        if let (0, Some(path)) = (k, &a.data_direct) {
            slots.push(Slot::new(path, Function::new(Kind::DataDirect(config.vuid.clone())))?);
        }
        slots.push(Slot::new(path, Function::new(Kind::Card(config)))?);
    }
    let control = a.control.map(|path| Control::new(&path)).transpose()?;
    Server::new(slots, control).run(a.once)
}

fn main() -> ExitCode {
    match serve(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("mlx5-sim-pci: {e}");
            ExitCode::FAILURE
        }
    }
}
