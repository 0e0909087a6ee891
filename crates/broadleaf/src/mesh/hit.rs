//! What questions to a mesh answer.

use crate::geometry::Aabb;
use glam::Vec3;

/// A side of a triangle.
///
/// There are two, so a `match` may name both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// The side from which the corners run counter-clockwise.
    Front,
    /// The other side.
    Back,
}

/// Which sides of triangles a ray passes through as if they were not there.
///
/// With two sides there is no other choice of use, so a `match` may name all three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Culling {
    /// None: both sides are hit.
    #[default]
    None,
    /// Back sides: only front sides are hit.
    Back,
    /// Front sides: only back sides are hit.
    Front,
}

impl Culling {
    /// Whether a ray that meets this side hits it.
    #[inline]
    #[must_use]
    pub fn hits(self, side: Side) -> bool {
        match self {
            Self::None => true,
            Self::Back => side == Side::Front,
            Self::Front => side == Side::Back,
        }
    }
}

/// Where a ray meets a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshHit {
    /// The triangle, by its place in the input.
    pub triangle: u32,
    /// Distance from the ray's origin, in world units.
    ///
    /// It is right to 1e-5 of itself, for triangles whose longest edge is up to
    /// 10^6 times as long as their shortest, and for rays that run along them
    /// at a thousandth of a radian. Of a ray that hits by rounding alone it is
    /// that of the triangle's nearest point; of a hit at the end of the
    /// reach, the reach.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub distance: f32,
    /// The point hit, on the triangle.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub position: Vec3,
    /// The unit normal of the triangle, towards its front side; which side was
    /// hit is in `side`.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub normal: Vec3,
    /// Weights of the triangle's corners at the point hit, in the order of the
    /// corners; their sum is one.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub barycentric: Vec3,
    /// The side that was hit.
    pub side: Side,
}

/// The point of a mesh that is closest to another.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshPoint {
    /// The triangle, by its place in the input.
    pub triangle: u32,
    /// The closest point.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub position: Vec3,
    /// How far it is, in world units.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub distance: f32,
}

/// Where a moving sphere or box first touches a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshSweepHit {
    /// The triangle, by its place in the input.
    pub triangle: u32,
    /// The part of the motion before the touch, from 0 to 1; zero if the shape
    /// touches at the start.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub time: f32,
    /// The same in world units along the motion.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub distance: f32,
    /// The middle of the shape at that time.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub center: Vec3,
    /// A point of the triangle that is touched. Of a sphere, the one closest to
    /// its middle; of a box, the mean of the corners of the part that it touches.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub contact: Vec3,
    /// The direction in which the triangle holds the shape up, of length one.
    /// Of a sphere, from the contact towards its middle, and of a middle on the
    /// triangle itself, the triangle's normal. Of a box, across the face or the
    /// edges that touch; of one that starts in overlap, the shortest way out.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub normal: Vec3,
}

/// A leaf of a mesh, for drawing and for tuning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshLeaf {
    /// Fitted bounds of the triangles.
    pub bounds: Aabb,
    /// Levels below the root.
    pub depth: u32,
    /// How many triangles it holds, from one to eight.
    pub triangles: u32,
}
