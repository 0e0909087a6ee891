//! Shapes from plain arrays of floats and back: for callers whose vectors are
//! of another crate, or of another version of glam.

use super::{Aabb, Plane, Sphere, Triangle};
use glam::{Mat4, Vec3};

/// `[min.x, min.y, min.z, max.x, max.y, max.z]`, unchecked as [`Aabb::new`].
impl From<[f32; 6]> for Aabb {
    #[inline(always)]
    fn from([min_x, min_y, min_z, max_x, max_y, max_z]: [f32; 6]) -> Self {
        Self { min: Vec3::new(min_x, min_y, min_z), max: Vec3::new(max_x, max_y, max_z) }
    }
}

/// `[min.x, min.y, min.z, max.x, max.y, max.z]`.
impl From<Aabb> for [f32; 6] {
    #[inline]
    fn from(Aabb { min, max }: Aabb) -> Self {
        [min.x, min.y, min.z, max.x, max.y, max.z]
    }
}

/// `[center.x, center.y, center.z, radius]`, unchecked as [`Sphere::new`].
impl From<[f32; 4]> for Sphere {
    #[inline]
    fn from([x, y, z, radius]: [f32; 4]) -> Self {
        Self { center: Vec3::new(x, y, z), radius }
    }
}

/// `[center.x, center.y, center.z, radius]`.
impl From<Sphere> for [f32; 4] {
    #[inline]
    fn from(Sphere { center, radius }: Sphere) -> Self {
        [center.x, center.y, center.z, radius]
    }
}

/// `[normal.x, normal.y, normal.z, offset]`, unchecked as [`Plane::new`].
impl From<[f32; 4]> for Plane {
    #[inline]
    fn from([x, y, z, offset]: [f32; 4]) -> Self {
        Self { normal: Vec3::new(x, y, z), offset }
    }
}

/// `[normal.x, normal.y, normal.z, offset]`.
impl From<Plane> for [f32; 4] {
    #[inline]
    fn from(Plane { normal, offset }: Plane) -> Self {
        [normal.x, normal.y, normal.z, offset]
    }
}

/// The corners in order, each `[x, y, z]`; unchecked as [`Triangle::new`].
impl From<[[f32; 3]; 3]> for Triangle {
    #[inline]
    fn from([a, b, c]: [[f32; 3]; 3]) -> Self {
        Self::new(a, b, c)
    }
}

/// The corners in order, each `[x, y, z]`.
impl From<Triangle> for [[f32; 3]; 3] {
    #[inline]
    fn from(Triangle { a, b, c }: Triangle) -> Self {
        [a.to_array(), b.to_array(), c.to_array()]
    }
}

/// A camera's projection matrix times its view matrix: from a [`Mat4`], or
/// from its four columns of four floats (`[[f32; 4]; 4]`, as
/// `Mat4::to_cols_array_2d` of any version of glam gives them).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewProjection(pub(super) Mat4);

impl From<Mat4> for ViewProjection {
    #[inline]
    fn from(matrix: Mat4) -> Self {
        Self(matrix)
    }
}

impl From<[[f32; 4]; 4]> for ViewProjection {
    #[inline]
    fn from(columns: [[f32; 4]; 4]) -> Self {
        Self(Mat4::from_cols_array_2d(&columns))
    }
}
