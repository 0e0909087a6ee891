//! Eight spheres in columns.

use super::mask::all_bits_in;
use super::round::subtracted_down;
use super::{Boxes, Lane, LaneMask, WIDTH};
use crate::geometry::Sphere;
use glam::Vec3;
use wide::f64x4;

/// Eight spheres: centre x, y, z, then radius; 128 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub(crate) struct Spheres {
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    center: [Lane; 3],
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    radius: Lane,
}

/// One sphere in all lanes.
#[derive(Clone, Copy)]
pub(crate) struct SphereQuery {
    center: [Lane; 3],
    radius: Lane,
}

impl SphereQuery {
    #[inline]
    pub(crate) fn new(sphere: &Sphere) -> Self {
        Self { center: sphere.center.to_array().map(Lane::splat), radius: Lane::splat(sphere.radius) }
    }

    /// The lanes whose box shares a point with the sphere.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn overlaps_boxes(&self, boxes: &Boxes) -> LaneMask {
        boxes.distance_sq(&self.center).simd_le(self.radius * self.radius).to_bitmask() as LaneMask
    }
}

/// Four lanes of a column, from lane `first` on, as 64-bit numbers.
#[inline(always)]
fn four_in_64_bits(column: &Lane, first: usize) -> f64x4 {
    f64x4::new(core::array::from_fn(|i| f64::from(column.as_array()[first + i])))
}

impl Spheres {
    /// Eight points at the origin, to be written before they are read.
    pub(crate) const ZERO: Self = Self { center: [Lane::splat(0.0); 3], radius: Lane::splat(0.0) };

    #[inline(always)]
    pub(super) fn from_columns(center: [Lane; 3], radius: Lane) -> Self {
        Self { center, radius }
    }

    /// The bits of all centres and radii, a column after the other.
    pub(crate) fn to_bits(self) -> [u32; 4 * WIDTH] {
        let [x, y, z] = self.center;
        let mut bits = [0; 4 * WIDTH];
        for (place, column) in bits.chunks_exact_mut(WIDTH).zip([x, y, z, self.radius]) {
            place.copy_from_slice(&column.as_array().map(f32::to_bits));
        }
        bits
    }

    /// The boxes around the spheres, of which none has a negative zero; they have none either.
    #[inline(always)]
    pub(crate) fn boxes(&self) -> Boxes {
        let zero = Lane::splat(0.0);
        let min_of = |i: usize| subtracted_down(self.center[i], self.radius) + zero;
        // The upper sides are the lower sides of the sphere's mirror image.
        let max_of = |i: usize| zero - subtracted_down(-self.center[i], self.radius);
        Boxes::from_columns([min_of(0), min_of(1), min_of(2), max_of(0), max_of(1), max_of(2)])
    }

    /// The spheres grown by a margin (an absolute part, and a part of the diameter; at most
    /// [`Sphere::RADIUS_MAX`]), and the lanes whose sphere still fits the sphere in the same lane of `kept`. The scalar
    /// twin is `fits_sphere` of the fat shapes: the same operations in the same order.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn with_margins_and_fits(&self, absolute: f32, relative: f32, kept: &Self) -> (Self, LaneMask) {
        let margin = Lane::splat(absolute) + (self.radius + self.radius) * Lane::splat(relative);
        let fresh = Self { radius: (self.radius + margin).fast_min(Lane::splat(Sphere::RADIUS_MAX)), ..*self };
        let slack = margin + margin;
        let fits = |first: usize| {
            let four = |column: &Lane| four_in_64_bits(column, first);
            let [radius, old, new, slack] = [&self.radius, &kept.radius, &fresh.radius, &slack].map(four);
            let (at, kept_at) = (self.center.each_ref().map(four), kept.center.each_ref().map(four));
            let farthest = kept_at[0].abs().fast_max(kept_at[1].abs()).fast_max(kept_at[2].abs());
            let [error, underflow] = [Sphere::DISTANCE_ERROR, Sphere::UNDERFLOW_DISTANCE].map(f64x4::splat);
            let rounding = (farthest + old) * error + underflow;
            let d: [f64x4; 3] = core::array::from_fn(|i| kept_at[i] - at[i]);
            let distance_sq = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
            let distance_max = (old - radius - rounding).fast_min(new + slack - old);
            (distance_max.simd_ge(f64x4::splat(0.0)) & distance_sq.simd_le(distance_max * distance_max)).to_bitmask()
        };
        let same = |i: usize| kept.center[i].simd_eq(fresh.center[i]);
        let is_fresh = same(0) & same(1) & same(2) & kept.radius.simd_eq(fresh.radius);
        (fresh, (is_fresh.to_bitmask() | fits(0) | fits(WIDTH / 2) << (WIDTH / 2)) as LaneMask)
    }

    /// The spheres, in some lanes those of others.
    #[inline]
    pub(crate) fn blended(&self, lanes: LaneMask, others: &Self) -> Self {
        let mask = all_bits_in(lanes);
        let blend = |i: usize| mask.select(others.center[i], self.center[i]);
        Self { center: [blend(0), blend(1), blend(2)], radius: mask.select(others.radius, self.radius) }
    }

    /// The lanes whose sphere a tree accepts, as [`Sphere::check`].
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn legal(&self) -> LaneMask {
        let finite = |i: usize| self.center[i].abs().simd_le(Lane::splat(f32::MAX));
        let radius = self.radius.simd_ge(Lane::splat(0.0)) & self.radius.simd_le(Lane::splat(Sphere::RADIUS_MAX));
        (finite(0) & finite(1) & finite(2) & radius).to_bitmask() as LaneMask
    }

    /// The sphere in a lane.
    #[inline]
    pub(crate) fn get(&self, lane: usize) -> Sphere {
        let at = |column: &Lane| column.as_array()[lane % WIDTH];
        let [x, y, z] = &self.center;
        Sphere { center: Vec3::new(at(x), at(y), at(z)), radius: at(&self.radius) }
    }

    /// Writes the sphere of a lane.
    #[inline]
    pub(crate) fn set(&mut self, lane: usize, sphere: &Sphere) {
        for (column, value) in self.center.iter_mut().zip(sphere.center.to_array()) {
            column.as_mut_array()[lane % WIDTH] = value;
        }
        self.radius.as_mut_array()[lane % WIDTH] = sphere.radius;
    }

    #[inline]
    pub(super) fn columns(&self) -> (&[Lane; 3], Lane) {
        (&self.center, self.radius)
    }

    /// The lanes whose sphere shares a point with the query box.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn overlaps_box(&self, aabb: &crate::Aabb) -> LaneMask {
        let zero = Lane::splat(0.0);
        let axis = |i: usize| {
            let (low, high) = (Lane::splat(aabb.min[i]), Lane::splat(aabb.max[i]));
            let d = (low - self.center[i]).fast_max(self.center[i] - high).fast_max(zero);
            d * d
        };
        let distance_sq = (axis(0) + axis(1)) + axis(2);
        distance_sq.simd_le(self.radius * self.radius).to_bitmask() as LaneMask
    }

    /// The lanes whose sphere shares a point with the query sphere.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn overlaps_sphere(&self, query: &SphereQuery) -> LaneMask {
        let axis = |i: usize| {
            let d = self.center[i] - query.center[i];
            d * d
        };
        let distance_sq = (axis(0) + axis(1)) + axis(2);
        let reach = self.radius + query.radius;
        distance_sq.simd_le(reach * reach).to_bitmask() as LaneMask
    }
}
