//! Eight lanes at once: the only place that names `wide`.
//!
//! Each test here does the same operations in the same order as its scalar
//! twin in `geometry::overlap`, or where its comment says, so the two agree
//! bit for bit. Lanes that hold nothing are inverted boxes (`min` +inf, `max`
//! -inf): neutral when bounds are united, but *not* safe to test, because an
//! infinite query overlaps them; every caller combines a test's mask with a
//! mask of what is there.

mod boxes;
mod capsule;
mod convex;
mod curve;
mod frustum;
mod keys;
mod loose;
mod mask;
mod near;
mod obb;
mod packed_box;
mod padded;
mod prefetch;
mod ray;
mod round;
mod shapes;
mod size;
mod spheres;
mod sweep;
mod triangles;
mod words;

pub(crate) use boxes::{BoxQuery, Boxes};
pub(crate) use capsule::CapsuleQuery;
pub(crate) use convex::{ConvexLanes, planes_and_boxes, planes_and_spheres};
pub(crate) use curve::{CurveCells, CurveKeys};
pub(crate) use frustum::{ALL_PLANES, FrustumLanes, FrustumQuery};
pub(crate) use keys::{Extent, KeyMaker, KeyOrder, SizeCounts, center_within, exponents_above, placeable};
pub(crate) use loose::LooseCell;
pub(crate) use mask::{LaneMask, LeastFirst, raise, set_bits, set_bits_counted, set_bits_down};
pub(crate) use near::NearQuery;
pub(crate) use obb::ObbQuery;
pub(crate) use packed_box::PackedBox;
pub(crate) use padded::{Approach, PaddedRay};
pub(crate) use prefetch::{LINE, PREFETCH_ALL_MAX, PREFETCH_CODE_MIN, prefetch, prefetch_code, prefetch_list};
pub(crate) use ray::RayQuery;
pub(crate) use round::sphere_aabb;
pub(crate) use shapes::{ShapeRow, Shapes};
pub(crate) use spheres::{SphereQuery, Spheres};
pub(crate) use sweep::SweepQuery;
pub(crate) use triangles::{TriangleHits, Triangles};
pub(crate) use words::{any_bit, at_most, unequal};

/// Lanes in a vector, objects in a block, children of a node.
pub(crate) const WIDTH: usize = 8;

/// Eight 32-bit floats.
pub(super) type Lane = wide::f32x8;

#[cfg(test)]
mod tests;
