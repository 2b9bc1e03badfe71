//! Crypto logins: a session under a credential, one per context or as an object.

use super::dek::query_general;
use crate::{
    abi::{
        dv::{
            consts::*, mlx5dv_crypto_login_attr, mlx5dv_crypto_login_attr_ex, mlx5dv_crypto_login_obj,
            mlx5dv_crypto_login_query_attr,
        },
        verbs::ibv_context,
    },
    devx::{Mailboxes, Object, command::checked, object},
    error::Result,
    provider::Context,
    verbs::object::slice,
};
use prm::{
    CreateCryptoLoginObjIn, CryptoLoginObj, Field, GeneralObjInCmdHdr, GeneralObjOutCmdHdr,
    QueryCryptoLoginObjOut, object as general, opcode,
};

/// Largest credential in bytes.
const CREDENTIAL: usize = 48;
/// States as the device numbers them.
const STATE_VALID: u32 = 0;
const STATE_INVALID: u32 = 1;

/// EOPNOTSUPP unless the device is commissioned for wrapped keys; EINVAL for numbers above 24 bits.
fn check(context: &Context, credential_id: u32, import_kek_id: u32) -> Result<()> {
    const FLAGS: u32 = MLX5DV_CRYPTO_CAPS_CRYPTO | MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL;
    if context.caps.crypto.flags & FLAGS != FLAGS {
        return Err(refuse!(EOPNOTSUPP, "wrapped crypto is not operational"));
    }
    if !context.caps.has_general_object(general::CRYPTO_LOGIN) {
        return Err(refuse!(EOPNOTSUPP, "device without crypto logins"));
    }
    if credential_id >> 24 != 0 {
        return Err(
            refuse!(EINVAL, "number has more than 24 bits", credential_id = credential_id).and_errno()
        );
    }
    if import_kek_id >> 24 != 0 {
        return Err(
            refuse!(EINVAL, "number has more than 24 bits", import_kek_id = import_kek_id).and_errno()
        );
    }
    Ok(())
}

fn command(credential_id: u32, import_kek_id: u32, credential: &[u8]) -> [u8; CreateCryptoLoginObjIn::SIZE] {
    const OBJ: Field = CreateCryptoLoginObjIn::LOGIN_OBJ;
    let mut c = [0u8; CreateCryptoLoginObjIn::SIZE];
    GeneralObjInCmdHdr::OPCODE.set(&mut c, opcode::CREATE_GENERAL_OBJECT.into());
    GeneralObjInCmdHdr::OBJ_TYPE.set(&mut c, general::CRYPTO_LOGIN.into());
    CryptoLoginObj::CREDENTIAL_POINTER.within(OBJ).set(&mut c, credential_id.into());
    CryptoLoginObj::SESSION_IMPORT_KEK_PTR.within(OBJ).set(&mut c, import_kek_id.into());
    let place = CryptoLoginObj::CREDENTIAL.within(OBJ).slice_mut(&mut c);
    for (to, from) in place.iter_mut().zip(credential) {
        *to = *from;
    }
    c
}

/// `mlx5dv_crypto_login`: the context's login. EINVAL for comp_mask bits; EEXIST if there is one;
/// EOPNOTSUPP, EINVAL as checked; the device's.
///
/// # Safety
/// The pointers are NULL or valid.
pub unsafe fn login(context: *mut ibv_context, attr: *mut mlx5dv_crypto_login_attr) -> Result<()> {
    // SAFETY: as the caller promises.
    let (context, a) =
        unsafe { (Context::from_ibv(context)?, attr.as_ref().ok_or(refuse!(EINVAL, "login_attr is NULL"))?) };
    if a.comp_mask != 0 {
        return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = a.comp_mask));
    }
    let mut current = context.crypto_login.lock();
    if current.is_some() {
        return Err(refuse!(EEXIST, "the context is logged in"));
    }
    check(context, a.credential_id, a.import_kek_id)?;
    let c = command(a.credential_id, a.import_kek_id, &a.credential.map(|b| b as u8));
    let mut out = [0u8; GeneralObjOutCmdHdr::SIZE];
    let result = Object::create(context, Mailboxes::new(&c, &mut out));
    *current = Some(checked(result, &out)?);
    Ok(())
}

/// `mlx5dv_crypto_logout`. ENOENT without a login; the device's, and the login then stays.
///
/// # Safety
/// `context` is NULL or open.
pub unsafe fn logout(context: *mut ibv_context) -> Result<()> {
    // SAFETY: as the caller promises.
    let context = unsafe { Context::from_ibv(context)? };
    let mut current = context.crypto_login.lock();
    let login = current.as_ref().ok_or(refuse!(ENOENT, "the context is not logged in"))?;
    login.destroy()?;
    *current = None;
    Ok(())
}

/// State of a login. EINVAL for one that is none; the device's.
fn state(login: &Object) -> Result<u32> {
    let mut out = [0u8; QueryCryptoLoginObjOut::SIZE];
    query_general(login, general::CRYPTO_LOGIN, &mut out)?;
    match CryptoLoginObj::STATE.within(QueryCryptoLoginObjOut::OBJ).get32(&out) {
        STATE_VALID => Ok(MLX5DV_CRYPTO_LOGIN_STATE_VALID),
        STATE_INVALID => Ok(MLX5DV_CRYPTO_LOGIN_STATE_INVALID),
        s => Err(refuse!(EINVAL, "the login has an unknown state", state = s)),
    }
}

/// `mlx5dv_crypto_login_query_state`.
///
/// # Safety
/// The pointers are NULL or valid.
pub unsafe fn query_state(context: *mut ibv_context, out: *mut u32) -> Result<()> {
    // SAFETY: as the caller promises.
    let (context, out) =
        unsafe { (Context::from_ibv(context)?, out.as_mut().ok_or(refuse!(EINVAL, "state is NULL"))?) };
    *out = match context.crypto_login.lock().as_ref() {
        Some(login) => state(login)?,
        None => MLX5DV_CRYPTO_LOGIN_STATE_NO_LOGIN,
    };
    Ok(())
}

/// `mlx5dv_crypto_login_create`. EINVAL for comp_mask bits or a credential that does not fit (it
/// would be written beyond the object upstream); else as [`login`].
///
/// # Safety
/// The pointers are NULL or valid; the credential has its length.
pub unsafe fn create(
    context: *mut ibv_context,
    attr: *mut mlx5dv_crypto_login_attr_ex,
) -> Result<*mut mlx5dv_crypto_login_obj> {
    // SAFETY: as the caller promises.
    let (context, a) =
        unsafe { (Context::from_ibv(context)?, attr.as_ref().ok_or(refuse!(EINVAL, "login_attr is NULL"))?) };
    if a.comp_mask != 0 {
        return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = a.comp_mask));
    }
    check(context, a.credential_id, a.import_kek_id)?;
    if a.credential_len > CREDENTIAL {
        return Err(refuse!(EINVAL, "credential too long", credential_len = a.credential_len));
    }
    // SAFETY: as the caller promises.
    let credential = unsafe { slice(a.credential.cast::<u8>(), a.credential_len) };
    let c = command(a.credential_id, a.import_kek_id, credential);
    let mut out = [0u8; GeneralObjOutCmdHdr::SIZE];
    let result = object::create(context, Mailboxes::new(&c, &mut out));
    Ok(checked(result, &out)?.cast())
}

/// `mlx5dv_crypto_login_query`. EINVAL for comp_mask bits; else as the state's query.
///
/// # Safety
/// The pointers are NULL or valid.
pub unsafe fn query(
    login: *mut mlx5dv_crypto_login_obj,
    attr: *mut mlx5dv_crypto_login_query_attr,
) -> Result<()> {
    // SAFETY: as the caller promises; a login is its firmware object.
    let (o, a) = unsafe {
        (Object::from_c(login.cast())?, attr.as_mut().ok_or(refuse!(EINVAL, "query_attr is NULL"))?)
    };
    if a.comp_mask != 0 {
        return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = a.comp_mask));
    }
    a.state = state(o)?;
    Ok(())
}

/// `mlx5dv_crypto_login_destroy`. Errors: the device's.
///
/// # Safety
/// `login` is NULL or live, and not used any more on success.
pub unsafe fn destroy(login: *mut mlx5dv_crypto_login_obj) -> Result<()> {
    // SAFETY: as the caller promises.
    unsafe { object::destroy(login.cast()) }
}
