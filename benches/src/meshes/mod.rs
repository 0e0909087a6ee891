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
use broadleaf::mesh::BuildQuality;
use broadleaf::{Mesh, Ray, Threads};
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

/// broadleaf's mesh: the default build is timed; one of high quality is asked for rays.
#[derive(Default)]
pub struct BroadleafMesh {
    mesh: Mesh,
    /// Rays are asked of the default build too.
    fast_only: bool,
}

impl BroadleafMesh {
    /// The default build alone.
    #[must_use]
    pub fn fast_only() -> Self {
        Self { fast_only: true, ..Self::default() }
    }

    fn build_with(&mut self, model: &Model, quality: BuildQuality) {
        let builder = Mesh::builder().threads(Threads::Pool).quality(quality);
        self.mesh = builder.from_indexed(model.positions(), model.indices()).expect("a legal model");
    }

    /// The mesh built last.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }
}

impl MeshSubject for BroadleafMesh {
    fn name(&self) -> &'static str {
        if self.fast_only { "broadleaf, fast build" } else { "broadleaf" }
    }

    fn build(&mut self, model: &Model) {
        self.build_with(model, BuildQuality::Fast);
    }

    fn finish_build(&mut self, model: &Model) -> bool {
        if !self.fast_only {
            self.build_with(model, BuildQuality::High);
        }
        !self.fast_only
    }

    fn closest_hits(&self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        distances.extend(rays.iter().map(|ray| {
            let hit = self.mesh.cast(ray).closest();
            hit.map_or(f32::INFINITY, |hit| hit.distance)
        }));
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
            let closest = self.mesh.nearest(point).expect("a finite point").closest();
            closest.map_or(f32::INFINITY, |closest| closest.distance)
        }));
        true
    }
}
