//! Convex regions: the points in front of any number of planes.

use super::frustum::checked;
use super::{Aabb, Containment, Plane, Sphere, overlap};
use crate::Error;
use alloc::vec::Vec;

/// The points in front of all of some planes, which belong to the region;
/// everything, if there are none. Make one once, and ask with it often.
///
/// ```
/// use broadleaf::{Aabb, ConvexRegion, Containment, Plane, glam::Vec3};
///
/// let above = Plane { normal: Vec3::Y, offset: 0.0 };
/// let left = Plane { normal: Vec3::NEG_X, offset: 0.0 };
/// let corner = ConvexRegion::new(&[above, left])?;
/// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
/// assert_eq!(corner.classify_aabb(&unit), Some(Containment::Intersecting)); // touching counts
/// # Ok::<(), broadleaf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::saved::SavedRegion", into = "super::saved::SavedRegion")
)]
pub struct ConvexRegion {
    planes: Vec<Plane>,
}

impl ConvexRegion {
    /// The region in front of the planes, whose normals need not have length one.
    ///
    /// # Errors
    /// A number that is not finite, or a normal of length zero.
    pub fn new(planes: &[Plane]) -> Result<Self, Error> {
        let planes = planes.iter().enumerate().map(|(index, plane)| checked(plane, index));
        Ok(Self { planes: planes.collect::<Result<_, _>>()? })
    }

    /// The region of planes that have been checked.
    #[cfg(feature = "serde")]
    pub(super) fn with_planes(planes: Vec<Plane>) -> Self {
        Self { planes }
    }

    #[cfg(feature = "serde")]
    pub(super) fn into_planes(self) -> Vec<Plane> {
        self.planes
    }

    /// The planes, their normals of length one.
    #[inline]
    #[must_use]
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// How a finite box lies to the region: `None` if it is wholly behind one
    /// of the planes. Conservative: near an edge of the region, a box outside
    /// may be behind no single plane.
    #[must_use]
    pub fn classify_aabb(&self, aabb: &Aabb) -> Option<Containment> {
        overlap::planes_aabb(&self.planes, aabb)
    }

    /// How a sphere lies to the region: `None` if it is wholly behind one of
    /// the planes. Conservative, as for boxes.
    #[must_use]
    pub fn classify_sphere(&self, sphere: &Sphere) -> Option<Containment> {
        overlap::planes_sphere(&self.planes, sphere)
    }
}
