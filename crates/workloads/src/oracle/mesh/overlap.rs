//! Boxes, spheres and frusta against triangles: what is left when they are cut off.

use super::point::ROUNDING;
use super::{MeshOracle, Verdict, distance, ensure, extent, farthest};
use broadleaf::glam::DVec3;
use broadleaf::{Aabb, Containment, Frustum, Sphere};

/// The part of a polygon in front of a plane.
fn cut(polygon: &[DVec3], normal: DVec3, offset: f64) -> Vec<DVec3> {
    let ahead = |point: DVec3| normal.dot(point) + offset;
    let mut left = Vec::with_capacity(polygon.len() + 1);
    for (index, &to) in polygon.iter().enumerate() {
        let from = polygon[(index + polygon.len() - 1) % polygon.len()];
        let (start, end) = (ahead(from), ahead(to));
        if (start < 0.0) != (end < 0.0) {
            left.push(from.lerp(to, start / (start - end)));
        }
        if end >= 0.0 {
            left.push(to);
        }
    }
    left
}

/// Whether anything of a triangle is in front of all planes; `Some(true)` if by more than the slack.
pub(super) fn in_front(triangle: &[DVec3; 3], planes: &[(DVec3, f64)], slack: f64) -> Option<bool> {
    let is_left = |slack: f64| {
        let cut_all = |polygon: Vec<DVec3>, &(normal, offset): &(DVec3, f64)| cut(&polygon, normal, offset + slack);
        !planes.iter().fold(triangle.to_vec(), cut_all).is_empty()
    };
    is_left(slack).then(|| is_left(-slack))
}

impl MeshOracle<'_> {
    /// Checks which triangles overlap a box.
    pub(super) fn in_aabb(&self, aabb: &Aabb, found: &[u32]) -> Verdict {
        let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let sides = DVec3::AXES.into_iter().flat_map(|axis| [(axis, -low.dot(axis)), (-axis, high.dot(axis))]);
        let planes: Vec<(DVec3, f64)> = sides.collect();
        let most = low.abs().max(high.abs()).max_element();
        self.check_found(found, |triangle| {
            let is_within = |corner: &DVec3| corner.cmpge(low).all() && corner.cmple(high).all();
            if triangle.iter().any(is_within) {
                return Some(true);
            }
            in_front(triangle, &planes, 1e-10 * (most + extent(triangle)))
        })
        .map_err(|fault| format!("{aabb:?}: {fault}"))
    }

    /// Checks which triangles overlap a sphere.
    pub(super) fn in_sphere(&self, sphere: &Sphere, found: &[u32]) -> Verdict {
        let (center, radius) = (sphere.center.as_dvec3(), f64::from(sphere.radius));
        self.check_found(found, |triangle| {
            let (distance, slack) = (distance(triangle, center), ROUNDING * (farthest(triangle, center) + radius));
            (distance <= radius + slack).then_some(distance < radius - slack)
        })
        .map_err(|fault| format!("{sphere:?}: {fault}"))
    }

    /// Checks which triangles share a point with a frustum, and how they lie.
    ///
    /// # Errors
    /// The first answer that cannot be right.
    pub fn in_frustum(&self, frustum: &Frustum, found: &[(u32, Containment)]) -> Verdict {
        let planes: Vec<(DVec3, f64)> =
            frustum.planes().iter().map(|plane| (plane.normal.as_dvec3(), f64::from(plane.offset))).collect();
        let most = planes.iter().map(|(_, offset)| offset.abs()).fold(0.0, f64::max);
        let slack = |triangle: &[DVec3; 3]| 1e-6 * (most + extent(triangle));
        let indices: Vec<u32> = found.iter().map(|(index, _)| *index).collect();
        self.check_found(&indices, |triangle| in_front(triangle, &planes, slack(triangle)))?;
        for &(index, containment) in found {
            let triangle = self.get(index)?;
            let heights = planes.iter().flat_map(|(normal, offset)| triangle.map(|corner| normal.dot(corner) + offset));
            let lowest = heights.fold(f64::INFINITY, f64::min);
            let fits = match containment {
                Containment::Inside => lowest >= -slack(&triangle),
                Containment::Intersecting => lowest <= slack(&triangle),
            };
            ensure(fits, || format!("triangle {index} is {containment:?}, but {lowest} in front of {frustum:?}"))?;
        }
        Ok(())
    }
}
