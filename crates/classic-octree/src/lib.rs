//! A plain octree of cells over triangles, and three classical ways to walk
//! it, kept where they can be compared with [`Mesh`]. What came of it is in the
//! README of this folder.
//!
//! A cell holds a list of triangles and, unless it is a leaf, eight children
//! that halve it on each axis; nothing is fitted, nothing is tested eight at a
//! time. A triangle belongs to each cell that it overlaps once grown by the
//! margin, which is wider than what rounding moves a ray within a few times the
//! size of the mesh: a ray that rounding sends past a cell's edge, and not
//! through the cell, finds the cell's triangles on its way all the same.

mod boxes;
mod build;
mod cast;
mod loose;
mod parametric;
mod planes;
#[cfg(test)]
mod shortcuts;
mod triangle;

use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Mesh, QueryStats, Ray,
    mesh::{Culling, MeshHit},
    shape::Triangle,
};
use cast::Cast;

/// Levels below the root, at most.
const DEPTH_LIMIT: u32 = 16;
/// Cells that wait on a walk: seven of each level, and eight of the last.
const STACK: usize = 8 * (DEPTH_LIMIT as usize + 1);

/// Which cells a triangle belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OctantPlacement {
    /// Strict cells; every leaf that a triangle overlaps refers to it.
    Shared,
    /// Strict cells; the smallest cell that contains a triangle holds it, so
    /// that what straddles a plane stays at the parent.
    Held,
    /// Loose cells, twice as wide as strict ones; the smallest whose strict
    /// cell has the middle of a triangle, and whose loose one contains it, holds it.
    Loose,
}

/// How a ray finds its way through the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Traversal {
    /// From plane to plane: where the ray crosses the middle planes of a cell
    /// tells which octants it passes, in which order.
    Planes,
    /// Each octant's box is tested against the ray, in any order and to the ray's end.
    Boxes,
    /// As planes, but the crossings of an octant are made from those of its
    /// cell, without looking at positions.
    ///
    /// *Source:* J. Revelles, C. Ureña and M. Lastra, An Efficient Parametric
    /// Algorithm for Octree Traversal, 2000.
    Parametric,
}

/// A plain octree of triangles, slower than a [`Mesh`]: for comparison only.
///
/// All traversals and placements find the same nearest triangle as a [`Mesh`]
/// for rays that start within ten thousand times the size of the mesh. From
/// farther away rounding moves a ray by more than the margin, and past a
/// cell's edge they may miss what the mesh, whose margin goes with the
/// distance, still hits.
///
/// ```
/// use broadleaf::{Mesh, Ray, glam::Vec3, mesh::Culling};
/// use classic_octree::{OctantMesh, OctantPlacement, Traversal, agree};
///
/// let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[0, 1, 2])?;
/// let plain = OctantMesh::new(&mesh, OctantPlacement::Shared);
/// let ray = Ray::new(Vec3::new(0.2, 0.2, 5.0), Vec3::NEG_Z)?;
/// let (hit, _) = plain.closest_hit(&ray, Culling::None, Traversal::Planes);
/// assert!(agree(&ray, hit, mesh.cast(&ray).closest()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct OctantMesh {
    placement: OctantPlacement,
    triangles: Vec<Triangle>,
    /// Triangles of cells, one cell after the other.
    references: Vec<u32>,
    /// The root first; the eight children of a cell stand together.
    cells: Vec<Cell>,
}

/// Whether two ways through the same triangles found the same: both nothing, or
/// hits at one distance but for rounding.
///
/// Each way may round a distance in its own manner, and of triangles that are
/// equally near but for that, either may be found. Rounding moves the point of
/// a hit off its triangle; for a ray that grazes it, this is a longer way along
/// the ray. So the allowance is across the triangle, not along the ray, down to
/// a thousandth of a radian.
#[must_use]
pub fn agree(ray: &Ray, hit: Option<MeshHit>, other: Option<MeshHit>) -> bool {
    match (hit, other) {
        (Some(hit), Some(other)) => {
            let size = hit.distance + hit.position.abs().max_element();
            let cosine = |hit: &MeshHit| ray.direction().dot(hit.normal).abs();
            let across = (hit.distance - other.distance).abs() * cosine(&hit).min(cosine(&other)).max(GRAZING);
            across <= size * ROUNDING
        }
        (hit, other) => hit.is_none() && other.is_none(),
    }
}

/// What rounding may do to a hit, as a part of its distance and of its coordinates.
const ROUNDING: f32 = 1e-5;

/// The least angle to a triangle, in radians, at which distances are accurate.
const GRAZING: f32 = 1e-3;

/// A cube and what it holds.
#[derive(Debug, Clone, Copy)]
struct Cell {
    center: Vec3,
    half: f32,
    /// The first of eight children; zero, which is the root, of a leaf.
    children: u32,
    /// The cell's own triangles: where they start among the references, and how many they are.
    start: u32,
    len: u32,
}

impl Cell {
    fn is_leaf(&self) -> bool {
        self.children == 0
    }

    /// Whether neither the cell nor anything below it holds a triangle.
    fn is_empty(&self) -> bool {
        self.is_leaf() && self.len == 0
    }

    /// The cube, as many times as wide as `looseness` says.
    fn cube(&self, looseness: f32) -> Aabb {
        Aabb::from_center_half_extents(self.center, Vec3::splat(self.half * looseness))
    }
}

impl OctantPlacement {
    /// The edge of what may hold a cell's triangles over the edge of the cell.
    fn looseness(self) -> f32 {
        if self == Self::Loose { 2.0 } else { 1.0 }
    }
}

impl OctantMesh {
    /// The plain octree of a mesh's triangles.
    ///
    /// *Cost:* many times that of a [`Mesh`].
    #[must_use]
    pub fn new(mesh: &Mesh, placement: OctantPlacement) -> Self {
        build::build(mesh, placement)
    }

    /// The nearest triangle that a ray hits within its reach; of equally near
    /// ones, the first of the input.
    #[must_use]
    pub fn closest_hit(&self, ray: &Ray, culling: Culling, traversal: Traversal) -> (Option<MeshHit>, QueryStats) {
        self.walk(Cast::new(self, ray, culling, false), traversal)
    }

    /// Some triangle that a ray hits within its reach.
    #[must_use]
    pub fn any_hit(&self, ray: &Ray, culling: Culling, traversal: Traversal) -> (Option<MeshHit>, QueryStats) {
        self.walk(Cast::new(self, ray, culling, true), traversal)
    }

    fn walk(&self, mut cast: Cast<'_>, traversal: Traversal) -> (Option<MeshHit>, QueryStats) {
        let _ = match traversal {
            Traversal::Planes => planes::walk(self, &mut cast),
            Traversal::Boxes => boxes::walk(self, &mut cast),
            Traversal::Parametric => parametric::walk(self, &mut cast),
        };
        cast.finish()
    }

    /// Which cells triangles belong to.
    #[must_use]
    pub fn placement(&self) -> OctantPlacement {
        self.placement
    }

    /// Cells, empty ones included.
    #[must_use]
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// How often cells refer to triangles, over all cells.
    #[must_use]
    pub fn reference_count(&self) -> usize {
        self.references.len()
    }

    /// Bytes on the heap.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.triangles.capacity() * size_of::<Triangle>()
            + self.references.capacity() * size_of::<u32>()
            + self.cells.capacity() * size_of::<Cell>()
    }

    fn cell(&self, index: u32) -> &Cell {
        &self.cells[index as usize]
    }
}
