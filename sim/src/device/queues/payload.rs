//! Bytes on their way: where they come from, where they go, and the copy.

use super::key::{Access, KeyRefused, Right};
use super::wqe::Segment;
use crate::device::host::Host;
use crate::device::{Chip, SW_ICM};
use std::collections::BTreeMap;

/// Where a piece of memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Behind a bus address.
    Bus(u64),
    /// Device memory, by offset in the BAR.
    Memic(u64),
    /// Software-managed steering memory.
    Icm(u64),
    /// In the payload's own bytes, from an offset.
    Own(usize),
    /// Nowhere: reads as zero, swallows writes.
    Nothing,
}

/// Some bytes in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub at: Target,
    pub len: u64,
}

/// The bytes of a message: pieces of memory and bytes that travel in the work request.
#[derive(Clone, Debug, Default)]
pub(super) struct Payload {
    pub pieces: Vec<Piece>,
    own: Vec<u8>,
}

impl Payload {
    /// Nothing yet.
    pub fn new() -> Payload {
        Payload::default()
    }

    /// Add bytes that the message carries itself.
    pub fn push_bytes(&mut self, data: &[u8]) {
        if !data.is_empty() {
            self.pieces.push(Piece { at: Target::Own(self.own.len()), len: data.len() as u64 });
            self.own.extend_from_slice(data);
        }
    }

    /// Length in bytes.
    pub fn len(&self) -> u64 {
        self.pieces.iter().map(|p| p.len).sum()
    }
}

/// A copy failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CopyFault {
    /// Where the bytes come from.
    Source,
    /// Where they go.
    Destination,
}

/// Software-managed steering memory, by page; what was never written is zero.
pub(super) type Icm = BTreeMap<u64, Box<[u8; ICM_PAGE as usize]>>;
const ICM_PAGE: u64 = 4096;

/// Most bytes moved in one step.
const STEP: u64 = 1 << 18;

impl Chip {
    /// The bytes that send segments name.
    pub(super) fn gather(&self, segments: &[Segment], a: Access) -> Result<Payload, KeyRefused> {
        let mut p = Payload::new();
        for s in segments {
            match s {
                Segment::Inline(bytes) => p.push_bytes(bytes),
                Segment::Pointer { key, va, len } => {
                    p.pieces.extend(self.translate(*key, *va, *len, a.to(Right::LocalRead))?)
                }
            }
        }
        Ok(p)
    }

    /// Where `len` bytes go that segments name, in order.
    pub(super) fn scatter(
        &self,
        segments: &[Segment],
        len: u64,
        a: Access,
    ) -> Result<Vec<Piece>, KeyRefused> {
        let (mut to, mut left) = (Vec::new(), len);
        for s in segments {
            if let Segment::Pointer { key, va, len } = s {
                let n = left.min(*len);
                to.extend(self.translate(*key, *va, n, a.to(Right::LocalWrite))?);
                left -= n;
            }
        }
        if left == 0 { Ok(to) } else { Err(KeyRefused) }
    }

    /// Copy a payload to where pieces say; what the pieces have no room for is left.
    pub(super) fn copy(&mut self, h: &dyn Host, from: &Payload, to: &[Piece]) -> Result<(), CopyFault> {
        let mut to = to.iter().copied();
        let mut room: Option<Piece> = None;
        let mut buf = Vec::new();
        for p in &from.pieces {
            let mut done = 0;
            while done < p.len {
                let n = (p.len - done).min(STEP);
                buf.resize(n as usize, 0);
                self.read_piece(h, from, p.at, done, &mut buf).ok_or(CopyFault::Source)?;
                let mut rest = &buf[..];
                while !rest.is_empty() {
                    let Some(r) = room.or_else(|| to.next()) else { return Ok(()) };
                    let n = rest.len().min(r.len as usize);
                    let (now, later) = rest.split_at(n);
                    self.write_piece(h, r.at, now).ok_or(CopyFault::Destination)?;
                    rest = later;
                    let left = r.len - n as u64;
                    room = (left > 0).then_some(Piece { at: advance(r.at, n as u64), len: left });
                }
                done += n;
            }
        }
        Ok(())
    }

    /// All bytes of a payload, which must be short enough to hold.
    pub(super) fn bytes(&mut self, h: &dyn Host, from: &Payload) -> Result<Vec<u8>, CopyFault> {
        let mut all = Vec::new();
        for p in &from.pieces {
            let at = all.len();
            all.resize(at + p.len as usize, 0);
            let to = all.get_mut(at..).unwrap_or(&mut []);
            self.read_piece(h, from, p.at, 0, to).ok_or(CopyFault::Source)?;
        }
        Ok(all)
    }

    fn read_piece(&mut self, h: &dyn Host, p: &Payload, at: Target, skip: u64, to: &mut [u8]) -> Option<()> {
        match advance(at, skip) {
            Target::Bus(addr) => h.read(addr, to).ok(),
            Target::Memic(at) => self.memory.as_ref()?.read(at, to).then_some(()),
            Target::Icm(at) => self.icm_read(at, to),
            Target::Own(at) => {
                to.copy_from_slice(p.own.get(at..at.checked_add(to.len())?)?);
                Some(())
            }
            Target::Nothing => {
                to.fill(0);
                Some(())
            }
        }
    }

    fn write_piece(&mut self, h: &dyn Host, at: Target, data: &[u8]) -> Option<()> {
        match at {
            Target::Bus(addr) => h.write(addr, data).ok(),
            Target::Memic(at) => self.memory.as_mut()?.write(at, data).then_some(()),
            Target::Icm(at) => self.icm_write(at, data),
            Target::Own(_) => None,
            Target::Nothing => Some(()),
        }
    }

    /// Read steering memory.
    pub(super) fn icm_read(&self, at: u64, to: &mut [u8]) -> Option<()> {
        window(at, to.len())?;
        for (k, b) in to.iter_mut().enumerate() {
            let at = at + k as u64;
            let page = self.dp.icm.get(&(at / ICM_PAGE));
            *b = page.and_then(|p| p.get((at % ICM_PAGE) as usize)).copied().unwrap_or(0);
        }
        Some(())
    }

    fn icm_write(&mut self, at: u64, data: &[u8]) -> Option<()> {
        window(at, data.len())?;
        for (k, b) in data.iter().enumerate() {
            let at = at + k as u64;
            let page = self.dp.icm.entry(at / ICM_PAGE).or_insert_with(|| Box::new([0; ICM_PAGE as usize]));
            if let Some(to) = page.get_mut((at % ICM_PAGE) as usize) {
                *to = *b;
            }
        }
        Some(())
    }
}

/// The window of steering memory that holds all of `len` bytes at `at`.
fn window(at: u64, len: usize) -> Option<()> {
    let end = at.checked_add(len as u64)?;
    SW_ICM.iter().any(|w| w.start <= at && end <= w.end).then_some(())
}

fn advance(at: Target, by: u64) -> Target {
    match at {
        Target::Bus(a) => Target::Bus(a.wrapping_add(by)),
        Target::Memic(a) => Target::Memic(a.wrapping_add(by)),
        Target::Icm(a) => Target::Icm(a.wrapping_add(by)),
        Target::Own(a) => Target::Own(a.wrapping_add(by as usize)),
        Target::Nothing => Target::Nothing,
    }
}
