//! The nearest points of placed meshes.

use super::{Meshes, PlacedQuery, PlacedQuestion, keep_closest, placed, within_meshes};
use crate::Handle;
use crate::data::{QueryStats, Sink, View};
use crate::geometry::Aabb;
use crate::mesh::{Culling, Mesh, MeshPoint, Placement};
use crate::query::{Accept, DistanceOutput, Filter, NearestAsk, NearestOutput, NearestQuery, Neighbor, NoNarrowPhase};
use core::ops::ControlFlow;

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
        work.add_to(self.stats.as_deref_mut());
    }

    fn closest(&mut self, _: Culling, meshes: Meshes<'_, '_>) -> Option<(Handle, MeshPoint)> {
        let (near, work) = near_closest(self.view, self.objects.filter(), &self.from, self.limit, meshes);
        work.add_to(self.stats.as_deref_mut());
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
    let wanted = NearestOutput::By(DistanceOutput::All(Sink::Visit(&mut ask)));
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
    let wanted = NearestOutput::By(DistanceOutput::Closest(&mut first));
    let filter = filter.reborrow();
    NearestAsk { view, filter, stats: Some(&mut work), limit, refine: Some(&mut refine), recorder: None, wanted }
        .run(from);
    inner.hits = u64::from(best.is_some());
    (best, within_meshes(work, inner))
}
