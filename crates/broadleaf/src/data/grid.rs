//! Where cells lie in the world. Pure.
//!
//! A cell's boundaries become floats in one way, by a product that is rounded
//! and never falls as its corner rises, so that neighbours agree on the boundary
//! they share and comparisons never leave a gap. Cells are half-open; loose
//! cubes are closed.
//!
//! A bulk build widens the grid, by less than two, so that objects that lie
//! evenly fill their leaves well: of cells that may only halve, the largest
//! that hold no more than a leaf may hold almost as little as an eighth of one.

use super::cell::{Cell, LEVEL_MAX, key_floor};
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, KeyMaker, LooseCube, levels_above};
use glam::{BVec3, IVec3, Vec3};

/// Half the range of placeable coordinates, in smallest cells that are not
/// widened: beyond it a 32-bit float no longer resolves them.
const REACH: f32 = (1_i32 << 24) as f32;

/// Steps by which a grid may be widened; as many double it.
pub(crate) const WIDENING_STEPS: u8 = 32;

/// Size of the smallest cell, and the looseness that turns cells into loose cubes.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Grid {
    /// How far the grid is widened, below [`WIDENING_STEPS`].
    pub(crate) widening: u8,
    /// The smallest cell of the grid that is not widened.
    #[cfg_attr(feature = "serde", serde(skip))]
    base: f32,
    #[cfg_attr(feature = "serde", serde(skip))]
    unit: f32,
    #[cfg_attr(feature = "serde", serde(skip))]
    inverse_unit: f32,
    /// How far a loose cube reaches beyond its cell, in edges.
    #[cfg_attr(feature = "serde", serde(skip))]
    slack: f32,
    /// One over twice the slack.
    #[cfg_attr(feature = "serde", serde(skip))]
    inverse_reach: f32,
}

impl Grid {
    pub(crate) fn new(base: f32, looseness: f32) -> Self {
        Self {
            widening: 0,
            base,
            unit: base,
            inverse_unit: 1.0 / base,
            slack: (looseness - 1.0) * 0.5,
            inverse_reach: 1.0 / (looseness - 1.0),
        }
    }

    /// The grid widened by so many steps.
    pub(crate) fn widened(self, steps: u8) -> Self {
        let unit = self.base * (1.0 + f32::from(steps) / f32::from(WIDENING_STEPS));
        Self { widening: steps, unit, inverse_unit: 1.0 / unit, ..self }
    }

    /// The grid widened so that, if `count` centres lie evenly within
    /// `centers`, some cells hold almost as many as a leaf should, and none
    /// more. A strict grid stays as it is. (Objects that no cell can hold may
    /// be counted too: that costs speed alone.)
    pub(crate) fn fitted(self, centers: &Aabb, count: usize, leaf: f32) -> Self {
        if self.is_strict() || count as f32 <= leaf || centers.min.x > centers.max.x {
            return self.widened(0);
        }
        let size = centers.max - centers.min;
        let overflows = |grid: &Self, level: u32| {
            let part = (Vec3::splat(grid.edge(level)) / size).min(Vec3::ONE);
            count as f32 * part.x * part.y * part.z > leaf
        };
        let Some(level) = (0..LEVEL_MAX).take_while(|&level| !overflows(&self.widened(0), level)).last() else {
            return self.widened(0);
        };
        let grids = (0..WIDENING_STEPS).map(|steps| self.widened(steps));
        grids.take_while(|grid| !overflows(grid, level)).last().unwrap_or(self)
    }

    #[inline]
    fn to_world(self, corner: IVec3) -> Vec3 {
        corner.as_vec3() * self.unit
    }

    /// The smallest cell that a placeable centre lies in.
    #[inline]
    fn to_grid(self, center: Vec3) -> IVec3 {
        // Truncation plus a correction is a floor without a library call.
        let places = center / self.unit;
        let truncated = places.as_ivec3();
        let floor = truncated - ones(truncated.as_vec3().cmpgt(places));
        // The boundary as a float decides: it is rounded, so is the quotient,
        // and that may have underflowed.
        let (low, high) = (self.to_world(floor), self.to_world(floor + 1));
        floor - ones(low.cmpgt(center)) + ones(high.cmple(center))
    }

    /// How far from the origin cells may reach, in smallest cells.
    #[expect(clippy::cast_possible_truncation, reason = "at most 2^24")]
    pub(crate) fn cells_max(self) -> i32 {
        (self.reach() / self.unit) as i32
    }

    /// A vector in whole smallest cells, as near as may be.
    pub(crate) fn in_cells(self, vector: Vec3) -> Vec3 {
        (vector / self.unit).round()
    }

    /// Edge of a cell in world units.
    #[inline]
    pub(crate) fn edge(self, level: u32) -> f32 {
        let power = f32::from_bits((127 + level) << 23);
        self.unit * power
    }

    /// The cell as a box in world units.
    pub(crate) fn cube(self, cell: Cell) -> Aabb {
        Aabb::new(self.to_world(cell.min), self.to_world(cell.min + cell.size()))
    }

    /// Whether a cell's loose cube is the cell itself.
    pub(crate) fn is_strict(self) -> bool {
        self.slack == 0.0
    }

    /// How far from the origin a centre may lie, and how long an edge may be,
    /// for a cell to hold a box.
    pub(crate) fn reach(self) -> f32 {
        REACH * self.base
    }

    /// Eight-wide [`Grid::morton_key`].
    pub(crate) fn key_maker(self, cell: Cell) -> KeyMaker {
        let floor = key_floor(cell.level);
        KeyMaker { unit: self.unit, min: cell.min, size: cell.size(), floor }
    }

    /// Whether some cell can hold the box: finite, and within reach of the grid.
    #[inline]
    pub(crate) fn is_placeable(self, aabb: &Aabb) -> bool {
        let reach = Vec3::splat(self.reach());
        let center = aabb.center();
        (center.abs().cmplt(reach) & aabb.extents().cmple(reach)).all()
    }

    /// The region that `cells` cells along each axis cover from `cell` on, in world units.
    pub(crate) fn region(self, cell: Cell, cells: IVec3) -> Aabb {
        Aabb::new(self.to_world(cell.min), self.to_world(cell.min + cells * cell.size()))
    }

    /// Such a region and its loose bounds in world units.
    #[inline]
    pub(crate) fn home(self, cell: Cell, cells: IVec3) -> LooseCube {
        let (edge, region) = (self.edge(cell.level), self.region(cell, cells));
        LooseCube::new(region.min, region.max, edge, edge * self.slack)
    }

    /// The cell and its loose cube in world units.
    #[inline]
    pub(crate) fn loose_cube(self, cell: Cell) -> LooseCube {
        self.home(cell, IVec3::ONE)
    }

    /// Whether a box belongs in a cell or below it: its centre lies in the
    /// cell, it is no larger than the cell, and the loose cube contains it.
    #[inline]
    pub(crate) fn holds(self, cell: Cell, aabb: &Aabb) -> bool {
        self.loose_cube(cell).holds(aabb)
    }

    /// The octant of a cell that a centre lies in.
    #[inline]
    pub(crate) fn octant(self, cell: Cell, center: Vec3) -> usize {
        let middle = self.to_world(cell.min + (cell.size() >> 1));
        let above = center.cmpge(middle);
        usize::from(above.x) | usize::from(above.y) << 1 | usize::from(above.z) << 2
    }

    /// The octant of a cell whose child holds the box, if the cell may be split and a child does.
    #[inline]
    pub(crate) fn octant_holding(self, cell: Cell, level_min: u32, aabb: &Aabb) -> Option<usize> {
        if cell.level <= level_min {
            return None;
        }
        let octant = self.octant(cell, aabb.center());
        self.holds(cell.child(octant), aabb).then_some(octant)
    }

    /// For each of eight boxes, a level from which on every cell that holds
    /// its centre holds the box: by its size alone, with room for rounding.
    /// Levels below it need a look; 31 if all do.
    #[inline]
    pub(crate) fn surely_held_from(self, boxes: &Boxes) -> [u32; 8] {
        levels_above(boxes, self.inverse_unit, self.inverse_reach)
    }

    /// Morton key of a centre in a cell: [`KEY_LEVELS`](super::cell::KEY_LEVELS) octants, the cell's own first.
    #[inline]
    pub(crate) fn morton_key(self, cell: Cell, center: Vec3) -> u32 {
        // A centre that strayed from the cell counts as on its boundary.
        let offset = (self.to_grid(center) - cell.min).clamp(IVec3::ZERO, IVec3::splat(cell.size() - 1));
        let offset = offset >> key_floor(cell.level);
        #[expect(clippy::cast_sign_loss, reason = "clamped")]
        let spread = |coordinate: i32| spread_bits(coordinate as u32);
        spread(offset.x) | spread(offset.y) << 1 | spread(offset.z) << 2
    }

    /// A cell twice as large with `cell` as one child, which reaches towards
    /// the box, or towards the origin where the box lies within; and the octant of `cell` in it.
    pub(crate) fn grown(self, cell: Cell, aabb: &Aabb) -> (Cell, usize) {
        let Aabb { min: low, max: high } = self.cube(cell);
        let mut min = cell.min;
        let mut octant = 0;
        for axis in 0..3 {
            let (below, above) = (aabb.min[axis] < low[axis], aabb.max[axis] > high[axis]);
            let center = aabb.center()[axis];
            let down = if center < low[axis] {
                true
            } else if center >= high[axis] {
                false
            } else if below != above {
                below
            } else {
                low[axis] >= 0.0
            };
            if down {
                min[axis] -= cell.size();
                octant |= 1 << axis;
            }
        }
        (Cell { min, level: cell.level + 1 }, octant)
    }

    /// A small cell that holds all the centres within `centers`, aligned to
    /// as large a power of two as possible.
    pub(crate) fn cell_around(self, centers: &Aabb) -> Cell {
        let (low, high) = (self.to_grid(centers.min), self.to_grid(centers.max));
        #[expect(clippy::cast_sign_loss, reason = "high is not below low")]
        let span = (high - low).max_element() as u32 + 1;
        let level = span.next_power_of_two().trailing_zeros();
        for alignment in (0..=level).rev() {
            let min = (low >> alignment) << alignment;
            if (high - min).max_element() < 1 << level {
                return Cell { min, level };
            }
        }
        Cell { min: low, level }
    }
}

/// One where a mask is set.
#[inline]
fn ones(mask: BVec3) -> IVec3 {
    IVec3::new(i32::from(mask.x), i32::from(mask.y), i32::from(mask.z))
}

/// Moves bit `i` of ten to bit `3 i`.
#[inline]
fn spread_bits(value: u32) -> u32 {
    let v = value & 0x3ff;
    let v = (v | v << 16) & 0x0300_00ff;
    let v = (v | v << 8) & 0x0300_f00f;
    let v = (v | v << 4) & 0x030c_30c3;
    (v | v << 2) & 0x0924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Grids of all widths.
    fn widened(base: f32, looseness: f32) -> impl Iterator<Item = Grid> {
        (0..WIDENING_STEPS).map(move |steps| Grid::new(base, looseness).widened(steps))
    }

    #[test]
    fn keys_interleave_their_octants() {
        for grid in widened(1.0, 2.0) {
            let root = Cell { min: IVec3::splat(-8), level: 4 };
            let center = Vec3::new(-7.5, 0.5, 7.5);
            let mut cell = root;
            let mut key = 0;
            while cell.level > 0 {
                let octant = grid.octant(cell, center);
                #[expect(clippy::cast_possible_truncation, reason = "an octant")]
                let bits = octant as u32;
                key = key << 3 | bits;
                cell = cell.child(octant);
            }
            assert_eq!(grid.morton_key(root, center), key);
            assert!(grid.cube(cell).contains_point(center));
        }
    }

    #[test]
    fn regression_centers_just_below_a_boundary_when_scaling_underflows() {
        for grid in widened((1_u64 << 40) as f32, 2.0) {
            assert_eq!(grid.to_grid(Vec3::splat(-1e-40)), IVec3::splat(-1));
            assert_eq!(grid.to_grid(Vec3::splat(1e-40)), IVec3::ZERO);
        }
    }

    #[test]
    fn a_center_lies_in_its_smallest_cell_up_to_the_reach() {
        for grid in widened(0.25, 2.0) {
            let mut x = 1e-3;
            while x < grid.reach() {
                for center in [x, -x, x.next_down(), -x.next_down()] {
                    let place = grid.to_grid(Vec3::splat(center));
                    let (low, high) = (grid.to_world(place).x, grid.to_world(place + 1).x);
                    assert!(low <= center && center < high, "{center} in {low} to {high}, {grid:?}");
                }
                // Onto boundaries, and then anywhere.
                x = if x.to_bits() & 1 == 0 { grid.to_world(grid.to_grid(Vec3::splat(x)) + 1).x } else { x * 1.037 };
                x = f32::from_bits(x.to_bits() + 1);
            }
        }
    }

    #[test]
    fn grids_are_widened_until_even_objects_fill_leaves() {
        let grid = Grid::new(1.0 / 64.0, 2.0);
        for (count, size) in [
            (10_000, Vec3::splat(34.0)),
            (100_000, Vec3::splat(73.7)),
            (100_000, Vec3::new(2408.0, 2408.0, 7.0)),
            (1_000, Vec3::new(1e5, 0.0, 0.0)),
        ] {
            let fitted = grid.fitted(&Aabb::new(Vec3::ZERO, size), count, 44.0);
            let held = |level| {
                let part = (Vec3::splat(fitted.edge(level)) / size).min(Vec3::ONE);
                count as f32 * part.x * part.y * part.z
            };
            let most = (0..LEVEL_MAX).map(held).take_while(|&held| held <= 44.0).last().unwrap();
            assert!(most > 38.0, "{most} of {count} in {size}");
        }
        let at = |size: f32, count| grid.fitted(&Aabb::new(Vec3::ZERO, Vec3::splat(size)), count, 44.0).widening;
        assert_eq!(at(1e3, 44), 0, "all fit one leaf");
        assert_eq!(at(0.0, 1000), 0, "no cell is small enough");
        assert_eq!(Grid::new(1.0, 1.0).fitted(&Aabb::new(Vec3::ZERO, Vec3::splat(34.0)), 10_000, 44.0).widening, 0);
    }

    #[test]
    fn levels_that_surely_hold_a_box_do() {
        for grid in widened(0.5, 1.5) {
            for (size, far) in [0.0, 0.3, 1.0, 3.9, 4.0, 100.0, 1e6].into_iter().flat_map(|s| [(s, -7.3), (s, 7e6)]) {
                let mut boxes = Boxes::EMPTY;
                for lane in 0..8 {
                    let low = Vec3::splat(far + lane as f32 * 2.1);
                    boxes.set(lane, &Aabb::new(low, low + size));
                }
                for (lane, level) in grid.surely_held_from(&boxes).into_iter().enumerate() {
                    let aabb = boxes.get(lane);
                    let point = grid.to_grid(aabb.center());
                    let cell = Cell { min: (point >> level) << level, level };
                    assert!(grid.holds(cell, &aabb), "{aabb:?} at level {level}");
                }
            }
        }
    }

    #[test]
    fn eight_keys_at_once_are_the_scalar_ones() {
        let mut boxes = Boxes::EMPTY;
        for grid in [-40, -2, 0, 40].into_iter().flat_map(|power| widened(2.0_f32.powi(power), 2.0)) {
            let cell = grid.cell_around(&Aabb::new(Vec3::splat(-grid.reach()), Vec3::splat(grid.reach().next_down())));
            let far = IVec3::splat(grid.cells_max() - 1);
            for place in [IVec3::ZERO, IVec3::ONE, IVec3::new(-1, 77, -12_345), far, -far] {
                let boundary = grid.to_world(place);
                let beside = |step: fn(f32) -> f32| Vec3::from_array(boundary.to_array().map(step));
                let tiny = Vec3::splat(1e-40);
                let points = [boundary, beside(f32::next_up), beside(f32::next_down), tiny, -tiny, boundary * 0.5];
                for (lane, point) in points.into_iter().enumerate() {
                    boxes.set(lane, &Aabb::new(point, point));
                }
                let keys = grid.key_maker(cell).keys(&boxes);
                for lane in 0..points.len() {
                    assert_eq!(
                        keys[lane],
                        grid.morton_key(cell, boxes.get(lane).center()),
                        "{grid:?} {:?}",
                        points[lane]
                    );
                }
            }
        }
        for grid in widened(0.25, 2.0) {
            let cell = Cell { min: IVec3::new(-4096, -4096, -4096), level: 13 };
            for step in 0..500 {
                for lane in 0..8 {
                    let t = (step * 8 + lane) as f32;
                    let center = Vec3::new((t * 0.77).sin(), (t * 1.31).cos(), (t * 0.13).sin()) * 1023.9;
                    boxes.set(lane, &Aabb::new(center - 0.1, center + 0.1));
                }
                let keys = grid.key_maker(cell).keys(&boxes);
                for (lane, key) in keys.into_iter().enumerate() {
                    assert_eq!(key, grid.morton_key(cell, boxes.get(lane).center()));
                }
            }
        }
    }

    #[test]
    fn grown_cells_reach_any_box() {
        let grid = Grid::new(0.5, 1.0);
        let far = Aabb::from_center_half_extents(Vec3::new(8e6, -8e6, 3.0), Vec3::ONE);
        let mut cell = Cell { min: IVec3::ZERO, level: 2 };
        while !grid.holds(cell, &far) {
            let (parent, octant) = grid.grown(cell, &far);
            assert_eq!(parent.child(octant), cell);
            cell = parent;
        }
        assert!(cell.level <= LEVEL_MAX);
    }

    #[test]
    fn cell_around_prefers_aligned_cubes() {
        let grid = Grid::new(1.0, 1.0);
        let around = |low: f32, high: f32| grid.cell_around(&Aabb::new(Vec3::splat(low), Vec3::splat(high)));
        assert_eq!(around(0.5, 7.5), Cell { min: IVec3::ZERO, level: 3 });
        assert_eq!(around(-50.0, 49.0), Cell { min: IVec3::splat(-64), level: 7 });
        assert_eq!(around(3.5, 3.5), Cell { min: IVec3::splat(3), level: 0 });
    }
}
