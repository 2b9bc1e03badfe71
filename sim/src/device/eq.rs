//! Event queues: entries, arming, and which queue hears of what.

use super::Chip;
use super::host::Host;

/// An event queue.
pub(super) struct Eq {
    pub pas: Vec<u64>,
    pub log_size: u32,
    pub page_shift: u32,
    pub vector: u32,
    pub mask: [u64; 4],
    pub pi: u32,
    pub ci: u32,
    pub armed: bool,
}

impl Chip {
    /// Whether any event queue asked for events of this type.
    pub fn event_wanted(&self, event_type: u8) -> bool {
        self.eqs.values().any(|e| wants(e, event_type))
    }

    /// Write an event entry to every event queue whose mask asks for `event_type`.
    /// `data` is the entry's event data, at most 28 bytes.
    pub fn raise(&mut self, host: &dyn Host, event_type: u8, subtype: u8, data: &[u8]) {
        let list: Vec<u32> = self.eqs.iter().filter(|(_, e)| wants(e, event_type)).map(|(n, _)| *n).collect();
        for n in list {
            self.post_eqe(host, n, event_type, subtype, data);
        }
    }

    pub(super) fn post_eqe(&mut self, h: &dyn Host, eqn: u32, kind: u8, sub: u8, data: &[u8]) {
        let Some(eq) = self.eqs.get_mut(&eqn) else { return };
        let size = 1u32 << eq.log_size;
        let mut e = [0u8; 64];
        e[1] = kind;
        e[3] = sub;
        let n = data.len().min(28);
        e[32..32 + n].copy_from_slice(&data[..n]);
        e[63] = ((eq.pi >> eq.log_size) & 1) as u8;
        let at = (eq.pi % size) as u64 * 64;
        let page = (at >> eq.page_shift) as usize;
        let Some(base) = eq.pas.get(page) else { return };
        let addr = base + (at & ((1 << eq.page_shift) - 1));
        // the owner byte last
        let _ = h.write(addr, &e[..63]);
        let _ = h.write(addr + 63, &e[63..]);
        eq.pi = eq.pi.wrapping_add(1);
        if eq.armed {
            eq.armed = false;
            h.interrupt(eq.vector);
        }
    }

    pub(super) fn eq_doorbell(&mut self, h: &dyn Host, v: u32, arm: bool) {
        let eqn = v >> 24;
        if let Some(eq) = self.eqs.get_mut(&eqn) {
            eq.ci = v & 0xff_ffff;
            if arm {
                if (eq.pi & 0xff_ffff) != eq.ci {
                    h.interrupt(eq.vector);
                } else {
                    eq.armed = true;
                }
            }
        }
    }
}

fn wants(eq: &Eq, event_type: u8) -> bool {
    eq.mask[event_type as usize / 64] >> (event_type % 64) & 1 != 0
}
