//! Boxes on the way to a mesh, in two registers each.

use crate::geometry::Aabb;
use glam::{Vec4, Vec4Swizzles};

/// A box; the last lanes mean nothing.
#[derive(Debug, Clone, Copy)]
pub(in crate::mesh) struct Span {
    low: Vec4,
    high: Vec4,
}

impl Span {
    pub(in crate::mesh) const EMPTY: Self = Self { low: Vec4::INFINITY, high: Vec4::NEG_INFINITY };

    #[inline]
    pub(in crate::mesh) fn of(aabb: &Aabb) -> Self {
        Self { low: aabb.min.extend(0.0), high: aabb.max.extend(0.0) }
    }

    #[inline]
    pub(in crate::mesh) fn union(&self, other: &Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Half the surface.
    #[inline]
    pub(in crate::mesh) fn area(&self) -> f32 {
        let edges = self.high - self.low;
        let faces = edges * edges.yzxw();
        (faces.x + faces.y) + faces.z
    }

    #[inline]
    pub(in crate::mesh) fn aabb(&self) -> Aabb {
        Aabb { min: self.low.truncate(), max: self.high.truncate() }
    }
}

/// A box and two numbers; the last lanes hold their bits.
#[derive(Debug, Clone, Copy)]
pub(in crate::mesh) struct Item {
    span: Span,
}

impl Item {
    #[inline]
    pub(in crate::mesh) fn new(span: &Span, id: u32, count: u32) -> Self {
        let mut span = *span;
        (span.low.w, span.high.w) = (f32::from_bits(id), f32::from_bits(count));
        Self { span }
    }

    /// Which triangle, or which cell.
    #[inline]
    pub(in crate::mesh) fn id(&self) -> u32 {
        self.span.low.w.to_bits()
    }

    /// How many triangles, or leaves.
    #[inline]
    pub(in crate::mesh) fn count(&self) -> u32 {
        self.span.high.w.to_bits()
    }

    #[inline]
    pub(in crate::mesh) fn span(&self) -> &Span {
        &self.span
    }
}
