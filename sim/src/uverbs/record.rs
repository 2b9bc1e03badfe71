//! The text record of every call, the same from run to run.
//!
//! Payloads are 32-bit words in the machine's byte order; long runs of zero are folded
//! (`0*count`). Descriptor numbers are left out. In what a client sends, an aligned 64-bit
//! value above 4 GiB at which it has memory is an address: a page-aligned one is printed
//! as `va<k>`, numbered by first appearance, any other as `va`.

use super::attrs::{Wire, WireAttr};
use super::client::Client;
use super::fault::errno_name;
use super::spec::{Access, Generation, Kind, MethodSpec, object_name, write_command};
use nix::errno::Errno;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;

/// Where records go, and what they remember.
#[derive(Default)]
pub struct Record {
    out: Option<Box<dyn std::io::Write + Send>>,
    raw: bool,
    calls: u64,
    pages: HashMap<u64, usize>,
}

impl Record {
    /// A record that goes to `out`; `raw` keeps addresses as they are.
    pub fn new(out: Option<Box<dyn std::io::Write + Send>>, raw: bool) -> Record {
        Record { out, raw, calls: 0, pages: HashMap::new() }
    }

    /// Whether anybody wants a record.
    pub fn is_on(&self) -> bool {
        self.out.is_some()
    }

    fn emit(&mut self, text: &str) {
        if let Some(out) = &mut self.out {
            // a record that cannot be written must not change what the program sees
            let _ = out.write_all(text.as_bytes());
            let _ = out.flush();
        }
    }

    /// Something that is not an ioctl.
    pub fn event(&mut self, text: &str) {
        if self.is_on() {
            self.emit(&format!("* {text}\n"));
        }
    }

    /// The call as sent, to be completed by [`Record::result`].
    pub fn call(
        &mut self,
        wire: &Wire,
        method: Option<&'static MethodSpec>,
        generation: Generation,
        client: &dyn Client,
    ) -> String {
        if !self.is_on() {
            return String::new();
        }
        self.calls += 1;
        let h = wire.header;
        let name = match (method, object_name(h.object)) {
            (Some(m), _) => format!("{}.{}", m.object_name, m.name),
            (None, Some(object)) => format!("{object}.{:#x}", h.method),
            (None, None) => format!("{:#x}.{:#x}", h.object, h.method),
        };
        let mut s = format!(
            "#{} {name} obj={:#x} method={:#x} driver={} attrs={} len={}\n",
            self.calls, h.object, h.method, h.driver, h.num_attrs, h.length
        );
        for attr in &wire.attrs {
            self.attribute(&mut s, attr, method, generation, client);
        }
        s
    }

    fn attribute(
        &mut self,
        s: &mut String,
        a: &WireAttr,
        method: Option<&'static MethodSpec>,
        generation: Generation,
        client: &dyn Client,
    ) {
        let spec = method.and_then(|m| m.attr(generation, a.id));
        let kind = spec.map(|x| x.kind);
        let direction = if kind == Some(Kind::PtrOut) { "out" } else { "in " };
        let _ = write!(
            s,
            "  {direction} {:#06x} {} len={} fl={:x}",
            a.id,
            spec.map_or("?", |x| x.name),
            a.len,
            a.flags
        );
        if a.extra != 0 {
            let _ = write!(s, " enum={}", a.extra & 0xff);
        }
        match (kind, spec.map(|x| x.access)) {
            (Some(Kind::PtrOut), _) => {}
            (Some(Kind::Idr | Kind::Fd), Some(Access::New)) => {
                let _ = write!(s, " data={:x}", a.data);
            }
            (Some(Kind::Idr), _) => {
                let _ = write!(s, " handle={}", a.data as i64);
            }
            (Some(Kind::Fd | Kind::RawFd), _) => s.push_str(" fd"),
            _ => {
                s.push_str(" :");
                match input(a, client) {
                    Some(bytes) => self.payload(s, &bytes, Some(client)),
                    None => s.push_str(" EFAULT"),
                }
                if spec.is_some_and(|x| x.name == "UVERBS_ATTR_WRITE_CMD") {
                    let name = write_command(a.data as u32).map_or("?", |w| w.name);
                    let _ = write!(s, " ({name})");
                }
            }
        }
        s.push('\n');
    }

    /// The call's outcome and outputs, after the text that [`Record::call`] returned.
    pub fn result(
        &mut self,
        mut s: String,
        wire: &Wire,
        method: Option<&'static MethodSpec>,
        result: Result<(), Errno>,
        client: &dyn Client,
    ) {
        if !self.is_on() {
            return;
        }
        match result {
            Err(errno) => {
                let _ = writeln!(s, "  = {}", errno_name(errno));
            }
            Ok(()) => s.push_str("  = 0\n"),
        }
        // a firmware refusal leaves the output mailbox filled
        if result.is_ok() || result == Err(Errno::EREMOTEIO) {
            for (index, attr) in wire.attrs.iter().enumerate() {
                if let Some(spec) = method.and_then(|m| m.attrs.iter().find(|x| x.id == attr.id)) {
                    self.returned(&mut s, wire, index, attr, spec.kind, spec.access, client);
                }
            }
        }
        self.emit(&s);
    }

    #[allow(clippy::too_many_arguments)]
    fn returned(
        &mut self,
        s: &mut String,
        wire: &Wire,
        index: usize,
        a: &WireAttr,
        kind: Kind,
        access: Access,
        client: &dyn Client,
    ) {
        let mut now = [0u8; 16];
        if client.read(wire.attr_addr(index), &mut now).is_err() {
            return;
        }
        match (kind, access) {
            (Kind::Idr, Access::New) => {
                let handle = super::bytes::In(&now).u64(8) as i64;
                let _ = writeln!(s, "  ret {:#06x} handle={handle}", a.id);
            }
            (Kind::Fd, Access::New) => {
                let _ = writeln!(s, "  ret {:#06x} fd", a.id);
            }
            (Kind::PtrOut, _) if super::bytes::In(&now).u16(4) & 2 != 0 => {
                let _ = write!(s, "  ret {:#06x} :", a.id);
                let mut bytes = vec![0; a.len as usize];
                match client.read(a.data, &mut bytes) {
                    Ok(()) => self.payload(s, &bytes, None),
                    Err(_) => s.push_str(" EFAULT"),
                }
                s.push('\n');
            }
            _ => {}
        }
    }

    /// A write command as sent and its outcome.
    pub fn write_command(&mut self, bytes: &[u8], result: Result<usize, Errno>, client: &dyn Client) {
        if !self.is_on() {
            return;
        }
        self.calls += 1;
        let word = super::bytes::In(bytes).u32(0);
        let name = write_command(word).map_or("?", |w| w.name);
        let mut s = format!("#{} write {name} len={} :", self.calls, bytes.len());
        self.payload(&mut s, bytes, Some(client));
        match result {
            Ok(n) => {
                let _ = writeln!(s, "\n  = {n}");
            }
            Err(errno) => {
                let _ = writeln!(s, "\n  = {}", errno_name(errno));
            }
        }
        self.emit(&s);
    }

    fn payload(&mut self, s: &mut String, bytes: &[u8], sender: Option<&dyn Client>) {
        let mut words = bytes.chunks_exact(8).peekable();
        while let Some(chunk) = words.next() {
            let value = chunk.try_into().map_or(0, u64::from_ne_bytes);
            if value == 0 {
                let mut run = 1;
                while words.peek().is_some_and(|next| next.iter().all(|b| *b == 0)) {
                    words.next();
                    run += 1;
                }
                match run {
                    1..=3 => (0..run).for_each(|_| s.push_str(" 00000000 00000000")),
                    _ => {
                        let _ = write!(s, " 0*{}", run * 2);
                    }
                }
                continue;
            }
            match sender.filter(|c| self.is_address(value, *c)) {
                Some(_) if value & 0xfff != 0 => s.push_str(" va"),
                Some(_) => {
                    let next = self.pages.len();
                    let k = *self.pages.entry(value >> 12).or_insert(next);
                    let _ = write!(s, " va{k}");
                }
                None => {
                    let _ = write!(s, " {:08x} {:08x}", value as u32, value >> 32);
                }
            }
        }
        let rest = bytes.chunks_exact(8).remainder();
        for word in rest.chunks_exact(4) {
            let _ = write!(s, " {:08x}", word.try_into().map_or(0, u32::from_ne_bytes));
        }
        for byte in rest.chunks_exact(4).remainder() {
            let _ = write!(s, " {byte:02x}");
        }
    }

    fn is_address(&self, value: u64, client: &dyn Client) -> bool {
        !self.raw && value >> 32 != 0 && value >> 47 == 0 && client.read(value, &mut [0]).is_ok()
    }
}

fn input(a: &WireAttr, client: &dyn Client) -> Option<Vec<u8>> {
    if a.len <= 8 {
        return Some(a.data.to_ne_bytes().into_iter().take(a.len as usize).collect());
    }
    let mut bytes = vec![0; a.len as usize];
    client.read(a.data, &mut bytes).ok()?;
    Some(bytes)
}
