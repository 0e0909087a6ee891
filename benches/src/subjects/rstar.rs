//! rstar: bulk load, which it recommends over moving objects one at a time;
//! pairs as the intersection of the tree with itself.

use super::{Bodies, NEIGHBORS, Operation, Subject, Tally, World, tally_found, tally_of};
use crate::naive::{frustum_touches, sphere_touches};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Frustum, Sphere};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree, SelectionFunction};
use std::ops::ControlFlow;

/// Above this many objects its pairs take seconds.
const PAIRS_MAX: usize = 200_000;

type Item = GeomWithData<Rectangle<[f32; 3]>, u32>;

/// The tree and the caller's buffers.
#[derive(Default)]
pub struct Rstar {
    tree: RTree<Item>,
    world: Option<World>,
    pairs: Vec<(u32, u32)>,
    found: Vec<u32>,
}

fn convert(aabb: &Aabb) -> AABB<[f32; 3]> {
    AABB::from_corners(aabb.min.to_array(), aabb.max.to_array())
}

fn load(boxes: &[Aabb]) -> RTree<Item> {
    let item = |(index, aabb)| GeomWithData::new(Rectangle::from_aabb(convert(aabb)), index);
    RTree::bulk_load((0..).zip(boxes).map(item).collect())
}

/// Selects by a test of corners.
struct Touches<F>(F);

impl<F: Fn([f32; 3], [f32; 3]) -> bool> SelectionFunction<Item> for Touches<F> {
    fn should_unpack_parent(&self, envelope: &AABB<[f32; 3]>) -> bool {
        (self.0)(envelope.lower(), envelope.upper())
    }

    fn should_unpack_leaf(&self, leaf: &Item) -> bool {
        (self.0)(leaf.geom().lower(), leaf.geom().upper())
    }
}

impl Rstar {
    fn select(
        &mut self,
        question: usize,
        tally: &mut Option<&mut Tally>,
        touches: impl Fn([f32; 3], [f32; 3]) -> bool,
    ) -> usize {
        self.found.clear();
        self.found.extend(self.tree.locate_with_selection_function(Touches(touches)).map(|item| item.data));
        tally_found(tally, question, &self.found);
        self.found.len()
    }
}

impl Subject for Rstar {
    fn name(&self) -> &'static str {
        "rstar"
    }

    fn can(&self, operation: Operation, count: usize) -> bool {
        match operation {
            Operation::Ray | Operation::Sweep => false,
            Operation::Frame | Operation::Pairs | Operation::Update => count <= PAIRS_MAX,
            _ => true,
        }
    }

    fn build(&mut self, world: &World) {
        self.tree = load(world.bodies.boxes());
    }

    fn remember(&mut self, world: &World) {
        self.world = Some(world.clone());
    }

    fn update(&mut self, bodies: &Bodies) {
        if let Some(world) = &mut self.world {
            world.store(bodies);
            self.tree = load(world.bodies.boxes());
        }
    }

    fn pairs(&mut self) -> usize {
        self.pairs.clear();
        let Some(world) = &self.world else { return 0 };
        for (a, b) in self.tree.intersection_candidates_with_other_tree(&self.tree) {
            if a.data < b.data && world.wants(a.data, b.data) {
                self.pairs.push((a.data, b.data));
            }
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
            let _: ControlFlow<()> = self.tree.locate_in_envelope_intersecting_int(convert(aabb), |item| {
                self.found.push(item.data);
                ControlFlow::Continue(())
            });
            total += self.found.len();
            tally_found(&mut tally, question, &self.found);
        }
        total
    }

    fn in_spheres(&mut self, spheres: &[Sphere], mut tally: Option<&mut Tally>) -> usize {
        let mut total = 0;
        for (question, sphere) in spheres.iter().enumerate() {
            total += self.select(question, &mut tally, |min, max| sphere_touches(sphere, min.into(), max.into()));
        }
        total
    }

    fn nearest(&mut self, points: &[Vec3], distances: &mut Vec<f32>) {
        distances.clear();
        for point in points {
            self.found.clear();
            for (item, distance_sq) in self.tree.nearest_neighbor_iter_with_distance_2(point.to_array()).take(NEIGHBORS)
            {
                self.found.push(item.data);
                distances.push(distance_sq.sqrt());
            }
        }
    }

    fn in_frustums(&mut self, frustums: &[Frustum], mut tally: Option<&mut Tally>) -> usize {
        let mut total = 0;
        for (question, frustum) in frustums.iter().enumerate() {
            total += self.select(question, &mut tally, |min, max| frustum_touches(frustum, min.into(), max.into()));
        }
        total
    }
}
