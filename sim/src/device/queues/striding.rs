//! Striding receive queues: an entry is a large buffer, and packets fill it stride by stride.

use super::recv_queue::{Taken, wq_type};
use super::wqe::Segment;
use prm::{Field, Wq};

/// The strides of a queue's entries, and how far the current entry is used.
#[derive(Clone, Debug)]
pub(in crate::device) struct Striding {
    strides: u64,
    stride: u64,
    /// Two bytes before each packet stay free, so that its network header is aligned.
    shift: u64,
    current: Option<(Taken, u64)>,
}

/// Where a packet goes.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The entry.
    pub counter: u16,
    /// First stride in it.
    pub index: u16,
    /// Strides taken.
    pub taken: u16,
    pub list: Vec<Segment>,
}

/// Smallest exponents: strides of an entry, bytes of a stride.
const LOG_STRIDES: u64 = 9;
const LOG_STRIDE: u64 = 6;

impl Striding {
    /// The strides of a work queue description, if it is a striding queue.
    pub fn of(input: &[u8], at: Field) -> Option<Striding> {
        let get = |f: Field| f.within(at).get(input);
        let striding = matches!(get(Wq::WQ_TYPE), wq_type::STRIDING_LINKED_LIST | wq_type::STRIDING_CYCLIC);
        striding.then(|| Striding {
            strides: 1 << (get(Wq::LOG_WQE_NUM_OF_STRIDES) + LOG_STRIDES),
            stride: 1 << (get(Wq::LOG_WQE_STRIDE_SIZE) + LOG_STRIDE),
            shift: 2 * get(Wq::TWO_BYTE_SHIFT_EN),
            current: None,
        })
    }

    /// Forget the entry in use.
    pub fn reset(&mut self) {
        self.current = None;
    }

    /// Strides that a packet takes.
    fn needed(&self, len: u64) -> u64 {
        (len + self.shift).div_ceil(self.stride).max(1)
    }

    /// Whether a packet of `len` bytes needs a new entry; the one in use is then given up.
    pub fn needs_entry(&mut self, len: u64) -> bool {
        let needed = self.needed(len);
        let fits = self.current.as_ref().is_some_and(|(_, used)| used + needed <= self.strides);
        if !fits {
            self.current = None;
        }
        !fits
    }

    /// Start a new entry.
    pub(super) fn start(&mut self, taken: Taken) {
        self.current = Some((taken, 0));
    }

    /// Take strides for a packet; `None` if it is longer than an entry.
    pub(super) fn take(&mut self, len: u64) -> Option<Slot> {
        let needed = self.needed(len);
        if needed > self.strides {
            return None;
        }
        let (stride, shift) = (self.stride, self.shift);
        let (entry, used) = self.current.as_mut()?;
        let list = skip(&entry.list, *used * stride + shift);
        let slot = Slot { counter: entry.counter, index: *used as u16, taken: needed as u16, list };
        *used += needed;
        if *used >= self.strides {
            self.current = None;
        }
        Some(slot)
    }
}

/// A scatter list from `skip` bytes on.
fn skip(list: &[Segment], mut skip: u64) -> Vec<Segment> {
    let mut rest = Vec::new();
    for s in list {
        if let Segment::Pointer { key, va, len } = s {
            let n = skip.min(*len);
            if n < *len {
                rest.push(Segment::Pointer { key: *key, va: va.wrapping_add(n), len: len - n });
            }
            skip -= n;
        }
    }
    rest
}
