//! obvhs: a binary BVH built by PLOC and refitted in place, with each object's
//! box as a query for the pairs (as its physics example does); and its
//! compressed eight-wide BVH for rays.

use super::{Bodies, Operation, Subject, Tally, World, tally_found, tally_of};
use crate::naive::{Slabs, distance_sq};
use broadleaf::{Aabb, Ray, Sphere};
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb as PeerAabb;
use obvhs::cwbvh::CwBvh as PeerCwBvh;
use obvhs::ploc::{PlocBuilder, PlocSearchDistance, SortPrecision};
use obvhs::ray::{Ray as PeerRay, RayHit};
use std::time::Duration;

fn convert(aabb: &Aabb) -> PeerAabb {
    PeerAabb::new(aabb.min.to_array().into(), aabb.max.to_array().into())
}

fn convert_ray(ray: &Ray) -> PeerRay {
    let (origin, direction) = (ray.origin().to_array().into(), ray.direction().to_array().into());
    PeerRay::new(origin, direction, 0.0, ray.distance_max())
}

fn nearest(hit: &RayHit) -> f32 {
    if hit.primitive_id == u32::MAX { f32::INFINITY } else { hit.t }
}

/// The binary BVH, one object in a leaf.
#[derive(Default)]
pub struct Bvh2 {
    tree: obvhs::bvh2::Bvh2,
    builder: PlocBuilder,
    boxes: Vec<PeerAabb>,
    world: Option<World>,
    pairs: Vec<(u32, u32)>,
    found: Vec<u32>,
}

impl Bvh2 {
    #[inline]
    fn touching(tree: &obvhs::bvh2::Bvh2, aabb: PeerAabb, mut found: impl FnMut(u32, &PeerAabb)) {
        tree.aabb_traverse(aabb, |tree, node| {
            let node = &tree.nodes[node as usize];
            found(tree.primitive_indices[node.first_index as usize], node.aabb());
            true
        });
    }
}

impl Subject for Bvh2 {
    fn name(&self) -> &'static str {
        "obvhs Bvh2"
    }

    fn can(&self, operation: Operation, _count: usize) -> bool {
        !matches!(operation, Operation::Frustum | Operation::Nearest | Operation::Sweep)
    }

    fn build(&mut self, world: &World) {
        self.boxes.clear();
        self.boxes.extend(world.bodies.boxes().iter().map(convert));
        let indices = (0..).zip(&self.boxes).map(|(index, _)| index).collect();
        let (nearby, precision) = (PlocSearchDistance::Minimum, SortPrecision::U64);
        self.builder.build_with_bvh(&mut self.tree, nearby, &self.boxes, indices, precision, 0);
    }

    fn remember(&mut self, world: &World) {
        self.world = Some(world.clone());
    }

    fn finish_build(&mut self) {
        let params = BvhBuildParams { max_prims_per_leaf: 1, ..BvhBuildParams::medium_build() };
        self.tree = obvhs::bvh2::builder::build_bvh2(&self.boxes, params, &mut Duration::default());
        // Lets the refit run as one sweep.
        self.tree.reorder_in_stack_traversal_order();
        self.tree.init_primitives_to_nodes_if_uninit();
    }

    fn update(&mut self, bodies: &Bodies) {
        let Some(world) = &mut self.world else { return };
        for (&mover, aabb) in world.stepping.iter().zip(bodies.boxes()) {
            let node = self.tree.primitives_to_nodes[mover as usize];
            let aabb = convert(aabb);
            self.boxes[mover as usize] = aabb;
            self.tree.nodes[node as usize].set_aabb(aabb);
        }
        self.tree.refit_all();
        if !world.bodies.are_boxes() {
            world.store(bodies);
        }
    }

    fn pairs(&mut self) -> usize {
        self.pairs.clear();
        let Some(world) = &self.world else { return 0 };
        let (pairs, boxes, tree) = (&mut self.pairs, &self.boxes, &self.tree);
        // A pair of movers is met from both sides, a mover and a static from one.
        for &a in &world.movers {
            Self::touching(tree, boxes[a as usize], |b, _| {
                if (b < a || (b != a && world.statics && !world.moves[b as usize])) && world.wants(a, b) {
                    pairs.push((a, b));
                }
            });
        }
        self.pairs.len()
    }

    fn pairs_tally(&self) -> Tally {
        tally_of(&self.pairs)
    }

    fn in_boxes(&mut self, boxes: &[Aabb], mut tally: Option<&mut Tally>) -> usize {
        let mut total = 0;
        for (question, aabb) in boxes.iter().enumerate() {
            self.found.clear();
            Self::touching(&self.tree, convert(aabb), |object, _| self.found.push(object));
            total += self.found.len();
            tally_found(&mut tally, question, &self.found);
        }
        total
    }

    fn in_spheres(&mut self, spheres: &[Sphere], mut tally: Option<&mut Tally>) -> usize {
        let mut total = 0;
        for (question, sphere) in spheres.iter().enumerate() {
            self.found.clear();
            let (center, reach_sq) = (sphere.center, sphere.radius * sphere.radius);
            Self::touching(&self.tree, convert(&sphere.aabb()), |object, aabb| {
                let (min, max) = (aabb.min.to_array().into(), aabb.max.to_array().into());
                if distance_sq(min, max, center) <= reach_sq {
                    self.found.push(object);
                }
            });
            total += self.found.len();
            tally_found(&mut tally, question, &self.found);
        }
        total
    }

    fn rays(&mut self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        for ray in rays {
            let slabs = Slabs::new(ray);
            let mut hit = RayHit::none();
            self.tree.ray_traverse(convert_ray(ray), &mut hit, |_, at| {
                let aabb = &self.boxes[self.tree.primitive_indices[at] as usize];
                slabs.enter(aabb.min.to_array().into(), aabb.max.to_array().into())
            });
            distances.push(nearest(&hit));
        }
    }
}

/// The compressed eight-wide BVH.
#[derive(Default)]
pub struct CwBvh {
    tree: PeerCwBvh,
    /// In the order of the leaves, which saves an indirection.
    leaves: Vec<PeerAabb>,
    boxes: Vec<PeerAabb>,
}

impl Subject for CwBvh {
    fn name(&self) -> &'static str {
        "obvhs CwBvh"
    }

    fn can(&self, operation: Operation, _count: usize) -> bool {
        operation == Operation::Ray
    }

    fn build(&mut self, world: &World) {
        self.boxes = world.bodies.boxes().iter().map(convert).collect();
    }

    fn finish_build(&mut self) {
        let params = BvhBuildParams::very_slow_build();
        self.tree = obvhs::cwbvh::builder::build_cwbvh(&self.boxes, params, &mut Duration::default());
        self.leaves = self.tree.primitive_indices.iter().map(|&index| self.boxes[index as usize]).collect();
    }

    fn update(&mut self, _bodies: &Bodies) {
        panic!("a compressed tree does not move")
    }

    fn pairs(&mut self) -> usize {
        panic!("a compressed tree lists no pairs")
    }

    fn pairs_tally(&self) -> Tally {
        Tally::default()
    }

    fn in_boxes(&mut self, _boxes: &[Aabb], _tally: Option<&mut Tally>) -> usize {
        panic!("used for rays alone")
    }

    fn rays(&mut self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        for ray in rays {
            let slabs = Slabs::new(ray);
            let mut hit = RayHit::none();
            self.tree.ray_traverse(convert_ray(ray), &mut hit, |_, at| {
                let aabb = &self.leaves[at];
                slabs.enter(aabb.min.to_array().into(), aabb.max.to_array().into())
            });
            distances.push(nearest(&hit));
        }
    }
}
