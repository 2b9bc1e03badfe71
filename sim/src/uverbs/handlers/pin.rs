//! Pinning a range of the caller's memory for the device.

use super::super::bus::{SLOT_SHIFT, bus_address};
use super::super::cx::Cx;
use nix::errno::Errno;

/// Check that `len` bytes at `addr` are mapped (and writable, if the device will write),
/// and return their bus address.
pub fn pin(cx: &Cx<'_>, addr: u64, len: u64, writable: bool) -> Result<u64, Errno> {
    let end = addr.checked_add(len).ok_or(Errno::EINVAL)?;
    end.checked_next_multiple_of(4096).ok_or(Errno::EINVAL)?;
    if len == 0 || end > 1 << SLOT_SHIFT {
        return Err(if len == 0 { Errno::EINVAL } else { Errno::EFAULT });
    }
    if !covered(&maps(cx.client.tid())?, addr, end, writable) {
        return Err(Errno::EFAULT);
    }
    Ok(bus_address(cx.slot(), addr))
}

fn maps(tid: i32) -> Result<String, Errno> {
    std::fs::read_to_string(format!("/proc/{tid}/maps")).map_err(|_| Errno::EFAULT)
}

/// Whether the mappings in `maps` (text of /proc/…/maps) cover a range without a hole.
fn covered(maps: &str, addr: u64, end: u64, writable: bool) -> bool {
    let mut next = addr;
    for line in maps.lines() {
        let Some((range, rest)) = line.split_once(' ') else { continue };
        let Some((low, high)) = range.split_once('-') else { continue };
        let (Ok(low), Ok(high)) = (u64::from_str_radix(low, 16), u64::from_str_radix(high, 16)) else {
            continue;
        };
        if high <= next {
            continue;
        }
        let mut rights = rest.bytes();
        let (r, w) = (rights.next() == Some(b'r'), rights.next() == Some(b'w'));
        if low > next || !(r || w) || (writable && !w) {
            return false;
        }
        next = high;
        if next >= end {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "1000-3000 rw-p 0 00:00 0\n3000-4000 r--p 0 00:00 0 /x\n5000-6000 rw-p 0 00:00 0\n";

    #[test]
    fn holes_and_rights_count() {
        assert!(covered(MAPS, 0x1800, 0x4000, false));
        assert!(!covered(MAPS, 0x1800, 0x4000, true));
        assert!(covered(MAPS, 0x1800, 0x3000, true));
        assert!(!covered(MAPS, 0x3000, 0x5001, false));
        assert!(!covered(MAPS, 0x6000, 0x6001, false));
    }
}
