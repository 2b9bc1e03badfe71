//! The sysfs files and device nodes that libraries look for, as a tree of plain files.

use super::device::Device;
use super::handlers::gid;
use super::handlers::query_device::PART_ID;
use super::options::Options;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Major number of uverbs device nodes.
pub const MAJOR: u32 = 231;
/// Minor number of the first one.
pub const FIRST_MINOR: u32 = 192;
/// Interface version that every uverbs device shows.
const UVERBS_ABI: &str = "6\n";
/// Interface version of the mlx5 driver.
const DRIVER_ABI: &str = "1\n";

/// PCI address of a device's function.
fn pci_address(index: usize) -> String {
    format!("0000:{:02x}:00.0", 0x81 + 2 * index)
}

/// Path below /sys of a device's data-direct companion function.
pub fn data_direct_path(index: usize) -> String {
    format!("/devices/pci0000:80/0000:{:02x}:00.0", 0x82 + 2 * index)
}

fn put(root: &Path, path: &str, text: &str) -> io::Result<()> {
    let full = root.join(path);
    if let Some(folder) = full.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(full, text)
}

fn dotted(guid: u64) -> String {
    format!(
        "{:04x}:{:04x}:{:04x}:{:04x}\n",
        guid >> 48,
        guid >> 32 & 0xffff,
        guid >> 16 & 0xffff,
        guid & 0xffff
    )
}

fn gid_text(raw: &[u8; 16]) -> String {
    let mut s = String::new();
    for (k, pair) in raw.chunks_exact(2).enumerate() {
        let separator = if k == 0 { "" } else { ":" };
        let _ = write!(s, "{separator}{:02x}{:02x}", pair.first().unwrap_or(&0), pair.last().unwrap_or(&0));
    }
    s + "\n"
}

/// Write the tree of all devices below `root`.
pub fn build(root: &Path, options: &Options, devices: &mut [Device]) -> io::Result<()> {
    put(root, "sys/class/infiniband_verbs/abi_version", UVERBS_ABI)?;
    // a folder on tmpfs lists its newest entry first
    for dev in devices.iter_mut().rev() {
        let index = dev.index;
        let pci = format!("sys/devices/pci0000:80/{}", pci_address(index));
        function(root, &pci, index)?;
        device(root, &pci, dev, options)?;
        let up = format!("../../devices/pci0000:80/{}", pci_address(index));
        symlink(
            format!("{up}/infiniband_verbs/uverbs{index}"),
            link(root, "infiniband_verbs", &format!("uverbs{index}"))?,
        )?;
        symlink(
            format!("{up}/infiniband/mlx5_{index}"),
            link(root, "infiniband", &format!("mlx5_{index}"))?,
        )?;
        put(root, &format!("dev/infiniband/uverbs{index}"), "")?;
        if options.data_direct {
            let path = format!("sys{}", data_direct_path(index));
            put(root, &format!("{path}/vendor"), "0x15b3\n")?;
            put(root, &format!("{path}/device"), "0x2100\n")?;
        }
    }
    put(root, "dev/infiniband/mlx5_sim_ctl", "")
}

fn link(root: &Path, class: &str, name: &str) -> io::Result<std::path::PathBuf> {
    let folder = root.join("sys/class").join(class);
    fs::create_dir_all(&folder)?;
    Ok(folder.join(name))
}

/// The PCI function.
fn function(root: &Path, pci: &str, index: usize) -> io::Result<()> {
    put(root, &format!("{pci}/vendor"), "0x15b3\n")?;
    put(root, &format!("{pci}/device"), &format!("{PART_ID:#06x}\n"))?;
    put(
        root,
        &format!("{pci}/modalias"),
        &format!("pci:v000015B3d{PART_ID:08X}sv000015B3sd00000000bc02sc07i00\n"),
    )?;
    put(root, &format!("{pci}/numa_node"), "-1\n")?;
    put(root, &format!("{pci}/local_cpus"), "3\n")?;
    let v = format!("{pci}/infiniband_verbs/uverbs{index}");
    put(root, &format!("{v}/ibdev"), &format!("mlx5_{index}\n"))?;
    put(root, &format!("{v}/dev"), &format!("{MAJOR}:{}\n", FIRST_MINOR + index as u32))?;
    put(root, &format!("{v}/abi_version"), DRIVER_ABI)?;
    symlink("../..", root.join(&v).join("device"))
}

fn device(root: &Path, pci: &str, dev: &mut Device, options: &Options) -> io::Result<()> {
    let base = format!("{pci}/infiniband/mlx5_{}", dev.index);
    let guid = dotted(gid::node_guid(dev));
    put(root, &format!("{base}/node_type"), "1: CA\n")?;
    put(root, &format!("{base}/node_guid"), &guid)?;
    put(root, &format!("{base}/sys_image_guid"), &guid)?;
    put(root, &format!("{base}/node_desc"), &format!("software ConnectX mlx5_{}\n", dev.index))?;
    put(root, &format!("{base}/fw_ver"), "28.43.1000\n")?;
    put(root, &format!("{base}/hca_type"), "MT4129\n")?;
    put(root, &format!("{base}/hw_rev"), "0\n")?;
    put(root, &format!("{base}/board_id"), "SIM0000000001\n")?;
    symlink("../..", root.join(&base).join("device"))?;
    for port in 1..=options.ports {
        port_files(root, &format!("{base}/ports/{port}"), dev, port)?;
    }
    Ok(())
}

fn port_files(root: &Path, base: &str, dev: &mut Device, port: u8) -> io::Result<()> {
    let ethernet = dev.is_ethernet();
    put(root, &format!("{base}/state"), "4: ACTIVE\n")?;
    put(root, &format!("{base}/phys_state"), "5: LinkUp\n")?;
    put(root, &format!("{base}/link_layer"), if ethernet { "Ethernet\n" } else { "InfiniBand\n" })?;
    put(
        root,
        &format!("{base}/rate"),
        if ethernet { "100 Gb/sec (4X EDR)\n" } else { "200 Gb/sec (4X HDR)\n" },
    )?;
    put(root, &format!("{base}/lid"), if ethernet { "0x0\n" } else { "0x1\n" })?;
    let keys = if ethernet { 1 } else { 128u32.checked_shl(dev.cap(0x190, 16) as u32).unwrap_or(0) };
    for k in 0..keys {
        put(root, &format!("{base}/pkeys/{k}"), if k == 0 { "0xffff\n" } else { "0x0000\n" })?;
    }
    let used = gid::table(dev, port);
    for k in 0..gid::table_len(dev) as usize {
        let raw = used.get(k).map_or([0; 16], |g| g.raw);
        put(root, &format!("{base}/gids/{k}"), &gid_text(&raw))?;
    }
    for (k, g) in used.iter().enumerate() {
        let kind = if g.kind == gid::GidType::RoceV2 { "RoCE v2\n" } else { "IB/RoCE v1\n" };
        put(root, &format!("{base}/gid_attrs/types/{k}"), kind)?;
        if ethernet {
            put(root, &format!("{base}/gid_attrs/ndevs/{k}"), "lo\n")?;
        }
    }
    Ok(())
}
