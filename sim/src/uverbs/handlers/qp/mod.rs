//! Queue pairs: making and destroying them.

mod dct;
mod modify;
mod multicast;
mod path;
mod query;
mod raw;
mod request;
mod states;

pub use modify::{modify_write, modify_write_ex};
pub use multicast::attach_multicast;
pub use path::create_ah;
pub use query::query;

use super::super::bytes::{In, Out};
use super::super::client::FileKey;
use super::super::cx::Cx;
use super::super::device::Device;
use super::super::engine::{Ring, RingKind};
use super::super::mailbox::{Mailbox, Pages};
use super::super::objects::{Object, types};
use nix::errno::Errno;
use prm::{CmdHcaCap, CreateQpIn, CreateQpOut};
use request::{Driver, Request, flag, kind_of, write_request};
pub use states::State;

/// Transport of a queue pair, as verbs number them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Reliable connection.
    #[default]
    Rc = 2,
    /// Unreliable connection.
    Uc = 3,
    /// Datagrams.
    Ud = 4,
    /// Ethernet packets.
    RawPacket = 8,
    /// Sending side of XRC.
    XrcSend = 9,
    /// Receiving side of XRC.
    XrcReceive = 10,
    /// DC initiator.
    Dci = 0xfe,
    /// DC target.
    Dct = 0xff,
}

/// What the device calls a transport (`qpc.st`).
fn service_type(kind: Kind) -> u64 {
    match kind {
        Kind::Rc => 0,
        Kind::Uc => 1,
        Kind::Ud => 2,
        Kind::XrcSend | Kind::XrcReceive => 3,
        Kind::Dci => 5,
        Kind::Dct => 6,
        Kind::RawPacket => 9,
    }
}

/// A queue pair.
#[derive(Debug, Default)]
pub struct Qp {
    /// Number that the process knows it by; 0 for a DC target that is not ready.
    pub number: u32,
    /// Transport.
    pub kind: Kind,
    /// User context it belongs to.
    pub uid: u16,
    /// State as verbs number them.
    pub state: State,
    /// The library's handle, which events name.
    pub user_handle: u64,
    /// Where its asynchronous events go.
    pub async_fd: Option<FileKey>,
    /// Asynchronous events sent.
    pub async_events: u32,
    /// Capabilities as granted: send and receive requests, their elements, inline bytes.
    pub cap: [u32; 5],
    /// Remote rights that were asked for.
    pub rights: u64,
    /// Reads and atomics of the peer that it answers at a time.
    pub responder_depth: u8,
    /// Whether every send request is signalled.
    pub signal_all: bool,
    /// Port.
    pub port: u8,
    /// UAR page of its doorbells.
    pub uar: u32,
    /// Whether it has a send queue to ring for.
    sends: bool,
    /// Firmware objects of a raw packet queue pair.
    raw: Option<raw::Raw>,
    /// What a DC target is made of once it is ready.
    dct: Option<dct::Pending>,
    /// A queue pair that another process owns as well: only a reference.
    shared: bool,
}

impl Qp {
    /// Its doorbells.
    pub fn ring(&self) -> Option<Ring> {
        if !self.sends {
            return None;
        }
        let number = match &self.raw {
            Some(raw) => raw.sq?,
            None => self.number,
        };
        (self.uar != 0).then_some(Ring { uar: self.uar, number, kind: RingKind::Send })
    }

    /// Whether an event's number is this queue pair's.
    pub fn owns(&self, number: u32) -> bool {
        self.numbers().iter().any(|(_, n)| *n == number)
    }

    /// Create opcodes and numbers of the firmware objects it is made of.
    pub fn numbers(&self) -> Vec<(u16, u32)> {
        match (&self.raw, self.kind) {
            (Some(raw), _) => raw.numbers(),
            (None, Kind::Dct) => vec![(0x710, self.number)],
            _ => vec![(0x500, self.number)],
        }
    }
}

/// What a new queue pair answers.
struct Made {
    handle: u32,
    number: u32,
    cap: [u32; 5],
}

fn cap_bytes(cap: &[u32; 5]) -> Vec<u8> {
    cap.iter().flat_map(|v| v.to_ne_bytes()).collect()
}

/// QP.CREATE.
pub fn create(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let bytes = cx.bytes(8)?;
    let q = In(&bytes);
    // loopback blocking, scatter FCS, VLAN stripping, end padding, and signalling of all
    const SIGNAL_ALL: u32 = 1 << 12;
    let known = 1 << 1 | 1 << 8 | 1 << 9 | 1 << 11 | SIGNAL_ALL;
    let flags = cx.flags(10, known as u64)? as u32;
    let request = Request {
        user_handle: cx.u64(7)?,
        pd: cx.handle(2),
        send_cq: cx.handle(4),
        recv_cq: cx.handle(5),
        srq: cx.handle(3),
        xrcd: cx.handle(1),
        table: cx.handle(6),
        cap: [q.u32(0), q.u32(4), q.u32(8), q.u32(12), q.u32(16)],
        signal_all: flags & SIGNAL_ALL != 0,
        verbs_type: cx.u64(9)? as u32,
        create_flags: flags & !SIGNAL_ALL,
        async_fd: cx.fd_key(12),
    };
    let made = make(cx, request)?;
    cx.output_struct(13, &cap_bytes(&made.cap))?;
    cx.output(14, &made.number.to_ne_bytes())
}

fn write_response(made: &Made) -> Out {
    let mut r = Out::new(32);
    r.u32(0, made.handle).u32(4, made.number).bytes(8, &cap_bytes(&made.cap));
    r
}

/// CREATE_QP of the write commands.
pub fn create_write(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let core = cx.core_in().to_vec();
    let request = write_request(cx, &In(&core), 16, 0, None)?;
    let made = make(cx, request)?;
    cx.core_out(&write_response(&made).0)
}

/// The extended CREATE_QP of the write commands.
pub fn create_write_ex(cx: &mut Cx<'_>) -> Result<(), Errno> {
    const INDIRECTION: u32 = 1;
    let core = cx.core_in().to_vec();
    let q = In(&core);
    let (mask, flags) = (q.u32(48), q.u32(52));
    if mask & !INDIRECTION != 0 {
        return Err(Errno::EINVAL);
    }
    let table = (mask & INDIRECTION != 0).then(|| q.u32(56));
    if let Some(handle) = table {
        cx.file.handles.lookup(handle as i64, types::RWQ_IND_TBL).map_err(|_| Errno::EINVAL)?;
    }
    let request = write_request(cx, &q, 8, flags, table)?;
    let made = make(cx, request)?;
    let mut r = write_response(&made);
    r.0.resize(40, 0);
    r.u32(36, 40);
    cx.core_out(&r.0)
}

fn make(cx: &mut Cx<'_>, mut request: Request) -> Result<Made, Errno> {
    const CAP_NET_RAW: u32 = 13;
    cx.file.context()?;
    let tid = cx.client.tid();
    if request.verbs_type == Kind::RawPacket as u32 && !super::super::client::capable(tid, CAP_NET_RAW) {
        return Err(Errno::EPERM);
    }
    if request.table.is_some() {
        return raw::make_rss(cx, &request);
    }
    let driver = Driver::read(&cx.uhw_in()?)?;
    let kind = kind_of(&request, &driver)?;
    check(cx, &request, &driver, kind)?;
    if request.srq.is_some() || matches!(kind, Kind::XrcSend | Kind::XrcReceive | Kind::Dci) {
        (request.cap[1], request.cap[3]) = (0, 0);
    }
    match kind {
        Kind::RawPacket => raw::make(cx, &request, &driver),
        Kind::Dct => dct::make(cx, &request, &driver),
        _ => make_plain(cx, &request, &driver, kind),
    }
}

/// What the driver refuses before it makes anything, in its order.
fn check(cx: &Cx<'_>, request: &Request, driver: &Driver, kind: Kind) -> Result<(), Errno> {
    let context = cx.file.context()?;
    let offered = match kind {
        Kind::Dci | Kind::Dct => cx.dev.cap(0x21a, 1) != 0,
        Kind::XrcSend | Kind::XrcReceive => cx.dev.cap(0x23c, 1) != 0,
        _ => true,
    };
    if !offered {
        return Err(Errno::EOPNOTSUPP);
    }
    if kind == Kind::RawPacket && context.cqe_version == 0 {
        return Err(Errno::EINVAL);
    }
    let raw_only = flag::TUNNEL_OFFLOADS | flag::SELF_LB_UC | flag::SELF_LB_MC;
    if driver.flags & !flag::KNOWN != 0
        || (driver.flags & raw_only != 0 && kind != Kind::RawPacket)
        || (driver.flags & flag::PACKET_BASED_CREDIT != 0 && (kind != Kind::Rc || cx.dev.cap(0x232, 1) == 0))
        || (driver.flags & flag::DCI_STREAM != 0 && kind != Kind::Dci)
    {
        return Err(Errno::EINVAL);
    }
    // initiators receive nothing
    let receives = match kind {
        Kind::Dci => request.cap[1] != 0 || request.cap[3] != 0,
        Kind::XrcSend => request.srq.is_some(),
        _ => false,
    };
    if receives {
        return Err(Errno::EINVAL);
    }
    let default_index = 0xff_ffff;
    let wrong_index = match context.cqe_version {
        0 => driver.uidx != default_index,
        _ => kind != Kind::XrcReceive && driver.uidx > default_index,
    };
    if wrong_index {
        return Err(Errno::EINVAL);
    }
    // loopback of multicast can be blocked, end padding can be asked for
    const BLOCK_LOOPBACK: u32 = 1 << 1;
    const SCATTER_FCS: u32 = 1 << 8;
    const VLAN_STRIPPING: u32 = 1 << 9;
    const END_PADDING: u32 = 1 << 11;
    let allowed = match kind {
        Kind::RawPacket => SCATTER_FCS | VLAN_STRIPPING | END_PADDING,
        Kind::Ud => BLOCK_LOOPBACK,
        _ => 0,
    };
    if request.create_flags & !allowed != 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    Ok(())
}

/// Sizes of the two rings.
struct Rings {
    rq_bytes: u64,
    sq_bytes: u64,
}

fn rings(cx: &Cx<'_>, request: &Request, driver: &Driver) -> Result<Rings, Errno> {
    let most = 1u32 << cx.dev.cap(0x88, 8);
    if request.cap[1] > most || driver.sq_count > most || driver.rq_count > most {
        return Err(Errno::EINVAL);
    }
    if driver.sq_count != 0 && !driver.sq_count.is_power_of_two() {
        return Err(Errno::EINVAL);
    }
    let has_rq = request.cap[1] > 0;
    if !has_rq {
        // the library must count as the driver does
        if driver.rq_count != 0 || driver.rq_shift != 0 {
            return Err(Errno::EINVAL);
        }
        return Ok(Rings { rq_bytes: 0, sq_bytes: (driver.sq_count as u64) << 6 });
    }
    let signature = (driver.flags & flag::SIGNATURE != 0) as u32;
    if driver.rq_shift > 31
        || (1u32 << driver.rq_shift) / 16 <= signature
        || !driver.rq_count.is_power_of_two()
        || driver.rq_count < request.cap[1].min(most)
    {
        return Err(Errno::EINVAL);
    }
    Ok(Rings {
        rq_bytes: (driver.rq_count as u64) << driver.rq_shift,
        sq_bytes: (driver.sq_count as u64) << 6,
    })
}

/// The UAR page of a new queue pair, and the register that a library without pages of its
/// own is told.
fn uar_of(cx: &Cx<'_>, driver: &Driver) -> Result<(u32, u32), Errno> {
    let context = cx.file.context()?;
    if driver.flags & flag::UAR_PAGE_INDEX != 0 {
        return Ok((driver.bfreg, 0));
    }
    let uars = &context.static_uars;
    if driver.flags & flag::BFREG_INDEX != 0 {
        return uars.get(driver.bfreg as usize / 2).map(|u| (*u, driver.bfreg)).ok_or(Errno::EINVAL);
    }
    // the register with the fewest queue pairs of this file; register 0 has no BlueFlame
    let used =
        |uar: u32| cx.file.handles.iter().filter(|(_, o)| matches!(o, Object::Qp(q) if q.uar == uar)).count();
    let best = uars.iter().enumerate().min_by_key(|(_, u)| used(**u)).ok_or(Errno::EINVAL)?;
    Ok((*best.1, best.0 as u32 * 4))
}

fn cq_number(cx: &Cx<'_>, handle: Option<u32>) -> u32 {
    match handle.and_then(|h| cx.file.handles.get(h)) {
        Some(Object::Cq(cq)) => cq.number,
        _ => 0,
    }
}

const QPC: usize = 0xc0;
/// Length of CREATE_QP before its pages.
const CREATE_BYTES: usize = 272;
/// State "migrated" of path migration.
const MIGRATED: u64 = 3;
/// Kinds of receive queue.
const RQ_OWN: u64 = 0;
const RQ_SHARED: u64 = 1;
const RQ_NONE: u64 = 3;

fn make_plain(cx: &mut Cx<'_>, request: &Request, driver: &Driver, kind: Kind) -> Result<Made, Errno> {
    let sizes = rings(cx, request, driver)?;
    let total = sizes.rq_bytes + sizes.sq_bytes;
    let uid = cx.file.context()?.devx_uid;
    let pdn = match request.pd {
        Some(handle) => cx.pdn(handle)?,
        None => cx.dev.pd,
    };
    let (uar, register) = uar_of(cx, driver)?;
    let mut create = Mailbox::command(0x500, uid, CREATE_BYTES);
    let mut pages = None;
    if total > 0 {
        let base = super::pin::pin(cx, driver.buf, total, true)?;
        pages = Some(Pages::of_queue(base, total).ok_or(Errno::EINVAL)?);
    }
    let dbr = super::pin::pin(cx, driver.dbr, 8, true)?;
    create
        .set(QPC + 0x08, 8, service_type(kind))
        .set(QPC + 0x13, 2, MIGRATED)
        .set(QPC + 0x20, 1, (driver.flags & flag::SIGNATURE != 0) as u64)
        .set(QPC + 0x28, 24, pdn as u64)
        .set(QPC + 0x68, 24, uar as u64)
        .set(QPC + 0x88, 24, driver.uidx as u64)
        .set(QPC + 0x3e8, 24, cq_number(cx, request.send_cq) as u64)
        .set(QPC + 0x4e8, 24, cq_number(cx, request.recv_cq.or(request.send_cq)) as u64)
        .set(QPC + 0x500, 64, dbr);
    if CmdHcaCap::ECE_SUPPORT.is_set(&cx.dev.general) {
        create.put(CreateQpIn::ECE, driver.ece as u64);
    }
    if driver.sq_count > 0 {
        create.set(QPC + 0x51, 4, driver.sq_count.trailing_zeros() as u64);
    } else {
        create.set(QPC + 0x50, 1, 1);
    }
    receive_side(cx, &mut create, request, driver, kind, sizes.rq_bytes > 0)?;
    scatter_to_cqe(cx, &mut create, request, driver, kind);
    if let Some(pages) = pages {
        create
            .set(QPC + 0xa3, 5, pages.shift as u64 - 12)
            .set(QPC + 0x494, 6, pages.offset >> (pages.shift - 6))
            .addresses(CREATE_BYTES, pages.addresses());
    }
    let made = cx.dev.exec(&create, 16)?;
    let number = made.get(0x48, 24) as u32;
    let mut qp = Qp { number, kind, uid, uar, sends: driver.sq_count > 0, ..new_qp(request) };
    if sizes.rq_bytes > 0 {
        // a query answers what the ring has
        qp.cap[1] = driver.rq_count;
    }
    let handle = cx.commit(Object::Qp(qp), uses(request));
    let mut r = Out::new(40);
    r.u32(0, register).u32(4, CreateQpOut::ECE.get32(&made.out));
    cx.uhw_out(&r.0)?;
    Ok(Made { handle, number, cap: request.cap })
}

fn new_qp(request: &Request) -> Qp {
    Qp {
        user_handle: request.user_handle,
        async_fd: request.async_fd,
        cap: request.cap,
        signal_all: request.signal_all,
        port: 1,
        ..Qp::default()
    }
}

/// Handles that a queue pair holds.
fn uses(request: &Request) -> Vec<u32> {
    [request.pd, request.send_cq, request.recv_cq, request.srq, request.xrcd, request.table]
        .into_iter()
        .flatten()
        .collect()
}

fn receive_side(
    cx: &mut Cx<'_>,
    create: &mut Mailbox,
    request: &Request,
    driver: &Driver,
    kind: Kind,
    own: bool,
) -> Result<(), Errno> {
    let shared = match request.srq.and_then(|h| cx.file.handles.get(h)) {
        Some(Object::Srq(srq)) => Some(srq.number),
        _ => None,
    };
    let domain = match request.xrcd.and_then(|h| cx.file.handles.get(h)) {
        Some(Object::Xrcd(x)) => Some(x.number),
        _ => None,
    };
    match (kind, shared) {
        (Kind::XrcSend, _) => {
            create.set(QPC + 0x565, 3, RQ_NONE);
        }
        (Kind::XrcReceive, _) => {
            create.set(QPC + 0x565, 3, RQ_SHARED).set(QPC + 0x4c8, 24, domain.unwrap_or(0) as u64);
            let (cqn, srqn) = super::srq::spare(cx.dev)?;
            create.set(QPC + 0x568, 24, srqn as u64).set(QPC + 0x3e8, 24, cqn as u64).set(
                QPC + 0x4e8,
                24,
                cqn as u64,
            );
        }
        (_, Some(srqn)) => {
            create.set(QPC + 0x565, 3, RQ_SHARED).set(QPC + 0x568, 24, srqn as u64);
        }
        _ if own => {
            create
                .set(QPC + 0x565, 3, RQ_OWN)
                .set(QPC + 0x49, 4, driver.rq_count.trailing_zeros() as u64)
                .set(QPC + 0x4d, 3, driver.rq_shift.saturating_sub(4) as u64);
        }
        _ => {
            create.set(QPC + 0x565, 3, RQ_NONE);
        }
    }
    Ok(())
}

/// Small messages may land in the completion entry itself.
fn scatter_to_cqe(cx: &Cx<'_>, create: &mut Mailbox, request: &Request, driver: &Driver, kind: Kind) {
    if driver.flags & flag::SCATTER_CQE == 0 || cx.dev.cap(0x215, 1) == 0 {
        return;
    }
    let large = |handle: Option<u32>| matches!(handle.and_then(|h| cx.file.handles.get(h)), Some(Object::Cq(cq)) if cq.entry_size == 128);
    if matches!(kind, Kind::Rc | Kind::Uc) {
        create.set(QPC + 0x638, 8, if large(request.recv_cq) { 0x22 } else { 0x11 });
    }
    let allowed = request.signal_all || driver.flags & flag::ALLOW_SCATTER_CQE != 0;
    if allowed && matches!(kind, Kind::Rc | Kind::Dci) {
        create.set(QPC + 0x630, 8, if large(request.send_cq) { 0x22 } else { 0x11 });
    }
}

/// OPEN_QP: a receiving side of XRC that another process of the domain made.
pub fn open(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let q = In(cx.core_in());
    let (user_handle, xrcd, number, verbs_type) = (q.u64(8), q.u32(16), q.u32(20), q.u8(24));
    cx.file.handles.lookup(xrcd as i64, types::XRCD).map_err(|_| Errno::EINVAL)?;
    if verbs_type as u32 != Kind::XrcReceive as u32 {
        return Err(Errno::EINVAL);
    }
    let exists = cx
        .file
        .handles
        .iter()
        .any(|(_, o)| matches!(o, Object::Qp(q) if q.kind == Kind::XrcReceive && q.number == number));
    if !exists {
        return Err(Errno::EINVAL);
    }
    let qp = Qp { number, kind: Kind::XrcReceive, user_handle, shared: true, ..Qp::default() };
    let handle = cx.commit(Object::Qp(qp), vec![xrcd]);
    cx.core_out(&write_response(&Made { handle, number, cap: [0; 5] }).0)
}

/// DESTROY_QP of the write commands.
pub fn destroy_write(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let handle = In(cx.core_in()).u32(8);
    cx.reported = super::destroy_checked(cx, handle, types::QP)?;
    cx.core_out(&cx.reported.asynchronous.to_ne_bytes())
}

/// Destroy the firmware objects of a queue pair.
pub fn destroy(dev: &mut Device, qp: &Qp) -> Result<(), Errno> {
    if qp.shared {
        return Ok(());
    }
    if let Some(raw) = &qp.raw {
        return raw.destroy(dev);
    }
    if qp.kind == Kind::Dct {
        return dct::destroy(dev, qp);
    }
    if qp.state != State::Reset {
        let mut reset = Mailbox::command(0x50a, qp.uid, 16);
        reset.set(0x48, 24, qp.number as u64);
        dev.run(&reset, 16);
    }
    let mut command = Mailbox::command(0x501, qp.uid, 16);
    command.set(0x48, 24, qp.number as u64);
    dev.exec(&command, 16).map(|_| ())
}
