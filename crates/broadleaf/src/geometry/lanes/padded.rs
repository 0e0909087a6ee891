//! One ray against eight boxes, generously: no box is missed that holds a
//! point which a triangle test may call hit.

use super::boxes::back;
use super::ray::within_all;
use super::{Boxes, Lane, LaneMask, WIDTH};
use crate::geometry::{Aabb, Ray};
use glam::{Vec3, Vec4};

/// Rounding errors of the tests of boxes and of triangles together, as a part
/// of the largest difference between a coordinate and the ray's origin: a
/// dozen roundings of 2^-24 each, and as much again for ends of rays that lie
/// on a triangle but for rounding.
const PADDING: f32 = 1.0 / (1 << 19) as f32;
/// The same for what such an end, and the moved origin, owe to the size of the
/// coordinates themselves.
const ORIGIN_PADDING: f32 = 1.0 / (1 << 21) as f32;
/// Components of a direction below this are taken for this. Over any
/// distance the rounded ray is off by less than the padding.
const COMPONENT_MIN: f32 = 1e-20;

/// A ray on its way to a mesh: in four lanes, of which the last means nothing.
///
/// Many rays miss the bounds of the mesh, and are not worth eight lanes.
#[derive(Clone, Copy)]
pub(crate) struct Approach {
    origin: Vec4,
    direction: Vec4,
    inverse: Vec4,
    /// From the origin to the lower and to the upper corner of the bounds.
    low: Vec4,
    high: Vec4,
    /// By how much slabs are wider on each side.
    padding: f32,
}

impl Approach {
    /// A ray for boxes within `bounds`, and a cube of half extent `radius` around its point.
    #[inline(always)]
    pub(crate) fn new(ray: &Ray, bounds: &Aabb, radius: f32) -> Self {
        let four = |v: Vec3| v.extend(0.0);
        let (origin, direction) = (four(ray.origin()), four(ray.direction()));
        let (low, high) = (four(bounds.min) - origin, four(bounds.max) - origin);
        let reach = low.abs().max(high.abs()).max_element();
        let own = (radius * PADDING + radius) + (origin.abs().max_element() * ORIGIN_PADDING + f32::MIN_POSITIVE);
        let least = Vec4::splat(COMPONENT_MIN);
        let large = direction.abs().cmpge(least);
        Self {
            origin,
            direction: Vec4::select(large, direction, least),
            inverse: Vec4::select(large, four(ray.inverse()), Vec4::splat(COMPONENT_MIN.recip())),
            low,
            high,
            padding: reach * PADDING + own,
        }
    }

    /// Whether the ray surely passes the bounds by, or does not come so far as `distance_max`.
    #[inline(always)]
    pub(crate) fn misses_bounds(&self, distance_max: f32) -> bool {
        // So wide that the last lane decides nothing.
        let slack = Vec4::splat(self.padding) * self.inverse.abs() + Vec4::W * f32::MAX;
        let (low, high) = (self.low * self.inverse, self.high * self.inverse);
        let enter = (low.min(high) - slack).max_element();
        let exit = (low.max(high) + slack).min_element();
        // What is no number, of infinite distances, is not sure.
        enter > exit || enter > distance_max || exit < 0.0
    }

    /// The ray in eight lanes.
    #[inline(always)]
    pub(crate) fn spread(&self) -> PaddedRay {
        let padding = Vec4::splat(self.padding).copysign(self.direction);
        let [x, y, z, _] = self.direction.to_array();
        PaddedRay {
            near_origin: spread(self.origin + padding),
            far_origin: spread(self.origin - padding),
            inverse: spread(self.inverse),
            back: [x, y, z].map(back),
        }
    }
}

/// One ray in all lanes, whose slabs are wider by the rounding errors.
///
/// The origin is moved back for the near planes, and forth for the far ones:
/// that costs nothing per box.
///
/// Kept in all lanes, which avoids store-forwarding stalls: numbers written one by one
/// and soon read in pairs.
#[derive(Clone, Copy)]
pub(crate) struct PaddedRay {
    near_origin: [Lane; 3],
    far_origin: [Lane; 3],
    inverse: [Lane; 3],
    /// See [`Boxes::sides`].
    back: [usize; 3],
}

impl PaddedRay {
    /// A ray for boxes within `bounds`, and a cube of half extent `radius` around its point.
    #[inline]
    pub(crate) fn new(ray: &Ray, bounds: &Aabb, radius: f32) -> Self {
        Approach::new(ray, bounds, radius).spread()
    }

    /// The lanes whose box the ray may meet within `distance_max`, and where
    /// it enters each at the earliest. Lanes that hold nothing are missed.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn boxes(&self, boxes: &Boxes, distance_max: f32) -> (LaneMask, [f32; WIDTH]) {
        let at = |i: usize| {
            let [near, far] = boxes.sides(i, self.back[i]);
            ((near - self.near_origin[i]) * self.inverse[i], (far - self.far_origin[i]) * self.inverse[i])
        };
        let (enter, exit) = within_all([at(0), at(1), at(2)], distance_max);
        (enter.simd_le(exit).to_bitmask() as LaneMask, enter.to_array())
    }
}

#[inline]
fn spread(point: Vec4) -> [Lane; 3] {
    [Lane::splat(point.x), Lane::splat(point.y), Lane::splat(point.z)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_at_points_of_the_bounds_do_not_miss_them() {
        let bounds = Aabb::new(Vec3::new(-1.0, 0.5, 2.0), Vec3::new(3.0, 0.5, 7.0));
        let parts = [0.0, 0.3, 1.0];
        let all = |visit: &dyn Fn(Vec3)| {
            for (x, y, z) in (0..27).map(|i| (parts[i % 3], parts[i / 3 % 3], parts[i / 9])) {
                visit(Vec3::new(x, y, z));
            }
        };
        all(&|at| {
            let target = bounds.min + bounds.extents() * at;
            for far in [1.0, 1e3, 1e7, 1e15] {
                // Some lie straight above, below or beside the target.
                all(&|side| {
                    let from = target + (side - Vec3::new(0.0, 0.3, 1.0)) * far;
                    let Ok(ray) = Ray::new(from, target - from) else { return };
                    let (approach, length) = (Approach::new(&ray, &bounds, 0.0), (target - from).length());
                    assert!(!approach.misses_bounds(f32::MAX), "from {from} at {target}");
                    assert!(!approach.misses_bounds(length), "from {from} at {target}");
                    let (mask, _) = approach.spread().boxes(&one(&bounds), length);
                    assert_eq!(mask, 1, "from {from} at {target}");
                    assert!(far < 1e3 || approach.misses_bounds(length * 0.5), "from {from} at {target}");
                    let away = Approach::new(&Ray::new(from, from - target).unwrap(), &bounds, 0.0);
                    assert!(far < 1e3 || away.misses_bounds(f32::MAX), "from {from} away from {target}");
                });
            }
        });
    }

    fn one(aabb: &Aabb) -> Boxes {
        let mut boxes = Boxes::EMPTY;
        boxes.set(0, aabb);
        boxes
    }

    #[test]
    fn rays_so_far_out_that_numbers_end_are_left_to_the_boxes() {
        let bounds = Aabb::new(Vec3::splat(-1.0), Vec3::ONE);
        let ray = Ray::new(Vec3::new(3e38, 3e38, 0.0), Vec3::NEG_X).unwrap();
        assert!(!Approach::new(&ray, &bounds, 0.0).misses_bounds(f32::MAX));
        assert!(Approach::new(&ray, &bounds, 0.0).misses_bounds(1e38));
    }
}
