//! Device memory: memory on the card that programs map (MEMIC), and memory that
//! software-managed steering writes through the device (SW ICM).

use super::super::cx::Cx;
use super::super::device::Device;
use super::super::file::{Mapped, OpenFile};
use super::super::mailbox::Mailbox;
use super::super::objects::Object;
use nix::errno::Errno;
use prm::{
    AllocMemicIn, CreateSwIcmIn, DeallocMemicIn, DeviceMemCap, ModifyMemicIn, ModifyMemicOut, SwIcm, object,
};
use std::os::fd::AsFd;

/// Device memory.
#[derive(Clone, Copy, Debug)]
pub struct Dm {
    /// Length as asked for.
    pub len: u64,
    /// Address on the device, for memory that regions can be made of.
    pub device_address: Option<u64>,
    /// Bytes taken on the device.
    taken: u64,
    /// mmap offset.
    offset: u64,
    /// The object behind steering memory: number, and its user context.
    icm: Option<(u32, u16)>,
}

/// Kinds of device memory (`enum mlx5_ib_uapi_dm_type`).
mod kind {
    pub const MEMIC: u64 = 0;
    pub const STEERING: u64 = 1;
    pub const HEADER_MODIFY: u64 = 2;
    pub const HEADER_MODIFY_PATTERN: u64 = 3;
    pub const ENCAP: u64 = 4;
}

const PAGE: u64 = 4096;
/// Smallest piece of memory on the card, as a logarithm.
const LOG_BASE: u32 = 6;

/// Whether the device has memory to give: of its own, or for steering.
pub fn is_supported(dev: &mut Device) -> bool {
    let own = DeviceMemCap::MEMIC.is_set(&capabilities(dev));
    own || dev.cap(0x400, 64) >> object::SW_ICM & 1 != 0
}

fn capabilities(dev: &mut Device) -> Vec<u8> {
    if dev.cap(0x1a8, 1) == 0 {
        return Vec::new();
    }
    dev.capabilities(0xf)
}

/// DM.ALLOC.
pub fn alloc(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.file.context()?;
    let (len, log_align) = (cx.u64(1)?, cx.u32(2)?);
    let wanted = if cx.has(0x1002) { cx.u64(0x1002)? } else { kind::MEMIC };
    match wanted {
        kind::MEMIC => alloc_memic(cx, len, log_align),
        kind::STEERING..=kind::ENCAP => alloc_icm(cx, wanted, len, log_align),
        _ => Err(Errno::EOPNOTSUPP),
    }
}

fn alloc_memic(cx: &mut Cx<'_>, len: u64, log_align: u32) -> Result<(), Errno> {
    let caps = capabilities(cx.dev);
    if !DeviceMemCap::MEMIC.is_set(&caps) {
        return Err(Errno::EOPNOTSUPP);
    }
    let taken = len.checked_next_multiple_of(1 << LOG_BASE).ok_or(Errno::EINVAL)?;
    let align = log_align.saturating_sub(LOG_BASE);
    if taken == 0 || align > DeviceMemCap::LOG_MAX_MEMIC_ADDR_ALIGNMENT.get32(&caps) {
        return Err(Errno::EINVAL);
    }
    let bar = DeviceMemCap::MEMIC_BAR_START_ADDR.get(&caps);
    let total = DeviceMemCap::MEMIC_BAR_SIZE.get(&caps) / PAGE;
    let pages = taken.div_ceil(PAGE);
    let first = free_pages(&mut cx.dev.memic_pages, total, pages).ok_or(Errno::ENOMEM)?;
    let start = bar + first * PAGE;
    let mut m = Mailbox::command(0x205, 0, AllocMemicIn::SIZE);
    m.put(AllocMemicIn::RANGE_START_ADDR, start)
        .put(AllocMemicIn::RANGE_SIZE, pages * PAGE)
        .put(AllocMemicIn::MEMIC_SIZE, taken)
        .put(AllocMemicIn::LOG_MEMIC_ADDR_ALIGNMENT, align as u64);
    let address = match cx.dev.exec(&m, 16) {
        Ok(reply) => prm::AllocMemicOut::MEMIC_START_ADDR.get(&reply.out),
        Err(errno) => {
            mark(&mut cx.dev.memic_pages, first, pages, false);
            return Err(errno);
        }
    };
    let offset = cx.file.offer_device_memory(pages * PAGE, Mapped::DeviceMemory(address));
    let dm = Dm { len, device_address: Some(address), taken, offset, icm: None };
    share(cx.dev, cx.file, &dm, start)?;
    cx.commit(Object::Dm(dm), Vec::new());
    cx.output(0x1001, &page_index(offset).to_ne_bytes())?;
    cx.output(0x1000, &(address & (PAGE - 1)).to_ne_bytes())
}

/// Let the client's pages be the device's.
fn share(dev: &mut Device, file: &OpenFile, dm: &Dm, start: u64) -> Result<(), Errno> {
    let memory = dev.chip.device_memory().ok_or(Errno::ENOMEM)?;
    let bytes = dm.taken.next_multiple_of(PAGE);
    let pages = Some((file.shared.as_fd(), dm.offset));
    memory.replace(start, bytes as usize, pages).map_err(|_| Errno::ENOMEM)?;
    // what an earlier owner of the offset left there
    memory.write(start, &vec![0; bytes as usize]);
    Ok(())
}

/// Index of a mapping, as the library composes its offset from it.
fn page_index(offset: u64) -> u16 {
    let page = offset >> 12;
    ((page >> 16) << 8 | page & 0xff) as u16
}

/// Take `count` pages in a row; the first.
fn free_pages(used: &mut Vec<bool>, total: u64, count: u64) -> Option<u64> {
    used.resize(total as usize, false);
    let first = used.windows(count as usize).position(|w| w.iter().all(|taken| !taken))? as u64;
    mark(used, first, count, true);
    Some(first)
}

fn mark(used: &mut [bool], first: u64, count: u64, taken: bool) {
    used.iter_mut().skip(first as usize).take(count as usize).for_each(|p| *p = taken);
}

fn alloc_icm(cx: &mut Cx<'_>, wanted: u64, len: u64, log_align: u32) -> Result<(), Errno> {
    const CAP_NET_RAW: u32 = 13;
    const CAP_SYS_RAWIO: u32 = 17;
    let tid = cx.client.tid();
    let may = |c: u32| super::super::client::capable(tid, c);
    if !may(CAP_SYS_RAWIO) || !may(CAP_NET_RAW) {
        return Err(Errno::EPERM);
    }
    let caps = capabilities(cx.dev);
    let (window, log_size) = match wanted {
        kind::STEERING => {
            (DeviceMemCap::STEERING_SW_ICM_START_ADDRESS, DeviceMemCap::LOG_STEERING_SW_ICM_SIZE)
        }
        kind::HEADER_MODIFY => {
            (DeviceMemCap::HEADER_MODIFY_SW_ICM_START_ADDRESS, DeviceMemCap::LOG_HEADER_MODIFY_SW_ICM_SIZE)
        }
        kind::HEADER_MODIFY_PATTERN => (
            DeviceMemCap::HEADER_MODIFY_PATTERN_SW_ICM_START_ADDRESS,
            DeviceMemCap::LOG_HEADER_MODIFY_PATTERN_SW_ICM_SIZE,
        ),
        _ => {
            (DeviceMemCap::INDIRECT_ENCAP_SW_ICM_START_ADDRESS, DeviceMemCap::LOG_INDIRECT_ENCAP_SW_ICM_SIZE)
        }
    };
    let (base, room) = (window.get(&caps), log_size.get(&caps));
    if base == 0 || room == 0 || cx.dev.cap(0x400, 64) >> object::SW_ICM & 1 == 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    let block = 1u64 << DeviceMemCap::LOG_SW_ICM_ALLOC_GRANULARITY.get(&caps);
    let size = len.max(1).checked_next_multiple_of(block).and_then(u64::checked_next_power_of_two);
    let size = size.filter(|s| *s <= 1 << room.min(62)).ok_or(Errno::ENOMEM)?;
    let align = size.min(1u64.checked_shl(log_align).unwrap_or(0)).max(block);
    let end = base + (1 << room.min(62));
    let mut at = base.next_multiple_of(align);
    let taken = &cx.dev.icm;
    while let Some((_, busy)) = taken.iter().find(|(s, e)| *s < at + size && at < *e) {
        at = busy.next_multiple_of(align);
    }
    if at + size > end {
        return Err(Errno::ENOMEM);
    }
    let uid = cx.file.context()?.devx_uid;
    let body = CreateSwIcmIn::SW_ICM.off;
    let mut m = Mailbox::command(super::opcodes::GENERAL_CREATE, uid, CreateSwIcmIn::SIZE);
    m.set(0x30, 16, object::SW_ICM as u64)
        .put(SwIcm::SW_ICM_START_ADDR.at(body), at)
        .put(SwIcm::LOG_SW_ICM_SIZE.at(body), size.trailing_zeros() as u64);
    let number = cx.dev.exec(&m, 16)?.get(0x40, 32) as u32;
    cx.dev.icm.push((at, at + size));
    let dm = Dm { len, device_address: None, taken: at, offset: 0, icm: Some((number, uid)) };
    cx.commit(Object::Dm(dm), Vec::new());
    cx.output(0x1000, &at.to_ne_bytes())
}

fn get(cx: &Cx<'_>) -> Result<Dm, Errno> {
    match cx.handle(0x1000).and_then(|h| cx.file.handles.get(h)) {
        Some(Object::Dm(dm)) => Ok(*dm),
        _ => Err(Errno::EINVAL),
    }
}

/// DM.MAP_OP_ADDR: the page through which stores act as an operation on the memory.
pub fn map_op(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let dm = get(cx)?;
    let memory = dm.device_address.ok_or(Errno::EOPNOTSUPP)?;
    let op = cx.bytes(0x1001)?.first().copied().unwrap_or(0);
    let offered = DeviceMemCap::MEMIC_OPERATIONS.get(&capabilities(cx.dev));
    if op >= 32 || offered >> op & 1 == 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    let what = Mapped::DeviceOperation(memory, op);
    let reply = cx.dev.exec(&operation(memory, op, 0), ModifyMemicOut::SIZE)?;
    let address = ModifyMemicOut::MEMIC_OPERATION_ADDR.get(&reply.out);
    let known = cx.file.maps.iter().find(|m| m.what == what).map(|m| m.offset);
    let offset = known.unwrap_or_else(|| cx.file.offer_device_memory(PAGE, what));
    cx.output(0x1002, &(address & (PAGE - 1)).to_ne_bytes())?;
    cx.output(0x1003, &page_index(offset).to_ne_bytes())
}

/// MODIFY_MEMIC: offer (0) or withdraw (1) an operation.
fn operation(memory: u64, op: u8, modifier: u64) -> Mailbox {
    let mut m = Mailbox::command(0x207, 0, ModifyMemicIn::SIZE);
    m.set(0x30, 16, modifier)
        .put(ModifyMemicIn::MEMIC_START_ADDR, memory)
        .put(ModifyMemicIn::MEMIC_OPERATION_TYPE, op as u64);
    m
}

/// DM.QUERY.
pub fn query(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let dm = get(cx)?;
    let address = dm.device_address.ok_or(Errno::EOPNOTSUPP)?;
    cx.output(0x1001, &(address & (PAGE - 1)).to_ne_bytes())?;
    cx.output(0x1002, &page_index(dm.offset).to_ne_bytes())?;
    cx.output(0x1003, &dm.len.to_ne_bytes())
}

/// Give device memory back.
pub fn destroy(dev: &mut Device, file: &mut OpenFile, dm: &Dm) -> Result<(), Errno> {
    if let Some((number, uid)) = dm.icm {
        let mut m = Mailbox::command(0xa03, uid, 16);
        m.set(0x30, 16, object::SW_ICM as u64).set(0x40, 32, number as u64);
        dev.exec(&m, 16)?;
        dev.icm.retain(|(start, _)| *start != dm.taken);
        return Ok(());
    }
    let Some(address) = dm.device_address else { return Ok(()) };
    for map in &file.maps {
        if let Mapped::DeviceOperation(memory, op) = map.what
            && memory == address
        {
            dev.run(&operation(memory, op, 1), ModifyMemicOut::SIZE);
        }
    }
    let mut m = Mailbox::command(0x206, 0, DeallocMemicIn::SIZE);
    m.put(DeallocMemicIn::MEMIC_START_ADDR, address).put(DeallocMemicIn::MEMIC_SIZE, dm.taken);
    dev.exec(&m, 16)?;
    file.maps.retain(|m| {
        m.what != Mapped::DeviceMemory(address)
            && !matches!(m.what, Mapped::DeviceOperation(a, _) if a == address)
    });
    let caps = capabilities(dev);
    let bar = DeviceMemCap::MEMIC_BAR_START_ADDR.get(&caps);
    let (first, pages) = ((address - bar) / PAGE, dm.taken.div_ceil(PAGE));
    mark(&mut dev.memic_pages, first, pages, false);
    if let Some(memory) = dev.chip.device_memory() {
        let _ = memory.replace(bar + first * PAGE, (pages * PAGE) as usize, None);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_taken_in_a_row() {
        let mut used = Vec::new();
        assert_eq!(free_pages(&mut used, 8, 3), Some(0));
        assert_eq!(free_pages(&mut used, 8, 2), Some(3));
        mark(&mut used, 1, 1, false);
        assert_eq!(free_pages(&mut used, 8, 2), Some(5));
        assert_eq!(free_pages(&mut used, 8, 1), Some(1));
        assert_eq!(free_pages(&mut used, 8, 2), None);
    }

    #[test]
    fn a_mappings_index_leaves_the_command_out() {
        assert_eq!(page_index((8 << 8 | 5) << 12), 5);
        assert_eq!(page_index((2 << 16 | 8 << 8 | 7) << 12), 0x207);
    }
}
