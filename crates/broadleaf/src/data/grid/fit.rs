//! Levels and width of the cells that a bulk build chooses for its objects.
//!
//! All cells are widened by one factor, if there are more than a few hundred objects, so that leaves are
//! well filled where objects lie evenly. Without it, the largest cells that hold no more than a leaf would
//! hold anything from an eighth of a leaf to a full one, since eight of them make one cell of the next
//! level.

use super::Grid;
use super::cell::LEVEL_MAX;
use super::levels::Levels;
use crate::geometry::Aabb;
use glam::Vec3;

/// Objects up to which a grid is not widened: as many as eight full buckets hold.
const NOT_WIDENED_MAX: usize = 512;

impl Grid {
    /// The grid with levels for all centres within `centers`, and widened so
    /// that, if `count` of them lie evenly, some cells hold almost as many as a
    /// leaf should, and none more. A strict grid stays as it is, with cubes. One of few
    /// objects is not widened: to find out how far takes longer than it gains.
    /// (Objects that no cell can hold may be counted too: that costs speed alone.)
    pub(crate) fn fitted(self, centers: &Aabb, count: usize, leaf: f32) -> Self {
        let plain = Self { levels: Levels::cubes(), ..self }.widened(0);
        if self.is_strict() || count as f32 <= leaf || centers.min.x > centers.max.x {
            return plain;
        }
        let cells = plain.smallest_at(centers.max) - plain.smallest_at(centers.min) + 1;
        if count <= NOT_WIDENED_MAX {
            return Self { levels: Levels::fitted(cells), ..plain };
        }
        let flattest = (0..3).min_by_key(|&axis| cells[axis]).unwrap_or_default();
        // A flat world that is taken for two or four times as high has its
        // levels begin with another axis, and may do with one level less.
        let (mut best, mut height_min) = (plain, u32::MAX);
        for doublings in 0..3 {
            let mut cells = cells;
            cells[flattest] <<= doublings;
            let levels = Levels::fitted(cells);
            if doublings == 0 || levels != best.levels {
                let mut grid = Self { levels, ..plain };
                let height = grid.fill(centers, count as f32 / leaf);
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
        let last_of = |from: u8, by: usize| {
            (from..=u8::MAX).step_by(by).take_while(|&steps| !overflows(self.unit_after(steps), level)).last()
        };
        let coarse = last_of(0, 16).unwrap_or_default();
        *self = self.widened(last_of(coarse, 1).unwrap_or_default());
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
