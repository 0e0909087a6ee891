//! Triangles against boxes, spheres and frusta.

use super::Triangle;
use super::point::{closest_point_f64, corners};
use crate::geometry::{Aabb, Containment, Frustum, Sphere};
use arrayvec::ArrayVec;
use glam::DVec3;

/// Whether a triangle and a finite box share a point.
///
/// *Source:* T. Akenine-Möller, Fast 3D Triangle-Box Overlap Testing, 2001 (separating axes).
pub(crate) fn triangle_aabb(triangle: &Triangle, aabb: &Aabb) -> bool {
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
    if separates(edges[0].cross(edges[1])) {
        return false;
    }
    !edges.iter().any(|edge| {
        separates(DVec3::new(0.0, -edge.z, edge.y))
            || separates(DVec3::new(edge.z, 0.0, -edge.x))
            || separates(DVec3::new(-edge.y, edge.x, 0.0))
    })
}

/// A sphere in 64 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ball {
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
}

impl Ball {
    /// A sphere as it is.
    pub(crate) fn of_sphere(sphere: &Sphere) -> Self {
        Self { center: sphere.center.as_dvec3(), radius: f64::from(sphere.radius) }
    }

    /// Whether the sphere and a triangle share a point.
    pub(crate) fn overlaps(&self, corners: &[DVec3; 3]) -> bool {
        closest_point_f64(corners, self.center).1 <= self.radius * self.radius
    }

    /// How a triangle lies to the sphere: `None` if they share no point.
    pub(crate) fn classify(&self, corners: &[DVec3; 3]) -> Option<Containment> {
        let is_inside = |corner: &DVec3| corner.distance_squared(self.center) <= self.radius * self.radius;
        if corners.iter().all(is_inside) {
            return Some(Containment::Inside);
        }
        self.overlaps(corners).then_some(Containment::Intersecting)
    }
}

/// How a triangle lies to a finite box: `None` if they share no point.
pub(crate) fn classify_in_aabb(triangle: &Triangle, aabb: &Aabb) -> Option<Containment> {
    if aabb.contains(&triangle.aabb()) {
        return Some(Containment::Inside);
    }
    triangle_aabb(triangle, aabb).then_some(Containment::Intersecting)
}

/// The planes of a frustum in 64 bits: normals, and offsets along them.
pub(crate) type Planes = [(DVec3, f64); 6];

/// The planes as they are.
pub(crate) fn planes_of(frustum: &Frustum) -> Planes {
    frustum.planes().map(|plane| (plane.normal.as_dvec3(), f64::from(plane.offset)))
}

/// How a triangle lies to the planes of a frustum: `None` if they share no point.
///
/// *Source:* I. Sutherland and G. Hodgman, Reentrant Polygon Clipping, 1974.
pub(crate) fn classify_in_planes(corners: &[DVec3; 3], planes: &Planes) -> Option<Containment> {
    // Each plane adds one corner at most.
    let mut polygon: ArrayVec<DVec3, 9> = corners.iter().copied().collect();
    let mut containment = Containment::Inside;
    for &(normal, offset) in planes {
        let ahead = |point: DVec3| normal.dot(point) + offset;
        if polygon.iter().all(|&corner| ahead(corner) >= 0.0) {
            continue;
        }
        containment = Containment::Intersecting;
        polygon = cut(&polygon, ahead);
        if polygon.is_empty() {
            return None;
        }
    }
    Some(containment)
}

/// The part of a polygon on the side of a plane on which `ahead` is not negative.
pub(super) fn cut(polygon: &[DVec3], ahead: impl Fn(DVec3) -> f64) -> ArrayVec<DVec3, 9> {
    let mut left = ArrayVec::new();
    for (index, &from) in polygon.iter().enumerate() {
        let to = polygon[(index + 1) % polygon.len()];
        let (start, end) = (ahead(from), ahead(to));
        if start >= 0.0 && !left.is_full() {
            left.push(from);
        }
        // Ends on the plane itself are kept as corners, not as crossings.
        if ((start > 0.0 && end < 0.0) || (start < 0.0 && end > 0.0)) && !left.is_full() {
            left.push(from + (to - from) * (start / (start - end)));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn a_box_in_the_corner_of_the_triangles_box_is_missed() {
        let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0);
        let at = |x: f32, y: f32| Aabb::new(Vec3::new(x, y, -1.0), Vec3::new(x + 1.0, y + 1.0, 1.0));
        assert!(triangle_aabb(&triangle, &at(0.5, 0.5)));
        assert!(triangle_aabb(&triangle, &at(2.0, 2.0)), "touching counts");
        assert!(!triangle_aabb(&triangle, &at(2.1, 2.1)));
        assert!(triangle_aabb(&triangle, &Aabb::new(Vec3::splat(-9.0), Vec3::splat(9.0))));
    }
}
