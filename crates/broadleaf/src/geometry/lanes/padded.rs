//! One ray against eight boxes, generously: no box is missed that holds a
//! point which a triangle test may call hit.

use super::{Boxes, Lane, LaneMask, WIDTH};
use crate::geometry::{Aabb, Ray};
use glam::Vec3;

/// Rounding errors of the tests of boxes and of triangles together, as a part
/// of the largest difference between a coordinate and the ray's origin: a
/// dozen roundings of 2^-24 each, and as much again for ends of rays that lie
/// on a triangle but for rounding.
const PADDING: f32 = 1.0 / (1 << 19) as f32;
/// The same for what such an end, and the moved origin, owe to the size of the
/// coordinates themselves.
const ORIGIN_PADDING: f32 = 1.0 / (1 << 21) as f32;
/// Components of a direction below this are taken for this. Over any
/// distance the ray strays by less than the padding.
const COMPONENT_MIN: f32 = 1e-20;

/// One ray in all lanes, whose slabs are wider by the rounding errors.
///
/// The origin is moved back for the near planes, and forth for the far ones:
/// that costs nothing per box.
///
/// Kept in all lanes: numbers that are written one by one and soon read in
/// pairs would wait for the writes.
#[derive(Clone, Copy)]
pub(crate) struct PaddedRay {
    near_origin: [Lane; 3],
    far_origin: [Lane; 3],
    inverse: [Lane; 3],
    /// Columns of the planes met first, and last.
    near: [usize; 3],
    far: [usize; 3],
}

impl PaddedRay {
    /// A ray for boxes within `bounds`, and a cube of half extent `radius` around its point.
    #[inline]
    pub(crate) fn new(ray: &Ray, bounds: &Aabb, radius: f32) -> Self {
        let (origin, direction) = (ray.origin(), ray.direction());
        let reach = (bounds.min - origin).abs().max((bounds.max - origin).abs());
        let padding = (reach.max_element() + radius) * PADDING + radius;
        let padding = padding + origin.abs().max_element() * ORIGIN_PADDING + f32::MIN_POSITIVE;
        let large = direction.abs().cmpge(Vec3::splat(COMPONENT_MIN));
        let direction = Vec3::select(large, direction, Vec3::splat(COMPONENT_MIN));
        let padding = Vec3::splat(padding).copysign(direction);
        let back = direction.to_array().map(|component| usize::from(component < 0.0) * 3);
        Self {
            near_origin: spread(origin + padding),
            far_origin: spread(origin - padding),
            inverse: spread(Vec3::select(large, ray.inverse(), Vec3::splat(COMPONENT_MIN.recip()))),
            near: [back[0], back[1] + 1, back[2] + 2],
            far: [3 - back[0], 4 - back[1], 5 - back[2]],
        }
    }

    /// The lanes whose box the ray may meet within `distance_max`, and where
    /// it enters each at the earliest. Lanes that hold nothing are missed.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn boxes(&self, boxes: &Boxes, distance_max: f32) -> (LaneMask, [f32; WIDTH]) {
        let cut = |i: usize, column: usize, origin: Lane| (boxes.column(column) - origin) * self.inverse[i];
        let near = |i: usize| cut(i, self.near[i], self.near_origin[i]);
        let far = |i: usize| cut(i, self.far[i], self.far_origin[i]);
        let enter = near(0).fast_max(near(1)).fast_max(near(2).fast_max(Lane::splat(0.0)));
        let exit = far(0).fast_min(far(1)).fast_min(far(2).fast_min(Lane::splat(distance_max)));
        (enter.simd_le(exit).to_bitmask() as LaneMask, enter.to_array())
    }
}

#[inline]
fn spread(point: Vec3) -> [Lane; 3] {
    [Lane::splat(point.x), Lane::splat(point.y), Lane::splat(point.z)]
}
