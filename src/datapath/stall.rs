//! Waiting between polls that find nothing (`MLX5_STALL_CQ_POLL`): old processors let the device's
//! writes through better while nobody looks. x86-64 only, and only for classic queues, as
//! upstream has it (`spec`: datapath, section 8; context, section 8).

use super::cq::{Cq, PollCq};
#[cfg(target_arch = "x86_64")]
use super::poll;
#[cfg(target_arch = "x86_64")]
use crate::{
    abi::verbs::{ibv_cq, ibv_wc},
    env,
};
use core::cell::Cell;
#[cfg(target_arch = "x86_64")]
use core::ffi::c_int;

/// State of one queue. Advice only: threads may see each other's values.
#[derive(Default)]
pub struct Stall {
    /// Rounds of a fixed wait; 0 for an adaptive one.
    rounds: Cell<u32>,
    /// The last poll found nothing.
    next: Cell<bool>,
    /// Adaptive: cycles to wait.
    cycles: Cell<i32>,
    /// Adaptive: time stamp of the last poll; 0 if there is nothing to wait for.
    last: Cell<u64>,
    min: Cell<i32>,
    max: Cell<i32>,
    up: Cell<i32>,
    down: Cell<i32>,
}

/// The polling function of a classic queue.
#[cfg(target_arch = "x86_64")]
pub fn choose(cq: &Cq) -> PollCq {
    let wanted = match env::get(c"MLX5_STALL_CQ_POLL") {
        Some(v) => v.to_bytes() != b"0",
        None => sandy_bridge(),
    };
    if !wanted {
        return poll::choose(cq);
    }
    let s = &cq.cur.stall;
    s.min.set(env::int(c"MLX5_STALL_CQ_POLL_MIN").unwrap_or(60));
    s.max.set(env::int(c"MLX5_STALL_CQ_POLL_MAX").unwrap_or(100_000));
    s.up.set(env::int(c"MLX5_STALL_CQ_INC_STEP").unwrap_or(100));
    s.down.set(env::int(c"MLX5_STALL_CQ_DEC_STEP").unwrap_or(10));
    match env::int(c"MLX5_STALL_NUM_LOOP").unwrap_or(60) {
        n if n < 0 => {
            s.cycles.set(s.min.get());
            adaptive
        }
        n => {
            s.rounds.set(n as u32);
            fixed
        }
    }
}

/// The polling function of a classic queue.
#[cfg(not(target_arch = "x86_64"))]
pub fn choose(cq: &Cq) -> PollCq {
    super::poll::choose(cq)
}

/// Family 6, model 0x2a or 0x2d.
#[cfg(target_arch = "x86_64")]
fn sandy_bridge() -> bool {
    let v = core::arch::x86_64::__cpuid(1).eax;
    let (family, model) = (v >> 8 & 0xf, v >> 4 & 0xf | v >> 12 & 0xf0);
    family == 6 && matches!(model, 0x2a | 0x2d)
}

#[cfg(target_arch = "x86_64")]
fn now() -> u64 {
    // SAFETY: every x86-64 processor has the counter.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// # Safety
/// As `poll::dispatch`.
#[cfg(target_arch = "x86_64")]
unsafe extern "C" fn fixed(ibv: *mut ibv_cq, count: c_int, wc: *mut ibv_wc) -> c_int {
    // SAFETY: the promise above.
    let cq = unsafe { Cq::from_ibv(ibv) };
    let s = &cq.cur.stall;
    if s.next.replace(false) {
        for _ in 0..s.rounds.get() {
            core::hint::black_box(now());
        }
    }
    // SAFETY: the promise above.
    let n = unsafe { poll::choose(cq)(ibv, count, wc) };
    if n == 0 {
        s.next.set(true);
    }
    n
}

/// # Safety
/// As `poll::dispatch`.
#[cfg(target_arch = "x86_64")]
unsafe extern "C" fn adaptive(ibv: *mut ibv_cq, count: c_int, wc: *mut ibv_wc) -> c_int {
    // SAFETY: the promise above.
    let cq = unsafe { Cq::from_ibv(ibv) };
    let s = &cq.cur.stall;
    if s.last.get() != 0 {
        let until = s.last.get().wrapping_add(s.cycles.get().max(0) as u64);
        while now() < until {
            core::hint::spin_loop();
        }
    }
    // SAFETY: the promise above.
    let n = unsafe { poll::choose(cq)(ibv, count, wc) };
    let shorter = s.cycles.get().saturating_sub(s.down.get()).max(s.min.get());
    if n == 0 {
        s.cycles.set(shorter);
        s.last.set(now());
    } else if n < count {
        s.cycles.set(s.cycles.get().saturating_add(s.up.get()).min(s.max.get()));
        s.last.set(now());
    } else {
        s.cycles.set(shorter);
        s.last.set(0);
    }
    n
}
