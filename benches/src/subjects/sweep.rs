//! Sort and sweep along the axis of the greatest spread, eight boxes at a time.
//!
//! The order of the last frame is kept, so that the sort of the next meets
//! long sorted runs.

use super::{Bodies, Operation, Subject, Tally, World, tally_of};
use broadleaf::Aabb;
use broadleaf::glam::Vec3;
use wide::f32x8;

/// Above this many objects a sweep along one axis is hopeless.
const COUNT_MAX: usize = 200_000;

/// Boxes that are tested at once.
const LANES: usize = 8;

/// The bodies and their order along one axis.
#[derive(Default)]
pub struct Sweep {
    world: Option<World>,
    axis: usize,
    order: Vec<u32>,
    /// The corners in that order, a column each; then as many that overlap nothing as there are lanes.
    min: [Vec<f32>; 3],
    max: [Vec<f32>; 3],
    pairs: Vec<(u32, u32)>,
}

impl Sweep {
    fn sort(&mut self, boxes: &[Aabb]) {
        let axis = self.axis;
        self.order.sort_by(|&a, &b| boxes[a as usize].min[axis].total_cmp(&boxes[b as usize].min[axis]));
        for axis in 0..3 {
            let column = |corner: fn(&Aabb) -> Vec3, padding: f32, column: &mut Vec<f32>| {
                column.clear();
                column.extend(self.order.iter().map(|&index| corner(&boxes[index as usize])[axis]));
                column.extend([padding; LANES]);
            };
            column(|aabb| aabb.min, f32::INFINITY, &mut self.min[axis]);
            column(|aabb| aabb.max, f32::NEG_INFINITY, &mut self.max[axis]);
        }
    }

    /// Which of the boxes from a place on overlap the interval on one axis.
    #[inline]
    fn overlapping(&self, axis: usize, from: usize, min: f32, max: f32) -> u32 {
        let lanes = |column: &[f32]| f32x8::from(*column[from..].first_chunk::<LANES>().expect("columns are padded"));
        (lanes(&self.min[axis]).simd_le(f32x8::splat(max)) & lanes(&self.max[axis]).simd_ge(f32x8::splat(min)))
            .to_bitmask()
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
        let mut pairs = std::mem::take(&mut self.pairs);
        let (axis, others) = (self.axis, [(self.axis + 1) % 3, (self.axis + 2) % 3]);
        for (at, &a) in self.order.iter().enumerate() {
            let own = |axis: usize| (self.min[axis][at], self.max[axis][at]);
            let ((start, end), [low, high]) = (own(axis), others.map(own));
            let mut from = at + 1;
            // As long as the first of eight begins before this one ends.
            while self.min[axis][from] <= end {
                let mut mask = self.overlapping(axis, from, start, end)
                    & self.overlapping(others[0], from, low.0, low.1)
                    & self.overlapping(others[1], from, high.0, high.1);
                while mask != 0 {
                    let b = self.order[from + mask.trailing_zeros() as usize];
                    mask &= mask - 1;
                    if world.wants(a, b) {
                        pairs.push((a, b));
                    }
                }
                from += LANES;
                if from >= self.order.len() {
                    break;
                }
            }
        }
        self.pairs = pairs;
        self.pairs.len()
    }

    fn pairs_tally(&self) -> Tally {
        tally_of(&self.pairs)
    }

    fn in_boxes(&mut self, _boxes: &[Aabb], _tally: Option<&mut Tally>) -> usize {
        panic!("sort and sweep answers no questions")
    }
}
