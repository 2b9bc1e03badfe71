//! GET_CONTEXT and QUERY_CONTEXT: the kernel side of a context.

use crate::{
    error::{Errno, Result},
    trace,
    uverbs::{self, Attr},
};
use core::ffi::c_int;
use prm::uverbs::{attr, method, object, write};

/// Length of `mlx5_ib_alloc_ucontext_resp`.
const RESPONSE_LEN: usize = 72;
/// Lengths of the request that are tried in turn: whole, without `lib_caps`, without
/// `max_cqe_version` too.
const REQUEST_LENGTHS: [usize; 3] = [32, 24, 16];
const FLAG_DEVX: u32 = 1;
const MAX_CQE_VERSION: u8 = 1;
/// `MLX5_LIB_CAP_4K_UAR | MLX5_LIB_CAP_DYN_UAR`.
const LIB_CAPS: u64 = 3;

/// What the kernel tells of a context (`mlx5_ib_alloc_ucontext_resp`, `spec`: context, section 2).
#[derive(Clone, Copy, Default, Debug)]
pub struct Response {
    pub bf_reg_size: u32,
    pub tot_bfregs: u32,
    pub cache_line_size: u32,
    pub max_sq_desc_sz: u16,
    pub max_rq_desc_sz: u16,
    pub max_send_wqebb: u32,
    pub max_recv_wr: u32,
    pub max_srq_recv_wr: u32,
    pub num_ports: u16,
    pub flow_action_flags: u16,
    pub comp_mask: u32,
    pub cqe_version: u8,
    pub cmds_supp_uhw: u8,
    /// Bytes of packet headers that must be inline in an Ethernet WQE: 0 or 18.
    pub eth_min_inline: u16,
    pub clock_info_versions: u8,
    pub hca_core_clock_offset: u64,
    pub num_uars_per_page: u32,
    pub num_dyn_bfregs: u32,
    /// Key that reads zeros and swallows writes; 0x100 (invalid) if the device has none.
    pub dump_fill_mkey: u32,
    /// Completion vectors, for `ibv_context.num_comp_vectors`.
    pub num_comp_vectors: u32,
    /// For `verbs_device.core_support`.
    pub core_support: u64,
    /// Async fd that the write(2) command opened; -1 otherwise.
    pub async_fd: c_int,
}

/// Bits of [`Response::comp_mask`].
pub mod comp_mask {
    /// `hca_core_clock_offset` is valid.
    pub const CORE_CLOCK_OFFSET: u32 = 1;
    /// `dump_fill_mkey` is valid.
    pub const DUMP_FILL_MKEY: u32 = 2;
    /// Enhanced connection establishment.
    pub const ECE: u32 = 4;
    /// SQD to RTS by a WQE-free transition.
    pub const SQD2RTS: u32 = 8;
    /// Time stamps in real time.
    pub const REAL_TIME_TS: u32 = 0x10;
    /// UMR updates of an mkey carry the tag.
    pub const MKEY_UPDATE_TAG: u32 = 0x20;
}

const INVALID_LKEY: u32 = 0x100;
const ETH_L2_INLINE_HEADER_SIZE: u16 = 18;

impl Response {
    fn parse(raw: &[u8; RESPONSE_LEN]) -> Response {
        let u16_at = |o: usize| u16::from_ne_bytes([raw[o], raw[o + 1]]);
        let u32_at = |o: usize| u32::from_ne_bytes([raw[o], raw[o + 1], raw[o + 2], raw[o + 3]]);
        let comp_mask = u32_at(36);
        // Kernels that know neither say 0 for both: one UAR fills the page.
        let num_uars_per_page = match (u32_at(56), u32_at(60)) {
            (0, 0) => 1,
            (_, n) => n,
        };
        Response {
            bf_reg_size: u32_at(4),
            tot_bfregs: u32_at(8),
            cache_line_size: u32_at(12),
            max_sq_desc_sz: u16_at(16),
            max_rq_desc_sz: u16_at(18),
            max_send_wqebb: u32_at(20),
            max_recv_wr: u32_at(24),
            max_srq_recv_wr: u32_at(28),
            num_ports: u16_at(32),
            flow_action_flags: u16_at(34),
            comp_mask,
            cqe_version: raw[44],
            cmds_supp_uhw: raw[45],
            eth_min_inline: if raw[46] == 1 { 0 } else { ETH_L2_INLINE_HEADER_SIZE },
            clock_info_versions: raw[47],
            hca_core_clock_offset: u64::from(u32_at(48)) | u64::from(u32_at(52)) << 32,
            num_uars_per_page,
            num_dyn_bfregs: u32_at(64),
            dump_fill_mkey: if comp_mask & comp_mask::DUMP_FILL_MKEY != 0 {
                u32_at(68)
            } else {
                INVALID_LKEY
            },
            num_comp_vectors: 0,
            core_support: 0,
            async_fd: -1,
        }
    }
}

/// What the caller of open wants of GET_CONTEXT.
pub struct Request<'a> {
    /// Registers, from the environment.
    pub bfregs: super::bfreg::Counts,
    /// DEVX or nothing.
    pub strict_devx: bool,
    /// Capability fds, if the caller gave an array; it may be empty, which the kernel refuses.
    pub fds: Option<&'a [c_int]>,
}

/// Makes the kernel side of a context.
///
/// Any failure leads to the next shorter request, and if DEVX was only wished for, all lengths are
/// tried once more without it: results must be those of upstream's library. What that hides (a
/// context without 4 KiB UARs, CQE version 0, no DEVX, no capability) is told to the trace.
/// Errors: the last attempt's errno.
pub fn get_context(fd: c_int, request: &Request) -> Result<Response> {
    let mut failure = Errno::EINVAL;
    for devx in if request.strict_devx { &[true][..] } else { &[true, false] } {
        for len in REQUEST_LENGTHS {
            match attempt(fd, request, *devx, len) {
                Ok(response) => {
                    if !devx || len != REQUEST_LENGTHS[0] {
                        trace::note("context opened with less than was asked for after", failure);
                    }
                    return Ok(response);
                }
                Err(e) => failure = e,
            }
        }
    }
    Err(failure.into())
}

fn attempt(fd: c_int, request: &Request, devx: bool, len: usize) -> Result<Response, Errno> {
    let mut driver = [0u8; 32];
    driver[0..4].copy_from_slice(&(request.bfregs.total as u32).to_ne_bytes());
    driver[4..8].copy_from_slice(&(request.bfregs.low_latency as u32).to_ne_bytes());
    driver[8..12].copy_from_slice(&(if devx { FLAG_DEVX } else { 0 }).to_ne_bytes());
    if len >= 24 {
        driver[16] = MAX_CQE_VERSION;
    }
    driver[24..32].copy_from_slice(&LIB_CAPS.to_ne_bytes());
    let driver = &driver[..len];

    let mut raw = [0u8; RESPONSE_LEN];
    let (mut vectors, mut core_support) = (0u32, 0u64);
    let given = request.fds.unwrap_or_default();
    // SAFETY: i32 slices are readable as bytes.
    let fds = unsafe { core::slice::from_raw_parts(given.as_ptr().cast::<u8>(), given.len() * 4) };
    let mut attrs = [
        Attr::number(attr::GET_CONTEXT_NUM_COMP_VECTORS, &mut vectors),
        Attr::number(attr::GET_CONTEXT_CORE_SUPPORT, &mut core_support),
        Attr::when(request.fds.is_some(), Attr::input(attr::GET_CONTEXT_FD_ARR, fds)),
        Attr::input(attr::UHW_IN, driver),
        Attr::output(attr::UHW_OUT, &mut raw),
    ];
    match uverbs::execute(fd, object::DEVICE, method::GET_CONTEXT, &mut attrs) {
        Ok(()) => {
            let r = Response::parse(&raw);
            Ok(Response { num_comp_vectors: vectors, core_support, ..r })
        }
        Err(Errno::ENOTTY | Errno::EPROTONOSUPPORT) => {
            if request.fds.is_some() {
                trace::note("kernel without capability fds: opened without them", Errno::EPROTONOSUPPORT);
            }
            attempt_by_write(fd, driver)
        }
        Err(e) => Err(e),
    }
}

/// The command of kernels without the ioctl method; its response carries the async fd. Kernels
/// that take commands through `INVOKE_WRITE` get it there, older ones by write(2).
fn attempt_by_write(fd: c_int, driver: &[u8]) -> Result<Response, Errno> {
    const CORE: usize = 8;
    let mut all = [0u8; CORE + RESPONSE_LEN];
    let response = (all.as_mut_ptr() as u64).to_ne_bytes();
    let (core, raw) = all.split_at_mut(CORE);
    match uverbs::invoke_write(fd, u32::from(write::GET_CONTEXT), &response, core, driver, raw) {
        Err(Errno::ENOTTY | Errno::EPROTONOSUPPORT) => {
            uverbs::write_command(fd, write::GET_CONTEXT, &[], driver, &mut all)?;
        }
        other => other?,
    }
    let word = |o: usize| u32::from_ne_bytes([all[o], all[o + 1], all[o + 2], all[o + 3]]);
    let mut raw = [0u8; RESPONSE_LEN];
    raw.copy_from_slice(&all[CORE..]);
    let r = Response::parse(&raw);
    Ok(Response { async_fd: word(0) as c_int, num_comp_vectors: word(4), ..r })
}

/// The kernel side of a context that another process or library made: `ibv_import_device`.
/// EINVAL if its owner uses static UARs, which cannot be shared.
pub fn query_context(fd: c_int) -> Result<Response> {
    let mut raw = [0u8; RESPONSE_LEN];
    let (mut vectors, mut core_support) = (0u32, 0u64);
    let mut attrs = [
        Attr::number(attr::QUERY_CONTEXT_NUM_COMP_VECTORS, &mut vectors),
        Attr::number(attr::QUERY_CONTEXT_CORE_SUPPORT, &mut core_support),
        Attr::output(attr::QUERY_CONTEXT_RESP_UCTX, &mut raw),
    ];
    uverbs::execute(fd, object::DEVICE, method::QUERY_CONTEXT, &mut attrs)?;
    let r = Response::parse(&raw);
    if r.tot_bfregs != 0 {
        return Err(refuse!(EINVAL, "owner of the context uses static UARs", tot_bfregs = r.tot_bfregs));
    }
    Ok(Response { num_comp_vectors: vectors, core_support, ..r })
}
