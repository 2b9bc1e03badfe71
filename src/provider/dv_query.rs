//! `mlx5dv_query_device`.

use super::{
    caps,
    context::Context,
    device_query::{flags, mpw},
    get_context::comp_mask,
};
use crate::abi::dv::{consts::*, *};

/// Flags of the device, which every query fills.
fn device_flags(c: &Context) -> u64 {
    let d = &c.device;
    let of = |condition: bool, bit: u32| if condition { u64::from(bit) } else { 0 };
    of(c.info.cqe_version == 1, MLX5DV_CONTEXT_FLAGS_CQE_V1)
        | of(d.multi_packet_wqe & mpw::ALLOWED != 0, MLX5DV_CONTEXT_FLAGS_MPW_ALLOWED)
        | of(d.multi_packet_wqe & mpw::ENHANCED != 0, MLX5DV_CONTEXT_FLAGS_ENHANCED_MPW)
        | of(d.flags & flags::CQE_128B_COMP != 0, MLX5DV_CONTEXT_FLAGS_CQE_128B_COMP)
        | of(d.flags & flags::CQE_128B_PAD != 0, MLX5DV_CONTEXT_FLAGS_CQE_128B_PAD)
        | of(d.flags & flags::PACKET_BASED_CREDIT_MODE != 0, MLX5DV_CONTEXT_FLAGS_PACKET_BASED_CREDIT_MODE)
        | of(c.info.comp_mask & comp_mask::REAL_TIME_TS != 0, MLX5DV_CONTEXT_FLAGS_REAL_TIME_TS)
        | of(c.info.bf_reg_size > 0, MLX5DV_CONTEXT_FLAGS_BLUEFLAME)
}

/// How many receives a queue may have when data is placed out of order: the most that fit, halved
/// because each needs two entries.
pub fn ooo_recv_wrs(c: &Context) -> mlx5dv_ooo_recv_wrs_caps {
    let most = c.info.max_recv_wr;
    let half = if most > 1 { most / 2 } else { most };
    let of = |supported: bool, n: u32| if supported { n } else { 0 };
    let o = &c.caps.ooo;
    mlx5dv_ooo_recv_wrs_caps {
        max_rc: of(o.rc, half),
        max_xrc: of(o.xrc, most),
        max_dct: of(o.dct, most),
        max_ud: of(o.ud, half),
        max_uc: of(o.uc, half),
    }
}

/// Fills what `out.comp_mask` asks for and leaves the bits of what was filled. Never fails; fields
/// that were not asked for, or that the device lacks, keep the caller's bytes: his struct may be
/// shorter than ours.
pub fn query_device(c: &Context, out: *mut mlx5dv_context) {
    // SAFETY: every mlx5dv_context, of whichever release, has these members.
    let asked = unsafe { (&raw const (*out).comp_mask).read() };
    let mut filled = 0;
    // Writes one member if its bit was asked for and the device has a value.
    macro_rules! fill {
        ($bit:ident, $member:ident, $value:expr) => {
            if asked & u64::from($bit) != 0
                && let Some(value) = $value
            {
                // SAFETY: the caller asked for the bit, so his struct has the member.
                unsafe { (&raw mut (*out).$member).write(value) };
                filled |= u64::from($bit);
            }
        };
    }
    let d = &c.device;
    fill!(MLX5DV_CONTEXT_MASK_CQE_COMPRESION, cqe_comp_caps, Some(d.dv_cqe_comp()));
    fill!(MLX5DV_CONTEXT_MASK_SWP, sw_parsing_caps, Some(d.dv_sw_parsing()));
    fill!(MLX5DV_CONTEXT_MASK_STRIDING_RQ, striding_rq_caps, Some(d.dv_striding_rq()));
    fill!(MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS, tunnel_offloads_caps, Some(d.tunnel_offloads));
    fill!(MLX5DV_CONTEXT_MASK_DYN_BFREGS, max_dynamic_bfregs, Some(c.info.num_dyn_bfregs));
    fill!(MLX5DV_CONTEXT_MASK_CLOCK_INFO_UPDATE, max_clock_info_update_nsec, c.clocks.overflow_period());
    fill!(
        MLX5DV_CONTEXT_MASK_FLOW_ACTION_FLAGS,
        flow_action_flags,
        Some(u32::from(c.info.flow_action_flags))
    );
    fill!(MLX5DV_CONTEXT_MASK_DC_ODP_CAPS, dc_odp_caps, Some(caps::dc_odp(c.fd)));
    fill!(
        MLX5DV_CONTEXT_MASK_HCA_CORE_CLOCK,
        hca_core_clock,
        c.clocks.hca_core_clock().map(core::ptr::NonNull::as_ptr)
    );
    fill!(MLX5DV_CONTEXT_MASK_NUM_LAG_PORTS, num_lag_ports, Some(c.caps.num_lag_ports).filter(|n| *n != 0));
    let s = &c.caps.signature;
    fill!(
        MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD,
        sig_caps,
        Some(mlx5dv_sig_caps {
            block_size: u64::from(s.block_size),
            block_prot: s.block_prot,
            t10dif_bg: s.t10dif_bg as u16,
            crc_type: s.crc_type as u16,
        })
    );
    fill!(MLX5DV_CONTEXT_MASK_DCI_STREAMS, dci_streams_caps, Some(d.dv_dci_streams()));
    fill!(
        MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH,
        max_wr_memcpy_length,
        Some(c.caps.max_wr_memcpy_length as usize)
    );
    let k = &c.caps.crypto;
    fill!(
        MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD,
        crypto_caps,
        Some(mlx5dv_crypto_caps {
            failed_selftests: k.failed_selftests,
            crypto_engines: k.crypto_engines as u8,
            wrapped_import_method: k.wrapped_import_method as u8,
            log_max_num_deks: k.log_max_num_deks,
            flags: k.flags
        })
    );
    fill!(MLX5DV_CONTEXT_MASK_MAX_DC_RD_ATOM, max_dc_rd_atom, Some(c.caps.max_dc_rd_atom));
    if filled & u64::from(MLX5DV_CONTEXT_MASK_MAX_DC_RD_ATOM) != 0 {
        // SAFETY: the same bit stands for both members.
        unsafe { (&raw mut (*out).max_dc_init_rd_atom).write(c.caps.max_dc_init_rd_atom) };
    }
    fill!(MLX5DV_CONTEXT_MASK_REG_C0, reg_c0, Some(d.dv_reg_c0()).filter(|r| r.mask != 0));
    fill!(
        MLX5DV_CONTEXT_MASK_OOO_RECV_WRS,
        ooo_recv_wrs_caps,
        (d.flags & flags::OOO_DP != 0).then(|| ooo_recv_wrs(c))
    );
    // SAFETY: members of every release's struct.
    unsafe {
        (&raw mut (*out).version).write(0);
        (&raw mut (*out).flags).write(device_flags(c));
        (&raw mut (*out).comp_mask).write(filled);
    }
}
