//! QUERY_QP.

use super::super::super::bytes::{In, Out};
use super::super::super::cx::Cx;
use super::super::super::mailbox::Mailbox;
use super::super::super::objects::{Object, types};
use super::super::umem::access;
use super::path::Path;
use super::{Kind, QPC, State};
use nix::errno::Errno;

/// What a query finds out, as `struct ib_uverbs_query_qp_resp`.
pub fn query(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let handle = In(cx.core_in()).u32(8);
    cx.file.handles.lookup(handle as i64, types::QP).map_err(|_| Errno::EINVAL)?;
    let Some(Object::Qp(qp)) = cx.file.handles.get(handle) else { return Err(Errno::EINVAL) };
    if qp.raw.as_ref().is_some_and(|r| r.is_rss()) {
        return Err(Errno::EOPNOTSUPP);
    }
    let (number, uid, kind, known, cap, signal_all, port) =
        (qp.number, qp.uid, qp.kind, qp.state, qp.cap, qp.signal_all, qp.port);
    let mut r = Out::new(128);
    r.bytes(64, &super::cap_bytes(&cap)).u8(122, signal_all as u8);
    if matches!(kind, Kind::RawPacket | Kind::Dct) {
        r.u8(108, known as u8).u8(109, known as u8).u8(116, port);
        return cx.core_out(&r.0);
    }
    let mut query = Mailbox::command(0x50b, uid, 16);
    query.set(0x48, 24, number as u64);
    let reply = cx.dev.exec(&query, 272)?;
    let get = |bit: usize, width: usize| reply.get(QPC + bit, width);
    let state = State::from_device(get(0, 4));
    if matches!(kind, Kind::Rc | Kind::Uc | Kind::XrcSend | Kind::XrcReceive) {
        for (at, bit) in [(0, 0xc0), (32, 0x220)] {
            let path = Path::read(cx.dev, &reply.out, QPC + bit);
            // a path without a port is none
            if path.port != 0 {
                path.put_dest(&mut r, at);
            }
        }
    }
    let migration = match get(0x13, 2) {
        3 => 0u8,
        1 => 1,
        _ => 2,
    };
    let mut rights = 0;
    for (bit, flag) in
        [(0x490, access::REMOTE_READ), (0x491, access::REMOTE_WRITE), (0x492, access::REMOTE_ATOMIC)]
    {
        if get(bit, 1) != 0 {
            rights |= flag;
        }
    }
    r.u32(84, get(0x540, 32) as u32)
        .u32(88, get(0x4a8, 24) as u32)
        .u32(92, get(0x3c8, 24) as u32)
        .u32(96, get(0xa8, 24) as u32)
        .u32(100, rights as u32)
        .u16(104, get(0xc0 + 0x10, 16) as u16)
        .u8(108, state as u8)
        .u8(109, state as u8)
        .u8(110, get(0x40, 3) as u8)
        .u8(111, migration)
        .u8(112, (state == State::Sqd) as u8)
        .u8(113, 1u8.checked_shl(get(0x388, 3) as u32).unwrap_or(0))
        .u8(114, 1u8.checked_shl(get(0x488, 3) as u32).unwrap_or(0))
        .u8(115, get(0x4a3, 5) as u8)
        .u8(116, get(0xc0 + 0x128, 8) as u8)
        .u8(117, get(0xc0 + 0x40, 5) as u8)
        .u8(118, get(0x38d, 3) as u8)
        .u8(119, get(0x390, 3) as u8);
    if let Some(Object::Qp(qp)) = cx.file.handles.get_mut(handle) {
        qp.state = state;
    }
    cx.core_out(&r.0)
}
