//! Moving balls. The distance of a point that moves straight on from a triangle
//! falls, and then it rises: the least is found by narrowing down.

use super::point::ROUNDING;
use super::{MeshOracle, Verdict, distance, ensure, farthest, is_thin};
use broadleaf::glam::{DVec3, Vec3};
use broadleaf::{Sphere, mesh::MeshSweepHit};

/// Steps of a third each.
const STEPS: u32 = 60;

/// The least distance of a triangle from a point on its way.
pub(super) fn least(triangle: &[DVec3; 3], from: DVec3, motion: DVec3) -> f64 {
    let at = |time: f64| distance(triangle, from + motion * time);
    let (mut low, mut high) = (0.0, 1.0);
    let mut best = at(0.0).min(at(1.0));
    for _ in 0..STEPS {
        let third = (high - low) / 3.0;
        let (first, second) = (at(low + third), at(high - third));
        best = best.min(first).min(second);
        if first < second {
            high -= third;
        } else {
            low += third;
        }
    }
    best
}

impl MeshOracle<'_> {
    /// Checks where a moving sphere first touches.
    pub(super) fn sweep_sphere(&self, sphere: &Sphere, motion: Vec3, hit: Option<MeshSweepHit>) -> Verdict {
        let (from, radius, motion) = (sphere.center.as_dvec3(), f64::from(sphere.radius), motion.as_dvec3());
        let fault = || format!("{sphere:?} along {motion}: {hit:?}");
        let time = hit.map_or(1.0, |hit| f64::from(hit.time));
        let slack = |triangle: &[DVec3; 3]| 4.0 * ROUNDING * (farthest(triangle, from) + motion.length() + radius);
        for (index, triangle) in self.each() {
            let start = distance(&triangle, from);
            if is_thin(&triangle) || start - motion.length() * time > radius {
                continue;
            }
            // Time zero is that of a touch at the start.
            let is_missed = time > 0.0 && least(&triangle, from, motion * time) < radius - slack(&triangle);
            ensure(!is_missed, || format!("triangle {index} is touched before: {}", fault()))?;
        }
        let Some(hit) = hit else { return Ok(()) };
        let triangle = self.get(hit.triangle)?;
        let (center, slack) = (from + motion * time, slack(&triangle));
        let touch = distance(&triangle, center);
        let coordinates = 1e-6 * (center.abs().max_element() + hit.contact.abs().max_element() as f64);
        let fits = touch <= radius + slack
            && (time == 0.0 || touch >= radius - slack)
            && hit.center.as_dvec3().distance(center) <= slack + coordinates
            && (hit.contact.as_dvec3().distance(center) - touch).abs() <= slack + coordinates
            && (f64::from(hit.distance) - motion.length() * time).abs() <= slack;
        ensure(fits, || format!("{touch} away: {}", fault()))
    }
}
