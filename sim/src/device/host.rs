//! What the chip needs from whoever carries it: memory behind bus addresses, and interrupts.

/// No memory answers at a bus address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmaFault {
    /// The bus address that failed.
    pub addr: u64,
}

/// The chip's outside. Bus addresses are the carrier's: guest-physical behind PCI,
/// `(slot << 47) | virtual address` behind the uverbs face.
pub trait Host {
    /// DMA read of `buf.len()` bytes at `addr`.
    fn read(&self, addr: u64, buf: &mut [u8]) -> Result<(), DmaFault>;
    /// DMA write of `data` at `addr`.
    fn write(&self, addr: u64, data: &[u8]) -> Result<(), DmaFault>;
    /// An armed event queue got an entry: raise its MSI-X vector.
    fn interrupt(&self, vector: u32);
}

/// The big-endian 32-bit word at `addr`, zero where nothing answers.
pub fn rd32(host: &dyn Host, addr: u64) -> u32 {
    let mut b = [0; 4];
    match host.read(addr, &mut b) {
        Ok(()) => u32::from_be_bytes(b),
        Err(_) => 0,
    }
}
