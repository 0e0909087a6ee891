//! Sort and sweep along the axis of the greatest spread.
//!
//! The order of the last frame is kept, so that the sort of the next meets
//! long sorted runs.

use super::{Bodies, Operation, Subject, Tally, World, tally_of};
use broadleaf::Aabb;
use broadleaf::glam::Vec3;

/// Above this many objects a sweep along one axis is hopeless.
const COUNT_MAX: usize = 200_000;

/// The bodies and their order along one axis.
#[derive(Default)]
pub struct Sweep {
    world: Option<World>,
    axis: usize,
    order: Vec<u32>,
    sorted: Vec<(Aabb, u32)>,
    pairs: Vec<(u32, u32)>,
}

impl Sweep {
    fn sort(&mut self, boxes: &[Aabb]) {
        let axis = self.axis;
        self.order.sort_by(|&a, &b| boxes[a as usize].min[axis].total_cmp(&boxes[b as usize].min[axis]));
        self.sorted.clear();
        self.sorted.extend(self.order.iter().map(|&index| (boxes[index as usize], index)));
    }
}

/// The axis along which the centres vary most.
fn widest_axis(boxes: &[Aabb]) -> usize {
    let count = boxes.len().max(1) as f32;
    let mean = boxes.iter().map(Aabb::center).sum::<Vec3>() / count;
    let variance = boxes.iter().map(|b| (b.center() - mean).powf(2.0)).sum::<Vec3>();
    variance.max_position()
}

impl Subject for Sweep {
    fn name(&self) -> &'static str {
        "sort and sweep"
    }

    fn can(&self, operation: Operation, count: usize) -> bool {
        // Its sort alone answers nothing, so it is no build and no update to compare with.
        count <= COUNT_MAX && matches!(operation, Operation::Pairs | Operation::Frame)
    }

    fn build(&mut self, world: &World) {
        let boxes = world.bodies.boxes();
        self.axis = widest_axis(boxes);
        self.order.clear();
        self.order.extend((0..).zip(boxes).map(|(index, _)| index));
        self.sort(boxes);
    }

    fn remember(&mut self, world: &World) {
        self.world = Some(world.clone());
    }

    fn update(&mut self, bodies: &Bodies) {
        if let Some(mut world) = self.world.take() {
            world.store(bodies);
            self.sort(world.bodies.boxes());
            self.world = Some(world);
        }
    }

    fn pairs(&mut self) -> usize {
        self.pairs.clear();
        let Some(world) = &self.world else { return 0 };
        let axis = self.axis;
        for (at, (first, a)) in self.sorted.iter().enumerate() {
            let end = first.max[axis];
            for (second, b) in self.sorted[at + 1..].iter().take_while(|(next, _)| next.min[axis] <= end) {
                if first.overlaps(second) && world.wants(*a, *b) {
                    self.pairs.push((*a, *b));
                }
            }
        }
        self.pairs.len()
    }

    fn pairs_tally(&self) -> Tally {
        tally_of(&self.pairs)
    }

    fn in_boxes(&mut self, _boxes: &[Aabb], _tally: Option<&mut Tally>) -> usize {
        panic!("sort and sweep answers no questions")
    }
}
