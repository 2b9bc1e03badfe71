//! `mlx5dv_wr_mkey_configure` and its setters (`spec`: datapath, section 10).

use super::{
    bsf,
    mkey::{BlockState, CryptoBlock, Domain, Mkey, SigBlock, Signature},
    qp::Qp,
    segment::{self, Cursor, put8, put16, put32, put64},
};
use crate::{
    abi::{
        dv::{consts::*, *},
        verbs::{consts::*, ibv_sge},
    },
    error::Errno,
    provider::get_context::comp_mask,
    verbs::dek,
};
use core::{ptr, slice};
use prm::wqe::{
    BB, Ctrl, Inline, MKEY_BSF_ENABLE, MKEY_SIG_ERR_SHIFT, MkeyContext, OCTOWORD, REPEAT_BLOCK_OP,
    RepeatBlock, RepeatEntry, SetPsv, UmrCtrl, fm_ce_se, mkey_access, mkey_mask, opcode, umr_flags,
};

/// A key that no QP owns.
const ANY_QPN: u32 = 0xffff_ff00;
/// Octowords of control segment, UMR control and mkey context: two blocks.
const FIXED: u32 = 2 * (BB / OCTOWORD) as u32;
/// Octowords of one byte stream format.
const BSF: u32 = 4;
const ACCESS_MASK: u64 = mkey_mask::ACCESS_LOCAL_WRITE
    | mkey_mask::ACCESS_REMOTE_READ
    | mkey_mask::ACCESS_REMOTE_WRITE
    | mkey_mask::ACCESS_ATOMIC;

/// The configuration that is being built.
#[derive(Clone, Copy)]
struct Open<'a> {
    qp: &'a Qp,
    mkey: &'a Mkey,
    ctrl: *mut u8,
}

impl<'a> Open<'a> {
    /// The one of a QP. None after an error of the batch, which setters pass over; EINVAL if there
    /// is none.
    fn of(qp: &'a Qp) -> Option<Open<'a>> {
        if qp.wr.batch.get().err != 0 {
            return None;
        }
        // SAFETY: NULL or the key of the open request, which the application keeps.
        let mkey = unsafe { qp.wr.mkey.get().as_ref() };
        match mkey {
            Some(mkey) if !qp.wr.ctrl.get().is_null() => Some(Open { qp, mkey, ctrl: qp.wr.ctrl.get() }),
            _ => {
                qp.fail(Errno::EINVAL);
                None
            }
        }
    }

    fn umr(self) -> *mut u8 {
        self.ctrl.wrapping_add(Ctrl::SIZE)
    }

    fn context(self) -> *mut u8 {
        self.qp.place(self.ctrl, (BB / OCTOWORD) as u32)
    }

    fn mask(self) -> u64 {
        // SAFETY: the UMR control segment of the open WQE.
        u64::from_be(unsafe { self.umr().add(UmrCtrl::MKEY_MASK.byte()).cast::<u64>().read() })
    }

    fn add_mask(self, bits: u64) {
        // SAFETY: as in `mask`.
        unsafe { put64(self.umr(), UmrCtrl::MKEY_MASK, self.mask() | bits) }
    }

    fn add_flags_pd(self, bits: u32) {
        let context = self.context();
        // SAFETY: the mkey context of the open WQE.
        unsafe {
            let old = u32::from_be(context.add(MkeyContext::FLAGS_PD.byte()).cast::<u32>().read());
            put32(context, MkeyContext::FLAGS_PD, old | bits);
        }
    }

    fn has_layout(self) -> bool {
        // SAFETY: the UMR control segment of the open WQE.
        unsafe { self.umr().add(UmrCtrl::KLM_OCTOWORDS.byte()).cast::<u16>().read() != 0 }
    }

    /// Octowords that may stand behind the fixed part.
    fn inline_room(self) -> u32 {
        (self.qp.sq.max_inline + Inline::SIZE as u32) / OCTOWORD as u32
    }

    /// A setter succeeded; the last one finishes the request.
    fn step<const SIGNED: bool>(self) {
        let wr = &self.qp.wr;
        let n = wr.setters.get() + 1;
        wr.setters.set(n);
        if n == wr.mkey_setters.get() {
            self.finish::<SIGNED>();
        }
    }

    fn finish<const SIGNED: bool>(self) {
        let built = if self.mkey.crypto.is_some() {
            self.finish_crypto::<SIGNED>()
        } else if let Some(sig) = &self.mkey.sig {
            self.finish_signature::<SIGNED>(sig)
        } else {
            self.close::<SIGNED>();
            Ok(())
        };
        if let Err(e) = built {
            self.qp.fail(e);
        }
        self.qp.wr.mkey.set(ptr::null());
    }

    fn close<const SIGNED: bool>(self) {
        self.qp.close::<SIGNED>(self.ctrl, self.qp.wr.ow.get());
    }

    /// Tells the device about errors that were reported. True if PSVs must be armed again.
    fn sync_errors(self, sig: &Signature) -> bool {
        if !sig.err_count_updated.replace(false) {
            return false;
        }
        self.add_mask(mkey_mask::SIG_ERR);
        self.add_flags_pd((sig.err_count.get() & 1) << MKEY_SIG_ERR_SHIFT);
        sig.state.get() == BlockState::Set
    }

    fn finish_signature<const SIGNED: bool>(self, sig: &Signature) -> Result<(), Errno> {
        let state = sig.state.get();
        if !matches!(state, BlockState::Set | BlockState::Updated) {
            self.add_mask(mkey_mask::BSF_ENABLE);
        }
        let mut arm = self.sync_errors(sig);
        if state == BlockState::Updated {
            let format =
                [Some(bsf::signature(&sig.block.get(), sig.mem_psv.0, sig.wire_psv.0, false)?), None];
            self.append_formats(&format)?;
            arm = true;
        }
        self.end::<SIGNED>(Some(sig).filter(|_| arm))
    }

    fn finish_crypto<const SIGNED: bool>(self) -> Result<(), Errno> {
        let Some(crypto) = &self.mkey.crypto else { return Err(Errno::EINVAL) };
        let engines = self.qp.context().caps.crypto.crypto_engines;
        let multi = engines & MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK != 0;
        let (state, block) = (crypto.state.get(), crypto.attr.get());
        let in_use = matches!(state, BlockState::Set | BlockState::Updated);
        let sig = self.mkey.sig.as_ref();
        if in_use && !multi && self.mkey.length.get() > bsf::bytes_of(block.data_unit_size) {
            return Err(Errno::EINVAL);
        }
        let mut arm = sig.is_some_and(|s| self.sync_errors(s));
        let sig_state = sig.map(|s| s.state.get());
        let sig_updated = sig_state == Some(BlockState::Updated);
        if state != BlockState::Updated && !sig_updated && sig_state != Some(BlockState::Reset) {
            return self.end::<SIGNED>(sig.filter(|_| arm));
        }
        let first = match sig {
            Some(s) => Some(bsf::signature(&s.block.get(), s.mem_psv.0, s.wire_psv.0, in_use)?),
            None => None,
        };
        let signatures = sig.map(|s| s.block.get());
        let second = match in_use {
            true => Some(bsf::crypto(&block, signatures.as_ref(), multi)?),
            false => None,
        };
        self.append_formats(&[first, second])?;
        arm |= sig_updated;
        self.end::<SIGNED>(sig.filter(|_| arm))
    }

    /// Appends byte stream formats and switches them on. ENOMEM if they do not fit, EINVAL for a
    /// key that is longer than they can say.
    fn append_formats(self, formats: &[Option<bsf::Bsf>; 2]) -> Result<(), Errno> {
        let qp = self.qp;
        let count = formats.iter().flatten().count() as u32;
        let ow = qp.wr.ow.get();
        if ow - FIXED + count * BSF > self.inline_room() {
            return Err(Errno::ENOMEM);
        }
        if self.mkey.length.get() > u64::from(u32::MAX) {
            return Err(Errno::EINVAL);
        }
        for (n, format) in (0..).zip(formats.iter().flatten()) {
            let at = qp.place(self.ctrl, ow + n * BSF);
            // SAFETY: layouts are padded to blocks, so a format fills one.
            unsafe { ptr::copy_nonoverlapping(format.0.as_ptr(), at, BB) };
        }
        qp.wr.ow.set(ow + count * BSF);
        self.add_mask(mkey_mask::BSF_ENABLE);
        self.add_flags_pd(MKEY_BSF_ENABLE);
        // SAFETY: the UMR control segment of the open WQE.
        unsafe { put16(self.umr(), UmrCtrl::BSF_OCTOWORDS, (count * BSF) as u16) };
        Ok(())
    }

    /// Closes the request, and arms the PSVs of `sig` by requests of their own.
    fn end<const SIGNED: bool>(self, sig: Option<&Signature>) -> Result<(), Errno> {
        let Some(sig) = sig else {
            self.close::<SIGNED>();
            return Ok(());
        };
        let block = sig.block.get();
        let all = [(block.mem, sig.mem_psv.0), (block.wire, sig.wire_psv.0)];
        let mut left = all.iter().filter(|(d, _)| d.signed()).count();
        if left == 0 {
            self.close::<SIGNED>();
            return Ok(());
        }
        let qp = self.qp;
        // SAFETY: the control segment of the open WQE; the application's members.
        let (wr_id, flags) = unsafe {
            let fm = self.ctrl.add(Ctrl::FM_CE_SE.byte());
            fm.write(fm.read() & !fm_ce_se::CQ_UPDATE);
            ((*qp.ibv_ex()).wr_id, (*qp.ibv_ex()).wr_flags)
        };
        self.close::<SIGNED>();
        for (domain, psv) in all.iter().filter(|(d, _)| d.signed()) {
            left -= 1;
            // The last one completes for all.
            let flags = if left == 0 { flags } else { flags & !IBV_SEND_SIGNALED };
            let ctrl = qp.open::<false>(u32::from(opcode::SET_PSV), IBV_WC_DRIVER1, wr_id, flags);
            if ctrl.is_null() {
                return Ok(());
            }
            let at = ctrl.wrapping_add(Ctrl::SIZE);
            // SAFETY: the segment lies in the first block.
            unsafe {
                ptr::write_bytes(at, 0, SetPsv::SIZE);
                put32(at, SetPsv::PSV_INDEX, *psv);
                put64(at, SetPsv::TRANSIENT_SIGNATURE, domain.transient());
            }
            qp.close::<SIGNED>(ctrl, ((Ctrl::SIZE + SetPsv::SIZE) / OCTOWORD) as u32);
        }
        qp.set_fence(fm_ce_se::INITIATOR_SMALL_FENCE);
        Ok(())
    }
}

impl Qp {
    /// As [`Self::fail`], but the last error of the batch counts: that is how configuration has it.
    #[cold]
    fn fail_anew(&self, e: Errno) {
        self.wr.note(|b| b.err = e.0 as u8);
    }
}

/// Begins the configuration of a memory key, which takes `setters` setters. EOPNOTSUPP without
/// IBV_SEND_INLINE, for unknown flags, and for a tag that the device cannot change.
///
/// # Safety
/// The manual's promise: between start and complete; the key is alive until it is configured.
pub unsafe extern "C" fn configure<const SIGNED: bool>(
    dv: *mut mlx5dv_qp_ex,
    mkey: *mut mlx5dv_mkey,
    setters: u8,
    attr: *mut mlx5dv_mkey_conf_attr,
) {
    // SAFETY: the promise above.
    let (qp, mkey, attr) = unsafe { (Qp::from_dv(dv), Mkey::from_public(mkey), &*attr) };
    // SAFETY: the application fills these members before the call.
    let (wr_id, flags) = unsafe { ((*qp.ibv_ex()).wr_id, (*qp.ibv_ex()).wr_flags) };
    let (lkey, wr) = (mkey.public.lkey, &qp.wr);
    let tag_ok = lkey & 0xff == 0 || qp.context().info.comp_mask & comp_mask::MKEY_UPDATE_TAG != 0;
    if flags & IBV_SEND_INLINE == 0
        || attr.conf_flags & !MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR != 0
        || attr.comp_mask != 0
        || !tag_ok
    {
        wr.mkey.set(ptr::null());
        qp.fail_anew(Errno::EOPNOTSUPP);
        return;
    }
    let ctrl = qp.open::<false>(u32::from(opcode::UMR), IBV_WC_DRIVER1, wr_id, flags);
    if ctrl.is_null() {
        wr.mkey.set(ptr::null());
        return;
    }
    // SAFETY: UMR control fills the first block, the mkey context the second.
    unsafe {
        put32(ctrl, Ctrl::IMM, lkey);
        let umr = ctrl.add(Ctrl::SIZE);
        ptr::write_bytes(umr, 0, UmrCtrl::SIZE);
        put8(umr, UmrCtrl::FLAGS, umr_flags::INLINE);
        put64(umr, UmrCtrl::MKEY_MASK, mkey_mask::FREE | mkey_mask::MKEY);
        let context = qp.place(ctrl, (BB / OCTOWORD) as u32);
        ptr::write_bytes(context, 0, MkeyContext::SIZE);
        put32(context, MkeyContext::QPN_MKEY, ANY_QPN | lkey & 0xff);
    }
    wr.ow.set(FIXED);
    qp.set_fence(fm_ce_se::INITIATOR_SMALL_FENCE);
    wr.note(|b| b.inline = 1);
    wr.setters.set(0);
    wr.mkey_setters.set(u32::from(setters));
    wr.mkey.set(mkey);
    mkey.begin(attr.conf_flags & MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR != 0);
    if setters == 0 {
        Open { qp, mkey, ctrl }.finish::<SIGNED>();
    }
}

impl Mkey {
    /// A new configuration starts: what the last one set is in force now.
    fn begin(&self, reset: bool) {
        if let Some(sig) = &self.sig {
            if reset {
                sig.block.set(SigBlock::default());
                sig.state.set(BlockState::Reset);
            } else {
                match sig.state.get() {
                    BlockState::Updated => sig.state.set(BlockState::Set),
                    BlockState::Reset => sig.state.set(BlockState::Init),
                    _ => {}
                }
            }
        }
        if let Some(crypto) = &self.crypto
            && crypto.state.get() == BlockState::Updated
        {
            crypto.state.set(BlockState::Set);
        }
    }
}

/// Access rights. EINVAL for others than local write, remote read, write and atomics, and for the
/// second time.
///
/// # Safety
/// The manual's promise: a configuration is open.
pub unsafe extern "C" fn set_access_flags<const SIGNED: bool>(dv: *mut mlx5dv_qp_ex, access: u32) {
    // SAFETY: the promise above.
    let Some(o) = Open::of(unsafe { Qp::from_dv(dv) }) else { return };
    let bits = [
        (IBV_ACCESS_LOCAL_WRITE, mkey_access::LOCAL_WRITE),
        (IBV_ACCESS_REMOTE_READ, mkey_access::REMOTE_READ),
        (IBV_ACCESS_REMOTE_WRITE, mkey_access::REMOTE_WRITE),
        (IBV_ACCESS_REMOTE_ATOMIC, mkey_access::ATOMIC),
    ];
    let known = bits.iter().fold(0, |a, b| a | b.0);
    if access & !known != 0 || o.mask() & ACCESS_MASK != 0 {
        o.qp.fail_anew(Errno::EINVAL);
        return;
    }
    let flags = bits.iter().filter(|b| access & b.0 != 0).fold(0, |a, b| a | b.1);
    // SAFETY: the mkey context of the open WQE.
    unsafe { put8(o.context(), MkeyContext::ACCESS_FLAGS, flags) };
    o.add_mask(ACCESS_MASK);
    o.step::<SIGNED>();
}

impl Open<'_> {
    /// Checks that a layout of `entries` octowords fits. ENOMEM, EINVAL for the second layout.
    fn check_layout(self, entries: u16, header: u32) -> Result<(), Errno> {
        let room = self.inline_room().saturating_sub(header);
        if u32::from(entries) > room.min(u32::from(self.mkey.num_desc)) {
            return Err(Errno::ENOMEM);
        }
        if self.has_layout() { Err(Errno::EINVAL) } else { Ok(()) }
    }

    /// Pads a layout of `entries` octowords, with its header, to blocks and notes what it covers.
    fn end_layout(self, mut c: Cursor, entries: u32, length: u64) {
        let padded = entries.next_multiple_of(BSF);
        for _ in entries..padded {
            c.wrap();
            // SAFETY: 16 bytes at a multiple of 16 before the ring's end.
            unsafe { ptr::write_bytes(c.at, 0, OCTOWORD) };
            c.skip(OCTOWORD);
        }
        self.mkey.length.set(length);
        self.qp.wr.ow.set(c.ow);
        self.add_mask(mkey_mask::LEN);
        // SAFETY: segments of the open WQE.
        unsafe {
            put64(self.context(), MkeyContext::LEN, length);
            put16(self.umr(), UmrCtrl::KLM_OCTOWORDS, padded as u16);
        }
    }
}

/// The key covers these buffers, one behind the other.
///
/// # Safety
/// As [`set_access_flags`]; `count` elements are readable.
pub unsafe extern "C" fn set_layout_list<const SIGNED: bool>(
    dv: *mut mlx5dv_qp_ex,
    count: u16,
    list: *const ibv_sge,
) {
    // SAFETY: the promise above.
    let Some(o) = Open::of(unsafe { Qp::from_dv(dv) }) else { return };
    if let Err(e) = o.check_layout(count, 0) {
        o.qp.fail_anew(e);
        return;
    }
    let mut c = o.qp.cursor(o.ctrl);
    let mut length = 0u64;
    for i in 0..usize::from(count) {
        c.wrap();
        // SAFETY: below the count; 16 bytes at a multiple of 16 before the ring's end.
        unsafe {
            let sge = &*list.add(i);
            segment::data(c.at, sge.length, sge.lkey, sge.addr);
            length += u64::from(sge.length);
        }
        c.skip(OCTOWORD);
    }
    o.end_layout(c, u32::from(count), length);
    o.step::<SIGNED>();
}

/// The key covers pieces of these buffers by turns, `repeat_count` times.
///
/// # Safety
/// As [`set_access_flags`]; `count` elements are readable.
pub unsafe extern "C" fn set_layout_interleaved<const SIGNED: bool>(
    dv: *mut mlx5dv_qp_ex,
    repeat_count: u32,
    count: u16,
    list: *const mlx5dv_mr_interleaved,
) {
    // SAFETY: the promise above.
    let Some(o) = Open::of(unsafe { Qp::from_dv(dv) }) else { return };
    if let Err(e) = o.check_layout(count, 1) {
        o.qp.fail_anew(e);
        return;
    }
    let list = match count {
        0 => &[][..],
        // SAFETY: the promise above.
        n => unsafe { slice::from_raw_parts(list, usize::from(n)) },
    };
    let sum = list.iter().fold(0u32, |a, e| a.wrapping_add(e.bytes_count));
    let mut c = o.qp.cursor(o.ctrl);
    // SAFETY: the header starts a block.
    unsafe {
        put32(c.at, RepeatBlock::BYTE_COUNT, sum);
        put32(c.at, RepeatBlock::OP, REPEAT_BLOCK_OP);
        put32(c.at, RepeatBlock::REPEAT_COUNT, repeat_count);
        put32(c.at, prm::Field::new(RepeatBlock::NUM_ENT.off - 16, 32), u32::from(count));
    }
    c.skip(RepeatBlock::SIZE);
    for e in list {
        c.wrap();
        // SAFETY: 16 bytes at a multiple of 16 before the ring's end. The device's fields have 16
        // bits.
        unsafe {
            put16(c.at, RepeatEntry::STRIDE, e.bytes_count.wrapping_add(e.bytes_skip) as u16);
            put16(c.at, RepeatEntry::BYTE_COUNT, e.bytes_count as u16);
            put32(c.at, RepeatEntry::MEMKEY, e.lkey);
            put64(c.at, RepeatEntry::VA, e.addr);
        }
        c.skip(RepeatEntry::SIZE);
    }
    let length = u64::from(sum) * u64::from(repeat_count);
    o.end_layout(c, u32::from(count) + 1, length);
    o.step::<SIGNED>();
}

/// Block signature. EINVAL for a key without signatures, the second time in one request, and for
/// attributes that are not in the manual.
///
/// # Safety
/// As [`set_access_flags`]; the attributes are valid for the call.
pub unsafe extern "C" fn set_sig_block<const SIGNED: bool>(
    dv: *mut mlx5dv_qp_ex,
    attr: *const mlx5dv_sig_block_attr,
) {
    // SAFETY: the promise above.
    let (qp, attr) = unsafe { (Qp::from_dv(dv), &*attr) };
    let Some(o) = Open::of(qp) else { return };
    // SAFETY: the promise above.
    match unsafe { sig_block(o.mkey, attr) } {
        Ok(()) => o.step::<SIGNED>(),
        Err(e) => o.qp.fail_anew(e),
    }
}

/// # Safety
/// As [`set_sig_block`].
unsafe fn sig_block(mkey: &Mkey, attr: &mlx5dv_sig_block_attr) -> Result<(), Errno> {
    const COPY_MASK: u32 = MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK;
    let sig = mkey.sig.as_ref().ok_or(Errno::EINVAL)?;
    if sig.state.get() == BlockState::Updated
        || attr.mem.is_null() && attr.wire.is_null()
        || attr.flags & !COPY_MASK != 0
        || attr.comp_mask != 0
    {
        return Err(Errno::EINVAL);
    }
    // SAFETY: the promise above.
    let (mem, wire) = unsafe { (Domain::of(attr.mem)?, Domain::of(attr.wire)?) };
    sig.block.set(SigBlock {
        mem,
        wire,
        check_mask: attr.check_mask,
        copy_mask: (attr.flags & COPY_MASK != 0).then_some(attr.copy_mask),
    });
    sig.state.set(BlockState::Updated);
    Ok(())
}

/// Encryption. EINVAL as for [`set_sig_block`].
///
/// # Safety
/// As [`set_access_flags`]; the attributes are valid for the call, the key in them is alive.
pub unsafe extern "C" fn set_crypto<const SIGNED: bool>(
    dv: *mut mlx5dv_qp_ex,
    attr: *const mlx5dv_crypto_attr,
) {
    // SAFETY: the promise above.
    let (qp, attr) = unsafe { (Qp::from_dv(dv), &*attr) };
    let Some(o) = Open::of(qp) else { return };
    // SAFETY: the promise above.
    match unsafe { crypto(o.mkey, attr) } {
        Ok(()) => o.step::<SIGNED>(),
        Err(e) => o.qp.fail_anew(e),
    }
}

/// # Safety
/// As [`set_crypto`].
unsafe fn crypto(mkey: &Mkey, attr: &mlx5dv_crypto_attr) -> Result<(), Errno> {
    let crypto = mkey.crypto.as_ref().ok_or(Errno::EINVAL)?;
    if crypto.state.get() == BlockState::Updated
        || attr.comp_mask != 0
        || attr.crypto_standard != MLX5DV_CRYPTO_STANDARD_AES_XTS
        || attr.signature_crypto_order > MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX
        || attr.data_unit_size > MLX5DV_BLOCK_SIZE_4160
    {
        return Err(Errno::EINVAL);
    }
    // SAFETY: the promise above.
    let dek = unsafe { dek::object_id(attr.dek) }.map_err(|r| r.errno())?;
    crypto.attr.set(CryptoBlock {
        encrypt_on_tx: attr.encrypt_on_tx,
        order: attr.signature_crypto_order,
        data_unit_size: attr.data_unit_size,
        tweak: attr.initial_tweak.map(|c| c as u8),
        dek,
        keytag: attr.keytag.map(|c| c as u8),
    });
    crypto.state.set(BlockState::Updated);
    Ok(())
}

/// `mlx5dv_wr_mr_list`: access rights and layout in one call.
///
/// # Safety
/// As [`configure`] and [`set_layout_list`].
pub unsafe extern "C" fn mr_list<const SIGNED: bool>(
    dv: *mut mlx5dv_qp_ex,
    mkey: *mut mlx5dv_mkey,
    access: u32,
    count: u16,
    list: *mut ibv_sge,
) {
    let mut attr = mlx5dv_mkey_conf_attr { conf_flags: 0, comp_mask: 0 };
    // SAFETY: the promise above.
    unsafe {
        configure::<SIGNED>(dv, mkey, 2, &mut attr);
        set_access_flags::<SIGNED>(dv, access);
        set_layout_list::<SIGNED>(dv, count, list);
    }
}

/// `mlx5dv_wr_mr_interleaved`: access rights and layout in one call.
///
/// # Safety
/// As [`configure`] and [`set_layout_interleaved`].
pub unsafe extern "C" fn mr_interleaved<const SIGNED: bool>(
    dv: *mut mlx5dv_qp_ex,
    mkey: *mut mlx5dv_mkey,
    access: u32,
    repeat_count: u32,
    count: u16,
    list: *mut mlx5dv_mr_interleaved,
) {
    let mut attr = mlx5dv_mkey_conf_attr { conf_flags: 0, comp_mask: 0 };
    // SAFETY: the promise above.
    unsafe {
        configure::<SIGNED>(dv, mkey, 2, &mut attr);
        set_access_flags::<SIGNED>(dv, access);
        set_layout_interleaved::<SIGNED>(dv, repeat_count, count, list);
    }
}
