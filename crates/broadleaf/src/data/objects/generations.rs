//! Generations by row: what tells the objects apart that use a row in turn.

use super::Handle;
use super::lazy_column::{LazyColumn, Rows};
use crate::data::Row;
#[cfg(feature = "serde")]
use crate::data::state::validate::{BrokenInvariant, ensure};
use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::ops::Range;

/// The generation of each row; odd. The column exists from the first removal of a single object on.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Generations {
    column: LazyColumn<NonZeroU32>,
    /// The generation of rows outside the column. Changed only while there is no column.
    usual: NonZeroU32,
}

impl Generations {
    pub(super) const fn new() -> Self {
        Self { column: LazyColumn::new(), usual: NonZeroU32::MIN }
    }

    /// All rows have this generation.
    #[cfg(test)]
    pub(super) fn all(usual: NonZeroU32) -> Self {
        Self { column: LazyColumn::new(), usual }
    }

    /// The generation of a row.
    #[inline(always)]
    pub(super) fn get(&self, row: Row) -> NonZeroU32 {
        self.column.get(row.0, self.usual)
    }

    /// That of all rows, if they have the same.
    #[inline(always)]
    pub(super) fn common(&self) -> Option<NonZeroU32> {
        self.column.is_empty().then_some(self.usual)
    }

    /// Gives a row the next generation; `false` if it has had the last.
    pub(super) fn advance(&mut self, row: Row, rows: Rows) -> bool {
        let next = self.get(row).checked_add(2);
        if let Some(next) = next {
            self.set(row, next, rows);
        }
        next.is_some()
    }

    /// Gives a row such a generation.
    pub(super) fn set(&mut self, row: Row, generation: NonZeroU32, rows: Rows) {
        self.column.set(row.0, generation, rows, self.usual);
    }

    /// Gives all rows their next generation, if all have the same and it is not the last; says whether it has.
    pub(super) fn advance_all(&mut self, rows: Rows) -> bool {
        let Some(common) = self.common() else { return false };
        let next = common.checked_add(2);
        if next.is_none() {
            // New rows begin with the first.
            self.column.begin(rows, common);
        }
        self.usual = next.unwrap_or(NonZeroU32::MIN);
        next.is_some()
    }

    /// The generation of rows that are made from now on.
    pub(super) fn usual(&self) -> NonZeroU32 {
        self.usual
    }

    /// Whether handles are those of consecutive rows, from the first on, with their generations.
    #[inline]
    pub(super) fn are_those_of(&self, first: u32, handles: &[Handle]) -> bool {
        let kept = self.column.stored_from(first);
        let (in_column, beyond) = handles.split_at(kept.len().min(handles.len()));
        let differ = |handle: &Handle, row: u32, generation: &NonZeroU32| {
            handle.slot() ^ row | handle.generation() ^ generation.get()
        };
        let rows = (first..).zip(in_column).zip(kept);
        let differ_in_column = rows.fold(0, |any, ((row, handle), kept)| any | differ(handle, row, kept));
        #[expect(clippy::cast_possible_truncation, reason = "handles of consecutive rows are below the row limit")]
        let rows = (first + in_column.len() as u32..).zip(beyond);
        rows.fold(differ_in_column, |any, (row, handle)| any | differ(handle, row, &self.usual)) == 0
    }

    /// Adds the handles of consecutive rows to a list.
    #[inline(always)]
    pub(super) fn list_handles(&self, rows: Range<u32>, handles: &mut Vec<Handle>) {
        if let Some(common) = self.common() {
            handles.extend(rows.map(|row| Handle::new(row, common)));
        } else {
            self.list_different_handles(rows, handles);
        }
    }

    /// [`Generations::list_handles`] where there is a column.
    // Not inlined: bulk builds lie together, and mostly there is none.
    #[inline(never)]
    fn list_different_handles(&self, rows: Range<u32>, handles: &mut Vec<Handle>) {
        handles.extend(rows.map(|row| Handle::new(row, self.get(Row(row)))));
    }

    /// Prefetches that of a row.
    #[inline(always)]
    pub(super) fn prefetch(&self, row: Row) {
        self.column.prefetch(row.0);
    }

    /// Makes room for so many rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.column.reserve(rows);
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.column.shrink_to_fit();
    }

    pub(super) fn copy_from(&mut self, source: &Self) {
        self.column.copy_from(&source.column);
        self.usual = source.usual;
    }

    /// Bytes allocated.
    pub(super) fn memory(&self) -> usize {
        self.column.memory()
    }

    /// The number of rows stored.
    #[cfg(feature = "serde")]
    pub(super) fn len(&self) -> usize {
        self.column.len()
    }

    /// Checks loaded generations.
    #[cfg(feature = "serde")]
    pub(super) fn check_restored(&self) -> Result<(), BrokenInvariant> {
        let odd = |generation: &NonZeroU32| generation.get() % 2 == 1;
        ensure(odd(&self.usual) && self.column.stored_from(0).iter().all(odd), "generations are odd", 0)
    }
}
