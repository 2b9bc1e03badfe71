//! QUERY_DEVICE_EX: what open learns from it, and the verbs operation.

use super::{caps, context::Context, get_context::Response};
use crate::{
    abi::{
        dv::{
            mlx5_ib_uapi_reg, mlx5dv_cqe_comp_caps, mlx5dv_dci_streams_caps, mlx5dv_striding_rq_caps,
            mlx5dv_sw_parsing_caps,
        },
        verbs::{consts::*, *},
    },
    error::{Errno, Result},
    trace, uverbs,
};
use alloc::format;
use core::{ffi::c_int, mem, ptr};
use prm::uverbs::write;

/// Length of `ib_uverbs_query_device_resp`, which the extended response starts with.
const BASE_LEN: usize = 176;
/// Length of `ib_uverbs_ex_query_device_resp`.
const CORE_LEN: usize = 304;
/// Length of `mlx5_ib_query_device_resp`.
const DRIVER_LEN: usize = 112;
/// `cmds_supp_uhw`: the command may carry the driver's response.
const UHW_QUERY_DEVICE: u8 = 1;
/// Bounce buffers are needed for DMA (`IBV_DEVICE_CC_DMA_BOUNCE` of `device_cap_flags_ex`).
const CC_DMA_BOUNCE: u64 = 1 << 41;

/// What the driver's response tells (`mlx5_ib_query_device_resp`); all zero if the query failed.
#[derive(Clone, Copy, Default)]
pub struct DeviceCaps {
    /// `device_cap_flags_ex`.
    pub device_cap_flags: u64,
    /// `IBV_ATOMIC_*` as the kernel says it.
    pub atomic_cap: u32,
    pub max_dm_size: u64,
    pub cc_dma_bounce: bool,
    pub tso_max: u32,
    pub tso_qpts: u32,
    pub rss_fields: u64,
    pub rss_function: u8,
    pub cqe_comp: CqeCompression,
    pub pacing_min: u32,
    pub pacing_max: u32,
    pub pacing_qpts: u32,
    /// `MLX5_IB_PP_*`.
    pub pacing_flags: u8,
    /// `MLX5_IB_*_MPW`: 2 allowed, 4 enhanced.
    pub multi_packet_wqe: u32,
    /// `MLX5_IB_QUERY_DEV_RESP_FLAGS_*`.
    pub flags: u32,
    pub sw_parsing: [u32; 2],
    pub striding_rq: [u32; 5],
    pub tunnel_offloads: u32,
    pub dci_streams: [u8; 2],
    pub reg_c0: [u32; 2],
}

/// CQE compression: largest session and formats.
#[derive(Clone, Copy, Default)]
pub struct CqeCompression {
    pub max_num: u32,
    pub supported_format: u32,
}

/// Bits of [`DeviceCaps::flags`].
pub mod flags {
    pub const CQE_128B_COMP: u32 = 1;
    pub const CQE_128B_PAD: u32 = 2;
    pub const PACKET_BASED_CREDIT_MODE: u32 = 4;
    pub const SCAT2CQE_DCT: u32 = 8;
    pub const OOO_DP: u32 = 0x10;
}

/// Bits of [`DeviceCaps::multi_packet_wqe`].
pub mod mpw {
    pub const ALLOWED: u32 = 2;
    pub const ENHANCED: u32 = 4;
}

struct Raw {
    /// The extended command answered.
    extended: bool,
    core: [u8; CORE_LEN],
    driver: [u8; DRIVER_LEN],
}

impl Raw {
    /// The command without the extended part, which older kernels have and `ibv_query_device` uses.
    fn query_base(fd: c_int) -> Result<Raw, Errno> {
        let mut raw = Raw { extended: false, core: [0; CORE_LEN], driver: [0; DRIVER_LEN] };
        let base = raw.core.get_mut(..BASE_LEN).unwrap_or_default();
        let response = (base.as_ptr() as u64).to_ne_bytes();
        uverbs::invoke_write(fd, u32::from(write::QUERY_DEVICE), &response, base, &[], &mut [])?;
        Ok(raw)
    }

    /// The extended command, or the other where the kernel has only that.
    fn query_any(fd: c_int, info: &Response) -> Result<Raw, Errno> {
        match Raw::query(fd, info) {
            Err(Errno::EOPNOTSUPP) => Raw::query_base(fd),
            r => r,
        }
    }

    fn query(fd: c_int, info: &Response) -> Result<Raw, Errno> {
        let mut raw = Raw { extended: true, core: [0; CORE_LEN], driver: [0; DRIVER_LEN] };
        let with_driver = info.cmds_supp_uhw & UHW_QUERY_DEVICE != 0;
        let driver = if with_driver { &mut raw.driver[..] } else { &mut [] };
        uverbs::invoke_write(fd, uverbs::extended(write::QUERY_DEVICE), &[0; 8], &mut raw.core, &[], driver)?;
        Ok(raw)
    }
}

fn u16_at(b: &[u8], o: usize) -> u16 {
    u16::from_ne_bytes([b[o], b[o + 1]])
}
fn u32_at(b: &[u8], o: usize) -> u32 {
    u32::from_ne_bytes([b[o], b[o + 1], b[o + 2], b[o + 3]])
}
fn u64_at(b: &[u8], o: usize) -> u64 {
    u64::from(u32_at(b, o)) | u64::from(u32_at(b, o + 4)) << 32
}

impl DeviceCaps {
    /// The query of open: a failure leaves everything zero.
    pub fn collect(fd: c_int, info: &Response) -> DeviceCaps {
        match Raw::query_any(fd, info) {
            Ok(raw) => DeviceCaps::of(&raw),
            Err(e) => {
                trace::note("device query at open failed: no optional features", e);
                DeviceCaps::default()
            }
        }
    }

    fn of(raw: &Raw) -> DeviceCaps {
        let (c, d) = (&raw.core, &raw.driver);
        let device_cap_flags = u64_at(c, 224);
        DeviceCaps {
            device_cap_flags,
            atomic_cap: u32_at(c, 108),
            max_dm_size: u64_at(c, 288),
            cc_dma_bounce: device_cap_flags & CC_DMA_BOUNCE != 0,
            tso_max: u32_at(d, 8),
            tso_qpts: u32_at(d, 12),
            rss_fields: u64_at(d, 16),
            rss_function: d[24],
            cqe_comp: CqeCompression { max_num: u32_at(d, 32), supported_format: u32_at(d, 36) },
            pacing_min: u32_at(d, 40),
            pacing_max: u32_at(d, 44),
            pacing_qpts: u32_at(d, 48),
            pacing_flags: d[52],
            multi_packet_wqe: u32_at(d, 56),
            flags: u32_at(d, 60),
            sw_parsing: [u32_at(d, 64), u32_at(d, 68)],
            striding_rq: [72, 76, 80, 84, 88].map(|o| u32_at(d, o)),
            tunnel_offloads: u32_at(d, 96),
            dci_streams: [d[100], d[101]],
            reg_c0: [u32_at(d, 104), u32_at(d, 108)],
        }
    }

    /// For `mlx5dv_context`.
    pub fn dv_cqe_comp(&self) -> mlx5dv_cqe_comp_caps {
        mlx5dv_cqe_comp_caps {
            max_num: self.cqe_comp.max_num,
            supported_format: self.cqe_comp.supported_format,
        }
    }

    /// For `mlx5dv_context`.
    pub fn dv_sw_parsing(&self) -> mlx5dv_sw_parsing_caps {
        let [sw_parsing_offloads, supported_qpts] = self.sw_parsing;
        mlx5dv_sw_parsing_caps { sw_parsing_offloads, supported_qpts }
    }

    /// For `mlx5dv_context`.
    pub fn dv_striding_rq(&self) -> mlx5dv_striding_rq_caps {
        let [min_stride, max_stride, min_strides, max_strides, supported_qpts] = self.striding_rq;
        mlx5dv_striding_rq_caps {
            min_single_stride_log_num_of_bytes: min_stride,
            max_single_stride_log_num_of_bytes: max_stride,
            min_single_wqe_log_num_of_strides: min_strides,
            max_single_wqe_log_num_of_strides: max_strides,
            supported_qpts,
        }
    }

    /// For `mlx5dv_context`.
    pub fn dv_dci_streams(&self) -> mlx5dv_dci_streams_caps {
        let [max_log_num_concurent, max_log_num_errored] = self.dci_streams;
        mlx5dv_dci_streams_caps { max_log_num_concurent, max_log_num_errored }
    }

    /// For `mlx5dv_context`.
    pub fn dv_reg_c0(&self) -> mlx5_ib_uapi_reg {
        let [value, mask] = self.reg_c0;
        mlx5_ib_uapi_reg { value, mask }
    }
}

/// Writes `fw_ver` as "major.minor.sub" with four digits of sub.
fn firmware_version(raw: u64, out: &mut [core::ffi::c_char; 64]) {
    let text = format!("{}.{}.{:04}", raw >> 32 & 0xffff, raw >> 16 & 0xffff, raw & 0xffff);
    for (to, from) in out.iter_mut().zip(text.bytes()) {
        *to = from as core::ffi::c_char;
    }
}

fn device_attr(raw: &Raw) -> ibv_device_attr_ex {
    let c = &raw.core;
    // SAFETY: plain numbers, for which zero is a value.
    let mut a: ibv_device_attr_ex = unsafe { mem::zeroed() };
    let o = &mut a.orig_attr;
    firmware_version(u64_at(c, 0), &mut o.fw_ver);
    o.node_guid = u64_at(c, 8);
    o.sys_image_guid = u64_at(c, 16);
    o.max_mr_size = u64_at(c, 24);
    o.page_size_cap = u64_at(c, 32);
    o.vendor_id = u32_at(c, 40);
    o.vendor_part_id = u32_at(c, 44);
    o.hw_ver = u32_at(c, 48);
    let int = |at| u32_at(c, at) as c_int;
    o.max_qp = int(52);
    o.max_qp_wr = int(56);
    o.device_cap_flags = u32_at(c, 60);
    o.max_sge = int(64);
    o.max_sge_rd = int(68);
    o.max_cq = int(72);
    o.max_cqe = int(76);
    o.max_mr = int(80);
    o.max_pd = int(84);
    o.max_qp_rd_atom = int(88);
    o.max_ee_rd_atom = int(92);
    o.max_res_rd_atom = int(96);
    o.max_qp_init_rd_atom = int(100);
    o.max_ee_init_rd_atom = int(104);
    o.atomic_cap = u32_at(c, 108);
    o.max_ee = int(112);
    o.max_rdd = int(116);
    o.max_mw = int(120);
    o.max_raw_ipv6_qp = int(124);
    o.max_raw_ethy_qp = int(128);
    o.max_mcast_grp = int(132);
    o.max_mcast_qp_attach = int(136);
    o.max_total_mcast_qp_attach = int(140);
    o.max_ah = int(144);
    o.max_fmr = int(148);
    o.max_map_per_fmr = int(152);
    o.max_srq = int(156);
    o.max_srq_wr = int(160);
    o.max_srq_sge = int(164);
    o.max_pkeys = u16_at(c, 168);
    o.local_ca_ack_delay = c[170];
    o.phys_port_cnt = c[171];
    a.odp_caps.general_caps = u64_at(c, 184);
    a.odp_caps.per_transport_caps.rc_odp_caps = u32_at(c, 192);
    a.odp_caps.per_transport_caps.uc_odp_caps = u32_at(c, 196);
    a.odp_caps.per_transport_caps.ud_odp_caps = u32_at(c, 200);
    a.completion_timestamp_mask = u64_at(c, 208);
    a.hca_core_clock = u64_at(c, 216);
    a.device_cap_flags_ex = u64_at(c, 224);
    a.rss_caps.supported_qpts = u32_at(c, 232);
    a.rss_caps.max_rwq_indirection_tables = u32_at(c, 236);
    a.rss_caps.max_rwq_indirection_table_size = u32_at(c, 240);
    a.max_wq_type_rq = u32_at(c, 248);
    a.raw_packet_caps = u32_at(c, 252);
    a.tm_caps.max_rndv_hdr_size = u32_at(c, 256);
    a.tm_caps.max_num_tags = u32_at(c, 260);
    a.tm_caps.flags = u32_at(c, 264);
    a.tm_caps.max_ops = u32_at(c, 268);
    a.tm_caps.max_sge = u32_at(c, 272);
    a.cq_mod_caps.max_cq_count = u16_at(c, 280);
    a.cq_mod_caps.max_cq_period = u16_at(c, 282);
    a.max_dm_size = u64_at(c, 288);
    a.xrc_odp_caps = u32_at(c, 296);
    if raw.extended {
        a.phys_port_cnt_ex = u32::from(c[171]);
    }
    a
}

/// `ibv_query_device_ex`: fills at most `size` bytes, the struct of the caller's release.
///
/// The driver's parts (TSO, RSS, packet pacing, PCI atomics) are filled if the caller's struct has
/// them. EINVAL for an input that asks for something; the kernel's errno.
fn query_device_ex(
    context: &Context,
    input: Option<&ibv_query_device_ex_input>,
    attr: *mut ibv_device_attr_ex,
    size: usize,
) -> Result<()> {
    if let Some(i) = input.filter(|i| i.comp_mask != 0) {
        return Err(refuse!(EINVAL, "query input has comp_mask bits", comp_mask = i.comp_mask));
    }
    if size < mem::size_of::<ibv_device_attr>() {
        return Err(refuse!(EINVAL, "attribute struct shorter than ibv_device_attr", size = size));
    }
    const BASE: usize = mem::size_of::<ibv_device_attr>();
    // What stands behind the base is zero also after a failure.
    // SAFETY: the caller's struct has `size` bytes by libibverbs' promise.
    unsafe { attr.cast::<u8>().add(BASE).write_bytes(0, size - BASE) };
    let raw = match size == BASE {
        true => Raw::query_base(context.fd)?,
        false => Raw::query_any(context.fd, &context.info)?,
    };
    let d = DeviceCaps::of(&raw);
    let mut a = device_attr(&raw);
    a.tso_caps = ibv_tso_caps { max_tso: d.tso_max, supported_qpts: d.tso_qpts };
    a.rss_caps.rx_hash_fields_mask = d.rss_fields;
    a.rss_caps.rx_hash_function = d.rss_function;
    a.packet_pacing_caps = ibv_packet_pacing_caps {
        qp_rate_limit_min: d.pacing_min,
        qp_rate_limit_max: d.pacing_max,
        supported_qpts: d.pacing_qpts,
    };
    const ATOMICS_END: usize =
        mem::offset_of!(ibv_device_attr_ex, pci_atomic_caps) + mem::size_of::<ibv_pci_atomic_caps>();
    if size >= ATOMICS_END {
        pci_atomic_caps(context, &mut a);
    }
    let n = size.min(mem::size_of::<ibv_device_attr_ex>());
    // SAFETY: the caller's struct has `size` bytes by libibverbs' promise; `a` has at least `n`.
    unsafe { ptr::copy_nonoverlapping((&raw const a).cast::<u8>(), attr.cast::<u8>(), n) };
    Ok(())
}

/// PCI atomics; with 8-byte fetch-add and compare-swap on PCI the HCA's atomics are global.
fn pci_atomic_caps(context: &Context, a: &mut ibv_device_attr_ex) {
    const EIGHT_BYTES: u16 = 1 << 3;
    let Some((fetch_add, swap, compare_swap)) = caps::pci_atomic(context.fd) else { return };
    a.pci_atomic_caps = ibv_pci_atomic_caps { fetch_add, swap, compare_swap };
    if a.orig_attr.atomic_cap == IBV_ATOMIC_HCA && fetch_add & compare_swap & EIGHT_BYTES != 0 {
        a.orig_attr.atomic_cap = IBV_ATOMIC_GLOB;
    }
}

/// The verbs operation.
///
/// # Safety
/// libibverbs' promise: `context` is ours, `input` is NULL or valid, `attr` has `size` bytes.
pub unsafe extern "C" fn query_device_ex_op(
    context: *mut ibv_context,
    input: *const ibv_query_device_ex_input,
    attr: *mut ibv_device_attr_ex,
    size: usize,
) -> c_int {
    crate::border::value("ibv_query_device_ex", || {
        // SAFETY: the promise above.
        let (context, input) = unsafe { (Context::from_own(context), input.as_ref()) };
        query_device_ex(context, input, attr, size)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn firmware_version_has_four_digits_at_the_end() {
        let mut out = [0; 64];
        firmware_version(28 << 32 | 43 << 16 | 7, &mut out);
        // SAFETY: the text is shorter than the buffer, which was zero.
        let s = unsafe { core::ffi::CStr::from_ptr(out.as_ptr()) };
        assert_eq!(s.to_str(), Ok("28.43.0007"));
    }
}
