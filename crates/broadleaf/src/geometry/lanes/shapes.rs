//! Eight shapes, boxes or spheres, in columns.

use super::round::subtracted_down;
use super::{Boxes, Lane, LaneMask, Spheres, WIDTH};
use crate::geometry::{Aabb, Sphere};
use wide::f32x4;

/// A shape as eight numbers. A box: its bounds, then zeros. A sphere: centre and radius, zeros, and a
/// number of which all bits are set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShapeRow([f32; 4], [f32; 4]);

impl From<Aabb> for ShapeRow {
    #[inline(always)]
    fn from(Aabb { min, max }: Aabb) -> Self {
        Self([min.x, min.y, min.z, max.x], [max.y, max.z, 0.0, 0.0])
    }
}

impl From<Sphere> for ShapeRow {
    #[inline(always)]
    fn from(Sphere { center, radius }: Sphere) -> Self {
        Self([center.x, center.y, center.z, radius], [0.0, 0.0, f32::from_bits(u32::MAX), 0.0])
    }
}

/// Eight shapes, without negative zeros.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shapes {
    /// The box of each shape.
    pub(crate) boxes: Boxes,
    /// The spheres; zeros in the lanes of boxes.
    pub(crate) spheres: Spheres,
    /// The lanes of spheres.
    pub(crate) round: LaneMask,
}

impl Shapes {
    /// Eight shapes, by their lane.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn gather(mut at: impl FnMut(usize) -> ShapeRow) -> Self {
        let mut four = |first: usize| {
            let four = [at(first), at(first + 1), at(first + 2), at(first + 3)];
            let (low, high) = (four.map(|row| f32x4::new(row.0)), four.map(|row| f32x4::new(row.1)));
            (f32x4::transpose(low), f32x4::transpose(high))
        };
        let (low, high) = (four(0), four(WIDTH / 2));
        let joined = |low: f32x4, high: f32x4| {
            let ([a, b, c, d], [e, f, g, h]) = (low.to_array(), high.to_array());
            Lane::new([a, b, c, d, e, f, g, h])
        };
        let zero = Lane::splat(0.0);
        let center: [Lane; 3] = core::array::from_fn(|i| joined(low.0[i], high.0[i]) + zero);
        let fourth = joined(low.0[3], high.0[3]) + zero;
        let [last_y, last_z, is_sphere] = [0, 1, 2].map(|i| joined(low.1[i], high.1[i]));
        let last = [fourth, last_y + zero, last_z + zero];
        let side = |i: usize| is_sphere.select(subtracted_down(center[i], fourth) + zero, center[i]);
        // The upper sides are the lower sides of the sphere's mirror image.
        let other = |i: usize| is_sphere.select(zero - subtracted_down(-center[i], fourth), last[i]);
        Self {
            boxes: Boxes::from_columns([side(0), side(1), side(2), other(0), other(1), other(2)]),
            spheres: Spheres::from_columns(center.map(|column| column & is_sphere), fourth & is_sphere),
            round: is_sphere.to_bitmask() as LaneMask,
        }
    }

    /// The lanes whose shape a tree accepts, as [`Aabb::check`] and [`Sphere::check`].
    #[inline]
    pub(crate) fn legal(&self) -> LaneMask {
        self.boxes.legal() & (self.spheres.legal() | !self.round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_shapes_are_what_each_is_alone() {
        let numbers = [0.0, -0.0, 1e-45, 0.1, -0.7, 3.3, -12345.67, 1e18, f32::MAX, f32::MIN, f32::INFINITY];
        for seed in 0..1000_usize {
            let number = |i: usize| numbers[seed.wrapping_mul(31 + 12 * i).wrapping_add(i * i * 7) % numbers.len()];
            let aabb = |lane: usize| {
                let at = |i: usize| number(lane * 7 + i);
                Aabb::new([at(0), at(1), at(2)], [at(3), at(4), at(5)])
            };
            let sphere = |lane: usize| {
                let finite = |i: usize| number(lane * 5 + i).clamp(-1e30, 1e30);
                Sphere::new([finite(0), finite(1), finite(2)], finite(3).abs().min(Sphere::RADIUS_MAX))
            };
            let shapes =
                Shapes::gather(|lane| if seed >> lane & 1 == 1 { sphere(lane).into() } else { aabb(lane).into() });
            assert_eq!(usize::from(shapes.round), seed % 256);
            for lane in 0..WIDTH {
                let is_sphere = seed >> lane & 1 == 1;
                let expected = if is_sphere { sphere(lane).aabb() } else { aabb(lane) }.without_negative_zeros();
                let bits = |aabb: Aabb| [aabb.min, aabb.max].map(|corner| corner.to_array().map(f32::to_bits));
                assert_eq!(bits(shapes.boxes.get(lane)), bits(expected));
                let none = Sphere::new([0.0; 3], 0.0);
                assert_eq!(shapes.spheres.get(lane), if is_sphere { sphere(lane) } else { none });
            }
        }
    }
}
