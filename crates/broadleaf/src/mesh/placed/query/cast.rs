//! Rays and moving shapes against placed meshes.

use super::{Meshes, PlacedQuery, PlacedQuestion, keep_closest, placed, within_meshes};
use crate::Handle;
use crate::data::{QueryStats, Sink, View};
use crate::geometry::{Ray, Sweep};
use crate::mesh::placed::instance;
use crate::mesh::{Culling, Mesh, MeshHit, MeshSweepHit, Placement};
use crate::query::{Accept, Cast, CastAsk, CastQuery, DistanceOutput, Filter, NarrowPhase, NoNarrowPhase, SweepHit};
use core::ops::ControlFlow;

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
        work.add_to(self.stats.as_deref_mut());
    }

    fn closest(&mut self, culling: Culling, meshes: Meshes<'_, '_>) -> Option<(Handle, MeshHit)> {
        let ray = within(self.cast, self.limit)?;
        let (hit, work) = instance::closest(self.view, &mut self.objects.filter(), &ray, culling, meshes);
        work.add_to(self.stats.as_deref_mut());
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
        work.add_to(self.stats.as_deref_mut());
    }

    fn closest(&mut self, _: Culling, meshes: Meshes<'_, '_>) -> Option<(Handle, MeshSweepHit)> {
        let (hit, work) = swept_closest(self.view, self.objects.filter(), self.cast, self.limit, meshes);
        work.add_to(self.stats.as_deref_mut());
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
    ask_swept(view, filter.reborrow(), sweep, limit, &mut work, None, DistanceOutput::All(Sink::Visit(&mut ask)));
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
    ask_swept(view, filter.reborrow(), sweep, limit, &mut work, Some(&mut refine), DistanceOutput::Closest(&mut first));
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
    wanted: DistanceOutput<'a, SweepHit>,
) {
    let inside = crate::query::StartInside::Hit;
    sweep.run(CastAsk { view, filter, stats: Some(work), limit, inside, refine, wanted });
}
