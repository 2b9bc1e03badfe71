//! Byte stream formats: how a memory key's data is signed and encrypted (`spec`: datapath, section
//! 10, `mkey_configure`).

use super::{
    mkey::{CryptoBlock, Domain, SigBlock},
    segment::{put8, put16, put32, put64},
};
use crate::{
    abi::{dv::consts::*, dv::*},
    error::Errno,
};
use prm::wqe::{BsfInline, CryptoBsf, SigBsf, bfs, block_size};

/// A 64-byte format, aligned as its fields are.
#[repr(C, align(16))]
pub struct Bsf(pub [u8; 64]);

/// Raw data size: as much as the key covers.
const WHOLE: u32 = u32::MAX;
/// `size_code` of one format alone, and of two together.
const SIZE_ALONE: u8 = 2 << 6;
const SIZE_BOTH: u8 = 3 << 6;
/// Both domains use the memory domain's block structure.
const SAME_BLOCKS: u8 = 1 << 4;
/// Type of the crypto format.
const TYPE_CRYPTO: u8 = 1;
/// Signature of T10-DIF is described in the inline part.
const INLINE_VALID: u16 = 0xc000;
const REPEAT: u8 = 0x80;
const BG_ONES: u8 = 0x08;
const INC_REF: u8 = 0x40;
const ESCAPE_APP: u8 = 1;
const ESCAPE_APP_REF: u8 = 2;
const MASKS: [u64; 3] = [0xffff_ffff, 0xffff_ffff, u64::MAX];

impl Domain {
    /// A domain of the application. EINVAL for anything that is not in the manual.
    ///
    /// # Safety
    /// `d` is NULL or a domain whose signature pointer is valid.
    pub unsafe fn of(d: *const mlx5dv_sig_block_domain) -> Result<Domain, Errno> {
        // SAFETY: the promise above.
        let Some(d) = (unsafe { d.as_ref() }) else { return Ok(Domain::None) };
        if d.comp_mask != 0 || d.block_size > MLX5DV_BLOCK_SIZE_4160 {
            return Err(Errno::EINVAL);
        }
        match d.sig_type {
            MLX5DV_SIG_TYPE_T10DIF => {
                // SAFETY: the type says which member is set.
                let t = unsafe { &*d.sig.dif };
                let known = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP
                    | MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE
                    | MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE;
                let csum = match t.bg_type {
                    MLX5DV_SIG_T10DIF_CRC => false,
                    MLX5DV_SIG_T10DIF_CSUM => true,
                    _ => return Err(Errno::EINVAL),
                };
                if !matches!(t.bg, 0 | 0xffff) || u32::from(t.flags) & !known != 0 {
                    return Err(Errno::EINVAL);
                }
                Ok(Domain::T10Dif {
                    csum,
                    bg: t.bg,
                    app_tag: t.app_tag,
                    ref_tag: t.ref_tag,
                    flags: t.flags,
                    block_size: d.block_size,
                })
            }
            MLX5DV_SIG_TYPE_CRC => {
                // SAFETY: as above.
                let c = unsafe { &*d.sig.crc };
                let ones = *MASKS.get(c.type_ as usize).ok_or(Errno::EINVAL)?;
                if c.seed != 0 && c.seed != ones {
                    return Err(Errno::EINVAL);
                }
                Ok(Domain::Crc { crc: c.type_, seed: c.seed, block_size: d.block_size })
            }
            _ => Err(Errno::EINVAL),
        }
    }

    /// Is there a signature?
    pub fn signed(&self) -> bool {
        *self != Domain::None
    }

    /// Start value of a PSV.
    pub fn transient(&self) -> u64 {
        match *self {
            Domain::None => 0,
            Domain::T10Dif { bg, app_tag, ref_tag, .. } => {
                u64::from(bg) << 48 | u64::from(app_tag) << 32 | u64::from(ref_tag)
            }
            Domain::Crc { crc: MLX5DV_SIG_CRC_TYPE_CRC64_XP10, seed, .. } => seed,
            Domain::Crc { seed, .. } => seed << 32,
        }
    }

    /// Code of the block size.
    fn block_code(&self) -> u8 {
        match self {
            Domain::None => 0,
            Domain::T10Dif { block_size, .. } | Domain::Crc { block_size, .. } => code_of(*block_size),
        }
    }

    /// Format selector.
    fn bfs(&self) -> u8 {
        let Domain::Crc { crc, seed, .. } = *self else { return 0 };
        let kind = match crc {
            MLX5DV_SIG_CRC_TYPE_CRC32 => bfs::CRC32,
            MLX5DV_SIG_CRC_TYPE_CRC32C => bfs::CRC32C,
            _ => bfs::CRC64_XP10,
        };
        kind | bfs::INVERT | if seed == 0 { bfs::SEED_ZERO } else { 0 }
    }

    /// The T10-DIF part, at `at` of a zeroed format.
    ///
    /// # Safety
    /// 16 bytes are writable, aligned to 8.
    unsafe fn inline(&self, at: *mut u8) {
        let Domain::T10Dif { csum, bg, app_tag, ref_tag, flags, .. } = *self else { return };
        let has = |flag| u32::from(flags) & flag != 0;
        let mut check = if has(MLX5DV_SIG_T10DIF_FLAG_REF_REMAP) { INC_REF } else { 0 };
        if has(MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE) {
            check |= ESCAPE_APP_REF;
        } else if has(MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE) {
            check |= ESCAPE_APP;
        }
        // SAFETY: the promise above.
        unsafe {
            put16(at, BsfInline::VALID, INLINE_VALID);
            put16(at, BsfInline::APP_TAG, app_tag);
            put32(at, BsfInline::REF_TAG, ref_tag);
            put8(at, BsfInline::DIF_TYPE, if csum { 2 } else { 1 });
            put8(at, BsfInline::REPEAT_BLOCK, REPEAT | if bg != 0 { BG_ONES } else { 0 });
            put8(at, BsfInline::DIF_INC_REF_GUARD_CHECK, check);
            put16(at, BsfInline::DIF_APP_BITMASK_CHECK, 0xffff);
        }
    }
}

/// Device code of an `MLX5DV_BLOCK_SIZE_*`.
pub fn code_of(size: u32) -> u8 {
    match size {
        MLX5DV_BLOCK_SIZE_512 => block_size::B512,
        MLX5DV_BLOCK_SIZE_520 => block_size::B520,
        MLX5DV_BLOCK_SIZE_4048 => block_size::B4048,
        MLX5DV_BLOCK_SIZE_4096 => block_size::B4096,
        _ => block_size::B4160,
    }
}

/// Bytes of an `MLX5DV_BLOCK_SIZE_*`.
pub fn bytes_of(size: u32) -> u64 {
    match size {
        MLX5DV_BLOCK_SIZE_512 => 512,
        MLX5DV_BLOCK_SIZE_520 => 520,
        MLX5DV_BLOCK_SIZE_4048 => 4048,
        MLX5DV_BLOCK_SIZE_4096 => 4096,
        _ => 4160,
    }
}

/// Signature bytes that pass from one domain to the other unchanged; None if the domains are not
/// built alike, and the device makes them anew.
fn common(mem: &Domain, wire: &Domain) -> Option<u8> {
    match (*mem, *wire) {
        (
            Domain::T10Dif { csum: c1, bg: b1, app_tag: a1, ref_tag: r1, block_size: s1, .. },
            Domain::T10Dif { csum: c2, bg: b2, app_tag: a2, ref_tag: r2, block_size: s2, .. },
        ) if s1 == s2 => {
            let part = |same: bool, mask| if same { mask as u8 } else { 0 };
            Some(
                part(c1 == c2 && b1 == b2, MLX5DV_SIG_MASK_T10DIF_GUARD)
                    | part(a1 == a2, MLX5DV_SIG_MASK_T10DIF_APPTAG)
                    | part(r1 == r2, MLX5DV_SIG_MASK_T10DIF_REFTAG),
            )
        }
        (Domain::Crc { crc: t1, block_size: s1, .. }, Domain::Crc { crc: t2, block_size: s2, .. })
            if (t1, s1) == (t2, s2) =>
        {
            Some(match t1 {
                MLX5DV_SIG_CRC_TYPE_CRC64_XP10 => MLX5DV_SIG_MASK_CRC64_XP10 as u8,
                _ => MLX5DV_SIG_MASK_CRC32 as u8,
            })
        }
        _ => None,
    }
}

/// The signature format. `with_crypto` if a crypto format follows. EINVAL for a copy mask where
/// nothing can be copied.
pub fn signature(block: &SigBlock, mem_psv: u32, wire_psv: u32, with_crypto: bool) -> Result<Bsf, Errno> {
    let mut b = Bsf([0; 64]);
    let p = b.0.as_mut_ptr();
    let size = if with_crypto { SIZE_BOTH } else { SIZE_ALONE };
    let (mem, wire) = (&block.mem, &block.wire);
    // SAFETY: fields of the format, aligned as they are.
    unsafe {
        put8(p, SigBsf::CHECK_BYTE_MASK, block.check_mask);
        put32(p, SigBsf::RAW_DATA_SIZE, WHOLE);
        put8(p, SigBsf::SIZE_SBS, size);
        if mem.signed() {
            put8(p, SigBsf::MEM_BS, mem.block_code());
            put32(p, SigBsf::MEM_BFS_PSV, u32::from(mem.bfs()) << 24 | mem_psv & 0xff_ffff);
            mem.inline(p.add(SigBsf::MEM_INLINE.byte()));
        }
        if wire.signed() {
            put32(p, SigBsf::WIRE_BFS_PSV, u32::from(wire.bfs()) << 24 | wire_psv & 0xff_ffff);
            wire.inline(p.add(SigBsf::WIRE_INLINE.byte()));
        }
        match (common(mem, wire), block.copy_mask) {
            (Some(mask), own) => {
                put8(p, SigBsf::SIZE_SBS, size | SAME_BLOCKS);
                put8(p, SigBsf::COPY_OR_WIRE_BS, own.unwrap_or(mask));
            }
            (None, Some(_)) => return Err(Errno::EINVAL),
            (None, None) => put8(p, SigBsf::COPY_OR_WIRE_BS, wire.block_code()),
        }
    }
    Ok(b)
}

/// The crypto format. EINVAL if signing and encrypting would have to cross: both domains signed,
/// and the signature on the encrypted side.
pub fn crypto(c: &CryptoBlock, sig: Option<&SigBlock>, big_endian_tweak: bool) -> Result<Bsf, Errno> {
    let after = c.order == MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX;
    let order: u8 = match (c.encrypt_on_tx, after) {
        (true, true) => 2,
        (true, false) => 0,
        (false, true) => 1,
        (false, false) => 3,
    };
    if order >= 2 && sig.is_some_and(|s| s.mem.signed() && s.wire.signed()) {
        return Err(Errno::EINVAL);
    }
    let mut b = Bsf([0; 64]);
    let p = b.0.as_mut_ptr();
    let mut tweak = c.tweak;
    if big_endian_tweak {
        tweak.reverse();
    }
    let size = if sig.is_some() { SIZE_BOTH } else { SIZE_ALONE };
    // SAFETY: fields of the format, aligned as they are.
    unsafe {
        put8(p, CryptoBsf::SIZE_TYPE, size | TYPE_CRYPTO);
        put8(p, CryptoBsf::ENC_ORDER, order);
        put32(p, CryptoBsf::RAW_DATA_SIZE, WHOLE);
        put8(p, CryptoBsf::BS, code_of(c.data_unit_size));
        put64(p, prm::Field::new(CryptoBsf::XTS_TWEAK.off, 64), u64::from_be_bytes(half(&tweak, 0)));
        put64(p, prm::Field::new(CryptoBsf::XTS_TWEAK.off + 64, 64), u64::from_be_bytes(half(&tweak, 8)));
        put32(p, CryptoBsf::DEK_POINTER, c.dek & 0xff_ffff);
        put64(p, CryptoBsf::KEYTAG, u64::from_be_bytes(c.keytag));
    }
    Ok(b)
}

/// Eight bytes of a tweak.
fn half(tweak: &[u8; 16], at: usize) -> [u8; 8] {
    let mut h = [0; 8];
    h.iter_mut().zip(tweak.iter().skip(at)).for_each(|(to, from)| *to = *from);
    h
}

#[cfg(test)]
mod tests {
    use super::*;

    const T10: Domain = Domain::T10Dif {
        csum: false,
        bg: 0xffff,
        app_tag: 0x1122,
        ref_tag: 0x3344_5566,
        flags: 1 | 4,
        block_size: MLX5DV_BLOCK_SIZE_512,
    };
    const CRC: Domain =
        Domain::Crc { crc: MLX5DV_SIG_CRC_TYPE_CRC32, seed: 0xffff_ffff, block_size: MLX5DV_BLOCK_SIZE_4096 };

    fn block(mem: Domain, wire: Domain) -> SigBlock {
        SigBlock { mem, wire, check_mask: 0xa5, copy_mask: None }
    }

    #[test]
    fn t10dif_in_memory_and_crc_on_the_wire() {
        let b = signature(&block(T10, CRC), 0x123, 0x456, false).unwrap().0;
        assert_eq!(b[0..8], [0x80, 0xa5, 3, 1, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(b[8..12], [0x22, 0, 4, 0x56]);
        assert_eq!(b[12..16], [0, 0, 1, 0x23]);
        assert_eq!(b[16..48], [0; 32]);
        let inline = [0xc0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 1, 0x88, 0, 0, 0, 0x42, 0xff, 0xff];
        assert_eq!(b[48..64], inline);
    }

    #[test]
    fn like_domains_share_blocks_and_copy_what_is_equal() {
        let b = signature(&block(T10, T10), 1, 2, true).unwrap().0;
        assert_eq!(b[0..4], [0xd0, 0xa5, 0xff, 1]);
        let Domain::T10Dif { csum, bg, app_tag, flags, block_size, .. } = T10 else { unreachable!() };
        let other = Domain::T10Dif { csum, bg, app_tag: app_tag + 1, ref_tag: 0, flags, block_size };
        assert_eq!(signature(&block(T10, other), 1, 2, false).unwrap().0[2], 0xc0);
        let own = SigBlock { copy_mask: Some(0x30), ..block(CRC, CRC) };
        assert_eq!(signature(&own, 1, 2, false).unwrap().0[2], 0x30);
        assert_eq!(signature(&block(CRC, CRC), 1, 2, false).unwrap().0[2], 0xf0);
        let impossible = SigBlock { copy_mask: Some(1), ..block(CRC, T10) };
        assert!(signature(&impossible, 1, 2, false).is_err());
    }

    #[test]
    fn crypto_orders() {
        let c = |tx, order| CryptoBlock { encrypt_on_tx: tx, order, dek: 0x01_020304, ..Default::default() };
        let order = |c| crypto(&c, None, false).unwrap().0[1];
        assert_eq!(order(c(true, 0)), 2);
        assert_eq!(order(c(true, 1)), 0);
        assert_eq!(order(c(false, 0)), 1);
        assert_eq!(order(c(false, 1)), 3);
        let both = block(CRC, CRC);
        assert!(crypto(&c(true, 0), Some(&both), false).is_err());
        assert!(crypto(&c(false, 0), Some(&both), false).is_ok());
    }

    #[test]
    fn crypto_fields() {
        let mut c =
            CryptoBlock { dek: 0x01_020304, data_unit_size: MLX5DV_BLOCK_SIZE_520, ..Default::default() };
        c.tweak.iter_mut().enumerate().for_each(|(i, b)| *b = i as u8);
        c.keytag = *b"keytag!!";
        let b = crypto(&c, None, true).unwrap().0;
        assert_eq!(b[0], 0x81);
        assert_eq!(b[8], block_size::B520);
        assert_eq!(b[16..32], [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(b[32..36], [0, 2, 3, 4]);
        assert_eq!(&b[40..48], b"keytag!!");
        assert_eq!(crypto(&c, Some(&block(CRC, Domain::None)), false).unwrap().0[0], 0xc1);
    }

    #[test]
    fn psv_start_values() {
        assert_eq!(T10.transient(), 0xffff_1122_3344_5566);
        assert_eq!(CRC.transient(), 0xffff_ffff_0000_0000);
        let c64 = Domain::Crc { crc: MLX5DV_SIG_CRC_TYPE_CRC64_XP10, seed: u64::MAX, block_size: 0 };
        assert_eq!(c64.transient(), u64::MAX);
    }
}
