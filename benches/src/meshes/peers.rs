//! The peers with a mesh or a tree of their own, each with the triangle test that it ships.

use super::MeshSubject;
use broadleaf::Ray;
use broadleaf::glam::Vec3;
use bvh::aabb::{Aabb as PeerAabb, Bounded};
use bvh::bounding_hierarchy::BHShape;
use nalgebra::{Point3, Vector3};
use parry3d::math::Vector;
use parry3d::query::{PointQuery, RayCast};
use parry3d::shape::TriMesh;
use workloads::Model;

/// parry3d's triangle mesh.
#[derive(Default)]
pub struct ParryMesh {
    mesh: Option<TriMesh>,
}

impl MeshSubject for ParryMesh {
    fn name(&self) -> &'static str {
        "parry3d TriMesh"
    }

    fn build(&mut self, model: &Model) {
        let positions = model.positions().iter().map(|point| Vector::from(point.to_array())).collect();
        let indices = model.indices().chunks(3).map(|t| [t[0], t[1], t[2]]).collect();
        self.mesh = TriMesh::new(positions, indices).ok();
    }

    fn closest_hits(&self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        let Some(mesh) = &self.mesh else { return };
        distances.extend(rays.iter().map(|ray| {
            let (origin, direction) = (ray.origin().to_array(), ray.direction().to_array());
            let query = parry3d::query::Ray::new(Vector::from(origin), Vector::from(direction));
            mesh.cast_local_ray(&query, ray.distance_max(), false).unwrap_or(f32::INFINITY)
        }));
    }

    fn closest_points(&self, points: &[Vec3], distances: &mut Vec<f32>) -> bool {
        distances.clear();
        let Some(mesh) = &self.mesh else { return false };
        distances.extend(points.iter().map(|point| {
            let point = Vector::from(point.to_array());
            mesh.project_local_point(point, false).point.distance(point)
        }));
        true
    }
}

struct Leaf {
    corners: [Point3<f32>; 3],
    node: usize,
}

impl Bounded<f32, 3> for Leaf {
    fn aabb(&self) -> PeerAabb<f32, 3> {
        let [a, b, c] = self.corners;
        PeerAabb::with_bounds(a, a).grow(&b).grow(&c)
    }
}

impl BHShape<f32, 3> for Leaf {
    fn set_bh_node_index(&mut self, index: usize) {
        self.node = index;
    }

    fn bh_node_index(&self) -> usize {
        self.node
    }
}

/// The crate `bvh`.
#[derive(Default)]
pub struct BvhCrateMesh {
    leaves: Vec<Leaf>,
    tree: Option<bvh::bvh::Bvh<f32, 3>>,
}

impl MeshSubject for BvhCrateMesh {
    fn name(&self) -> &'static str {
        "bvh"
    }

    fn build(&mut self, model: &Model) {
        let at = |index: u32| Point3::from(model.positions()[index as usize].to_array());
        let leaf = |t: &[u32]| Leaf { corners: [at(t[0]), at(t[1]), at(t[2])], node: 0 };
        self.leaves = model.indices().chunks(3).map(leaf).collect();
        self.tree = Some(bvh::bvh::Bvh::build(&mut self.leaves));
    }

    fn is_patient(&self, triangles: usize) -> bool {
        triangles <= 200_000
    }

    fn closest_hits(&self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        let Some(tree) = &self.tree else { return };
        distances.extend(rays.iter().map(|ray| {
            let origin = Point3::from(ray.origin().to_array());
            let query = bvh::ray::Ray::new(origin, Vector3::from(ray.direction().to_array()));
            let distance = |leaf: &&Leaf| {
                // Its test passes through back sides: asked for both.
                let [a, b, c] = &leaf.corners;
                query.intersects_triangle(a, b, c).distance.min(query.intersects_triangle(a, c, b).distance)
            };
            tree.traverse_iterator(&query, &self.leaves).map(|leaf| distance(&leaf)).fold(f32::INFINITY, f32::min)
        }));
    }
}
