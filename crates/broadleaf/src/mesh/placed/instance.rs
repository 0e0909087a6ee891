//! Meshes placed among the objects of an octree: many copies, one mesh.

use super::PlacedMesh;
use super::query::{Meshes, keep_closest};
use crate::Handle;
use crate::data::{QueryStats, View};
use crate::geometry::Ray;
use crate::geometry::lanes::{Boxes, LaneMask, RayQuery, Spheres, WIDTH};
use crate::mesh::{Culling, MeshHit};
use crate::query::Filter;
use crate::query::walk::nearest_first::{NearestFirst, walk_nearest_first};
use crate::query::walk::{FoundObject, Question, walk};
use core::ops::ControlFlow;

/// Boxes are tested up to so many times the reach: an end that lies on a mesh
/// but for rounding may lie before its box.
const BEYOND: f32 = 1.0 + 1.0 / (1 << 20) as f32;

/// What is asked of each mesh that a ray comes near.
trait InstanceQuestion {
    /// Asks a mesh; may draw the ray's reach in.
    fn ask(&mut self, copy: &PlacedRay<'_>, distance_max: &mut f32, stats: &mut QueryStats) -> ControlFlow<()>;
}

/// A mesh that stands somewhere, and a ray at it.
struct PlacedRay<'a> {
    handle: Handle,
    mesh: PlacedMesh<'a>,
    ray: &'a Ray,
    culling: Culling,
}

#[derive(Default)]
struct ClosestInstance {
    best: Option<(Handle, MeshHit)>,
}

impl InstanceQuestion for ClosestInstance {
    fn ask(&mut self, copy: &PlacedRay<'_>, distance_max: &mut f32, stats: &mut QueryStats) -> ControlFlow<()> {
        let hit = copy.mesh.closest_hit(copy.ray, copy.culling, *distance_max, stats);
        if let Some(hit) = hit {
            *distance_max = keep_closest(&mut self.best, (copy.handle, hit), |hit| hit.distance);
        }
        ControlFlow::Continue(())
    }
}

struct EachInstanceHit<V> {
    visit: V,
}

impl<V: FnMut(Handle, MeshHit) -> ControlFlow<()>> InstanceQuestion for EachInstanceHit<V> {
    fn ask(&mut self, copy: &PlacedRay<'_>, distance_max: &mut f32, stats: &mut QueryStats) -> ControlFlow<()> {
        copy.mesh.hits(copy.ray, copy.culling, *distance_max, stats, &mut |hit| (self.visit)(copy.handle, hit))
    }
}

struct Instances<'r, 'f, 'm, A> {
    query: RayQuery,
    ray: &'r Ray,
    culling: Culling,
    meshes: Meshes<'f, 'm>,
    distance_max: f32,
    ask: A,
    /// The work within meshes.
    inner: QueryStats,
}

impl<'r, 'f, 'm, A: InstanceQuestion> Instances<'r, 'f, 'm, A> {
    fn new(ray: &'r Ray, culling: Culling, meshes: Meshes<'f, 'm>, ask: A) -> Self {
        let (query, distance_max) = (RayQuery::new(ray), ray.distance_max());
        Self { query, ray, culling, meshes, distance_max, ask, inner: QueryStats::default() }
    }

    /// How far boxes are looked at.
    #[inline]
    fn reach(&self) -> f32 {
        (self.distance_max * BEYOND).min(f32::MAX)
    }
}

impl<A: InstanceQuestion> Question for Instances<'_, '_, '_, A> {
    type Carry = ();
    type Lanes = [f32; WIDTH];

    fn start(&self) {}

    #[inline]
    fn test(&self, boxes: &Boxes, (): ()) -> (LaneMask, [f32; WIDTH]) {
        self.query.boxes(boxes, self.reach())
    }

    #[inline]
    fn carry(&self, _: &[f32; WIDTH], _: usize) {}

    fn refine(&self, spheres: &Spheres, _: LaneMask, _: &mut [f32; WIDTH]) -> LaneMask {
        self.query.spheres(spheres, self.reach()).0
    }

    fn hit(&mut self, object: FoundObject<'_, [f32; WIDTH]>) -> ControlFlow<()> {
        // A lane that passed before a nearer triangle was found may be too far now.
        if object.lanes[object.at.lane() % WIDTH] > self.reach() {
            return ControlFlow::Continue(());
        }
        let handle = object.handle();
        let Some((mesh, placement)) = (self.meshes)(handle) else { return ControlFlow::Continue(()) };
        let Some(mesh) = PlacedMesh::new(mesh, placement) else { return ControlFlow::Continue(()) };
        let copy = PlacedRay { handle, mesh, ray: self.ray, culling: self.culling };
        self.ask.ask(&copy, &mut self.distance_max, &mut self.inner)
    }
}

impl<A: InstanceQuestion> NearestFirst for Instances<'_, '_, '_, A> {
    #[inline]
    fn limit(&self) -> f32 {
        self.reach()
    }

    #[inline]
    fn bounds(distances: &[f32; WIDTH]) -> &[f32; WIDTH] {
        distances
    }
}

/// The nearest triangle that a ray hits among placed meshes. Of equally near
/// objects the lowest slot wins, and of its triangles the first of the input.
pub(super) fn closest(
    view: View<'_>,
    filter: &mut Filter<'_>,
    ray: &Ray,
    culling: Culling,
    meshes: Meshes<'_, '_>,
) -> (Option<(Handle, MeshHit)>, QueryStats) {
    let mut question = Instances::new(ray, culling, meshes, ClosestInstance::default());
    let mut stats = walk_nearest_first(view, filter, &mut question);
    stats += question.inner;
    stats.hits = u64::from(question.ask.best.is_some());
    (question.ask.best, stats)
}

/// Visits every triangle that a ray hits among placed meshes.
pub(super) fn each(
    view: View<'_>,
    filter: &mut Filter<'_>,
    ray: &Ray,
    culling: Culling,
    meshes: Meshes<'_, '_>,
    visit: &mut dyn FnMut((Handle, MeshHit)) -> ControlFlow<()>,
) -> QueryStats {
    let ask = EachInstanceHit { visit: |handle, hit| visit((handle, hit)) };
    let mut question = Instances::new(ray, culling, meshes, ask);
    let mut stats = walk(view, filter, &mut question);
    // Hits are triangles, not the objects looked at.
    stats.hits = 0;
    stats += question.inner;
    stats
}
