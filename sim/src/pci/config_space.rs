//! PCI configuration space: header, and the VPD, MSI-X and PCI Express capabilities.

use super::guest::VECTORS;

/// Size of the configuration space, extended part included.
pub const SIZE: usize = 4096;
/// Offsets of the MSI-X table and of the pending bits in BAR 0.
const MSIX_TABLE: u32 = 0x4000;
const MSIX_PENDING: u32 = 0x5000;

const VENDOR: u16 = 0x15b3;
/// Class code: network controller, other (both port modes of the card use it).
const CLASS: [u8; 3] = [0x00, 0x07, 0x02];

const CAP_VPD: usize = 0x48;
const CAP_MSIX: usize = 0x60;
const CAP_PCIE: usize = 0x80;
/// The vendor's gateway to the card's inner address spaces: control at 4, a counter of
/// tickets at 8, and at 12 the semaphore that a ticket locks.
const CAP_GATEWAY: usize = 0xc0;
const GATEWAY_LEN: u8 = 0x18;
const TICKETS: usize = CAP_GATEWAY + 8;
const SEMAPHORE: usize = CAP_GATEWAY + 12;

/// Configuration space of one function.
pub struct ConfigSpace {
    bytes: Vec<u8>,
    vpd: Vec<u8>,
    msix: bool,
}

impl ConfigSpace {
    /// The space after reset. `device` is the PCI device number, `vpd` the vital product data.
    pub fn new(device: u16, vpd: Vec<u8>, msix: bool) -> ConfigSpace {
        let mut c = ConfigSpace { bytes: vec![0; SIZE], vpd, msix };
        c.put(0x00, &VENDOR.to_le_bytes());
        c.put(0x02, &device.to_le_bytes());
        c.put(0x06, &[0x10]); // status: capability list
        c.put(0x09, &CLASS);
        c.put(0x10, &[0x0c]); // BAR 0: 64 bits, prefetchable
        c.put(0x2c, &VENDOR.to_le_bytes());
        c.put(0x2e, &1u16.to_le_bytes());

        let mut chain = vec![(CAP_VPD, 0x03)];
        if msix {
            chain.push((CAP_MSIX, 0x11));
            c.put(CAP_MSIX + 2, &((VECTORS - 1) as u16).to_le_bytes());
            c.put(CAP_MSIX + 4, &MSIX_TABLE.to_le_bytes());
            c.put(CAP_MSIX + 8, &MSIX_PENDING.to_le_bytes());
        }
        chain.push((CAP_PCIE, 0x10));
        if msix {
            // no space answers behind the gateway (the status bits of its control word stay
            // zero), but a driver that finds no gateway complains
            chain.push((CAP_GATEWAY, 0x09));
            c.put(CAP_GATEWAY + 2, &[GATEWAY_LEN]);
            c.put(TICKETS, &1u32.to_le_bytes());
        }
        let mut pointer = 0x34;
        for (at, id) in chain {
            c.put(pointer, &[at as u8]);
            c.put(at, &[id]);
            pointer = at + 1;
        }
        c.put(CAP_PCIE + 2, &[0x02]); // version 2, endpoint
        c.put(CAP_PCIE + 4, &0x1000_8002u32.to_le_bytes()); // 512 byte payload, role-based errors, reset
        // link capabilities and status: 16 GT/s, 16 lanes
        c.put(CAP_PCIE + 0x0c, &0x0000_0104u32.to_le_bytes());
        c.put(CAP_PCIE + 0x12, &0x0104u16.to_le_bytes());
        c.put(CAP_PCIE + 0x2c, &0x0000_001eu32.to_le_bytes()); // speeds 2.5 to 16 GT/s
        c
    }

    fn put(&mut self, at: usize, data: &[u8]) {
        if let Some(to) = self.bytes.get_mut(at..at + data.len()) {
            to.copy_from_slice(data);
        }
    }

    /// A configuration read; all ones behind the end.
    pub fn read(&self, offset: u64, buf: &mut [u8]) {
        for (k, b) in buf.iter_mut().enumerate() {
            let at = usize::try_from(offset).ok().and_then(|o| o.checked_add(k));
            *b = at.and_then(|at| self.bytes.get(at)).copied().unwrap_or(0xff);
        }
    }

    /// A configuration write; bits that are read only keep their value. True when it asks for
    /// a function-level reset.
    pub fn write(&mut self, offset: u64, data: &[u8]) -> bool {
        let (mut vpd, mut reset) = (false, false);
        for (k, d) in data.iter().enumerate() {
            let Some(at) = usize::try_from(offset).ok().and_then(|o| o.checked_add(k)) else { break };
            let mask = self.writable(at);
            if let Some(b) = self.bytes.get_mut(at) {
                *b = (*b & !mask) | (d & mask);
            }
            // the address register's upper byte carries the flag that starts an access
            vpd |= at == CAP_VPD + 3;
            reset |= at == CAP_PCIE + 9 && d & 0x80 != 0;
        }
        if self.msix && offset == SEMAPHORE as u64 {
            self.semaphore(data);
        }
        if vpd {
            self.vpd_access();
        }
        reset
    }

    /// Whether the function may read and write memory (the command register's bus master bit).
    pub fn bus_master(&self) -> bool {
        self.bytes.get(0x04).is_some_and(|b| b & 0x04 != 0)
    }

    /// Bits of byte `at` that a write changes.
    fn writable(&self, at: usize) -> u8 {
        match at {
            0x04 | 0x05 | 0x0c | 0x0d | 0x3c => 0xff,
            _ if at == CAP_MSIX + 3 && self.msix => 0xc0,
            _ if at == CAP_PCIE + 8 => 0xff,
            // bit 15 of device control starts a reset and reads as zero
            _ if at == CAP_PCIE + 9 => 0x7f,
            _ if (CAP_VPD + 2..CAP_VPD + 8).contains(&at) => 0xff,
            _ => 0,
        }
    }

    /// A store to the gateway's semaphore: zero frees it, anything else takes it while it is
    /// free and uses the ticket up.
    fn semaphore(&mut self, data: &[u8]) {
        let word = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).unwrap_or(0);
        let (wanted, held) = (word(data), word(self.bytes.get(SEMAPHORE..SEMAPHORE + 4).unwrap_or_default()));
        if wanted != 0 && held != 0 {
            return;
        }
        self.put(SEMAPHORE, &wanted.to_le_bytes());
        if wanted != 0 {
            let ticket = word(self.bytes.get(TICKETS..TICKETS + 4).unwrap_or_default());
            self.put(TICKETS, &ticket.wrapping_add(1).max(1).to_le_bytes());
        }
    }

    /// A VPD access: with the flag clear, read four bytes and set it. A write is refused by
    /// clearing the flag, as after a write that is done, with the data unchanged.
    fn vpd_access(&mut self) {
        let mut address = [0; 2];
        self.read(CAP_VPD as u64 + 2, &mut address);
        let address = u16::from_le_bytes(address);
        if address & 0x8000 != 0 {
            return self.put(CAP_VPD + 2, &(address & 0x7fff).to_le_bytes());
        }
        let mut word = [0u8; 4];
        for (k, b) in word.iter_mut().enumerate() {
            *b = self.vpd.get(address as usize + k).copied().unwrap_or(0);
        }
        self.put(CAP_VPD + 4, &word);
        self.put(CAP_VPD + 2, &(address | 0x8000).to_le_bytes());
    }
}

/// Vital product data: the name of the product, and a read-only section with part number,
/// serial number, the vendor's unique id (`VU`, by which a driver pairs the functions of one
/// card) and the checksum.
pub fn vital_product_data(name: &str, vuid: &str) -> Vec<u8> {
    let mut section = Vec::new();
    for (keyword, value) in [("PN", "SIM-CX7"), ("SN", "SIM0000000001"), ("VU", vuid)] {
        let value = value.as_bytes();
        let value = value.get(..255).unwrap_or(value);
        section.extend_from_slice(keyword.as_bytes());
        section.push(value.len() as u8);
        section.extend_from_slice(value);
    }
    let name = name.as_bytes();
    let mut v = vec![0x82];
    v.extend_from_slice(&(name.len() as u16).to_le_bytes());
    v.extend_from_slice(name);
    v.push(0x90);
    v.extend_from_slice(&(section.len() as u16 + 4).to_le_bytes());
    v.extend_from_slice(&section);
    v.extend_from_slice(b"RV\x01");
    let sum = v.iter().fold(0u8, |sum, b| sum.wrapping_add(*b));
    v.push(sum.wrapping_neg());
    v.push(0x78);
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(c: &ConfigSpace, at: u64) -> u32 {
        let mut b = [0; 4];
        c.read(at, &mut b);
        u32::from_le_bytes(b)
    }

    fn space() -> ConfigSpace {
        ConfigSpace::new(0x1021, vital_product_data("card", "VUID0"), true)
    }

    #[test]
    fn the_capability_list_ends() {
        let c = space();
        let mut at = word(&c, 0x34) as u8;
        let mut ids = vec![];
        while at != 0 && ids.len() < 10 {
            let head = word(&c, at as u64);
            ids.push(head as u8);
            at = (head >> 8) as u8;
        }
        assert_eq!(ids, [0x03, 0x11, 0x10, 0x09]);
    }

    #[test]
    fn the_gateway_is_locked_by_one_ticket_at_a_time() {
        let mut c = space();
        let ticket = word(&c, 0xc8);
        assert_ne!(ticket, 0);
        c.write(0xcc, &ticket.to_le_bytes());
        assert_eq!(word(&c, 0xcc), ticket);
        let next = word(&c, 0xc8);
        assert_ne!(next, ticket);
        c.write(0xcc, &next.to_le_bytes());
        assert_eq!(word(&c, 0xcc), ticket);
        c.write(0xcc, &[0; 4]);
        assert_eq!(word(&c, 0xcc), 0);
        // no space is there: the status bits stay zero whatever is asked for
        c.write(0xc4, &7u32.to_le_bytes());
        assert_eq!(word(&c, 0xc4) >> 29, 0);
    }

    #[test]
    fn identity_is_read_only_and_the_command_register_is_not() {
        let mut c = space();
        c.write(0, &[0xff; 8]);
        assert_eq!(word(&c, 0), 0x1021_15b3);
        assert_eq!(word(&c, 4), 0x0010_ffff);
        assert!(c.bus_master());
        c.write(u64::MAX, &[1, 2]);
        assert_eq!(word(&c, u64::MAX - 1), 0xffff_ffff);
    }

    #[test]
    fn the_reset_bit_is_seen_and_reads_as_zero() {
        let mut c = space();
        assert!(!c.write(0x88, &[0xff, 0x7f]));
        assert!(c.write(0x88, &[0x10, 0x80]));
        assert_eq!(word(&c, 0x88) as u16, 0x0010);
    }

    #[test]
    fn vital_product_data_is_read_word_by_word_and_sums_to_zero() {
        let mut c = space();
        let mut got = vec![];
        for at in (0u16..).step_by(4).take(32) {
            c.write(0x4a, &at.to_le_bytes());
            assert_eq!(word(&c, 0x48) >> 16, at as u32 | 0x8000);
            got.extend_from_slice(&word(&c, 0x4c).to_le_bytes());
        }
        let end = got.iter().rposition(|b| *b == 0x78).unwrap();
        assert_eq!(got[..end].iter().fold(0u8, |s, b| s.wrapping_add(*b)), 0);
        assert!(got.windows(8).any(|w| w == b"VU\x05VUID0"));
    }
}
