//! Everything a run has: devices, open files, faults and the record. Front ends bring
//! system calls here.

use super::attrs::{Bundle, Wire};
use super::bus::Slots;
use super::client::{Client, FileKey, own_key, process_of};
use super::cx::{Cx, Reported};
use super::device::Device;
use super::events::{self, Event};
use super::fault::{BadRule, Faults, errno_name};
use super::file::OpenFile;
use super::handlers;
use super::options::Options;
use super::record::Record;
use super::spec::{Access, Generation, MethodSpec};
use nix::errno::Errno;
use std::collections::{BTreeMap, HashMap};
use std::fs::{File, OpenOptions};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Size of a shared file: larger than every mmap offset, and no write at its end can succeed.
const SHARED_BYTES: u64 = i64::MAX as u64;
/// What a file system that cannot hold that takes instead.
const SHARED_BYTES_SMALL: u64 = 1 << 37;

/// A run.
pub struct World {
    /// Its settings.
    pub options: Arc<Options>,
    /// The devices.
    pub devices: Vec<Device>,
    /// The record.
    pub record: Record,
    files: BTreeMap<u32, OpenFile>,
    by_key: HashMap<FileKey, u32>,
    slots: Arc<Slots>,
    run_dir: PathBuf,
    calls: u64,
}

/// A device file just opened.
pub struct Opened {
    /// Its number.
    pub number: u32,
    /// What the client gets.
    pub client_file: File,
    /// Where it lies, to watch for its last close.
    pub path: PathBuf,
}

/// What to do with a read of an event descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadVerdict {
    /// Let the native read go on.
    Native,
    /// Fail it.
    Fail(Errno),
}

impl World {
    /// A run with its files below `run_dir`.
    pub fn new(options: Options, run_dir: &Path) -> Result<World, BadRule> {
        let mut faults = Faults::default();
        for rule in &options.faults {
            faults.add(rule)?;
        }
        let out: Option<Box<dyn std::io::Write + Send>> = match &options.record {
            None => None,
            Some(path) if path.as_os_str() == "-" => Some(Box::new(std::io::stderr())),
            Some(path) => match OpenOptions::new().create(true).truncate(true).write(true).open(path) {
                Ok(file) => Some(Box::new(file)),
                Err(e) => {
                    eprintln!("mlx5-sim: record {}: {e}", path.display());
                    None
                }
            },
        };
        let record = Record::new(out, options.record_raw);
        let options = Arc::new(options);
        let slots = Arc::new(Slots::default());
        let devices = (0..options.devices)
            .map(|k| Device::new(k, options.clone(), faults.clone(), slots.clone()))
            .collect();
        Ok(World {
            options,
            devices,
            record,
            files: BTreeMap::new(),
            by_key: HashMap::new(),
            slots,
            run_dir: run_dir.to_path_buf(),
            calls: 0,
        })
    }

    /// Whether write(2) to a device file has to be looked at.
    pub fn wants_write(&self) -> bool {
        self.devices.iter().any(|d| d.faults.provokes_write())
    }

    /// Calls that have reached the emulated kernel.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Add a fault rule while the run goes on; it counts from now.
    pub fn add_fault(&mut self, rule: &str) -> Result<(), BadRule> {
        self.devices.iter_mut().try_for_each(|d| d.faults.add(rule))
    }

    /// Drop all fault rules.
    pub fn clear_faults(&mut self) {
        self.devices.iter_mut().for_each(|d| d.faults.clear());
    }

    /// The open file of an identity.
    pub fn number_of(&self, key: FileKey) -> Option<u32> {
        self.by_key.get(&key).copied()
    }

    /// An open file.
    pub fn file(&self, number: u32) -> Option<&OpenFile> {
        self.files.get(&number)
    }

    /// All open files of a device with the device.
    pub fn files_of(&mut self, device: usize) -> impl Iterator<Item = &mut OpenFile> {
        self.files.values_mut().filter(move |f| f.device == device)
    }

    /// Parts that the engine works on: all devices and files.
    pub fn parts(&mut self) -> (&mut Vec<Device>, &mut BTreeMap<u32, OpenFile>) {
        (&mut self.devices, &mut self.files)
    }

    /// Count a call; the errno that a rule for any call or for `name` gives it.
    fn counted(&mut self, device: usize, name: Option<&str>) -> Result<(), Errno> {
        let Some(dev) = self.devices.get_mut(device) else { return Ok(()) };
        let any = dev.faults.any();
        match any.or_else(|| name.and_then(|n| dev.faults.call(n))) {
            Some(errno) => Err(errno),
            None => Ok(()),
        }
    }

    /// open(2) of device `device` by thread `tid`.
    pub fn open(&mut self, device: usize, tid: i32) -> Result<Opened, Errno> {
        self.calls += 1;
        let opened = self.counted(device, Some("OPEN")).and_then(|()| self.open_counted(device, tid));
        match &opened {
            Ok(o) => self.record.event(&format!("open uverbs{device} -> ctx{}", o.number)),
            Err(e) => self.record.event(&format!("open uverbs{device} -> {}", errno_name(*e))),
        }
        opened
    }

    fn open_counted(&mut self, device: usize, tid: i32) -> Result<Opened, Errno> {
        if device >= self.devices.len() {
            return Err(Errno::ENXIO);
        }
        let number = (0..).find(|n| !self.files.contains_key(n)).ok_or(Errno::EMFILE)?;
        let path = self.run_dir.join(format!("ctx{number}"));
        let _ = std::fs::remove_file(&path);
        let io = |e: std::io::Error| e.raw_os_error().map_or(Errno::EIO, Errno::from_raw);
        let shared =
            OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path).map_err(io)?;
        shared.set_len(SHARED_BYTES).or_else(|_| shared.set_len(SHARED_BYTES_SMALL)).map_err(io)?;
        // appending at the end of a file of the largest size fails: a write that nobody
        // looked at cannot pass for a command
        let client_file = OpenOptions::new()
            .read(true)
            .append(true)
            .custom_flags(libc::O_CLOEXEC)
            .open(&path)
            .map_err(io)?;
        let key = own_key(shared.as_fd())?;
        self.files.insert(number, OpenFile::new(number, device, key, shared, process_of(tid)));
        self.by_key.insert(key, number);
        Ok(Opened { number, client_file, path })
    }

    /// The verbs ioctl.
    pub fn ioctl(&mut self, number: u32, client: &mut dyn Client, arg: u64) -> Result<(), Errno> {
        self.calls += 1;
        let generation = self.options.generation;
        let device = self.files.get(&number).map_or(0, |f| f.device);
        let wire = Wire::read(client, arg)?;
        let method = super::spec::method(generation, wire.header.object, wire.header.method);
        let text = self.record.call(&wire, method, generation, client);
        let result = self.counted(device, None).and_then(|()| self.serve(number, client, &wire));
        self.record.result(text, &wire, method, result, client);
        self.pump(device);
        if self.options.disassociate_after == Some(self.calls) {
            self.disassociate(device);
        }
        result
    }

    fn serve(&mut self, number: u32, client: &mut dyn Client, wire: &Wire) -> Result<(), Errno> {
        let generation = self.options.generation;
        let file = self.files.get_mut(&number).ok_or(Errno::ENOTTY)?;
        let dev = self.devices.get_mut(file.device).ok_or(Errno::EIO)?;
        let method = wire.method(generation)?;
        if handlers::is_hidden(dev, method.object) {
            return Err(Errno::EPROTONOSUPPORT);
        }
        // without a device, only giving handles back works
        let destroys = method.attrs.iter().any(|a| a.access == Access::Destroy);
        if file.disassociated && !destroys {
            return Err(Errno::EIO);
        }
        let bundle = Bundle::parse(wire.clone(), method, generation, client, file)?;
        let destroyed = bundle.destroyed;
        let mut cx = Cx {
            dev,
            file,
            client,
            generation,
            bundle: Some(bundle),
            write: None,
            reported: Reported::default(),
            pending: None,
            live: None,
        };
        let result = serve_parsed(&mut cx, method, destroyed);
        finish(&mut cx, result)
    }

    /// write(2) of an older command.
    pub fn write(
        &mut self,
        number: u32,
        client: &mut dyn Client,
        addr: u64,
        len: u64,
    ) -> Result<usize, Errno> {
        self.calls += 1;
        let generation = self.options.generation;
        let mut bytes = vec![0; (len as usize).min(0x1_0000)];
        client.read(addr, &mut bytes)?;
        let device = self.files.get(&number).map_or(0, |f| f.device);
        let mut result = self.counted(device, None);
        if let (Ok(()), Some(file)) = (result, self.files.get_mut(&number)) {
            result = match self.devices.get_mut(device) {
                Some(dev) => super::write_abi::serve(dev, file, client, generation, &bytes),
                None => Err(Errno::EIO),
            };
        }
        let result = result.map(|()| bytes.len());
        self.record.write_command(&bytes, result, client);
        self.pump(device);
        result
    }

    /// mmap(2) of a device file: whether it may go on.
    pub fn mmap(&mut self, number: u32, len: u64, prot: i32, offset: u64) -> Result<(), Errno> {
        self.calls += 1;
        let device = self.files.get(&number).map_or(0, |f| f.device);
        let result = self.counted(device, Some("MMAP")).and_then(|()| {
            let file = self.files.get_mut(&number).ok_or(Errno::EINVAL)?;
            let dev = self.devices.get_mut(device).ok_or(Errno::EINVAL)?;
            handlers::mmap::check(dev, file, len, prot, offset)
        });
        let outcome = result.map_or_else(errno_name, |()| "ok".into());
        self.record.event(&format!("mmap ctx{number} off={offset:#x} len={len} prot={prot} -> {outcome}"));
        result
    }

    /// read(2) of `len` bytes from an event descriptor.
    pub fn read(&mut self, key: FileKey, len: u64) -> ReadVerdict {
        for file in self.files.values_mut() {
            let gone = file.disassociated;
            if let Some(event) = file.event_fds.get_mut(&key) {
                return handlers::read::verdict(event, gone, len);
            }
        }
        ReadVerdict::Native
    }

    /// The last descriptor and mapping of a file are gone.
    pub fn release(&mut self, number: u32) {
        let Some(mut file) = self.files.remove(&number) else { return };
        self.by_key.remove(&file.key);
        let left = file.handles.len();
        let device = file.device;
        if let Some(dev) = self.devices.get_mut(device) {
            handlers::clean_up(dev, &mut file);
        }
        if !self.files.values().any(|f| f.opener == file.opener) {
            self.slots.retire(file.opener);
        }
        self.record.event(&format!("release ctx{number}, {left} objects left"));
        let _ = std::fs::remove_file(self.run_dir.join(format!("ctx{number}")));
        self.pump(device);
    }

    /// The client's end of an event descriptor is gone.
    pub fn event_fd_closed(&mut self, key: FileKey) {
        for file in self.files.values_mut() {
            if file.event_fds.remove(&key).is_some() {
                file.subscriptions.retain(|s| s.channel != key);
                if file.async_fd == Some(key) {
                    file.async_fd = None;
                }
            }
        }
    }

    /// The socket of an event descriptor takes more.
    pub fn event_fd_writable(&mut self, key: FileKey) {
        for file in self.files.values_mut() {
            if let Some(event) = file.event_fds.get_mut(&key) {
                event.flush();
            }
        }
    }

    /// Deliver what the device's event queues got.
    pub fn pump(&mut self, device: usize) {
        loop {
            let Some(dev) = self.devices.get_mut(device) else { return };
            let entries = dev.take_events();
            if entries.is_empty() {
                return;
            }
            for entry in entries {
                self.deliver(device, &Event::new(entry));
            }
        }
    }

    /// Deliver one event to all files of a device.
    pub fn deliver(&mut self, device: usize, event: &Event) {
        let Some(dev) = self.devices.get(device) else { return };
        let unaffiliated = handlers::devx_event::is_unaffiliated(dev, event.kind as u16);
        for file in self.files.values_mut().filter(|f| f.device == device) {
            events::deliver(file, event, unaffiliated);
        }
    }

    /// Take the device away, as hot removal does: mappings stay readable, commands answer EIO.
    pub fn disassociate(&mut self, device: usize) {
        let Some(dev) = self.devices.get_mut(device) else { return };
        for file in self.files.values_mut().filter(|f| f.device == device && !f.disassociated) {
            events::device_fatal(file);
            handlers::disassociate(dev, file);
        }
        self.record.event(&format!("disassociate uverbs{device}"));
    }

    /// Event descriptors made since the last call, to be watched for their last close.
    pub fn take_new_events(&mut self) -> Vec<(i32, FileKey)> {
        self.files.values_mut().flat_map(|f| f.new_events.drain(..)).collect()
    }
}

fn serve_parsed(cx: &mut Cx<'_>, method: &'static MethodSpec, destroyed: Option<u32>) -> Result<(), Errno> {
    let name = handlers::call_name(cx, method);
    if let Some(errno) = cx.dev.faults.call(&name) {
        return Err(errno);
    }
    if let Some(handle) = destroyed {
        cx.reported = match cx.file.disassociated {
            true => handlers::destroy_husk(cx.file, handle)?,
            false => handlers::destroy(cx.dev, cx.file, handle)?,
        };
    }
    handlers::run(cx, method)
}

/// After a method: a new object of a failed call disappears again.
pub fn finish(cx: &mut Cx<'_>, result: Result<(), Errno>) -> Result<(), Errno> {
    let udata = cx.bundle.as_ref().and_then(|b| b.find(super::cx::UHW_OUT).map(|g| (b, g)));
    let result = match (result, udata) {
        // a driver that succeeds counts as having written its output
        (Ok(()), Some((bundle, given))) => bundle.mark_valid(cx.client, given),
        (other, _) => other,
    };
    let reserved = cx.pending.take().or_else(|| cx.bundle.as_mut().and_then(|b| b.new_handle.take()));
    if let Some(handle) = reserved {
        cx.file.handles.release(handle);
    }
    if let (Err(_), Some(handle)) = (result, cx.live.take()) {
        let _ = handlers::destroy(cx.dev, cx.file, handle);
    }
    result
}

impl Generation {
    /// Whether this kernel is at least as new as `other`.
    pub fn has(self, other: Generation) -> bool {
        self >= other
    }
}
