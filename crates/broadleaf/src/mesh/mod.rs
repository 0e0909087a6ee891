//! Triangle meshes: a static octree, built once, then only asked.
//!
//! ```
//! use broadleaf::{Mesh, Ray, Sphere, glam::Vec3};
//!
//! let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
//! let mesh = Mesh::from_indexed(&corners, &[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])?;
//! let hit = mesh.cast(&Ray::new(Vec3::new(0.2, 0.2, 5.0), Vec3::NEG_Z)?).closest();
//! assert_eq!(hit.map(|hit| hit.triangle), Some(3));
//! assert_eq!(mesh.overlap(&Sphere::new(Vec3::ZERO, 0.1))?.count(), 3);
//! assert_eq!(mesh.nearest(Vec3::splat(-1.0))?.closest().map(|near| near.position), Some(Vec3::ZERO));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to know | ask |
//! |---|---|
//! | what a ray hits, or a moving box or sphere touches | [`Mesh::cast`] gives [`MeshHit`], [`MeshSweepHit`] |
//! | which triangles share a point with a region | [`Mesh::overlap`] |
//! | the closest point | [`Mesh::nearest`] gives [`MeshPoint`] |
//! | whether a point is inside | [`MeshNearestQuery::is_inside`] |
//! | the same of meshes placed among objects | the option `meshes` of a query of [`View`](crate::View) gives [`PlacedQuery`] |

mod build;
mod columns;
mod error;
mod hit;
mod placed;
mod placement;
mod query;
#[cfg(feature = "serde")]
mod serial;
mod validate;

pub use build::{BuildQuality, MeshBuilder};
pub use error::MeshError;
pub use hit::{Culling, MeshHit, MeshLeaf, MeshPoint, MeshSweepHit, Side};
pub use placed::query::{PlacedQuery, PlacedQuestion};
pub use placement::Placement;
pub use query::cast::{MeshCast, MeshCastQuery};
pub use query::nearest::MeshNearestQuery;
pub use query::overlap::{MeshContainmentQuery, MeshOverlapQuery, MeshRegion};

use crate::geometry::{Aabb, Triangle};
use alloc::vec::Vec;
use columns::{ChildLink, Leaf, Node};
use core::ops::ControlFlow;

/// A static octree of triangles.
///
/// | question | call |
/// |---|---|
/// | which triangles overlap a box, a sphere, a frustum, an oriented box, a capsule | [`Mesh::overlap`] |
/// | what a ray hits, what a moving box or sphere touches | [`Mesh::cast`] |
/// | which point is closest to another, and whether that is inside | [`Mesh::nearest`] |
///
/// Rays do not slip through an edge or a corner that triangles share by its
/// exact coordinates. Where a triangle without an area lies between two others
/// whose edges do not match, they may: it is kept out of the tree.
///
/// Distances of hits are right to 1e-5 of themselves, also at needles a million
/// times as long as wide ([`MeshHit::distance`]); a hit at a needle, or of a ray
/// that nearly runs along a triangle, takes a slower path with 64 bits.
///
/// A mesh may be as small as floats are, and as far from zero as
/// [`Mesh::COORDINATE_MAX`]; rays at triangles below about 1e-17 take the slow
/// path that computes edges with 64 bits.
///
/// *Cost:* 50 to 68 bytes a triangle where triangles lie about evenly, as in
/// most models: leaves of eight are then nearly full. It is no bound: nine
/// triangles close together and far from all others take two leaves and most
/// of a node, 84 bytes each, and a mesh of one triangle takes 548.
/// [`Mesh::memory`] tells.
///
/// What questions say of their cost holds where triangles lie about evenly.
/// The default build sorts them by a grid over the mesh, of 16 to 1024 steps an axis (the
/// more triangles, the finer; about the square root of their number). Those in
/// one step are halved at the medians of their centres, so their leaves may
/// overlap: a model in which most triangles lie in a thousandth of its
/// extent may have a question at that place test most of them, and as many
/// questions as triangles are quadratic. [`BuildQuality::High`] has no grid. One
/// triangle as large as the mesh makes its leaf so. `objects_tested` of each question's [`QueryStats`](crate::QueryStats) tells.
///
/// ```
/// use broadleaf::{Mesh, Ray, glam::Vec3};
///
/// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let mesh = Mesh::from_indexed(&corners, &[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])?;
/// let ray = Ray::new(Vec3::new(0.2, 0.2, 5.0), Vec3::NEG_Z)?;
/// let hit = mesh.cast(&ray).closest().unwrap();
/// assert_eq!(hit.triangle, 3);
/// assert!((hit.distance - 4.4).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Mesh {
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    /// Where each triangle of the input lies: leaf and lane, or a place among the degenerate ones.
    places: Vec<u32>,
    degenerate: Vec<Triangle>,
    bounds: Aabb,
    /// Whether most of it is small beside its bounds.
    sparse: bool,
}

/// Levels of a mesh at most.
const DEPTH_MAX: usize = 64;

impl Default for Mesh {
    fn default() -> Self {
        let (nodes, leaves, places, degenerate) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { nodes, leaves, places, degenerate, bounds: Aabb::EMPTY, sparse: false }
    }
}

impl Mesh {
    /// The largest number of triangles that a mesh holds.
    pub const TRIANGLES_MAX: usize = 1 << 28;
    /// The largest coordinate, so that no product overflows.
    pub const COORDINATE_MAX: f32 = 1e18;

    /// Of a place: the triangle is degenerate.
    const DEGENERATE: u32 = 1 << 31;

    /// Triangles of the input, degenerate ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether the input held no triangle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Triangles of the input that have no area. No question finds them.
    #[must_use]
    pub fn degenerate_count(&self) -> usize {
        self.degenerate.len()
    }

    /// The smallest box around the triangles that have an area; `None` if there are none.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb> {
        (self.bounds.min.x <= self.bounds.max.x).then_some(self.bounds.without_negative_zeros())
    }

    /// Bytes on the heap.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.leaves.capacity() * size_of::<Leaf>()
            + self.places.capacity() * size_of::<u32>()
            + self.degenerate.capacity() * size_of::<Triangle>()
    }

    /// A triangle by its place in the input, degenerate or not.
    #[must_use]
    pub fn triangle(&self, index: u32) -> Option<Triangle> {
        let place = *self.places.get(index as usize)?;
        if place >> 31 != 0 {
            self.degenerate.get((place & !(1 << 31)) as usize).copied()
        } else {
            self.leaves.get(place as usize / 8).map(|leaf| leaf.triangles.get(place as usize % 8))
        }
    }

    /// Visits the leaves in the order of the tree.
    ///
    /// ```
    /// use broadleaf::{Mesh, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[0, 1, 2])?;
    /// let mut triangles = 0;
    /// mesh.leaves(|leaf| {
    ///     triangles += leaf.triangles;
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(triangles, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn leaves(&self, mut visit: impl FnMut(MeshLeaf) -> ControlFlow<()>) {
        let _ = self.visit_leaves(0, 0, &mut visit);
    }

    fn visit_leaves(
        &self,
        node: usize,
        depth: u32,
        visit: &mut impl FnMut(MeshLeaf) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(node) = self.nodes.get(node) else { return ControlFlow::Continue(()) };
        for (lane, &link) in node.links.iter().enumerate() {
            if link == ChildLink::NONE {
                continue;
            }
            if link.is_leaf() {
                visit(MeshLeaf {
                    bounds: node.bounds.get(lane).without_negative_zeros(),
                    depth: depth + 1,
                    triangles: self.leaves[link.index()].count(),
                })?;
            } else {
                self.visit_leaves(link.index(), depth + 1, visit)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The unit normal of a triangle with an area.
fn unit_normal(triangle: &Triangle) -> glam::Vec3 {
    let [a, b, c] = crate::geometry::triangle::point::corners(triangle);
    (b - a).cross(c - a).normalize_or_zero().as_vec3()
}
