//! The difference of two lists of pairs.
//!
//! Two passes over one tree find their pairs in nearly the same order. So the
//! lists are walked side by side. Where they part, they are searched a little
//! ahead for where they meet again; if they do not, both go on by one, for a
//! bucket whose objects changed places lists as many pairs as before. What is
//! left of both goes through a hash table. Where far more pairs differ than are
//! equal, pairs are left to the table without a walk, which costs more there than it saves.

use super::table::Table;
use crate::data::Handle;
use crate::pairs::pair::Pair;
use alloc::vec::Vec;

/// How far ahead the lists are searched where they part.
const NEAR: usize = 8;
/// How far ahead they are ever searched.
const FAR: usize = 4096;
/// If there were so many more mismatches than equal pairs, the next pairs are not walked.
const EXCESS_MAX: usize = 128;
/// Pairs of each list that are then left to the table.
const UNWALKED_LEN: usize = 64;
/// What is then subtracted from the excess, so that the walk is tried again.
const EXCESS_DROP: usize = 16;

/// Working memory of a comparison, and its outcome.
#[derive(Debug, Clone, Default)]
pub(in crate::pairs) struct Diff {
    /// Pairs that only the new list has: indices in it, ascending.
    pub(super) begun: Vec<u32>,
    /// Pairs that only the old list has: indices in it, ascending.
    pub(in crate::pairs) ended: Vec<u32>,
    /// Finds a pair of the shorter of `begun` and `ended` by its hash.
    table: Table,
}

impl Diff {
    /// Makes room for lists of so many pairs.
    pub(super) fn reserve(&mut self, pairs: usize) {
        self.begun.reserve(pairs);
        self.ended.reserve(pairs);
        self.table.reserve(pairs);
    }

    /// Compares two lists, neither of which names a pair twice. Returns in how many places they differ: one for each stop
    /// of the walk, and one for each pair of either list that is left to the table.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    pub(super) fn compare(&mut self, old: &[Pair], new: &[Pair]) -> usize {
        self.compare_with(old, new, |_, _, _| ())
    }

    /// The same, and reports each run of pairs that both lists have: its index in the old
    /// list, its index in the new one, and its length.
    #[expect(clippy::cast_possible_truncation, reason = "fewer pairs are held in memory")]
    pub(in crate::pairs) fn compare_with(
        &mut self,
        old: &[Pair],
        new: &[Pair],
        mut shared: impl FnMut(usize, usize, usize),
    ) -> usize {
        self.begun.clear();
        self.ended.clear();
        let (mut at, mut index, mut misses, mut excess, mut places) = (0, 0, 0_usize, 0_usize, 0);
        loop {
            let both = old[at..].iter().zip(&new[index..]);
            let same = both.take_while(|(old, new)| is_same(old, new)).count();
            shared(at, index, same);
            (at, index) = (at + same, index + same);
            if at == old.len() || index == new.len() {
                break;
            }
            places += 1;
            misses = if same > 0 { 0 } else { misses };
            // Mismatches less equal pairs, never below zero.
            excess = (excess + 1).saturating_sub(same);
            let (gone, come) = if excess > EXCESS_MAX {
                excess -= EXCESS_DROP;
                (UNWALKED_LEN.min(old.len() - at), UNWALKED_LEN.min(new.len() - index))
            } else {
                meet(&old[at..], &new[index..], reach(misses)).unwrap_or_else(|| {
                    misses += 1;
                    (1, 1)
                })
            };
            self.ended.extend(at as u32..(at + gone) as u32);
            self.begun.extend(index as u32..(index + come) as u32);
            (at, index) = (at + gone, index + come);
        }
        self.ended.extend(at as u32..old.len() as u32);
        self.begun.extend(index as u32..new.len() as u32);
        if !self.begun.is_empty() && !self.ended.is_empty() {
            places += self.begun.len() + self.ended.len();
            self.match_leftovers(old, new, shared);
        }
        places
    }

    /// Removes from `ended` and `begun` the pairs that both hold, in whatever order. The table holds the shorter list.
    fn match_leftovers(&mut self, old: &[Pair], new: &[Pair], mut shared: impl FnMut(usize, usize, usize)) {
        let Self { begun, ended, table } = self;
        let is_old_shorter = ended.len() < begun.len();
        let (old, new) = ((ended, old), (begun, new));
        let (shorter, longer) = if is_old_shorter { (old, new) } else { (new, old) };
        // One call: with two, the loop would be compiled twice, and its code is prefetched.
        remove_common(table, shorter, longer, |in_shorter, in_longer| {
            let (at, index) = if is_old_shorter { (in_shorter, in_longer) } else { (in_longer, in_shorter) };
            shared(at, index, 1);
        });
    }
}

/// Removes from two lists of indices the pairs that both lists name, and reports the two indices of each. Both stay
/// ascending. The table is filled from the shorter list.
fn remove_common(
    table: &mut Table,
    (shorter, pairs_of_shorter): (&mut Vec<u32>, &[Pair]),
    (longer, pairs_of_longer): (&mut Vec<u32>, &[Pair]),
    mut report: impl FnMut(usize, usize),
) {
    table.fill(shorter.iter().map(|&index| hash(&pairs_of_shorter[index as usize])));
    let mut kept = 0;
    for place in 0..longer.len() {
        let index = longer[place];
        let pair = &pairs_of_longer[index as usize];
        let known = table.find(hash(pair), |entry| {
            pairs_of_shorter.get(shorter[entry as usize] as usize).is_some_and(|other| is_same(other, pair))
        });
        // Without a branch, for which of them are known follows no order.
        longer[kept] = index;
        kept += usize::from(known.is_none());
        if let Some(entry) = known {
            report(shorter[entry as usize] as usize, index as usize);
            shorter[entry as usize] = u32::MAX;
        }
    }
    longer.truncate(kept);
    shorter.retain(|&index| index != u32::MAX);
}

/// One branch for all four numbers.
#[inline]
fn is_same(a: &Pair, b: &Pair) -> bool {
    let differ = |a: Handle, b: Handle| (a.slot() ^ b.slot()) | (a.generation() ^ b.generation());
    differ(a.a(), b.a()) | differ(a.b(), b.b()) == 0
}

/// How far ahead to search after so many misses in a row: now and then, so
/// that the work is in proportion to the misses.
#[inline]
fn reach(misses: usize) -> usize {
    if misses.is_power_of_two() || misses.is_multiple_of(FAR) { (2 * misses).clamp(NEAR, FAR) } else { 0 }
}

/// How much of both lists lies before they meet: all in one of the two.
#[inline]
fn meet(old: &[Pair], new: &[Pair], reach: usize) -> Option<(usize, usize)> {
    // Not an inclusive range, whose end is asked for anew at each step.
    (1..reach + 1).find_map(|ahead| {
        if old.get(ahead).is_some_and(|pair| is_same(pair, &new[0])) {
            Some((ahead, 0))
        } else if new.get(ahead).is_some_and(|pair| is_same(pair, &old[0])) {
            Some((0, ahead))
        } else {
            None
        }
    })
}

/// Mixes both slots; the upper half is the better one.
#[inline]
fn hash(pair: &Pair) -> u64 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (u64::from(pair.a().slot()) << 32 | u64::from(pair.b().slot())).wrapping_mul(MIX);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::num::NonZeroU32;

    fn pairs(numbers: &[u32]) -> Vec<Pair> {
        let handle = |slot| Handle::new(slot, NonZeroU32::MIN);
        numbers.iter().map(|&n| Pair::new(handle(n), handle(n + 1))).collect()
    }

    fn check(old: &[u32], new: &[u32]) {
        let mut diff = Diff::default();
        let mut shared = Vec::new();
        diff.compare_with(&pairs(old), &pairs(new), |at, index, count| {
            assert_eq!(old[at..at + count], new[index..index + count], "{old:?} -> {new:?}");
            shared.extend(at..at + count);
        });
        shared.sort_unstable();
        let both: Vec<usize> = (0..old.len()).filter(|&at| new.contains(&old[at])).collect();
        assert_eq!(shared, both, "{old:?} -> {new:?}");
        let only = |these: &[u32], those: &[u32]| -> Vec<u32> {
            (0..).zip(these).filter(|(_, n)| !those.contains(n)).map(|(index, _)| index).collect()
        };
        assert_eq!((&diff.begun, &diff.ended), (&only(new, old), &only(old, new)), "{old:?} -> {new:?}");
    }

    #[test]
    fn lists_in_any_order_are_told_apart() {
        check(&[], &[]);
        check(&[1, 2, 3], &[]);
        check(&[], &[1, 2, 3]);
        check(&[1, 2, 3], &[3, 2, 1]);
        check(&[1, 2, 3, 4], &[1, 9, 3, 4]);
        let ascending: Vec<u32> = (0..500).collect();
        let without: Vec<u32> = (0..500).filter(|n| !(100..300).contains(n) && n % 7 != 0).collect();
        let shuffled: Vec<u32> = (0..500).map(|n| n * 263 % 500).collect();
        check(&ascending, &without);
        check(&without, &ascending);
        check(&ascending, &shuffled);
        check(&shuffled, &without);
        // Far apart, then together again; and a block in the middle that is turned round.
        let inserted: Vec<u32> = (1000..9000).chain(ascending.iter().copied()).collect();
        let turned: Vec<u32> = (0..200).chain((200..300).rev()).chain(300..500).collect();
        check(&ascending, &inserted);
        check(&inserted, &ascending);
        check(&ascending, &turned);
    }

    #[test]
    fn lists_are_walked_again_after_pairs_that_were_not() {
        let old: Vec<u32> = (0..3000).collect();
        let turned: Vec<u32> = (0..1000).rev().chain(1000..3000).collect();
        check(&old, &turned);
        check(&turned, &old);
        // They meet again at another distance.
        let one: Vec<u32> = (10_000..10_200).chain(0..2000).collect();
        let other: Vec<u32> = (20_000..20_300).chain(0..2000).collect();
        check(&one, &other);
        check(&other, &one);
        // Both end before.
        let (one, other): (Vec<u32>, Vec<u32>) = ((0..150).collect(), (1000..1170).collect());
        check(&one, &other);
        check(&other, &one);
    }
}
