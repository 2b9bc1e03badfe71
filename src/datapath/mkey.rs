//! Indirect memory keys: the struct, with the state of signature and crypto that the builder keeps.

use crate::{abi::dv::mlx5dv_mkey, provider::Context, verbs::table::Registration};
use core::cell::Cell;

/// An mkey made by `mlx5dv_create_mkey`.
#[repr(C)]
pub struct Mkey {
    /// The application's part; it may put a tag in the low byte of `lkey`.
    pub public: mlx5dv_mkey,
    /// Entries of its translation table: a multiple of 4.
    pub num_desc: u16,
    /// Bytes that the layout set last covers.
    pub length: Cell<u64>,
    /// Signature offload, if asked for at creation.
    pub sig: Option<Signature>,
    /// Crypto offload, if asked for at creation.
    pub crypto: Option<Crypto>,
    /// Handle of the firmware object.
    pub handle: u32,
    /// Place in the context's table of mkeys.
    pub registration: Option<Registration<Mkey>>,
    pub context: *const Context,
}

/// Where a block (signature or crypto) of an mkey stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockState {
    /// Nothing configured.
    Init,
    /// Configured by a request that was posted.
    Set,
    /// Configured by the open request.
    Updated,
    /// Taken back by the open request.
    Reset,
}

/// Signature state of an mkey. Guarded by the mkey table's mutex where errors are concerned, by
/// the send queue's lock of the QP that configures it otherwise.
pub struct Signature {
    pub state: Cell<BlockState>,
    /// PSV index of the memory domain, and its kernel handle.
    pub mem_psv: (u32, u32),
    /// PSV index of the wire domain, and its kernel handle.
    pub wire_psv: (u32, u32),
    /// Last error that was reported.
    pub err_exists: Cell<bool>,
    /// Errors so far, starting from 1; its low bit goes into the mkey context.
    pub err_count: Cell<u32>,
    /// `err_count` has not been told to the device yet.
    pub err_count_updated: Cell<bool>,
    /// The error, as the CQE had it.
    pub err: Cell<SignatureError>,
}

/// A signature error as its CQE tells it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SignatureError {
    pub syndrome: u16,
    pub expected: u64,
    pub actual: u64,
    pub offset: u64,
    pub sig_type: u8,
    pub domain: u8,
}

/// Crypto state of an mkey. Guarded by the send queue's lock of the QP that configures it.
pub struct Crypto {
    pub state: Cell<BlockState>,
}
