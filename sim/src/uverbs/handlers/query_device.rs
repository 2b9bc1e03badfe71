//! What the device can do, in the terms of verbs.

use super::super::bytes::{In, Out};
use super::super::cx::Cx;
use super::super::device::Device;
use super::super::spec::Generation;
use nix::errno::Errno;
use prm::{CmdHcaCap, PerProtocolNetworkingOffloadCaps as Eth, QosCap};

const CORE_BYTES: usize = 176;
const EXTENDED_BYTES: usize = 304;
const DRIVER_BYTES: usize = 112;
/// Queue pair types in capability masks.
const RAW_PACKET: u32 = 1 << 8;

/// Capability flags of `device_cap_flags_ex`.
mod flags {
    pub const BAD_PKEY_COUNTER: u64 = 1 << 1;
    pub const BAD_QKEY_COUNTER: u64 = 1 << 2;
    pub const AUTO_PATH_MIGRATION: u64 = 1 << 4;
    pub const CHANGE_PHY_PORT: u64 = 1 << 5;
    pub const PORT_ACTIVE_EVENT: u64 = 1 << 10;
    pub const SYS_IMAGE_GUID: u64 = 1 << 11;
    pub const RC_RNR_NAK_GEN: u64 = 1 << 12;
    pub const MEM_WINDOW: u64 = 1 << 17;
    pub const UD_IP_CSUM: u64 = 1 << 18;
    pub const XRC: u64 = 1 << 20;
    pub const MEM_MGT_EXTENSIONS: u64 = 1 << 21;
    pub const MEM_WINDOW_TYPE_2B: u64 = 1 << 24;
    pub const RAW_IP_CSUM: u64 = 1 << 26;
    pub const MANAGED_FLOW_STEERING: u64 = 1 << 29;
    pub const RAW_SCATTER_FCS: u64 = 1 << 34;
    pub const PCI_WRITE_END_PADDING: u64 = 1 << 36;
}

/// Pages that capabilities of an Ethernet port are read from.
struct Pages {
    ethernet: Vec<u8>,
    flow: Vec<u8>,
    atomic: Vec<u8>,
    qos: Vec<u8>,
    memory: Vec<u8>,
}

fn pages(dev: &mut Device) -> Pages {
    Pages {
        ethernet: dev.capabilities(1),
        flow: dev.capabilities(7),
        atomic: dev.capabilities(3),
        qos: dev.capabilities(0xc),
        memory: dev.capabilities(0xf),
    }
}

fn bit(page: &[u8], at: usize, width: usize) -> u64 {
    prm::bits::get(page, at, width)
}

fn capability_flags(dev: &Device, p: &Pages) -> u64 {
    use flags::*;
    let mut f = CHANGE_PHY_PORT | PORT_ACTIVE_EVENT | SYS_IMAGE_GUID | RC_RNR_NAK_GEN | MEM_MGT_EXTENSIONS;
    let mut when = |field: u64, flag: u64| {
        if field != 0 {
            f |= flag;
        }
    };
    when(dev.cap(0x237, 1), BAD_PKEY_COUNTER);
    when(dev.cap(0x236, 1), BAD_QKEY_COUNTER);
    when(dev.cap(0x22e, 1), AUTO_PATH_MIGRATION);
    when(dev.cap(0x23c, 1), XRC);
    when(dev.cap(0x231, 1), MEM_WINDOW | MEM_WINDOW_TYPE_2B);
    when(dev.cap(0x160, 1), PCI_WRITE_END_PADDING);
    if dev.is_ethernet() && dev.cap(0x21c, 1) != 0 {
        when(bit(&p.ethernet, 0, 1), RAW_IP_CSUM);
        when(bit(&p.ethernet, 0x19, 1), RAW_SCATTER_FCS);
    }
    when(dev.cap(0x204, 1), UD_IP_CSUM);
    if dev.cap(0x1a6, 1) != 0 {
        when(bit(&p.flow, 0x200, 1), MANAGED_FLOW_STEERING);
    }
    f
}

/// The firmware's version as one number.
const FIRMWARE: u64 = 28 << 32 | 43 << 16 | 1000;
/// ConnectX-7.
pub const PART_ID: u32 = 0x1021;

/// Requests that a queue pair takes at most. Since 6.12 the driver counts what surely fits: send
/// requests of 256 bytes, the longest that it builds, in a ring of entries of 64.
fn most_requests(dev: &Device, generation: Generation) -> u32 {
    let log = dev.cap(0x88, 8) as u32;
    let longest = if generation.has(Generation::V6_12) { 2 } else { 0 };
    1u32.checked_shl(log.saturating_sub(longest)).unwrap_or(0)
}

fn core(dev: &mut Device, p: &Pages, generation: Generation) -> Out {
    let log =
        |dev: &Device, at: usize, width: usize| 1u32.checked_shl(dev.cap(at, width) as u32).unwrap_or(0);
    let guid = super::gid::node_guid(dev).to_be_bytes();
    let receive_sge = dev.cap(0x2b0, 16) as u32 / 16;
    let send_sge = (dev.cap(0x290, 16) as u32).min(512).saturating_sub(32) / 16;
    let qps = log(dev, 0x9b, 5);
    let reads = log(dev, 0x14a, 6);
    let multicast = log(dev, 0x318, 8);
    let attach = dev.cap(0x2e7, 25) as u32;
    let eight = bit(&p.atomic, 0xb0, 16) & 8 != 0 && bit(&p.atomic, 0x90, 16) & 3 == 3;
    let flags = capability_flags(dev, p);
    let mut r = Out::new(CORE_BYTES);
    r.u64(0, FIRMWARE)
        .bytes(8, &guid)
        .bytes(16, &guid)
        .u64(24, u64::MAX)
        .u64(32, !((1u64 << dev.cap(0x258, 8)) - 1))
        .u32(40, 0x2c9)
        .u32(44, PART_ID)
        .u32(52, qps)
        .u32(56, most_requests(dev, generation))
        .u32(60, flags as u32)
        .u32(64, receive_sge.min(send_sge))
        .u32(68, 30)
        .u32(72, log(dev, 0xdb, 5))
        .u32(76, log(dev, 0xc8, 8) - 1)
        .u32(80, log(dev, 0xea, 6))
        .u32(84, log(dev, 0x32b, 5))
        .u32(88, reads)
        .u32(96, reads.wrapping_mul(qps))
        .u32(100, log(dev, 0x15a, 6))
        .u32(108, eight as u32)
        .u32(120, log(dev, 0xea, 6))
        .u32(132, multicast)
        .u32(136, attach)
        .u32(140, attach.wrapping_mul(multicast))
        .u32(144, i32::MAX as u32)
        .u32(156, log(dev, 0xab, 5))
        .u32(160, log(dev, 0x80, 8) - 1)
        .u32(164, receive_sge.saturating_sub(1))
        .u16(168, 128u16.checked_shl(dev.cap(0x190, 16) as u32).unwrap_or(0))
        .u8(170, dev.cap(0x1ab, 5) as u8)
        .u8(171, dev.options.ports);
    r
}

/// QUERY_DEVICE.
pub fn plain(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.file.context()?;
    let p = pages(cx.dev);
    let r = core(cx.dev, &p, cx.generation);
    cx.core_out(&r.0)
}

/// The extended QUERY_DEVICE, with the driver's own answer.
pub fn extended(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.file.context()?;
    let q = In(cx.core_in());
    if q.u32(0) != 0 || q.u32(4) != 0 {
        return Err(Errno::EINVAL);
    }
    let p = pages(cx.dev);
    let room = cx.uhw_out_len();
    if room > 0 {
        if room < 8 {
            return Err(Errno::EINVAL);
        }
        if !In(&cx.uhw_in()?).zero_from(0) {
            return Err(Errno::EINVAL);
        }
        let d = driver(cx.dev, &p, room, cx.generation);
        cx.uhw_out(&d.0)?;
    }
    let mut r = core(cx.dev, &p, cx.generation);
    r.0.resize(EXTENDED_BYTES, 0);
    let flags = capability_flags(cx.dev, &p);
    r.u32(180, EXTENDED_BYTES.min(cx.core_out_len()) as u32)
        .u64(208, u64::MAX >> 1)
        .u64(216, cx.dev.cap(0x4e0, 32))
        .u64(224, flags);
    if cx.dev.is_ethernet() {
        r.u32(232, RAW_PACKET)
            .u32(236, 1 << cx.dev.cap(0x38b, 5))
            .u32(240, 1 << cx.dev.cap(0x393, 5))
            .u32(248, 1 << cx.dev.cap(0x363, 5));
        let checksum = bit(&p.ethernet, 0, 1) as u32;
        let vlan = bit(&p.ethernet, 1, 1) as u32;
        let fcs = bit(&p.ethernet, 0x19, 1) as u32;
        r.u32(252, vlan | fcs << 1 | checksum << 2);
    }
    if CmdHcaCap::TAG_MATCHING.is_set(&cx.dev.general) {
        // tags, operations in flight, elements of a tagged receive
        let tags = (1u32 << CmdHcaCap::LOG_TAG_MATCHING_LIST_SZ.get32(&cx.dev.general)) - 1;
        r.u32(260, tags).u32(268, 1 << cx.dev.cap(0x88, 8)).u32(272, 1);
        if CmdHcaCap::RNDV_OFFLOAD_RC.is_set(&cx.dev.general) {
            r.u32(256, 64).u32(264, 1);
        }
    }
    if cx.dev.cap(0x222, 1) != 0 {
        r.u16(280, u16::MAX).u16(282, 0xfff);
    }
    if bit(&p.memory, 0, 1) != 0 {
        r.u64(288, bit(&p.memory, 0xa0, 32));
    }
    cx.core_out(&r.0)
}

/// Length of the driver's answer of a kernel: `reg_c0` came with 7.2.
fn driver_len(generation: Generation) -> usize {
    if generation.has(Generation::V7_2) { DRIVER_BYTES } else { DRIVER_BYTES - 8 }
}

fn driver(dev: &Device, p: &Pages, room: usize, generation: Generation) -> Out {
    let len = driver_len(generation).min(room);
    let mut d = Out::new(DRIVER_BYTES);
    d.u32(4, len as u32);
    if dev.is_ethernet() && dev.cap(0x21c, 1) != 0 {
        let segment = bit(&p.ethernet, 0xb, 5);
        if segment != 0 {
            d.u32(8, 1 << segment).u32(12, RAW_PACKET);
        }
        // Toeplitz over addresses and ports, outer and inner
        d.u64(16, 0xff | 1 << 31).u8(24, 1);
        if bit(&p.ethernet, 0x14, 4) != 0 && dev.cap(0x201, 1) != 0 {
            d.u32(72, 6)
                .u32(76, 13)
                .u32(80, if dev.cap(0x3a0, 1) != 0 { 3 } else { 9 })
                .u32(84, 16)
                .u32(88, RAW_PACKET);
        }
        let eth = |f: prm::bits::Field| f.get32(&p.ethernet);
        // many packets in one work request: allowed, enhanced
        let many = (eth(Eth::MULTI_PKT_SEND_WQE) != 0) as u32 | eth(Eth::ENHANCED_MULTI_PKT_SEND_WQE) << 1;
        d.u32(56, many);
        if eth(Eth::SWP) != 0 {
            d.u32(64, 1 | eth(Eth::SWP_CSUM) << 1 | eth(Eth::SWP_LSO) << 2).u32(68, RAW_PACKET);
        }
    }
    if dev.cap(0x5bf, 1) != 0 {
        d.u32(32, dev.cap(0x5d0, 16) as u32).u32(36, 3 | (dev.cap(0x5bc, 1) as u32) << 2);
    }
    if dev.cap(0x21b, 1) != 0 && QosCap::PACKET_PACING.is_set(&p.qos) {
        let burst = QosCap::PACKET_PACING_BURST_BOUND.is_set(&p.qos)
            && QosCap::PACKET_PACING_TYPICAL_SIZE.is_set(&p.qos);
        d.u32(40, QosCap::PACKET_PACING_MIN_RATE.get32(&p.qos))
            .u32(44, QosCap::PACKET_PACING_MAX_RATE.get32(&p.qos))
            .u32(48, RAW_PACKET)
            .u8(52, burst as u8);
    }
    let mut flags = 0;
    if dev.cap(0x5be, 1) != 0 {
        flags |= 1;
    }
    if dev.cap(0x5bd, 1) != 0 {
        flags |= 2;
    }
    if dev.cap(0x232, 1) != 0 {
        flags |= 4;
    }
    if dev.cap(0x20c, 1) != 0 {
        flags |= 8;
    }
    d.u32(60, flags);
    let channels = CmdHcaCap::LOG_MAX_DCI_STREAM_CHANNELS.get32(&dev.general);
    if channels != 0 {
        let errored = CmdHcaCap::LOG_MAX_DCI_ERRORED_STREAMS.get32(&dev.general);
        d.u8(100, channels as u8).u8(101, errored as u8);
    }
    d
}
