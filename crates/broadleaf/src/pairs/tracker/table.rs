//! A hash table for one comparison: groups of entries that lie side by side, looked up
//! eight at a time.

use crate::geometry::lanes::unequal;
use alloc::vec::Vec;

/// Entries of a group, in the mean. Nearly no group has more than the eight of one test.
const GROUP_MEAN: usize = 4;

/// Which entries have which hash.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    /// Where each group begins, and where the last one ends.
    starts: Vec<u32>,
    /// The lower half of each hash, by group; and seven more, so that eight can be read anywhere.
    keys: Vec<u32>,
    /// The entry of each key.
    entries: Vec<u32>,
}

impl Table {
    /// Makes room for so many entries.
    pub(super) fn reserve(&mut self, entries: usize) {
        self.starts.reserve(groups_len(entries) + 2);
        self.keys.reserve(entries + 7);
        self.entries.reserve(entries);
    }

    /// Enters hashes, numbered as they come.
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is the key")]
    pub(super) fn fill(&mut self, hashes: impl ExactSizeIterator<Item = u64> + Clone) {
        let Self { starts, keys, entries } = self;
        let groups = groups_len(hashes.len());
        starts.clear();
        starts.resize(groups + 2, 0);
        for hash in hashes.clone() {
            starts[group_of(hash, groups) + 2] += 1;
        }
        let mut sum = 0;
        for start in &mut *starts {
            sum += *start;
            *start = sum;
        }
        // One place further than the group: this turns the start of a group into its end, where the next one begins.
        keys.resize(hashes.len() + 7, 0);
        entries.resize(hashes.len(), 0);
        for (entry, hash) in (0..).zip(hashes) {
            let at = &mut starts[group_of(hash, groups) + 1];
            keys[*at as usize] = hash as u32;
            entries[*at as usize] = entry;
            *at += 1;
        }
    }

    /// The first entry with this hash that `is_it`.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is the key")]
    pub(super) fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let group = group_of(hash, self.starts.len() - 2);
        let (mut at, end) = (self.starts[group] as usize, self.starts[group + 1] as usize);
        while at < end {
            let keys: [u32; 8] = self.keys[at..at + 8].try_into().unwrap_or_default();
            let mut same = !unequal(&keys, hash as u32);
            while same != 0 {
                let found = at + same.trailing_zeros() as usize;
                // What lies behind the end is of another group.
                if found < end && is_it(self.entries[found]) {
                    return Some(self.entries[found]);
                }
                same &= same - 1;
            }
            at += 8;
        }
        None
    }
}

/// How many groups so many entries make: a power of two.
fn groups_len(entries: usize) -> usize {
    (entries / GROUP_MEAN).next_power_of_two()
}

/// By the upper half of the hash.
#[inline]
fn group_of(hash: u64, groups: usize) -> usize {
    (hash >> 32) as usize & (groups - 1)
}
