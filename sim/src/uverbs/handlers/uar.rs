//! UAR pages, virtio doorbell regions and packet pacing entries.

use super::super::cx::Cx;
use super::super::device::Device;
use super::super::file::{Doorbells, Mapped, OpenFile};
use super::super::mailbox::Mailbox;
use super::super::objects::Object;
use super::super::shm::SharedPages;
use nix::errno::Errno;
use prm::QosCap;

/// A UAR object.
#[derive(Clone, Copy, Debug)]
pub struct Uar {
    /// The device's number of the page.
    pub number: u32,
    /// mmap offset.
    pub offset: u64,
}

/// A virtio doorbell region.
#[derive(Clone, Copy, Debug)]
pub struct Var {
    /// Its index in the device's table.
    pub index: u32,
    /// mmap offset.
    pub offset: u64,
}

/// A packet pacing object.
#[derive(Clone, Copy, Debug)]
pub struct Pp {
    /// Index in the device's rate table.
    pub index: u16,
}

/// One entry of the rate table.
#[derive(Debug)]
pub struct PacingEntry {
    context: Vec<u8>,
    uid: u16,
    dedicated: bool,
    users: u32,
}

const PAGE: u32 = 4096;

/// ALLOC_UAR.
pub fn allocate(dev: &mut Device, uid: u16) -> Result<u32, Errno> {
    Ok(dev.exec(&Mailbox::command(0x802, uid, 16), 16)?.get(0x48, 24) as u32)
}

/// DEALLOC_UAR.
pub fn free(dev: &mut Device, uar: u32) {
    let mut command = Mailbox::command(0x803, 0, 16);
    command.set(0x48, 24, uar as u64);
    dev.run(&command, 16);
}

/// Have the engine look at the doorbells of a page that the client maps at `offset`.
pub fn watch(file: &mut OpenFile, uar: u32, offset: u64) -> Result<(), Errno> {
    let page = SharedPages::map(&file.shared, offset, PAGE as usize)?;
    file.doorbells.push(Doorbells { uar, page });
    Ok(())
}

/// UAR.ALLOC.
pub fn alloc(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.file.context()?;
    let kind = cx.u64(0x1001)?;
    if kind > 1 {
        return Err(Errno::EOPNOTSUPP);
    }
    let uid = cx.file.context()?.devx_uid;
    let number = allocate(cx.dev, uid)?;
    let offset = cx.file.offer_map(PAGE as u64, Mapped::Uar(number));
    watch(cx.file, number, offset)?;
    cx.commit(Object::Uar(Uar { number, offset }), Vec::new());
    cx.output(0x1002, &offset.to_ne_bytes())?;
    cx.output(0x1004, &number.to_ne_bytes())?;
    cx.output(0x1003, &PAGE.to_ne_bytes())
}

/// Give a UAR back.
pub fn destroy(dev: &mut Device, file: &mut OpenFile, uar: &Uar) {
    file.maps.retain(|m| m.offset != uar.offset);
    file.doorbells.retain(|d| d.uar != uar.number);
    free(dev, uar.number);
}

/// DEVX.QUERY_UAR: the device's number of a page of a library that leaves registers to the
/// kernel.
pub fn query(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let context = cx.file.context()?;
    let index = cx.u32(0x1000)?;
    // four registers to a page, two of them for BlueFlame
    let number = context.static_uars.get(index as usize / 2).copied().ok_or(Errno::EINVAL)?;
    cx.output(0x1001, &number.to_ne_bytes())
}

/// VAR.ALLOC.
pub fn var_alloc(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.file.context()?;
    if cx.flags(0x1004, 1)? != 0 {
        // TLP emulation is not offered
        return Err(Errno::EOPNOTSUPP);
    }
    if !var_supported(cx.dev) {
        return Err(Errno::EOPNOTSUPP);
    }
    let free = cx.dev.vars.iter().position(|used| !used).ok_or(Errno::ENOSPC)?;
    if let Some(slot) = cx.dev.vars.get_mut(free) {
        *slot = true;
    }
    let offset = cx.file.offer_map(PAGE as u64, Mapped::Var(free as u32));
    cx.commit(Object::Var(Var { index: free as u32, offset }), Vec::new());
    // regions are numbered from the start of the device's part for them
    let page_id = free as u32;
    cx.output(0x1001, &offset.to_ne_bytes())?;
    cx.output(0x1003, &page_id.to_ne_bytes())?;
    cx.output(0x1002, &PAGE.to_ne_bytes())
}

/// Whether the device has virtio queues: bit 13 of the general object types.
pub fn var_supported(dev: &Device) -> bool {
    dev.cap(0x400, 64) >> 13 & 1 != 0
}

/// Give a region back.
pub fn var_destroy(dev: &mut Device, file: &mut OpenFile, var: &Var) {
    file.maps.retain(|m| m.offset != var.offset);
    if let Some(slot) = dev.vars.get_mut(var.index as usize) {
        *slot = false;
    }
}

/// Whether the device has packet pacing of its users: qos, packet pacing with a uid.
pub fn pp_supported(dev: &mut Device) -> bool {
    if dev.cap(0x21b, 1) == 0 {
        return false;
    }
    let qos = dev.capabilities(0xc);
    QosCap::PACKET_PACING.is_set(&qos) && QosCap::PACKET_PACING_UID.is_set(&qos)
}

/// PP.ALLOC.
pub fn pp_alloc(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let context = cx.bytes(0x1001)?;
    let dedicated = cx.flags(0x1002, 1)? != 0;
    let uid = cx.file.devx_uid()?;
    let mut full = context;
    full.resize(48, 0);
    let rate = prm::bits::get(&full, 0, 32) as u32;
    let qos = cx.dev.capabilities(0xc);
    let (max, min) = (QosCap::PACKET_PACING_MAX_RATE.get32(&qos), QosCap::PACKET_PACING_MIN_RATE.get32(&qos));
    let rates = QosCap::PACKET_PACING_RATE_TABLE_SIZE.get(&qos) as usize;
    if rate == 0 || rate < min || rate > max {
        return Err(Errno::EINVAL);
    }
    let table = &mut cx.dev.pacing;
    let shared = table.iter().position(|e| !dedicated && !e.dedicated && e.users > 0 && e.context == full);
    let at = match shared.or_else(|| table.iter().position(|e| e.users == 0)) {
        Some(at) => at,
        // entry 0 means no limit
        None if table.len() + 1 < rates => {
            table.push(PacingEntry { context: Vec::new(), uid: 0, dedicated: false, users: 0 });
            table.len() - 1
        }
        None => return Err(Errno::ENOSPC),
    };
    let index = at as u16 + 1;
    let fresh = table.get(at).is_some_and(|e| e.users == 0);
    if fresh {
        set_rate(cx.dev, index, uid, &full)?;
    }
    if let Some(e) = cx.dev.pacing.get_mut(at) {
        if fresh {
            *e = PacingEntry { context: full, uid, dedicated, users: 0 };
        }
        e.users += 1;
    }
    cx.commit(Object::Pp(Pp { index }), Vec::new());
    cx.output(0x1003, &index.to_ne_bytes())
}

/// SET_PP_RATE_LIMIT.
fn set_rate(dev: &mut Device, index: u16, uid: u16, context: &[u8]) -> Result<(), Errno> {
    let mut set = Mailbox::command(0x780, uid, 64);
    set.set(0x50, 16, index as u64);
    for (k, byte) in context.iter().enumerate() {
        set.set(0x80 + 8 * k, 8, *byte as u64);
    }
    dev.exec(&set, 16).map(|_| ())
}

/// Give an entry back.
pub fn pp_destroy(dev: &mut Device, pp: &Pp) {
    let at = (pp.index as usize).wrapping_sub(1);
    let last = dev.pacing.get_mut(at).and_then(|e| {
        e.users = e.users.saturating_sub(1);
        (e.users == 0).then_some(e.uid)
    });
    if let Some(uid) = last {
        let _ = set_rate(dev, pp.index, uid, &[0; 48]);
    }
}
