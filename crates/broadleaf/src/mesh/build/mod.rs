//! Builds a mesh from triangles.
//!
//! Keys and their sort, the cells, the order of triangles that share a key,
//! the leaves' columns with their boxes, the boxes of the cells, and from the
//! top the nodes. Triangles are looked up twice, eight at a time: for their
//! keys, and for the columns. Large steps run as tasks if threads are asked for.
//! A build of high quality looks them up once more, and splits them by the surface area heuristic.

mod boxes;
mod cells;
mod collapse;
mod curve;
mod medians;
mod source;
mod surface;
mod tasks;

use super::columns::Leaf;
use super::query::sparse::is_sparse;
use super::{Mesh, MeshError};
use crate::data::Threads;
use crate::geometry::lanes::{Triangles, WIDTH};
use crate::geometry::triangle::point::corners;
use crate::geometry::{Aabb, Triangle};
use alloc::vec::Vec;
use boxes::Span;
use cells::Cells;
use curve::{KeyedTriangle, sorted};
use glam::{DVec3, Vec3};
use source::{IndexedTriangles, Source, TriangleList};

impl Mesh {
    /// The mesh of triangles whose corners are positions named by indices, three to a triangle.
    /// A position is a vector or an array of three floats.
    ///
    /// *Cost:* linear but for the depth; on the calling thread.
    /// [`Mesh::builder`] builds on more.
    ///
    /// # Errors
    /// A position that is not finite or too far out, an index without a
    /// position, a number of indices that is no multiple of three, too many triangles.
    pub fn from_indexed<P: Into<Vec3> + Copy + Sync>(positions: &[P], indices: &[u32]) -> Result<Self, MeshError> {
        Self::builder().from_indexed(positions, indices)
    }

    /// The mesh of triangles that share no positions. A triangle is a [`Triangle`] or
    /// an array of three corners, each of three floats.
    ///
    /// *Cost:* that of [`Mesh::from_indexed`].
    ///
    /// # Errors
    /// A corner that is not finite or too far out, too many triangles.
    pub fn from_triangles<T: Into<Triangle> + Copy + Sync>(triangles: &[T]) -> Result<Self, MeshError> {
        Self::builder().from_triangles(triangles)
    }

    /// Builds a mesh with other settings: on more threads, or for faster questions.
    #[must_use]
    pub fn builder() -> MeshBuilder {
        MeshBuilder::default()
    }
}

/// Settings of the build of a [`Mesh`]: on which threads, and what it is good at. The mesh is the same on any
/// number of threads, bit for bit.
///
/// ```
/// use broadleaf::{Mesh, Threads, glam::Vec3};
///
/// let positions = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let mesh = Mesh::builder().threads(Threads::Pool).from_indexed(&positions, &[0, 1, 2])?;
/// assert_eq!(mesh.len(), 1);
/// # Ok::<(), broadleaf::mesh::MeshError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct MeshBuilder {
    threads: Threads,
    quality: BuildQuality,
}

/// The quality of the build of a [`Mesh`]: how much time goes into faster questions.
///
/// The answers are the same; their order, where none is promised, and the work in
/// [`QueryStats`](crate::QueryStats) are not. A mesh that is read by serde is built with `Fast`.
///
/// Models of 75,000 to 100,000 triangles, one thread, AVX2; from the records `meshes-x86-64-v3` of
/// `docs/performance.md` (Xeon, 2026-11-29) and of `docs/performance/epyc-zen3-2cores.md` (2026-11-25):
///
/// | | build, a triangle: Xeon | EPYC | a nearest ray: Xeon | EPYC | memory, a triangle |
/// |---|---|---|---|---|---|
/// | [`Fast`](Self::Fast) | 54 to 73 ns | 20 to 30 ns | 86 to 554 ns | 47 to 271 ns | 60 to 66 bytes |
/// | [`High`](Self::High) | 955 to 1243 ns | 201 to 266 ns | 0.84 to 0.91 of it | 0.81 to 0.92 of it | 51 to 68 bytes |
///
/// So `High` pays for itself from 15 to 115 rays a triangle on (Xeon), or 4 to 51 (EPYC): sooner where
/// neighbouring rays differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BuildQuality {
    /// Triangles are sorted along a Morton curve. For meshes that are built while the game runs.
    #[default]
    Fast,
    /// Triangles are split by the surface area heuristic (SAH). For meshes that are built once and asked
    /// for long.
    High,
}

impl MeshBuilder {
    /// Who builds: the calling thread if not said.
    #[must_use]
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Sets the quality of the build: [`BuildQuality::Fast`] if not said.
    #[must_use]
    pub fn quality(mut self, quality: BuildQuality) -> Self {
        self.quality = quality;
        self
    }

    /// The mesh of triangles whose corners are positions named by indices, as [`Mesh::from_indexed`].
    ///
    /// # Errors
    /// Those of [`Mesh::from_indexed`].
    pub fn from_indexed<P>(self, positions: &[P], indices: &[u32]) -> Result<Mesh, MeshError>
    where
        P: Into<Vec3> + Copy + Sync,
    {
        let (source, bounds) = IndexedTriangles::new(positions, indices)?;
        Ok(self.build(&source, &bounds))
    }

    /// The mesh of triangles that share no positions, as [`Mesh::from_triangles`].
    ///
    /// # Errors
    /// Those of [`Mesh::from_triangles`].
    pub fn from_triangles<T: Into<Triangle> + Copy + Sync>(self, triangles: &[T]) -> Result<Mesh, MeshError> {
        let (source, bounds) = TriangleList::new(triangles)?;
        Ok(self.build(&source, &bounds))
    }

    /// The mesh of triangles, all of which lie in `bounds`.
    fn build(self, source: &impl Source, bounds: &Aabb) -> Mesh {
        let Self { threads, quality } = self;
        let mut order = sorted(source, bounds, threads);
        let mut mesh = Mesh { places: alloc::vec![Mesh::DEGENERATE; source.len()], ..Mesh::default() };
        if !order.is_empty() {
            let (mut cells, root) = match quality {
                BuildQuality::Fast => Cells::new(&mut order, threads),
                BuildQuality::High => surface::cells(source, &mut order, threads),
            };
            medians::order_runs(source, &cells.halved, &mut order, threads);
            let (leaves, spans) = leaves(source, &cells.starts, &order, threads);
            let root = cells.fit(spans, root);
            mesh.nodes = collapse::nodes(&cells, root, threads);
            mesh.nodes.shrink_to_fit();
            mesh.leaves = leaves;
            mesh.bounds = root.span().aabb();
            mesh.sparse = mesh.nodes.first().is_some_and(|root| is_sparse(&mesh.bounds, root));
            note_places(&mut mesh.places, &cells.starts, &order);
        }
        if order.len() < source.len() {
            keep_degenerate(source, &mut mesh);
        }
        mesh
    }
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

/// The triangles of a leaf, in order.
#[inline]
fn run<'a>(starts: &[u32], order: &'a [KeyedTriangle], leaf: usize) -> &'a [KeyedTriangle] {
    let end = starts.get(leaf + 1).map_or(order.len(), |&end| end as usize);
    &order[starts[leaf] as usize..end]
}

/// The leaves' columns, and their boxes.
fn leaves(source: &impl Source, starts: &[u32], order: &[KeyedTriangle], threads: Threads) -> (Vec<Leaf>, Vec<Span>) {
    tasks::map_range_to_two(threads, starts.len(), |leaf| packed(source, run(starts, order, leaf)))
}

#[inline(always)]
fn packed(source: &impl Source, run: &[KeyedTriangle]) -> (Leaf, Span) {
    // Lanes that are left repeat the last triangle until its box is known.
    let last = run.len() - 1;
    let triangles = Triangles::gather(|lane| source.get(run[lane.min(last)].index()));
    let id = |lane: usize| if lane <= last { run[lane.min(last)].id() } else { Leaf::NOTHING };
    let ids = [id(0), id(1), id(2), id(3), id(4), id(5), id(6), id(7)];
    (Leaf { triangles: triangles.first(run.len()), ids }, Span::of(&triangles.boxes().union()))
}

/// Notes in which leaf and lane each triangle lies.
#[expect(clippy::cast_possible_truncation, reason = "there are at most 2^28 triangles")]
fn note_places(places: &mut [u32], starts: &[u32], order: &[KeyedTriangle]) {
    for leaf in 0..starts.len() {
        let run = run(starts, order, leaf);
        // The same work for every leaf: writing the last place again costs less than a loop of unknown length.
        for lane in 0..WIDTH {
            let lane = lane.min(run.len() - 1);
            places[run[lane].index()] = (leaf * WIDTH + lane) as u32;
        }
    }
}

/// Keeps the triangles that have no place yet.
#[expect(clippy::cast_possible_truncation, reason = "there are at most 2^28 triangles")]
fn keep_degenerate(source: &impl Source, mesh: &mut Mesh) {
    for (index, place) in mesh.places.iter_mut().enumerate().filter(|(_, place)| **place == Mesh::DEGENERATE) {
        *place |= mesh.degenerate.len() as u32;
        mesh.degenerate.push(source.get(index));
    }
}
