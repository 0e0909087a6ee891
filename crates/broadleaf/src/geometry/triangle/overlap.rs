//! Triangles against boxes and frusta.

use super::Triangle;
use super::point::{closest_point, corners};
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

/// Whether a triangle and a sphere share a point.
pub(crate) fn triangle_sphere(triangle: &Triangle, sphere: &Sphere) -> bool {
    let radius = f64::from(sphere.radius);
    closest_point(triangle, sphere.center).1 <= radius * radius
}

/// How a triangle lies to a frustum: `None` if they share no point.
///
/// *Source:* I. Sutherland and G. Hodgman, Reentrant Polygon Clipping, 1974.
pub(crate) fn triangle_frustum(triangle: &Triangle, frustum: &Frustum) -> Option<Containment> {
    // Each plane adds one corner at most.
    let mut polygon: ArrayVec<DVec3, 9> = corners(triangle).into_iter().collect();
    let mut containment = Containment::Inside;
    for plane in frustum.planes() {
        let (normal, offset) = (plane.normal.as_dvec3(), f64::from(plane.offset));
        let ahead = |point: DVec3| normal.dot(point) + offset;
        if polygon.iter().all(|&corner| ahead(corner) >= 0.0) {
            continue;
        }
        containment = Containment::Intersecting;
        let mut clipped = ArrayVec::<DVec3, 9>::new();
        for (index, &from) in polygon.iter().enumerate() {
            let to = polygon[(index + 1) % polygon.len()];
            let (start, end) = (ahead(from), ahead(to));
            if start >= 0.0 && !clipped.is_full() {
                clipped.push(from);
            }
            // Ends on the plane itself are kept as corners, not as crossings.
            if ((start > 0.0 && end < 0.0) || (start < 0.0 && end > 0.0)) && !clipped.is_full() {
                clipped.push(from + (to - from) * (start / (start - end)));
            }
        }
        if clipped.is_empty() {
            return None;
        }
        polygon = clipped;
    }
    Some(containment)
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
