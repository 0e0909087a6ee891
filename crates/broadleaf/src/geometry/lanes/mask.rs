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

/// Of some lanes, at least one, that with the least value; of values that differ by less than a millionth, the
/// first. Values are not negative.
#[inline(always)]
pub(crate) fn least(values: &[f32; WIDTH], lanes: LaneMask) -> usize {
    // The bits of floats that are not negative sort like the floats. The sign is cut off, for some instruction
    // sets leave a negative zero.
    let bits: u32x8 = Lane::from(*values).to_bits();
    let keys = (bits << 1_u32) & u32x8::splat(!7) | u32x8::new([0, 1, 2, 3, 4, 5, 6, 7]);
    (keys | all_bits_in(!lanes).to_bits()).reduce_min() as usize % WIDTH
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
    fn the_least_of_some_lanes_is_one_of_them() {
        let values = [3.0, 0.0, f32::INFINITY, 1.0e-40, 0.5, -0.0, 7.0e30, 0.5];
        for lanes in 1..=LaneMask::MAX {
            let found = least(&values, lanes);
            assert!(lanes >> found & 1 == 1);
            let first =
                set_bits(u64::from(lanes)).reduce(|best, lane| if values[lane] < values[best] { lane } else { best });
            assert_eq!(Some(found), first);
        }
    }

    #[test]
    fn lanes_downwards_are_lanes_reversed() {
        for mask in 0..=LaneMask::MAX {
            let mut lanes: Vec<usize> = set_bits_down(mask).collect();
            lanes.reverse();
            assert_eq!(lanes, set_bits(u64::from(mask)).collect::<Vec<_>>());
        }
    }
}
