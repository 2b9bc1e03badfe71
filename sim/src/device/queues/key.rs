//! Memory keys: what a key, an address and a length mean in bus addresses, and who may.

use super::payload::{Piece, Target};
use crate::device::Chip;
use crate::device::MEMIC_BAR;
use crate::device::command::{access_mode, special_key};
use prm::wqe::{Klm, REPEAT_BLOCK_OP, RepeatBlock, RepeatEntry};
use prm::{CreateMkeyIn, Field, Mkc};

/// A memory key as it is now: UMR changes it behind the command's back.
pub(in crate::device) struct Mkey {
    /// The context.
    pub mkc: Vec<u8>,
    /// Translation entries: page addresses or KLMs.
    pub xlt: Vec<u8>,
    /// Block signature and crypto formats, as a work request gave them.
    pub bsf: Vec<u8>,
}

impl Mkey {
    fn get(&self, f: Field) -> u64 {
        f.get(&self.mkc)
    }

    /// How addresses are translated.
    pub fn mode(&self) -> u64 {
        self.get(Mkc::ACCESS_MODE_1_0) | self.get(Mkc::ACCESS_MODE_4_2) << 2
    }

    /// Whether the key cannot be used until a work request makes it valid.
    pub fn free(&self) -> bool {
        Mkc::FREE.is_set(&self.mkc)
    }

    fn page_shift(&self) -> u32 {
        (self.get(Mkc::LOG_PAGE_SIZE) | self.get(Mkc::LOG_PAGE_SIZE_5) << 5) as u32
    }
}

/// What is done through a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Right {
    LocalRead,
    LocalWrite,
    RemoteRead,
    RemoteWrite,
    Atomic,
}

impl Right {
    fn field(self, nested: bool) -> Field {
        match (self, nested) {
            // a key reached through another one is used with its local rights
            (Right::LocalRead, _) | (Right::RemoteRead, true) => Mkc::LR,
            (Right::LocalWrite, _) | (Right::RemoteWrite | Right::Atomic, true) => Mkc::LW,
            (Right::RemoteRead, false) => Mkc::RR,
            (Right::RemoteWrite, false) => Mkc::RW,
            (Right::Atomic, false) => Mkc::A,
        }
    }
}

/// Who accesses memory: a queue's domain, its number, and its privilege.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub right: Right,
    /// Protection domain that keys must be of.
    pub pd: u32,
    /// Number that keys bound to one queue pair must name.
    pub qpn: u32,
    /// The reserved key works: addresses are bus addresses.
    pub reserved_key: bool,
    /// A queue of the driver for updating keys: it has no domain and reads through keys of any.
    pub any_pd: bool,
}

impl Access {
    /// The same queue with another right.
    pub fn to(self, right: Right) -> Access {
        Access { right, ..self }
    }
}

/// A key refused an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyRefused;

/// How deep keys may refer to keys.
const MAX_DEPTH: u32 = 4;
/// A key that belongs to no queue pair in particular.
pub(super) const ANY_QP: u64 = 0xff_ffff;
/// Bytes of a KLM or KSM entry.
const KLM: usize = Klm::SIZE;

impl Chip {
    pub(in crate::device) fn mkey_create(&mut self, idx: u32, input: &[u8]) {
        let mkc = CreateMkeyIn::MEMORY_KEY_MKEY_ENTRY.slice(input).to_vec();
        let given = CreateMkeyIn::TRANSLATIONS_OCTWORD_ACTUAL_SIZE.get32(input) as usize * KLM;
        let room = Mkc::TRANSLATIONS_OCTWORD_SIZE.get32(&mkc) as usize * KLM;
        let list = input.get(CreateMkeyIn::SIZE..).unwrap_or(&[]);
        let mut xlt = list[..given.min(list.len())].to_vec();
        xlt.resize(room.max(given).min(MAX_XLT), 0);
        self.dp.mkeys.insert(idx, Mkey { mkc, xlt, bsf: Vec::new() });
    }

    /// Describe a key anew, as a driver's UMR does: `input` is the CREATE_MKEY that would
    /// make it. False if there is no such key.
    pub fn mkey_rewrite(&mut self, idx: u32, input: &[u8]) -> bool {
        let known = self.dp.mkeys.contains_key(&idx);
        if known {
            self.mkey_create(idx, input);
        }
        known
    }

    /// The contexts of all memory keys, as they are now.
    pub(in crate::device) fn mkey_contexts(&self) -> impl Iterator<Item = &[u8]> {
        self.dp.mkeys.values().map(|k| &k.mkc[..])
    }

    /// Where `len` bytes at `va` of a key lie, if `a` may do so.
    pub(super) fn translate(&self, key: u32, va: u64, len: u64, a: Access) -> Result<Vec<Piece>, KeyRefused> {
        let mut out = Vec::new();
        if len == 0 {
            return Ok(out);
        }
        match key {
            special_key::NULL | special_key::DUMP_FILL => out.push(Piece { at: Target::Nothing, len }),
            special_key::RESERVED if a.reserved_key => out.push(Piece { at: Target::Bus(va), len }),
            _ => self.walk(key, va, len, a, 0, &mut out)?,
        }
        Ok(out)
    }

    fn walk(
        &self,
        key: u32,
        va: u64,
        len: u64,
        a: Access,
        depth: u32,
        out: &mut Vec<Piece>,
    ) -> Result<(), KeyRefused> {
        if key == special_key::NULL && depth > 0 {
            out.push(Piece { at: Target::Nothing, len });
            return Ok(());
        }
        let k = self.dp.mkeys.get(&(key >> 8)).ok_or(KeyRefused)?;
        let qpn = k.get(Mkc::QPN);
        let good = depth < MAX_DEPTH
            && !k.free()
            && k.get(Mkc::MKEY_7_0) == key as u64 & 0xff
            && (a.any_pd || k.get(Mkc::PD) == a.pd as u64)
            && (qpn == ANY_QP || qpn == a.qpn as u64)
            && a.right.field(depth > 0).is_set(&k.mkc);
        if !good {
            return Err(KeyRefused);
        }
        let mode = k.mode();
        // keys of device memory count from zero; their start is a place on the device
        let on_device = matches!(mode, access_mode::MEMIC | access_mode::SW_ICM);
        let start = if on_device { 0 } else { k.get(Mkc::START_ADDR) };
        let from = va.checked_sub(start).ok_or(KeyRefused);
        if k.get(Mkc::LENGTH64) == 0 {
            let end = from?.checked_add(len).ok_or(KeyRefused)?;
            if end > k.get(Mkc::LEN) {
                return Err(KeyRefused);
            }
        }
        match mode {
            access_mode::PA => push(out, Target::Bus(va), len),
            access_mode::MTT | access_mode::KSM => self.pages(k, va, len, a, depth, out)?,
            access_mode::KLM => match Klm::MKEY.get32(&k.xlt) {
                REPEAT_BLOCK_OP => self.interleaved(k, from?, len, a, depth, out)?,
                _ => self.list(k, from?, len, a, depth, out)?,
            },
            access_mode::MEMIC => {
                let at = k.get(Mkc::START_ADDR).checked_add(va).ok_or(KeyRefused)?;
                let end = at.checked_add(len).ok_or(KeyRefused)?;
                if at < MEMIC_BAR.start || end > MEMIC_BAR.end {
                    return Err(KeyRefused);
                }
                push(out, Target::Memic(at), len);
            }
            access_mode::SW_ICM => {
                let at = k.get(Mkc::START_ADDR).checked_add(va).ok_or(KeyRefused)?;
                push(out, Target::Icm(at), len);
            }
            _ => return Err(KeyRefused),
        }
        Ok(())
    }

    /// Entries of one size: page addresses, or keys with addresses.
    fn pages(
        &self,
        k: &Mkey,
        va: u64,
        len: u64,
        a: Access,
        depth: u32,
        out: &mut Vec<Piece>,
    ) -> Result<(), KeyRefused> {
        let shift = k.page_shift();
        let size = 1u64.checked_shl(shift).ok_or(KeyRefused)?;
        let base = k.get(Mkc::START_ADDR) & !(size - 1);
        let direct = k.mode() == access_mode::MTT;
        let entry_size = if direct { 8 } else { KLM };
        let (mut at, mut left) = (va, len);
        while left > 0 {
            let index = (at.checked_sub(base).ok_or(KeyRefused)? >> shift) as usize;
            let within = at & (size - 1);
            let n = (size - within).min(left);
            let first = index.checked_mul(entry_size).ok_or(KeyRefused)?;
            let entry = k.xlt.get(first..first + entry_size).ok_or(KeyRefused)?;
            if direct {
                let page = prm::bits::be64(entry, 0) & !0x7;
                push(out, Target::Bus(page.wrapping_add(within)), n);
            } else {
                let to = Klm::ADDRESS.get(entry).wrapping_add(within);
                self.walk(Klm::MKEY.get32(entry), to, n, a, depth + 1, out)?;
            }
            at = at.wrapping_add(n);
            left -= n;
        }
        Ok(())
    }

    /// Entries with lengths of their own, one behind the other.
    fn list(
        &self,
        k: &Mkey,
        from: u64,
        len: u64,
        a: Access,
        depth: u32,
        out: &mut Vec<Piece>,
    ) -> Result<(), KeyRefused> {
        let (mut skip, mut left) = (from, len);
        for entry in k.xlt.chunks_exact(KLM) {
            if left == 0 {
                break;
            }
            let bytes = Klm::BYTE_COUNT.get(entry);
            if skip >= bytes {
                skip -= bytes;
                continue;
            }
            let n = (bytes - skip).min(left);
            let to = Klm::ADDRESS.get(entry).wrapping_add(skip);
            self.walk(Klm::MKEY.get32(entry), to, n, a, depth + 1, out)?;
            skip = 0;
            left -= n;
        }
        if left == 0 { Ok(()) } else { Err(KeyRefused) }
    }

    /// A block of strided entries that repeats: from each entry in turn `count` bytes, then
    /// round again one stride further on.
    fn interleaved(
        &self,
        k: &Mkey,
        from: u64,
        len: u64,
        a: Access,
        depth: u32,
        out: &mut Vec<Piece>,
    ) -> Result<(), KeyRefused> {
        let block = RepeatBlock::BYTE_COUNT.get(&k.xlt);
        let entries = RepeatBlock::NUM_ENT.get(&k.xlt) as usize;
        let list = k.xlt.get(RepeatBlock::SIZE..).ok_or(KeyRefused)?;
        let list = list.get(..entries * RepeatEntry::SIZE).ok_or(KeyRefused)?;
        let sum: u64 = list.chunks_exact(RepeatEntry::SIZE).map(|e| RepeatEntry::BYTE_COUNT.get(e)).sum();
        if block == 0 || sum != block {
            return Err(KeyRefused);
        }
        let (mut round, mut skip, mut left) = (from / block, from % block, len);
        while left > 0 {
            if round >= RepeatBlock::REPEAT_COUNT.get(&k.xlt) {
                return Err(KeyRefused);
            }
            for e in list.chunks_exact(RepeatEntry::SIZE) {
                let bytes = RepeatEntry::BYTE_COUNT.get(e);
                if skip >= bytes {
                    skip -= bytes;
                    continue;
                }
                let n = (bytes - skip).min(left);
                let stride = RepeatEntry::STRIDE.get(e).wrapping_mul(round);
                let to = RepeatEntry::VA.get(e).wrapping_add(stride).wrapping_add(skip);
                if n > 0 {
                    self.walk(RepeatEntry::MEMKEY.get32(e), to, n, a, depth + 1, out)?;
                }
                skip = 0;
                left -= n;
            }
            round += 1;
        }
        Ok(())
    }
}

/// Most bytes of translation that a key holds.
pub(super) const MAX_XLT: usize = 1 << 26;

/// Add a piece, or lengthen the last one if it goes on there.
fn push(out: &mut Vec<Piece>, at: Target, len: u64) {
    if let (Some(Piece { at: Target::Bus(last), len: so_far }), Target::Bus(next)) = (out.last_mut(), at)
        && last.wrapping_add(*so_far) == next
    {
        *so_far += len;
        return;
    }
    out.push(Piece { at, len });
}
