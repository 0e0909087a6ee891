//! Questions about meshes that are placed among the objects of a tree: a query
//! finds the objects, and the mesh of each answers for it.
//!
//! What meshes answer runs in functions of this crate that know neither the
//! caller's closures nor the types of regions.

use super::overlap::sealed::RegionRef;
use super::placed::PlacedMesh;
use super::{Culling, Mesh, MeshHit, MeshPoint, MeshRegion, MeshSweepHit, Placement, instance};
use crate::Handle;
use crate::data::terminals::{Sink, terminals};
use crate::data::view::{QueryStats, View};
use crate::geometry::{Aabb, Containment, Ray, Sweep};
use crate::query::{
    Accept, Answers, Cast, CastAsk, CastQuery, CastWanted, Filter, NarrowPhase, NearestAsk, NearestQuery,
    NearestWanted, Neighbor, NoNarrowPhase, OverlapAsk, OverlapQuery, Region, SweepHit,
};
use core::marker::PhantomData;
use core::ops::ControlFlow;

/// Says which mesh an object is, and where it stands.
pub(super) type Meshes<'f, 'm> = &'f mut dyn FnMut(Handle) -> Option<(&'m Mesh, Placement)>;

/// What placed meshes answer to a query `Q` about objects; made by the option
/// `meshes` of [`OverlapQuery`], [`CastQuery`] and [`NearestQuery`].
///
/// Its answers are of type `T`, a [`Handle`] with what [`Mesh`] answers: a
/// triangle, a [`MeshHit`], a [`MeshSweepHit`], a [`MeshPoint`]; distances, points and
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

    terminals!(T);
}

/// A query about objects that their meshes can answer: [`OverlapQuery`] of a
/// [`MeshRegion`], [`CastQuery`] of a [`Ray`] or a [`Sweep`], [`NearestQuery`]. Nothing
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

/// Adds the work of a question to what a caller counts, if it does.
fn add(stats: &mut Option<&mut QueryStats>, work: QueryStats) {
    if let Some(stats) = stats {
        **stats += work;
    }
}

/// The work of a question to meshes: an object that was found is no hit.
fn within_meshes(objects: QueryStats, meshes: QueryStats) -> QueryStats {
    let mut work = QueryStats { hits: 0, ..objects };
    work += meshes;
    work
}

/// Keeps the closer answer, of two as close that of the lower slot; how far the new one is.
fn keep_closest<T>(best: &mut Option<(Handle, T)>, new: (Handle, T), distance: impl Fn(&T) -> f32) -> f32 {
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
        add(&mut self.stats, within_meshes(work, inner));
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
        add(&mut self.stats, within_meshes(work, inner));
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

impl<F: Accept> CastQuery<'_, Ray, NoNarrowPhase, F> {
    /// Asks the meshes that stand in for objects what the ray hits. `meshes` says which
    /// mesh an object is and where it stands; an object that is none is passed through.
    /// The object's shape must enclose the placed mesh, as [`Placement::aabb`] does.
    ///
    /// The options `inside` and `in_order` concern objects, not triangles: here they
    /// change nothing.
    #[inline]
    pub fn meshes<'m, M: FnMut(Handle) -> Option<(&'m Mesh, Placement)>>(
        self,
        meshes: M,
    ) -> PlacedQuery<Self, M, (Handle, MeshHit)> {
        PlacedQuery::new(self, meshes)
    }
}

impl<F: Accept> CastQuery<'_, Sweep, NoNarrowPhase, F> {
    /// Asks the meshes that stand in for objects what the moving shape touches; as for a ray.
    #[inline]
    pub fn meshes<'m, M: FnMut(Handle) -> Option<(&'m Mesh, Placement)>>(
        self,
        meshes: M,
    ) -> PlacedQuery<Self, M, (Handle, MeshSweepHit)> {
        PlacedQuery::new(self, meshes)
    }
}

impl<F: Accept> PlacedQuestion for CastQuery<'_, Ray, NoNarrowPhase, F> {
    type Answer = (Handle, MeshHit);

    fn each(
        &mut self,
        culling: Culling,
        meshes: Meshes<'_, '_>,
        visit: &mut dyn FnMut((Handle, MeshHit)) -> ControlFlow<()>,
    ) {
        let Some(ray) = within(self.cast, self.limit) else { return };
        let work = instance::each(self.view, &mut self.objects.filter(), &ray, culling, meshes, visit);
        add(&mut self.stats, work);
    }

    fn closest(&mut self, culling: Culling, meshes: Meshes<'_, '_>) -> Option<(Handle, MeshHit)> {
        let ray = within(self.cast, self.limit)?;
        let (hit, work) = instance::closest(self.view, &mut self.objects.filter(), &ray, culling, meshes);
        add(&mut self.stats, work);
        hit
    }
}

/// The ray with a reach of at most `limit`; `None` if that is negative.
fn within(ray: &Ray, limit: f32) -> Option<Ray> {
    if limit == ray.distance_max() { Some(*ray) } else { (limit >= 0.0).then(|| ray.cut_to(limit)) }
}

impl<F: Accept> PlacedQuestion for CastQuery<'_, Sweep, NoNarrowPhase, F> {
    type Answer = (Handle, MeshSweepHit);

    fn each(
        &mut self,
        _: Culling,
        meshes: Meshes<'_, '_>,
        visit: &mut dyn FnMut((Handle, MeshSweepHit)) -> ControlFlow<()>,
    ) {
        let work = swept_each(self.view, self.objects.filter(), self.cast, self.limit, meshes, visit);
        add(&mut self.stats, work);
    }

    fn closest(&mut self, _: Culling, meshes: Meshes<'_, '_>) -> Option<(Handle, MeshSweepHit)> {
        let (hit, work) = swept_closest(self.view, self.objects.filter(), self.cast, self.limit, meshes);
        add(&mut self.stats, work);
        hit
    }
}

fn swept_each(
    view: View<'_>,
    mut filter: Filter<'_>,
    sweep: &Sweep,
    limit: f32,
    meshes: Meshes<'_, '_>,
    visit: &mut dyn FnMut((Handle, MeshSweepHit)) -> ControlFlow<()>,
) -> QueryStats {
    let (mut work, mut inner) = (QueryStats::default(), QueryStats::default());
    let mut ask = |hit: SweepHit| match placed(hit.handle, meshes) {
        Some(mesh) => mesh.touches(sweep, limit.min(1.0), &mut inner, &mut |touch| visit((hit.handle, touch))),
        None => ControlFlow::Continue(()),
    };
    ask_swept(view, filter.reborrow(), sweep, limit, &mut work, None, CastWanted::All(Sink::Visit(&mut ask)));
    within_meshes(work, inner)
}

fn swept_closest(
    view: View<'_>,
    mut filter: Filter<'_>,
    sweep: &Sweep,
    limit: f32,
    meshes: Meshes<'_, '_>,
) -> (Option<(Handle, MeshSweepHit)>, QueryStats) {
    let (mut work, mut inner) = (QueryStats::default(), QueryStats::default());
    let (mut best, mut first): (Option<(Handle, MeshSweepHit)>, _) = (None, None);
    let mut refine = |hit: &SweepHit| {
        let time_max = best.as_ref().map_or(limit.min(1.0), |(_, touch)| touch.time);
        let touch = placed(hit.handle, meshes)?.first_touch(sweep, time_max, &mut inner)?;
        Some(keep_closest(&mut best, (hit.handle, touch), |touch| touch.time))
    };
    ask_swept(view, filter.reborrow(), sweep, limit, &mut work, Some(&mut refine), CastWanted::Closest(&mut first));
    inner.hits = u64::from(best.is_some());
    (best, within_meshes(work, inner))
}

fn ask_swept<'a>(
    view: View<'a>,
    filter: Filter<'a>,
    sweep: &Sweep,
    limit: f32,
    work: &'a mut QueryStats,
    refine: Option<NarrowPhase<'a, SweepHit>>,
    wanted: CastWanted<'a, SweepHit>,
) {
    let inside = crate::query::StartInside::Hit;
    sweep.run(CastAsk { view, filter, stats: Some(work), limit, inside, refine, wanted });
}

impl<'a, F: Accept> NearestQuery<'a, NoNarrowPhase, F> {
    /// Asks the meshes that stand in for objects for their point that is closest to
    /// a point; to a box, for the one closest to its middle. `meshes` says which mesh
    /// an object is and where it stands; an object that is none has no answer. The
    /// object's shape must enclose the placed mesh, as [`Placement::aabb`] does.
    ///
    /// Each mesh has one answer, if its closest point is within the bound. The option
    /// `in_order` concerns objects: here it changes nothing.
    #[inline]
    pub fn meshes<'m, M: FnMut(Handle) -> Option<(&'m Mesh, Placement)>>(
        self,
        meshes: M,
    ) -> PlacedQuery<Self, M, (Handle, MeshPoint)> {
        PlacedQuery::new(self, meshes)
    }
}

impl<F: Accept> PlacedQuestion for NearestQuery<'_, NoNarrowPhase, F> {
    type Answer = (Handle, MeshPoint);

    fn each(
        &mut self,
        _: Culling,
        meshes: Meshes<'_, '_>,
        visit: &mut dyn FnMut((Handle, MeshPoint)) -> ControlFlow<()>,
    ) {
        let work = near_each(self.view, self.objects.filter(), &self.from, self.limit, meshes, visit);
        add(&mut self.stats, work);
    }

    fn closest(&mut self, _: Culling, meshes: Meshes<'_, '_>) -> Option<(Handle, MeshPoint)> {
        let (near, work) = near_closest(self.view, self.objects.filter(), &self.from, self.limit, meshes);
        add(&mut self.stats, work);
        near
    }
}

fn near_each(
    view: View<'_>,
    mut filter: Filter<'_>,
    from: &Aabb,
    limit: f32,
    meshes: Meshes<'_, '_>,
    visit: &mut dyn FnMut((Handle, MeshPoint)) -> ControlFlow<()>,
) -> QueryStats {
    let (mut work, mut inner) = (QueryStats::default(), QueryStats::default());
    let mut ask = |near: Neighbor| {
        let mesh = placed(near.handle, meshes);
        match mesh.and_then(|mesh| mesh.closest_point(from.center(), limit, &mut inner)) {
            Some(point) => visit((near.handle, point)),
            None => ControlFlow::Continue(()),
        }
    };
    let wanted = NearestWanted::All(Sink::Visit(&mut ask));
    let filter = filter.reborrow();
    NearestAsk { view, filter, stats: Some(&mut work), limit, refine: None, recorder: None, wanted }.run(from);
    within_meshes(work, inner)
}

fn near_closest(
    view: View<'_>,
    mut filter: Filter<'_>,
    from: &Aabb,
    limit: f32,
    meshes: Meshes<'_, '_>,
) -> (Option<(Handle, MeshPoint)>, QueryStats) {
    let (mut work, mut inner) = (QueryStats::default(), QueryStats::default());
    let (mut best, mut first): (Option<(Handle, MeshPoint)>, _) = (None, None);
    let mut refine = |near: &Neighbor| {
        let limit = best.as_ref().map_or(limit, |(_, point)| point.distance);
        let point = placed(near.handle, meshes)?.closest_point(from.center(), limit, &mut inner)?;
        Some(keep_closest(&mut best, (near.handle, point), |point| point.distance))
    };
    let wanted = NearestWanted::Closest(&mut first);
    let filter = filter.reborrow();
    NearestAsk { view, filter, stats: Some(&mut work), limit, refine: Some(&mut refine), recorder: None, wanted }
        .run(from);
    inner.hits = u64::from(best.is_some());
    (best, within_meshes(work, inner))
}
