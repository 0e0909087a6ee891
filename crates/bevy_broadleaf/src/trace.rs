//! Spans of `tracing`, if the feature `trace` is on.

/// A span from here to the end of the block that holds the guard.
#[cfg(feature = "trace")]
macro_rules! span {
    ($name:literal) => {
        tracing::info_span!($name).entered()
    };
}

#[cfg(not(feature = "trace"))]
macro_rules! span {
    ($name:literal) => {
        ()
    };
}

pub(crate) use span;
