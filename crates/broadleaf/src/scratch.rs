//! Working memory that a caller keeps.

use crate::pairs::PassScratch;
use crate::query::OrderScratch;

/// Working memory of pair passes and of questions that are answered in order of
/// distance.
///
/// Keep one for each thread and hand it in again each frame: after a few frames
/// nothing is allocated. It holds nothing between two calls, and is no part of a snapshot.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    pub(crate) pass: PassScratch,
    pub(crate) order: OrderScratch,
}

impl Scratch {
    /// Working memory that holds nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}
