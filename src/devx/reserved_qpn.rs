//! Reserved QP numbers: blocks of consecutive numbers that the device keeps from its own QPs.

use super::{
    command::{Mailboxes, checked},
    object::{self, Object},
};
use crate::{
    error::{Refusal, Result},
    provider::Context,
};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::ffi::c_int;
use prm::{CreateReservedQpnIn, GeneralObjInCmdHdr, GeneralObjOutCmdHdr, object as general, opcode};

/// Numbers of one firmware object.
struct Block {
    fd: c_int,
    handle: u32,
    first: u32,
    len: u32,
    /// Slots that have been handed out; none is handed out twice.
    handed_out: u32,
    in_use: BTreeSet<u32>,
}

impl Block {
    /// The next number, if one was never handed out.
    fn next(&mut self) -> Option<u32> {
        if self.handed_out == self.len {
            return None;
        }
        let slot = self.handed_out;
        self.handed_out += 1;
        self.in_use.insert(slot);
        Some(self.first.wrapping_add(slot))
    }

    /// Every number was handed out and came back.
    fn is_spent(&self) -> bool {
        self.handed_out == self.len && self.in_use.is_empty()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let _ = object::destroy_handle(self.fd, self.handle);
    }
}

/// Blocks of reserved QP numbers of a context. Numbers still held go with it.
#[derive(Default)]
pub struct ReservedQpns(Vec<Block>);

/// `mlx5dv_reserved_qpn_alloc`. Errors: EOPNOTSUPP if the device cannot; the device's.
pub fn alloc(context: &Context) -> Result<u32> {
    if !context.caps.has_general_object(general::RESERVED_QPN) {
        return Err(refuse!(EOPNOTSUPP, "device does not reserve QP numbers"));
    }
    let mut guard = context.reserved_qpns.lock();
    let blocks = &mut guard.0;
    if let Some(qpn) = blocks.last_mut().and_then(Block::next) {
        return Ok(qpn);
    }
    let mut block = create(context)?;
    let qpn = block.next().ok_or(refuse!(ENOMEM, "block without numbers"))?;
    blocks.push(block);
    Ok(qpn)
}

fn create(context: &Context) -> Result<Block> {
    let log_range = context.caps.log_reserved_qpn_granularity;
    let mut c = [0u8; CreateReservedQpnIn::SIZE];
    GeneralObjInCmdHdr::OPCODE.set(&mut c, u64::from(opcode::CREATE_GENERAL_OBJECT));
    GeneralObjInCmdHdr::OBJ_TYPE.set(&mut c, u64::from(general::RESERVED_QPN));
    GeneralObjInCmdHdr::LOG_OBJ_RANGE.set(&mut c, u64::from(log_range));
    let mut out = [0u8; GeneralObjOutCmdHdr::SIZE];
    let result = Object::create(context, Mailboxes::new(&c, &mut out));
    let object = checked(result, &out).map_err(Refusal::and_errno)?;
    Ok(Block {
        fd: context.fd,
        handle: object.handle,
        first: object.info.object_id,
        len: 1 << log_range,
        handed_out: 0,
        in_use: BTreeSet::new(),
    })
}

/// `mlx5dv_reserved_qpn_dealloc`. EINVAL for a number that is not in use.
pub fn dealloc(context: &Context, qpn: u32) -> Result<()> {
    let mut guard = context.reserved_qpns.lock();
    let blocks = &mut guard.0;
    let found = blocks.iter().position(|b| qpn.wrapping_sub(b.first) < b.len);
    let unknown = refuse!(EINVAL, "QP number is not reserved", qpn = qpn);
    let at = found.ok_or(unknown)?;
    let block = blocks.get_mut(at).ok_or(unknown)?;
    if !block.in_use.remove(&qpn.wrapping_sub(block.first)) {
        return Err(unknown);
    }
    if block.is_spent() {
        blocks.remove(at);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_handed_out_once_and_the_block_goes_with_the_last() {
        // In tests there is no kernel: destroying the handle is refused, which drop survives.
        let block = Block { fd: -1, handle: 0, first: 64, len: 4, handed_out: 0, in_use: BTreeSet::new() };
        let mut b = block;
        assert_eq!((b.next(), b.next()), (Some(64), Some(65)));
        assert!(b.in_use.remove(&0));
        assert!(!b.is_spent());
        assert_eq!((b.next(), b.next(), b.next()), (Some(66), Some(67), None));
        b.in_use.clear();
        assert!(b.is_spent());
    }
}
