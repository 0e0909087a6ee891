//! Spans of the crate `tracing`, with the feature of that name. Without the feature,
//! the macros compile to nothing: their values are never computed.

/// Opens a span and enters it until the end of the scope. A field without a value
/// gets one by `record!`.
#[cfg(feature = "tracing")]
macro_rules! span {
    ($name:literal $(, $field:ident $(= $value:expr)?)*) => {
        tracing::debug_span!(target: "broadleaf", $name $(, $field = $crate::spans::value!($($value)?))*).entered()
    };
}

/// Gives a field of a span its value.
#[cfg(feature = "tracing")]
macro_rules! record {
    ($span:ident $(, $field:ident = $value:expr)*) => {
        if !$span.is_disabled() {
            $($span.record(stringify!($field), $value);)*
        }
    };
}

/// The value of a field, or none yet.
#[cfg(feature = "tracing")]
macro_rules! value {
    () => {
        tracing::field::Empty
    };
    ($value:expr) => {
        $value
    };
}
#[cfg(feature = "tracing")]
pub(crate) use value;

#[cfg(not(feature = "tracing"))]
macro_rules! span {
    ($name:literal $(, $field:ident $(= $value:expr)?)*) => {{
        if false {
            $($(let _ = $value;)?)*
        }
        $crate::spans::NoSpan
    }};
}

#[cfg(not(feature = "tracing"))]
macro_rules! record {
    ($span:ident $(, $field:ident = $value:expr)*) => {
        if false {
            let $crate::spans::NoSpan = $span;
            $(let _ = $value;)*
        }
    };
}

/// Stands where a span would.
#[cfg(not(feature = "tracing"))]
pub(crate) struct NoSpan;

pub(crate) use {record, span};
