//! Questions about meshes that are placed among the objects of a tree: a query
//! finds the objects, and then asks the mesh of each.
//!
//! What meshes answer runs in functions of this crate that know neither the
//! caller's closures nor the types of regions.

mod cast;
mod nearest;

use super::PlacedMesh;
use crate::Handle;
use crate::data::terminals::terminals;
use crate::data::{QueryStats, Sink};
use crate::geometry::Containment;
use crate::mesh::query::overlap::sealed::RegionRef;
use crate::mesh::{Culling, Mesh, MeshRegion, Placement};
use crate::query::{Accept, Answers, OverlapAsk, OverlapQuery, Region};
use core::marker::PhantomData;
use core::ops::ControlFlow;

/// Says which mesh an object is, and where it stands.
pub(super) type Meshes<'f, 'm> = &'f mut dyn FnMut(Handle) -> Option<(&'m Mesh, Placement)>;

/// What placed meshes answer to a query `Q` about objects; made by the option
/// `meshes` of [`OverlapQuery`], [`CastQuery`](crate::query::CastQuery) and [`NearestQuery`](crate::query::NearestQuery).
///
/// Its answers are of type `T`, a [`Handle`] with what [`Mesh`] answers: a
/// triangle, a [`MeshHit`](crate::mesh::MeshHit), a [`MeshSweepHit`](crate::mesh::MeshSweepHit), a [`MeshPoint`](crate::mesh::MeshPoint); distances, points and
/// normals are the world's.
///
/// ```
/// use broadleaf::{Aabb, Octree, Placement, Ray, glam::{Quat, Vec3}, mesh::Mesh};
///
/// let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[0, 1, 2])?;
/// let at = |step: u64| Placement::new(Quat::IDENTITY, Vec3::Z * step as f32, 1.0).expect("a legal placement");
/// let mut tree = Octree::default();
/// for step in 0..5 {
///     let handle = tree.insert(at(step).aabb(&mesh.bounds().expect("a triangle")))?;
///     tree.set_user_data(handle, step)?;
/// }
/// let view = tree.view();
/// let placed = |handle| Some((&mesh, at(view.user_data(handle)?)));
///
/// let ray = Ray::segment(Vec3::new(0.2, 0.2, 9.0), Vec3::new(0.2, 0.2, 2.0))?;
/// assert_eq!(view.cast(&ray).meshes(placed).count(), 3, "one ends the ray");
/// let hit = view.cast(&ray).meshes(placed).closest();
/// assert!(hit.is_some_and(|(_, hit)| (hit.distance - 5.0).abs() < 1e-5));
/// let below = Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, 1.5));
/// assert_eq!(view.overlap(&below)?.meshes(placed).count(), 2);
/// let near = view.nearest(Vec3::new(0.2, 0.2, 3.4))?.meshes(placed).closest();
/// assert!(near.is_some_and(|(_, near)| (near.distance - 0.4).abs() < 1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a question is asked by its terminal, such as `closest`"]
#[derive(Debug)]
pub struct PlacedQuery<Q, M, T> {
    query: Q,
    meshes: M,
    culling: Culling,
    answer: PhantomData<T>,
}

impl<Q, M, T> PlacedQuery<Q, M, T> {
    fn new(query: Q, meshes: M) -> Self {
        Self { query, meshes, culling: Culling::None, answer: PhantomData }
    }
}

impl<'m, Q: PlacedQuestion<Answer = T>, M: FnMut(Handle) -> Option<(&'m Mesh, Placement)>, T> PlacedQuery<Q, M, T> {
    /// Which sides of triangles a ray passes through; none if not said. Other
    /// questions know no sides.
    #[inline]
    pub fn culling(self, culling: Culling) -> Self {
        Self { culling, ..self }
    }

    /// The closest answer of a cast or of a question for what is nearest; of
    /// equally close objects, that of the lowest slot. Of regions, whichever comes first.
    ///
    /// *Cost:* that of the closest object, and of each mesh whose object is met before the answer.
    #[must_use]
    #[inline]
    pub fn closest(mut self) -> Option<T> {
        self.query.closest(self.culling, &mut self.meshes)
    }

    #[inline]
    fn run(&mut self, sink: Sink<'_, T>) {
        let Self { query, meshes, culling, .. } = self;
        sink.drive(|visit| query.each(*culling, meshes, visit));
    }

    terminals!(
        /// *Cost:* up to 64 blocks of eight objects are found before the first mesh is asked.
        T
    );
}

/// A query about objects that their meshes can answer: [`OverlapQuery`] of a
/// [`MeshRegion`], [`CastQuery`](crate::query::CastQuery) of a [`Ray`](crate::Ray) or a [`Sweep`](crate::Sweep), [`NearestQuery`](crate::query::NearestQuery). Nothing
/// else can be.
pub trait PlacedQuestion {
    /// What is answered, with the [`Handle`] of the object.
    type Answer;
    /// Visits every answer.
    #[doc(hidden)]
    fn each(
        &mut self,
        culling: Culling,
        meshes: Meshes<'_, '_>,
        visit: &mut dyn FnMut(Self::Answer) -> ControlFlow<()>,
    );
    /// The closest answer.
    #[doc(hidden)]
    fn closest(&mut self, culling: Culling, meshes: Meshes<'_, '_>) -> Option<Self::Answer> {
        let mut any = None;
        self.each(culling, meshes, &mut |answer| {
            any = Some(answer);
            ControlFlow::Break(())
        });
        any
    }
}

/// The work of a question to meshes: an object that was found is no hit.
fn within_meshes(objects: QueryStats, meshes: QueryStats) -> QueryStats {
    let mut work = QueryStats { hits: 0, ..objects };
    work += meshes;
    work
}

/// Keeps the closer answer, of two as close that of the lower slot whatever the order of visits; how far the new one
/// is.
pub(super) fn keep_closest<T>(best: &mut Option<(Handle, T)>, new: (Handle, T), distance: impl Fn(&T) -> f32) -> f32 {
    let key = |(handle, answer): &(Handle, T)| (distance(answer).to_bits(), handle.slot());
    let found = distance(&new.1);
    if best.as_ref().is_none_or(|best| key(&new) < key(best)) {
        *best = Some(new);
    }
    found
}

impl<R: Region + MeshRegion, F: Accept> OverlapQuery<'_, R, Handle, F> {
    /// Asks the meshes that stand in for objects: which of their triangles share
    /// a point with the region. `meshes` says which mesh an object is and where it
    /// stands; an object that is none has no answer. The object's shape must enclose
    /// the placed mesh, as [`Placement::aabb`] does. Answers are a [`Handle`] with the
    /// number of a triangle.
    #[inline]
    pub fn meshes<'m, M: FnMut(Handle) -> Option<(&'m Mesh, Placement)>>(
        self,
        meshes: M,
    ) -> PlacedQuery<Self, M, (Handle, u32)> {
        PlacedQuery::new(self, meshes)
    }
}

impl<R: Region + MeshRegion, F: Accept> OverlapQuery<'_, R, (Handle, Containment), F> {
    /// As without containment, which here is that of each triangle.
    #[inline]
    pub fn meshes<'m, M: FnMut(Handle) -> Option<(&'m Mesh, Placement)>>(
        self,
        meshes: M,
    ) -> PlacedQuery<Self, M, (Handle, u32, Containment)> {
        PlacedQuery::new(self, meshes)
    }
}

impl<R: Region + MeshRegion, F: Accept> PlacedQuestion for OverlapQuery<'_, R, Handle, F> {
    type Answer = (Handle, u32);

    fn each(&mut self, _: Culling, meshes: Meshes<'_, '_>, visit: &mut dyn FnMut((Handle, u32)) -> ControlFlow<()>) {
        let (mut work, mut inner) = (QueryStats::default(), QueryStats::default());
        // The opening has checked the region.
        let Ok(region) = self.region.to_ref() else { return };
        let mut ask = |handle| overlap_mesh(&region, handle, meshes, &mut inner, visit);
        let answers = Answers::Handles(Sink::Visit(&mut ask));
        self.region.run(OverlapAsk { view: self.view, filter: self.objects.filter(), stats: Some(&mut work), answers });
        within_meshes(work, inner).add_to(self.stats.as_deref_mut());
    }
}

impl<R: Region + MeshRegion, F: Accept> PlacedQuestion for OverlapQuery<'_, R, (Handle, Containment), F> {
    type Answer = (Handle, u32, Containment);

    fn each(
        &mut self,
        _: Culling,
        meshes: Meshes<'_, '_>,
        visit: &mut dyn FnMut((Handle, u32, Containment)) -> ControlFlow<()>,
    ) {
        let (mut work, mut inner) = (QueryStats::default(), QueryStats::default());
        // The opening has checked the region.
        let Ok(region) = self.region.to_ref() else { return };
        let mut ask = |handle| match placed(handle, meshes) {
            Some(mesh) => mesh.contained(&region, &mut inner, &mut |(triangle, how)| visit((handle, triangle, how))),
            None => ControlFlow::Continue(()),
        };
        let answers = Answers::Handles(Sink::Visit(&mut ask));
        self.region.run(OverlapAsk { view: self.view, filter: self.objects.filter(), stats: Some(&mut work), answers });
        within_meshes(work, inner).add_to(self.stats.as_deref_mut());
    }
}

fn overlap_mesh(
    region: &RegionRef<'_>,
    handle: Handle,
    meshes: Meshes<'_, '_>,
    inner: &mut QueryStats,
    visit: &mut dyn FnMut((Handle, u32)) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match placed(handle, meshes) {
        Some(mesh) => mesh.overlap(region, inner, &mut |triangle| visit((handle, triangle))),
        None => ControlFlow::Continue(()),
    }
}

/// The mesh of an object, if it is one that has triangles.
fn placed<'m>(handle: Handle, meshes: Meshes<'_, 'm>) -> Option<PlacedMesh<'m>> {
    let (mesh, placement) = meshes(handle)?;
    PlacedMesh::new(mesh, placement)
}
