//! Where packets go: address vectors of queue pairs, and address handles.

use super::super::super::bytes::{In, Out};
use super::super::super::cx::Cx;
use super::super::super::device::Device;
use super::super::super::mailbox::Mailbox;
use super::super::super::objects::{Object, types};
use super::super::gid::{self, GidType};
use nix::errno::Errno;

/// A destination.
#[derive(Clone, Copy, Debug, Default)]
pub struct Path {
    pub dgid: [u8; 16],
    pub flow_label: u32,
    pub dlid: u16,
    pub sgid_index: u8,
    pub hop_limit: u8,
    pub traffic_class: u8,
    pub sl: u8,
    pub path_bits: u8,
    pub rate: u8,
    pub global: bool,
    pub port: u8,
}

impl Path {
    /// From `struct ib_uverbs_qp_dest` at byte `at`.
    pub fn of_dest(q: &In<'_>, at: usize) -> Path {
        Path {
            dgid: q.bytes(at),
            flow_label: q.u32(at + 16),
            dlid: q.u16(at + 20),
            sgid_index: q.u8(at + 24),
            hop_limit: q.u8(at + 25),
            traffic_class: q.u8(at + 26),
            sl: q.u8(at + 27),
            path_bits: q.u8(at + 28),
            rate: q.u8(at + 29),
            global: q.u8(at + 30) != 0,
            port: q.u8(at + 31),
        }
    }

    /// From `struct ib_uverbs_ah_attr` at byte `at`.
    fn of_ah(q: &In<'_>, at: usize) -> Path {
        Path {
            dgid: q.bytes(at),
            flow_label: q.u32(at + 16),
            sgid_index: q.u8(at + 20),
            hop_limit: q.u8(at + 21),
            traffic_class: q.u8(at + 22),
            dlid: q.u16(at + 24),
            sl: q.u8(at + 26),
            path_bits: q.u8(at + 27),
            rate: q.u8(at + 28),
            global: q.u8(at + 29) != 0,
            port: q.u8(at + 30),
        }
    }

    /// To `struct ib_uverbs_qp_dest` at byte `at`.
    pub fn put_dest(&self, r: &mut Out, at: usize) {
        r.bytes(at, &self.dgid)
            .u32(at + 16, self.flow_label)
            .u16(at + 20, self.dlid)
            .u8(at + 24, self.sgid_index)
            .u8(at + 25, self.hop_limit)
            .u8(at + 26, self.traffic_class)
            .u8(at + 27, self.sl)
            .u8(at + 28, self.path_bits)
            .u8(at + 29, self.rate)
            .u8(at + 30, self.global as u8)
            .u8(at + 31, self.port);
    }

    /// Whether the source address exists and the port's link can take the path.
    pub fn check(&self, dev: &mut Device) -> Result<(), Errno> {
        if self.port == 0 || self.port > dev.options.ports {
            return Err(Errno::EINVAL);
        }
        if !self.global {
            // Ethernet needs the global route header
            return if dev.is_ethernet() { Err(Errno::EINVAL) } else { Ok(()) };
        }
        if self.sgid_index as u32 >= gid::table_len(dev)
            || gid::table(dev, self.port).get(self.sgid_index as usize).is_none()
        {
            return Err(Errno::EINVAL);
        }
        Ok(())
    }

    /// Write it as an address path of the device at bit `at`.
    pub fn put(&self, dev: &Device, m: &mut Mailbox, at: usize) -> Result<(), Errno> {
        m.set(at + 0x128, 8, self.port as u64).set(at + 0x54, 4, rate(self.rate));
        if self.global {
            m.set(at + 0x48, 8, self.sgid_index as u64)
                .set(at + 0x58, 8, self.hop_limit as u64)
                .set(at + 0x64, 8, self.traffic_class as u64)
                .set(at + 0x6c, 20, self.flow_label as u64);
            for (k, byte) in self.dgid.iter().enumerate() {
                m.set(at + 0x80 + 8 * k, 8, *byte as u64);
            }
        }
        if dev.is_ethernet() {
            let mac = resolve(dev, self.port, &self.dgid)?;
            for (k, byte) in mac.iter().enumerate() {
                m.set(at + 0x130 + 8 * k, 8, *byte as u64);
            }
            m.set(at + 0x121, 3, self.sl as u64 & 7);
            let gids = gid::table(dev, self.port);
            if gids.get(self.sgid_index as usize).is_some_and(|g| g.kind == GidType::RoceV2) {
                m.set(at + 0x110, 16, 0xc000 | self.flow_label as u64 & 0x3fff).set(
                    at + 0x10a,
                    6,
                    self.traffic_class as u64 >> 2,
                );
            }
        } else {
            m.set(at + 0x28, 1, self.global as u64)
                .set(at + 0x29, 7, self.path_bits as u64 & 0x7f)
                .set(at + 0x30, 16, self.dlid as u64)
                .set(at + 0x124, 4, self.sl as u64 & 15);
        }
        Ok(())
    }

    /// Read an address path of the device at bit `at` of a query's output.
    pub fn read(dev: &Device, out: &[u8], at: usize) -> Path {
        let get = |bit: usize, width: usize| prm::bits::get(out, at + bit, width);
        let mut p = Path {
            flow_label: get(0x6c, 20) as u32,
            dlid: get(0x30, 16) as u16,
            sgid_index: get(0x48, 8) as u8,
            hop_limit: get(0x58, 8) as u8,
            traffic_class: get(0x64, 8) as u8,
            sl: get(0x124, 4) as u8,
            path_bits: get(0x29, 7) as u8,
            rate: get(0x54, 4).saturating_sub(5) as u8,
            global: get(0x28, 1) != 0,
            port: get(0x128, 8) as u8,
            ..Path::default()
        };
        if dev.is_ethernet() {
            p.global = true;
            p.dlid = 0;
            p.path_bits = 0;
            p.sl = get(0x121, 3) as u8;
        }
        for (k, byte) in p.dgid.iter_mut().enumerate() {
            *byte = get(0x80 + 8 * k, 8) as u8;
        }
        p
    }
}

/// The device's number of a static rate.
fn rate(verbs: u8) -> u64 {
    if verbs == 0 { 0 } else { (verbs as u64 + 5) & 15 }
}

/// The Ethernet address behind a destination: of a port of this run, of a link-local
/// address, or of a group.
pub fn resolve(dev: &Device, port: u8, dgid: &[u8; 16]) -> Result<[u8; 6], Errno> {
    let mapped = dgid.starts_with(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);
    match dgid {
        [0xff, .., a, b, c, d] => Ok([0x33, 0x33, *a, *b, *c, *d]),
        [0xfe, 0x80, _, _, _, _, _, _, a, b, c, 0xff, 0xfe, d, e, f] => Ok([a ^ 2, *b, *c, *d, *e, *f]),
        [.., a, b, c] if mapped && (224..240).contains(&dgid[12]) => Ok([0x01, 0x00, 0x5e, a & 0x7f, *b, *c]),
        _ => {
            let ports = 1..=dev.options.ports;
            let found = ports.into_iter().find(|p| gid::table(dev, *p).iter().any(|g| g.raw == *dgid));
            match found {
                Some(p) => Ok(gid::mac(dev, p)),
                // another device of the run: addresses tell device and port
                None if mapped && dgid[12..15] == [192, 0, 2] => {
                    let (index, other) = (dgid[15] >> 4, dgid[15] & 15);
                    let own = gid::mac(dev, port);
                    Ok([own[0], own[1], own[2], own[3], 0xc0 + index, 0xc6 + other])
                }
                None => Err(Errno::EHOSTUNREACH),
            }
        }
    }
}

/// CREATE_AH: only the Ethernet address is the kernel's to find.
pub fn create_ah(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let core = cx.core_in().to_vec();
    let q = In(&core);
    let pd = q.u32(16);
    let path = Path::of_ah(&q, 24);
    if path.port == 0 || path.port > cx.dev.options.ports {
        return Err(Errno::EINVAL);
    }
    cx.file.handles.lookup(pd as i64, types::PD).map_err(|_| Errno::EINVAL)?;
    path.check(cx.dev)?;
    let mac = if cx.dev.is_ethernet() { resolve(cx.dev, path.port, &path.dgid)? } else { [0; 6] };
    let handle = cx.commit(Object::Ah, vec![pd]);
    let mut d = Out::new(16);
    d.u32(0, 16).bytes(4, &mac);
    cx.uhw_out(&d.0)?;
    cx.core_out(&handle.to_ne_bytes())
}
