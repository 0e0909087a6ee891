//! Capsules: all points near a segment. Closed.

use super::float::sqrt_f64;
use super::segment::first_within;
use super::{Aabb, Sphere, check_point};
use crate::Error;
use glam::Vec3;

/// The points within a radius of a segment; a sphere if its ends coincide.
///
/// ```
/// use broadleaf::{Aabb, Capsule, glam::Vec3};
///
/// let capsule = Capsule::new(Vec3::ZERO, Vec3::Y * 2.0, 0.5)?;
/// let touching = Aabb::new(Vec3::new(0.5, 1.0, 0.0), Vec3::ONE * 2.0);
/// assert!(capsule.overlaps_aabb(&touching)); // touching counts
/// # Ok::<(), broadleaf::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::saved::SavedCapsule", into = "super::saved::SavedCapsule")
)]
pub struct Capsule {
    a: Vec3,
    b: Vec3,
    radius: f32,
}

impl Capsule {
    /// The points within `radius` of the segment from `a` to `b`.
    ///
    /// # Errors
    /// An end that is not finite, or a radius that is NaN, negative or above [`Sphere::RADIUS_MAX`].
    pub fn new(a: impl Into<Vec3>, b: impl Into<Vec3>, radius: f32) -> Result<Self, Error> {
        let (a, b) = (a.into(), b.into());
        check_point(a, ["a.x", "a.y", "a.z"])?;
        check_point(b, ["b.x", "b.y", "b.z"])?;
        Sphere::new(a, radius).check()?;
        Ok(Self { a, b, radius })
    }

    /// One end of the segment.
    #[inline]
    #[must_use]
    pub fn a(&self) -> Vec3 {
        self.a
    }

    /// The other end.
    #[inline]
    #[must_use]
    pub fn b(&self) -> Vec3 {
        self.b
    }

    /// The radius.
    #[inline]
    #[must_use]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The smallest box around the capsule, rounded outward.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        Sphere::new(self.a, self.radius).aabb().union(&Sphere::new(self.b, self.radius).aabb())
    }

    /// Whether the capsule shares a point with a finite box; exact, in 64-bit floats.
    #[must_use]
    pub fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        // The first test decides where coordinates are too far apart for the second.
        self.aabb().overlaps(aabb) && first_within(self.a, self.segment(), aabb, self.radius.into()).is_some()
    }

    /// Whether the capsule shares a point with a sphere; exact, in 64-bit floats.
    #[must_use]
    pub fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        let (segment, reach) = (self.segment(), f64::from(self.radius) + f64::from(sphere.radius));
        let to = [0, 1, 2].map(|i| f64::from(sphere.center[i]) - f64::from(self.a[i]));
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let length_sq = dot(segment, segment);
        let along = if length_sq > 0.0 { (dot(to, segment) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
        let rest = [0, 1, 2].map(|i| to[i] - segment[i] * along);
        self.aabb().overlaps(&sphere.aabb()) && sqrt_f64(dot(rest, rest)) <= reach
    }

    fn segment(&self) -> [f64; 3] {
        [0, 1, 2].map(|i| f64::from(self.b[i]) - f64::from(self.a[i]))
    }
}
