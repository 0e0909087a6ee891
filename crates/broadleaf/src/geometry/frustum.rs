//! View frusta: the points in front of six planes.

use super::float::sqrt_f64;
use super::{Aabb, Sphere, ViewProjection, check_point, overlap};
use crate::Error;
use glam::{Vec2, Vec3, Vec4};

/// A plane; a point `p` lies in front of it if `normal · p + offset >= 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plane {
    /// Direction towards the front.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub normal: Vec3,
    /// Signed distance of the origin, if the normal has length one.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub offset: f32,
}

impl Plane {
    /// The plane with this normal, a vector or an array of three floats;
    /// unchecked, frusta and convex regions check what they are given.
    #[inline]
    #[must_use]
    pub fn new(normal: impl Into<Vec3>, offset: f32) -> Self {
        Self { normal: normal.into(), offset }
    }
}

/// The range of depth in clip space.
///
/// Graphics interfaces have these two, so a `match` may name both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClipDepth {
    /// 0 to w: Direct3D, Metal, Vulkan, WebGPU; reversed depth included.
    ZeroToOne,
    /// -w to w: OpenGL.
    NegativeOneToOne,
}

/// How an object that overlaps a region lies to it: wholly inside, or not.
///
/// There is nothing between, so a `match` may name both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Containment {
    /// Partly outside the region, or inside but for rounding.
    Intersecting,
    /// Wholly inside the region: of a frustum, in front of every plane.
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
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::saved::SavedFrustum", into = "super::saved::SavedFrustum")
)]
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

    /// What a camera sees, from its projection times view matrix: a
    /// `glam::Mat4` or four columns of four floats. The planes are left,
    /// right, bottom, top and the two ends of depth.
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
    pub fn from_view_projection(matrix: impl Into<ViewProjection>, depth: ClipDepth) -> Result<Self, Error> {
        Self::of_screen(matrix.into(), depth, Vec2::NEG_ONE, Vec2::ONE)
    }

    /// What a camera sees through a rectangle of the screen, from `min` to
    /// `max`: for a selection rectangle, or, with `min == max`, for the line of
    /// sight through a point. The matrix, the order of the planes and the ends
    /// of depth are those of [`Frustum::from_view_projection`], which the
    /// rectangle from (-1, -1) to (1, 1) equals.
    ///
    /// *Units and shape:* normalised device coordinates, vectors or arrays of two
    /// floats: x from -1 at the left edge of the screen to 1 at the right, y from
    /// -1 at the bottom to 1 at the top (in a matrix for Vulkan, whose y points
    /// down, from -1 at the top). The pixel coordinates (`px`, `py`), from (0, 0)
    /// at the top left to (`width`, `height`), are `x = 2 * px / width - 1` and
    /// `y = 1 - 2 * py / height`; as y is turned over, the lower edge in pixels
    /// gives `min.y`. The rectangle is closed: an object that only touches its
    /// border is seen. It may reach beyond the screen, and so does the frustum then.
    ///
    /// Questions find what is behind none of the six planes, which may be more
    /// than the rectangle shows: of a large object beside a narrow frustum, and
    /// of a round one at its edge.
    ///
    /// ```
    /// use broadleaf::{Aabb, ClipDepth, Frustum, glam::camera::rh::proj::directx::perspective};
    ///
    /// let (width, height) = (1280.0, 720.0);
    /// let matrix = perspective(1.0, width / height, 0.1, 100.0);
    /// // The mouse was dragged from one corner to the opposite one.
    /// let (from, to) = ([640.0, 500.0], [900.0, 360.0]);
    /// let ndc = |[px, py]: [f32; 2]| [2.0 * px / width - 1.0, 1.0 - 2.0 * py / height];
    /// let ([x0, y0], [x1, y1]) = (ndc(from), ndc(to));
    /// let (min, max) = ([x0.min(x1), y0.min(y1)], [x0.max(x1), y0.max(y1)]);
    /// let selection = Frustum::from_screen_rectangle(matrix, ClipDepth::ZeroToOne, min, max)?;
    /// let right = Aabb::new([0.5, -0.5, -5.0], [1.0, -0.2, -4.0]);
    /// let left = Aabb::new([-1.0, -0.5, -5.0], [-0.5, -0.2, -4.0]);
    /// assert!(selection.classify_aabb(&right).is_some() && selection.classify_aabb(&left).is_none());
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Frustum::from_view_projection`]; a coordinate of the rectangle
    /// that is not finite; [`Error::InvertedBounds`] if `min` is above `max` on an axis.
    pub fn from_screen_rectangle(
        matrix: impl Into<ViewProjection>,
        depth: ClipDepth,
        min: impl Into<Vec2>,
        max: impl Into<Vec2>,
    ) -> Result<Self, Error> {
        let (min, max) = (min.into(), max.into());
        check_point(min.extend(0.0), ["min.x", "min.y", "min.z"])?;
        check_point(max.extend(0.0), ["max.x", "max.y", "max.z"])?;
        for (index, axis) in ['x', 'y'].into_iter().enumerate() {
            if min[index] > max[index] {
                return Err(Error::InvertedBounds { axis, min: min[index], max: max[index] });
            }
        }
        Self::of_screen(matrix.into(), depth, min, max)
    }

    /// The planes of a legal rectangle of the screen: a clip-space point is seen
    /// if `min.x * w <= x <= max.x * w`, the same in y, and its depth is in range.
    fn of_screen(
        ViewProjection(matrix): ViewProjection,
        depth: ClipDepth,
        min: Vec2,
        max: Vec2,
    ) -> Result<Self, Error> {
        for row in 0..4 {
            check_row(matrix.row(row))?;
        }
        let [x, y, z, w] = [matrix.row(0), matrix.row(1), matrix.row(2), matrix.row(3)];
        let start = match depth {
            ClipDepth::ZeroToOne => z,
            ClipDepth::NegativeOneToOne => w + z,
        };
        // Where `min` equals `max` the two planes are opposite, bit for bit.
        let sides = [x - w * min.x, w * max.x - x, y - w * min.y, w * max.y - y];
        let mut planes = [Plane { normal: Vec3::ZERO, offset: 0.0 }; 6];
        for (index, row) in sides.into_iter().chain([start, w - z]).enumerate() {
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
    pub(crate) fn of_unit_planes(planes: [Plane; 6]) -> Self {
        Self { planes }
    }

    /// How a finite box lies to the frustum: `None` if it is behind a plane.
    #[inline]
    #[must_use]
    pub fn classify_aabb(&self, aabb: &Aabb) -> Option<Containment> {
        overlap::planes_aabb(&self.planes, aabb)
    }

    /// How a sphere lies to the frustum: `None` if it is behind a plane.
    #[inline]
    #[must_use]
    pub fn classify_sphere(&self, sphere: &Sphere) -> Option<Containment> {
        overlap::planes_sphere(&self.planes, sphere)
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
