//! One ray against eight boxes or spheres.

use super::boxes::back;
use super::{Boxes, Lane, LaneMask, Spheres, WIDTH, raise};
use crate::geometry::Ray;
use glam::Vec3;

/// Where a ray enters boxes and where it leaves them, from where it is between the sides of each axis.
#[inline(always)]
pub(super) fn within_all([x, y, z]: [(Lane, Lane); 3], distance_max: f32) -> (Lane, Lane) {
    // Not one axis after the other: each step would wait for the one before.
    let enter = x.0.fast_max(y.0).fast_max(z.0.fast_max(Lane::splat(0.0)));
    let exit = x.1.fast_min(y.1).fast_min(z.1.fast_min(Lane::splat(distance_max)));
    (enter, exit)
}

/// One ray in all lanes.
#[derive(Clone, Copy)]
pub(crate) struct RayQuery {
    origin: [Lane; 3],
    inverse: [Lane; 3],
    ray: Ray,
    /// Whether the ray may be parallel to a pair of sides, or is a segment.
    is_special: bool,
    /// See [`Boxes::sides`].
    back: [usize; 3],
}

impl RayQuery {
    #[inline]
    pub(crate) fn new(ray: &Ray) -> Self {
        // One over a component that is zero, or nearly so, is infinite. A sum takes one test in place of three; that of
        // finite numbers may be infinite too, which costs time alone.
        let [x, y, z] = ray.inverse().to_array();
        let may_be_parallel = !(x + y + z).is_finite();
        Self {
            origin: ray.origin().to_array().map(Lane::splat),
            inverse: ray.inverse().to_array().map(Lane::splat),
            ray: *ray,
            is_special: may_be_parallel | ray.end().is_some(),
            back: ray.direction().to_array().map(back),
        }
    }

    /// The end of a segment, if `distance_max` reaches it.
    #[inline]
    fn end_within(&self, distance_max: f32) -> Option<Vec3> {
        self.ray.end().filter(|_| distance_max >= self.ray.distance_max())
    }

    /// The lanes whose box the ray meets within `distance_max`, and where it
    /// enters each (meaningful in those lanes only). Lanes that hold nothing are missed.
    #[inline]
    pub(crate) fn boxes(&self, boxes: &Boxes, distance_max: f32) -> (LaneMask, [f32; WIDTH]) {
        self.test::<true>(boxes, distance_max)
    }

    /// As `RayQuery::new(ray).boxes(..)`, for a single test. Lanes that hold nothing may count as met.
    #[inline(always)]
    pub(crate) fn boxes_once(ray: &Ray, boxes: &Boxes, distance_max: f32) -> (LaneMask, [f32; WIDTH]) {
        Self::new(ray).test::<false>(boxes, distance_max)
    }

    /// The test of both, with the sides in order `BY_SIGN` or by comparison.
    #[inline(always)]
    fn test<const BY_SIGN: bool>(&self, boxes: &Boxes, distance_max: f32) -> (LaneMask, [f32; WIDTH]) {
        if self.is_special {
            return self.test_specially::<BY_SIGN>(boxes, distance_max);
        }
        // Not by `map`, which hands vectors over in memory.
        let (x, y) = (self.between_sides::<BY_SIGN>(boxes, 0), self.between_sides::<BY_SIGN>(boxes, 1));
        let z = self.between_sides::<BY_SIGN>(boxes, 2);
        let (enter, exit) = within_all([x, y, z], distance_max);
        Self::met(enter, exit)
    }

    /// The test of a ray that may be parallel to a pair of sides, or a segment.
    // Inlined, seldom as it is: a call would hand over its result in memory, on both paths.
    #[inline(always)]
    fn test_specially<const BY_SIGN: bool>(&self, boxes: &Boxes, distance_max: f32) -> (LaneMask, [f32; WIDTH]) {
        let (mut enter, mut exit) = (Lane::splat(0.0), Lane::splat(distance_max));
        for axis in 0..3 {
            if self.ray.inverse()[axis].is_infinite() {
                let outside =
                    self.origin[axis].simd_lt(boxes.column(axis)) | self.origin[axis].simd_gt(boxes.column(axis + 3));
                enter = outside.select(Lane::splat(f32::INFINITY), enter);
            } else {
                let (near, far) = self.between_sides::<BY_SIGN>(boxes, axis);
                (enter, exit) = (near.fast_max(enter), far.fast_min(exit));
            }
        }
        match self.end_within(distance_max) {
            None => Self::met(enter, exit),
            Some(end) => self.met_or_ended(boxes, end, enter, exit),
        }
    }

    /// Where the ray comes between a pair of sides of each box, and where it leaves them. The signs of the direction say
    /// which of both it comes to first; to look at them pays from the second test on, to compare the distances before.
    #[inline(always)]
    fn between_sides<const BY_SIGN: bool>(&self, boxes: &Boxes, axis: usize) -> (Lane, Lane) {
        let back = if BY_SIGN { self.back[axis] } else { 0 };
        let (origin, inverse, [first, second]) = (self.origin[axis], self.inverse[axis], boxes.sides(axis, back));
        let (first, second) = ((first - origin) * inverse, (second - origin) * inverse);
        if BY_SIGN { (first, second) } else { (first.fast_min(second), first.fast_max(second)) }
    }

    /// The lanes that are met, and those whose box contains the end of the
    /// segment: these at its length, if rounding has them missed.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    fn met_or_ended(&self, boxes: &Boxes, end: Vec3, enter: Lane, exit: Lane) -> (LaneMask, [f32; WIDTH]) {
        let end = end.to_array().map(Lane::splat);
        let axis = |i: usize| end[i].simd_ge(boxes.column(i)) & end[i].simd_le(boxes.column(i + 3));
        let (met, ended) = (enter.simd_le(exit), (axis(0) & axis(1)) & axis(2));
        let distance = met.select(enter + Lane::splat(0.0), Lane::splat(self.ray.distance_max()));
        ((met | ended).to_bitmask() as LaneMask, distance.to_array())
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    fn met(enter: Lane, exit: Lane) -> (LaneMask, [f32; WIDTH]) {
        // Adding zero turns a negative zero into a positive one.
        (enter.simd_le(exit).to_bitmask() as LaneMask, (enter + Lane::splat(0.0)).to_array())
    }

    /// The lanes whose sphere the ray meets within `distance_max`, and where.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn spheres(&self, spheres: &Spheres, distance_max: f32) -> (LaneMask, [f32; WIDTH]) {
        let zero = Lane::splat(0.0);
        let (center, radius) = spheres.columns();
        let [fx, fy, fz] = [0, 1, 2].map(|i| self.origin[i] - center[i]);
        let [dx, dy, dz] = self.ray.direction().to_array().map(Lane::splat);
        let radius_sq = radius * radius;
        let inside = ((fx * fx + fy * fy) + fz * fz).simd_le(radius_sq);
        let b = (fx * dx + fy * dy) + fz * dz;
        let (lx, ly, lz) = (fx - dx * b, fy - dy * b, fz - dz * b);
        let discriminant = radius_sq - ((lx * lx + ly * ly) + lz * lz);
        let distance = (-b - discriminant.fast_max(zero).sqrt()).fast_max(zero) + zero;
        let ahead = discriminant.simd_ge(zero) & b.simd_le(zero) & distance.simd_le(Lane::splat(distance_max));
        let (met, distance) = (inside | ahead, inside.select(zero, distance));
        let Some(end) = self.end_within(distance_max) else {
            return (met.to_bitmask() as LaneMask, distance.to_array());
        };
        let [ex, ey, ez] = [0, 1, 2].map(|i| center[i] - Lane::splat(end[i]));
        let ended = ((ex * ex + ey * ey) + ez * ez).simd_le(radius_sq);
        let distance = met.select(distance, Lane::splat(self.ray.distance_max()));
        ((met | ended).to_bitmask() as LaneMask, distance.to_array())
    }

    /// The lanes whose sphere the ray meets within `distance_max`; of `which`,
    /// raises the distances to where it does.
    #[inline]
    pub(crate) fn refine(
        &self,
        spheres: &Spheres,
        which: LaneMask,
        distances: &mut [f32; WIDTH],
        distance_max: f32,
    ) -> LaneMask {
        let (mask, inner) = self.spheres(spheres, distance_max);
        raise(distances, which & mask, &inner);
        mask
    }
}
