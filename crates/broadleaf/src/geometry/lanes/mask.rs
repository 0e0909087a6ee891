//! Sets of lanes.

use super::WIDTH;

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

/// The lane that comes first where lane `octant` is the nearest: that which
/// differs from it by the least number.
#[inline]
pub(crate) fn first_from(mask: LaneMask, octant: usize) -> usize {
    // Looked up: where each ray goes another way, branches on it go wrong.
    usize::from(FIRST[octant % 8][usize::from(mask)])
}

static FIRST: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut octant = 0_u8;
    while octant < 8 {
        let mut mask = 1;
        while mask < 256 {
            let mut lane = octant;
            while mask >> lane & 1 == 0 {
                lane = ((lane ^ octant) + 1) ^ octant;
            }
            table[octant as usize][mask] = lane;
            mask += 1;
        }
        octant += 1;
    }
    table
};

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
    fn lanes_come_in_the_order_of_their_difference() {
        for octant in 0..8 {
            for mask in 1..=LaneMask::MAX {
                let expected = (0..8).map(|bit| bit ^ octant).find(|lane| mask >> lane & 1 == 1);
                assert_eq!(Some(first_from(mask, octant)), expected);
            }
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
