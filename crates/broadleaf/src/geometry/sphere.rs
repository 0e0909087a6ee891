//! Spheres. Closed: the surface belongs to the sphere.

use super::lanes::sphere_aabb;
use super::{Aabb, check_point};
use crate::Error;
use glam::Vec3;

/// A sphere in world units, closed. Radius zero is a point.
///
/// ```
/// use broadleaf::{Sphere, glam::Vec3};
///
/// let ball = Sphere::new(Vec3::ZERO, 1.0);
/// assert!(ball.overlaps(&Sphere::new(Vec3::X * 2.0, 1.0))); // touching counts
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sphere {
    /// The middle; finite.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub center: Vec3,
    /// The radius, from 0 to [`Sphere::RADIUS_MAX`].
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub radius: f32,
}

impl Sphere {
    /// The largest radius accepted, so that no square overflows.
    pub const RADIUS_MAX: f32 = 1e18;

    /// Bound of the rounding error of a distance that a 32-bit test of spheres computes, for each unit of coordinate
    /// plus radius.
    pub(crate) const DISTANCE_ERROR: f64 = 4.0 * f32::EPSILON as f64;

    /// 2^-72: below this distance squares underflow in 32 bits, wholly or in part, so a 32-bit test may be wrong by as
    /// much.
    pub(crate) const UNDERFLOW_DISTANCE: f64 = 1.0 / (1_u128 << 72) as f64;

    /// The sphere around `center`, a vector or an array of three floats;
    /// unchecked, trees check what they are given. In a constant write
    /// `Sphere { center, radius }`.
    #[inline]
    #[must_use]
    pub fn new(center: impl Into<Vec3>, radius: f32) -> Self {
        Self { center: center.into(), radius }
    }

    /// The smallest box of 32-bit floats that contains the sphere: each side
    /// is rounded outward, and only where it is inexact.
    #[inline]
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        sphere_aabb(self)
    }

    /// The same sphere without negative zeros, as [`Aabb::without_negative_zeros`].
    #[inline]
    #[must_use]
    pub(crate) fn without_negative_zeros(&self) -> Self {
        Self { center: self.center + 0.0, radius: self.radius + 0.0 }
    }

    /// The outward normal at a point of the surface; zero if the point lies
    /// so deep inside that rounding must have put it there.
    #[inline]
    pub(crate) fn normal_at(&self, position: Vec3) -> Vec3 {
        let lever = position - self.center;
        // Scaled, so that no square overflows or vanishes.
        let scale = lever.abs().max_element();
        if scale <= self.radius * 0.25 { Vec3::ZERO } else { (lever / scale).normalize_or_zero() }
    }

    /// Whether the spheres share a point; touching counts.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        super::overlap::sphere_sphere(self, other)
    }

    /// Whether `point` lies inside or on the surface.
    #[inline]
    #[must_use]
    pub fn contains_point(&self, point: Vec3) -> bool {
        super::overlap::sphere_point(self, point)
    }

    /// Checks that the sphere is one that a tree accepts.
    ///
    /// # Errors
    /// A centre that is not finite, or a radius that is NaN, negative or above [`Sphere::RADIUS_MAX`].
    #[inline]
    pub fn check(&self) -> Result<(), Error> {
        if self.center.is_finite() && self.radius >= 0.0 && self.radius <= Self::RADIUS_MAX {
            Ok(())
        } else {
            Err(self.fault())
        }
    }

    #[cold]
    fn fault(&self) -> Error {
        let radius = self.radius;
        if let Err(error) = check_point(self.center, ["center.x", "center.y", "center.z"]) {
            error
        } else if radius.is_nan() {
            Error::NotANumber { field: "radius" }
        } else if radius < 0.0 {
            Error::NegativeRadius { radius }
        } else {
            Error::RadiusTooLarge { radius, limit: Self::RADIUS_MAX }
        }
    }
}
