//! Moving spheres against triangles.

use super::point::closest_point_f64;
use glam::DVec3;

/// When a sphere that moves by `motion` first touches a triangle: the
/// fraction of the motion, from 0 to 1; zero if it touches at the start.
pub(crate) fn sphere_triangle(center: DVec3, radius: f64, motion: DVec3, corners: &[DVec3; 3]) -> Option<f64> {
    if closest_point_f64(corners, center).1 <= radius * radius {
        return Some(0.0);
    }
    // The face, moved towards the centre by the radius; no edge can be met before it.
    if let Some(time) = face(center, radius, motion, corners) {
        return Some(time);
    }
    let [a, b, c] = *corners;
    let edges = [(a, b), (b, c), (c, a)].map(|(from, to)| edge(center, radius, motion, from, to));
    let ends = [a, b, c].map(|corner| ball(center, radius, motion, corner));
    edges.into_iter().chain(ends).flatten().reduce(f64::min)
}

fn face(center: DVec3, radius: f64, motion: DVec3, corners: &[DVec3; 3]) -> Option<f64> {
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let height = normal.dot(center - a);
    let (normal, height) = if height < 0.0 { (-normal, -height) } else { (normal, height) };
    let approach = -normal.dot(motion);
    // A ball that reaches through the plane does so beside the face, or seems to by rounding.
    let rounding = 1e-12 * (radius + (center - a).length());
    if approach <= 0.0 || height < radius - rounding {
        return None;
    }
    let time = ((height - radius) / approach).max(0.0);
    let point = center + motion * time - normal * (height - approach * time);
    // Of a face so narrow that a corner lies on the edge opposite only the edges count.
    let inside = |from: DVec3, to: DVec3, other: DVec3| {
        let side = (to - from).cross(normal);
        let reach = side.dot(other - from);
        reach != 0.0 && side.dot(point - from) * reach >= 0.0
    };
    (time <= 1.0 && inside(a, b, c) && inside(b, c, a) && inside(c, a, b)).then_some(time)
}

/// When the ball first touches the line through an edge, if that is between its ends.
fn edge(center: DVec3, radius: f64, motion: DVec3, from: DVec3, to: DVec3) -> Option<f64> {
    let along = to - from;
    let length_sq = along.length_squared();
    if length_sq == 0.0 {
        return None;
    }
    let flatten = |v: DVec3| v - along * (v.dot(along) / length_sq);
    let time = first_root(flatten(center - from), flatten(motion), radius)?;
    let place = (center + motion * time - from).dot(along);
    (place >= 0.0 && place <= length_sq).then_some(time)
}

fn ball(center: DVec3, radius: f64, motion: DVec3, corner: DVec3) -> Option<f64> {
    first_root(center - corner, motion, radius)
}

/// The first time from 0 to 1 at which `offset + motion * time` is `radius` long, from outside.
fn first_root(offset: DVec3, motion: DVec3, radius: f64) -> Option<f64> {
    let (speed_sq, outside) = (motion.length_squared(), offset.length_squared() - radius * radius);
    let b = offset.dot(motion);
    if speed_sq == 0.0 || b >= 0.0 || outside < 0.0 {
        return None;
    }
    let discriminant = b * b - speed_sq * outside;
    if discriminant < 0.0 {
        return None;
    }
    // The smaller root, without the difference of two near numbers.
    let time = outside / (-b + crate::geometry::float::sqrt_f64(discriminant));
    (time <= 1.0).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_meets_face_edge_and_corner() {
        let corners = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
        let down = |x: f64, y: f64| sphere_triangle(DVec3::new(x, y, 5.0), 1.0, DVec3::NEG_Z * 8.0, &corners);
        assert_eq!(down(1.0, 1.0), Some(0.5), "the face");
        let beside = down(1.0, -0.6).unwrap();
        assert!((beside - (5.0 - 0.8) / 8.0).abs() < 1e-12, "an edge, {beside}");
        let corner = down(-0.6, -0.0).unwrap();
        assert!((corner - (5.0 - 0.8) / 8.0).abs() < 1e-12, "a corner, {corner}");
        assert_eq!(down(-1.5, 1.0), None);
        assert_eq!(sphere_triangle(DVec3::ONE, 1.0, DVec3::ZERO, &corners), Some(0.0), "touching at the start");
        assert_eq!(sphere_triangle(DVec3::ONE * 1.5, 1.0, DVec3::Z, &corners), None, "leaving");
    }

    #[test]
    fn regression_a_ball_beside_the_tip_of_a_needle_does_not_touch_it() {
        let thin = f64::from(1e-20_f32);
        let corners = [DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0), DVec3::new(thin, f64::from(1e-20_f32.next_up()), 0.0)];
        let down = |z: f64, step: f64| sphere_triangle(DVec3::new(1.8, 1.8, z), 1.0, DVec3::NEG_Z * step, &corners);
        assert_eq!((down(0.9, 0.01), down(1.05, 0.2)), (None, None));
        assert!(
            sphere_triangle(DVec3::new(0.5, 0.5, 2.0), 1.0, DVec3::NEG_Z * 2.0, &corners).is_some(),
            "over the needle"
        );
    }

    #[test]
    fn regression_a_ball_that_touches_the_face_at_the_start_but_for_rounding_meets_it_there() {
        let corners = [DVec3::new(3.0, 4.0, 4.0), DVec3::new(4.0, -2.0, 2.0), DVec3::new(-2.0, 2.0, -2.0)];
        let time = sphere_triangle(DVec3::new(1.0, 3.0, 3.0), 1.0, DVec3::X * 4.298_958_301_544_19, &corners);
        assert!(time.unwrap() < 1e-12, "{time:?}");
        let beside = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let through = sphere_triangle(DVec3::new(-1.5, 0.5, 0.25), 1.0, DVec3::new(2.0, 0.0, -0.1), &beside).unwrap();
        let height: f64 = 0.25 - 0.1 * through;
        let gap = -(-1.5 + 2.0 * through);
        assert!(
            (gap * gap + height * height - 1.0).abs() < 1e-12,
            "the edge, beside which it reaches through the plane"
        );
    }
}
