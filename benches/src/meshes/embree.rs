//! Embree 3 through a few functions of C: the system's library, on one thread.
#![expect(unsafe_code, reason = "the peer is a library of C; decision 0035")]

use super::MeshSubject;
use broadleaf::Ray;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use workloads::Model;

unsafe extern "C" {
    fn peer_embree_build(
        positions: *const f32,
        position_count: u32,
        indices: *const u32,
        triangle_count: u32,
        slow: c_int,
    ) -> *mut c_void;
    fn peer_embree_release(scene: *mut c_void);
    fn peer_embree_closest(scene: *mut c_void, origin: *const f32, direction: *const f32, distance_max: f32) -> f32;
    fn peer_embree_any(scene: *mut c_void, origin: *const f32, direction: *const f32, distance_max: f32) -> c_int;
}

/// A scene, released once.
struct Scene(NonNull<c_void>);

impl Scene {
    fn new(model: &Model, slow: bool) -> Self {
        let positions: Vec<[f32; 3]> = model.positions().iter().map(|point| point.to_array()).collect();
        let (positions, indices) = (positions.as_flattened(), model.indices());
        let count = |len: usize| u32::try_from(len / 3).expect("a model fits 32 bits");
        // SAFETY: both arrays hold as many threes as is said, and are copied before the call returns.
        let scene = unsafe {
            let (p, i) = (positions.as_ptr(), indices.as_ptr());
            peer_embree_build(p, count(positions.len()), i, count(indices.len()), slow.into())
        };
        Self(NonNull::new(scene).expect("Embree builds a legal model"))
    }

    fn closest(&self, ray: &Ray) -> f32 {
        let (origin, direction) = (ray.origin().to_array(), ray.direction().to_array());
        // SAFETY: the scene is committed and alive; three floats are read from each array.
        unsafe { peer_embree_closest(self.0.as_ptr(), origin.as_ptr(), direction.as_ptr(), ray.distance_max()) }
    }

    fn any(&self, ray: &Ray) -> bool {
        let (origin, direction) = (ray.origin().to_array(), ray.direction().to_array());
        // SAFETY: as in `closest`.
        unsafe { peer_embree_any(self.0.as_ptr(), origin.as_ptr(), direction.as_ptr(), ray.distance_max()) != 0 }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // SAFETY: the scene is this one's own, and nothing uses it any more.
        unsafe { peer_embree_release(self.0.as_ptr()) }
    }
}

/// Embree's triangle mesh: low quality, by Morton codes, when its build is
/// timed; high quality, with spatial splits, for rays.
#[derive(Default)]
pub struct EmbreeMesh {
    scene: Option<Scene>,
}

impl MeshSubject for EmbreeMesh {
    fn name(&self) -> &'static str {
        "Embree 3"
    }

    fn build(&mut self, model: &Model) {
        self.scene = Some(Scene::new(model, false));
    }

    fn finish_build(&mut self, model: &Model) -> bool {
        self.scene = Some(Scene::new(model, true));
        true
    }

    fn closest_hits(&self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        let Some(scene) = &self.scene else { return };
        distances.extend(rays.iter().map(|ray| scene.closest(ray)));
    }

    fn any_hits(&self, rays: &[Ray], distances: &mut Vec<f32>) -> bool {
        distances.clear();
        let Some(scene) = &self.scene else { return false };
        distances.extend(rays.iter().map(|ray| if scene.any(ray) { 0.0 } else { f32::INFINITY }));
        true
    }
}
