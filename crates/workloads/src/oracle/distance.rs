//! Distances, written out coordinate by coordinate: the order of the
//! operations is part of the promise.

use super::exact::{ball_has_point, finite, outside, ray_enters_shape, sum_of_squares};
use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Ray, Shape, Sphere, Sweep,
    query::StartInside,
    shape::{Capsule, Obb},
};

/// How far two intervals are apart; zero if they share a point.
fn gap(a: (f32, f32), b: (f32, f32)) -> f32 {
    let below = a.0 - b.1;
    let above = b.0 - a.1;
    if below > 0.0 {
        below
    } else if above > 0.0 {
        above
    } else {
        0.0
    }
}

/// How far two boxes are apart.
fn box_from_box(a: &Aabb, b: &Aabb) -> f32 {
    let axis = |i: usize| gap((a.min[i], a.max[i]), (b.min[i], b.max[i]));
    let distance = sum_of_squares(axis(0), axis(1), axis(2)).sqrt();
    if distance < f32::INFINITY {
        return distance;
    }
    // Numbers too large to square: in 64 bits, and no less than those that are not.
    let wide = |i: usize| {
        let below = f64::from(a.min[i]) - f64::from(b.max[i]);
        let above = f64::from(b.min[i]) - f64::from(a.max[i]);
        below.max(above).max(0.0)
    };
    let xy = wide(0) * wide(0) + wide(1) * wide(1);
    #[expect(clippy::cast_possible_truncation, reason = "rounded, or infinite")]
    let distance = (xy + wide(2) * wide(2)).sqrt() as f32;
    distance.max(f32::MAX.sqrt())
}

/// How far a shape is from a box; the sphere in a box is no nearer than the box.
pub(super) fn shape_from_box(shape: &Shape, from: &Aabb) -> f32 {
    let of_box = box_from_box(&finite(&shape.aabb()), from);
    match shape {
        Shape::Aabb(_) => of_box,
        Shape::Sphere(ball) => {
            let of_ball = box_from_box(&Aabb::new(ball.center, ball.center), from) - ball.radius;
            if of_ball > of_box { of_ball } else { of_box }
        }
        _ => unreachable!("a shape that is not known here"),
    }
}

/// Whether a shape's box looks so large from a point, or larger.
pub(super) fn shape_looks_large(shape: &Shape, eye: Vec3, size_min: f32) -> bool {
    let aabb = finite(&shape.aabb());
    let edge = |i: usize| aabb.max[i] - aabb.min[i];
    let away = |i: usize| outside(aabb.min[i], aabb.max[i], eye[i]);
    let diagonal_sq = sum_of_squares(edge(0), edge(1), edge(2));
    let distance_sq = sum_of_squares(away(0), away(1), away(2));
    let limit = distance_sq * (size_min * size_min);
    // Numbers too large to square do not make an object small.
    limit.is_nan() || distance_sq == f32::INFINITY || diagonal_sq >= limit
}

/// When a moving shape first touches a shape. The times themselves are tried
/// against sampling in the library's tests.
pub(super) fn sweep_meets_shape(sweep: &Sweep, shape: &Shape) -> Option<f32> {
    match shape {
        Shape::Aabb(aabb) => sweep.time_to_aabb(aabb),
        Shape::Sphere(ball) => sweep.time_to_sphere(ball),
        _ => unreachable!("a shape that is not known here"),
    }
}

/// Whether a shape meets an oriented box. The test of two shapes is tried
/// against sampling in the library's tests.
pub(super) fn shape_meets_obb(shape: &Shape, obb: &Obb) -> bool {
    obb.overlaps_aabb(&finite(&shape.aabb()))
        && match shape {
            Shape::Aabb(_) => true,
            Shape::Sphere(ball) => obb.overlaps_sphere(ball),
            _ => unreachable!("a shape that is not known here"),
        }
}

/// Whether a shape meets a capsule; likewise.
pub(super) fn shape_meets_capsule(shape: &Shape, capsule: &Capsule) -> bool {
    match shape {
        Shape::Aabb(aabb) => capsule.overlaps_aabb(&finite(aabb)),
        Shape::Sphere(ball) => capsule.overlaps_sphere(ball),
        _ => unreachable!("a shape that is not known here"),
    }
}

fn box_has_point(aabb: &Aabb, point: Vec3) -> bool {
    (0..3).all(|axis| aabb.min[axis] <= point[axis] && point[axis] <= aabb.max[axis])
}

fn shape_has_point(shape: &Shape, point: Vec3) -> bool {
    box_has_point(&finite(&shape.aabb()), point)
        && match shape {
            Shape::Aabb(_) => true,
            Shape::Sphere(ball) => ball_has_point(ball, point),
            _ => unreachable!("a shape that is not known here"),
        }
}

/// Whether the end of a segment that starts in a shape lies before the surface through which it goes.
fn is_within(shape: &Shape, ray: &Ray, end: Vec3) -> bool {
    match shape {
        Shape::Aabb(aabb) => (0..3).all(|axis| {
            let way = ray.direction()[axis];
            !(way > 0.0 && aabb.max[axis] <= end[axis] || way < 0.0 && end[axis] <= aabb.min[axis])
        }),
        Shape::Sphere(ball) => {
            let c = ball.center;
            sum_of_squares(c.x - end.x, c.y - end.y, c.z - end.z) < ball.radius * ball.radius
        }
        _ => unreachable!("a shape that is not known here"),
    }
}

fn leaves_box(ray: &Ray, aabb: &Aabb) -> f32 {
    let mut leaves = f32::INFINITY;
    for axis in 0..3 {
        let inverse = 1.0 / ray.direction()[axis];
        if inverse.is_finite() {
            let far = if inverse > 0.0 { aabb.max[axis] } else { aabb.min[axis] };
            let distance = (far - ray.origin()[axis]) * inverse;
            if distance < leaves {
                leaves = distance;
            }
        }
    }
    if leaves > 0.0 { leaves } else { 0.0 }
}

fn leaves_ball(ray: &Ray, ball: &Sphere) -> f32 {
    let (o, d, c) = (ray.origin(), ray.direction(), ball.center);
    let (x, y, z) = (o.x - c.x, o.y - c.y, o.z - c.z);
    let along = (x * d.x + y * d.y) + z * d.z;
    let miss_sq = sum_of_squares(x - d.x * along, y - d.y * along, z - d.z * along);
    let rest = ball.radius * ball.radius - miss_sq;
    let half = if rest > 0.0 { rest.sqrt() } else { 0.0 };
    let leaves = half - along;
    if leaves > 0.0 { leaves } else { 0.0 }
}

/// At which distance a ray hits a shape that may contain its origin.
pub(super) fn cast_at_shape(ray: &Ray, shape: &Shape, inside: StartInside) -> Option<f32> {
    let enters = ray_enters_shape(ray, shape)?;
    let leaves = || match shape {
        Shape::Aabb(aabb) => leaves_box(ray, aabb),
        Shape::Sphere(ball) => leaves_ball(ray, ball),
        _ => unreachable!("a shape that is not known here"),
    };
    match inside {
        StartInside::Exit if shape_has_point(shape, ray.origin()) => {
            let reach = ray.distance_max();
            let leaves = leaves();
            // Both ends of a segment belong to it: one that ends on the surface leaves there.
            let by_end = ray.end().is_some_and(|end| !is_within(shape, ray, end));
            if leaves > reach && by_end { Some(reach) } else { Some(leaves).filter(|distance| *distance <= reach) }
        }
        StartInside::Skip if shape_has_point(shape, ray.origin()) => None,
        _ => Some(enters),
    }
}
