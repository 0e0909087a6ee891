//! A placed mesh: it answers the questions of a mesh, in world units. A traversal of the
//! objects of a tree asks these for the mesh of each object.

mod frame;
pub(super) mod instance;
pub(super) mod query;

use super::placement::{LocalRay, Placement};
use super::query::nearest::NearPoint;
use super::query::overlap::sealed::RegionRef;
use super::{Culling, Mesh, MeshHit, MeshPoint, MeshSweepHit};
use crate::data::QueryStats;
use crate::geometry::float::sqrt_f64;
use crate::geometry::{Aabb, Containment, Ray, Sweep};
use core::ops::ControlFlow;
use frame::Frame;
use glam::Vec3;

/// A mesh and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedMesh<'m> {
    mesh: &'m Mesh,
    placement: Placement,
    bounds: Aabb,
}

impl<'m> PlacedMesh<'m> {
    /// `None` if the mesh has no triangle that could be found.
    pub(crate) fn new(mesh: &'m Mesh, placement: Placement) -> Option<Self> {
        Some(Self { mesh, placement, bounds: mesh.bounds()? })
    }

    /// A ray as the mesh sees it; `None` if it starts so far away that it
    /// cannot be represented in 32 bits: it hits nothing.
    fn local(&self, ray: &Ray) -> Option<LocalRay> {
        self.placement.to_local(ray, &self.bounds).ok()
    }

    /// How far a ray is looked along in the mesh. At its own end, what touches
    /// but for rounding counts.
    fn limit(&self, ray: &Ray, local: &LocalRay, distance_max: f32) -> f32 {
        let reach = local.ray.distance_max();
        if distance_max < ray.distance_max() {
            self.placement.distance_to_local(distance_max).min(reach)
        } else {
            reach
        }
    }

    /// The nearest triangle that a ray hits within a distance.
    pub(crate) fn closest_hit(
        &self,
        ray: &Ray,
        culling: Culling,
        distance_max: f32,
        stats: &mut QueryStats,
    ) -> Option<MeshHit> {
        let local = self.local(ray)?;
        let limit = self.limit(ray, &local, distance_max);
        let hit = self.mesh.closest_within(&local.ray, culling, Some(&local.unrounded), limit, Some(stats));
        let hit = self.placement.hit_in_world(&hit?, ray, &local);
        (hit.distance <= distance_max).then_some(hit)
    }

    /// Visits every triangle that a ray hits within a distance.
    pub(crate) fn hits(
        &self,
        ray: &Ray,
        culling: Culling,
        distance_max: f32,
        stats: &mut QueryStats,
        visit: &mut dyn FnMut(MeshHit) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(local) = self.local(ray) else { return ControlFlow::Continue(()) };
        let limit = self.limit(ray, &local, distance_max);
        let mut flow = ControlFlow::Continue(());
        let mut left_out = 0;
        *stats += self.mesh.hits_within(&local.ray, culling, Some(&local.unrounded), limit, &mut |hit| {
            let hit = self.placement.hit_in_world(&hit, ray, &local);
            if hit.distance <= distance_max {
                flow = visit(hit);
            } else {
                left_out += 1;
            }
            flow
        });
        stats.hits -= left_out;
        flow
    }
}

impl PlacedMesh<'_> {
    /// Visits the triangles that share a point with a region.
    pub(crate) fn overlap(
        &self,
        region: &RegionRef<'_>,
        stats: &mut QueryStats,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(solid) = self.frame().region(region, &self.placement.aabb(&self.bounds)) else {
            return ControlFlow::Continue(());
        };
        let mut flow = ControlFlow::Continue(());
        *stats += solid.overlapping(self.mesh, &mut |index| {
            flow = visit(index);
            flow
        });
        flow
    }

    /// The same, and how each triangle lies to the region.
    pub(crate) fn contained(
        &self,
        region: &RegionRef<'_>,
        stats: &mut QueryStats,
        visit: &mut dyn FnMut((u32, Containment)) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(solid) = self.frame().region(region, &self.placement.aabb(&self.bounds)) else {
            return ControlFlow::Continue(());
        };
        let mut flow = ControlFlow::Continue(());
        *stats += solid.classified(self.mesh, &mut |found| {
            flow = visit(found);
            flow
        });
        flow
    }

    /// Where a moving shape first touches, no later than a time.
    pub(crate) fn first_touch(&self, sweep: &Sweep, time_max: f32, stats: &mut QueryStats) -> Option<MeshSweepHit> {
        let frame = self.frame();
        let (touch, work) = frame.sweep(sweep).first(self.mesh, time_max);
        *stats += work;
        touch.map(|touch| frame.touch_in_world(&touch, sweep))
    }

    /// Visits every triangle that a moving shape touches, no later than a time.
    pub(crate) fn touches(
        &self,
        sweep: &Sweep,
        time_max: f32,
        stats: &mut QueryStats,
        visit: &mut dyn FnMut(MeshSweepHit) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let frame = self.frame();
        let mut flow = ControlFlow::Continue(());
        *stats += frame.sweep(sweep).all(self.mesh, time_max, &mut |touch| {
            flow = visit(frame.touch_in_world(&touch, sweep));
            flow
        });
        flow
    }

    /// The closest point within a distance.
    pub(crate) fn closest_point(&self, point: Vec3, distance_max: f32, stats: &mut QueryStats) -> Option<MeshPoint> {
        let frame = self.frame();
        let near = NearPoint::rounded(frame.to_local(point.as_dvec3()));
        let (closest, work) = near.closest(self.mesh, frame.distance_to_local(f64::from(distance_max)));
        *stats += work;
        let (triangle, position, distance_sq) = closest?;
        Some(frame.point_in_world((triangle, position, sqrt_f64(distance_sq))))
    }

    fn frame(&self) -> Frame {
        Frame::new(&self.placement)
    }
}

#[cfg(test)]
mod tests;
