//! The control channel: a line in, a line out. Raises events, adds faults, takes devices away.

use super::events::{self, Event};
use super::world::World;
use crate::words::{bytes, number, object_data, port_data};

/// What can be asked, for help and errors.
pub const HELP: &str = "\
event TYPE [SUBTYPE [HEX]]   the device raises an event with those data bytes
devx TYPE NUMBER [HEX]       the same, for the object of that number
async EVENT [ELEMENT]        an asynchronous verbs event by number
comp CQN                     a completion event
port PORT up|down            a port changes state
overflow                     DEVX event channels have lost a record
fault RULE                   add a fault rule; it counts from now
faults clear                 drop all fault rules
calls                        how many calls have reached the emulated kernel
disassociate                 the device is removed";

/// Serve one line. A device other than the first is chosen by a leading `@N`.
pub fn serve(world: &mut World, line: &str) -> String {
    match answer(world, line.trim()) {
        Ok(text) if text.is_empty() => "ok\n".into(),
        Ok(text) => format!("ok {text}\n"),
        Err(text) => format!("error {text}\n"),
    }
}

fn answer(world: &mut World, line: &str) -> Result<String, String> {
    let (device, line) = match line.strip_prefix('@') {
        Some(rest) => {
            let (n, rest) = rest.split_once(' ').ok_or("nothing after the device number")?;
            (number(n)? as usize, rest)
        }
        None => (0, line),
    };
    if device >= world.devices.len() {
        return Err(format!("no device {device}"));
    }
    let mut words = line.split_whitespace();
    let verb = words.next().unwrap_or("");
    let rest: Vec<&str> = words.collect();
    match (verb, rest.as_slice()) {
        ("event", [kind]) => raise(world, device, number(kind)?, 0, &[]),
        ("event", [kind, sub]) => raise(world, device, number(kind)?, number(sub)?, &[]),
        ("event", [kind, sub, hex]) => raise(world, device, number(kind)?, number(sub)?, &bytes(hex)?),
        ("devx", [kind, n]) => object_event(world, device, number(kind)?, number(n)?, &[]),
        ("devx", [kind, n, hex]) => object_event(world, device, number(kind)?, number(n)?, &bytes(hex)?),
        ("async", [kind]) => verbs_event(world, device, number(kind)?, 0),
        ("async", [kind, element]) => verbs_event(world, device, number(kind)?, number(element)?),
        ("comp", [cqn]) => {
            let mut data = [0u8; 28];
            prm::bits::set(&mut data, 24 * 8, 32, number(cqn)?);
            synthetic(world, device, 0, 0, &data);
            Ok(String::new())
        }
        ("port", [port, state]) => {
            let (sub, data) = port_data(port, state)?;
            raise(world, device, events::kinds::PORT_CHANGE as u64, sub as u64, &data)
        }
        ("overflow", []) => {
            for file in world.files_of(device) {
                file.event_fds.values_mut().for_each(|e| e.overflow = true);
            }
            Ok(String::new())
        }
        ("fault", [rule]) => world.add_fault(rule).map(|()| String::new()).map_err(|e| e.to_string()),
        ("faults", ["clear"]) => {
            world.clear_faults();
            Ok(String::new())
        }
        ("calls", []) => Ok(world.calls().to_string()),
        ("disassociate", []) => {
            world.disassociate(device);
            Ok(String::new())
        }
        _ => Err(format!("'{line}' is not understood; one of:\n{HELP}")),
    }
}

/// Through the chip and its event queues, as a real event.
fn raise(world: &mut World, device: usize, kind: u64, sub: u64, data: &[u8]) -> Result<String, String> {
    let kind = u8::try_from(kind).map_err(|_| "an event type is at most 0xff")?;
    if kind == events::kinds::COMPLETION {
        return Err("completion events are raised with 'comp'".into());
    }
    if let Some(dev) = world.devices.get_mut(device) {
        let data = data.get(..data.len().min(28)).unwrap_or(&[]);
        dev.chip.raise(&dev.bus, kind, sub as u8, data);
    }
    world.pump(device);
    Ok(String::new())
}

/// An event that names an object: its number goes where events of that type have it.
fn object_event(world: &mut World, device: usize, kind: u64, n: u64, extra: &[u8]) -> Result<String, String> {
    if kind == events::kinds::COMPLETION as u64 {
        let mut data = [0u8; 28];
        prm::bits::set(&mut data, 24 * 8, 32, n);
        synthetic(world, device, 0, 0, &data);
        return Ok(String::new());
    }
    let data = object_data(kind, n, extra);
    raise(world, device, kind, 0, &data)
}

fn synthetic(world: &mut World, device: usize, kind: u8, sub: u8, data: &[u8; 28]) {
    let mut entry = [0u8; 64];
    entry[1] = kind;
    entry[3] = sub;
    entry[32..60].copy_from_slice(data);
    world.deliver(device, &Event::new(entry));
}

fn verbs_event(world: &mut World, device: usize, kind: u64, element: u64) -> Result<String, String> {
    let kind = u32::try_from(kind).map_err(|_| "an event number is at most 32 bits")?;
    world.files_of(device).for_each(|f| events::raise_async(f, element, kind));
    Ok(String::new())
}

/// Send a line to the control channel of the run this process is in; its answer.
pub fn send(line: &str) -> Result<String, String> {
    use nix::sys::socket::{
        AddressFamily, MsgFlags, SockFlag, SockType, UnixAddr, connect, recv, send, socket,
    };
    use std::os::fd::AsRawFd;
    if line == "help" {
        return Ok(format!("{HELP}\n"));
    }
    let outside = "no control channel: this only works in a program that 'mlx5-sim run' started";
    let path = std::env::var_os(super::supervisor::CONTROL_ENV).ok_or(outside)?;
    let why = |e: nix::errno::Errno| format!("control channel: {e}");
    let fd = socket(AddressFamily::Unix, SockType::SeqPacket, SockFlag::SOCK_CLOEXEC, None).map_err(why)?;
    let address = UnixAddr::new(std::path::Path::new(&path)).map_err(why)?;
    connect(fd.as_raw_fd(), &address).map_err(why)?;
    send(fd.as_raw_fd(), line.as_bytes(), MsgFlags::MSG_NOSIGNAL).map_err(why)?;
    let mut reply = vec![0u8; 4096];
    let n = recv(fd.as_raw_fd(), &mut reply, MsgFlags::empty()).map_err(why)?;
    let text = String::from_utf8_lossy(reply.get(..n).unwrap_or(&[])).into_owned();
    match text.strip_prefix("error ") {
        Some(reason) => Err(reason.trim_end().to_string()),
        None => Ok(text),
    }
}
