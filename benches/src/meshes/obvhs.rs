//! The trees of obvhs, with the triangle test that it ships.

use super::MeshSubject;
use broadleaf::Ray;
use obvhs::BvhBuildParams;
use obvhs::bvh2::Bvh2;
use obvhs::cwbvh::CwBvh;
use obvhs::ploc::{PlocBuilder, PlocSearchDistance, SortPrecision};
use obvhs::ray::{Ray as PeerRay, RayHit};
use obvhs::rt_triangle::RtTriangle;
use obvhs::triangle::Triangle as PeerTriangle;
use std::time::Duration;
use workloads::Model;

/// obvhs's binary tree: PLOC when it is timed, its slowest build for rays.
pub type Bvh2Mesh = ObvhsMesh<Bvh2>;

/// obvhs's compressed eight-wide tree.
pub type CwBvhMesh = ObvhsMesh<CwBvh>;

/// A tree of obvhs and its triangles.
#[derive(Default)]
pub struct ObvhsMesh<T> {
    tree: T,
    builder: PlocBuilder,
    leaves: Vec<RtTriangle>,
}

/// What the trees of obvhs have in common.
pub trait ObvhsTree {
    /// Its name in the tables.
    const NAME: &'static str;

    /// Builds in the quickest way.
    fn build(&mut self, builder: &mut PlocBuilder, triangles: &[PeerTriangle]);

    /// Builds for the quickest rays.
    fn finish_build(&mut self, triangles: &[PeerTriangle]);

    /// Which triangle stands at each place of the tree.
    fn order(&self) -> &[u32];

    /// Finds the nearest of what `test` says of a place.
    fn nearest(&self, ray: PeerRay, hit: &mut RayHit, test: impl FnMut(&PeerRay, usize) -> f32);

    /// Whether no place is hit.
    fn misses(&self, ray: PeerRay, test: impl FnMut(&PeerRay, usize) -> f32) -> bool;
}

/// The slowest build, without the splits that refer to triangles twice.
fn slow() -> BvhBuildParams {
    BvhBuildParams { pre_split: false, ..BvhBuildParams::very_slow_build() }
}

impl ObvhsTree for Bvh2 {
    const NAME: &'static str = "obvhs Bvh2";

    fn build(&mut self, builder: &mut PlocBuilder, triangles: &[PeerTriangle]) {
        let indices = (0..).zip(triangles).map(|(index, _)| index).collect();
        let (nearby, precision) = (PlocSearchDistance::Minimum, SortPrecision::U64);
        builder.build_with_bvh(self, nearby, triangles, indices, precision, 0);
    }

    fn finish_build(&mut self, triangles: &[PeerTriangle]) {
        *self = obvhs::bvh2::builder::build_bvh2_from_tris(triangles, slow(), &mut Duration::default());
    }

    fn order(&self) -> &[u32] {
        &self.primitive_indices
    }

    fn nearest(&self, ray: PeerRay, hit: &mut RayHit, test: impl FnMut(&PeerRay, usize) -> f32) {
        self.ray_traverse(ray, hit, test);
    }

    fn misses(&self, ray: PeerRay, test: impl FnMut(&PeerRay, usize) -> f32) -> bool {
        self.ray_traverse_miss(ray, test)
    }
}

impl ObvhsTree for CwBvh {
    const NAME: &'static str = "obvhs CwBvh";

    fn build(&mut self, _builder: &mut PlocBuilder, triangles: &[PeerTriangle]) {
        let quick = BvhBuildParams::fastest_build();
        *self = obvhs::cwbvh::builder::build_cwbvh_from_tris(triangles, quick, &mut Duration::default());
    }

    fn finish_build(&mut self, triangles: &[PeerTriangle]) {
        *self = obvhs::cwbvh::builder::build_cwbvh_from_tris(triangles, slow(), &mut Duration::default());
    }

    fn order(&self) -> &[u32] {
        &self.primitive_indices
    }

    fn nearest(&self, ray: PeerRay, hit: &mut RayHit, test: impl FnMut(&PeerRay, usize) -> f32) {
        self.ray_traverse(ray, hit, test);
    }

    fn misses(&self, ray: PeerRay, test: impl FnMut(&PeerRay, usize) -> f32) -> bool {
        self.ray_traverse_miss(ray, test)
    }
}

impl<T: ObvhsTree> ObvhsMesh<T> {
    fn make(&mut self, model: &Model, build: impl FnOnce(&mut T, &mut PlocBuilder, &[PeerTriangle])) {
        let at = |index: u32| model.positions()[index as usize].to_array().into();
        let triangle = |t: &[u32]| PeerTriangle { v0: at(t[0]), v1: at(t[1]), v2: at(t[2]) };
        let triangles: Vec<PeerTriangle> = model.indices().chunks(3).map(triangle).collect();
        build(&mut self.tree, &mut self.builder, &triangles);
        self.leaves = self.tree.order().iter().map(|&index| (&triangles[index as usize]).into()).collect();
    }
}

impl<T: ObvhsTree> MeshSubject for ObvhsMesh<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn build(&mut self, model: &Model) {
        self.make(model, T::build);
    }

    fn finish_build(&mut self, model: &Model) -> bool {
        self.make(model, |tree, _, triangles| tree.finish_build(triangles));
        true
    }

    fn closest_hits(&self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        distances.extend(rays.iter().map(|ray| {
            let mut hit = RayHit::none();
            self.tree.nearest(convert(ray), &mut hit, |ray, at| self.leaves[at].intersect(ray));
            if hit.primitive_id == u32::MAX { f32::INFINITY } else { hit.t }
        }));
    }

    fn any_hits(&self, rays: &[Ray], distances: &mut Vec<f32>) -> bool {
        distances.clear();
        distances.extend(rays.iter().map(|ray| {
            let missed = self.tree.misses(convert(ray), |ray, at| self.leaves[at].intersect(ray));
            if missed { f32::INFINITY } else { 0.0 }
        }));
        true
    }
}

fn convert(ray: &Ray) -> PeerRay {
    PeerRay::new(ray.origin().to_array().into(), ray.direction().to_array().into(), 0.0, ray.distance_max())
}
