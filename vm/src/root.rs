//! A root: Debian's own user space with one release of rdma-core, unpacked and never
//! installed. The newest also carries the host's side of the bed: QEMU and virtiofsd.

use crate::apt::Suite;
use crate::unpack;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Written last, with the version inside: shows that a root is whole.
const STAMP: &str = ".vm-root";

/// Releases of rdma-core and the suite that carries each. The first is the default, and the
/// one with the host's tools.
pub const RELEASES: [(&str, &str); 2] = [("65.0", "sid"), ("56.1", "trixie")];

const PACKAGES: [&str; 32] = [
    "base-files",
    "base-passwd",
    "bash",
    "busybox-static",
    "coreutils",
    "dash",
    "diffutils",
    "dpdk-dev",
    "ethtool",
    "findutils",
    "grep",
    "gawk",
    "ibverbs-providers",
    "ibverbs-utils",
    "iproute2",
    "iputils-ping",
    "kmod",
    "libibverbs-dev",
    "librte-meta-mempool",
    "librte-meta-net",
    "mount",
    "pciutils",
    "perftest",
    "procps",
    "python3-pyverbs",
    "python3-scapy",
    "rdma-core",
    "rdmacm-utils",
    "sed",
    "strace",
    "util-linux",
    "libc-bin",
];
const HOST_PACKAGES: [&str; 5] = ["lz4", "qemu-system-x86", "virtiofsd", "xz-utils", "zstd"];

/// Where the root of a release is, made already or not.
pub fn folder(cache: &Path, release: &str) -> PathBuf {
    cache.join(format!("root-{release}"))
}

/// Make the root of `release` unless it is there.
pub fn prepare(cache: &Path, release: &str) -> Result<PathBuf> {
    let dir = folder(cache, release);
    if dir.join(STAMP).exists() {
        return Ok(dir);
    }
    let known: Vec<&str> = RELEASES.iter().map(|r| r.0).collect();
    let (position, suite) = RELEASES
        .iter()
        .enumerate()
        .find_map(|(k, (r, s))| (*r == release).then_some((k, *s)))
        .with_context(|| format!("no root of rdma-core {release}: there are {}", known.join(" and ")))?;
    let suite = Suite::open(suite, cache.join(format!("apt-root-{release}")))?;
    let version = suite.version("ibverbs-providers")?;
    ensure!(
        version.starts_with(release),
        "the archive now carries rdma-core {version} where this bed wants {release}: \
         set MLX5_VM_MIRROR to an archive (a snapshot, say) that has {release}"
    );
    let mut packages = PACKAGES.to_vec();
    if position == 0 {
        packages.extend(HOST_PACKAGES);
    }
    eprintln!("vm: rdma-core {version}: downloading it and a small system around it");
    let debs = suite.fetch(&packages)?;
    eprintln!("vm: rdma-core {version}: unpacking {} packages", debs.len());
    let new = cache.join(format!("root-{release}.new"));
    unpack::new_root(&new)?;
    unpack::unpack_all(&debs, &new)?;
    configure(&new)?;
    ensure!(
        new.join("usr/lib/x86_64-linux-gnu/libmlx5.so.1").exists(),
        "the unpacked root has no mlx5 provider"
    );
    fs::write(new.join(STAMP), version)?;
    if dir.exists() {
        fs::remove_dir_all(&dir)?;
    }
    fs::rename(&new, &dir)?;
    suite.forget();
    Ok(dir)
}

/// What the packages' installation scripts would have done and a guest needs.
fn configure(root: &Path) -> Result<()> {
    let masters = root.join("usr/share/base-passwd");
    fs::copy(masters.join("passwd.master"), root.join("etc/passwd")).context("no list of users")?;
    fs::copy(masters.join("group.master"), root.join("etc/group")).context("no list of groups")?;
    fs::write(root.join("etc/hosts"), "127.0.0.1 localhost\n")?;
    fs::write(root.join("etc/hostname"), "mlx5-vm\n")?;
    for (link, target) in [("usr/bin/sh", "dash"), ("usr/bin/awk", "gawk")] {
        let link = root.join(link);
        if !link.exists() {
            std::os::unix::fs::symlink(target, &link)?;
        }
    }
    // rdma-core's own tests come as documentation of its Python package, partly compressed
    let (doc, tests) = (root.join("usr/share/doc"), root.join("usr/share/rdma-core-tests"));
    fs::create_dir_all(&tests)?;
    fs::rename(doc.join("rdma-core/tests"), tests.join("tests"))
        .context("the Python package has no tests")?;
    let done = Command::new("gzip").args(["-d", "-r"]).arg(&tests).status().context("running gzip")?;
    ensure!(done.success(), "rdma-core's tests do not decompress");
    fs::remove_dir_all(&doc)?;
    for dir in ["root", "tmp", "proc", "sys", "dev", "run", "usr/lib/modules"] {
        fs::create_dir_all(root.join(dir))?;
    }
    Ok(())
}

/// A program of the root, to be run on the host: by the root's own loader with the root's
/// libraries, so that neither a chroot nor any privilege is needed.
pub fn program(root: &Path, path: &str) -> Command {
    program_as(root, path, path.rsplit('/').next().unwrap_or(path))
}

/// The same for a program that goes by the name that it is called with.
pub fn program_as(root: &Path, path: &str, name: &str) -> Command {
    let mut c = Command::new(root.join("usr/lib64/ld-linux-x86-64.so.2"));
    c.arg("--inhibit-cache").arg("--library-path").arg(root.join("usr/lib/x86_64-linux-gnu"));
    c.arg("--argv0").arg(name).arg(root.join(path));
    c
}
