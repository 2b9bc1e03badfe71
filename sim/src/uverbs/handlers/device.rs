//! Methods of the device itself: user contexts, what the device can do, its ports.

use super::super::bytes::{In, Out};
use super::super::cx::Cx;
use super::super::device::{COMPLETION_VECTORS, Device};
use super::super::file::{OpenFile, Ucontext};
use super::super::mailbox::Mailbox;
use super::super::shm::SharedPages;
use super::super::spec::Generation;
use nix::errno::Errno;

/// Library capability: the kernel need not hand out UAR registers.
const LIB_CAP_DYN_UAR: u64 = 2;
/// Most registers a library may ask for.
const MAX_BFREGS: u32 = 512;
/// Registers added for allocation one by one.
const DYNAMIC_BFREGS: u32 = 1024;
/// Length of the GET_CONTEXT response.
pub const RESPONSE_BYTES: usize = 72;

/// What the core of uverbs supports: optional access flags of memory regions.
const CORE_SUPPORT: u64 = 1;

struct Request {
    total: u32,
    low_latency: u32,
    flags: u32,
    max_cqe_version: u8,
    lib_caps: u64,
}

impl Request {
    fn read(bytes: &[u8]) -> Result<Request, Errno> {
        let q = In(bytes);
        if q.u32(8) & !1 != 0 || q.u32(12) != 0 || !In(&q.bytes::<7>(17)).zero_from(0) {
            return Err(Errno::EOPNOTSUPP);
        }
        let total = q.u32(0).next_multiple_of(2);
        if q.u32(4) > total.wrapping_sub(1) {
            return Err(Errno::EINVAL);
        }
        Ok(Request {
            total,
            low_latency: q.u32(4),
            flags: q.u32(8),
            max_cqe_version: q.u8(16),
            lib_caps: q.u64(24),
        })
    }
}

/// DEVICE.GET_CONTEXT.
pub fn get_context(cx: &mut Cx<'_>) -> Result<(), Errno> {
    if cx.has(2) {
        capability_fds(cx)?;
    }
    let vectors = COMPLETION_VECTORS.to_ne_bytes();
    if cx.file.ucontext.is_some() {
        return Err(Errno::EINVAL);
    }
    make_context(cx)?;
    cx.output(0, &vectors)?;
    cx.output(1, &CORE_SUPPORT.to_ne_bytes())
}

/// The capability descriptors a 7.2 library may pass: there is no capability device here,
/// so none of them can be one.
fn capability_fds(cx: &Cx<'_>) -> Result<(), Errno> {
    if !cx.len(2).is_multiple_of(4) {
        return Err(Errno::EINVAL);
    }
    Err(Errno::EBADF)
}

/// GET_CONTEXT of write(2) (command 0).
pub fn get_context_write(cx: &mut Cx<'_>) -> Result<(), Errno> {
    if cx.file.ucontext.is_some() {
        return Err(Errno::EINVAL);
    }
    make_context(cx)?;
    let fd = cx.new_event_fd(super::super::event_fd::EventKind::Async)?;
    let mut r = Out::new(8);
    r.u32(0, fd as u32).u32(4, COMPLETION_VECTORS);
    cx.core_out(&r.0)
}

fn make_context(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let request = Request::read(&cx.uhw_in()?)?;
    let devx_uid = if request.flags & 1 != 0 { cx.dev.create_user_context(user_caps(cx))? } else { 0 };
    let domain = match cx.dev.exec(&Mailbox::command(0x816, devx_uid, 16), 16) {
        Ok(reply) => reply.get(0x48, 24) as u32,
        Err(errno) => {
            drop_uid(cx.dev, devx_uid);
            return Err(errno);
        }
    };
    let mut context = Ucontext {
        devx_uid,
        transport_domain: domain,
        cqe_version: request.max_cqe_version.min(cx.dev.cap(0x1fc, 4) as u8),
        lib_caps: request.lib_caps,
        response: Vec::new(),
        static_uars: Vec::new(),
    };
    if request.lib_caps & LIB_CAP_DYN_UAR == 0
        && let Err(errno) = static_uars(cx.dev, cx.file, &mut context, &request)
    {
        drop_context(cx.dev, &context);
        return Err(errno);
    }
    context.response = response(cx.dev, &context, &request, cx.uhw_out_len());
    cx.uhw_out(&context.response)?;
    cx.file.clock_pages = clock_pages(cx.dev, cx.file);
    cx.file.ucontext = Some(context);
    Ok(())
}

/// Capabilities of a process's user context: raw packets and internal resources, as far as
/// the device offers them and the process may.
fn user_caps(cx: &Cx<'_>) -> u32 {
    const CAP_NET_RAW: u32 = 13;
    const CAP_SYS_RAWIO: u32 = 17;
    let offered = cx.dev.cap(0x6a0, 32) as u32;
    let tid = cx.client.tid();
    let mut caps = 0;
    if offered & 1 != 0 && super::super::client::capable(tid, CAP_NET_RAW) {
        caps |= 1;
    }
    if offered & 2 != 0 && super::super::client::capable(tid, CAP_SYS_RAWIO) {
        caps |= 2;
    }
    caps
}

fn drop_uid(dev: &mut Device, uid: u16) {
    if uid != 0 {
        dev.destroy_user_context(uid);
    }
}

/// Give back what GET_CONTEXT took.
pub fn drop_context(dev: &mut Device, context: &Ucontext) {
    for uar in &context.static_uars {
        super::uar::free(dev, *uar);
    }
    let mut domain = Mailbox::command(0x817, context.devx_uid, 16);
    domain.set(0x48, 24, context.transport_domain as u64);
    dev.run(&domain, 16);
    drop_uid(dev, context.devx_uid);
}

/// The UAR pages of a library that leaves registers to the kernel.
fn static_uars(
    dev: &mut Device,
    file: &mut OpenFile,
    context: &mut Ucontext,
    q: &Request,
) -> Result<(), Errno> {
    if q.total == 0 {
        return Err(Errno::EINVAL);
    }
    if q.total > MAX_BFREGS {
        return Err(Errno::ENOMEM);
    }
    if q.low_latency > q.total - 1 {
        return Err(Errno::EINVAL);
    }
    for index in 0..q.total / 2 {
        let uar = super::uar::allocate(dev, 0)?;
        context.static_uars.push(uar);
        super::uar::watch(file, uar, super::mmap::static_offset(index as u64))?;
    }
    Ok(())
}

fn response(dev: &Device, context: &Ucontext, request: &Request, room: usize) -> Vec<u8> {
    let dynamic = context.lib_caps & LIB_CAP_DYN_UAR != 0;
    // bits: core clock, dump-fill key, ECE, drain of signature errors, key update tag
    let mut mask = 1 | 1 << 5;
    let mut dump_fill = 0;
    if dev.cap(0xf8, 1) != 0 {
        mask |= 2;
        dump_fill = dev.keys.dump_fill;
    }
    if dev.cap(0xa3, 1) != 0 {
        mask |= 4;
    }
    if dev.cap(0x20f, 1) != 0 {
        mask |= 8;
    }
    let bf_reg_size = if dev.cap(0x260, 1) != 0 { 1u32 << dev.cap(0x26b, 5) } else { 0 };
    let mut r = Out::new(RESPONSE_BYTES);
    r.u32(0, 1 << dev.cap(0x9b, 5))
        .u32(4, bf_reg_size)
        .u32(8, if dynamic { 0 } else { request.total })
        .u32(12, 64)
        .u16(16, dev.cap(0x290, 16) as u16)
        .u16(18, dev.cap(0x2b0, 16) as u16)
        .u32(20, 1 << dev.cap(0x88, 8))
        .u32(24, 1 << dev.cap(0x88, 8))
        .u32(28, 1 << dev.cap(0x80, 8))
        .u16(32, dev.options.ports as u16)
        .u32(36, mask)
        .u32(40, RESPONSE_BYTES.min(room) as u32)
        .u8(44, context.cqe_version)
        // query_device and create_ah carry driver data
        .u8(45, 3)
        .u8(46, inline_mode(dev))
        .u8(47, 1)
        // the clock's place in its page
        .u64(48, 0)
        .u32(56, 12)
        .u32(60, 1)
        .u32(64, if dynamic { 0 } else { DYNAMIC_BFREGS })
        .u32(68, dump_fill);
    r.0
}

/// Inline headers an Ethernet send needs: 0 tells nothing, else the mode plus one.
fn inline_mode(dev: &Device) -> u8 {
    if dev.is_ethernet() { 1 } else { 0 }
}

/// Offset of the core clock's page in the shared file.
const CORE_CLOCK_PAGE: u64 = 5 << 20;
/// Offset of the clock info page.
const CLOCK_INFO_PAGE: u64 = 7 << 20;

/// Width of the clock that the information page speaks of.
const CLOCK_MASK: u64 = (1 << 41) - 1;

/// The clock page the client may map, kept up to date by the engine; and the clock info
/// page, which is written once: a tick is a nanosecond, so nothing drifts. Multiplier,
/// shift, width and update period are those of a driver for a clock of 1 GHz.
fn clock_pages(dev: &Device, file: &OpenFile) -> Option<SharedPages> {
    let info = SharedPages::map(&file.shared, CLOCK_INFO_PAGE, 4096).ok()?;
    let now = dev.chip.clock();
    let mut v = Out::new(56);
    let wall =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64);
    // jiffies of 4 ms; 6.1 reckons with a smaller shift
    let period = if dev.options.generation.has(Generation::V6_12) { 0x431 } else { 0x2_cbd3 };
    v.u64(8, wall).u64(16, now & CLOCK_MASK).u32(32, 1 << 31).u32(36, 31).u64(40, CLOCK_MASK).u64(48, period);
    info.store(0, &v.0);
    let clock = SharedPages::map(&file.shared, CORE_CLOCK_PAGE, 4096).ok()?;
    tick(dev, &clock);
    Some(clock)
}

/// Show the chip's clock on a clock page.
pub fn tick(dev: &Device, page: &SharedPages) {
    page.store(0, &dev.chip.clock().to_be_bytes());
}

/// DEVICE.QUERY_CONTEXT.
pub fn query_context(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let context = cx.file.context()?;
    cx.output(0, &COMPLETION_VECTORS.to_ne_bytes())?;
    cx.output(1, &CORE_SUPPORT.to_ne_bytes())?;
    let mut r = Out(context.response.clone());
    r.0.resize(RESPONSE_BYTES, 0);
    r.u32(40, RESPONSE_BYTES as u32);
    cx.output_struct(0x1000, &r.0)
}

/// DEVICE.INFO_HANDLES.
pub fn info_handles(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let object_type = cx.u64(0)?;
    let found: Vec<u32> =
        cx.file.handles.iter().filter(|(_, o)| o.type_id() as u64 == object_type).map(|(h, _)| h).collect();
    if u16::try_from(object_type).ok().and_then(super::super::spec::object_name).is_none() {
        return Err(Errno::EINVAL);
    }
    let room = cx.len(2) / 4;
    let list: Vec<u8> = found.iter().take(room).flat_map(|h| h.to_ne_bytes()).collect();
    cx.output(2, &list)?;
    cx.output(1, &(found.len() as u32).to_ne_bytes())
}

fn port(cx: &Cx<'_>, number: u64) -> Result<u8, Errno> {
    match u8::try_from(number) {
        Ok(n) if n >= 1 && n <= cx.dev.options.ports => Ok(n),
        _ => Err(Errno::EINVAL),
    }
}

/// DEVICE.QUERY_PORT.
pub fn query_port(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.file.context()?;
    let number = port(cx, cx.u64(0)?)?;
    let mut r = Out(super::port::attributes(cx.dev, number).0);
    r.0.resize(48, 0);
    let speed = r.0.get(35).copied().unwrap_or(0);
    r.u32(44, speed as u32);
    cx.output_struct(1, &r.0)
}

/// QUERY_PORT of write(2).
pub fn query_port_write(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.file.context()?;
    let number = port(cx, In(cx.core_in()).u8(8) as u64)?;
    let r = super::port::attributes(cx.dev, number);
    cx.core_out(&r.0)
}

/// DEVICE.QUERY_PORT_SPEED: in units of 100 Mb/s.
pub fn query_port_speed(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.file.context()?;
    port(cx, cx.u64(0)?)?;
    cx.output(1, &super::port::SPEED_100MBPS.to_ne_bytes())
}

/// DEVICE.MLX5_QUERY_PORT: what a switch device tells of its vport; nothing here.
pub fn mlx5_query_port(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let number = cx.u32(0x1000)?;
    port(cx, number as u64)?;
    cx.output_struct(0x1001, &[0; 40])
}

/// DEVICE.GET_DATA_DIRECT_SYSFS_PATH.
pub fn data_direct_path(cx: &mut Cx<'_>) -> Result<(), Errno> {
    if !cx.dev.options.data_direct {
        return Err(Errno::ENODEV);
    }
    let mut path = super::super::sysfs::data_direct_path(cx.dev.index).into_bytes();
    path.push(0);
    if path.len() > cx.len(0x1000) {
        return Err(Errno::ENOSPC);
    }
    cx.output(0x1000, &path)
}

/// ASYNC_EVENT.ALLOC.
pub fn async_event_alloc(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.new_event_fd_attr(0, super::super::event_fd::EventKind::Async).map(|_| ())
}

/// CREATE_COMP_CHANNEL of the write commands.
pub fn create_comp_channel(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.file.context()?;
    let fd = cx.new_event_fd(super::super::event_fd::EventKind::Completion)?;
    cx.core_out(&(fd as u32).to_ne_bytes())
}
