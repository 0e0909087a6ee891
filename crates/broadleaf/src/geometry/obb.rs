//! Boxes oriented freely. Closed: the faces belong to the box.

use super::float::{add_up, sqrt_f64, sub_down};
use super::{Aabb, Sphere, check_point, overlap};
use crate::Error;
use glam::{Quat, Vec3};

/// An oriented box in world units, closed on all sides.
///
/// ```
/// use broadleaf::{Aabb, glam::{Quat, Vec3}, shape::Obb};
///
/// let diamond = Obb::new(Vec3::ZERO, Vec3::ONE, Quat::from_rotation_z(0.785))?;
/// assert!(diamond.overlaps_aabb(&Aabb::new(Vec3::new(1.4, 0.0, 0.0), Vec3::ONE * 2.0)));
/// assert!(!diamond.overlaps_aabb(&Aabb::new(Vec3::new(0.8, 0.8, 0.0), Vec3::ONE * 2.0)));
/// # Ok::<(), broadleaf::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::saved::SavedObb", into = "super::saved::SavedObb")
)]
pub struct Obb {
    center: Vec3,
    half_extents: Vec3,
    axes: [Vec3; 3],
    slabs: [Slab; 12],
}

/// The sine of the angle below which edges count as parallel: less than that of any rotation that is not meant.
const PARALLEL: f32 = 1e-12;

/// The points whose offset from the centre, along a normal, is at most `radius`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Slab {
    pub(crate) normal: Vec3,
    pub(crate) radius: f32,
}

impl Obb {
    /// The box around `center`, turned by `rotation`, which need not have length one.
    ///
    /// # Errors
    /// A number that is not finite, a negative half extent, or a rotation of length zero.
    pub fn new(center: impl Into<Vec3>, half_extents: impl Into<Vec3>, rotation: Quat) -> Result<Self, Error> {
        let (center, half_extents) = (center.into(), half_extents.into());
        check_extents(center, half_extents)?;
        Ok(Self::of_unit_axes(center, half_extents, axes(rotation)?))
    }

    /// The box of axes that are orthonormal.
    #[cfg(feature = "serde")]
    pub(super) fn with_axes(center: Vec3, half_extents: Vec3, axes: [Vec3; 3]) -> Result<Self, Error> {
        check_extents(center, half_extents)?;
        Ok(Self::of_unit_axes(center, half_extents, axes))
    }

    /// The box along axes of length one that are at right angles but for rounding.
    pub(crate) fn of_unit_axes(center: Vec3, half_extents: Vec3, axes: [Vec3; 3]) -> Self {
        Self { center, half_extents, axes, slabs: slabs(half_extents, &axes) }
    }

    /// The middle.
    #[inline]
    #[must_use]
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Half the edge lengths, along [`Obb::axes`].
    #[inline]
    #[must_use]
    pub fn half_extents(&self) -> Vec3 {
        self.half_extents
    }

    /// The directions of the edges, of length one.
    #[inline]
    #[must_use]
    pub fn axes(&self) -> &[Vec3; 3] {
        &self.axes
    }

    /// A box of the world's axes around this one, no larger than rounding asks for.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded outward below")]
    pub fn aabb(&self) -> Aabb {
        let reach = |i: usize| {
            let along = |k: usize| f64::from(self.half_extents[k]) * f64::from(self.axes[k][i]).abs();
            let exact = along(0) + along(1) + along(2);
            let reach = exact as f32;
            if f64::from(reach) < exact { reach.next_up() } else { reach }
        };
        let (c, r) = (self.center, Vec3::new(reach(0), reach(1), reach(2)));
        Aabb {
            min: Vec3::new(sub_down(c.x, r.x), sub_down(c.y, r.y), sub_down(c.z, r.z)),
            max: Vec3::new(add_up(c.x, r.x), add_up(c.y, r.y), add_up(c.z, r.z)),
        }
    }

    /// Whether the box shares a point with a finite one of the world's axes; exact but for rounding.
    ///
    /// *Source:* S. Gottschalk, M. Lin, D. Manocha, `OBBTree`, 1996 (fifteen separating axes).
    #[must_use]
    pub fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        self.aabb().overlaps(aabb) && overlap::slabs_aabb(self.center, &self.slabs, aabb)
    }

    /// Whether the box shares a point with a sphere; exact but for rounding.
    #[must_use]
    pub fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        let offset = sphere.center - self.center;
        let outside = |i: usize| {
            let d = overlap::max(offset.dot(self.axes[i]).abs() - self.half_extents[i], 0.0);
            d * d
        };
        (outside(0) + outside(1)) + outside(2) <= sphere.radius * sphere.radius
    }

    /// What separates, beside the world's axes.
    #[inline]
    pub(crate) fn slabs(&self) -> &[Slab; 12] {
        &self.slabs
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
fn axes(rotation: Quat) -> Result<[Vec3; 3], Error> {
    check_point(Vec3::new(rotation.x, rotation.y, rotation.z), ["rotation.x", "rotation.y", "rotation.z"])?;
    check_point(Vec3::splat(rotation.w), ["rotation.w"; 3])?;
    let [x, y, z, w] = rotation.to_array().map(f64::from);
    let length = sqrt_f64(x * x + y * y + z * z + w * w);
    if length == 0.0 {
        return Err(Error::DegenerateRotation);
    }
    let [x, y, z, w] = [x, y, z, w].map(|c| c / length);
    Ok([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    .map(|axis| Vec3::from_array(axis.map(|c| c as f32))))
}

fn check_extents(center: Vec3, half_extents: Vec3) -> Result<(), Error> {
    check_point(center, ["center.x", "center.y", "center.z"])?;
    check_point(half_extents, ["half_extents.x", "half_extents.y", "half_extents.z"])?;
    for (axis, name) in ['x', 'y', 'z'].into_iter().enumerate() {
        if half_extents[axis] < 0.0 {
            return Err(Error::NegativeExtent { axis: name, extent: half_extents[axis] });
        }
    }
    Ok(())
}

/// The slabs of the box's own faces, and of its edges with the world's axes.
/// Where two edges are parallel the faces suffice, and a face stands in. A
/// product with a world's axis has no rounding, however small: of edges that
/// are nearly parallel it still tells the direction.
fn slabs(half_extents: Vec3, axes: &[Vec3; 3]) -> [Slab; 12] {
    let mut slabs = [Slab { normal: axes[0], radius: 0.0 }; 12];
    for (i, &axis) in axes.iter().enumerate() {
        slabs[i].normal = axis;
        for (j, unit) in Vec3::AXES.into_iter().enumerate() {
            let cross = unit.cross(axis);
            slabs[3 + 3 * i + j].normal = if cross.abs().max_element() > PARALLEL { cross } else { axis };
        }
    }
    for slab in &mut slabs {
        let along = |k: usize| {
            let product = |i: usize| f64::from(axes[k][i]) * f64::from(slab.normal[i]);
            f64::from(half_extents[k]) * (product(0) + product(1) + product(2)).abs()
        };
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
        {
            slab.radius = (along(0) + along(1) + along(2)) as f32;
        }
    }
    slabs
}
