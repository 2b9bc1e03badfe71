//! `mlx5dv_mkey_check`: the signature error that was found last (`spec`: datapath, section 9).

use super::mkey::{Domain, Mkey, SignatureError};
use crate::{
    abi::dv::{consts::*, mlx5dv_mkey_err, mlx5dv_mkey_err_err, mlx5dv_sig_err},
    error::Result,
};
use prm::cqe::sig_syndrome;

const DOMAIN_WIRE: u8 = 0;
const DOMAIN_MEMORY: u8 = 1;

/// Fetches the error and forgets it. EINVAL for a key without signatures, and for an error that
/// does not fit what the key was configured for.
pub fn check(mkey: &Mkey) -> Result<mlx5dv_mkey_err> {
    let Some(sig) = &mkey.sig else { return Err(refuse!(EINVAL, "mkey without signature")) };
    if !sig.err_exists.get() {
        return Ok(told(MLX5DV_MKEY_NO_ERR, 0, 0, 0));
    }
    let (err, block) = (sig.err.get(), sig.block.get());
    let domain = match err.domain {
        DOMAIN_WIRE => block.wire,
        DOMAIN_MEMORY => block.mem,
        d => return Err(refuse!(EINVAL, "signature error in an unknown domain", domain = d)),
    };
    let found = translate(&err, &domain)?;
    sig.err_exists.set(false);
    Ok(found)
}

fn translate(err: &SignatureError, domain: &Domain) -> Result<mlx5dv_mkey_err> {
    if err.sig_type != 0 {
        return Err(refuse!(EINVAL, "unknown type of signature error", sig_type = err.sig_type));
    }
    let guard = match *domain {
        Domain::None => return Err(refuse!(EINVAL, "signature error in an unsigned domain")),
        Domain::T10Dif { .. } => 48,
        Domain::Crc { crc: MLX5DV_SIG_CRC_TYPE_CRC64_XP10, .. } => 0,
        Domain::Crc { .. } => 32,
    };
    let both = |kind, f: &dyn Fn(u64) -> u64| Ok(told(kind, f(err.actual), f(err.expected), err.offset));
    match err.syndrome {
        s if s & sig_syndrome::REF_TAG != 0 => both(MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG, &|v| v & 0xffff_ffff),
        s if s & sig_syndrome::APP_TAG != 0 => both(MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG, &|v| v >> 32 & 0xffff),
        s if s & sig_syndrome::GUARD != 0 => both(MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, &|v| v >> guard),
        s => Err(refuse!(EINVAL, "unknown signature syndrome", syndrome = s)),
    }
}

fn told(err_type: u32, actual_value: u64, expected_value: u64, offset: u64) -> mlx5dv_mkey_err {
    let sig = mlx5dv_sig_err { actual_value, expected_value, offset };
    mlx5dv_mkey_err { err_type, err: mlx5dv_mkey_err_err { sig } }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRC32: Domain = Domain::Crc { crc: MLX5DV_SIG_CRC_TYPE_CRC32, seed: 0, block_size: 0 };
    const T10: Domain =
        Domain::T10Dif { csum: false, bg: 0, app_tag: 0, ref_tag: 0, flags: 0, block_size: 0 };

    fn error(syndrome: u16) -> SignatureError {
        SignatureError {
            syndrome,
            actual: 0x1111_2222_3333_4444,
            expected: 0x5555_6666_7777_8888,
            offset: 99,
            ..Default::default()
        }
    }

    fn values(syndrome: u16, domain: &Domain) -> (u32, u64, u64, u64) {
        let e = translate(&error(syndrome), domain).unwrap();
        // SAFETY: the member that is always set.
        let s = unsafe { e.err.sig };
        (e.err_type, s.actual_value, s.expected_value, s.offset)
    }

    #[test]
    fn the_reference_tag_comes_first_and_each_part_is_cut_out() {
        assert_eq!(values(7 << 11, &T10), (2, 0x3333_4444, 0x7777_8888, 99));
        assert_eq!(values(6 << 11, &T10), (3, 0x2222, 0x6666, 99));
        assert_eq!(values(1 << 13, &T10), (1, 0x1111, 0x5555, 99));
        assert_eq!(values(1 << 13, &CRC32), (1, 0x1111_2222, 0x5555_6666, 99));
        let crc64 = Domain::Crc { crc: MLX5DV_SIG_CRC_TYPE_CRC64_XP10, seed: 0, block_size: 0 };
        assert_eq!(values(1 << 13, &crc64), (1, 0x1111_2222_3333_4444, 0x5555_6666_7777_8888, 99));
    }

    #[test]
    fn refusals() {
        assert!(translate(&error(1), &T10).is_err());
        assert!(translate(&error(1 << 11), &Domain::None).is_err());
        let other = SignatureError { sig_type: 1, ..error(1 << 11) };
        assert!(translate(&other, &T10).is_err());
    }
}
