//! Eight triangles in columns, and one sheared ray against them.

use super::boxes::joined;
use super::{Boxes, Lane, LaneMask, WIDTH, prefetch, set_bits};
use crate::geometry::Triangle;
use crate::geometry::triangle::ray::{AREA_MIN, ShearedRay, TriangleHit};
use glam::Vec3;
use wide::f32x4;

/// Eight triangles: x, y and z of the first corners, of the second, of the third; 288 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(crate) struct Triangles {
    corners: [[Lane; 3]; 3],
}

impl Triangles {
    /// Prefetches the columns, if the first begins a cache line.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        let [a, b, c] = &self.corners;
        for column in [&a[0], &a[2], &b[1], &c[0], &c[2]] {
            prefetch(column);
        }
    }

    /// The triangle in a lane.
    #[inline]
    pub(crate) fn get(&self, lane: usize) -> Triangle {
        let at = |column: &Lane| column.as_array()[lane % WIDTH];
        let [a, b, c] = &self.corners;
        let corner = |[x, y, z]: &[Lane; 3]| Vec3::new(at(x), at(y), at(z));
        Triangle { a: corner(a), b: corner(b), c: corner(c) }
    }

    /// The triangles that `at` has for each lane.
    #[inline(always)]
    pub(crate) fn gather(at: impl Fn(usize) -> Triangle) -> Self {
        let low = columns(&at(0), &at(1), &at(2), &at(3));
        let high = columns(&at(4), &at(5), &at(6), &at(7));
        let at = |i: usize, axis: usize| joined(low[i][axis], high[i][axis]);
        Self {
            corners: [[at(0, 0), at(0, 1), at(0, 2)], [at(1, 0), at(1, 1), at(1, 2)], [at(2, 0), at(2, 1), at(2, 2)]],
        }
    }

    /// The first lanes; the others hold nothing: no number, so that every comparison fails.
    #[inline(always)]
    pub(crate) fn first(&self, len: usize) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "at most eight")]
        let nothing = LANES.simd_ge(Lane::splat(len as f32));
        // All bits set are no number.
        let column = |column: Lane| column | nothing;
        let [a, b, c] = self.corners;
        let corner = |[x, y, z]: [Lane; 3]| [column(x), column(y), column(z)];
        Self { corners: [corner(a), corner(b), corner(c)] }
    }

    /// The lanes whose edges have a cross product of zero in 32 bits.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn flat(&self) -> LaneMask {
        let [a, b, c] = &self.corners;
        let [u, v, w] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        let [x, y, z] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
        let zero = |product: Lane, other: Lane| (product - other).simd_eq(Lane::splat(0.0));
        (zero(v * z, y * w) & zero(w * x, z * u) & zero(u * y, x * v)).to_bitmask() as LaneMask
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

/// The corners of four triangles: x, y, z and nothing of the first, of the second, of the third.
#[inline(always)]
fn columns(p: &Triangle, q: &Triangle, r: &Triangle, s: &Triangle) -> [[f32x4; 4]; 3] {
    let row = |point: Vec3| f32x4::new([point.x, point.y, point.z, 0.0]);
    [
        f32x4::transpose([row(p.a), row(q.a), row(r.a), row(s.a)]),
        f32x4::transpose([row(p.b), row(q.b), row(r.b), row(s.b)]),
        f32x4::transpose([row(p.c), row(q.c), row(r.c), row(s.c)]),
    ]
}

/// The number of each lane.
const LANES: Lane = Lane::new([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);

/// What a ray hits of eight triangles, one or more.
pub(crate) struct TriangleHits {
    /// The lanes whose triangle is hit.
    pub(crate) mask: LaneMask,
    /// Of these, the lanes hit from the front.
    pub(crate) front: LaneMask,
    /// At which distances; meaningful in the lanes of the mask alone, as are the weights.
    distances: [f32; WIDTH],
    /// Weights of the first corners, the second, and the third.
    weights: [[f32; WIDTH]; 3],
}

impl TriangleHits {
    /// How far the hit of a lane is.
    #[inline]
    pub(crate) fn distance(&self, lane: usize) -> f32 {
        self.distances[lane % WIDTH]
    }

    /// The hit of a lane.
    #[inline]
    pub(crate) fn get(&self, lane: usize) -> TriangleHit {
        let lane = lane % WIDTH;
        TriangleHit {
            distance: self.distances[lane],
            weights: [self.weights[0][lane], self.weights[1][lane], self.weights[2][lane]],
            front: self.front >> lane & 1 != 0,
        }
    }

    #[inline]
    fn set(&mut self, lane: usize, hit: Option<TriangleHit>) {
        (self.mask, self.front) = (self.mask & !(1 << lane), self.front & !(1 << lane));
        if let Some(hit) = hit {
            self.mask |= 1 << lane;
            self.front |= LaneMask::from(hit.front) << lane;
            self.distances[lane % WIDTH] = hit.distance;
            for (weights, weight) in self.weights.iter_mut().zip(hit.weights) {
                weights[lane % WIDTH] = weight;
            }
        }
    }
}

impl ShearedRay<'_> {
    #[inline]
    fn corners(&self, corner: &[Lane; 3], axes: [usize; 3]) -> [Lane; 3] {
        let at = |i: usize| corner[axes[i]] - Lane::splat(self.origin[i]);
        let shear = self.shear.map(Lane::splat);
        let z = at(2);
        [at(0) - shear[0] * z, at(1) - shear[1] * z, shear[2] * z]
    }

    /// Calls back with the lanes whose triangle the ray hits from zero to
    /// `distance_max`, which is at most its reach; unless it passes all by.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn triangles<T>(
        &self,
        triangles: &Triangles,
        distance_max: f32,
        missed: T,
        hit: impl FnOnce(&TriangleHits) -> T,
    ) -> T {
        let zero = Lane::splat(0.0);
        let axes = self.axes.map(|axis| axis.min(2));
        let [a, b, c] = &triangles.corners;
        let (a, b, c) = (self.corners(a, axes), self.corners(b, axes), self.corners(c, axes));
        let u = c[0] * b[1] - c[1] * b[0];
        let v = a[0] * c[1] - a[1] * c[0];
        let w = b[0] * a[1] - b[1] * a[0];
        let (least, most) = (u.fast_min(v).fast_min(w), u.fast_max(v).fast_max(w));
        // Of the three sizes, the least; negative where the three have not one sign.
        let clear = least.fast_max(-most);
        let crossed = clear.simd_ge(zero).to_bitmask() as LaneMask;
        if crossed == 0 {
            return missed;
        }
        let area = (u + v) + w;
        let inverse = Lane::splat(1.0) / area;
        let weights = [u * inverse, v * inverse, w * inverse];
        let distance = ((weights[0] * a[2] + weights[1] * b[2]) + weights[2] * c[2]) + zero;
        let ahead = crossed & distance.simd_ge(zero).to_bitmask() as LaneMask;
        let within = distance.simd_le(Lane::splat(distance_max)).to_bitmask() as LaneMask;
        let underflown = crossed & clear.simd_lt(Lane::splat(AREA_MIN)).to_bitmask() as LaneMask;
        let rough = self.rough(triangles, crossed, &area.to_array(), &distance.to_array());
        let beyond = if distance_max >= self.reach() { ahead & !within } else { 0 };
        let mut hits = TriangleHits {
            mask: ahead & within,
            front: ahead & within & least.simd_ge(zero).to_bitmask() as LaneMask,
            distances: distance.to_array(),
            weights: weights.map(Lane::to_array),
        };
        let unclear = underflown | rough | beyond;
        if unclear != 0 {
            self.test_exactly(triangles, distance_max, unclear, &mut hits);
        }
        hit(&hits)
    }

    /// The lanes, of those crossed, whose distance 32 bits do not find well.
    ///
    /// One by one: mostly it is one lane, and the others would cost more.
    #[inline(always)]
    fn rough(
        &self,
        triangles: &Triangles,
        crossed: LaneMask,
        areas: &[f32; WIDTH],
        distances: &[f32; WIDTH],
    ) -> LaneMask {
        let is_precise =
            |lane: usize| self.is_precise(&triangles.get(lane), areas[lane % WIDTH], distances[lane % WIDTH]);
        set_bits(u64::from(crossed)).fold(0, |rough, lane| rough | LaneMask::from(!is_precise(lane)) << lane)
    }

    /// Tests lanes again with 64 bits, where 32 bits do not decide.
    #[cold]
    #[inline(never)]
    fn test_exactly(&self, triangles: &Triangles, distance_max: f32, lanes: LaneMask, hits: &mut TriangleHits) {
        for lane in set_bits(u64::from(lanes)) {
            hits.set(lane, self.hit(&triangles.get(lane), distance_max));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathered_lanes_are_the_triangles_and_the_rest_is_no_number() {
        let point = |i: usize| Vec3::new(i as f32, (i * i % 7) as f32, (i % 5) as f32);
        let one = |lane: usize| match lane {
            3 => Triangle::new(point(1), point(1), point(4)),
            _ => Triangle::new(point(lane), point(lane + 9), point(3 * lane + 2)),
        };
        let eight = Triangles::gather(one);
        for lane in 0..WIDTH {
            let flat = one(lane).scaled_normal() == Vec3::ZERO;
            assert_eq!(eight.get(lane), one(lane));
            assert_eq!(eight.flat() >> lane & 1 != 0, flat, "lane {lane}");
            assert_eq!(eight.boxes().get(lane), one(lane).aabb());
        }
        assert_ne!(eight.flat(), 0);
        let five = eight.first(5);
        for lane in 0..WIDTH {
            let triangle = five.get(lane);
            assert_eq!(triangle.a.is_nan() && triangle.b.is_nan() && triangle.c.is_nan(), lane >= 5);
            assert!(lane >= 5 || triangle == one(lane));
        }
    }
}
