//! Slots: the generation and the location of an object, found by its handle.

use core::num::NonZeroU32;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

/// A row's slot; eight bytes.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Slot {
    pub(super) generation: NonZeroU32,
    location: Word,
}

impl Slot {
    /// One that is used for the first time.
    pub(super) const fn new() -> Self {
        Self { generation: NonZeroU32::MIN, location: Word(AtomicU32::new(0)) }
    }

    /// Whether the slot holds an object: then its generation is odd.
    #[inline]
    pub(super) fn is_live(&self) -> bool {
        self.generation.get() % 2 == 1
    }

    /// Where a living object lies; of a free slot, the next free row.
    #[inline(always)]
    pub(super) fn location(&self) -> u32 {
        self.location.0.load(Relaxed)
    }

    /// Writes where the object lies, or which row is free next. Build threads write
    /// disjoint slots and join before any read, so relaxed ordering suffices.
    #[inline(always)]
    pub(super) fn set_location(&self, location: u32) {
        self.location.0.store(location, Relaxed);
    }

    /// [`Slot::set_location`] where the slot is not shared: cheaper for many.
    #[inline(always)]
    pub(super) fn location_mut(&mut self) -> &mut u32 {
        self.location.0.get_mut()
    }
}

/// A number that is written through a shared borrow.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(from = "u32", into = "u32"))]
struct Word(AtomicU32);

impl Clone for Word {
    fn clone(&self) -> Self {
        Self(AtomicU32::new(self.0.load(Relaxed)))
    }
}

#[cfg(feature = "serde")]
impl From<u32> for Word {
    fn from(word: u32) -> Self {
        Self(AtomicU32::new(word))
    }
}

#[cfg(feature = "serde")]
impl From<Word> for u32 {
    fn from(word: Word) -> Self {
        word.0.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_takes_eight_bytes_and_its_copy_lies_where_it_does() {
        let slot = Slot::new();
        slot.set_location(7);
        let copy = slot.clone();
        slot.set_location(8);
        assert_eq!((copy.location(), slot.location(), size_of::<Slot>()), (7, 8, 8));
    }
}
