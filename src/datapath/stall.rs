//! Waiting between polls that find nothing (`MLX5_STALL_CQ_POLL`): old processors let the device's
//! writes through better while nobody looks. x86-64 only, and only for classic queues, as
//! upstream has it (`spec`: datapath, section 8; context, section 8).

use super::{
    cq::{Cq, PollCq},
    poll,
};
#[cfg(target_arch = "x86_64")]
use crate::{
    abi::verbs::{ibv_cq, ibv_wc},
    provider::stall as settings,
};
use core::cell::Cell;
#[cfg(target_arch = "x86_64")]
use core::ffi::c_int;

/// State of one queue. Advice only: threads may see each other's values.
#[derive(Default)]
pub struct Stall {
    /// The last poll found nothing.
    next: Cell<bool>,
    /// Adaptive: cycles to wait.
    cycles: Cell<i32>,
    /// Adaptive: time stamp of the last poll; 0 if there is nothing to wait for.
    last: Cell<u64>,
}

/// The polling function of a classic queue.
#[cfg(target_arch = "x86_64")]
pub fn choose(cq: &Cq) -> PollCq {
    match cq.context().stall {
        settings::Stall::Off => poll::choose(cq),
        settings::Stall::Fixed => fixed,
        settings::Stall::Adaptive(start) => {
            cq.cur.stall.cycles.set(start);
            adaptive
        }
    }
}

/// The polling function of a classic queue.
#[cfg(not(target_arch = "x86_64"))]
pub fn choose(cq: &Cq) -> PollCq {
    poll::choose(cq)
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
        for _ in 0..settings::num_loop() {
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
    let ((min, max), (up, down)) = (settings::adaptive_range(), settings::adaptive_steps());
    let shorter = s.cycles.get().saturating_sub(down).max(min);
    if n == 0 {
        s.cycles.set(shorter);
        s.last.set(now());
    } else if n < count {
        s.cycles.set(s.cycles.get().saturating_add(up).min(max));
        s.last.set(now());
    } else {
        s.cycles.set(shorter);
        s.last.set(0);
    }
    n
}
