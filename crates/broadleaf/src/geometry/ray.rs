//! Rays: a start, a unit direction and a reach.

use super::float::sqrt_f64;
use super::{Aabb, Sphere, check_point, overlap};
use crate::Error;
use glam::{BVec3, Vec3};

/// A half-line or a segment. Distances along it are world units. Points and
/// directions are given as vectors or as arrays of three floats.
///
/// ```
/// use broadleaf::{Ray, glam::Vec3};
///
/// let ray = Ray::new(Vec3::ZERO, Vec3::new(0.0, 0.0, 4.0))?;
/// assert_eq!(ray.at(2.0), Vec3::new(0.0, 0.0, 2.0));
/// assert!(Ray::new(Vec3::ZERO, Vec3::ZERO).is_err());
/// # Ok::<(), broadleaf::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::saved::SavedRay", into = "super::saved::SavedRay")
)]
pub struct Ray {
    origin: Vec3,
    direction: Vec3,
    inverse: Vec3,
    distance_max: f32,
    /// Where a segment ends, as it was given: direction and reach are rounded.
    end: Option<Vec3>,
}

impl Ray {
    /// The half-line from `origin` along `direction`, which need not have length one.
    ///
    /// # Errors
    /// A coordinate that is not finite, or a direction of length zero.
    pub fn new(origin: impl Into<Vec3>, direction: impl Into<Vec3>) -> Result<Self, Error> {
        let (origin, direction) = (origin.into(), direction.into());
        check_point(origin, ["origin.x", "origin.y", "origin.z"])?;
        check_point(direction, ["direction.x", "direction.y", "direction.z"])?;
        Self::along(origin, direction.to_array().map(f64::from)).map(|(ray, _)| ray)
    }

    /// The segment between two points, both ends included: a box or a sphere
    /// that contains one of the ends, its surface included, is hit. Where
    /// rounding would put the surface beyond the end, the hit's distance is the reach.
    ///
    /// # Errors
    /// A coordinate that is not finite, or ends that coincide.
    pub fn segment(from: impl Into<Vec3>, to: impl Into<Vec3>) -> Result<Self, Error> {
        let (from, to) = (from.into(), to.into());
        check_point(from, ["from.x", "from.y", "from.z"])?;
        check_point(to, ["to.x", "to.y", "to.z"])?;
        let axis = |i: usize| f64::from(to[i]) - f64::from(from[i]);
        let (ray, length) = Self::along(from, [axis(0), axis(1), axis(2)])?;
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
        let ray = ray.with_distance_max(length as f32)?;
        Ok(Self { end: Some(to), ..ray })
    }

    /// The half-line along a finite vector, and the vector's length.
    fn along(origin: Vec3, [x, y, z]: [f64; 3]) -> Result<(Self, f64), Error> {
        let length = sqrt_f64(x * x + y * y + z * z);
        if length == 0.0 {
            return Err(Error::ZeroDirection);
        }
        #[expect(clippy::cast_possible_truncation, reason = "a quotient of at most one, rounded to f32")]
        let direction = Vec3::from_array([x, y, z].map(|c| (c / length) as f32));
        Ok((Self { origin, direction, inverse: direction.recip(), distance_max: f32::MAX, end: None }, length))
    }

    /// The same ray along a direction that has length one as it is.
    #[cfg(feature = "serde")]
    pub(super) fn with_direction(self, direction: Vec3) -> Self {
        Self { direction, inverse: direction.recip(), ..self }
    }

    /// The same ray with another reach, in world units. An infinite reach is
    /// that of the largest float: no hit is infinitely far. What was a segment
    /// no longer has an end that was given.
    ///
    /// # Errors
    /// A reach that is NaN or negative.
    pub fn with_distance_max(self, distance_max: f32) -> Result<Self, Error> {
        if distance_max.is_nan() {
            Err(Error::NotANumber { field: "distance_max" })
        } else if distance_max < 0.0 {
            Err(Error::NegativeDistance { distance_max })
        } else {
            // Adding zero turns a negative zero into a positive one.
            Ok(Self { distance_max: distance_max.min(f32::MAX) + 0.0, end: None, ..self })
        }
    }

    /// The same ray with a reach that is not longer, and not negative.
    pub(crate) fn cut_to(self, distance_max: f32) -> Self {
        debug_assert!((0.0..=self.distance_max).contains(&distance_max), "a shorter reach");
        // Adding zero turns a negative zero into a positive one.
        Self { distance_max: distance_max + 0.0, end: None, ..self }
    }

    /// Where the ray starts.
    #[inline]
    #[must_use]
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// The direction, of length one.
    #[inline]
    #[must_use]
    pub fn direction(&self) -> Vec3 {
        self.direction
    }

    /// One over each component of the direction; infinite where the ray is parallel to an axis plane.
    #[inline]
    #[must_use]
    pub(crate) fn inverse(&self) -> Vec3 {
        self.inverse
    }

    /// How far the ray reaches, in world units; the end is included.
    #[inline]
    #[must_use]
    pub fn distance_max(&self) -> f32 {
        self.distance_max
    }

    /// The end of a [`Ray::segment`], as it was given.
    #[inline]
    #[must_use]
    pub fn end(&self) -> Option<Vec3> {
        self.end
    }

    /// The point at `distance` from the origin.
    #[inline]
    #[must_use]
    pub fn at(&self, distance: f32) -> Vec3 {
        self.origin + self.direction * distance
    }

    /// The distance at which the ray enters a finite box, if it does within
    /// its reach; zero from inside. Exact for rays parallel to an axis. A
    /// segment that ends in the box enters it, at the latest there.
    #[inline]
    #[must_use]
    pub fn enter_aabb(&self, aabb: &Aabb) -> Option<f32> {
        overlap::ray_aabb(self, aabb)
    }

    /// The distance at which the ray enters a sphere, if it does within its
    /// reach; zero from inside. A segment that ends in the sphere enters it.
    #[inline]
    #[must_use]
    pub fn enter_sphere(&self, sphere: &Sphere) -> Option<f32> {
        overlap::ray_sphere(self, sphere)
    }

    /// The outward normal of the face through which the ray enters a box that
    /// it meets from outside: that of the axis entered last, of equals the first.
    #[inline]
    pub(crate) fn entry_normal(&self, aabb: &Aabb) -> Vec3 {
        if self.inverse.is_finite() {
            let near = Vec3::select(self.inverse.cmpgt(Vec3::ZERO), aabb.min, aabb.max);
            let [x, y, z] = ((near - self.origin) * self.inverse).to_array();
            // Without a branch: where each ray enters through another face, it would go wrong.
            let (is_x, is_y) = ((x >= y) & (x >= z), y >= z);
            let axis = BVec3::new(is_x, !is_x & is_y, !is_x & !is_y);
            return Vec3::select(axis, -self.inverse.signum(), Vec3::ZERO);
        }
        self.entry_normal_when_parallel(aabb)
    }

    /// [`Ray::entry_normal`] of a ray that is parallel to a pair of faces.
    #[cold]
    fn entry_normal_when_parallel(&self, aabb: &Aabb) -> Vec3 {
        let mut last = f32::NEG_INFINITY;
        let mut normal = Vec3::ZERO;
        for axis in 0..3 {
            let inverse = self.inverse[axis];
            if inverse.is_finite() {
                let near = if inverse > 0.0 { aabb.min[axis] } else { aabb.max[axis] };
                let enter = (near - self.origin[axis]) * inverse;
                if enter > last {
                    last = enter;
                    normal = Vec3::ZERO;
                    normal[axis] = -inverse.signum();
                }
            } else if self.origin[axis] < aabb.min[axis] || self.origin[axis] > aabb.max[axis] {
                // So slow along the axis that it is taken for parallel: only the end of a segment gets in.
                (last, normal) = (f32::INFINITY, Vec3::ZERO);
                normal[axis] = if self.origin[axis] > aabb.max[axis] { 1.0 } else { -1.0 };
            }
        }
        normal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_segments_between_ends_whose_difference_overflows() {
        let ray = Ray::segment(Vec3::splat(-3e38), Vec3::splat(3e38)).unwrap();
        assert!((ray.direction().length() - 1.0).abs() < 1e-6);
        assert_eq!(ray.distance_max(), f32::MAX);
        assert_eq!(Ray::segment(Vec3::ONE, Vec3::ONE), Err(Error::ZeroDirection));
    }
}
