//! A growing array of slots with a free list.

use super::state::hash::WordHash;
use crate::geometry::lanes::prefetch_list;
use alloc::vec::Vec;

/// Slots indexed by u32. Freed slots are reused, the last one first, so that
/// a world in a steady state neither allocates nor grows.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Arena<T> {
    items: Vec<T>,
    free: Vec<u32>,
    reused: u64,
    peak: usize,
}

/// Appends, growing by an eighth: amortised constant as doubling is, with
/// less memory to spare.
#[inline]
pub(crate) fn push_tight<T>(items: &mut Vec<T>, value: T) {
    reserve_tight(items, 1);
    items.push(value);
}

/// A clone that is made by `clone_from` into an empty value.
pub(crate) fn cloned<T: Clone>(source: &T, mut empty: T) -> T {
    empty.clone_from(source);
    empty
}

/// Copies a list, without allocation if there is room.
pub(crate) fn copy_list<T: Clone>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    reserve_tight(to, from.len());
    to.extend_from_slice(from);
}

/// Makes room, growing by at least an eighth.
#[inline(always)]
pub(crate) fn reserve_tight<T>(items: &mut Vec<T>, additional: usize) {
    if items.capacity() - items.len() < additional {
        grow_tight(items, additional);
    }
}

// Not inlined: little code is left where there is room.
#[cold]
#[inline(never)]
fn grow_tight<T>(items: &mut Vec<T>, additional: usize) {
    items.reserve_exact(additional.max(items.len() / 8 + 16));
}

impl<T: Copy> Clone for Arena<T> {
    fn clone(&self) -> Self {
        cloned(self, Self::new())
    }

    fn clone_from(&mut self, source: &Self) {
        copy_list(&mut self.items, &source.items);
        self.reserve_free();
        copy_list(&mut self.free, &source.free);
        (self.reused, self.peak) = (source.reused, source.peak);
    }
}

impl<T: Copy> Arena<T> {
    pub(crate) const fn new() -> Self {
        Self { items: Vec::new(), free: Vec::new(), reused: 0, peak: 0 }
    }

    /// Stores `value` in a free slot, or in a new one.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the limit on objects bounds nodes and blocks")]
    pub(crate) fn allocate(&mut self, value: T) -> u32 {
        let index = if let Some(index) = self.free.pop() {
            self.reused += 1;
            self.items[index as usize] = value;
            index
        } else {
            push_tight(&mut self.items, value);
            self.reserve_free();
            self.items.len() as u32 - 1
        };
        self.peak = self.peak.max(self.live());
        index
    }

    /// The slot that is handed out next.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the limit on objects bounds nodes and blocks")]
    pub(crate) fn next_index(&self) -> u32 {
        self.free.last().copied().unwrap_or(self.items.len() as u32)
    }

    /// Returns a slot to the free list; `blank` is what it holds until reused.
    pub(crate) fn release(&mut self, index: u32, blank: T) {
        self.items[index as usize] = blank;
        self.free.push(index);
    }

    /// Replaces all slots by those that `fill` writes; none is free.
    pub(crate) fn renew(&mut self, fill: impl FnOnce(&mut Vec<T>)) {
        self.free.clear();
        fill(&mut self.items);
        self.reserve_free();
        self.peak = self.peak.max(self.items.len());
    }

    /// Forgets everything, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.free.clear();
    }

    pub(crate) fn live(&self) -> usize {
        self.items.len() - self.free.len()
    }

    pub(crate) fn free_len(&self) -> usize {
        self.free.len()
    }

    pub(crate) fn free_slots(&self) -> &[u32] {
        &self.free
    }

    pub(crate) fn reused(&self) -> u64 {
        self.reused
    }

    /// Whether the counters are such that they cannot overflow.
    #[cfg(feature = "serde")]
    pub(crate) fn is_countable(&self) -> bool {
        self.reused < 1 << 62 && self.peak < 1 << 31 && self.free.len() <= self.items.len()
    }

    /// Adds the free list.
    pub(crate) fn hash_free(&self, hash: &mut WordHash) {
        hash.add_wide(self.free.len() as u64);
        self.free.iter().for_each(|&index| hash.add(index));
    }

    pub(crate) fn peak(&self) -> usize {
        self.peak
    }

    /// All slots, freed ones included.
    pub(crate) fn slots(&self) -> &[T] {
        &self.items
    }

    /// All slots, to be changed; what a freed one holds must stay blank.
    pub(crate) fn slots_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// Writes what freed slots hold.
    pub(crate) fn blank_free(&mut self, blank: &T) {
        for &index in &self.free {
            self.items[index as usize] = *blank;
        }
    }

    #[inline]
    pub(crate) fn reserve(&mut self, additional: usize) {
        reserve_tight(&mut self.items, additional);
        self.reserve_free();
    }

    /// Prefetches the memory of so many slots that are added next, as far as there is room.
    #[inline(always)]
    pub(crate) fn prefetch_room(&mut self, slots: usize) {
        let room = self.items.spare_capacity_mut();
        prefetch_list(&room[..room.len().min(slots)]);
    }

    /// Prefetches so many slots, as far as there are.
    #[inline(always)]
    pub(crate) fn prefetch_slots(&self, slots: usize) {
        prefetch_list(&self.items[..self.items.len().min(slots)]);
    }

    /// Makes room on the free list for every slot, so that freeing never allocates.
    #[inline]
    fn reserve_free(&mut self) {
        if self.free.capacity() < self.items.capacity() {
            self.grow_free();
        }
    }

    // Not inlined, as `grow_tight`.
    #[cold]
    #[inline(never)]
    fn grow_free(&mut self) {
        self.free.reserve_exact(self.items.capacity() - self.free.len());
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.items.shrink_to_fit();
        self.free.shrink_to(self.items.capacity());
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.free.capacity() * size_of::<u32>()
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> &T {
        &self.items[index as usize]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: u32) -> &mut T {
        &mut self.items[index as usize]
    }
}

/// Columns with an arena are indexed by the id of a slot.
macro_rules! indexed_by {
    ($columns:ty, $id:ty, $item:ty) => {
        impl core::ops::Index<$id> for $columns {
            type Output = $item;
            #[inline]
            fn index(&self, id: $id) -> &$item {
                self.arena.get(id.0)
            }
        }

        impl core::ops::IndexMut<$id> for $columns {
            #[inline]
            fn index_mut(&mut self, id: $id) -> &mut $item {
                self.arena.get_mut(id.0)
            }
        }
    };
}
pub(crate) use indexed_by;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_freeing_slots_allocates_nothing() {
        let mut arena = Arena::new();
        let fill = |arena: &mut Arena<u32>| (0..100).map(|value| arena.allocate(value)).collect::<Vec<u32>>();
        for _ in 0..3 {
            let slots = fill(&mut arena);
            arena.shrink_to_fit();
            let memory = arena.memory();
            slots.into_iter().for_each(|slot| arena.release(slot, 0));
            assert_eq!(arena.memory(), memory);
        }
    }
}
