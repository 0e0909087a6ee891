//! A uniform grid, made anew in every frame by a counting sort.
//!
//! Its cells are as long as nineteen in twenty objects at most, so that these
//! meet others of their own and the 26 cells around it alone. The rest is
//! tested against all cells that it reaches, and against each other.

use super::{Bodies, Operation, Subject, Tally, World, tally_found, tally_of};
use broadleaf::Aabb;
use broadleaf::glam::{IVec3, Vec3};

/// Above this many objects scenes of many sizes take seconds.
const COUNT_MAX: usize = 200_000;
/// Cells per object, at most.
const CELLS_PER_OBJECT: i64 = 2;
/// A cell's edge over the longest object in it: room for rounding.
const ROOM: f32 = 1.02;

/// The cells and the caller's buffers.
#[derive(Default)]
pub struct Grid {
    world: Option<World>,
    min: Vec3,
    edge: f32,
    /// The longest that an object of a cell may be.
    size_max: f32,
    cells: IVec3,
    /// Where each cell begins in `items`, and where the last one ends.
    starts: Vec<u32>,
    items: Vec<(Aabb, u32)>,
    large: Vec<(Aabb, u32)>,
    pairs: Vec<(u32, u32)>,
    found: Vec<u32>,
}

impl Grid {
    fn sort(&mut self, boxes: &[Aabb]) {
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb));
        let mut sizes: Vec<f32> = boxes.iter().map(|aabb| aabb.extents().max_element()).collect();
        let rank = (sizes.len() * 19 / 20).min(sizes.len().saturating_sub(1));
        let size = sizes.select_nth_unstable_by(rank, f32::total_cmp).1.max(f32::MIN_POSITIVE);
        let most = CELLS_PER_OBJECT * i64::try_from(boxes.len()).expect("few objects") + 8;
        self.min = bounds.min;
        self.edge = size.max(bounds.extents().max_element() / 1e6) * ROOM;
        loop {
            self.cells = (bounds.extents() / self.edge).as_ivec3() + 1;
            if self.cells.to_array().iter().map(|&cells| i64::from(cells)).product::<i64>() <= most {
                break;
            }
            self.edge *= 1.25;
        }
        self.size_max = self.edge / ROOM;
        self.large.clear();
        self.starts.clear();
        self.starts.resize(self.number(self.cells - 1) + 2, 0);
        for (index, aabb) in (0..).zip(boxes) {
            if aabb.extents().max_element() > self.size_max {
                self.large.push((*aabb, index));
            } else {
                let cell = self.number(self.cell(aabb.center()));
                self.starts[cell] += 1;
            }
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.items.resize(end as usize, (Aabb::EMPTY, 0));
        for (index, aabb) in (0..).zip(boxes) {
            if aabb.extents().max_element() <= self.size_max {
                let cell = self.number(self.cell(aabb.center()));
                self.starts[cell] -= 1;
                self.items[self.starts[cell] as usize] = (*aabb, index);
            }
        }
    }

    fn cell(&self, place: Vec3) -> IVec3 {
        ((place - self.min) / self.edge).as_ivec3().clamp(IVec3::ZERO, self.cells - 1)
    }

    #[expect(clippy::cast_sign_loss, reason = "a cell of the grid")]
    fn number(&self, cell: IVec3) -> usize {
        ((cell.z * self.cells.y + cell.y) * self.cells.x + cell.x) as usize
    }

    /// The objects of the cells from `first` to `last` on the x axis.
    fn row(&self, first: IVec3, last: i32) -> &[(Aabb, u32)] {
        let (first, last) = (self.number(first), self.number(IVec3::new(last, first.y, first.z)));
        &self.items[self.starts[first] as usize..self.starts[last + 1] as usize]
    }

    /// Calls `found` with every object in the grid that overlaps a box.
    fn each(&self, aabb: &Aabb, mut found: impl FnMut(u32)) {
        let reach = self.edge * 0.5;
        let (low, high) = (self.cell(aabb.min - reach), self.cell(aabb.max + reach));
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for (other, index) in self.row(IVec3::new(low.x, y, z), high.x) {
                    if other.overlaps(aabb) {
                        found(*index);
                    }
                }
            }
        }
    }

    fn list(&self, world: &World, pairs: &mut Vec<(u32, u32)>) {
        let mut add = |a: u32, b: u32| {
            if world.wants(a, b) {
                pairs.push((a, b));
            }
        };
        for (at, (aabb, a)) in self.items.iter().enumerate() {
            let cell = self.cell(aabb.center());
            // What lies after the object in its own row, then the rows that come later.
            let last = (cell.x + 1).min(self.cells.x - 1);
            let end = self.starts[self.number(IVec3::new(last, cell.y, cell.z)) + 1] as usize;
            let mut look_at = |others: &[(Aabb, u32)]| {
                others.iter().filter(|(other, _)| other.overlaps(aabb)).for_each(|(_, b)| add(*a, *b));
            };
            look_at(&self.items[at + 1..end]);
            for (y, z) in [(1, 0), (-1, 1), (0, 1), (1, 1)] {
                let first = IVec3::new((cell.x - 1).max(0), cell.y + y, cell.z + z);
                if first.cmpge(IVec3::ZERO).all() && first.cmplt(self.cells).all() {
                    look_at(self.row(first, last));
                }
            }
        }
        for (number, (aabb, a)) in self.large.iter().enumerate() {
            self.each(aabb, |b| add(*a, b));
            for (other, b) in &self.large[number + 1..] {
                if other.overlaps(aabb) {
                    add(*a, *b);
                }
            }
        }
    }
}

impl Subject for Grid {
    fn name(&self) -> &'static str {
        "uniform grid"
    }

    fn can(&self, operation: Operation, count: usize) -> bool {
        // It is made anew in every frame, so it has no build of its own to compare with.
        count <= COUNT_MAX && matches!(operation, Operation::Pairs | Operation::Frame | Operation::Box)
    }

    fn build(&mut self, world: &World) {
        self.sort(world.bodies.boxes());
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
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        if let Some(world) = &self.world {
            self.list(world, &mut pairs);
        }
        self.pairs = pairs;
        self.pairs.len()
    }

    fn pairs_tally(&self) -> Tally {
        tally_of(&self.pairs)
    }

    fn in_boxes(&mut self, boxes: &[Aabb], mut tally: Option<&mut Tally>) -> usize {
        let (mut total, mut found) = (0, std::mem::take(&mut self.found));
        for (question, aabb) in boxes.iter().enumerate() {
            found.clear();
            self.each(aabb, |index| found.push(index));
            found.extend(self.large.iter().filter(|(other, _)| other.overlaps(aabb)).map(|(_, index)| *index));
            total += found.len();
            tally_found(&mut tally, question, &found);
        }
        self.found = found;
        total
    }
}
