//! What a run of the simulator is asked to be.

use super::spec::Generation;
use crate::device::PortType;
use std::path::PathBuf;

/// Settings of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the ports speak.
    pub port: PortType,
    /// Number of devices.
    pub devices: usize,
    /// Ports of each device, 1 or 2.
    pub ports: u8,
    /// The kernel to play.
    pub generation: Generation,
    /// Whether each device has a data-direct companion function.
    pub data_direct: bool,
    /// Answer RDMA netlink instead of refusing the socket.
    pub netlink: bool,
    /// Where the record goes.
    pub record: Option<PathBuf>,
    /// Keep addresses in the record as they are.
    pub record_raw: bool,
    /// Fault rules, as written.
    pub faults: Vec<String>,
    /// Capability fields to set differently: page, bit, width, value.
    pub caps: Vec<(u16, usize, usize, u64)>,
    /// The device disappears after that many calls.
    pub disassociate_after: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            port: PortType::Ethernet,
            devices: 1,
            ports: 1,
            generation: Generation::V7_2,
            data_direct: false,
            netlink: false,
            record: None,
            record_raw: false,
            faults: Vec::new(),
            caps: Vec::new(),
            disassociate_after: None,
        }
    }
}

impl Options {
    /// The settings as lines of text, for the environment of a program.
    pub fn to_text(&self) -> Result<String, String> {
        let mut lines = vec![
            format!("port {}", if self.port == PortType::Ethernet { "roce" } else { "ib" }),
            format!("devices {}", self.devices),
            format!("ports {}", self.ports),
            format!("kernel {}", self.generation as u8),
            format!("data_direct {}", self.data_direct as u8),
            format!("record_raw {}", self.record_raw as u8),
            format!("disassociate {}", self.disassociate_after.unwrap_or(0)),
        ];
        if let Some(path) = &self.record {
            let path = match path.to_str() {
                Some("-") => "-".to_string(),
                _ => std::path::absolute(path).map_err(|e| e.to_string())?.display().to_string(),
            };
            lines.push(format!("record {path}"));
        }
        lines.extend(self.faults.iter().map(|f| format!("fault {f}")));
        lines.extend(
            self.caps.iter().map(|(page, bit, width, value)| format!("cap {page} {bit} {width} {value}")),
        );
        Ok(lines.join("\n"))
    }

    /// The settings that [`Options::to_text`] wrote.
    pub fn from_text(text: &str) -> Option<Options> {
        let mut o = Options::default();
        for line in text.lines() {
            let (key, value) = line.split_once(' ')?;
            match key {
                "port" => o.port = if value == "ib" { PortType::InfiniBand } else { PortType::Ethernet },
                "devices" => o.devices = value.parse().ok()?,
                "ports" => o.ports = value.parse().ok()?,
                "kernel" => {
                    o.generation = match value {
                        "0" => Generation::V6_1,
                        "1" => Generation::V6_12,
                        _ => Generation::V7_2,
                    }
                }
                "data_direct" => o.data_direct = value == "1",
                "record_raw" => o.record_raw = value == "1",
                "disassociate" => o.disassociate_after = value.parse().ok().filter(|n| *n > 0),
                "record" => o.record = Some(PathBuf::from(value)),
                "fault" => o.faults.push(value.to_string()),
                "cap" => {
                    let parts: Vec<u64> = value.split(' ').map(|v| v.parse().ok()).collect::<Option<_>>()?;
                    if let [page, bit, width, value] = parts[..] {
                        o.caps.push((page as u16, bit as usize, width as usize, value));
                    }
                }
                _ => return None,
            }
        }
        Some(o)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_the_environment() {
        let o = Options {
            port: PortType::InfiniBand,
            ports: 2,
            generation: Generation::V6_12,
            data_direct: true,
            record: Some("/tmp/a file".into()),
            faults: vec!["QP.CREATE#2=ENOMEM".into(), "ANY#*=EIO".into()],
            caps: vec![(0, 0x21b, 1, 0)],
            disassociate_after: Some(9),
            ..Options::default()
        };
        let again = Options::from_text(&o.to_text().expect("text")).expect("settings");
        assert_eq!(format!("{again:?}"), format!("{o:?}"));
    }
}
