//! One device: the chip, and what a driver sets up on it before any process comes.

use super::bus::{Bus, Slots};
use super::fault::{Faults, Outcome};
use super::mailbox::Mailbox;
use super::options::Options;
use crate::device::{Chip, Config, PortType, VAR_BAR};
use nix::errno::Errno;
use std::sync::Arc;

/// Completion vectors that the driver offers.
pub const COMPLETION_VECTORS: u32 = 4;
const EQ_LOG_SIZE: u32 = 10;

/// An event queue of the driver.
#[derive(Debug)]
struct EventQueue {
    number: u32,
    buffer: u64,
    consumer: u32,
}

/// Answer of a device command.
#[derive(Debug)]
pub struct Reply {
    /// The output mailbox; its head has status and syndrome.
    pub out: Vec<u8>,
    /// Status, 0 for success.
    pub status: u8,
}

impl Reply {
    /// A field of the output.
    pub fn get(&self, bit: usize, width: usize) -> u64 {
        prm::bits::get(&self.out, bit, width)
    }
}

/// Keys with a meaning of their own (QUERY_SPECIAL_CONTEXTS).
#[derive(Clone, Copy, Debug, Default)]
pub struct SpecialKeys {
    /// Key whose memory swallows writes and reads as zero.
    pub null: u32,
    /// Key of the dump-and-fill work request.
    pub dump_fill: u32,
    /// Key of all of memory, for the driver.
    pub reserved: u32,
}

/// One device.
pub struct Device {
    /// Its place: `mlx5_<index>`, `uverbs<index>`.
    pub index: usize,
    /// The chip.
    pub chip: Chip,
    /// The chip's outside.
    pub bus: Bus,
    /// What the run is asked to be.
    pub options: Arc<Options>,
    /// Rules for device commands and calls.
    pub faults: Faults,
    /// Protection domain of the driver.
    pub pd: u32,
    /// UAR page of the driver.
    pub uar: u32,
    /// The user context that whitelisted queries of plain contexts run in.
    pub whitelist_uid: u16,
    /// Special keys.
    pub keys: SpecialKeys,
    /// Event types a user may subscribe to for an object, one bit each.
    pub affiliated_events: [u64; 4],
    /// Event types a user may subscribe to for the device.
    pub unaffiliated_events: [u64; 4],
    /// Current general capabilities.
    pub general: Vec<u8>,
    /// Serial number of the next memory key tag.
    pub next_key_tag: u8,
    /// Packet pacing entries in use.
    pub pacing: Vec<super::handlers::uar::PacingEntry>,
    /// Virtio doorbell regions in use.
    pub vars: Vec<bool>,
    /// Pages of device memory in use.
    pub memic_pages: Vec<bool>,
    /// Ranges of steering memory in use.
    pub icm: Vec<(u64, u64)>,
    /// Flow tables, in the order they are gone through.
    pub flow_tables: Vec<super::handlers::flow_table::FlowTable>,
    /// Matchers made so far.
    pub matchers: u64,
    /// Queues of the driver's own, once something needs them.
    pub spare: Option<super::handlers::srq::Spare>,
    async_eq: Option<EventQueue>,
    completion_eqs: Vec<EventQueue>,
}

impl Device {
    /// Make a chip and bring it up as a driver does.
    pub fn new(index: usize, options: Arc<Options>, faults: Faults, slots: Arc<Slots>) -> Device {
        let base = Config::default();
        let config = Config {
            port_type: options.port,
            ports: options.ports,
            caps: options.caps.clone(),
            vuid: format!("MT2099X{index:05}SIMCX7S0D0F0"),
            data_direct: options.data_direct,
            guid: Config::default().guid + 0x10 * index as u64,
            mac: Config::default().mac + ((index as u64) << 8),
            ..base
        };
        let mut device = Device {
            index,
            chip: Chip::new(config),
            bus: Bus::new(slots),
            options,
            faults: Faults::default(),
            pd: 0,
            uar: 0,
            whitelist_uid: 0,
            keys: SpecialKeys::default(),
            affiliated_events: [0; 4],
            unaffiliated_events: [0; 4],
            general: vec![0; 4096],
            next_key_tag: 0,
            pacing: Vec::new(),
            vars: vec![false; ((VAR_BAR.end - VAR_BAR.start) / 4096) as usize],
            memic_pages: Vec::new(),
            icm: Vec::new(),
            flow_tables: Vec::new(),
            matchers: 0,
            spare: None,
            async_eq: None,
            completion_eqs: Vec::new(),
        };
        device.bring_up();
        device.faults = faults;
        device
    }

    fn bring_up(&mut self) {
        self.boot(0x104, 16, 16); // ENABLE_HCA
        let issi = self.boot(0x10a, 16, 112); // QUERY_ISSI
        if issi.get(0x360, 32) & 2 != 0 {
            let mut set = Mailbox::command(0x10b, 0, 16); // SET_ISSI
            set.set(0x50, 16, 1);
            self.run(&set, 16);
        }
        self.give_pages(1);
        self.general = self.capabilities(0);
        self.give_pages(2);
        self.boot(0x102, 16, 16); // INIT_HCA
        self.uar = self.boot(0x802, 16, 16).get(0x48, 24) as u32;
        self.pd = self.boot(0x800, 16, 16).get(0x48, 24) as u32;
        let keys = self.boot(0x203, 16, 32); // QUERY_SPECIAL_CONTEXTS
        self.keys = SpecialKeys {
            dump_fill: keys.get(0x40, 32) as u32,
            reserved: keys.get(0x60, 32) as u32,
            null: keys.get(0x80, 32) as u32,
        };
        self.async_eq = self.create_eq(0, !1);
        self.completion_eqs = (0..COMPLETION_VECTORS).filter_map(|v| self.create_eq(1 + v, 0)).collect();
        self.whitelist_uid = self.create_user_context(0).unwrap_or(0);
        if self.cap(0x90, 1) != 0 {
            let events = self.capabilities(0x14);
            for k in 0..4 {
                if let Some(mask) = self.affiliated_events.get_mut(k) {
                    *mask = prm::bits::be64(&events, 8 * k);
                }
                if let Some(mask) = self.unaffiliated_events.get_mut(k) {
                    *mask = prm::bits::be64(&events, 32 + 8 * k);
                }
            }
        }
        super::handlers::gid::bring_up(self);
    }

    fn boot(&mut self, opcode: u16, input: usize, output: usize) -> Reply {
        self.run(&Mailbox::command(opcode, 0, input), output)
    }

    /// Give the device the pages it asks for at that stage (1 boot, 2 init).
    fn give_pages(&mut self, stage: u64) {
        let mut query = Mailbox::command(0x107, 0, 16);
        query.set(0x30, 16, stage);
        let wanted = self.run(&query, 16).get(0x60, 32) as i32;
        let count = u64::try_from(wanted).unwrap_or(0);
        if count > 0 {
            let first = self.bus.allocate(count as usize * 4096);
            let mut give = Mailbox::command(0x108, 0, 16);
            give.set(0x30, 16, 1).set(0x60, 32, count);
            give.addresses(16, (0..count).map(|k| first + 4096 * k));
            self.run(&give, 16);
        }
    }

    /// A capability page, current values, without the command's head.
    pub fn capabilities(&mut self, page: u16) -> Vec<u8> {
        let mut query = Mailbox::command(0x100, 0, 16);
        query.set(0x30, 16, (page << 1 | 1) as u64);
        self.run(&query, 16 + 4096).out.split_off(16)
    }

    /// A field of the current general capabilities.
    pub fn cap(&self, bit: usize, width: usize) -> u64 {
        prm::bits::get(&self.general, bit, width)
    }

    /// Whether ports speak Ethernet.
    pub fn is_ethernet(&self) -> bool {
        self.options.port == PortType::Ethernet
    }

    fn create_eq(&mut self, vector: u32, events: u64) -> Option<EventQueue> {
        let bytes = 64usize << EQ_LOG_SIZE;
        let buffer = self.bus.allocate(bytes);
        let pages = bytes / 4096;
        let mut create = Mailbox::command(0x301, 0, 272);
        create
            .set(0x80 + 0x63, 5, EQ_LOG_SIZE as u64)
            .set(0x80 + 0x68, 24, self.uar as u64)
            .set(0x80 + 0xb4, 12, vector as u64)
            .set(0x2c0, 64, events);
        create.addresses(272, (0..pages as u64).map(|k| buffer + 4096 * k));
        // entries belong to the device until their owner bit says otherwise
        for k in 0..(1u64 << EQ_LOG_SIZE) {
            let _ = crate::device::Host::write(&self.bus, buffer + 64 * k + 63, &[1]);
        }
        let reply = self.run(&create, 16);
        if reply.status != 0 {
            return None;
        }
        let queue = EventQueue { number: reply.get(0x58, 8) as u32, buffer, consumer: 0 };
        self.arm(&queue);
        Some(queue)
    }

    fn arm(&mut self, queue: &EventQueue) {
        let word = queue.number << 24 | queue.consumer & 0xff_ffff;
        self.chip.uar_write(&self.bus, self.uar, 0x40, &word.to_be_bytes());
    }

    /// The number of the event queue behind a completion vector.
    pub fn completion_eq(&self, vector: u32) -> Option<u32> {
        self.completion_eqs.get(vector as usize).map(|q| q.number)
    }

    /// Whether `number` is an event queue for completions.
    pub fn is_completion_eq(&self, number: u32) -> bool {
        self.completion_eqs.iter().any(|q| q.number == number)
    }

    /// A device command as it is: whatever the device answers is the reply.
    pub fn run(&mut self, input: &Mailbox, out_len: usize) -> Reply {
        let mut out = vec![0; out_len.max(16)];
        let status = self.chip.execute(&self.bus, &input.0, &mut out);
        Reply { out, status: status.status }
    }

    /// A device command of a process, subject to fault rules. An errno means that the
    /// command never came back.
    pub fn command(&mut self, input: &Mailbox, out_len: usize) -> Result<Reply, Errno> {
        match self.faults.command(input.get(0, 16) as u16) {
            Some(Outcome::Errno(errno)) => Err(errno),
            Some(Outcome::Status(status, syndrome)) => {
                let mut out = vec![0; out_len.max(16)];
                prm::bits::set(&mut out, 0, 8, status as u64);
                prm::bits::set(&mut out, 0x20, 32, syndrome as u64);
                Ok(Reply { out, status })
            }
            None => Ok(self.run(input, out_len)),
        }
    }

    /// A device command whose failure is mapped to an errno.
    pub fn exec(&mut self, input: &Mailbox, out_len: usize) -> Result<Reply, Errno> {
        let reply = self.command(input, out_len)?;
        match status_errno(reply.status) {
            None => Ok(reply),
            Some(errno) => Err(errno),
        }
    }

    /// CREATE_UCTX with that capability mask.
    pub fn create_user_context(&mut self, caps: u32) -> Result<u16, Errno> {
        if self.cap(0x463, 5) == 0 {
            return Err(Errno::EINVAL); // no user contexts
        }
        let mut create = Mailbox::command(0xa04, 0, 16 + 64);
        create.set(0x80, 32, caps as u64);
        Ok(self.exec(&create, 16)?.get(0x50, 16) as u16)
    }

    /// DESTROY_UCTX.
    pub fn destroy_user_context(&mut self, uid: u16) {
        let mut destroy = Mailbox::command(0xa06, 0, 16);
        destroy.set(0x50, 16, uid as u64);
        self.run(&destroy, 16);
    }

    /// Let the device work, and take the entries its event queues got.
    pub fn take_events(&mut self) -> Vec<[u8; 64]> {
        let mut events = Vec::new();
        if self.bus.take_interrupts() == 0 {
            return events;
        }
        let mut queues: Vec<EventQueue> = self.completion_eqs.drain(..).collect();
        let count = queues.len();
        queues.extend(self.async_eq.take());
        for queue in &mut queues {
            while let Some(entry) = self.next_entry(queue) {
                events.push(entry);
                queue.consumer = queue.consumer.wrapping_add(1);
            }
            self.arm(queue);
        }
        self.async_eq = if queues.len() > count { queues.pop() } else { None };
        self.completion_eqs = queues;
        events
    }

    fn next_entry(&self, queue: &EventQueue) -> Option<[u8; 64]> {
        let slot = (queue.consumer & ((1 << EQ_LOG_SIZE) - 1)) as u64;
        let mut entry = [0u8; 64];
        crate::device::Host::read(&self.bus, queue.buffer + 64 * slot, &mut entry).ok()?;
        let expected = (queue.consumer >> EQ_LOG_SIZE & 1) as u8;
        (entry[63] & 1 == expected).then_some(entry)
    }
}

/// The kernel's errno for a command status; none for success.
pub fn status_errno(status: u8) -> Option<Errno> {
    match status {
        0 => None,
        0x02 | 0x03 | 0x05 | 0x09 | 0x0a | 0x10 | 0x30 | 0x40 => Some(Errno::EINVAL),
        0x06 => Some(Errno::EBUSY),
        0x08 => Some(Errno::ENOMEM),
        0x0f | 0x11 => Some(Errno::EAGAIN),
        _ => Some(Errno::EIO),
    }
}
