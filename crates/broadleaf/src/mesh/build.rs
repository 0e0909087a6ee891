//! Builds a mesh from triangles.
//!
//! Boxes, keys and their sort, clusters, the tree of cells, then from the top
//! the nodes, and last the leaves' columns. Large steps run as tasks.

use super::boxes::{Item, Span};
use super::cells::{Cells, Sorted};
use super::columns::{Leaf, Node};
use super::curve::{Keyed, sorted};
use super::{Mesh, MeshError, collapse, tasks};
use crate::geometry::Triangle;
use crate::geometry::lanes::WIDTH;
use crate::geometry::triangle::point::corners;
use alloc::vec::Vec;
use glam::{DVec3, Vec3};

/// Where triangles come from.
trait Source: Sync {
    fn len(&self) -> usize;
    fn get(&self, index: usize) -> Triangle;
}

struct Indexed<'a> {
    positions: &'a [Vec3],
    indices: &'a [u32],
}

impl Source for Indexed<'_> {
    fn len(&self) -> usize {
        self.indices.len() / 3
    }

    #[inline]
    fn get(&self, index: usize) -> Triangle {
        let corners = &self.indices[3 * index..3 * index + 3];
        let at = |corner: usize| self.positions[corners[corner] as usize];
        Triangle { a: at(0), b: at(1), c: at(2) }
    }
}

impl Source for &[Triangle] {
    fn len(&self) -> usize {
        <[Triangle]>::len(self)
    }

    #[inline]
    fn get(&self, index: usize) -> Triangle {
        self[index]
    }
}

impl Mesh {
    /// The mesh of triangles whose corners are positions named by indices, three to a triangle.
    ///
    /// *Cost:* linear but for the depth; on rayon's threads with the feature
    /// `parallel`. The mesh is the same for any number of threads.
    ///
    /// # Errors
    /// A position that is not finite or too far out, an index without a
    /// position, a number of indices that is no multiple of three, too many triangles.
    pub fn from_indexed(positions: &[Vec3], indices: &[u32]) -> Result<Self, MeshError> {
        if !indices.len().is_multiple_of(3) {
            return Err(MeshError::IncompleteTriangle { indices: indices.len() });
        }
        check_count(indices.len() / 3)?;
        if let Some(position) = positions.iter().position(|point| !is_legal(*point)) {
            return Err(fault(position, positions[position]));
        }
        if let Some(at) = indices.iter().position(|&index| index as usize >= positions.len()) {
            return Err(MeshError::IndexOutOfRange { at, index: indices[at], positions: positions.len() });
        }
        Ok(build(&Indexed { positions, indices }))
    }

    /// The mesh of triangles that share no positions; the same for any number of threads.
    ///
    /// *Cost:* that of [`Mesh::from_indexed`].
    ///
    /// # Errors
    /// A corner that is not finite or too far out, too many triangles.
    pub fn from_triangles(triangles: &[Triangle]) -> Result<Self, MeshError> {
        check_count(triangles.len())?;
        for (index, triangle) in triangles.iter().enumerate() {
            for (corner, point) in [triangle.a, triangle.b, triangle.c].into_iter().enumerate() {
                if !is_legal(point) {
                    return Err(fault(3 * index + corner, point));
                }
            }
        }
        Ok(build(&triangles))
    }
}

fn build(source: &impl Source) -> Mesh {
    let (items, span) = measure(source);
    let order = sorted(&items, &span);
    if order.is_empty() {
        return finish(source, Vec::new(), &[], &[], &span);
    }
    let (cells, root) = Cells::new(&Sorted { items: &items, order: &order });
    drop(items);
    let nodes = collapse::nodes(&cells, root);
    finish(source, nodes, &cells.starts, &order, &span)
}

/// The boxes of all triangles, those without an area marked by a count of
/// zero, and what the others span.
fn measure(source: &impl Source) -> (Vec<Item>, Span) {
    #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^28 triangles")]
    let items = tasks::map_range(source.len(), |index| {
        let triangle = source.get(index);
        let [a, b, c] = [triangle.a, triangle.b, triangle.c].map(|corner| corner.extend(0.0));
        let span = Span::new(a.min(b).min(c), a.max(b).max(c));
        Item::new(&span, index as u32, u32::from(!is_degenerate(&triangle)))
    });
    let whole = items.iter().filter(|item| item.count() > 0);
    let span = whole.fold(Span::EMPTY, |span, item| span.union(item.span()));
    (items, span)
}

/// Whether a triangle has no area: its corners lie on a line.
#[inline]
pub(super) fn is_degenerate(triangle: &Triangle) -> bool {
    // Zero may be an underflow.
    triangle.scaled_normal() == Vec3::ZERO && {
        let [a, b, c] = corners(triangle);
        (b - a).cross(c - a) == DVec3::ZERO
    }
}

/// Fills the leaves' columns, and notes where each triangle lies.
#[expect(clippy::cast_possible_truncation, reason = "there are at most 2^28 triangles")]
fn finish(source: &impl Source, mut nodes: Vec<Node>, starts: &[u32], order: &[Keyed], span: &Span) -> Mesh {
    nodes.shrink_to_fit();
    let run = |leaf: usize| {
        let end = starts.get(leaf + 1).map_or(order.len(), |&end| end as usize);
        &order[starts[leaf] as usize..end]
    };
    let leaves = tasks::map_range(starts.len(), |index| {
        let mut leaf = Leaf::EMPTY;
        for (lane, one) in run(index).iter().enumerate() {
            leaf.ids[lane % WIDTH] = one.index() as u32;
            leaf.triangles.set(lane, &source.get(one.index()));
        }
        leaf
    });
    let mut places = alloc::vec![Mesh::DEGENERATE; source.len()];
    for leaf in 0..starts.len() {
        for (lane, one) in run(leaf).iter().enumerate() {
            places[one.index()] = (leaf * WIDTH + lane) as u32;
        }
    }
    let mut degenerate = Vec::new();
    if order.len() < source.len() {
        for (index, place) in places.iter_mut().enumerate().filter(|(_, place)| **place == Mesh::DEGENERATE) {
            *place |= degenerate.len() as u32;
            degenerate.push(source.get(index));
        }
    }
    Mesh { nodes, leaves, places, degenerate, bounds: span.aabb() }
}

fn check_count(triangles: usize) -> Result<(), MeshError> {
    let limit = Mesh::TRIANGLES_MAX;
    if triangles > limit { Err(MeshError::TooManyTriangles { triangles, limit }) } else { Ok(()) }
}

/// Whether no coordinate is too far out, or no number.
#[inline]
pub(super) fn is_legal(point: Vec3) -> bool {
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
