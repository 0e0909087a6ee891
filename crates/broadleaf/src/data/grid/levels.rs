//! How the cells of each level divide into octants: they are halved three
//! times, each time along one axis. Pure.
//!
//! Where a world is as high as wide each axis is halved once, and cells are
//! cubes. In a flat world a cube has children in four octants at most, so that
//! half of every node would be empty: there, levels above the world's height
//! leave the third axis alone and halve the other two in turn.

use super::cell::LEVEL_MAX;
use crate::data::state::hash::WordHash;
use core::fmt;
use glam::IVec3;

/// Splits of cells, one a level: a smallest cell has none.
const SPLITS: usize = LEVEL_MAX as usize;

/// The axes along which a cell is halved. Bit `i` of an octant says in which
/// half along axis `i` of these it lies; the last is halved first.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Split(pub(crate) u8);

impl Default for Split {
    fn default() -> Self {
        Self::CUBE
    }
}

impl Split {
    /// Once along each axis: bit 0 is x, bit 1 y, bit 2 z.
    pub(crate) const CUBE: Self = Self::new([0, 1, 2]);

    /// Along axes of which the last is halved first.
    #[expect(clippy::cast_possible_truncation, reason = "an axis is below three")]
    pub(crate) const fn new(axes: [usize; 3]) -> Self {
        Self((axes[0] | axes[1] << 2 | axes[2] << 4) as u8)
    }

    /// The axis of a bit of an octant.
    #[inline]
    pub(crate) fn axis(self, bit: usize) -> usize {
        usize::from(self.0 >> (2 * bit) & 0b11)
    }

    /// The region of such a span of octants, in octants along each axis.
    #[inline]
    pub(crate) fn octants(self, span: Span) -> IVec3 {
        let mut octants = IVec3::ONE;
        for bit in 0..2 {
            octants[self.axis(bit)] <<= span.0 >> bit & 1;
        }
        octants
    }

    /// The edges of a cell that divides so into cells with such edges.
    fn doubled(self, mut sizes: IVec3) -> IVec3 {
        (0..3).for_each(|bit| sizes[self.axis(bit)] *= 2);
        sizes
    }

    /// Whether loaded bytes are a split.
    #[cfg(feature = "serde")]
    pub(crate) fn is_legal(self) -> bool {
        self.0 < 64 && (0..3).all(|bit| self.axis(bit) < 3)
    }
}

/// Octant bits in which the octants that a bucket covers may differ from its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Span(pub(crate) u8);

impl Span {
    /// One octant.
    pub(crate) const ONE: Self = Self(0b00);
    /// Two that the last halving made of one.
    pub(crate) const TWO: Self = Self(0b01);
    /// Four that the last two halvings made of one.
    pub(crate) const FOUR: Self = Self(0b11);

    /// The lowest of the octants covered together with `octant`.
    #[inline]
    pub(crate) fn base(self, octant: usize) -> usize {
        octant & !usize::from(self.0)
    }

    /// How many octants are covered.
    #[inline]
    pub(crate) fn len(self) -> usize {
        usize::from(self.0) + 1
    }
}

impl fmt::Debug for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..3).rev().try_for_each(|bit| write!(f, "{}", ["x", "y", "z", "?"][self.axis(bit)]))
    }
}

/// How the cells of each level divide, and so how long they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Levels {
    /// How cells of the next level divide into those of a level.
    splits: [Split; SPLITS],
    /// Edges of the cells of each level, in smallest cells: powers of two.
    #[cfg_attr(feature = "serde", serde(skip))]
    sizes: [IVec3; SPLITS + 1],
}

impl Levels {
    /// All cells are cubes.
    pub(crate) const fn cubes() -> Self {
        let mut sizes = [IVec3::ONE; SPLITS + 1];
        let mut level = 0;
        while level <= SPLITS {
            sizes[level] = IVec3::splat(1 << level);
            level += 1;
        }
        Self { splits: [Split::CUBE; SPLITS], sizes }
    }

    /// Levels for a world that takes so many smallest cells along each axis:
    /// an axis is no longer halved where one cell holds all of it.
    #[inline(always)]
    pub(crate) fn fitted(cells: IVec3) -> Self {
        const CUBES: Levels = Levels::cubes();
        let mut levels = CUBES;
        // Cubes as long as they are shorter than the world along each axis.
        let cubes = cells.min_element().max(1).ilog2();
        levels.fill(cubes as usize, |axis, size| size < cells[axis]);
        levels
    }

    /// Has cells of `level` and above double along axes on which it is wanted,
    /// the shortest first, and else along the shortest.
    #[inline(always)]
    fn fill(&mut self, level: usize, wanted: impl Fn(usize, i32) -> bool) {
        for level in level..SPLITS {
            let mut sizes = self.sizes[level];
            if sizes == IVec3::splat(sizes.x) && (0..3).all(|axis| !wanted(axis, sizes[axis])) {
                // Above, all are cubes.
                for above in level..SPLITS {
                    (self.splits[above], self.sizes[above + 1]) = (Split::CUBE, self.sizes[above] * 2);
                }
                return;
            }
            let mut axes = [0; 3];
            for axis in &mut axes {
                *axis = shortest(sizes, |axis| wanted(axis, sizes[axis]));
                sizes[*axis] *= 2;
            }
            // Once along each axis is the same in any order.
            let is_cube = (0..3).all(|axis| axes.contains(&axis));
            self.splits[level] = if is_cube { Split::CUBE } else { Split::new(axes) };
            self.sizes[level + 1] = sizes;
        }
    }

    /// Has cells of a level double in this way; above, along the shortest axis.
    pub(crate) fn set_split_above(&mut self, level: u32, split: Split) {
        let level = level as usize;
        self.splits[level] = split;
        self.sizes[level + 1] = split.doubled(self.sizes[level]);
        self.fill(level + 1, |_, _| false);
    }

    /// How cells of a level divide; those of level 0 do not.
    #[inline]
    pub(crate) fn split(&self, level: u32) -> Split {
        if level == 0 { Split::CUBE } else { self.splits[level as usize - 1] }
    }

    /// Edges of a level's cells, in smallest cells.
    #[inline]
    pub(crate) fn sizes(&self, level: u32) -> IVec3 {
        self.sizes[level as usize]
    }

    /// Log2 of the edges of a level's cells, in smallest cells.
    pub(crate) fn log2_sizes(&self, level: u32) -> [u32; 3] {
        self.sizes(level).to_array().map(i32::trailing_zeros)
    }

    pub(crate) fn hash(&self, hash: &mut WordHash) {
        hash.add_all(self.splits.map(|split| split.0.into()));
    }

    /// The levels of loaded splits; `None` if cells become too long.
    #[cfg(feature = "serde")]
    pub(crate) fn restored(mut self) -> Option<Self> {
        self.sizes[0] = IVec3::ONE;
        for level in 0..SPLITS {
            let (split, sizes) = (self.splits[level], self.sizes[level]);
            if !split.is_legal() || sizes.max_element() > 1 << LEVEL_MAX {
                return None;
            }
            // No axis doubles beyond 32 bits: it is at most eight times the highest.
            self.sizes[level + 1] = split.doubled(sizes);
        }
        (self.sizes[SPLITS].max_element() <= 1 << LEVEL_MAX).then_some(self)
    }
}

/// The axis of the shortest edge, of those that are wanted if any is.
#[inline]
pub(crate) fn shortest(sizes: IVec3, wanted: impl Fn(usize) -> bool) -> usize {
    // Axes that are not wanted come last: no size reaches bit 30.
    let place = |axis: usize| sizes[axis] | i32::from(!wanted(axis)) << 30;
    let (x, y, z) = (place(0), place(1), place(2));
    if x <= y && x <= z {
        0
    } else if y <= z {
        1
    } else {
        2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn axes_are_halved_while_one_cell_does_not_hold_all() {
        let levels = Levels::fitted(IVec3::new(256, 200, 3));
        assert_eq!(levels.log2_sizes(0), [0, 0, 0]);
        assert_eq!(levels.log2_sizes(2), [2, 2, 2]);
        assert_eq!(levels.log2_sizes(4), [5, 5, 2]);
        assert_eq!(levels.log2_sizes(6), [8, 8, 2]);
        assert_eq!(format!("{:?} {:?} {:?}", levels.split(2), levels.split(3), levels.split(4)), "zyx xyx yxy");
        assert_eq!(Levels::fitted(IVec3::splat(100)), Levels::cubes());
        assert_eq!(Levels::cubes().log2_sizes(LEVEL_MAX), [27, 27, 27]);
    }

    #[test]
    fn cells_of_a_level_have_eight_times_the_volume_of_the_one_below() {
        for cells in [IVec3::ONE, IVec3::new(1, 1 << 24, 9), IVec3::new(77, 6, 1)] {
            let levels = Levels::fitted(cells);
            for level in 0..=LEVEL_MAX {
                assert_eq!(levels.log2_sizes(level).iter().sum::<u32>(), 3 * level);
                assert!(levels.sizes(level).max_element() >= 1 << level);
            }
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn what_is_no_split_or_too_long_is_not_restored() {
        let mut grown = Levels::fitted(IVec3::new(1 << 20, 3, 1 << 12));
        grown.set_split_above(7, Split::new([1, 1, 1]));
        let changed = |levels: &Levels, at: usize, split: Split| {
            let mut changed = *levels;
            changed.splits[at] = split;
            changed
        };
        let unmeasured = |levels: &Levels| Levels { sizes: [IVec3::ZERO; SPLITS + 1], ..*levels };
        for levels in [Levels::cubes(), grown, Levels::fitted(IVec3::new(1 << 25, 1, 1))] {
            assert_eq!(unmeasured(&levels).restored(), Some(levels));
            for wrong in [Split(0b11), Split(0b1100), Split(0b11_0000), Split(64), Split(0b0101_0100)] {
                assert_eq!(changed(&levels, 5, wrong).restored(), None, "{wrong:?}");
            }
        }
        let long = (0..10).fold(Levels::cubes(), |levels, at| changed(&levels, at, Split::new([0; 3])));
        assert_eq!(long.restored(), None, "an edge of 2^30 smallest cells");
        assert_eq!(changed(&Levels::cubes(), SPLITS - 1, Split::new([0, 0, 1])).restored(), None, "an edge of 2^28");
    }
}
