//! One box with all its numbers side by side, to be tested against any other.

use super::boxes::joined;
use super::{Boxes, Lane, WIDTH};
use wide::{f32x4, f32x8, u32x8};

/// A box, and whether it is static: 32 bytes, half a cache line.
///
/// Its numbers are the lower sides, its mobility, the upper sides negated, and its mobility again: 1 if it is static,
/// else -1. So the sum of two mobilities is above 0 only if both are static. Two boxes share a point and are not both
/// static if each number of one is at most the negated number in the other half of the other: eight comparisons at
/// once.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct PackedBox(Lane);

impl PackedBox {
    /// Meets no box, not even an unbounded one: its mobility is infinite, too.
    pub(crate) const EMPTY: Self = Self(Lane::splat(f32::INFINITY));

    /// Whether two boxes share a point, and are not both static.
    #[inline(always)]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let [a, b, c, d, e, f, g, h] = other.0.to_array();
        let halves_swapped = joined(f32x4::new([e, f, g, h]), f32x4::new([a, b, c, d]));
        self.0.simd_le(-halves_swapped).to_bitmask() == 0xFF
    }
}

impl Boxes {
    /// The boxes one by one. A box is static if `static_bit` is set in its word.
    #[inline(always)]
    pub(crate) fn packed(&self, words: [u32; WIDTH], static_bit: u32) -> [PackedBox; WIDTH] {
        let moving = u32x8::splat((-1.0_f32).to_bits());
        let sign = u32x8::new(words) << static_bit.leading_zeros() & u32x8::splat(1 << 31);
        let mobility = Lane::new((moving ^ sign).to_array().map(f32::from_bits));
        let (min, max) = (|axis: usize| self.column(axis), |axis: usize| -self.column(axis + 3));
        f32x8::transpose([min(0), min(1), min(2), mobility, max(0), max(1), max(2), mobility]).map(PackedBox)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Numbers;
    use super::*;
    use crate::geometry::Aabb;

    #[test]
    fn packed_boxes_meet_where_boxes_overlap_and_are_not_both_static() {
        let mut random = Numbers(3);
        let mut met = [0; 2];
        for _ in 0..200 {
            // Few values, so that many sides touch; some boxes are unbounded.
            let boxes: [Aabb; 2 * WIDTH] = core::array::from_fn(|_| {
                let mut side = || f32::from(u8::try_from(random.bits() % 5).expect("small")) - 2.0;
                let corners = [(); 3].map(|()| (side(), side()));
                let (min, max) = (corners.map(|(a, b)| a.min(b)), corners.map(|(a, b)| a.max(b)));
                match random.bits() % 9 {
                    0 => Aabb::new([f32::NEG_INFINITY; 3], [f32::INFINITY; 3]),
                    1 => Aabb::new(min, [f32::INFINITY; 3]),
                    _ => Aabb::new(min, max),
                }
            });
            let words: [u32; 2 * WIDTH] = core::array::from_fn(|_| random.bits());
            let packed = [0, WIDTH].map(|first| {
                let words = core::array::from_fn(|lane| words[first + lane]);
                Boxes::gather(|lane| boxes[first + lane]).packed(words, 1 << 29)
            });
            let objects = || packed.iter().flatten().zip(boxes.iter().zip(words));
            for (a, (a_box, a_word)) in objects() {
                assert!(!a.meets(&PackedBox::EMPTY) && !PackedBox::EMPTY.meets(a));
                for (b, (b_box, b_word)) in objects() {
                    let meets = a_box.overlaps(b_box) && a_word & b_word & 1 << 29 == 0;
                    assert_eq!(a.meets(b), meets, "{a_box:?} {b_box:?}");
                    met[usize::from(meets)] += 1;
                }
            }
        }
        assert!(met.iter().all(|&number| number > 1000), "{met:?}");
    }
}
