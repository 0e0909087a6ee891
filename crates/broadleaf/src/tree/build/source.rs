//! The source of a bulk build: where the objects that its items name are read.

use crate::data::{Entry, Row};
use crate::geometry::Aabb;
use crate::geometry::lanes::ShapeRow;

/// The objects of a bulk build, by the index in an item.
pub(super) trait Source: Copy {
    /// Whether objects are read from the caller's slice, not from the tree's own columns. Then the row is not stored with
    /// the object.
    const IS_SLICE: bool;

    /// The box, perhaps with negative zeros.
    fn aabb(&self, index: usize) -> Aabb;
    fn entry(&self, index: usize) -> Entry;
    /// The shape, perhaps with negative zeros.
    fn shape_row(&self, index: usize) -> ShapeRow;
    fn row(&self, index: usize) -> Row;
    /// Prefetches an object.
    fn prefetch(&self, index: usize);
}
