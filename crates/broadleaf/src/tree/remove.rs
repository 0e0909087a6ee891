//! Taking objects out of their lanes.

use super::Octree;
use crate::data::{Bump, Object, Row};
use crate::{Error, Handle, SliceError};

impl Octree {
    /// Removes an object and returns it; `None` if the handle is stale.
    ///
    /// *Cost:* constant; empty branches are pruned by the next view. The first removal makes the column of generations:
    /// four bytes a slot are written, in memory that [`Octree::reserve`] has made room for or that is allocated.
    pub fn remove(&mut self, handle: Handle) -> Option<Object> {
        let row = self.data.objects.row(handle)?;
        let object = self.data.describe(row);
        self.remove_row(row, handle);
        Some(object)
    }

    /// Removes many objects.
    ///
    /// *Cost:* linear in the handles, and a bit of working memory for each slot
    /// of the tree, which is kept; empty branches are pruned by the next view. The first removal makes the column of
    /// generations, as [`Octree::remove`] does.
    ///
    /// # Errors
    /// [`Error::StaleHandle`] with the index of the first handle that is stale,
    /// or that stands in the list already: then nothing is removed.
    pub fn remove_many(&mut self, handles: &[Handle]) -> Result<(), SliceError> {
        let mut bump_scratch = core::mem::take(&mut self.bump_scratch);
        let checked = self.check_removed(handles, bump_scratch.start());
        bump_scratch.record_size();
        self.bump_scratch = bump_scratch;
        checked?;
        for &handle in handles {
            self.remove_row(Row(handle.slot()), handle);
        }
        Ok(())
    }

    /// Checks that all handles name living objects, and that none is there twice.
    fn check_removed(&self, handles: &[Handle], bump: &Bump) -> Result<(), SliceError> {
        let words = (self.data.objects.slots_len() as usize).div_ceil(u64::BITS as usize);
        let listed = bump.alloc_slice_fill_copy(words, 0_u64);
        for (index, &handle) in handles.iter().enumerate() {
            let row = self.row(handle).map_err(|error| SliceError { index, error })?;
            let (word, bit) = (row.0 / u64::BITS, 1 << (row.0 % u64::BITS));
            if listed[word as usize] & bit != 0 {
                return Err(SliceError { index, error: Error::StaleHandle { handle } });
            }
            listed[word as usize] |= bit;
        }
        Ok(())
    }

    /// Removes the objects of which `keep` says `false`; it is asked once of
    /// each, lowest slot first. If it panics, what it has refused is removed
    /// and all others stay.
    ///
    /// *Cost:* linear in the most objects that there have been at once; empty
    /// branches are pruned by the next view. The first removal makes the column of generations, as
    /// [`Octree::remove`] does.
    pub fn retain(&mut self, mut keep: impl FnMut(Handle, Object) -> bool) {
        for row in (0..self.data.objects.slots_len()).map(Row) {
            if self.data.objects.is_live(row) {
                let handle = self.data.objects.handle(row);
                if !keep(handle, self.data.describe(row)) {
                    self.remove_row(row, handle);
                }
            }
        }
    }

    /// Removes the object of a living row.
    fn remove_row(&mut self, row: Row, handle: Handle) {
        self.data.take(self.data.objects.location(row));
        self.data.objects.release(row);
        self.data.journal.log_removed(handle, self.data.objects.len());
    }
}
