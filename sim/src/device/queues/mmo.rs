//! The memory-to-memory engine: copies between two places of local memory.

use super::key::Right;
use super::payload::{CopyFault, Payload};
use super::send::Step;
use super::wqe::{Reader, Segment, Wqe};
use crate::device::Chip;
use crate::device::host::Host;
use prm::cqe::syndrome;
use prm::wqe::{MMO_DMA, MmoMeta};

/// Bytes that a length of 0 stands for.
const LARGEST: u64 = 1 << 31;

impl Chip {
    /// Copy from the first data segment to the second; both name the same length.
    pub(super) fn mmo(&mut self, h: &dyn Host, n: u32, w: &Wqe) -> Step {
        let Some(qp) = self.dp.qps.get(&n) else { return Step::Fail(syndrome::LOCAL_QP_OP_ERR) };
        let access = qp.local(n);
        let enabled = self.qp_ext.get(&n).is_some_and(|ext| prm::QpcExt::MMO.is_set(ext));
        let mut r = Reader::new(w);
        let meta = match r.take(MmoMeta::SIZE) {
            Ok(meta) => meta,
            Err(e) => return e.into(),
        };
        let data = match r.data() {
            Ok(data) => data,
            Err(e) => return e.into(),
        };
        let [Segment::Pointer { key, va, len }, Segment::Pointer { key: to_key, va: to_va, len: to_len }] =
            data[..]
        else {
            return Step::Fail(syndrome::LOCAL_QP_OP_ERR);
        };
        if w.opmod() != MMO_DMA || !enabled || len != to_len {
            return Step::Fail(syndrome::LOCAL_QP_OP_ERR);
        }
        let len = if len == 0 { LARGEST } else { len };
        let mut payload = Payload::new();
        let from = self.translate(key, va, len, access.to(Right::LocalRead));
        let to = self.translate(to_key, to_va, len, access.to(Right::LocalWrite));
        // the engine keeps its own state there, whatever it is
        let state = self.translate(
            MmoMeta::OPAQUE_LKEY.get32(meta),
            MmoMeta::OPAQUE_VADDR.get(meta),
            1,
            access.to(Right::LocalWrite),
        );
        let (Ok(from), Ok(to), Ok(_)) = (from, to, state) else {
            return Step::Fail(syndrome::LOCAL_PROT_ERR);
        };
        payload.pieces = from;
        match self.copy(h, &payload, &to) {
            Ok(()) => Step::done(len),
            Err(CopyFault::Source | CopyFault::Destination) => Step::Fail(syndrome::LOCAL_PROT_ERR),
        }
    }
}
