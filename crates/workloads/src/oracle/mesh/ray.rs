//! Rays against triangles: both are seen along the ray, as points of a plane.

use super::{MeshOracle, Verdict, distance, edges, ensure, extent, farthest, scaled_normal};
use broadleaf::glam::DVec3;
use broadleaf::{
    Ray,
    mesh::{Culling, MeshHit, Side},
};

/// What 32 bits may move a corner by, as a part of its distance from the ray's start.
const ROUNDING: f64 = 4e-6;

/// How a ray crosses a triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crossing {
    /// Whether the ray passes inside by more than rounding moves it.
    pub(super) is_sure: bool,
    /// The least and the largest distance at which it may do so.
    pub(super) low: f64,
    pub(super) high: f64,
    /// From which side; meaningful if it is sure.
    pub(super) is_front: bool,
    /// How far beyond the reach it may be for the ray's end to lie on the triangle.
    end_slack: f64,
}

impl Crossing {
    /// Whether it lies within the reach, `Some(true)` if surely.
    fn within(&self, reach: f64) -> Option<bool> {
        let is_possible = self.high >= 0.0 && self.low <= reach + self.end_slack;
        is_possible.then_some(self.is_sure && self.low > 0.0 && self.high <= reach)
    }
}

/// How the line of a ray may cross a triangle.
pub(super) fn crossing(triangle: &[DVec3; 3], ray: &Ray) -> Option<Crossing> {
    let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
    let moved = triangle.map(|corner| corner - origin);
    let along = moved.map(|corner| corner.dot(direction) / direction.length_squared());
    let seen: [DVec3; 3] = core::array::from_fn(|i| moved[i] - direction * along[i]);
    let slack = ROUNDING * farthest(&moved, DVec3::ZERO);
    let areas = edges(&seen).map(|(from, to)| from.cross(to).dot(direction));
    let area: f64 = areas.iter().sum();
    let inside = edges(&seen).into_iter().zip(areas).map(|((from, to), part)| part * area.signum() / from.distance(to));
    let is_sure = inside.into_iter().all(|height| height > slack);
    if !is_sure && distance(&seen, DVec3::ZERO) > slack {
        return None;
    }
    let (nearest, last) = along.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &at| (l.min(at), h.max(at)));
    let normal = scaled_normal(&moved);
    let facing = normal.dot(direction);
    let slope = normal.length() / facing.abs();
    let (mut low, mut high) = (nearest - slack, last + slack);
    if is_sure {
        let at = moved[0].dot(normal) / facing;
        let wide = seen.iter().map(|corner| corner.length_squared()).fold(0.0, f64::max);
        let doubt = slack * (1.0 + slope) + ROUNDING * wide / area.abs() * (last - nearest);
        (low, high) = (low.max(at - doubt), high.min(at + doubt));
    }
    let reach = f64::from(ray.distance_max());
    let end = origin + direction * reach;
    // The end may lie on the triangle where the ray crosses it beyond.
    let near_end = (reach + end.abs().max_element()) * 1e-6;
    let end_slack = if distance(triangle, end) <= near_end { f64::INFINITY } else { near_end.min(slack) };
    Some(Crossing { is_sure, low, high, is_front: facing < 0.0, end_slack })
}

fn side(is_front: bool) -> Side {
    if is_front { Side::Front } else { Side::Back }
}

impl MeshOracle<'_> {
    /// Checks all hits of a ray.
    pub(super) fn hits(&self, ray: &Ray, culling: Culling, hits: &[MeshHit]) -> Verdict {
        let reach = f64::from(ray.distance_max());
        let found: Vec<u32> = hits.iter().map(|hit| hit.triangle).collect();
        self.check_found(&found, |triangle| {
            let crossing = crossing(triangle, ray)?;
            let is_sure = crossing.within(reach)?;
            match culling.hits(side(crossing.is_front)) {
                true => Some(is_sure),
                // Of what is not seen surely, the side is not sure either.
                false if crossing.is_sure => None,
                false => Some(false),
            }
        })
        .map_err(|fault| format!("{culling:?} {ray:?}: {fault}"))?;
        hits.iter().try_for_each(|hit| self.hit(ray, culling, hit))
    }

    /// Checks what a hit says.
    fn hit(&self, ray: &Ray, culling: Culling, hit: &MeshHit) -> Verdict {
        let triangle = self.get(hit.triangle)?;
        let Some(crossing) = crossing(&triangle, ray) else { return Err(format!("{hit:?} of {ray:?}")) };
        let at = f64::from(hit.distance);
        let ends = hit.distance == ray.distance_max() && crossing.low <= at + crossing.end_slack;
        let is_there = (crossing.low <= at && at <= crossing.high) || ends;
        let is_within = hit.distance >= 0.0 && hit.distance <= ray.distance_max() && culling.hits(hit.side);
        ensure(is_there && is_within, || format!("{hit:?} but {crossing:?} of {ray:?}"))?;
        if !crossing.is_sure {
            return Ok(());
        }
        let place = ray.origin().as_dvec3() + ray.direction().as_dvec3() * at;
        let slack = 2.0 * (crossing.high - crossing.low) + 1e-5 * (extent(&triangle) + place.abs().max_element());
        let [a, b, c] = triangle;
        let [u, v, w] = hit.barycentric.to_array().map(f64::from);
        let by_weights = a * u + b * v + c * w;
        let unit = scaled_normal(&triangle).normalize();
        let fits = [place, by_weights].iter().all(|other| other.distance(hit.position.as_dvec3()) <= slack)
            && (u + v + w - 1.0).abs() < 1e-4
            && unit.distance(hit.normal.as_dvec3()) < 1e-5
            && hit.side == side(crossing.is_front);
        ensure(fits, || format!("{hit:?} but {place}, {by_weights}, {unit}, {crossing:?} of {ray:?}"))
    }

    /// Checks the nearest hit of a ray against all of its hits.
    pub(super) fn closest_hit(&self, ray: &Ray, all: &[MeshHit], hit: Option<MeshHit>) -> Verdict {
        let order = |a: &&MeshHit, b: &&MeshHit| a.distance.total_cmp(&b.distance).then(a.triangle.cmp(&b.triangle));
        let nearest = all.iter().min_by(order).copied();
        ensure(hit == nearest, || format!("nearest {hit:?}, but {nearest:?} of {ray:?}"))
    }
}
