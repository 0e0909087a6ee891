//! Cells: cubes of 2^level smallest cells at integer coordinates. Where they
//! lie in the world, the grid knows.

use glam::IVec3;

/// Levels of octants that one 30-bit Morton key holds.
pub(crate) const KEY_LEVELS: u32 = 10;

/// The highest level that a root reaches.
pub(crate) const LEVEL_MAX: u32 = 27;

/// A cube of the hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Cell {
    /// The lower corner, in smallest cells.
    pub(crate) min: IVec3,
    /// Log2 of the edge, in smallest cells.
    pub(crate) level: u32,
}

impl Cell {
    /// Some cell, where none is meant.
    pub(crate) const SMALLEST: Self = Self { min: IVec3::ZERO, level: 0 };

    /// Edge in smallest cells.
    #[inline]
    pub(crate) fn size(self) -> i32 {
        1 << self.level
    }

    /// The child cell in an octant: bit 0 is x, bit 1 y, bit 2 z.
    #[inline]
    pub(crate) fn child(self, octant: usize) -> Self {
        let half = self.size() >> 1;
        let bit = |axis: usize| if octant >> axis & 1 == 1 { half } else { 0 };
        Self { min: self.min + IVec3::new(bit(0), bit(1), bit(2)), level: self.level - 1 }
    }
}

/// The level below which a key made in a cell of `level` says nothing.
#[inline]
pub(crate) fn key_floor(level: u32) -> u32 {
    level.saturating_sub(KEY_LEVELS)
}
