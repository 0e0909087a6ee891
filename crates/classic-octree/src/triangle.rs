//! Triangles on their own: against a box, to place them, and against a ray.
//!
//! The test of a ray is the scalar form of the one that [`Mesh`] makes for
//! eight triangles at once: the triangle is moved and sheared so that the ray
//! runs along an axis from the origin, the signs of three areas tell whether
//! it is hit, and 64 bits decide where 32 cannot. The end of a ray lies on a
//! triangle that is as near as rounding may have put it.
//!
//! [`Mesh`]: broadleaf::Mesh
//!
//! *Source:* S. Woop, C. Benthin and I. Wald, Watertight Ray/Triangle
//! Intersection, 2013.

use broadleaf::glam::{DVec3, Vec3};
use broadleaf::{
    Aabb, Ray,
    mesh::{MeshHit, Side},
    shape::Triangle,
};

/// Below this, twice the area that an edge and a ray span has lost digits to
/// underflow, and 64 bits must tell.
const AREA_MIN: f32 = 1e-34;
/// How far the end of a ray may be from a triangle that it lies on, as a part
/// of the reach and the coordinates.
const TOUCH: f64 = 1.0 / (1 << 22) as f64;
/// The height of a triangle over its longest edge, squared, below which it
/// has no normal to speak of, and is as good as its edges.
const FLAT: f64 = 1e-20;

fn corners(triangle: &Triangle) -> [DVec3; 3] {
    [triangle.a, triangle.b, triangle.c].map(|corner| corner.as_dvec3())
}

/// Whether a triangle has no area: its corners lie on a line.
pub(crate) fn is_degenerate(triangle: &Triangle) -> bool {
    // Zero may be an underflow.
    triangle.scaled_normal() == Vec3::ZERO && {
        let [a, b, c] = corners(triangle);
        (b - a).cross(c - a) == DVec3::ZERO
    }
}

/// Whether a triangle and a finite box share a point.
///
/// *Source:* T. Akenine-Möller, Fast 3D Triangle-Box Overlap Testing, 2001 (separating axes).
pub(crate) fn overlaps(triangle: &Triangle, aabb: &Aabb) -> bool {
    if !aabb.overlaps(&triangle.aabb()) {
        return false;
    }
    let [a, b, c] = corners(triangle);
    let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
    let separates = |axis: DVec3| {
        let (pa, pb, pc) = (axis.dot(a), axis.dot(b), axis.dot(c));
        let forward = axis.cmpge(DVec3::ZERO);
        let far = axis.dot(DVec3::select(forward, high, low));
        let near = axis.dot(DVec3::select(forward, low, high));
        pa.min(pb).min(pc) > far || pa.max(pb).max(pc) < near
    };
    let edges = [b - a, c - b, a - c];
    let crosses = edges.iter().flat_map(|edge| DVec3::AXES.map(|axis| axis.cross(*edge)));
    !(separates(edges[0].cross(edges[1])) || crosses.into_iter().any(separates))
}

/// Where a ray meets a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TriangleHit {
    pub(crate) distance: f32,
    /// Weights of the corners.
    weights: [f32; 3],
    pub(crate) side: Side,
}

impl TriangleHit {
    /// What the hit says of the triangle.
    pub(crate) fn of(&self, index: u32, triangle: &Triangle) -> MeshHit {
        let ([u, v, w], [a, b, c]) = (self.weights, corners(triangle));
        MeshHit {
            triangle: index,
            distance: self.distance,
            position: triangle.a * u + triangle.b * v + triangle.c * w,
            normal: (b - a).cross(c - a).normalize_or_zero().as_vec3(),
            barycentric: Vec3::new(u, v, w),
            side: self.side,
        }
    }
}

/// A ray and the shear that lays it along an axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShearedRay<'r> {
    ray: &'r Ray,
    /// The axes that become x, y and z; z is the one along which the ray runs most.
    axes: [usize; 3],
    /// In the order of the axes.
    origin: [f32; 3],
    shear: [f32; 3],
}

impl<'r> ShearedRay<'r> {
    pub(crate) fn new(ray: &'r Ray) -> Self {
        let direction = ray.direction();
        let size = direction.abs();
        let z = if size.x > size.y && size.x > size.z {
            0
        } else if size.y > size.z {
            1
        } else {
            2
        };
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        // Swapped where the ray runs backwards, so that windings keep their sense.
        let axes = if direction[z] < 0.0 { [y, x, z] } else { [x, y, z] };
        let along = 1.0 / direction[z];
        let shear = [direction[axes[0]] * along, direction[axes[1]] * along, along];
        Self { ray, axes, origin: axes.map(|axis| ray.origin()[axis]), shear }
    }

    /// A corner, moved and sheared; the last coordinate is the distance along the ray.
    fn corner(&self, corner: Vec3) -> [f32; 3] {
        let at = |i: usize| corner[self.axes[i]] - self.origin[i];
        let z = at(2);
        [at(0) - self.shear[0] * z, at(1) - self.shear[1] * z, self.shear[2] * z]
    }

    /// Where the ray meets a triangle at a distance from zero to
    /// `distance_max`, which is at most its reach.
    pub(crate) fn hit(&self, triangle: &Triangle, distance_max: f32) -> Option<TriangleHit> {
        let (hit, reach) = (self.crossing(triangle)?, self.ray.distance_max());
        if hit.distance <= distance_max {
            Some(hit)
        } else if distance_max >= reach {
            self.end_on(triangle).map(|weights| TriangleHit { distance: reach, weights, ..hit })
        } else {
            None
        }
    }

    /// Where the half-line crosses a triangle.
    fn crossing(&self, triangle: &Triangle) -> Option<TriangleHit> {
        let corners = [self.corner(triangle.a), self.corner(triangle.b), self.corner(triangle.c)];
        let [a, b, c] = corners;
        let u = c[0] * b[1] - c[1] * b[0];
        let v = a[0] * c[1] - a[1] * c[0];
        let w = b[0] * a[1] - b[1] * a[0];
        if u.abs() < AREA_MIN || v.abs() < AREA_MIN || w.abs() < AREA_MIN {
            return Self::crossing_at_edge(&corners);
        }
        let front = u > 0.0 && v > 0.0 && w > 0.0;
        if !(front || u < 0.0 && v < 0.0 && w < 0.0) {
            return None;
        }
        let inverse = 1.0 / ((u + v) + w);
        let weights = [u * inverse, v * inverse, w * inverse];
        let distance = ((weights[0] * a[2] + weights[1] * b[2]) + weights[2] * c[2]) + 0.0;
        (distance >= 0.0).then_some(TriangleHit { distance, weights, side: side(front) })
    }

    /// The same where 32 bits cannot tell on which side of an edge the ray passes.
    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    fn crossing_at_edge(corners: &[[f32; 3]; 3]) -> Option<TriangleHit> {
        let [a, b, c] = corners.map(|corner| corner.map(f64::from));
        let u = c[0] * b[1] - c[1] * b[0];
        let v = a[0] * c[1] - a[1] * c[0];
        let w = b[0] * a[1] - b[1] * a[0];
        let front = u >= 0.0 && v >= 0.0 && w >= 0.0;
        let area = (u + v) + w;
        if !(front || u <= 0.0 && v <= 0.0 && w <= 0.0) || area == 0.0 {
            return None;
        }
        let [u, v, w] = [u / area, v / area, w / area];
        let distance = (((u * a[2] + v * b[2]) + w * c[2]) as f32) + 0.0;
        let weights = [u as f32, v as f32, w as f32];
        (distance >= 0.0).then_some(TriangleHit { distance, weights, side: side(front) })
    }

    /// The weights of the corners at the end of the ray, if that lies on a triangle.
    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    fn end_on(&self, triangle: &Triangle) -> Option<[f32; 3]> {
        let (reach, [a, b, c]) = (f64::from(self.ray.distance_max()), corners(triangle));
        let end = self.ray.origin().as_dvec3() + self.ray.direction().as_dvec3() * reach;
        let point = closest(&[a, b, c], end);
        let slack = (reach + end.abs().max_element()) * TOUCH;
        let normal = (b - a).cross(c - a);
        let part = |from: DVec3, to: DVec3| (to - from).cross(point - from).dot(normal) / normal.length_squared();
        (point.distance_squared(end) <= slack * slack)
            .then(|| [part(b, c), part(c, a), part(a, b)].map(|part| part as f32))
    }
}

fn side(front: bool) -> Side {
    if front { Side::Front } else { Side::Back }
}

/// The point of a triangle closest to another: over the face, or else of the edges.
fn closest(&[a, b, c]: &[DVec3; 3], point: DVec3) -> DVec3 {
    let (edges, normal) = ([(a, b), (b, c), (c, a)], (b - a).cross(c - a));
    let longest_sq = edges.iter().map(|(from, to)| from.distance_squared(*to)).fold(0.0, f64::max);
    let is_over = |(from, to): (DVec3, DVec3)| (to - from).cross(point - from).dot(normal) >= 0.0;
    if normal.length_squared() > FLAT * longest_sq * longest_sq && edges.into_iter().all(is_over) {
        return point - normal * ((point - a).dot(normal) / normal.length_squared());
    }
    let on_edge = |(from, to): (DVec3, DVec3)| {
        let along = to - from;
        let part = (point - from).dot(along) / along.length_squared();
        from + along * if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) }
    };
    let nearer = |best: DVec3, other: DVec3| {
        if other.distance_squared(point) < best.distance_squared(point) { other } else { best }
    };
    edges.into_iter().map(on_edge).fold(a, nearer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_and_corners_belong_to_the_triangle() {
        let triangle = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
        for target in [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 0.5, Vec3::new(0.5, 0.5, 0.0)] {
            let ray = Ray::new(target + Vec3::Z, Vec3::NEG_Z).unwrap();
            let hit = ShearedRay::new(&ray).hit(&triangle, 1.0);
            assert_eq!(hit.map(|hit| (hit.distance, hit.side)), Some((1.0, Side::Front)));
            assert_eq!(ShearedRay::new(&ray).hit(&triangle, 0.5), None);
        }
    }

    #[test]
    fn a_box_in_the_corner_of_the_triangles_box_is_missed() {
        let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0);
        let at = |x: f32, y: f32| Aabb::new(Vec3::new(x, y, -1.0), Vec3::new(x + 1.0, y + 1.0, 1.0));
        assert!(overlaps(&triangle, &at(0.5, 0.5)));
        assert!(overlaps(&triangle, &at(2.0, 2.0)), "touching counts");
        assert!(!overlaps(&triangle, &at(2.1, 2.1)));
    }
}
