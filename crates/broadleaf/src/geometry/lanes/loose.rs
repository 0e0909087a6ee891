//! A loose cell against one box: three axes side by side.

use super::{Boxes, Lane, LaneMask};
use crate::geometry::Aabb;
use glam::Vec3;
use wide::f32x4;

/// A half-open cell, and the closed loose cell around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LooseCell {
    /// The lower corner, and the longest edge.
    low: [f32; 4],
    /// The upper corner, and how far the loose cell reaches beyond.
    high: [f32; 4],
}

impl LooseCell {
    /// Nothing lies in it.
    pub(crate) const NOWHERE: Self = Self { low: [0.0; 4], high: [0.0; 4] };

    /// [`LooseCell::NOWHERE`], for what is restored later.
    #[cfg(feature = "serde")]
    pub(crate) fn nowhere() -> Self {
        Self::NOWHERE
    }

    #[inline]
    pub(crate) fn new(low: Vec3, high: Vec3, edge: f32, slack: f32) -> Self {
        Self { low: [low.x, low.y, low.z, edge], high: [high.x, high.y, high.z, slack] }
    }

    /// Whether every box within `bounds` with no edge above `extent_max`
    /// and its centre in the cell is held.
    pub(crate) fn holds_all(&self, bounds: &Aabb, extent_max: f32) -> bool {
        let corner = |c: [f32; 4]| Vec3::new(c[0], c[1], c[2]);
        let (edge, slack) = (self.low[3], self.high[3]);
        extent_max <= edge
            && bounds.min.cmpge(corner(self.low) - slack).all()
            && bounds.max.cmple(corner(self.high) + slack).all()
    }

    /// Whether a box is no longer than the cell and lies in the loose cell, its centre in the cell.
    #[inline]
    pub(crate) fn holds(&self, aabb: &Aabb) -> bool {
        self.holds_within(aabb, 0.0)
    }

    /// [`LooseCell::holds`] for a box that is there already: its centre may
    /// have strayed from the cell by a quarter of the slack, so that an object
    /// that trembles on a boundary stays where it is.
    #[inline]
    pub(crate) fn keeps(&self, aabb: &Aabb) -> bool {
        self.holds_within(aabb, 0.25)
    }

    /// [`LooseCell::keeps`] for eight boxes, bit for bit.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn keeps_lanes(&self, boxes: &Boxes) -> LaneMask {
        let (edge, slack) = (Lane::splat(self.low[3]), Lane::splat(self.high[3]));
        let stray = slack * Lane::splat(0.25);
        let axis = |i: usize| {
            let (low, high) = (Lane::splat(self.low[i]), Lane::splat(self.high[i]));
            let (min, max) = (boxes.column(i), boxes.column(i + 3));
            let center = (min + max) * Lane::splat(0.5);
            let central = center.simd_ge(low - stray) & center.simd_lt(high + stray);
            central & (max - min).simd_le(edge) & min.simd_ge(low - slack) & max.simd_le(high + slack)
        };
        (axis(0) & axis(1) & axis(2)).to_bitmask() as LaneMask
    }

    /// The axes along which [`LooseCell::holds`] is true, one bit each.
    pub(crate) fn axes_held(&self, aabb: &Aabb) -> u32 {
        self.axes_held_within(aabb, 0.0)
    }

    #[inline(always)]
    fn holds_within(&self, aabb: &Aabb, stray: f32) -> bool {
        self.axes_held_within(aabb, stray) == 0b111
    }

    #[inline(always)]
    fn axes_held_within(&self, aabb: &Aabb, stray: f32) -> u32 {
        let (min, max) = (quad(aabb.min), quad(aabb.max));
        let (low, high) = (f32x4::new(self.low), f32x4::new(self.high));
        let (edge, slack) = (f32x4::splat(self.low[3]), f32x4::splat(self.high[3]));
        let (center, stray) = ((min + max) * f32x4::splat(0.5), slack * f32x4::splat(stray));
        let central = center.simd_ge(low - stray) & center.simd_lt(high + stray);
        let small = (max - min).simd_le(edge);
        let within = min.simd_ge(low - slack) & max.simd_le(high + slack);
        (central & small & within).to_bitmask() & 0b111
    }
}

#[inline]
fn quad(v: Vec3) -> f32x4 {
    f32x4::new([v.x, v.y, v.z, 0.0])
}
