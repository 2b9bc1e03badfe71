//! Header modification: setting, adding to and copying fields of a packet.

use super::frame::{A, B, C0, Frame};
use super::packet::Layer;
use prm::{AddActionIn, AllocModifyHeaderContextIn, CopyActionIn, Field, SetActionIn};

const SET: u64 = 1;
const ADD: u64 = 2;
const COPY: u64 = 3;

/// Where a field of an action lies.
enum Place {
    /// In the packet.
    Packet(Field),
    /// A register.
    Register(usize),
}

/// Headers that fields are counted from.
#[derive(Clone, Copy)]
enum Of {
    L2,
    Vlan,
    Ipv4,
    Ipv6,
    /// Of either version, at these bits.
    Ip(usize, usize),
    Tcp,
    Udp,
}

/// Fields of the outer headers: number, header, bit offset, width.
const OUTER: &[(u64, Of, usize, usize)] = &[
    (0x01, Of::L2, 48, 32),     // source MAC, high
    (0x02, Of::L2, 80, 16),     // and low
    (0x03, Of::L2, 96, 16),     // ethertype
    (0x04, Of::L2, 0, 32),      // destination MAC, high
    (0x05, Of::L2, 32, 16),     // and low
    (0x06, Of::Ip(8, 4), 0, 6), // DSCP
    (0x07, Of::Tcp, 103, 9),    // flags
    (0x08, Of::Tcp, 0, 16),     // source port
    (0x09, Of::Tcp, 16, 16),    // destination port
    (0x0a, Of::Ipv4, 64, 8),    // time to live
    (0x0b, Of::Udp, 0, 16),     // source port
    (0x0c, Of::Udp, 16, 16),    // destination port
    (0x0d, Of::Ipv6, 64, 32),   // source address, word by word
    (0x0e, Of::Ipv6, 96, 32),
    (0x0f, Of::Ipv6, 128, 32),
    (0x10, Of::Ipv6, 160, 32),
    (0x11, Of::Ipv6, 192, 32), // destination address
    (0x12, Of::Ipv6, 224, 32),
    (0x13, Of::Ipv6, 256, 32),
    (0x14, Of::Ipv6, 288, 32),
    (0x15, Of::Ipv4, 96, 32),     // source address
    (0x16, Of::Ipv4, 128, 32),    // destination address
    (0x17, Of::Vlan, 20, 12),     // identifier of the first tag
    (0x47, Of::Ipv6, 56, 8),      // hop limit
    (0x59, Of::Tcp, 32, 32),      // sequence number
    (0x5b, Of::Tcp, 64, 32),      // acknowledged number
    (0x73, Of::Ip(14, 10), 0, 2), // ECN
];

/// From the outer fields' numbers to the inner ones'.
fn outer_number(field: u64) -> Option<u64> {
    match field {
        0x31..=0x46 => Some(field - 0x30),
        0x48 => Some(0x47),
        0x5a | 0x5c => Some(field - 1),
        _ => None,
    }
}

fn in_layer(field: u64, l: &Layer, f: &Frame) -> Option<Place> {
    let (_, of, off, width) = OUTER.iter().find(|(n, ..)| *n == field)?;
    let ip = |version: u8| l.l3.filter(|_| l.version == version);
    let l4 = |kind: u8| l.l4.filter(|_| l.l4_type() == kind);
    let (start, off) = match *of {
        Of::L2 if field == 0x03 => {
            // the protocol behind the tags
            let at = l.l3.map(|ip| ip - 2).or(l.l2.map(|at| at + 12))?;
            (at, 0)
        }
        Of::L2 => (l.l2?, *off),
        Of::Vlan => (l.vlan?, *off),
        Of::Ipv4 => (ip(4)?, *off),
        Of::Ipv6 => (ip(6)?, *off),
        Of::Ip(v4, v6) => (l.l3?, if l.version == 4 { v4 } else { v6 }),
        Of::Tcp => (l4(super::packet::L4_TCP)?, *off),
        Of::Udp => (l4(super::packet::L4_UDP)?, *off),
    };
    let place = Field::new(8 * start + off, *width);
    (place.off + place.bits <= 8 * f.bytes.len()).then_some(Place::Packet(place))
}

/// The register that a field is.
fn register(field: u64) -> Option<usize> {
    match field {
        0x49 => Some(A),
        0x50 => Some(B),
        0x51..=0x58 => Some(C0 + (field - 0x51) as usize),
        _ => None,
    }
}

fn place(field: u64, f: &Frame) -> Option<Place> {
    if let Some(n) = register(field) {
        return Some(Place::Register(n));
    }
    match outer_number(field) {
        Some(n) => in_layer(n, &f.seen.inner?, f),
        None => in_layer(field, &f.seen.outer, f),
    }
}

/// Whether actions may name a field: one of a header, outer or inner, or a register.
pub(in crate::device) fn is_header_field(field: u64) -> bool {
    let number = outer_number(field).unwrap_or(field);
    register(field).is_some() || OUTER.iter().any(|(n, ..)| *n == number)
}

fn read(place: &Place, f: &Frame) -> u64 {
    match place {
        Place::Packet(field) => field.get(&f.bytes),
        Place::Register(n) => f.registers.get(*n).map_or(0, |v| *v as u64),
    }
}

fn write(place: &Place, f: &mut Frame, v: u64) {
    match place {
        Place::Packet(field) => field.set(&mut f.bytes, v),
        Place::Register(n) => {
            if let Some(to) = f.registers.get_mut(*n) {
                *to = v as u32;
            }
        }
    }
}

/// `value` with the `len` bits from `off` on, counted from the least, as in `new`.
fn splice(value: u64, off: u64, len: u64, new: u64) -> u64 {
    let mask = ((1u64 << len) - 1) << off;
    value & !mask | new << off & mask
}

/// A length of 0 stands for 32 bits.
fn length(f: Field, action: &[u8]) -> u64 {
    match f.get(action) {
        0 => 32,
        n => n,
    }
}

/// Do what a modification context says. Actions on headers that the packet lacks do nothing.
pub(super) fn apply(context: &[u8], f: &mut Frame) {
    let n = AllocModifyHeaderContextIn::NUM_OF_ACTIONS.get(context) as usize;
    let list = context.get(AllocModifyHeaderContextIn::SIZE..).unwrap_or(&[]);
    for a in list.chunks_exact(SetActionIn::SIZE).take(n) {
        one(a, f);
    }
    f.mend();
}

fn one(a: &[u8], f: &mut Frame) {
    let Some(to) = place(SetActionIn::FIELD.get(a), f) else { return };
    match SetActionIn::ACTION_TYPE.get(a) {
        SET => {
            let (off, len) = (SetActionIn::OFFSET.get(a), length(SetActionIn::LENGTH, a));
            let new = splice(read(&to, f), off, len, SetActionIn::DATA.get(a));
            write(&to, f, new);
        }
        ADD => {
            let new = (read(&to, f) as u32).wrapping_add(AddActionIn::DATA.get32(a));
            write(&to, f, new as u64);
        }
        COPY => {
            // here the first place is the source
            let value = read(&to, f) >> CopyActionIn::SRC_OFFSET.get(a);
            let Some(to) = place(CopyActionIn::DST_FIELD.get(a), f) else { return };
            let (off, len) = (CopyActionIn::DST_OFFSET.get(a), length(CopyActionIn::LENGTH, a));
            let new = splice(read(&to, f), off, len, value);
            write(&to, f, new);
        }
        _ => {}
    }
}

#[cfg(test)]
#[path = "tests/modify.rs"]
mod tests;
