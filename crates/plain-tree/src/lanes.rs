//! Eight boxes in columns, tested at once.

use broadleaf::Aabb;
use broadleaf::glam::Vec3;
use wide::f32x8;

/// The bits of a mask that are set, lowest first.
#[inline]
pub(crate) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}

/// Eight boxes; an unused lane holds [`Aabb::EMPTY`], which overlaps nothing.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Boxes {
    min: [[f32; 8]; 3],
    max: [[f32; 8]; 3],
}

/// A ray for tests against eight boxes.
#[derive(Clone, Copy)]
pub struct Lanes {
    origin: [f32x8; 3],
    inverse: [f32x8; 3],
}

impl Lanes {
    /// Takes the reciprocal of the direction once.
    #[inline]
    #[must_use]
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        let inverse = direction.recip();
        Self { origin: origin.to_array().map(f32x8::splat), inverse: inverse.to_array().map(f32x8::splat) }
    }
}

impl Boxes {
    pub(crate) const EMPTY: Self = Self { min: [[f32::INFINITY; 8]; 3], max: [[f32::NEG_INFINITY; 8]; 3] };

    #[inline]
    pub(crate) fn set(&mut self, lane: usize, aabb: &Aabb) {
        let (min, max) = (aabb.min.to_array(), aabb.max.to_array());
        for axis in 0..3 {
            self.min[axis][lane] = min[axis];
            self.max[axis][lane] = max[axis];
        }
    }

    #[inline]
    pub(crate) fn get(&self, lane: usize) -> Aabb {
        Aabb {
            min: Vec3::new(self.min[0][lane], self.min[1][lane], self.min[2][lane]),
            max: Vec3::new(self.max[0][lane], self.max[1][lane], self.max[2][lane]),
        }
    }

    /// Which lanes hold a box.
    #[inline]
    pub(crate) fn used(&self) -> u32 {
        f32x8::from(self.min[0]).simd_le(f32x8::from(self.max[0])).to_bitmask()
    }

    /// Which boxes overlap another, touching included.
    #[inline(always)]
    pub(crate) fn overlapping(&self, aabb: &Aabb) -> u32 {
        let (min, max) = (aabb.min.to_array(), aabb.max.to_array());
        let axis = |axis: usize| {
            f32x8::from(self.min[axis]).simd_le(f32x8::splat(max[axis]))
                & f32x8::from(self.max[axis]).simd_ge(f32x8::splat(min[axis]))
        };
        (axis(0) & axis(1) & axis(2)).to_bitmask()
    }

    /// The box around all.
    #[inline]
    pub(crate) fn union(&self) -> Aabb {
        (0..8).fold(Aabb::EMPTY, |all, lane| all.union(&self.get(lane)))
    }

    /// Which boxes a ray meets within a distance, and where it enters each, zero from inside.
    #[inline(always)]
    pub(crate) fn met_by(&self, ray: &Lanes, distance_max: f32) -> (u32, [f32; 8]) {
        let (mut enter, mut exit) = (f32x8::splat(0.0), f32x8::splat(distance_max));
        for axis in 0..3 {
            let near = (f32x8::from(self.min[axis]) - ray.origin[axis]) * ray.inverse[axis];
            let far = (f32x8::from(self.max[axis]) - ray.origin[axis]) * ray.inverse[axis];
            enter = enter.fast_max(near.fast_min(far));
            exit = exit.fast_min(near.fast_max(far));
        }
        // The slabs of an empty lane are inside out, which a slab test does not see.
        (enter.simd_le(exit).to_bitmask() & self.used(), enter.to_array())
    }
}
