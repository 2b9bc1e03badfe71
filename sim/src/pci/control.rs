//! The control channel of a served card: a line in, a line out, in the words of the uverbs
//! face's channel as far as they are about the chip and not about the kernel.

use super::function::Function;
use crate::device::Fault;
use crate::words::{bytes, number, object_data, port_data};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

const HELP: &str = "\
event TYPE [SUBTYPE [HEX]]   the device raises an event with those data bytes
devx TYPE NUMBER [HEX]       the same, for the object of that number
port PORT up|down            a port changes state
fault CMD.OPCODE[#N]=STATUS[/SYNDROME]
                             the N-th such command from now (1, or * for every one) is refused
faults clear                 forget all faults";

/// Event type of a port that changes state.
const PORT_CHANGE: u8 = 0x09;

/// A socket for one client at a time.
pub struct Control {
    listener: UnixListener,
    client: Option<UnixStream>,
    pending: Vec<u8>,
}

impl Control {
    /// Listen at `path`.
    pub fn new(path: &Path) -> io::Result<Control> {
        let listener = UnixListener::bind(path)?;
        Ok(Control { listener, client: None, pending: Vec::new() })
    }

    /// The descriptor to wait on.
    pub fn descriptor(&self) -> i32 {
        self.client.as_ref().map_or(self.listener.as_raw_fd(), |c| c.as_raw_fd())
    }

    /// Something is to be read: a client, or lines for one of the cards.
    pub fn ready(&mut self, cards: &mut [&mut Function]) {
        let Some(client) = &mut self.client else {
            self.client = self.listener.accept().ok().map(|(c, _)| c);
            return;
        };
        let mut buf = [0; 4096];
        match client.read(&mut buf) {
            Ok(n) if n > 0 => self.pending.extend_from_slice(buf.get(..n).unwrap_or_default()),
            _ => {
                self.client = None;
                self.pending.clear();
                return;
            }
        }
        while let Some(end) = self.pending.iter().position(|b| *b == b'\n') {
            let line: Vec<u8> = self.pending.drain(..=end).collect();
            let reply = serve(cards, String::from_utf8_lossy(&line).trim());
            if client.write_all(reply.as_bytes()).is_err() {
                self.client = None;
                return;
            }
        }
    }
}

fn serve(cards: &mut [&mut Function], line: &str) -> String {
    match answer(cards, line) {
        Ok(()) => "ok\n".into(),
        Err(text) => format!("error {}\n", text.replace('\n', "; ")),
    }
}

/// Carry a line out. A card other than the first is chosen by a leading `@N`.
fn answer(cards: &mut [&mut Function], line: &str) -> Result<(), String> {
    let (n, line) = match line.strip_prefix('@').and_then(|l| l.split_once(' ')) {
        Some((n, rest)) => (number(n)?, rest),
        None => (0, line),
    };
    let card = usize::try_from(n).ok().and_then(|n| cards.get_mut(n)).ok_or(format!("no card {n}"))?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let kind =
        |word: &str| u8::try_from(number(word)?).map_err(|_| "an event type is at most 0xff".to_owned());
    match words.as_slice() {
        ["event", k] => raise(card, kind(k)?, 0, &[]),
        ["event", k, sub] => raise(card, kind(k)?, number(sub)? as u8, &[]),
        ["event", k, sub, hex] => raise(card, kind(k)?, number(sub)? as u8, &bytes(hex)?),
        ["devx", k, n] => raise(card, kind(k)?, 0, &object_data(kind(k)? as u64, number(n)?, &[])),
        ["devx", k, n, hex] => {
            raise(card, kind(k)?, 0, &object_data(kind(k)? as u64, number(n)?, &bytes(hex)?))
        }
        ["port", port, state] => {
            let (sub, data) = port_data(port, state)?;
            raise(card, PORT_CHANGE, sub, &data)
        }
        ["fault", rule] => card.inject(fault(rule)?),
        ["faults", "clear"] => card.clear_faults(),
        _ => return Err(format!("'{line}' is not understood; one of:\n{HELP}")),
    }
    Ok(())
}

/// A fault rule about a command. Kernel calls are the kernel's, no rule fails them here.
fn fault(rule: &str) -> Result<Fault, String> {
    let wrong = || format!("'{rule}' is not CMD.OPCODE[#N]=STATUS[/SYNDROME]: only commands fail on a card");
    let (what, outcome) = rule.split_once('=').ok_or_else(wrong)?;
    let (name, n) = what.split_once('#').unwrap_or((what, "1"));
    let opcode = number(name.strip_prefix("CMD.").ok_or_else(wrong)?)?;
    let occurrence = if n == "*" { 0 } else { number(n)? };
    let (status, syndrome) = outcome.split_once('/').unwrap_or((outcome, "0"));
    let fault = Fault {
        opcode: u16::try_from(opcode).map_err(|_| wrong())?,
        occurrence: u32::try_from(occurrence).map_err(|_| wrong())?,
        status: u8::try_from(number(status)?).map_err(|_| wrong())?,
        syndrome: u32::try_from(number(syndrome)?).map_err(|_| wrong())?,
    };
    if fault.status == 0 || (n != "*" && fault.occurrence == 0) { Err(wrong()) } else { Ok(fault) }
}

fn raise(card: &mut Function, kind: u8, sub: u8, data: &[u8]) {
    card.raise(kind, sub, data.get(..28).unwrap_or(data));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Config;
    use crate::pci::Kind;

    #[test]
    fn lines_are_answered_one_by_one() {
        let mut card = Function::new(Kind::Card(Config::default()));
        let mut say = |line: &str| serve(&mut [&mut card], line);
        assert_eq!(say("event 9 4 00"), "ok\n");
        assert_eq!(say("devx 4 17"), "ok\n");
        assert_eq!(say("@0 port 1 down"), "ok\n");
        assert_eq!(say("@1 port 1 down"), "error no card 1\n");
        assert!(say("port 1 sideways").starts_with("error a port goes up or down"));
        assert!(say("event 256").starts_with("error"));
        assert_eq!(say("fault CMD.0x800#2=0xf/0x34"), "ok\n");
        assert_eq!(say("fault CMD.0x800#*=1"), "ok\n");
        for wrong in ["QP.CREATE=ENOMEM", "CMD.0x800=0", "CMD.0x800#0=1", "CMD.0x80000=1", "CMD.0x800"] {
            assert!(say(&format!("fault {wrong}")).starts_with("error"), "{wrong}");
        }
        assert_eq!(say("faults clear"), "ok\n");
        assert!(say("").starts_with("error '' is not understood"));
    }
}
