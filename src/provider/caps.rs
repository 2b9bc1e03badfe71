//! Capability pages of the device (QUERY_HCA_CAP), read once at open.
//!
//! A page that cannot be read leaves its fields zero: the device then simply cannot do those
//! things (`spec`: context, section 7).

use crate::{
    abi::verbs::consts::*,
    error::Errno,
    trace,
    uverbs::{self, Attr},
};
use core::ffi::c_int;
use prm::{
    AtomicCaps, CmdHcaCap, CmdHcaCap2, CryptoCaps, Field, OdpCap, OdpPerTransportServiceCap, QosCap,
    QueryHcaCapIn, QueryHcaCapOut, opcode,
    uverbs::{attr, method, object},
};

/// Bytes of a page that are asked for.
const PAGE_LEN: usize = 4096;

/// Capability groups; `op_mod` is `group << 1 | current`.
mod group {
    pub const GENERAL: u16 = 0;
    pub const ODP: u16 = 2;
    pub const ATOMIC: u16 = 3;
    pub const QOS: u16 = 0xc;
    pub const CRYPTO: u16 = 0x1a;
    pub const GENERAL_2: u16 = 0x20;
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

/// A query's answer.
struct Answer([u8; QueryHcaCapOut::CAPABILITY.byte() + PAGE_LEN]);

impl Answer {
    /// Queries a group for current values. None if that failed, which is only traced.
    fn query(fd: c_int, group: u16) -> Option<Answer> {
        let mut input = [0u8; QueryHcaCapIn::SIZE];
        QueryHcaCapIn::OPCODE.set(&mut input, u64::from(opcode::QUERY_HCA_CAP));
        QueryHcaCapIn::OP_MOD.set(&mut input, u64::from(group << 1 | 1));
        let mut answer = Answer([0; _]);
        let mut attrs = [
            Attr::input(attr::DEVX_OTHER_CMD_IN, &input),
            Attr::output(attr::DEVX_OTHER_CMD_OUT, &mut answer.0),
        ];
        uverbs::execute(fd, object::DEVX, method::DEVX_OTHER, &mut attrs).inspect_err(missing_page).ok()?;
        Some(answer)
    }

    /// The capability page.
    fn page(&self) -> &[u8] {
        self.0.get(QueryHcaCapOut::CAPABILITY.byte()..).unwrap_or_default()
    }
}

fn missing_page(e: &Errno) {
    trace::note("capability page not available", *e);
}

impl Caps {
    /// Reads the pages that open reads: general, then the ones it announces.
    pub fn collect(fd: c_int) -> Caps {
        let mut caps = Caps::default();
        let Some(general) = Answer::query(fd, group::GENERAL) else { return caps };
        caps.take_general(general.page());
        if CmdHcaCap::HCA_CAP_2.is_set(general.page())
            && let Some(a) = Answer::query(fd, group::GENERAL_2)
        {
            caps.log_reserved_qpn_granularity = CmdHcaCap2::LOG_RESERVED_QPN_GRANULARITY.get(a.page()) as u8;
        }
        if caps.qos.supported
            && let Some(a) = Answer::query(fd, group::QOS)
        {
            caps.qos.take(a.page());
        }
        if CmdHcaCap::CRYPTO.is_set(general.page())
            && let Some(a) = Answer::query(fd, group::CRYPTO)
        {
            caps.crypto.take(a.page());
        }
        caps
    }

    fn take_general(&mut self, p: &[u8]) {
        self.qp_data_in_order = CmdHcaCap::QP_DATA_IN_ORDER.is_set(p);
        self.num_lag_ports = CmdHcaCap::NUM_LAG_PORTS.get(p) as u8;
        self.lag_tx_port_affinity = CmdHcaCap::LAG_TX_PORT_AFFINITY.is_set(p);
        self.rts2rts_qp_udp_sport = CmdHcaCap::RTS2RTS_QP_UDP_SPORT.is_set(p);
        self.rts2rts_lag_tx_port_affinity = CmdHcaCap::RTS2RTS_LAG_TX_PORT_AFFINITY.is_set(p);
        self.qpc_extension = CmdHcaCap::QPC_EXTENSION.is_set(p);
        self.general_obj_types = CmdHcaCap::GENERAL_OBJ_TYPES.get(p);
        self.max_dc_rd_atom = 1 << CmdHcaCap::LOG_MAX_RA_REQ_DC.get(p);
        self.max_dc_init_rd_atom = 1 << CmdHcaCap::LOG_MAX_RA_RES_DC.get(p);
        self.qos.supported = CmdHcaCap::QOS.is_set(p);
        self.signature = Signature::of(p);
        self.crypto.take_general(p);
        self.dma_mmo_sq = CmdHcaCap::DMA_MMO_SQ.is_set(p);
        self.dma_mmo_qp = CmdHcaCap::DMA_MMO_QP.is_set(p);
        if self.dma_mmo_sq || self.dma_mmo_qp {
            self.max_wr_memcpy_length = match CmdHcaCap::LOG_DMA_MMO_MAX_SIZE.get(p) {
                0 => 1 << 31,
                log => 1 << log,
            };
        }
        self.ooo = OutOfOrder {
            rc: CmdHcaCap::DP_ORDERING_OOO_ALL_RC.is_set(p),
            xrc: CmdHcaCap::DP_ORDERING_OOO_ALL_XRC.is_set(p),
            dct: CmdHcaCap::DP_ORDERING_OOO_ALL_DC.is_set(p),
            ud: CmdHcaCap::DP_ORDERING_OOO_ALL_UD.is_set(p),
            uc: CmdHcaCap::DP_ORDERING_OOO_ALL_UC.is_set(p),
        };
    }

    /// True if general objects of this type can be made.
    pub fn has_general_object(&self, object_type: u16) -> bool {
        object_type < 64 && self.general_obj_types >> object_type & 1 != 0
    }
}

impl Qos {
    fn take(&mut self, p: &[u8]) {
        self.nic_sq_scheduling = QosCap::NIC_SQ_SCHEDULING.is_set(p);
        if self.nic_sq_scheduling {
            self.nic_bw_share = QosCap::NIC_BW_SHARE.is_set(p);
            self.nic_rate_limit = QosCap::NIC_RATE_LIMIT.is_set(p);
        }
        self.nic_qp_scheduling = QosCap::NIC_QP_SCHEDULING.is_set(p);
        self.nic_element_type = QosCap::NIC_ELEMENT_TYPE.get(p) as u16;
        self.nic_tsar_type = QosCap::NIC_TSAR_TYPE.get(p) as u16;
    }
}

impl Signature {
    fn of(p: &[u8]) -> Signature {
        use crate::abi::dv::consts::*;
        if !CmdHcaCap::SHO.is_set(p) || !CmdHcaCap::SIGERR_DOMAIN_AND_SIG_TYPE.is_set(p) {
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
        if CmdHcaCap::SIG_BLOCK_4048.is_set(p) {
            s.block_size |= MLX5DV_BLOCK_SIZE_CAP_4048;
        }
        if CmdHcaCap::SIG_CRC32C.is_set(p) {
            s.crc_type |= MLX5DV_SIG_CRC_TYPE_CAP_CRC32C;
        }
        if CmdHcaCap::SIG_CRC64_XP10.is_set(p) {
            s.crc_type |= MLX5DV_SIG_CRC_TYPE_CAP_CRC64_XP10;
        }
        s
    }
}

impl Crypto {
    fn take_general(&mut self, p: &[u8]) {
        use crate::abi::dv::consts::*;
        if CmdHcaCap::AES_XTS_SINGLE_BLOCK_LE_TWEAK.is_set(p) {
            self.crypto_engines |= MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK;
        }
        if CmdHcaCap::AES_XTS_MULTI_BLOCK_BE_TWEAK.is_set(p) {
            self.crypto_engines |= MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK
                | MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK;
        }
        if CmdHcaCap::CRYPTO.is_set(p) {
            self.flags |= MLX5DV_CRYPTO_CAPS_CRYPTO;
        }
    }

    fn take(&mut self, p: &[u8]) {
        use crate::abi::dv::consts::*;
        const IMPORT_METHOD_AES: u64 = 4;
        if CryptoCaps::WRAPPED_CRYPTO_OPERATIONAL.is_set(p) {
            self.flags |= MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL;
        }
        if CryptoCaps::WRAPPED_CRYPTO_GOING_TO_COMMISSIONING.is_set(p) {
            self.flags |= MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_GOING_TO_COMMISSIONING;
        }
        if CryptoCaps::WRAPPED_IMPORT_METHOD.get(p) & IMPORT_METHOD_AES != 0 {
            self.wrapped_import_method |= MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS;
        }
        self.log_max_num_deks = CryptoCaps::LOG_MAX_NUM_DEKS.get(p) as u8;
        self.failed_selftests = CryptoCaps::FAILED_SELFTESTS.get(p) as u16;
    }
}

/// DC bits of the ODP page as `IBV_ODP_SUPPORT_*` numbers them; asked anew at each call, 0 on failure.
pub fn dc_odp(fd: c_int) -> u32 {
    /// Bit of the page, `IBV_ODP_SUPPORT_*` bit.
    const BITS: [(Field, u32); 6] = [
        (OdpPerTransportServiceCap::SEND, IBV_ODP_SUPPORT_SEND),
        (OdpPerTransportServiceCap::RECEIVE, IBV_ODP_SUPPORT_RECV),
        (OdpPerTransportServiceCap::WRITE, IBV_ODP_SUPPORT_WRITE),
        (OdpPerTransportServiceCap::READ, IBV_ODP_SUPPORT_READ),
        (OdpPerTransportServiceCap::ATOMIC, IBV_ODP_SUPPORT_ATOMIC),
        (OdpPerTransportServiceCap::SRQ_RECEIVE, IBV_ODP_SUPPORT_SRQ_RECV),
    ];
    let Some(a) = Answer::query(fd, group::ODP) else { return 0 };
    let is_set = |f: &Field| f.within(OdpCap::DC_ODP_CAPS).is_set(a.page());
    BITS.iter().filter(|(f, _)| is_set(f)).map(|(_, v)| v).sum()
}

/// PCI atomic sizes (`fetch_add`, `swap`, `compare_swap`); None if the page cannot be read.
pub fn pci_atomic(fd: c_int) -> Option<(u16, u16, u16)> {
    let a = Answer::query(fd, group::ATOMIC)?;
    let size = |f: Field| f.get(a.page()) as u16;
    Some((
        size(AtomicCaps::FETCH_ADD_PCI_ATOMIC),
        size(AtomicCaps::SWAP_PCI_ATOMIC),
        size(AtomicCaps::COMPARE_SWAP_PCI_ATOMIC),
    ))
}
