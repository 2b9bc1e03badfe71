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
    /// Both domains as configured last.
    pub block: Cell<SigBlock>,
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
    /// Attributes as configured last.
    pub attr: Cell<CryptoBlock>,
}

impl Mkey {
    /// The key behind a public pointer.
    ///
    /// # Safety
    /// `mkey` was made by this library and outlives the reference.
    #[inline(always)]
    pub unsafe fn from_public<'a>(mkey: *mut mlx5dv_mkey) -> &'a Mkey {
        // SAFETY: the public struct is the first member.
        unsafe { &*mkey.cast() }
    }
}

impl Signature {
    /// State of a new key with the PSVs (index, kernel handle) of its domains.
    pub fn new(mem_psv: (u32, u32), wire_psv: (u32, u32)) -> Signature {
        Signature {
            state: Cell::new(BlockState::Init),
            block: Cell::default(),
            mem_psv,
            wire_psv,
            err_exists: Cell::new(false),
            // The first configuration tells the device the parity of this number.
            err_count: Cell::new(1),
            err_count_updated: Cell::new(true),
            err: Cell::default(),
        }
    }
}

impl Crypto {
    /// State of a new key.
    pub fn new() -> Crypto {
        Crypto { state: Cell::new(BlockState::Init), attr: Cell::default() }
    }
}

/// One domain of a block signature.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Domain {
    /// No signature there.
    #[default]
    None,
    /// T10-DIF.
    T10Dif {
        /// Guard is a checksum instead of a CRC.
        csum: bool,
        /// Start value: 0 or 0xffff.
        bg: u16,
        app_tag: u16,
        ref_tag: u32,
        /// `MLX5DV_SIG_T10DIF_FLAG_*`.
        flags: u16,
        /// `MLX5DV_BLOCK_SIZE_*`.
        block_size: u32,
    },
    /// CRC behind each block.
    Crc {
        /// `MLX5DV_SIG_CRC_TYPE_*`.
        crc: u32,
        /// Start value: 0 or all ones.
        seed: u64,
        /// `MLX5DV_BLOCK_SIZE_*`.
        block_size: u32,
    },
}

/// `mlx5dv_sig_block_attr` as checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct SigBlock {
    pub mem: Domain,
    pub wire: Domain,
    pub check_mask: u8,
    /// The application's, instead of the one that follows from the domains.
    pub copy_mask: Option<u8>,
}

/// `mlx5dv_crypto_attr` as checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct CryptoBlock {
    pub encrypt_on_tx: bool,
    /// `MLX5DV_SIGNATURE_CRYPTO_ORDER_*`.
    pub order: u32,
    /// `MLX5DV_BLOCK_SIZE_*`.
    pub data_unit_size: u32,
    pub tweak: [u8; 16],
    /// Number of the data encryption key.
    pub dek: u32,
    pub keytag: [u8; 8],
}
