//! The exact tests between shapes, written out coordinate by coordinate.
//!
//! The library promises these results bit for bit, so the order of the
//! operations is part of the promise. Nothing here calls the library's tests.

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Containment, Frustum, Mobility, Object, Ray, Shape, Sphere, shape::Plane};

/// Whether two closed intervals share a point, on each axis.
pub(super) fn boxes_overlap(a: &Aabb, b: &Aabb) -> bool {
    a.min.x <= b.max.x
        && b.min.x <= a.max.x
        && a.min.y <= b.max.y
        && b.min.y <= a.max.y
        && a.min.z <= b.max.z
        && b.min.z <= a.max.z
}

/// Moves a shape; false if a finite coordinate becomes infinite.
pub(super) fn shift(shape: &mut Shape, shift: Vec3) -> bool {
    let mut legal = true;
    let mut moved = |at: Vec3| {
        let to = Vec3::new(at.x - shift.x, at.y - shift.y, at.z - shift.z);
        legal &= (0..3).all(|axis| at[axis].is_finite() == to[axis].is_finite());
        to
    };
    match shape {
        Shape::Aabb(aabb) => (aabb.min, aabb.max) = (moved(aabb.min), moved(aabb.max)),
        Shape::Sphere(ball) => ball.center = moved(ball.center),
        _ => unreachable!("a shape that is not known here"),
    }
    legal
}

fn box_has_point(aabb: &Aabb, point: Vec3) -> bool {
    boxes_overlap(aabb, &Aabb::new(point, point))
}

/// How far a coordinate is outside an interval; zero inside.
pub(super) fn outside(low: f32, high: f32, at: f32) -> f32 {
    let below = low - at;
    let above = at - high;
    if below > 0.0 {
        below
    } else if above > 0.0 {
        above
    } else {
        0.0
    }
}

pub(super) fn sum_of_squares(x: f32, y: f32, z: f32) -> f32 {
    let xy = x * x + y * y;
    xy + z * z
}

fn ball_meets_box(ball: &Sphere, aabb: &Aabb) -> bool {
    let x = outside(aabb.min.x, aabb.max.x, ball.center.x);
    let y = outside(aabb.min.y, aabb.max.y, ball.center.y);
    let z = outside(aabb.min.z, aabb.max.z, ball.center.z);
    sum_of_squares(x, y, z) <= ball.radius * ball.radius
}

pub(super) fn ball_has_point(ball: &Sphere, point: Vec3) -> bool {
    let c = ball.center;
    sum_of_squares(c.x - point.x, c.y - point.y, c.z - point.z) <= ball.radius * ball.radius
}

fn balls_meet(a: &Sphere, b: &Sphere) -> bool {
    let (c, d) = (a.center, b.center);
    let reach = a.radius + b.radius;
    sum_of_squares(c.x - d.x, c.y - d.y, c.z - d.z) <= reach * reach
}

/// Whether two shapes overlap: first their boxes, then what the spheres ask for.
pub(super) fn shapes_overlap(a: &Shape, b: &Shape) -> bool {
    boxes_overlap(&a.aabb(), &b.aabb())
        && match (a, b) {
            (Shape::Aabb(_), Shape::Aabb(_)) => true,
            (Shape::Sphere(a), Shape::Sphere(b)) => balls_meet(a, b),
            (Shape::Sphere(ball), Shape::Aabb(aabb)) | (Shape::Aabb(aabb), Shape::Sphere(ball)) => {
                ball_meets_box(ball, aabb)
            }
            _ => unreachable!("a shape that is not known here"),
        }
}

/// Whether two objects are a pair.
pub(super) fn are_pair(a: &Object, b: &Object) -> bool {
    let both_static = a.mobility == Mobility::Static && b.mobility == Mobility::Static;
    let a_sees_b = a.layers.filters & b.layers.memberships != 0;
    let b_sees_a = b.layers.filters & a.layers.memberships != 0;
    !both_static && a_sees_b && b_sees_a && shapes_overlap(&a.shape, &b.shape)
}

pub(super) fn shape_has_point(shape: &Shape, point: Vec3) -> bool {
    box_has_point(&shape.aabb(), point)
        && match shape {
            Shape::Aabb(_) => true,
            Shape::Sphere(ball) => ball_has_point(ball, point),
            _ => unreachable!("a shape that is not known here"),
        }
}

pub(super) fn shape_meets_box(shape: &Shape, aabb: &Aabb) -> bool {
    shapes_overlap(shape, &Shape::Aabb(*aabb))
}

/// The query's own box is not tested, the object's is.
pub(super) fn shape_meets_ball(shape: &Shape, query: &Sphere) -> bool {
    ball_meets_box(query, &shape.aabb())
        && match shape {
            Shape::Aabb(_) => true,
            Shape::Sphere(ball) => balls_meet(ball, query),
            _ => unreachable!("a shape that is not known here"),
        }
}

/// The box with its infinite sides drawn in to the largest float.
pub(super) fn finite(aabb: &Aabb) -> Aabb {
    let clamp = |v: f32| v.clamp(f32::MIN, f32::MAX);
    let all = |v: Vec3| Vec3::new(clamp(v.x), clamp(v.y), clamp(v.z));
    Aabb::new(all(aabb.min), all(aabb.max))
}

/// Where a ray enters a box; zero from inside.
fn ray_enters_box(ray: &Ray, aabb: &Aabb) -> Option<f32> {
    let mut near = 0.0_f32;
    let mut far = ray.distance_max();
    for axis in 0..3 {
        let origin = ray.origin()[axis];
        let inverse = 1.0 / ray.direction()[axis];
        let (low, high) = (aabb.min[axis], aabb.max[axis]);
        if inverse.is_infinite() {
            if !(low <= origin && origin <= high) {
                near = f32::INFINITY;
            }
            continue;
        }
        let to_low = (low - origin) * inverse;
        let to_high = (high - origin) * inverse;
        let (first, last) = if inverse > 0.0 { (to_low, to_high) } else { (to_high, to_low) };
        if first > near {
            near = first;
        }
        if last < far {
            far = last;
        }
    }
    if near <= far {
        Some(near)
    } else if ray.end().is_some_and(|end| box_has_point(aabb, end)) {
        // Both ends of a segment belong to it, whatever rounding says.
        Some(ray.distance_max())
    } else {
        None
    }
}

/// Where a ray enters a ball; zero from inside. A segment that ends in the ball enters it.
fn ray_enters_ball(ray: &Ray, ball: &Sphere) -> Option<f32> {
    let ends_in = ray.end().is_some_and(|end| ball_has_point(ball, end));
    half_line_enters_ball(ray, ball).or(if ends_in { Some(ray.distance_max()) } else { None })
}

fn half_line_enters_ball(ray: &Ray, ball: &Sphere) -> Option<f32> {
    let (o, d, c) = (ray.origin(), ray.direction(), ball.center);
    let (x, y, z) = (o.x - c.x, o.y - c.y, o.z - c.z);
    let radius_sq = ball.radius * ball.radius;
    if sum_of_squares(x, y, z) <= radius_sq {
        return Some(0.0);
    }
    let along = (x * d.x + y * d.y) + z * d.z;
    if along > 0.0 {
        return None;
    }
    let miss_sq = sum_of_squares(x - d.x * along, y - d.y * along, z - d.z * along);
    let rest = radius_sq - miss_sq;
    // Numbers too large to square make no hit.
    if rest.is_nan() || rest < 0.0 {
        return None;
    }
    let distance = -along - rest.sqrt();
    let distance = if distance > 0.0 { distance } else { 0.0 };
    if distance <= ray.distance_max() { Some(distance) } else { None }
}

/// Where a ray enters a shape, if it does within its reach; zero from inside.
pub(super) fn ray_enters_shape(ray: &Ray, shape: &Shape) -> Option<f32> {
    let at_box = ray_enters_box(ray, &finite(&shape.aabb()))?;
    match shape {
        Shape::Aabb(_) => Some(at_box),
        Shape::Sphere(ball) => {
            let at_ball = ray_enters_ball(ray, ball)?;
            Some(if at_ball > at_box { at_ball } else { at_box })
        }
        _ => unreachable!("a shape that is not known here"),
    }
}

fn height(plane: &Plane, x: f32, y: f32, z: f32) -> f32 {
    let n = plane.normal;
    ((n.x * x + n.y * y) + n.z * z) + plane.offset
}

fn box_in_planes(aabb: &Aabb, planes: &[Plane]) -> Option<Containment> {
    let mut all_inside = true;
    for plane in planes {
        let n = plane.normal;
        let (low, high) = (aabb.min, aabb.max);
        let x = if n.x >= 0.0 { (low.x, high.x) } else { (high.x, low.x) };
        let y = if n.y >= 0.0 { (low.y, high.y) } else { (high.y, low.y) };
        let z = if n.z >= 0.0 { (low.z, high.z) } else { (high.z, low.z) };
        if height(plane, x.1, y.1, z.1) < 0.0 {
            return None;
        }
        all_inside &= height(plane, x.0, y.0, z.0) >= 0.0;
    }
    Some(if all_inside { Containment::Inside } else { Containment::Intersecting })
}

fn ball_in_planes(ball: &Sphere, planes: &[Plane]) -> Option<Containment> {
    let c = ball.center;
    let any_below = |limit: f32| planes.iter().any(|plane| height(plane, c.x, c.y, c.z) < limit);
    if any_below(-ball.radius) {
        None
    } else if any_below(ball.radius) {
        Some(Containment::Intersecting)
    } else {
        Some(Containment::Inside)
    }
}

/// How a shape lies to a frustum; `None` if it is behind a plane.
pub(super) fn shape_in_frustum(shape: &Shape, frustum: &Frustum) -> Option<Containment> {
    shape_in_planes(shape, frustum.planes())
}

/// How a shape lies to planes; `None` if it is behind one.
pub(super) fn shape_in_planes(shape: &Shape, planes: &[Plane]) -> Option<Containment> {
    let of_box = box_in_planes(&finite(&shape.aabb()), planes)?;
    match shape {
        Shape::Sphere(ball) if of_box == Containment::Intersecting => ball_in_planes(ball, planes),
        _ => Some(of_box),
    }
}
