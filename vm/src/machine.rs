//! A running guest: the card, the shared folders and QEMU, all children of this process.

use crate::channel::{Channel, Outcome};
use crate::cpio::Archive;
use crate::instance::Instance;
use crate::signals::{self, LastWish};
use crate::{kernel, root};
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest time from power-on to a prompt, on a busy machine.
const BOOT_LIMIT: Duration = Duration::from_secs(150);
/// Longest time for the card and the folders to offer their sockets.
const SOCKET_LIMIT: Duration = Duration::from_secs(20);

/// What a guest is booted with.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Name of the kernel.
    pub kernel: String,
    /// What the ports speak: `ib` or `eth`.
    pub port: String,
    /// Number of cards.
    pub cards: u8,
    /// Ports of a card.
    pub ports: u8,
    /// Whether the first card has its data-direct companion.
    pub data_direct: bool,
    /// Fields of capability pages to set, as the card's program takes them.
    pub cap: Vec<String>,
    /// Whether the drivers are loaded at boot.
    pub driver: bool,
    /// Guest memory in MiB.
    pub memory: u32,
    /// Processors. The driver makes a completion vector for each.
    pub cpus: u8,
    /// More for the kernel's command line.
    pub append: String,
    /// Folders that the guest sees at the same paths.
    pub shares: Vec<PathBuf>,
}

impl Spec {
    /// A text that is equal for guests that can stand for each other.
    pub fn key(&self) -> String {
        format!("{self:?}")
    }
}

/// A running guest.
pub struct Machine {
    children: Vec<(&'static str, Child)>,
    /// Its folder.
    pub instance: Instance,
}

impl Machine {
    /// Boot, and wait for the prompt. `sim` is the card's program.
    pub fn boot(spec: &Spec, cache: &Path, sim: &Path) -> Result<(Machine, Channel)> {
        let release = root::RELEASES[0].0;
        let tools = root::folder(cache, release);
        let instance = Instance::create()?;
        signals::on_end(Some(LastWish::Remove(instance.dir.clone())));
        let mut m = Machine { children: Vec::new(), instance };
        fs::write(m.path("initrd"), m.initrd(spec, cache, release)?)?;
        m.start_card(spec, sim)?;
        let mut shares = vec![("cache".to_owned(), cache.to_owned(), true)];
        shares.extend(spec.shares.iter().enumerate().map(|(k, s)| (format!("share{k}"), s.clone(), false)));
        for (tag, dir, read_only) in &shares {
            m.start_share(&tools, tag, dir, *read_only)?;
        }
        let tags: Vec<&str> = shares.iter().map(|s| s.0.as_str()).collect();
        m.start_qemu(spec, cache, &tools, &tags)?;
        let mut channel = m.wait_for_channel()?;
        match channel.wait_ready(BOOT_LIMIT)? {
            Outcome::Exit(_) => Ok((m, channel)),
            Outcome::TimedOut => bail!("no prompt in {BOOT_LIMIT:?}\n{}", m.logs()),
            Outcome::Died => bail!("the guest ended while booting\n{}", m.logs()),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.instance.dir.join(name)
    }

    /// The fixed initial RAM file system, and after it the scripts and what they read.
    fn initrd(&self, spec: &Spec, cache: &Path, release: &str) -> Result<Vec<u8>> {
        let mut bytes = fs::read(kernel::folder(cache, &spec.kernel).join("initrd"))?;
        let mut boot = format!(
            "release={release}\nkernel={}\nport={}\ncards={}\ndriver={}\n",
            spec.kernel,
            spec.port,
            spec.cards,
            if spec.driver { "yes" } else { "no" }
        );
        for (k, dir) in spec.shares.iter().enumerate() {
            let dir = dir.to_str().context("a shared folder's name is not text")?;
            boot.push_str(&format!("share{k}='{}'\n", dir.replace('\'', "'\\''")));
        }
        let mut a = Archive::default();
        a.program("init", include_bytes!("../guest/init"));
        a.program("vm/agent", include_bytes!("../guest/agent"));
        a.program("vm/roots", include_bytes!("../guest/roots"));
        a.program("vm/driver", include_bytes!("../guest/driver"));
        a.file("vm/boot", boot.as_bytes());
        bytes.extend_from_slice(&a.finish());
        Ok(bytes)
    }

    /// Start a child with its output in `NAME.log`, in the instance's folder.
    fn start(&mut self, name: &'static str, log: &str, mut command: Command) -> Result<()> {
        let log = File::create(self.path(&format!("{log}.log")))?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).current_dir(&self.instance.dir);
        let child =
            signals::bind(&mut command).spawn().with_context(|| format!("starting {name} ({command:?})"))?;
        self.children.push((name, child));
        Ok(())
    }

    fn start_card(&mut self, spec: &Spec, sim: &Path) -> Result<()> {
        ensure!(sim.exists(), "the card's program is not built: cargo build -p sim");
        let mut c = Command::new(sim);
        c.args(["--once", "--port", &spec.port, "--ports", &spec.ports.to_string()]);
        c.args(["--control", "card.sock"]);
        for k in 0..spec.cards {
            c.args(["--socket", &format!("card{k}.sock")]);
        }
        if spec.data_direct {
            c.args(["--data-direct", "direct.sock"]);
        }
        for cap in &spec.cap {
            c.args(["--cap", cap]);
        }
        self.start("the card", "card", c)?;
        // the control channel's socket is the last that it makes
        self.wait_for("card.sock")
    }

    fn start_share(&mut self, tools: &Path, tag: &str, dir: &Path, read_only: bool) -> Result<()> {
        let mut c = root::program(tools, "usr/libexec/virtiofsd");
        let socket = format!("{tag}.sock");
        c.args(["--sandbox", "none", "--inode-file-handles=never", "--log-level", "error"]);
        // the cache does not change under a running guest, the checkout does
        c.args(["--cache", if read_only { "always" } else { "auto" }]);
        if read_only {
            c.arg("--readonly");
        }
        c.arg("--socket-path").arg(&socket).arg("--shared-dir").arg(dir);
        self.start("virtiofsd", tag, c)?;
        self.wait_for(&socket)
    }

    fn start_qemu(&mut self, spec: &Spec, cache: &Path, tools: &Path, tags: &[&str]) -> Result<()> {
        let kernel = kernel::folder(cache, &spec.kernel);
        let mut c = root::program(tools, "usr/bin/qemu-system-x86_64");
        c.args(["-L"]).arg(tools.join("usr/share/qemu")).arg("-L").arg(tools.join("usr/share/seabios"));
        c.args(["-accel", "tcg,thread=multi", "-M", "q35,smm=off,hpet=off", "-cpu", "Nehalem"]);
        c.args(["-smp", &spec.cpus.to_string()]);
        c.args(["-m", &spec.memory.to_string()]);
        c.args(["-object", &format!("memory-backend-memfd,id=ram,size={}M,share=on", spec.memory)]);
        c.args(["-machine", "memory-backend=ram", "-nodefaults", "-no-user-config", "-display", "none"]);
        c.args(["-no-reboot", "-serial", "file:serial.log"]);
        c.arg("-kernel").arg(kernel.join("vmlinux")).args(["-initrd", "initrd"]);
        c.args([
            "-append",
            &format!("console=ttyS0 quiet panic=-1 oops=panic mitigations=off nokaslr {}", spec.append),
        ]);
        for tag in tags {
            c.args(["-chardev", &format!("socket,id={tag},path={tag}.sock")]);
            c.args(["-device", &format!("vhost-user-fs-pci,chardev={tag},tag={tag}")]);
        }
        c.args(["-device", "virtio-serial-pci"]);
        for port in ["control", "out", "err"] {
            c.args(["-chardev", &format!("socket,id={port},path={port}.sock,server=on,wait=off")]);
            c.args(["-device", &format!("virtserialport,chardev={port},name=mlx5.{port}")]);
        }
        c.args(["-chardev", "socket,id=card,path=card.sock"]);
        c.args(["-device", "virtserialport,chardev=card,name=mlx5.card"]);
        let mut sockets: Vec<String> = (0..spec.cards).map(|k| format!("card{k}.sock")).collect();
        if spec.data_direct {
            sockets.push("direct.sock".into());
        }
        for (k, socket) in sockets.iter().enumerate() {
            c.args(["-device", &format!("pcie-root-port,id=port{k},chassis={k},slot={k}")]);
            c.args([
                "-device",
                &format!(
                    "{{\"driver\":\"vfio-user-pci\",\"bus\":\"port{k}\",\
                     \"socket\":{{\"path\":\"{socket}\",\"type\":\"unix\"}}}}"
                ),
            ]);
        }
        self.start("QEMU", "qemu", c)
    }

    fn wait_for(&mut self, socket: &str) -> Result<()> {
        let deadline = Instant::now() + SOCKET_LIMIT;
        while !self.path(socket).exists() {
            self.check_children()?;
            ensure!(Instant::now() < deadline, "no {socket} in {SOCKET_LIMIT:?}\n{}", self.logs());
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    fn wait_for_channel(&mut self) -> Result<Channel> {
        self.wait_for("err.sock")?;
        Channel::open(&self.instance.dir).with_context(|| self.logs())
    }

    fn check_children(&mut self) -> Result<()> {
        let mut gone = None;
        for (name, child) in &mut self.children {
            if let Some(status) = child.try_wait()? {
                gone = Some((*name, status));
            }
        }
        match gone {
            Some((name, status)) => bail!("{name} ended early ({status})\n{}", self.logs()),
            None => Ok(()),
        }
    }

    /// Whether everything still runs.
    pub fn alive(&mut self) -> bool {
        self.check_children().is_ok()
    }

    /// The ends of all logs.
    pub fn logs(&self) -> String {
        logs(&self.instance.dir)
    }
}

/// The ends of the logs in an instance's folder.
pub fn logs(dir: &Path) -> String {
    let mut text = String::new();
    let mut files: Vec<PathBuf> =
        fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    for file in files.iter().filter(|f| f.extension().is_some_and(|x| x == "log")) {
        let log = fs::read(file).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        let tail = lines.get(lines.len().saturating_sub(40)..).unwrap_or_default();
        if !tail.is_empty() {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            text.push_str(&format!("--- {name}\n{}\n", tail.join("\n")));
        }
    }
    text
}

impl Drop for Machine {
    fn drop(&mut self) {
        // QEMU first, so that nothing else complains of its end
        for (_, child) in self.children.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
        signals::on_end(None);
    }
}
