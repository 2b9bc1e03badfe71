//! Large sends cut into packets.

use super::checksum::{self, put16};
use prm::bits::{be16, be32};

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
/// TCP flags that only the last segment carries: FIN and PSH.
const LAST_ONLY: u8 = 0x09;

/// Cut `body` into pieces of `mss` bytes, each behind `header`, whose lengths, IP
/// identification and TCP sequence number go on from packet to packet.
pub(in crate::device) fn segments(header: &[u8], body: &[u8], mss: usize) -> Vec<Vec<u8>> {
    let pieces = body.len().div_ceil(mss.max(1));
    body.chunks(mss.max(1))
        .enumerate()
        .map(|(n, piece)| {
            let mut p = [header, piece].concat();
            adjust(&mut p, n, n * mss, n + 1 == pieces);
            p
        })
        .collect()
}

fn adjust(p: &mut [u8], n: usize, offset: usize, last: bool) {
    const VLAN: u16 = 0x8100;
    let (mut ethertype, mut ip) = (be16(p, 12), 14);
    if ethertype == VLAN {
        (ethertype, ip) = (be16(p, 16), 18);
    }
    let total = p.len().saturating_sub(ip);
    let tcp = match ethertype {
        IPV4 => {
            put16(p, ip + 2, total as u16);
            let id = be16(p, ip + 4).wrapping_add(n as u16);
            put16(p, ip + 4, id);
            let words = p.get(ip).map_or(5, |b| b & 0xf) as usize;
            checksum::ipv4(p, ip);
            ip + words * 4
        }
        IPV6 => {
            put16(p, ip + 4, total.saturating_sub(40) as u16);
            ip + 40
        }
        _ => return,
    };
    let sequence = be32(p, tcp + 4).wrapping_add(offset as u32);
    if let Some(to) = p.get_mut(tcp + 4..tcp + 8) {
        to.copy_from_slice(&sequence.to_be_bytes());
    }
    if !last && let Some(flags) = p.get_mut(tcp + 13) {
        *flags &= !LAST_ONLY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_go_on_where_the_last_one_ended() {
        let mut header = vec![0u8; 54];
        header[12..14].copy_from_slice(&IPV4.to_be_bytes());
        header[14] = 0x45;
        header[18..20].copy_from_slice(&7u16.to_be_bytes());
        header[38..42].copy_from_slice(&1000u32.to_be_bytes());
        header[47] = 0x19;
        let body: Vec<u8> = (0..250).map(|k| k as u8).collect();
        let list = segments(&header, &body, 100);
        assert_eq!(list.iter().map(Vec::len).collect::<Vec<_>>(), [154, 154, 104]);
        assert_eq!(list.iter().map(|p| be16(p, 16)).collect::<Vec<_>>(), [140, 140, 90]);
        assert_eq!(list.iter().map(|p| be16(p, 18)).collect::<Vec<_>>(), [7, 8, 9]);
        assert_eq!(list.iter().map(|p| be32(p, 38)).collect::<Vec<_>>(), [1000, 1100, 1200]);
        assert_eq!(list.iter().map(|p| p[47]).collect::<Vec<_>>(), [0x10, 0x10, 0x19]);
        for p in &list {
            assert_eq!(
                crate::device::checksum::internet(&[&p[14..34]]),
                0,
                "a header with its checksum sums to nothing"
            );
        }
    }
}
