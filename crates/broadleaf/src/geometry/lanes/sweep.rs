//! A moving box against eight boxes: a test that errs on the side of meeting.

use super::{Boxes, Lane, LaneMask, WIDTH};
use crate::geometry::Aabb;
use glam::Vec3;

/// How much a moving box is grown, relative to the largest number that takes
/// part: more than all roundings of the test below.
const GROWTH: f32 = 1.0 / (1 << 20) as f32;

/// A moving box in all lanes.
#[derive(Clone, Copy)]
pub(crate) struct SweepQuery {
    min: [Lane; 3],
    max: [Lane; 3],
    inverse: [Lane; 3],
    ascending: [bool; 3],
    parallel: [bool; 3],
}

impl SweepQuery {
    pub(crate) fn new(moving: &Aabb, motion: Vec3) -> Self {
        let largest = moving.min.abs().max(moving.max.abs()).max(motion.abs()).max_element();
        let growth = largest * GROWTH + f32::MIN_POSITIVE;
        let inverse = motion.to_array().map(|speed| 1.0 / speed);
        Self {
            min: (moving.min - growth).to_array().map(Lane::splat),
            max: (moving.max + growth).to_array().map(Lane::splat),
            inverse: inverse.map(Lane::splat),
            ascending: inverse.map(|inverse| inverse > 0.0),
            parallel: inverse.map(f32::is_infinite),
        }
    }

    /// The lanes whose finite box the moving one may touch no later than
    /// `time_max`, and a time no later than the touch.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn boxes(&self, boxes: &Boxes, time_max: f32) -> (LaneMask, [f32; WIDTH]) {
        let (mut enter, mut exit) = (Lane::splat(0.0), Lane::splat(time_max));
        let mut missed = 0;
        for axis in 0..3 {
            let (low, high) = (boxes.column(axis) - self.max[axis], boxes.column(axis + 3) - self.min[axis]);
            if self.parallel[axis] {
                let zero = Lane::splat(0.0);
                missed |= (low.simd_gt(zero) | high.simd_lt(zero)).to_bitmask();
            } else {
                let (near, far) = if self.ascending[axis] { (low, high) } else { (high, low) };
                enter = (near * self.inverse[axis]).fast_max(enter);
                exit = (far * self.inverse[axis]).fast_min(exit);
            }
        }
        ((enter.simd_le(exit).to_bitmask() & !missed) as LaneMask, (enter + Lane::splat(0.0)).to_array())
    }
}
