//! Prefetching memory; the only place that names `safe_arch` and `branches`.

/// Prefetches the cache line at the beginning of `place`. No-op without SSE.
#[inline(always)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_feature = "sse")]
    safe_arch::prefetch_t0(place);
    #[cfg(not(target_feature = "sse"))]
    let _ = place;
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// A call for fewer objects prefetches no code: to ask for hundreds of lines takes up to a tenth of a microsecond.
pub(crate) const PREFETCH_CODE_MIN: usize = 16;

/// Prefetches the first cache lines of a function's code into the second-level cache.
///
/// A game does other work between two calls, and the code of the library leaves the caches. A processor then fetches
/// it line after line as it runs, which takes longer than all else in a world of a few hundred objects; lines that are
/// prefetched arrive side by side. Callers give the lines that the common case runs through, counted on x86-64; a
/// number that is wrong costs time, nothing else. The function must not be inlined, or another copy of it is prefetched.
// Not inlined: the loop would be unrolled at each call, into code that has to be fetched itself.
#[inline(never)]
pub(crate) fn prefetch_code(function: *const (), lines: usize) {
    for line in 0..lines {
        branches::prefetch_read_data::<u8, 1>(function.cast::<u8>().wrapping_add(line * LINE));
    }
}
