//! The crate `bvh`: binned build, rays in order of distance.

use super::{Bodies, Operation, Subject, Tally, World};
use crate::naive::Slabs;
use broadleaf::Aabb;
use broadleaf::Ray;
use bvh::aabb::{Aabb as PeerAabb, Bounded};
use bvh::bounding_hierarchy::BHShape;
use bvh::bvh::Bvh;
use nalgebra::{Point3, Vector3};

/// Above this many objects its build takes seconds.
const COUNT_MAX: usize = 200_000;

struct Leaf {
    aabb: PeerAabb<f32, 3>,
    node: usize,
}

impl Bounded<f32, 3> for Leaf {
    fn aabb(&self) -> PeerAabb<f32, 3> {
        self.aabb
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

/// The tree and its shapes.
#[derive(Default)]
pub struct BvhCrate {
    leaves: Vec<Leaf>,
    tree: Option<Bvh<f32, 3>>,
}

fn point(v: broadleaf::glam::Vec3) -> Point3<f32> {
    Point3::from(v.to_array())
}

impl Subject for BvhCrate {
    fn name(&self) -> &'static str {
        "bvh"
    }

    fn can(&self, operation: Operation, count: usize) -> bool {
        count <= COUNT_MAX && matches!(operation, Operation::Build | Operation::Ray)
    }

    fn build(&mut self, world: &World) {
        let leaf = |b: &Aabb| Leaf { aabb: PeerAabb::with_bounds(point(b.min), point(b.max)), node: 0 };
        self.leaves = world.bodies.boxes().iter().map(leaf).collect();
        self.tree = Some(Bvh::build(&mut self.leaves));
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
        let Some(tree) = &self.tree else { return };
        for ray in rays {
            let slabs = Slabs::new(ray);
            let query = bvh::ray::Ray::new(point(ray.origin()), Vector3::from(ray.direction().to_array()));
            let nearest = tree.nearest_traverse_iterator(&query, &self.leaves).next();
            distances.push(nearest.map_or(f32::INFINITY, |leaf| {
                slabs.enter(leaf.aabb.min.coords.data.0[0].into(), leaf.aabb.max.coords.data.0[0].into())
            }));
        }
    }
}
