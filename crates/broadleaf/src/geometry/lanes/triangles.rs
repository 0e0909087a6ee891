//! Eight triangles in columns, and one sheared ray against them.

use super::{Boxes, Lane, LaneMask, WIDTH, set_bits};
use crate::geometry::Triangle;
use crate::geometry::triangle::ray::{AREA_MIN, ShearedRay};
use glam::Vec3;

/// Eight triangles: x, y and z of the first corners, of the second, of the third; 288 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(crate) struct Triangles {
    corners: [[Lane; 3]; 3],
}

impl Triangles {
    /// Eight lanes that hold nothing: no number, so that every comparison fails.
    pub(crate) const EMPTY: Self = Self { corners: [[Lane::splat(f32::NAN); 3]; 3] };

    /// The triangle in a lane.
    #[inline]
    pub(crate) fn get(&self, lane: usize) -> Triangle {
        let at = |column: &Lane| column.as_array()[lane % WIDTH];
        let [a, b, c] = &self.corners;
        let corner = |[x, y, z]: &[Lane; 3]| Vec3::new(at(x), at(y), at(z));
        Triangle { a: corner(a), b: corner(b), c: corner(c) }
    }

    /// Writes the triangle of a lane.
    #[inline]
    pub(crate) fn set(&mut self, lane: usize, triangle: &Triangle) {
        for (columns, corner) in self.corners.iter_mut().zip([triangle.a, triangle.b, triangle.c]) {
            for (column, value) in columns.iter_mut().zip(corner.to_array()) {
                column.as_mut_array()[lane % WIDTH] = value;
            }
        }
    }

    /// The box of each triangle.
    #[inline]
    pub(crate) fn boxes(&self) -> Boxes {
        let [a, b, c] = &self.corners;
        let low = |i: usize| a[i].fast_min(b[i]).fast_min(c[i]);
        let high = |i: usize| a[i].fast_max(b[i]).fast_max(c[i]);
        Boxes::from_columns([low(0), low(1), low(2), high(0), high(1), high(2)])
    }
}

/// One ray in all lanes, sheared so that it runs along an axis.
#[derive(Clone, Copy)]
pub(crate) struct TriangleRay<'r> {
    scalar: ShearedRay<'r>,
}

/// What a ray hits of eight triangles.
pub(crate) struct TriangleHits {
    /// The lanes whose triangle is hit.
    pub(crate) mask: LaneMask,
    /// Of these, the lanes hit from the front.
    pub(crate) front: LaneMask,
    /// At which distances; meaningful in the lanes of the mask alone.
    pub(crate) distances: [f32; WIDTH],
}

impl<'r> TriangleRay<'r> {
    #[inline]
    pub(crate) fn new(scalar: ShearedRay<'r>) -> Self {
        Self { scalar }
    }

    /// The same in one lane, with the weights of the corners.
    #[inline]
    pub(crate) fn scalar(&self) -> &ShearedRay<'r> {
        &self.scalar
    }

    #[inline]
    fn corner(&self, corner: &[Lane; 3]) -> [Lane; 3] {
        let ray = &self.scalar;
        let at = |i: usize| corner[ray.axes[i] % 3] - Lane::splat(ray.origin[i]);
        let shear = ray.shear.map(Lane::splat);
        let z = at(2);
        [at(0) - shear[0] * z, at(1) - shear[1] * z, shear[2] * z]
    }

    /// The lanes whose triangle the ray hits from zero to `distance_max`, which
    /// is at most its reach.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn triangles(&self, triangles: &Triangles, distance_max: f32) -> TriangleHits {
        let zero = Lane::splat(0.0);
        let [a, b, c] = &triangles.corners;
        let (a, b, c) = (self.corner(a), self.corner(b), self.corner(c));
        let u = c[0] * b[1] - c[1] * b[0];
        let v = a[0] * c[1] - a[1] * c[0];
        let w = b[0] * a[1] - b[1] * a[0];
        let (least, most) = (u.fast_min(v).fast_min(w), u.fast_max(v).fast_max(w));
        // Of the three sizes, the least; negative where the three have not one sign.
        let clear = least.fast_max(-most);
        let mut mask = clear.simd_ge(zero).to_bitmask() as LaneMask;
        if mask == 0 {
            return TriangleHits { mask: 0, front: 0, distances: [0.0; WIDTH] };
        }
        let mut front = least.simd_ge(zero).to_bitmask() as LaneMask & mask;
        let inverse = Lane::splat(1.0) / ((u + v) + w);
        let distance = (((u * inverse) * a[2] + (v * inverse) * b[2]) + (w * inverse) * c[2]) + zero;
        let ahead = distance.simd_ge(zero).to_bitmask() as LaneMask;
        let within = distance.simd_le(Lane::splat(distance_max)).to_bitmask() as LaneMask;
        let mut in_doubt = clear.simd_lt(Lane::splat(AREA_MIN)).to_bitmask() as LaneMask & mask;
        if distance_max >= self.scalar.reach() {
            in_doubt |= mask & ahead & !within;
        }
        mask &= ahead & within;
        let mut distances = distance.to_array();
        if in_doubt != 0 {
            for lane in set_bits(u64::from(in_doubt)) {
                let hit = self.scalar.hit(&triangles.get(lane), distance_max);
                (mask, front) = (mask & !(1 << lane), front & !(1 << lane));
                if let Some(hit) = hit {
                    mask |= 1 << lane;
                    front |= LaneMask::from(hit.front) << lane;
                    distances[lane] = hit.distance;
                }
            }
        }
        TriangleHits { mask, front: front & mask, distances }
    }
}
