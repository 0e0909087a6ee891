//! parry3d's `Bvh`, driven as rapier3d's broad phase drives it: binned build,
//! leaves rewritten in place, one refit, a traversal of the tree against itself.
//!
//! Leaves are exact: no margin where everything moves; where statics exist,
//! the smallest positive margin, which adding to a coordinate does not change,
//! so that change detection marks the movers and skips pairs of statics.

use super::{Bodies, Operation, Subject, Tally, World, tally_found, tally_of};
use crate::naive::{MovingBox, Slabs, distance_sq, frustum_touches};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Frustum, Ray, Sphere, Sweep};
use parry3d::bounding_volume::Aabb as ParryAabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhNode, BvhWorkspace};

/// The tree, its workspace and the caller's buffers.
#[derive(Default)]
pub struct Parry {
    tree: Bvh,
    workspace: BvhWorkspace,
    world: Option<World>,
    pairs: Vec<(u32, u32)>,
    found: Vec<u32>,
}

fn convert(aabb: &Aabb) -> ParryAabb {
    ParryAabb { mins: Vector::from(aabb.min.to_array()), maxs: Vector::from(aabb.max.to_array()) }
}

fn corners(node: &BvhNode) -> (Vec3, Vec3) {
    (Vec3::from(node.mins().to_array()), Vec3::from(node.maxs().to_array()))
}

impl Parry {
    fn gather(
        &mut self,
        question: usize,
        tally: &mut Option<&mut Tally>,
        touches: impl Fn(Vec3, Vec3) -> bool,
    ) -> usize {
        self.found.clear();
        self.found.extend(self.tree.leaves(|node| {
            let (min, max) = corners(node);
            touches(min, max)
        }));
        tally_found(tally, question, &self.found);
        self.found.len()
    }
}

impl Subject for Parry {
    fn name(&self) -> &'static str {
        "parry3d Bvh"
    }

    fn can(&self, operation: Operation, _count: usize) -> bool {
        operation != Operation::Nearest
    }

    fn build(&mut self, world: &World) {
        let boxes = world.bodies.boxes().iter().enumerate().map(|(index, aabb)| (index, convert(aabb)));
        self.tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes);
    }

    fn remember(&mut self, world: &World) {
        self.world = Some(world.clone());
        // The first refit resolves the marks of new leaves, the second clears
        // them, and both put the nodes in depth-first order.
        self.tree.refit(&mut self.workspace);
        self.tree.refit(&mut self.workspace);
    }

    fn update(&mut self, bodies: &Bodies) {
        let Some(world) = &mut self.world else { return };
        let margin = if world.statics { f32::MIN_POSITIVE } else { 0.0 };
        for (&mover, aabb) in world.stepping.iter().zip(bodies.boxes()) {
            self.tree.insert_or_update_partially(convert(aabb), mover, margin);
        }
        self.tree.refit(&mut self.workspace);
        if !world.bodies.are_boxes() {
            world.store(bodies);
        }
    }

    fn pairs(&mut self) -> usize {
        self.pairs.clear();
        let Some(world) = &self.world else { return 0 };
        let (pairs, workspace) = (&mut self.pairs, &mut self.workspace);
        // Change detection finds the pairs of those that a frame changes.
        if world.statics && world.all_step {
            let keep = &mut |a, b| {
                if world.wants(a, b) {
                    pairs.push((a, b));
                }
            };
            self.tree.traverse_bvtt_single_tree::<true>(workspace, keep);
        } else if world.wants_all() {
            self.tree.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| pairs.push((a, b)));
        } else {
            let keep = &mut |a, b| {
                if world.wants(a, b) {
                    pairs.push((a, b));
                }
            };
            self.tree.traverse_bvtt_single_tree::<false>(workspace, keep);
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
            self.found.extend(self.tree.intersect_aabb(&convert(aabb)));
            total += self.found.len();
            tally_found(&mut tally, question, &self.found);
        }
        total
    }

    fn in_spheres(&mut self, spheres: &[Sphere], mut tally: Option<&mut Tally>) -> usize {
        let mut total = 0;
        for (question, sphere) in spheres.iter().enumerate() {
            let (center, reach_sq) = (sphere.center, sphere.radius * sphere.radius);
            total += self.gather(question, &mut tally, |min, max| distance_sq(min, max, center) <= reach_sq);
        }
        total
    }

    fn in_frustums(&mut self, frustums: &[Frustum], mut tally: Option<&mut Tally>) -> usize {
        let mut total = 0;
        for (question, frustum) in frustums.iter().enumerate() {
            total += self.gather(question, &mut tally, |min, max| frustum_touches(frustum, min, max));
        }
        total
    }

    fn sweeps(&mut self, sweeps: &[Sweep], distances: &mut Vec<f32>) {
        distances.clear();
        let Some(world) = &self.world else { return };
        let boxes = world.bodies.boxes();
        for sweep in sweeps {
            let slabs = MovingBox::new(sweep);
            let node = |node: &BvhNode, _best| {
                let (min, max) = corners(node);
                slabs.enter(min, max)
            };
            let hit = self.tree.find_best(f32::MAX, node, |leaf, _best| {
                let aabb = &boxes[leaf as usize];
                let distance = slabs.enter(aabb.min, aabb.max);
                distance.is_finite().then_some(distance)
            });
            distances.push(hit.map_or(f32::INFINITY, |(_, distance)| distance));
        }
    }

    fn rays(&mut self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        let Some(world) = &self.world else { return };
        let boxes = world.bodies.boxes();
        for ray in rays {
            let slabs = Slabs::new(ray);
            let origin = Vector::from(ray.origin().to_array());
            let direction = Vector::from(ray.direction().to_array());
            let query = parry3d::query::Ray::new(origin, direction);
            let hit = self.tree.cast_ray(&query, ray.distance_max(), |leaf, _best| {
                let aabb = &boxes[leaf as usize];
                let distance = slabs.enter(aabb.min, aabb.max);
                distance.is_finite().then_some(distance)
            });
            distances.push(hit.map_or(f32::INFINITY, |(_, distance)| distance));
        }
    }
}
