//! The point of a triangle that is closest to another.

use super::Triangle;
use glam::DVec3;

/// The corners with 64 bits.
#[inline]
pub(crate) fn corners(triangle: &Triangle) -> [DVec3; 3] {
    [triangle.a.as_dvec3(), triangle.b.as_dvec3(), triangle.c.as_dvec3()]
}

/// The closest point, and the squared distance to it. The point lies within the triangle's bounds, whatever is rounded:
/// so a triangle is no nearer than its box.
///
/// *Source:* C. Ericson, Real-Time Collision Detection, 2005, 5.1.5.
pub(crate) fn closest_point_f64(corners: &[DVec3; 3], point: DVec3) -> (DVec3, f64) {
    let [a, b, c] = corners;
    let closest = closest(corners, point).clamp(a.min(*b).min(*c), a.max(*b).max(*c));
    (closest, closest.distance_squared(point))
}

/// The height of a triangle over its longest edge, squared, below which
/// products of projections onto its edges cancel out.
const THIN: f64 = 1e-6;
/// The same below which it has no normal to speak of, and is as good as its edges.
const FLAT: f64 = 1e-20;

fn closest(&[a, b, c]: &[DVec3; 3], point: DVec3) -> DVec3 {
    let (ab, ac) = (b - a, c - a);
    let longest_sq = ab.length_squared().max(ac.length_squared()).max(b.distance_squared(c));
    let thinness = ab.cross(ac).length_squared() / (longest_sq * longest_sq);
    // Of a point the quotient is not a number.
    if thinness.is_nan() || thinness <= THIN {
        return closest_of_thin(&[a, b, c], thinness > FLAT, point);
    }
    let (ap, bp, cp) = (point - a, point - b, point - c);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        return a + ab * (d1 / (d1 - d3));
    }
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    let (along, against) = (d4 - d3, d5 - d6);
    if va <= 0.0 && along >= 0.0 && against >= 0.0 && along + against > 0.0 {
        return b + (c - b) * (along / (along + against));
    }
    let sum = va + vb + vc;
    if sum > 0.0 {
        return a + ab * (vb / sum) + ac * (vc / sum);
    }
    closest_of_thin(&[a, b, c], true, point)
}

/// The closest point of the edges; where the point is over a face that there is, that of the face.
fn closest_of_thin(&[a, b, c]: &[DVec3; 3], has_face: bool, point: DVec3) -> DVec3 {
    let (edges, normal) = ([(a, b), (b, c), (c, a)], (b - a).cross(c - a));
    let is_over = |(from, to): (DVec3, DVec3)| (to - from).cross(point - from).dot(normal) >= 0.0;
    if has_face && edges.into_iter().all(is_over) {
        return point - normal * ((point - a).dot(normal) / normal.length_squared());
    }
    let nearer = |best: DVec3, other: DVec3| {
        if other.distance_squared(point) < best.distance_squared(point) { other } else { best }
    };
    edges.into_iter().map(|edge| on_segment(edge, point)).fold(a, nearer)
}

/// The point of a segment, which may be a point, that is closest to another.
pub(super) fn on_segment((from, to): (DVec3, DVec3), point: DVec3) -> DVec3 {
    let along = to - from;
    let length_sq = along.length_squared();
    if length_sq > 0.0 { from + along * ((point - from).dot(along) / length_sq).clamp(0.0, 1.0) } else { from }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn closest_point(triangle: &Triangle, point: Vec3) -> (DVec3, f64) {
        closest_point_f64(&corners(triangle), point.as_dvec3())
    }

    #[test]
    fn every_region_has_its_closest_point() {
        let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0);
        for (point, expected, distance_sq) in [
            (Vec3::new(1.0, 1.0, 2.0), DVec3::new(1.0, 1.0, 0.0), 4.0),
            (Vec3::new(-1.0, -1.0, 0.0), DVec3::ZERO, 2.0),
            (Vec3::new(6.0, -1.0, 0.0), DVec3::X * 4.0, 5.0),
            (Vec3::new(-1.0, 6.0, 0.0), DVec3::Y * 4.0, 5.0),
            (Vec3::new(2.0, -3.0, 0.0), DVec3::X * 2.0, 9.0),
            (Vec3::new(-3.0, 2.0, 0.0), DVec3::Y * 2.0, 9.0),
            (Vec3::new(4.0, 4.0, 0.0), DVec3::new(2.0, 2.0, 0.0), 8.0),
        ] {
            assert_eq!(closest_point(&triangle, point), (expected, distance_sq));
        }
    }

    #[test]
    fn regression_the_closest_point_of_a_needle() {
        let far = Vec3::new(0.0, -9835.773, 0.0);
        let triangle = Triangle::new(far, Vec3::ZERO, Vec3::new(0.000_901_775, 0.0, -0.000_376_375));
        let point = Vec3::new(0.000_685, -4503.804, 0.000_376_794);
        let (closest, distance_sq) = closest_point(&triangle, point);
        assert!(distance_sq < 1e-6 && closest.distance(point.as_dvec3()) < 1e-3, "{closest}, {distance_sq}");
    }

    #[test]
    fn regression_the_closest_point_lies_within_the_bounds() {
        // At the far corner 64 bits cannot tell a unit from a quarter more.
        let far = Vec3::new(0.0, -6.981_538e14, 0.0);
        let triangle = Triangle::new(Vec3::new(-0.603_635_67, 0.717_599_6, -0.190_846_92), Vec3::ZERO, far);
        let [a, b, c] = corners(&triangle);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let mut moved = 0;
        for i in 0..100 {
            let point = Vec3::new(-0.67 - 0.003 * i as f32, 0.83 + 0.002 * i as f32, -0.19 + 0.007 * i as f32);
            let (closest, distance_sq) = closest_point(&triangle, point);
            assert!(closest.cmpge(low).all() && closest.cmple(high).all(), "{closest}");
            let point = point.as_dvec3();
            assert!(distance_sq >= point.distance_squared(point.clamp(low, high)), "{closest}");
            moved += usize::from(super::closest(&[a, b, c], point) != closest);
        }
        assert!(moved > 10, "{moved} would lie outside");
    }

    #[test]
    fn degenerate_triangles_are_segments_and_points() {
        let segment = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::X * 3.0);
        assert_eq!(closest_point(&segment, Vec3::new(2.0, 1.0, 0.0)), (DVec3::X * 2.0, 1.0));
        let point = Triangle::new(Vec3::ONE, Vec3::ONE, Vec3::ONE);
        assert_eq!(closest_point(&point, Vec3::new(1.0, 1.0, 3.0)), (DVec3::ONE, 4.0));
    }
}
