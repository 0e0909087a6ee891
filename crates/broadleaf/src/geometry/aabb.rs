//! Axis-aligned boxes. Closed: the faces belong to the box.

use super::{Sphere, overlap};
use crate::Error;
use glam::Vec3;

/// An axis-aligned bounding box in world units, closed on all sides.
///
/// A point or a plate (`min == max` on some axes) is a legal box, and so is
/// one that is unbounded in some directions (infinite coordinates).
///
/// ```
/// use broadleaf::{Aabb, glam::Vec3};
///
/// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
/// assert!(unit.overlaps(&Aabb::new(Vec3::ONE, Vec3::splat(2.0)))); // touching counts
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb {
    /// The lower corner.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub min: Vec3,
    /// The upper corner.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub max: Vec3,
}

impl Aabb {
    /// The box that contains nothing; neutral for [`Aabb::union`]. Not accepted by a tree.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The box from `min` to `max`, vectors or arrays of three floats;
    /// unchecked, trees check what they are given. In a constant write
    /// `Aabb { min, max }`.
    #[inline]
    #[must_use]
    pub fn new(min: impl Into<Vec3>, max: impl Into<Vec3>) -> Self {
        Self { min: min.into(), max: max.into() }
    }

    /// The box around `center`.
    #[inline]
    #[must_use]
    pub fn from_center_half_extents(center: impl Into<Vec3>, half_extents: impl Into<Vec3>) -> Self {
        let (center, half_extents) = (center.into(), half_extents.into());
        Self { min: center - half_extents, max: center + half_extents }
    }

    /// The smallest box around the points, vectors or arrays of three floats;
    /// [`Aabb::EMPTY`] of none.
    #[must_use]
    pub fn from_points<P: Into<Vec3>>(points: impl IntoIterator<Item = P>) -> Self {
        points
            .into_iter()
            .map(Into::into)
            .fold(Self::EMPTY, |bounds, p| Self { min: bounds.min.min(p), max: bounds.max.max(p) })
    }

    /// The middle of the box.
    #[inline]
    #[must_use]
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Edge lengths.
    #[inline]
    #[must_use]
    pub fn extents(&self) -> Vec3 {
        self.max - self.min
    }

    /// Half the edge lengths.
    #[inline]
    #[must_use]
    pub fn half_extents(&self) -> Vec3 {
        self.extents() * 0.5
    }

    /// The smallest box around both.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box grown by `margin` on every side.
    #[inline]
    #[must_use]
    pub fn expanded(&self, margin: f32) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// The box moved by `offset`.
    #[inline]
    #[must_use]
    pub fn translated(&self, offset: Vec3) -> Self {
        Self { min: self.min + offset, max: self.max + offset }
    }

    /// The same box without negative zeros. Lanes keep either of two zeros of
    /// different sign, by instruction set: so a tree keeps positive ones only.
    #[inline]
    #[must_use]
    pub(crate) fn without_negative_zeros(&self) -> Self {
        // Adding zero turns a negative zero into a positive one, and nothing else.
        Self { min: self.min + 0.0, max: self.max + 0.0 }
    }

    /// Whether `other` lies inside, touching allowed.
    #[inline]
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.min.cmple(other.min).all() && self.max.cmpge(other.max).all()
    }

    /// Whether `point` lies inside or on the surface.
    #[inline]
    #[must_use]
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && self.max.cmpge(point).all()
    }

    /// Whether the boxes share a point; touching counts.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && self.max.cmpge(other.min).all()
    }

    /// Whether the box and the sphere share a point; touching counts.
    #[inline]
    #[must_use]
    pub fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        overlap::aabb_sphere(self, sphere)
    }

    /// Squared distance from a point to the box; zero inside.
    #[inline]
    #[must_use]
    pub fn distance_sq(&self, point: Vec3) -> f32 {
        overlap::aabb_point_distance_sq(self, point)
    }

    /// The box with infinite coordinates replaced by the largest finite ones.
    #[inline]
    #[must_use]
    pub fn clamped_to_finite(&self) -> Self {
        Self { min: self.min.max(Vec3::MIN), max: self.max.min(Vec3::MAX) }
    }

    /// Checks that the box is one that a tree accepts.
    ///
    /// # Errors
    /// NaN, `min > max`, or no finite point on an axis; the first fault is named.
    #[inline]
    pub fn check(&self) -> Result<(), Error> {
        // An edge is not a number if a bound is not, or if both are the same
        // infinity; it is negative if the bounds are inverted.
        let edges = self.max - self.min;
        if (edges.x >= 0.0) & (edges.y >= 0.0) & (edges.z >= 0.0) { Ok(()) } else { Err(self.fault()) }
    }

    #[cold]
    fn fault(&self) -> Error {
        const MIN: [&str; 3] = ["min.x", "min.y", "min.z"];
        const MAX: [&str; 3] = ["max.x", "max.y", "max.z"];
        for (i, axis) in ['x', 'y', 'z'].into_iter().enumerate() {
            let (min, max) = (self.min[i], self.max[i]);
            if min.is_nan() {
                return Error::NotANumber { field: MIN[i] };
            }
            if max.is_nan() {
                return Error::NotANumber { field: MAX[i] };
            }
            if min > max {
                return Error::InvertedBounds { axis, min, max };
            }
            if min == f32::INFINITY || max == f32::NEG_INFINITY {
                return Error::BoundsAtInfinity { axis, min, max };
            }
        }
        unreachable!("called only for a faulty box")
    }
}
