//! Prefetching memory; the only place that names `safe_arch` and `prefetch_index`.

use core::ops::Range;

/// Prefetches the cache line at the beginning of `place`. No-op without SSE.
#[inline(always)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_feature = "sse")]
    safe_arch::prefetch_t0(place);
    #[cfg(not(target_feature = "sse"))]
    let _ = place;
}

/// Bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// A call for fewer objects prefetches no code: to prefetch hundreds of lines takes some tenths of a microsecond.
pub(crate) const PREFETCH_CODE_MIN: usize = 16;

/// Calls for more objects do not prefetch all nodes and blocks, or the room for them: with warm caches it would take too
/// long.
pub(crate) const PREFETCH_ALL_MAX: usize = 512;

/// Prefetches cache lines of a function's code into the caches; line 0 is the one in which the function begins.
///
/// A game does other work between two calls, and the code of the library leaves the caches. The processor then fetches
/// it line after line as it runs, which is more than half of a call in a world of 100 objects; prefetched lines are
/// fetched in parallel. Callers give the lines that the common case runs through, counted on x86-64; a number that is
/// wrong costs time, nothing else. `docs/decisions/0104-common-code-is-prefetched.md` says how to count them. The
/// function must not be inlined, or another copy of it is prefetched.
///
/// No-op without the standard library, and where the processor is neither x86 with SSE nor 64-bit ARM.
#[inline(always)]
pub(crate) fn prefetch_code(function: *const (), lines: Range<usize>) {
    prefetch_lines(function, lines);
}

/// Prefetches all of a list that begins with a cache line, or the room for it. No-op where [`prefetch_code`] is.
#[inline(always)]
pub(crate) fn prefetch_list<T>(list: &[T]) {
    prefetch_lines(list.as_ptr().cast(), 0..size_of_val(list).div_ceil(LINE));
}

/// Prefetches lines, counted from that of `start`, two a turn: of an odd number of them one more.
// Inlined: a function apart would be one more page of code, and its address one more line of data.
#[inline(always)]
fn prefetch_lines(start: *const (), lines: Range<usize>) {
    #[cfg(feature = "std")]
    {
        // The crate takes a slice and an index that may lie outside of it: a prefetch reads nothing.
        let nowhere: &[u8] = &[];
        let start = start.addr().wrapping_sub(nowhere.as_ptr().addr());
        // The hidden length and the empty `black_box` keep the compiler from unrolling the loop, into code that has to be
        // fetched itself.
        let count = core::hint::black_box(lines.len().div_ceil(2));
        let mut place = start.wrapping_add(lines.start * LINE);
        for _ in 0..count {
            prefetch_index::prefetch_index(nowhere, place);
            prefetch_index::prefetch_index(nowhere, place.wrapping_add(LINE));
            place = place.wrapping_add(2 * LINE);
            core::hint::black_box(());
        }
    }
    #[cfg(not(feature = "std"))]
    let _ = (start, lines, LINE);
}
