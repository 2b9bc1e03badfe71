//! Send queues as rings of basic blocks: doorbells, and reading work requests.

use super::buffer::{Buf, record};
use super::wqe::{Wqe, octowords};
use crate::device::host::Host;
use prm::wqe::{BB, OCTOWORD};

/// The send side of a queue pair, or a send queue alone.
#[derive(Default, Clone)]
pub(in crate::device) struct SendQueue {
    pub buf: Buf,
    /// Where in the buffer the ring starts.
    pub at: u64,
    /// log2 of the number of basic blocks.
    pub log_size: u32,
    /// Bus address of the doorbell record's send word; 0 if there is no send queue.
    pub dbr: u64,
    /// Next block to execute, free running.
    pub ci: u16,
    /// Block behind the last one that a doorbell told of.
    pub posted: u16,
}

/// Most blocks fetched at once.
const FETCH: u16 = 16;
/// Most blocks of one work request: 63 octowords.
const MAX_BLOCKS: u16 = 16;

/// A queue's own state is unusable: its doorbell record or its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Corrupt;

/// Blocks of a ring, fetched ahead.
#[derive(Default)]
pub(super) struct Ahead {
    first: u16,
    bytes: Vec<u8>,
}

impl SendQueue {
    fn blocks(&self) -> u32 {
        1 << self.log_size
    }

    /// A doorbell was rung: see how far work was posted.
    pub(super) fn ring(&mut self, h: &dyn Host) -> Result<(), Corrupt> {
        if self.dbr == 0 {
            // no send queue: nothing to do for the doorbell
            return Ok(());
        }
        let posted = record(h, self.dbr).ok_or(Corrupt)? as u16;
        if posted.wrapping_sub(self.ci) as u32 > self.blocks() {
            return Err(Corrupt);
        }
        self.posted = posted;
        Ok(())
    }

    /// Where a block lies in the buffer.
    pub(super) fn place(&self, block: u16) -> u64 {
        self.at + (block as u64 & (self.blocks() as u64 - 1)) * BB as u64
    }

    /// Whether work that was told of is left.
    pub fn has_work(&self) -> bool {
        self.ci != self.posted
    }

    /// As after a reset.
    pub fn reset(&mut self) {
        self.ci = 0;
        self.posted = 0;
    }

    /// The next work request.
    pub(super) fn next(&self, h: &dyn Host, ahead: &mut Ahead) -> Result<Wqe, Corrupt> {
        let outstanding = self.posted.wrapping_sub(self.ci);
        let have = ahead.bytes_from(self.ci);
        let enough = have.len() >= BB && have.len() >= octowords(have) * OCTOWORD;
        if !enough {
            // fetch what one request can take at most, further only as far as work goes
            ahead.first = self.ci;
            ahead.bytes = self.read_blocks(h, self.ci, outstanding.clamp(1, FETCH))?;
            let need = (octowords(&ahead.bytes) * OCTOWORD).div_ceil(BB) as u16;
            if need > outstanding {
                ahead.bytes = self.read_blocks(h, self.ci, need.min(MAX_BLOCKS))?;
            }
        }
        let have = ahead.bytes_from(self.ci);
        let len = (octowords(have) * OCTOWORD).max(OCTOWORD).min(have.len());
        have.get(..len).map(|b| Wqe::new(b.to_vec(), self.ci)).ok_or(Corrupt)
    }

    fn read_blocks(&self, h: &dyn Host, from: u16, count: u16) -> Result<Vec<u8>, Corrupt> {
        let mask = self.blocks() - 1;
        let first = from as u32 & mask;
        let before_end = (self.blocks() - first).min(count as u32);
        let read = |at: u32, n: u32| {
            let at = self.at + at as u64 * BB as u64;
            self.buf.read(h, at, n as usize * BB).map_err(|_| Corrupt)
        };
        let mut bytes = read(first, before_end)?;
        let wrapped = (count as u32 - before_end).min(self.blocks());
        if wrapped > 0 {
            bytes.extend(read(0, wrapped)?);
        }
        Ok(bytes)
    }
}

impl Ahead {
    fn bytes_from(&self, block: u16) -> &[u8] {
        let skip = block.wrapping_sub(self.first) as usize * BB;
        self.bytes.get(skip..).unwrap_or(&[])
    }
}
