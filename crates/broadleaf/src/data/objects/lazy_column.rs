//! A lazy column: it exists only once a value differs from its default.

use crate::data::arena::{copy_list, reserve_tight};
use crate::geometry::lanes::prefetch;
use alloc::vec::Vec;

/// Values by row. Rows beyond the end have the default, which must be the same in
/// every call.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct LazyColumn<T>(Vec<T>);

/// The number of rows of a table, and the number that it has memory for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    pub(super) len: usize,
    pub(super) room: usize,
}

impl<T: Copy + PartialEq> LazyColumn<T> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    #[inline]
    pub(super) fn get(&self, row: u32, default: T) -> T {
        self.0.get(row as usize).copied().unwrap_or(default)
    }

    /// The values that are stored, from a row on.
    #[inline]
    pub(super) fn stored_from(&self, row: u32) -> &[T] {
        self.0.get(row as usize..).unwrap_or_default()
    }

    /// Prefetches a row.
    #[inline(always)]
    pub(super) fn prefetch(&self, row: u32) {
        if let Some(kept) = self.0.get(row as usize) {
            prefetch(kept);
        }
    }

    /// Writes a row of a table.
    #[inline]
    pub(super) fn set(&mut self, row: u32, value: T, rows: Rows, default: T) {
        if let Some(kept) = self.0.get_mut(row as usize) {
            *kept = value;
        } else if value != default {
            self.begin(rows, default);
            self.0[row as usize] = value;
        }
    }

    /// Writes consecutive rows of a table; `value` gives the value of each.
    pub(super) fn set_many<D>(&mut self, first: u32, described: &[D], value: impl Fn(&D) -> T, rows: Rows, default: T) {
        if self.0.len() < rows.len && described.iter().any(|each| value(each) != default) {
            self.begin(rows, default);
        }
        let kept = self.0.get_mut(first as usize..).unwrap_or_default();
        kept.iter_mut().zip(described).for_each(|(kept, each)| *kept = value(each));
    }

    /// Makes the column, with the default in all rows.
    pub(super) fn begin(&mut self, rows: Rows, default: T) {
        self.reserve(rows.room);
        self.0.resize(rows.len, default);
    }

    /// Whether the column has not been made: then every row has the default.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all values, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The number of rows stored.
    #[cfg(any(test, feature = "serde"))]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Makes room for so many rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        let more = rows.saturating_sub(self.0.len());
        reserve_tight(&mut self.0, more);
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.0.shrink_to_fit();
    }

    pub(super) fn copy_from(&mut self, source: &Self) {
        copy_list(&mut self.0, &source.0);
    }

    /// Bytes allocated.
    pub(super) fn memory(&self) -> usize {
        self.0.capacity() * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_begins_with_the_first_unusual_value() {
        let mut column = LazyColumn::new();
        let rows = |len| Rows { len, room: 20 };
        column.set(3, 7, rows(10), 7);
        column.set_many(0, &[(); 4], |()| 7, rows(10), 7);
        assert_eq!((column.len(), column.memory(), column.get(3, 7)), (0, 0, 7));
        column.set(3, 5, rows(10), 7);
        assert_eq!((column.get(2, 7), column.get(3, 7), column.get(11, 7)), (7, 5, 7));
        column.set(3, 7, rows(10), 7);
        assert_eq!((column.get(3, 7), column.len()), (7, 10));
        column.set_many(9, &[7, 7, 4], |&value| value, rows(12), 7);
        assert_eq!((column.get(8, 7), column.get(11, 7), column.len()), (7, 4, 12));
        column.set_many(8, &[1, 7], |&value| value, rows(12), 7);
        assert_eq!((column.get(8, 7), column.get(9, 7), column.get(11, 7)), (1, 7, 4));
        column.set_many(12, &[7], |&value| value, rows(13), 7);
        assert_eq!((column.len(), column.get(12, 7)), (12, 7));
    }
}
