//! Process-wide settings of polling: stalling between polls, and freezing on errors.
//!
//! They are read at each open and shared by all contexts, as upstream has it: the last open wins,
//! and a variable that is not set leaves what an earlier one said (`spec`: context, section 8).

use crate::{env, fd};
use alloc::{vec, vec::Vec};
use core::{
    ffi::{CStr, c_int},
    mem,
    sync::atomic::{AtomicBool, AtomicI32, Ordering},
};

/// A number that the environment may set.
struct Setting(AtomicI32);

impl Setting {
    const fn new(default: i32) -> Setting {
        Setting(AtomicI32::new(default))
    }

    fn read(&self, name: &CStr) {
        if let Some(value) = env::int(name) {
            self.0.store(value, Ordering::Relaxed);
        }
    }

    fn get(&self) -> i32 {
        self.0.load(Ordering::Relaxed)
    }
}

static NUM_LOOP: Setting = Setting::new(60);
static POLL_MIN: Setting = Setting::new(60);
static POLL_MAX: Setting = Setting::new(100_000);
static INC_STEP: Setting = Setting::new(100);
static DEC_STEP: Setting = Setting::new(10);
static FREEZE_ON_ERROR_CQE: AtomicBool = AtomicBool::new(false);

/// Whether polling an empty CQ waits a little before the next poll.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Stall {
    /// It does not.
    Off,
    /// For a fixed number of cycles.
    Fixed,
    /// For a number that follows what polls find; it starts with this many cycles.
    Adaptive(i32),
}

/// Cycles of a fixed stall.
pub fn num_loop() -> i32 {
    NUM_LOOP.get()
}

/// Least and most cycles of an adaptive stall.
pub fn adaptive_range() -> (i32, i32) {
    (POLL_MIN.get(), POLL_MAX.get())
}

/// By how much an adaptive stall grows and shrinks.
pub fn adaptive_steps() -> (i32, i32) {
    (INC_STEP.get(), DEC_STEP.get())
}

/// `MLX5_FREEZE_ON_ERROR_CQE`: polling never returns from certain errors, for a debugger to look.
pub fn freeze_on_error_cqe() -> bool {
    FREEZE_ON_ERROR_CQE.load(Ordering::Relaxed)
}

/// Reads `MLX5_FREEZE_ON_ERROR_CQE`.
pub fn read_freeze() {
    if let Some(value) = env::long(c"MLX5_FREEZE_ON_ERROR_CQE") {
        FREEZE_ON_ERROR_CQE.store(value != 0, Ordering::Relaxed);
    }
}

impl Stall {
    /// Reads the environment for a context of the device with this name.
    pub fn from_env(device: &CStr) -> Stall {
        let enabled = match env::get(c"MLX5_STALL_CQ_POLL") {
            Some(value) => value.to_bytes() != b"0",
            None => is_sandy_bridge() && !runs_near(device),
        };
        NUM_LOOP.read(c"MLX5_STALL_NUM_LOOP");
        POLL_MIN.read(c"MLX5_STALL_CQ_POLL_MIN");
        POLL_MAX.read(c"MLX5_STALL_CQ_POLL_MAX");
        INC_STEP.read(c"MLX5_STALL_CQ_INC_STEP");
        DEC_STEP.read(c"MLX5_STALL_CQ_DEC_STEP");
        match (enabled, NUM_LOOP.get()) {
            (false, _) => Stall::Off,
            (true, n) if n < 0 => Stall::Adaptive(POLL_MIN.get()),
            (true, _) => Stall::Fixed,
        }
    }
}

/// The processors whose PCIe made polls from a far socket slow the near ones down.
#[cfg(target_arch = "x86_64")]
fn is_sandy_bridge() -> bool {
    let signature = core::arch::x86_64::__cpuid(1).eax;
    let (family, model) = (signature >> 8 & 0xf, signature >> 4 & 0xf | signature >> 12 & 0xf0);
    family == 6 && matches!(model, 0x2a | 0x2d)
}

#[cfg(not(target_arch = "x86_64"))]
fn is_sandy_bridge() -> bool {
    false
}

/// A set of processors, as the scheduler has it.
const CPUS: usize = 1024;
type CpuSet = [u64; CPUS / 64];

/// True if this process may only run on processors that are local to the device.
fn runs_near(device: &CStr) -> bool {
    let Some(allowed) = affinity() else { return false };
    let local = match env::get(c"MLX5_LOCAL_CPUS") {
        Some(mask) => parse_mask(mask.to_bytes()),
        None => parse_mask(&sysfs_mask(device)),
    };
    allowed.iter().zip(&local).all(|(a, l)| a & !l == 0)
}

fn affinity() -> Option<CpuSet> {
    let mut set: CpuSet = [0; CPUS / 64];
    // SAFETY: the set is writable for its length; bits are those of cpu_set_t.
    let r = unsafe { libc::sched_getaffinity(0, mem::size_of::<CpuSet>(), set.as_mut_ptr().cast()) };
    (r as c_int == 0).then_some(set)
}

/// First bytes of the device's `local_cpus`; empty if there is none.
fn sysfs_mask(device: &CStr) -> Vec<u8> {
    let folder = b"/sys/class/infiniband/";
    let path = [folder, device.to_bytes(), b"/device/local_cpus\0"].concat();
    let mut text = vec![0; 1023];
    let len = CStr::from_bytes_with_nul(&path).map_or(0, |p| fd::read(p, &mut text).unwrap_or(0));
    text.truncate(len);
    text
}

/// Hexadecimal digits, most significant first; commas and the end of the line are skipped.
fn parse_mask(text: &[u8]) -> CpuSet {
    let mut set: CpuSet = [0; CPUS / 64];
    let digits = text.iter().rev().filter_map(|c| (*c as char).to_digit(16));
    for (n, digit) in digits.enumerate() {
        if let Some(word) = set.get_mut(n / 16) {
            *word |= u64::from(digit) << (n % 16 * 4);
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_read_from_the_right() {
        let set = |text: &str| parse_mask(text.as_bytes());
        assert_eq!(set("f\n")[..2], [0xf, 0]);
        assert_eq!(set("00000001,80000000,00000003\n")[..2], [0x8000_0000_0000_0003, 1]);
        assert_eq!(set(""), [0; 16]);
        // more digits than processors
        assert_eq!(set(&"f".repeat(300)), [u64::MAX; 16]);
    }
}
