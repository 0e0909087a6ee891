//! Milliseconds, for the times that the page shows. No result depends on them.

/// Milliseconds since some moment.
#[cfg(target_arch = "wasm32")]
pub(crate) fn now() -> f64 {
    // SAFETY: the page, or node, gives a function of this name that takes nothing and returns a
    // number; WebAssembly checks the type when the module is instantiated, so it is safe to call.
    #[expect(unsafe_code, reason = "a module has no clock of its own")]
    #[link(wasm_import_module = "page")]
    unsafe extern "C" {
        safe fn now() -> f64;
    }
    now()
}

/// Milliseconds since some moment.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn now() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
}

/// What work returns, and the milliseconds that it took are added.
pub(crate) fn timed<R>(milliseconds: &mut f64, work: impl FnOnce() -> R) -> R {
    let start = now();
    let result = work();
    *milliseconds += now() - start;
    result
}
