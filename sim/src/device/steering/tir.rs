//! TIRs: to which queue a packet goes, directly or spread by its hash.

use super::frame::Frame;
use super::packet::Headers;
use crate::device::Chip;
use crate::device::host::Host;
use crate::device::objects::kind;
use prm::bits::{be32, get};
use prm::{CreateRqtIn, CreateTirIn, DrMatchParam, DrMatchSpec, Field, Rqtc, Tirc};

const DIRECT: u32 = 0;
/// Hash functions (`rx_hash_fn`).
const TOEPLITZ: u32 = 2;

/// Bits of a hash field selector: L3 protocol type, L4 protocol type, and the fields hashed.
const SELECTED: Field = Field::new(2, 30);
const SRC_IP: u64 = 1 << 0;
const DST_IP: u64 = 1 << 1;
const L4_SPORT: u64 = 1 << 2;
const L4_DPORT: u64 = 1 << 3;

impl Chip {
    /// Give a packet to a TIR.
    pub(super) fn tir_receive(&mut self, h: &dyn Host, tirn: u32, f: &Frame) {
        let Some(t) = self.objs.get(&(kind::TIR, tirn)) else { return };
        let get = |f: Field| f.within(CreateTirIn::CTX).get32(&t.input);
        let hash = hash(&t.input, &f.seen);
        let rqn = match get(Tirc::DISP_TYPE) {
            DIRECT => get(Tirc::INLINE_RQN),
            _ => match self.spread(get(Tirc::INDIRECT_TABLE), hash) {
                Some(n) => n,
                None => return,
            },
        };
        self.receive_packet(h, rqn, &f.bytes, f.seen.info(f.tag, hash, f.metadata()));
    }

    /// The queue of a table that a hash falls to.
    fn spread(&self, rqtn: u32, hash: u32) -> Option<u32> {
        let input = &self.objs.get(&(kind::RQT, rqtn))?.input;
        let ctx = CreateRqtIn::RQT_CONTEXT;
        let n = Rqtc::RQT_ACTUAL_SIZE.within(ctx).get32(input);
        let place = hash.checked_rem(n)? as usize;
        let list = input.get(Rqtc::RQ_NUM.within(ctx).byte()..)?;
        list.chunks_exact(4).nth(place).map(|e| be32(e, 0) & 0xff_ffff)
    }
}

/// The hash of a packet as a TIR asks for it.
fn hash(tir: &[u8], seen: &Headers) -> u32 {
    let ctx = CreateTirIn::CTX;
    let selected = |f: Field| SELECTED.within(f.within(ctx)).get(tir);
    let inside = selected(Tirc::RX_HASH_FIELD_SELECTOR_INNER);
    let (fields, layer, spec) = match seen.inner {
        Some(inner) if inside != 0 => (inside, inner, DrMatchParam::INNER),
        _ => (selected(Tirc::RX_HASH_FIELD_SELECTOR_OUTER), seen.outer, DrMatchParam::OUTER),
    };
    let outer = |f: Field| f.within(spec).get32(&seen.fields).to_be_bytes();
    let v6 = layer.version == 6;
    let mut data = Vec::new();
    let mut address = |bit: u64, first: Field, last: Field| {
        if fields & bit != 0 {
            let words = if v6 { 4 } else { 1 };
            let start = if v6 { first } else { last };
            (0..words).for_each(|k| data.extend(outer(start.nth(k, 32))));
        }
    };
    address(SRC_IP, DrMatchSpec::SRC_IP_127_96, DrMatchSpec::SRC_IP_31_0);
    address(DST_IP, DrMatchSpec::DST_IP_127_96, DrMatchSpec::DST_IP_31_0);
    let ports = [
        (L4_SPORT, DrMatchSpec::TCP_SPORT, DrMatchSpec::UDP_SPORT),
        (L4_DPORT, DrMatchSpec::TCP_DPORT, DrMatchSpec::UDP_DPORT),
    ];
    for (bit, tcp, udp) in ports {
        if fields & bit != 0 {
            // one of the two is zero
            let port = |f: Field| f.within(spec).get(&seen.fields) as u16;
            data.extend((port(tcp) | port(udp)).to_be_bytes());
        }
    }
    if data.is_empty() {
        return 0;
    }
    match Tirc::RX_HASH_FN.within(ctx).get32(tir) {
        TOEPLITZ => toeplitz(Tirc::RX_HASH_TOEPLITZ_KEY.within(ctx).slice(tir), &data),
        // the other function is the exclusive or of all words, folded
        _ => data.chunks(4).fold(0, |x, c| x ^ get(c, 0, 32) as u32),
    }
}

/// The Toeplitz hash: for each bit of the data that is set, the key's 32 bits from there.
fn toeplitz(key: &[u8], data: &[u8]) -> u32 {
    let bits = data.iter().flat_map(|b| (0..8).rev().map(move |k| b >> k & 1 != 0));
    bits.enumerate().filter(|(_, set)| *set).fold(0, |x, (at, _)| x ^ get(key, at, 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        // key and vectors that network card vendors publish for receive side scaling
        let key = [
            0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0,
            0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c,
            0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
        ];
        // 66.9.149.187:2794 to 161.142.100.80:1766
        let addresses = [66, 9, 149, 187, 161, 142, 100, 80];
        let ports = [2794u16.to_be_bytes(), 1766u16.to_be_bytes()].concat();
        assert_eq!(toeplitz(&key, &addresses), 0x323e_8fc2);
        assert_eq!(toeplitz(&key, &[&addresses[..], &ports].concat()), 0x51cc_c178);
    }
}
