//! RDMA netlink: the answers a library or tool gets to its requests.

use super::device::Device;
use super::handlers::gid;
use super::sysfs::{FIRST_MINOR, MAJOR};

/// Length of a message header.
const HEADER: usize = 16;
const FLAG_MULTI: u16 = 2;
const FLAG_ACK: u16 = 4;
const FLAG_DUMP: u16 = 0x300;
const TYPE_ERROR: u16 = 2;
const TYPE_DONE: u16 = 3;

/// Commands of the device family (client 5, in the upper bits of the type).
mod command {
    pub const GET: u16 = 1;
    pub const PORT_GET: u16 = 5;
    pub const SYS_GET: u16 = 6;
    pub const GET_CHARDEV: u16 = 15;
}

/// Attributes of the device family (`rdma_netlink.h`).
mod attr {
    pub const DEV_INDEX: u16 = 1;
    pub const DEV_NAME: u16 = 2;
    pub const PORT_INDEX: u16 = 3;
    pub const FW_VERSION: u16 = 5;
    pub const NODE_GUID: u16 = 6;
    pub const SYS_IMAGE_GUID: u16 = 7;
    pub const PORT_STATE: u16 = 12;
    pub const PORT_PHYS_STATE: u16 = 13;
    pub const DEV_NODE_TYPE: u16 = 14;
    pub const NDEV_INDEX: u16 = 50;
    pub const NDEV_NAME: u16 = 51;
    pub const SYS_NETNS_MODE: u16 = 66;
    pub const CHARDEV_TYPE: u16 = 69;
    pub const CHARDEV_NAME: u16 = 70;
    pub const CHARDEV_ABI: u16 = 71;
    pub const CHARDEV: u16 = 72;
    pub const UVERBS_DRIVER_ID: u16 = 73;
    pub const SYS_COPY_ON_FORK: u16 = 93;
}

struct Message(Vec<u8>);

impl Message {
    fn new(kind: u16, flags: u16, sequence: u32, port: u32) -> Message {
        let mut b = vec![0; 4];
        b.extend_from_slice(&kind.to_ne_bytes());
        b.extend_from_slice(&flags.to_ne_bytes());
        b.extend_from_slice(&sequence.to_ne_bytes());
        b.extend_from_slice(&port.to_ne_bytes());
        Message(b)
    }

    fn put(&mut self, kind: u16, data: &[u8]) -> &mut Message {
        self.0.extend_from_slice(&(4 + data.len() as u16).to_ne_bytes());
        self.0.extend_from_slice(&kind.to_ne_bytes());
        self.0.extend_from_slice(data);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }

    fn text(&mut self, kind: u16, s: &str) -> &mut Message {
        let mut b = s.as_bytes().to_vec();
        b.push(0);
        self.put(kind, &b)
    }

    fn done(mut self) -> Vec<u8> {
        let len = self.0.len() as u32;
        for (to, from) in self.0.iter_mut().zip(len.to_ne_bytes()) {
            *to = from;
        }
        self.0
    }
}

fn u16_at(b: &[u8], at: usize) -> u16 {
    super::bytes::In(b).u16(at)
}

fn u32_at(b: &[u8], at: usize) -> u32 {
    super::bytes::In(b).u32(at)
}

/// The value of a 32-bit attribute of a request.
fn find_u32(request: &[u8], kind: u16) -> Option<u32> {
    let mut at = HEADER;
    while at + 4 <= request.len() {
        let len = u16_at(request, at) as usize;
        if len < 4 {
            return None;
        }
        if u16_at(request, at + 2) & 0x3fff == kind && len >= 8 {
            return Some(u32_at(request, at + 4));
        }
        at += len.next_multiple_of(4);
    }
    None
}

/// The messages that answer one request of a socket with that port id.
pub fn answer(devices: &mut [Device], request: &[u8], port: u32) -> Vec<Vec<u8>> {
    let (kind, flags, sequence) = (u16_at(request, 4), u16_at(request, 6), u32_at(request, 8));
    let dump = flags & FLAG_DUMP == FLAG_DUMP;
    let wanted = find_u32(request, attr::DEV_INDEX).map(|k| k as usize);
    let message = |multi: bool| Message::new(kind, if multi { FLAG_MULTI } else { 0 }, sequence, port);
    let mut answers = Vec::new();
    match kind & 0x3ff {
        command::GET | command::PORT_GET => {
            for dev in devices.iter().filter(|d| dump && wanted.is_none() || wanted == Some(d.index)) {
                let mut m = message(dump);
                describe(&mut m, dev, kind & 0x3ff == command::PORT_GET);
                answers.push(m.done());
            }
            if answers.is_empty() && !dump {
                return vec![error(request, port, -libc::ENODEV)];
            }
        }
        command::GET_CHARDEV => {
            let Some(dev) = devices.get(wanted.unwrap_or(0)) else {
                return vec![error(request, port, -libc::ENODEV)];
            };
            let minor = FIRST_MINOR + dev.index as u32;
            let number = (MAJOR as u64) << 8 | minor as u64 & 0xff | (minor as u64 & !0xff) << 12;
            let mut m = message(false);
            m.text(attr::CHARDEV_TYPE, "uverbs")
                .put(attr::CHARDEV, &number.to_ne_bytes())
                .put(attr::CHARDEV_ABI, &1u64.to_ne_bytes())
                .text(attr::CHARDEV_NAME, &format!("uverbs{}", dev.index))
                .put(attr::UVERBS_DRIVER_ID, &1u32.to_ne_bytes());
            answers.push(m.done());
        }
        command::SYS_GET => {
            let mut m = message(false);
            m.put(attr::SYS_NETNS_MODE, &[1]).put(attr::SYS_COPY_ON_FORK, &[1]);
            answers.push(m.done());
        }
        _ => return vec![error(request, port, -libc::EOPNOTSUPP)],
    }
    if dump {
        let mut m = Message::new(TYPE_DONE, FLAG_MULTI, sequence, port);
        m.0.extend_from_slice(&[0; 4]);
        answers.push(m.done());
    } else if flags & FLAG_ACK != 0 {
        answers.push(error(request, port, 0));
    }
    answers
}

fn describe(m: &mut Message, dev: &Device, port: bool) {
    m.put(attr::DEV_INDEX, &(dev.index as u32).to_ne_bytes())
        .text(attr::DEV_NAME, &format!("mlx5_{}", dev.index))
        .put(attr::PORT_INDEX, &(dev.options.ports as u32).to_ne_bytes());
    if port {
        m.put(attr::PORT_STATE, &[4])
            .put(attr::PORT_PHYS_STATE, &[5])
            .put(attr::NDEV_INDEX, &1u32.to_ne_bytes())
            .text(attr::NDEV_NAME, "lo");
        return;
    }
    let guid = gid::node_guid(dev).to_ne_bytes();
    m.text(attr::FW_VERSION, "28.43.1000")
        .put(attr::NODE_GUID, &guid)
        .put(attr::SYS_IMAGE_GUID, &guid)
        .put(attr::DEV_NODE_TYPE, &[1]);
}

/// An error message, or the acknowledgement that it is with 0.
fn error(request: &[u8], port: u32, code: i32) -> Vec<u8> {
    let mut m = Message::new(TYPE_ERROR, 0, u32_at(request, 8), port);
    m.0.extend_from_slice(&code.to_ne_bytes());
    m.0.extend_from_slice(request.get(..HEADER).unwrap_or(request));
    m.done()
}
