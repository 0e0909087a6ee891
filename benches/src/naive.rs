//! Shape tests in the plainest form, with the semantics that broadleaf
//! documents: closed shapes, single precision, the same order of operations.
//! Peers that call back for the exact test call these.

use broadleaf::glam::{Vec3, Vec3A};
use broadleaf::{Aabb, Frustum, Ray, Shape, Sphere, Sweep, shape::Plane};

/// Squared distance from a point to a box given by its corners.
#[inline]
#[must_use]
pub fn distance_sq(min: Vec3, max: Vec3, point: Vec3) -> f32 {
    let (min, max, point) = (Vec3A::from(min), Vec3A::from(max), Vec3A::from(point));
    let gap = (min - point).max(point - max).max(Vec3A::ZERO);
    let square = gap * gap;
    (square.x + square.y) + square.z
}

/// Whether a sphere touches a box given by its corners.
#[inline]
#[must_use]
pub fn sphere_touches(sphere: &Sphere, min: Vec3, max: Vec3) -> bool {
    distance_sq(min, max, sphere.center) <= sphere.radius * sphere.radius
}

/// Whether two spheres touch.
#[inline]
#[must_use]
pub fn spheres_touch(a: &Sphere, b: &Sphere) -> bool {
    let gap = a.center - b.center;
    let reach = a.radius + b.radius;
    (gap.x * gap.x + gap.y * gap.y) + gap.z * gap.z <= reach * reach
}

/// Whether two shapes touch.
#[inline]
#[must_use]
pub fn shapes_touch(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Aabb(a), Shape::Aabb(b)) => a.overlaps(b),
        (Shape::Sphere(a), Shape::Sphere(b)) => spheres_touch(a, b),
        (Shape::Aabb(aabb), Shape::Sphere(sphere)) | (Shape::Sphere(sphere), Shape::Aabb(aabb)) => {
            sphere_touches(sphere, aabb.min, aabb.max)
        }
        _ => unreachable!("scenes have boxes and spheres"),
    }
}

/// Whether a box is not wholly behind one of the planes.
#[inline]
#[must_use]
pub fn frustum_touches(frustum: &Frustum, min: Vec3, max: Vec3) -> bool {
    frustum.planes().iter().all(|plane| far_corner(plane, min, max) >= 0.0)
}

#[inline]
fn far_corner(plane: &Plane, min: Vec3, max: Vec3) -> f32 {
    let n = plane.normal;
    let pick = |n: f32, low: f32, high: f32| if n >= 0.0 { high } else { low };
    ((n.x * pick(n.x, min.x, max.x) + n.y * pick(n.y, min.y, max.y)) + n.z * pick(n.z, min.z, max.z)) + plane.offset
}

/// A ray with the reciprocal of its direction, for many slab tests.
#[derive(Clone, Copy)]
pub struct Slabs {
    origin: Vec3A,
    inverse: Vec3A,
    reach: f32,
}

impl Slabs {
    /// Takes the reciprocal once.
    #[must_use]
    pub fn new(ray: &Ray) -> Self {
        Self { origin: ray.origin().into(), inverse: Vec3A::from(ray.direction()).recip(), reach: ray.distance_max() }
    }

    /// Distance at which the ray enters the box, zero from inside, infinite for a miss.
    #[inline]
    #[must_use]
    pub fn enter(&self, min: Vec3, max: Vec3) -> f32 {
        let (min, max) = (Vec3A::from(min), Vec3A::from(max));
        let (a, b) = ((min - self.origin) * self.inverse, (max - self.origin) * self.inverse);
        let (enter, exit) = (a.min(b).max_element().max(0.0), a.max(b).min_element().min(self.reach));
        if enter <= exit { enter } else { f32::INFINITY }
    }
}

/// A moving box as a ray from its middle: others grow by its half extents.
#[derive(Clone, Copy)]
pub struct MovingBox {
    slabs: Slabs,
    half: Vec3,
}

impl MovingBox {
    /// The ray, once.
    ///
    /// # Panics
    /// If the box does not move.
    #[must_use]
    pub fn new(sweep: &Sweep) -> Self {
        let (start, reach) = (sweep.start(), sweep.distance_at(1.0));
        let ray = Ray::new(start.center(), sweep.motion()).and_then(|ray| ray.with_distance_max(reach));
        Self { slabs: Slabs::new(&ray.expect("a box that moves")), half: start.half_extents() }
    }

    /// How far it gets before it meets a box, infinite if it does not.
    #[inline]
    #[must_use]
    pub fn enter(&self, min: Vec3, max: Vec3) -> f32 {
        self.slabs.enter(min - self.half, max + self.half)
    }
}

/// The box around everything, empty for nothing.
#[must_use]
pub fn bounds(boxes: &[Aabb]) -> Aabb {
    boxes.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb))
}
