//! What a device file may map (`context.md`, section 4).

use super::super::device::Device;
use super::super::file::{Mapped, OpenFile};
use nix::errno::Errno;

const PAGE: u64 = 4096;

/// mmap offset of page `index` of the UARs made at GET_CONTEXT.
pub fn static_offset(index: u64) -> u64 {
    ((index >> 8) << 16 | index & 0xff) << 12
}

/// Whether the mapping may go on.
pub fn check(dev: &mut Device, file: &mut OpenFile, len: u64, prot: i32, offset: u64) -> Result<(), Errno> {
    if file.disassociated {
        return Err(Errno::EIO);
    }
    let context = file.context()?;
    let page = offset >> 12;
    let command = page >> 8 & 0xff;
    let index = (page >> 16) << 8 | page & 0xff;
    match command {
        // UAR pages of the library that leaves registers to the kernel: plain,
        // write-combined, not cached
        0 | 2 | 3 => {
            if len != PAGE || context.static_uars.get(index as usize).is_none() {
                return Err(Errno::EINVAL);
            }
            Ok(())
        }
        // contiguous buffers
        1 => Err(Errno::ENOSYS),
        // the clock
        5 if len != PAGE => Err(Errno::EINVAL),
        5 if prot & libc::PROT_WRITE != 0 => Err(Errno::EPERM),
        5 => Ok(()),
        // one more write-combined UAR
        6 => dynamic_uar(dev, file, index, len, offset),
        // clock information, version 1
        7 if len != PAGE => Err(Errno::EINVAL),
        7 if index != 0 => Err(Errno::EOPNOTSUPP),
        7 if prot & (libc::PROT_WRITE | libc::PROT_EXEC) != 0 => Err(Errno::EPERM),
        7 => Ok(()),
        _ => match file.maps.iter().find(|m| m.offset == offset) {
            Some(m) if len == m.len || is_device_memory(m.what) && len <= m.len => Ok(()),
            _ => Err(Errno::EINVAL),
        },
    }
}

fn dynamic_uar(
    dev: &mut Device,
    file: &mut OpenFile,
    index: u64,
    len: u64,
    offset: u64,
) -> Result<(), Errno> {
    const MOST: u64 = 512;
    let context = file.context()?;
    let first = context.static_uars.len() as u64;
    // in use already, or beyond what GET_CONTEXT announced
    if len != PAGE || first == 0 || index >= MOST || file.maps.iter().any(|m| m.offset == offset) {
        return Err(Errno::EINVAL);
    }
    let number = super::uar::allocate(dev, 0)?;
    file.maps.push(super::super::file::MapEntry { offset, len, what: Mapped::Uar(number) });
    super::uar::watch(file, number, offset)
}

/// Device memory may be mapped in part.
fn is_device_memory(what: Mapped) -> bool {
    matches!(what, Mapped::DeviceMemory(_) | Mapped::DeviceOperation(..))
}
