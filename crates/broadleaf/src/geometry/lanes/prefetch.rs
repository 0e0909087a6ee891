//! Memory that is wanted soon; the only place that names `safe_arch`.

/// Has the cache line at the beginning of `place` brought near, and waits for
/// nothing. Where the processor cannot be asked, nothing happens.
#[inline(always)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_feature = "sse")]
    safe_arch::prefetch_t0(place);
    #[cfg(not(target_feature = "sse"))]
    let _ = place;
}
