//! Prefetching memory; the only place that names `safe_arch`.

/// Prefetches the cache line at the beginning of `place`. No-op without SSE.
#[inline(always)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_feature = "sse")]
    safe_arch::prefetch_t0(place);
    #[cfg(not(target_feature = "sse"))]
    let _ = place;
}
