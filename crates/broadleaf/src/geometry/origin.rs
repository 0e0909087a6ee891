//! Worlds of 64-bit coordinates: shapes as 32-bit ones around an origin,
//! rounded outward, so that no overlap is missed.

use super::float::sqrt_f64;
use super::{Aabb, Sphere};
use crate::Error;
use glam::{DVec3, Vec3};

/// The smallest radius given, so that no square of a distance underflows.
const RADIUS_MIN: f64 = 1.0 / (1_u64 << 60) as f64;

/// A point of a 64-bit world around which a tree's 32-bit coordinates lie.
///
/// Near the origin these are as fine as need be. When the action has moved on,
/// shift the tree by [`Octree::shift_origin`](crate::Octree::shift_origin), go
/// on with [`WorldOrigin::shifted`] by the same vector, and update the objects
/// from their 64-bit shapes: a shift rounds to nearest, so that bounds that
/// were rounded outward may no longer hold what they stand for. Objects that
/// are not updated keep their place to within a rounding, but may miss a touch.
///
/// ```
/// use broadleaf::{WorldOrigin, glam::{DVec3, Vec3}};
///
/// let origin = WorldOrigin::new(DVec3::new(1e7, 0.0, -1e7))?;
/// let low = DVec3::new(1e7 + 0.1, 0.0, -1e7);
/// let aabb = origin.aabb(low, low + 1.0)?;
/// assert!(f64::from(aabb.min.x) <= 0.1 && aabb.max.x >= 1.1);
/// assert_eq!(origin.to_world(Vec3::X), DVec3::new(1e7 + 1.0, 0.0, -1e7));
/// # Ok::<(), broadleaf::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::saved::SavedOrigin", into = "super::saved::SavedOrigin")
)]
pub struct WorldOrigin(DVec3);

impl WorldOrigin {
    /// The origin at a point of the world.
    ///
    /// # Errors
    /// A coordinate that is not finite; errors carry 64-bit values rounded to 32 bits.
    pub fn new(point: DVec3) -> Result<Self, Error> {
        check_finite(point, ["origin.x", "origin.y", "origin.z"])?;
        Ok(Self(point))
    }

    /// The point of the world.
    #[must_use]
    pub fn point(self) -> DVec3 {
        self.0
    }

    /// The origin of a tree after [`Octree::shift_origin`](crate::Octree::shift_origin)
    /// by the same vector.
    ///
    /// # Errors
    /// As [`WorldOrigin::new`]: a shift that is not finite, or that leads out of 64 bits.
    pub fn shifted(self, shift: Vec3) -> Result<Self, Error> {
        Self::new(self.0 + shift.as_dvec3())
    }

    /// The smallest 32-bit box around the box from `min` to `max`: each side
    /// is rounded outward, and only where it is inexact. Boxes that overlap or
    /// touch still do. A side may be infinite, and becomes so beyond 32 bits.
    ///
    /// # Errors
    /// As [`Aabb::check`].
    pub fn aabb(self, min: DVec3, max: DVec3) -> Result<Aabb, Error> {
        let low = |axis: usize| sub_down(min[axis], self.0[axis]);
        let high = |axis: usize| -sub_down(-max[axis], -self.0[axis]);
        let aabb = Aabb::new(Vec3::new(low(0), low(1), low(2)), Vec3::new(high(0), high(1), high(2)));
        // Outward rounding could hide a small inversion, and a finite box
        // beyond 32 bits is not at infinity.
        let legal = (max - min).cmpge(DVec3::ZERO).all();
        if legal { Ok(aabb) } else { Err(fault(min, max)) }
    }

    /// A 32-bit sphere around the sphere given, for which the 32-bit tests of
    /// this crate miss no overlap, for all their rounding: the radius grows by
    /// how far the centre moved and by a few units in the last place, and is at least 2^-60.
    ///
    /// # Errors
    /// As [`Sphere::check`]; the values are those relative to the origin.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to 32 bits on purpose")]
    pub fn sphere(self, center: DVec3, radius: f64) -> Result<Sphere, Error> {
        check_finite(center, ["center.x", "center.y", "center.z"])?;
        let (offset, error) = difference(center, self.0);
        let near = offset.as_vec3();
        let strayed = (offset - near.as_dvec3()).abs() + error.abs();
        // A test of two spheres errs by five roundings in the distance's
        // square and by three in that of the radii: four in the radii.
        let grown = (radius + sqrt_f64(strayed.length_squared())) * (1.0 + 6.0 * f64::from(f32::EPSILON) * 0.5);
        // Below zero it stays there, however little; what is not a number stays none.
        let faulty = (radius as f32).clamp(f32::NEG_INFINITY, -f32::from_bits(1));
        let sphere = Sphere::new(near, if radius >= 0.0 { round_up(grown.max(RADIUS_MIN)) } else { faulty });
        sphere.check().map(|()| sphere)
    }

    /// A point of the world relative to the origin, rounded to nearest; not for bounds.
    #[must_use]
    pub fn to_local(self, point: DVec3) -> Vec3 {
        (point - self.0).as_vec3()
    }

    /// A point relative to the origin as a point of the world.
    #[must_use]
    pub fn to_world(self, point: Vec3) -> DVec3 {
        point.as_dvec3() + self.0
    }
}

#[expect(clippy::cast_possible_truncation, reason = "errors carry 32-bit values")]
fn check_finite(point: DVec3, fields: [&'static str; 3]) -> Result<(), Error> {
    for (value, field) in point.to_array().into_iter().zip(fields) {
        if value.is_nan() {
            return Err(Error::NotANumber { field });
        }
        if value.is_infinite() {
            return Err(Error::NotFinite { field, value: value as f32 });
        }
    }
    Ok(())
}

/// What is wrong with a 64-bit box.
#[cold]
#[expect(clippy::cast_possible_truncation, reason = "errors carry 32-bit values")]
fn fault(min: DVec3, max: DVec3) -> Error {
    for (i, axis) in ['x', 'y', 'z'].into_iter().enumerate() {
        let (low, high) = (min[i], max[i]);
        if low.is_nan() {
            return Error::NotANumber { field: ["min.x", "min.y", "min.z"][i] };
        }
        if high.is_nan() {
            return Error::NotANumber { field: ["max.x", "max.y", "max.z"][i] };
        }
        if low > high {
            return Error::InvertedBounds { axis, min: low as f32, max: high as f32 };
        }
        if low == f64::INFINITY || high == f64::NEG_INFINITY {
            return Error::BoundsAtInfinity { axis, min: low as f32, max: high as f32 };
        }
    }
    unreachable!("called only for a faulty box")
}

/// `a - b` and its rounding error.
///
/// *Source:* D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2.
fn difference(a: DVec3, b: DVec3) -> (DVec3, DVec3) {
    let difference = a - b;
    let virtual_b = a - difference;
    (difference, (a - (difference + virtual_b)) + (virtual_b - b))
}

/// `a - b`, rounded to 32 bits towards minus infinity.
#[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
fn sub_down(a: f64, b: f64) -> f32 {
    let (exact, error) = difference(DVec3::splat(a), DVec3::splat(b));
    let rounded = exact.x as f32;
    let above = f64::from(rounded) > exact.x || (f64::from(rounded) == exact.x && error.x < 0.0);
    // A finite difference may overflow even 64 bits.
    if above || (rounded == f32::INFINITY && a < f64::INFINITY) { rounded.next_down() } else { rounded }
}

/// To 32 bits towards plus infinity.
#[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
fn round_up(value: f64) -> f32 {
    let rounded = value as f32;
    if f64::from(rounded) < value { rounded.next_up() } else { rounded }
}
