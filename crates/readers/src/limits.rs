//! The limits of what is read: a file may be of anyone's making, so what it can
//! take of memory and time is bounded. An error names the limit, the value and its
//! place. `broadleaf --help` and `docs/formats.md` tell the same numbers; those
//! of traces are in [`workloads::trace::limits`].

use anyhow::{Result, ensure};
use broadleaf::{Scratch, View};
use std::ops::ControlFlow;

/// The most bytes of a file; of a glTF model, also of all its buffers together.
pub const FILE_BYTES_MAX: u64 = 1 << 30;
/// The most triangles of a model, instances counted one by one.
pub const TRIANGLES_MAX: usize = 1 << 24;
/// The most positions of a model: three for each triangle.
pub const POSITIONS_MAX: usize = 3 * TRIANGLES_MAX;
/// The most faces of an OBJ or PLY model.
pub const FACES_MAX: usize = TRIANGLES_MAX;
/// The most JSON objects in a glTF document, and the most primitives that its nodes place.
pub const DOCUMENT_OBJECTS_MAX: usize = 1 << 20;
/// The most pairs in a frame of a trace.
pub const PAIRS_MAX: usize = 1 << 24;

/// Refuses a frame with more pairs than the limit: all who list pairs would hold them.
///
/// # Errors
/// There are more than [`PAIRS_MAX`] pairs.
pub fn check_pairs(view: View<'_>, scratch: &mut Scratch) -> Result<()> {
    let objects = view.len();
    // So few objects cannot have so many.
    if objects.checked_mul(objects).is_some_and(|pairs| pairs / 2 <= PAIRS_MAX) {
        return Ok(());
    }
    let mut pairs = 0;
    let _ = view.pairs(scratch).try_for_each(|_| {
        pairs += 1;
        if pairs > PAIRS_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    ensure!(pairs <= PAIRS_MAX, "more than {PAIRS_MAX} overlapping pairs, which is the limit, of {objects} objects");
    Ok(())
}
