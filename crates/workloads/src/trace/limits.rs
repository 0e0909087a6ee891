//! The limits of a trace that is read. A small compressed file may describe a
//! trace of any size, so every count is checked before memory is taken for it.

use super::error::{Place, TraceError};

/// The most frames of a trace.
pub const FRAMES_MAX: u64 = 1 << 20;
/// The most objects that live at once, and the most entries of one list of a frame.
pub const OBJECTS_MAX: u64 = 1 << 20;
/// The most changes (spawned, moved, removed) in all frames of a [`Trace`](super::Trace).
///
/// A [`TraceReader`](super::TraceReader) holds one frame at a time and has no such limit.
pub const CHANGES_MAX: u64 = 1 << 25;

/// Refuses what is beyond a limit.
pub(super) fn check(place: Place, what: &'static str, found: u64, limit: u64) -> Result<(), TraceError> {
    if found > limit { Err(TraceError::Limit { place, what, found, limit }) } else { Ok(()) }
}
