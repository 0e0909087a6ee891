//! Object columns: the data of an object that does not depend on its place in the tree.
//!
//! The generation of a row is that of its object or, while it is free, of the next object in it. As long as no single
//! object has been removed, all rows have the same, and no column of generations is kept.

pub(crate) mod fat_shapes;
mod generations;
pub(crate) mod handle;
mod lazy_column;
pub(crate) mod object;
mod slot;
#[cfg(test)]
mod tests;

use super::arena::{copy_list, push_tight, reserve_tight};
use super::ids::{Location, ObjectWord, Row};
use super::state::hash::WordHash;
#[cfg(feature = "serde")]
use super::state::validate::{BrokenInvariant, ensure};
use crate::Error;
use crate::data::arena::cloned;
use crate::geometry::lanes::prefetch;
use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::ops::Range;
use generations::Generations;
use handle::Handle;
use lazy_column::{LazyColumn, Rows};
use slot::{NO_ROW, Slot};

/// The filters of objects that interact with all layers.
const ALL: u32 = u32::MAX;
/// The user data of objects that were given none.
const NO_DATA: u64 = 0;

/// Objects of which the columns are written before those of others.
const PIECE: usize = 128;

/// The columns, indexed by row.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Objects {
    slots: Vec<Slot>,
    generations: Generations,
    filters: LazyColumn<u32>,
    user_data: LazyColumn<u64>,
    free: u32,
    len: usize,
}

impl Clone for Objects {
    fn clone(&self) -> Self {
        cloned(self, Self::new())
    }

    fn clone_from(&mut self, source: &Self) {
        copy_list(&mut self.slots, &source.slots);
        self.generations.copy_from(&source.generations);
        self.filters.copy_from(&source.filters);
        self.user_data.copy_from(&source.user_data);
        (self.free, self.len) = (source.free, source.len);
    }
}

impl Objects {
    pub(crate) const fn new() -> Self {
        Self {
            slots: Vec::new(),
            generations: Generations::new(),
            filters: LazyColumn::new(),
            user_data: LazyColumn::new(),
            free: NO_ROW,
            len: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether any object may have filters of its own.
    #[inline]
    pub(crate) fn any_filters(&self) -> bool {
        !self.filters.is_empty()
    }

    /// Prefetches what [`Objects::any_filters`] reads.
    #[inline(always)]
    pub(crate) fn prefetch_filters(&self) {
        prefetch(&self.filters);
    }

    /// Makes a row for a new object.
    ///
    /// # Errors
    /// [`Error::TooManyObjects`] if no row is left.
    #[inline]
    pub(crate) fn allocate(&mut self, filters: u32, user_data: u64) -> Result<(Row, Handle), Error> {
        self.allocate_below(ObjectWord::ROW_LIMIT, filters, user_data)
    }

    /// Makes rows for new objects, of which `columns` says filters and user
    /// data, and lists their handles.
    ///
    /// # Errors
    /// The index of the first object for which no row is left: some of those before it have one.
    pub(crate) fn allocate_many<O>(
        &mut self,
        objects: &[O],
        columns: impl Fn(&O) -> (u32, u64),
        handles: &mut Vec<Handle>,
    ) -> Result<(), usize> {
        self.allocate_many_below(ObjectWord::ROW_LIMIT, objects, columns, handles)
    }

    /// Makes rows below `limit`.
    #[inline(always)]
    fn allocate_many_below<O>(
        &mut self,
        limit: u32,
        objects: &[O],
        columns: impl Fn(&O) -> (u32, u64),
        handles: &mut Vec<Handle>,
    ) -> Result<(), usize> {
        let mut rest = objects;
        while !rest.is_empty() && self.free != NO_ROW {
            let run = self.reuse_run(rest.len());
            let (reusing, after) = rest.split_at(run.len());
            self.describe_many(run.start, reusing, &columns);
            self.generations.list_handles(run, handles);
            rest = after;
        }
        let room = limit as usize - self.slots.len();
        if rest.len() > room {
            return Err(objects.len() - rest.len() + room);
        }
        self.reserve_rows(rest.len());
        let first = self.slots_len();
        self.slots.resize_with(self.slots.len() + rest.len(), Slot::new);
        let run = first..self.slots_len();
        self.describe_many(first, rest, &columns);
        self.len += rest.len();
        self.generations.list_handles(run, handles);
        Ok(())
    }

    fn rows(&self) -> Rows {
        Rows { len: self.slots.len(), room: self.slots.capacity() }
    }

    /// Writes the filters and user data of consecutive rows.
    fn describe_many<O>(&mut self, first: u32, objects: &[O], columns: impl Fn(&O) -> (u32, u64)) {
        let rows = self.rows();
        // A few at a time: what both columns are read from stays near.
        for (first, objects) in (first..).step_by(PIECE).zip(objects.chunks(PIECE)) {
            self.filters.set_many(first, objects, |object| columns(object).0, rows, ALL);
            self.user_data.set_many(first, objects, |object| columns(object).1, rows, NO_DATA);
        }
    }

    /// Takes rows from the free list while they follow each other, `most` of them at most.
    #[inline(always)]
    fn reuse_run(&mut self, most: usize) -> Range<u32> {
        let first = self.free;
        let slots = &mut self.slots[first as usize..];
        let most = most.min(slots.len());
        let following = slots[..most - 1].iter().zip(first + 1..).take_while(|(slot, next)| slot.next_free() == *next);
        let len = following.count() + 1;
        self.free = slots[len - 1].next_free();
        slots[..len].iter_mut().for_each(|slot| *slot = Slot::new());
        #[expect(clippy::cast_possible_truncation, reason = "rows are below the row limit")]
        let run = first..first + len as u32;
        self.len += run.len();
        run
    }

    /// Makes a row below `limit`.
    #[inline(always)]
    fn allocate_below(&mut self, limit: u32, filters: u32, user_data: u64) -> Result<(Row, Handle), Error> {
        let row = if self.free == NO_ROW {
            let row = u32::try_from(self.slots.len()).ok().filter(|&row| row < limit);
            let row = row.ok_or(Error::TooManyObjects { limit: limit as usize })?;
            push_tight(&mut self.slots, Slot::new());
            row
        } else {
            let row = self.free;
            let slot = &mut self.slots[row as usize];
            self.free = slot.next_free();
            *slot = Slot::new();
            row
        };
        self.set_filters(Row(row), filters);
        self.set_user_data(Row(row), user_data);
        self.len += 1;
        Ok((Row(row), self.handle(Row(row))))
    }

    /// Frees the row of an object. Its handles are stale from now on.
    pub(crate) fn release(&mut self, row: Row) {
        let rows = self.rows();
        let slot = &mut self.slots[row.0 as usize];
        if self.generations.advance(row, rows) {
            slot.free(self.free);
            self.free = row.0;
        } else {
            slot.retire();
        }
        self.len -= 1;
    }

    /// The row of a living object.
    #[inline]
    pub(crate) fn row(&self, handle: Handle) -> Option<Row> {
        let row = Row(handle.slot());
        (self.is_live(row) && self.generations.get(row).get() == handle.generation()).then_some(row)
    }

    /// The row of the first of some handles, if they are those of living
    /// objects in consecutive rows.
    #[inline]
    pub(crate) fn run_of(&self, handles: &[Handle]) -> Option<Row> {
        let (first, last) = (handles.first()?.slot(), handles.last()?.slot());
        // If the last one is in its place, mostly all are consecutive.
        if last.checked_sub(first)? as usize != handles.len() - 1 {
            return None;
        }
        let slots = self.slots.get(first as usize..=last as usize)?;
        // Mostly no row is free: then no slot is read.
        let any_free = self.len < self.slots.len() && !slots.iter().fold(true, |live, slot| live & slot.is_live());
        (!any_free && self.generations.are_those_of(first, handles)).then_some(Row(first))
    }

    /// The handle of a living object.
    #[inline]
    pub(crate) fn handle(&self, row: Row) -> Handle {
        Handle::new(row.0, self.generations.get(row))
    }

    #[inline]
    pub(crate) fn is_live(&self, row: Row) -> bool {
        self.slots.get(row.0 as usize).is_some_and(Slot::is_live)
    }

    #[inline]
    pub(crate) fn location(&self, row: Row) -> Location {
        Location(self.slots[row.0 as usize].location())
    }

    /// Writes where an object lies. Threads of a build write disjoint rows and join before any read.
    #[inline]
    pub(crate) fn set_location(&self, row: Row, location: Location) {
        self.slots[row.0 as usize].set_location(location.0);
    }

    /// The generation of a living object.
    #[inline]
    pub(crate) fn generation(&self, row: Row) -> NonZeroU32 {
        self.generations.get(row)
    }

    /// The generation of all rows, if they have the same.
    #[inline(always)]
    pub(crate) fn common_generation(&self) -> Option<NonZeroU32> {
        self.generations.common()
    }

    /// Prefetches the slot and the generation of a row.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: Row) {
        if let Some(slot) = self.slots.get(row.0 as usize) {
            prefetch(slot);
        }
        self.generations.prefetch(row);
    }

    #[inline]
    pub(crate) fn filters(&self, row: Row) -> u32 {
        self.filters.get(row.0, ALL)
    }

    #[inline]
    pub(crate) fn set_filters(&mut self, row: Row, filters: u32) {
        let rows = self.rows();
        self.filters.set(row.0, filters, rows, ALL);
    }

    #[inline]
    pub(crate) fn user_data(&self, row: Row) -> u64 {
        self.user_data.get(row.0, NO_DATA)
    }

    #[inline]
    pub(crate) fn set_user_data(&mut self, row: Row, user_data: u64) {
        let rows = self.rows();
        self.user_data.set(row.0, user_data, rows, NO_DATA);
    }

    /// Rows that have ever been used.
    #[expect(clippy::cast_possible_truncation, reason = "rows are below the row limit")]
    pub(crate) fn slots_len(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Living rows, lowest first.
    pub(crate) fn live_rows(&self) -> impl Iterator<Item = Row> + '_ {
        let rows = self.slots.iter().zip(0..);
        rows.filter(|(slot, _)| slot.is_live()).map(|(_, row)| Row(row))
    }

    /// Frees every row. The lowest is reused first. A row whose generations are used up is not used again.
    pub(crate) fn clear(&mut self) {
        let rows = self.rows();
        self.free = NO_ROW;
        if self.generations.advance_all(rows) {
            (1..).zip(&mut self.slots).for_each(|(next, slot)| slot.free(next));
            if let Some(last) = self.slots.last_mut() {
                last.free(NO_ROW);
                self.free = 0;
            }
        } else {
            for (row, slot) in (0..self.slots_len()).zip(&mut self.slots).rev() {
                if slot.is_retired() || slot.is_live() && !self.generations.advance(Row(row), rows) {
                    slot.retire();
                } else {
                    slot.free(core::mem::replace(&mut self.free, row));
                }
            }
        }
        self.filters.clear();
        self.user_data.clear();
        self.len = 0;
    }

    /// Makes room for the rows of so many more objects.
    #[inline]
    pub(crate) fn reserve_rows(&mut self, additional: usize) {
        reserve_tight(&mut self.slots, additional);
    }

    /// Makes room for so many more objects, whatever filters and user data they have, and for their removal.
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.reserve_rows(additional);
        self.generations.reserve(self.slots.capacity());
        self.filters.reserve(self.slots.capacity());
        self.user_data.reserve(self.slots.capacity());
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.slots.shrink_to_fit();
        self.generations.shrink_to_fit();
        self.filters.shrink_to_fit();
        self.user_data.shrink_to_fit();
    }

    /// Checks loaded rows, except where objects lie.
    #[cfg(feature = "serde")]
    pub(crate) fn check_restored(&self) -> Result<(), BrokenInvariant> {
        let rows = self.slots.len();
        ensure(rows <= ObjectWord::ROW_LIMIT as usize, "rows are below their limit", 0)?;
        let lens = [self.generations.len(), self.filters.len(), self.user_data.len()];
        ensure(lens.iter().all(|&len| len <= rows), "a column has no more than all rows", 0)?;
        self.generations.check_restored()?;
        ensure(self.slots.iter().filter(|slot| slot.is_live()).count() == self.len, "living rows are counted", 0)?;
        let mut listed = alloc::vec![false; rows];
        let mut next = self.free;
        while next != NO_ROW {
            let slot =
                self.slots.get(next as usize).ok_or(BrokenInvariant { invariant: "a row exists", index: next })?;
            let again = core::mem::replace(&mut listed[next as usize], true);
            ensure(!again && !slot.is_live(), "the free list holds each free row once", next)?;
            next = slot.next_free();
        }
        for ((slot, listed), row) in self.slots.iter().zip(listed).zip(0..) {
            let lost = !slot.is_live() && !listed && !slot.is_retired();
            ensure(!lost, "the free list holds each free row once", row)?;
        }
        Ok(())
    }

    /// Adds every row, free ones included: their order decides who comes next.
    pub(crate) fn hash(&self, hash: &mut WordHash) {
        hash.add_wide(self.slots.len() as u64);
        hash.add_all([self.free, self.generations.usual().get()]);
        let common = self.generations.common();
        for (row, slot) in (0..).zip(&self.slots) {
            let generation = common.unwrap_or_else(|| self.generations.get(Row(row)));
            hash.add_all([generation.get(), slot.word()]);
        }
        (0..self.slots_len()).for_each(|row| hash.add(self.filters.get(row, ALL)));
        (0..self.slots_len()).for_each(|row| hash.add_wide(self.user_data.get(row, NO_DATA)));
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.generations.memory()
            + self.filters.memory()
            + self.user_data.memory()
    }
}
