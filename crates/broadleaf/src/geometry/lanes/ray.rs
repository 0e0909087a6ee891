//! One ray against eight boxes or spheres.

use super::{Boxes, Lane, LaneMask, Spheres, WIDTH, raise};
use crate::geometry::Ray;

/// One ray in all lanes.
#[derive(Clone, Copy)]
pub(crate) struct RayQuery {
    origin: [Lane; 3],
    direction: [f32; 3],
    inverse: [Lane; 3],
    parallel: [bool; 3],
    /// Where a segment ends, and how long it is; infinitely long if it is none.
    end: [f32; 3],
    length: f32,
    /// Whether the ray is parallel to a pair of sides, or a segment.
    is_special: bool,
}

impl RayQuery {
    #[inline]
    pub(crate) fn new(ray: &Ray) -> Self {
        let inverse = ray.inverse().to_array();
        let parallel = inverse.map(f32::is_infinite);
        let length = if ray.end().is_some() { ray.distance_max() } else { f32::INFINITY };
        Self {
            origin: ray.origin().to_array().map(Lane::splat),
            direction: ray.direction().to_array(),
            inverse: inverse.map(Lane::splat),
            parallel,
            end: ray.end().unwrap_or(ray.origin()).to_array(),
            length,
            is_special: parallel.contains(&true) || ray.end().is_some(),
        }
    }

    /// The lanes whose box the ray meets within `distance_max`, and where it
    /// enters each (meaningful in those lanes only).
    ///
    /// The sides of a slab are put in order by comparing their distances: that
    /// is what the signs of the direction say, without a branch on them.
    #[inline]
    pub(crate) fn boxes(&self, boxes: &Boxes, distance_max: f32) -> (LaneMask, [f32; WIDTH]) {
        if self.is_special {
            return self.boxes_specially(boxes, distance_max);
        }
        let (mut enter, mut exit) = (Lane::splat(0.0), Lane::splat(distance_max));
        for axis in 0..3 {
            (enter, exit) = self.slab(boxes, axis, enter, exit);
        }
        Self::met(enter, exit)
    }

    /// [`RayQuery::boxes`] for a ray that is parallel to at least one pair of sides, or a segment.
    // Inlined, seldom as it is: a call would hand over its result in memory, on both paths.
    #[inline(always)]
    fn boxes_specially(&self, boxes: &Boxes, distance_max: f32) -> (LaneMask, [f32; WIDTH]) {
        let (mut enter, mut exit) = (Lane::splat(0.0), Lane::splat(distance_max));
        for axis in 0..3 {
            if self.parallel[axis] {
                let outside =
                    self.origin[axis].simd_lt(boxes.column(axis)) | self.origin[axis].simd_gt(boxes.column(axis + 3));
                enter = outside.select(Lane::splat(f32::INFINITY), enter);
            } else {
                (enter, exit) = self.slab(boxes, axis, enter, exit);
            }
        }
        if distance_max < self.length { Self::met(enter, exit) } else { self.met_or_ended(boxes, enter, exit) }
    }

    /// The lanes that are met, and those whose box contains the end of the
    /// segment: these at its length, if rounding has them missed.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    fn met_or_ended(&self, boxes: &Boxes, enter: Lane, exit: Lane) -> (LaneMask, [f32; WIDTH]) {
        let end = self.end.map(Lane::splat);
        let axis = |i: usize| end[i].simd_ge(boxes.column(i)) & end[i].simd_le(boxes.column(i + 3));
        let (met, ended) = (enter.simd_le(exit), (axis(0) & axis(1)) & axis(2));
        let distance = met.select(enter + Lane::splat(0.0), Lane::splat(self.length));
        ((met | ended).to_bitmask() as LaneMask, distance.to_array())
    }

    /// Narrows the part of the ray that lies within the boxes.
    #[inline]
    fn slab(&self, boxes: &Boxes, axis: usize, enter: Lane, exit: Lane) -> (Lane, Lane) {
        let low = (boxes.column(axis) - self.origin[axis]) * self.inverse[axis];
        let high = (boxes.column(axis + 3) - self.origin[axis]) * self.inverse[axis];
        (low.fast_min(high).fast_max(enter), low.fast_max(high).fast_min(exit))
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
        let [dx, dy, dz] = self.direction.map(Lane::splat);
        let radius_sq = radius * radius;
        let inside = ((fx * fx + fy * fy) + fz * fz).simd_le(radius_sq);
        let b = (fx * dx + fy * dy) + fz * dz;
        let (lx, ly, lz) = (fx - dx * b, fy - dy * b, fz - dz * b);
        let discriminant = radius_sq - ((lx * lx + ly * ly) + lz * lz);
        let distance = (-b - discriminant.fast_max(zero).sqrt()).fast_max(zero) + zero;
        let ahead = discriminant.simd_ge(zero) & b.simd_le(zero) & distance.simd_le(Lane::splat(distance_max));
        let (met, distance) = (inside | ahead, inside.select(zero, distance));
        if distance_max < self.length {
            return (met.to_bitmask() as LaneMask, distance.to_array());
        }
        let [ex, ey, ez] = [0, 1, 2].map(|i| center[i] - Lane::splat(self.end[i]));
        let ended = ((ex * ex + ey * ey) + ez * ez).simd_le(radius_sq);
        let distance = met.select(distance, Lane::splat(self.length));
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
