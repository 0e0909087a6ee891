//! What a bulk build reads its objects from.

use crate::data::blocks::Entry;
use crate::data::ids::Row;
use crate::geometry::Aabb;

/// Where a bulk build finds the objects that its items name.
pub(super) trait Source {
    fn aabb(&self, index: usize) -> Aabb;
    fn entry(&self, index: usize) -> Entry;
    /// An object's row, and some word that lies where its entry does.
    fn fetch(&self, index: usize) -> (Row, u32);
}
