//! How many BlueFlame registers the environment asks for.

use crate::{env, error::Result};

/// Size of a UAR as the adapter counts, in bytes.
pub const ADAPTER_PAGE: usize = 4096;
/// Usable registers in a UAR.
pub const BFREGS_PER_UAR: usize = 2;
/// Registers in a UAR, with the two fast-path ones that processes may not use.
pub const ALL_BFREGS_PER_UAR: usize = 4;
const DEFAULT_TOTAL: i32 = 16;
const DEFAULT_LOW_LATENCY: i32 = 4;
/// With more registers than this the rest is low latency.
const MEDIUM_THRESHOLD: i32 = 12;
const MAX_TOTAL: i32 = 512;

/// Numbers of registers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counts {
    /// All registers.
    pub total: i32,
    /// Those that are not shared between queues.
    pub low_latency: i32,
}

impl Counts {
    /// From `MLX5_TOTAL_UUARS` and `MLX5_NUM_LOW_LAT_UUARS`.
    pub fn from_env(page_size: usize) -> Result<Counts> {
        Self::new(env::int(c"MLX5_TOTAL_UUARS"), env::int(c"MLX5_NUM_LOW_LAT_UUARS"), page_size)
    }

    fn new(total: Option<i32>, low_latency: Option<i32>, page_size: usize) -> Result<Counts> {
        let total = total.unwrap_or(DEFAULT_TOTAL);
        if total < 1 {
            return Err(refuse!(EINVAL, "MLX5_TOTAL_UUARS below 1", total = total));
        }
        let per_page = (page_size / ADAPTER_PAGE * BFREGS_PER_UAR) as i32;
        // Rounding up an odd number to even cannot overflow.
        let total = total.max(per_page);
        let total = total.saturating_add(total % BFREGS_PER_UAR as i32);
        if total > MAX_TOTAL {
            return Err(refuse!(ENOMEM, "MLX5_TOTAL_UUARS above 512", total = total));
        }
        let low = low_latency.unwrap_or(DEFAULT_LOW_LATENCY);
        if low < 0 {
            return Err(refuse!(EINVAL, "MLX5_NUM_LOW_LAT_UUARS below 0", low = low));
        }
        let low = low.max(total - MEDIUM_THRESHOLD);
        if low > total - 1 {
            return Err(refuse!(ENOMEM, "MLX5_NUM_LOW_LAT_UUARS leaves no shared register", low = low));
        }
        Ok(Counts { total, low_latency: low })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Errno;

    fn counts(total: Option<i32>, low: Option<i32>, page: usize) -> Result<(i32, i32), Errno> {
        Counts::new(total, low, page).map(|c| (c.total, c.low_latency)).map_err(|r| r.errno())
    }

    #[test]
    fn defaults_and_edges() {
        assert_eq!(counts(None, None, 4096), Ok((16, 4)));
        assert_eq!(counts(Some(0), None, 4096), Err(Errno::EINVAL));
        // one to four registers alone leave no room for the default of four low latency ones
        assert_eq!(counts(Some(1), None, 4096), Err(Errno::ENOMEM));
        assert_eq!(counts(Some(4), None, 4096), Err(Errno::ENOMEM));
        assert_eq!(counts(Some(4), Some(3), 4096), Ok((4, 3)));
        assert_eq!(counts(Some(5), None, 4096), Ok((6, 4)));
        assert_eq!(counts(Some(512), None, 4096), Ok((512, 500)));
        assert_eq!(counts(Some(513), None, 4096), Err(Errno::ENOMEM));
        assert_eq!(counts(Some(i32::MAX), None, 4096), Err(Errno::ENOMEM));
        assert_eq!(counts(None, Some(-1), 4096), Err(Errno::EINVAL));
        assert_eq!(counts(None, Some(0), 4096), Ok((16, 4)));
        assert_eq!(counts(None, Some(15), 4096), Ok((16, 15)));
        assert_eq!(counts(None, Some(16), 4096), Err(Errno::ENOMEM));
        assert_eq!(counts(Some(1), None, 65536), Ok((32, 20)));
    }
}
