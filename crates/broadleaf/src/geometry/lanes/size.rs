//! How large eight boxes look from a point.

use super::{Boxes, Lane, LaneMask};

impl Boxes {
    /// The lanes whose diagonal is at least so many times its distance from a
    /// point, both squared; and those of which that cannot be told.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn look_large(&self, eye: [f32; 3], size_min_sq: f32) -> LaneMask {
        let edge_sq = |axis: usize| {
            let edge = self.column(axis + 3) - self.column(axis);
            edge * edge
        };
        let diagonal_sq = (edge_sq(0) + edge_sq(1)) + edge_sq(2);
        let distance_sq = self.distance_sq(&eye.map(Lane::splat));
        // A square that is too large for a number tells nothing.
        let is_number = distance_sq.simd_lt(Lane::splat(f32::INFINITY));
        let is_small = diagonal_sq.simd_lt(distance_sq * Lane::splat(size_min_sq));
        !((is_small & is_number).to_bitmask() as LaneMask)
    }
}
