//! Shared receive queues and XRC domains.
//!
//! A plain queue is a memory pool (RMP) on the device, one of XRC an XRC SRQ, one that
//! matches tags an extended receive queue (XRQ).

use super::super::bytes::{In, Out};
use super::super::client::FileKey;
use super::super::cx::Cx;
use super::super::device::Device;
use super::super::mailbox::{Mailbox, Pages};
use super::super::objects::{Object, types};
use nix::errno::Errno;
use prm::{CreateRmpIn, CreateXrcSrqIn, ModifyRmpIn, Rmpc, Wq as Ring, XrcSrqc};

/// A shared receive queue.
#[derive(Debug, Default)]
pub struct Srq {
    /// Number.
    pub number: u32,
    /// Opcode it was made by.
    pub create_opcode: u16,
    /// User context it belongs to.
    pub uid: u16,
    /// Requests it holds.
    pub max_wr: u32,
    /// Elements of a request.
    pub max_sge: u32,
    /// Limit that is armed.
    pub limit: u32,
    /// The library's handle, which events name.
    pub user_handle: u64,
    /// Where its asynchronous events go.
    pub async_fd: Option<FileKey>,
    /// Asynchronous events sent.
    pub async_events: u32,
}

/// An XRC domain.
#[derive(Debug)]
pub struct Xrcd {
    /// Number.
    pub number: u32,
    /// The file that processes share it by.
    file: Option<FileKey>,
    /// Another handle of the same domain came first.
    shared: bool,
}

/// Kinds as verbs number them.
mod kind {
    pub const BASIC: u32 = 0;
    pub const XRC: u32 = 1;
    pub const TAG_MATCHING: u32 = 2;
}

#[derive(Debug, Default)]
struct Request {
    kind: u32,
    user_handle: u64,
    pd: u32,
    max_wr: u32,
    max_sge: u32,
    limit: u32,
    xrcd: Option<u32>,
    cq: Option<u32>,
    async_fd: Option<FileKey>,
}

/// SRQ.CREATE.
pub fn create(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let request = Request {
        kind: cx.u64(9)? as u32,
        user_handle: cx.u64(4)?,
        pd: cx.handle(1).ok_or(Errno::EINVAL)?,
        max_wr: cx.u32(5)?,
        max_sge: cx.u32(6)?,
        limit: cx.u32(7)?,
        xrcd: cx.handle(2),
        cq: cx.handle(3),
        async_fd: cx.fd_key(10),
    };
    if (request.kind == kind::XRC) != request.xrcd.is_some() {
        return Err(Errno::EINVAL);
    }
    let made = make(cx, &request)?;
    cx.output(11, &made.max_wr.to_ne_bytes())?;
    cx.output(12, &made.max_sge.to_ne_bytes())?;
    cx.output(13, &made.number.to_ne_bytes())
}

struct Made {
    handle: u32,
    number: u32,
    max_wr: u32,
    max_sge: u32,
}

impl Made {
    fn response(&self) -> Out {
        let mut r = Out::new(16);
        r.u32(0, self.handle).u32(4, self.max_wr).u32(8, self.max_sge).u32(12, self.number);
        r
    }
}

/// CREATE_SRQ of the write commands.
pub fn create_write(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let q = In(cx.core_in());
    let request = Request {
        user_handle: q.u64(8),
        pd: q.u32(16),
        max_wr: q.u32(20),
        max_sge: q.u32(24),
        limit: q.u32(28),
        ..Request::default()
    };
    let made = make(cx, &request)?;
    let mut r = made.response();
    r.u32(12, 0);
    cx.core_out(&r.0)
}

/// CREATE_XSRQ of the write commands.
pub fn create_xsrq_write(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let q = In(cx.core_in());
    let kind = q.u32(16);
    let request = Request {
        kind,
        user_handle: q.u64(8),
        pd: q.u32(20),
        max_wr: q.u32(24),
        max_sge: q.u32(28),
        limit: q.u32(32),
        xrcd: (kind == kind::XRC).then(|| q.u32(40)),
        cq: (kind != kind::BASIC).then(|| q.u32(44)),
        async_fd: None,
    };
    let made = make(cx, &request)?;
    cx.core_out(&made.response().0)
}

fn make(cx: &mut Cx<'_>, request: &Request) -> Result<Made, Errno> {
    let context = cx.file.context()?;
    let (uid, cqe_version) = (context.devx_uid, context.cqe_version);
    let pdn = cx.pdn(request.pd).map_err(|_| Errno::EINVAL)?;
    if request.kind > kind::TAG_MATCHING {
        return Err(Errno::EOPNOTSUPP);
    }
    if request.kind == kind::TAG_MATCHING && cx.dev.cap(0x5f0, 1) == 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    let most = 1u32 << cx.dev.cap(0x80, 8);
    let most_sge = cx.dev.cap(0x2b0, 16) as u32 / 16;
    if request.max_wr >= most || request.max_sge >= most_sge || request.max_wr == 0 {
        return Err(Errno::EINVAL);
    }
    let input = cx.uhw_in()?;
    let q = In(&input);
    let (buf, dbr, flags, uidx) = (q.u64(0), q.u64(8), q.u32(16), q.u32(24));
    if flags & !1 != 0 || q.u32(28) != 0 || !q.zero_from(32) {
        return Err(Errno::EINVAL);
    }
    if request.kind != kind::BASIC {
        let wrong = if cqe_version == 0 { uidx != 0xff_ffff } else { uidx >= 0xff_ffff };
        if wrong {
            return Err(Errno::EINVAL);
        }
    }
    // entries: a link and the elements, rounded up
    let stride = (16 + 16 * request.max_sge).max(32).next_power_of_two();
    let entries = (request.max_wr + 1).next_power_of_two();
    let bytes = entries as u64 * stride as u64;
    let base = super::pin::pin(cx, buf, bytes, true)?;
    let record = super::pin::pin(cx, dbr, 8, true)?;
    let pages = Pages::of_queue(base, bytes).ok_or(Errno::EINVAL)?;
    let layout = Layout {
        pdn,
        log_entries: entries.trailing_zeros(),
        log_stride: stride.trailing_zeros(),
        pages,
        record,
        uidx,
    };
    let (number, create_opcode) = match request.kind {
        kind::BASIC => (make_pool(cx.dev, uid, &layout)?, 0x90c),
        kind::XRC => (make_xrc(cx, uid, &layout, request)?, 0x705),
        _ => return Err(Errno::EOPNOTSUPP),
    };
    let srq = Srq {
        number,
        create_opcode,
        uid,
        max_wr: entries - 1,
        max_sge: request.max_sge,
        limit: request.limit,
        user_handle: request.user_handle,
        async_fd: request.async_fd,
        async_events: 0,
    };
    let holds = [Some(request.pd), request.xrcd, request.cq].into_iter().flatten().collect();
    let handle = cx.commit(Object::Srq(srq), holds);
    let mut d = Out::new(8);
    d.u32(0, number);
    cx.uhw_out(&d.0)?;
    Ok(Made { handle, number, max_wr: entries - 1, max_sge: request.max_sge })
}

struct Layout {
    pdn: u32,
    log_entries: u32,
    log_stride: u32,
    pages: Pages,
    record: u64,
    uidx: u32,
}

/// A ready memory pool of linked entries.
fn make_pool(dev: &mut Device, uid: u16, l: &Layout) -> Result<u32, Errno> {
    const RMPC: usize = CreateRmpIn::CTX.off;
    const RING: usize = RMPC + Rmpc::WQ.off;
    let mut m = Mailbox::command(0x90c, uid, CreateRmpIn::SIZE);
    m.put(Rmpc::STATE.at(RMPC), 1)
        .put(Ring::WQ_TYPE.at(RING), 0)
        .put(Ring::PD.at(RING), l.pdn as u64)
        .put(Ring::LOG_WQ_STRIDE.at(RING), l.log_stride as u64)
        .put(Ring::LOG_WQ_SZ.at(RING), l.log_entries as u64);
    super::wq::memory(&mut m, RING, &l.pages, l.record);
    Ok(dev.exec(&m, 16)?.get(0x48, 24) as u32)
}

fn make_xrc(cx: &mut Cx<'_>, uid: u16, l: &Layout, request: &Request) -> Result<u32, Errno> {
    let handles = &cx.file.handles;
    let xrcd = match request.xrcd.map(|h| handles.lookup(h as i64, types::XRCD).map(|e| &e.object)) {
        Some(Ok(Object::Xrcd(x))) => x.number,
        _ => return Err(Errno::EINVAL),
    };
    let cqn = match request.cq.map(|h| handles.lookup(h as i64, types::CQ).map(|e| &e.object)) {
        Some(Ok(Object::Cq(cq))) => cq.number,
        _ => return Err(Errno::EINVAL),
    };
    xrc_command(cx.dev, uid, l, xrcd, cqn)
}

fn xrc_command(dev: &mut Device, uid: u16, l: &Layout, xrcd: u32, cqn: u32) -> Result<u32, Errno> {
    const CTX: usize = CreateXrcSrqIn::XRC_SRQ_CONTEXT_ENTRY.off;
    let mut m = Mailbox::command(0x705, uid, CreateXrcSrqIn::SIZE);
    m.put(XrcSrqc::LOG_XRC_SRQ_SIZE.at(CTX), l.log_entries as u64)
        .put(XrcSrqc::LOG_RQ_STRIDE.at(CTX), l.log_stride as u64 - 4)
        .put(XrcSrqc::XRCD.at(CTX), xrcd as u64)
        .put(XrcSrqc::PAGE_OFFSET.at(CTX), l.pages.offset >> (l.pages.shift - 6))
        .put(XrcSrqc::CQN.at(CTX), cqn as u64)
        .put(XrcSrqc::LOG_PAGE_SIZE.at(CTX), l.pages.shift as u64 - 12)
        .put(XrcSrqc::USER_INDEX.at(CTX), l.uidx as u64)
        .put(XrcSrqc::PD.at(CTX), l.pdn as u64)
        .put(XrcSrqc::DB_RECORD_ADDR_H.at(CTX), l.record >> 32)
        .put(XrcSrqc::DB_RECORD_ADDR_L.at(CTX), (l.record & 0xffff_ffff) >> 2);
    m.addresses(CreateXrcSrqIn::PAS.off / 8, l.pages.addresses());
    Ok(dev.exec(&m, 16)?.get(0x48, 24) as u32)
}

/// The driver's own completion queue and XRC queue, for queue pairs that have none but
/// must name one.
#[derive(Clone, Copy, Debug)]
pub struct Spare {
    cqn: u32,
    srqn: u32,
}

/// The spare numbers of a device: completion queue, XRC shared receive queue.
pub fn spare(dev: &mut Device) -> Result<(u32, u32), Errno> {
    if let Some(s) = dev.spare {
        return Ok((s.cqn, s.srqn));
    }
    let memory = dev.bus.allocate(3 * 4096);
    let mut cq = Mailbox::command(0x400, 0, 272);
    cq.set(0x80 + 0x68, 24, dev.uar as u64)
        .set(0x80 + 0xa0, 32, dev.completion_eq(0).unwrap_or(0) as u64)
        .set(0x80 + 0x1c0, 64, memory)
        .addresses(272, std::iter::once(memory + 4096));
    let cqn = dev.exec(&cq, 16)?.get(0x48, 24) as u32;
    let xrcd = dev.exec(&Mailbox::command(0x80e, 0, 16), 16)?.get(0x48, 24) as u32;
    let pages = Pages { first: memory + 8192, shift: 12, count: 1, offset: 0 };
    let layout =
        Layout { pdn: dev.pd, log_entries: 1, log_stride: 5, pages, record: memory + 64, uidx: 0xff_ffff };
    let srqn = xrc_command(dev, 0, &layout, xrcd, cqn)?;
    dev.spare = Some(Spare { cqn, srqn });
    Ok((cqn, srqn))
}

fn get<'a>(cx: &'a Cx<'_>, handle: u32) -> Result<&'a Srq, Errno> {
    match cx.file.handles.lookup(handle as i64, types::SRQ).map(|e| &e.object) {
        Ok(Object::Srq(srq)) => Ok(srq),
        _ => Err(Errno::EINVAL),
    }
}

/// MODIFY_SRQ: only the limit can change.
pub fn modify(cx: &mut Cx<'_>) -> Result<(), Errno> {
    const MAX_WR: u32 = 1;
    const LIMIT: u32 = 2;
    let q = In(cx.core_in());
    let (handle, mask, limit) = (q.u32(0), q.u32(4), q.u32(12));
    let srq = get(cx, handle)?;
    let (number, uid, opcode, max_wr) = (srq.number, srq.uid, srq.create_opcode, srq.max_wr);
    if mask & MAX_WR != 0 {
        return Err(Errno::EINVAL);
    }
    if mask & LIMIT != 0 {
        if limit >= max_wr {
            return Err(Errno::EINVAL);
        }
        arm(cx.dev, opcode, uid, number, limit)?;
        if let Some(Object::Srq(srq)) = cx.file.handles.get_mut(handle) {
            srq.limit = limit;
        }
    }
    Ok(())
}

fn arm(dev: &mut Device, opcode: u16, uid: u16, number: u32, limit: u32) -> Result<(), Errno> {
    if opcode == 0x90c {
        let mut m = Mailbox::command(0x90d, uid, ModifyRmpIn::SIZE);
        m.put(ModifyRmpIn::RMP_STATE, 1)
            .put(ModifyRmpIn::RMPN, number as u64)
            .put(ModifyRmpIn::BITMASK_LWM, 1)
            .put(Rmpc::STATE.at(ModifyRmpIn::CTX.off), 1)
            .put(Ring::LWM.at(ModifyRmpIn::CTX.off + Rmpc::WQ.off), limit as u64);
        return dev.exec(&m, 16).map(|_| ());
    }
    let mut m = Mailbox::command(0x708, uid, 16);
    m.set(0x30, 16, 1).set(0x48, 24, number as u64).set(0x70, 16, limit as u64);
    dev.exec(&m, 16).map(|_| ())
}

/// QUERY_SRQ. The limit is what the device still has armed.
pub fn query(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let handle = In(cx.core_in()).u32(8);
    let srq = get(cx, handle)?;
    let (number, uid, max_wr, max_sge, opcode) =
        (srq.number, srq.uid, srq.max_wr, srq.max_sge, srq.create_opcode);
    let (query_opcode, place) = match opcode {
        0x90c => (0x90f, Ring::LWM.at(prm::QueryRmpOut::RMP_CONTEXT.off + Rmpc::WQ.off)),
        _ => (0x707, XrcSrqc::LWM.at(prm::QueryXrcSrqOut::XRC_SRQ_CONTEXT_ENTRY.off)),
    };
    let mut m = Mailbox::command(query_opcode, uid, 16);
    m.set(0x48, 24, number as u64);
    let out = cx.dev.exec(&m, 272)?.out;
    let mut r = Out::new(16);
    r.u32(0, max_wr).u32(4, max_sge).u32(8, place.get32(&out));
    cx.core_out(&r.0)
}

/// DESTROY_SRQ of the write commands.
pub fn destroy_write(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let handle = In(cx.core_in()).u32(8);
    cx.reported = super::destroy_checked(cx, handle, types::SRQ)?;
    cx.core_out(&cx.reported.asynchronous.to_ne_bytes())
}

/// Destroy the firmware object of a shared receive queue.
pub fn destroy(dev: &mut Device, srq: &Srq) -> Result<(), Errno> {
    let opcode = if srq.create_opcode == 0x90c { 0x90e } else { 0x706 };
    let mut m = Mailbox::command(opcode, srq.uid, 16);
    m.set(0x48, 24, srq.number as u64);
    dev.exec(&m, 16).map(|_| ())
}

/// OPEN_XRCD: a domain of this file alone, or one that a file on disk names.
pub fn open_xrcd(cx: &mut Cx<'_>) -> Result<(), Errno> {
    const CREATE: u32 = libc::O_CREAT as u32;
    const EXCLUSIVE: u32 = libc::O_EXCL as u32;
    let q = In(cx.core_in());
    let (fd, flags) = (q.u32(8) as i32, q.u32(12));
    cx.file.context()?;
    if cx.dev.cap(0x23c, 1) == 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    let key = if fd == -1 { None } else { Some(cx.client.file_key(fd).ok_or(Errno::EBADF)?) };
    let existing = key.and_then(|k| {
        cx.file.handles.iter().find_map(|(_, o)| match o {
            Object::Xrcd(x) if x.file == Some(k) => Some(x.number),
            _ => None,
        })
    });
    let shared = existing.is_some();
    let number = match existing {
        Some(_) if flags & EXCLUSIVE != 0 => return Err(Errno::EINVAL),
        Some(number) => number,
        None if key.is_some() && flags & CREATE == 0 => return Err(Errno::EAGAIN),
        None => cx.dev.exec(&Mailbox::command(0x80e, 0, 16), 16)?.get(0x48, 24) as u32,
    };
    let handle = cx.commit(Object::Xrcd(Xrcd { number, file: key, shared }), Vec::new());
    cx.core_out(&handle.to_ne_bytes())
}

/// DEALLOC_XRCD.
pub fn destroy_xrcd(dev: &mut Device, xrcd: &Xrcd) -> Result<(), Errno> {
    if xrcd.shared {
        return Ok(());
    }
    let mut m = Mailbox::command(0x80f, 0, 16);
    m.set(0x48, 24, xrcd.number as u64);
    dev.exec(&m, 16).map(|_| ())
}
