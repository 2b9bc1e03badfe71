//! Send work requests as a queue holds them, taken apart into their segments.

use prm::wqe::{Atomic, Av, Ctrl, Data, EXTENDED_UD_AV, INLINE_SEG, INVALID_LKEY, OCTOWORD, Raddr, Xrc};
use prm::wqe::{fm_ce_se, opcode};

/// One element of a gather or scatter list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    /// Bytes in the work request itself.
    Inline(Vec<u8>),
    /// Memory behind a key.
    Pointer { key: u32, va: u64, len: u64 },
}

impl Segment {
    /// Length in bytes.
    pub fn len(&self) -> u64 {
        match self {
            Segment::Inline(bytes) => bytes.len() as u64,
            Segment::Pointer { len, .. } => *len,
        }
    }
}

/// A send work request.
#[derive(Clone, Debug)]
pub(super) struct Wqe {
    bytes: Vec<u8>,
    /// Index of its first basic block, not masked by the queue's size.
    pub index: u16,
}

/// A work request that cannot be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// Bits 3:2 of [`Ctrl::FM_CE_SE`]: when a completion is written.
const CE_MASK: u8 = 0x0c;

impl Wqe {
    /// A work request from its blocks; `bytes` reaches at least to its end.
    pub fn new(mut bytes: Vec<u8>, index: u16) -> Wqe {
        let len = octowords(&bytes) * OCTOWORD;
        bytes.truncate(len.max(Ctrl::SIZE));
        Wqe { bytes, index }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many basic blocks it takes in the queue.
    pub fn blocks(&self) -> u16 {
        self.bytes.len().div_ceil(prm::wqe::BB).max(1) as u16
    }

    pub fn opcode(&self) -> u8 {
        Ctrl::OPMOD_IDX_OPCODE.get(&self.bytes) as u8
    }

    pub fn opmod(&self) -> u8 {
        (Ctrl::OPMOD_IDX_OPCODE.get(&self.bytes) >> 24) as u8
    }

    pub fn imm(&self) -> u32 {
        Ctrl::IMM.get32(&self.bytes)
    }

    /// The stream of a DC initiator.
    pub fn stream(&self) -> u16 {
        Ctrl::DCI_STREAM_CHANNEL_ID.get(&self.bytes) as u16
    }

    fn flags(&self) -> u8 {
        Ctrl::FM_CE_SE.get(&self.bytes) as u8
    }

    /// A completion is wanted when the request succeeds.
    pub fn signaled(&self) -> bool {
        // 3 asks for an event besides
        self.flags() & CE_MASK >= fm_ce_se::CQ_UPDATE
    }

    pub fn solicited(&self) -> bool {
        self.flags() & fm_ce_se::SOLICITED != 0
    }

    /// Whether the control segment belongs to this queue and this place in it, and names
    /// at least itself.
    pub fn belongs(&self, queue: u32) -> bool {
        let word = Ctrl::OPMOD_IDX_OPCODE.get(&self.bytes);
        (word >> 8) as u16 == self.index
            && Ctrl::QPN_DS.get32(&self.bytes) >> 8 == queue
            && octowords(&self.bytes) > 0
    }
}

/// Length of a work request in octowords, from its control segment.
pub(super) fn octowords(bytes: &[u8]) -> usize {
    Ctrl::QPN_DS.get(bytes) as usize & 0x3f
}

/// Reads segment after segment.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Remote memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remote {
    pub addr: u64,
    pub key: u32,
}

impl<'a> Reader<'a> {
    /// From behind the control segment.
    pub fn new(w: &'a Wqe) -> Reader<'a> {
        Reader { bytes: &w.bytes, at: Ctrl::SIZE }
    }

    /// From the start of a list that is not a send work request.
    pub fn list(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// The next `len` bytes.
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], Malformed> {
        let end = self.at.checked_add(len).ok_or(Malformed)?;
        let s = self.bytes.get(self.at..end).ok_or(Malformed)?;
        self.at = end;
        Ok(s)
    }

    /// An address vector, short or with its extended part.
    pub fn address(&mut self) -> Result<&'a [u8], Malformed> {
        let rest = self.bytes.get(self.at..).ok_or(Malformed)?;
        let extended = Av::DQP_DCT.get32(rest) & EXTENDED_UD_AV != 0;
        self.take(if extended { Av::SIZE } else { OCTOWORD })
    }

    /// The shared queue that an XRC request goes to.
    pub fn xrc(&mut self) -> Result<u32, Malformed> {
        self.take(Xrc::SIZE).map(|s| Xrc::SRQN.get32(s) & 0xff_ffff)
    }

    pub fn remote(&mut self) -> Result<Remote, Malformed> {
        let s = self.take(Raddr::SIZE)?;
        Ok(Remote { addr: Raddr::RADDR.get(s), key: Raddr::RKEY.get32(s) })
    }

    /// The two operands of a plain atomic: swap or add, and compare.
    pub fn atomic(&mut self) -> Result<(u64, u64), Malformed> {
        let s = self.take(Atomic::SIZE)?;
        Ok((Atomic::SWAP_ADD.get(s), Atomic::COMPARE.get(s)))
    }

    /// All that is left, as pointers and inline bytes.
    pub fn data(&mut self) -> Result<Vec<Segment>, Malformed> {
        let mut list = Vec::new();
        while let Some(rest) = self.bytes.get(self.at..).filter(|r| r.len() >= OCTOWORD) {
            let count = Data::BYTE_COUNT.get32(rest);
            if count & INLINE_SEG == 0 {
                let s = self.take(Data::SIZE)?;
                list.push(Segment::Pointer {
                    key: Data::LKEY.get32(s),
                    va: Data::ADDR.get(s),
                    len: count as u64,
                });
                continue;
            }
            let n = (count & !INLINE_SEG) as usize;
            self.take(4)?;
            list.push(Segment::Inline(self.take(n)?.to_vec()));
            self.at = self.at.next_multiple_of(OCTOWORD);
        }
        Ok(list)
    }

    /// A scatter list, as far as the entry that ends it. `reserved`: the reserved key is a
    /// valid one for this queue, and ends the list only without a length.
    pub fn scatter_list(&mut self, reserved: bool) -> Vec<Segment> {
        let mut list = Vec::new();
        while let Ok(s) = self.take(Data::SIZE) {
            let (key, len) = (Data::LKEY.get32(s), Data::BYTE_COUNT.get32(s) & !INLINE_SEG);
            if key == INVALID_LKEY && (len == 0 || !reserved) {
                break;
            }
            if len > 0 {
                list.push(Segment::Pointer { key, va: Data::ADDR.get(s), len: len as u64 });
            }
        }
        list
    }
}

/// Whether an opcode carries a remote address.
pub(super) fn has_remote(op: u8) -> bool {
    matches!(
        op,
        opcode::RDMA_WRITE
            | opcode::RDMA_WRITE_IMM
            | opcode::RDMA_READ
            | opcode::ATOMIC_CS
            | opcode::ATOMIC_FA
            | opcode::ATOMIC_MASKED_CS
            | opcode::ATOMIC_MASKED_FA
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wqe(segments: &[[u8; 16]]) -> Wqe {
        let mut b = vec![0u8; 16];
        Ctrl::QPN_DS.set(&mut b, 0x77 << 8 | (segments.len() as u64 + 1));
        Ctrl::OPMOD_IDX_OPCODE.set(&mut b, 5 << 8);
        segments.iter().for_each(|s| b.extend_from_slice(s));
        b.resize(b.len().next_multiple_of(64), 0xee);
        Wqe::new(b, 5)
    }

    fn pointer(key: u32, va: u64, len: u32) -> [u8; 16] {
        let mut s = [0; 16];
        Data::BYTE_COUNT.set(&mut s, len as u64);
        Data::LKEY.set(&mut s, key as u64);
        Data::ADDR.set(&mut s, va);
        s
    }

    #[test]
    fn pointers_and_inline_bytes_mix() {
        let mut inline = [0u8; 16];
        Data::BYTE_COUNT.set(&mut inline, (INLINE_SEG | 5) as u64);
        inline[4..9].copy_from_slice(b"hello");
        let w = wqe(&[pointer(7, 0x1000, 3), inline, pointer(8, 0x2000, 4)]);
        assert_eq!(w.blocks(), 1);
        assert!(w.belongs(0x77) && !w.belongs(0x78));
        let list = Reader::new(&w).data();
        let want = [
            Segment::Pointer { key: 7, va: 0x1000, len: 3 },
            Segment::Inline(b"hello".to_vec()),
            Segment::Pointer { key: 8, va: 0x2000, len: 4 },
        ];
        assert_eq!(list, Ok(want.to_vec()));
    }

    #[test]
    fn inline_bytes_beyond_the_request_are_refused() {
        let mut inline = [0u8; 16];
        Data::BYTE_COUNT.set(&mut inline, (INLINE_SEG | 13) as u64);
        assert_eq!(Reader::new(&wqe(&[inline])).data(), Err(Malformed));
        assert!(Reader::new(&wqe(&[])).remote().is_err());
    }

    #[test]
    fn scatter_lists_end_at_the_terminator() {
        let list = [pointer(7, 0x1000, 3), pointer(9, 0, 0), pointer(INVALID_LKEY, 0, 0), pointer(8, 0, 4)];
        let bytes = list.concat();
        assert_eq!(Reader::list(&bytes).scatter_list(true).len(), 1);
        let kernel = [pointer(INVALID_LKEY, 0x1000, 3), pointer(INVALID_LKEY, 0, 0)].concat();
        assert_eq!(Reader::list(&kernel).scatter_list(true).len(), 1);
        assert_eq!(Reader::list(&kernel).scatter_list(false).len(), 0);
    }
}
