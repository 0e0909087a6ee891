//! Counts heap allocations around single calls of the library.

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What one call cost.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    /// Wall time.
    pub(crate) time: Duration,
    /// Heap allocations, reallocations included, on all threads.
    pub(crate) allocations: usize,
}

/// Runs `work` and reports what it cost.
pub(crate) fn measure<R>(work: impl FnOnce() -> R) -> (R, Cost) {
    let region = Region::new(ALLOCATOR);
    let start = Instant::now();
    let result = work();
    let time = start.elapsed();
    let change = region.change();
    (result, Cost { time, allocations: change.allocations + change.reallocations })
}
