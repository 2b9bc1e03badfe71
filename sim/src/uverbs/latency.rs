//! Threads that must answer soon although programs poll on every processor.

/// Ask the scheduler for short slices and exact timers for the calling thread: it then
/// preempts a polling program when it has something to do, and gives way soon. A kernel
/// that does not know of it runs the thread as any other.
pub fn answer_soon() {
    /// The shortest slice that can be asked for, in nanoseconds.
    const SLICE: u64 = 100_000;
    /// Slack of timers, in nanoseconds.
    const SLACK: libc::c_ulong = 1000;
    // SAFETY: PR_SET_TIMERSLACK takes a number.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, SLACK, 0, 0, 0) };
    // struct sched_attr, version 0: size, policy, flags, nice, priority, runtime, deadline, period
    let mut attr = [0u64; 6];
    attr[0] = std::mem::size_of_val(&attr) as u64;
    attr[3] = SLICE;
    // SAFETY: the kernel reads `size` bytes of the structure, which outlives the call.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, attr.as_ptr(), 0) };
}
