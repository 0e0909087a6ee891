//! Levels and width of the cells that a bulk build chooses for its objects.
//!
//! All cells are widened by one factor, if there are more than a few hundred objects, so that leaves are
//! well filled where objects lie evenly. Without it, the largest cells that hold no more than a leaf would
//! hold anything from an eighth of a leaf to a full one, since eight of them make one cell of the next
//! level.

use super::Grid;
use super::cell::{Cell, LEVEL_MAX};
use super::levels::Levels;
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, WIDTH, center_within, prefetch_code};
use arrayvec::ArrayVec;
use glam::{IVec3, Vec3};

/// Objects up to which a grid is not widened: as many as eight full buckets hold.
const NOT_WIDENED_MAX: usize = 512;

/// Centres in a sample at most.
const SAMPLES_MAX: usize = 64;

/// How many times as long as nearly all of a world all of it must be, for the rest to count as far.
const FAR: f32 = 4.0;

/// One of so many objects of a sample may lie far from all others.
const FEW_FAR: usize = 8;

impl Grid {
    /// Prefetches the code that lays out the grid of a bulk build of so many objects.
    pub(crate) fn prefetch_code_of_layout<C: Iterator<Item = Boxes>>(count: usize) {
        let is_widened = count > NOT_WIDENED_MAX;
        if is_widened {
            prefetch_code(most_of_sample::<C> as *const (), 0..84);
        }
        prefetch_code(Self::laid_out as *const (), if is_widened { 0..24 } else { 0..50 });
        if is_widened {
            prefetch_code(Self::fitted_and_widened as *const (), 0..52);
        }
        prefetch_code(Self::cell_around as *const (), 0..16);
        prefetch_code(Self::order_of_levels as *const (), 0..8);
    }

    /// Bounds of nearly all centres: along axes on which a few objects lie far from all others, such as an aircraft above
    /// a city, those of the others. `centers` bounds all that are within reach, `columns` are their boxes.
    ///
    /// A sample decides, of one object of every so many blocks. In small worlds none is taken, for that takes longer
    /// than it gains.
    #[inline]
    pub(crate) fn most_centers(&self, centers: &Aabb, count: usize, columns: impl Iterator<Item = Boxes>) -> Aabb {
        if self.is_strict() || count <= NOT_WIDENED_MAX { *centers } else { most_of_sample(centers, count, columns) }
    }

    /// The grid for so many objects, and a small cell around most centres. `bounds` is that of all boxes within reach.
    // Not inlined: its code is prefetched. The steps that all builds run are inlined, so that they lie on the same pages;
    // `cell_around` has two callers.
    #[inline(never)]
    pub(crate) fn laid_out(self, most: &Aabb, bounds: &Aabb, count: usize, leaf: f32) -> (Self, Cell) {
        let grid = self.resolving(most, bounds, count as f32 / leaf).fitted(most, count, leaf);
        let cell = if most.min.x > most.max.x { Cell::SMALLEST } else { grid.cell_around(most) };
        (grid, cell)
    }

    /// The grid with levels for nearly all centres, those within `centers`, and widened so
    /// that, if `count` of them lie evenly, some cells hold almost as many as a
    /// leaf should, and none more. A strict grid stays as it is, with cubes. One of few
    /// objects is not widened: to find out how far takes longer than it gains.
    /// (Objects that no cell can hold may be counted too: that costs speed alone.)
    #[inline(always)]
    pub(crate) fn fitted(self, centers: &Aabb, count: usize, leaf: f32) -> Self {
        let plain = Self { levels: Levels::cubes(), ..self }.widened(0);
        if self.is_strict() || count as f32 <= leaf || centers.min.x > centers.max.x {
            return plain;
        }
        let cells = plain.smallest_at(centers.max) - plain.smallest_at(centers.min) + 1;
        if count <= NOT_WIDENED_MAX {
            return Self { levels: Levels::fitted(cells), ..plain };
        }
        plain.fitted_and_widened(centers, count as f32 / leaf, cells)
    }

    /// [`Grid::fitted`] for more than a few objects, which are so many full leaves.
    // Not inlined: small worlds do without, and its code is prefetched.
    #[inline(never)]
    fn fitted_and_widened(self, centers: &Aabb, leaves: f32, cells: IVec3) -> Self {
        let flattest = (0..3).min_by_key(|&axis| cells[axis]).unwrap_or_default();
        // A flat world that is taken for two or four times as high has its
        // levels begin with another axis, and may do with one level less.
        let (mut best, mut height_min) = (self, u32::MAX);
        for doublings in 0..3 {
            let mut cells = cells;
            cells[flattest] <<= doublings;
            let levels = Levels::fitted(cells);
            if doublings == 0 || levels != best.levels {
                let mut grid = Self { levels, ..self };
                let height = grid.fill(centers, leaves);
                if height < height_min {
                    (best, height_min) = (grid, height);
                }
            }
        }
        best
    }

    /// Widens the grid as far as some cells hold at most one of so many equal
    /// parts of the centres, and tells how many levels above them cells hold all.
    fn fill(&mut self, centers: &Aabb, parts: f32) -> u32 {
        let size = centers.max - centers.min;
        let overflows = |unit: f32, level: u32| self.overflows(size, parts, unit, level);
        let Some(level) = (0..LEVEL_MAX).take_while(|&level| !overflows(self.unit, level)).last() else {
            return LEVEL_MAX;
        };
        // Sixteen steps at a time, and then one at a time.
        let mut steps = 0_u8;
        for by in [16, 1] {
            while let Some(next) = steps.checked_add(by)
                && !overflows(self.unit_after(next), level)
            {
                steps = next;
            }
        }
        *self = self.widened(steps);
        self.cell_around(centers).level.saturating_sub(level)
    }

    /// Whether a cell of a level holds more than one of so many equal parts of a world of this size,
    /// if the smallest cell is so long.
    #[inline]
    pub(super) fn overflows(&self, size: Vec3, parts: f32, unit: f32, level: u32) -> bool {
        let part = (self.levels.sizes(level).as_vec3() * unit / size).min(Vec3::ONE);
        part.x * part.y * part.z * parts > 1.0
    }
}

/// Bounds of most centres, by a sample of them.
// Not inlined: its code is prefetched.
#[inline(never)]
fn most_of_sample<C: Iterator<Item = Boxes>>(centers: &Aabb, count: usize, mut columns: C) -> Aabb {
    let is_within = |bounds: &Aabb, center: Vec3| center.cmpge(bounds.min).all() & center.cmple(bounds.max).all();
    let mut samples = ArrayVec::<Vec3, SAMPLES_MAX>::new();
    let stride = (count / WIDTH).div_ceil(SAMPLES_MAX);
    // Not `step_by`, whose code is not inlined.
    let mut next = columns.next();
    for (from, _) in (0..).zip(0..SAMPLES_MAX) {
        let Some(boxes) = next else { break };
        next = columns.nth(stride - 1);
        // Another lane of each block, for callers may list groups of objects in turn. That of no object is not
        // within the bounds.
        samples.extend(center_within(&boxes, centers, from));
    }
    // Most are those between an eighth and seven eighths of the sample, and as much on both sides as lies there
    // where centres are even.
    let left_out = samples.len() / 8;
    let (mut most, size) = (*centers, centers.max - centers.min);
    for axis in 0..3 {
        // Where more than an eighth of the sample lies on each side of the middle fifth, nothing counts as far: then both
        // limits need not be computed.
        let [low, high] = [0.4, 0.6].map(|share| centers.min[axis] + size[axis] * share);
        let below = samples.iter().filter(|center| center[axis] < low).count();
        let above = samples.iter().filter(|center| center[axis] > high).count();
        if below.min(above) > left_out {
            continue;
        }
        let mut places: ArrayVec<f32, SAMPLES_MAX> = samples.iter().map(|center| center[axis]).collect();
        let Some(last) = places.len().checked_sub(1) else { break };
        let (_, &mut high, _) = places.select_nth_unstable_by(last - left_out, f32::total_cmp);
        let (_, &mut low, _) = places[..=last - left_out].select_nth_unstable_by(left_out, f32::total_cmp);
        let margin = (high - low) / 6.0;
        if size[axis] > FAR * (high - low + 2.0 * margin) {
            most.min[axis] = centers.min[axis].max(low - margin);
            most.max[axis] = centers.max[axis].min(high + margin);
        }
    }
    let far = samples.iter().filter(|&&center| !is_within(&most, center)).count();
    if far * FEW_FAR > samples.len() { *centers } else { most }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// The bounds of most of some centres, and of all.
    fn most_of(grid: &Grid, centers: &[Vec3]) -> [Aabb; 2] {
        let boxes = |eight: &[Vec3]| {
            Boxes::gather(|lane| {
                eight.get(lane).map_or(Aabb::EMPTY, |&center| Aabb::from_center_half_extents(center, Vec3::ZERO))
            })
        };
        let columns: Vec<Boxes> = centers.chunks(WIDTH).map(boxes).collect();
        let all = centers.iter().fold(Aabb::EMPTY, |all, &center| all.union(&Aabb::new(center, center)));
        [grid.most_centers(&all, centers.len(), columns.into_iter()), all]
    }

    #[test]
    fn a_few_far_objects_are_left_out_along_the_axes_on_which_they_are_far() {
        let grid = Grid::new(1.0 / 64.0, 3.0);
        let place = |i: usize| Vec3::new((i * 7919 % 2000) as f32, (i * 104_729 % 31) as f32 * 0.1, (i % 17) as f32);
        let mut world: Vec<Vec3> = (0..2000).map(place).collect();
        let [most, all] = most_of(&grid, &world);
        assert_eq!(most, all, "even");
        world[77] = Vec3::new(1000.0, 500.0, 5.0);
        let [most, all] = most_of(&grid, &world);
        assert_eq!((most.min.x, most.max.x, most.max.z), (all.min.x, all.max.x, all.max.z));
        assert!(most.max.y < 5.0 && all.max.y == 500.0, "{most:?}");
        assert_eq!(most_of(&Grid::new(1.0 / 64.0, 1.0), &world), [all; 2], "strict");
        assert_eq!(most_of(&grid, &world[..512]), [most_of(&grid, &world[..512])[1]; 2], "small");
        // Groups that are listed in turn are all of the world.
        for groups in [2, 3, 8, 10] {
            (0..2000).for_each(|i| world[i].y = 1e4 * (i % groups) as f32);
            let [most, all] = most_of(&grid, &world);
            assert_eq!(most, all, "{groups} groups");
        }
    }
}
