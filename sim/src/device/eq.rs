//! Event queues: entries, arming, overflow, and which queue hears of what.

use super::Chip;
use super::host::Host;
use prm::{Eqe, event};

/// An event queue.
pub(super) struct Eq {
    /// Bus addresses of the queue's pages.
    pub pas: Vec<u64>,
    pub log_size: u32,
    pub page_shift: u32,
    /// Offset of the first entry in the first page.
    pub offset: u64,
    pub vector: u32,
    /// UAR page whose doorbells the queue obeys.
    pub uar: u32,
    /// Event types that the queue asked for: type n is bit n % 64 of word n / 64.
    pub mask: [u64; 4],
    /// Overruns are ignored: the producer goes round.
    pub ignore_overrun: bool,
    pub pi: u32,
    pub ci: u32,
    pub armed: bool,
    /// Entries were lost for want of room.
    pub overrun: bool,
}

/// Counters of queues have 24 bits.
const COUNTER: u32 = 0xff_ffff;

impl Chip {
    /// Whether any event queue asked for events of this type.
    pub fn event_wanted(&self, event_type: u8) -> bool {
        self.eqs.values().any(|e| e.wants(event_type))
    }

    /// Write an event entry to every event queue whose mask asks for `event_type`.
    /// `data` is the entry's event data, at most 28 bytes.
    pub fn raise(&mut self, host: &dyn Host, event_type: u8, subtype: u8, data: &[u8]) {
        let list: Vec<u32> = self.eqs.iter().filter(|(_, e)| e.wants(event_type)).map(|(n, _)| *n).collect();
        for n in list {
            self.post_eqe(host, n, event_type, subtype, data);
        }
    }

    /// Tell the drivers that the state of a port changed; `subtype` as in [`prm::event`].
    pub fn raise_port_change(&mut self, host: &dyn Host, port: u8, subtype: u8) {
        let mut data = [0; 28];
        data[8] = port << 4;
        self.raise(host, event::PORT_CHANGE, subtype, &data);
    }

    /// Write one entry to one event queue and raise its vector if it is armed.
    pub(super) fn post_eqe(&mut self, h: &dyn Host, eqn: u32, kind: u8, sub: u8, data: &[u8]) {
        let Some(eq) = self.eqs.get_mut(&eqn) else { return };
        let size = 1u32 << eq.log_size;
        if !eq.ignore_overrun && eq.pi.wrapping_sub(eq.ci) & COUNTER >= size {
            eq.overrun = true;
            self.log(|| format!("event queue {eqn} overran: event {kind:#x} is lost"));
            return;
        }
        let mut e = [0u8; Eqe::SIZE];
        Eqe::EVENT_TYPE.set(&mut e, kind as u64);
        Eqe::EVENT_SUB_TYPE.set(&mut e, sub as u64);
        let to = Eqe::EVENT_DATA.slice_mut(&mut e);
        let n = data.len().min(to.len());
        to[..n].copy_from_slice(&data[..n]);
        Eqe::OWNER.set(&mut e, (eq.pi >> eq.log_size) as u64 & 1);
        let at = eq.offset + (eq.pi & (size - 1)) as u64 * Eqe::SIZE as u64;
        let Some(base) = eq.pas.get((at >> eq.page_shift) as usize) else { return };
        let addr = base + (at & ((1 << eq.page_shift) - 1));
        let last = Eqe::SIZE - 1;
        // the owner byte last: it is what the consumer looks at
        let written = h.write(addr, &e[..last]).and_then(|()| h.write(addr + last as u64, &e[last..]));
        eq.pi = eq.pi.wrapping_add(1);
        let vector = std::mem::take(&mut eq.armed).then_some(eq.vector);
        if let Err(fault) = written {
            self.log(|| format!("event queue {eqn}: nothing answers at {:#x}", fault.addr));
        }
        if let Some(vector) = vector {
            h.interrupt(vector);
        }
    }

    /// A consumer index arrives, in a doorbell of UAR page `uar`.
    pub(super) fn eq_doorbell(&mut self, h: &dyn Host, uar: u32, value: u32, arm: bool) {
        let eqn = value >> 24;
        let Some(eq) = self.eqs.get_mut(&eqn).filter(|eq| eq.uar == uar) else {
            self.log(|| format!("doorbell of event queue {eqn} in UAR page {uar}, which is not its own"));
            return;
        };
        eq.ci = value & COUNTER;
        if arm {
            if eq.pi & COUNTER == eq.ci {
                eq.armed = true;
            } else {
                eq.armed = false;
                h.interrupt(eq.vector);
            }
        }
    }
}

impl Eq {
    fn wants(&self, event_type: u8) -> bool {
        self.mask[event_type as usize / 64] >> (event_type % 64) & 1 != 0
    }
}
