//! The two clocks that the kernel shows to a process: the device's free running counter and the
//! page that relates it to nanoseconds.

use super::{
    context::Context,
    debug_file::DebugFile,
    get_context::{Response, comp_mask},
};
use crate::{
    abi::{
        dv::mlx5dv_clock_info,
        verbs::{consts::*, ibv_context, ibv_values_ex},
    },
    error::Result,
    uverbs::Mapping,
};
use core::{
    ffi::{c_int, c_void},
    ptr::NonNull,
    sync::atomic::{AtomicU32, Ordering, fence},
};

/// mmap commands (`spec`: context, section 4).
const MMAP_CORE_CLOCK: u64 = 5;
const MMAP_CLOCK_INFO: u64 = 7;
/// `clock_info_versions`: the page has its first layout.
const CLOCK_INFO_V1: u8 = 1;
/// How often a reader looks again while the kernel writes.
const RETRIES: u32 = 10;

/// Clock pages of a context. Both are optional.
#[derive(Debug, Default)]
pub struct Clocks {
    core: Option<(Mapping, usize)>,
    info: Option<Mapping>,
}

/// The kernel's clock page, `struct ib_uverbs_clock_info`.
#[repr(C)]
struct Page {
    sign: AtomicU32,
    resv: u32,
    nsec: u64,
    cycles: u64,
    frac: u64,
    mult: u32,
    shift: u32,
    mask: u64,
    overflow_period: u64,
}

impl Clocks {
    /// Maps what the kernel offers; a mapping that fails is left out.
    pub fn map(
        fd: c_int,
        info: &Response,
        page_size: usize,
        offset: impl Fn(u64, u64) -> u64,
        debug: &DebugFile,
    ) -> Clocks {
        let map = |command| Mapping::new(fd, offset(command, 0), page_size, libc::PROT_READ);
        let core = (info.comp_mask & comp_mask::CORE_CLOCK_OFFSET != 0)
            .then(|| map(MMAP_CORE_CLOCK))
            .and_then(|r| r.inspect_err(|e| debug.write(format_args!("no core clock page: {e}\n"))).ok())
            .map(|m| (m, info.hca_core_clock_offset as usize & (page_size - 1)));
        let info = (info.clock_info_versions & CLOCK_INFO_V1 != 0)
            .then(|| map(MMAP_CLOCK_INFO))
            .and_then(|r| r.ok());
        Clocks { core, info }
    }

    /// Address of the free running counter, for `mlx5dv_context.hca_core_clock`.
    pub fn hca_core_clock(&self) -> Option<NonNull<c_void>> {
        // SAFETY: the offset was reduced to the page.
        self.core.as_ref().map(|(m, at)| unsafe { m.base().byte_add(*at) })
    }

    fn page(&self) -> Option<&Page> {
        // SAFETY: the kernel maps a whole page that starts with this struct; all fields but the
        // sign are read with volatile loads below.
        self.info.as_ref().map(|m| unsafe { m.base().cast::<Page>().as_ref() })
    }

    /// Longest time in ns between two updates of the clock page, for
    /// `mlx5dv_context.max_clock_info_update_nsec`.
    pub fn overflow_period(&self) -> Option<u64> {
        // SAFETY: a field of the mapped page.
        self.page().map(|p| unsafe { (&raw const p.overflow_period).read_volatile() })
    }

    /// Reads the counter: two big-endian halves, the high one again. After two rounds the last
    /// sample counts even if the high half moved.
    fn cycles(&self) -> Option<u64> {
        let at = self.hca_core_clock()?.cast::<u32>();
        // SAFETY: 8 bytes of the mapped page, aligned; the device changes them under us.
        let read = |word: usize| u32::from_be(unsafe { at.add(word).read_volatile() });
        let mut high = read(0);
        let mut low = 0;
        for _ in 0..2 {
            low = read(1);
            let again = read(0);
            if again == high {
                break;
            }
            high = again;
        }
        Some(u64::from(high) << 32 | u64::from(low))
    }
}

/// `ibv_query_rt_values_ex`. EINVAL for unknown bits; EOPNOTSUPP (with nothing filled) without a
/// counter page.
pub fn query_rt_values(context: &Context, values: &mut ibv_values_ex) -> Result<()> {
    const RAW_CLOCK: u32 = IBV_VALUES_MASK_RAW_CLOCK;
    if values.comp_mask & !RAW_CLOCK != 0 {
        return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = values.comp_mask));
    }
    if values.comp_mask & RAW_CLOCK != 0 {
        let Some(cycles) = context.clocks.cycles() else {
            values.comp_mask = 0;
            return Err(refuse!(EOPNOTSUPP, "core clock page is not mapped"));
        };
        values.raw_clock.tv_sec = 0;
        values.raw_clock.tv_nsec = cycles as i64;
    }
    Ok(())
}

/// `mlx5dv_get_clock_info`. EINVAL without the page; EBUSY if the kernel was writing at each of
/// eleven looks in a row.
pub fn get_clock_info(context: &Context, out: &mut mlx5dv_clock_info) -> Result<()> {
    let Some(page) = context.clocks.page() else {
        return Err(refuse!(EINVAL, "clock info page is not mapped"));
    };
    loop {
        let mut retry = RETRIES;
        let sign = loop {
            let sign = page.sign.load(Ordering::Acquire);
            if sign & 1 == 0 {
                break sign;
            }
            if retry == 0 {
                return Err(refuse!(EBUSY, "kernel is updating the clock page", sign = sign));
            }
            retry -= 1;
        };
        // SAFETY: fields of the mapped page, which the kernel may change: the sign tells.
        unsafe {
            out.nsec = (&raw const page.nsec).read_volatile();
            out.last_cycles = (&raw const page.cycles).read_volatile();
            out.frac = (&raw const page.frac).read_volatile();
            out.mult = (&raw const page.mult).read_volatile();
            out.shift = (&raw const page.shift).read_volatile();
            out.mask = (&raw const page.mask).read_volatile();
        }
        fence(Ordering::Acquire);
        if page.sign.load(Ordering::Relaxed) == sign {
            return Ok(());
        }
    }
}

/// The verbs operation.
///
/// # Safety
/// libibverbs' promise: `context` is ours, `values` is writable.
pub unsafe extern "C" fn query_rt_values_op(context: *mut ibv_context, values: *mut ibv_values_ex) -> c_int {
    crate::border::value("ibv_query_rt_values_ex", || {
        // SAFETY: the promise above.
        let (context, values) = unsafe { (Context::from_own(context), &mut *values) };
        query_rt_values(context, values)
    })
}
