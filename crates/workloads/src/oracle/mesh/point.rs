//! The closest point, and what is inside.

use super::ray::crossing;
use super::{MeshOracle, Verdict, distance, ensure, farthest, is_thin};
use broadleaf::glam::{DVec3, Vec3};
use broadleaf::{Ray, mesh::MeshPoint};

/// How far two ways of measuring may differ, as a part of the distance of the farthest corner.
pub(super) const ROUNDING: f64 = 1e-6;

impl MeshOracle<'_> {
    /// Checks the point closest to another.
    pub(super) fn closest_point(&self, point: Vec3, distance_max: f32, closest: Option<MeshPoint>) -> Verdict {
        let (at, limit) = (point.as_dvec3(), f64::from(distance_max));
        let fault = || format!("closest to {point} within {distance_max}: {closest:?}");
        let reported = closest.map_or(limit, |closest| f64::from(closest.distance));
        let is_nearest = self.each().all(|(_, triangle)| {
            is_thin(&triangle) || distance(&triangle, at) >= reported - ROUNDING * farthest(&triangle, at)
        });
        ensure(is_nearest || reported.is_infinite() && closest.is_some(), fault)?;
        let Some(closest) = closest else { return Ok(()) };
        let triangle = self.get(closest.triangle)?;
        let slack = ROUNDING * farthest(&triangle, at);
        let position = closest.position.as_dvec3();
        let fits = (distance(&triangle, at) - reported).abs() <= slack
            && (position.distance(at) - reported).abs() <= slack + 1e-6 * position.abs().max_element()
            && distance(&triangle, position) <= slack + 1e-6 * position.abs().max_element()
            && reported <= limit * (1.0 + ROUNDING);
        ensure(fits, fault)
    }

    /// Checks whether a point is inside, where a half-line from it keeps clear
    /// of all edges. Outside the box of all triangles it is not, even if they
    /// leave a surface open.
    pub(super) fn contains(&self, point: Vec3, is_inside: bool) -> Verdict {
        let Ok(ray) = Ray::new(point, Vec3::X) else { return Ok(()) };
        let of = |keep: fn(&[DVec3; 3]) -> bool| {
            let kept = self.each().map(|(_, triangle)| triangle).filter(keep);
            let within = kept.flatten().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), corner| {
                (low.min(corner), high.max(corner))
            });
            within.0.cmple(point.as_dvec3()).all() && within.1.cmpge(point.as_dvec3()).all()
        };
        if !of(|_| true) {
            return ensure(!is_inside, || format!("{point} inside, but beside all triangles"));
        }
        // Whether very thin triangles count for the box, rounding decides.
        if !of(|triangle| !is_thin(triangle)) {
            return Ok(());
        }
        let mut winding = 0;
        for (_, triangle) in self.each() {
            let at: DVec3 = point.as_dvec3();
            if distance(&triangle, at) <= ROUNDING * farthest(&triangle, at) {
                return Ok(());
            }
            let Some(crossing) = crossing(&triangle, &ray).filter(|crossing| crossing.high >= 0.0) else { continue };
            if !crossing.is_sure || crossing.low <= 0.0 {
                return Ok(());
            }
            winding += if crossing.is_front { 1 } else { -1 };
        }
        ensure(is_inside == (winding != 0), || format!("{point} inside: {is_inside}, but wound around {winding} times"))
    }
}
