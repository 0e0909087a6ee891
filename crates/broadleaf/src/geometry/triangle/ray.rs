//! Rays against triangles, watertight: of the triangles around an edge or a
//! corner, a ray towards it hits at least one.
//!
//! The triangle is moved and sheared so that the ray runs along an axis from
//! the origin. What an edge says of the ray is then one difference of two
//! products, and its sign is right or zero in 32 bits, and right in 64. Two
//! triangles that share an edge compute the same number with opposite signs.
//!
//! The end of a ray belongs to it. Where 32 bits put a crossing beyond the
//! reach, the end itself is looked at with 64: if it lies on the triangle, as
//! near as a direction and a reach of 32 bits can lead to it, it is the hit.
//!
//! The distance is the corners' distances along the ray, weighted by the areas
//! at the edges. In 32 bits its error grows with the square of the longest edge
//! over the area that the ray sees: for needles, and for rays that nearly run
//! along a triangle, it is too large. [`ShearedRay::is_precise`] finds these
//! crossings; 64 bits then compute distance and weights. Edges are still
//! decided by the same numbers for every triangle around them.
//!
//! *Source:* S. Woop, C. Benthin and I. Wald, Watertight Ray/Triangle
//! Intersection, 2013.

use super::Triangle;
use super::point::{closest_point_f64, corners};
use crate::geometry::Ray;
use crate::geometry::float::sqrt;
use glam::{DVec3, Vec3};

/// Below this, twice the area that an edge and a ray span has lost digits to
/// underflow, and 64 bits must decide.
pub(crate) const AREA_MIN: f32 = 1e-34;
/// How far the end of a ray may be from a triangle that it lies on, as a part
/// of the reach and the coordinates: what rounding a direction, a reach and a
/// point can do. Boxes are padded by more.
const TOUCH: f64 = 1.0 / (1 << 22) as f64;
/// The area that a ray must see of a triangle, as a part of its longest edge
/// squared, for 32 bits to find the distance to 1e-5 of itself; more where the
/// triangle is near. Of 10^7 random crossings that are let through, of needles
/// and of flat rays, the worst is off by 2.6e-6.
const AREA_PART_MIN: f32 = 0.02;

/// What a ray was before it was rounded to 32 bits: a ray of the world as a placed mesh sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnroundedRay {
    pub(crate) origin: DVec3,
    /// Of such a length that distances along it are those along the rounded ray.
    pub(crate) direction: DVec3,
    /// How much farther from a triangle than rounding explains the end may be to lie on it.
    pub(crate) slack: f32,
}

/// A ray and the shear that lays it along an axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShearedRay<'r> {
    ray: &'r Ray,
    unrounded: Option<&'r UnroundedRay>,
    /// The largest coordinate of an origin that was rounded, or zero.
    rounded: f32,
    /// In the order of `axes`.
    pub(crate) origin: [f32; 3],
    /// The axes that become x, y and z; z is the one along which the ray runs most.
    pub(crate) axes: [usize; 3],
    pub(crate) shear: [f32; 3],
}

/// Where a ray meets a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TriangleHit {
    pub(crate) distance: f32,
    /// Weights of the corners.
    pub(crate) weights: [f32; 3],
    /// Whether the ray comes from the side from which the corners run counter-clockwise.
    pub(crate) front: bool,
}

/// The axes that become x, y and z, by the last of them, for rays that run forwards and backwards along it.
const AXES: [[[usize; 3]; 3]; 2] = [[[1, 2, 0], [2, 0, 1], [0, 1, 2]], [[2, 1, 0], [0, 2, 1], [1, 0, 2]]];

impl<'r> ShearedRay<'r> {
    #[inline]
    pub(crate) fn new(ray: &'r Ray, unrounded: Option<&'r UnroundedRay>) -> Self {
        let d = ray.direction();
        let size = d.abs();
        let z = if size.x > size.y && size.x > size.z {
            0
        } else if size.y > size.z {
            1
        } else {
            2
        };
        let (origin, direction) = (ray.origin().to_array(), d.to_array());
        // Swapped where the ray runs backwards, so that windings keep their sense.
        let axes = AXES[usize::from(direction[z] < 0.0)][z];
        let along = 1.0 / direction[z];
        Self {
            ray,
            unrounded,
            rounded: if unrounded.is_some() { ray.origin().abs().max_element() } else { 0.0 },
            origin: axes.map(|axis| origin[axis]),
            axes,
            shear: [direction[axes[0]] * along, direction[axes[1]] * along, along],
        }
    }

    /// A corner, moved and sheared; the last coordinate is the distance along the ray.
    #[inline]
    fn corner(&self, corner: Vec3) -> [f32; 3] {
        let corner = corner.to_array();
        let at = |i: usize| corner[self.axes[i] % 3] - self.origin[i];
        let z = at(2);
        [at(0) - self.shear[0] * z, at(1) - self.shear[1] * z, self.shear[2] * z]
    }

    /// How far the ray reaches.
    #[inline]
    pub(crate) fn reach(&self) -> f32 {
        self.ray.distance_max()
    }

    /// Where the ray meets a triangle at a distance from zero to
    /// `distance_max`, which is at most its reach.
    pub(crate) fn hit(&self, triangle: &Triangle, distance_max: f32) -> Option<TriangleHit> {
        let hit = self.crossing(triangle)?;
        if hit.distance <= distance_max {
            Some(hit)
        } else if distance_max >= self.reach() {
            self.end_on(triangle).map(|weights| TriangleHit { distance: self.reach(), weights, ..hit })
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
            return self.crossing_at_edge(triangle, &corners);
        }
        let front = u > 0.0 && v > 0.0 && w > 0.0;
        if !(front || u < 0.0 && v < 0.0 && w < 0.0) {
            return None;
        }
        let area = (u + v) + w;
        let inverse = 1.0 / area;
        let weights = [u * inverse, v * inverse, w * inverse];
        let distance = ((weights[0] * a[2] + weights[1] * b[2]) + weights[2] * c[2]) + 0.0;
        if !self.is_precise(triangle, area, distance) {
            return self.precise_crossing(triangle, front);
        }
        (distance >= 0.0).then_some(TriangleHit { distance, weights, front })
    }

    /// Whether 32 bits suffice for a crossing at this distance of a triangle of
    /// which the ray sees twice this area.
    ///
    /// Coordinates are rounded by a part of the distance, of the triangle's
    /// size, and of an origin that was rounded; that moves the crossing by the
    /// same part, times the longest edge squared, over the area.
    #[inline]
    pub(crate) fn is_precise(&self, triangle: &Triangle, area: f32, distance: f32) -> bool {
        let (ab, ac) = (triangle.b - triangle.a, triangle.c - triangle.a);
        // Half the sum of the three edges' squares: 0.75 to 1.5 times that of the longest.
        let size_sq = ab.dot(ab) + ac.dot(ac - ab);
        let nearness = (sqrt(size_sq) + self.rounded) / distance.abs();
        // What is no number is not precise.
        area.abs() >= AREA_PART_MIN * (size_sq + size_sq * nearness)
    }

    /// The same where 32 bits cannot decide on which side of an edge the ray passes.
    #[cold]
    fn crossing_at_edge(&self, triangle: &Triangle, corners: &[[f32; 3]; 3]) -> Option<TriangleHit> {
        let areas = areas(&corners.map(|corner| corner.map(f64::from)));
        let front = areas.iter().all(|&area| area >= 0.0);
        if !(front || areas.iter().all(|&area| area <= 0.0)) || areas == [0.0; 3] {
            return None;
        }
        self.precise_crossing(triangle, front)
    }

    /// Where the ray crosses a triangle that it hits, with 64 bits; if they see
    /// it pass by, the point of the triangle that it passes nearest.
    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    fn precise_crossing(&self, triangle: &Triangle, front: bool) -> Option<TriangleHit> {
        let (origin, direction) = match self.unrounded {
            Some(ray) => (ray.origin, ray.direction),
            None => (self.ray.origin().as_dvec3(), self.ray.direction().as_dvec3()),
        };
        let [x, y, z] = self.axes;
        let corners = corners(triangle).map(|corner| {
            let moved = corner - origin;
            let along = moved[z] / direction[z];
            [moved[x] - direction[x] * along, moved[y] - direction[y] * along, along]
        });
        let parts = areas(&corners).map(|area| if front { area } else { -area });
        let area = (parts[0] + parts[1]) + parts[2];
        let is_within = parts.iter().all(|&part| part >= 0.0) && area > 0.0;
        let weights = if is_within { parts.map(|part| part / area) } else { nearest_at_edges(&corners) };
        let [[.., a], [.., b], [.., c]] = corners;
        let distance = (((weights[0] * a + weights[1] * b) + weights[2] * c) as f32) + 0.0;
        (distance >= 0.0).then_some(TriangleHit { distance, weights: weights.map(|weight| weight as f32), front })
    }

    /// The weights of the corners at the end of the ray, if that lies on a triangle.
    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    fn end_on(&self, triangle: &Triangle) -> Option<[f32; 3]> {
        let (reach, [a, b, c]) = (f64::from(self.reach()), corners(triangle));
        let end = self.ray.origin().as_dvec3() + self.ray.direction().as_dvec3() * reach;
        let (point, distance_sq) = closest_point_f64(&[a, b, c], end);
        let slack = (reach + end.abs().max_element()) * TOUCH + f64::from(self.unrounded.map_or(0.0, |ray| ray.slack));
        let normal = (b - a).cross(c - a);
        let part = |from: DVec3, to: DVec3| (to - from).cross(point - from).dot(normal) / normal.length_squared();
        (distance_sq <= slack * slack).then(|| [part(b, c), part(c, a), part(a, b)].map(|part| part as f32))
    }
}

/// Twice the areas that the origin and each edge span, seen along the last axis.
fn areas(&[a, b, c]: &[[f64; 3]; 3]) -> [f64; 3] {
    [c[0] * b[1] - c[1] * b[0], a[0] * c[1] - a[1] * c[0], b[0] * a[1] - b[1] * a[0]]
}

/// The weights of the corners at the point of the edges that is nearest to the
/// origin, seen along the last axis.
fn nearest_at_edges(corners: &[[f64; 3]; 3]) -> [f64; 3] {
    let mut best = (f64::INFINITY, [1.0, 0.0, 0.0]);
    for from in 0..3 {
        let to = (from + 1) % 3;
        let [[x, y, _], [next_x, next_y, _]] = [corners[from], corners[to]];
        let (along_x, along_y) = (next_x - x, next_y - y);
        let length_sq = along_x * along_x + along_y * along_y;
        // The first corner of an edge that has no length.
        let part = if length_sq > 0.0 { (-(x * along_x + y * along_y) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
        let (x, y) = (x + along_x * part, y + along_y * part);
        let distance_sq = x * x + y * y;
        if distance_sq < best.0 {
            let mut weights = [0.0; 3];
            (weights[from], weights[to]) = (1.0 - part, part);
            best = (distance_sq, weights);
        }
    }
    best.1
}

/// How a triangle is crossed by the half-line from a point along the first
/// axis: 1 if towards its front, -1 if towards its back, 0 if not at all.
///
/// Where the half-line meets an edge or a corner, it is taken to pass a little
/// to one side, the same for all triangles: of those around the edge or the
/// corner, so many are crossed as if it did.
pub(crate) fn winding(corners: &[DVec3; 3], point: DVec3) -> i32 {
    let [a, b, c] = corners.map(|corner| corner - point);
    let edges = [(b, c), (c, a), (a, b)].map(|(from, to)| side(from, to));
    if edges.iter().any(|&(_, side)| side != edges[0].1) || edges[0].1 == 0 {
        return 0;
    }
    let [u, v, w] = edges.map(|(area, _)| area);
    // How far ahead the triangle is crossed, times its projected area.
    let ahead = (u * a.x + v * b.x) + w * c.x;
    let area = (u + v) + w;
    if area != 0.0 && (ahead > 0.0) == (area > 0.0) && ahead != 0.0 { -edges[0].1 } else { 0 }
}

/// On which side of an edge the origin lies, seen along the first axis: the
/// area of the triangle that they span, and its sign if the origin is moved a
/// little along the second axis, and far less along the third.
fn side(from: DVec3, to: DVec3) -> (f64, i32) {
    let area = from.y * to.z - from.z * to.y;
    let sign = [area, from.z - to.z, to.y - from.y].into_iter().find(|&part| part != 0.0).unwrap_or(0.0);
    (area, if sign > 0.0 { 1 } else { -i32::from(sign < 0.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_follow_the_winding_from_every_direction() {
        let corners = [Vec3::new(1.0, 0.1, 0.2), Vec3::new(-0.3, 1.1, 0.0), Vec3::new(-0.2, -0.4, 0.9)];
        let triangle = Triangle::new(corners[0], corners[1], corners[2]);
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        for x in -2..=2 {
            for y in -2..=2 {
                for z in -2..=2 {
                    let from = Vec3::new(x as f32, y as f32, z as f32) * 3.0;
                    let ray = Ray::new(from, middle - from).unwrap();
                    let above = triangle.scaled_normal().dot(from - middle);
                    let hit = ShearedRay::new(&ray, None).hit(&triangle, f32::MAX).expect("aimed at the middle");
                    assert_eq!(hit.front, above > 0.0, "from {from}");
                    assert!((hit.distance - from.distance(middle)).abs() < 1e-4);
                    assert!(hit.weights.iter().all(|weight| (weight - 1.0 / 3.0).abs() < 1e-4));
                }
            }
        }
    }

    #[test]
    fn edges_and_corners_belong_to_the_triangle() {
        let triangle = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
        for target in [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 0.5, Vec3::new(0.5, 0.5, 0.0)] {
            let ray = Ray::new(target + Vec3::Z, Vec3::NEG_Z).unwrap();
            assert_eq!(
                ShearedRay::new(&ray, None).hit(&triangle, 1.0).map(|hit| (hit.distance, hit.front)),
                Some((1.0, true))
            );
            assert_eq!(ShearedRay::new(&ray, None).hit(&triangle, 0.5), None);
        }
        let along = Ray::new(Vec3::NEG_X, Vec3::X).unwrap();
        assert_eq!(ShearedRay::new(&along, None).hit(&triangle, 9.0), None, "edge-on");
    }
}
