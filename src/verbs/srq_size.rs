//! Sizes of shared receive queues.

use crate::{abi::verbs::ibv_srq_attr, error::Result, provider::Context};

/// Segments of a WQE in bytes.
const SEGMENT: u64 = 16;
/// Smallest WQE.
const MIN_WQE: u64 = 32;

/// The ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SrqSize {
    pub wqe_shift: u32,
    pub max_gs: u32,
    /// All WQEs: the main list's, then the wait queue's.
    pub total: u32,
    /// WQEs of the main list.
    pub nwqes: u32,
    /// There may be a wait queue.
    with_wait_queue: bool,
}

impl SrqSize {
    /// First and last WQE of the wait queue.
    pub fn wait_queue(&self) -> Option<(u32, u32)> {
        (self.with_wait_queue && self.nwqes < self.total).then(|| (self.nwqes, self.total - 1))
    }
}

/// Limits of the device.
struct Limits {
    max_srq_recv_wr: u32,
    max_recv_wr: u32,
    /// Most elements of a request.
    max_sge: u32,
}

/// Sizes for the wish `a`. EINVAL where it exceeds the device. The bound on elements differs
/// between basic and other queues, as upstream has it.
pub fn srq_size(context: &Context, a: &ibv_srq_attr, basic: bool) -> Result<SrqSize> {
    let desc = if basic { u32::from(context.info.max_rq_desc_sz) } else { context.info.max_recv_wr };
    size(
        a,
        &Limits {
            max_srq_recv_wr: context.info.max_srq_recv_wr,
            max_recv_wr: context.info.max_recv_wr,
            max_sge: desc / SEGMENT as u32,
        },
    )
}

fn size(a: &ibv_srq_attr, limits: &Limits) -> Result<SrqSize> {
    if a.max_wr > limits.max_srq_recv_wr {
        return Err(refuse!(EINVAL, "too many receives", max_wr = a.max_wr));
    }
    if a.max_sge > limits.max_sge {
        return Err(refuse!(EINVAL, "too many elements", max_sge = a.max_sge));
    }
    let wqe = (SEGMENT + SEGMENT * u64::from(a.max_sge)).max(MIN_WQE).next_power_of_two();
    if wqe > u64::from(limits.max_recv_wr) {
        return Err(refuse!(EINVAL, "too many elements", max_sge = a.max_sge));
    }
    // A wait queue as long as the list, if the device takes that many.
    let most = u64::from(limits.max_srq_recv_wr);
    let list = u64::from(a.max_wr) + 1;
    let both = 2 * u64::from(a.max_wr) + 1;
    let with_wait_queue = both <= most;
    let total = if with_wait_queue { both } else { list }.next_power_of_two();
    Ok(SrqSize {
        wqe_shift: wqe.trailing_zeros(),
        max_gs: ((wqe - SEGMENT) / SEGMENT) as u32,
        total: total as u32,
        nwqes: list.next_power_of_two().min(total) as u32,
        with_wait_queue,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Errno;

    const LIMITS: Limits = Limits { max_srq_recv_wr: 32767, max_recv_wr: 32768, max_sge: 32 };

    fn of(max_wr: u32, max_sge: u32) -> Result<SrqSize, Errno> {
        size(&ibv_srq_attr { max_wr, max_sge, srq_limit: 0 }, &LIMITS).map_err(|r| r.errno())
    }

    #[test]
    fn list_and_wait_queue() {
        let s = of(100, 3).unwrap();
        assert_eq!((s.wqe_shift, s.max_gs, s.total, s.nwqes), (6, 3, 256, 128));
        assert_eq!(s.wait_queue(), Some((128, 255)));
        let s = of(1, 1).unwrap();
        assert_eq!((s.wqe_shift, s.max_gs, s.total, s.nwqes, s.wait_queue()), (5, 1, 4, 2, Some((2, 3))));
    }

    #[test]
    fn no_room_for_a_wait_queue() {
        let s = of(16384, 1).unwrap();
        assert_eq!((s.total, s.nwqes, s.wait_queue()), (32768, 32768, None));
        let s = of(16383, 1).unwrap();
        assert_eq!((s.total, s.nwqes), (32768, 16384));
    }

    #[test]
    fn nothing_at_all_is_a_list_of_one() {
        let s = of(0, 0).unwrap();
        assert_eq!((s.wqe_shift, s.max_gs, s.total, s.nwqes, s.wait_queue()), (5, 1, 1, 1, None));
    }

    #[test]
    fn limits() {
        assert!(of(32767, 32).is_ok());
        assert_eq!(of(32768, 1), Err(Errno::EINVAL));
        assert_eq!(of(1, 33), Err(Errno::EINVAL));
    }
}
