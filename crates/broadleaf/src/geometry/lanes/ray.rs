//! One ray against eight boxes or spheres.

use super::{Boxes, Lane, LaneMask, Spheres, WIDTH};
use crate::geometry::Ray;

/// One ray in all lanes, with the order of its slabs' sides by the signs of its direction.
#[derive(Clone, Copy)]
pub(crate) struct RayQuery {
    origin: [Lane; 3],
    direction: [Lane; 3],
    inverse: [Lane; 3],
    /// Whether the lower side of a slab is met first.
    ascending: [bool; 3],
    parallel: [bool; 3],
}

impl RayQuery {
    pub(crate) fn new(ray: &Ray) -> Self {
        let inverse = ray.inverse().to_array();
        Self {
            origin: ray.origin().to_array().map(Lane::splat),
            direction: ray.direction().to_array().map(Lane::splat),
            inverse: inverse.map(Lane::splat),
            ascending: inverse.map(|inverse| inverse > 0.0),
            parallel: inverse.map(f32::is_infinite),
        }
    }

    /// The lanes whose box the ray meets within `distance_max`, and where it
    /// enters each (meaningful in those lanes only).
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn boxes(&self, boxes: &Boxes, distance_max: f32) -> (LaneMask, [f32; WIDTH]) {
        let (mut enter, mut exit) = (Lane::splat(0.0), Lane::splat(distance_max));
        let mut missed = 0;
        for axis in 0..3 {
            if self.parallel[axis] {
                let outside =
                    self.origin[axis].simd_lt(boxes.column(axis)) | self.origin[axis].simd_gt(boxes.column(axis + 3));
                missed |= outside.to_bitmask();
            } else {
                let (near, far) = if self.ascending[axis] { (axis, axis + 3) } else { (axis + 3, axis) };
                let near = (boxes.column(near) - self.origin[axis]) * self.inverse[axis];
                let far = (boxes.column(far) - self.origin[axis]) * self.inverse[axis];
                enter = near.fast_max(enter);
                exit = far.fast_min(exit);
            }
        }
        let met = enter.simd_le(exit).to_bitmask() & !missed;
        (met as LaneMask, (enter + Lane::splat(0.0)).to_array())
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
        let distance = inside.select(zero, distance);
        ((inside | ahead).to_bitmask() as LaneMask, distance.to_array())
    }
}
