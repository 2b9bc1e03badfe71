//! Receive work queues and their indirection tables.

use super::super::bytes::{In, Out};
use super::super::client::FileKey;
use super::super::cx::Cx;
use super::super::device::Device;
use super::super::mailbox::{Mailbox, Pages};
use super::super::objects::{Object, types};
use nix::errno::Errno;
use prm::{CmdHcaCap, CreateRqIn, CreateRqtIn, ModifyRqIn, Rqc, Rqtc, Wq as Ring};

/// State of a send or receive queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueState {
    /// After creation.
    #[default]
    Reset = 0,
    /// Working.
    Ready = 1,
    /// Failed.
    Error = 3,
}

/// A receive work queue.
#[derive(Debug, Default)]
pub struct Wq {
    /// Number.
    pub number: u32,
    /// User context it belongs to.
    pub uid: u16,
    /// State.
    pub state: QueueState,
    /// The library's handle, which events name.
    pub user_handle: u64,
    /// Where its asynchronous events go.
    pub async_fd: Option<FileKey>,
    /// Asynchronous events sent.
    pub async_events: u32,
}

/// An indirection table.
#[derive(Debug)]
pub struct IndTable {
    /// Number.
    pub number: u32,
    /// Entries.
    pub size: u32,
    /// User context it belongs to.
    pub uid: u16,
}

/// Which kind of queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Send queue.
    Send,
    /// Receive queue.
    Receive,
}

/// What a receive queue is made of.
#[derive(Debug)]
pub struct ReceiveQueue {
    /// Protection domain.
    pub pdn: u32,
    /// Completion queue.
    pub cqn: u32,
    /// Index that completions carry.
    pub uidx: u32,
    /// Address of the ring.
    pub buf: u64,
    /// Address of the doorbell record.
    pub dbr: u64,
    /// Logarithm of the number of entries.
    pub log_count: u32,
    /// Logarithm of an entry's bytes.
    pub log_stride: u32,
    /// Several packets to an entry: logarithms of a stride's bytes and of their number.
    pub striding: Option<(u32, u32)>,
    /// Verbs create flags.
    pub flags: u32,
}

/// Verbs create flags of work queues.
mod flag {
    pub const VLAN_STRIPPING: u32 = 1;
    pub const SCATTER_FCS: u32 = 1 << 1;
    pub const DELAY_DROP: u32 = 1 << 2;
    pub const END_PADDING: u32 = 1 << 3;
}

/// Describe a ring's memory to the device: pages behind the command, doorbell record.
pub fn memory(m: &mut Mailbox, ring: usize, pages: &Pages, dbr: u64) {
    m.put(Ring::DBR_ADDR.at(ring), dbr)
        .put(Ring::LOG_WQ_PG_SZ.at(ring), pages.shift as u64 - 12)
        .put(Ring::PAGE_OFFSET.at(ring), pages.offset >> (pages.shift - 6));
    m.addresses((ring + Ring::PAS.off) / 8, pages.addresses());
}

const RQC: usize = CreateRqIn::CTX.off;
const RING: usize = RQC + Rqc::WQ.off;

/// CREATE_RQ; its number.
pub fn make_queue(cx: &mut Cx<'_>, uid: u16, q: &ReceiveQueue) -> Result<u32, Errno> {
    const CYCLIC: u64 = 1;
    const STRIDING: u64 = 3;
    let bytes = 1u64 << (q.log_count + q.log_stride).min(62);
    let base = super::pin::pin(cx, q.buf, bytes, true)?;
    let dbr = super::pin::pin(cx, q.dbr, 8, true)?;
    let pages = Pages::of_queue(base, bytes).ok_or(Errno::EINVAL)?;
    let mut m = Mailbox::command(0x908, uid, CreateRqIn::SIZE);
    m.put(Rqc::VSD.at(RQC), (q.flags & flag::VLAN_STRIPPING == 0) as u64)
        .put(Rqc::SCATTER_FCS.at(RQC), (q.flags & flag::SCATTER_FCS != 0) as u64)
        .put(Rqc::DELAY_DROP_EN.at(RQC), (q.flags & flag::DELAY_DROP != 0) as u64)
        .put(Rqc::FLUSH_IN_ERROR_EN.at(RQC), 1)
        .put(Rqc::USER_INDEX.at(RQC), q.uidx as u64)
        .put(Rqc::CQN.at(RQC), q.cqn as u64)
        .put(Ring::WQ_TYPE.at(RING), if q.striding.is_some() { STRIDING } else { CYCLIC })
        .put(Ring::END_PADDING_MODE.at(RING), (q.flags & flag::END_PADDING != 0) as u64)
        .put(Ring::PD.at(RING), q.pdn as u64)
        .put(Ring::LOG_WQ_STRIDE.at(RING), q.log_stride as u64)
        .put(Ring::LOG_WQ_SZ.at(RING), q.log_count as u64);
    if let Some((bytes, count)) = q.striding {
        m.put(Ring::LOG_WQE_STRIDE_SIZE.at(RING), bytes.saturating_sub(6) as u64)
            .put(Ring::LOG_WQE_NUM_OF_STRIDES.at(RING), count.wrapping_sub(9) as u64 & 15);
    }
    memory(&mut m, RING, &pages, dbr);
    Ok(cx.dev.exec(&m, 16)?.get(0x48, 24) as u32)
}

/// MODIFY_RQ or MODIFY_SQ from one state to another.
pub fn move_queue(
    dev: &mut Device,
    side: Side,
    uid: u16,
    number: u32,
    from: QueueState,
    to: QueueState,
) -> Result<(), Errno> {
    let opcode = if side == Side::Send { 0x905 } else { 0x909 };
    let mut m = Mailbox::command(opcode, uid, ModifyRqIn::SIZE);
    m.put(ModifyRqIn::RQ_STATE, from as u64)
        .set(0x48, 24, number as u64)
        .put(Rqc::STATE.at(ModifyRqIn::CTX.off), to as u64);
    dev.exec(&m, 16).map(|_| ())
}

struct Request {
    kind: u32,
    user_handle: u64,
    pd: u32,
    cq: u32,
    max_wr: u32,
    max_sge: u32,
    flags: u32,
    async_fd: Option<FileKey>,
}

/// WQ.CREATE.
pub fn create(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let known = flag::VLAN_STRIPPING | flag::SCATTER_FCS | flag::DELAY_DROP | flag::END_PADDING;
    let request = Request {
        kind: cx.u64(4)? as u32,
        user_handle: cx.u64(3)?,
        pd: cx.handle(1).ok_or(Errno::EINVAL)?,
        cq: cx.handle(2).ok_or(Errno::EINVAL)?,
        max_wr: cx.u32(6)?,
        max_sge: cx.u32(7)?,
        flags: cx.flags(8, known as u64)? as u32,
        async_fd: cx.fd_key(5),
    };
    let (_, number) = make(cx, &request)?;
    cx.output(9, &request.max_wr.to_ne_bytes())?;
    cx.output(10, &request.max_sge.to_ne_bytes())?;
    cx.output(11, &number.to_ne_bytes())
}

/// CREATE_WQ of the write commands.
pub fn create_write(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let q = In(cx.core_in());
    let request = Request {
        kind: q.u32(4),
        user_handle: q.u64(8),
        pd: q.u32(16),
        cq: q.u32(20),
        max_wr: q.u32(24),
        max_sge: q.u32(28),
        flags: q.u32(32),
        async_fd: None,
    };
    if q.u32(0) != 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    let (handle, number) = make(cx, &request)?;
    let mut r = Out::new(24);
    r.u32(4, 24).u32(8, handle).u32(12, request.max_wr).u32(16, request.max_sge).u32(20, number);
    cx.core_out(&r.0)
}

fn make(cx: &mut Cx<'_>, request: &Request) -> Result<(u32, u32), Errno> {
    const RQ: u32 = 0;
    const STRIDING: u32 = 1;
    const SHORTEST: usize = 32;
    let uid = cx.file.context()?.devx_uid;
    let pdn = cx.pdn(request.pd).map_err(|_| Errno::EINVAL)?;
    let cqn = match cx.file.handles.lookup(request.cq as i64, types::CQ).map(|e| &e.object) {
        Ok(Object::Cq(cq)) => cq.number,
        _ => return Err(Errno::EINVAL),
    };
    if request.flags & flag::DELAY_DROP != 0 && !CmdHcaCap::RQ_DELAY_DROP.is_set(&cx.dev.general) {
        return Err(Errno::EOPNOTSUPP);
    }
    let input = cx.uhw_in()?;
    let q = In(&input);
    if request.kind != RQ || input.len() < SHORTEST || !q.zero_from(48) {
        return Err(Errno::EINVAL);
    }
    let (count, shift, uidx, mask) = (q.u32(16), q.u32(20), q.u32(24), q.u32(32));
    if mask & !STRIDING != 0 || (mask & STRIDING != 0 && cx.dev.cap(0x201, 1) == 0) {
        return Err(Errno::EOPNOTSUPP);
    }
    if !count.is_power_of_two() || shift > 30 || uidx > 0xff_ffff || request.max_wr == 0 {
        return Err(Errno::EINVAL);
    }
    if request.max_wr > 1 << cx.dev.cap(0x3db, 5) || request.max_wr > count {
        return Err(Errno::EINVAL);
    }
    let striding = (mask & STRIDING != 0).then(|| (q.u32(36), q.u32(40)));
    if striding.is_some_and(|(bytes, strides)| !(6..=13).contains(&bytes) || !(3..=16).contains(&strides)) {
        return Err(Errno::EINVAL);
    }
    let queue = ReceiveQueue {
        pdn,
        cqn,
        uidx,
        buf: q.u64(0),
        dbr: q.u64(8),
        log_count: count.trailing_zeros(),
        log_stride: shift,
        striding,
        flags: request.flags,
    };
    let number = make_queue(cx, uid, &queue)?;
    let wq =
        Wq { number, uid, user_handle: request.user_handle, async_fd: request.async_fd, ..Wq::default() };
    let handle = cx.commit(Object::Wq(wq), vec![request.pd, request.cq]);
    let mut d = Out::new(8);
    d.u32(0, 8);
    cx.uhw_out(&d.0)?;
    Ok((handle, number))
}

/// MODIFY_WQ.
pub fn modify(cx: &mut Cx<'_>) -> Result<(), Errno> {
    const STATE: u32 = 1;
    const CURRENT: u32 = 2;
    const FLAGS: u32 = 4;
    let q = In(cx.core_in());
    let (mask, handle, next, current) = (q.u32(0), q.u32(4), q.u32(8), q.u32(12));
    if mask == 0 || mask & !(STATE | CURRENT | FLAGS) != 0 {
        return Err(Errno::EINVAL);
    }
    cx.file.handles.lookup(handle as i64, types::WQ).map_err(|_| Errno::EINVAL)?;
    let Some(Object::Wq(wq)) = cx.file.handles.get(handle) else { return Err(Errno::EINVAL) };
    let (number, uid, known) = (wq.number, wq.uid, wq.state);
    let state = |n: u32| match n {
        0 => Ok(QueueState::Reset),
        1 => Ok(QueueState::Ready),
        2 => Ok(QueueState::Error),
        _ => Err(Errno::EINVAL),
    };
    let from = if mask & CURRENT != 0 { state(current)? } else { known };
    let to = if mask & STATE != 0 { state(next)? } else { from };
    move_queue(cx.dev, Side::Receive, uid, number, from, to)?;
    if let Some(Object::Wq(wq)) = cx.file.handles.get_mut(handle) {
        wq.state = to;
    }
    Ok(())
}

/// DESTROY_WQ of the write commands.
pub fn destroy_write(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let q = In(cx.core_in());
    if q.u32(0) != 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    let handle = q.u32(4);
    cx.reported = super::destroy_checked(cx, handle, types::WQ)?;
    let mut r = Out::new(16);
    r.u32(4, 16).u32(8, cx.reported.asynchronous);
    cx.core_out(&r.0)
}

/// DESTROY_RQ.
pub fn destroy(dev: &mut Device, wq: &Wq) -> Result<(), Errno> {
    let mut m = Mailbox::command(0x90a, wq.uid, 16);
    m.set(0x48, 24, wq.number as u64);
    dev.exec(&m, 16).map(|_| ())
}

/// CREATE_RWQ_IND_TBL.
pub fn create_table(cx: &mut Cx<'_>) -> Result<(), Errno> {
    const MOST: u32 = 31;
    let core = cx.core_in().to_vec();
    let q = In(&core);
    let (mask, log) = (q.u32(0), q.u32(4));
    if mask != 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    if log > MOST || core.len() < 8 + (4usize << log.min(20)) || log as u64 > cx.dev.cap(0x393, 5) {
        return Err(Errno::EINVAL);
    }
    let uid = cx.file.context()?.devx_uid;
    let count = 1usize << log;
    let handles: Vec<u32> = (0..count).map(|k| q.u32(8 + 4 * k)).collect();
    let mut numbers = Vec::new();
    for handle in &handles {
        match cx.file.handles.lookup(*handle as i64, types::WQ).map(|e| &e.object) {
            Ok(Object::Wq(wq)) => numbers.push(wq.number),
            _ => return Err(Errno::EINVAL),
        }
    }
    let base = CreateRqtIn::RQT_CONTEXT.off;
    let list = base + Rqtc::RQ_NUM.off;
    let mut m = Mailbox::command(0x916, uid, list / 8 + 4 * count);
    m.put(Rqtc::RQT_MAX_SIZE.at(base), count as u64).put(Rqtc::RQT_ACTUAL_SIZE.at(base), count as u64);
    for (k, number) in numbers.iter().enumerate() {
        m.set(list + 32 * k, 32, *number as u64);
    }
    let number = cx.dev.exec(&m, 16)?.get(0x48, 24) as u32;
    let table = IndTable { number, size: count as u32, uid };
    let handle = cx.commit(Object::IndTable(table), handles);
    let mut d = Out::new(8);
    d.u32(0, 8);
    cx.uhw_out(&d.0)?;
    let mut r = Out::new(16);
    r.u32(4, 16).u32(8, handle).u32(12, number);
    cx.core_out(&r.0)
}

/// DESTROY_RQT.
pub fn destroy_table(dev: &mut Device, table: &IndTable) -> Result<(), Errno> {
    let mut m = Mailbox::command(0x918, table.uid, 16);
    m.set(0x48, 24, table.number as u64);
    dev.exec(&m, 16).map(|_| ())
}
