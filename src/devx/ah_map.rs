//! Tying an address handle to a remote QP in hardware.

use super::{
    command::{Mailboxes, checked},
    object,
};
use crate::{abi::verbs::ibv_ah, datapath::ah::Ah, error::Result, provider::Context};
use core::ptr;
use prm::{
    AvQpMapping, CreateAvQpMappingIn, Field, GeneralObjInCmdHdr, GeneralObjOutCmdHdr, UdAv,
    object as general, opcode,
};

/// Fields of an address handle's address vector (`mlx5_wqe_av`) that the mapping needs.
mod av {
    use prm::Field;
    pub const SL: Field = Field::new(12 * 8 + 4, 4);
    pub const SGID_INDEX: Field = Field::new(28 * 8 + 4, 8);
    pub const RGID: Field = Field::new(32 * 8, 128);
}

/// `mlx5dv_map_ah_to_qp`: the first mapping of a handle counts; later calls succeed and change
/// nothing, whatever their QP number.
///
/// Errors: EOPNOTSUPP if the device cannot or the handle has no GRH; the device's.
///
/// # Safety
/// `ah` is NULL or a live handle of whichever provider.
pub unsafe fn map(ah: *mut ibv_ah, qpn: u32) -> Result<()> {
    // SAFETY: the promise above; the context pointer is public.
    let public = unsafe { ah.as_ref() }.ok_or(refuse!(EINVAL, "address handle is NULL"))?;
    // SAFETY: as above; a handle of a context of ours was made here.
    let (context, ah) = unsafe { (Context::from_ibv(public.context)?, Ah::from_ibv(ah)) };
    if !context.caps.has_general_object(general::AV_QP_MAPPING) {
        return Err(refuse!(EOPNOTSUPP, "device does not map address handles"));
    }
    if !ah.is_global {
        return Err(refuse!(EOPNOTSUPP, "address handle has no GRH"));
    }
    let _guard = context.ah_mappings.lock();
    if !ah.mapping.get().is_null() {
        return Ok(());
    }
    let c = command(&ah.av, qpn);
    let mut out = [0u8; GeneralObjOutCmdHdr::SIZE];
    let result = object::create(context, Mailboxes::new(&c, &mut out));
    ah.mapping.set(checked(result, &out)?);
    Ok(())
}

fn command(address: &[u8; 48], qpn: u32) -> [u8; CreateAvQpMappingIn::SIZE] {
    const MAPPING: Field = CreateAvQpMappingIn::MAPPING;
    const REMOTE: Field = AvQpMapping::REMOTE_ADDRESS_VECTOR.within(MAPPING);
    let mut c = [0u8; CreateAvQpMappingIn::SIZE];
    GeneralObjInCmdHdr::OPCODE.set(&mut c, u64::from(opcode::CREATE_GENERAL_OBJECT));
    GeneralObjInCmdHdr::OBJ_TYPE.set(&mut c, u64::from(general::AV_QP_MAPPING));
    AvQpMapping::QPN.within(MAPPING).set(&mut c, u64::from(qpn));
    UdAv::SL_OR_ETH_PRIO.within(REMOTE).set(&mut c, av::SL.get(address));
    UdAv::SRC_ADDR_INDEX.within(REMOTE).set(&mut c, av::SGID_INDEX.get(address));
    UdAv::RGID_OR_RIP.within(REMOTE).slice_mut(&mut c).copy_from_slice(av::RGID.slice(address));
    c
}

/// Undoes the mapping of a handle that is being destroyed; what the device says is not asked for.
pub fn unmap(ah: &Ah) {
    let mapping = ah.mapping.replace(ptr::null_mut());
    if !mapping.is_null() {
        // SAFETY: from `object::create`, known to this handle only.
        let _ = unsafe { object::destroy(mapping) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_where_the_sheet_has_them() {
        let mut address = [0u8; 48];
        address[12] = 0x25; // rate 2, service level 5
        address[28..32].copy_from_slice(&(1u32 << 30 | 0x9 << 20 | 0xfffff).to_be_bytes());
        for (i, b) in address[32..].iter_mut().enumerate() {
            *b = 0xa0 + i as u8;
        }
        let c = command(&address, 0x1234);
        assert_eq!(c.len(), 80);
        assert_eq!(c[0..8], [0x0a, 0x00, 0, 0, 0, 0, 0x00, 0x3a]);
        assert_eq!(c[0x1c..0x20], [0, 0, 0x12, 0x34]);
        // the remote address vector starts at 0x20: service level and index where the handle has them
        assert_eq!(c[0x20 + 12], 0x05);
        assert_eq!(c[0x20 + 28..0x20 + 32], [0, 0x90, 0, 0]);
        assert_eq!(c[0x40..0x50], address[32..48]);
        assert_eq!(c.iter().filter(|b| **b != 0).count(), 2 + 2 + 1 + 1 + 16);
    }
}
