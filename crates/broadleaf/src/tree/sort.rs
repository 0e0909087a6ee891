//! Items of a bulk build, and their sort: a least-significant-digit radix
//! sort, stable and linear.

use crate::data::scratch::BumpVec;

const INDEX_BITS: u32 = 29;
const LEVEL_BITS: u32 = 5;
const KEY_SHIFT: u32 = INDEX_BITS + LEVEL_BITS;
const INDEX_MASK: u64 = (1 << INDEX_BITS) - 1;

/// An object on its way into the tree: 30 bits of Morton key, 5 bits for a
/// level at which it surely fits, 29 bits of index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Item(u64);

#[expect(clippy::cast_possible_truncation, reason = "fields of fewer bits than their types")]
impl Item {
    #[inline]
    pub(super) fn new(key: u32, level: u32, index: usize) -> Self {
        Self(u64::from(key) << KEY_SHIFT | u64::from(level) << INDEX_BITS | index as u64)
    }

    #[inline]
    pub(super) fn index(self) -> usize {
        (self.0 & INDEX_MASK) as usize
    }

    #[inline]
    pub(super) fn level(self) -> u32 {
        (self.0 >> INDEX_BITS) as u32 & ((1 << LEVEL_BITS) - 1)
    }

    /// The octant at a place of the key, the last being place 0.
    #[inline]
    pub(super) fn octant(self, place: u32) -> usize {
        (self.0 >> (KEY_SHIFT + 3 * place) & 7) as usize
    }

    #[inline]
    pub(super) fn set_key(&mut self, key: u32) {
        self.0 = u64::from(key) << KEY_SHIFT | self.0 & ((1 << KEY_SHIFT) - 1);
    }

    #[inline]
    fn digit<const PLACE: u32>(self) -> usize {
        (self.0 >> (KEY_SHIFT + DIGIT_BITS * PLACE)) as usize % VALUES
    }
}

const DIGIT_BITS: u32 = 10;
const DIGITS: usize = 3;
const VALUES: usize = 1 << DIGIT_BITS;

/// Sorts by key, and by index where keys are equal; items come in the order
/// of their index. `spare` is as long as `items`.
pub(super) fn sort_items<'b>(items: &mut BumpVec<'b, Item>, spare: &mut BumpVec<'b, Item>) {
    if items.len() < 256 {
        items.sort_unstable_by_key(|item| (item.0 >> KEY_SHIFT, item.0 & INDEX_MASK));
        return;
    }
    let mut counts = [[0_u32; VALUES]; DIGITS];
    for &item in items.as_slice() {
        counts[0][item.digit::<0>()] += 1;
        counts[1][item.digit::<1>()] += 1;
        counts[2][item.digit::<2>()] += 1;
    }
    let [first, second, third] = &mut counts;
    sort_by_digit::<0>(items, spare, first);
    sort_by_digit::<1>(items, spare, second);
    sort_by_digit::<2>(items, spare, third);
}

/// Sorts by the digit at `PLACE`, the values of which are counted.
fn sort_by_digit<'b, const PLACE: u32>(
    items: &mut BumpVec<'b, Item>,
    spare: &mut BumpVec<'b, Item>,
    counts: &mut [u32; VALUES],
) {
    if counts[items[0].digit::<PLACE>()] as usize == items.len() {
        return;
    }
    let mut start = 0;
    for count in counts.iter_mut() {
        start += core::mem::replace(count, start);
    }
    let sorted = spare.as_mut_slice();
    for &item in items.as_slice() {
        let next = &mut counts[item.digit::<PLACE>()];
        sorted[*next as usize] = item;
        *next += 1;
    }
    core::mem::swap(items, spare);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::scratch::Bump;

    #[test]
    fn items_are_sorted_by_key_and_index() {
        let bump = Bump::new();
        for len in [0, 1, 100, 255, 256, 5000] {
            let mut items = BumpVec::new_in(&bump);
            items.extend((0..len).map(|i: u32| Item::new(i.wrapping_mul(0x9e37_79b9) >> 9, i % 7, i as usize)));
            let mut spare = items.clone();
            let mut expected: Vec<Item> = items.to_vec();
            expected.sort_by_key(|item| item.0 >> KEY_SHIFT);
            sort_items(&mut items, &mut spare);
            assert_eq!(items.to_vec(), expected);
        }
    }
}
