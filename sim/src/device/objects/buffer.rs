//! Queue buffers and doorbell records as commands describe them: a list of page addresses
//! in the command, or a place in a user memory object.

use super::{Key, kind};
use crate::device::Chip;
use crate::device::command::{Check, Command, Refusal, demand, refuse};
use prm::{CreateUmemIn, Umem, status};

/// Where a queue's memory lies.
pub(in crate::device) enum Place {
    /// Page addresses from byte `at` of the command, pages of `1 << shift` bytes, the queue
    /// starting `offset` bytes into the first.
    Pages { at: usize, shift: u32, offset: u64 },
    /// `offset` bytes into a user memory object.
    Umem { id: u32, offset: u64 },
}

impl Chip {
    /// Bytes that a user memory object covers; `None` if it does not exist.
    pub(in crate::device) fn umem_len(&self, id: u32) -> Option<u64> {
        let input = &self.objs.get(&(kind::UMEM, id))?.input;
        let umem = CreateUmemIn::UMEM;
        let shift = 12 + Umem::LOG_PAGE_SIZE.within(umem).get32(input);
        let n = Umem::NUM_OF_MTT.within(umem).get(input);
        let offset = Umem::PAGE_OFFSET.within(umem).get(input);
        Some(n.checked_shl(shift)?.saturating_sub(offset))
    }

    /// Check that a queue of `bytes` bytes fits where a command puts it; what it uses.
    pub(in crate::device) fn check_buffer(
        &self,
        c: &Command,
        place: Place,
        bytes: u64,
    ) -> Result<Option<Key>, Refusal> {
        match place {
            Place::Pages { at, shift, offset } => {
                let pages = (offset + bytes).div_ceil(1 << shift);
                c.bytes(at, pages as usize * 8)?;
                Ok(None)
            }
            Place::Umem { id, offset } => self.check_umem(c.uid, id, offset, bytes).map(Some),
        }
    }

    /// Check the place of a doorbell record; what it uses.
    pub(in crate::device) fn check_dbr(
        &self,
        c: &Command,
        umem: Option<u32>,
        addr: u64,
    ) -> Result<Option<Key>, Refusal> {
        demand(addr & 3 == 0, status::BAD_PARAM, Check::Field)?;
        match umem {
            Some(id) => self.check_umem(c.uid, id, addr, 8).map(Some),
            None => Ok(None),
        }
    }

    fn check_umem(&self, uid: u16, id: u32, offset: u64, bytes: u64) -> Result<Key, Refusal> {
        let key = (kind::UMEM, id);
        self.objs.usable(key, uid, Check::Umem)?;
        let len = self.umem_len(id).unwrap_or(0);
        match offset.checked_add(bytes) {
            Some(end) if end <= len => Ok(key),
            _ => refuse(status::BAD_PARAM, Check::Size),
        }
    }
}
