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

/// The mask with each lane moved to `lane ^ first`, so that lane `first` comes first.
#[inline]
pub(crate) fn turned(mask: LaneMask, first: usize) -> LaneMask {
    // Looked up: where each ray goes another way, branches on it go wrong.
    TURNED[first % 8][usize::from(mask)]
}

static TURNED: [[LaneMask; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut first = 0;
    while first < 8 {
        let mut mask = 0;
        while mask < 256 {
            let mut lane = 0;
            while lane < 8 {
                if mask >> lane & 1 == 1 {
                    table[first][mask] |= 1 << (lane ^ first);
                }
                lane += 1;
            }
            mask += 1;
        }
        first += 1;
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
    fn a_turned_mask_holds_each_lane_where_it_is_met() {
        for mask in 0..=LaneMask::MAX {
            for first in 0..8 {
                let lanes: Vec<usize> = set_bits(u64::from(turned(mask, first))).map(|bit| bit ^ first).collect();
                let expected = (0..8).map(|bit| bit ^ first).filter(|lane| mask >> lane & 1 == 1);
                assert_eq!(lanes, expected.collect::<Vec<_>>());
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
