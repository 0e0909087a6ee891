//! The sort of few items. A pass by a digit costs as much as the digit has values, so digits are short, and most items
//! differ in the first of them.

use super::{Item, sort_by_digit};
use crate::geometry::lanes::prefetch_code;

/// Fewer items than this are sorted by runs.
const BY_RUNS_BELOW: usize = 128;
/// Values of a digit of a run.
const VALUES_OF_RUN: usize = 64;
/// Up to so many items are sorted by insertion.
const SHORT: usize = 16;
/// Values of a digit of a prefix.
const VALUES_OF_PREFIX: usize = 256;
/// So many items may have the same first digit of their prefix as an item, in the mean over all items.
const ALIKE_MAX: usize = 24;

/// Prefetches the code that sorts so many items.
#[inline(always)]
pub(super) fn prefetch_code_of_sort(items: usize) {
    if items < BY_RUNS_BELOW {
        prefetch_code(sort_by_runs as *const (), 0..39);
    } else {
        prefetch_code(sort_by_prefix as *const (), 0..40);
    }
}

/// Sorts fewer than [`MANY`](super::MANY) items by key; those of one key stay in the order in which they come. Changes
/// nothing and returns false, if too many of 128 or more items begin alike.
#[inline]
pub(super) fn sort(items: &mut [Item], spare: &mut [Item]) -> bool {
    if items.len() < BY_RUNS_BELOW {
        sort_by_runs(items, spare);
        true
    } else {
        sort_by_prefix(items, spare)
    }
}

/// How many bits of the keys remain below the first `bits`, counted from the highest bit in which keys differ.
fn shift_of(items: &[Item], bits: u32) -> u32 {
    let first = items[0];
    let differ = Item(items.iter().fold(0, |differ, item| differ | (item.0 ^ first.0))).key();
    (u32::BITS - differ.leading_zeros()).saturating_sub(bits)
}

/// Sorts items by a prefix of two digits, and then those of one prefix that are not in order. Changes nothing and
/// returns false, if many items have the first digit in common: then many have all of the prefix in common.
// Not inlined: its code is prefetched.
#[inline(never)]
fn sort_by_prefix(items: &mut [Item], spare: &mut [Item]) -> bool {
    let bits = VALUES_OF_PREFIX.ilog2();
    let shift = shift_of(items, 2 * bits);
    let [low, high] = [shift, shift + bits];
    let mut counts = [[0_u32; VALUES_OF_PREFIX]; 2];
    for item in &*items {
        counts[0][item.digit::<VALUES_OF_PREFIX>(low)] += 1;
        counts[1][item.digit::<VALUES_OF_PREFIX>(high)] += 1;
    }
    let alike: usize = counts[1].iter().map(|&count| count as usize * count as usize).sum();
    if alike > items.len() * ALIKE_MAX {
        return false;
    }
    sort_by_digit(low, &mut counts[0], items, spare);
    sort_by_digit(high, &mut counts[1], spare, items);
    if shift > 0 {
        sort_within_prefixes(items, spare, shift);
    }
    true
}

/// Sorts items that are in order but for the bits below `shift`.
fn sort_within_prefixes(items: &mut [Item], spare: &mut [Item], shift: u32) {
    let mut at = 1;
    while at < items.len() {
        if items[at - 1].key() <= items[at].key() {
            at += 1;
            continue;
        }
        let prefix = items[at].key() >> shift;
        let has_prefix = |item: &&Item| item.key() >> shift == prefix;
        let before = items[..at].iter().rev().take_while(has_prefix).count();
        let after = items[at..].iter().take_while(has_prefix).count();
        sort_by_runs(&mut items[at - before..at + after], &mut spare[at - before..at + after]);
        at += after;
    }
}

/// Sorts items by runs: by the digit that begins where their keys differ first, and then each run of one
/// digit. Recursion is as deep as a key has digits.
// Not inlined: its code is prefetched.
#[inline(never)]
fn sort_by_runs(items: &mut [Item], spare: &mut [Item]) {
    if items.len() > SHORT {
        sort_runs(items, spare);
    }
    // Those of one key stay in their order.
    for at in 1..items.len() {
        let item = items[at];
        let mut place = at;
        while place > 0 && items[place - 1].key() > item.key() {
            items[place] = items[place - 1];
            place -= 1;
        }
        items[place] = item;
    }
}

/// Sorts items by a digit of few values, and each run that is not short.
fn sort_runs(items: &mut [Item], spare: &mut [Item]) {
    let shift = shift_of(items, VALUES_OF_RUN.ilog2());
    let mut ends = [0_u32; VALUES_OF_RUN];
    items.iter().for_each(|item| ends[item.digit::<VALUES_OF_RUN>(shift)] += 1);
    let longest = ends.iter().fold(0, |longest, &count| count.max(longest));
    sort_by_digit(shift, &mut ends, items, spare);
    items.copy_from_slice(&spare[..items.len()]);
    if longest as usize > SHORT && shift > 0 {
        let mut start = 0;
        for end in ends.map(|end| end as usize) {
            if end - start > SHORT {
                sort_by_runs(&mut items[start..end], &mut spare[start..end]);
            }
            start = end;
        }
    }
}
