//! The chip's outside in this face: memory behind bus addresses, and interrupts.
//!
//! A bus address is `slot << 47 | address`. Slot 0 is the face's own memory (event queue
//! buffers and the like); every client process has a slot, and its user-space addresses
//! are used as they are.

use super::client;
use crate::device::{DmaFault, Host};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bits of an address inside a slot: what a user-space address can have.
pub const SLOT_SHIFT: u32 = 47;
const OFFSET_MASK: u64 = (1 << SLOT_SHIFT) - 1;

/// Which process has which slot; shared by all devices.
#[derive(Debug, Default)]
pub struct Slots {
    processes: Mutex<Vec<i32>>,
}

impl Slots {
    /// The slot of a process, the first time a new one.
    pub fn of(&self, process: i32) -> u64 {
        let mut all = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|p| *p == process).unwrap_or_else(|| {
            all.push(process);
            all.len() - 1
        });
        at as u64 + 1
    }

    /// Forget a process whose last device file is closed: a later process with its number
    /// must not get its slot.
    pub fn retire(&self, process: i32) {
        let mut all = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        for p in all.iter_mut().filter(|p| **p == process) {
            *p = 0;
        }
    }

    fn process(&self, slot: u64) -> Option<i32> {
        let all = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        slot.checked_sub(1).and_then(|s| all.get(s as usize)).copied().filter(|p| *p != 0)
    }
}

/// The bus address of `addr` in a process with that slot.
pub fn bus_address(slot: u64, addr: u64) -> u64 {
    slot << SLOT_SHIFT | addr & OFFSET_MASK
}

/// The bus of one device.
#[derive(Debug)]
pub struct Bus {
    own: Mutex<Vec<u8>>,
    slots: Arc<Slots>,
    raised: AtomicU64,
}

/// Where the face's own memory starts: bus address 0 stays invalid.
const OWN_BASE: u64 = 0x1000;

impl Bus {
    /// A bus without memory of its own.
    pub fn new(slots: Arc<Slots>) -> Bus {
        Bus { own: Mutex::new(Vec::new()), slots, raised: AtomicU64::new(0) }
    }

    /// Add `bytes` of zeroed memory of our own, page aligned; its bus address.
    pub fn allocate(&self, bytes: usize) -> u64 {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let at = own.len().next_multiple_of(4096);
        own.resize(at + bytes.next_multiple_of(4096), 0);
        OWN_BASE + at as u64
    }

    /// The vectors raised since the last call, one bit each.
    pub fn take_interrupts(&self) -> u64 {
        self.raised.swap(0, Ordering::Relaxed)
    }

    /// The slot of the process that a thread belongs to.
    pub fn slot_of_thread(&self, tid: i32) -> u64 {
        self.slots.of(client::process_of(tid))
    }

    fn with_own<T>(&self, addr: u64, len: usize, f: impl FnOnce(&mut [u8]) -> T) -> Result<T, DmaFault> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let at = addr.checked_sub(OWN_BASE).ok_or(DmaFault { addr })? as usize;
        let range = at.checked_add(len).and_then(|end| own.get_mut(at..end)).ok_or(DmaFault { addr })?;
        Ok(f(range))
    }
}

impl Host for Bus {
    fn read(&self, addr: u64, buf: &mut [u8]) -> Result<(), DmaFault> {
        match addr >> SLOT_SHIFT {
            0 => self.with_own(addr, buf.len(), |own| buf.copy_from_slice(own)),
            slot => {
                let process = self.slots.process(slot).ok_or(DmaFault { addr })?;
                client::read_memory(process, addr & OFFSET_MASK, buf).map_err(|_| DmaFault { addr })
            }
        }
    }

    fn write(&self, addr: u64, data: &[u8]) -> Result<(), DmaFault> {
        match addr >> SLOT_SHIFT {
            0 => self.with_own(addr, data.len(), |own| own.copy_from_slice(data)),
            slot => {
                let process = self.slots.process(slot).ok_or(DmaFault { addr })?;
                client::write_memory(process, addr & OFFSET_MASK, data).map_err(|_| DmaFault { addr })
            }
        }
    }

    fn interrupt(&self, vector: u32) {
        self.raised.fetch_or(1 << (vector & 63), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_memory_and_process_memory_are_apart() {
        let slots = Arc::new(Slots::default());
        let bus = Bus::new(slots.clone());
        let addr = bus.allocate(100);
        bus.write(addr, b"event queue").expect("own memory");
        let mut got = [0u8; 11];
        bus.read(addr, &mut got).expect("own memory");
        assert_eq!(&got, b"event queue");
        assert!(bus.read(0, &mut got).is_err(), "address 0 is nobody's");

        let slot = slots.of(std::process::id() as i32);
        let text = *b"client data";
        bus.read(bus_address(slot, text.as_ptr() as u64), &mut got).expect("client memory");
        assert_eq!(got, text);
        assert!(bus.read(bus_address(slot + 1, text.as_ptr() as u64), &mut got).is_err());
        slots.retire(std::process::id() as i32);
        assert!(bus.read(bus_address(slot, text.as_ptr() as u64), &mut got).is_err());
    }
}
