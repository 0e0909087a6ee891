//! Embree 3's hierarchy over boxes as user geometry: rays, one a call, on one thread.
#![expect(unsafe_code, reason = "the peer is a library of C; decision 0035")]

use super::{Bodies, Operation, Subject, Tally, World};
use broadleaf::{Aabb, Ray};
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

unsafe extern "C" {
    fn peer_embree_boxes_build(boxes: *const f32, count: u32, slow: c_int) -> *mut c_void;
    fn peer_embree_boxes_release(scene: *mut c_void);
    fn peer_embree_boxes_closest(
        scene: *mut c_void,
        origin: *const f32,
        direction: *const f32,
        distance_max: f32,
    ) -> f32;
}

/// A scene, released once, and the boxes that it reads.
struct Scene {
    scene: NonNull<c_void>,
    boxes: Vec<[f32; 6]>,
}

impl Scene {
    fn new(boxes: Vec<[f32; 6]>, slow: bool) -> Self {
        let count = u32::try_from(boxes.len()).expect("few boxes");
        // SAFETY: six floats are read for each of `count` boxes, which stay where they are as long as the scene lives.
        let scene = unsafe { peer_embree_boxes_build(boxes.as_flattened().as_ptr(), count, slow.into()) };
        Self { scene: NonNull::new(scene).expect("Embree builds legal boxes"), boxes }
    }

    fn closest(&self, ray: &Ray) -> f32 {
        let (origin, direction) = (ray.origin().to_array(), ray.direction().to_array());
        // SAFETY: the scene is committed and alive; three floats are read from each array.
        unsafe {
            let (origin, direction) = (origin.as_ptr(), direction.as_ptr());
            peer_embree_boxes_closest(self.scene.as_ptr(), origin, direction, ray.distance_max())
        }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // SAFETY: the scene is this one's own, and nothing uses it any more.
        unsafe { peer_embree_boxes_release(self.scene.as_ptr()) }
    }
}

/// Low quality when its build is timed, high quality for rays.
#[derive(Default)]
pub(super) struct Embree {
    scene: Option<Scene>,
}

impl Subject for Embree {
    fn name(&self) -> &'static str {
        "Embree 3"
    }

    fn can(&self, operation: Operation, _count: usize) -> bool {
        matches!(operation, Operation::Build | Operation::Ray)
    }

    /// Its traversal is not made robust, as in most uses: a ray along a face may miss the box.
    fn misses_max(&self, rays: usize) -> usize {
        rays / 1000
    }

    fn build(&mut self, world: &World) {
        let corners = |aabb: &Aabb| {
            let ([a, b, c], [d, e, f]) = (aabb.min.to_array(), aabb.max.to_array());
            [a, b, c, d, e, f]
        };
        self.scene = Some(Scene::new(world.bodies.boxes().iter().map(corners).collect(), false));
    }

    fn finish_build(&mut self) {
        if let Some(scene) = self.scene.take() {
            let boxes = scene.boxes.clone();
            self.scene = Some(Scene::new(boxes, true));
        }
    }

    fn update(&mut self, _bodies: &Bodies) {
        panic!("used for rays alone")
    }

    fn pairs(&mut self) -> usize {
        panic!("used for rays alone")
    }

    fn pairs_tally(&self) -> Tally {
        Tally::default()
    }

    fn in_boxes(&mut self, _boxes: &[Aabb], _tally: Option<&mut Tally>) -> usize {
        panic!("used for rays alone")
    }

    fn rays(&mut self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        let Some(scene) = &self.scene else { return };
        distances.extend(rays.iter().map(|ray| scene.closest(ray)));
    }
}
