//! Triangles, and the tests between a triangle and another shape.
//!
//! The tests are exact but for the rounding of 64-bit floats; all shapes are closed.

pub(crate) mod hull;
pub(crate) mod overlap;
pub(crate) mod point;
pub(crate) mod ray;
pub(crate) mod rod;
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
    /// The triangle of three corners, unchecked.
    #[inline]
    #[must_use]
    pub const fn new(a: Vec3, b: Vec3, c: Vec3) -> Self {
        Self { a, b, c }
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
