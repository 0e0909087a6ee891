//! Builds a mesh from triangles.

use super::{Mesh, MeshError};
use crate::geometry::{Aabb, Triangle};
use alloc::vec::Vec;
use glam::Vec3;

impl Mesh {
    /// The mesh of triangles whose corners are positions named by indices, three to a triangle.
    ///
    /// # Errors
    /// A position that is not finite or too far out, an index without a
    /// position, a number of indices that is no multiple of three, too many triangles.
    pub fn from_indexed(positions: &[Vec3], indices: &[u32]) -> Result<Self, MeshError> {
        if !indices.len().is_multiple_of(3) {
            return Err(MeshError::IncompleteTriangle { indices: indices.len() });
        }
        check_count(indices.len() / 3)?;
        check_positions(positions.iter().copied())?;
        let position = |at: usize| {
            let index = indices[at];
            let error = MeshError::IndexOutOfRange { at, index, positions: positions.len() };
            positions.get(index as usize).copied().ok_or(error)
        };
        let triangles = (0..indices.len() / 3)
            .map(|i| Ok(Triangle::new(position(3 * i)?, position(3 * i + 1)?, position(3 * i + 2)?)))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self::build(triangles))
    }

    /// The mesh of triangles that share no positions.
    ///
    /// # Errors
    /// A corner that is not finite or too far out, too many triangles.
    pub fn from_triangles(triangles: &[Triangle]) -> Result<Self, MeshError> {
        check_count(triangles.len())?;
        check_positions(triangles.iter().flat_map(|triangle| [triangle.a, triangle.b, triangle.c]))?;
        Ok(Self::build(triangles.to_vec()))
    }

    fn build(triangles: Vec<Triangle>) -> Self {
        let degenerate: Vec<bool> = triangles.iter().map(is_degenerate).collect();
        let boxes = triangles.iter().zip(&degenerate).filter(|(_, degenerate)| !**degenerate);
        let bounds = boxes.map(|(triangle, _)| triangle.aabb()).reduce(|a, b| Aabb::union(&a, &b));
        Self { triangles, degenerate, bounds }
    }
}

/// Whether a triangle has no area: its corners lie on a line.
pub(super) fn is_degenerate(triangle: &Triangle) -> bool {
    let [a, b, c] = crate::geometry::triangle::point::corners(triangle);
    (b - a).cross(c - a) == glam::DVec3::ZERO
}

fn check_count(triangles: usize) -> Result<(), MeshError> {
    let limit = Mesh::TRIANGLES_MAX;
    if triangles > limit { Err(MeshError::TooManyTriangles { triangles, limit }) } else { Ok(()) }
}

fn check_positions(positions: impl Iterator<Item = Vec3>) -> Result<(), MeshError> {
    for (position, point) in positions.enumerate() {
        for (axis, value) in ['x', 'y', 'z'].into_iter().zip(point.to_array()) {
            if !value.is_finite() {
                return Err(MeshError::NotFinite { position, axis, value });
            }
            let limit = Mesh::COORDINATE_MAX;
            if value.abs() > limit {
                return Err(MeshError::TooFar { position, axis, value, limit });
            }
        }
    }
    Ok(())
}
