//! What belongs to a cell: one box, three axes side by side, or eight boxes.

use super::{Boxes, Lane, LaneMask};
use crate::geometry::Aabb;
use glam::Vec3;
use wide::f32x4;

/// A half-open cell, how long a box may be that belongs to it, and how far the
/// centre of one that is there already may lie outside it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LooseCell {
    /// The lower corner, and the longest edge of a box that need not lie inside.
    low: [f32; 4],
    /// The upper corner, and the hysteresis.
    high: [f32; 4],
}

impl LooseCell {
    /// Nothing lies in it.
    pub(crate) const NOWHERE: Self = Self { low: [0.0; 4], high: [0.0; 4] };

    #[inline]
    pub(crate) fn new(low: Vec3, high: Vec3, edge_max: f32, hysteresis: f32) -> Self {
        Self { low: [low.x, low.y, low.z, edge_max], high: [high.x, high.y, high.z, hysteresis] }
    }

    /// Whether every box within `bounds` with no edge above `extent_max`
    /// and its centre in the cell is held.
    pub(crate) fn holds_all(&self, bounds: &Aabb, extent_max: f32) -> bool {
        let corner = |c: [f32; 4]| Vec3::new(c[0], c[1], c[2]);
        extent_max <= self.low[3]
            || bounds.min.cmpge(corner(self.low)).all() && bounds.max.cmple(corner(self.high)).all()
    }

    /// Whether a box belongs to the cell: its centre lies in it, and along each
    /// axis it is short enough or lies inside.
    #[inline]
    pub(crate) fn holds(&self, aabb: &Aabb) -> bool {
        self.axes_held_within(aabb, 0.0) == 0b111
    }

    /// [`LooseCell::holds`] for a box that is there already: its centre may
    /// have strayed from the cell by the hysteresis, so that an object
    /// that trembles on a boundary stays where it is.
    #[inline]
    pub(crate) fn keeps(&self, aabb: &Aabb) -> bool {
        self.axes_held_within(aabb, self.high[3]) == 0b111
    }

    /// [`LooseCell::keeps`] for eight boxes, bit for bit.
    #[inline]
    pub(crate) fn keeps_lanes(&self, boxes: &Boxes) -> LaneMask {
        self.lanes_within(boxes, self.high[3])
    }

    /// [`LooseCell::holds`] for eight boxes, bit for bit.
    #[inline]
    pub(crate) fn holds_lanes(&self, boxes: &Boxes) -> LaneMask {
        self.lanes_within(boxes, 0.0)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    fn lanes_within(&self, boxes: &Boxes, hysteresis: f32) -> LaneMask {
        let (edge_max, hysteresis) = (Lane::splat(self.low[3]), Lane::splat(hysteresis));
        let axis = |i: usize| {
            let (low, high) = (Lane::splat(self.low[i]), Lane::splat(self.high[i]));
            let (min, max) = (boxes.column(i), boxes.column(i + 3));
            let center = (min + max) * Lane::splat(0.5);
            let central = center.simd_ge(low - hysteresis) & center.simd_lt(high + hysteresis);
            central & ((max - min).simd_le(edge_max) | min.simd_ge(low) & max.simd_le(high))
        };
        (axis(0) & axis(1) & axis(2)).to_bitmask() as LaneMask
    }

    /// The axes along which [`LooseCell::holds`] is true, one bit each.
    pub(crate) fn axes_held(&self, aabb: &Aabb) -> u32 {
        self.axes_held_within(aabb, 0.0)
    }

    #[inline(always)]
    fn axes_held_within(&self, aabb: &Aabb, hysteresis: f32) -> u32 {
        let (min, max) = (quad(aabb.min), quad(aabb.max));
        let (low, high) = (f32x4::new(self.low), f32x4::new(self.high));
        let (edge_max, hysteresis) = (f32x4::splat(self.low[3]), f32x4::splat(hysteresis));
        let center = (min + max) * f32x4::splat(0.5);
        let central = center.simd_ge(low - hysteresis) & center.simd_lt(high + hysteresis);
        let inside = min.simd_ge(low) & max.simd_le(high);
        (central & ((max - min).simd_le(edge_max) | inside)).to_bitmask() & 0b111
    }
}

#[inline]
fn quad(v: Vec3) -> f32x4 {
    f32x4::new([v.x, v.y, v.z, 0.0])
}
