//! Segments and capsules against triangles.

use super::point::{closest_point_f64, on_segment};
use crate::geometry::Containment;
use glam::DVec3;

/// The points within a radius of a segment, in 64 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rod {
    pub(crate) a: DVec3,
    pub(crate) b: DVec3,
    pub(crate) radius: f64,
}

impl Rod {
    /// Whether the capsule and a triangle share a point.
    pub(crate) fn overlaps(&self, corners: &[DVec3; 3]) -> bool {
        let (from, to) = (self.a, self.b);
        let near = self.radius * self.radius;
        let is_near = |distance_sq: f64| distance_sq <= near;
        is_near(closest_point_f64(corners, from).1)
            || is_near(closest_point_f64(corners, to).1)
            || edges(corners).into_iter().any(|edge| is_near(segments_distance_sq((from, to), edge)))
            || crosses(from, to, corners)
    }

    /// Whether a point lies in the capsule.
    fn contains(&self, point: DVec3) -> bool {
        segments_distance_sq((self.a, self.b), (point, point)) <= self.radius * self.radius
    }

    /// How a triangle lies to the capsule: `None` if they share no point.
    pub(crate) fn classify(&self, corners: &[DVec3; 3]) -> Option<Containment> {
        if corners.iter().all(|&corner| self.contains(corner)) {
            return Some(Containment::Inside);
        }
        self.overlaps(corners).then_some(Containment::Intersecting)
    }
}

fn edges(&[a, b, c]: &[DVec3; 3]) -> [(DVec3, DVec3); 3] {
    [(a, b), (b, c), (c, a)]
}

/// Whether a segment passes through a triangle, but for touches of its edges and ends.
fn crosses(from: DVec3, to: DVec3, corners: &[DVec3; 3]) -> bool {
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let (above, below) = (normal.dot(from - corners[0]), normal.dot(to - corners[0]));
    if above == below || (above > 0.0) == (below > 0.0) {
        return false;
    }
    let along = to - from;
    let sides = edges(corners).map(|(start, end)| (start - from).cross(end - from).dot(along));
    sides.iter().all(|&side| side >= 0.0) || sides.iter().all(|&side| side <= 0.0)
}

/// The squared distance between two segments, each of which may be a point.
///
/// *Source:* C. Ericson, Real-Time Collision Detection, 2005, 5.1.9; and the
/// ends of each segment against the other, for segments nearly parallel.
fn segments_distance_sq(first: (DVec3, DVec3), second: (DVec3, DVec3)) -> f64 {
    let ends = [(first.0, second), (first.1, second), (second.0, first), (second.1, first)];
    let of_ends = ends.map(|(point, segment)| on_segment(segment, point).distance_squared(point));
    let least = of_ends.into_iter().fold(f64::INFINITY, f64::min);
    let (u, v, offset) = (first.1 - first.0, second.1 - second.0, first.0 - second.0);
    let (uu, uv, vv, uo, vo) = (u.dot(u), u.dot(v), v.dot(v), u.dot(offset), v.dot(offset));
    let determinant = uu * vv - uv * uv;
    if determinant <= 0.0 {
        return least;
    }
    let (s, t) = ((uv * vo - vv * uo) / determinant, (uu * vo - uv * uo) / determinant);
    if !(0.0..=1.0).contains(&s) || !(0.0..=1.0).contains(&t) {
        return least;
    }
    least.min((first.0 + u * s).distance_squared(second.0 + v * t))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [DVec3; 3] = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 4.0, 0.0)];

    fn rod(a: [f64; 3], b: [f64; 3], radius: f64) -> Rod {
        Rod { a: DVec3::from_array(a), b: DVec3::from_array(b), radius }
    }

    #[test]
    fn ends_sides_and_middles_touch() {
        for (capsule, touches) in [
            (rod([1.0, 1.0, 2.0], [1.0, 1.0, 9.0], 2.0), true),
            (rod([1.0, 1.0, 2.1], [1.0, 1.0, 9.0], 2.0), false),
            (rod([-5.0, -1.0, 0.0], [9.0, -1.0, 0.0], 1.0), true),
            (rod([-5.0, -1.1, 0.0], [9.0, -1.1, 0.0], 1.0), false),
            (rod([1.0, 1.0, -5.0], [1.0, 1.0, 5.0], 0.0), true),
            (rod([3.0, 3.0, -5.0], [3.0, 3.0, 5.0], 0.5), false),
            (rod([3.0, 3.0, -5.0], [3.0, 3.0, 5.0], 1.5), true),
            (rod([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], 1.0), true),
        ] {
            assert_eq!(capsule.overlaps(&CORNERS), touches, "{capsule:?}");
        }
    }

    #[test]
    fn a_triangle_within_a_capsule_is_inside() {
        assert_eq!(rod([0.0, 0.0, 0.0], [4.0, 0.0, 0.0], 4.0).classify(&CORNERS), Some(Containment::Inside));
        assert_eq!(rod([0.0, 0.0, 0.0], [4.0, 0.0, 0.0], 3.9).classify(&CORNERS), Some(Containment::Intersecting));
    }
}
