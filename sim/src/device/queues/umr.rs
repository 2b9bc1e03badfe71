//! Work requests that change memory keys: registration, windows, invalidation, signatures.

use super::key::{Access, MAX_XLT, Mkey, Right};
use super::payload::Payload;
use super::qp::Qp;
use super::send::Step;
use super::wqe::{Reader, Segment, Wqe};
use crate::device::Chip;
use crate::device::command::{access_mode, service};
use crate::device::host::Host;
use crate::device::objects::kind;
use prm::cqe::syndrome;
use prm::wqe::{Ctrl, Klm, MkeyContext, SetPsv, UmrCtrl, mkey_mask, umr_flags};
use prm::{Field, Mkc, Qpc};

/// Who changes keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Updater {
    qpn: u32,
    pd: u32,
    access: Access,
    /// The driver's own queue: it changes keys of every domain, and what only it may change.
    privileged: bool,
}

impl Updater {
    /// A queue pair.
    pub fn of_qp(n: u32, qp: &Qp) -> Updater {
        let access = qp.local(n);
        Updater {
            qpn: n,
            pd: qp.get(Qpc::PD),
            access,
            privileged: qp.service() == service::REG_UMR || qp.get(Qpc::RLKY) != 0,
        }
    }

    /// A send queue of the driver.
    pub fn of_sq(n: u32, access: Access, privileged: bool) -> Updater {
        Updater { qpn: n, pd: access.pd, access, privileged }
    }
}

/// What each bit of the mask replaces.
const FIELDS: &[(u32, &[Field])] = &[
    (0, &[Mkc::LEN, Mkc::LENGTH64]),
    (1, &[Mkc::LOG_PAGE_SIZE, Mkc::LOG_PAGE_SIZE_5]),
    (6, &[Mkc::START_ADDR]),
    (7, &[Mkc::PD]),
    (8, &[Mkc::EN_RINVAL]),
    (9, &[Mkc::EXPECTED_SIGERR_COUNT]),
    (12, &[Mkc::BSF_EN]),
    (13, &[Mkc::MKEY_7_0]),
    (14, &[Mkc::QPN]),
    (17, &[Mkc::LR]),
    (18, &[Mkc::LW]),
    (19, &[Mkc::RR]),
    (20, &[Mkc::RW]),
    (21, &[Mkc::A]),
    (23, &[Mkc::SMALL_FENCE_ON_RDMA_READ_RESPONSE]),
    (25, &[Mkc::RELAXED_ORDERING_WRITE]),
    (29, &[Mkc::FREE]),
    (42, &[Mkc::LOG_PAGE_SIZE_5]),
    (47, &[Mkc::RELAXED_ORDERING_READ]),
];
/// Mask bits that only the driver's queues may use.
const PRIVILEGED: u64 = 1 << 7;

impl Mkey {
    /// Whether work requests may change the key.
    pub(super) fn can_change(&self) -> bool {
        Mkc::UMR_EN.is_set(&self.mkc)
    }
}

impl Chip {
    /// Change a memory key.
    pub(super) fn umr(&mut self, h: &dyn Host, by: Updater, w: &Wqe) -> Step {
        let mut r = Reader::new(w);
        let parts = r.take(UmrCtrl::SIZE).and_then(|ctrl| Ok((ctrl, r.take(MkeyContext::SIZE)?)));
        let (ctrl, ctx) = match parts {
            Ok(parts) => parts,
            Err(e) => return e.into(),
        };
        let flags = UmrCtrl::FLAGS.get(ctrl) as u8;
        let mask = UmrCtrl::MKEY_MASK.get(ctrl);
        let key = w.imm();
        if let Err(step) = self.may_change(by, key, flags, mask) {
            return step;
        }
        let list = match self.translations(h, by, w, ctrl, r) {
            Ok(list) => list,
            Err(step) => return step,
        };
        if let Some((_, list)) = &list
            && let Err(step) = self.may_bind(by, key, ctx, mask, list)
        {
            return step;
        }
        let bsf = bsf_of(w, ctrl, list.as_ref().map_or(0, |l| l.1.len()));
        let Some(k) = self.dp.mkeys.get_mut(&(key >> 8)) else { return Step::Fail(syndrome::MW_BIND_ERR) };
        for (_, fields) in FIELDS.iter().filter(|(bit, _)| mask >> bit & 1 != 0) {
            fields.iter().for_each(|f| f.copy(ctx, &mut k.mkc));
        }
        if !bsf.is_empty() {
            k.bsf = bsf;
        }
        if let Some((at, list)) = list {
            let end = at + list.len();
            if end > MAX_XLT {
                return Step::Fail(syndrome::LOCAL_QP_OP_ERR);
            }
            if k.xlt.len() < end {
                k.xlt.resize(end, 0);
            }
            if let Some(to) = k.xlt.get_mut(at..end) {
                to.copy_from_slice(&list);
            }
        }
        Step::done(0)
    }

    /// Whether this queue may change this key now.
    fn may_change(&self, by: Updater, key: u32, flags: u8, mask: u64) -> Result<(), Step> {
        let refused = Err(Step::Fail(syndrome::MW_BIND_ERR));
        let Some(k) = self.dp.mkeys.get(&(key >> 8)) else { return refused };
        if by.privileged {
            return Ok(());
        }
        if !k.can_change() || mask & PRIVILEGED != 0 || Mkc::PD.get32(&k.mkc) != by.pd {
            return refused;
        }
        let qpn = Mkc::QPN.get(&k.mkc);
        if flags & umr_flags::CHECK_FREE != 0 && !k.free() {
            return refused;
        }
        if flags & umr_flags::CHECK_QPN != 0 && qpn != super::key::ANY_QP && qpn != by.qpn as u64 {
            return refused;
        }
        Ok(())
    }

    /// The new translation entries of a request, and where in the key's list they go.
    fn translations(
        &mut self,
        h: &dyn Host,
        by: Updater,
        w: &Wqe,
        ctrl: &[u8],
        mut r: Reader,
    ) -> Result<Option<(usize, Vec<u8>)>, Step> {
        let flags = UmrCtrl::FLAGS.get(ctrl) as u8;
        let len = UmrCtrl::KLM_OCTOWORDS.get(ctrl) as usize * prm::wqe::OCTOWORD;
        if len == 0 {
            return Ok(None);
        }
        let mut at = 0;
        if flags & umr_flags::TRANSLATION_OFFSET != 0 {
            // the high half of the offset lies behind the mask
            let high = Field::new((Ctrl::SIZE + 16) * 8, 32).get(w.bytes());
            let units = UmrCtrl::TRANSLATION_OFFSET.get(ctrl) | high << 16;
            at = (units as usize).saturating_mul(prm::wqe::OCTOWORD).min(MAX_XLT);
        }
        if flags & umr_flags::INLINE != 0 {
            return Ok(Some((at, r.take(len)?.to_vec())));
        }
        let data = r.data()?;
        let mut payload = Payload::new();
        for s in data {
            if let Segment::Pointer { key, va, len } = s {
                payload.pieces.extend(self.translate(key, va, len, by.access.to(Right::LocalRead))?);
            }
        }
        if payload.len() > MAX_XLT as u64 {
            return Err(Step::Fail(syndrome::LOCAL_LENGTH_ERR));
        }
        let mut list = self.bytes(h, &payload).map_err(|_| Step::Fail(syndrome::LOCAL_PROT_ERR))?;
        list.truncate(len);
        Ok(Some((at, list)))
    }

    /// A window over a region: the region is of the same domain, reaches far enough, and
    /// allows writing if the window does.
    fn may_bind(&self, by: Updater, key: u32, ctx: &[u8], mask: u64, list: &[u8]) -> Result<(), Step> {
        let Some(k) = self.dp.mkeys.get(&(key >> 8)) else { return Ok(()) };
        if by.privileged || k.mode() != access_mode::KLM || mask & mkey_mask::LEN == 0 {
            return Ok(());
        }
        let writes = mask & mkey_mask::ACCESS_REMOTE_WRITE != 0 && Mkc::RW.is_set(ctx)
            || mask & mkey_mask::ACCESS_ATOMIC != 0 && Mkc::A.is_set(ctx);
        let right = if writes { Right::LocalWrite } else { Right::LocalRead };
        let access = by.access.to(right);
        for entry in list.chunks_exact(Klm::SIZE) {
            let (inner, len) = (Klm::MKEY.get32(entry), Klm::BYTE_COUNT.get(entry));
            if inner == prm::wqe::REPEAT_BLOCK_OP {
                // strided entries are checked when they are used
                return Ok(());
            }
            if len > 0 && self.translate(inner, Klm::ADDRESS.get(entry), len, access).is_err() {
                return Err(Step::Fail(syndrome::MW_BIND_ERR));
            }
        }
        Ok(())
    }

    /// Set the start value of a signature domain.
    pub(super) fn set_psv(&mut self, n: u32, w: &Wqe) -> Step {
        let Ok(s) = Reader::new(w).take(SetPsv::SIZE) else { return Step::Fail(syndrome::LOCAL_QP_OP_ERR) };
        let psv = SetPsv::PSV_INDEX.get32(s) & 0xff_ffff;
        let pd = self.dp.qps.get(&n).map(|qp| qp.get(Qpc::PD));
        let own = self.objs.get(&(kind::PSV, psv)).map(|o| prm::CreatePsvIn::PD.get32(&o.input));
        if own.is_none() || own != pd {
            return Step::Fail(syndrome::LOCAL_QP_OP_ERR);
        }
        self.dp.psvs.insert(psv, SetPsv::TRANSIENT_SIGNATURE.get(s));
        Step::done(0)
    }
}

/// The block formats at the end of a request.
fn bsf_of(w: &Wqe, ctrl: &[u8], list: usize) -> Vec<u8> {
    if (UmrCtrl::FLAGS.get(ctrl) as u8) & umr_flags::TRANSLATION_OFFSET != 0 {
        return Vec::new();
    }
    let len = UmrCtrl::BSF_OCTOWORDS.get(ctrl) as usize * prm::wqe::OCTOWORD;
    let at = Ctrl::SIZE + UmrCtrl::SIZE + MkeyContext::SIZE + list;
    w.bytes().get(at..at + len).map(<[u8]>::to_vec).unwrap_or_default()
}
