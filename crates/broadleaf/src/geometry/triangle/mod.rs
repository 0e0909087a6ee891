//! Triangles, and the tests between a triangle and another shape.
//!
//! The tests are exact but for the rounding of 64-bit floats; all shapes are closed.

pub(crate) mod overlap;
pub(crate) mod point;
pub(crate) mod ray;
pub(crate) mod sweep;

use super::Aabb;
use glam::Vec3;

/// A triangle in world units; counter-clockwise seen from the front.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle {
    /// First corner.
    pub a: Vec3,
    /// Second corner.
    pub b: Vec3,
    /// Third corner.
    pub c: Vec3,
}

impl Triangle {
    /// The triangle of three corners, vectors or arrays of three floats;
    /// unchecked, meshes check what they are given. In a constant write
    /// `Triangle { a, b, c }`.
    #[inline]
    #[must_use]
    pub fn new(a: impl Into<Vec3>, b: impl Into<Vec3>, c: impl Into<Vec3>) -> Self {
        Self { a: a.into(), b: b.into(), c: c.into() }
    }

    /// The smallest box around the triangle.
    #[inline]
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        Aabb { min: self.a.min(self.b).min(self.c), max: self.a.max(self.b).max(self.c) }
    }

    /// The cross product of two edges: along the normal, twice the area long.
    #[inline]
    #[must_use]
    pub fn scaled_normal(&self) -> Vec3 {
        (self.b - self.a).cross(self.c - self.a)
    }
}
