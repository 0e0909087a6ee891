//! Eight shapes, boxes or spheres, in columns.

use super::boxes::joined;
use super::{Boxes, Lane, LaneMask, Spheres, WIDTH};
use crate::geometry::{Aabb, Sphere};
use wide::f32x4;

/// A shape as eight numbers. A box: its bounds, then zeros. A sphere: centre and radius, then zeros. The seventh number
/// has all bits set for a sphere, and none for a box; it is moved and never computed with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShapeRow([f32; 4], [f32; 4]);

impl ShapeRow {
    /// Of a lane that holds nothing.
    pub(crate) const EMPTY: Self = Self(
        [f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY],
        [f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0, 0.0],
    );
}

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
    /// The spheres. Lanes of boxes hold zeros if the shapes were gathered, else some sphere.
    pub(crate) spheres: Spheres,
    /// The lanes that hold a sphere. Lanes that hold nothing may be among them.
    pub(crate) sphere_lanes: LaneMask,
}

impl Shapes {
    /// Eight shapes, by their lane.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn gather(mut at: impl FnMut(usize) -> ShapeRow) -> Self {
        // The columns of four shapes: of the first four numbers of each, and of the last four.
        let mut four = |first: usize| {
            let [a, b, c, d] = [at(first), at(first + 1), at(first + 2), at(first + 3)];
            let four = |a, b, c, d| f32x4::transpose([f32x4::new(a), f32x4::new(b), f32x4::new(c), f32x4::new(d)]);
            (four(a.0, b.0, c.0, d.0), four(a.1, b.1, c.1, d.1))
        };
        let (low, high) = (four(0), four(WIDTH / 2));
        let zero = Lane::splat(0.0);
        // Of a sphere, the first four are its centre and its radius.
        let [a, b, c, d] = core::array::from_fn(|i| joined(low.0[i], high.0[i]) + zero);
        let last = |i: usize| joined(low.1[i], high.1[i]);
        let (max_y, max_z, is_sphere) = (last(0), last(1), last(2));
        let given = Boxes::from_columns([a, b, c, d, max_y + zero, max_z + zero]);
        Self {
            boxes: given.selected(is_sphere, &Spheres::from_columns([a, b, c], d).boxes()),
            spheres: Spheres::from_columns([a, b, c].map(|column| column & is_sphere), d & is_sphere),
            sphere_lanes: is_sphere.to_bitmask() as LaneMask,
        }
    }

    /// Of gathered shapes, the lanes that a tree accepts, as [`Aabb::check`] and [`Sphere::check`].
    #[inline]
    pub(crate) fn legal(&self) -> LaneMask {
        // In the lanes of boxes the spheres are zeros, which are legal.
        self.boxes.legal() & self.spheres.legal()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_shapes_are_what_each_is_alone() {
        let above = Sphere::RADIUS_MAX.next_up();
        let numbers = [
            0.0,
            -0.0,
            1e-45,
            0.1,
            -0.7,
            3.3,
            -12345.67,
            1e9,
            -1e-3,
            1e18,
            above,
            1e30,
            f32::MAX,
            f32::INFINITY,
            f32::NAN,
        ];
        let mut state = 1_u32;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            numbers[(state >> 16) as usize % numbers.len()]
        };
        let (mut legal, none) = ([0; 2], Sphere::new([0.0; 3], 0.0));
        for kinds in (0..=LaneMask::MAX).cycle().take(20_000) {
            let rows: [[f32; 6]; WIDTH] = core::array::from_fn(|_| core::array::from_fn(|_| number()));
            let is_sphere = |lane: usize| kinds >> lane & 1 == 1;
            let aabb = |[a, b, c, d, e, f]: [f32; 6]| Aabb::new([a, b, c], [d, e, f]);
            let sphere = |[a, b, c, d, ..]: [f32; 6]| Sphere::new([a, b, c], d);
            let row = |lane: usize| {
                if is_sphere(lane) { ShapeRow::from(sphere(rows[lane])) } else { aabb(rows[lane]).into() }
            };
            let shapes = Shapes::gather(row);
            assert_eq!(shapes.sphere_lanes, kinds);
            for (lane, &row) in rows.iter().enumerate() {
                let check = if is_sphere(lane) { sphere(row).check() } else { aabb(row).check() };
                assert_eq!(shapes.legal() >> lane & 1 == 1, check.is_ok(), "{row:?}");
                if check.is_err() {
                    continue;
                }
                legal[usize::from(is_sphere(lane))] += 1;
                let expected = if is_sphere(lane) { sphere(row).aabb() } else { aabb(row) }.without_negative_zeros();
                let bits = |aabb: Aabb| [aabb.min, aabb.max].map(|corner| corner.to_array().map(f32::to_bits));
                assert_eq!(bits(shapes.boxes.get(lane)), bits(expected), "{row:?}");
                let expected = if is_sphere(lane) { sphere(row).without_negative_zeros() } else { none };
                let bits = |sphere: Sphere| (sphere.center.to_array().map(f32::to_bits), sphere.radius.to_bits());
                assert_eq!(bits(shapes.spheres.get(lane)), bits(expected), "{row:?}");
            }
        }
        assert!(legal.iter().all(|&legal| legal > 1000), "{legal:?} boxes and spheres are legal");
        assert_eq!(Shapes::gather(|_| ShapeRow::EMPTY).legal(), 0);
    }
}
