//! The grid: where cells lie in the world. Pure functions.
//!
//! Cells are half-open, at integer coordinates. A boundary becomes a float in one way: a
//! product that is rounded, and that does not fall where the coordinate rises. So
//! neighbours agree on the boundary that they share, and no gap is between them.
//!
//! An object belongs to a cell that holds its centre, if along each axis it is at most
//! `looseness - 1` edges long, or lies inside the cell.
//!
//! A bulk build adapts the grid to the world in three ways. The smallest cell is doubled
//! until cells reach most objects, or halved until cells are small enough (`reach.rs`). The
//! levels divide as the world is long, wide and high (`levels.rs`). And all cells are widened
//! by one factor, so that leaves are well filled (`fit.rs`). A few objects far from all others do not
//! count as part of the world.

pub(crate) mod cell;
mod fit;
pub(crate) mod levels;
mod reach;
#[cfg(test)]
mod tests;

use crate::data::grid::cell::LEVEL_MAX;
use crate::data::grid::levels::{Levels, Split, shortest};
use crate::data::{Cell, Span, key_floor};
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, KeyMaker, KeyOrder, LooseCell, exponents_above};
use core::ops::Range;
use glam::{BVec3, IVec3, Vec3};

/// Half the range of placeable coordinates, in smallest cells that are not
/// widened: beyond it a 32-bit float no longer resolves them.
const REACH: f32 = (1_i32 << 24) as f32;

/// The hysteresis: how far the centre of an object may lie outside its cell
/// before it is moved, in longest edges of the cell.
const HYSTERESIS: f32 = 0.125;

/// Steps by which a grid is widened; as many double it.
const WIDENING_STEPS: u8 = 32;

/// Size of the smallest cell, how cells divide, and how long an object may be
/// that a cell holds.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Grid {
    /// How far the grid is widened, in [`WIDENING_STEPS`].
    pub(crate) widening: u8,
    /// The power of two by which the smallest cell of the settings is scaled.
    pub(crate) scale: i8,
    /// How the cells of each level divide; in a strict grid into cubes.
    pub(crate) levels: Levels,
    /// The smallest cell of the grid that is not widened: that of the settings, scaled.
    #[cfg_attr(feature = "serde", serde(skip))]
    base: f32,
    #[cfg_attr(feature = "serde", serde(skip))]
    unit: f32,
    #[cfg_attr(feature = "serde", serde(skip))]
    inverse_unit: f32,
    /// How many longest edges of its cell an object may be long.
    #[cfg_attr(feature = "serde", serde(skip))]
    edges_max: f32,
}

impl Grid {
    pub(crate) fn new(base: f32, looseness: f32) -> Self {
        Self {
            widening: 0,
            scale: 0,
            levels: Levels::cubes(),
            base,
            unit: base,
            inverse_unit: 1.0 / base,
            edges_max: looseness - 1.0,
        }
    }

    /// The grid widened by so many steps.
    pub(crate) fn widened(self, steps: u8) -> Self {
        let unit = self.unit_after(steps);
        Self { widening: steps, unit, inverse_unit: 1.0 / unit, ..self }
    }

    /// Edge of the smallest cell of the grid widened by so many steps.
    fn unit_after(&self, steps: u8) -> f32 {
        self.base * (1.0 + f32::from(steps) / f32::from(WIDENING_STEPS))
    }

    /// The grid, with the widening and the levels of another that came from
    /// outside, if it may have them.
    #[cfg(feature = "serde")]
    pub(crate) fn restored(self, other: &Self) -> Option<Self> {
        let base = self.scaled_if_may(other.scale)?;
        let grid = Self { levels: other.levels.restored()?, ..base }.widened(other.widening);
        let is_plain = grid.widening == 0 && grid.levels == Levels::cubes();
        (is_plain || !grid.is_strict()).then_some(grid)
    }

    #[inline]
    fn corner(&self, place: IVec3) -> Vec3 {
        place.as_vec3() * self.unit
    }

    /// The smallest cell that a placeable centre lies in.
    #[inline]
    fn smallest_at(&self, center: Vec3) -> IVec3 {
        // Truncation plus a correction is a floor without a library call.
        let places = center / self.unit;
        let truncated = places.as_ivec3();
        let floor = truncated - ones(truncated.as_vec3().cmpgt(places));
        // The boundary as a float decides: it is rounded, so is the quotient,
        // and that may have underflowed.
        let (low, high) = (self.corner(floor), self.corner(floor + 1));
        floor - ones(low.cmpgt(center)) + ones(high.cmple(center))
    }

    /// How far from the origin cells may reach, in smallest cells.
    #[expect(clippy::cast_possible_truncation, reason = "at most 2^24")]
    pub(crate) fn cells_max(&self) -> i32 {
        (self.reach() / self.unit) as i32
    }

    /// A vector in whole smallest cells, as near as may be.
    pub(crate) fn in_cells(&self, vector: Vec3) -> Vec3 {
        (vector / self.unit).round()
    }

    /// Whether only what lies inside a cell belongs to it.
    pub(crate) fn is_strict(&self) -> bool {
        self.edges_max == 0.0
    }

    /// How far from the origin a centre may lie, and how long an edge may be,
    /// for a cell to hold a box.
    pub(crate) fn reach(&self) -> f32 {
        REACH * self.base
    }

    /// Eight-wide [`Grid::morton_key`].
    #[inline]
    pub(crate) fn key_maker(&self, cell: Cell) -> KeyMaker {
        KeyMaker { unit: self.unit, min: cell.min, size: self.levels.sizes(cell.level), order: self.key_order(cell) }
    }

    /// Which bits of coordinates make what continues the keys of a cell by some levels, in the low bits of a number.
    pub(crate) fn tail_order(&self, cell: Cell, levels: u32) -> KeyOrder {
        let floor = key_floor(cell.level);
        self.order_of_levels(floor - levels..floor)
    }

    /// Whether some cell can hold the box: finite, and within reach of the grid.
    #[inline]
    pub(crate) fn is_placeable(&self, aabb: &Aabb) -> bool {
        let reach = Vec3::splat(self.reach());
        let center = aabb.center();
        (center.abs().cmplt(reach) & aabb.extents().cmple(reach)).all()
    }

    /// The region of a cell and those that a span adds, in world units.
    #[inline(always)]
    pub(crate) fn region(&self, cell: Cell, span: Span) -> Aabb {
        let mut sizes = self.levels.sizes(cell.level);
        if span != Span::ONE {
            sizes *= self.levels.split(cell.level + 1).octants(span);
        }
        Aabb::new(self.corner(cell.min), self.corner(cell.min + sizes))
    }

    /// Such a region and its loose bounds in world units.
    #[inline]
    pub(crate) fn loose_bounds(&self, cell: Cell, span: Span) -> LooseCell {
        self.loosened(&self.region(cell, span), self.levels.sizes(cell.level))
    }

    /// A region with the loose bounds of cells with such edges.
    #[inline]
    fn loosened(&self, region: &Aabb, sizes: IVec3) -> LooseCell {
        let edge = sizes.max_element() as f32 * self.unit;
        LooseCell::new(region.min, region.max, edge * self.edges_max, edge * self.edges_max.min(1.0) * HYSTERESIS)
    }

    /// The cell and its loose bounds in world units.
    #[inline]
    pub(crate) fn loose_cell(&self, cell: Cell) -> LooseCell {
        self.loose_bounds(cell, Span::ONE)
    }

    /// Whether a box belongs in a cell or below it: its centre lies in the
    /// cell, and along each axis it is short enough or lies inside.
    #[inline]
    pub(crate) fn holds(&self, cell: Cell, aabb: &Aabb) -> bool {
        self.loose_cell(cell).holds(aabb)
    }

    /// The cell in an octant of a cell.
    #[inline]
    pub(crate) fn child(&self, cell: Cell, octant: usize) -> Cell {
        let split = self.levels.split(cell.level);
        if split != Split::CUBE {
            return self.child_of_box(cell, split, octant);
        }
        let upper = BVec3::new(octant & 1 != 0, octant & 2 != 0, octant & 4 != 0);
        let min = cell.min + IVec3::select(upper, self.levels.sizes(cell.level - 1), IVec3::ZERO);
        Cell { min, level: cell.level - 1 }
    }

    /// [`Grid::child`] of a cell that is not halved once along each axis.
    // Not inlined: most cells are cubes.
    #[inline(never)]
    fn child_of_box(&self, cell: Cell, split: Split, octant: usize) -> Cell {
        let (mut min, mut sizes) = (cell.min, self.levels.sizes(cell.level));
        for bit in (0..3).rev() {
            let axis = split.axis(bit);
            sizes[axis] >>= 1;
            if octant >> bit & 1 == 1 {
                min[axis] += sizes[axis];
            }
        }
        Cell { min, level: cell.level - 1 }
    }

    /// The octant of a cell that a centre lies in.
    #[inline]
    fn octant(&self, cell: Cell, center: Vec3) -> usize {
        let split = self.levels.split(cell.level);
        if split == Split::CUBE {
            let above = center.cmpge(self.corner(cell.min + self.levels.sizes(cell.level - 1)));
            return usize::from(above.x) | usize::from(above.y) << 1 | usize::from(above.z) << 2;
        }
        let (mut sizes, mut min, mut octant) = (self.levels.sizes(cell.level), cell.min, 0);
        for bit in (0..3).rev() {
            let axis = split.axis(bit);
            sizes[axis] >>= 1;
            let middle = min[axis] + sizes[axis];
            if center[axis] >= middle as f32 * self.unit {
                min[axis] = middle;
                octant |= 1 << bit;
            }
        }
        octant
    }

    /// The octant of a cell that a smallest cell lies in.
    pub(crate) fn octant_of(&self, cell: Cell, place: IVec3) -> usize {
        let split = self.levels.split(cell.level);
        let (mut sizes, mut min, mut octant) = (self.levels.sizes(cell.level), cell.min, 0);
        for bit in (0..3).rev() {
            let axis = split.axis(bit);
            sizes[axis] >>= 1;
            if place[axis] >= min[axis] + sizes[axis] {
                min[axis] += sizes[axis];
                octant |= 1 << bit;
            }
        }
        octant
    }

    /// Whether a cell is another one, or lies below it: is an octant of it, or an octant of an octant, and so on.
    pub(crate) fn is_within(&self, inner: Cell, outer: Cell) -> bool {
        let mut cell = outer;
        while cell.level > inner.level {
            cell = self.child(cell, self.octant_of(cell, inner.min));
        }
        cell == inner
    }

    /// The octant of a cell whose child holds the box, if the cell may be split and a child does.
    #[inline]
    pub(crate) fn octant_holding(&self, cell: Cell, level_min: u32, aabb: &Aabb) -> Option<usize> {
        if cell.level <= level_min {
            return None;
        }
        let octant = self.octant(cell, aabb.center());
        self.holds(self.child(cell, octant), aabb).then_some(octant)
    }

    /// The longest edges along each axis of a box that a child of a cell may hold,
    /// with room for rounding: no child holds a longer one, and none holds any
    /// if the cell may not be split.
    pub(crate) fn child_edges_max(&self, cell: Cell, level_min: u32) -> Vec3 {
        const ROUNDING: f32 = 1.0 + 1.0 / 1024.0;
        if cell.level <= level_min {
            return Vec3::NEG_INFINITY;
        }
        let sizes = self.levels.sizes(cell.level - 1).as_vec3() * self.unit;
        sizes.max(Vec3::splat(sizes.max_element() * self.edges_max)) * ROUNDING
    }

    /// For each of eight boxes, how long the longest edge of a cell must be for it to hold
    /// the box if it holds its centre: by size alone, with room for rounding. In smallest cells, the
    /// exponent of a power of two. Smaller cells need a look; 31 if all do.
    #[inline]
    pub(crate) fn edges_needed(&self, boxes: &Boxes) -> [u32; 8] {
        exponents_above(boxes, self.inverse_unit, 1.0 / self.edges_max)
    }

    /// The exponent of the longest edge of a level's cells, in smallest cells.
    #[inline]
    pub(crate) fn longest_edge(&self, level: u32) -> u32 {
        self.levels.sizes(level).max_element().ilog2()
    }

    /// Which bits of coordinates make the keys of a cell: those of [`KEY_LEVELS`](crate::data::grid::cell::KEY_LEVELS)
    /// octants, the cell's own last.
    #[inline]
    pub(crate) fn key_order(&self, cell: Cell) -> KeyOrder {
        self.order_of_levels(key_floor(cell.level)..cell.level)
    }

    /// Which bits make octants of such levels, the highest last.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    fn order_of_levels(&self, levels: Range<u32>) -> KeyOrder {
        let floor = levels.start;
        let (mut places, mut place) = ([0; 3], 1);
        for level in levels {
            let split = self.levels.split(level + 1);
            for bit in 0..3 {
                places[split.axis(bit)] |= place;
                place <<= 1;
            }
        }
        KeyOrder::new(self.levels.log2_sizes(floor), places)
    }

    /// Morton key of a centre in a cell, in the cell's order.
    #[inline]
    pub(crate) fn morton_key(&self, cell: Cell, order: &KeyOrder, center: Vec3) -> u32 {
        // A centre that strayed from the cell counts as on its boundary.
        let sizes = self.levels.sizes(cell.level);
        order.key((self.smallest_at(center) - cell.min).clamp(IVec3::ZERO, sizes - 1))
    }

    /// A cell eight times as large with `cell` as one octant, which reaches
    /// towards the box, or over the origin where the box lies within; and
    /// that octant. A cube is doubled along each axis, another box along those
    /// where it does not hold the box, the shortest first. Sets how cells of
    /// the new level divide.
    ///
    /// No axis needs a cell longer than that of [`LEVEL_MAX`]: one half as
    /// long that holds a placeable centre, doubled in either way, holds all.
    pub(crate) fn grow(&mut self, cell: Cell, aabb: &Aabb) -> (Cell, usize) {
        debug_assert!(cell.level < LEVEL_MAX);
        let (mut min, mut sizes) = (cell.min, self.levels.sizes(cell.level));
        let is_cube = sizes == IVec3::splat(sizes.x);
        let (mut octant, mut axes) = (0, [0, 1, 2]);
        for (bit, axis) in axes.iter_mut().enumerate() {
            let region = Aabb::new(self.corner(min), self.corner(min + sizes));
            if !is_cube {
                let held = self.loosened(&region, sizes).axes_held(aabb);
                *axis = shortest(sizes, |axis| held >> axis & 1 == 0);
            }
            if grows_down(&region, aabb, *axis) {
                min[*axis] -= sizes[*axis];
                octant |= 1 << bit;
            }
            sizes[*axis] *= 2;
        }
        self.levels.set_split_above(cell.level, Split::new(axes));
        (Cell { min, level: cell.level + 1 }, octant)
    }

    /// A small cell that holds all the centres within `centers`, aligned to
    /// as large a power of two as possible.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    pub(crate) fn cell_around(&self, centers: &Aabb) -> Cell {
        let (low, high) = (self.smallest_at(centers.min), self.smallest_at(centers.max));
        let suffices = |level: &u32| (high - low).cmplt(self.levels.sizes(*level)).all();
        let level = (0..LEVEL_MAX).find(suffices).unwrap_or(LEVEL_MAX);
        let sizes = self.levels.sizes(level);
        // Sizes are powers of two, and so is what they are capped at. Alignment to one is the last.
        let (mut cap, mut min) = (sizes.max_element(), low & -sizes);
        while cap > 1 && !(high - min).cmplt(sizes).all() {
            cap >>= 1;
            min = low & -sizes.min(IVec3::splat(cap));
        }
        Cell { min, level }
    }
}

/// Whether a region is doubled downwards along an axis to hold a box.
fn grows_down(region: &Aabb, aabb: &Aabb, axis: usize) -> bool {
    let (low, high, center) = (region.min[axis], region.max[axis], aabb.center()[axis]);
    let (below, above) = (aabb.min[axis] < low, aabb.max[axis] > high);
    if center < low {
        true
    } else if center >= high {
        false
    } else if below != above {
        below
    } else {
        low + high >= 0.0
    }
}

/// One where a mask is set.
#[inline]
fn ones(mask: BVec3) -> IVec3 {
    IVec3::new(i32::from(mask.x), i32::from(mask.y), i32::from(mask.z))
}
