//! Capability pages of the device (QUERY_HCA_CAP), read once at open.
//!
//! A page that cannot be read leaves its fields zero: the device then simply cannot do those
//! things (`spec`: context, section 7).

use crate::{
    error::Errno,
    trace,
    uverbs::{self, Attr},
};
use core::ffi::c_int;
use prm::{
    Field,
    uverbs::{attr, method, object},
};

const OP_QUERY_HCA_CAP: u16 = 0x100;
/// Bits before the capability page in the command's output.
const PAGE: usize = 128;
const OUT_LEN: usize = 16 + 4096;

/// Capability groups; `op_mod` is `group << 1 | current`.
mod group {
    pub const GENERAL: u16 = 0;
    pub const ODP: u16 = 2;
    pub const ATOMIC: u16 = 3;
    pub const QOS: u16 = 0xc;
    pub const CRYPTO: u16 = 0x1a;
    pub const GENERAL_2: u16 = 0x20;
}

const fn field(off: usize, bits: usize) -> Field {
    Field::new(PAGE + off, bits)
}

/// Fields of the general page (`cmd_hca_cap`).
mod general {
    use super::{Field, field};
    pub const HCA_CAP_2: Field = field(32, 1);
    pub const QP_DATA_IN_ORDER: Field = field(98, 1);
    pub const LOG_DMA_MMO_MAX_SIZE: Field = field(107, 5);
    pub const QPC_EXTENSION: Field = field(290, 1);
    pub const LOG_MAX_RA_REQ_DC: Field = field(298, 6);
    pub const LOG_MAX_RA_RES_DC: Field = field(314, 6);
    pub const SIG_CRC64_XP10: Field = field(327, 1);
    pub const SIG_CRC32C: Field = field(328, 1);
    pub const RTS2RTS_QP_UDP_SPORT: Field = field(337, 1);
    pub const RTS2RTS_LAG_TX_PORT_AFFINITY: Field = field(338, 1);
    pub const DMA_MMO_SQ: Field = field(339, 1);
    pub const SIG_BLOCK_4048: Field = field(496, 1);
    pub const SHO: Field = field(535, 1);
    pub const QOS: Field = field(539, 1);
    pub const LAG_TX_PORT_AFFINITY: Field = field(632, 1);
    pub const NUM_LAG_PORTS: Field = field(636, 4);
    pub const DP_ORDERING_OOO_ALL_UD: Field = field(816, 1);
    pub const DP_ORDERING_OOO_ALL_UC: Field = field(817, 1);
    pub const DP_ORDERING_OOO_ALL_XRC: Field = field(818, 1);
    pub const DP_ORDERING_OOO_ALL_DC: Field = field(819, 1);
    pub const DP_ORDERING_OOO_ALL_RC: Field = field(820, 1);
    pub const AES_XTS_SINGLE_BLOCK_LE_TWEAK: Field = field(1009, 1);
    pub const AES_XTS_MULTI_BLOCK_BE_TWEAK: Field = field(1010, 1);
    pub const GENERAL_OBJ_TYPES: Field = field(1024, 64);
    pub const CRYPTO: Field = field(1129, 1);
    pub const SIGERR_DOMAIN_AND_SIG_TYPE: Field = field(1152, 1);
    pub const DMA_MMO_QP: Field = field(1864, 1);
}

/// Capabilities that calls of the library depend on.
#[derive(Clone, Copy, Default, Debug)]
pub struct Caps {
    pub qp_data_in_order: bool,
    pub num_lag_ports: u8,
    pub lag_tx_port_affinity: bool,
    pub rts2rts_qp_udp_sport: bool,
    pub rts2rts_lag_tx_port_affinity: bool,
    pub qpc_extension: bool,
    pub general_obj_types: u64,
    pub max_dc_rd_atom: u64,
    pub max_dc_init_rd_atom: u64,
    pub log_reserved_qpn_granularity: u8,
    pub qos: Qos,
    pub signature: Signature,
    pub crypto: Crypto,
    /// Memcpy requests by every send queue.
    pub dma_mmo_sq: bool,
    /// Memcpy requests by QPs that are told so.
    pub dma_mmo_qp: bool,
    /// Largest memcpy work request in bytes; 0 without DMA MMO.
    pub max_wr_memcpy_length: u64,
    pub ooo: OutOfOrder,
}

/// Scheduling of NIC queues.
#[derive(Clone, Copy, Default, Debug)]
pub struct Qos {
    pub supported: bool,
    pub nic_sq_scheduling: bool,
    /// Hidden when `nic_sq_scheduling` is absent, as upstream has it.
    pub nic_bw_share: bool,
    /// As `nic_bw_share`.
    pub nic_rate_limit: bool,
    pub nic_qp_scheduling: bool,
    pub nic_element_type: u16,
    pub nic_tsar_type: u16,
}

/// Signature offload, as `mlx5dv_sig_caps` numbers it; zero if there is none.
#[derive(Clone, Copy, Default, Debug)]
pub struct Signature {
    pub block_size: u32,
    pub block_prot: u32,
    pub t10dif_bg: u32,
    pub crc_type: u32,
}

/// Crypto offload, as `mlx5dv_crypto_caps` numbers it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Crypto {
    pub failed_selftests: u16,
    pub crypto_engines: u32,
    pub wrapped_import_method: u32,
    pub log_max_num_deks: u8,
    pub flags: u32,
}

/// Which transports may place data of many receives out of order.
#[derive(Clone, Copy, Default, Debug)]
pub struct OutOfOrder {
    pub rc: bool,
    pub xrc: bool,
    pub dct: bool,
    pub ud: bool,
    pub uc: bool,
}

/// Sends one query for current values. None if it failed, which is only traced.
fn query(fd: c_int, group: u16, page: &mut [u8; OUT_LEN]) -> Option<()> {
    let mut input = [0u8; 16];
    input[0..2].copy_from_slice(&OP_QUERY_HCA_CAP.to_be_bytes());
    input[6..8].copy_from_slice(&(group << 1 | 1).to_be_bytes());
    page.fill(0);
    let mut attrs =
        [Attr::input(attr::DEVX_OTHER_CMD_IN, &input), Attr::output(attr::DEVX_OTHER_CMD_OUT, page)];
    uverbs::execute(fd, object::DEVX, method::DEVX_OTHER, &mut attrs).inspect_err(missing_page).ok()
}

fn missing_page(e: &Errno) {
    trace::note("capability page not available", *e);
}

impl Caps {
    /// Reads the pages that open reads: general, then the ones it announces.
    pub fn collect(fd: c_int) -> Caps {
        let mut page = [0u8; OUT_LEN];
        let mut caps = Caps::default();
        if query(fd, group::GENERAL, &mut page).is_none() {
            return caps;
        }
        let general = page;
        caps.take_general(&general);
        if general::HCA_CAP_2.is_set(&general) && query(fd, group::GENERAL_2, &mut page).is_some() {
            caps.log_reserved_qpn_granularity = field(147, 5).get(&page) as u8;
        }
        if caps.qos.supported && query(fd, group::QOS, &mut page).is_some() {
            caps.qos.take(&page);
        }
        if general::CRYPTO.is_set(&general) {
            caps.crypto.take_general(&general);
            if query(fd, group::CRYPTO, &mut page).is_some() {
                caps.crypto.take(&page);
            }
        }
        caps
    }

    fn take_general(&mut self, p: &[u8]) {
        use general::*;
        self.qp_data_in_order = QP_DATA_IN_ORDER.is_set(p);
        self.num_lag_ports = NUM_LAG_PORTS.get(p) as u8;
        self.lag_tx_port_affinity = LAG_TX_PORT_AFFINITY.is_set(p);
        self.rts2rts_qp_udp_sport = RTS2RTS_QP_UDP_SPORT.is_set(p);
        self.rts2rts_lag_tx_port_affinity = RTS2RTS_LAG_TX_PORT_AFFINITY.is_set(p);
        self.qpc_extension = QPC_EXTENSION.is_set(p);
        self.general_obj_types = GENERAL_OBJ_TYPES.get(p);
        self.max_dc_rd_atom = 1 << LOG_MAX_RA_REQ_DC.get(p);
        self.max_dc_init_rd_atom = 1 << LOG_MAX_RA_RES_DC.get(p);
        self.qos.supported = QOS.is_set(p);
        self.signature = Signature::of(p);
        self.dma_mmo_sq = DMA_MMO_SQ.is_set(p);
        self.dma_mmo_qp = DMA_MMO_QP.is_set(p);
        if self.dma_mmo_sq || self.dma_mmo_qp {
            self.max_wr_memcpy_length = match LOG_DMA_MMO_MAX_SIZE.get(p) {
                0 => 1 << 31,
                log => 1 << log,
            };
        }
        self.ooo = OutOfOrder {
            rc: DP_ORDERING_OOO_ALL_RC.is_set(p),
            xrc: DP_ORDERING_OOO_ALL_XRC.is_set(p),
            dct: DP_ORDERING_OOO_ALL_DC.is_set(p),
            ud: DP_ORDERING_OOO_ALL_UD.is_set(p),
            uc: DP_ORDERING_OOO_ALL_UC.is_set(p),
        };
    }

    /// True if general objects of this type can be made.
    pub fn has_general_object(&self, object_type: u16) -> bool {
        object_type < 64 && self.general_obj_types >> object_type & 1 != 0
    }
}

impl Qos {
    fn take(&mut self, p: &[u8]) {
        self.nic_sq_scheduling = field(8, 1).is_set(p);
        if self.nic_sq_scheduling {
            self.nic_bw_share = field(9, 1).is_set(p);
            self.nic_rate_limit = field(10, 1).is_set(p);
        }
        self.nic_qp_scheduling = field(33, 1).is_set(p);
        self.nic_element_type = field(256, 16).get(p) as u16;
        self.nic_tsar_type = field(272, 16).get(p) as u16;
    }
}

impl Signature {
    fn of(p: &[u8]) -> Signature {
        use crate::abi::dv::consts::*;
        use general::*;
        if !SHO.is_set(p) || !SIGERR_DOMAIN_AND_SIG_TYPE.is_set(p) {
            return Signature::default();
        }
        let mut s = Signature {
            block_size: MLX5DV_BLOCK_SIZE_CAP_512
                | MLX5DV_BLOCK_SIZE_CAP_520
                | MLX5DV_BLOCK_SIZE_CAP_4096
                | MLX5DV_BLOCK_SIZE_CAP_4160,
            block_prot: MLX5DV_SIG_PROT_CAP_T10DIF | MLX5DV_SIG_PROT_CAP_CRC,
            t10dif_bg: MLX5DV_SIG_T10DIF_BG_CAP_CRC | MLX5DV_SIG_T10DIF_BG_CAP_CSUM,
            crc_type: MLX5DV_SIG_CRC_TYPE_CAP_CRC32,
        };
        if SIG_BLOCK_4048.is_set(p) {
            s.block_size |= MLX5DV_BLOCK_SIZE_CAP_4048;
        }
        if SIG_CRC32C.is_set(p) {
            s.crc_type |= MLX5DV_SIG_CRC_TYPE_CAP_CRC32C;
        }
        if SIG_CRC64_XP10.is_set(p) {
            s.crc_type |= MLX5DV_SIG_CRC_TYPE_CAP_CRC64_XP10;
        }
        s
    }
}

impl Crypto {
    fn take_general(&mut self, p: &[u8]) {
        use crate::abi::dv::consts::*;
        if general::AES_XTS_SINGLE_BLOCK_LE_TWEAK.is_set(p) {
            self.crypto_engines |= MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK;
        }
        if general::AES_XTS_MULTI_BLOCK_BE_TWEAK.is_set(p) {
            self.crypto_engines |= MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK
                | MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK;
        }
        self.flags |= MLX5DV_CRYPTO_CAPS_CRYPTO;
    }

    fn take(&mut self, p: &[u8]) {
        use crate::abi::dv::consts::*;
        const IMPORT_METHOD_AES: u64 = 4;
        if field(0, 1).is_set(p) {
            self.flags |= MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL;
        }
        if field(1, 1).is_set(p) {
            self.flags |= MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_GOING_TO_COMMISSIONING;
        }
        if field(24, 8).get(p) & IMPORT_METHOD_AES != 0 {
            self.wrapped_import_method |= MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS;
        }
        self.log_max_num_deks = field(43, 5).get(p) as u8;
        self.failed_selftests = field(64, 16).get(p) as u16;
    }
}

/// DC bits of the ODP page as `IBV_ODP_SUPPORT_*` numbers them; asked anew at each call, 0 on failure.
pub fn dc_odp(fd: c_int) -> u32 {
    const DC: usize = 256;
    /// Bit in the page, `IBV_ODP_SUPPORT_*` bit.
    const BITS: [(usize, u32); 6] = [
        (0, 1),      // send
        (1, 1 << 1), // receive
        (2, 1 << 2), // write
        (3, 1 << 3), // read
        (4, 1 << 4), // atomic
        (5, 1 << 5), // srq receive
    ];
    let mut page = [0u8; OUT_LEN];
    match query(fd, group::ODP, &mut page) {
        Some(()) => BITS.iter().filter(|(b, _)| field(DC + b, 1).is_set(&page)).map(|(_, v)| v).sum(),
        None => 0,
    }
}

/// PCI atomic sizes (`fetch_add`, `swap`, `compare_swap`); None if the page cannot be read.
pub fn pci_atomic(fd: c_int) -> Option<(u16, u16, u16)> {
    let mut page = [0u8; OUT_LEN];
    query(fd, group::ATOMIC, &mut page)?;
    let size = |off| field(off, 16).get(&page) as u16;
    Some((size(640), size(656), size(672)))
}
