//! Meshes placed among the objects of an octree: many copies, one mesh.

use super::placement::{LocalRay, Placement};
use super::{Culling, Mesh, MeshHit};
use crate::Handle;
use crate::data::ids::{ObjectWord, Row};
use crate::data::levels::Split;
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::Ray;
use crate::geometry::lanes::{Boxes, LaneMask, RayQuery, Spheres, WIDTH, nearest_lane, within};
use crate::query::walk::{Found, Question, walk};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Boxes are tested up to so many times the reach: an end that lies on a mesh
/// but for rounding may lie before its box.
const BEYOND: f32 = 1.0 + 1.0 / (1 << 20) as f32;

/// What is asked of each mesh that a ray comes near.
trait Ask {
    /// Whether nearer objects come first.
    const ORDERED: bool;
    /// Asks a mesh; may draw the ray's reach in.
    fn ask(&mut self, copy: &Copied<'_>, distance_max: &mut f32, stats: &mut QueryStats) -> ControlFlow<()>;
}

/// A mesh that stands somewhere, and a ray at it.
struct Copied<'a> {
    handle: Handle,
    row: Row,
    mesh: &'a Mesh,
    placement: Placement,
    ray: &'a Ray,
    local: LocalRay,
    culling: Culling,
}

impl Copied<'_> {
    fn in_world(&self, hit: &MeshHit) -> MeshHit {
        self.placement.hit_in_world(hit, self.ray, &self.local)
    }
}

#[derive(Default)]
struct Nearest {
    best: Option<(Row, Handle, MeshHit)>,
}

impl Ask for Nearest {
    const ORDERED: bool = true;

    fn ask(&mut self, copy: &Copied<'_>, distance_max: &mut f32, stats: &mut QueryStats) -> ControlFlow<()> {
        let local = &copy.local;
        // A little farther than the nearest hit so far; what is not nearer is sorted out below.
        let limit = match self.best {
            Some(_) => copy.placement.distance_to_local(*distance_max).min(local.ray.distance_max()),
            None => local.ray.distance_max(),
        };
        let (hit, inner) = copy.mesh.closest_within(&local.ray, copy.culling, Some(&local.unrounded), limit);
        *stats += inner;
        let Some(hit) = hit.map(|hit| copy.in_world(&hit)) else { return ControlFlow::Continue(()) };
        // Of equally near objects the lowest slot wins, whatever the order of visits.
        let wins = match &self.best {
            Some((other, ..)) if hit.distance == *distance_max => copy.row < *other,
            _ => hit.distance <= *distance_max,
        };
        if wins {
            *distance_max = hit.distance;
            self.best = Some((copy.row, copy.handle, hit));
        }
        ControlFlow::Continue(())
    }
}

struct Each<V> {
    visit: V,
}

impl<V: FnMut(Handle, MeshHit) -> ControlFlow<()>> Ask for Each<V> {
    const ORDERED: bool = false;

    fn ask(&mut self, copy: &Copied<'_>, _: &mut f32, stats: &mut QueryStats) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        *stats += copy.mesh.hits_within(&copy.local.ray, copy.culling, Some(&copy.local.unrounded), |hit| {
            flow = (self.visit)(copy.handle, copy.in_world(&hit));
            flow
        });
        flow
    }
}

struct Instances<'r, F, A> {
    query: RayQuery,
    ray: &'r Ray,
    culling: Culling,
    meshes: F,
    distance_max: f32,
    ask: A,
    /// The work within meshes.
    inner: QueryStats,
}

impl<'r, F, A: Ask> Instances<'r, F, A> {
    fn new(ray: &'r Ray, culling: Culling, meshes: F, ask: A) -> Self {
        let (query, distance_max) = (RayQuery::new(ray), ray.distance_max());
        Self { query, ray, culling, meshes, distance_max, ask, inner: QueryStats::default() }
    }

    /// How far boxes are looked at.
    #[inline]
    fn reach(&self) -> f32 {
        (self.distance_max * BEYOND).min(f32::MAX)
    }
}

impl<'m, F: FnMut(Handle) -> Option<(&'m Mesh, Placement)>, A: Ask> Question for Instances<'_, F, A> {
    type Carry = ();
    type Lanes = [f32; WIDTH];
    const ORDERED: bool = A::ORDERED;

    fn start(&self) {}

    #[inline]
    fn test(&self, boxes: &Boxes, (): ()) -> (LaneMask, [f32; WIDTH]) {
        self.query.boxes(boxes, self.reach())
    }

    #[inline]
    fn carry(&self, _: &[f32; WIDTH], _: usize) {}

    #[inline]
    fn still(&self, waiting: LaneMask, distances: &[f32; WIDTH]) -> LaneMask {
        if A::ORDERED { waiting & within(distances, self.reach()) } else { waiting }
    }

    #[inline]
    fn next(&self, waiting: LaneMask, distances: &[f32; WIDTH], _: Split) -> usize {
        if A::ORDERED { nearest_lane(waiting, distances) } else { waiting.trailing_zeros() as usize }
    }

    fn refine(&self, spheres: &Spheres, _: LaneMask, _: &mut [f32; WIDTH]) -> LaneMask {
        self.query.spheres(spheres, self.reach()).0
    }

    fn hit(&mut self, object: Found<'_, [f32; WIDTH]>) -> ControlFlow<()> {
        let (handle, row) = (object.handle(), ObjectWord::row(object.word));
        let Some((mesh, placement)) = (self.meshes)(handle) else { return ControlFlow::Continue(()) };
        let Some(bounds) = mesh.bounds() else { return ControlFlow::Continue(()) };
        // So far away that it cannot be told in 32 bits: nothing to hit.
        let Ok(local) = placement.to_local(self.ray, &bounds) else { return ControlFlow::Continue(()) };
        let copy = Copied { handle, row, mesh, placement, ray: self.ray, local, culling: self.culling };
        self.ask.ask(&copy, &mut self.distance_max, &mut self.inner)
    }
}

impl View<'_> {
    /// The nearest triangle that a ray hits within its reach, end included,
    /// among meshes that stand in for objects, and the object it belongs to;
    /// distance, position and normal are the world's.
    ///
    /// `meshes` says which mesh an object is, and where it stands; an object
    /// that is none is passed through. The object's shape must enclose the
    /// placed mesh, as [`Placement::aabb`] does.
    ///
    /// *Order:* of equally near objects the lowest slot wins, and of its
    /// triangles the first of the input.
    ///
    /// *Cost:* that of the nearest object, plus that of each mesh whose box
    /// the ray enters before the hit. The statistics count both.
    #[must_use]
    pub fn closest_mesh_hit<'m>(
        self,
        ray: &Ray,
        layers: Layers,
        culling: Culling,
        meshes: impl FnMut(Handle) -> Option<(&'m Mesh, Placement)>,
    ) -> (Option<(Handle, MeshHit)>, QueryStats) {
        let mut question = Instances::new(ray, culling, meshes, Nearest::default());
        let mut stats = walk(self, layers, &mut question);
        stats += question.inner;
        stats.hits = u64::from(question.ask.best.is_some());
        (question.ask.best.map(|(_, handle, hit)| (handle, hit)), stats)
    }

    /// Some triangle that a ray hits within its reach, end included, among
    /// meshes as in [`View::closest_mesh_hit`]: enough for shadows and lines of sight.
    ///
    /// *Cost:* at most that of [`View::mesh_hits`]; ends at the first hit met.
    #[must_use]
    pub fn any_mesh_hit<'m>(
        self,
        ray: &Ray,
        layers: Layers,
        culling: Culling,
        meshes: impl FnMut(Handle) -> Option<(&'m Mesh, Placement)>,
    ) -> (Option<(Handle, MeshHit)>, QueryStats) {
        let mut found = None;
        let stats = self.mesh_hits(ray, layers, culling, meshes, |handle, hit| {
            found = Some((handle, hit));
            ControlFlow::Break(())
        });
        (found, stats)
    }

    /// Visits every triangle that a ray hits within its reach, end included,
    /// among meshes as in [`View::closest_mesh_hit`], and the object it belongs to.
    ///
    /// *Order:* that of the tree's objects, and of each the order of its mesh; not by distance.
    ///
    /// *Cost:* that of all objects whose boxes the ray meets, plus that of
    /// each of their meshes. The statistics count both.
    ///
    /// ```
    /// use broadleaf::{Culling, Layers, Mesh, Octree, Placement, Ray, glam::{Quat, Vec3}};
    ///
    /// let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[0, 1, 2])?;
    /// let mut tree = Octree::default();
    /// for i in 0..5_u64 {
    ///     let placement = Placement::new(Quat::IDENTITY, Vec3::Z * i as f32, 1.0)?;
    ///     let handle = tree.insert(placement.aabb(&mesh.bounds().unwrap()))?;
    ///     tree.set_user_data(handle, i)?;
    /// }
    /// let view = tree.view();
    /// let at = |i: u64| Placement::new(Quat::IDENTITY, Vec3::Z * i as f32, 1.0).ok();
    /// let ray = Ray::segment(Vec3::new(0.2, 0.2, 9.0), Vec3::new(0.2, 0.2, 2.0))?;
    /// let mut hits = Vec::new();
    /// view.mesh_hits_into(&ray, Layers::ALL, Culling::None, |handle| Some((&mesh, at(view.user_data(handle)?)?)), &mut hits);
    /// assert_eq!(hits.len(), 3, "one ends the ray");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mesh_hits<'m>(
        self,
        ray: &Ray,
        layers: Layers,
        culling: Culling,
        meshes: impl FnMut(Handle) -> Option<(&'m Mesh, Placement)>,
        visit: impl FnMut(Handle, MeshHit) -> ControlFlow<()>,
    ) -> QueryStats {
        let mut question = Instances::new(ray, culling, meshes, Each { visit });
        let mut stats = walk(self, layers, &mut question);
        // Hits are triangles, not the objects looked at.
        stats.hits = 0;
        stats += question.inner;
        stats
    }

    /// Fills `found` with every triangle that a ray hits within its reach, as [`View::mesh_hits`] visits them.
    pub fn mesh_hits_into<'m>(
        self,
        ray: &Ray,
        layers: Layers,
        culling: Culling,
        meshes: impl FnMut(Handle) -> Option<(&'m Mesh, Placement)>,
        found: &mut Vec<(Handle, MeshHit)>,
    ) -> QueryStats {
        found.clear();
        self.mesh_hits(ray, layers, culling, meshes, |handle, hit| {
            found.push((handle, hit));
            ControlFlow::Continue(())
        })
    }
}
