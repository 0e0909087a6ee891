//! Tests between two shapes, one function a pair. All shapes are closed.

use super::float::{sqrt, sqrt_f64};
use super::obb::Slab;
use super::{Aabb, Containment, Plane, Ray, Sphere};
use glam::{DVec3, Vec3};

/// `a > b ? a : b`: unlike `f32::max`, the same for every target and lane.
#[inline]
pub(crate) fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// `a < b ? a : b`.
#[inline]
pub(crate) fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Squared distance from a point to a box; zero inside.
#[inline]
pub(crate) fn aabb_point_distance_sq(aabb: &Aabb, point: Vec3) -> f32 {
    let dx = max(max(aabb.min.x - point.x, point.x - aabb.max.x), 0.0);
    let dy = max(max(aabb.min.y - point.y, point.y - aabb.max.y), 0.0);
    let dz = max(max(aabb.min.z - point.z, point.z - aabb.max.z), 0.0);
    (dx * dx + dy * dy) + dz * dz
}

/// The largest distance whose square does not overflow.
pub(crate) const SQUARE_MAX: f32 = 1.844_674_3e19;

/// How far two boxes are apart, in 64 bits where a square overflows in 32;
/// infinite if that is more than a float can hold.
#[expect(clippy::cast_possible_truncation, reason = "rounded to 32 bits, or to infinity, on purpose")]
pub(crate) fn aabb_distance(a: &Aabb, b: &Aabb) -> f32 {
    let [x, y, z] = [0, 1, 2].map(|i| max(max(a.min[i] - b.max[i], b.min[i] - a.max[i]), 0.0)).map(|gap| gap * gap);
    let distance = sqrt((x + y) + z);
    if distance.is_finite() {
        return distance;
    }
    let (low, high) = (a.min.as_dvec3() - b.max.as_dvec3(), b.min.as_dvec3() - a.max.as_dvec3());
    let distance = sqrt_f64(low.max(high).max(DVec3::ZERO).length_squared());
    // No less than what did not overflow.
    max(distance as f32, SQUARE_MAX)
}

/// How far a box and a sphere are apart; zero if they overlap.
pub(crate) fn aabb_sphere_distance(aabb: &Aabb, sphere: &Sphere) -> f32 {
    max(aabb_distance(&Aabb::new(sphere.center, sphere.center), aabb) - sphere.radius, 0.0)
}

/// The point of a finite box that is nearest to another box, of several the
/// nearest to its middle; and the direction from there to the other box.
pub(crate) fn aabb_nearest_point(aabb: &Aabb, from: &Aabb) -> (Vec3, Vec3) {
    let position = middle(from).clamp(aabb.min, aabb.max);
    (position, direction(position, position.clamp(from.min, from.max)).as_vec3())
}

/// The point of a sphere that is nearest to a box, of several the nearest to
/// the sphere's centre; and the direction from there to the box.
pub(crate) fn sphere_nearest_point(sphere: &Sphere, from: &Aabb) -> (Vec3, Vec3) {
    let nearest = sphere.center.clamp(from.min, from.max);
    let normal = direction(sphere.center, nearest);
    let surface = sphere.center.as_dvec3() + normal * f64::from(sphere.radius);
    (if sphere_point(sphere, nearest) { nearest } else { surface.as_vec3() }, normal.as_vec3())
}

/// From one point to another, with length one; zero if they coincide.
fn direction(from: Vec3, to: Vec3) -> DVec3 {
    let offset = to.as_dvec3() - from.as_dvec3();
    let length = sqrt_f64(offset.length_squared());
    if length > 0.0 { offset / length } else { DVec3::ZERO }
}

fn middle(aabb: &Aabb) -> Vec3 {
    let aabb = aabb.clamped_to_finite();
    aabb.min * 0.5 + aabb.max * 0.5
}

/// Whether a box and a sphere share a point.
#[inline]
pub(crate) fn aabb_sphere(aabb: &Aabb, sphere: &Sphere) -> bool {
    aabb_point_distance_sq(aabb, sphere.center) <= sphere.radius * sphere.radius
}

/// Whether two spheres share a point.
#[inline]
pub(crate) fn sphere_sphere(a: &Sphere, b: &Sphere) -> bool {
    let reach = a.radius + b.radius;
    distance_sq(a.center, b.center) <= reach * reach
}

/// Whether a sphere contains a point.
#[inline]
pub(crate) fn sphere_point(sphere: &Sphere, point: Vec3) -> bool {
    distance_sq(sphere.center, point) <= sphere.radius * sphere.radius
}

#[inline]
fn distance_sq(a: Vec3, b: Vec3) -> f32 {
    let (dx, dy, dz) = (a.x - b.x, a.y - b.y, a.z - b.z);
    (dx * dx + dy * dy) + dz * dz
}

/// Where a ray enters a box, if it does within its reach; zero from inside. A
/// segment whose end the box contains enters it there at the latest, whatever
/// rounding makes of the distance or of the way past an edge.
///
/// A component of the direction that is zero is tested against the slab
/// itself, so that axis-parallel rays are exact.
///
/// *Source:* T. Kay and J. Kajiya, Ray Tracing Complex Scenes, 1986 (slabs).
#[inline]
pub(crate) fn ray_aabb(ray: &Ray, aabb: &Aabb) -> Option<f32> {
    let ends = || ray.end().is_some_and(|end| aabb.contains_point(end));
    half_line_aabb(ray, aabb).or_else(|| ends().then_some(ray.distance_max()))
}

#[inline]
fn half_line_aabb(ray: &Ray, aabb: &Aabb) -> Option<f32> {
    let (mut enter, mut exit) = (0.0, ray.distance_max());
    for axis in 0..3 {
        let (origin, inverse) = (ray.origin()[axis], ray.inverse()[axis]);
        let (low, high) = (aabb.min[axis], aabb.max[axis]);
        if inverse.is_infinite() {
            if origin < low || origin > high {
                return None;
            }
        } else {
            let (near, far) = if inverse > 0.0 { (low, high) } else { (high, low) };
            enter = max((near - origin) * inverse, enter);
            exit = min((far - origin) * inverse, exit);
        }
    }
    // Adding zero turns a negative zero into a positive one.
    (enter <= exit).then_some(enter + 0.0)
}

/// Where a ray enters a sphere, if it does within its reach; zero from inside.
/// A segment whose end the sphere contains enters it there at the latest.
///
/// *Source:* E. Haines et al., Precision Improvements for Ray/Sphere Intersection, Ray Tracing Gems, 2019.
#[inline]
pub(crate) fn ray_sphere(ray: &Ray, sphere: &Sphere) -> Option<f32> {
    let ends = || ray.end().is_some_and(|end| sphere_point(sphere, end));
    half_line_sphere(ray, sphere).or_else(|| ends().then_some(ray.distance_max()))
}

#[inline]
fn half_line_sphere(ray: &Ray, sphere: &Sphere) -> Option<f32> {
    let (origin, direction) = (ray.origin(), ray.direction());
    let (fx, fy, fz) = (origin.x - sphere.center.x, origin.y - sphere.center.y, origin.z - sphere.center.z);
    let radius_sq = sphere.radius * sphere.radius;
    if (fx * fx + fy * fy) + fz * fz <= radius_sq {
        return Some(0.0);
    }
    let b = (fx * direction.x + fy * direction.y) + fz * direction.z;
    let (lx, ly, lz) = (fx - direction.x * b, fy - direction.y * b, fz - direction.z * b);
    let discriminant = radius_sq - ((lx * lx + ly * ly) + lz * lz);
    let distance = -b - sqrt(max(discriminant, 0.0));
    (discriminant >= 0.0 && b <= 0.0 && max(distance, 0.0) <= ray.distance_max()).then_some(max(distance, 0.0) + 0.0)
}

/// Whether no slab around a centre separates a finite box from it.
pub(crate) fn slabs_aabb(center: Vec3, slabs: &[Slab], aabb: &Aabb) -> bool {
    let (low, high) = (aabb.min - center, aabb.max - center);
    slabs.iter().all(|slab| {
        let n = slab.normal;
        let sum = |along: bool| {
            let corner = |n: f32, low: f32, high: f32| n * if (n >= 0.0) == along { high } else { low };
            (corner(n.x, low.x, high.x) + corner(n.y, low.y, high.y)) + corner(n.z, low.z, high.z)
        };
        !(sum(false) > slab.radius || sum(true) < -slab.radius)
    })
}

/// Where a ray leaves a box that contains its origin, infinite if it never
/// does, and the axis of the face; of equals the first. The reach does not count.
pub(crate) fn ray_exits_aabb(ray: &Ray, aabb: &Aabb) -> (f32, usize) {
    let (mut exit, mut face) = (f32::INFINITY, 0);
    for axis in 0..3 {
        let inverse = ray.inverse()[axis];
        if inverse.is_finite() {
            let far = if inverse > 0.0 { aabb.max[axis] } else { aabb.min[axis] };
            let distance = (far - ray.origin()[axis]) * inverse;
            if distance < exit {
                (exit, face) = (distance, axis);
            }
        }
    }
    (max(exit, 0.0), face)
}

/// Where a ray leaves a sphere that contains its origin. The reach does not count.
pub(crate) fn ray_exits_sphere(ray: &Ray, sphere: &Sphere) -> f32 {
    let (origin, direction) = (ray.origin(), ray.direction());
    let (fx, fy, fz) = (origin.x - sphere.center.x, origin.y - sphere.center.y, origin.z - sphere.center.z);
    let b = (fx * direction.x + fy * direction.y) + fz * direction.z;
    let (lx, ly, lz) = (fx - direction.x * b, fy - direction.y * b, fz - direction.z * b);
    let discriminant = sphere.radius * sphere.radius - ((lx * lx + ly * ly) + lz * lz);
    max(sqrt(max(discriminant, 0.0)) - b, 0.0)
}

/// Where a ray leaves what it would at `distance`, given whether its end, if it
/// is a segment, has left it: then rounding does not put that beyond the reach.
pub(crate) fn leaves_by_end(ray: &Ray, distance: f32, has_left: impl Fn(Vec3) -> bool) -> f32 {
    if distance > ray.distance_max() && ray.end().is_some_and(has_left) { ray.distance_max() } else { distance }
}

/// Whether the end of a segment that starts in a box lies on the surface, or beyond.
pub(crate) fn has_left_aabb(ray: &Ray, aabb: &Aabb, end: Vec3) -> bool {
    let beyond = |axis: usize| {
        let way = ray.direction()[axis];
        way > 0.0 && end[axis] >= aabb.max[axis] || way < 0.0 && end[axis] <= aabb.min[axis]
    };
    (0..3).any(beyond)
}

/// The same for a sphere.
pub(crate) fn has_left_sphere(sphere: &Sphere, end: Vec3) -> bool {
    distance_sq(sphere.center, end) >= sphere.radius * sphere.radius
}

/// Signed distance of the box corner farthest along the plane's normal.
#[inline]
pub(super) fn corner_distance(plane: &Plane, aabb: &Aabb, along: bool) -> f32 {
    let n = plane.normal;
    let pick = |n: f32, low: f32, high: f32| if (n >= 0.0) == along { high } else { low };
    let x = n.x * pick(n.x, aabb.min.x, aabb.max.x);
    let y = n.y * pick(n.y, aabb.min.y, aabb.max.y);
    let z = n.z * pick(n.z, aabb.min.z, aabb.max.z);
    ((x + y) + z) + plane.offset
}

/// How a finite box lies to planes: `None` if it is behind one of them.
///
/// *Source:* U. Assarsson and T. Möller, Optimized View Frustum Culling Algorithms for Bounding Boxes, 2000.
#[inline]
pub(crate) fn planes_aabb(planes: &[Plane], aabb: &Aabb) -> Option<Containment> {
    let mut containment = Containment::Inside;
    for plane in planes {
        if corner_distance(plane, aabb, true) < 0.0 {
            return None;
        }
        if corner_distance(plane, aabb, false) < 0.0 {
            containment = Containment::Intersecting;
        }
    }
    Some(containment)
}

/// How a sphere lies to planes: `None` if it is behind one of them.
#[inline]
pub(crate) fn planes_sphere(planes: &[Plane], sphere: &Sphere) -> Option<Containment> {
    let mut containment = Containment::Inside;
    for plane in planes {
        let (n, c) = (plane.normal, sphere.center);
        let distance = ((n.x * c.x + n.y * c.y) + n.z * c.z) + plane.offset;
        if distance < -sphere.radius {
            return None;
        }
        if distance < sphere.radius {
            containment = Containment::Intersecting;
        }
    }
    Some(containment)
}
