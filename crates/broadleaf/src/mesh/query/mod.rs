//! Questions to a mesh: what a cast hits, which triangles overlap a region, what is nearest.

pub(super) mod cast;
pub(super) mod nearest;
pub(super) mod overlap;
pub(super) mod ray;
pub(super) mod sparse;
pub(super) mod sweep;
pub(super) mod walk;
