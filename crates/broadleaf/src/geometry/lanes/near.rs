//! Distances from one box, or one point, to eight boxes or spheres.

use super::{Boxes, Lane, LaneMask, Spheres, WIDTH};
use crate::geometry::Aabb;

/// A box in all lanes; a point is a box without extent.
#[derive(Clone, Copy)]
pub(crate) struct NearQuery {
    min: [Lane; 3],
    max: [Lane; 3],
}

impl NearQuery {
    #[inline]
    pub(crate) fn new(aabb: &Aabb) -> Self {
        Self { min: aabb.min.to_array().map(Lane::splat), max: aabb.max.to_array().map(Lane::splat) }
    }

    #[inline]
    fn distance(&self, axis: impl Fn(usize) -> (Lane, Lane)) -> Lane {
        let square = |i: usize| {
            let (min, max) = axis(i);
            let d = (min - self.max[i]).fast_max(self.min[i] - max).fast_max(Lane::splat(0.0));
            d * d
        };
        ((square(0) + square(1)) + square(2)).sqrt()
    }

    /// The lanes whose finite box is within `distance_max`, and how far each is.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn boxes(&self, boxes: &Boxes, distance_max: f32) -> (LaneMask, [f32; WIDTH]) {
        let distance = self.distance(|i| (boxes.column(i), boxes.column(i + 3)));
        (distance.simd_le(Lane::splat(distance_max)).to_bitmask() as LaneMask, distance.to_array())
    }

    /// How far each sphere is; zero where it overlaps.
    #[inline]
    pub(crate) fn spheres(&self, spheres: &Spheres) -> [f32; WIDTH] {
        let (center, radius) = spheres.columns();
        let distance = self.distance(|i| (center[i], center[i]));
        (distance - radius).fast_max(Lane::splat(0.0)).to_array()
    }
}
