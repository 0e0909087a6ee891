//! A set of rows: a list in the order in which they came, and a bit for each.

use crate::pairs::pair::Pair;
use alloc::vec::Vec;

/// Rows, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct RowSet {
    rows: Vec<u32>,
    bits: Vec<u64>,
}

impl RowSet {
    /// Makes room for rows below `limit`.
    pub(super) fn reserve(&mut self, limit: usize) {
        self.rows.reserve(limit.saturating_sub(self.rows.len()));
        if self.bits.len() < limit.div_ceil(64) {
            self.bits.resize(limit.div_ceil(64), 0);
        }
    }

    /// Takes all rows out, in proportion to their number.
    pub(super) fn clear(&mut self) {
        for row in self.rows.drain(..) {
            self.bits[row as usize / 64] = 0;
        }
    }

    /// Adds a row, if it is not there already.
    pub(super) fn insert(&mut self, row: u32) {
        let word = row as usize / 64;
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        if self.bits[word] >> (row % 64) & 1 == 0 {
            self.bits[word] |= 1 << (row % 64);
            self.rows.push(row);
        }
    }

    #[inline]
    pub(super) fn contains(&self, row: u32) -> bool {
        self.bits.get(row as usize / 64).is_some_and(|bits| bits >> (row % 64) & 1 == 1)
    }

    /// Whether one of the two objects of a pair, or both, are of these rows.
    #[inline]
    pub(super) fn has_one_of(&self, pair: &Pair) -> bool {
        self.contains(pair.a().slot()) || self.contains(pair.b().slot())
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The rows, in the order in which they came.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.rows.iter().copied()
    }
}
