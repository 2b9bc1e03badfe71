//! The doorbell engine: sees the stores that clients make into UAR pages, tells the chip,
//! and lets it work.
//!
//! A store cannot be trapped, so pages are looked at: often while there is traffic, seldom
//! when there has been none for a while, never when nobody has a queue. Two queues that
//! share a doorbell register can overwrite each other's store before it is seen; whenever
//! a register was rung, all queues of its page are therefore told. A queue alone on its
//! page is only told of its own doorbells.

use super::bus::Bus;
use super::device::Device;
use super::file::OpenFile;
use super::handlers::opcodes;
use super::mailbox::Mailbox;
use super::objects::Object;
use super::world::World;
use crate::device::Host;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How a queue is told of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingKind {
    /// Send doorbell.
    Send,
    /// Completion queue arming; the doorbell record's bus address.
    Arm(u64),
}

/// A queue with doorbells in a UAR page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// The page.
    pub uar: u32,
    /// The queue's number.
    pub number: u32,
    /// What its doorbells are.
    pub kind: RingKind,
}

impl Ring {
    /// The doorbells of a queue that a DEVX command makes.
    pub fn of_command(command: &Mailbox, number: u32) -> Option<Ring> {
        const QPC: usize = 0xc0;
        const WQ: usize = 0x100 + 0x180;
        let (at, kind) = match opcodes::opcode(command) {
            opcodes::CREATE_QP => (QPC + 0x68, RingKind::Send),
            opcodes::CREATE_SQ => (WQ + 0x68, RingKind::Send),
            // its doorbell record is in a registered range: the stored word has to do
            opcodes::CREATE_CQ => (0x80 + 0x68, RingKind::Arm(0)),
            _ => return None,
        };
        Some(Ring { uar: command.get(at, 24) as u32, number, kind })
    }
}

/// Places of send doorbells in a page: two BlueFlame registers of two halves each.
const SEND: [usize; 4] = [0x800, 0x900, 0xa00, 0xb00];
/// Place of the completion queue doorbell.
const ARM: usize = 0x20;

fn rings(file: &OpenFile, uar: u32) -> Vec<Ring> {
    file.handles
        .iter()
        .filter_map(|(_, o)| match o {
            Object::Devx(d) => d.ring,
            Object::Cq(c) => Some(Ring { uar: c.uar, number: c.number, kind: RingKind::Arm(c.dbr) }),
            Object::Qp(q) => q.ring(),
            _ => None,
        })
        .filter(|r| r.uar == uar)
        .collect()
}

/// Whether a file has anything that rings.
fn has_queues(file: &OpenFile) -> bool {
    !file.doorbells.is_empty()
        && file.handles.iter().any(|(_, o)| match o {
            Object::Devx(d) => d.ring.is_some(),
            Object::Cq(_) | Object::Qp(_) => true,
            _ => false,
        })
}

/// Tell the chip of the doorbells rung in one page. True if there were any.
fn look(dev: &mut Device, file: &OpenFile, at: usize) -> bool {
    let Some(page) = file.doorbells.get(at) else { return false };
    let mut rung = false;
    if let Some(word) = page.page.take(ARM) {
        rung = true;
        dev.chip.uar_write(&dev.bus, page.uar, ARM as u32, &word);
        let number = prm::bits::be32(&word, 4) & 0xff_ffff;
        for ring in rings(file, page.uar) {
            if let RingKind::Arm(dbr) = ring.kind
                && ring.number != number
                && let Some(again) = armed_word(&dev.bus, dbr, ring.number)
            {
                dev.chip.uar_write(&dev.bus, page.uar, ARM as u32, &again);
            }
        }
    }
    for place in SEND {
        let Some(word) = page.page.take(place) else { continue };
        rung = true;
        dev.chip.uar_write(&dev.bus, page.uar, place as u32, &word);
        let number = prm::bits::be32(&word, 4) >> 8;
        for ring in rings(file, page.uar) {
            if ring.kind == RingKind::Send && ring.number != number {
                let mut other = [0u8; 8];
                prm::bits::set(&mut other, 32, 24, ring.number as u64);
                dev.chip.uar_write(&dev.bus, page.uar, place as u32, &other);
            }
        }
    }
    rung
}

/// The arming of a completion queue as its doorbell record has it.
fn armed_word(bus: &Bus, dbr: u64, number: u32) -> Option<[u8; 8]> {
    if dbr == 0 {
        return None;
    }
    let mut word = [0u8; 8];
    let mut record = [0u8; 4];
    bus.read(dbr + 4, &mut record).ok()?;
    prm::bits::set(&mut word, 0, 32, u32::from_be_bytes(record) as u64);
    prm::bits::set(&mut word, 32, 32, number as u64);
    (record != [0; 4]).then_some(word)
}

/// What one look found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nobody has a queue.
    Nobody,
    /// Queues, but no doorbell.
    Quiet,
    /// Work was done.
    Work,
}

/// Look at all pages once.
pub fn step(world: &mut World) -> Found {
    let mut found = Found::Nobody;
    let count = world.devices.len();
    for device in 0..count {
        let (devices, files) = world.parts();
        let Some(dev) = devices.get_mut(device) else { continue };
        for file in files.values().filter(|f| f.device == device && !f.disassociated) {
            if let Some(clock) = &file.clock_pages {
                super::handlers::device::tick(dev, clock);
            }
            if !has_queues(file) {
                continue;
            }
            if found == Found::Nobody {
                found = Found::Quiet;
            }
            for at in 0..file.doorbells.len() {
                if look(dev, file, at) {
                    found = Found::Work;
                }
            }
        }
        let mut rounds = 0;
        while rounds < 64 && dev.chip.progress(&dev.bus) {
            rounds += 1;
        }
        if rounds > 0 {
            found = Found::Work;
        }
        world.pump(device);
    }
    found
}

/// Run the engine until the process ends.
pub fn run(world: Arc<Mutex<World>>) {
    const BUSY: Duration = Duration::from_micros(10);
    const IDLE: Duration = Duration::from_millis(1);
    const NOBODY: Duration = Duration::from_millis(5);
    super::latency::answer_soon();
    let mut quiet = 0u32;
    loop {
        let found = step(&mut world.lock().unwrap_or_else(PoisonError::into_inner));
        quiet = if found == Found::Work { 0 } else { quiet.saturating_add(1) };
        match (found, quiet) {
            // others may want the world, and more doorbells may be on their way
            (Found::Work, _) | (Found::Quiet, ..20) => std::hint::spin_loop(),
            // a while of short naps after traffic, then longer ones
            (Found::Quiet, ..1000) => std::thread::sleep(BUSY),
            (Found::Quiet, _) => std::thread::sleep(IDLE),
            (Found::Nobody, _) => std::thread::sleep(NOBODY),
        }
    }
}
