//! The plain tree: broadleaf's layout in its plainest form, as a baseline.

use super::{Bodies, Operation, Subject, Tally, World, tally_found, tally_of};
use crate::cases::Case;
use broadleaf::{Aabb, Ray};
use plain_tree::{Lanes, PlainTree};

/// The tree and the caller's buffers.
#[derive(Default)]
pub struct Plain {
    tree: PlainTree,
    stepping: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    found: Vec<u32>,
}

impl Subject for Plain {
    fn name(&self) -> &'static str {
        super::PLAIN_TREE
    }

    fn can(&self, operation: Operation, _count: usize) -> bool {
        use Operation::{Box, Build, Frame, Pairs, Ray};
        matches!(operation, Build | Frame | Pairs | Box | Ray)
    }

    /// It knows boxes alone, and leaves them where the build put them.
    fn suits(&self, operation: Operation, case: &Case) -> bool {
        match operation {
            Operation::Frame => case.small_steps && case.world.wants_all(),
            // The world has moved once before its pairs are listed.
            Operation::Pairs => case.world.wants_all(),
            _ => true,
        }
    }

    fn build(&mut self, world: &World) {
        self.tree.build(world.bodies.boxes());
    }

    fn remember(&mut self, world: &World) {
        self.stepping.clone_from(&world.stepping);
    }

    fn update(&mut self, bodies: &Bodies) {
        self.tree.update(&self.stepping, bodies.boxes());
    }

    fn pairs(&mut self) -> usize {
        self.pairs.clear();
        self.tree.pairs(&mut self.pairs);
        self.pairs.len()
    }

    fn pairs_tally(&self) -> Tally {
        tally_of(&self.pairs)
    }

    fn in_boxes(&mut self, boxes: &[Aabb], mut tally: Option<&mut Tally>) -> usize {
        let mut total = 0;
        for (question, aabb) in boxes.iter().enumerate() {
            self.found.clear();
            self.tree.overlapping(aabb, &mut |index| self.found.push(index));
            total += self.found.len();
            tally_found(&mut tally, question, &self.found);
        }
        total
    }

    fn rays(&mut self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        distances.extend(rays.iter().map(|ray| {
            let hit = self.tree.nearest_hit(&Lanes::new(ray.origin(), ray.direction()), ray.distance_max());
            hit.map_or(f32::INFINITY, |(_, distance)| distance)
        }));
    }
}
