//! Contacts of two overlapping shapes: depth, normal and a point.
//!
//! Computed in 64 bits from the 32-bit shapes and rounded once, so no square
//! under- or overflows. Whether the shapes overlap at all is for the tests in
//! `overlap` to say: here they do.

use super::float::sqrt_f64;
use super::{Aabb, Sphere};
use glam::{DVec3, Vec3};

/// Two overlapping shapes: the shortest way to part them.
///
/// Moving the second shape by `normal * depth` leaves the two touching.
///
/// ```
/// use broadleaf::{Aabb, Octree, Pair, glam::Vec3};
///
/// let mut tree = Octree::default();
/// let floor = tree.insert(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0)))?;
/// let box_ = tree.insert(Aabb::new(Vec3::new(0.0, -0.25, 0.0), Vec3::new(1.0, 0.75, 1.0)))?;
/// let contact = tree.view().contact(Pair::new(box_, floor))?.expect("they overlap");
/// assert_eq!((contact.normal, contact.depth), (Vec3::Y, 0.25)); // from the floor to the box
/// # Ok::<(), broadleaf::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// Unit vector from the first shape to the second.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub normal: Vec3,
    /// How far the second shape must move along the normal; not negative.
    /// Infinite if no finite step parts the two.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub depth: f32,
    /// A point of both shapes. Where they share no finite point on an axis
    /// because they are too far out, the closest finite one.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub position: Vec3,
}

impl Contact {
    /// The same contact seen from the other shape.
    #[inline]
    #[must_use]
    pub fn reversed(self) -> Self {
        // Adding zero turns negative zeros into positive ones.
        Self { normal: -self.normal + Vec3::ZERO, ..self }
    }

    #[expect(clippy::cast_possible_truncation, reason = "rounded to 32 bits, or to infinity, on purpose")]
    fn new(normal: DVec3, depth: f64, position: DVec3) -> Self {
        // Adding zero turns negative zeros into positive ones.
        let normal = normal.as_vec3() + Vec3::ZERO;
        Self { normal, depth: depth.max(0.0) as f32, position: position.as_vec3().clamp(Vec3::MIN, Vec3::MAX) }
    }
}

/// Two boxes: out by the nearest face. Of equally near faces the first of
/// x, y, z counts, and of two on one axis the upper one of `a`.
pub(crate) fn aabb_aabb(a: &Aabb, b: &Aabb) -> Contact {
    let (up, down) = (a.max.as_dvec3() - b.min.as_dvec3(), b.max.as_dvec3() - a.min.as_dvec3());
    let overlap = Aabb::new(a.min.max(b.min), a.max.min(b.max));
    let (normal, depth) = nearest_way(up, down);
    Contact::new(normal, depth, finite_middle(&overlap))
}

/// Two spheres: along the line of their centres; along x if these coincide.
pub(crate) fn sphere_sphere(a: &Sphere, b: &Sphere) -> Contact {
    let (offset, radii) = (b.center.as_dvec3() - a.center.as_dvec3(), (f64::from(a.radius), f64::from(b.radius)));
    let distance = sqrt_f64(offset.length_squared());
    let normal = if distance > 0.0 { offset / distance } else { DVec3::X };
    // The part of the line that lies in both, measured from the centre of `a`.
    let (from, to) = ((distance - radii.1).max(-radii.0), (distance + radii.1).min(radii.0));
    let position = a.center.as_dvec3() + normal * ((from + to) * 0.5);
    Contact::new(normal, radii.0 + radii.1 - distance, position)
}

/// A box and a sphere, from the box to the sphere: from the box's point
/// closest to the centre; if the centre lies inside, out by the nearest face,
/// chosen as between boxes.
pub(crate) fn aabb_sphere(aabb: &Aabb, sphere: &Sphere) -> Contact {
    let (center, radius) = (sphere.center.as_dvec3(), f64::from(sphere.radius));
    let closest = center.clamp(aabb.min.as_dvec3(), aabb.max.as_dvec3());
    let offset = center - closest;
    let distance = sqrt_f64(offset.length_squared());
    if distance > 0.0 {
        return Contact::new(offset / distance, radius - distance, closest);
    }
    let (normal, depth) = nearest_way(aabb.max.as_dvec3() - center, center - aabb.min.as_dvec3());
    Contact::new(normal, depth + radius, center)
}

/// The axis direction of the least of six distances.
fn nearest_way(up: DVec3, down: DVec3) -> (DVec3, f64) {
    let mut best = (DVec3::X, up.x);
    for (axis, direction) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
        if up[axis] < best.1 {
            best = (direction, up[axis]);
        }
        if down[axis] < best.1 {
            best = (-direction, down[axis]);
        }
    }
    best
}

/// The middle of a box; where it is unbounded, its finite side, or zero.
fn finite_middle(aabb: &Aabb) -> DVec3 {
    let middle = |low: f32, high: f32| match (low.is_finite(), high.is_finite()) {
        (true, true) => (f64::from(low) + f64::from(high)) * 0.5,
        (true, false) => low.into(),
        (false, true) => high.into(),
        (false, false) => 0.0,
    };
    DVec3::new(middle(aabb.min.x, aabb.max.x), middle(aabb.min.y, aabb.max.y), middle(aabb.min.z, aabb.max.z))
}
