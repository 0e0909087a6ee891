//! Boxes during the build of a mesh, each in two vector registers.

use crate::geometry::Aabb;
use glam::{Vec4, Vec4Swizzles};

/// A box; the last lanes mean nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    low: Vec4,
    high: Vec4,
}

impl Span {
    pub(super) const EMPTY: Self = Self { low: Vec4::INFINITY, high: Vec4::NEG_INFINITY };

    #[inline]
    pub(super) fn of(aabb: &Aabb) -> Self {
        Self { low: aabb.min.extend(0.0), high: aabb.max.extend(0.0) }
    }

    #[inline]
    pub(super) fn union(&self, other: &Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Half the surface.
    #[inline]
    pub(super) fn area(&self) -> f32 {
        self.scaled_area(1.0)
    }

    /// Half the surface of a box that is so many times as large.
    #[inline]
    pub(super) fn scaled_area(&self, scale: f32) -> f32 {
        let edges = (self.high - self.low) * scale;
        let faces = edges * edges.yzxw();
        (faces.x + faces.y) + faces.z
    }

    #[inline]
    pub(super) fn longest_edge(&self) -> f32 {
        (self.high - self.low).truncate().max_element()
    }

    /// The sum of its corners, twice the centre; the last lane means nothing.
    #[inline]
    pub(super) fn twice_center(&self) -> Vec4 {
        self.low + self.high
    }

    #[inline]
    pub(super) fn twice_center_along(&self, axis: usize) -> f32 {
        self.low[axis] + self.high[axis]
    }

    #[inline]
    pub(super) fn aabb(&self) -> Aabb {
        Aabb { min: self.low.truncate(), max: self.high.truncate() }
    }
}

/// A box and two numbers; the last lanes hold their bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    span: Span,
}

impl Item {
    #[inline]
    pub(super) fn new(span: &Span, id: u32, count: u32) -> Self {
        let mut span = *span;
        (span.low.w, span.high.w) = (f32::from_bits(id), f32::from_bits(count));
        Self { span }
    }

    /// Which triangle, or which cell.
    #[inline]
    pub(super) fn id(&self) -> u32 {
        self.span.low.w.to_bits()
    }

    /// How many triangles, or leaves.
    #[inline]
    pub(super) fn count(&self) -> u32 {
        self.span.high.w.to_bits()
    }

    #[inline]
    pub(super) fn span(&self) -> &Span {
        &self.span
    }
}
