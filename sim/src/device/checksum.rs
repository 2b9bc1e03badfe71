//! The internet checksum (RFC 1071).

/// Ones' complement sum of 16-bit words of several pieces, each but the last of even length.
pub(in crate::device) fn sum(pieces: &[&[u8]]) -> u16 {
    let words = pieces.iter().flat_map(|p| p.chunks(2));
    let mut s: u64 =
        words.map(|c| (c.first().map_or(0, |b| *b as u64) << 8) + c.get(1).map_or(0, |b| *b as u64)).sum();
    while s >> 16 != 0 {
        s = (s & 0xffff) + (s >> 16);
    }
    s as u16
}

/// What a header carries: the complement of the sum of the pieces.
pub(in crate::device) fn internet(pieces: &[&[u8]]) -> u16 {
    !sum(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 1071, section 3.
    #[test]
    fn carries_go_round_and_pieces_join() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(sum(&[&bytes]), 0xddf2);
        assert_eq!(sum(&[&bytes[..2], &bytes[2..6], &bytes[6..]]), 0xddf2);
        assert_eq!(sum(&[&bytes[..7]]), 0xdcfb, "an odd byte counts as the high one");
        assert_eq!(internet(&[&bytes]), !0xddf2);
    }
}
