//! The verbs tools that come with each release, unmodified: what they print with the reference
//! and with our library must be the same.

use crate::cell;
use crate::expected;
use crate::place::Places;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Tools with their arguments.
const TOOLS: [&[&str]; 4] = [
    &["ibv_devices"],
    &["ibv_devinfo", "-v"],
    &["ibv_devinfo", "-l"],
    &["ibv_devinfo", "-d", "mlx5_0", "-i", "1"],
];
/// Devices to look at, as options of the simulator.
const DEVICES: [&[&str]; 5] =
    [&[], &["--port", "ib"], &["--ports", "2"], &["--devices", "2"], &["--netlink"]];

/// Run all on each release; what failed, and the number that passed.
pub fn check(places: &Places, releases: &[String], lines: usize) -> Result<(usize, Vec<String>), String> {
    let mut passed = 0;
    let mut failed = Vec::new();
    for release in releases {
        for tool in TOOLS {
            for device in DEVICES {
                let reference = run(places, release, tool, device, false)?;
                let ours = run(places, release, tool, device, true)?;
                if reference == ours && reference.starts_with("ended with 0\n") {
                    passed += 1;
                } else {
                    let difference = expected::difference(&reference, &ours, lines);
                    failed.push(format!(
                        "FAILED {} [{}] on libibverbs {release}\n{}",
                        tool.join(" "),
                        device.join(" "),
                        if difference.is_empty() { &reference } else { &difference }.trim_end_matches('\n')
                    ));
                }
            }
        }
    }
    Ok((passed, failed))
}

fn run(places: &Places, release: &str, tool: &[&str], device: &[&str], ours: bool) -> Result<String, String> {
    let (program, arguments) = tool.split_first().ok_or("no tool")?;
    let words = places.command(release, Path::new(program), ours)?;
    let file = places.work.join("tool.out");
    let stdout = File::create(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut command = Command::new(&places.sim);
    command
        .arg("run")
        .args(device)
        .arg("--")
        .args(words)
        .args(arguments)
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("LD_PRELOAD")
        .env_remove("RDMAV_DRIVERS")
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::null());
    let end = cell::within(&mut command, Duration::from_secs(30))?;
    let said = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(format!("{end}\n{}", String::from_utf8_lossy(&said)))
}
