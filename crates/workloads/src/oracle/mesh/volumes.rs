//! Oriented boxes, capsules and moving boxes: what is left of a triangle when
//! planes cut it off, and how near it comes to a segment.

use super::overlap::in_front;
use super::point::ROUNDING;
use super::sweep::least;
use super::{MeshOracle, Verdict, distance, ensure, extent, farthest};
use broadleaf::glam::{DVec3, Vec3};
use broadleaf::{
    Aabb, Containment,
    mesh::MeshSweepHit,
    shape::{Capsule, Obb},
};

/// Times at which a moving box is looked at.
const TIMES: u32 = 9;

/// The planes of a box: its middle, and along each axis how far it reaches.
fn planes(center: DVec3, axes: [DVec3; 3], half: DVec3) -> Vec<(DVec3, f64)> {
    let sides = axes.into_iter().zip(half.to_array()).flat_map(|(axis, half)| [(axis, half), (-axis, half)]);
    sides.map(|(axis, half)| (axis, half - axis.dot(center))).collect()
}

/// The least of how far the corners are in front of planes.
fn lowest(triangle: &[DVec3; 3], planes: &[(DVec3, f64)]) -> f64 {
    let heights = planes.iter().flat_map(|(normal, offset)| triangle.map(|corner| normal.dot(corner) + offset));
    heights.fold(f64::INFINITY, f64::min)
}

fn indices(found: &[(u32, Containment)]) -> Vec<u32> {
    found.iter().map(|(index, _)| *index).collect()
}

impl MeshOracle<'_> {
    /// Checks which triangles overlap an oriented box, and how they lie.
    pub(super) fn in_obb(&self, obb: &Obb, found: &[(u32, Containment)]) -> Verdict {
        let half = obb.half_extents().as_dvec3();
        let planes = planes(obb.center().as_dvec3(), obb.axes().map(|axis| axis.as_dvec3().normalize()), half);
        let most = obb.center().as_dvec3().abs().max_element() + half.max_element();
        let slack = |triangle: &[DVec3; 3]| ROUNDING * (most + extent(triangle));
        self.check_found(&indices(found), |triangle| in_front(triangle, &planes, slack(triangle)))
            .map_err(|fault| format!("{obb:?}: {fault}"))?;
        for &(index, containment) in found {
            let triangle = self.get(index)?;
            let lowest = lowest(&triangle, &planes);
            let fits = match containment {
                Containment::Inside => lowest >= -slack(&triangle),
                Containment::Intersecting => lowest <= slack(&triangle),
            };
            ensure(fits, || format!("triangle {index} is {containment:?}, but {lowest} within {obb:?}"))?;
        }
        Ok(())
    }

    /// Checks which triangles overlap a capsule, and how they lie.
    pub(super) fn in_capsule(&self, capsule: &Capsule, found: &[(u32, Containment)]) -> Verdict {
        let (from, radius) = (capsule.a().as_dvec3(), f64::from(capsule.radius()));
        let along = capsule.b().as_dvec3() - from;
        let slack = |triangle: &[DVec3; 3]| 4.0 * ROUNDING * (farthest(triangle, from) + along.length() + radius);
        self.check_found(&indices(found), |triangle| {
            let (distance, slack) = (least(triangle, from, along), slack(triangle));
            (distance <= radius + slack).then_some(distance < radius - slack)
        })
        .map_err(|fault| format!("{capsule:?}: {fault}"))?;
        for &(index, containment) in found {
            let triangle = self.get(index)?;
            let of_corner = triangle.map(|corner| least(&[corner; 3], from, along));
            let most = of_corner.into_iter().fold(0.0, f64::max);
            let fits = match containment {
                Containment::Inside => most <= radius + slack(&triangle),
                Containment::Intersecting => most >= radius - slack(&triangle),
            };
            ensure(fits, || format!("triangle {index} is {containment:?}, but {most} from {capsule:?}"))?;
        }
        Ok(())
    }

    /// Checks which triangles a moving box touches, and where. At each of some
    /// times, what it surely overlaps is touched no later.
    pub(super) fn sweep_aabb(&self, aabb: &Aabb, motion: Vec3, hits: &[MeshSweepHit]) -> Verdict {
        let (low, high, motion) = (aabb.min.as_dvec3(), aabb.max.as_dvec3(), motion.as_dvec3());
        let (center, half) = ((low + high) * 0.5, (high - low) * 0.5);
        let at = |time: f64| planes(center + motion * time, DVec3::AXES, half);
        let slack = |triangle: &[DVec3; 3]| {
            ROUNDING * (extent(triangle) + center.abs().max_element() + half.max_element() + motion.length())
        };
        let fault = |index: u32| format!("triangle {index}, {aabb:?} along {motion}");
        for hit in hits {
            let (triangle, time) = (self.get(hit.triangle)?, f64::from(hit.time));
            let (slack, now) = (slack(&triangle), at(time));
            let contact = hit.contact.as_dvec3();
            let normal = hit.normal.as_dvec3();
            let fits = (0.0..=1.0).contains(&time)
                && in_front(&triangle, &now, slack).is_some()
                && lowest(&[contact; 3], &now) >= -slack
                && distance(&triangle, contact) <= slack
                && (normal.length() - 1.0).abs() < 1e-5
                && (time == 0.0 || normal.dot(motion) <= 1e-6 * motion.length())
                && hit.center.as_dvec3().distance(center + motion * time) <= slack
                && (f64::from(hit.distance) - motion.length() * time).abs() <= slack;
            ensure(fits, || format!("{hit:?} cannot be: {}", fault(hit.triangle)))?;
        }
        for (index, triangle) in self.each().filter(|(_, triangle)| !super::is_thin(triangle)) {
            let first = hits.iter().find(|hit| hit.triangle == index).map_or(f64::INFINITY, |hit| f64::from(hit.time));
            let slack = slack(&triangle);
            for step in 0..=TIMES {
                let time = f64::from(step) / f64::from(TIMES);
                // A time of 32 bits is rounded by less.
                let is_late = time < first - 1e-6;
                if is_late && in_front(&triangle, &at(time), slack) == Some(true) {
                    return Err(format!("touched at {time}, not at {first}: {}", fault(index)));
                }
            }
        }
        Ok(())
    }
}
