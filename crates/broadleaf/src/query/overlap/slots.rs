//! Sets of objects, by slot.

use crate::geometry::lanes::set_bits;
use alloc::vec::Vec;

/// A set of objects, as one bit a slot; for passes over arrays that are
/// indexed by [`Handle::slot`](crate::Handle::slot).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SlotSet {
    words: Vec<u64>,
}

impl SlotSet {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the object in a slot is in the set.
    #[inline]
    #[must_use]
    pub fn contains(&self, slot: u32) -> bool {
        self.words.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// The number of objects in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The slots in the set, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let slots = self.words.iter().zip((0_u32..).step_by(64));
        #[expect(clippy::cast_possible_truncation, reason = "a bit is below 64")]
        slots.flat_map(|(&word, first)| set_bits(word).map(move |bit| first + bit as u32))
    }

    /// The bits, 64 slots a word, the lowest slot in the lowest bit.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub(super) fn clear(&mut self, slots: usize) {
        self.words.clear();
        self.words.resize(slots.div_ceil(64), 0);
    }

    #[inline]
    pub(super) fn insert(&mut self, slot: u32) {
        if let Some(word) = self.words.get_mut(slot as usize / 64) {
            *word |= 1 << (slot % 64);
        }
    }
}
