//! Indirect memory keys: creation and destruction. `datapath` configures them.

use super::{
    object::{self, boxed, take},
    pd::Pd,
    table::Registration,
};
use crate::{
    abi::dv::{consts::*, mlx5dv_mkey, mlx5dv_mkey_init_attr},
    border,
    datapath::mkey::{Crypto, Mkey, Signature},
    devx::{Mailboxes, Object, command::checked, object as devx_object},
    error::Result,
    provider::{Context, get_context::comp_mask},
};
use core::cell::Cell;
use prm::{CreateMkeyIn, CreateMkeyOut, CreatePsvIn, CreatePsvOut, Field, Mkc, opcode};

const INDIRECT: u32 = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT;
const BLOCK_SIGNATURE: u32 = MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE;
const CRYPTO: u32 = MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO;
const UPDATE_TAG: u32 = MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG;
const REMOTE_INVALIDATE: u32 = MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE;
/// Memory accessed through a list of keys, lengths and addresses.
const ACCESS_MODE_KLM: u64 = 2;
/// Not bound to a QP.
const NO_QPN: u64 = 0xff_ffff;
/// Octowords of a signature, and of a crypto, BSF.
const BSF_OCTWORDS: u64 = 4;
/// Entries come in blocks of this many.
const ENTRY_BLOCK: u16 = 4;

/// A firmware object that is destroyed unless it is kept.
struct Guard<'a> {
    context: &'a Context,
    handle: Option<u32>,
}

impl<'a> Guard<'a> {
    fn new(context: &'a Context, object: &Object) -> Self {
        Guard { context, handle: Some(object.handle) }
    }

    fn keep(mut self) {
        self.handle = None;
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if let Some(handle) = self.handle {
            let _ = border::keep_errno(|| devx_object::destroy_handle(self.context.fd, handle));
        }
    }
}

/// A protection signature value: index and kernel handle. Errors: the device's.
fn create_psv<'a>(context: &'a Context, pdn: u32) -> Result<((u32, u32), Guard<'a>)> {
    let (mut c, mut out) = ([0u8; CreatePsvIn::SIZE], [0u8; CreatePsvOut::SIZE]);
    CreatePsvIn::OPCODE.set(&mut c, u64::from(opcode::CREATE_PSV));
    CreatePsvIn::PD.set(&mut c, u64::from(pdn));
    CreatePsvIn::NUM_PSV.set(&mut c, 1);
    let result = Object::create(context, Mailboxes::new(&c, &mut out));
    let object = checked(result, &out)?;
    let index = CreatePsvOut::PSV0_INDEX.get32(&out);
    Ok(((index, object.handle), Guard::new(context, &object)))
}

/// CREATE_MKEY for a key with `num_desc` entries.
fn command(pdn: u32, flags: u32, num_desc: u16) -> [u8; CreateMkeyIn::SIZE] {
    const MKC: Field = CreateMkeyIn::MEMORY_KEY_MKEY_ENTRY;
    let mut c = [0u8; CreateMkeyIn::SIZE];
    CreateMkeyIn::OPCODE.set(&mut c, u64::from(opcode::CREATE_MKEY));
    let mut set = |field: Field, value: u64| field.within(MKC).set(&mut c, value);
    set(Mkc::ACCESS_MODE_1_0, ACCESS_MODE_KLM);
    set(Mkc::FREE, 1);
    set(Mkc::UMR_EN, 1);
    set(Mkc::PD, pdn.into());
    set(Mkc::TRANSLATIONS_OCTWORD_SIZE, num_desc.into());
    set(Mkc::LR, 1);
    set(Mkc::QPN, NO_QPN);
    set(Mkc::EN_RINVAL, u64::from(flags & REMOTE_INVALIDATE != 0));
    let mut bsf = 0;
    if flags & BLOCK_SIGNATURE != 0 {
        bsf += BSF_OCTWORDS;
    }
    if flags & CRYPTO != 0 {
        set(Mkc::CRYPTO_EN, 1);
        bsf += BSF_OCTWORDS;
    }
    if bsf != 0 {
        set(Mkc::BSF_EN, 1);
        set(Mkc::BSF_OCTWORD_SIZE, bsf);
    }
    c
}

/// `mlx5dv_create_mkey`. EOPNOTSUPP for no or unknown flags, and for offloads that the device
/// lacks; ENOMEM; the device's. `max_entries` is rounded up to whole blocks.
///
/// # Safety
/// `attr` is NULL or valid, its domain NULL or live.
pub unsafe fn create(attr: *mut mlx5dv_mkey_init_attr) -> Result<*mut mlx5dv_mkey> {
    // SAFETY: as the caller promises; the context pointer of a domain is public.
    let (a, public) = unsafe {
        let a = attr.as_mut().ok_or(refuse!(EINVAL, "mkey_init_attr is NULL"))?;
        let public = a.pd.as_ref().ok_or(refuse!(EINVAL, "pd is NULL"))?;
        (a, public)
    };
    // SAFETY: as above; a domain of a context of ours was made here.
    let (context, pd) = unsafe { (Context::from_ibv(public.context)?, Pd::from_ibv(a.pd)) };
    let flags = a.create_flags;
    let mut known = INDIRECT | BLOCK_SIGNATURE | CRYPTO | REMOTE_INVALIDATE;
    if context.info.comp_mask & comp_mask::MKEY_UPDATE_TAG != 0 {
        known |= UPDATE_TAG;
    }
    if flags == 0 || flags & !known != 0 {
        return Err(refuse!(EOPNOTSUPP, "no or unknown create_flags", create_flags = flags));
    }
    let mut psvs = None;
    if flags & BLOCK_SIGNATURE != 0 {
        if context.caps.signature.block_prot == 0 {
            return Err(refuse!(EOPNOTSUPP, "device without block signatures"));
        }
        psvs = Some((create_psv(context, pd.pdn)?, create_psv(context, pd.pdn)?));
    }
    if flags & CRYPTO != 0 && !super::dek::has_xts_engine(context) {
        return Err(refuse!(EOPNOTSUPP, "device without AES-XTS"));
    }
    let num_desc = a.max_entries.checked_next_multiple_of(ENTRY_BLOCK);
    let num_desc =
        num_desc.ok_or(refuse!(EINVAL, "more entries than a key has", max_entries = a.max_entries))?;
    let (c, mut out) = (command(pd.pdn, flags, num_desc), [0u8; CreateMkeyOut::SIZE]);
    let result = Object::create(context, Mailboxes::new(&c, &mut out));
    let object = checked(result, &out)?;
    let guard = Guard::new(context, &object);
    let index = CreateMkeyOut::MKEY_INDEX.get32(&out);
    let key = index << 8;
    let mut mkey = boxed(Mkey {
        public: mlx5dv_mkey { lkey: key, rkey: key },
        num_desc,
        length: Cell::new(0),
        sig: psvs.as_ref().map(|((mem, _), (wire, _))| Signature::new(*mem, *wire)),
        crypto: (flags & CRYPTO != 0).then(Crypto::new),
        handle: object.handle,
        registration: None,
        context,
    })?;
    mkey.registration = Some(Registration::at(&context.mkeys, index, &*mkey)?);
    guard.keep();
    if let Some(((_, mem), (_, wire))) = psvs {
        mem.keep();
        wire.keep();
    }
    a.max_entries = num_desc;
    Ok(object::give(mkey))
}

/// `mlx5dv_destroy_mkey`: the protection signature values first. Errors: the device's; what is
/// left can be destroyed by another call.
///
/// # Safety
/// `mkey` is NULL or from [`create`], and not used any more on success.
pub unsafe fn destroy(mkey: *mut mlx5dv_mkey) -> Result<()> {
    // SAFETY: as the caller promises.
    let m = unsafe { mkey.cast::<Mkey>().as_mut() }.ok_or(refuse!(EINVAL, "mkey is NULL"))?;
    // SAFETY: contexts outlive their objects.
    let context = unsafe { &*m.context };
    if let Some(sig) = &mut m.sig {
        for psv in [&mut sig.mem_psv, &mut sig.wire_psv] {
            if psv.1 != 0 {
                devx_object::destroy_handle(context.fd, psv.1)?;
                psv.1 = 0;
            }
        }
    }
    devx_object::destroy_handle(context.fd, m.handle)?;
    // SAFETY: from `give`, and not used any more; the registration goes with it.
    drop(unsafe { take::<Mkey, _>(mkey) });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_bytes() {
        let c = command(0x41, INDIRECT, 8);
        assert_eq!(c.len(), 272);
        assert_eq!(c[0..2], [2, 0]);
        assert_eq!(c[16..32], [0x40, 0, 0x86, 0, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x41]);
        assert_eq!(c[16 + 0x34..16 + 0x38], [0, 0, 0, 8]);
        let c = command(1, INDIRECT | REMOTE_INVALIDATE | BLOCK_SIGNATURE, 4);
        assert_eq!(c[28..32], [0x41, 0, 0, 1]);
        assert_eq!(c[16 + 0x20..16 + 0x24], [0, 0, 0, 4]);
        let c = command(1, INDIRECT | CRYPTO | BLOCK_SIGNATURE, 4);
        assert_eq!(c[16 + 0x23], 8);
        assert_eq!(c[16 + 0x3c], 0x08);
    }
}
