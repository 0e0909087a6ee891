//! What a bulk build reads its objects from.

use crate::data::blocks::block::Entry;
use crate::data::ids::Row;
use crate::geometry::Aabb;

/// Where a bulk build finds the objects that its items name.
pub(in crate::tree) trait Source {
    /// Whether an object's row is read where the object lies.
    const READS_ROWS: bool;
    /// Whether [`Source::raw_entry`] may have negative zeros.
    const HAS_NEGATIVE_ZEROS: bool;

    fn aabb(&self, index: usize) -> Aabb;
    fn entry(&self, index: usize) -> Entry;
    /// The entry with the negative zeros that it was given, for callers that clear
    /// them of eight boxes at a time.
    fn raw_entry(&self, index: usize) -> Entry;
    fn row(&self, index: usize) -> Row;
    /// Has an object brought near.
    fn prefetch(&self, index: usize);
}
