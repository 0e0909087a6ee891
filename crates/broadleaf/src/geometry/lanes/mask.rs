//! Sets of lanes.

use super::{Lane, WIDTH};
use wide::u32x8;

/// One bit a lane.
pub(crate) type LaneMask = u8;

/// The indices of the set bits, lowest first.
#[inline]
pub(crate) fn set_bits(mut mask: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        (mask != 0).then(|| {
            let bit = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            bit
        })
    })
}

/// Like [`set_bits`], counted beforehand: what an iterator over a range gives is written into a list without a check
/// for each.
#[inline]
pub(crate) fn set_bits_counted(mut mask: u64) -> impl Iterator<Item = usize> {
    (0..mask.count_ones()).map(move |_| {
        let bit = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        bit
    })
}

/// The lanes of a mask, highest first.
#[inline]
pub(crate) fn set_bits_down(mut mask: LaneMask) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        (mask != 0).then(|| {
            let bit = 7 - mask.leading_zeros() as usize;
            mask &= !(1 << bit);
            bit
        })
    })
}

/// All bits in some lanes, and none in the others.
#[inline]
pub(super) fn all_bits_in(lanes: LaneMask) -> Lane {
    let bits = u32x8::new([1, 2, 4, 8, 16, 32, 64, 128]);
    Lane::from_bits((u32x8::splat(u32::from(lanes)) & bits).simd_eq(bits))
}

/// Some lanes, at least one, that are taken one after the other, the one with the least value first. Values are not
/// negative; they are compared without their last two bits, and of equal ones the first lane is taken.
#[derive(Clone, Copy)]
pub(crate) struct LeastFirst {
    lanes: LaneMask,
    /// The bits of the least value without the sign and the last two, and its lane.
    key: u32,
}

impl LeastFirst {
    /// The values must be the same at each call.
    #[inline(always)]
    pub(crate) fn new(values: &[f32; WIDTH], lanes: LaneMask) -> Self {
        // The bits of floats that are not negative sort like the floats. The sign is shifted out, for some
        // instruction sets leave a negative zero. The lane takes the place of the last bits.
        let bits: u32x8 = Lane::from(*values).to_bits();
        let keys = (bits << 1_u32) & u32x8::splat(!7) | u32x8::new([0, 1, 2, 3, 4, 5, 6, 7]);
        Self { lanes, key: (keys | all_bits_in(!lanes).to_bits()).reduce_min() }
    }

    /// The lane that is taken next.
    #[inline(always)]
    pub(crate) fn lane(self) -> usize {
        self.key as usize % WIDTH
    }

    /// No value of the lanes is below this: that of the next lane, without its last two bits.
    #[inline(always)]
    pub(crate) fn floor(self) -> f32 {
        f32::from_bits((self.key & !7) >> 1)
    }

    /// The others, if there are any.
    #[inline(always)]
    pub(crate) fn rest(self, values: &[f32; WIDTH]) -> Option<Self> {
        let lanes = self.lanes & !(1 << self.lane());
        (lanes != 0).then(|| Self::new(values, lanes))
    }
}

/// Raises the distances in some lanes to those of what lies within the boxes there.
#[inline]
pub(crate) fn raise(distances: &mut [f32; WIDTH], which: LaneMask, inner: &[f32; WIDTH]) {
    for lane in set_bits(u64::from(which)) {
        if inner[lane % WIDTH] > distances[lane % WIDTH] {
            distances[lane % WIDTH] = inner[lane % WIDTH];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn each_lane_is_taken_once_and_none_is_below_the_floor() {
        let near_one = |steps: u32| f32::from_bits(1.0_f32.to_bits() + steps);
        let all_values = [
            [3.0, 0.0, f32::INFINITY, 1.0e-40, 0.5, -0.0, 7.0e30, 0.5],
            [5, 3, 2, 7, 1, 6, 0, 4].map(near_one),
            [12, 11, 10, 9, 8, 7, 6, 5].map(near_one),
        ];
        for (values, lanes) in
            all_values.iter().flat_map(|values| (1..=LaneMask::MAX).map(move |lanes| (values, lanes)))
        {
            let (mut left, mut next) = (lanes, Some(LeastFirst::new(values, lanes)));
            while let Some(first) = next {
                assert!(left >> first.lane() & 1 == 1, "{values:?} {lanes:b}");
                assert!(set_bits(u64::from(left)).all(|lane| first.floor() <= values[lane]), "{values:?} {lanes:b}");
                left &= !(1 << first.lane());
                next = first.rest(values);
            }
            assert_eq!(left, 0);
        }
    }

    /// Instruction sets differ in which of two zeros is the larger one.
    #[test]
    fn regression_a_negative_zero_is_taken_before_what_is_farther() {
        let mut values = [f32::MIN_POSITIVE; WIDTH];
        for lane in 0..WIDTH {
            values[lane] = -0.0;
            let first = LeastFirst::new(&values, LaneMask::MAX);
            assert_eq!((first.lane(), first.floor()), (lane, 0.0));
            values[lane] = f32::MIN_POSITIVE;
        }
    }

    #[test]
    fn lanes_downwards_are_lanes_reversed() {
        for mask in 0..=LaneMask::MAX {
            let mut lanes: Vec<usize> = set_bits_down(mask).collect();
            lanes.reverse();
            assert_eq!(lanes, set_bits(u64::from(mask)).collect::<Vec<_>>());
            assert_eq!(lanes, set_bits_counted(u64::from(mask)).collect::<Vec<_>>());
        }
    }
}
