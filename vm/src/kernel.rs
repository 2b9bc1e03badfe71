//! A guest kernel: Debian's cloud flavour, which has virtio, virtiofs and the mlx5 drivers
//! and boots fastest, with its modules and the fixed part of its initial RAM file system.

use crate::apt::Suite;
use crate::cpio::Archive;
use crate::{root, unpack};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Written last, with the version inside: shows that a kernel is whole.
const STAMP: &str = ".vm-kernel";

/// Kernels by the name on the command line, and the suite that carries each. The first is
/// the default.
pub const KERNELS: [(&str, &str); 3] = [("7", "sid"), ("6.12", "trixie"), ("6.1", "bookworm")];

/// What the guest must have before it can see the rest of its modules.
const EARLY: [&str; 4] = ["virtio_pci", "virtio_console", "virtiofs", "overlay"];

/// Applets of busybox that the first script uses.
const APPLETS: [&str; 10] =
    ["sh", "mount", "cat", "cp", "insmod", "mkdir", "switch_root", "poweroff", "echo", "ls"];

/// Where a kernel is, made already or not.
pub fn folder(cache: &Path, kernel: &str) -> PathBuf {
    cache.join(format!("kernel-{kernel}"))
}

/// Make the files of `kernel` unless they are there: `vmlinux`, `modules` and `initrd`.
/// `tools` is the root with the host's tools.
pub fn prepare(cache: &Path, kernel: &str, tools: &Path) -> Result<PathBuf> {
    let dir = folder(cache, kernel);
    if dir.join(STAMP).exists() {
        return Ok(dir);
    }
    let names: Vec<&str> = KERNELS.iter().map(|k| k.0).collect();
    let suite = KERNELS
        .iter()
        .find_map(|(k, s)| (*k == kernel).then_some(*s))
        .with_context(|| format!("no kernel {kernel}: there are {}", names.join(", ")))?;
    let suite = Suite::open(suite, cache.join(format!("apt-kernel-{kernel}")))?;
    let image = suite
        .depends("linux-image-cloud-amd64")?
        .into_iter()
        .find(|p| p.starts_with("linux-image-"))
        .context("the suite's kernel package depends on no kernel")?;
    let release = image.trim_start_matches("linux-image-").to_owned();
    ensure!(
        release.starts_with(&format!("{kernel}.")),
        "the archive now carries kernel {release} where this bed wants {kernel}: \
         set MLX5_VM_MIRROR to an archive (a snapshot, say) that has it"
    );
    // newer suites split the kernel and its modules from the package that installs them
    let mut packages = vec![image.clone()];
    packages.extend(
        suite
            .depends(&image)?
            .into_iter()
            .filter(|p| p.starts_with("linux-binary-") || p.starts_with("linux-modules-")),
    );
    eprintln!("vm: kernel {release}: downloading");
    let debs = suite.fetch_only(&packages)?;
    eprintln!("vm: kernel {release}: unpacking");
    let new = cache.join(format!("kernel-{kernel}.new"));
    let files = new.join("files");
    unpack::new_root(&files)?;
    unpack::unpack_all(&debs, &files)?;
    let modules = files.join("usr/lib/modules");
    let depmod = root::program_as(tools, "usr/bin/kmod", "depmod")
        .arg("-b")
        .arg(files.join("usr"))
        .arg(&release)
        .stderr(Stdio::null())
        .status()?;
    ensure!(depmod.success(), "depmod failed on the modules of {release}");

    let compressed = [files.join(format!("boot/vmlinuz-{release}")), modules.join(&release).join("vmlinuz")]
        .into_iter()
        .find(|p| p.exists())
        .context("the kernel package has no kernel")?;
    fs::write(new.join("vmlinux"), uncompressed(&fs::read(compressed)?, tools)?)?;
    fs::write(new.join("initrd"), initrd(&modules.join(&release), tools)?)?;
    fs::rename(&modules, new.join("modules"))?;
    fs::remove_dir_all(&files)?;
    fs::write(new.join(STAMP), release)?;
    if dir.exists() {
        fs::remove_dir_all(&dir)?;
    }
    fs::rename(&new, &dir)?;
    suite.forget();
    Ok(dir)
}

/// Run a filter program of the tools' root over `data`.
fn filter(tools: &Path, program: &[&str], data: &[u8]) -> Result<Vec<u8>> {
    use std::io::Write;
    let (name, args) = program.split_first().context("no program")?;
    let mut child = root::program(tools, name)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdin = child.stdin.take().context("no input")?;
    let out = std::thread::scope(|s| {
        // a filter that gives up breaks the pipe; its output tells
        s.spawn(move || stdin.write_all(data));
        child.wait_with_output()
    })?;
    Ok(out.stdout)
}

/// The kernel proper inside a bzImage: it starts two seconds sooner than the whole, which
/// the emulated processor would have to decompress. The boot protocol's header says where it
/// is: 0x1f1 setup sectors, 0x248 offset, 0x24c length, its size at its end.
fn uncompressed(image: &[u8], tools: &Path) -> Result<Vec<u8>> {
    let word = |at: usize| -> Result<usize> {
        let b =
            image.get(at..at + 4).and_then(|b| b.try_into().ok()).context("the kernel image is cut short")?;
        Ok(u32::from_le_bytes(b) as usize)
    };
    let start = (1 + (word(0x1f1)? & 0xff)) * 512 + word(0x248)?;
    let end = start + word(0x24c)?.saturating_sub(4);
    let payload = image.get(start..end).context("the kernel image is cut short")?;
    let kinds: [(&[u8], &[&str]); 3] = [
        (b"\x28\xb5\x2f\xfd", &["usr/bin/zstd", "-dcq"]),
        (b"\xfd7zXZ\0", &["usr/bin/xz", "-dcq"]),
        (b"\x02\x21\x4c\x18", &["usr/bin/lz4", "-dcq"]),
    ];
    let Some((_, program)) = kinds.iter().find(|(magic, _)| payload.starts_with(magic)) else {
        bail!("the kernel image is compressed in a way that is not known here");
    };
    let out = filter(tools, program, payload)?;
    ensure!(out.starts_with(b"\x7fELF"), "the kernel image does not decompress");
    Ok(out)
}

/// The fixed part of the initial RAM file system: busybox and the early modules.
fn initrd(modules: &Path, tools: &Path) -> Result<Vec<u8>> {
    let mut a = Archive::default();
    for dir in ["bin", "dev", "proc", "sys", "cache", "upper", "new", "mod", "vm"] {
        a.folder(dir);
    }
    a.program("bin/busybox", &fs::read(tools.join("usr/bin/busybox")).context("no busybox")?);
    for applet in APPLETS {
        a.link(&format!("bin/{applet}"), "busybox");
    }
    let needs = dependencies(&fs::read_to_string(modules.join("modules.dep"))?);
    let mut order: Vec<String> = Vec::new();
    for module in EARLY {
        // absent means built into the kernel
        let Some((path, before)) = needs.get(module) else { continue };
        for path in before.iter().rev().chain([path]) {
            let name = module_name(path);
            if order.contains(&name) {
                continue;
            }
            let data = fs::read(modules.join(path))?;
            let data =
                if path.ends_with(".xz") { filter(tools, &["usr/bin/xz", "-dc"], &data)? } else { data };
            ensure!(data.starts_with(b"\x7fELF"), "{path} is not a module");
            // busybox takes a file without the suffix for a compressed one
            a.file(&format!("mod/{name}.ko"), &data);
            order.push(name);
        }
    }
    a.file("mod/order", order.join("\n").as_bytes());
    Ok(a.finish())
}

/// A module's name from its path: no folder, no suffix, underscores.
fn module_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split(".ko").next().unwrap_or(name).replace('-', "_")
}

/// `modules.dep`: by name, the path and the paths of what must be loaded before, last first.
fn dependencies(text: &str) -> BTreeMap<String, (String, Vec<String>)> {
    text.lines()
        .filter_map(|l| l.split_once(':'))
        .map(|(path, rest)| {
            let before = rest.split_whitespace().map(str::to_owned).collect();
            (module_name(path), (path.to_owned(), before))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_found_by_name() {
        let d = dependencies(
            "kernel/fs/fuse/virtiofs.ko.xz: kernel/fs/fuse/fuse.ko.xz kernel/x/virtio-ring.ko\nk/a-b.ko:\n",
        );
        assert_eq!(d["virtiofs"].1, ["kernel/fs/fuse/fuse.ko.xz", "kernel/x/virtio-ring.ko"]);
        assert_eq!(d["a_b"], ("k/a-b.ko".into(), vec![]));
        assert_eq!(module_name("kernel/x/virtio-ring.ko"), "virtio_ring");
    }
}
