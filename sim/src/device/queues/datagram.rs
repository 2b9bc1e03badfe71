//! Datagrams: address vectors, Q_Keys, multicast, the forty bytes in front.

use super::key::KeyRefused;
use super::payload::Payload;
use super::respond::Message;
use super::send::Step;
use super::wqe::{Reader, Wqe};
use crate::device::command::service;
use crate::device::host::Host;
use crate::device::{Chip, checksum};
use prm::Qpc;
use prm::cqe::{self, syndrome};
use prm::wqe::{Av, opcode};

/// The destination of multicast.
const MULTICAST: u32 = 0xff_ffff;
/// A Q_Key with this bit stands for the sender's own.
const OWN_QKEY: u32 = 1 << 31;
/// In the address vector's flags word: an address follows.
const HAS_GRH: u32 = 1 << 31;
/// In [`cqe::Cqe64::FLAGS_RQPN`]: a network header is there.
const GRH: u32 = 1 << 28;
/// Where that field names the kind of header.
const L3_SHIFT: u32 = 24;
/// Bytes that stand in front of every datagram in its receive buffer.
const HEADER: usize = 40;
/// Partition key of the port.
const DEFAULT_PKEY: u32 = 0xffff;

/// Kind of network header: as completions name it.
mod l3 {
    pub const GRH: u32 = 0;
    pub const IPV6: u32 = 1;
    pub const IPV4: u32 = 2;
}

impl Chip {
    /// A datagram goes to a queue pair, or to all members of a group.
    pub(super) fn datagram(&mut self, h: &dyn Host, n: u32, w: &Wqe) -> Step {
        let op = match w.opcode() {
            opcode::SEND => cqe::opcode::RESP_SEND,
            opcode::SEND_IMM => cqe::opcode::RESP_SEND_IMM,
            _ => return Step::Fail(syndrome::LOCAL_QP_OP_ERR),
        };
        let Some(qp) = self.dp.qps.get(&n) else { return Step::Fail(syndrome::LOCAL_QP_OP_ERR) };
        let mut r = Reader::new(w);
        let av = match r.address() {
            Ok(av) => av,
            Err(e) => return e.into(),
        };
        let data = match r.data() {
            Ok(data) => data,
            Err(e) => return e.into(),
        };
        let bytes: u64 = data.iter().map(super::wqe::Segment::len).sum();
        if bytes > datagram_limit(qp.get(Qpc::MTU)) {
            return Step::Fail(syndrome::LOCAL_LENGTH_ERR);
        }
        let given = Av::QKEY.get32(av);
        let qkey = if given & OWN_QKEY != 0 { qp.get(Qpc::Q_KEY) } else { given };
        let from = match qp.get(Qpc::DETH_SQPN) {
            0 => n,
            other => other,
        };
        let Ok(body) = self.gather(&data, qp.local(n)) else { return Step::Fail(syndrome::LOCAL_PROT_ERR) };
        let (header, kind) = self.network_header(av, bytes as usize);
        let mut payload = Payload::new();
        payload.push_bytes(&header);
        let Ok(body) = self.bytes(h, &body) else { return Step::Fail(syndrome::LOCAL_PROT_ERR) };
        payload.push_bytes(&body);
        let m = Message {
            opcode: op,
            imm: if op == cqe::opcode::RESP_SEND_IMM { w.imm() } else { DEFAULT_PKEY },
            payload: Some(&payload),
            bytes: payload.len(),
            solicited: w.solicited(),
            flags_rqpn: kind.map_or(0, |k| GRH | k << L3_SHIFT) | from,
        };
        for to in self.recipients(n, av) {
            self.deliver_datagram(h, to, qkey, &m);
        }
        Step::done(bytes)
    }

    /// Who gets a datagram.
    fn recipients(&self, from: u32, av: &[u8]) -> Vec<u32> {
        match Av::DQP_DCT.get32(av) & 0xff_ffff {
            MULTICAST => {
                let gid = Av::RGID.slice(av);
                self.mcg.iter().filter(|(g, n)| g[..] == *gid && *n != from).map(|(_, n)| *n).collect()
            }
            n => vec![n],
        }
    }

    /// Nobody waits for a datagram: without receiver, key or buffer it is lost.
    fn deliver_datagram(&mut self, h: &dyn Host, to: u32, qkey: u32, m: &Message) {
        let Some(qp) = self.dp.qps.get(&to).filter(|qp| qp.is_datagram() && qp.receives()) else { return };
        let management = matches!(qp.service(), service::QP0 | service::QP1);
        if !management && qp.get(Qpc::Q_KEY) != qkey {
            self.log(|| format!("datagram for queue pair {to:#x} dropped: Q_Key {qkey:#x}"));
            return;
        }
        let Ok(end) = self.end_of_qp(to, qp, None) else { return };
        self.reached(h, to);
        if self.deliver(h, &end, m).is_err() {
            self.log(|| format!("datagram for queue pair {to:#x} dropped: no buffer took it"));
        }
    }

    /// The forty bytes in front of a datagram, and the kind of header that they hold, if any.
    fn network_header(&self, av: &[u8], len: usize) -> ([u8; HEADER], Option<u32>) {
        let mut g = [0u8; HEADER];
        let word = Av::GRH_GID_FL.get32(av);
        if av.len() < Av::SIZE || (word & HAS_GRH == 0 && !self.is_ethernet()) {
            return (g, None);
        }
        let index = (word >> 20 & 0xff) as u16;
        let dst = Av::RGID.slice(av);
        let (src, version, ipv4) = self.roce_addr.get(&index).copied().unwrap_or_else(|| {
            let mut gid = [0; 16];
            gid[..2].copy_from_slice(&[0xfe, 0x80]);
            gid[8..].copy_from_slice(&self.port_guid(1).to_be_bytes());
            (gid, 0, false)
        });
        const ROCE_V2: u8 = 2;
        if version == ROCE_V2 && ipv4 {
            ipv4_header(&mut g, len, &src, dst);
            return (g, Some(l3::IPV4));
        }
        // version 6, then length of what follows with its transport headers
        g[0] = 0x60;
        g[4..6].copy_from_slice(&(len as u16).wrapping_add(24).to_be_bytes());
        const NEXT_UDP: u8 = 17;
        const NEXT_BTH: u8 = 0x1b;
        g[6] = if version == ROCE_V2 { NEXT_UDP } else { NEXT_BTH };
        g[7] = Av::HOP_LIMIT.get(av) as u8;
        g[8..24].copy_from_slice(&src);
        g[24..40].copy_from_slice(dst);
        (g, Some(if version == ROCE_V2 { l3::IPV6 } else { l3::GRH }))
    }

    pub(super) fn is_ethernet(&self) -> bool {
        self.config().port_type == crate::device::PortType::Ethernet
    }
}

/// An IPv4 header at the end of the forty bytes.
fn ipv4_header(g: &mut [u8; HEADER], len: usize, src: &[u8; 16], dst: &[u8]) {
    const LENGTHS: u16 = 20 + 8 + 12 + 4;
    g[20] = 0x45;
    g[22..24].copy_from_slice(&(len as u16).wrapping_add(LENGTHS).to_be_bytes());
    g[28] = 64;
    g[29] = 17;
    g[32..36].copy_from_slice(&src[12..16]);
    if let Some(d) = dst.get(12..16) {
        g[36..40].copy_from_slice(d);
    }
    let sum = checksum::internet(&[&g[20..]]);
    g[30..32].copy_from_slice(&sum.to_be_bytes());
}

/// Longest datagram by the context's MTU code: 1 is 256 bytes.
fn datagram_limit(mtu: u32) -> u64 {
    match mtu {
        1..=5 => 128 << mtu,
        _ => 4096,
    }
}

impl From<KeyRefused> for Step {
    fn from(_: KeyRefused) -> Step {
        Step::Fail(syndrome::LOCAL_PROT_ERR)
    }
}
