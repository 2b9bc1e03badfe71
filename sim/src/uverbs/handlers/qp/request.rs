//! What a request to make a queue pair says, from whichever command, and its driver part.

use super::super::super::bytes::In;
use super::super::super::client::FileKey;
use super::super::super::cx::Cx;
use super::super::super::objects::types;
use super::Kind;
use nix::errno::Errno;

/// Driver flags of a queue pair (`mlx5-abi.h`).
pub(super) mod flag {
    pub const SIGNATURE: u32 = 1;
    pub const SCATTER_CQE: u32 = 1 << 1;
    pub const TUNNEL_OFFLOADS: u32 = 1 << 2;
    pub const BFREG_INDEX: u32 = 1 << 3;
    pub const TYPE_DCT: u32 = 1 << 4;
    pub const TYPE_DCI: u32 = 1 << 5;
    pub const SELF_LB_UC: u32 = 1 << 6;
    pub const SELF_LB_MC: u32 = 1 << 7;
    pub const ALLOW_SCATTER_CQE: u32 = 1 << 8;
    pub const PACKET_BASED_CREDIT: u32 = 1 << 9;
    pub const UAR_PAGE_INDEX: u32 = 1 << 10;
    pub const DCI_STREAM: u32 = 1 << 11;
    pub const KNOWN: u32 = (1 << 12) - 1;
}

/// A request to make a queue pair, from whichever command.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) user_handle: u64,
    pub(super) pd: Option<u32>,
    pub(super) send_cq: Option<u32>,
    pub(super) recv_cq: Option<u32>,
    pub(super) srq: Option<u32>,
    pub(super) xrcd: Option<u32>,
    pub(super) table: Option<u32>,
    /// max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline_data.
    pub(super) cap: [u32; 5],
    pub(super) signal_all: bool,
    pub(super) verbs_type: u32,
    pub(super) create_flags: u32,
    pub(super) async_fd: Option<FileKey>,
}

/// What the driver part of the request says.
#[derive(Debug, Default)]
pub(super) struct Driver {
    pub(super) buf: u64,
    pub(super) dbr: u64,
    pub(super) sq_count: u32,
    pub(super) rq_count: u32,
    pub(super) rq_shift: u32,
    pub(super) flags: u32,
    pub(super) uidx: u32,
    pub(super) bfreg: u32,
    /// Send buffer of a raw packet queue pair, or access key of a DC target.
    pub(super) sq_buf_or_key: u64,
    /// Options of enhanced connection establishment.
    pub(super) ece: u32,
}

impl Driver {
    pub(super) fn read(bytes: &[u8]) -> Result<Driver, Errno> {
        // everything up to the ECE options
        const SHORTEST: usize = 52;
        let q = In(bytes);
        if bytes.len() < SHORTEST || !q.zero_from(56) || q.u16(54) != 0 {
            return Err(Errno::EINVAL);
        }
        Ok(Driver {
            buf: q.u64(0),
            dbr: q.u64(8),
            sq_count: q.u32(16),
            rq_count: q.u32(20),
            rq_shift: q.u32(24),
            flags: q.u32(28),
            uidx: q.u32(32),
            bfreg: q.u32(36),
            sq_buf_or_key: q.u64(40),
            ece: q.u32(48),
        })
    }
}

/// Handles of a write command: an XRC receive side has none, and there is one namespace
/// for all, in which a missing object is EINVAL.
pub(super) fn write_request(
    cx: &Cx<'_>,
    q: &In<'_>,
    at: usize,
    flags: u32,
    table: Option<u32>,
) -> Result<Request, Errno> {
    let (signal_all, verbs_type, is_srq) = (q.u8(at + 36), q.u8(at + 37), q.u8(at + 38));
    let mut r = Request {
        user_handle: q.u64(at - 8),
        cap: [q.u32(at + 16), q.u32(at + 20), q.u32(at + 24), q.u32(at + 28), q.u32(at + 32)],
        signal_all: signal_all != 0,
        verbs_type: verbs_type as u32,
        create_flags: flags,
        table,
        ..Request::default()
    };
    let known = |handle: u32, kind: u16| {
        cx.file.handles.lookup(handle as i64, kind).map(|_| Some(handle)).map_err(|_| Errno::EINVAL)
    };
    if r.verbs_type == Kind::XrcReceive as u32 {
        r.xrcd = known(q.u32(at), types::XRCD)?;
        return Ok(r);
    }
    r.pd = known(q.u32(at), types::PD)?;
    if table.is_none() {
        r.send_cq = known(q.u32(at + 4), types::CQ)?;
        if r.verbs_type != Kind::XrcSend as u32 {
            r.recv_cq = known(q.u32(at + 8), types::CQ)?;
            if is_srq != 0 {
                r.srq = known(q.u32(at + 12), types::SRQ)?;
            }
        }
    }
    Ok(r)
}

pub(super) fn kind_of(request: &Request, driver: &Driver) -> Result<Kind, Errno> {
    let dc = driver.flags & (flag::TYPE_DCI | flag::TYPE_DCT);
    match request.verbs_type {
        2 => Ok(Kind::Rc),
        3 => Ok(Kind::Uc),
        4 => Ok(Kind::Ud),
        8 => Ok(Kind::RawPacket),
        9 => Ok(Kind::XrcSend),
        10 => Ok(Kind::XrcReceive),
        0xff if dc == flag::TYPE_DCI => Ok(Kind::Dci),
        0xff if dc == flag::TYPE_DCT => Ok(Kind::Dct),
        0xff => Err(Errno::EINVAL),
        _ => Err(Errno::EOPNOTSUPP),
    }
}
