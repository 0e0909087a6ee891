//! View frusta: the points in front of six planes.

use super::float::sqrt_f64;
use super::{Aabb, Sphere, check_point, overlap};
use crate::Error;
use glam::{Mat4, Vec3, Vec4};

/// A plane; a point `p` lies in front of it if `normal · p + offset >= 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Direction towards the front.
    pub normal: Vec3,
    /// Signed distance of the origin, if the normal has length one.
    pub offset: f32,
}

/// The range of depth in clip space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClipDepth {
    /// 0 to w: Direct3D, Metal, Vulkan, WebGPU; reversed depth included.
    ZeroToOne,
    /// -w to w: OpenGL.
    NegativeOneToOne,
}

/// How a visible object lies to a frustum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Containment {
    /// In front of every plane, but not wholly of all.
    Intersecting,
    /// Wholly in front of every plane.
    Inside,
}

/// The convex region in front of six planes; the planes belong to it.
///
/// ```
/// use broadleaf::{ClipDepth, Frustum, glam::camera::rh::proj::directx::perspective};
///
/// let projection = perspective(1.0, 16.0 / 9.0, 0.1, 100.0);
/// let frustum = Frustum::from_view_projection(projection, ClipDepth::ZeroToOne)?;
/// # Ok::<(), broadleaf::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frustum {
    planes: [Plane; 6],
}

impl Frustum {
    /// The region in front of six planes, whose normals need not have length one.
    ///
    /// # Errors
    /// A number that is not finite, or a normal of length zero.
    pub fn from_planes(planes: [Plane; 6]) -> Result<Self, Error> {
        let mut frustum = Self { planes };
        for (index, plane) in frustum.planes.iter_mut().enumerate() {
            *plane = checked(plane, index)?;
        }
        Ok(frustum)
    }

    /// What a camera sees, from its projection times view matrix. The planes
    /// are left, right, bottom, top and the two ends of depth.
    ///
    /// An end of depth at infinity (infinite and reversed projections) becomes
    /// a plane that everything is in front of.
    ///
    /// *Source:* G. Gribb and K. Hartmann, Fast Extraction of Viewing Frustum
    /// Planes from the World-View-Projection Matrix, 2001.
    ///
    /// # Errors
    /// A number that is not finite, also as the sum of two in a column, or a
    /// matrix that makes a side plane degenerate.
    pub fn from_view_projection(matrix: Mat4, depth: ClipDepth) -> Result<Self, Error> {
        for row in 0..4 {
            check_row(matrix.row(row))?;
        }
        let [x, y, z, w] = [matrix.row(0), matrix.row(1), matrix.row(2), matrix.row(3)];
        let start = match depth {
            ClipDepth::ZeroToOne => z,
            ClipDepth::NegativeOneToOne => w + z,
        };
        let mut planes = [Plane { normal: Vec3::ZERO, offset: 0.0 }; 6];
        for (index, row) in [w + x, w - x, w + y, w - y, start, w - z].into_iter().enumerate() {
            check_row(row)?;
            planes[index] = match normalized(row) {
                Some(plane) if index < 4 || !is_at_infinity(row) => plane,
                _ if index >= 4 && row.w >= 0.0 => Plane { normal: Vec3::ZERO, offset: row.w },
                _ => return Err(Error::DegeneratePlane { index }),
            };
        }
        Ok(Self { planes })
    }

    /// The region in front of planes whose normals have length one, or are zero at infinity.
    pub(crate) fn of_unit_planes(planes: [(Vec3, f32); 6]) -> Self {
        Self { planes: planes.map(|(normal, offset)| Plane { normal, offset }) }
    }

    /// How a finite box lies to the frustum: `None` if it is behind a plane.
    #[inline]
    #[must_use]
    pub fn classify_aabb(&self, aabb: &Aabb) -> Option<Containment> {
        overlap::frustum_aabb(self, aabb)
    }

    /// How a sphere lies to the frustum: `None` if it is behind a plane.
    #[inline]
    #[must_use]
    pub fn classify_sphere(&self, sphere: &Sphere) -> Option<Containment> {
        overlap::frustum_sphere(self, sphere)
    }

    /// The six planes. Normals have length one, but that of an end of depth
    /// at infinity is zero.
    #[inline]
    #[must_use]
    pub fn planes(&self) -> &[Plane; 6] {
        &self.planes
    }
}

/// A legal plane with a normal of length one.
pub(super) fn checked(plane: &Plane, index: usize) -> Result<Plane, Error> {
    check_point(plane.normal, ["normal.x", "normal.y", "normal.z"])?;
    check_point(Vec3::splat(plane.offset), ["offset"; 3])?;
    normalized(plane.normal.extend(plane.offset)).ok_or(Error::DegeneratePlane { index })
}

fn check_row(row: Vec4) -> Result<(), Error> {
    check_point(row.truncate(), ["matrix"; 3])?;
    check_point(Vec3::splat(row.w), ["matrix"; 3])
}

#[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
fn normalized(plane: Vec4) -> Option<Plane> {
    let [x, y, z, offset] = plane.to_array().map(f64::from);
    let length = sqrt_f64(x * x + y * y + z * z);
    (length > 0.0).then(|| Plane {
        normal: Vec3::new((x / length) as f32, (y / length) as f32, (z / length) as f32),
        offset: (offset / length) as f32,
    })
}

/// Whether an end of depth is infinitely far: rounding leaves noise where its normal should be.
fn is_at_infinity(plane: Vec4) -> bool {
    let [x, y, z, offset] = plane.to_array().map(f64::from);
    sqrt_f64(x * x + y * y + z * z) <= f64::from(f32::EPSILON) * 1e-3 * offset.abs()
}
