//! Distances from one box, or one point, to eight boxes or spheres.

use super::{Boxes, Lane, LaneMask, Spheres, WIDTH, set_bits};
use crate::geometry::Aabb;
use crate::geometry::overlap::{SQUARE_MAX, aabb_distance};

/// A box in all lanes; a point is a box without extent.
#[derive(Clone, Copy)]
pub(crate) struct NearQuery {
    aabb: Aabb,
    min: [Lane; 3],
    max: [Lane; 3],
}

impl NearQuery {
    #[inline]
    pub(crate) fn new(aabb: &Aabb) -> Self {
        Self { aabb: *aabb, min: aabb.min.to_array().map(Lane::splat), max: aabb.max.to_array().map(Lane::splat) }
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

    /// The distances, with those infinite ones whose square overflows found another way.
    #[cold]
    fn with_unbounded(&self, distance: Lane, infinite: LaneMask, aabb: impl Fn(usize) -> Aabb) -> Lane {
        let mut distances = distance.to_array();
        for lane in set_bits(u64::from(infinite)) {
            distances[lane % WIDTH] = aabb_distance(&aabb(lane), &self.aabb);
        }
        Lane::new(distances)
    }

    /// The lanes whose finite box is within `distance_max`, and how far each is.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn boxes(&self, boxes: &Boxes, distance_max: f32) -> (LaneMask, [f32; WIDTH]) {
        let mut distance = self.distance(|i| (boxes.column(i), boxes.column(i + 3)));
        // Below that limit, what overflows is beyond it.
        if distance_max >= SQUARE_MAX {
            // Lanes that hold nothing are infinitely far, and inverted.
            let is_box = boxes.column(0).simd_le(boxes.column(3));
            let infinite = (distance.simd_gt(Lane::splat(f32::MAX)) & is_box).to_bitmask() as LaneMask;
            if infinite != 0 {
                distance = self.with_unbounded(distance, infinite, |lane| boxes.get(lane));
            }
        }
        (distance.simd_le(Lane::splat(distance_max)).to_bitmask() as LaneMask, distance.to_array())
    }

    /// How far each sphere is; zero where it overlaps.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn spheres(&self, spheres: &Spheres) -> [f32; WIDTH] {
        let (center, radius) = spheres.columns();
        let mut distance = self.distance(|i| (center[i], center[i]));
        let infinite = distance.simd_gt(Lane::splat(f32::MAX)).to_bitmask() as LaneMask;
        if infinite != 0 {
            distance = self.with_unbounded(distance, infinite, |lane| {
                let center = spheres.get(lane).center;
                Aabb::new(center, center)
            });
        }
        (distance - radius).fast_max(Lane::splat(0.0)).to_array()
    }
}
