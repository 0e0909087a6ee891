//! Where the nearest hit of a ray must lie, found the slow way with 64 bits.
//!
//! Near an edge, or along a triangle, rounding decides; so the answer is a
//! bracket: no nearer than whatever might be hit, no farther than what surely is.

use broadleaf::glam::DVec3;
use broadleaf::{Ray, shape::Triangle};

/// How near an edge a hit is neither sure nor impossible, as a part of the triangle.
const EDGE: f64 = 1e-4;
/// The least sine of the angle between a ray and a triangle that is surely hit.
const GRAZING: f64 = 1e-3;

/// The least and the largest distance that the nearest hit may have; infinite if there may be none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// No triangle is hit before.
    pub least: f64,
    /// A triangle is hit there, if this is finite.
    pub most: f64,
}

impl Bracket {
    /// Asks every triangle.
    #[must_use]
    pub fn new(triangles: impl IntoIterator<Item = Triangle>, ray: &Ray) -> Self {
        let mut bracket = Self { least: f64::INFINITY, most: f64::INFINITY };
        triangles.into_iter().for_each(|triangle| bracket.add(&triangle, ray));
        bracket
    }

    /// Whether a hit at this distance, or none, can be right.
    #[must_use]
    pub fn allows(&self, distance: Option<f32>, tolerance: f64) -> bool {
        let distance = distance.map_or(f64::INFINITY, f64::from);
        self.least <= distance + tolerance && distance <= self.most + tolerance
    }

    /// *Source:* T. Möller and B. Trumbore, Fast, Minimum Storage Ray/Triangle Intersection, 1997.
    fn add(&mut self, triangle: &Triangle, ray: &Ray) {
        let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
        let [a, b, c] = [triangle.a, triangle.b, triangle.c].map(|corner| corner.as_dvec3());
        let (ab, ac) = (b - a, c - a);
        let normal = ab.cross(ac);
        let determinant = -direction.dot(normal);
        if determinant == 0.0 {
            return;
        }
        let moment = (origin - a).cross(direction);
        let (v, w) = (ac.dot(moment) / determinant, -ab.dot(moment) / determinant);
        let inside = v.min(w).min(1.0 - v - w);
        let grazes = determinant.abs() < GRAZING * normal.length();
        if inside < if grazes { -EDGE / GRAZING } else { -EDGE } {
            return;
        }
        let (distance, reach) = ((origin - a).dot(normal) / determinant, f64::from(ray.distance_max()));
        let along = |corner: DVec3| (corner - origin).dot(direction);
        let least = if grazes { along(a).min(along(b)).min(along(c)) } else { distance };
        let slack = EDGE * (1.0 + distance.abs());
        if distance >= -slack && distance <= reach + slack {
            self.least = self.least.min(least);
        }
        if inside > EDGE && !grazes && distance >= slack && distance <= reach - slack {
            self.most = self.most.min(distance);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::models::rays;
    use broadleaf::Mesh;
    use broadleaf::glam::Vec3;

    #[test]
    fn brackets_are_tight_inside_and_open_at_edges() {
        let triangle = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
        let at = |x: f32, y: f32| {
            let ray = Ray::new(Vec3::new(x, y, 2.0), Vec3::NEG_Z).unwrap();
            Bracket::new([triangle], &ray)
        };
        assert_eq!(at(0.25, 0.25), Bracket { least: 2.0, most: 2.0 });
        assert_eq!(at(0.5, 0.0), Bracket { least: 2.0, most: f64::INFINITY });
        assert_eq!(at(0.6, 0.6), Bracket { least: f64::INFINITY, most: f64::INFINITY });
        assert!(at(0.5, 0.0).allows(None, 0.0) && at(0.5, 0.0).allows(Some(2.0), 0.0));
        assert!(!at(0.25, 0.25).allows(None, 0.0) && !at(0.25, 0.25).allows(Some(1.9), 0.01));
        assert!(!at(0.6, 0.6).allows(Some(2.0), 0.0));
    }

    #[test]
    fn the_mesh_stays_within_the_brackets() {
        for name in Model::NAMES {
            let model = Model::by_name(name, 700, 3).unwrap();
            let mesh = Mesh::from_indexed(model.positions(), model.indices()).unwrap();
            let count = u32::try_from(model.len()).unwrap();
            let mut sure = 0;
            for ray in rays::incoherent(&model.bounds(), 300, 5) {
                let bracket = Bracket::new((0..count).map(|index| model.triangle(index)), &ray);
                let hit = mesh.cast(&ray).closest().map(|hit| hit.distance);
                assert!(bracket.allows(hit, 1e-3), "{name}: {hit:?} in {bracket:?}");
                sure += u32::from(bracket.most.is_finite() && bracket.most - bracket.least < 1e-3);
            }
            // Slivers are seldom hit.
            let least = if name == "slivers" { 1 } else { 30 };
            assert!(sure >= least, "{name}: only {sure} of 300 rays are sure of their hit");
        }
    }
}
