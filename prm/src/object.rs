//! Types of general objects.

/// Software-managed steering memory.
pub const SW_ICM: u16 = 0x0008;
/// Flow meter.
pub const FLOW_METER: u16 = 0x000a;
/// GENEVE option parser.
pub const GENEVE_TLV_OPT: u16 = 0x000b;
/// Data encryption key.
pub const DEK: u16 = 0x000c;
/// Virtio network queue.
pub const VIRTIO_NET_Q: u16 = 0x000d;
/// IPsec offload.
pub const IPSEC: u16 = 0x0013;
/// Match definer.
pub const MATCH_DEFINER: u16 = 0x0018;
/// Session with the crypto officer's credential.
pub const CRYPTO_LOGIN: u16 = 0x001f;
/// Flow sampler.
pub const FLOW_SAMPLER: u16 = 0x0020;
/// Arguments of header modification.
pub const HEADER_MODIFY_ARGUMENT: u16 = 0x0023;
/// Flow meters driven by work requests.
pub const ASO_FLOW_METER: u16 = 0x0024;
/// First-hit bits driven by work requests.
pub const ASO_FIRST_HIT: u16 = 0x0025;
/// Scheduling element.
pub const SCHEDULING_ELEMENT: u16 = 0x0026;
/// MACsec offload.
pub const MACSEC: u16 = 0x0027;
/// Block of queue pair numbers.
pub const RESERVED_QPN: u16 = 0x002c;
/// Connection tracking driven by work requests.
pub const ASO_CT: u16 = 0x0031;
/// Address vector bound to a queue pair.
pub const AV_QP_MAPPING: u16 = 0x003a;
