//! Slots: where the object of a row lies, found by its handle.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

/// No row: the end of the list of free rows.
pub(super) const NO_ROW: u32 = Slot::FREE - 1;

/// A row's slot; four bytes: where its object lies, or [`Slot::FREE`] and the next free row.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(from = "u32", into = "u32"))]
pub(super) struct Slot(AtomicU32);

impl Slot {
    /// Set where no object lives in the row. Locations are below it: there are fewer than 2^28 blocks.
    pub(super) const FREE: u32 = 1 << 31;
    /// The row is not used again.
    const RETIRED: u32 = u32::MAX - 1;

    /// One that is used for the first time.
    pub(super) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// All of it.
    #[inline(always)]
    pub(super) fn word(&self) -> u32 {
        self.0.load(Relaxed)
    }

    /// Whether an object lives in the row.
    #[inline]
    pub(super) fn is_live(&self) -> bool {
        self.word() & Self::FREE == 0
    }

    /// Whether the row is free and not used again.
    pub(super) fn is_retired(&self) -> bool {
        self.word() == Self::RETIRED
    }

    /// Where a living object lies.
    #[inline(always)]
    pub(super) fn location(&self) -> u32 {
        debug_assert!(self.is_live(), "a free row has no location");
        self.word()
    }

    /// Of a free row, the next one.
    #[inline(always)]
    pub(super) fn next_free(&self) -> u32 {
        self.word() & !Self::FREE
    }

    /// Writes where the object lies. Build threads write disjoint slots and join before any read, so relaxed
    /// ordering suffices.
    #[inline(always)]
    pub(super) fn set_location(&self, location: u32) {
        debug_assert!(location & Self::FREE == 0, "locations are below the mark of free rows");
        self.0.store(location, Relaxed);
    }

    /// Frees the row; `next` is the free row after it.
    #[inline(always)]
    pub(super) fn free(&mut self, next: u32) {
        *self.0.get_mut() = Self::FREE | next;
    }

    /// Frees the row for good.
    pub(super) fn retire(&mut self) {
        *self.0.get_mut() = Self::RETIRED;
    }
}

impl Clone for Slot {
    fn clone(&self) -> Self {
        Self(AtomicU32::new(self.word()))
    }
}

#[cfg(feature = "serde")]
impl From<u32> for Slot {
    fn from(word: u32) -> Self {
        Self(AtomicU32::new(word))
    }
}

#[cfg(feature = "serde")]
impl From<Slot> for u32 {
    fn from(slot: Slot) -> Self {
        slot.0.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_takes_four_bytes_and_its_copy_lies_where_it_does() {
        let slot = Slot::new();
        slot.set_location(7);
        let copy = slot.clone();
        slot.set_location(8);
        assert_eq!((copy.location(), slot.location(), size_of::<Slot>()), (7, 8, 4));
    }

    #[test]
    fn a_free_slot_names_the_next_and_a_retired_one_is_free_too() {
        let mut slot = Slot::new();
        assert!(slot.is_live());
        for next in [0, 7, NO_ROW] {
            slot.free(next);
            assert_eq!((slot.is_live(), slot.is_retired(), slot.next_free()), (false, false, next));
        }
        slot.retire();
        assert_eq!((slot.is_live(), slot.is_retired()), (false, true));
    }
}
