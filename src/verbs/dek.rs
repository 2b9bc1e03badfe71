//! Data encryption keys.

use crate::{
    abi::{
        dv::{consts::*, mlx5dv_dek, mlx5dv_dek_attr, mlx5dv_dek_init_attr},
        verbs::ibv_context,
    },
    devx::{Mailboxes, Object, command::checked, object},
    error::Result,
    provider::Context,
    verbs::pd::Pd,
};
use prm::{
    CreateEncryptionKeyObjIn, EncryptionKeyObj, Field, GeneralObjInCmdHdr, GeneralObjOutCmdHdr,
    QueryEncryptionKeyObjOut, object as general, opcode,
};

/// The device's number of the purpose AES-XTS.
const PURPOSE_AES_XTS: u64 = 3;
/// States as the device numbers them, which are those of `mlx5dv_dek_state`.
const STATE_READY: u32 = 0;
const STATE_ERROR: u32 = 1;

/// The device can encrypt by AES-XTS, by whichever of its engines.
pub fn has_xts_engine(context: &Context) -> bool {
    const ENGINES: u32 = MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS
        | MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK
        | MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK;
    context.caps.crypto.crypto_engines & ENGINES != 0
}

/// Keys are imported wrapped, and only so.
fn wrapped_import(context: &Context) -> bool {
    context.caps.crypto.wrapped_import_method & MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS != 0
}

/// The device's number of a key, for the BSF that names it.
///
/// # Safety
/// `dek` is NULL or live.
pub unsafe fn object_id(dek: *mut mlx5dv_dek) -> Result<u32> {
    // SAFETY: as the caller promises; a key is its firmware object.
    Ok(unsafe { Object::from_c(dek.cast())? }.info.object_id)
}

/// How the key arrives must be how the device imports keys.
fn check_import(context: &Context, a: &mlx5dv_dek_init_attr) -> Result<()> {
    let wrapped = wrapped_import(context);
    let ok = if a.comp_mask & u64::from(MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN) != 0 {
        a.crypto_login.is_null() != wrapped
    } else {
        wrapped && context.crypto_login.lock().is_some()
    };
    if ok { Ok(()) } else { Err(refuse!(EINVAL, "keys are not imported that way", wrapped = wrapped)) }
}

fn command(pdn: u32, a: &mlx5dv_dek_init_attr) -> [u8; CreateEncryptionKeyObjIn::SIZE] {
    const OBJ: Field = CreateEncryptionKeyObjIn::KEY_OBJ;
    let mut c = [0u8; CreateEncryptionKeyObjIn::SIZE];
    GeneralObjInCmdHdr::OPCODE.set(&mut c, opcode::CREATE_GENERAL_OBJECT.into());
    GeneralObjInCmdHdr::OBJ_TYPE.set(&mut c, general::DEK.into());
    EncryptionKeyObj::KEY_SIZE.within(OBJ).set(&mut c, a.key_size.into());
    EncryptionKeyObj::HAS_KEYTAG.within(OBJ).set(&mut c, a.has_keytag.into());
    EncryptionKeyObj::KEY_PURPOSE.within(OBJ).set(&mut c, PURPOSE_AES_XTS);
    EncryptionKeyObj::PD.within(OBJ).set(&mut c, pdn.into());
    EncryptionKeyObj::OPAQUE.within(OBJ).slice_mut(&mut c).copy_from_slice(&a.opaque.map(|b| b as u8));
    EncryptionKeyObj::KEY.within(OBJ).slice_mut(&mut c).copy_from_slice(&a.key.map(|b| b as u8));
    c
}

/// `mlx5dv_dek_create`. EOPNOTSUPP without engine or object type; EINVAL for purposes, sizes and
/// ways of import that there are not; ENOMEM; the device's.
///
/// # Safety
/// The pointers are NULL or valid.
pub unsafe fn create(context: *mut ibv_context, init: *mut mlx5dv_dek_init_attr) -> Result<*mut mlx5dv_dek> {
    // SAFETY: as the caller promises.
    let (context, a) =
        unsafe { (Context::from_ibv(context)?, init.as_ref().ok_or(refuse!(EINVAL, "init_attr is NULL"))?) };
    if !has_xts_engine(context) {
        return Err(refuse!(EOPNOTSUPP, "device without AES-XTS"));
    }
    if !context.caps.has_general_object(general::DEK) {
        return Err(refuse!(EOPNOTSUPP, "device without data encryption keys"));
    }
    if a.key_purpose != MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS {
        return Err(refuse!(EINVAL, "unknown purpose", key_purpose = a.key_purpose));
    }
    if !matches!(a.key_size, MLX5DV_CRYPTO_KEY_SIZE_128 | MLX5DV_CRYPTO_KEY_SIZE_256) {
        return Err(refuse!(EINVAL, "unknown key size", key_size = a.key_size));
    }
    if a.comp_mask & !u64::from(MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN) != 0 {
        return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = a.comp_mask));
    }
    check_import(context, a)?;
    // SAFETY: as the caller promises.
    let pd = unsafe { a.pd.cast::<Pd>().as_ref() }.ok_or(refuse!(EINVAL, "pd is NULL"))?;
    let (c, mut out) = (command(pd.pdn, a), [0u8; GeneralObjOutCmdHdr::SIZE]);
    let result = object::create(context, Mailboxes::new(&c, &mut out));
    Ok(checked(result, &out)?.cast())
}

/// `mlx5dv_dek_query`. EINVAL for comp_mask bits or a state that is none; the device's.
///
/// # Safety
/// The pointers are NULL or valid.
pub unsafe fn query(dek: *mut mlx5dv_dek, attr: *mut mlx5dv_dek_attr) -> Result<()> {
    // SAFETY: as the caller promises.
    let (o, a) =
        unsafe { (Object::from_c(dek.cast())?, attr.as_mut().ok_or(refuse!(EINVAL, "attr is NULL"))?) };
    if a.comp_mask != 0 {
        return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = a.comp_mask));
    }
    const OBJ: Field = QueryEncryptionKeyObjOut::OBJ;
    let mut out = [0u8; QueryEncryptionKeyObjOut::SIZE];
    query_general(o, general::DEK, &mut out)?;
    let state = EncryptionKeyObj::STATE.within(OBJ).get32(&out);
    if !matches!(state, STATE_READY | STATE_ERROR) {
        return Err(refuse!(EINVAL, "the key has an unknown state", state = state));
    }
    a.state = state;
    for (to, from) in a.opaque.iter_mut().zip(EncryptionKeyObj::OPAQUE.within(OBJ).slice(&out)) {
        *to = *from as _;
    }
    Ok(())
}

/// QUERY_GENERAL_OBJECT for an object. Errors: the device's.
pub fn query_general(o: &Object, obj_type: u16, out: &mut [u8]) -> Result<()> {
    let mut c = [0u8; GeneralObjInCmdHdr::SIZE];
    GeneralObjInCmdHdr::OPCODE.set(&mut c, opcode::QUERY_GENERAL_OBJECT.into());
    GeneralObjInCmdHdr::OBJ_TYPE.set(&mut c, obj_type.into());
    GeneralObjInCmdHdr::OBJ_ID.set(&mut c, o.info.object_id.into());
    let result = o.query(Mailboxes::new(&c, out));
    checked(result, out)
}

/// `mlx5dv_dek_destroy`. Errors: the device's.
///
/// # Safety
/// `dek` is NULL or live, and not used any more on success.
pub unsafe fn destroy(dek: *mut mlx5dv_dek) -> Result<()> {
    // SAFETY: as the caller promises; a key is its firmware object.
    unsafe { object::destroy(dek.cast()) }
}
