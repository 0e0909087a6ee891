//! How small cells are, and so how far they reach: a bulk build adapts it to the world.
//!
//! Cells lie at integer coordinates that a 32-bit float must resolve, so the smallest cell
//! says how far from the origin a cell can lie. Objects farther out stand apart from the
//! tree, in a pile, which costs more than cells do. Where they are many, the smallest cell
//! is doubled until cells reach all but a few. Little is lost: so far out, floats resolve
//! no smaller cells. The smallest cell is doubled further if that reaches more of the few, as
//! long as it stays small beside the world. Where a smallest cell would hold more objects than a
//! leaf, it is halved, as long as cells reach much farther than the world.

use super::levels::Levels;
use super::{Grid, REACH};
use crate::geometry::Aabb;
use crate::geometry::lanes::SizeCounts;

/// How long a smallest cell may become.
const BASE_MAX: f32 = (1_u64 << 40) as f32;
/// How short.
const BASE_MIN: f32 = 1.0 / (1_u64 << 60) as f32;

/// One object in so many may lie beyond the reach of cells.
const OUTSIZED_SHARE: usize = 16;

/// So many smallest cells stay side by side in the world, if they are doubled for a few objects far beyond it.
const CELLS_KEPT: f32 = 65_536.0;

/// Levels into which the cells of leaves can divide further where objects lie evenly.
const LEVELS_BELOW: u32 = 6;

impl Grid {
    /// No cells reach as far from the origin as this.
    pub(crate) const REACH_MAX: f32 = REACH * BASE_MAX;

    /// The grid of the settings: not scaled, not widened, and all cells are cubes.
    pub(crate) fn plain(self) -> Self {
        Self { levels: Levels::cubes(), ..self }.widened(0).scaled(0)
    }

    /// The grid whose smallest cell is that of the settings times two to this power.
    pub(super) fn scaled(self, scale: i8) -> Self {
        let base = self.base * power_of_two(i32::from(scale) - i32::from(self.scale));
        Self { scale, base, ..self }.widened(self.widening)
    }

    /// The same, if the smallest cell may be as long or short as that.
    #[cfg(feature = "serde")]
    pub(super) fn scaled_if_may(self, scale: i8) -> Option<Self> {
        // The largest smallest cell, scaled down so far, is too short.
        let base = self.base * power_of_two(i32::from(scale.max(-126)));
        (BASE_MIN..=BASE_MAX).contains(&base).then(|| self.scaled(scale))
    }

    /// Whether so many of all objects beyond the reach of cells are too many: more than
    /// a leaf holds, and more than a small share.
    pub(crate) fn are_too_many(outsized: usize, count: usize, leaf: usize) -> bool {
        outsized > leaf.max(count / OUTSIZED_SHARE)
    }

    /// The grid whose smallest cell is doubled until not too many of the boxes of such sizes are beyond
    /// the reach of cells. Boxes that no doubling brings within reach do not count.
    pub(crate) fn reaching_most(self, sizes: &SizeCounts, leaf: usize) -> Self {
        let (count, mut grid) = (sizes.below(Self::REACH_MAX), self);
        while Self::are_too_many(count - sizes.below(grid.reach()), count, leaf) {
            grid = grid.scaled(grid.scale + 1);
        }
        grid
    }

    /// Of the grids whose smallest cell is doubled, and stays small beside `centers`, those that are within reach
    /// already: the least doubled that reaches most of the boxes.
    pub(crate) fn reaching_more(self, sizes: &SizeCounts, centers: &Aabb) -> Self {
        let base_max = (centers.max - centers.min).max_element() * (1.0 / CELLS_KEPT);
        let (count, mut grid, mut best) = (sizes.below(Self::REACH_MAX), self, self);
        while sizes.below(best.reach()) < count {
            grid = grid.scaled(grid.scale + 1);
            // Without centres the limit is minus infinity.
            if grid.is_strict() || grid.base > base_max {
                break;
            }
            if sizes.below(grid.reach()) > sizes.below(best.reach()) {
                best = grid;
            }
        }
        best
    }

    /// The grid whose smallest cell is halved until the cell of a leaf divides a few levels further,
    /// if so many leaves lie evenly, or until cells reach only some times as far as all boxes.
    #[inline(always)]
    pub(crate) fn resolving(self, centers: &Aabb, bounds: &Aabb, leaves: f32) -> Self {
        let size = centers.max - centers.min;
        let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
        let mut grid = self;
        while !grid.is_strict()
            && grid.overflows(size, leaves, grid.unit, LEVELS_BELOW)
            && size.max_element() > 0.0
            && grid.reach() > 64.0 * farthest
            && grid.base > BASE_MIN
        {
            grid = grid.scaled(grid.scale - 1);
        }
        grid
    }
}

fn power_of_two(exponent: i32) -> f32 {
    #[expect(clippy::cast_sign_loss, reason = "the exponent of a float that is neither small nor infinite")]
    f32::from_bits(((127 + exponent) as u32) << 23)
}
