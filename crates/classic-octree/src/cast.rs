//! The state of a ray during a traversal: its hits so far, and which hits it still wants.

use super::{Cell, OctantMesh};
use crate::triangle::{ShearedRay, TriangleHit};
use broadleaf::glam::Vec3;
use broadleaf::{
    QueryStats, Ray,
    mesh::{Culling, MeshHit},
};
use std::ops::ControlFlow;

/// A ray, and the nearest of the triangles that it was tested against.
pub(super) struct Cast<'a> {
    mesh: &'a OctantMesh,
    pub(super) ray: &'a Ray,
    /// One over each component of the direction.
    inverse: Vec3,
    sheared: ShearedRay<'a>,
    culling: Culling,
    any: bool,
    best: Option<(u32, TriangleHit)>,
    stats: QueryStats,
}

impl<'a> Cast<'a> {
    pub(super) fn new(mesh: &'a OctantMesh, ray: &'a Ray, culling: Culling, any: bool) -> Self {
        let (inverse, sheared) = (ray.direction().recip(), ShearedRay::new(ray));
        Self { mesh, ray, inverse, sheared, culling, any, best: None, stats: QueryStats::default() }
    }

    /// How far the ray still has to look: up to its nearest hit.
    pub(super) fn reach(&self) -> f32 {
        self.best.map_or(self.ray.distance_max(), |(_, hit)| hit.distance)
    }

    /// The distances at which the ray enters and leaves a cube, if it does within its reach.
    pub(super) fn span(&self, cell: &Cell, looseness: f32) -> Option<(f32, f32)> {
        let cube = cell.cube(looseness);
        let (mut enter, mut exit) = (0.0_f32, self.ray.distance_max());
        for axis in 0..3 {
            let (low, high) = self.slab(axis, cube.min[axis], cube.max[axis]);
            enter = enter.max(low);
            exit = exit.min(high);
        }
        (enter <= exit).then_some((enter, exit))
    }

    /// The distances at which the ray enters and leaves the room between two
    /// planes across an axis; of a ray along the planes, all distances or none.
    pub(super) fn slab(&self, axis: usize, low: f32, high: f32) -> (f32, f32) {
        let (origin, inverse) = (self.ray.origin()[axis], self.inverse[axis]);
        if inverse.is_infinite() {
            let within = low <= origin && origin <= high;
            return if within { (f32::NEG_INFINITY, f32::INFINITY) } else { (f32::INFINITY, f32::NEG_INFINITY) };
        }
        let (near, far) = if inverse > 0.0 { (low, high) } else { (high, low) };
        ((near - origin) * inverse, (far - origin) * inverse)
    }

    /// The axes along which the ray runs downward, as bits of an octant.
    pub(super) fn downward(&self) -> u32 {
        let runs = |axis: usize| !self.is_parallel(axis) && self.inverse[axis] < 0.0;
        (0..3).fold(0, |bits, axis| bits | u32::from(runs(axis)) << axis)
    }

    /// Whether the ray does not run along an axis at all.
    pub(super) fn is_parallel(&self, axis: usize) -> bool {
        self.inverse[axis].is_infinite()
    }

    /// Where the ray crosses the planes through a point across each axis.
    pub(super) fn crossings(&self, point: Vec3) -> Vec3 {
        (point - self.ray.origin()) * self.inverse
    }

    /// Tests the ray against a cell's own triangles.
    pub(super) fn visit(&mut self, cell: &Cell) -> ControlFlow<()> {
        self.stats.nodes_visited += 1;
        let own = cell.start as usize..(cell.start + cell.len) as usize;
        self.stats.objects_tested += u64::from(cell.len);
        for &index in &self.mesh.references[own] {
            let triangle = &self.mesh.triangles[index as usize];
            let Some(hit) = self.sheared.hit(triangle, self.reach()) else { continue };
            if !self.culling.hits(hit.side) {
                continue;
            }
            if self.best.is_none_or(|(best, nearest)| (hit.distance, index) < (nearest.distance, best)) {
                self.best = Some((index, hit));
                if self.any {
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// What the ray hit.
    pub(super) fn finish(mut self) -> (Option<MeshHit>, QueryStats) {
        self.stats.hits = u64::from(self.best.is_some());
        let hit = self.best.map(|(index, hit)| hit.of(index, &self.mesh.triangles[index as usize]));
        (hit, self.stats)
    }
}
