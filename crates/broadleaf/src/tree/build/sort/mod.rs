//! Items of a bulk build, and their sort: a radix sort, stable and linear. Many items are sorted by all digits from
//! the lowest up; few by the digits from where their keys differ first, for most items are the only ones that begin so.

mod few;

use super::tasks::{self, OffsetSlice};
use crate::geometry::lanes::prefetch_code;
use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::hint::select_unpredictable;
use core::ops::Range;

pub(super) const INDEX_BITS: u32 = 29;
const EDGE_BITS: u32 = 5;
const KEY_SHIFT: u32 = INDEX_BITS + EDGE_BITS;
const INDEX_MASK: u64 = (1 << INDEX_BITS) - 1;

/// An object on its way into the tree: 30 bits of Morton key, 5 bits for the edge
/// that a cell surely holding it needs, 29 bits of index. Where keys have
/// tails (`tails.rs`), they take the higher of these 29.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::tree) struct Item(u64);

#[expect(clippy::cast_possible_truncation, reason = "fields of fewer bits than their types")]
impl Item {
    #[inline]
    pub(in crate::tree) fn new(key: u32, edge: u32, index: usize) -> Self {
        Self(u64::from(key) << KEY_SHIFT | u64::from(edge) << INDEX_BITS | index as u64)
    }

    #[inline]
    pub(in crate::tree) fn index(self) -> usize {
        (self.0 & INDEX_MASK) as usize
    }

    /// The item, without an index before, with one.
    #[inline]
    pub(super) fn with_index(self, index: usize) -> Self {
        Self(self.0 | index as u64)
    }

    #[inline]
    pub(super) fn set_index(&mut self, index: usize) {
        *self = Self(self.0 & !INDEX_MASK).with_index(index);
    }

    /// The item, without an index before, with a tail above so many bits of index: the low bits of a number.
    #[inline(always)]
    pub(super) fn with_tail(self, tail: u32, index_bits: u32) -> Self {
        Self(self.0 | u64::from(tail << index_bits) & INDEX_MASK)
    }

    /// The tail above so many bits of index.
    #[inline]
    pub(super) fn tail(self, index_bits: u32) -> u32 {
        (self.index() >> index_bits) as u32
    }

    /// Key, tail and index: what items with tails are sorted by.
    #[inline]
    pub(super) fn without_edge(self) -> u64 {
        self.0 & !(((1 << EDGE_BITS) - 1) << INDEX_BITS)
    }

    /// What [`Grid::edges_needed`](crate::data::Grid::edges_needed) says of it.
    #[inline]
    pub(super) fn edge(self) -> u32 {
        (self.0 >> INDEX_BITS) as u32 & ((1 << EDGE_BITS) - 1)
    }

    /// The octant at a place of the key, the last being place 0.
    #[inline]
    pub(super) fn octant(self, place: u32) -> usize {
        (self.0 >> (KEY_SHIFT + 3 * place) & 7) as usize
    }

    #[inline]
    pub(in crate::tree) fn key(self) -> u32 {
        (self.0 >> KEY_SHIFT) as u32
    }

    #[inline]
    pub(in crate::tree) fn set_key(&mut self, key: u32) {
        self.0 = u64::from(key) << KEY_SHIFT | self.0 & ((1 << KEY_SHIFT) - 1);
    }

    /// The digit of `N` values of the key that begins at a bit, the last being bit 0.
    #[inline]
    fn digit<const N: usize>(self, bit: u32) -> usize {
        (self.0 >> (KEY_SHIFT + bit)) as usize % N
    }

    #[inline]
    fn highest_digit(self) -> usize {
        self.digit::<VALUES>(KEY_BITS - DIGIT_BITS)
    }
}

/// Where the items of each of the eight octants of a cell start, and the number of all. The items are in order;
/// `place` is that of the octant in the key.
///
/// Seven binary searches in lockstep: they do not wait for each other's loads, and have no branches.
// Always inlined: the code of the caller is prefetched.
#[inline(always)]
pub(super) fn octant_starts(items: &[Item], place: u32) -> [usize; 9] {
    let mut starts = [0; 9];
    let Some(first) = items.first() else { return starts };
    // The least item of each octant: the bits above are those of the cell.
    let shift = KEY_SHIFT + 3 * place;
    let cell = first.0 >> shift >> 3 << 3;
    let least: [Item; 8] = core::array::from_fn(|octant| Item((cell | octant as u64) << shift));
    let mut len = items.len();
    while len > 1 {
        let half = len / 2;
        for octant in 1..8 {
            let middle = starts[octant] + half;
            starts[octant] = select_unpredictable(items[middle] < least[octant], middle, starts[octant]);
        }
        len -= half;
    }
    for octant in 1..8 {
        starts[octant] += usize::from(items[starts[octant]] < least[octant]);
    }
    starts[8] = items.len();
    starts
}

const KEY_BITS: u32 = 30;
/// Values of a digit.
const VALUES: usize = 1 << 10;
const DIGIT_BITS: u32 = VALUES.ilog2();
/// Digits of a key.
const DIGITS: usize = (KEY_BITS / DIGIT_BITS) as usize;
/// So many items or more are sorted by all digits; fewer are too, if too many keys begin alike.
const MANY: usize = 2048;

/// Sorts by key, and by index where keys are equal; items come in the order
/// of their index. `spare` is as long as `items`.
#[inline]
pub(super) fn sort_items(items: &mut [Item], spare: &mut [Item]) {
    if sort_either(items, spare) {
        items.copy_from_slice(spare);
    }
}

/// Sorts items by key; those of one key stay in the order in which they come.
pub(in crate::tree) fn sort_by_key(items: &mut [Item], spare: &mut Vec<Item>) {
    spare.resize(spare.len().max(items.len()), Item::default());
    sort_items(items, &mut spare[..items.len()]);
}

/// Prefetches the code that sorts so many items.
#[inline(always)]
pub(super) fn prefetch_code_of_sort(items: usize) {
    if items >= MANY {
        prefetch_code(sort_by_digits as *const (), 0..23);
    } else {
        few::prefetch_code_of_sort(items);
    }
}

/// Sorts items; whether what is sorted is in `spare` then.
#[inline]
fn sort_either(items: &mut [Item], spare: &mut [Item]) -> bool {
    if items.len() < MANY && few::sort(items, spare) {
        return false;
    }
    sort_by_digits(items, spare)
}

/// Sorts items by all digits of their keys; whether what is sorted is in `spare` then.
// Not inlined: its code is prefetched.
#[inline(never)]
fn sort_by_digits(items: &mut [Item], spare: &mut [Item]) -> bool {
    let Some(&first) = items.first() else { return false };
    // All digits are counted in one pass: their counts do not depend on the order.
    let (mut counts, mut differ) = ([[0_u32; VALUES]; DIGITS], 0);
    for item in &*items {
        differ |= item.0 ^ first.0;
        for (place, of_digit) in (0..).zip(&mut counts) {
            of_digit[item.digit::<VALUES>(DIGIT_BITS * place)] += 1;
        }
    }
    let (mut from, mut to, mut swapped) = (items, spare, false);
    for (place, of_digit) in (0..).zip(&mut counts) {
        // A digit that all have in common changes nothing.
        let bit = DIGIT_BITS * place;
        if Item(differ).digit::<VALUES>(bit) != 0 {
            sort_by_digit(bit, of_digit, from, to);
            (from, to, swapped) = (to, from, !swapped);
        }
    }
    swapped
}

/// Sorts by the digit of `N` values that begins at a bit of the key into another list. `counts` says how many items have
/// each value.
#[inline(always)]
fn sort_by_digit<const N: usize>(bit: u32, counts: &mut [u32; N], items: &[Item], sorted: &mut [Item]) {
    let mut start = 0;
    for count in &mut *counts {
        start += core::mem::replace(count, start);
    }
    for &item in items {
        let next = &mut counts[item.digit::<N>(bit)];
        sorted[*next as usize] = item;
        *next += 1;
    }
}

/// Counts of items by the highest digit of their key.
pub(super) type Counts = [u32; VALUES];

/// No items.
pub(super) const NO_COUNTS: Counts = [0; VALUES];

/// Counts an item of such a key.
#[inline]
pub(super) fn count(counts: &mut Counts, item: Item) {
    counts[item.highest_digit()] += 1;
}

/// Items that one task sorts: those whose highest digit is one of some.
#[derive(Debug, Clone, Default)]
struct Run {
    digits: Range<usize>,
    items: Range<usize>,
}

/// Runs at most: each looks at all items.
const RUNS_MAX: usize = 8;

/// [`sort_items`] on the threads of the pool, of items that are counted.
pub(super) fn sort_shared(items: &mut [Item], spare: &mut [Item], counts: &Counts) {
    let mut runs = runs(items.len(), counts, tasks::threads().min(RUNS_MAX));
    // Each run picks its items, in order; then each is sorted.
    let all = &*items;
    let cut_one = |columns, run: &Run| tasks::cut(columns, run.items.start);
    tasks::divide(&mut runs, (0, &mut *spare), &cut_one, &|run, (_, picked)| run.pick(all, picked));
    tasks::divide(&mut runs, ((0, items), (0, spare)), &cut_both, &|_, ((_, items), (_, picked))| {
        if !sort_either(picked, items) {
            items.copy_from_slice(picked);
        }
    });
}

type OffsetPair<'a> = (OffsetSlice<'a, Item>, OffsetSlice<'a, Item>);

fn cut_both<'a>((items, spare): OffsetPair<'a>, run: &Run) -> (OffsetPair<'a>, OffsetPair<'a>) {
    let (items, spare) = (tasks::cut(items, run.items.start), tasks::cut(spare, run.items.start));
    ((items.0, spare.0), (items.1, spare.1))
}

/// Cuts the digits into runs of about equal numbers of items.
fn runs(len: usize, counts: &Counts, most: usize) -> ArrayVec<Run, RUNS_MAX> {
    let mut runs = ArrayVec::new();
    let mut run = Run::default();
    for (digit, &count) in counts.iter().enumerate() {
        run.digits.end = digit + 1;
        run.items.end += count as usize;
        if run.items.end * most >= len * (runs.len() + 1) && runs.len() + 1 < most {
            let next = Run { digits: run.digits.end..run.digits.end, items: run.items.end..run.items.end };
            runs.push(core::mem::replace(&mut run, next));
        }
    }
    runs.push(run);
    runs
}

impl Run {
    /// Copies the run's items out of all.
    fn pick(&self, all: &[Item], picked: &mut [Item]) {
        let mut len = 0;
        for &item in all {
            // Without a branch: which run an item belongs to cannot be predicted.
            let Some(slot) = picked.get_mut(len) else { break };
            *slot = item;
            len += usize::from(self.digits.contains(&item.highest_digit()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::BumpVec;
    use crate::data::scratch::Bump;

    fn check(len: u32, key: impl Fn(u32) -> u32) {
        let bump = Bump::new();
        let mut items = BumpVec::new_in(&bump);
        items.extend((0..len).map(|i| Item::new(key(i), i % 7, i as usize)));
        let mut spare = items.clone();
        let mut expected: Vec<Item> = items.to_vec();
        expected.sort_by_key(|item| item.0 >> KEY_SHIFT);
        sort_items(&mut items, &mut spare);
        assert_eq!(items.to_vec(), expected);
    }

    #[test]
    fn items_are_sorted_by_key_and_index() {
        for len in [0, 1, 16, 17, 100, 127, 128, 300, 2047, 2048, 5000] {
            check(len, |i| i.wrapping_mul(0x9e37_79b9) >> 9);
        }
    }

    #[test]
    fn long_runs_of_one_digit_are_sorted_again() {
        for len in [17, 40, 100, 255, 1000] {
            // Two groups far apart, within each half of the keys equal.
            check(len, |i| (i % 2) << 29 | if i % 4 < 2 { 7 } else { i.wrapping_mul(0x9e37_79b9) >> 22 });
            // Groups of many keys that differ in their last bits alone, and one that has half of them.
            check(len, |i| (i % 128) << 23 | i.wrapping_mul(0x9e37_79b9) >> 24);
            check(len, |i| (i % 50) << 23 | i.wrapping_mul(0x9e37_79b9) >> 24);
            check(len, |i| if i % 2 == 0 { 5 << 23 } else { (i % 128) << 23 } | i.wrapping_mul(0x9e37_79b9) >> 24);
            // Each digit has a long run of the next.
            check(len, |i| 1 << (i % 30));
            check(len, |_| 12_345);
        }
    }

    #[test]
    fn octants_start_at_their_least_item() {
        for (len, place) in [0, 1, 2, 3, 8, 9, 100, 777].into_iter().flat_map(|len| [0, 4, 9].map(|place| (len, place)))
        {
            // All octants, two of them, one, and a last that is alone.
            for octant in [|i: u32| i % 8, |i: u32| i % 2 * 5 + 1, |_| 7, |i: u32| u32::from(i == 0) * 6 + 1] {
                let key = |i: u32| octant(i) << (3 * place) | i.wrapping_mul(0x9e37_79b9) & ((1 << (3 * place)) - 1);
                let cell = if place < 9 { 0b101 << (3 * place + 3) } else { 0 };
                let mut items: Vec<Item> = (0..len).map(|i| Item::new(cell | key(i), 31, i as usize)).collect();
                items.sort_unstable();
                let before = |octant| items.iter().filter(|item| item.octant(place) < octant).count();
                assert_eq!(octant_starts(&items, place), [0, 1, 2, 3, 4, 5, 6, 7, 8].map(before), "{len}, {place}");
            }
        }
    }

    #[test]
    fn digits_that_all_keys_share_change_nothing() {
        // Which of the digits differ: three of ten bits, four of eight, or five of six.
        for (len, bits) in [(5000, 10), (700, 8), (400, 8), (100, 6)] {
            for digits in 0..1_u32 << (KEY_BITS / bits) {
                let differs = |&place: &u32| digits >> place & 1 == 1;
                let digit = |place: u32| ((1_u32 << bits) - 1) << (bits * place);
                let mask: u32 = (0..KEY_BITS / bits).filter(differs).map(digit).sum();
                check(len, |i| i.wrapping_mul(0x9e37_79b9) >> 2 & mask | 0x0555_5555 & !mask);
            }
        }
    }
}
