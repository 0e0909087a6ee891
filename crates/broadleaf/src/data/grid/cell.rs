//! Cells: boxes of 8^level smallest cells at integer coordinates. `levels.rs` has their
//! lengths along each axis, the grid their place in the world.

use glam::IVec3;

/// Levels of octants that one 30-bit Morton key holds.
pub(crate) const KEY_LEVELS: u32 = 10;

/// The highest level that a root reaches.
pub(crate) const LEVEL_MAX: u32 = 27;

/// A box of the hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Cell {
    /// The lower corner, in smallest cells.
    pub(crate) min: IVec3,
    /// How often eight cells have become one.
    pub(crate) level: u32,
}

impl Cell {
    /// Some cell, where none is meant.
    pub(crate) const SMALLEST: Self = Self { min: IVec3::ZERO, level: 0 };
}

/// The level below which a key made in a cell of `level` has no bits.
#[inline]
pub(crate) fn key_floor(level: u32) -> u32 {
    level.saturating_sub(KEY_LEVELS)
}
