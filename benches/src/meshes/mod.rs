//! Triangle meshes: broadleaf and its peers behind one interface.

pub mod cases;
#[cfg(feature = "embree")]
mod embree;
#[cfg(feature = "peers")]
pub mod file;
#[cfg(feature = "peers")]
mod obvhs;
#[cfg(feature = "peers")]
mod peers;
#[cfg(all(feature = "tinybvh", target_feature = "avx2"))]
mod tinybvh;

#[cfg(feature = "embree")]
pub use embree::EmbreeMesh;
#[cfg(feature = "peers")]
pub use obvhs::{Bvh2Mesh, CwBvhMesh};
#[cfg(feature = "peers")]
pub use peers::{BvhCrateMesh, ParryMesh};
#[cfg(all(feature = "tinybvh", target_feature = "avx2"))]
pub use tinybvh::TinyBvhMesh;

use broadleaf::glam::Vec3;
use broadleaf::{Mesh, QueryStats, Ray, Threads};
use std::hint::black_box;
use workloads::Model;

/// A tracer under measurement. Distances are infinite where nothing is hit.
pub trait MeshSubject {
    /// Its name in the tables.
    fn name(&self) -> &'static str;

    /// Builds from positions and indices until it can trace; the fastest way it has.
    fn build(&mut self, model: &Model);

    /// Builds anew, and spends what it likes to become good at rays; `false` if it has but one way to build.
    fn finish_build(&mut self, _model: &Model) -> bool {
        false
    }

    /// Whether it takes minutes at so many triangles.
    fn is_patient(&self, _triangles: usize) -> bool {
        true
    }

    /// Distance to the nearest triangle along each ray.
    fn closest_hits(&self, rays: &[Ray], distances: &mut Vec<f32>);

    /// Whether each ray hits anything, as zero or infinity; `false` if it has no such question.
    fn any_hits(&self, _rays: &[Ray], _distances: &mut Vec<f32>) -> bool {
        false
    }

    /// Distance to the closest point of the mesh; `false` if it has no such question.
    fn closest_points(&self, _points: &[Vec3], _distances: &mut Vec<f32>) -> bool {
        false
    }
}

/// broadleaf's mesh.
#[derive(Default)]
pub struct BroadleafMesh {
    mesh: Mesh,
}

impl BroadleafMesh {
    /// The mesh built last.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }
}

impl MeshSubject for BroadleafMesh {
    fn name(&self) -> &'static str {
        "broadleaf"
    }

    fn build(&mut self, model: &Model) {
        self.mesh = Mesh::builder()
            .threads(Threads::Pool)
            .from_indexed(model.positions(), model.indices())
            .expect("a legal model");
    }

    fn closest_hits(&self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        let mut work = QueryStats::default();
        distances.extend(rays.iter().map(|ray| {
            let hit = self.mesh.cast(ray).stats(&mut work).closest();
            hit.map_or(f32::INFINITY, |hit| hit.distance)
        }));
        black_box(work);
    }

    fn any_hits(&self, rays: &[Ray], distances: &mut Vec<f32>) -> bool {
        distances.clear();
        distances.extend(rays.iter().map(|ray| {
            let hit = self.mesh.cast(ray).any();
            hit.map_or(f32::INFINITY, |_| 0.0)
        }));
        true
    }

    fn closest_points(&self, points: &[Vec3], distances: &mut Vec<f32>) -> bool {
        distances.clear();
        distances.extend(points.iter().map(|&point| {
            let mut work = QueryStats::default();
            let closest = self.mesh.nearest(point).expect("a finite point").stats(&mut work).closest();
            black_box(work);
            closest.map_or(f32::INFINITY, |closest| closest.distance)
        }));
        true
    }
}
