//! What is left of a value when code of the caller's panics while the value changes.

/// Changes a value by code that calls the caller's. If that panics, the value is cleared while the panic unwinds, so
/// that nobody sees it half changed.
#[inline(always)]
pub(crate) fn cleared_on_panic<T, R>(value: &mut T, clear: fn(&mut T), change: impl FnOnce(&mut T) -> R) -> R {
    let guard = ClearOnDrop { value, clear };
    let result = change(guard.value);
    core::mem::forget(guard);
    result
}

struct ClearOnDrop<'a, T> {
    value: &'a mut T,
    clear: fn(&mut T),
}

impl<T> Drop for ClearOnDrop<'_, T> {
    #[cold]
    fn drop(&mut self) {
        (self.clear)(self.value);
    }
}
