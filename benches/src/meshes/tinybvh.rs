//! The eight-wide tree of tinybvh for AVX2, through its wrapper in Rust.

use super::MeshSubject;
use broadleaf::Ray;
use tinybvh_rs::{Intersection, Intersector, Ray as PeerRay, bvh, bvh8_cpu, mbvh};
use workloads::Model;

/// The most triangles of a leaf: what the layout demands.
const LEAF_MAX: u32 = 4;

/// tinybvh's `BVH8_CPU`: by binned surface areas when its build is timed, with spatial splits for rays.
#[derive(Default)]
pub struct TinyBvhMesh {
    tree: Option<bvh8_cpu::BVH>,
}

/// The triangles' corners, with a fourth coordinate that is not read.
fn corners(model: &Model) -> Vec<[f32; 4]> {
    let corner = |&index: &u32| model.positions()[index as usize].extend(0.0).to_array();
    model.indices().iter().map(corner).collect()
}

/// A ray on a line of its own, as tinybvh wants it.
#[repr(align(64))]
struct Line(PeerRay);

/// The wrapper's `Ray::new` is not called: what it calls in C++ writes twice the bytes that the ray has in Rust.
fn asked(ray: &Ray) -> Line {
    // Its own infinity is a finite number.
    let invert = |d: f32| if d.abs() > 1e-12 { 1.0 / d } else { tinybvh_rs::INFINITE };
    Line(PeerRay {
        origin: ray.origin().to_array(),
        // Which instances may be hit: all.
        padding_0: 0xffff,
        dir: ray.direction().to_array(),
        r_d: ray.direction().to_array().map(invert),
        hit: Intersection { t: ray.distance_max().min(tinybvh_rs::INFINITE), ..Intersection::default() },
        ..PeerRay::default()
    })
}

fn wide(mut binary: bvh::BVH) -> bvh8_cpu::BVH {
    binary.split_leaves(LEAF_MAX);
    bvh8_cpu::BVH::new(&mbvh::BVH::new(&binary)).expect("leaves have been split")
}

impl MeshSubject for TinyBvhMesh {
    fn name(&self) -> &'static str {
        "tinybvh BVH8_CPU"
    }

    fn build(&mut self, model: &Model) {
        let corners = corners(model);
        self.tree = Some(wide(bvh::BVH::new(corners.as_slice().into()).expect("three corners a triangle")));
    }

    fn finish_build(&mut self, model: &Model) -> bool {
        let corners = corners(model);
        self.tree = Some(wide(bvh::BVH::new_hq(corners.as_slice().into()).expect("three corners a triangle")));
        true
    }

    fn closest_hits(&self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        let Some(tree) = &self.tree else { return };
        distances.extend(rays.iter().map(|ray| {
            let mut line = asked(ray);
            let limit = line.0.hit.t;
            tree.intersect(&mut line.0);
            if line.0.hit.t < limit { line.0.hit.t } else { f32::INFINITY }
        }));
    }
}
