//! Every object against every other: the answer that all others must give.

use super::{Bodies, NEIGHBORS, Operation, Subject, Tally, World, tally_found, tally_of};
use crate::naive::{MovingBox, Slabs, distance_sq, frustum_touches, sphere_touches};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Frustum, Ray, Sphere, Sweep};

/// Above this many objects, pairs take too long.
const PAIRS_MAX: usize = 20_000;
/// Above this many objects, questions take too long.
const QUESTIONS_MAX: usize = 100_000;

/// The boxes, and nothing else.
#[derive(Default)]
pub struct Brute {
    world: Option<World>,
    pairs: Vec<(u32, u32)>,
    found: Vec<u32>,
}

impl Brute {
    fn boxes(&self) -> &[Aabb] {
        self.world.as_ref().map_or(&[], |world| world.bodies.boxes())
    }

    fn scan(&mut self, question: usize, tally: &mut Option<&mut Tally>, touches: impl Fn(&Aabb) -> bool) -> usize {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        found.extend((0..).zip(self.boxes()).filter_map(|(index, aabb)| touches(aabb).then_some(index)));
        tally_found(tally, question, &found);
        self.found = found;
        self.found.len()
    }
}

impl Subject for Brute {
    fn name(&self) -> &'static str {
        "brute force"
    }

    fn can(&self, operation: Operation, count: usize) -> bool {
        match operation {
            Operation::Build | Operation::Update => false,
            Operation::Pairs | Operation::Frame => count <= PAIRS_MAX,
            _ => count <= QUESTIONS_MAX,
        }
    }

    fn build(&mut self, world: &World) {
        self.world = Some(world.clone());
    }

    fn update(&mut self, bodies: &Bodies) {
        if let Some(world) = &mut self.world {
            world.store(bodies);
        }
    }

    fn pairs(&mut self) -> usize {
        self.pairs.clear();
        let Some(world) = &self.world else { return 0 };
        let boxes = world.bodies.boxes();
        // Columns, and flags for all before a branch for any: what compilers make eight-wide.
        let column = |corner: fn(&Aabb) -> Vec3, axis: usize| boxes.iter().map(|b| corner(b)[axis]).collect::<Vec<_>>();
        let (min, max) = ([0, 1, 2].map(|axis| column(|b| b.min, axis)), [0, 1, 2].map(|axis| column(|b| b.max, axis)));
        let mut flags = vec![false; boxes.len()];
        for (a, first) in (0_u32..).zip(boxes) {
            let flags = &mut flags[..a as usize];
            for (b, flag) in flags.iter_mut().enumerate() {
                let overlaps = |axis: usize| (min[axis][b] <= first.max[axis]) & (max[axis][b] >= first.min[axis]);
                *flag = overlaps(0) & overlaps(1) & overlaps(2);
            }
            for (chunk, eight) in flags.chunks(8).enumerate().filter(|(_, eight)| eight.contains(&true)) {
                for (b, _) in (chunk * 8..).zip(eight).filter(|(_, flag)| **flag) {
                    let b = u32::try_from(b).expect("few objects");
                    if world.wants(a, b) {
                        self.pairs.push((a, b));
                    }
                }
            }
        }
        self.pairs.len()
    }

    fn pairs_tally(&self) -> Tally {
        tally_of(&self.pairs)
    }

    fn in_boxes(&mut self, boxes: &[Aabb], mut tally: Option<&mut Tally>) -> usize {
        boxes.iter().enumerate().map(|(question, aabb)| self.scan(question, &mut tally, |b| b.overlaps(aabb))).sum()
    }

    fn in_spheres(&mut self, spheres: &[Sphere], mut tally: Option<&mut Tally>) -> usize {
        let mut total = 0;
        for (question, sphere) in spheres.iter().enumerate() {
            total += self.scan(question, &mut tally, |b| sphere_touches(sphere, b.min, b.max));
        }
        total
    }

    fn in_frustums(&mut self, frustums: &[Frustum], mut tally: Option<&mut Tally>) -> usize {
        let mut total = 0;
        for (question, frustum) in frustums.iter().enumerate() {
            total += self.scan(question, &mut tally, |b| frustum_touches(frustum, b.min, b.max));
        }
        total
    }

    fn rays(&mut self, rays: &[Ray], distances: &mut Vec<f32>) {
        distances.clear();
        for ray in rays {
            let slabs = Slabs::new(ray);
            let nearest = self.boxes().iter().map(|b| slabs.enter(b.min, b.max)).fold(f32::INFINITY, f32::min);
            distances.push(nearest);
        }
    }

    fn nearest(&mut self, points: &[Vec3], distances: &mut Vec<f32>) {
        distances.clear();
        for &point in points {
            let mut all: Vec<f32> = self.boxes().iter().map(|b| distance_sq(b.min, b.max, point).sqrt()).collect();
            all.sort_by(f32::total_cmp);
            distances.extend_from_slice(&all[..NEIGHBORS.min(all.len())]);
        }
    }

    fn sweeps(&mut self, sweeps: &[Sweep], distances: &mut Vec<f32>) {
        distances.clear();
        for sweep in sweeps {
            let slabs = MovingBox::new(sweep);
            let first = self.boxes().iter().map(|b| slabs.enter(b.min, b.max)).fold(f32::INFINITY, f32::min);
            distances.push(first);
        }
    }
}
