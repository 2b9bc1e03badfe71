//! Raw packet queue pairs: a send queue with its transport interface, a receive queue with
//! its own; and RSS queue pairs, which are an interface over an indirection table.

use super::super::super::bytes::{In, Out};
use super::super::super::cx::Cx;
use super::super::super::device::Device;
use super::super::super::mailbox::{Mailbox, Pages};
use super::super::super::objects::Object;
use super::super::wq::{self, QueueState};
use super::modify::Change;
use super::states::{State, attr};
use super::{Driver, Kind, Made, Qp, Request, cq_number, flag, uses};
use nix::errno::Errno;
use prm::{CreateSqIn, CreateTirIn, CreateTisIn, Sqc, Tirc, Tisc, Wq};

/// The firmware objects of one.
#[derive(Debug, Default)]
pub struct Raw {
    uid: u16,
    /// Send queue.
    pub sq: Option<u32>,
    tis: Option<u32>,
    /// Receive queue.
    rq: Option<u32>,
    tir: Option<u32>,
    sq_state: QueueState,
    rq_state: QueueState,
}

impl Raw {
    /// Create opcodes and numbers.
    pub fn numbers(&self) -> Vec<(u16, u32)> {
        let all = [(0x904, self.sq), (0x908, self.rq), (0x900, self.tir), (0x912, self.tis)];
        all.into_iter().filter_map(|(op, n)| n.map(|n| (op, n))).collect()
    }

    /// An interface over an indirection table has no queues of its own.
    pub fn is_rss(&self) -> bool {
        self.tir.is_some() && self.rq.is_none() && self.sq.is_none()
    }

    /// Destroy what there is, users first.
    pub fn destroy(&self, dev: &mut Device) -> Result<(), Errno> {
        for (opcode, number) in [(0x902, self.tir), (0x90a, self.rq), (0x906, self.sq), (0x914, self.tis)] {
            if let Some(number) = number {
                let mut m = Mailbox::command(opcode, self.uid, 16);
                m.set(0x48, 24, number as u64);
                dev.exec(&m, 16)?;
            }
        }
        Ok(())
    }
}

/// Make a raw packet queue pair.
pub fn make(cx: &mut Cx<'_>, request: &Request, driver: &Driver) -> Result<Made, Errno> {
    super::rings(cx, request, driver)?;
    let mut raw = Raw { uid: cx.file.context()?.devx_uid, ..Raw::default() };
    let made = make_parts(cx, request, driver, &mut raw);
    let (uar, register) = match made {
        Ok(parts) => parts,
        Err(errno) => {
            let _ = raw.destroy(cx.dev);
            return Err(errno);
        }
    };
    let mut r = Out::new(40);
    r.u32(0, register);
    let mut mask = 0;
    for (bit, at, number) in [(1, 12, raw.tir), (2, 16, raw.tis), (4, 20, raw.rq), (8, 24, raw.sq)] {
        if let Some(number) = number {
            mask |= bit;
            r.u32(at, number);
        }
    }
    r.u32(8, mask);
    // the number that steering and the library know it by
    let number = raw.sq.or(raw.rq).unwrap_or(0);
    let uid = raw.uid;
    let mut qp =
        Qp { number, kind: Kind::RawPacket, uid, uar, sends: true, raw: Some(raw), ..super::new_qp(request) };
    if request.cap[1] > 0 {
        qp.cap[1] = driver.rq_count;
    }
    let handle = cx.commit(Object::Qp(qp), uses(request));
    cx.uhw_out(&r.0)?;
    Ok(Made { handle, number, cap: request.cap })
}

fn make_parts(
    cx: &mut Cx<'_>,
    request: &Request,
    driver: &Driver,
    raw: &mut Raw,
) -> Result<(u32, u32), Errno> {
    let context = cx.file.context()?;
    let domain = context.transport_domain;
    let pdn = cx.pdn(request.pd.ok_or(Errno::EINVAL)?)?;
    if request.cap[0] == 0 && request.cap[1] == 0 {
        return Err(Errno::EINVAL);
    }
    let mut place = (0, 0);
    if request.cap[0] > 0 {
        place = super::uar_of(cx, driver)?;
        let mut tis = Mailbox::command(0x912, raw.uid, CreateTisIn::SIZE);
        tis.put(Tisc::TRANSPORT_DOMAIN.at(CreateTisIn::CTX.off), domain as u64);
        raw.tis = Some(cx.dev.exec(&tis, 16)?.get(0x48, 24) as u32);
        let bytes = (driver.sq_count as u64) << 6;
        let sq_base = super::super::pin::pin(cx, driver.sq_buf_or_key, bytes, true)?;
        let dbr = super::super::pin::pin(cx, driver.dbr, 8, true)?;
        let pages = Pages::of_queue(sq_base, bytes).ok_or(Errno::EINVAL)?;
        let base = CreateSqIn::CTX.off;
        let w = base + Sqc::WQ.off;
        let mut sq = Mailbox::command(0x904, raw.uid, CreateSqIn::SIZE);
        sq.put(Sqc::FLUSH_IN_ERROR_EN.at(base), 1)
            .put(Sqc::USER_INDEX.at(base), driver.uidx as u64)
            .put(Sqc::CQN.at(base), cq_number(cx, request.send_cq) as u64)
            .put(Sqc::TIS_LST_SZ.at(base), 1)
            .put(Sqc::TIS_NUM_0.at(base), raw.tis.unwrap_or(0) as u64)
            .put(Sqc::ALLOW_MULTI_PKT_SEND_WQE.at(base), 1)
            .put(Wq::WQ_TYPE.at(w), 1)
            .put(Wq::PD.at(w), pdn as u64)
            .put(Wq::UAR_PAGE.at(w), place.0 as u64)
            .put(Wq::LOG_WQ_STRIDE.at(w), 6)
            .put(Wq::LOG_WQ_SZ.at(w), driver.sq_count.trailing_zeros() as u64);
        wq::memory(&mut sq, w, &pages, dbr);
        raw.sq = Some(cx.dev.exec(&sq, 16)?.get(0x48, 24) as u32);
    }
    if request.cap[1] > 0 {
        let queue = wq::ReceiveQueue {
            pdn,
            cqn: cq_number(cx, request.recv_cq),
            uidx: driver.uidx,
            buf: driver.buf,
            dbr: driver.dbr,
            log_count: driver.rq_count.trailing_zeros(),
            log_stride: driver.rq_shift,
            striding: None,
            flags: request.create_flags,
        };
        raw.rq = Some(wq::make_queue(cx, raw.uid, &queue)?);
        let mut tir = interface(cx, raw.uid, driver.flags)?;
        tir.put(Tirc::INLINE_RQN.at(CreateTirIn::CTX.off), raw.rq.unwrap_or(0) as u64);
        raw.tir = Some(cx.dev.exec(&tir, 16)?.get(0x48, 24) as u32);
    }
    Ok(place)
}

/// CREATE_TIR of this context, with the loopback the library asked for.
fn interface(cx: &Cx<'_>, uid: u16, flags: u32) -> Result<Mailbox, Errno> {
    let base = CreateTirIn::CTX.off;
    let mut blocked = 3u64;
    if flags & flag::SELF_LB_UC != 0 {
        blocked &= !1;
    }
    if flags & flag::SELF_LB_MC != 0 {
        blocked &= !2;
    }
    let mut tir = Mailbox::command(0x900, uid, CreateTirIn::SIZE);
    tir.put(Tirc::TRANSPORT_DOMAIN.at(base), cx.file.context()?.transport_domain as u64)
        .put(Tirc::TUNNELED_OFFLOAD_EN.at(base), (flags & flag::TUNNEL_OFFLOADS != 0) as u64);
    if flags & (flag::SELF_LB_UC | flag::SELF_LB_MC) != 0 {
        tir.put(Tirc::SELF_LB_BLOCK.at(base), blocked);
    }
    Ok(tir)
}

/// Fields of a packet that a hash may cover.
mod hash {
    pub const SRC_IPV4: u64 = 1;
    pub const DST_IPV4: u64 = 1 << 1;
    pub const SRC_IPV6: u64 = 1 << 2;
    pub const DST_IPV6: u64 = 1 << 3;
    pub const SRC_TCP: u64 = 1 << 4;
    pub const DST_TCP: u64 = 1 << 5;
    pub const SRC_UDP: u64 = 1 << 6;
    pub const DST_UDP: u64 = 1 << 7;
    pub const INNER: u64 = 1 << 31;
    pub const KNOWN: u64 = 0xff | INNER;
}

/// The device's selector for a set of hash fields: protocols of layers 3 and 4, then fields.
fn selector(fields: u64) -> Result<u64, Errno> {
    use hash::*;
    let any = |mask: u64| fields & mask != 0;
    let (v4, v6) = (any(SRC_IPV4 | DST_IPV4), any(SRC_IPV6 | DST_IPV6));
    let (tcp, udp) = (any(SRC_TCP | DST_TCP), any(SRC_UDP | DST_UDP));
    if (v4 && v6) || (tcp && udp) {
        return Err(Errno::EINVAL);
    }
    let mut s = (v6 as u64) << 31 | (udp as u64) << 30;
    for (mask, bit) in
        [(SRC_IPV4 | SRC_IPV6, 0), (DST_IPV4 | DST_IPV6, 1), (SRC_TCP | SRC_UDP, 2), (DST_TCP | DST_UDP, 3)]
    {
        if any(mask) {
            s |= 1 << bit;
        }
    }
    Ok(s)
}

/// Make an RSS queue pair.
pub fn make_rss(cx: &mut Cx<'_>, request: &Request) -> Result<Made, Errno> {
    const TOEPLITZ: u8 = 1;
    const TOEPLITZ_KEY: u8 = 40;
    const SHORTEST: usize = 152;
    let uid = cx.file.context()?.devx_uid;
    let input = cx.uhw_in()?;
    let q = In(&input);
    if request.verbs_type != Kind::RawPacket as u32 {
        return Err(Errno::EINVAL);
    }
    if input.len() < 148 || !q.zero_from(SHORTEST) || !In(&q.bytes::<6>(10)).zero_from(0) {
        return Err(Errno::EINVAL);
    }
    let (fields, function, key_len, mask, flags) = (q.u64(0), q.u8(8), q.u8(9), q.u32(144), q.u32(148));
    if request.send_cq.is_some() || mask != 0 {
        return Err(Errno::EINVAL);
    }
    let allowed = flag::TUNNEL_OFFLOADS | flag::SELF_LB_UC | flag::SELF_LB_MC;
    if flags & !allowed != 0 || (fields & !hash::KNOWN) != 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    if fields & hash::INNER != 0 && flags & flag::TUNNEL_OFFLOADS == 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    if function != TOEPLITZ {
        return Err(Errno::EOPNOTSUPP);
    }
    if key_len != TOEPLITZ_KEY {
        return Err(Errno::EINVAL);
    }
    let table = match request.table.and_then(|h| cx.file.handles.get(h)) {
        Some(Object::IndTable(t)) => (t.number, t.size),
        _ => return Err(Errno::EINVAL),
    };
    let chosen = selector(fields & !hash::INNER)?;
    if chosen == 0 && table.1 != 1 {
        return Err(Errno::EINVAL);
    }
    let base = CreateTirIn::CTX.off;
    let mut tir = interface(cx, uid, flags)?;
    tir.put(Tirc::DISP_TYPE.at(base), 1)
        .put(Tirc::INDIRECT_TABLE.at(base), table.0 as u64)
        .put(Tirc::RX_HASH_FN.at(base), 2)
        .put(Tirc::RX_HASH_SYMMETRIC.at(base), 0);
    let key: [u8; 40] = q.bytes(16);
    for (k, byte) in key.iter().enumerate() {
        tir.set(base + Tirc::RX_HASH_TOEPLITZ_KEY.off + 8 * k, 8, *byte as u64);
    }
    let place = if fields & hash::INNER != 0 {
        Tirc::RX_HASH_FIELD_SELECTOR_INNER
    } else {
        Tirc::RX_HASH_FIELD_SELECTOR_OUTER
    };
    tir.put(place.at(base), chosen);
    let number = cx.dev.exec(&tir, 16)?.get(0x48, 24) as u32;
    let raw = Raw { uid, tir: Some(number), ..Raw::default() };
    let qp = Qp { number, kind: Kind::RawPacket, uid, raw: Some(raw), ..super::new_qp(request) };
    let handle = cx.commit(Object::Qp(qp), uses(request));
    let mut r = Out::new(40);
    r.u32(8, 1).u32(12, number);
    cx.uhw_out(&r.0)?;
    Ok(Made { handle, number, cap: request.cap })
}

/// Move the queues of a raw packet queue pair.
pub fn modify(cx: &mut Cx<'_>, change: &Change, to: State) -> Result<(), Errno> {
    let (uid, sq, rq, sq_state, rq_state) = match cx.file.handles.get(change.handle) {
        Some(Object::Qp(Qp { raw: Some(r), .. })) => (r.uid, r.sq, r.rq, r.sq_state, r.rq_state),
        _ => return Err(Errno::EINVAL),
    };
    let (receive, send) = match to {
        State::Reset => (QueueState::Reset, QueueState::Reset),
        State::Init => (rq_state, sq_state),
        State::Sqd | State::Sqe => return Err(Errno::EINVAL),
        State::Rtr => (QueueState::Ready, sq_state),
        State::Rts => (QueueState::Ready, QueueState::Ready),
        State::Err => (QueueState::Error, QueueState::Error),
    };
    if let (Some(number), true) = (rq, receive != rq_state) {
        wq::move_queue(cx.dev, wq::Side::Receive, uid, number, rq_state, receive)?;
    }
    let limited = change.has(attr::RATE_LIMIT);
    if let (Some(number), true) = (sq, send != sq_state) {
        wq::move_queue(cx.dev, wq::Side::Send, uid, number, sq_state, send)?;
    }
    if limited && change.rate_limit != 0 && cx.dev.cap(0x21b, 1) == 0 {
        return Err(Errno::EOPNOTSUPP);
    }
    if let Some(Object::Qp(Qp { raw: Some(r), .. })) = cx.file.handles.get_mut(change.handle) {
        r.rq_state = receive;
        r.sq_state = send;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_follow_the_fields() {
        use hash::*;
        assert_eq!(selector(SRC_IPV4 | DST_IPV4), Ok(3));
        assert_eq!(selector(SRC_IPV6 | DST_UDP), Ok(1 << 31 | 1 << 30 | 1 | 8));
        assert_eq!(selector(SRC_IPV4 | SRC_IPV6), Err(Errno::EINVAL));
        assert_eq!(selector(SRC_TCP | DST_UDP), Err(Errno::EINVAL));
    }
}
