//! Where a mesh's triangles come from, and whether they are legal.

use crate::geometry::{Aabb, Triangle};
use crate::mesh::{Mesh, MeshError};
use glam::{Vec3, Vec4};

/// Triangles by number.
pub(super) trait Source: Sync {
    fn len(&self) -> usize;
    fn get(&self, index: usize) -> Triangle;
}

/// Triangles whose corners are positions named by indices.
pub(super) struct IndexedTriangles<'a, P> {
    positions: &'a [P],
    triangles: &'a [[u32; 3]],
}

impl<'a, P: Into<Vec3> + Copy> IndexedTriangles<'a, P> {
    /// The triangles, and a box around all positions.
    pub(super) fn new(positions: &'a [P], indices: &'a [u32]) -> Result<(Self, Aabb), MeshError> {
        if !indices.len().is_multiple_of(3) {
            return Err(MeshError::IncompleteTriangle { indices: indices.len() });
        }
        check_count(indices.len() / 3)?;
        let bounds = bounds(positions.iter().map(|&position| position.into()))?;
        let most = indices.iter().fold(0, |most, &index| index.max(most));
        if !indices.is_empty() && most as usize >= positions.len() {
            let at = indices.iter().position(|&index| index as usize >= positions.len()).unwrap_or(0);
            return Err(MeshError::IndexOutOfRange { at, index: indices[at], positions: positions.len() });
        }
        Ok((Self { positions, triangles: indices.as_chunks().0 }, bounds))
    }
}

impl<P: Into<Vec3> + Copy + Sync> Source for IndexedTriangles<'_, P> {
    fn len(&self) -> usize {
        self.triangles.len()
    }

    #[inline]
    fn get(&self, index: usize) -> Triangle {
        let [a, b, c] = self.triangles[index];
        let at = |corner: u32| self.positions[corner as usize].into();
        Triangle { a: at(a), b: at(b), c: at(c) }
    }
}

/// Triangles that share no positions.
pub(super) struct TriangleList<'a, T>(&'a [T]);

impl<'a, T: Into<Triangle> + Copy> TriangleList<'a, T> {
    /// The triangles, and the box around them.
    pub(super) fn new(triangles: &'a [T]) -> Result<(Self, Aabb), MeshError> {
        check_count(triangles.len())?;
        let corners = triangles.iter().flat_map(|&triangle| {
            let Triangle { a, b, c } = triangle.into();
            [a, b, c]
        });
        Ok((Self(triangles), bounds(corners)?))
    }
}

impl<T: Into<Triangle> + Copy + Sync> Source for TriangleList<'_, T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn get(&self, index: usize) -> Triangle {
        self.0[index].into()
    }
}

fn check_count(triangles: usize) -> Result<(), MeshError> {
    let limit = Mesh::TRIANGLES_MAX;
    if triangles > limit { Err(MeshError::TooManyTriangles { triangles, limit }) } else { Ok(()) }
}

/// The box around points, all of which must be legal.
#[inline]
fn bounds(points: impl Iterator<Item = Vec3> + Clone) -> Result<Aabb, MeshError> {
    // In four lanes, the last of them empty.
    let limit = Vec4::splat(Mesh::COORDINATE_MAX);
    let mut legal = Vec4::ZERO.cmple(limit);
    let (mut low, mut high) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
    for point in points.clone().map(|point| point.extend(0.0)) {
        legal &= point.abs().cmple(limit);
        (low, high) = (low.min(point), high.max(point));
    }
    let bounds = Aabb { min: low.truncate(), max: high.truncate() };
    if legal.all() {
        return Ok(bounds);
    }
    let found = points.enumerate().find(|(_, point)| !is_legal(*point));
    found.map_or(Ok(bounds), |(position, point)| Err(fault(position, point)))
}

/// Whether no coordinate is too far out, or no number.
#[inline]
fn is_legal(point: Vec3) -> bool {
    point.abs().cmple(Vec3::splat(Mesh::COORDINATE_MAX)).all()
}

#[cold]
fn fault(position: usize, point: Vec3) -> MeshError {
    let limit = Mesh::COORDINATE_MAX;
    let named = ['x', 'y', 'z'].into_iter().zip(point.to_array());
    let (axis, value) =
        named.into_iter().find(|(_, value)| value.is_nan() || value.abs() > limit).unwrap_or(('x', point.x));
    if value.is_finite() {
        MeshError::TooFar { position, axis, value, limit }
    } else {
        MeshError::NotFinite { position, axis, value }
    }
}
