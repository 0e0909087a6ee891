//! The source of a bulk build: where the objects that its items name are read.

use crate::data::{Entry, Row};
use crate::geometry::Aabb;

/// The objects of a bulk build, by the index in an item.
pub(super) trait Source {
    /// Whether an object's row is stored with the object.
    const READS_ROWS: bool;
    /// Whether the entry of [`Source::raw_entry`] may have negative zeros.
    const HAS_NEGATIVE_ZEROS: bool;

    fn aabb(&self, index: usize) -> Aabb;
    fn entry(&self, index: usize) -> Entry;
    /// The entry without clearing negative zeros, for callers that clear them for eight
    /// boxes at a time.
    fn raw_entry(&self, index: usize) -> Entry;
    fn row(&self, index: usize) -> Row;
    /// Prefetches an object.
    fn prefetch(&self, index: usize);
}
