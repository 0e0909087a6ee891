//! What a ray hits: the nearest, any, or all.

use super::{Culling, Mesh, MeshHit, Side};
use crate::data::view::QueryStats;
use crate::geometry::triangle::ray::{ShearedRay, TriangleHit};
use crate::geometry::{Ray, Triangle};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec3;

impl Mesh {
    /// The nearest triangle that a ray hits within its reach; of equally near
    /// ones, the first of the input.
    #[must_use]
    pub fn closest_hit(&self, ray: &Ray, culling: Culling) -> (Option<MeshHit>, QueryStats) {
        let mut best: Option<MeshHit> = None;
        let mut stats = self.hits(ray, culling, |hit| {
            if best.is_none_or(|best| (hit.distance, hit.triangle) < (best.distance, best.triangle)) {
                best = Some(hit);
            }
            ControlFlow::Continue(())
        });
        stats.hits = u64::from(best.is_some());
        (best, stats)
    }

    /// Some triangle that a ray hits within its reach: enough for shadows and lines of sight.
    #[must_use]
    pub fn any_hit(&self, ray: &Ray, culling: Culling) -> (Option<MeshHit>, QueryStats) {
        let mut found = None;
        let stats = self.hits(ray, culling, |hit| {
            found = Some(hit);
            ControlFlow::Break(())
        });
        (found, stats)
    }

    /// Visits every triangle that a ray hits within its reach, in no order of distance.
    pub fn hits(&self, ray: &Ray, culling: Culling, mut visit: impl FnMut(MeshHit) -> ControlFlow<()>) -> QueryStats {
        let sheared = ShearedRay::new(ray);
        let mut stats = QueryStats::default();
        for (index, triangle) in self.found() {
            stats.objects_tested += 1;
            let hit = sheared.hit(triangle, ray.distance_max()).map(|hit| mesh_hit(index, triangle, &hit));
            let Some(hit) = hit.filter(|hit| culling.hits(hit.side)) else { continue };
            stats.hits += 1;
            if visit(hit).is_break() {
                break;
            }
        }
        stats
    }

    /// Fills `found` with every triangle that a ray hits within its reach, in no order of distance.
    pub fn hits_into(&self, ray: &Ray, culling: Culling, found: &mut Vec<MeshHit>) -> QueryStats {
        found.clear();
        self.hits(ray, culling, |hit| {
            found.push(hit);
            ControlFlow::Continue(())
        })
    }
}

/// What a hit says of the triangle.
pub(super) fn mesh_hit(index: u32, triangle: &Triangle, hit: &TriangleHit) -> MeshHit {
    let [u, v, w] = hit.weights;
    MeshHit {
        triangle: index,
        distance: hit.distance,
        position: triangle.a * u + triangle.b * v + triangle.c * w,
        normal: super::unit_normal(triangle),
        barycentric: Vec3::new(u, v, w),
        side: if hit.front { Side::Front } else { Side::Back },
    }
}
