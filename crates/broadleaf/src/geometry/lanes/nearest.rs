//! The nearest of what lies in eight lanes, found without a branch: where each
//! question finds another, branches on distances go wrong. Distances are never
//! negative, so their bits sort as they do.

use super::{Lane, LaneMask, WIDTH};
use wide::i32x8;

/// The lanes that are not farther than `limit`.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
pub(crate) fn within(distances: &[f32; WIDTH], limit: f32) -> LaneMask {
    Lane::new(*distances).simd_le(Lane::splat(limit)).to_bitmask() as LaneMask
}

/// The nearest of some lanes, of which there is one; of equally near ones the lowest.
#[inline]
pub(crate) fn nearest_lane(which: LaneMask, distances: &[f32; WIDTH]) -> usize {
    least_lane(spread(which).select(bits(Lane::new(*distances)), i32x8::splat(i32::MAX)))
}

/// The nearest objects so far, one in each lane.
#[derive(Clone, Copy)]
pub(crate) struct NearestLanes {
    distances: Lane,
    keys: i32x8,
    places: i32x8,
    /// The bits of a word that are its key.
    key_bits: i32x8,
}

#[expect(clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "bits that are carried, not counted")]
impl NearestLanes {
    /// Nothing yet; what is farther than `limit` will not do. Of equally near
    /// objects that with the lowest key comes first: of its word the
    /// `key_bits`, all of them below bit 31.
    pub(crate) fn new(limit: f32, key_bits: u32) -> Self {
        let (keys, places) = (i32x8::splat(i32::MAX), i32x8::splat(NOWHERE as i32));
        Self { distances: Lane::splat(limit), keys, places, key_bits: i32x8::splat(key_bits as i32) }
    }

    /// Takes what lies in some lanes of a block; the places of its lanes are
    /// numbered upwards from a multiple of eight.
    #[inline]
    pub(crate) fn take(&mut self, which: LaneMask, distances: &[f32; WIDTH], words: &[u32; WIDTH], place: u32) {
        let distances = Lane::new(*distances);
        let keys = i32x8::new(words.map(|word| word as i32)) & self.key_bits;
        let level = bits(distances.simd_eq(self.distances)) & keys.simd_lt(self.keys);
        let nearer = (bits(distances.simd_lt(self.distances)) | level) & spread(which);
        // Chosen by the least: a choice by mask is compiled to a store of some lanes, which is slow.
        let taken = lane(nearer).select(distances, Lane::splat(f32::INFINITY));
        self.distances = self.distances.fast_min(taken);
        self.keys = nearer.select(keys, self.keys);
        self.places = nearer.select(i32x8::splat(place as i32) | i32x8::new([0, 1, 2, 3, 4, 5, 6, 7]), self.places);
    }

    /// The distance of the nearest, or the limit.
    #[inline]
    pub(crate) fn distance(&self) -> f32 {
        f32::from_bits(bits(self.distances).reduce_min() as u32)
    }

    /// The place of the nearest.
    pub(crate) fn place(&self) -> Option<u32> {
        let nearest = bits(self.distances.simd_eq(Lane::splat(self.distance())));
        let lane = least_lane(nearest.select(self.keys, i32x8::splat(i32::MAX)));
        let place = self.places.to_array()[lane % WIDTH] as u32;
        (place != NOWHERE).then_some(place)
    }
}

/// No place.
const NOWHERE: u32 = u32::MAX;

/// The lowest lane that holds the least number.
#[inline]
fn least_lane(numbers: i32x8) -> usize {
    numbers.simd_eq(i32x8::splat(numbers.reduce_min())).to_bitmask().trailing_zeros() as usize
}

/// The bits of floats.
#[inline]
#[expect(clippy::cast_possible_wrap, reason = "bits")]
fn bits(lane: Lane) -> i32x8 {
    i32x8::new(lane.to_array().map(|x| x.to_bits() as i32))
}

/// The floats of bits.
#[inline]
#[expect(clippy::cast_sign_loss, reason = "bits")]
fn lane(bits: i32x8) -> Lane {
    Lane::new(bits.to_array().map(|x| f32::from_bits(x as u32)))
}

/// A mask in all bits of its lanes.
#[inline]
fn spread(mask: LaneMask) -> i32x8 {
    const BITS: i32x8 = i32x8::new([1, 2, 4, 8, 16, 32, 64, 128]);
    (i32x8::splat(i32::from(mask)) & BITS).simd_eq(BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISTANCES: [f32; WIDTH] = [3.0, 1.0, 0.0, 1.0, f32::INFINITY, 2.0, 1.0, 0.5];

    #[test]
    fn the_nearest_of_some_lanes_is_the_lowest_of_the_least() {
        for which in 1..=LaneMask::MAX {
            let lanes = (0..WIDTH).filter(|lane| which >> lane & 1 == 1);
            let expected = lanes.min_by(|&a, &b| DISTANCES[a].total_cmp(&DISTANCES[b]));
            assert_eq!(Some(nearest_lane(which, &DISTANCES)), expected);
            let near = (0..WIDTH).filter(|&lane| DISTANCES[lane] <= 1.0).fold(0, |mask, lane| mask | 1 << lane);
            assert_eq!(within(&DISTANCES, 1.0), near);
        }
    }

    #[test]
    fn of_equally_near_objects_the_lowest_key_is_kept() {
        let words = [9, 5, 7, 0x8000_0004, 2, 1, 6, 3];
        for (first, second) in [(0b0000_1010, 0b0100_0000), (0b0100_0000, 0b0000_1010), (0b0100_1010, 0)] {
            let mut nearest = NearestLanes::new(8.0, 0xff);
            assert_eq!((nearest.distance(), nearest.place()), (8.0, None));
            nearest.take(first, &DISTANCES, &words, 8);
            nearest.take(second, &DISTANCES, &words, 8);
            assert_eq!((nearest.distance(), nearest.place()), (1.0, Some(8 + 3)));
        }
    }

    #[test]
    fn blocks_meet_lane_by_lane() {
        let mut nearest = NearestLanes::new(2.0, 0xff);
        nearest.take(0xff, &[2.0; WIDTH], &[8, 7, 6, 5, 4, 3, 2, 1], 16);
        assert_eq!((nearest.distance(), nearest.place()), (2.0, Some(16 + 7)));
        nearest.take(0xff, &[2.0; WIDTH], &[1, 2, 3, 4, 5, 6, 7, 0], 24);
        assert_eq!((nearest.distance(), nearest.place()), (2.0, Some(24 + 7)));
        nearest.take(0b10, &[1.0; WIDTH], &[9; WIDTH], 32);
        nearest.take(0b10, &[1.0; WIDTH], &[9; WIDTH], 40);
        assert_eq!((nearest.distance(), nearest.place()), (1.0, Some(32 + 1)));
        nearest.take(0b01, &[1.5; WIDTH], &[0; WIDTH], 48);
        assert_eq!(nearest.place(), Some(32 + 1));
    }
}
