//! What two lists of pairs do not have in common.
//!
//! Two passes over one tree find their pairs in nearly the same order. So the
//! lists are walked side by side, looking a little ahead where they part, and
//! only what is left of both goes through a hash table.

use super::pair::Pair;
use alloc::vec::Vec;

/// How far ahead a pair is looked for at once.
const NEAR: usize = 8;

/// Working memory of a comparison, and its outcome.
#[derive(Debug, Clone, Default)]
pub(super) struct Diff {
    /// Pairs that only the new list has: indices in it, ascending.
    pub(super) begun: Vec<u32>,
    /// Pairs that only the old list has: indices in it, ascending.
    pub(super) ended: Vec<u32>,
    /// Open addressing: the lower half of a hash, and one more than an index
    /// in `ended`; zero where there is nothing.
    table: Vec<u64>,
}

impl Diff {
    /// Makes room for lists of so many pairs.
    pub(super) fn reserve(&mut self, pairs: usize) {
        self.begun.reserve(pairs);
        self.ended.reserve(pairs);
        self.table.reserve(table_size(pairs));
    }

    /// Compares two lists, neither of which names a pair twice.
    #[expect(clippy::cast_possible_truncation, reason = "fewer pairs are held in memory")]
    pub(super) fn compare(&mut self, old: &[Pair], new: &[Pair]) {
        self.begun.clear();
        self.ended.clear();
        let (mut at, mut misses) = (0, 0_usize);
        for (index, pair) in new.iter().enumerate() {
            if old.get(at) == Some(pair) {
                (at, misses) = (at + 1, 0);
                continue;
            }
            // The further the lists have parted, the further ahead they may
            // meet again: work in proportion to the misses.
            let reach = if misses >= NEAR && misses.is_power_of_two() { 4 * misses } else { NEAR };
            let ahead = &old[at..old.len().min(at + reach)];
            if let Some(skip) = ahead.iter().position(|other| other == pair) {
                self.ended.extend(at as u32..(at + skip) as u32);
                (at, misses) = (at + skip + 1, 0);
            } else {
                self.begun.push(index as u32);
                misses += 1;
            }
        }
        self.ended.extend(at as u32..old.len() as u32);
        if !self.begun.is_empty() && !self.ended.is_empty() {
            self.match_leftovers(old, new);
        }
    }

    /// Strikes out what is left of both lists.
    fn match_leftovers(&mut self, old: &[Pair], new: &[Pair]) {
        let size = table_size(self.ended.len());
        self.table.clear();
        self.table.resize(size, 0);
        let slot_of = |hash: u64| (hash >> 32) as usize & (size - 1);
        for (entry, &index) in (1..).zip(&self.ended) {
            let hash = hash(&old[index as usize]);
            let mut slot = slot_of(hash);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = hash << 32 | entry;
        }
        let Self { begun, ended, table } = self;
        begun.retain(|&index| {
            let pair = &new[index as usize];
            let hash = hash(pair);
            let mut slot = slot_of(hash);
            loop {
                let entry = table[slot];
                if entry == 0 {
                    return true;
                }
                if entry >> 32 == hash & 0xffff_ffff {
                    let at = &mut ended[(entry & 0xffff_ffff) as usize - 1];
                    if *at != u32::MAX && old[*at as usize] == *pair {
                        *at = u32::MAX;
                        return false;
                    }
                }
                slot = (slot + 1) & (size - 1);
            }
        });
        ended.retain(|&index| index != u32::MAX);
    }
}

/// Slots of a table of so many entries: a power of two.
fn table_size(entries: usize) -> usize {
    (2 * entries).next_power_of_two().max(2)
}

/// Mixes the bits of both handles; the upper bits are the better ones.
fn hash(pair: &Pair) -> u64 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (pair.a().to_bits().wrapping_mul(MIX) ^ pair.b().to_bits().rotate_left(31)).wrapping_mul(MIX);
    (mixed ^ mixed >> 29).wrapping_mul(MIX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Handle;
    use core::num::NonZeroU32;

    fn pairs(numbers: &[u32]) -> Vec<Pair> {
        let handle = |slot| Handle::new(slot, NonZeroU32::MIN);
        numbers.iter().map(|&n| Pair::new(handle(n), handle(n + 1))).collect()
    }

    fn check(old: &[u32], new: &[u32]) {
        let mut diff = Diff::default();
        diff.compare(&pairs(old), &pairs(new));
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
    }
}
