//! One ray against eight boxes or spheres.

use super::{Boxes, Lane, LaneMask, Spheres, WIDTH, raise};
use crate::geometry::Ray;

/// One ray in all lanes, with what is known of its end.
#[derive(Clone, Copy)]
pub(crate) struct RayQuery<E> {
    origin: [Lane; 3],
    direction: [Lane; 3],
    inverse: [Lane; 3],
    parallel: [bool; 3],
    /// Whether the ray is parallel to a pair of sides, or a segment.
    is_special: bool,
    end: E,
}

/// What a query knows of the end of a ray.
pub(crate) trait RayEnd: Copy {
    fn new(ray: &Ray) -> Self;
    /// The end of a segment, unless less than the whole segment is looked at.
    fn within(&self, distance_max: f32) -> Option<&SegmentEnd>;
}

/// Of a ray that is no segment: nothing. Its query is smaller, and its tests shorter.
#[derive(Clone, Copy)]
pub(crate) struct NoEnd;

/// Where a segment ends, and how long it is; infinitely long if it is none.
#[derive(Clone, Copy)]
pub(crate) struct SegmentEnd {
    point: [Lane; 3],
    length: f32,
}

impl RayEnd for NoEnd {
    #[inline]
    fn new(ray: &Ray) -> Self {
        debug_assert!(ray.end().is_none(), "a ray without an end that was given");
        Self
    }

    #[inline(always)]
    fn within(&self, _: f32) -> Option<&SegmentEnd> {
        None
    }
}

impl RayEnd for SegmentEnd {
    fn new(ray: &Ray) -> Self {
        let length = if ray.end().is_some() { ray.distance_max() } else { f32::INFINITY };
        Self { point: ray.end().unwrap_or(ray.origin()).to_array().map(Lane::splat), length }
    }

    #[inline(always)]
    fn within(&self, distance_max: f32) -> Option<&SegmentEnd> {
        if distance_max < self.length { None } else { Some(self) }
    }
}

impl SegmentEnd {
    /// The lanes that are met, and those whose box contains the end of the
    /// segment: these at its length, if rounding has them missed.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    fn met_or_ended(&self, boxes: &Boxes, enter: Lane, exit: Lane) -> (LaneMask, [f32; WIDTH]) {
        let axis = |i: usize| self.point[i].simd_ge(boxes.column(i)) & self.point[i].simd_le(boxes.column(i + 3));
        let (met, ended) = (enter.simd_le(exit), (axis(0) & axis(1)) & axis(2));
        let distance = met.select(enter + Lane::splat(0.0), Lane::splat(self.length));
        ((met | ended).to_bitmask() as LaneMask, distance.to_array())
    }
}

impl<E: RayEnd> RayQuery<E> {
    pub(crate) fn new(ray: &Ray) -> Self {
        let inverse = ray.inverse().to_array();
        let parallel = inverse.map(f32::is_infinite);
        Self {
            origin: ray.origin().to_array().map(Lane::splat),
            direction: ray.direction().to_array().map(Lane::splat),
            inverse: inverse.map(Lane::splat),
            parallel,
            is_special: parallel.contains(&true) || ray.end().is_some(),
            end: E::new(ray),
        }
    }

    /// The lanes whose box the ray meets within `distance_max`, and where it
    /// enters each (meaningful in those lanes only).
    ///
    /// The sides of a slab are put in order by comparing their distances: that
    /// is what the signs of the direction say, without a branch on them.
    // Inlined for certain: a call would hand over its result in memory.
    #[inline(always)]
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
        match self.end.within(distance_max) {
            None => Self::met(enter, exit),
            Some(end) => end.met_or_ended(boxes, enter, exit),
        }
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
        let [dx, dy, dz] = self.direction;
        let radius_sq = radius * radius;
        let inside = ((fx * fx + fy * fy) + fz * fz).simd_le(radius_sq);
        let b = (fx * dx + fy * dy) + fz * dz;
        let (lx, ly, lz) = (fx - dx * b, fy - dy * b, fz - dz * b);
        let discriminant = radius_sq - ((lx * lx + ly * ly) + lz * lz);
        let distance = (-b - discriminant.fast_max(zero).sqrt()).fast_max(zero) + zero;
        let ahead = discriminant.simd_ge(zero) & b.simd_le(zero) & distance.simd_le(Lane::splat(distance_max));
        let (met, distance) = (inside | ahead, inside.select(zero, distance));
        let Some(end) = self.end.within(distance_max) else {
            return (met.to_bitmask() as LaneMask, distance.to_array());
        };
        let [ex, ey, ez] = [0, 1, 2].map(|i| center[i] - end.point[i]);
        let ended = ((ex * ex + ey * ey) + ez * ez).simd_le(radius_sq);
        let distance = met.select(distance, Lane::splat(end.length));
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
