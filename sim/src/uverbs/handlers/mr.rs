//! Memory regions and windows.

use super::super::bytes::{In, Out};
use super::super::cx::Cx;
use super::super::device::Device;
use super::super::mailbox::{Mailbox, Pages};
use super::super::objects::{Object, types};
use super::super::spec::Generation;
use super::umem::{access, check_access};
use nix::errno::Errno;
use prm::CmdHcaCap;

/// A memory region.
#[derive(Debug)]
pub struct Mr {
    /// Its key, with the variant in the low byte; local and remote key are one.
    pub key: u32,
    /// Address the key starts at.
    pub iova: u64,
    /// Length.
    pub len: u64,
    /// What the memory is, to describe it again.
    source: Source,
    /// Access flags.
    flags: u64,
    /// Handle of its protection domain.
    pd: u32,
    /// Octwords of translation that the key was made for.
    room: u64,
}

/// Octwords of translation in a command that makes a key.
fn octwords(create: &Mailbox) -> u64 {
    create.get(MKC + 0x1a0, 32)
}

/// A memory window.
#[derive(Debug)]
pub struct Mw {
    /// Its key.
    pub rkey: u32,
}

/// The memory behind a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A process's memory at a bus address.
    Process(u64),
    /// Device memory at an address of the device.
    Device(u64),
}

/// Access flags that the interface knows.
const KNOWN: u64 = 0x3ff | access::OPTIONAL;
/// Rights to flush to memory's visibility and to its persistence.
const FLUSH: u64 = 3 << 8;
/// Access modes of a key: translation by pages, device memory.
const MODE_PAGES: u64 = 1;
const MODE_MEMIC: u64 = 5;
/// Mode bits of a translation entry: readable and writable.
const PRESENT: u64 = 3;
/// Length of the command before its translation.
const CREATE_BYTES: usize = 272;
const MKC: usize = 0x80;

fn check_flags(flags: u64, generation: Generation) -> Result<(), Errno> {
    check_access(flags)?;
    if flags & !KNOWN != 0 {
        return Err(Errno::EINVAL);
    }
    // paging on demand and flushing are not offered
    if flags & (access::ON_DEMAND | FLUSH) != 0 {
        let newer = generation.has(Generation::V6_12);
        return Err(if newer { Errno::EOPNOTSUPP } else { Errno::EINVAL });
    }
    Ok(())
}

/// The command that makes a key for `source`.
fn command(
    dev: &mut Device,
    pdn: u32,
    flags: u64,
    iova: u64,
    len: u64,
    source: Source,
) -> Result<Mailbox, Errno> {
    let set = |flag: u64| (flags & flag != 0) as u64;
    let mut create = Mailbox::command(0x200, 0, CREATE_BYTES);
    let variant = dev.next_key_tag as u64;
    dev.next_key_tag = dev.next_key_tag.wrapping_add(1);
    create
        .set(MKC + 0x10, 1, 1)
        .set(MKC + 0x11, 1, set(access::REMOTE_ATOMIC))
        .set(MKC + 0x12, 1, set(access::REMOTE_WRITE))
        .set(MKC + 0x13, 1, set(access::REMOTE_READ))
        .set(MKC + 0x14, 1, set(access::LOCAL_WRITE))
        .set(MKC + 0x15, 1, 1)
        .set(MKC + 0x20, 24, 0xff_ffff)
        .set(MKC + 0x38, 8, variant)
        .set(MKC + 0x68, 24, pdn as u64)
        .set(MKC + 0x80, 64, iova)
        .set(MKC + 0xc0, 64, len);
    if flags & access::RELAXED_ORDERING != 0 {
        create.set(MKC + 0x0d, 1, dev.cap(0xe8, 1)).set(MKC + 0x1d9, 1, dev.cap(0x32a, 1));
    }
    match source {
        Source::Process(base) => {
            let pages = Pages::of(base, len, iova, !0xfff).ok_or(Errno::EINVAL)?;
            let octwords = pages.count.div_ceil(2);
            create
                .set(MKC + 0x16, 2, MODE_PAGES)
                .set(MKC + 0x1a0, 32, octwords)
                .set(MKC + 0x1da, 6, pages.shift as u64)
                // access rights of pages are in their entries
                .set(0x60, 1, 1)
                .set(0x300, 32, octwords);
            create.addresses(CREATE_BYTES, pages.addresses().map(|a| a | PRESENT));
            let even = create.0.len().next_multiple_of(16);
            create.0.resize(even, 0);
        }
        Source::Device(start) => {
            create.set(MKC + 0x16, 2, MODE_MEMIC & 3).set(MKC + 0x03, 3, MODE_MEMIC >> 2).set(
                MKC + 0x80,
                64,
                start,
            );
        }
    }
    Ok(create)
}

/// Make a key; its value.
fn make_key(dev: &mut Device, create: &Mailbox) -> Result<u32, Errno> {
    let index = dev.exec(create, 16)?.get(0x48, 24) as u32;
    Ok(index << 8 | create.get(MKC + 0x38, 8) as u32)
}

fn free_key(dev: &mut Device, key: u32) -> Result<(), Errno> {
    let mut command = Mailbox::command(0x202, 0, 16);
    command.set(0x48, 24, (key >> 8) as u64);
    dev.exec(&command, 16).map(|_| ())
}

/// Register memory for protection domain `pd` and make the object live; its handle and key.
fn register_source(
    cx: &mut Cx<'_>,
    pd: u32,
    flags: u64,
    iova: u64,
    len: u64,
    source: Source,
    holds: &[u32],
) -> Result<(u32, u32), Errno> {
    let pdn = cx.pdn(pd)?;
    let create = command(cx.dev, pdn, flags, iova, len, source)?;
    let key = make_key(cx.dev, &create)?;
    let mut uses = vec![pd];
    uses.extend_from_slice(holds);
    let room = octwords(&create);
    let handle = cx.commit(Object::Mr(Mr { key, iova, len, source, flags, pd, room }), uses);
    Ok((handle, key))
}

/// A missing object of a write command is EINVAL, whatever the handle.
fn pd_of_write(cx: &Cx<'_>, handle: u32) -> Result<(), Errno> {
    cx.file.handles.lookup(handle as i64, types::PD).map(|_| ()).map_err(|_| Errno::EINVAL)
}

/// REG_MR.
pub fn register(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let q = In(cx.core_in());
    let (start, len, iova, pd, flags) = (q.u64(8), q.u64(16), q.u64(24), q.u32(32), q.u32(36) as u64);
    if (start ^ iova) & 0xfff != 0 {
        return Err(Errno::EINVAL);
    }
    cx.file.context()?;
    check_flags(flags, cx.generation)?;
    pd_of_write(cx, pd)?;
    let writable =
        flags & (access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_ATOMIC | access::MW_BIND) != 0;
    let base = super::pin::pin(cx, start, len, writable)?;
    let (handle, key) = register_source(cx, pd, flags, iova, len, Source::Process(base), &[])?;
    let mut r = Out::new(12);
    r.u32(0, handle).u32(4, key).u32(8, key);
    cx.core_out(&r.0)
}

/// MR.REG_MR, the method of newer kernels.
pub fn register_method(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let pd = cx.handle(1).ok_or(Errno::EINVAL)?;
    let (iova, len) = (cx.u64(3)?, cx.u64(5)?);
    let flags = cx.flags(6, KNOWN)?;
    check_flags(flags, cx.generation)?;
    let has_fd = cx.has(7);
    if has_fd == cx.has(4) || has_fd != cx.has(8) {
        return Err(Errno::EINVAL);
    }
    let (at, base) = match cx.raw_fd(7) {
        Some(fd) => {
            let offset = cx.u64(8)?;
            (offset, super::dmabuf::attach(cx, fd, offset, len)?)
        }
        None => {
            let addr = cx.u64(4)?;
            let writable = flags & !(access::REMOTE_READ | access::OPTIONAL) != 0;
            (addr, super::pin::pin(cx, addr, len, writable)?)
        }
    };
    if (at ^ iova) & 0xfff != 0 {
        return Err(Errno::EINVAL);
    }
    let (_, key) = register_source(cx, pd, flags, iova, len, Source::Process(base), &[])?;
    cx.output(9, &key.to_ne_bytes())?;
    cx.output(10, &key.to_ne_bytes())
}

/// MR.REG_DMABUF_MR.
pub fn register_dmabuf(cx: &mut Cx<'_>) -> Result<(), Errno> {
    const DATA_DIRECT: u64 = 1;
    let pd = cx.handle(1).ok_or(Errno::EINVAL)?;
    let (offset, len, iova) = (cx.u64(2)?, cx.u64(3)?, cx.u64(4)?);
    let fd = cx.u32(5)? as i32;
    let allowed = access::LOCAL_WRITE
        | access::REMOTE_READ
        | access::REMOTE_WRITE
        | access::REMOTE_ATOMIC
        | access::RELAXED_ORDERING;
    if (offset ^ iova) & 0xfff != 0 {
        return Err(Errno::EINVAL);
    }
    let flags = cx.flags(6, allowed)?;
    check_access(flags)?;
    let direct = cx.flags(0x1000, DATA_DIRECT)?;
    if direct & DATA_DIRECT != 0 {
        if iova & 0xfff != 0 {
            return Err(Errno::EOPNOTSUPP);
        }
        if !cx.dev.options.data_direct {
            return Err(Errno::EINVAL);
        }
    }
    let base = super::dmabuf::attach(cx, fd, offset, len)?;
    let (_, key) = register_source(cx, pd, flags, iova, len, Source::Process(base), &[])?;
    cx.output(7, &key.to_ne_bytes())?;
    cx.output(8, &key.to_ne_bytes())
}

/// MR.DM_MR_REG.
pub fn register_dm(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let pd = cx.handle(3).ok_or(Errno::EINVAL)?;
    let dm_handle = cx.handle(5).ok_or(Errno::EINVAL)?;
    let (offset, len) = (cx.u64(1)?, cx.u64(2)?);
    let flags = cx.flags(4, KNOWN)?;
    if flags & access::ZERO_BASED == 0 {
        return Err(Errno::EINVAL);
    }
    check_access(flags)?;
    let Some(Object::Dm(dm)) = cx.file.handles.get(dm_handle) else { return Err(Errno::EINVAL) };
    if offset > dm.len || len > dm.len || offset > dm.len - len {
        return Err(Errno::EINVAL);
    }
    let start = dm.device_address.ok_or(Errno::EOPNOTSUPP)? + offset;
    let (_, key) = register_source(cx, pd, flags, 0, len, Source::Device(start), &[dm_handle])?;
    cx.output(6, &key.to_ne_bytes())?;
    cx.output(7, &key.to_ne_bytes())
}

/// MR.QUERY_MR.
pub fn query(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let Some(Object::Mr(mr)) = cx.handle(0).and_then(|h| cx.file.handles.get(h)) else {
        return Err(Errno::EINVAL);
    };
    cx.output(1, &mr.key.to_ne_bytes())?;
    cx.output(2, &mr.key.to_ne_bytes())?;
    cx.output(3, &mr.len.to_ne_bytes())?;
    cx.output(4, &mr.iova.to_ne_bytes())
}

/// MR.ADVISE_MR: only paging on demand has advice to take.
pub fn advise(cx: &mut Cx<'_>) -> Result<(), Errno> {
    const NO_FAULT: u64 = 2;
    if !CmdHcaCap::PG.is_set(&cx.dev.general) {
        return Err(Errno::EOPNOTSUPP);
    }
    let advice = cx.u64(1)?;
    if advice > NO_FAULT {
        return Err(Errno::EOPNOTSUPP);
    }
    cx.flags(2, 1)?;
    let list = cx.bytes(3)?;
    if list.len() % 16 != 0 {
        return Err(Errno::EINVAL);
    }
    // struct ib_uverbs_sge: address 0, length 8, key 12
    let unknown = list.chunks_exact(16).map(|s| In(s).u32(12)).any(|key| {
        !cx.file.handles.iter().any(|(_, o)| matches!(o, Object::Mr(m) if m.key >> 8 == key >> 8))
    });
    Err(if unknown { Errno::ENOENT } else { Errno::EINVAL })
}

/// Access flags that can change while the key stays.
const CHANGEABLE: u64 = access::LOCAL_WRITE
    | access::REMOTE_WRITE
    | access::REMOTE_READ
    | access::REMOTE_ATOMIC
    | access::RELAXED_ORDERING;

/// REREG_MR: the key stays if a driver could describe it anew in place, or else a new key
/// describes the memory as it is to be and the old one goes.
pub fn reregister(cx: &mut Cx<'_>) -> Result<(), Errno> {
    const TRANSLATION: u32 = 1;
    const PD: u32 = 2;
    const ACCESS: u32 = 4;
    let q = In(cx.core_in());
    let (handle, what) = (q.u32(8), q.u32(12));
    let (start, len, iova) = (q.u64(16), q.u64(24), q.u64(32));
    let (new_pd, new_flags) = (q.u32(40), q.u32(44) as u64);
    if what == 0 {
        return Err(Errno::EINVAL);
    }
    if what & !(TRANSLATION | PD | ACCESS) != 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    if what & TRANSLATION != 0 && (start == 0 || len == 0 || (start ^ iova) & 0xfff != 0) {
        return Err(Errno::EINVAL);
    }
    cx.file.handles.lookup(handle as i64, types::MR).map_err(|_| Errno::EINVAL)?;
    let Some(Object::Mr(old)) = cx.file.handles.get(handle) else { return Err(Errno::EINVAL) };
    let (mut pd, mut flags, mut source) = (old.pd, old.flags, old.source);
    let (old_key, old_pd, old_flags, old_room) = (old.key, old.pd, old.flags, old.room);
    let (mut at, mut bytes) = (old.iova, old.len);
    if matches!(source, Source::Device(_)) {
        return Err(Errno::EINVAL);
    }
    if what & ACCESS != 0 {
        check_flags(new_flags, cx.generation)?;
        flags = new_flags;
    }
    if what & PD != 0 {
        pd_of_write(cx, new_pd)?;
        pd = new_pd;
    }
    if cx.file.handles.users(handle) > 0 {
        return Err(Errno::EBUSY);
    }
    if what & TRANSLATION != 0 {
        let writable = flags & !(access::REMOTE_READ | access::OPTIONAL) != 0;
        source = Source::Process(super::pin::pin(cx, start, len, writable)?);
        (at, bytes) = (iova, len);
    }
    let pdn = cx.pdn(pd)?;
    let mut create = command(cx.dev, pdn, flags, at, bytes, source)?;
    let in_place = (flags ^ old_flags) & !CHANGEABLE == 0 && octwords(&create) <= old_room;
    let key = if in_place {
        create.set(MKC + 0x38, 8, (old_key & 0xff) as u64);
        if !cx.dev.chip.mkey_rewrite(old_key >> 8, &create.0) {
            return Err(Errno::EIO);
        }
        old_key
    } else {
        let key = make_key(cx.dev, &create)?;
        if let Err(errno) = free_key(cx.dev, old_key) {
            let _ = free_key(cx.dev, key);
            return Err(errno);
        }
        key
    };
    if pd != old_pd {
        cx.file.handles.let_go(handle, old_pd);
        cx.file.handles.hold(handle, pd);
    }
    if let Some(Object::Mr(mr)) = cx.file.handles.get_mut(handle) {
        let room = if in_place { old_room } else { octwords(&create) };
        *mr = Mr { key, iova: at, len: bytes, source, flags, pd, room };
    }
    let mut r = Out::new(8);
    r.u32(0, key).u32(4, key);
    cx.core_out(&r.0)
}

/// DESTROY_MKEY of a region.
pub fn destroy(dev: &mut Device, mr: &Mr) -> Result<(), Errno> {
    free_key(dev, mr.key)
}

/// ALLOC_MW.
pub fn alloc_mw(cx: &mut Cx<'_>) -> Result<(), Errno> {
    const TYPE_2: u8 = 2;
    const MODE_KLM: u64 = 2;
    let q = In(cx.core_in());
    let (pd, kind) = (q.u32(8), q.u8(12));
    pd_of_write(cx, pd)?;
    if !matches!(kind, 1 | TYPE_2) {
        return Err(Errno::EINVAL);
    }
    let input = cx.uhw_in()?;
    let d = In(&input);
    if d.u32(0) != 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    if d.u8(5) != 0 || d.u16(6) != 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    let entries = (d.u8(4) as u64).max(1).next_multiple_of(4);
    let pdn = cx.pdn(pd)?;
    let variant = cx.dev.next_key_tag as u64;
    cx.dev.next_key_tag = cx.dev.next_key_tag.wrapping_add(1);
    let mut create = Mailbox::command(0x200, 0, CREATE_BYTES);
    create
        .set(MKC + 0x01, 1, 1)
        .set(MKC + 0x10, 1, 1)
        .set(MKC + 0x15, 1, 1)
        .set(MKC + 0x16, 2, MODE_KLM)
        .set(MKC + 0x67, 1, (kind == TYPE_2) as u64)
        .set(MKC + 0x20, 24, 0xff_ffff)
        .set(MKC + 0x38, 8, variant)
        .set(MKC + 0x68, 24, pdn as u64)
        .set(MKC + 0x1a0, 32, entries);
    let rkey = make_key(cx.dev, &create)?;
    let handle = cx.commit(Object::Mw(Mw { rkey }), vec![pd]);
    let mut r = Out::new(8);
    r.u32(0, handle).u32(4, rkey);
    cx.core_out(&r.0)
}

/// DESTROY_MKEY of a window.
pub fn destroy_mw(dev: &mut Device, mw: &Mw) -> Result<(), Errno> {
    free_key(dev, mw.rkey)
}
